//! Automata given directly (paper 004 sec. 5): all of the corpus load, and on the four of the
//! paper's table every engine, procedure and reduction gives the verdict of a naive search. (Small random ones:
//! `naive` of `compiler/` and `runtime/`.)
//!
//! By default some 250 multi-traces per automaton of the table; with `MULTITRACE_FULL=1`, some 1,000.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_compiler::{Config, compile_automaton, merge};
use multitrace_formats::{source::Source, timbuk};
use multitrace_interaction::generate::{self, Bounds, Dice, Generator, Words};
use multitrace_interaction::{
    Alphabet, Id, MultiTrace, Nfa, Observation, Session, StateId, Transition, Verdict, Witness,
};
use multitrace_runtime::{CheckConfig, Monitor, replay};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

// ---- The naive search

/// Whether some interleaving is accepted, by search over all positions and states of the automaton
/// as it was given.
fn naive(alphabet: &Alphabet, nfa: &Nfa, trace: &MultiTrace, observation: Observation) -> bool {
    let start = vec![0_usize; trace.len()];
    let start = nfa.initial().iter().map(|&state| (start.clone(), state));
    let mut seen: BTreeSet<(Vec<usize>, StateId)> = start.collect();
    let mut todo: Vec<_> = seen.iter().cloned().collect();
    while let Some((positions, state)) = todo.pop() {
        let all_read =
            positions.iter().zip(trace).all(|(&position, local)| position == local.len());
        if all_read && nfa.is_final(state) {
            return true;
        }
        for transition in nfa.outgoing(state) {
            let location = alphabet.location_of(transition.letter).index();
            let (position, local) = (positions[location], &trace[location]);
            let hidden = match observation {
                Observation::Complete => false,
                Observation::Missing => local.is_empty(),
                Observation::Prefix => position == local.len(),
                Observation::Slice => position == local.len() || position == 0,
                Observation::GlobalPrefix => all_read,
            };
            let mut visit = |positions: Vec<usize>| {
                if seen.insert((positions.clone(), transition.to)) {
                    todo.push((positions, transition.to));
                }
            };
            if hidden {
                visit(positions.clone());
            }
            if local.get(position) == Some(&transition.letter) {
                let mut next = positions.clone();
                next[location] += 1;
                visit(next);
            }
        }
    }
    false
}

/// Whether the automaton as it was given accepts a witness.
fn accepts(nfa: &Nfa, witness: &Witness) -> bool {
    let mut states: BTreeSet<StateId> = nfa.initial().iter().copied().collect();
    for step in &witness.steps {
        let from = |t: &&Transition| t.letter == step.letter && states.contains(&t.from);
        states = nfa.transitions().iter().filter(from).map(|t| t.to).collect();
    }
    states.iter().any(|&state| nfa.is_final(state))
}

// ---- Comparing

/// An automaton with its letters at locations, compiled in every way.
struct Subject<'a> {
    alphabet: &'a Alphabet,
    nfa: &'a Nfa,
    monitors: Vec<(&'static str, Monitor)>,
    tally: Tally,
}

#[derive(Debug, Default)]
struct Tally {
    sessions: usize,
    verdicts: usize,
    witnesses: usize,
    /// By name of verdict or cause, in all modes.
    names: BTreeMap<&'static str, usize>,
}

impl<'a> Subject<'a> {
    fn new(alphabet: &'a Alphabet, nfa: &'a Nfa) -> Self {
        let compile = |(name, config): (&'static str, Config)| {
            let (alphabet, nfa) = (alphabet.clone(), nfa.clone());
            let compiled = compile_automaton(alphabet, nfa, common::provenance(), &config);
            (name, Monitor::new(compiled.bundle))
        };
        let monitors = common::configs().into_iter().map(compile).collect();
        Subject { alphabet, nfa, monitors, tally: Tally::default() }
    }

    /// Checks one multi-trace in every way; returns the disagreement.
    fn compare(&mut self, trace: &MultiTrace) -> Result<(), String> {
        self.tally.sessions += 1;
        let session = Session { trace: trace.clone(), ..Session::default() };
        let complete = naive(self.alphabet, self.nfa, trace, Observation::Complete);
        for observation in common::MODES {
            let weak = || naive(self.alphabet, self.nfa, trace, observation);
            let expected = match complete {
                true => "pass",
                false if observation != Observation::Complete && weak() => "weak_pass",
                false => "fail",
            };
            self.compare_mode(&session, observation, expected).map_err(|text| {
                format!("{} {trace:?}: {text}; expected {expected}", observation.name())
            })?;
        }
        Ok(())
    }

