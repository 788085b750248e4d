//! Warnings of specifications as `compile` and `check` give them.

use crate::common::folder::{Folder, PASSING};
use crate::common::run::{Run, multitrace};
use multitrace::{CompileOptions, Monitor, Spec, SpecFormat};
use multitrace_formats::diagram::Notation;
use std::path::{Path, PathBuf};

const LOGIN: &str = "seq(\n    client -- req -> server,\n    server -- resp -> clinet\n)\n";

fn compile(folder: &Folder, spec: &str, options: &[&str]) -> Run {
    folder.file("login.hif", spec);
    let path = folder.path("login.hif");
    multitrace(&[&["compile", &path], options].concat())
}

#[test]
fn compile_warns_and_writes_the_bundle() {
    let folder = Folder::new();
    let run = compile(&folder, LOGIN, &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(folder.names().contains(&"login.mtb".to_owned()));
    let page = include_str!("../../docs/specifications.md");
    let shown = run.err.replace(&folder.path("login.hif"), "login.hif");
    assert!(page.contains(shown.trim_end()), "the page should show\n{shown}");
}

#[test]
fn warnings_can_be_denied_and_allowed() {
    let folder = Folder::new();
    let run = compile(&folder, LOGIN, &["--deny-warnings"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.starts_with("error[MT601]: "), "{}", run.err);
    assert!(!folder.names().contains(&"login.mtb".to_owned()));
    let allowed = format!("// multitrace: allow MT601 it is another one\n{LOGIN}");
    let run = compile(&folder, &allowed, &["--deny-warnings"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
}

#[test]
fn compile_lists_them_as_json() {
    let folder = Folder::new();
    let run = compile(&folder, LOGIN, &["--output-format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("an object");
    let [warning] = &report["warnings"].as_array().expect("a list")[..] else { panic!("one") };
    assert_eq!((&warning["code"], &warning["line"]), (&"MT601".into(), &3.into()));
    assert_eq!(warning["column"], 23);
    assert!(warning["message"].as_str().expect("a text").contains("`clinet` occurs once"));
    assert!(warning["remedy"].is_string());
    let run = compile(&folder, "a -- m -> b", &["--output-format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("an object");
    assert_eq!(report["warnings"], serde_json::json!([]));
}

#[test]
fn check_warns_of_a_specification_and_not_of_a_bundle() {
    let folder = Folder::new();
    let text = "seq(loopS(a -- m -> b), alt(o, o))";
    let (spec, input) = (folder.file("s.hif", text), folder.file("in.jsonl", PASSING));
    let run = multitrace(&["check", &spec, &input]);
    assert_eq!(run.code, 0);
    assert!(run.err.starts_with("warning[MT608]: "), "{}", run.err);
    let run = multitrace(&["check", &spec, &input, "--quiet"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let run = multitrace(&["check", &spec, &input, "--quiet", "--deny-warnings"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.starts_with("error[MT608]: "), "{}", run.err);
    let bundle = folder.path("s.mtb");
    assert_eq!(multitrace(&["compile", &spec, "-o", &bundle]).code, 0);
    let run = multitrace(&["check", &bundle, &input]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let run = multitrace(&["check", &bundle, &input, "--deny-warnings"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("give --deny-warnings to `multitrace compile`"), "{}", run.err);
}

#[test]
fn the_library_has_them() {
    let spec = Spec::parse("login.hif", LOGIN, SpecFormat::Hif);
    let options = CompileOptions::default();
    let compiled = spec.compile(&options).expect("it compiles");
    assert_eq!(compiled.warnings.list().len(), 1);
    assert_eq!(compiled.monitor.warnings(), Some(&compiled.warnings));
    assert_eq!(spec.warnings(&options).ok(), Some(compiled.warnings));
    let loaded = Monitor::from_bytes(&compiled.monitor.to_bytes()).expect("a bundle");
    assert_eq!(loaded.warnings(), None);
    let text = "Ops a:1 x:0 Automaton A States p q Final States p Transitions x -> p a(p) -> q";
    let spec = Spec::parse("a.timbuk", text, SpecFormat::Timbuk);
    let options = CompileOptions { locations: Some("l=a".to_owned()), ..options };
    let compiled = spec.compile(&options).expect("it compiles");
    assert_eq!(compiled.warnings.list()[0].code.name(), "MT608");
    assert_eq!(spec.warnings(&options).ok(), Some(compiled.warnings));
}

#[test]
fn the_examples_have_none_but_those_they_explain() {
    let mut seen = 0;
    for path in specifications(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")) {
        let spec = Spec::read(&path).expect("a specification");
        let warnings = spec.warnings(&CompileOptions::default()).expect("it is read");
        assert!(warnings.is_empty(), "{warnings}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}

fn specifications(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let own = files.into_iter().filter(|path| path.extension().is_some_and(|it| it == "hif"));
    own.chain(folders.iter().flat_map(|folder| specifications(folder))).collect()
}

/// The codes and lines of the warnings of a diagram.
fn drawn(notation: Notation, body: &str) -> String {
    let text = match notation {
        Notation::Mermaid => format!("sequenceDiagram\n{body}"),
        Notation::PlantUml => format!("@startuml\n{body}\n@enduml\n"),
    };
    let spec = Spec::parse("f", &text, SpecFormat::Diagram(notation));
    let warnings = spec.warnings(&CompileOptions::default()).unwrap_or_else(|it| panic!("{it}"));
    let shown = warnings.placed().map(|(at, it)| format!("{} {}", it.code.name(), at.line - 1));
    shown.collect::<Vec<_>>().join(", ")
}

/// What an author of diagrams would not change is not warned of; beside each, a case that is.
#[test]
fn diagrams_are_warned_of_as_their_authors_mean_them() {
    for (body, expected) in [
        // MT605: an arrow with two heads starts where it is drawn from; an option may come at any time; one of several.
        ("alt x\na<<->>b: m\nelse\na->>c: n\nend", ""),
        ("alt x\nb->>a: m\nelse\na->>c: n\nend", "MT605 1"),
        ("critical x\na->>b: m\noption y\nb->>a: n\nend", ""),
        ("%% multitrace: for c in c1, c2\nalt\nc->>a: lead\nend", ""),
        // MT607: people see more than messages, and arrows with two heads have no order.
        ("s->>app: push\nUser->>app: click", ""),
        ("actor p\ns->>app: push\np->>app: click", ""),
        ("s->>app: push\nuser2->>app: click", ""),
        ("s->>app: push\nuser2db->>app: click", "MT607 2"),
        ("s->>app: push\nt->>app: click", "MT607 2"),
        ("s->>app: push\napp<<->>t: sync", ""),
        // Nobody waits for an acknowledgement in an order.
        ("s->>app: 200 OK\nt->>app: click", ""),
        ("s->>app: push\nt->>app: Respond HTTP - 202 (Accepted)", ""),
        ("s->>app: push\nt->>app: ack", ""),
        ("s->>app: push\nt->>app: send 200 items", "MT607 2"),
        ("par_over x\na->>b: m\nand\nb->>c: n\nend\nd->>b: k", ""),
        // MT608: a condition or a note tells readers something.
        ("alt a is free\na->>b: m\nelse b is free\na->>b: m\nend", ""),
        ("alt\na->>b: m\nelse\na->>b: m\nend", "MT608 4"),
        ("alt see the other diagram\nNote over a: keys\nend\na->>b: m", ""),
        ("opt see the other diagram\nend\na->>b: m", "MT608 1"),
        ("opt x\nopt y\na->>b: m\nend\nend", ""),
        ("opt\nopt\na->>b: m\nend\nend", "MT608 1"),
        // MT609: an arrow without a text, one arrow of each of several, parts of which some are chosen.
        ("par\na->>c: \nand\nb->>c: \nend", ""),
        ("par\na->>c: ok\nand\nb->>c: ok\nend", "MT609 4"),
        ("%% multitrace: for f in f1, f2\npar\nf->>a: vote\nend", ""),
        ("%% multitrace: quorum 1\npar\na->>c: ok\nand\nb->>c: ok\nend\nc->>d: go", ""),
        // MT613 is a hint.
        ("a->>b: m\nNote over a: store key", ""),
    ] {
        assert_eq!(drawn(Notation::Mermaid, body), expected, "{body}");
    }
    for (body, expected) in [
        ("par2\na -> b : m\nelse\nb -> c : n\nend\nd -> b : k", ""),
        ("par\na -> b : m\nelse\nb -> c : n\nend\nd -> b : k", "MT607 6"),
        // One arrow of `par2` is the way on from the other.
        ("alt x\npar2\na -> b : m\nelse\nb -> c : m\nend\nelse\na -> b : n\nend", ""),
        ("opt gross\na -> b : settle\nelse\na -> b : open\nend", ""),
        ("par\na -> c : ok\nelse\nb -> c : ok", "MT620 1"),
        // MT617: a reference that describes the arrow above it.
        ("a -> b : check the card\nref over a, b : how to check a card", ""),
        ("a -> b : check the card\nref over a, c : how to check a card", "MT617 2"),
        ("a -> b : check the card\nref over a, b : settle", "MT617 2"),
    ] {
        assert_eq!(drawn(Notation::PlantUml, body), expected, "{body}");
    }
}
