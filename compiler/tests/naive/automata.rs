//! Small random automata, and their words and sets of states, found by looking at every transition.

use multitrace_interaction::{Alphabet, Id, LetterId, LocationId, Nfa, StateId, Transition};
use proptest::prelude::*;
use std::collections::BTreeSet;

pub type States = BTreeSet<usize>;
pub type Word = Vec<LetterId>;

/// The letters of random automata, and where they are logged. Those of a location do not stand side by side.
const LETTERS: [(&str, usize); 5] = [("a0", 0), ("b0", 1), ("c0", 2), ("a1", 0), ("b1", 1)];

pub fn alphabet() -> Alphabet {
    let mut alphabet = Alphabet::default();
    for name in ["a", "b", "c"] {
        alphabet.add_location(name).expect("a new name");
    }
    for (name, location) in LETTERS {
        alphabet.add_letter(name, LocationId::new(location)).expect("a new name");
    }
    alphabet
}

/// An automaton from numbers: states, initial and final ones, and transitions.
pub fn nfa(
    states: usize,
    initial: impl IntoIterator<Item = usize>,
    finals: impl IntoIterator<Item = usize>,
    transitions: impl IntoIterator<Item = (usize, usize, usize)>,
) -> Nfa {
    let transitions = transitions.into_iter().map(|(from, letter, to)| Transition {
        from: StateId::new(from),
        letter: LetterId::new(letter),
        to: StateId::new(to),
    });
    let initial = initial.into_iter().map(StateId::new);
    let finals = finals.into_iter().map(StateId::new);
    Nfa::new(states, initial, finals, transitions.collect()).expect("states in range")
}

/// Automata of up to six states over three locations. Some of their states may be on no path.
pub fn any_nfa() -> impl Strategy<Value = Nfa> {
    (1..=6_usize).prop_flat_map(|states| {
        let transition = (0..states, 0..LETTERS.len(), 0..states);
        let some = || proptest::collection::btree_set(0..states, 0..=2.min(states));
        let transitions = proptest::collection::vec(transition, 0..=14);
        (some(), some(), transitions)
            .prop_map(move |(initial, finals, edges)| nfa(states, initial, finals, edges))
    })
}

/// Automata with one transition a letter from each state.
pub fn any_deterministic() -> impl Strategy<Value = Nfa> {
    (1..=6_usize).prop_flat_map(|states| {
        let targets = proptest::collection::vec(0..states, states * 2);
        let finals = proptest::collection::btree_set(0..states, 0..=states);
        (targets, finals).prop_map(move |(targets, finals)| {
            let edges = targets.into_iter().enumerate();
            nfa(states, [0], finals, edges.map(|(at, to)| (at / 2, at % 2, to)))
        })
    })
}

/// The states that these reach by followed letters, themselves included; against the transitions if `back`.
pub fn reach(nfa: &Nfa, from: &States, back: bool, follow: impl Fn(LetterId) -> bool) -> States {
    let mut reached = from.clone();
    for _ in 0..nfa.state_count() {
        for it in nfa.transitions().iter().filter(|it| follow(it.letter)) {
            let (from, to) = if back { (it.to, it.from) } else { (it.from, it.to) };
            if reached.contains(&from.index()) {
                reached.insert(to.index());
            }
        }
    }
    reached
}

/// The states one letter further, or one back.
pub fn read(nfa: &Nfa, from: &States, letter: LetterId, back: bool) -> States {
    let own = nfa.transitions().iter().filter(|it| it.letter == letter);
    let ends = own.map(|it| if back { (it.to, it.from) } else { (it.from, it.to) });
    ends.filter(|(start, _)| from.contains(&start.index())).map(|(_, end)| end.index()).collect()
}

pub fn initial(nfa: &Nfa) -> States {
    nfa.initial().iter().map(|it| it.index()).collect()
}

pub fn finals(nfa: &Nfa) -> States {
    nfa.finals().map(|it| it.index()).collect()
}

/// All letters of random automata.
pub fn letters() -> impl Iterator<Item = LetterId> {
    (0..LETTERS.len()).map(LetterId::new)
}

/// All words of these letters with at most this many.
pub fn words(letters: &[LetterId], most: usize) -> Vec<Word> {
    let mut all = vec![Word::new()];
    let mut longest = 0..1;
    for _ in 0..most {
        let end = all.len();
        for at in longest {
            for &letter in letters {
                let mut word = all[at].clone();
                word.push(letter);
                all.push(word);
            }
        }
        longest = end..all.len();
    }
    all
}

/// The accepted words of at most this many letters, from some states.
pub fn language_from(nfa: &Nfa, from: &States, most: usize) -> BTreeSet<Word> {
    let mut todo = vec![(Word::new(), from.clone())];
    let mut accepted = BTreeSet::new();
    while let Some((word, states)) = todo.pop() {
        if !states.is_disjoint(&finals(nfa)) {
            accepted.insert(word.clone());
        }
        if word.len() == most {
            continue;
        }
        let letters: BTreeSet<_> = nfa.transitions().iter().map(|it| it.letter).collect();
        for letter in letters {
            let next = read(nfa, &states, letter, false);
            if !next.is_empty() {
                todo.push((word.iter().copied().chain([letter]).collect(), next));
            }
        }
    }
    accepted
}

pub fn language(nfa: &Nfa, most: usize) -> BTreeSet<Word> {
    language_from(nfa, &initial(nfa), most)
}

/// The logs of each location for these words.
pub fn multi_traces(words: &BTreeSet<Word>, alphabet: &Alphabet) -> BTreeSet<Vec<Word>> {
    let at = |word: &Word, location| {
        let own = word.iter().copied().filter(|&it| alphabet.location_of(it) == location);
        own.collect::<Word>()
    };
    let trace = |word: &Word| alphabet.locations().map(|location| at(word, location)).collect();
    words.iter().map(trace).collect()
}
