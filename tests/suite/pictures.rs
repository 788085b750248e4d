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
    assert!(
        has("├─ POST /checkout ──►│") && has("┌ par ─") && has("┌ loop [until the bank accepts] ─"),
        "{}",
        text.out
    );
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
    let unknown = at_root(&format!("draw {SPEC} -o a.jpg"));
    assert!(
        unknown.code == 2 && unknown.err.contains("known are .svg, .png, .txt and .dot"),
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
        picture.out.contains("✗ !declined") && picture.out.contains("MT113 a message"),
        "{}",
        picture.out
    );
    assert!(explain("svg").out.starts_with("<svg"));
    let shiviz = explain("shiviz").out;
    assert!(shiviz.starts_with("client {\"client\":1} client!POST /checkout\n"), "{shiviz}");
    assert_eq!(shiviz.lines().count(), 12, "one line an event");
    // A picture written as Mermaid is read as Mermaid.
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

#[test]
fn the_pictures_in_the_tree_are_as_they_are_drawn() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = std::process::Command::new(root.join("scripts/pictures"))
        .arg("--check")
        .env("MULTITRACE", env!("CARGO_BIN_EXE_multitrace"))
        .output()
        .expect("the script runs");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
}

/// A message may stand in several places; a fault is marked in the one that the repaired session goes through.
#[test]
fn a_fault_is_marked_at_its_occurrence() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let spec =
        "seq(alt(a -- put -> b, seq(a -- new -> b, a -- put -> b)), b -- ok -> a, a -- put -> b)";
    let spec = file("spec.hif", spec);
    let logs =
        [("last", "\"b?new\",\"b?put\",\"b!ok\""), ("first", "\"b?new\",\"b!ok\",\"b?put\"")];
    for (name, received) in logs {
        let sent = "\"a!new\",\"a!put\",\"a?ok\",\"a!put\"";
        let line =
            format!("{{\"session\":\"s\",\"traces\":{{\"a\":[{sent}],\"b\":[{received}]}}}}");
        let input = file(&format!("{name}.jsonl"), &line);
        let drawn = at_root(&format!("draw {spec} {input} --explain s"));
        let puts: Vec<&str> = drawn.out.lines().filter(|line| line.contains("put [")).collect();
        let missing: Vec<bool> = puts.iter().map(|it| it.contains("missing")).collect();
        let expected = if name == "last" { [false, false, true] } else { [false, true, false] };
        assert_eq!(missing, expected, "{name}: {}", drawn.out);
        let page = at_root(&format!("check {spec} {input} --output-format html")).out;
        assert_eq!(page.matches("received 1 missing").count(), 1, "{name}");
        let explained = at_root(&format!("explain {spec} {input} --session s")).out;
        let column = if name == "last" { "1:74" } else { "1:43" };
        let place = |line: &&str| line.contains("b?put") && line.contains("a -- put -> b");
        let places: Vec<&str> = explained.lines().filter(place).collect();
        assert!(places.len() == 1 && places[0].contains(column), "{name}: {explained}");
    }
}

#[test]
fn a_diagram_is_marked_with_what_sessions_took() {
    let mqtt = "draw examples/mqtt/mqtt.hif examples/mqtt/sessions.jsonl";
    let taken = at_root(&format!("{mqtt} --coverage"));
    assert!(taken.out.contains("subscribe [1]") && taken.out.contains("open [2]"), "{}", taken.out);
    let session = at_root(&format!("{mqtt} --explain closed-twice"));
    assert!(
        session.out.contains("close [sent wrong, 1×; received"),
        "{}{}",
        session.out,
        session.err
    );
    let bundle = tempfile::TempDir::new().expect("a folder");
    let bundle = bundle.path().join("m.mtb");
    let path = bundle.to_str().expect("a plain path");
    assert_eq!(at_root(&format!("compile examples/mqtt/mqtt.hif -o {path}")).code, 0);
    assert_eq!(at_root(&format!("draw {path}")).out, at_root("draw examples/mqtt/mqtt.hif").out);
    for (words, message) in [
        (format!("{mqtt} --explain nobody"), "no session is called \"nobody\""),
        (mqtt.to_owned(), "inputs are for --coverage"),
        (
            format!("{mqtt} --coverage -o examples/mqtt/sessions.jsonl --output-format svg"),
            "sessions.jsonl",
        ),
        ("draw examples/mqtt/mqtt.hif --observe prefix".to_owned(), "say how inputs are read"),
        ("draw - - --coverage".to_owned(), "standard input cannot be both"),
        (format!("{mqtt} --what nfa --coverage -o a.svg"), "--coverage is marked in the diagram"),
        (format!("{mqtt} --what local --explain x -o a.svg"), "--explain is for the diagram and"),
        (
            format!("{mqtt} --what areas --explain closed-twice -o a.svg"),
            "a log alone is impossible",
        ),
    ] {
        let run = at_root(&words);
        assert!(run.code == 2 && run.err.contains(message), "{words}: {}", run.err);
    }
}

