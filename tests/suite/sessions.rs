//! `multitrace sessions`: lines of sessions have the verdicts and faults of the logs that they come from.

use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace, multitrace_in, multitrace_with_input};
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;

/// A specification, a mapping and a log among the examples.
const EXAMPLES: [[&str; 3]; 14] = [
    ["broker/connection.hif", "broker/connection.toml", "broker/clients.log"],
    ["hdfs/write.hif", "hdfs/write.toml", "hdfs/hdfs.log"],
    ["lock/lock.hif", "lock/lock.toml", "lock/lockd.log"],
    ["observation/order.hif", "observation/events.toml", "observation/cut.jsonl"],
    ["openstack/boot.hif", "openstack/boot.toml", "openstack/nova.log"],
    ["raft/election.hif", "raft/election.toml", "raft/events.jsonl"],
    ["raft/heartbeats.hif", "raft/heartbeats.toml", "raft/events.jsonl"],
    ["shiviz/broadcast.hif", "shiviz/broadcast.toml", "shiviz/relay.log"],
    ["shop/shop.hif", "shop/shop.toml", "shop/spans.csv"],
    ["sip/call.hif", "sip/call.toml", "sip/capture.txt"],
    ["spans/checkout.hif", "spans/checkout.toml", "spans/spans.json"],
    ["tls/tls.hif", "tls/tls.toml", "tls/messages.jsonl"],
    ["xes/claims.hif", "xes/claims.toml", "xes/claims.xes"],
    ["zipkin/queue.hif", "zipkin/zipkin.toml", "zipkin/queue.json"],
];

/// The lines of sessions in the output.
fn judged(run: &Run) -> Vec<Value> {
    let lines = run.out.lines().map(|line| serde_json::from_str(line).expect("an object"));
    lines.filter(|it: &Value| it["type"] == "session").collect()
}

/// Asserts that two values are the same but for places that one of them lacks or that are in a file of lines: a session
/// has its own place, and an event without another place is there.
fn assert_same(of_line: &Value, of_log: &Value, lines: &str) {
    match (of_line, of_log) {
        (Value::Object(one), Value::Object(other)) => {
            let has_place = |it: &Value| it.get("file").is_some_and(|file| file != lines);
            let is_placed = has_place(of_line) && has_place(of_log);
            let is_compared = |key: &&String| is_placed || *key != "file" && *key != "line";
            let keys = || one.keys().chain(other.keys()).filter(is_compared);
            keys().for_each(|key| assert_same(&of_line[key], &of_log[key], lines));
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).for_each(|(one, other)| assert_same(one, other, lines));
        }
        _ => assert_eq!(of_line, of_log),
    }
}

#[test]
fn lines_have_the_verdicts_faults_and_places_of_the_logs() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = Folder::new();
    for [spec, mapping, log] in EXAMPLES {
        let run = |args: &[&str]| multitrace_in(Some(&folder), args, &[]);
        let lines = run(&["sessions", log, "--events", mapping]);
        // One log is cut off.
        assert_eq!(lines.code, if log.contains("cut") { 2 } else { 0 }, "{log}: {}", lines.err);
        let lines = files.file("sessions.jsonl", &lines.out);
        let check = ["check", spec, "--output-format", "json-lines"];
        let of_log = run(&[&check[..], &[log, "--events", mapping]].concat());
        let of_lines = run(&[&check[..], &[&lines]].concat());
        let expected = judged(&of_log);
        assert!(!expected.is_empty(), "{}", of_log.err);
        assert_same(&Value::from(judged(&of_lines)), &Value::from(expected), &lines);
    }
}

