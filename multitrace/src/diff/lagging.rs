//! An automaton that reads words in other orders, as far as events of different locations can be exchanged.

// Idea: it lags behind the word that it reads. A letter waits until the automaton within takes it, and those of one location
// wait in line. So a word is accepted if the automaton within accepts one that differs by such exchanges and never has
// to be more than some letters behind.

use super::automata::Automaton;
use indexmap::IndexSet;
use multitrace_interaction::{Id, LetterId, LocationId, StateId};
use rustc_hash::FxBuildHasher;

/// The most states that are looked at. Of the specifications that `scripts/bench learn` compares, none is proved with 20,000 and
/// not with these.
const MOST_STATES: usize = 5_000;

/// A state of the automaton within, and the letters that wait, those of one location together and in their order.
type Lag = (StateId, Box<[LetterId]>);

pub(super) struct Lagging<'a, A> {
    automaton: A,
    location_of: &'a dyn Fn(LetterId) -> LocationId,
    /// The most letters that may wait.
    most: usize,
    /// All known states; the place of each is its id.
    states: IndexSet<Lag, FxBuildHasher>,
    initial: Vec<StateId>,
}

impl<'a, A: Automaton> Lagging<'a, A> {
    pub(super) fn new(
        automaton: A,
        location_of: &'a dyn Fn(LetterId) -> LocationId,
        most: usize,
    ) -> Lagging<'a, A> {
        let initial = automaton.initial();
        let mut lagging = Lagging {
            automaton,
            location_of,
            most,
            states: IndexSet::default(),
            initial: Vec::new(),
        };
        let none = || Vec::new().into_boxed_slice();
        lagging.initial = initial.into_iter().map(|it| lagging.id((it, none()))).collect();
        lagging
    }

    fn id(&mut self, lag: Lag) -> StateId {
        StateId::new(self.states.insert_full(lag).0)
    }

    /// The letters that wait, and another one.
    fn with(&self, waiting: &[LetterId], letter: LetterId) -> Box<[LetterId]> {
        let location = (self.location_of)(letter);
        let at = waiting.partition_point(|&it| (self.location_of)(it) <= location);
        [&waiting[..at], &[letter], &waiting[at..]].concat().into()
    }

    /// All states that the automaton within comes to by letters that wait.
    fn caught_up(&mut self, lag: Lag) -> Option<Vec<StateId>> {
        let mut seen = IndexSet::with_hasher(FxBuildHasher);
        seen.insert(lag);
        let mut next = 0;
        while let Some((state, waiting)) = seen.get_index(next).cloned() {
            next += 1;
            if waiting.is_empty() {
                continue;
            }
            for (letter, to) in self.automaton.transitions(state)? {
                let location = (self.location_of)(letter);
                let first = waiting.partition_point(|&it| (self.location_of)(it) < location);
                if waiting.get(first) == Some(&letter) {
                    seen.insert((to, [&waiting[..first], &waiting[first + 1..]].concat().into()));
                }
            }
        }
        seen.retain(|(_, waiting)| waiting.len() <= self.most);
        let found = seen.into_iter().map(|it| self.id(it)).collect();
        (self.states.len() <= MOST_STATES).then_some(found)
    }
}

impl<A: Automaton> Automaton for Lagging<'_, A> {
    fn initial(&self) -> Vec<StateId> {
        self.initial.clone()
    }

    fn is_final(&self, state: StateId) -> bool {
        let (state, waiting) = &self.states[state.index()];
        waiting.is_empty() && self.automaton.is_final(*state)
    }

    /// Any letter may wait, so they are not listed; [`Automaton::step`] has those of one.
    fn transitions(&mut self, _: StateId) -> Option<Vec<(LetterId, StateId)>> {
        None
    }

    fn step(&mut self, state: StateId, letter: LetterId) -> Option<Vec<StateId>> {
        let (state, waiting) = &self.states[state.index()];
        let lag = (*state, self.with(waiting, letter));
        self.caught_up(lag)
    }
}
