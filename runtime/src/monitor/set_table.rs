//! The transitions of a small automaton as maps from states to sets of states.
//
// Idea: a set of states is a few words, and how many is known when the code is built: so searches keep sets in registers. `W` is
// that number of words, and must be `SetTable::words`.

use multitrace_interaction::{Alphabet, Id, LetterId, Nfa, Transition};

/// For each letter and for each location, the set of states that a state leads to.
#[derive(Debug)]
pub(crate) struct SetTable {
    /// Words of a set.
    words: usize,
    states: usize,
    initial: Vec<u64>,
    /// Per letter, the states that have a transition with it.
    sources: Vec<u64>,
    /// Per letter and state, the set of states it leads to.
    by_letter: Vec<u64>,
    /// Per location and state, the same for any letter of the location.
    by_location: Vec<u64>,
}

/// Automata with more states have no such table: a set has at most 4 words, half a cache line, and
/// the time of a move grows with the words.
const MOST_STATES_OF_SETS: usize = 256;
/// An automaton whose table would have more words has no table: one takes at most 8 MB, for as long
/// as its monitor.
const MOST_WORDS: usize = 1 << 20;

impl SetTable {
    /// The table of an automaton, unless it would be too large.
    pub(crate) fn new(alphabet: &Alphabet, nfa: &Nfa) -> Option<SetTable> {
        let (states, letters) = (nfa.state_count(), alphabet.letters().len());
        let locations = alphabet.locations().len();
        let words = states.div_ceil(64).max(1);
        let rows = (letters + locations) * states;
        if states > MOST_STATES_OF_SETS || rows * words > MOST_WORDS {
            return None;
        }
        let mut table = SetTable {
            words,
            states,
            initial: vec![0; words],
            sources: vec![0; letters * words],
            by_letter: vec![0; letters * states * words],
            by_location: vec![0; locations * states * words],
        };
        nfa.initial().iter().for_each(|&state| add(&mut table.initial, state.index()));
        nfa.transitions().iter().for_each(|transition| table.add_transition(alphabet, transition));
        Some(table)
    }

    fn add_transition(&mut self, alphabet: &Alphabet, transition: &Transition) {
        let (from, to) = (transition.from.index(), transition.to.index());
        let (states, words) = (self.states, self.words);
        let location = alphabet.location_of(transition.letter);
        let letter = transition.letter.index();
        add(&mut self.sources[letter * words..][..words], from);
        let row = (letter * states + from) * words;
        add(&mut self.by_letter[row..][..words], to);
        let row = (location.index() * states + from) * words;
        add(&mut self.by_location[row..][..words], to);
    }

    /// The number of words of a set.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Where paths start.
    pub(crate) fn initial<const W: usize>(&self) -> &Set<W> {
        &sets(&self.initial)[0]
    }

    /// The states that have a transition with a letter.
    pub(crate) fn sources<const W: usize>(&self, letter: LetterId) -> &Set<W> {
        &sets(&self.sources)[letter.index()]
    }

    /// For each state, the set that a letter leads to.
    pub(crate) fn of_letter<const W: usize>(&self, letter: LetterId) -> &[Set<W>] {
        &sets(&self.by_letter)[letter.index() * self.states..][..self.states]
    }

    /// For each state, the set that any letter of a location leads to.
    pub(crate) fn of_location<const W: usize>(&self, location: usize) -> &[Set<W>] {
        &sets(&self.by_location)[location * self.states..][..self.states]
    }
}

/// A set of states.
pub(crate) type Set<const W: usize> = [u64; W];

/// Words as sets.
pub(crate) fn sets<const W: usize>(words: &[u64]) -> &[Set<W>] {
    words.as_chunks().0
}

fn add(set: &mut [u64], state: usize) {
    set[state / 64] |= 1 << (state % 64);
}
