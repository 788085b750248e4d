//! Hash-consed terms: equal terms have equal ids, and facts about a term that many passes need
//! (nullability, lifelines) are computed once, when the term is made.
//!
//! Terms are made by the constructors in `normalize.rs` only, so every term is in normal form.

use crate::action::Step;
use crate::effort::{Effort, WorkLimit};
use crate::id::{Id, LifelineId, NodeId, RegionId, StepId, TermId};
use crate::idset::LifelineSet;
use crate::rule::Rule;
use crate::tree::{Interaction, LoopKind, Node};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// A term in normal form. `Seq(a, b)` is `CoReg(∅, a, b)`; `Par` and `Alt` are flat and sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// Nothing happens.
    Empty,
    /// Actions that happen together.
    Step(StepId),
    /// The first ends everywhere before the second begins.
    Strict(TermId, TermId),
    /// Concurrent on the lifelines of the region, weakly ordered on the others.
    CoReg(RegionId, TermId, TermId),
    /// All of them, interleaved; at least two.
    Par(Box<[TermId]>),
    /// One of them; at least two, all different.
    Alt(Box<[TermId]>),
    /// Any number of repetitions.
    Loop(LoopTerm, TermId),
}

/// How the repetitions of a loop term are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopTerm {
    /// Strictly.
    Strict,
    /// By a concurrent region that is neither empty (weak) nor all of the body's lifelines
    /// (parallel), or by the empty one.
    CoReg(RegionId),
    /// Not at all.
    Parallel,
    /// Weakly, each beginning after all before it have begun.
    HeadFirst,
}

/// A step that a term can do next, and the term that remains then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Derivative {
    /// The actions that happen.
    pub step: StepId,
    /// The term that remains.
    pub residual: TermId,
    /// How many nested loops the step begins a repetition of (paper 000 def. 12); the fewest, if
    /// the step can happen in several ways, unless the store keeps all of them.
    pub loops: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) nullable: bool,
    pub(crate) lifelines: RegionId,
    /// The number of operators and steps of the term written out, without sharing; saturating.
    pub(crate) weight: u32,
    /// A hash of the structure of the term, whatever the terms before it: equal terms of two stores have equal keys.
    pub(crate) key: u64,
    pub(crate) loops: LoopFacts,
}

/// The terms of a specification, each stored once.
///
/// ```
/// use multitrace_interaction::{Interaction, Node, TermStore};
/// let mut store = TermStore::new();
/// let nothing = Interaction::new(vec![Node::Empty]).expect("a tree");
/// let term = store.intern(&nothing).root();
/// assert!(store.is_nullable(term));
/// assert!(store.derivatives(term).is_empty());
/// ```
#[derive(Debug)]
pub struct TermStore {
    terms: IndexSet<Term, FxBuildHasher>,
    facts: Vec<Facts>,
    steps: IndexSet<Step, FxBuildHasher>,
    step_lifelines: Vec<RegionId>,
    regions: IndexSet<LifelineSet, FxBuildHasher>,
    pub(crate) pruned: FxHashMap<(TermId, RegionId), Option<TermId>>,
    /// Per set of lifelines, each term without them: terms share most subterms.
    pub(crate) removed: FxHashMap<RegionId, FxHashMap<TermId, TermId>>,
    pub(crate) derived: FxHashMap<(TermId, Option<RegionId>), std::sync::Arc<[Derivative]>>,
    pub(crate) effort: Effort,
    /// The number of lifelines, as far as steps name them.
    lifeline_count: usize,
    operand_count: usize,
    /// Whether operands of orders that do not order them are sorted.
    pub(crate) sorts_orders: bool,
    /// Whether every repetition of a loop is kept, so that repetitions can be counted.
    pub(crate) counts_loops: bool,
    pub(crate) rules: crate::rule::RuleCounts,
}

/// The bytes of a table entry beside its key and value: a hash, an index, and room to grow. An estimate.
pub(crate) const ENTRY_BYTES: usize = 32;

