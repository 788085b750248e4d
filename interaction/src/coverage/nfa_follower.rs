//! Follows a trace through an automaton that was given directly: its items are its transitions.
//
// Idea: sets of states that can still reach the end, backwards; then forwards the first transition that
// stays in them.
//
// Cost: the length of the trace times the transitions out of the states.

use super::followed::{Followed, sorted};
use crate::id::{Id, LetterId, StateId};
use crate::nfa::Transition;
use std::collections::BTreeSet;

/// Follows traces through one automaton.
#[derive(Debug)]
pub struct NfaFollower {
    initial: Vec<StateId>,
    finals: BTreeSet<StateId>,
    transitions: Vec<Transition>,
    /// The transitions out of each state, by their indices.
    leaving: Vec<Vec<u32>>,
}

impl NfaFollower {
    /// For an automaton; items are the indices of the transitions. A derivation starts at the first
    /// initial state, and takes the first transition, that lead to the end.
    pub fn new(
        states: usize,
        initial: &[StateId],
        finals: &[StateId],
        transitions: &[Transition],
    ) -> NfaFollower {
        let mut leaving = vec![Vec::new(); states];
        for (index, transition) in (0..).zip(transitions) {
            leaving[transition.from.index()].push(index);
        }
        NfaFollower {
            initial: initial.to_vec(),
            finals: finals.iter().copied().collect(),
            transitions: transitions.to_vec(),
            leaving,
        }
    }

    /// The items that a trace takes; `None` if the automaton does not accept it.
    pub fn follow(&self, word: &[LetterId]) -> Option<Followed> {
        let reached = self.reached(word);
        let mut alive: BTreeSet<StateId> =
            reached[word.len()].intersection(&self.finals).copied().collect();
        let (mut possible, mut useful) = (Vec::new(), vec![Vec::new(); word.len()]);
        for (at, &letter) in word.iter().enumerate().rev() {
            let own: Vec<u32> = self.edges(&reached[at], letter).collect();
            useful[at] =
                own.into_iter().filter(|&it| alive.contains(&self.transition(it).to)).collect();
            alive = useful[at].iter().map(|&it| self.transition(it).from).collect();
            possible.extend_from_slice(&useful[at]);
        }
        let mut state = *self.initial.iter().find(|state| alive.contains(state))?;
        let mut taken = Vec::new();
        for useful in useful {
            let first = useful.into_iter().filter(|&it| self.transition(it).from == state).min()?;
            taken.push(first);
            state = self.transition(first).to;
        }
        Some(Followed { taken: sorted(taken), possible: sorted(possible), is_cut: false })
    }

    /// The states after each number of letters.
    fn reached(&self, word: &[LetterId]) -> Vec<BTreeSet<StateId>> {
        let mut reached = vec![self.initial.iter().copied().collect::<BTreeSet<StateId>>()];
        for (at, &letter) in word.iter().enumerate() {
            let next = self.edges(&reached[at], letter).map(|it| self.transition(it).to).collect();
            reached.push(next);
        }
        reached
    }

    fn edges<'s>(
        &'s self,
        states: &'s BTreeSet<StateId>,
        letter: LetterId,
    ) -> impl Iterator<Item = u32> + 's {
        let leaving = states.iter().flat_map(|state| self.leaving[state.index()].iter().copied());
        leaving.filter(move |&it| self.transition(it).letter == letter)
    }

    fn transition(&self, index: u32) -> Transition {
        self.transitions[index as usize]
    }
}
