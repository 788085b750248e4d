//! Follows a trace through an automaton that was given directly: its items are its transitions.
//
// Idea: the transitions on a way to the end, in the order of the trace for the first derivation, and over the cuts of the
// logs for all others.
//
// Cost: positions, or cuts, times the transitions out of the states; cuts have a limit.

use super::cuts::{Cut, Cuts};
use super::followed::{Followed, sorted};
use crate::id::{Id, LetterId, StateId};
use crate::nfa::Transition;
use std::collections::BTreeSet;

/// The most places of all orders that are looked at: some milliseconds. An estimate, not measured.
const MAX_PLACES: usize = 5_000;

/// The letters that are read, and the state after them.
type Place = (Cut, StateId);

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

    /// The items that a trace takes, and those that it could take in this order or another one that the logs of its
    /// letters allow; `None` if the automaton does not accept it.
    pub fn follow(
        &self,
        word: &[LetterId],
        log_of: &dyn Fn(&LetterId) -> usize,
    ) -> Option<Followed> {
        let useful = self.useful(word, &|_| 0, usize::MAX)?;
        let mut state = *self.initial.iter().find(|&&state| {
            let is_first = |&it: &u32| self.transition(it).from == state;
            word.is_empty() && self.finals.contains(&state)
                || useful.first().is_some_and(|it| it.iter().any(is_first))
        })?;
        let mut taken = Vec::new();
        for useful in useful {
            let first = useful.into_iter().filter(|&it| self.transition(it).from == state).min()?;
            taken.push(first);
            state = self.transition(first).to;
        }
        let useful = self.useful(word, log_of, MAX_PLACES);
        let is_cut = useful.is_none();
        let possible = useful.map_or_else(|| self.within_reach(word), |it| it.concat());
        Some(Followed { taken: sorted(taken), possible: sorted(possible), is_cut })
    }

    /// All transitions with one of the letters.
    fn within_reach(&self, word: &[LetterId]) -> Vec<u32> {
        let letters: BTreeSet<&LetterId> = word.iter().collect();
        let all = (0..).zip(&self.transitions).filter(|(_, it)| letters.contains(&it.letter));
        all.map(|(index, _)| index).collect()
    }

    /// Per number of letters read, the transitions that may read the next one on a way to the end; `None` if the ways have
    /// more than `most` places.
    fn useful(
        &self,
        word: &[LetterId],
        log_of: &dyn Fn(&LetterId) -> usize,
        most: usize,
    ) -> Option<Vec<Vec<u32>>> {
        type Edge = (Place, u32, Place);
        let (mut cuts, start) = Cuts::new(word, log_of);
        let mut level: BTreeSet<Place> = self.initial.iter().map(|&it| (start, it)).collect();
        let (mut edges, mut places) = (Vec::<Vec<Edge>>::new(), 0);
        for _ in word {
            let (mut found, mut next) = (Vec::new(), BTreeSet::new());
            for &(cut, state) in &level {
                for letter in cuts.next(cut) {
                    let after = cuts.after(cut, &[letter]);
                    let leaving = self.leaving[state.index()].iter().copied();
                    for it in leaving.filter(|&it| self.transition(it).letter == letter) {
                        let to = (after, self.transition(it).to);
                        found.push(((cut, state), it, to));
                        next.insert(to);
                    }
                }
            }
            places += next.len();
            if places > most {
                return None;
            }
            edges.push(found);
            level = next;
        }
        let mut alive = level;
        alive.retain(|(_, state)| self.finals.contains(state));
        for edges in edges.iter_mut().rev() {
            edges.retain(|(_, _, to)| alive.contains(to));
            alive = edges.iter().map(|(from, ..)| *from).collect();
        }
        Some(edges.into_iter().map(|it| it.into_iter().map(|(_, it, _)| it).collect()).collect())
    }

    fn transition(&self, index: u32) -> Transition {
        self.transitions[index as usize]
    }
}
