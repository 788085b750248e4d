//! A walk of one location over sets of states of the full automaton, where it has no table.
//
// Idea: the subset construction of paper 004 sec. 4.1 along one log, without storing its states.
//
// Invariant: after every move the set is closed under the letters of other locations, and `area`
// has the transitions that the move used, closure included.
//
// Cost: one pass over the transitions of the set per event. Failures only.

use crate::bit_set::BitSet;
use crate::monitor::Monitor;
use multitrace_interaction::{Id, LetterId, LocationId, Nfa, Observation, StateId};

/// A set of states that also lists them.
#[derive(Clone, Debug)]
pub(crate) struct StateList {
    bits: BitSet,
    pub(crate) list: Vec<StateId>,
}

impl StateList {
    fn new(states: usize) -> StateList {
        StateList { bits: BitSet::new(states), list: Vec::new() }
    }

    /// Adds a state.
    pub(crate) fn add_state(&mut self, state: StateId) {
        if self.bits.insert(state.index()) {
            self.list.push(state);
        }
    }

    /// Empties the set.
    pub(crate) fn clear(&mut self) {
        self.list.drain(..).for_each(|state| self.bits.remove(state.index()));
    }
}

/// The states that a location may be in. Letters of other locations go unobserved.
#[derive(Debug)]
pub(crate) struct SetWalk<'a> {
    monitor: &'a Monitor,
    full: &'a Nfa,
    location: LocationId,
    pub(crate) states: StateList,
    /// The states before the last move.
    pub(crate) before: StateList,
    /// The transitions used by the last move.
    pub(crate) area: BitSet,
}

impl<'a> SetWalk<'a> {
    /// A walk that has read nothing; in slice mode it may be anywhere.
    pub(crate) fn new(
        monitor: &'a Monitor,
        full: &'a Nfa,
        location: LocationId,
        observation: Observation,
    ) -> Self {
        let mut states = StateList::new(full.state_count());
        match observation {
            Observation::Slice => full.states().for_each(|state| states.add_state(state)),
            _ => full.initial().iter().for_each(|&state| states.add_state(state)),
        }
        let before = StateList::new(full.state_count());
        let area = BitSet::new(full.transitions().len());
        let mut walk = SetWalk { monitor, full, location, states, before, area };
        walk.close_others();
        walk
    }

    fn is_own(&self, letter: LetterId) -> bool {
        self.monitor.location_of(letter) == self.location
    }

    fn close_others(&mut self) {
        let location = self.location;
        let monitor = self.monitor;
        self.close(&|letter| monitor.location_of(letter) != location);
    }

    /// Adds the states reached by the letters that the filter accepts.
    pub(crate) fn close(&mut self, passes: &dyn Fn(LetterId) -> bool) {
        let mut next = 0;
        while let Some(&state) = self.states.list.get(next) {
            next += 1;
            for (id, transition) in self.full.outgoing_ids(state) {
                if passes(transition.letter) {
                    self.area.insert(id.index());
                    self.states.add_state(transition.to);
                }
            }
        }
    }

    /// Reads one letter; false if that is impossible. The states before it are kept.
    pub(crate) fn read(&mut self, letter: LetterId) -> bool {
        self.area.clear();
        std::mem::swap(&mut self.states, &mut self.before);
        self.states.clear();
        for &state in &self.before.list {
            for (id, transition) in self.full.outgoing_ids(state) {
                if transition.letter == letter {
                    self.area.insert(id.index());
                    self.states.add_state(transition.to);
                }
            }
        }
        self.close_others();
        !self.states.list.is_empty()
    }

    /// Takes back a move that was impossible.
    pub(crate) fn go_back(&mut self) {
        std::mem::swap(&mut self.states, &mut self.before);
    }

    /// The location's own letters that some states can read.
    pub(crate) fn expected(&self, states: &StateList) -> Vec<LetterId> {
        let outgoing = states.list.iter().flat_map(|&state| self.full.outgoing(state));
        outgoing.map(|t| t.letter).filter(|&letter| self.is_own(letter)).collect()
    }
}
