//! The term that is left of an interaction after some actions, with the nodes it comes from.
//
// Idea: derivatives as in `derive.rs`, but nothing is merged that comes from different nodes. A loop that
// has begun has the number of its instance, so that all copies of it are counted together. The
// number is the least that is free, so that rests come back.
//
// Pruning decides things: an alternative that is left alone is taken, a loop that can do nothing any
// more ends. But only if the part around it is taken, and that may be open. So it leaves them in the
// rest as marks, and `release` takes those out that no open choice is around.
//
// Invariant: a mark is an `Alt` of one operand, or a loop that has not begun and has no body.
//
// Cost: a derivative rebuilds the path to the step that acts. Parts without the lifeline that acts are skipped.

use super::outline::Outline;
use crate::action::{Action, Step};
use crate::id::{Id, NodeId};
use crate::idset::LifelineSet;
use crate::term::with_stack;
use crate::tree::{Interaction, LoopKind, Node};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A rest in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RestId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SetId(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Rest {
    Empty,
    Step(NodeId),
    Strict(RestId, RestId),
    /// `seq` has the empty set.
    CoReg(SetId, RestId, RestId),
    Par(RestId, RestId),
    /// The operands that are left, by their indices.
    Alt(NodeId, Box<[(u32, RestId)]>),
    Loop(Repeated),
}

/// A loop. Instance 0 has not begun; without a body there will be no further repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Repeated {
    node: NodeId,
    body: Option<RestId>,
    instance: u8,
}

#[derive(Clone, Copy, Debug)]
struct Facts {
    is_nullable: bool,
    lifelines: SetId,
    /// The instances of loops in it.
    in_use: u128,
    /// Whether it has a mark that no open choice is around.
    has_marks: bool,
}

/// Something that a derivation decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// This operand of an `alt`.
    Operand(NodeId, u32),
    /// A loop is repeated for the first time, as this instance.
    Begins(NodeId, u8),
    /// An instance of a loop is repeated again.
    Again(NodeId, u8),
    /// A loop ends before its first repetition.
    Zero(NodeId),
    /// A loop is repeated for the first and last time; for [`Choice::WithOnce`].
    Once(NodeId),
}

/// One way to act, with the decisions it makes.
#[derive(Clone, Debug)]
pub(super) struct Derived {
    pub(super) rest: RestId,
    pub(super) step: NodeId,
    pub(super) decisions: Vec<Decision>,
}

/// Which derivations are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Each once.
    Plain,
    /// Where a loop begins, also one that says that it is not repeated again.
    WithOnce,
}

/// The action that comes next, whether a step may be read, and which instances are taken.
#[derive(Clone, Copy)]
struct Moment<'w> {
    first: Action,
    reads: &'w dyn Fn(&[Action]) -> bool,
    in_use: u128,
    choice: Choice,
}

/// Too many loops are under way at once to number them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// The rests of an interaction, each stored once.
#[derive(Debug)]
pub(super) struct Rests {
    rests: IndexSet<Rest, FxBuildHasher>,
    facts: Vec<Facts>,
    sets: IndexSet<LifelineSet, FxBuildHasher>,
    steps: FxHashMap<NodeId, Step>,
    kinds: FxHashMap<NodeId, LoopKind>,
    pruned: FxHashMap<(RestId, SetId), Option<RestId>>,
    /// Whether a loop had no number left.
    is_exhausted: bool,
}

const EMPTY: RestId = RestId(0);
const NO_LIFELINES: SetId = SetId(0);

impl Rests {
    /// A store with the whole interaction in it.
    pub(super) fn new(interaction: &Interaction, outline: &Outline) -> (Rests, RestId) {
        let mut rests = Rests {
            rests: IndexSet::default(),
            facts: Vec::new(),
            sets: IndexSet::default(),
            steps: FxHashMap::default(),
            kinds: FxHashMap::default(),
            pruned: FxHashMap::default(),
            is_exhausted: false,
        };
        rests.set(LifelineSet::new());
        rests.add(Rest::Empty);
        let mut of: Vec<RestId> = Vec::with_capacity(interaction.nodes().len());
        for (index, node) in interaction.nodes().iter().enumerate() {
            let rest = rests.build(NodeId::new(index), node, outline, &of);
            of.push(rest);
        }
        let root = of[interaction.root().index()];
        (rests, root)
    }

