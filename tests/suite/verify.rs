//! `inspect --verify`: a bundle is equal to a fresh compilation of its text and options, or the parts that
//! differ are named. Forged bundles have a right checksum.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common::folder::Folder;
use crate::common::run::multitrace;
use multitrace::{CompileOptions, Monitor, Reduction, Spec, SpecFormat};
use multitrace_formats::bundle::{Bundle, Central, EventMapping, Provenance, decode, encode};
use multitrace_formats::diagram::DiagramOptions;
use multitrace_interaction::{Id, Nfa, Observation, StateId};
use multitrace_testing_engines::forged::sealed;

const HEADER: usize = 8 + 4 + 8 + 32;
const SMALL: &str = "loopS(strict(a -- m -> b, alt(b -- n -> a, o)))";
const PARALLEL: &str = "par(strict(a -- m -> b, b -- n -> a), a -- p -> c)";
const TIMBUK: &str = "Ops a:1 b:1 x:0\nAutomaton A\nStates p q\nFinal States q\nTransitions\nx -> p\na(p) -> q\nb(q) -> p\n";
const MERMAID: &str =
    "sequenceDiagram\n  box one\n  participant a\n  participant b\n  end\n  a->>b: go on\n";

fn bytes(spec: &Spec, options: &CompileOptions) -> Vec<u8> {
    spec.compile(options).expect("a specification").monitor.to_bytes()
}

fn compiled(text: &str) -> Vec<u8> {
    bytes(&Spec::parse("small.hif", text, SpecFormat::Hif), &CompileOptions::default())
}