    fn compare_mode(
        &mut self,
        session: &Session,
        observation: Observation,
        expected: &str,
    ) -> Result<(), String> {
        let mut first: Option<(&str, Verdict)> = None;
        for (name, monitor) in &self.monitors {
            let verdict = self.one_config(monitor, session, observation);
            let verdict = verdict.map_err(|text| format!("{name}: {text}"))?;
            let cause = common::verdict_name(&verdict);
            if verdict.name() != expected {
                return Err(format!("{name}: {cause}"));
            }
            let checks = common::checks(observation).len();
            self.tally.verdicts += checks;
            self.tally.witnesses += if expected == "fail" { 0 } else { checks };
            match &first {
                // The cause, and all that it says of the failure.
                Some((other, known)) if *known != verdict => {
                    return Err(format!("{name}: {verdict:?}, {other}: {known:?}"));
                }
                Some(_) => {}
                None => {
                    *self.tally.names.entry(cause).or_default() += 1;
                    first = Some((name, verdict));
                }
            }
        }
        Ok(())
    }

    /// The verdict of one configuration, the same by every procedure, with its witness proven.
    fn one_config(
        &self,
        monitor: &Monitor,
        session: &Session,
        observation: Observation,
    ) -> Result<Verdict, String> {
        let mut found: Option<Verdict> = None;
        for (procedure, check) in common::checks(observation) {
            let checked = common::check(monitor, session, &check);
            let plain = CheckConfig { witness: false, ..check };
            let plain = common::check(monitor, session, &plain);
            assert_eq!(plain.verdict, checked.verdict, "without a witness");
            let passes = matches!(checked.verdict, Verdict::Pass | Verdict::WeakPass);
            if checked.witness.is_some() != passes {
                return Err(format!("{procedure}: a witness comes with a pass, and only then"));
            }
            if let Some(witness) = &checked.witness {
                let mode = common::proven(&checked.verdict, observation);
                let replayed = replay(monitor, session, witness, mode);
                replayed.map_err(|error| format!("{procedure}: {error}"))?;
                if !accepts(self.nfa, witness) {
                    return Err(format!("{procedure}: {witness:?} is not accepted"));
                }
            }
            // Frontiers and local failures are part of it.
            match &found {
                Some(first) if *first != checked.verdict => {
                    return Err(format!("{procedure}: {:?}, others {first:?}", checked.verdict));
                }
                _ => found = Some(checked.verdict),
            }
        }
        found.ok_or_else(|| "no procedure".to_owned())
    }
}

// ---- Merging and causes

/// Areas are those of the automaton as it was given: merging states would change causes. States 1
/// and 2 have the same future. Apart, the areas leave no path: l0 leads from 0 to 1 and reads its x
/// at 2, l1 never leaves 0 –a→ 1 –x→ 3. Merged, 0 –a→ {1,2} –x→ 3 is in both.
#[test]
fn causes_are_those_before_merging() {
    let mut alphabet = Alphabet::default();
    let locations = ["l0", "l1"].map(|name| alphabet.add_location(name).expect("a new name"));
    let [a, b, x, y] = [("a", 0), ("b", 0), ("x", 0), ("y", 1)]
        .map(|(name, at)| alphabet.add_letter(name, locations[at]).expect("a new name"));
    let edges = [(0, a, 1), (1, x, 3), (1, y, 4), (4, b, 2), (2, x, 3), (2, y, 4)];
    let edges = edges.map(|(from, letter, to)| Transition {
        from: StateId::new(from),
        letter,
        to: StateId::new(to),
    });
    let nfa = Nfa::new(5, [StateId::new(0)], [StateId::new(3)], edges.to_vec());
    let nfa = nfa.expect("states in range");
    let merged = merge(&nfa);
    assert_eq!(merged.state_count(), 4, "1 and 2 have the same future");
    for (nfa, cause) in [(&nfa, "inter"), (&merged, "central")] {
        let mut subject = Subject::new(&alphabet, nfa);
        subject.compare(&vec![vec![a, b, x], vec![]]).unwrap_or_else(|text| panic!("{text}"));
        let causes: Vec<_> = subject.tally.names.into_iter().collect();
        assert_eq!(causes, [(cause, 1), ("weak_pass", 3)], "of {} states", nfa.state_count());
    }
}

// ---- The corpus