    fn build(&mut self, id: NodeId, node: &Node, outline: &Outline, of: &[RestId]) -> RestId {
        let at = |id: &NodeId| of[id.index()];
        match node {
            Node::Empty => EMPTY,
            Node::Step(step) => {
                self.steps.insert(id, step.clone());
                self.add(Rest::Step(id))
            }
            Node::Strict(a, b) => self.strict(at(a), at(b)),
            Node::Seq(a, b) => self.co_reg(NO_LIFELINES, at(a), at(b)),
            Node::Par(a, b) => self.par(at(a), at(b)),
            Node::CoReg(region, a, b) => {
                let region = self.set(region.clone());
                self.co_reg(region, at(a), at(b))
            }
            // The other nodes of a folded `alt` are read with its first one.
            Node::Alt(..) => match outline.alternatives(id) {
                None => EMPTY,
                Some(operands) => {
                    let operands = (0..).zip(operands).map(|(index, operand)| (index, at(operand)));
                    let operands = operands.collect();
                    self.add(Rest::Alt(id, operands))
                }
            },
            Node::Loop(kind, body) => {
                self.kinds.insert(id, kind.clone());
                self.add(Rest::Loop(Repeated { node: id, body: Some(at(body)), instance: 0 }))
            }
        }
    }

    /// How many rests there are.
    pub(super) fn len(&self) -> usize {
        self.rests.len()
    }

    pub(super) fn is_nullable(&self, rest: RestId) -> bool {
        self.facts(rest).is_nullable
    }

    /// The ways to read a step, in the order of the specification: its first action is `first`, and `reads` says whether all
    /// of its actions can come next.
    pub(super) fn derivatives(
        &mut self,
        rest: RestId,
        first: Action,
        reads: &dyn Fn(&[Action]) -> bool,
        choice: Choice,
    ) -> Result<Vec<Derived>, TooMany> {
        let moment = Moment { first, reads, in_use: self.facts(rest).in_use, choice };
        let mut found = self.derive(rest, moment);
        for derived in &mut found {
            let mut decisions = std::mem::take(&mut derived.decisions);
            derived.rest = self.release(derived.rest, &mut decisions);
            derived.decisions = decisions;
        }
        if std::mem::take(&mut self.is_exhausted) { Err(TooMany) } else { Ok(found) }
    }

    /// Adds the decisions of a trace that ends here; of alternatives that may be empty, those of the first, or of all.
    pub(super) fn finish(&self, rest: RestId, all: bool, decisions: &mut Vec<Decision>) {
        with_stack(|| match self.rest(rest) {
            Rest::Empty | Rest::Step(_) => {}
            Rest::Strict(a, b) | Rest::CoReg(_, a, b) | Rest::Par(a, b) => {
                self.finish(*a, all, decisions);
                self.finish(*b, all, decisions);
            }
            Rest::Alt(node, operands) => {
                let empty = operands.iter().filter(|(_, operand)| self.is_nullable(*operand));
                for &(index, operand) in empty.take(if all { usize::MAX } else { 1 }) {
                    decisions.push(Decision::Operand(*node, index));
                    self.finish(operand, all, decisions);
                }
            }
            Rest::Loop(repeated) if repeated.instance == 0 => {
                decisions.push(Decision::Zero(repeated.node));
            }
            Rest::Loop(_) => {}
        });
    }

