//! The interface of automata to searches, the same for every kind of automaton.

use multitrace_interaction::{FirstPlaces, LetterId, LocationId, Nfa, StateId, Transition};
use std::ops::Deref;

/// The time of a session was over before its automaton had the answer.
#[derive(Debug)]
pub(crate) struct Late;

/// An automaton as searches see it: compiled, or found on demand as long as the session has time.
pub(crate) trait Automaton {
    /// The transitions that start in a state.
    type Row<'a>: Deref<Target = [Transition]>
    where
        Self: 'a;

    /// Where paths start.
    fn initial(&self) -> &[StateId];

    /// Whether a path may end in a state.
    fn is_final(&self, state: StateId) -> bool;

    /// The transitions that start in a state.
    fn outgoing(&self, state: StateId) -> Result<Self::Row<'_>, Late>;

    /// A bound on the indexes of states.
    fn state_bound(&self) -> usize;

    /// Whether a state lies between steps, not inside one of several actions.
    fn is_between_steps(&self, state: StateId) -> bool;

    /// The size of the term of a state; 0 if states are not terms.
    fn weight(&self, state: StateId) -> u32;

    /// The transitions that start in a state, each with the number of repetitions of loops that it begins. A compiled
    /// automaton has finitely many states, so it counts none.
    fn transitions_with_loops(&self, state: StateId) -> Result<Vec<(Transition, u32)>, Late>;

    /// The deepest nesting of loops in a state, as far as transitions count them.
    fn loop_depth(&self, state: StateId) -> u64;

    /// The state that is left when a location is removed.
    ///
    /// Only terms can forget: a compiled automaton returns the state itself.
    fn forget(&self, state: StateId, location: LocationId) -> Result<StateId, Late>;

    /// The places where a letter of a location can come first there (paper 003 sec. 5.1). A compiled
    /// automaton does not know them, and says that they are not free.
    fn first_places(
        &self,
        state: StateId,
        letter: LetterId,
        location: LocationId,
    ) -> Result<FirstPlaces, Late>;

    /// Whether all that can come first at a location has free places. A compiled automaton says no.
    fn begins_freely(&self, state: StateId, location: LocationId) -> Result<bool, Late>;
}

impl Automaton for Nfa {
    type Row<'a> = &'a [Transition];

    fn initial(&self) -> &[StateId] {
        self.initial()
    }

    #[inline]
    fn is_final(&self, state: StateId) -> bool {
        self.is_final(state)
    }

    #[inline]
    fn outgoing(&self, state: StateId) -> Result<&[Transition], Late> {
        Ok(self.outgoing(state))
    }

    fn state_bound(&self) -> usize {
        self.state_count()
    }

    fn is_between_steps(&self, _: StateId) -> bool {
        true
    }

    fn weight(&self, _: StateId) -> u32 {
        0
    }

    fn transitions_with_loops(&self, state: StateId) -> Result<Vec<(Transition, u32)>, Late> {
        Ok(self.outgoing(state).iter().map(|&transition| (transition, 0)).collect())
    }

    fn loop_depth(&self, _: StateId) -> u64 {
        0
    }

    fn forget(&self, state: StateId, _: LocationId) -> Result<StateId, Late> {
        debug_assert!(false, "searches remove locations from terms only");
        Ok(state)
    }

    fn first_places(&self, _: StateId, _: LetterId, _: LocationId) -> Result<FirstPlaces, Late> {
        Ok(FirstPlaces::Behind)
    }

    fn begins_freely(&self, _: StateId, _: LocationId) -> Result<bool, Late> {
        Ok(false)
    }
}