fn load(path: &Path) -> timbuk::Timbuk {
    let text = std::fs::read_to_string(path).expect("the automaton is readable");
    let source = Source::new(path.display().to_string(), text);
    timbuk::parse(&source).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_automaton_loads() {
    let Some(folder) = common::corpus().map(|corpus| corpus.join("automatark")) else { return };
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 12, "automata in the corpus");
    for path in paths {
        let automaton = load(&path);
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let (states, transitions) = (automaton.states.len(), automaton.transitions.len());
        println!("{name}: {states} states, {transitions} transitions");
        assert!(states > 0 && transitions > 0 && !automaton.initial.is_empty(), "{name}");
        let printed = Source::new("printed", timbuk::print(&automaton));
        assert_eq!(timbuk::parse(&printed).as_ref(), Ok(&automaton), "{name}: printed and read");
    }
}

/// The automata of the paper's table: file, states, transitions. The table gives NFA2 the
/// transitions of NFA3 and the other way round, and NFA4 one more than it has.
const TABLE: [(&str, usize, usize); 4] = [
    ("Bakery-4P-BinEnc-BwBad_armcNFA_inclTest_12", 94, 320),
    ("Bakery-4P-BinEnc-BwBad_armcNFA_inclTest_11", 35, 75),
    ("Bakery-4P-BinEnc-BwBad_armcNFA_inclTest_6", 15, 23),
    ("Bakery4pBinEnc-FbtOneOne-Nondet_armcNFA_inclTest_10", 124, 348),
];

/// The random words are at most this long.
const LONGEST: usize = 30;
/// Accepted multi-traces per random split of the letters. Each comes with others made of it.
const PER_SPLIT: usize = 10;
/// The stream of a seed by which letters are split; the generator takes the first ones.
const SPLITS: u64 = 5;

/// The letters of an automaton split over locations at random.
fn split(automaton: &timbuk::Timbuk, locations: usize, dice: &mut Dice) -> Alphabet {
    let mut alphabet = Alphabet::default();
    let names = (0..locations).map(|index| format!("l{index}"));
    let ids = names.map(|name| alphabet.add_location(&name).expect("a new name"));
    let ids: Vec<_> = ids.collect();
    let used = automaton.transitions.iter().map(|it| it.letter).collect();
    let places = generate::split(automaton.letters.len(), &used, locations, dice);
    for (name, place) in automaton.letters.iter().zip(places) {
        alphabet.add_letter(name, ids[place]).expect("a new name");
    }
    alphabet
}

fn run_table(index: usize) {
    let Some(folder) = common::corpus().map(|corpus| corpus.join("automatark")) else { return };
    let (name, states, transitions) = TABLE[index];
    let automaton = load(&folder.join(format!("{name}.timbuk")));
    let nfa = Nfa::new(
        automaton.states.len(),
        automaton.initial.iter().copied(),
        automaton.finals.iter().copied(),
        automaton.transitions.clone(),
    );
    let nfa = nfa.expect("states in range");
    let size = (nfa.state_count(), nfa.transitions().len());
    assert_eq!(size, (states, transitions), "{name}: states and transitions");
    let rounds = if common::full() { 20 } else { 5 };
    let mut dice = Dice::new(index as u64, SPLITS);
    let mut total = Tally::default();
    for round in 0..rounds {
        let alphabet = split(&automaton, 2 + round % 3, &mut dice);
        let words = Words::new(alphabet.clone(), nfa.clone(), &Bounds::events(0, LONGEST));
        let mut generator = Generator::of_words(words.expect("it accepts words"), round as u64);
        let mut subject = Subject::new(&alphabet, &nfa);
        for (_, trace) in common::generated(&mut generator, PER_SPLIT) {
            subject.compare(&trace).unwrap_or_else(|text| panic!("{name}, round {round}: {text}"));
        }
        total.add(subject.tally);
    }
    println!("{name}, {rounds} splits of the letters: {total:?}");
    for verdict in ["pass", "weak_pass", "local", "central"] {
        assert!(total.names.contains_key(verdict), "{name}: no {verdict}");
    }
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.sessions += other.sessions;
        self.verdicts += other.verdicts;
        self.witnesses += other.witnesses;
        for (name, count) in other.names {
            *self.names.entry(name).or_default() += count;
        }
    }
}

#[test]
fn nfa_1_of_the_table() {
    run_table(0);
}

#[test]
fn nfa_2_of_the_table() {
    run_table(1);
}

#[test]
fn nfa_3_of_the_table() {
    run_table(2);
}

#[test]
fn nfa_4_of_the_table() {
    run_table(3);
}