    fn derive(&mut self, rest: RestId, moment: Moment<'_>) -> Vec<Derived> {
        if !self.lifelines(rest).contains(moment.first.lifeline) {
            return Vec::new();
        }
        with_stack(|| match self.rest(rest).clone() {
            Rest::Empty => Vec::new(),
            Rest::Step(node) => {
                let actions = self.steps[&node].actions();
                let is_next = actions.first() == Some(&moment.first) && (moment.reads)(actions);
                let derived = Derived { rest: EMPTY, step: node, decisions: Vec::new() };
                is_next.then_some(derived).into_iter().collect()
            }
            Rest::Strict(a, b) => self.derive_strict(a, b, moment),
            Rest::CoReg(region, a, b) => self.derive_co_reg(region, a, b, moment),
            Rest::Par(a, b) => {
                let mut found = self.derive(a, moment);
                found.iter_mut().for_each(|it| it.rest = self.par(it.rest, b));
                let mut second = self.derive(b, moment);
                second.iter_mut().for_each(|it| it.rest = self.par(a, it.rest));
                found.extend(second);
                found
            }
            Rest::Alt(node, operands) => {
                let mut found = Vec::new();
                for &(index, operand) in &operands {
                    found.extend(self.derive(operand, moment).into_iter().map(|mut it| {
                        it.decisions.push(Decision::Operand(node, index));
                        it
                    }));
                }
                found
            }
            Rest::Loop(repeated) => self.derive_loop(repeated, moment),
        })
    }

    fn derive_strict(&mut self, a: RestId, b: RestId, moment: Moment<'_>) -> Vec<Derived> {
        let mut found = self.derive(a, moment);
        found.iter_mut().for_each(|it| it.rest = self.strict(it.rest, b));
        if !self.is_nullable(a) {
            return found;
        }
        let mut ended = Vec::new();
        self.finish(a, moment.choice == Choice::WithOnce, &mut ended);
        found.extend(self.derive(b, moment).into_iter().map(|mut it| {
            it.decisions.extend_from_slice(&ended);
            it
        }));
        found
    }

    fn derive_co_reg(
        &mut self,
        region: SetId,
        a: RestId,
        b: RestId,
        moment: Moment<'_>,
    ) -> Vec<Derived> {
        let mut found = self.derive(a, moment);
        found.iter_mut().for_each(|it| it.rest = self.co_reg(region, it.rest, b));
        // Most often the second part waits for the first at the very lifeline that acts.
        let first = [moment.first.lifeline].into_iter().collect();
        let first = self.ordered(&first, region);
        if self.prune(a, first).is_none() {
            return found;
        }
        for mut derived in self.derive(b, moment) {
            let avoid = self.ordered(&self.steps[&derived.step].lifelines(), region);
            if let Some(before) = self.prune(a, avoid) {
                derived.rest = self.co_reg(region, before, derived.rest);
                found.push(derived);
            }
        }
        found
    }

    fn derive_loop(&mut self, repeated: Repeated, moment: Moment<'_>) -> Vec<Derived> {
        let Some(body) = repeated.body else { return Vec::new() };
        let (node, is_first) = (repeated.node, repeated.instance == 0);
        let mut found = Vec::new();
        for derived in self.derive(body, moment) {
            let instance = match repeated.instance {
                0 => self.free(moment.in_use | self.facts(derived.rest).in_use),
                begun => begun,
            };
            let again = self.add_loop(Repeated { instance, ..repeated });
            let rest = self.unroll(again, &derived);
            let mut decisions = derived.decisions.clone();
            decisions.push(match is_first {
                true => Decision::Begins(node, instance),
                false => Decision::Again(node, instance),
            });
            found.push(Derived { rest, step: derived.step, decisions });
            if is_first && moment.choice == Choice::WithOnce {
                let mut once = derived;
                once.decisions.push(Decision::Once(node));
                found.push(once);
            }
        }
        found
    }

    /// Puts a repetition that has begun among the others of its loop.
    fn unroll(&mut self, again: RestId, derived: &Derived) -> RestId {
        let Rest::Loop(repeated) = *self.rest(again) else { return derived.rest };
        let region = match &self.kinds[&repeated.node] {
            LoopKind::Strict => return self.strict(derived.rest, again),
            LoopKind::Parallel => return self.par(derived.rest, again),
            LoopKind::HeadFirst => return self.co_reg(NO_LIFELINES, derived.rest, again),
            LoopKind::Weak => LifelineSet::new(),
            LoopKind::CoReg(region) => region.clone(),
        };
        let region = self.set(region);
        let avoid = self.ordered(&self.steps[&derived.step].lifelines(), region);
        let after = self.co_reg(region, derived.rest, again);
        match self.prune(again, avoid) {
            Some(before) => self.co_reg(region, before, after),
            None => after,
        }
    }

