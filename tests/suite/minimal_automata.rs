//! The use cases of the papers: their minimal deterministic automata have the published sizes
//! (corpus README), and all of them load and compile.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_compiler::{Config, Limits, merge_futures, project, trim};
use multitrace_formats::bundle::{DEAD, ForwardTable};
use multitrace_formats::{hif, source::Source};
use multitrace_interaction::{
    Id, Interaction, LetterId, Locations, Nfa, Signature, StateId, TermId, TermStore, Transition,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// More than any of the use cases needs.
const LIMITS: Limits = Limits {
    states: 1 << 20,
    growth: 1 << 10,
    local_states: 1 << 20,
    local_bytes: 1 << 30,
    work: u64::MAX,
    memory: usize::MAX,
    time: None,
};

/// States and transitions.
type Size = (usize, usize);

/// A use case, and the sizes of its minimal automata.
struct UseCase {
    name: &'static str,
    /// Synchronous passings read as asynchronous ones, for which the figures were published.
    asynchronous: Size,
    /// As it is written, a synchronous passing being one letter.
    synchronous: Size,
}

/// The asynchronous sizes are the published ones but for HR, for which (102, 215) was published.
/// That is the size of the automaton that the oracle's derivatives give when they are determinised
/// only; minimised, they have the sizes given here. The synchronous sizes are those of the oracle.
const USE_CASES: [UseCase; 6] = [
    UseCase { name: "abp", asynchronous: (64, 90), synchronous: (20, 28) },
    UseCase { name: "hr", asynchronous: (100, 211), synchronous: (100, 211) },
    UseCase { name: "sensor", asynchronous: (171, 373), synchronous: (34, 60) },
    UseCase { name: "platoon2", asynchronous: (10, 18), synchronous: (10, 18) },
    UseCase { name: "platoon3", asynchronous: (90, 189), synchronous: (90, 189) },
    UseCase { name: "platoon4", asynchronous: (752, 1_874), synchronous: (752, 1_874) },
];

fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn parse(name: &str, text: String) -> (Signature, Interaction) {
    let spec = hif::parse(&Source::new(name, text), None);
    let spec = spec.unwrap_or_else(|error| panic!("{error}"));
    (spec.signature, spec.interaction)
}

/// The automaton of an interaction as it is written, one letter per step, by its derivatives.
fn step_automaton(interaction: &Interaction) -> (Nfa, Vec<LetterId>) {
    let mut store = TermStore::new();
    let root = store.intern(interaction).root();
    let mut rank: BTreeMap<TermId, usize> = BTreeMap::from([(root, 0)]);
    let (mut terms, mut transitions) = (vec![root], Vec::new());
    let mut next = 0;
    while next < terms.len() {
        for &derivative in &*store.derivatives(terms[next]) {
            let to = *rank.entry(derivative.residual).or_insert_with(|| {
                terms.push(derivative.residual);
                terms.len() - 1
            });
            let letter = LetterId::new(derivative.step.index());
            let (from, to) = (StateId::new(next), StateId::new(to));
            transitions.push(Transition { from, letter, to });
        }
        next += 1;
    }
    let finals = terms.iter().enumerate().filter(|(_, term)| store.is_nullable(**term));
    let finals: Vec<_> = finals.map(|(state, _)| StateId::new(state)).collect();
    let letters = store.steps().map(|step| LetterId::new(step.index())).collect();
    let nfa = Nfa::new(terms.len(), [StateId::new(0)], finals, transitions);
    (nfa.expect("states in range"), letters)
}

/// The part of a table that is reached from its start, as an automaton.
fn automaton_of(table: &ForwardTable, letters: &[LetterId]) -> Nfa {
    let (mut seen, mut todo) = (BTreeSet::from([table.start]), vec![table.start]);
    let mut transitions = Vec::new();
    while let Some(state) = todo.pop() {
        for (column, &letter) in letters.iter().enumerate() {
            let to = table.next[state as usize * letters.len() + column];
            if to != DEAD {
                let (from, to_state) = (StateId::new(state as usize), StateId::new(to as usize));
                transitions.push(Transition { from, letter, to: to_state });
                if seen.insert(to) {
                    todo.push(to);
                }
            }
        }
    }
    let finals = seen.iter().filter(|&&state| table.is_final(state));
    let finals: Vec<_> = finals.map(|&state| StateId::new(state as usize)).collect();
    let start = StateId::new(table.start as usize);
    Nfa::new(table.state_count(), [start], finals, transitions).expect("states in range")
}

fn size(nfa: &Nfa) -> Size {
    (nfa.state_count(), nfa.transitions().len())
}

/// The size of the minimal deterministic automaton of an interaction, without a dead state.
fn minimal_size(interaction: &Interaction) -> Size {
    let (nfa, letters) = step_automaton(interaction);
    let projection = project(&nfa, &letters, &LIMITS).expect("the limits are high");
    let minimal = merge_futures(&trim(&automaton_of(&projection.table, &letters)));
    let distinct: BTreeSet<_> = minimal.transitions().iter().map(|t| (t.from, t.letter)).collect();
    assert_eq!(distinct.len(), minimal.transitions().len(), "merging lost determinism");
    size(&minimal)
}

#[test]
fn sizes_are_the_published_ones() {
    let Some(folder) = common::corpus().map(|corpus| corpus.join("usecases")) else { return };
    for UseCase { name, asynchronous, synchronous } in USE_CASES {
        let text = text_of(&folder.join(format!("{name}.hif")));
        let (_, interaction) = parse(name, text.replace("<synch>", ""));
        assert_eq!(minimal_size(&interaction), asynchronous, "{name}: one letter per action");
        let (_, interaction) = parse(name, text);
        assert_eq!(minimal_size(&interaction), synchronous, "{name}: one letter per step");
        println!("{name}: {asynchronous:?} states and transitions, as written {synchronous:?}");
    }
}

/// Files with the construct that leaves them without an automaton.
const UNSUPPORTED: [(&str, &str); 2] = [("coping", "`loopP`"), ("jot-i2", "`loopW`")];

/// Compiles a use case and prints how large its automata are; the construct that prevents them.
fn construct_without_automaton(path: &Path) -> Option<String> {
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let (signature, interaction) = parse(&name, text_of(path));
    let locations = Locations::discrete(&signature);
    let compiled = common::compile(&signature, &interaction, &locations, &Config::default());
    match (compiled.bundle.automaton(), compiled.report.unsupported) {
        (Some(automaton), None) => {
            let (full, search) = (size(&automaton.full), size(&automaton.search));
            println!("{name}: full {full:?}, search {search:?}");
            None
        }
        (None, Some(why)) => {
            println!("{name}: no automaton, {why}");
            Some(why.construct)
        }
        (automaton, why) => {
            panic!("{name}: automaton {}, unsupported {why:?}", automaton.is_some())
        }
    }
}

#[test]
fn every_use_case_compiles() {
    let Some(folder) = common::corpus().map(|corpus| corpus.join("usecases")) else { return };
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "hif")).collect();
    paths.sort();
    assert!(paths.len() >= 15, "only {} use cases", paths.len());
    let mut unsupported = Vec::new();
    for path in &paths {
        if let Some(construct) = construct_without_automaton(path) {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            unsupported.push((name, construct));
        }
    }
    let expected = UNSUPPORTED.map(|(name, why)| (name.to_owned(), why.to_owned()));
    assert_eq!(unsupported, expected, "use cases without an automaton");
}

