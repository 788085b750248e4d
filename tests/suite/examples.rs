//! The examples: every session has the verdict, or the cause of failure, that it says.

use crate::common::shown::shows;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn check(example: &str, options: &[&str]) -> Vec<(serde_json::Value, serde_json::Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example);
    let in_text = folder.join(format!("{example}.hif"));
    let spec = if in_text.exists() { in_text } else { folder.join("SPEC.md") };
    let sessions = folder.join("sessions.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_multitrace"))
        .arg("check")
        .arg(spec)
        .arg(&sessions)
        .args(["--output-format", "json-lines", "--witness"])
        .args(options)
        .output()
        .expect("the tool runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let parse = |line: &str| serde_json::from_str(line).expect("an object");
    let wanted = std::fs::read_to_string(sessions).expect("the example is there");
    let got = String::from_utf8(output.stdout).expect("text");
    assert_eq!(wanted.lines().count() + 1, got.lines().count(), "a summary after the sessions");
    wanted.lines().map(parse).zip(got.lines().map(parse)).collect()
}

fn run(example: &str, options: &[&str], outcomes: &[&str]) {
    let mut seen = BTreeSet::new();
    for (wanted, got) in check(example, options) {
        assert_eq!(wanted["session"], got["session"]);
        let outcome = got.get("cause").unwrap_or(&got["verdict"]);
        assert_eq!(&wanted["expect"], outcome, "{example}/{}", got["session"]);
        assert_eq!(got["verdict"] == "pass", got["witness"].is_array());
        seen.insert(outcome.as_str().expect("a text").to_owned());
    }
    assert!(seen.iter().map(String::as_str).eq(outcomes.iter().copied()), "{example}: {seen:?}");
}

#[test]
fn mqtt() {
    run("mqtt", &[], &["central", "inter", "local", "pass"]);
}

#[test]
fn pubsub() {
    run("pubsub", &[], &["central", "local", "pass"]);
}

#[test]
fn two_phase_commit() {
    run("two-phase-commit", &[], &["central", "inter", "local", "pass"]);
}

#[test]
fn cache() {
    run("cache", &["--locations", "api,cache"], &["central", "inter", "local", "pass"]);
}

#[test]
fn checkout() {
    run("checkout", &[], &["central", "local", "pass"]);
}

/// The diagram of the readme is that of the example, and its session is the first one.
#[test]
fn the_readme_shows_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = |path: &str| std::fs::read_to_string(root.join(path)).expect("the file is there");
    let block = |text: &str, start: &str| {
        let (_, block) = text.split_once(start).expect("the block begins");
        block.split_once("```").expect("the block ends").0.to_owned()
    };
    let readme = text("README.md");
    assert_eq!(
        block(&readme, "```mermaid"),
        block(&text("examples/checkout/SPEC.md"), "```mermaid")
    );
    let parse = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("an object");
    let shown = parse(&block(&readme, "```json"));
    let first = text("examples/checkout/sessions.jsonl").lines().next().map(parse);
    let first = first.expect("a session");
    assert_eq!((&shown["session"], &shown["traces"]), (&first["session"], &first["traces"]));
}

#[test]
fn the_readme_shows_what_the_tool_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO_BIN_EXE_multitrace"))
        .current_dir(root)
        .args(["check", "examples/checkout/SPEC.md", "examples/checkout/sessions.jsonl"])
        .output()
        .expect("the tool runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the readme is there");
    let (_, shown) = readme.split_once("```text\n5 sessions").expect("the output is shown");
    let (shown, _) = shown.split_once("```").expect("the block ends");
    // The first line ends with the time the run took. Left-out lines are marked.
    let lines = |text: &str| text.lines().map(str::to_owned).skip(1).collect::<Vec<String>>();
    shows(&lines(shown), &lines(&printed)).expect("the lines of the readme in a row");
}