    /// The least number of an instance that is free.
    fn free(&mut self, in_use: u128) -> u8 {
        // The lowest bit stands for loops that have not begun.
        let free = (in_use | 1).trailing_ones();
        self.is_exhausted |= free >= u128::BITS;
        free.min(u128::BITS - 1) as u8
    }

    /// Keeps only the behaviour without actions at some lifelines, with marks; `None` if there is no such behaviour.
    fn prune(&mut self, rest: RestId, avoid: SetId) -> Option<RestId> {
        if self.lifelines(rest).is_disjoint(&self.sets[avoid.0 as usize]) {
            return Some(rest);
        }
        if let Some(&known) = self.pruned.get(&(rest, avoid)) {
            return known;
        }
        let pruned = with_stack(|| self.prune_operator(rest, avoid));
        self.pruned.insert((rest, avoid), pruned);
        pruned
    }

    fn prune_operator(&mut self, rest: RestId, avoid: SetId) -> Option<RestId> {
        match self.rest(rest).clone() {
            Rest::Empty => Some(rest),
            Rest::Step(_) => None,
            Rest::Strict(a, b) => {
                let (a, b) = (self.prune(a, avoid)?, self.prune(b, avoid)?);
                Some(self.strict(a, b))
            }
            Rest::CoReg(region, a, b) => {
                let (a, b) = (self.prune(a, avoid)?, self.prune(b, avoid)?);
                Some(self.co_reg(region, a, b))
            }
            Rest::Par(a, b) => {
                let (a, b) = (self.prune(a, avoid)?, self.prune(b, avoid)?);
                Some(self.par(a, b))
            }
            Rest::Alt(node, operands) => {
                let left = operands
                    .iter()
                    .filter_map(|&(index, operand)| Some((index, self.prune(operand, avoid)?)));
                let left: Box<[(u32, RestId)]> = left.collect();
                (!left.is_empty()).then(|| self.add(Rest::Alt(node, left)))
            }
            Rest::Loop(repeated) => {
                let body = repeated.body.and_then(|body| self.prune(body, avoid));
                Some(self.add_loop(Repeated { body, ..repeated }))
            }
        }
    }

    /// Takes out the marks that no open choice is around, and notes their decisions.
    fn release(&mut self, rest: RestId, decisions: &mut Vec<Decision>) -> RestId {
        if !self.facts(rest).has_marks {
            return rest;
        }
        with_stack(|| match self.rest(rest).clone() {
            Rest::Strict(a, b) => {
                let (a, b) = (self.release(a, decisions), self.release(b, decisions));
                self.strict(a, b)
            }
            Rest::CoReg(region, a, b) => {
                let (a, b) = (self.release(a, decisions), self.release(b, decisions));
                self.co_reg(region, a, b)
            }
            Rest::Par(a, b) => {
                let (a, b) = (self.release(a, decisions), self.release(b, decisions));
                self.par(a, b)
            }
            Rest::Alt(node, operands) => {
                let (index, operand) = operands[0];
                decisions.push(Decision::Operand(node, index));
                self.release(operand, decisions)
            }
            Rest::Loop(repeated) => {
                decisions.push(Decision::Zero(repeated.node));
                EMPTY
            }
            Rest::Empty | Rest::Step(_) => rest,
        })
    }

    /// The lifelines that a concurrent region leaves ordered.
    fn ordered(&mut self, lifelines: &LifelineSet, region: SetId) -> SetId {
        let ordered = lifelines.difference(&self.sets[region.0 as usize]);
        self.set(ordered)
    }

    fn strict(&mut self, a: RestId, b: RestId) -> RestId {
        match (a, b) {
            (EMPTY, other) | (other, EMPTY) => other,
            _ => self.add(Rest::Strict(a, b)),
        }
    }

    fn par(&mut self, a: RestId, b: RestId) -> RestId {
        match (a, b) {
            (EMPTY, other) | (other, EMPTY) => other,
            _ => self.add(Rest::Par(a, b)),
        }
    }

