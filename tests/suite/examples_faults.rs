//! The faults of sessions of the examples: few lines for one of them, the same keys whatever engine, limits and threads, and
//! repairs that the same command accepts, of event logs with gaps, too.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common::folder::Folder;
use crate::common::run::multitrace;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The logs of a session by location.
type Logs = BTreeMap<String, Vec<String>>;

/// The specifications of the examples.
fn specs() -> Vec<String> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = |path: &Path| {
        let entries = std::fs::read_dir(path).expect("the examples");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let folders = entries(&folders).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| entries(&folder));
    let specs = files.filter(|path| path.extension().is_some_and(|it| it == "hif"));
    let mut specs: Vec<String> = specs.map(|path| path.display().to_string()).collect();
    specs.sort();
    specs
}

/// Sessions that `generate` makes.
fn generated(spec: &str, kind: &str, options: &[&str]) -> Vec<Logs> {
    let make = ["generate", spec, "--kind", kind, "--seed", "5"];
    let made = multitrace(&[&make[..], options].concat());
    let lines = made.out.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let traces = lines.map(|mut line: Value| line["traces"].take());
    traces.filter_map(|it| serde_json::from_value(it).ok()).collect()
}

fn session(id: usize, logs: &Logs) -> String {
    json!({"session": id.to_string(), "traces": logs}).to_string()
}

fn written(sessions: &[Logs]) -> String {
    let lines = sessions.iter().enumerate().map(|(id, logs)| session(id, logs));
    lines.collect::<Vec<String>>().join("\n")
}

/// The lines of a run in JSON, without its summary.
fn lines(arguments: &[&str]) -> Vec<Value> {
    let run = multitrace(&[arguments, &["--output-format", "json-lines"]].concat());
    assert!(run.code < 2, "{}", run.err);
    let lines = run.out.lines().map(|line| serde_json::from_str(line).expect("an object"));
    lines.filter(|line: &Value| line["type"] == "session").collect()
}

/// A session of at most ten events without one of them takes at most a screen of 25 lines, if that is one fault.
#[test]
fn one_fault_in_ten_events_takes_few_lines() {
    let (folder, mut seen) = (Folder::new(), 0);
    for spec in specs() {
        for logs in generated(&spec, "accepted", &["-n", "3", "--max-events", "10"]) {
            for (name, at) in
                logs.iter().flat_map(|(name, log)| (0..log.len()).map(move |at| (name, at)))
            {
                let mut logs = logs.clone();
                logs.entry(name.clone()).and_modify(|log| drop(log.remove(at)));
                let run =
                    multitrace(&["check", &spec, &folder.file("in.jsonl", &session(0, &logs))]);
                let of_session = run.out.lines().filter(|line| line.contains(" fail: ")).count();
                if run.code == 1 && of_session == 1 {
                    seen += 1;
                    assert!(run.out.lines().count() <= 25, "{spec}: {}", run.out);
                }
            }
        }
    }
    println!("{seen} sessions");
    assert!(seen > 200, "{seen} sessions");
}

/// Per session, the keys of its faults.
fn keys(lines: &[Value]) -> BTreeMap<String, Vec<String>> {
    let of = |line: &Value| {
        let faults = line["faults"].as_array().into_iter().flatten();
        let keys = faults.flat_map(|it| [it["kind"].to_string(), it["place"].to_string()]);
        (line["session"].to_string(), keys.collect())
    };
    lines.iter().map(of).collect()
}

#[test]
fn the_keys_of_faults_do_not_depend_on_engine_limits_and_threads() {
    let (folder, mut seen) = (Folder::new(), 0);
    for spec in specs() {
        let mut sessions = generated(&spec, "noise", &["-n", "40", "--max-events", "14"]);
        sessions.extend(generated(&spec, "swap-actions", &["-n", "40", "--max-events", "14"]));
        if sessions.is_empty() {
            continue;
        }
        let input = folder.file("in.jsonl", &written(&sessions));
        let of = |options: &[&str]| lines(&[&["check", &spec, &input], options].concat());
        let plain = of(&[]);
        let failing = plain.iter().filter(|line| line["verdict"] == "fail").count();
        seen += failing;
        let ways: [&[&str]; 4] = [
            &["--jobs", "1"],
            &["--jobs", "4"],
            &["--budget-states", "200000", "--budget-memory", "64M"],
            &["--repair"],
        ];
        for way in ways {
            assert_eq!(keys(&of(way)), keys(&plain), "{spec} {way:?}");
        }
        // Terms derive each state anew, and their short search is shorter: what both find is the same.
        let is_exact = |line: &Value| line["faults"][0]["exact"] != false;
        let on_terms = of(&["--engine", "term"]);
        let both = || plain.iter().zip(&on_terms).filter(|(a, b)| is_exact(a) && is_exact(b));
        let [ours, terms] = [
            both().map(|it| it.0.clone()).collect::<Vec<_>>(),
            both().map(|it| it.1.clone()).collect(),
        ];
        assert_eq!(keys(&ours), keys(&terms), "{spec} on terms");
    }
    println!("{seen} failing sessions");
    assert!(seen > 500, "{seen} failing sessions");
}