/// A change of a bundle, and why it cannot be verified then.
type Change = (fn(&mut Bundle), &'static str);

/// The differences of a forged bundle from a fresh compilation.
fn differing(bundle: &Bundle) -> Vec<String> {
    Monitor::verify(&encode(bundle)).expect("it can be compiled again")
}

#[test]
fn what_was_compiled_is_verified_with_all_options() {
    let default = CompileOptions::default;
    let signature = multitrace_formats::hsf::parse(&multitrace_formats::source::Source::new(
        "f.hsf",
        "@message{ m; n; z }@lifeline{ b; a; \"c d\" }",
    ));
    let mermaid = Spec::parse("text", MERMAID, multitrace::SpecFormat::of_text(MERMAID));
    let drawn: DiagramOptions =
        "messages=first-word,boxes=locations,loops=strict".parse().expect("options");
    let markdown = format!("# One\n```mermaid\n{MERMAID}```\n# Two\n```mermaid\n{MERMAID}```\n");
    let markdown = Spec::parse("SPEC.md", &markdown, SpecFormat::Markdown);
    let hif = Spec::parse("specs/small.hif", SMALL, SpecFormat::Hif);
    let reductions = vec![Reduction::Merge, Reduction::Linearize];
    let cases = [
        (hif.clone(), default()),
        (hif.clone(), CompileOptions { signature: signature.ok(), ..default() }),
        (hif.clone(), CompileOptions { locations: Some("a,b".to_owned()), ..default() }),
        (hif.clone(), CompileOptions { without: reductions, ..default() }),
        (hif.clone(), CompileOptions { limit_local_states: Some(0), ..default() }),
        (hif.clone(), CompileOptions { limit_states: Some(1), ..default() }),
        (hif, CompileOptions { observation: Observation::GlobalPrefix, ..default() }),
        (mermaid.clone(), default()),
        (mermaid, CompileOptions { diagrams: drawn, ..default() }),
        (markdown.clone().diagram("2"), default()),
        (markdown.diagram("One"), default()),
        (Spec::parse("odd.hif", MERMAID, multitrace::SpecFormat::of_text(MERMAID)), default()),
        (
            Spec::parse("a.timbuk", TIMBUK, SpecFormat::Timbuk),
            CompileOptions { locations: Some("left=a;right=b".to_owned()), ..default() },
        ),
    ];
    for (spec, options) in cases {
        let bytes = bytes(&spec, &options);
        let line = decode(&bytes).expect("a bundle").provenance.options;
        let differing = Monitor::verify(&bytes);
        assert_eq!(differing.map_err(|it| it.to_string()), Ok(vec![]), "{}: {line}", spec.name());
    }
}

#[test]
fn every_changed_byte_of_a_payload_is_found() {
    for text in [SMALL, PARALLEL] {
        change_every_byte(&compiled(text));
    }
}

fn change_every_byte(authentic: &[u8]) {
    let original = decode(authentic).expect("a bundle");
    let (mut tried, mut accepted, mut other_options) = (0, 0, 0);
    for offset in HEADER..authentic.len() {
        let byte = authentic[offset];
        for value in [byte ^ 1, byte ^ 0x80, 0, 0xff, byte.wrapping_add(1)] {
            let mut payload = authentic[HEADER..].to_vec();
            payload[offset - HEADER] = value;
            let forged = sealed(&payload);
            let Ok(bundle) = decode(&forged) else { continue };
            tried += usize::from(value != byte);
            accepted += 1;
            if value == byte || !matches!(Monitor::verify(&forged), Ok(parts) if parts.is_empty()) {
                continue;
            }
            // A bundle that was compiled with other limits is as authentic; the limits are shown.
            let options = original.provenance.options.clone();
            assert_ne!(bundle.provenance.options, options, "byte {offset} as {value:#x}");
            let provenance = Provenance { options, ..bundle.provenance.clone() };
            assert_eq!(Bundle { provenance, ..bundle }, original, "byte {offset} as {value:#x}");
            other_options += 1;
        }
    }
    println!("{tried} forged bundles of {accepted} are loaded, {other_options} with other limits");
    assert!(tried > 100 && other_options < tried / 10, "{tried} forged, {other_options} other");
}

#[test]
fn the_parts_that_differ_are_named() {
    let original = decode(&compiled(SMALL)).expect("a bundle");
    let Central::Automaton(automaton) = &original.central else { panic!("an automaton") };
    let search = &automaton.search;
    // Every state final: a session that ends too early passes.
    let all = (0..search.state_count()).map(StateId::new);
    let lenient = Nfa::new(
        search.state_count(),
        search.initial().iter().copied(),
        all,
        search.transitions().to_vec(),
    );
    let mut automaton = automaton.clone();
    automaton.search = lenient.expect("the same states");
    let forged = Bundle { central: Central::Automaton(automaton), ..original.clone() };
    assert_eq!(differing(&forged), ["the automaton that is searched"]);

    let mut forged = original.clone();
    forged.locals[1].backward = None;
    forged.locals[0].forward = None;
    assert_eq!(differing(&forged), ["the verifier at a", "the look-ahead at b"]);

    let forged = Bundle { observation: Observation::Slice, ..original.clone() };
    assert_eq!(differing(&forged), ["the observation mode"]);

    let mut forged = original.clone();
    forged.provenance.spec_hash[0] ^= 1;
    assert_eq!(differing(&forged), ["the names, hash and options of the specification"]);

    let mut forged = original.clone();
    forged.provenance.options.push_str(" --trust-me");
    assert_eq!(differing(&forged), ["the line of options"]);

    let mut forged = original;
    forged.text.text = SMALL.replace("loopS", "loopW");
    let found = differing(&forged);
    assert!(found.contains(&"the interaction".to_owned()), "{found:?}");
}

#[test]
fn numbers_in_a_longer_form_are_found() {
    let authentic = compiled(SMALL);
    let length = decode(&authentic).expect("a bundle").provenance.tool_version.len();
    // The payload begins with the length of the version, which fits a byte: as two bytes behind a mark.
    let wide = [&[251, length as u8, 0], &authentic[HEADER + 1..]].concat();
    assert_eq!(usize::from(authentic[HEADER]), length);
    let differing = Monitor::verify(&sealed(&wide)).expect("it means the same");
    assert_eq!(differing, ["the bytes, though not their meaning"]);
}

#[test]
fn the_exit_code_tells_authentic_from_forged_and_from_unknown() {
    let folder = Folder::new();
    let (spec, path) = (folder.path("ab.hif"), folder.path("ab.mtb"));
    assert_eq!(multitrace(&["compile", &spec, "-o", &path]).code, 0);
    let run = multitrace(&["inspect", &path, "--verify"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.ends_with("verified       this version makes the same bundle of these\n"));
    let original = decode(&std::fs::read(&path).expect("a bundle")).expect("a bundle");
    let inspect = |bundle: &Bundle, format: &str| {
        std::fs::write(&path, encode(bundle)).expect("a file");
        multitrace(&["inspect", &path, "--verify", "--output-format", format])
    };

    let mut forged = original.clone();
    forged.locals[0].forward = None;
    let run = inspect(&forged, "human");
    assert_eq!(run.code, 1);
    let end = "forged         this version makes another bundle of these\n  differs      the verifier at a\n";
    assert!(run.out.ends_with(end), "{}", run.out);
    let run = inspect(&forged, "json");
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((run.code, &json["verified"]), (1, &false.into()));
    assert_eq!(json["differing"], serde_json::json!(["the verifier at a"]));

    let cannot: [Change; 4] = [
        (|it| it.provenance.tool_version = "0.0.1".to_owned(), "multitrace 0.0.1 made it"),
        (|it| it.provenance.timed_out = true, "--limit-time ended its compiling"),
        (|it| it.text = Default::default(), "it has no specification"),
        (|it| it.text.text = "loopS(a -- m -> b".to_owned(), "cannot be compiled alone"),
    ];
    for (change, why) in cannot {
        let mut forged = original.clone();
        change(&mut forged);
        if !forged.text.text.is_empty() && forged.text.text != original.text.text {
            forged.text.spans.clear();
        }
        let run = inspect(&forged, "human");
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{why}");
        assert!(run.err.contains(why), "{}", run.err);
    }
}

#[test]
fn a_mapping_in_a_bundle_is_shown_and_compiled_again() {
    let spec = Spec::parse("small.hif", SMALL, SpecFormat::Hif);
    let right = "[event]\nsession = \"s\"\nlifeline = \"l\"\nmessage = \"m\"\ndirection = { field = \"d\", \
                 emission = \"out\", reception = \"in\" }\n";
    let of = |text: &str| {
        let events = EventMapping { name: "e.toml".to_owned(), text: text.to_owned() };
        let compiled = spec.compile_with_events(&CompileOptions::default(), events);
        compiled.expect("a bundle").monitor
    };
    let authentic = of(right);
    assert!(Monitor::verify(&authentic.to_bytes()).expect("verified").is_empty());
    let differing = Monitor::verify(&of("[event]\n").to_bytes()).expect("compared");
    assert!(differing[0].starts_with("the mapping of event logs, which is wrong"), "{differing:?}");
    let folder = Folder::new();
    let path = folder.path("b.mtb");
    std::fs::write(&path, authentic.to_bytes()).expect("written");
    let shown = multitrace(&["inspect", &path, "--output-format", "json"]).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(shown["mapping"]["text"], right);
    assert_eq!(shown["mapping"]["sha256"].as_str().map(str::len), Some(64));
    // Another mapping is as valid, and not the one of the file.
    let file = folder.file("e.toml", right);
    let other = folder.path("other.mtb");
    let changed = right.replace("\"out\"", "\"in\"").replacen("\"in\" }", "\"out\" }", 1);
    std::fs::write(&other, of(&changed).to_bytes()).expect("written");
    let verify = |bundle: &str, more: &[&str]| {
        multitrace(&[&["inspect", bundle, "--verify"][..], more].concat())
    };
    let alone = verify(&other, &[]);
    assert!(
        alone.code == 0 && alone.out.contains("the mapping is taken as it is"),
        "{}",
        alone.out
    );
    assert_eq!(verify(&path, &["--events", &file]).code, 0);
    let compared = verify(&other, &["--events", &file]);
    assert_eq!(compared.code, 1, "{}", compared.out);
    assert!(
        compared.out.contains("the mapping of event logs, which is not that of"),
        "{}",
        compared.out
    );
    let without = folder.path("without.mtb");
    std::fs::write(&without, compiled(SMALL)).expect("written");
    assert_eq!(verify(&without, &["--events", &file]).code, 1);
}
