//! Terms unfolded step by step, with how many events and repetitions of loops each can still do
//! (paper 000 app. B.1).

use super::reach::{CountBounds, Reach};
use crate::id::{StepId, TermId};
use crate::term::{Derivative, Term, TermStore, with_stack};
use crate::tree::Interaction;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Terms whose derivatives count the repetitions that begin, and their reach.
#[derive(Debug)]
pub(super) struct Unfolding {
    pub(super) store: TermStore,
    pub(super) frame: CountBounds,
    reaches: FxHashMap<TermId, Arc<Reach>>,
}

impl Unfolding {
    /// The unfolding of an interaction, and its term.
    pub(super) fn new(interaction: &Interaction, frame: CountBounds) -> (Unfolding, TermId) {
        let mut store = TermStore::new();
        store.count_loops();
        let root = store.intern(interaction).root();
        (Unfolding { store, frame, reaches: FxHashMap::default() }, root)
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.store.term_count() * (200 + self.frame.size() / 8)
    }

    /// Everything a term can do next within the frame, sorted, without repetition.
    pub(super) fn moves(&mut self, term: TermId) -> Vec<Derivative> {
        let frame = self.frame;
        let within = |it: &Derivative| {
            let loops = frame.add(it.loops as usize, 0)?;
            Some(Derivative { loops: loops as u32, ..*it })
        };
        let mut moves: Vec<_> = self.store.derivatives(term).iter().filter_map(within).collect();
        moves.dedup();
        moves
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
        let frame = CountBounds { events: 4, loops: 0, open: false };
        let (mut unfolding, root) = Unfolding::new(&interaction, frame);
        let begun = unfolding.bytes();
        assert!(begun > 0);
        let moves = unfolding.store.derivatives(root);
        unfolding.store.derivatives(moves[0].residual);
        assert!(unfolding.bytes() > begun);
    }
}