/// An operator whose operands are collected through all that are nested in one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlatOperator {
    Par,
    /// Weak order of operands that share no lifeline, which is `par`.
    Apart,
    Alt,
}

impl FlatOperator {
    fn term_is_par(self) -> bool {
        self != FlatOperator::Alt
    }
}

/// Per node, its flat operator, if it is one. The sets of lifelines move to the larger one at each operator.
fn flat_operators(nodes: &[Node]) -> Vec<Option<FlatOperator>> {
    let mut used: Vec<FxHashSet<LifelineId>> = Vec::with_capacity(nodes.len());
    let mut flat = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut take = |id: NodeId| std::mem::take(&mut used[id.index()]);
        let (operator, lifelines) = match node {
            Node::Empty => (None, FxHashSet::default()),
            Node::Step(step) => (None, step.actions().iter().map(|it| it.lifeline).collect()),
            Node::Loop(_, body) => (None, take(*body)),
            Node::Strict(a, b)
            | Node::Seq(a, b)
            | Node::CoReg(_, a, b)
            | Node::Par(a, b)
            | Node::Alt(a, b) => {
                let (a, b) = (take(*a), take(*b));
                let (mut large, small) = if a.len() < b.len() { (b, a) } else { (a, b) };
                let is_apart = !small.is_empty() && small.iter().all(|it| !large.contains(it));
                let operator = match node {
                    Node::Par(..) => Some(FlatOperator::Par),
                    Node::Alt(..) => Some(FlatOperator::Alt),
                    Node::Seq(..) | Node::CoReg(..) if is_apart => Some(FlatOperator::Apart),
                    _ => None,
                };
                large.extend(small);
                (operator, large)
            }
        };
        flat.push(operator);
        used.push(lifelines);
    }
    flat
}

/// Per node, the outermost of the same flat operators nested in one another that it belongs to; other nodes,
/// themselves.
fn outermost_operators(nodes: &[Node], flat: &[Option<FlatOperator>]) -> Vec<usize> {
    let is_par = |index: usize| flat[index].map(FlatOperator::term_is_par);
    let mut outermost: Vec<usize> = (0..nodes.len()).collect();
    for index in (0..nodes.len()).rev() {
        if flat[index].is_some() {
            for operand in nodes[index].children() {
                if is_par(operand.index()) == is_par(index) {
                    outermost[operand.index()] = outermost[index];
                }
            }
        }
    }
    outermost
}

/// The terms of an interaction's nodes.
#[derive(Clone, Debug)]
pub struct Interned {
    terms: Vec<TermId>,
}

impl Interned {
    /// The term of the whole interaction.
    pub fn root(&self) -> TermId {
        *self.terms.last().expect("an interaction has a root")
    }

    /// The term of each node, in the order of the nodes. A `par` or `alt` that is the operand of
    /// another one has the term of the outermost.
    pub fn terms(&self) -> &[TermId] {
        &self.terms
    }
}

impl LoopFacts {
    fn and(self, other: LoopFacts) -> LoopFacts {
        let actions_outside = self.actions_outside.saturating_add(other.actions_outside);
        LoopFacts { actions_outside, ..self.or(other) }
    }

    fn or(self, other: LoopFacts) -> LoopFacts {
        LoopFacts {
            depth: self.depth.max(other.depth),
            count: self.count.saturating_add(other.count),
            actions_outside: self.actions_outside.max(other.actions_outside),
        }
    }
}

impl Default for TermStore {
    fn default() -> Self {
        TermStore::new()
    }
}

/// How much of a term can be repeated, and how much cannot; numbers saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopFacts {
    /// The deepest nesting of loops (paper 000 def. 12).
    pub depth: u32,
    /// The number of loops of the term written out.
    pub count: u32,
    /// The most actions outside loops that one trace may have (paper 000 def. 13).
    pub actions_outside: u32,
}

impl TermStore {
    /// The term `Empty`, which every store holds first.
    pub const EMPTY: TermId = TermId::ZERO;
    /// The empty set of lifelines, which every store holds first.
    pub const NO_LIFELINES: RegionId = RegionId::ZERO;

