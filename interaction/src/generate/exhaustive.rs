//! Every accepted multi-trace within bounds, by breadth-first exploration of derivatives.

use super::bounds::Bounds;
use super::letters::Letters;
use super::reach::CountBounds;
use super::unfolding::Unfolding;
use crate::id::TermId;
use crate::location::Locations;
use crate::persistent::PersistentLocations;
use crate::term::Derivative;
use crate::trace::MultiTrace;
use crate::tree::Interaction;
use std::collections::{BTreeMap, BTreeSet};

/// The most unfinished multi-traces that are kept: it bounds the memory; an estimate, not measured.
const MAX_PENDING: usize = 2_000_000;

/// A multi-trace so far, the term that is left, and how many repetitions of loops have begun.
type Pending = (MultiTrace, TermId, usize);

/// Every accepted multi-trace within bounds, once. A multi-trace of several interleavings, or of
/// several paths through the interaction, is found on each of them. All of these have the same
/// number of events, so only multi-traces of equal numbers are compared.
#[derive(Debug)]
pub struct Exhaustive {
    unfolding: Unfolding,
    locations: Locations,
    persistent: PersistentLocations,
    letters: Letters,
    bounds: Bounds,
    /// By their number of events.
    levels: BTreeMap<usize, BTreeSet<Pending>>,
    pending: usize,
    /// The multi-traces of the last level explored.
    found: std::vec::IntoIter<MultiTrace>,
}

/// There are more unfinished multi-traces than can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {MAX_PENDING} unfinished multi-traces after {events} events")]
pub struct TooMany {
    /// The number of their events.
    pub events: usize,
}

impl Exhaustive {
    pub(super) fn new(
        interaction: &Interaction,
        frame: CountBounds,
        bounds: &Bounds,
        locations: &Locations,
        letters: &Letters,
    ) -> Exhaustive {
        let (mut unfolding, root) = Unfolding::new(interaction, frame);
        // Fewer interleavings, the same multi-traces; but the repetitions of loops differ.
        let counts_loops = bounds.min_loops > 0 || bounds.max_loops.is_some();
        let root =
            if counts_loops { root } else { unfolding.store.linearize(root, locations).term };
        let first = (letters.nothing(), root, 0);
        Exhaustive {
            unfolding,
            locations: locations.clone(),
            persistent: PersistentLocations::new(locations),
            letters: letters.clone(),
            bounds: *bounds,
            levels: BTreeMap::from([(0, BTreeSet::from([first]))]),
            pending: 1,
            found: Vec::new().into_iter(),
        }
    }

    /// Explores the next level, and puts the multi-traces accepted there into `found`.
    fn explore(&mut self, events: usize, level: BTreeSet<Pending>) -> Result<(), TooMany> {
        self.pending -= level.len();
        let mut found = Vec::new();
        for (trace, term, begun) in level {
            let ends = self.unfolding.store.is_nullable(term) && begun >= self.bounds.min_loops;
            if ends && events >= self.bounds.min_events && found.last() != Some(&trace) {
                found.push(trace.clone());
            }
            for next in self.followed(term) {
                self.follow(events, &trace, begun, next);
            }
            if self.pending > MAX_PENDING {
                self.levels.clear();
                return Err(TooMany { events });
            }
        }
        self.found = found.into_iter();
        Ok(())
    }

    /// The moves that are enough to find every multi-trace.
    fn followed(&mut self, term: TermId) -> Vec<Derivative> {
        let only = self.persistent.of(&self.unfolding.store, term).iter().next();
        let moves = self.unfolding.moves(term);
        let (store, locations) = (&self.unfolding.store, &self.locations);
        let is_followed = |next: &&Derivative| {
            let mut actions = store.step_of(next.step).actions().iter();
            only.is_none_or(|only| actions.all(|action| locations.of(action.lifeline) == only))
        };
        moves.iter().filter(is_followed).copied().collect()
    }

    fn follow(&mut self, events: usize, trace: &MultiTrace, begun: usize, next: Derivative) {
        let events = events + self.unfolding.step_len(next.step);
        let Some(begun) = self.unfolding.frame.add(begun, next.loops as usize) else { return };
        if self.can_end(events, begun, next.residual) {
            let mut trace = trace.clone();
            self.letters.log(&self.unfolding, next.step, &mut trace);
            let level = self.levels.entry(events).or_default();
            self.pending += usize::from(level.insert((trace, next.residual, begun)));
        }
    }

    /// Whether some continuation leads to an end within the bounds.
    fn can_end(&mut self, events: usize, begun: usize, term: TermId) -> bool {
        let (bounds, most) = (self.bounds, self.unfolding.frame.events);
        (events.max(bounds.min_events)..=most)
            .any(|end| self.unfolding.can_end(term, end - events, begun, bounds.min_loops))
    }
}

impl Iterator for Exhaustive {
    type Item = Result<MultiTrace, TooMany>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(trace) = self.found.next() {
                return Some(Ok(trace));
            }
            let (events, level) = self.levels.pop_first()?;
            if let Err(error) = self.explore(events, level) {
                return Some(Err(error));
            }
        }
    }
}
