//! Coverage of specifications as `check` reports it.

use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace, multitrace_in};
use crate::common::shown::{shown, shows, without_times};
use multitrace::{CompileOptions, Inputs, RunOptions, Spec, SpecFormat};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const SPEC: &str = "seq(\n  a -- go -> b,\n  alt(\n    b -- yes -> a,\n    b -- no -> a\n  ),\n  \
                    loopS(a -- more -> b)\n)\n";

/// A session that answers, with this many repetitions.
fn session(id: usize, answer: &str, more: usize) -> String {
    let (sent, received) = (vec!["a!more".to_owned(); more], vec!["b?more".to_owned(); more]);
    let a = [vec!["a!go".to_owned(), format!("a?{answer}")], sent].concat();
    let b = [vec!["b?go".to_owned(), format!("b!{answer}")], received].concat();
    json!({"session": id.to_string(), "traces": {"a": a, "b": b}}).to_string()
}

fn check(folder: &Folder, sessions: &[String], options: &[&str]) -> Run {
    let (spec, input) = (folder.file("s.hif", SPEC), folder.file("in.jsonl", &sessions.join("\n")));
    multitrace(&[&["check", &spec, &input], options].concat())
}

fn summary(run: &Run) -> Value {
    let last = run.out.lines().last().expect("a summary");
    serde_json::from_str(last).expect("an object")
}

/// The sessions of each part, by line and kind.
fn parts(coverage: &Value) -> BTreeMap<(u64, String), Vec<u64>> {
    let mut parts: BTreeMap<(u64, String), Vec<u64>> = BTreeMap::new();
    for part in coverage["parts"].as_array().expect("a list") {
        let kind = part["kind"].as_str().expect("a text").to_owned();
        let key = (part["line"].as_u64().expect("a number"), kind);
        parts.entry(key).or_default().push(part["sessions"].as_u64().expect("a number"));
    }
    parts
}

const JSON: [&str; 3] = ["--coverage", "--output-format", "json-lines"];

#[test]
fn parts_are_counted_by_sessions() {
    let folder = Folder::new();
    let failing = session(4, "no", 1).replace("b?go", "b?other");
    let sessions = [session(1, "yes", 0), session(2, "yes", 3), session(3, "yes", 3), failing];
    let run = check(&folder, &sessions, &JSON);
    assert_eq!(run.code, 1, "{}", run.err);
    let coverage = &summary(&run)["coverage"];
    let key = |line, kind: &str| (line, kind.to_owned());
    assert_eq!(
        parts(coverage),
        BTreeMap::from([
            (key(2, "message"), vec![3]),
            (key(4, "alternative"), vec![3]),
            (key(4, "message"), vec![3]),
            (key(5, "alternative"), vec![0]),
            (key(5, "message"), vec![0]),
            (key(7, "loop_zero"), vec![1]),
            (key(7, "loop_once"), vec![0]),
            (key(7, "loop_more"), vec![2]),
            (key(7, "message"), vec![2]),
        ])
    );
    assert_eq!(
        (&coverage["sessions"], &coverage["taken"], &coverage["all"]),
        (&3.into(), &6.into(), &9.into())
    );
    assert!(!run.out.contains("witness"), "a witness is shown if it is asked for");
}

#[test]
fn threads_bundles_and_formats_make_no_difference() {
    let folder = Folder::new();
    let sessions: Vec<String> =
        (0..4000).map(|at| session(at, ["yes", "no"][at % 3 % 2], at % 5)).collect();
    let one = check(&folder, &sessions, &[&JSON[..], &["--jobs", "1"]].concat());
    let coverage = summary(&one)["coverage"].clone();
    let many = check(&folder, &sessions, &[&JSON[..], &["--jobs", "4"]].concat());
    assert_eq!(summary(&many)["coverage"], coverage);
    let report = check(&folder, &sessions, &["--coverage", "--output-format", "json"]);
    let report: Value = serde_json::from_str(&report.out).expect("a document");
    assert_eq!(report["summary"]["coverage"], coverage);
    let (spec, bundle) = (folder.path("s.hif"), folder.path("s.mtb"));
    assert_eq!(multitrace(&["compile", &spec, "-o", &bundle]).code, 0);
    let input = folder.path("in.jsonl");
    let run = multitrace(&[&["check", &bundle, &input], &JSON[..]].concat());
    assert_eq!(summary(&run)["coverage"], coverage);
    let run = multitrace(&[&["check", &spec, &input, "--engine", "term"], &JSON[..]].concat());
    assert_eq!(summary(&run)["coverage"], coverage);
    assert_eq!(coverage["percent"], 100.0);
}

