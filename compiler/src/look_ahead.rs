//! Look-ahead: per location, from which states of the automaton the rest of a local trace can
//! still be read, whatever the other locations do.
//!
//! The subset construction of `project.rs`, backwards. States outside the set of the suffix that
//! is left are dead ends, so a search need not enter them.

use crate::limits::{LimitExceeded, Limits};
use crate::trim::closure;
use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use multitrace_formats::bundle::{BackwardTable, DEAD, Rows};
use multitrace_interaction::{Id, LetterId, Nfa, StateId};
use rustc_hash::FxBuildHasher;

/// The look-ahead of one location over an automaton.
///
/// # Errors
/// When there would be more states, or more bytes of sets, than the limits allow.
pub fn look_ahead(
    nfa: &Nfa,
    letters: &[LetterId],
    limits: &Limits,
) -> Result<BackwardTable, LimitExceeded> {
    let mut incoming = vec![Vec::new(); nfa.state_count()];
    for transition in nfa.transitions() {
        incoming[transition.to.index()].push((transition.letter, transition.from));
    }
    let mut pass =
        Pass { nfa, letters, limits, incoming, sets: IndexSet::default(), next: Vec::new() };
    let at_end = pass.unobserved(nfa.finals());
    let at_end = pass.state(at_end);
    pass.explore()?;
    // Prefixes and slices have a part of their own, which may be over a limit while the rest is
    // not. Earlier sets have no transition into it, since they were expanded before.
    let complete = pass.sets.len();
    let open_end = pass.state(nfa.states().map(|state| state.index()).collect());
    let open_end = match pass.explore() {
        Ok(()) => Some(open_end),
        Err(_) => {
            pass.sets.truncate(complete);
            pass.next.truncate(complete * letters.len());
            None
        }
    };
    Ok(pass.finish(at_end, open_end))
}

struct Pass<'a> {
    nfa: &'a Nfa,
    letters: &'a [LetterId],
    limits: &'a Limits,
    /// Per state, the transitions that lead to it: letter and source.
    incoming: Vec<Vec<(LetterId, StateId)>>,
    sets: IndexSet<FixedBitSet, FxBuildHasher>,
    next: Vec<u32>,
}

impl Pass<'_> {
    fn state(&mut self, mut set: FixedBitSet) -> u32 {
        set.grow(self.nfa.state_count());
        self.sets.insert_full(set).0 as u32
    }

    fn is_own(&self, letter: LetterId) -> bool {
        self.letters.binary_search(&letter).is_ok()
    }

    /// The states that lead into the given ones by letters of other locations.
    fn unobserved(&self, to: impl IntoIterator<Item = StateId>) -> FixedBitSet {
        let roots: Vec<_> = to.into_iter().collect();
        closure(self.nfa.state_count(), &roots, |state, visit| {
            for &(letter, from) in &self.incoming[state.index()] {
                if !self.is_own(letter) {
                    visit(from);
                }
            }
        })
    }

    fn explore(&mut self) -> Result<(), LimitExceeded> {
        let width = self.letters.len();
        while self.next.len() < self.sets.len() * width {
            let state = self.next.len() / width;
            for letter in 0..width {
                let next = self.before(state, self.letters[letter]);
                self.next.push(next);
            }
            self.check_limits()?;
        }
        Ok(())
    }

    /// The state after reading one more letter backwards.
    fn before(&mut self, state: usize, letter: LetterId) -> u32 {
        let targets = self.sets[state].ones();
        let into = targets.flat_map(|target| &self.incoming[target]);
        let from: Vec<_> =
            into.filter(|(read, _)| *read == letter).map(|&(_, from)| from).collect();
        if from.is_empty() {
            return DEAD;
        }
        let set = self.unobserved(from);
        self.state(set)
    }

    fn check_limits(&self) -> Result<(), LimitExceeded> {
        let limit = self.limits.local_states;
        if self.sets.len() > limit {
            return Err(LimitExceeded::Count { limit, what: "states in a look-ahead" });
        }
        let sets = self.sets.len() * self.nfa.state_count().div_ceil(8);
        let tables = self.sets.len() * self.letters.len() * size_of::<u32>();
        let limit = self.limits.local_bytes;
        if sets + tables > limit {
            return Err(LimitExceeded::Count { limit, what: "bytes in a look-ahead" });
        }
        Ok(())
    }

    /// Sets become rows; a location that has not begun may first move unobserved, so its rows are
    /// closed under every letter backwards.
    fn finish(self, at_end: u32, open_end: Option<u32>) -> BackwardTable {
        let mut distinct: IndexSet<FixedBitSet, FxBuildHasher> = self.sets.clone();
        let begun = (0..self.sets.len() as u32).collect();
        let unbegun = self.sets.iter().map(|set| {
            let roots: Vec<_> = set.ones().map(StateId::new).collect();
            let closed = closure(self.nfa.state_count(), &roots, |state, visit| {
                self.incoming[state.index()].iter().for_each(|&(_, from)| visit(from));
            });
            distinct.insert_full(closed).0 as u32
        });
        let unbegun = unbegun.collect();
        let mut rows = Rows::new(self.nfa.state_count());
        for set in &distinct {
            rows.push(set.ones());
        }
        BackwardTable { next: self.next, at_end, open_end, begun, unbegun, rows }
    }
}