/// The mapping of docs/events.md reads a table of sessions back.
#[test]
fn a_table_of_sessions_has_the_verdicts_of_their_lines() {
    let page = include_str!("../../docs/events.md");
    let (_, mapping) = page
        .split_once("which cannot say that a location logged nothing:\n\n```toml\n")
        .expect("a mapping");
    let (mapping, _) = mapping.split_once("```").expect("its end");
    let files = Folder::new();
    let spec =
        files.file("s.hif", "seq(phone -- ring -> \"the desk\", \"the desk\" -- \"a, b!c\" ->|)");
    let lines = r#"{"session":"1","traces":{"phone":["phone!ring"],"the desk":["the desk?ring","the desk!a, b!c"]}}
{"session":"2","traces":{"phone":["phone!ring"],"the desk":["the desk?ring"]}}
{"session":"3","traces":{"phone":[],"the desk":["the desk?ring","the desk!x"]}}
{"session":"4","gaps":"events","traces":{"phone":["phone!ring"],"the desk":["the desk?ring","the desk!a, b!c"]}}
"#;
    let (lines, mapping) = (files.file("s.jsonl", lines), files.file("m.toml", mapping));
    let table = files.path("s.parquet");
    let written = multitrace(&["sessions", &lines, "-o", &table]);
    if !cfg!(feature = "columnar") {
        assert!(
            written.code == 2 && written.err.contains("--features columnar"),
            "{}",
            written.err
        );
        return;
    }
    assert_eq!((written.code, written.err.as_str()), (0, ""));
    let verdicts = |more: &[&str]| {
        let run = multitrace(&[&["check", &spec, "--output-format", "json-lines"], more].concat());
        let verdict = |it: &Value| it["verdict"].as_str().expect("a verdict").to_owned();
        judged(&run).iter().map(verdict).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&[&lines]), ["pass", "fail", "fail", "inconclusive"]);
    // An event log cannot say that a location logged nothing, but only that nothing of it was found.
    let of_table = verdicts(&[&table, "--events", &mapping]);
    assert_eq!(of_table, ["pass", "fail", "inconclusive", "inconclusive"]);
}

const MAPPING: &str = r#"[event]
session = "s"
lifeline = "node"
direction = { field = "dir", emission = "out", reception = "in" }
message = "msg"
order = "t"
"#;

const LOG: &str = r#"{"s":"call 7","node":"phone","dir":"out","msg":"ring","t":1}
{"s":"call 7","node":"desk","dir":"in","msg":"ring","t":2}
{"s":"call 7","node":"desk","dir":"out","msg":"a, b!c","t":3}
{"s":"call 8","node":"phone","dir":"out","msg":"ring","t":4}
{"s":"call 9","node":"desk","dir":"in","msg":"ring","t":5}
{"s":"call 9","node":"desk","dir":"wait","msg":"ring","t":6}
"#;

struct Files {
    folder: Folder,
    mapping: String,
    log: String,
}

impl Files {
    fn new(mapping: &str, log: &str) -> Files {
        let folder = Folder::new();
        let mapping = folder.file("map.toml", mapping);
        let log = folder.file("log.jsonl", log);
        Files { folder, mapping, log }
    }

    fn sessions(&self, options: &[&str]) -> Run {
        let fixed = ["sessions", &self.log, "--events", &self.mapping];
        multitrace(&[&fixed[..], options].concat())
    }

    fn verdicts(&self, inputs: &[&str]) -> HashMap<String, String> {
        let spec = self.folder.file("spec.hif", "phone -- ring -> desk");
        let check = ["check", &spec, "--output-format", "json-lines"];
        let run = multitrace(&[&check[..], inputs].concat());
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let verdict = |it: Value| (text(&it["session"]), text(&it["verdict"]));
        judged(&run).into_iter().map(verdict).collect()
    }
}

