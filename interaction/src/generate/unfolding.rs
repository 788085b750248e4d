//! Terms unfolded step by step, counting the repetitions of loops that begin.

use super::prune::Pruning;
use super::reach::{Frame, Reach};
use crate::id::{RegionId, StepId, TermId};
use crate::term::{LoopTerm, Term, TermStore, with_stack};
use crate::tree::Interaction;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A derivative, and how many repetitions of loops begin with it (paper 000 app. B.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Move {
    pub(super) step: StepId,
    pub(super) residual: TermId,
    pub(super) loops: usize,
}

/// Terms with what is remembered of them.
#[derive(Debug)]
pub(super) struct Unfolding {
    pub(super) store: TermStore,
    pub(super) frame: Frame,
    pruning: Pruning,
    moves: FxHashMap<TermId, Arc<[Move]>>,
    reaches: FxHashMap<TermId, Arc<Reach>>,
}

impl Unfolding {
    /// The unfolding of an interaction, and its term.
    pub(super) fn new(interaction: &Interaction, frame: Frame) -> (Unfolding, TermId) {
        let mut store = TermStore::new();
        let root = store.intern(interaction).root();
        let (pruning, moves, reaches) = Default::default();
        (Unfolding { store, frame, pruning, moves, reaches }, root)
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.store.term_count() * (200 + self.frame.size() / 8)
    }

    /// Everything a term can do next within the frame, sorted, without repetition.
    pub(super) fn moves(&mut self, term: TermId) -> Arc<[Move]> {
        if let Some(known) = self.moves.get(&term) {
            return Arc::clone(known);
        }
        let mut found = with_stack(|| self.unfold(term));
        found.sort_unstable();
        found.dedup();
        let found: Arc<[Move]> = found.into();
        self.moves.insert(term, Arc::clone(&found));
        found
    }

    /// As [`TermStore::derivatives`], with counts.
    fn unfold(&mut self, term: TermId) -> Vec<Move> {
        match self.store.term(term).clone() {
            Term::Empty => Vec::new(),
            Term::Step(step) => vec![Move { step, residual: TermStore::EMPTY, loops: 0 }],
            Term::Strict(a, b) => self.unfold_strict(a, b),
            Term::CoReg(region, a, b) => self.unfold_co_reg(region, a, b),
            Term::Par(parts) => self.unfold_par(&parts),
            Term::Alt(parts) => parts.iter().flat_map(|&part| self.moves(part).to_vec()).collect(),
            Term::Loop(kind, body) => self.unfold_loop(term, kind, body),
        }
    }

    fn unfold_strict(&mut self, a: TermId, b: TermId) -> Vec<Move> {
        let mut found = Vec::new();
        for &first in &*self.moves(a) {
            found.push(Move { residual: self.store.strict(first.residual, b), ..first });
        }
        if self.store.is_nullable(a) {
            found.extend_from_slice(&self.moves(b));
        }
        found
    }

    fn unfold_co_reg(&mut self, region: RegionId, a: TermId, b: TermId) -> Vec<Move> {
        let mut found = Vec::new();
        for &first in &*self.moves(a) {
            found.push(Move { residual: self.store.co_reg(region, first.residual, b), ..first });
        }
        for &second in &*self.moves(b) {
            let avoid = self.ordered_lifelines(second.step, region);
            if let Some(before) = self.pruning.prune(&mut self.store, a, avoid) {
                let residual = self.store.co_reg(region, before, second.residual);
                found.push(Move { residual, ..second });
            }
        }
        found
    }

    fn unfold_par(&mut self, parts: &[TermId]) -> Vec<Move> {
        let mut found = Vec::new();
        let mut rest = parts.to_vec();
        for (index, &part) in parts.iter().enumerate() {
            for &first in &*self.moves(part) {
                rest[index] = first.residual;
                found.push(Move { residual: self.store.par(&rest), ..first });
            }
            rest[index] = part;
        }
        found
    }

    fn unfold_loop(&mut self, term: TermId, kind: LoopTerm, body: TermId) -> Vec<Move> {
        let mut found = Vec::new();
        for &Move { step, residual, loops } in &*self.moves(body) {
            let Some(loops) = self.frame.add(loops, 1) else { continue };
            let residual = match kind {
                LoopTerm::Strict => self.store.strict(residual, term),
                LoopTerm::Parallel => self.store.par(&[residual, term]),
                LoopTerm::HeadFirst => self.store.seq(residual, term),
                LoopTerm::CoReg(region) => self.repeat_co_reg(region, step, residual, term),
            };
            found.push(Move { step, residual, loops });
        }
        found
    }

    /// Orders three parts: the repetitions before the step, the one that takes it, those after it.
    fn repeat_co_reg(
        &mut self,
        region: RegionId,
        step: StepId,
        residual: TermId,
        term: TermId,
    ) -> TermId {
        let avoid = self.ordered_lifelines(step, region);
        let after = self.store.co_reg(region, residual, term);
        match self.pruning.prune(&mut self.store, term, avoid) {
            Some(before) => self.store.co_reg(region, before, after),
            None => after,
        }
    }

    /// The lifelines of a step that a concurrent region leaves ordered.
    fn ordered_lifelines(&mut self, step: StepId, region: RegionId) -> RegionId {
        let lifelines = self.store.step_of(step).lifelines();
        let ordered = lifelines.difference(self.store.region_set(region));
        self.store.region(ordered)
    }

    /// How many events and repetitions the traces of a term have.
    pub(super) fn reach(&mut self, term: TermId) -> Arc<Reach> {
        if let Some(known) = self.reaches.get(&term) {
            return Arc::clone(known);
        }
        let found = Arc::new(with_stack(|| self.measure(term)));
        self.reaches.insert(term, Arc::clone(&found));
        found
    }

    fn measure(&mut self, term: TermId) -> Reach {
        let frame = self.frame;
        match self.store.term(term).clone() {
            Term::Empty => frame.events(0),
            Term::Step(step) => frame.events(self.step_len(step)),
            Term::Strict(a, b) | Term::CoReg(_, a, b) => frame.sum(&self.reach(a), &self.reach(b)),
            Term::Par(parts) => {
                parts.iter().fold(frame.events(0), |sum, &part| frame.sum(&sum, &self.reach(part)))
            }
            Term::Alt(parts) => {
                parts.iter().fold(frame.none(), |all, &part| frame.union(&all, &self.reach(part)))
            }
            Term::Loop(_, body) => frame.closure(&self.reach(body)),
        }
    }

    /// How many events a step has.
    pub(super) fn step_len(&self, step: StepId) -> usize {
        self.store.step_of(step).actions().len()
    }

    /// Whether a term accepts a trace of exactly `events` events that, with the repetitions of
    /// loops so far, begins enough repetitions and not too many.
    pub(super) fn can_end(
        &mut self,
        term: TermId,
        events: usize,
        begun: usize,
        min: usize,
    ) -> bool {
        let frame = self.frame;
        let reach = self.reach(term);
        reach.loops(events).any(|loops| frame.add(begun, loops).is_some_and(|sum| sum >= min))
    }

    /// The fewest events of a trace that the term accepts.
    pub(super) fn shortest(&self, term: TermId) -> usize {
        with_stack(|| match self.store.term(term) {
            Term::Empty | Term::Loop(..) => 0,
            Term::Step(step) => self.step_len(*step),
            Term::Strict(a, b) | Term::CoReg(_, a, b) => {
                self.shortest(*a).saturating_add(self.shortest(*b))
            }
            Term::Par(parts) => {
                parts.iter().map(|&part| self.shortest(part)).fold(0, usize::saturating_add)
            }
            Term::Alt(parts) => {
                parts.iter().map(|&part| self.shortest(part)).min().unwrap_or_default()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{Action, ActionKind, Step};
    use crate::id::{Id, LifelineId, MessageId, NodeId};
    use crate::tree::Node;

    #[test]
    fn bytes_grow_with_the_terms() {
        // par(strict(a, b), strict(a, b)): after each a there is another term.
        let step = |message| {
            let (lifeline, message) = (LifelineId::new(0), MessageId::new(message));
            let kind = ActionKind::Emission;
            Node::Step(Step::single(Action { lifeline, kind, message }))
        };
        let id = NodeId::new;
        let (a, b) = (Node::Strict(id(0), id(1)), Node::Strict(id(3), id(4)));
        let nodes = vec![step(0), step(1), a, step(0), step(1), b, Node::Par(id(2), id(5))];
        let interaction = Interaction::new(nodes).expect("a tree");
        let frame = Frame { events: 4, loops: 0, open: false };
        let (mut unfolding, root) = Unfolding::new(&interaction, frame);
        let begun = unfolding.bytes();
        assert!(begun > 0);
        let moves = unfolding.moves(root);
        unfolding.moves(moves[0].residual);
        assert!(unfolding.bytes() > begun);
    }
}