/// A platoon of this many rovers; the first leads: it sends speed-ups and emergency brakes to
/// the others, changes lanes, and may leave, so that the next one leads.
fn platoon(leader: usize, rovers: usize) -> String {
    let others: Vec<String> = (leader + 1..rovers).map(|n| format!("Rover{n}")).collect();
    let others = format!("({})", others.join(","));
    let lead = format!(
        "loopS(seq(loopS(Rover{leader} -- SU -> {others}), LaneS -> Rover{leader},
                   loopS(Rover{leader} -- EB -> {others}), LaneF -> Rover{leader}))"
    );
    if leader + 2 == rovers {
        return lead;
    }
    let next = platoon(leader + 1, rovers);
    format!("seq({lead}, alt(seq(Rover{leader} -- LP -> {others}, {next}), o))")
}

/// The published size of Platoon5, as many letters as actions, and how little of it is needed where
/// every rover has its own log.
#[test]
fn platoon5_by_the_pattern_of_the_smaller_ones() {
    let (signature, interaction) = parse("platoon5", platoon(0, 5));
    assert_eq!(minimal_size(&interaction), (6_440, 18_855));
    let start = std::time::Instant::now();
    let monitor = common::monitor(&signature, &interaction);
    let compiled = start.elapsed();
    let states = monitor.bundle().automaton().expect("an automaton").full.state_count();
    println!("platoon5: compiled to {states} states in {compiled:?}");
    assert!(states < 100, "{states} states");
}
