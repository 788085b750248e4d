//! Event logs: the verdicts are those of the sessions the events were taken from, whatever the
//! order, the format, the files, the memory and the threads; and problems of a log are reported.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

#[path = "event_logs/writers.rs"]
mod writers;

use crate::common;
use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace, multitrace_in, multitrace_with_input};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use writers::{in_all_formats, json_lines, packed};

const MAP: &str = r#"
[event]
session = "session"
lifeline = "at"
direction = { field = "way", emission = "out", reception = "in" }
message = "what"
"#;

/// One event: session, lifeline, whether it is an emission, message.
type Event = (String, String, bool, String);

/// The local logs of a session.
type Logs = Vec<VecDeque<Event>>;

/// Sessions of an example, right and wrong ones, as lines; without those where a location is absent.
fn sessions(folder: &Folder) -> String {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/mqtt/mqtt.hif");
    let mut lines = String::new();
    for kind in ["accepted", "noise", "swap-components", "swap-actions"] {
        let run = multitrace(&["generate", spec, "--kind", kind, "-n", "60", "--seed", "3"]);
        assert_eq!(run.code, 0, "{}", run.err);
        for line in run.out.lines() {
            let session: Value = serde_json::from_str(line).expect("a session");
            let traces = session["traces"].as_object().expect("traces");
            let is_whole = |trace: &Value| trace.as_array().is_some_and(|it| !it.is_empty());
            if traces.len() == 3 && traces.values().all(is_whole) {
                lines.push_str(line);
                lines.push('\n');
            }
        }
    }
    folder.file("sessions.jsonl", &lines);
    lines
}

fn logs(line: &str) -> Logs {
    let session: Value = serde_json::from_str(line).expect("a session");
    let id = session["session"].as_str().expect("an id");
    let event = |event: &Value| {
        let text = event.as_str().expect("an event");
        let (lifeline, message) = text.split_once(['!', '?']).expect("an action");
        (id.to_owned(), lifeline.to_owned(), text.contains('!'), message.to_owned())
    };
    let traces = session["traces"].as_object().expect("traces");
    let log = |trace: &Value| trace.as_array().expect("a list").iter().map(event).collect();
    traces.values().map(log).collect()
}

/// All events in an order that keeps that of each log; other seeds give other orders.
fn shuffled(lines: &str, seed: u64) -> Vec<Event> {
    let mut left: Vec<VecDeque<Event>> = lines.lines().flat_map(logs).collect();
    let mut state = seed;
    let mut events = Vec::new();
    while !left.is_empty() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = (state >> 33) as usize % left.len();
        events.extend(left[drawn].pop_front());
        if left[drawn].is_empty() {
            left.swap_remove(drawn);
        }
    }
    events
}

/// Fields that say where a session was read, and those of its main finding.
const PLACE: [&str; 3] = ["file", "line", "record"];
const OF_MAIN: [&str; 7] =
    ["cause", "location", "index", "event", "expected", "unknown", "frontier"];

/// The lines of the sessions by name, without the fields that only places give.
fn verdicts(out: &str) -> BTreeMap<String, Value> {
    let object = |line: &str| -> Value { serde_json::from_str(line).expect("an object") };
    let sessions = out.lines().map(object).filter(|object| object["type"] == "session");
    let sessions = sessions.map(|mut object| {
        let list = |name: &str| object[name].as_array().cloned().unwrap_or_default();
        let mut findings = [list("findings"), list("faults"), list("evidence")].concat();
        for finding in &mut findings {
            let fields = finding.as_object_mut().expect("an object");
            fields.retain(|name, _| !PLACE.contains(&&**name) && name != "under");
        }
        // Event logs have an order in which findings are reported.
        findings.sort_by_key(ToString::to_string);
        object["faults"] = Value::Null;
        object["evidence"] = Value::Null;
        let fields = object.as_object_mut().expect("an object");
        fields.retain(|name, _| !PLACE.contains(&&**name) && !OF_MAIN.contains(&&**name));
        object["findings"] = Value::Array(findings);
        object
    });
    sessions.map(|object| (object["session"].as_str().expect("an id").to_owned(), object)).collect()
}

fn check(folder: &Folder, logs: &[&str], options: &[&str]) -> Run {
    let paths: Vec<String> = logs.iter().map(|log| folder.path(log)).collect();
    let mut args = vec!["check", concat!(env!("CARGO_MANIFEST_DIR"), "/examples/mqtt/mqtt.hif")];
    args.extend(paths.iter().map(String::as_str));
    args.extend(["--output-format", "json-lines"]);
    args.extend(options);
    multitrace(&args)
}

#[test]
fn verdicts_are_those_of_the_sessions() {
    let folder = Folder::new();
    let lines = sessions(&folder);
    let expected = verdicts(&check(&folder, &["sessions.jsonl"], &[]).out);
    let mut runs = 0;
    for seed in 1..4 {
        let events = shuffled(&lines, seed);
        for (name, map, bytes) in in_all_formats(&events) {
            let map = folder.file("map.toml", &map);
            std::fs::write(folder.path(name), bytes).expect("a file");
            for memory in ["4GiB", "10kB", "1B"] {
                let jobs = if memory == "10kB" { "1" } else { "2" };
                let options = ["--events", &map, "--memory", memory, "--jobs", jobs];
                let run = check(&folder, &[name], &options);
                assert_eq!((run.code, run.err.as_str()), (1, ""), "{name}");
                assert_eq!(verdicts(&run.out), expected, "{name} with {memory}, seed {seed}");
                runs += 1;
            }
        }
    }
    let passes = expected.values().filter(|object| object["verdict"] == "pass").count();
    println!("event logs: {} sessions, {passes} pass, {runs} runs", expected.len());
    assert!(passes > 30 && expected.len() - passes > 30);
}

