//! The stages of compiling on small specifications, as text beside them. To accept a change: `INSTA_UPDATE=always cargo
//! test --test stages`, and review the diff.

use crate::common;
use multitrace_compiler::Config;
use multitrace_formats::bundle::{Bundle, LocalVerifier};
use multitrace_formats::hif;
use multitrace_interaction::{Alphabet, Id, Locations, Nfa, Signature, TermId, TermStore};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn show_term(title: &str, store: &TermStore, term: TermId, signature: &Signature) -> String {
    format!("{title}:\n{}\n", hif::print(&store.write_out(term), signature).trim_end())
}

fn show_nfa(title: &str, nfa: &Nfa, alphabet: &Alphabet) -> String {
    let ids =
        |states: Vec<usize>| states.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let initial = ids(nfa.initial().iter().map(|state| state.index()).collect());
    let finals = ids(nfa.finals().map(|state| state.index()).collect());
    let mut text = format!("{title}: initial {initial}, final {finals}\n");
    for transition in nfa.transitions() {
        let (from, to) = (transition.from.index(), transition.to.index());
        let letter = alphabet.letter_name(transition.letter);
        writeln!(text, "  {from} {letter} {to}").expect("a String takes all");
    }
    text
}

fn show_local(name: &str, local: &LocalVerifier, bundle: &Bundle) -> String {
    let table = local.forward.as_ref().expect("small specifications have tables");
    let areas = table.areas.as_ref().expect("there is an automaton");
    let mut text = format!("verifier of {name}: start {}", table.start);
    writeln!(text, ", anywhere {:?}", table.start_anywhere.expect("small")).expect("text");
    for (place, &next) in table.next.iter().enumerate() {
        if next == multitrace_formats::bundle::DEAD {
            continue;
        }
        let (state, column) = (place / local.letters.len(), place % local.letters.len());
        let letter = bundle.alphabet.letter_name(local.letters[column]);
        let area: Vec<usize> = areas.transitions(areas.of[place]).map(|id| id.index()).collect();
        writeln!(text, "  {state} {letter} {next}, area {area:?}").expect("a String takes all");
    }
    text
}

fn show(text: &str) -> String {
    let (signature, interaction) = common::parse(text);
    let locations = Locations::discrete(&signature);
    let mut store = TermStore::new();
    let term = store.intern(&interaction).root();
    let linear = store.linearize(term, &locations).term;
    let bundle = common::compile(&signature, &interaction, &locations, &Config::default()).bundle;
    let automaton = bundle.automaton().expect("these have automata");
    let mut shown = show_term("normalised", &store, term, &signature);
    shown += &show_term("linearised", &store, linear, &signature);
    shown += &show_nfa("automaton", &automaton.full, &bundle.alphabet);
    shown += &show_nfa("searched", &automaton.search, &bundle.alphabet);
    for location in bundle.alphabet.locations() {
        let name = bundle.alphabet.location_name(location);
        shown += &show_local(name, bundle.local(location), &bundle);
    }
    shown
}

fn specifications() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let stages = std::fs::read_dir(root.join("tests/suite/stages")).expect("the folder is there");
    let mut paths: Vec<PathBuf> = stages.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "hif"));
    paths.push(root.join("examples/mqtt/mqtt.hif"));
    paths.sort();
    paths
}

#[test]
fn stages_are_as_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("stages");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for path in specifications() {
            let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a plain name");
            let text = std::fs::read_to_string(&path).expect("a specification");
            insta::assert_snapshot!(name, show(&text));
        }
    });
}