    /// A store that holds `Empty` and the empty region.
    pub fn new() -> TermStore {
        let mut store = TermStore {
            terms: IndexSet::default(),
            facts: Vec::new(),
            steps: IndexSet::default(),
            step_lifelines: Vec::new(),
            regions: IndexSet::default(),
            pruned: FxHashMap::default(),
            removed: FxHashMap::default(),
            derived: FxHashMap::default(),
            effort: Effort::default(),
            lifeline_count: 0,
            operand_count: 0,
            sorts_orders: false,
            counts_loops: false,
            rules: Default::default(),
        };
        store.region(LifelineSet::new());
        store.add(Term::Empty);
        store
    }

    /// From here on, ways that begin different numbers of repetitions are different derivatives, and pruning keeps a
    /// loop whose body becomes a loop: the rule `LoopLoop` keeps the traces and loses a repetition. In
    /// `loopW(alt(a, loopW(b)))` without a, as before, b stands in two loops.
    pub(crate) fn count_loops(&mut self) {
        self.counts_loops = true;
    }

    /// From here on, operands of weak and concurrent orders that these do not order are sorted or put into a `par`. The
    /// rest of the repetitions of a loop is then the same term whatever their order, so terms have fewer derivatives.
    /// Not for terms that are shown: they are written in another order than their author's.
    pub fn sort_orders(&mut self) {
        self.sorts_orders = true;
    }

    /// Does some work under a limit, and takes it from the limit. `None` if the limit was reached: the result of
    /// operations means nothing then.
    pub fn within<R>(
        &mut self,
        limit: &mut WorkLimit,
        work: impl FnOnce(&mut TermStore) -> R,
    ) -> Option<R> {
        self.effort.begin(limit);
        let result = work(self);
        self.effort.end(limit).then_some(result)
    }

    /// About how many bytes the terms take, with the results remembered for them.
    pub fn bytes(&self) -> usize {
        self.effort.bytes()
    }

    /// Makes the terms of all nodes of an interaction. Nested `par` and `alt` are one operator, whose
    /// operands are collected first: to make every inner one would take quadratic time and memory.
    pub fn intern(&mut self, interaction: &Interaction) -> Interned {
        let nodes = interaction.nodes();
        let flat = flat_operators(nodes);
        let outermost = outermost_operators(nodes, &flat);
        let mut terms = vec![Self::EMPTY; nodes.len()];
        let mut operands: FxHashMap<usize, Vec<TermId>> = FxHashMap::default();
        for (index, node) in nodes.iter().enumerate() {
            if self.effort.is_over() {
                break;
            }
            if flat[index].is_some() {
                let all = operands.entry(outermost[index]).or_default();
                let own = node.children().filter(|it| outermost[it.index()] == it.index());
                all.extend(own.map(|it| terms[it.index()]));
            }
            if outermost[index] != index {
                continue;
            }
            terms[index] = match flat[index] {
                Some(FlatOperator::Alt) => self.alt(&operands.remove(&index).unwrap_or_default()),
                Some(_) => self.par(&operands.remove(&index).unwrap_or_default()),
                None => self.intern_node(node, &terms),
            };
        }
        for index in 0..nodes.len() {
            if flat[index] == Some(FlatOperator::Apart) {
                self.rules.note(Rule::CoRegIsPar);
            }
            if outermost[index] != index {
                let is_par = flat[index].is_some_and(FlatOperator::term_is_par);
                self.rules.note(if is_par { Rule::ParFlatten } else { Rule::AltFlatten });
                terms[index] = terms[outermost[index]];
            }
        }
        Interned { terms }
    }

    fn intern_node(&mut self, node: &Node, terms: &[TermId]) -> TermId {
        let at = |id: NodeId| terms[id.index()];
        match node {
            Node::Empty => Self::EMPTY,
            Node::Par(..) | Node::Alt(..) => unreachable!("interned with all their operands"),
            Node::Step(step) => self.step(step.clone()),
            Node::Strict(a, b) => self.strict(at(*a), at(*b)),
            Node::Seq(a, b) => self.seq(at(*a), at(*b)),
            Node::CoReg(region, a, b) => {
                let region = self.region(region.clone());
                self.co_reg(region, at(*a), at(*b))
            }
            Node::Loop(kind, body) => {
                let kind = self.loop_term(kind);
                self.repeat(kind, at(*body))
            }
        }
    }