/// Paper 004 figs. 3 to 6: the drawn automata are those of its definitions, which [`paper_004`](crate::paper_004)
/// tests.
#[test]
fn what_a_location_has_of_the_automaton_is_drawn() {
    let dot = |words: &str| {
        let spec = "draw docs/pictures/paper-004-fig-3.timbuk --locations l1=a,e;l2=c,d;l3=b";
        let run = at_root(&format!("{spec} {words} --output-format dot"));
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    let verifier = dot("--what local --location l2");
    let states = ["0 [label=\"{0, 1, 3}\"]", "1 [label=\"{2, 3}\"]", "2 [label=\"{1, 4}\"]"];
    assert!(states.iter().all(|it| verifier.contains(it)), "{verifier}");
    let edges =
        ["0 -> 1 [label=\"c [1]\"]", "0 -> 2 [label=\"d [2]\"]", "2 -> 1 [label=\"c [3]\"]"];
    assert!(edges.iter().all(|it| verifier.contains(it)), "{verifier}");
    assert!(verifier.contains("2 -> 2 [label=\"d [2]\"]"), "{verifier}");
    let gray = |text: &str| text.lines().filter(|it| it.contains("color=gray")).count();
    let areas = dot("--what areas --location l2");
    let counts: Vec<usize> = areas.split("digraph").skip(1).map(gray).collect();
    // Init has b and a; then c and e; then d and b; then c and e: of 7 transitions.
    assert_eq!(counts, [5, 5, 5, 5], "{areas}");
    let session = dot("docs/pictures/paper-004-fig-5.jsonl --what areas --explain dddc");
    let titles = [
        "Area of the log of l1",
        "Area of the log of l2",
        "Area of the log of l3",
        "Common paths of all areas",
    ];
    assert!(titles.iter().all(|it| session.contains(it)), "{session}");
    // Inter leaves out a and 0 –c→ 2.
    assert_eq!(gray(session.rsplit("digraph").next().expect("the last")), 2, "{session}");
    assert!(dot("--what look-ahead").contains("look-ahead, read from the end"));
}

/// The exported automaton is the one of the bundle: read again, Timbuk gives the same automaton, and the JSON has the
/// areas of paper 004 fig. 4.
#[test]
fn the_automaton_of_a_bundle_is_exported() {
    let folder = TempDir::new().expect("a folder");
    let bundle = folder.path().join("f.mtb");
    let path = bundle.to_str().expect("a plain path");
    let spec = "docs/pictures/paper-004-fig-3.timbuk";
    let locations = "l1=a,e;l2=c,d;l3=b";
    assert_eq!(at_root(&format!("compile {spec} --locations {locations} -o {path}")).code, 0);
    let timbuk = at_root(&format!("inspect {path} --export timbuk"));
    assert!(timbuk.err.contains(locations), "{}", timbuk.err);
    let again = folder.path().join("again.timbuk");
    std::fs::write(&again, &timbuk.out).expect("written");
    let again = again.to_str().expect("a plain path");
    let diff = at_root(&format!("diff {spec} {again} --locations {locations}"));
    assert!(diff.code == 0 && diff.out.contains("accept the same"), "{}{}", diff.out, diff.err);
    assert!(at_root(&format!("inspect {path} --export dot")).out.contains("0 -> 3 [label=\"a\"]"));
    let json = at_root(&format!("inspect {path} --export json"));
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(json["automaton"]["transitions"].as_array().map(Vec::len), Some(7));
    let verifier = &json["locations"][1]["verifier"];
    // Three states of a trace from the beginning, and where one from somewhere starts.
    assert_eq!(verifier["next"].as_array().map(Vec::len), Some(4));
    let name = |it: &serde_json::Value| {
        let transition = &json["automaton"]["transitions"][it.as_u64().expect("a place") as usize];
        let letter = transition[1].as_u64().expect("a letter") as usize;
        json["letters"][letter]["name"].as_str().expect("a name").to_owned()
    };
    let areas = verifier["areas"]["transitions"].as_array().expect("a list");
    let letters = |area: &serde_json::Value| {
        let mut letters: Vec<String> = area.as_array().expect("a list").iter().map(name).collect();
        letters.sort();
        letters.concat()
    };
    let mut areas: Vec<String> = areas.iter().map(letters).collect();
    areas.sort();
    // "cce" is of a trace that was observed from somewhere.
    assert_eq!(areas, ["ab", "bd", "cce", "ce", "ce"]);
}

#[test]
fn a_picture_may_be_png() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("a.png");
    let path = out.to_str().expect("a plain path");
    let run = at_root(&format!("draw {SPEC} -o {path}"));
    if !cfg!(feature = "png") {
        assert!(run.code == 2 && run.err.contains("build it with --features png"), "{}", run.err);
        return assert!(!out.exists());
    }
    assert_eq!(run.code, 0, "{}", run.err);
    let bytes = std::fs::read(&out).expect("a file");
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    // The sides of a PNG stand in its first chunk; there are two pixels to a unit of the SVG.
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let svg = at_root(&format!("draw {SPEC} --output-format svg")).out;
    let head = format!("width=\"{}\" height=\"{}\"", side(16) / 2, side(20) / 2);
    assert!(svg.contains(&head), "{head}");
    // Texts are drawn: much of the picture is neither paper nor line.
    assert!(bytes.len() > 10_000, "{} bytes", bytes.len());
}