/// A session after the edits of its repair.
fn repaired(logs: &Logs, line: &Value) -> Logs {
    let mut logs = logs.clone();
    let edits = line["repair"]["edits"].as_array().expect("edits");
    // From the end, so that the indexes before stay.
    for edit in edits.iter().rev() {
        let (location, index) = (edit["location"].as_str(), edit["index"].as_u64());
        let (location, index) = (location.expect("a location"), index.expect("an index") as usize);
        let log = logs.entry(location.to_owned()).or_default();
        match edit["insert"].as_str() {
            Some(event) => log.insert(index, event.to_owned()),
            None => drop(log.remove(index)),
        }
    }
    logs
}

const MAP: &str = r#"
[event]
session = "session"
lifeline = "at"
direction = { field = "way", emission = "out", reception = "in" }
message = "what"
"#;

/// The events of sessions, one a line, log by log.
fn events(sessions: &[Logs]) -> String {
    let of = |(id, logs): (usize, &Logs)| {
        let line = move |(name, event): (&String, &String)| {
            let what = event.strip_prefix(name.as_str()).unwrap_or(event);
            let (way, message) = what.split_at(1);
            let way = if way == "!" { "out" } else { "in" };
            json!({"session": id.to_string(), "at": name, "way": way, "what": message}).to_string()
        };
        let all = logs.iter().flat_map(|(name, log)| log.iter().map(move |event| (name, event)));
        all.map(line).collect::<Vec<String>>()
    };
    sessions.iter().enumerate().flat_map(of).map(|line| line + "\n").collect()
}

/// The repaired session is not refused by the command that refused it: sessions, event logs, and event logs in which whole
/// locations are missing, in all modes.
#[test]
fn repaired_sessions_are_accepted_by_the_same_command() {
    let folder = Folder::new();
    let map = folder.file("map.toml", MAP);
    let (mut seen, mut with_gaps) = (0, 0);
    for spec in specs() {
        let mut sessions = generated(&spec, "noise", &["-n", "16", "--max-events", "14"]);
        sessions.extend(generated(&spec, "swap-components", &["-n", "8", "--max-events", "14"]));
        if sessions.is_empty() {
            continue;
        }
        for (number, logs) in sessions.iter_mut().enumerate() {
            // Of every other session one location logs nothing.
            let silent = logs.keys().nth(number / 2 % logs.len().max(1)).cloned();
            if number % 2 == 1 {
                silent.map(|name| logs.insert(name, Vec::new()));
            }
        }
        for mode in ["complete", "missing", "prefix", "slice"] {
            for of_events in [false, true] {
                let check = |sessions: &[Logs]| match of_events {
                    false => {
                        let input = folder.file("in.jsonl", &written(sessions));
                        lines(&["check", &spec, &input, "--observe", mode, "--repair"])
                    }
                    true => {
                        let input = folder.file("log.jsonl", &events(sessions));
                        let options = ["--events", &map, "--observe", mode, "--repair"];
                        lines(&[&["check", &spec, &input], &options[..]].concat())
                    }
                };
                let fails =
                    |line: &&Value| line["verdict"] == "fail" && line["repair"]["exact"] == true;
                let number = |line: &Value| -> usize {
                    line["session"].as_str().expect("a name").parse().expect("a number")
                };
                let (mut after, mut changed) = (sessions.clone(), vec![false; sessions.len()]);
                for line in check(&sessions).iter().filter(fails) {
                    let logs = &mut after[number(line)];
                    changed[number(line)] = true;
                    with_gaps += usize::from(of_events && logs.values().any(Vec::is_empty));
                    *logs = repaired(logs, line);
                    seen += 1;
                }
                let lines = check(&after);
                let failed = lines.iter().find(|it| it["verdict"] == "fail" && changed[number(it)]);
                assert!(failed.is_none(), "{spec} {mode} events={of_events}: {failed:?}");
            }
        }
    }
    println!("{seen} repaired sessions, {with_gaps} with gaps");
    assert!(seen > 500 && with_gaps > 50, "{seen} repaired sessions, {with_gaps} with gaps");
}
