//! Files whose lines end as they do on Windows give the same as with the line ends of Unix: the same
//! meaning, the same verdicts, the same errors at the same lines and columns. `logs/tests/events/line_ends.rs`
//! tries each format of event logs, `notations.rs` each construct of diagrams, `mapping_errors.rs` mappings.

use crate::common::run::{Run, multitrace_in};
use std::path::Path;
use tempfile::TempDir;

const HIF: &str = "// a loop\nloopS(seq(\n  a -- m -> b, // first\n\n  b -- \"n o\" -> a\n))\n";
const TIMBUK: &str = "Ops a:1 b:1 x:0\nAutomaton A\nStates p q\nFinal States q\nTransitions\n\
                      x -> p\na(p) -> q\nb(q) -> p\n";
const MARKDOWN: &str = "# One\n\n```mermaid\nsequenceDiagram\n  a->>b: m\n```\n\n# Two\n\n```plantuml\n@startuml\n\
                        a -> b : m\nnote left\n  two\n  lines\nend note\n@enduml\n```\n";

/// Runs the tool in a folder that has these files with these line ends.
fn run(files: &[(&str, &str)], words: &[&str], line_end: &str) -> Run {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text.replace('\n', line_end)).expect("a file");
    }
    multitrace_in(Some(folder.path()), words, &[])
}

/// Exit code and output with either line end, which are the same.
#[track_caller]
fn same(files: &[(&str, &str)], words: &[&str]) -> Run {
    let [unix, windows] = ["\n", "\r\n"].map(|line_end| run(files, words, line_end));
    assert_eq!((windows.code, windows.err.as_str()), (unix.code, unix.err.as_str()), "{words:?}");
    assert_eq!(timeless(&windows.out), timeless(&unix.out), "{words:?}");
    unix
}

/// An output without the time and the memory of its run, and the size of a bundle.
fn timeless(text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in &mut lines {
        if let Ok(serde_json::Value::Object(mut object)) = serde_json::from_str(line) {
            object.retain(|name, _| !["seconds", "peak_bytes", "bytes"].contains(&name.as_str()));
            *line = serde_json::Value::Object(object).to_string();
        }
    }
    lines.join("\n")
}

#[test]
fn specifications_with_line_ends_of_windows_mean_the_same() {
    let signature = "@message{\n  m;\n  \"n o\"\n}\n@lifeline{\n  a;\n  b\n}\n";
    let specs = [("s.hif", HIF), ("s.timbuk", TIMBUK), ("s.md", MARKDOWN), ("s.hsf", signature)];
    for words in [
        &["read", "s.hif"][..],
        &["compile", "s.hif", "--signature", "s.hsf", "--output-format", "json"],
        &["read", "s.md#One"],
        &["read", "s.md#2"],
        &["compile", "s.timbuk", "--locations", "left=a;right=b", "--output-format", "json"],
        &["convert", "s.md#2", "--to", "hif"],
    ] {
        let run = same(&specs, words);
        assert!(run.code == 0 && run.out.len() > 10, "{words:?}: {}{}", run.out, run.err);
    }
}

#[test]
fn specifications_with_line_ends_of_windows_are_wrong_at_the_same_place() {
    let specs = [
        ("s.hif", "// a loop\nloopS(seq(\n  a -- m -> b,\n  b -- -> a\n))\n"),
        ("open.hif", "seq(\n  a -- m -> b,\n"),
        ("s.timbuk", "Ops a:1 x:0\nAutomaton A\nStates p\nFinal States q\nTransitions\nx -> p\n"),
        ("s.mmd", "sequenceDiagram\n  a->>b: m\n  alt x\n  b->>: n\n"),
        ("s.puml", "@startuml\na -> b : m\na b\n@enduml\n"),
        ("s.md", "# One\n\n```mermaid\nsequenceDiagram\n  a->>b: m\n  a-b\n```\n"),
        ("s.hsf", "@message{\n  m;\n  n o\n}\n"),
        ("good.hif", HIF),
    ];
    for (name, _) in &specs[..6] {
        let run = same(&specs, &["read", name]);
        assert!(run.code == 2 && run.err.contains(&format!("{name}:")), "{name}: {}", run.err);
    }
    let run = same(&specs, &["compile", "good.hif", "--signature", "s.hsf"]);
    assert!(run.code == 2 && run.err.contains("s.hsf:3:"), "{}", run.err);
}

#[test]
fn sessions_with_line_ends_of_windows_have_the_same_verdicts_and_errors() {
    let files = [
        ("s.hif", HIF),
        (
            "s.jsonl",
            "{\"session\":\"s\",\"traces\":{\"a\":[\"a!m\",\"a?n o\"],\"b\":[\"b?m\",\"b!n o\"]}}\n\n\
             {\"session\":\"t\",\"traces\":{\"a\":[],\"b\":[\"b?m\"]}}\n{\"session\":\n\
             {\"traces\":{\"a\":[\"a!x\"],\"b\":[]}, \"session\":\"u\"}\n",
        ),
        ("v.htf", "{\n[a] a!m.\n  \"a?n o\";\n\n[b] b?m.\"b!n o\"\n}\n"),
        ("w.htf", "{\n[a] a!m;\n[b] b?m b!n\n}\n"),
    ];
    let json = ["--output-format", "json-lines"];
    for log in ["s.jsonl", "v.htf", "w.htf"] {
        let run = same(&files, &[&["check", "s.hif", log][..], &json].concat());
        assert_eq!(run.code, if log == "v.htf" { 0 } else { 2 }, "{log}: {}", run.out);
        same(&files, &["check", "s.hif", log, "--output-format", "concise"]);
    }
}

#[test]
fn event_logs_of_the_examples_with_line_ends_of_windows_have_the_same_report() {
    let examples = [
        ("broker", "connection", "connection", &["broker.log", "clients.log"][..]),
        ("hdfs", "write", "write", &["hdfs.log"]),
        ("lock", "lock", "lock", &["lockd.log"]),
        ("openstack", "boot", "boot", &["nova.log"]),
        ("raft", "election", "election", &["events.jsonl"]),
        ("shiviz", "broadcast", "broadcast", &["relay.log"]),
        ("shop", "shop", "shop", &["spans.csv"]),
        ("sip", "call", "call", &["capture.txt"]),
        ("spans", "checkout", "checkout", &["spans.json"]),
        ("xes", "claims", "claims", &["claims.xes"]),
        ("zipkin", "queue", "zipkin", &["queue.json"]),
    ];
    for (folder, spec, mapping, logs) in examples {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(folder);
        let (spec, mapping) = (format!("{spec}.hif"), format!("{mapping}.toml"));
        let names = [&[spec.as_str(), &mapping], logs].concat();
        let read = |name: &&str| std::fs::read_to_string(root.join(name)).expect("an example");
        let texts: Vec<String> = names.iter().map(read).collect();
        let files: Vec<(&str, &str)> =
            names.iter().copied().zip(texts.iter().map(String::as_str)).collect();
        let words = ["check", &spec, "--events", &mapping, "--output-format", "json-lines"];
        let run = same(&files, &[&words, logs].concat());
        assert_eq!(run.code, 1, "{folder}: {}", run.err);
    }
}