    fn loop_term(&mut self, kind: &LoopKind) -> LoopTerm {
        match kind {
            LoopKind::Strict => LoopTerm::Strict,
            LoopKind::Weak => LoopTerm::CoReg(Self::NO_LIFELINES),
            LoopKind::Parallel => LoopTerm::Parallel,
            LoopKind::CoReg(region) => LoopTerm::CoReg(self.region(region.clone())),
            LoopKind::HeadFirst => LoopTerm::HeadFirst,
        }
    }

    /// The term of an id.
    ///
    /// # Panics
    /// If the id is not of this store.
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.index()]
    }

    /// How many operands the terms have that are flat, all together: they take most of the memory where many messages
    /// are concurrent.
    pub fn operand_count(&self) -> usize {
        self.operand_count
    }

    /// How many different terms have been made.
    pub fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// The term written out as an interaction; flat operators are folded to the right. Its size is
    /// [`TermStore::weight`], which may be much more than the term shares in the store.
    pub fn write_out(&self, term: TermId) -> Interaction {
        let mut nodes = Vec::new();
        self.write_node(term, &mut nodes);
        Interaction::new(nodes)
            .unwrap_or_else(|_| unreachable!("operands are written before operators"))
    }

    fn write_node(&self, term: TermId, nodes: &mut Vec<Node>) -> NodeId {
        with_stack(|| {
            let mut write = |term: TermId| self.write_node(term, nodes);
            let node = match self.term(term) {
                Term::Empty => Node::Empty,
                Term::Step(step) => Node::Step(self.step_of(*step).clone()),
                Term::Strict(a, b) => Node::Strict(write(*a), write(*b)),
                Term::CoReg(Self::NO_LIFELINES, a, b) => Node::Seq(write(*a), write(*b)),
                Term::CoReg(region, a, b) => {
                    Node::CoReg(self.region_set(*region).clone(), write(*a), write(*b))
                }
                Term::Par(parts) => self.write_folded(parts, Node::Par, nodes),
                Term::Alt(parts) => self.write_folded(parts, Node::Alt, nodes),
                Term::Loop(kind, body) => Node::Loop(self.loop_kind(*kind), write(*body)),
            };
            nodes.push(node);
            NodeId::new(nodes.len() - 1)
        })
    }

    /// The outermost node of two or more parts; the inner nodes are pushed.
    fn write_folded(
        &self,
        parts: &[TermId],
        operator: fn(NodeId, NodeId) -> Node,
        nodes: &mut Vec<Node>,
    ) -> Node {
        let written: Vec<_> = parts.iter().map(|&part| self.write_node(part, nodes)).collect();
        let (first, rest) = written.split_first().expect("flat operators have operands");
        let (last, middle) = rest.split_last().expect("flat operators have two operands");
        let tail = middle.iter().rev().fold(*last, |tail, &part| {
            nodes.push(operator(part, tail));
            NodeId::new(nodes.len() - 1)
        });
        operator(*first, tail)
    }

    fn loop_kind(&self, kind: LoopTerm) -> LoopKind {
        match kind {
            LoopTerm::Strict => LoopKind::Strict,
            LoopTerm::CoReg(Self::NO_LIFELINES) => LoopKind::Weak,
            LoopTerm::CoReg(region) => LoopKind::CoReg(self.region_set(region).clone()),
            LoopTerm::Parallel => LoopKind::Parallel,
            LoopTerm::HeadFirst => LoopKind::HeadFirst,
        }
    }

    /// Whether the term accepts the empty trace.
    ///
    /// # Panics
    /// If the id is not of this store.
    pub fn is_nullable(&self, id: TermId) -> bool {
        self.facts[id.index()].nullable
    }

    /// The lifelines the actions of a term happen at.
    ///
    /// # Panics
    /// If the id is not of this store.
    pub fn lifelines(&self, id: TermId) -> &LifelineSet {
        self.region_set(self.facts[id.index()].lifelines)
    }

    /// How many operators and steps the term has when written out, without sharing; `u32::MAX`
    /// when there are more.
    ///
    /// # Panics
    /// If the id is not of this store.
    pub fn weight(&self, id: TermId) -> u32 {
        self.facts[id.index()].weight
    }

    /// The loops of a term.
    ///
    /// # Panics
    /// If the id is not of this store.
    pub fn loop_facts(&self, id: TermId) -> LoopFacts {
        self.facts[id.index()].loops
    }

    /// The step of an id.
    ///
    /// # Panics
    /// If the id is not of this store.
    pub fn step_of(&self, id: StepId) -> &Step {
        &self.steps[id.index()]
    }

    /// Every step that has been interned, in order.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = StepId> + use<> {
        (0..self.steps.len()).map(StepId::new)
    }

    /// The id of a set of lifelines.
    pub fn region(&mut self, set: LifelineSet) -> RegionId {
        RegionId::new(match self.regions.get_index_of(&set) {
            Some(index) => index,
            None => {
                self.effort.keep(size_of::<LifelineSet>() + ENTRY_BYTES + set.heap_bytes());
                self.regions.insert_full(set).0
            }
        })
    }

    /// The set of lifelines of an id.
    ///
    /// # Panics
    /// If the id is not of this store.
    pub fn region_set(&self, id: RegionId) -> &LifelineSet {
        &self.regions[id.index()]
    }

    /// The lifelines of a step, as a region.
    pub(crate) fn step_region(&self, id: StepId) -> RegionId {
        self.step_lifelines[id.index()]
    }

    /// The term of one step.
    pub fn step(&mut self, step: Step) -> TermId {
        let step = self.intern_step(step);
        self.add(Term::Step(step))
    }

    /// The id of a step.
    pub(crate) fn intern_step(&mut self, step: Step) -> StepId {
        let index = match self.steps.get_index_of(&step) {
            Some(index) => index,
            None => {
                let lifelines = step.lifelines();
                let last = lifelines.iter().last().map_or(0, Id::index);
                self.lifeline_count = self.lifeline_count.max(last + 1);
                let lifelines = self.region(lifelines);
                self.step_lifelines.push(lifelines);
                self.steps.insert_full(step).0
            }
        };
        StepId::new(index)
    }

    /// Adds a term that is in normal form already.
    pub(crate) fn add(&mut self, term: Term) -> TermId {
        self.effort.spend(1);
        if let Some(index) = self.terms.get_index_of(&term) {
            return TermId::new(index);
        }
        if let Term::Par(parts) | Term::Alt(parts) = &term {
            self.operand_count += parts.len();
        }
        let facts = self.facts_of(&term);
        self.facts.push(facts);
        let operands = match &term {
            Term::Par(parts) | Term::Alt(parts) => size_of_val(&**parts),
            _ => 0,
        };
        self.effort.keep(size_of::<Term>() + size_of::<Facts>() + ENTRY_BYTES + operands);
        TermId::new(self.terms.insert_full(term).0)
    }

    fn facts_of(&mut self, term: &Term) -> Facts {
        let nullable = match term {
            Term::Empty | Term::Loop(..) => true,
            Term::Step(_) => false,
            Term::Strict(a, b) | Term::CoReg(_, a, b) => {
                self.is_nullable(*a) && self.is_nullable(*b)
            }
            Term::Par(parts) => parts.iter().all(|&part| self.is_nullable(part)),
            Term::Alt(parts) => parts.iter().any(|&part| self.is_nullable(part)),
        };
        let lifelines = match term {
            Term::Empty => Self::NO_LIFELINES,
            Term::Step(step) => self.step_region(*step),
            Term::Loop(_, body) => self.facts[body.index()].lifelines,
            Term::Strict(a, b) | Term::CoReg(_, a, b) => self.joint_lifelines(&[*a, *b]),
            Term::Par(parts) | Term::Alt(parts) => self.joint_lifelines(parts),
        };
        let weight = match term {
            Term::Empty | Term::Step(_) => 1,
            Term::Loop(_, body) => self.joint_weight(&[*body]),
            Term::Strict(a, b) | Term::CoReg(_, a, b) => self.joint_weight(&[*a, *b]),
            Term::Par(parts) | Term::Alt(parts) => self.joint_weight(parts),
        };
        Facts {
            nullable,
            lifelines,
            weight,
            key: self.key_of(term),
            loops: self.loop_facts_of(term),
        }
    }

    /// The key of a term. Operands of `par` and `alt` are stored in the order of their ids, so their keys are added.
    fn key_of(&self, term: &Term) -> u64 {
        let key = |part: &TermId| self.facts[part.index()].key;
        let sum = |parts: &[TermId]| parts.iter().map(key).fold(0, u64::wrapping_add);
        let mut hasher = FxHasher::default();
        std::mem::discriminant(term).hash(&mut hasher);
        match term {
            Term::Empty => {}
            Term::Step(step) => self.step_of(*step).hash(&mut hasher),
            Term::Strict(a, b) => (key(a), key(b)).hash(&mut hasher),
            Term::CoReg(region, a, b) => {
                (self.region_set(*region), key(a), key(b)).hash(&mut hasher);
            }
            Term::Par(parts) | Term::Alt(parts) => sum(parts).hash(&mut hasher),
            Term::Loop(kind, body) => {
                std::mem::discriminant(kind).hash(&mut hasher);
                if let LoopTerm::CoReg(region) = kind {
                    self.region_set(*region).hash(&mut hasher);
                }
                key(body).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// Whether a term comes before another in an order that is the same in every store.
    pub(crate) fn precedes(&self, a: TermId, b: TermId) -> bool {
        self.facts[a.index()].key < self.facts[b.index()].key
    }

    fn loop_facts_of(&self, term: &Term) -> LoopFacts {
        let of = |&part: &TermId| self.facts[part.index()].loops;
        match term {
            Term::Empty => LoopFacts::default(),
            Term::Step(step) => {
                let actions_outside = self.step_of(*step).actions().len() as u32;
                LoopFacts { actions_outside, ..LoopFacts::default() }
            }
            Term::Loop(_, body) => {
                let LoopFacts { depth, count, .. } = of(body);
                let (depth, count) = (depth.saturating_add(1), count.saturating_add(1));
                LoopFacts { depth, count, actions_outside: 0 }
            }
            Term::Strict(a, b) | Term::CoReg(_, a, b) => of(a).and(of(b)),
            Term::Par(parts) => parts.iter().map(of).fold(LoopFacts::default(), LoopFacts::and),
            Term::Alt(parts) => parts.iter().map(of).fold(LoopFacts::default(), LoopFacts::or),
        }
    }

    /// Counts work on this many sets of lifelines.
    pub(crate) fn spend_on_sets(&mut self, sets: usize) {
        // To copy this much of a set takes about as long as to look at a term.
        const LIFELINES_PER_UNIT: usize = 256;
        self.effort.spend(sets * (1 + self.lifeline_count / LIFELINES_PER_UNIT));
    }

    fn joint_weight(&self, parts: &[TermId]) -> u32 {
        parts.iter().fold(1, |sum: u32, &part| sum.saturating_add(self.weight(part)))
    }

    fn joint_lifelines(&mut self, parts: &[TermId]) -> RegionId {
        let first = self.facts[parts[0].index()].lifelines;
        if parts.iter().all(|part| self.facts[part.index()].lifelines == first) {
            return first;
        }
        self.spend_on_sets(parts.len());
        let mut all = self.lifelines(parts[0]).clone();
        parts[1..].iter().for_each(|&part| all.extend(self.lifelines(part)));
        self.region(all)
    }
}

/// Runs a recursive function over terms, with more stack if little is left: a specification of
/// 100,000 messages in a row is a term of that depth.
pub(crate) fn with_stack<R>(run: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, run)
}