#[test]
fn other_orders_of_the_same_logs_count_as_possible() {
    let folder = Folder::new();
    // Both alternatives have the same logs: who of two that work alone was first.
    let text = "alt(\n  strict(\n    a -- lock ->|,\n    b -- lock ->|\n  ),\n  strict(\n    \
                b -- lock ->|,\n    a -- lock ->|\n  ),\n  c -- lock ->|\n)";
    let traces = json!({"a": ["a!lock"], "b": ["b!lock"], "c": []});
    let sessions = json!({"session": "s", "traces": traces}).to_string();
    let (spec, input) = (folder.file("s.hif", text), folder.file("in.jsonl", &sessions));
    let run = multitrace(&[&["check", &spec, &input], &JSON[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let coverage = summary(&run)["coverage"].clone();
    let part = |line: u64, kind: &str| {
        let parts = coverage["parts"].as_array().expect("a list");
        let is_it = |it: &&Value| it["line"] == line && it["kind"] == kind;
        let part = parts.iter().find(is_it).expect("the part");
        (part["sessions"] == 1, part["ambiguous"] == true)
    };
    assert_eq!((part(2, "alternative"), part(3, "message")), ((true, false), (true, false)));
    assert_eq!((part(6, "alternative"), part(7, "message")), ((false, true), (false, true)));
    // Its event did not happen.
    assert_eq!((part(10, "alternative"), part(10, "message")), ((false, false), (false, false)));
}

/// Line, block, branch, and how often it was taken; `None` if nobody came to its block.
type Branch = (u64, u64, u64, Option<u64>);

/// A file of lcov, read strictly: its path, `DA` by line, `BRDA`.
fn lcov(text: &str) -> (String, BTreeMap<u64, u64>, Vec<Branch>) {
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (mut path, mut lines, mut branches) = (String::new(), BTreeMap::new(), Vec::new());
    let mut totals = BTreeMap::new();
    let mut ended = false;
    for line in text.lines() {
        assert!(!ended, "nothing after the end");
        if line == "end_of_record" {
            ended = true;
            continue;
        }
        let (key, value) = line.split_once(':').expect("a key");
        let fields: Vec<&str> = value.split(',').collect();
        match (key, &fields[..]) {
            ("TN", _) => {}
            ("SF", _) => value.clone_into(&mut path),
            ("DA", [line, count]) => {
                assert_eq!(lines.insert(number(line), number(count)), None, "a line once");
            }
            ("BRDA", [line, block, branch, taken]) => {
                let taken = (*taken != "-").then(|| number(taken));
                branches.push((number(line), number(block), number(branch), taken));
            }
            ("LF" | "LH" | "BRF" | "BRH", [count]) => {
                totals.insert(key.to_owned(), number(count));
            }
            _ => panic!("{line}"),
        }
    }
    assert!(ended);
    let hit = lines.values().filter(|&&count| count > 0).count() as u64;
    let taken = branches.iter().filter(|it| it.3.is_some_and(|it| it > 0)).count() as u64;
    assert_eq!((totals["LF"], totals["LH"]), (lines.len() as u64, hit));
    assert_eq!((totals["BRF"], totals["BRH"]), (branches.len() as u64, taken));
    (path, lines, branches)
}

#[test]
fn lcov_has_lines_and_branches() {
    let folder = Folder::new();
    let file = folder.path("spec.info");
    let sessions = [session(1, "yes", 0), session(2, "yes", 2)];
    let run = check(&folder, &sessions, &["--coverage-file", &file, "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let (path, lines, branches) = lcov(&folder.read("spec.info"));
    assert_eq!(path, folder.path("s.hif"));
    assert_eq!(lines, BTreeMap::from([(2, 2), (3, 2), (4, 2), (5, 0), (7, 1)]));
    let by_line = |line: u64| -> Vec<Option<u64>> {
        branches.iter().filter(|it| it.0 == line).map(|it| it.3).collect()
    };
    assert_eq!(by_line(3), [Some(2), Some(0)]);
    assert_eq!(by_line(7), [Some(1), Some(0), Some(1)]);
    // Nobody comes to it.
    let file = folder.path("none.info");
    let failing = session(1, "yes", 0).replace("b?go", "b?other");
    check(&folder, &[failing], &["--coverage-file", &file]);
    let (_, lines, branches) = lcov(&folder.read("none.info"));
    assert!(lines.values().all(|&count| count == 0) && branches.iter().all(|it| it.3.is_none()));
}

#[test]
fn too_little_ends_with_1() {
    let folder = Folder::new();
    let sessions = [session(1, "yes", 0)];
    let run = check(&folder, &sessions, &["--min-coverage", "40%"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let run = check(&folder, &sessions, &["--min-coverage", "60%"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("took 4 of 9 parts") && run.out.contains("MT002 "), "{}", run.out);
    let lines = ["--min-coverage=60%", "--output-format=json-lines"];
    let run = check(&folder, &sessions, &lines);
    assert!(run.err.contains("--min-coverage asks for 60 %"), "{}", run.err);
    for wrong in ["60", "101%", "-1%", "much%"] {
        assert_eq!(check(&folder, &sessions, &[&format!("--min-coverage={wrong}")]).code, 2);
    }
}

#[test]
fn what_another_derivation_takes_is_ambiguous() {
    let text = "// multitrace: allow MT608 for the test\nalt(\n a -- m -> b,\n a -- m -> b\n)";
    let spec = Spec::parse("twice.hif", text, SpecFormat::Hif);
    let monitor = spec.compile(&CompileOptions::default()).expect("it compiles").monitor;
    let line = &br#"{"session":"s","traces":{"a":["a!m"],"b":["b?m"]}}"#[..];
    let options = RunOptions { coverage: true, ..RunOptions::new(&monitor) };
    let report = monitor.run(Inputs::reader("memory", line), options, &mut ()).expect("a run");
    let coverage = report.coverage().expect("asked for");
    let seen: Vec<(usize, u64, bool)> =
        coverage.parts.iter().map(|it| (it.line, it.sessions, it.ambiguous)).collect();
    assert_eq!(seen, [(3, 1, false), (3, 1, false), (4, 0, true), (4, 0, true)]);
    assert_eq!(coverage.percent(), 50.0);
}

#[test]
fn transitions_of_an_automaton() {
    let folder = Folder::new();
    let text = "Ops a:1 b:1 x:0\nAutomaton A\nStates p q\nFinal States p q\nTransitions\nx -> p\n\
                a(p) -> q\nb(q) -> p\nb(p) -> p\n";
    let spec = folder.file("s.timbuk", text);
    let input = folder.file("in.jsonl", r#"{"session":"s","traces":{"l":["a","b","a"]}}"#);
    let run = multitrace(&[&["check", &spec, &input, "--locations", "l=a,b"], &JSON[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let key = |line| (line, "transition".to_owned());
    let expected = BTreeMap::from([(key(7), vec![1]), (key(8), vec![1]), (key(9), vec![0])]);
    assert_eq!(parts(&summary(&run)["coverage"]), expected);
}

#[test]
fn the_page_shows_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let blocks = shown(include_str!("../../docs/coverage.md"));
    assert_eq!(blocks.len(), 1);
    for (command, lines) in blocks {
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let run = multitrace_in(Some(root), &words, &[]);
        let printed: Vec<String> = run.out.lines().map(without_times).collect();
        if let Err(difference) = shows(&lines, &printed) {
            panic!("{command}: {difference}\nin\n{}", printed.join("\n"));
        }
    }
}
