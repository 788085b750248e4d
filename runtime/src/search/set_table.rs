//! The transitions of a small automaton as maps from states to sets of states.

use multitrace_interaction::{Alphabet, Id, LetterId, Nfa, Transition};

/// For each letter and for each location, the set of states that a state leads to.
#[derive(Debug)]
pub(crate) struct SetTable {
    /// Words of a set.
    words: usize,
    states: usize,
    initial: Vec<u64>,
    finals: Vec<u64>,
    /// Per letter and state, the set of states it leads to.
    by_letter: Vec<u64>,
    /// Per location and state, the same for any letter of the location.
    by_location: Vec<u64>,
}

/// Automata with more states have no such table: a set has at most 4 words, half a cache line, and
/// the time of a move grows with the words.
const MOST_STATES: usize = 256;
/// An automaton whose table would have more words has no table: one takes at most 8 MB, for as long
/// as its monitor.
const MOST_WORDS: usize = 1 << 20;

impl SetTable {
    /// The table of an automaton, unless it would be too large.
    pub(crate) fn new(alphabet: &Alphabet, nfa: &Nfa) -> Option<SetTable> {
        let (states, letters) = (nfa.state_count(), alphabet.letters().len());
        let locations = alphabet.locations().len();
        let words = states.div_ceil(64);
        let rows = (letters + locations) * states;
        if states > MOST_STATES || rows * words > MOST_WORDS {
            return None;
        }
        let mut table = SetTable {
            words,
            states,
            initial: vec![0; words],
            finals: vec![0; words],
            by_letter: vec![0; letters * states * words],
            by_location: vec![0; locations * states * words],
        };
        nfa.initial().iter().for_each(|&state| add(&mut table.initial, state.index()));
        nfa.finals().for_each(|state| add(&mut table.finals, state.index()));
        nfa.transitions().iter().for_each(|transition| table.add_transition(alphabet, transition));
        Some(table)
    }

    fn add_transition(&mut self, alphabet: &Alphabet, transition: &Transition) {
        let (from, to) = (transition.from.index(), transition.to.index());
        let (states, words) = (self.states, self.words);
        let location = alphabet.location_of(transition.letter);
        let row = (transition.letter.index() * states + from) * words;
        add(&mut self.by_letter[row..][..words], to);
        let row = (location.index() * states + from) * words;
        add(&mut self.by_location[row..][..words], to);
    }

    /// The number of words of a set.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Where paths start.
    pub(crate) fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// Where paths may end.
    pub(crate) fn finals(&self) -> &[u64] {
        &self.finals
    }

    /// For each state, the set that a letter leads to.
    pub(crate) fn of_letter(&self, letter: LetterId) -> &[u64] {
        let length = self.states * self.words;
        &self.by_letter[letter.index() * length..][..length]
    }

    /// For each state, the set that any letter of a location leads to.
    pub(crate) fn of_location(&self, location: usize) -> &[u64] {
        let length = self.states * self.words;
        &self.by_location[location * length..][..length]
    }
}

fn add(set: &mut [u64], state: usize) {
    set[state / 64] |= 1 << (state % 64);
}