/// A failing session that has the logs of an earlier one is told as if it were alone, whatever the order of its events.
#[test]
fn failures_that_were_there_before_are_told_as_alone() {
    let folder = Folder::new();
    let failing = sessions(&folder).lines().rev().take(15).map(str::to_owned).collect::<Vec<_>>();
    let again = |line: &String| {
        let id = logs(line)[0][0].0.clone();
        (1..4).map(|n| line.replacen(&id, &format!("{id}-{n}"), 1) + "\n").collect::<String>()
    };
    let map = folder.file("map.toml", MAP);
    folder.file(
        "log.jsonl",
        &json_lines(&shuffled(&failing.iter().map(again).collect::<String>(), 5)),
    );
    let of = |more: &[&str]| {
        check(&folder, &["log.jsonl"], &[&["--events", &map, "--jobs", "1"], more].concat())
    };
    let whole = of(&[]);
    for line in whole.out.lines().filter(|line| line.contains(r#""type":"session""#)) {
        let id = serde_json::from_str::<Value>(line).expect("a session")["session"].to_string();
        let only = folder.file("only", &format!("{}\n", id.trim_matches('"')));
        let alone = of(&["--only-sessions", &only]);
        assert_eq!(alone.out.lines().next(), Some(line));
    }
    let costs = of(&["--stats"]);
    let remembered =
        costs.out.lines().filter(|it| it.contains("session") && !it.contains("cost")).count();
    assert!((10..45).contains(&remembered), "{remembered}");
}

/// The order of the output is that of the first events, whatever the memory, the threads, and
/// whether sessions are grouped.
#[test]
fn the_output_is_the_same_bytes() {
    let folder = Folder::new();
    let lines = sessions(&folder);
    let map = folder.file("map.toml", MAP);
    let out = |log: &str, options: &[&str]| {
        let run = check(&folder, &[log], &[&["--events", &map], options].concat());
        let lines: Vec<&str> =
            run.out.lines().filter(|line| !line.contains("\"summary\"")).collect();
        lines.join("\n")
    };
    folder.file("log.jsonl", &json_lines(&shuffled(&lines, 5)));
    let first = out("log.jsonl", &[]);
    assert!(first.lines().count() > 60);
    for options in [["--memory", "1B", "--jobs", "1"], ["--memory", "50kB", "--jobs", "2"]] {
        assert_eq!(out("log.jsonl", &options), first);
    }
    let grouped: Vec<Event> =
        lines.lines().flat_map(|line| logs(line).into_iter().flatten()).collect();
    let map = folder.file("map.toml", MAP);
    folder.file("grouped.jsonl", &json_lines(&grouped));
    assert_eq!(out("grouped.jsonl", &["--grouped"]), out("grouped.jsonl", &[]));
    let run = check(&folder, &["log.jsonl"], &["--events", &map, "--grouped"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("goes on after another one has begun"), "{}", run.err);
}

/// One file for each location, given by its folder.
/// A sample is the same sessions, with the same verdicts, whatever they are read from.
#[test]
fn samples_are_those_of_the_sessions() {
    let folder = Folder::new();
    let lines = sessions(&folder);
    let events = shuffled(&lines, 5);
    folder.file("log.jsonl", &json_lines(&events));
    let mut grouped: Vec<Event> = lines.lines().flat_map(logs).flatten().collect();
    grouped.sort_by(|a, b| a.0.cmp(&b.0));
    let map = folder.file("map.toml", MAP);
    folder.file("grouped.jsonl", &json_lines(&grouped));
    for size in ["0", "1", "17", "100000", "20%"] {
        let sample = ["--sample", size, "--seed", "9", "--events", &map];
        let expected = check(&folder, &["sessions.jsonl"], &sample[..4]);
        let of_log = check(&folder, &["log.jsonl"], &sample);
        let of_grouped =
            check(&folder, &["grouped.jsonl"], &[&sample[..], &["--grouped"]].concat());
        for run in [&of_log, &of_grouped] {
            assert_eq!(verdicts(&run.out), verdicts(&expected.out), "{size}: {}", run.err);
            let summary: Value = serde_json::from_str(run.out.lines().last().expect("a summary"))
                .expect("an object");
            let input = |key: &str| summary["input"][key].as_u64().expect("a count");
            assert_eq!(input("events") + input("not_selected"), events.len() as u64);
            assert_eq!(input("events"), summary["events"].as_u64().expect("a count"));
        }
    }
}

#[test]
fn logs_of_several_files_come_together() {
    let folder = Folder::new();
    let lines = sessions(&folder);
    let expected = verdicts(&check(&folder, &["sessions.jsonl"], &[]).out);
    let map = folder.file("map.toml", MAP);
    let events = shuffled(&lines, 9);
    for at in ["publisher", "broker", "subscriber"] {
        let own: Vec<Event> = events.iter().filter(|event| event.1 == at).cloned().collect();
        folder.file(&format!("logs/{at}.jsonl"), &json_lines(&own));
    }
    let run = check(&folder, &["logs"], &["--events", &map]);
    assert_eq!(verdicts(&run.out), expected);
    let run = check(&folder, &["logs/[bps]*.jsonl"], &["--events", &map]);
    assert_eq!(verdicts(&run.out), expected);
    let run = check(&folder, &["logs/x*"], &["--events", &map]);
    assert_eq!(run.code, 2);
    let only = folder.file("only", &format!("{}\n", expected.keys().next().expect("one")));
    let run = check(&folder, &["logs"], &["--events", &map, "--only-sessions", &only]);
    assert_eq!(verdicts(&run.out).len(), 1);
}

/// The file tells whose log it is, unless the record does.
#[test]
fn one_log_for_each_lifeline() {
    let folder = Folder::new();
    let map = folder.file(
        "map.toml",
        "[input]\nformat = \"text\"\npatterns = ['^(?<id>\\w+) (?<way>in|out) (?<what>\\w+)$']\n[event]\n\
         session = \"id\"\nlifeline = \"@stem\"\nmessage = \"what\"\n\
         direction = { field = \"way\", emission = \"out\", reception = \"in\" }\n",
    );
    folder.file("logs/b.log", "s in m\nt in m\n");
    std::fs::write(folder.path("logs/a.txt.gz"), packed("t out m\ns out m\n")).expect("a file");
    let (spec, logs) = (folder.path("ab.hif"), folder.path("logs"));
    let run = multitrace(&["check", &spec, &logs, "--events", &map]);
    assert_eq!((run.code, &*run.err), (0, ""), "{}", run.out);
    let map = folder.file("map.toml", &MAP.replace("\"at\"", "\"{@file}\""));
    let log = two_events("a", "b").replace("\"at\"", "\"@file\"");
    let run = check_ab(&folder, &std::fs::read_to_string(map).expect("text"), log.as_bytes(), &[]);
    assert_eq!((run.code, &*run.err), (0, ""), "{}", run.out);
}

#[test]
fn a_bundle_may_hold_its_mapping() {
    let folder = Folder::new();
    let map = folder.file("map.toml", MAP);
    let (spec, bundle) = (folder.path("ab.hif"), folder.path("ab.mtb"));
    let run = multitrace(&["compile", &spec, "--events", &map, "-o", &bundle]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(multitrace(&["inspect", &bundle]).out.contains("map.toml"));
    let log = folder.file("log", &two_events("a", "b"));
    assert_eq!(multitrace(&["check", &bundle, &log]).code, 0);
    let session = folder.file("s.jsonl", common::folder::PASSING);
    assert_eq!(multitrace(&["check", &bundle, &session, "--no-events"]).code, 0);
    let wrong = folder.file("wrong.toml", "[event]\nsession = 1\n");
    let run = multitrace(&["compile", &spec, "--events", &wrong]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("wrong.toml:2:"), "{}", run.err);
}

fn two_events(from: &str, to: &str) -> String {
    let event = |at: &str, way: &str| {
        format!("{{\"session\":\"s\",\"at\":\"{at}\",\"way\":\"{way}\",\"what\":\"m\"}}\n")
    };
    event(from, "out") + &event(to, "in")
}

/// Checks one log against `ab.hif`.
fn check_ab(folder: &Folder, map: &str, log: &[u8], options: &[&str]) -> Run {
    let map = folder.file("map.toml", map);
    let path = folder.path("log");
    std::fs::write(&path, log).expect("a file");
    let spec = folder.path("ab.hif");
    multitrace(&[&["check", &spec, &path, "--events", &map], options].concat())
}

#[test]
fn explanations_point_at_the_lines_of_the_log() {
    let folder = Folder::new();
    let log = two_events("a", "b") + &two_events("b", "b");
    let run = check_ab(&folder, MAP, log.as_bytes(), &[]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("log:3"), "{}", run.out);
    let (spec, map, path) = (folder.path("ab.hif"), folder.path("map.toml"), folder.path("log"));
    let run = multitrace(&["explain", &spec, &path, "--events", &map, "--session", "s"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("log:3") && run.out.contains("b!m"), "{}", run.out);
}

#[test]
fn findings_of_a_document_on_one_line_name_their_records() {
    let folder = Folder::new();
    let events = two_events("a", "b") + &two_events("b", "b");
    let log = format!("{{\"data\":[{}]}}", events.trim_end().replace('\n', ","));
    let map = format!("[input]\nrecords = \"data[]\"\n{MAP}");
    let run = check_ab(&folder, &map, log.as_bytes(), &[]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("log:1, record 3"), "{}", run.out);
    let lines = check_ab(&folder, &map, log.as_bytes(), &["--output-format", "json-lines"]);
    assert!(lines.out.contains(r#""line":1,"record":3"#), "{}", lines.out);
    let (spec, map, path) = (folder.path("ab.hif"), folder.path("map.toml"), folder.path("log"));
    let explained = multitrace(&["explain", &spec, &path, "--events", &map, "--session", "s"]);
    assert!(explained.out.contains(":1, record 3\n"), "{}", explained.out);
    // Sessions keep the places.
    let sessions = multitrace(&["sessions", &path, "--events", &map]);
    assert!(sessions.out.contains(r#"log:1,3""#), "{}", sessions.out);
    let again = folder.file("again.jsonl", &sessions.out);
    let again = multitrace(&["check", &spec, &again]);
    assert!(again.out.contains("log:1, record 3"), "{}", again.out);
}

#[test]
fn a_missing_log_is_visible_and_no_failure() {
    let folder = Folder::new();
    let log = two_events("a", "b");
    let first = log.lines().next().expect("a line");
    let run = check_ab(&folder, MAP, first.as_bytes(), &["--output-format", "json-lines"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let said = verdicts(&run.out).remove("s").expect("the session");
    assert_eq!((&said["verdict"], &said["absent"][0]), (&"inconclusive".into(), &"b".into()));
    let run = check_ab(&folder, MAP, first.as_bytes(), &["--fail-on", "fail"]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("MT407"), "{}", run.out);
    // The remedy that the report proposes makes it pass.
    assert!(run.out.contains("nothing was logged at b in any session: "), "{}", run.out);
    assert!(run.out.contains("judge the others alone by --unlogged b"), "{}", run.out);
    let run = check_ab(&folder, MAP, first.as_bytes(), &["--unlogged", "b"]);
    assert_eq!(run.code, 0, "{}", run.out);
    // Another session has an event there.
    let run = check_ab(
        &folder,
        MAP,
        format!("{first}\n{}", log.replace("\"s\"", "\"t\"")).as_bytes(),
        &[],
    );
    assert!(run.out.contains("MT407") && !run.out.contains("in any session"), "{}", run.out);
    // A session that does not fit even as a part stays a failure.
    let twice = two_events("b", "b").lines().next().expect("a line").to_owned();
    let run = check_ab(&folder, MAP, twice.as_bytes(), &["--output-format", "json-lines"]);
    assert_eq!(verdicts(&run.out)["s"]["verdict"], "fail");
}

/// A lifeline whose events need not be logged is not missing; another one without a log is.
#[test]
fn lifelines_that_need_not_log_are_not_missing() {
    let folder = Folder::new();
    let text = "seq(a -- ask -> b, b -- find -> store, store -- found -> b, b -- answer -> a)";
    let spec = folder.file("spec.hif", text);
    let event = |(s, at, d, m)| serde_json::json!({"s": s, "at": at, "d": d, "m": m}).to_string();
    let events = [
        ("1", "a", "out", "ask"),
        ("1", "a", "in", "answer"),
        ("2", "a", "out", "ask"),
        ("2", "b", "in", "ask"),
        ("2", "b", "out", "find"),
    ];
    let log = folder.file("log.jsonl", &events.map(event).join("\n"));
    let map = "[event]\nsession = \"s\"\nlifeline = \"at\"\nmessage = \"m\"\n\
               direction = { field = \"d\", emission = \"out\", reception = \"in\" }\n";
    let map = folder.file("map.toml", map);
    for engine in ["term", "nfa"] {
        let options = ["--events", &map, "--engine", engine];
        let run = multitrace(&[&["check", &spec, &log][..], &options].concat());
        let said = ["nothing was logged at b, store;", "nothing was logged at store;"];
        assert!(said.iter().all(|it| run.out.contains(it)), "{}", run.out);
        let run =
            multitrace(&[&["check", &spec, &log, "--unlogged", "store"][..], &options].concat());
        assert!(run.out.contains("nothing was logged at b;"), "{}", run.out);
        // The logs of an example say so of a location, which is not a finding.
        assert!(!run.out.contains("nothing was logged at store;"), "{}", run.out);
    }
}

/// A session that passes although its log was cut off is marked and counted, and can be refused.
#[test]
fn a_pass_in_a_log_that_was_cut_off_is_marked() {
    let folder = Folder::new();
    std::fs::write(folder.path("ab.hif"), "loopS(a -- m -> b)").expect("a file");
    let session = |id: &str| two_events("a", "b").replace("\"s\"", &format!("\"{id}\""));
    let log = session("s1") + &session("s2");
    let cut = &log.as_bytes()[..log.len() - 5];
    let run = check_ab(&folder, MAP, cut, &["--output-format", "json-lines"]);
    assert_eq!(run.code, 2, "the cut is an error: {}", run.err);
    let objects: Vec<Value> =
        run.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let passed = objects.iter().find(|it| it["session"] == "s1").expect("the session");
    assert_eq!((&passed["verdict"], &passed["cut_off"]), (&"pass".into(), &true.into()));
    assert_eq!(objects.last().expect("a summary")["cut_off"], 1, "{}", run.out);
    let options = ["--fail-on", "cut-off", "--output-format", "concise"];
    let refused = check_ab(&folder, MAP, cut, &options);
    assert!(refused.out.contains("error[MT502]"), "{}", refused.out);
    let whole = check_ab(&folder, MAP, log.as_bytes(), &options);
    assert!(whole.code == 0 && !whole.out.contains("MT502"), "{}", whole.out);
}

/// Wherever a log is cut off within a line or a compressed stream, no session fails for events behind the cut; and the
/// run does not end well.
#[test]
fn a_log_that_was_cut_off_makes_no_failures() {
    let folder = Folder::new();
    let (order, back) = (two_events("a", "b"), two_events("b", "a"));
    let spec = "loopS(seq(a -- m -> b, b -- m -> a))";
    std::fs::write(folder.path("ab.hif"), spec).expect("a file");
    let session = |id: &str| (order.clone() + &back).replace("\"s\"", &format!("\"{id}\""));
    let log = session("s1") + &session("s2") + &session("s3");
    let inside_a_line =
        |cut: &usize| log.as_bytes()[*cut] != b'\n' && log.as_bytes()[cut - 1] != b'\n';
    let plain =
        (1..log.len()).step_by(7).filter(inside_a_line).map(|cut| log.as_bytes()[..cut].to_vec());
    let whole = packed(&log);
    let streams = (24..whole.len()).step_by(5).map(|cut| whole[..cut].to_vec());
    let mut undecided = 0;
    for log in plain.chain(streams) {
        for options in [&[][..], &["--grouped"]] {
            let run = check_ab(
                &folder,
                MAP,
                &log,
                &[options, &["--output-format", "json-lines"]].concat(),
            );
            assert_eq!(run.code, 2, "{}", run.err);
            assert!(run.out.contains("\"cut_off\":1"), "{}", run.out);
            for (session, said) in verdicts(&run.out) {
                assert_ne!(said["verdict"], "fail", "{session} of {}", run.out);
                undecided += usize::from(said["verdict"] == "inconclusive");
            }
        }
    }
    assert!(undecided > 0);
    // A session that does not fit as a beginning stays a failure.
    let wrong = back + &order;
    let run = check_ab(
        &folder,
        MAP,
        &wrong.as_bytes()[..wrong.len() - 9],
        &["--output-format", "json-lines"],
    );
    assert_eq!(verdicts(&run.out)["s"]["verdict"], "fail");
}

/// A missing log is not a reason to overlook faults elsewhere.
#[test]
fn a_gap_does_not_hide_what_is_wrong() {
    let folder = Folder::new();
    std::fs::write(folder.path("ab.hif"), "seq(a -- m -> b, b -- m -> c, c -- m -> b)")
        .expect("a file");
    let event = |at: &str, way: &str| {
        two_events(at, at).lines().nth(usize::from(way == "in")).expect("a line").to_owned() + "\n"
    };
    let log = event("b", "in") + &event("b", "in") + &event("c", "in");
    let lines = ["--output-format", "json-lines"];
    let run = check_ab(&folder, MAP, log.as_bytes(), &lines);
    let said = verdicts(&run.out).remove("s").expect("the session");
    let first = &said["findings"][0];
    assert_eq!((&first["location"], &first["index"]), (&"b".into(), &1.into()), "{}", run.out);
    assert!(run.out.contains("log\",\"line\":2"), "{}", run.out);
    // The same of a name that nobody knows.
    let log = event("b", "in") + &event("b", "out") + &event("b", "in") + &event("C", "in");
    let run = check_ab(&folder, MAP, log.as_bytes(), &lines);
    let said = verdicts(&run.out).remove("s").expect("the session");
    let first = &said["findings"][0];
    assert_eq!(
        (&first["location"], &said["verdict"]),
        (&"C".into(), &"fail".into()),
        "{}",
        run.out
    );
}

/// A record of a session that cannot be used leaves the session undecided, whether it looks right or
/// wrong without.
#[test]
fn a_lost_record_decides_nothing() {
    let folder = Folder::new();
    let good = two_events("a", "b");
    let ordered = format!("{MAP}order = \"t\"\n");
    let timed: String = good
        .lines()
        .enumerate()
        .map(|(n, line)| line.replace('}', &format!(",\"t\":{n}}}\n")))
        .collect();
    let lost = timed.lines().next().expect("a line").replace(":0}", ":\"later\"}") + "\n";
    let other = timed.replace("\"s\"", "\"other\"");
    for log in [timed.clone() + &lost, lost.clone() + timed.lines().nth(1).expect("a line")] {
        let run = check_ab(
            &folder,
            &ordered,
            (log + "\n" + &other).as_bytes(),
            &["--output-format", "json-lines"],
        );
        assert_eq!(run.code, 2, "{}", run.err);
        let said = verdicts(&run.out);
        assert_eq!(
            (&said["s"]["verdict"], &said["other"]["verdict"]),
            (&"inconclusive".into(), &"pass".into())
        );
    }
}

/// The command that a report prints explains the session as it was checked.
#[test]
fn a_session_of_several_files_is_explained_from_all() {
    let folder = Folder::new();
    let map = folder.file("map.toml", MAP);
    let (a, b) = (two_events("a", "a"), two_events("b", "b"));
    let one = folder.file("logs/1.jsonl", &(a.lines().next().expect("a line").to_owned() + "\n"));
    let two = folder.file(
        "logs/2.jsonl",
        &(b.lines().nth(1).expect("a line").to_owned()
            + "\n"
            + b.lines().nth(1).expect("a line")
            + "\n"),
    );
    let spec = folder.path("ab.hif");
    for inputs in [&[folder.path("logs")][..], &[two, one]] {
        let paths: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let run = multitrace(&[&["check", &spec, "--events", &map], &paths[..]].concat());
        let command = run.out.lines().find_map(|line| line.split_once(": multitrace explain "));
        let command = command.expect("a command").1.split_whitespace();
        let words: Vec<&str> = ["explain"].into_iter().chain(command).collect();
        let explained = multitrace(&words);
        assert!(
            run.out.contains("MT114") && explained.out.contains("MT114"),
            "{}{}",
            run.out,
            explained.out
        );
    }
}

/// Logs that were thought to be grouped give no verdicts on parts of sessions.
#[test]
fn a_session_that_goes_on_ends_a_grouped_run() {
    let folder = Folder::new();
    let (good, other) = (two_events("a", "b"), two_events("a", "b").replace("\"s\"", "\"t\""));
    let log = good.clone() + &other + &good;
    let run = check_ab(&folder, MAP, log.as_bytes(), &["--grouped"]);
    assert_eq!((run.code, &*run.out), (2, ""));
    assert!(
        run.err.contains("log, line 5") && run.err.contains("leave out --grouped"),
        "{}",
        run.err
    );
}

/// A span that takes no time is not in an unknown order.
#[test]
fn events_of_one_record_are_in_order() {
    let folder = Folder::new();
    let span = |kind: &str, at: &str| {
        format!(
            "{{\"traceId\":\"s\",\"id\":\"1\",\"kind\":\"{kind}\",\"name\":\"m\",\"timestamp\":7,\"duration\":0,\"localEndpoint\":{{\"serviceName\":\"{at}\"}}}}"
        )
    };
    std::fs::write(folder.path("ab.hif"), "seq(a -- m -> b, b -- m_return -> a)").expect("a file");
    let log = format!("[{},{}]", span("CLIENT", "a"), span("SERVER", "b"));
    let map = "[input]\nformat = \"zipkin\"\n[spans]\nreturns = true\n";
    let run = check_ab(&folder, map, log.as_bytes(), &[]);
    assert_eq!((run.code, &*run.err), (0, ""), "{}", run.out);
}

#[test]
fn what_is_wrong_with_a_log_is_told_with_its_place() {
    let folder = Folder::new();
    let good = two_events("a", "b");
    let ordered = format!("{MAP}order = \"t\"\n");
    let tied = good.replace("\"at\":\"b\"", "\"at\":\"a\"").replace('}', ",\"t\":7}");
    let mixed = tied.replacen(":7", ":\"2024-05-01T00:00:00Z\"", 1);
    let late = good.replace('}', ",\"t\":\"9998-12-31T23:59:59Z\"}");
    let beyond = good.replace('}', ",\"t\":\"9999-12-31T23:59:59Z\"}");
    let utf16: Vec<u8> =
        format!("\u{feff}{good}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: [(&str, Vec<u8>, i32, &str); 11] = [
        (MAP, format!("{good}{{\"session\":\n").into_bytes(), 2, "log:3:"),
        (MAP, [good.as_bytes(), b"{\"session\":\"\xff\"}\n"].concat(), 2, "log:3:"),
        (MAP, [good.as_bytes(), &utf16[2..]].concat(), 2, "log:3:"),
        (MAP, utf16, 2, "iconv -f UTF-16 -t UTF-8"),
        (MAP, packed(&good)[..40].to_vec(), 2, "log"),
        (&ordered, tied.into_bytes(), 2, "same order as the one at"),
        (&ordered, mixed.into_bytes(), 2, "ordered in different ways: this one by a number, and"),
        (&ordered, late.into_bytes(), 0, ""),
        (&ordered, beyond.into_bytes(), 2, "neither a number nor a time"),
        (&format!("unmatched = \"error\"\n{MAP}"), good.clone().into_bytes(), 0, ""),
        (MAP, Vec::new(), 3, "nothing was checked"),
    ];
    for (map, log, code, message) in cases {
        let run = check_ab(&folder, map, &log, &[]);
        assert_eq!(run.code, code, "{message}: {}", run.err);
        assert!(run.err.contains(message), "{message}: {}", run.err);
        // A session without a known order has no verdict, and is counted.
        if message.contains("order") {
            assert!(run.out.contains("MT409") && run.out.contains("1 session"), "{}", run.out);
        }
        // Nothing else is lost by an error in one line.
        if message == "log:3:" {
            assert!(run.out.contains("1 session"), "{}", run.out);
        }
    }
}

/// Times are often coarser than the events; the file knows the order, two files do not.
#[test]
fn ties_keep_the_order_of_one_file() {
    let folder = Folder::new();
    let spec = folder.file("ab.hif", "seq(a -- m -> b, a -- n -> b)");
    let event = |at: &str, kind: &str, msg: &str| {
        format!("{{\"s\":\"1\",\"at\":\"{at}\",\"kind\":\"{kind}\",\"msg\":\"{msg}\",\"t\":7}}\n")
    };
    let [first, second] =
        ["m", "n"].map(|msg| [event("a", "out", msg), event("b", "in", msg)].concat());
    let map = "[event]\nsession = \"s\"\nlifeline = \"at\"\nmessage = \"msg\"\norder = \"t\"\n\
               direction = { field = \"kind\", emission = \"out\", reception = \"in\" }\n";
    let by_file = folder.file("file.toml", &format!("{map}ties = \"file\"\n"));
    let reported = folder.file("report.toml", &format!("{map}ties = \"report\"\n"));
    let log = folder.file("log", &format!("{first}{second}"));
    let wrong = folder.file("wrong", &format!("{second}{first}"));
    let parts = [folder.file("1", &first), folder.file("2", &second)];
    let check = |map: &str, inputs: &[&str]| {
        multitrace(&[&["check", &spec, "--events", map], inputs].concat())
    };
    assert_eq!(check(&by_file, &[&log]).code, 0);
    assert_eq!(check(&by_file, &[&wrong]).code, 1);
    assert_eq!(check(&reported, &[&log]).code, 2);
    let run = check(&by_file, &[&parts[0], &parts[1]]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("same order as the one at"), "{}", run.err);
}

/// Events `s,at,kind,msg,t` as CSV, checked with a mapping that has these lines besides.
fn check_rows(folder: &Folder, map: &str, rows: &str, more: &[&str]) -> Run {
    let spec = folder.file("ab.hif", "seq(a -- m -> b, a -- n -> b)");
    let map = format!(
        "[event]\nlifeline = \"at\"\nmessage = \"msg\"\norder = \"t\"\n\
         direction = {{ field = \"kind\", emission = \"out\", reception = \"in\" }}\n{map}"
    );
    let map = folder.file("map.toml", &map);
    let log = folder.file("log.csv", &format!("s,at,kind,msg,t\n{rows}"));
    multitrace(&[&["check", &spec, &log, "--events", &map], more].concat())
}

const WHOLE: &str = "s1,a,out,m,1\ns1,b,in,m,2\ns1,a,out,n,3\ns1,b,in,n,4\n";

/// Nobody knows who has the role in the second session, which is no other session for that.
#[test]
fn a_session_without_its_roles_has_its_own_name() {
    let folder = Folder::new();
    let tied = WHOLE.replace("s1", "s2").replace("m,2", "m,1");
    let rows = format!("{WHOLE}{tied}{}", WHOLE.replace("s1", "s3"));
    let map = "session = \"s\"\n[[role]]\nlifeline = \"r{n}\"\nmost = 2\nfield = \"at\"\n";
    let run = check_rows(&folder, map, &rows, &["--output-format", "json-lines"]);
    let lines = run.out.lines().map(|it| serde_json::from_str::<Value>(it).expect("an object"));
    let sessions = lines.filter(|it| it["type"] == "session");
    let verdicts = sessions.map(|it| format!("{} {}", it["session"], it["verdict"]));
    let expected = [r#""s1" "fail""#, r#""s2" "inconclusive""#, r#""s3" "fail""#];
    assert_eq!(verdicts.collect::<Vec<_>>(), expected, "{}", run.err);
}

#[test]
fn sessions_are_kept_or_dropped_for_one_record() {
    let folder = Folder::new();
    let rows = format!("{WHOLE}s2,a,out,m,1\ns2,a,test,x,9\ns3,b,in,m,5\n");
    let cases = [
        ("", 3, 0, 0),
        ("[[keep-session]]\nwhen = { kind = \"out\" }\n", 2, 1, 1),
        ("[[drop-session]]\nwhen = { kind = \"test\" }\n", 2, 1, 0),
        (
            "[[keep-session]]\nwhen = { msg = \"n\" }\n[[keep-session]]\nwhen = { kind = \"test\" }\n\
             [[drop-session]]\nwhen = { kind = \"test\" }\n",
            1,
            2,
            1,
        ),
    ];
    for (filters, sessions, left_out, not_kept) in cases {
        let map = format!("session = \"s\"\n{filters}");
        for more in [&["--grouped"][..], &[], &["--sample", "100%"]] {
            let options = [more, &["--output-format", "json"]].concat();
            let run = check_rows(&folder, &map, &rows, &options);
            let report: Value = serde_json::from_str(&run.out).expect("a report");
            let summary = &report["summary"];
            assert_eq!(summary["sessions"], sessions, "{filters} {more:?}: {}", run.err);
            assert_eq!(summary["not_selected"].as_u64().unwrap_or(0), left_out, "{filters}");
            assert_eq!(summary["not_kept"].as_u64().unwrap_or(0), not_kept, "{filters} {more:?}");
            let told = summary["notes"].to_string().contains("no [[keep-session]] of the mapping");
            assert_eq!(told, not_kept > 0, "{filters} {more:?}: {}", run.out);
        }
    }
}

/// A direction that a mapping forgets is not a message that nobody sent.
#[test]
fn directions_that_are_not_listed_are_told() {
    let folder = Folder::new();
    let told = "`kind` is `OUT`, which is neither an emission nor a reception";
    // An event that is not in the specification may be named after the record that could not be used.
    for more in ["s1,b,in,other,6\n", ""] {
        let rows = format!("{WHOLE}s1,a,OUT,m,5\n{more}");
        let run = check_rows(&folder, "session = \"s\"\n", &rows, &[]);
        assert_eq!(run.code, 2, "{}", run.out);
        assert!(
            run.out.contains("MT409 inconclusive") && !run.out.contains("MT102"),
            "{}",
            run.out
        );
        assert!(run.err.contains(told), "{}", run.err);
    }
    let (map, log) = (folder.path("map.toml"), folder.path("log.csv"));
    let run = multitrace(&["map", "--explain", &log, "--events", &map]);
    assert!(run.out.contains(told), "{}", run.out);
}

#[test]
fn a_gap_begins_another_session() {
    let folder = Folder::new();
    // The same again, two minutes later, and out of order in the file.
    let again = WHOLE.replace(",1\n", ",121\n").replace(",2\n", ",122\n");
    let again = again.replace(",3\n", ",123\n").replace(",4\n", ",124\n");
    let rows = format!("{again}{WHOLE}");
    let map = "session = { field = \"s\", gap = \"1m\" }\n";
    let run = check_rows(&folder, map, &rows, &["--output-format", "json-lines"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let names =
        ["\"session\":\"s1#1\",\"verdict\":\"pass\"", "\"session\":\"s1#2\",\"verdict\":\"pass\""];
    assert!(names.iter().all(|name| run.out.contains(name)), "{}", run.out);
    let run = check_rows(
        &folder,
        &map.replace("1m", "3 hours"),
        &rows,
        &["--output-format", "json-lines"],
    );
    assert_eq!(run.code, 1, "one session: {}", run.out);
    assert!(run.out.contains("\"s1#1\"") && !run.out.contains("\"s1#2\""), "{}", run.out);
    let only = folder.file("only", "s1#2\n");
    let run = check_rows(&folder, map, &rows, &["--only-sessions", &only]);
    assert!(run.out.contains("1 session against"), "{}", run.out);
    for wrong in ["soon", "-1m", "0s"] {
        let run = check_rows(&folder, &map.replace("1m", wrong), &rows, &[]);
        assert_eq!(run.code, 2);
        assert!(
            run.err.contains("no length of time") && run.err.contains("map.toml:6"),
            "{}",
            run.err
        );
    }
}

#[test]
fn a_line_without_end_is_an_error_in_bounded_memory() {
    let folder = Folder::new();
    let good = two_events("a", "b");
    let log = format!("{good}{{\"session\":\"{}\"}}\n{good}", "x".repeat(70 << 20));
    let run = check_ab(&folder, MAP, log.as_bytes(), &["--output-format", "json"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("longer than 67108864 bytes"), "{}", run.err);
    let help = "raise `max-record` in [input] (in bytes, at most 1073741824), look for";
    assert!(run.err.contains(help), "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).expect("a report");
    assert_eq!(report["summary"]["events"], 4, "what follows is read");
}

/// A request of OTLP is a record, in JSON and in protobuf; of JSON, its spans can be read one after the other.
#[test]
fn a_request_that_is_too_long_names_the_limit() {
    let folder = Folder::new();
    let spec = folder.file("a.hif", "a -- tap0 ->|");
    let span = |n: u32| {
        format!(
            r#"{{"traceId":"{n:032x}","spanId":"{n:016x}","name":"tap0","kind":4,"startTimeUnixNano":"{n}","endTimeUnixNano":"{n}9"}}"#
        )
    };
    let spans: Vec<String> = (1..40).map(span).collect();
    let name = r#"{"key":"service.name","value":{"stringValue":"a"}}"#;
    let json = folder.file(
        "request.json",
        &format!(
            r#"{{"resourceSpans":[{{"resource":{{"attributes":[{name}]}},"scopeSpans":[{{"spans":[{}]}}]}}]}}"#,
            spans.join(",")
        ),
    );
    // A field with 5000 bytes.
    let request = [&[10, 136, 39][..], &[0; 5000]].concat();
    let proto = folder.path("request.pb");
    std::fs::write(&proto, request).expect("a file");
    let check = |log: &str, input: &str| {
        let map = folder.file("map.toml", &format!("[input]\nmax-record = 2000\n{input}"));
        multitrace(&["check", &spec, log, "--events", &map])
    };
    let help = "raise `max-record` in [input] (in bytes, at most 1073741824)";
    for (log, format) in [(&json, "otlp-json"), (&proto, "otlp-proto")] {
        let run = check(log, &format!("format = \"{format}\"\n[spans]\n"));
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(
            run.err.contains("is longer than 2000 bytes") && run.err.contains(help),
            "{}",
            run.err
        );
    }
    let streamed = r#"records = "resourceSpans[].scopeSpans[].spans[]"
[spans]
session = "traceId"
lifeline = "^.^.resource.attributes[key=service.name].value.stringValue"
message = "name"
kind = { field = "kind", producer = 4 }
start = "startTimeUnixNano"
end = "endTimeUnixNano"
"#;
    let run = check(&json, streamed);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("pass                39"), "{}", run.out);
}

#[test]
fn standard_input_is_a_log_too() {
    let folder = Folder::new();
    let (spec, map) = (folder.path("ab.hif"), folder.file("map.toml", MAP));
    let log = two_events("a", "b");
    let run = multitrace_with_input(&["check", &spec, "-", "--events", &map], &log);
    assert_eq!(run.code, 0, "{}", run.err);
    let run = multitrace_with_input(&["check", &spec, "-", "--events", &map], "");
    assert_ne!(run.code, 0);
}

#[test]
fn temporary_files_need_a_folder_and_leave_nothing() {
    let folder = Folder::new();
    let (spec, map) = (folder.path("ab.hif"), folder.file("map.toml", MAP));
    let log = folder.file("log", &two_events("a", "b").repeat(200));
    std::fs::create_dir(folder.path("tmp")).expect("a folder");
    let args = ["check", &spec, &log, "--events", &map, "--memory", "1B"];
    let run = multitrace_in(None, &args, &[("TMPDIR", &folder.path("tmp"))]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(std::fs::read_dir(folder.path("tmp")).expect("a folder").count(), 0);
    let run = multitrace_in(None, &args, &[("TMPDIR", &folder.path("nowhere"))]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("set TMPDIR to a folder with room"), "{}", run.err);
}

/// Some damage makes a decoder panic; the tool reports the error of the file, and not the panic.
#[cfg(feature = "columnar")]
#[test]
fn panics_that_are_contained_are_not_printed() {
    use multitrace_logs::{InputOptions, RecordBatches};
    use std::sync::atomic::{AtomicUsize, Ordering};
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    let event = |way: bool| ("s".to_owned(), "a".to_owned(), way, "m".to_owned());
    let logs = in_all_formats(&[event(true), event(false)]);
    let whole = &logs.iter().find(|(name, ..)| *name == "log.arrow").expect("an arrow file").2;
    let mapping = multitrace_formats::source::Source::new("map.toml", MAP);
    let mapping = multitrace::Mapping::parse(&mapping).expect("a mapping");
    std::panic::set_hook(Box::new(|_| {
        PANICS.fetch_add(1, Ordering::Relaxed);
    }));
    let panics = |bytes: &[u8]| {
        let options = InputOptions::default();
        let batches = RecordBatches::detect("log.arrow", bytes, &options, mapping.fields());
        for batch in batches.into_iter().flatten().flatten() {
            batch.for_each(|_| {});
        }
        PANICS.swap(0, Ordering::Relaxed) > 0
    };
    let damaged = |at: usize, value: u8| {
        let mut bytes = whole.clone();
        bytes[at] = value;
        bytes
    };
    let all = (0..whole.len()).flat_map(|at| [0x00, 0x7f, 0xff].map(|value| damaged(at, value)));
    let found: Vec<Vec<u8>> = all.filter(|bytes| panics(bytes)).take(3).collect();
    drop(std::panic::take_hook());
    assert!(!found.is_empty(), "no damage makes a decoder panic");
    let folder = Folder::new();
    let (map, log) = (folder.file("map.toml", MAP), folder.file("log.arrow", ""));
    for bytes in found {
        std::fs::write(&log, bytes).expect("a file");
        let run = multitrace(&["check", &folder.path("ab.hif"), &log, "--events", &map]);
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(!run.err.contains("panicked") && run.err.contains("error: "), "{}", run.err);
    }
}

/// The machine that has a role in a session is named with the fault, in every format.
#[test]
fn faults_name_the_machines_behind_roles() {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", "seq(leader -- vote -> peer, peer -- yes -> leader)");
    let map = "[event]\nsession = \"term\"\n\
        [[role]]\nlifeline = \"leader\"\nfield = \"from\"\nwhen = { what = \"vote\" }\n\
        [[role]]\nlifeline = \"peer\"\nfield = \"to\"\nwhen = { what = \"vote\" }\n\
        [[rule]]\nwhen = { seen = \"both\" }\nactions = [\"{from}!{what}\", \"{to}?{what}\"]\n\
        [[rule]]\nactions = [\"{from}!{what}\"]\n";
    let map = folder.file("map.toml", map);
    let log = "{\"term\":1,\"from\":\"10.1.0.4\",\"to\":\"10.1.0.9\",\"what\":\"vote\",\"seen\":\"both\"}\n\
        {\"term\":1,\"from\":\"10.1.0.9\",\"to\":\"10.1.0.4\",\"what\":\"yes\"}\n";
    let log = folder.file("log.jsonl", log);
    let said = "yes: sent by peer, never received by leader (leader = 10.1.0.4, peer = 10.1.0.9)";
    let given = [&*spec, &*log, "--events", &*map];
    let formats = ["human", "json", "json-lines", "junit", "sarif", "github", "gitlab", "html"];
    for format in formats {
        let run = multitrace(&[&["check"], &given[..], &["--output-format", format]].concat());
        assert!(run.out.contains(said), "{format}: {}", run.out);
    }
    let run = multitrace(&[&["explain"], &given[..], &["--session", "1"]].concat());
    let text = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(said), "{}", run.out);
    let lines = multitrace(&[&["check"], &given[..], &["--output-format", "json-lines"]].concat());
    let first: Value =
        serde_json::from_str(lines.out.lines().next().unwrap_or_default()).expect("JSON");
    let machines = serde_json::json!({"leader": "10.1.0.4", "peer": "10.1.0.9"});
    assert_eq!(first["faults"][0]["machines"], machines);
}

/// The specification has one order, and the log has none.
#[test]
fn events_in_no_order_pass_if_one_of_their_orders_does() {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", "seq(a -- x ->|, seq(a -- y ->|, a -- z ->|))\n");
    let map = folder.file("map.toml", &format!("{MAP}order = \"t\"\nties = \"any\"\n"));
    let event = |what: &str, at: usize| {
        format!(
            "{{\"session\":\"s\",\"at\":\"a\",\"way\":\"out\",\"what\":\"{what}\",\"t\":{at}}}\n"
        )
    };
    let check = |events: &[(&str, usize)]| {
        let text: String = events.iter().map(|(what, at)| event(what, *at)).collect();
        let log = folder.file("log.jsonl", &text);
        multitrace(&["check", &spec, &log, "--events", &map])
    };
    let passing = check(&[("z", 7), ("y", 7), ("x", 7)]);
    assert_eq!(passing.code, 0, "{}{}", passing.out, passing.err);
    let told = "1 session accepted in another order than that of the input";
    assert!(passing.out.contains(told), "{}", passing.out);
    let in_order = check(&[("x", 7), ("y", 7), ("z", 7)]);
    assert!(in_order.code == 0 && !in_order.out.contains(told), "{}", in_order.out);
    let failing = check(&[("z", 7), ("y", 8), ("x", 8)]);
    assert_eq!(failing.code, 1, "{}{}", failing.out, failing.err);
}

/// A list that no record has is a slip.
#[test]
fn a_list_of_for_each_that_no_record_has_is_told() {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", "a -- x ->|\n");
    let log = "{\"session\":\"s\",\"at\":\"a\",\"way\":\"out\",\"what\":\"x\",\"ids\":[1]}\n";
    let log = folder.file("log.jsonl", log);
    for (list, is_told) in [("ids[]", false), ("idz[]", true), ("ids[].of[]", true)] {
        let map = folder.file("map.toml", &format!("[input]\nfor-each = \"{list}\"\n{MAP}"));
        let told = "no record has a list where `for-each` in [input] looks for one";
        let run = multitrace(&["check", &spec, &log, "--events", &map]);
        assert_eq!((run.code, run.out.contains(told)), (0, is_told), "{}{}", run.out, run.err);
        let check = multitrace(&["map", "--check", &spec, &log, "--events", &map]);
        assert_eq!(check.out.contains("1  records without a list"), is_told, "{}", check.out);
    }
}

/// Spans that an exporter sent again, in one file and in another one.
#[test]
fn spans_that_were_exported_twice_are_told_and_left_out_if_asked() {
    const MAP: &str = "[spans]\nsession = \"t\"\nid = \"id\"\nparent = \"up\"\nkind = \"kind\"\nstart = \"at\"\n\
        end = \"end\"\nlifeline = \"who\"\n";
    const NAMED: &str = "message = [\"{callee.op}\", \"{op}\"]\n";
    let folder = Folder::new();
    let spec = folder.file("spec.hif", "a -- get -> b\n");
    let span = |id: &str, up: &str, kind: &str, who: &str, at: u32| {
        format!("t1,{id},{up},{kind},{at},{},{who},get\n", at + 2)
    };
    let header = "t,id,up,kind,at,end,who,op\n";
    let (client, server) = (span("1", "", "client", "a", 3), span("2", "1", "server", "b", 4));
    let once = folder.file("once.csv", &format!("{header}{client}{server}"));
    let again = folder.file("again.csv", &format!("{header}{server}"));
    let twice = folder.file("twice.csv", &format!("{header}{client}{server}{server}"));
    // The other end of a call has its id in Zipkin, and another call has another time.
    let shared = span("1", "", "server", "b", 4);
    let shared = folder.file("shared.csv", &format!("{header}{client}{shared}"));
    let check = |logs: &[&str], more: &str, options: &[&str]| {
        let map = folder.file("map.toml", &format!("{MAP}{more}"));
        multitrace(&[&["check", &spec], logs, &["--events", &map], options].concat())
    };
    let told = "1 span with the id and all fields of an earlier one, as after a second export, the first at";
    for (logs, place) in [(vec![&*once, &again], "again.csv:2"), (vec![&*twice], "twice.csv:4")] {
        let run = check(&logs, NAMED, &[]);
        assert_eq!(run.code, 1, "{}{}", run.out, run.err);
        let line = run.out.lines().find(|line| line.contains(told)).unwrap_or_default();
        assert!(line.contains(place) && line.contains("repeated = \"drop\""), "{}", run.out);
        let json = check(&logs, NAMED, &["--output-format", "json"]);
        assert!(json.out.contains("\"repeated_spans\": 1"), "{}", json.out);
        // Where no message is named after the other end, too.
        for message in [NAMED, "message = \"op\"\n"] {
            let run = check(&logs, &format!("{message}repeated = \"drop\"\n"), &[]);
            assert_eq!(run.code, 0, "{}{}", run.out, run.err);
            assert!(run.out.contains(told), "{}", run.out);
        }
    }
    for logs in [[&*once], [&*shared]] {
        let run = check(&logs, NAMED, &[]);
        assert!(run.code == 0 && !run.out.contains("earlier one"), "{}{}", run.out, run.err);
    }
    let map = folder.file("map.toml", &format!("{MAP}{NAMED}"));
    let run = multitrace(&["map", "--check", &spec, &twice, "--events", &map]);
    let line = "         1  spans with the id and all fields of an earlier one";
    assert!(run.out.contains(line) && run.out.contains("twice.csv:4"), "{}", run.out);
    let run = check(&[&once], "repeated = \"no\"\n", &[]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("this is not \"keep\" or \"drop\""), "{}", run.err);
}

/// Rows `s,at,way,what,t` with one time, checked by a specification with `ties = "any"` and other lines of the mapping.
fn check_tied(spec: &str, rows: &[String], more: &str, options: &[&str]) -> Run {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", spec);
    let map = folder.file("map.toml", &format!("{MAP}order = \"t\"\nties = \"any\"\n{more}"));
    let log = folder.file("log.csv", &format!("session,at,way,what,t\n{}\n", rows.join("\n")));
    multitrace(&[&["check", &spec, &log, "--events", &map], options].concat())
}

/// Emissions of a location, one after the other.
fn chain(messages: &[&str]) -> String {
    let (last, before) = messages.split_last().expect("a message");
    let last = format!("a -- {last} ->|");
    before.iter().rev().fold(last, |chain, it| format!("seq(a -- {it} ->|, {chain})"))
}

/// Ten different events of one second have 3,628,800 orders.
#[test]
fn any_number_of_orders_is_decided() {
    let names = ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"];
    let row = |what: &&str| format!("s,a,out,{what},7");
    let backwards: Vec<String> = names.iter().rev().map(row).collect();
    let passing = check_tied(&chain(&names), &backwards, "", &[]);
    assert_eq!(passing.code, 0, "{}{}", passing.out, passing.err);
    // The last one is missing, and the first one is there twice.
    let mut hopeless = backwards;
    hopeless[0] = row(&"m0");
    for engine in ["nfa", "term"] {
        let failing = check_tied(&chain(&names), &hopeless, "", &["--engine", engine]);
        assert_eq!(failing.code, 1, "{}{}", failing.out, failing.err);
    }
}

/// The fault is that of the order that needs the fewest edits, not that of the input.
#[test]
fn a_failing_session_in_no_order_is_told_in_a_near_one() {
    let rows = ["m3", "m1", "m0", "x"].map(|what| format!("s,a,out,{what},7"));
    let names = ["m0", "m1", "m2", "m3"];
    let options = ["--output-format", "json", "--repair"];
    let failing = check_tied(&chain(&names), &rows, "", &options);
    assert_eq!(failing.code, 1, "{}{}", failing.out, failing.err);
    let report: Value = serde_json::from_str(&failing.out).expect("a report");
    // One event is unknown, and one is missing.
    assert!(failing.out.contains("\"distance\": 2"), "{report:#}");
}

/// Replicas that are first seen in one second may have any of their numbers.
#[test]
fn replicas_with_one_order_have_any_number() {
    let role = "[[role]]\nlifeline = \"dn{n}\"\nmost = 3\nfield = \"at\"\n";
    let spec = "seq(dn1 -- m1 ->|, seq(dn2 -- m2 ->|, dn3 -- m3 ->|))";
    let rows = |all: &[(&str, &str)]| -> Vec<String> {
        all.iter().map(|(at, what)| format!("s,{at},out,{what},7")).collect()
    };
    let passing = rows(&[("x", "m3"), ("y", "m1"), ("z", "m2")]);
    let run = check_tied(spec, &passing, role, &[]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let failing = rows(&[("x", "m3"), ("y", "m1"), ("z", "m1")]);
    let run = check_tied(spec, &failing, role, &[]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let seven: Vec<(String, &str)> = (0..7).map(|at| (format!("n{at}"), "m1")).collect();
    let many: Vec<(&str, &str)> = seven.iter().map(|(at, what)| (&**at, *what)).collect();
    let run = check_tied(spec, &rows(&many), role, &[]);
    assert_eq!(run.code, 2, "{}{}", run.out, run.err);
    assert!(run.err.contains("in more than 720 ways"), "{}", run.err);
}

/// What a server read and what it wrote, without times: each file keeps its order, and the two are in any.
#[test]
fn requests_and_responses_in_two_files_are_put_in_order() {
    let folder = Folder::new();
    let spec = folder.file(
        "spec.mmd",
        "sequenceDiagram\n  Client->>Server: initialize\n  Server-->>Client: initialize result\n\
         \x20 Client-)Server: notifications/initialized\n  loop\n  Client->>Server: tools/call\n\
         \x20 Server-->>Client: tools/call result\n  end\n",
    );
    let map = folder.file("map.toml", "[input]\nformat = \"mcp\"\n[event]\nties = \"any\"\n");
    let line = |rest: &str| format!("{{\"jsonrpc\":\"2.0\",{rest}}}\n");
    let request = |id: usize, method: &str| line(&format!("\"id\":{id},\"method\":\"{method}\""));
    let begin = [request(0, "initialize"), line("\"method\":\"notifications/initialized\"")];
    let calls = |ids: std::ops::RangeInclusive<usize>| ids.map(|id| request(id, "tools/call"));
    let results = (0..=12).map(|id| line(&format!("\"id\":{id},\"result\":{{}}")));
    let results = folder.file("out.jsonl", &results.collect::<String>());
    let check = |requests: &str| {
        let requests = folder.file("in.jsonl", requests);
        multitrace(&["check", &spec, &requests, &results, "--unlogged", "Client", "--events", &map])
    };
    let passing: String = begin.iter().cloned().chain(calls(1..=12)).collect();
    let run = check(&passing);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    // A call before the server was told that its answer had come.
    let [initialize, initialized] = begin;
    let early = [initialize, request(1, "tools/call"), initialized];
    let failing: String = early.into_iter().chain(calls(2..=12)).collect();
    let run = check(&failing);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("tools/call"), "{}", run.out);
}

/// Of the orders of two files, one tells that a request came in place of a notification, and another one tells two faults.
#[test]
fn faults_of_events_in_no_order_are_as_few_as_they_can_be() {
    let folder = Folder::new();
    let spec = folder.file(
        "spec.mmd",
        "sequenceDiagram\n  Client->>Server: initialize\n  Server-->>Client: initialize result\n\
         \x20 Client-)Server: ready\n  loop\n  Client->>Server: ask\n  Server-->>Client: ask result\n  end\n",
    );
    let map = folder.file("map.toml", "[input]\nformat = \"mcp\"\n[event]\nties = \"any\"\n");
    let requests = "{\"id\":0,\"method\":\"initialize\"}\n{\"id\":1,\"method\":\"ask\"}\n";
    let requests = folder.file("in.jsonl", requests);
    let results = folder.file("out.jsonl", "{\"id\":0,\"result\":{}}\n");
    let logs = ["check", &spec, &requests, &results, "--events", &map, "--unlogged", "Client"];
    let run = multitrace(&logs);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let faults = run.out.lines().filter(|line| line.starts_with("MT1"));
    let faults: Vec<&str> = faults.collect();
    let expected = "Server?ask came at Server in place of Server?ready";
    assert!(faults.len() == 1 && faults[0].contains(expected), "{}", run.out);
}
