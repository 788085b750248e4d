//! Names of files: any bytes that the system allows, and patterns.

use crate::common::folder::FAILING;
use crate::common::run::Run;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const SPEC: &str = "loopS(a -- m -> b)\n";
const EVENTS: &str = "{\"session\":\"s\",\"at\":\"a\",\"way\":\"out\",\"what\":\"m\"}\n\
                      {\"session\":\"s\",\"at\":\"b\",\"way\":\"in\",\"what\":\"m\"}\n";
const MAP: &str = "[event]\nsession = \"session\"\nlifeline = \"at\"\n\
                   direction = { field = \"way\", emission = \"out\", reception = \"in\" }\nmessage = \"what\"\n";

/// A name that is not UTF-8.
fn odd(name: &str) -> OsString {
    OsStr::from_bytes(&[b"\xff", name.as_bytes()].concat()).to_owned()
}

/// A line of a session that passes.
fn session(id: &str) -> String {
    format!("{{\"session\":\"{id}\",\"traces\":{{\"a\":[\"a!m\"],\"b\":[\"b?m\"]}}}}\n")
}

fn write(folder: &Path, name: impl AsRef<Path>, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

fn multitrace(folder: &Path, words: &[&OsStr]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_multitrace"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the tool runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let code = output.status.code().expect("no signal");
    Run { code, out: text(output.stdout), err: text(output.stderr) }
}

/// Checks inputs; returns the exit code and the sessions with their verdicts.
fn check(folder: &Path, spec: &OsStr, inputs: &[&OsStr]) -> (i32, Vec<String>) {
    let words = ["check", "--output-format", "json-lines"].map(OsStr::new);
    let run = multitrace(folder, &[&words, &[spec][..], inputs].concat());
    let sessions = run.out.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).expect("an object");
        let id = line["session"].as_str()?;
        Some(format!("{id} {}", line["verdict"].as_str().expect("a verdict")))
    });
    (run.code, sessions.collect())
}

fn passes(ids: &[&str]) -> (i32, Vec<String>) {
    (0, ids.iter().map(|id| format!("{id} pass")).collect())
}

#[test]
fn inputs_and_outputs_have_names_of_any_bytes() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let (spec, bundle, log, report) = (odd("ab.hif"), odd("ab.mtb"), odd("s.jsonl"), odd("out"));
    write(folder, &spec, SPEC);
    write(folder, &log, &session("s"));
    assert_eq!(check(folder, &spec, &[&log]), passes(&["s"]));
    assert_eq!(multitrace(folder, &["compile".as_ref(), &spec]).code, 0);
    assert_eq!(check(folder, &bundle, &[&log]), passes(&["s"]));
    assert_eq!(multitrace(folder, &["inspect".as_ref(), "--verify".as_ref(), &bundle]).code, 0);
    let words = ["check".as_ref(), &*spec, &log, "--output-file".as_ref(), &report];
    assert_eq!(multitrace(folder, &words).code, 0);
    assert!(std::fs::read_to_string(folder.join(&report)).expect("a report").contains("1 session"));
    let words = ["generate", "--kind", "accepted", "-n", "3", "--output-format", "htf", "-o"];
    let run = multitrace(folder, &[&words.map(OsStr::new)[..], &[&odd("new"), &spec]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(check(folder, &spec, &[&odd("new")]).1.len(), 3);
}

#[test]
fn mappings_event_logs_and_folders_have_names_of_any_bytes() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let (top, map) = (odd("logs"), odd("map.toml"));
    write(folder, "ab.hif", SPEC);
    write(folder, &map, MAP);
    write(folder, Path::new(&top).join(odd("e.jsonl")), EVENTS);
    let spec = OsStr::new("ab.hif");
    assert_eq!(check(folder, spec, &["--events".as_ref(), &map, &top]), passes(&["s"]));
    let inside = folder.join(odd("inside"));
    write(&inside, "ab.hif", SPEC);
    write(&inside, "multitrace.toml", "[check]\nspec = \"ab.hif\"\n");
    write(&inside, "s.jsonl", &session("s"));
    let run = multitrace(&inside, &["check".as_ref(), "s.jsonl".as_ref()]);
    assert_eq!(run.code, 0, "{}", run.err);
}

