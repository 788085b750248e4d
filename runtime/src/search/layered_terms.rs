//! A bounded search on terms whose answer does not depend on earlier uses of the terms.
//
// Idea: layer by layer, as the search on sets of states does. All position vectors with the same number of
// events read make a layer, each with the terms it is reached in. Once enough terms are met, only the
// last vectors of each layer that have few terms are followed.
//
// Invariant: the order of visits depends on positions and on numbers of terms, not on the order in which terms
// were found. Searches that are cut after a number of visits cannot say that.
//
// Cost: at most `TERMS` terms, and then `BEAM_OF_TERMS` for each event.

use crate::automaton::{Automaton, Late};
use crate::lazy_automaton::LazyAutomaton;
use crate::question::Question;
use multitrace_interaction::{Id, StateId};
use std::collections::{BTreeMap, BTreeSet};

/// The most terms that are visited before vectors are left out: some milliseconds if none of them was derived
/// before, at 10 us a term (an estimate). A larger number finds the furthest interleaving more often.
const TERMS: usize = 300;

/// From this many operators and steps on, a term counts as two. An estimate.
const WEIGHT_OF_TWO: usize = 32;

/// The most terms of a layer that are followed after that; fewer if they are large.
const BEAM_OF_TERMS: usize = 8;

/// The most positions that are copied: a tenth of a second (an estimate). Only sessions of thousands of
/// locations have more.
const MOST_COPIED: usize = 1 << 26;

/// The most that may be spent where a law of balance names the fault, in squares of the weights of terms: about a
/// millisecond (an estimate). To derive a term takes one copy of it for each of its steps.
pub(crate) const WEIGHT_BESIDE_A_LAW: u64 = 250_000;

/// Position vectors, each with the terms it is reached in.
type Layer = BTreeMap<Box<[u32]>, BTreeSet<StateId>>;

/// A question and the terms to search.
pub(crate) struct LayeredTerms<'a> {
    pub(crate) question: Question<'a>,
    pub(crate) terms: &'a LazyAutomaton,
    /// The most that may be spent before the search is given up, in squares of the weights of terms.
    pub(crate) most: u64,
}

/// How far the events of a session were read.
pub(crate) struct Furthest {
    /// Of the vectors with the most events read, the last one in their order.
    pub(crate) positions: Box<[u32]>,
    /// The terms it is reached in.
    pub(crate) states: BTreeSet<StateId>,
    /// Whether no vector was left out.
    pub(crate) complete: bool,
}

impl LayeredTerms<'_> {
    /// How much of the limit a term takes: a large one, which takes longer to derive, counts as several.
    fn cost(&self, state: StateId) -> usize {
        1 + self.terms.weight(state) as usize / WEIGHT_OF_TWO
    }

    /// `None` if too much would be spent.
    pub(crate) fn run(&self) -> Option<Furthest> {
        let start: Box<[u32]> = vec![0; self.question.trace.len()].into();
        let initial = self.terms.initial().iter().copied();
        let mut layer = Layer::from([(start, initial.collect())]);
        let (mut visited, mut complete, mut spent) = (0, true, 0_u64);
        'layers: loop {
            let followed = self.followed(&layer, visited);
            complete &= followed.len() == layer.len();
            let mut next = Layer::new();
            for (positions, states) in followed {
                visited += states.iter().map(|&state| self.cost(state)).sum::<usize>();
                for &state in states {
                    spent = spent.saturating_add(u64::from(self.terms.weight(state)).pow(2));
                    if spent > self.most {
                        return None;
                    }
                    if let Err(Late) = self.read(positions, state, &mut next) {
                        complete = false;
                        break 'layers;
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            if visited * self.question.trace.len() > MOST_COPIED
                || self.question.allowance.is_late()
            {
                complete = false;
                break;
            }
            layer = next;
        }
        let (positions, states) = layer.pop_last().expect("a layer has a vector");
        Some(Furthest { positions, states, complete })
    }

    /// The vectors of a layer to follow after this many terms.
    fn followed<'l>(
        &self,
        layer: &'l Layer,
        visited: usize,
    ) -> Vec<(&'l [u32], &'l BTreeSet<StateId>)> {
        let terms = layer.values().map(BTreeSet::len).sum::<usize>();
        let is_all = visited + terms <= TERMS;
        let mut left = BEAM_OF_TERMS;
        let mut fits = |states: &BTreeSet<StateId>| {
            // Large terms count as several here, too, up to half of the beam: two of them always fit.
            let cost = |&state: &StateId| self.cost(state).div_ceil(2).min(BEAM_OF_TERMS / 2);
            let cost = states.iter().map(cost).sum();
            let fits = is_all || cost <= left;
            left = if fits { left.saturating_sub(cost) } else { left };
            fits
        };
        let vectors = layer.iter().rev().filter(|(_, states)| fits(states));
        vectors.map(|(positions, states)| (&**positions, states)).collect()
    }

    /// Adds the successors of a term by one more event.
    fn read(&self, positions: &[u32], state: StateId, next: &mut Layer) -> Result<(), Late> {
        let row = self.terms.outgoing(state)?;
        for transition in row.iter().filter(|it| self.question.reads(it.letter, positions)) {
            let location = self.question.monitor.location_of(transition.letter);
            let mut after: Box<[u32]> = positions.into();
            after[location.index()] += 1;
            next.entry(after).or_default().insert(transition.to);
        }
        Ok(())
    }
}