    fn co_reg(&mut self, region: SetId, a: RestId, b: RestId) -> RestId {
        match (a, b) {
            (EMPTY, other) | (other, EMPTY) => other,
            // The actions that one copy of a loop can still do, the same copy before it can do as well.
            _ if self.is_loop_over(a, region) && self.starts_with(b, region, a) => b,
            _ => self.add(Rest::CoReg(region, a, b)),
        }
    }

    /// Whether this is an instance of a loop that a region orders.
    fn is_loop_over(&self, rest: RestId, region: SetId) -> bool {
        let Rest::Loop(repeated) = self.rest(rest) else { return false };
        repeated.instance > 0
            && match &self.kinds[&repeated.node] {
                LoopKind::Weak => region == NO_LIFELINES,
                LoopKind::CoReg(own) => *own == self.sets[region.0 as usize],
                _ => false,
            }
    }

    fn starts_with(&self, rest: RestId, region: SetId, first: RestId) -> bool {
        let begins =
            matches!(self.rest(rest), Rest::CoReg(own, a, _) if *own == region && *a == first);
        rest == first || begins
    }

    fn add_loop(&mut self, repeated: Repeated) -> RestId {
        if repeated.body.is_none() && repeated.instance > 0 {
            return EMPTY;
        }
        self.add(Rest::Loop(repeated))
    }

    fn rest(&self, id: RestId) -> &Rest {
        &self.rests[id.0 as usize]
    }

    fn facts(&self, id: RestId) -> Facts {
        self.facts[id.0 as usize]
    }

    fn lifelines(&self, id: RestId) -> &LifelineSet {
        &self.sets[self.facts(id).lifelines.0 as usize]
    }

    fn set(&mut self, set: LifelineSet) -> SetId {
        SetId(match self.sets.get_index_of(&set) {
            Some(index) => index,
            None => self.sets.insert_full(set).0,
        } as u32)
    }

    fn add(&mut self, rest: Rest) -> RestId {
        if let Some(index) = self.rests.get_index_of(&rest) {
            return RestId(index as u32);
        }
        let facts = self.facts_of(&rest);
        self.facts.push(facts);
        RestId(self.rests.insert_full(rest).0 as u32)
    }

    fn facts_of(&mut self, rest: &Rest) -> Facts {
        let of = |id: &RestId| self.facts[id.0 as usize];
        match rest {
            Rest::Empty => {
                Facts { is_nullable: true, lifelines: NO_LIFELINES, in_use: 0, has_marks: false }
            }
            Rest::Step(node) => {
                let lifelines = self.set(self.steps[node].lifelines());
                Facts { is_nullable: false, lifelines, in_use: 0, has_marks: false }
            }
            Rest::Strict(a, b) | Rest::CoReg(_, a, b) | Rest::Par(a, b) => {
                let (x, y) = (of(a), of(b));
                Facts {
                    is_nullable: x.is_nullable && y.is_nullable,
                    lifelines: self.union([x.lifelines, y.lifelines]),
                    in_use: x.in_use | y.in_use,
                    has_marks: x.has_marks || y.has_marks,
                }
            }
            Rest::Alt(_, operands) => {
                let each = || operands.iter().map(|(_, operand)| of(operand));
                Facts {
                    is_nullable: each().any(|it| it.is_nullable),
                    in_use: each().fold(0, |all, it| all | it.in_use),
                    has_marks: operands.len() == 1,
                    lifelines: {
                        let sets: Vec<SetId> = each().map(|it| it.lifelines).collect();
                        self.union(sets)
                    },
                }
            }
            Rest::Loop(repeated) => {
                let body = repeated.body.map(|body| of(&body));
                Facts {
                    is_nullable: true,
                    lifelines: body.map_or(NO_LIFELINES, |it| it.lifelines),
                    in_use: body.map_or(0, |it| it.in_use) | 1 << repeated.instance,
                    has_marks: repeated.body.is_none(),
                }
            }
        }
    }

    fn union(&mut self, sets: impl IntoIterator<Item = SetId>) -> SetId {
        let mut sets = sets.into_iter();
        let first = sets.next().unwrap_or(NO_LIFELINES);
        sets.fold(first, |all, more| {
            if all == more {
                return all;
            }
            let [a, b] = [all, more].map(|id| &self.sets[id.0 as usize]);
            let union = a.union(b);
            self.set(union)
        })
    }
}