/// Names that look the same when they are printed are two files.
#[test]
fn names_that_print_alike_are_not_taken_for_one_another() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    write(folder, "ab.hif", SPEC);
    for (byte, text) in [(0xff, "{[a] a!m; [b] b?m}"), (0xfe, "{[a] a!m; [b] b?m.b?m}")] {
        let name = [b"logs/s", &[byte][..], b".htf"].concat();
        write(folder, OsStr::from_bytes(&name), text);
    }
    let found = check(folder, "ab.hif".as_ref(), &["logs".as_ref()]);
    assert_eq!(found, (1, vec!["s\u{fffd} fail".to_owned(), "s\u{fffd} pass".to_owned()]));
}

#[test]
fn what_is_wrong_with_a_name_of_any_bytes_is_an_error() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    write(folder, "ab.hif", SPEC);
    write(folder, odd("ab.hif"), "loopS(");
    write(folder, odd("s.jsonl"), "{\"session\":\n");
    let cases = [
        (["check".into(), odd("ab.hif"), odd("s.jsonl")], "\u{fffd}ab.hif:1:"),
        (["check".into(), "ab.hif".into(), odd("s.jsonl")], "\u{fffd}s.jsonl"),
        (["check".into(), "ab.hif".into(), odd("no.jsonl")], "\u{fffd}no.jsonl: No such file"),
        (["check".into(), "ab.hif".into(), odd("*.jsonl")], "\u{fffd}*.jsonl"),
        (["check".into(), "ab.hif".into(), odd("no[.jsonl")], "not UTF-8"),
    ];
    for (words, why) in cases {
        let words: Vec<&OsStr> = words.iter().map(OsString::as_os_str).collect();
        let run = multitrace(folder, &words);
        assert_eq!(run.code, 2, "{words:?}: {}{}", run.out, run.err);
        assert!(
            format!("{}{}", run.out, run.err).contains(why),
            "{words:?}: {}{}",
            run.out,
            run.err
        );
    }
}

#[test]
fn patterns_match_names_with_spaces_brackets_and_any_letters() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    write(folder, "ab.hif", SPEC);
    for name in ["[x]", "a b", "x", "\u{e9}"] {
        write(folder, format!("logs [1]/{name}.jsonl"), &session(name));
    }
    let matched = |pattern: &str| check(folder, "ab.hif".as_ref(), &[pattern.as_ref()]);
    assert_eq!(matched("logs [[]1]/*.jsonl"), passes(&["[x]", "a b", "x", "\u{e9}"]));
    assert_eq!(matched("logs */a b.jsonl"), passes(&["a b"]));
    assert_eq!(matched("logs */?.jsonl"), passes(&["x", "\u{e9}"]));
    assert_eq!(matched("**/\u{e9}*"), passes(&["\u{e9}"]));
    assert_eq!(matched("logs */[[]x].jsonl"), passes(&["[x]"]));
    assert_eq!(matched("logs */[wx].jsonl"), passes(&["x"]));
    assert_eq!(
        matched("logs [1]/[x].jsonl"),
        passes(&["[x]"]),
        "a name that is there is no pattern"
    );
    assert_eq!(matched("logs [1]"), passes(&["[x]", "a b", "x", "\u{e9}"]));
    for (pattern, why) in [
        ("logs [1]/*.jsonl", "no file is called like that"),
        ("logs */*.csv", "no file is called like that"),
        ("logs */[", "logs */["),
    ] {
        let run = multitrace(folder, &["check", "ab.hif", pattern].map(OsStr::new));
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{pattern}");
        assert!(run.err.contains(why), "{pattern}: {}", run.err);
    }
}

#[test]
fn backslashes_are_letters_of_a_name() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let (spec, log) = ("specs\\ab.hif", "C:\\logs\\s.jsonl");
    write(folder, spec, SPEC);
    write(folder, log, &session("s"));
    assert_eq!(multitrace(folder, &["compile", spec].map(OsStr::new)).code, 0);
    for input in [log, "C:\\logs\\*.jsonl", "C:\\logs\\?.jsonl"] {
        assert_eq!(check(folder, "specs\\ab.mtb".as_ref(), &[input.as_ref()]), passes(&["s"]));
    }
    write(folder, "failing\\t.jsonl", FAILING);
    let words = [
        "check",
        spec,
        "failing\\t.jsonl",
        "--output-format",
        "junit",
        "--output-file",
        "out\\r.xml",
    ];
    assert_eq!(multitrace(folder, &words.map(OsStr::new)).code, 1);
    let report = std::fs::read_to_string(folder.join("out\\r.xml")).expect("a report");
    assert!(report.contains("failing\\t.jsonl"), "{report}");
}
