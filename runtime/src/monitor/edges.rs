//! The transitions of a compiled automaton in the order in which searches read them: those of one
//! state side by side, each with its location.

use multitrace_interaction::{Alphabet, Id, LetterId, Nfa, StateId};

/// A transition from a known state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) letter: LetterId,
    pub(crate) location: u32,
    pub(crate) to: StateId,
}

/// All transitions, by their source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    /// Per state, where its transitions begin; and where the last ones end.
    first: Vec<u32>,
    edges: Vec<Edge>,
}

impl Edges {
    pub(crate) fn new(nfa: &Nfa, alphabet: &Alphabet) -> Edges {
        let mut made = Edges::default();
        for state in nfa.states() {
            made.first.push(made.edges.len() as u32);
            made.edges.extend(nfa.outgoing(state).iter().map(|transition| Edge {
                letter: transition.letter,
                location: alphabet.location_of(transition.letter).index() as u32,
                to: transition.to,
            }));
        }
        made.first.push(made.edges.len() as u32);
        made
    }

    #[inline]
    pub(crate) fn of(&self, state: StateId) -> &[Edge] {
        let (begin, end) = (self.first[state.index()], self.first[state.index() + 1]);
        &self.edges[begin as usize..end as usize]
    }
}