#[test]
fn gaps_of_sessions_are_in_their_lines() {
    let files = Files::new(MAPPING, LOG);
    let run = files.sessions(&[]);
    assert_eq!(run.code, 2, "a record cannot be used");
    assert!(run.err.contains("`dir` is `wait`"), "{}", run.err);
    let lines = files.folder.file("sessions.jsonl", &run.out);
    let expected = files.verdicts(&[&files.log, "--events", &files.mapping]);
    assert_eq!(files.verdicts(&[&lines]), expected);
    // One log is missing; records are missing.
    assert_eq!(expected["call 8"], "inconclusive");
    assert_eq!(expected["call 9"], "inconclusive");
    let complete = files.folder.file("complete.jsonl", &run.out.replace(r#""gaps":"#, r#""x":"#));
    assert_eq!(files.verdicts(&[&complete])["call 8"], "fail");
}

#[test]
fn some_sessions_are_written() {
    let files = Files::new(MAPPING, &LOG.replace("wait", "out"));
    let ids = |options: &[&str]| {
        let run = files.sessions(options);
        let id = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["session"].clone();
        (run.code, run.out.lines().map(id).collect::<Vec<_>>(), run.err)
    };
    assert_eq!(ids(&["--session", "call 8"]), (0, vec!["call 8".into()], String::new()));
    let (code, found, err) = ids(&["--session", "call 8", "--session", "call 1"]);
    assert_eq!((code, found), (2, vec!["call 8".into()]));
    assert!(err.contains(r#"no session "call 1""#), "{err}");
    let (code, found, err) = ids(&["--session", "call"]);
    assert_eq!((code, found), (2, vec![]));
    assert!(err.contains(r#"note: "call 8" begins so"#), "{err}");
    let (_, drawn, _) = ids(&["--sample", "2"]);
    assert_eq!(drawn.len(), 2);
    assert_eq!(ids(&["--sample", "2"]).1, drawn, "the same again");
    let (_, one, _) = ids(&["--sample", "2", "--session", "call 7"]);
    assert_eq!(one, ["call 7"]);
}

/// Names become others, each one always the same, and everything else stays.
#[test]
fn anonymous_lines_keep_what_happened() {
    let files = Files::new(MAPPING, LOG);
    let run = files.sessions(&["--anonymise"]);
    let expected = r#"{"session":"1","traces":{"a":["a!m1"],"b":["b?m1","b!m2"]},"gaps":"locations"}
{"session":"2","traces":{"a":["a!m1"]},"gaps":"locations"}
{"session":"3","traces":{"b":["b?m1"]},"gaps":"events"}
"#;
    assert_eq!(run.out, expected);
}

#[test]
fn lifelines_of_one_clock_are_written_together() {
    let files = Files::new(MAPPING, LOG);
    let run = files.sessions(&["--locations", "desk,phone"]);
    let events = r#""traces":{"desk,phone":["phone!ring","desk?ring","desk!a, b!c"]}"#;
    assert!(run.out.contains(events), "{}", run.out);
    let run = files.sessions(&["--locations", "desk,"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("expected a name"), "{}", run.err);
}

#[test]
fn events_in_no_order_are_told() {
    let ties = format!("{MAPPING}ties = \"any\"\n");
    let log = LOG.replace("\"t\":3", "\"t\":2");
    let files = Files::new(&ties, &log);
    let run = files.sessions(&["--session", "call 7"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("its events are in no order"), "{}", run.err);
    assert_eq!(run.out, "{\"session\":\"call 7\",\"traces\":{},\"gaps\":\"events\"}\n");
    let ordered: String = LOG.split_inclusive('\n').take(3).collect();
    assert_eq!(Files::new(&ties, &ordered).sessions(&[]).code, 0);
}

#[test]
fn sessions_of_other_files_are_written_as_lines() {
    let folder = Folder::new();
    let htf = folder.file("s1.htf", "{[a] a!m; [b,c] b?m.c!n}");
    let run = multitrace(&["sessions", &htf]);
    let line = r#"{"session":"s1","traces":{"a":["a!m"],"b,c":["b?m","c!n"]}}"#;
    assert_eq!(run.out, format!("{line}\n"));
    assert_eq!(multitrace(&["sessions", &htf, "-o", &htf]).code, 2, "never over an input");
    let again = multitrace_with_input(&["sessions", "-"], &run.out);
    assert_eq!(again.out, run.out);
    assert_eq!(multitrace_with_input(&["sessions", "-"], "").code, 3);
    let log = multitrace_with_input(&["sessions", "-", "--input-format", "json-lines"], LOG);
    assert_eq!(log.code, 2);
    assert!(log.err.contains("take --events MAP.toml; `multitrace map --init"), "{}", log.err);
    let wrong = r#"{"session":"s1","traces":{},"gaps":"some"}"#;
    let run = multitrace_with_input(&["sessions", "-", "--input-format", "json-lines"], wrong);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("standard input:1: `gaps` is \"some\""), "{}", run.err);
}
