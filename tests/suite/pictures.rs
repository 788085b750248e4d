//! `multitrace draw`, and `explain` as a picture.

use crate::common::run::{Run, multitrace, multitrace_in};
use std::path::Path;
use tempfile::TempDir;

fn at_root(words: &str) -> Run {
    let words: Vec<&str> = words.split(' ').collect();
    multitrace_in(Some(Path::new(env!("CARGO_MANIFEST_DIR"))), &words, &[("COLUMNS", "100")])
}

const SPEC: &str = "examples/checkout/SPEC.md";

#[test]
fn a_diagram_is_drawn_for_the_terminal_and_for_pages() {
    let text = at_root(&format!("draw {SPEC}"));
    assert_eq!(text.code, 0, "{}", text.err);
    let has = |part: &str| text.out.lines().any(|line| line.contains(part));
    assert!(has("├─ POST /checkout ──►│") && has("┌ par ─") && has("loop weak"), "{}", text.out);
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("a.svg");
    let path = out.to_str().expect("a plain path");
    for _ in 0..2 {
        assert_eq!(at_root(&format!("draw {SPEC} -o {path}")).code, 0);
        let svg = std::fs::read_to_string(&out).expect("a file");
        assert!(svg.starts_with("<svg") && svg.contains(">POST /checkout</text>"), "{svg}");
        assert_eq!(svg, at_root(&format!("draw {SPEC} --output-format svg")).out);
    }
    let labels = at_root("draw examples/checkout/SPEC.md --output-format dot");
    assert!(labels.code == 2 && labels.err.contains("DOT is for automata"), "{}", labels.err);
    let unknown = at_root(&format!("draw {SPEC} -o a.png"));
    assert!(
        unknown.code == 2 && unknown.err.contains("known are .svg, .txt and .dot"),
        "{}",
        unknown.err
    );
}

#[test]
fn an_automaton_is_drawn() {
    let dot = at_root(&format!("draw {SPEC} --what nfa --output-format dot"));
    assert!(
        dot.out.starts_with("digraph") && dot.out.contains("client!POST /checkout"),
        "{}",
        dot.err
    );
    let svg = at_root(&format!("draw {SPEC} --what nfa --output-format svg"));
    assert!(svg.out.starts_with("<svg"), "{}", svg.err);
    let text = at_root(&format!("draw {SPEC} --what nfa"));
    assert!(text.code == 2 && text.err.contains("as SVG or DOT"), "{}", text.err);
    let none = at_root("draw examples/raft/heartbeats.hif --what nfa --output-format dot");
    assert!(none.code == 2 && none.err.contains("it has no automaton"), "{}", none.err);
}

#[test]
fn a_session_is_explained_as_a_picture() {
    let explain = |format: &str| {
        let session = "examples/checkout/sessions.jsonl --session decline-lost";
        at_root(&format!("explain {SPEC} {session} --output-format {format}"))
    };
    let picture = explain("picture");
    assert!(
        picture.out.contains("✗ !declined") && picture.out.contains("MT301"),
        "{}",
        picture.out
    );
    assert!(explain("svg").out.starts_with("<svg"));
    let shiviz = explain("shiviz").out;
    assert!(shiviz.starts_with("client {\"client\":1} client!POST /checkout\n"), "{shiviz}");
    assert_eq!(shiviz.lines().count(), 12, "one line an event");
    // What is written as Mermaid is read as Mermaid.
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("a.mmd");
    std::fs::write(&out, explain("mermaid").out).expect("a file");
    let read =
        multitrace(&["read", out.to_str().expect("a plain path"), "--output-format", "json-lines"]);
    assert!(
        read.code == 0 && read.out.contains("\"label\":\"POST /checkout\""),
        "{}{}",
        read.out,
        read.err
    );
}
