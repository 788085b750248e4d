//! An exploration while it grows.
//
// A node is a term with the positions in the logs of a session, if there are any. When it is found, its
// derivatives become steps that wait; a strategy says which of them is followed next. So each step is
// followed, or it is cut and the node says so.
//
// With equal nodes merged, a node can be found again nearer to the first ones. Then its steps wait once
// more, since the limit of depth may let them pass now. Repetitions of loops are a part of a node where
// they are limited: the steps of a node depend on them then.

use crate::explore::frontier::{Frontier, Waiting};
use crate::explore::logs::Logs;
use crate::explore::options::ExploreOptions;
use crate::explore::written::{as_it_is, written};
use multitrace_interaction::{Interaction, Signature, StepId, TermId, TermStore, WorkLimit};
use multitrace_reports::exploration::{Branch, Cut, CutReason, Exploration, ExploredNode, PathEnd};
use std::collections::{BTreeMap, BTreeSet};

/// The most work to find the next steps of one node, see [`WorkLimit`]: a second or so.
const MOST_WORK: u64 = 5_000_000;

/// The term, the positions and the repetitions that make a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    term: TermId,
    positions: Vec<usize>,
    /// Zero where loops are not limited.
    loops: u32,
}

/// A node with its key, and the steps that limits cut off.
struct Grown {
    key: Key,
    cuts: BTreeMap<CutReason, BTreeSet<StepId>>,
}

/// An exploration that grows.
pub(crate) struct Growth<'a> {
    pub(crate) store: TermStore,
    signature: &'a Signature,
    options: &'a ExploreOptions,
    logs: Logs,
    frontier: Frontier,
    known: BTreeMap<Key, usize>,
    grown: Vec<Grown>,
    seen: BTreeSet<(usize, usize, StepId)>,
    is_over: bool,
    /// The first node, as it was written.
    root: Option<(Option<Interaction>, String)>,
    found: Exploration,
}

impl<'a> Growth<'a> {
    pub(crate) fn new(
        store: TermStore,
        signature: &'a Signature,
        options: &'a ExploreOptions,
        logs: Logs,
    ) -> Growth<'a> {
        let frontier = Frontier::new(options.strategy);
        let (known, grown, seen, root, found) = Default::default();
        Growth {
            store,
            signature,
            options,
            logs,
            frontier,
            known,
            grown,
            seen,
            is_over: false,
            root,
            found,
        }
    }

    /// Shows the first node as it was written.
    pub(crate) fn showing(mut self, interaction: &Interaction) -> Growth<'a> {
        self.root = as_it_is(interaction, self.signature);
        self
    }

    /// Explores from these terms on.
    pub(crate) fn explore(mut self, roots: impl IntoIterator<Item = TermId>) -> Exploration {
        for term in roots {
            let key = Key { term, positions: self.logs.start(), loops: 0 };
            self.add_node(key, 0, 0, None);
        }
        while let Some(waiting) = self.frontier.take() {
            self.follow(waiting);
        }
        self.finish()
    }

    fn follow(&mut self, waiting: Waiting) {
        let Waiting { from, step, residual, loops } = waiting;
        if self.is_over {
            return self.cut(from, CutReason::First, step);
        }
        let before = &self.found.nodes[from];
        let (depth, loops) = (before.depth + 1, before.loops.saturating_add(loops));
        let actions = self.store.step_of(step).actions();
        let positions = self.logs.after(&self.grown[from].key.positions, actions);
        let Some(positions) = positions else { return };
        let limited_loops = if self.options.loops.is_some() { loops } else { 0 };
        let key = Key { term: residual, positions, loops: limited_loops };
        let to = match self.known.get(&key) {
            Some(&to) => {
                self.come_nearer(to, depth);
                to
            }
            None if self.found.nodes.len() >= self.options.nodes => {
                return self.cut(from, CutReason::Nodes, step);
            }
            None => self.add_node(key, depth, loops, Some(self.found.branches.len())),
        };
        if self.seen.insert((from, to, step)) {
            let action = self.step_text(step);
            self.found.branches.push(Branch { from, to, action });
        }
    }

    fn add_node(&mut self, key: Key, depth: usize, loops: u32, reached_by: Option<usize>) -> usize {
        let id = self.found.nodes.len();
        let (interaction, term) =
            self.root.take().unwrap_or_else(|| written(&self.store, key.term, self.signature));
        let can_end = self.store.is_nullable(key.term);
        let logs = self.logs.rest(&key.positions);
        let (cuts, end) = (Vec::new(), None);
        self.found.nodes.push(ExploredNode {
            interaction,
            term,
            depth,
            loops,
            reached_by,
            can_end,
            cuts,
            logs,
            end,
        });
        if self.options.merge {
            self.known.insert(key.clone(), id);
        }
        self.grown.push(Grown { key, cuts: BTreeMap::new() });
        self.expand(id);
        id
    }

    /// A known node is reached by a shorter way.
    fn come_nearer(&mut self, node: usize, depth: usize) {
        if depth < self.found.nodes[node].depth {
            self.found.nodes[node].depth = depth;
            self.grown[node].cuts.clear();
            self.expand(node);
        }
    }

    /// Lets the steps of a node wait that no limit cuts.
    fn expand(&mut self, node: usize) {
        let key = self.grown[node].key.clone();
        let limit = &mut WorkLimit::work(MOST_WORK);
        let Some(derivatives) = self.store.within(limit, |store| store.derivatives(key.term))
        else {
            self.grown[node].cuts.entry(CutReason::Work).or_default();
            return;
        };
        let (depth, loops) = (self.found.nodes[node].depth, self.found.nodes[node].loops);
        let mut steps = Vec::new();
        let mut is_stuck = true;
        for derivative in &*derivatives {
            let actions = self.store.step_of(derivative.step).actions();
            if self.logs.after(&key.positions, actions).is_none() {
                continue;
            }
            is_stuck = false;
            let (step, residual, begun) = (derivative.step, derivative.residual, derivative.loops);
            match self.limit(depth, loops.saturating_add(begun), step) {
                Some(reason) => self.cut(node, reason, step),
                None => steps.push(Waiting { from: node, step, residual, loops: begun }),
            }
        }
        self.frontier.add(steps);
        if is_stuck {
            self.end(node, &key);
        }
    }

    /// The limit that forbids a step from a node of this depth.
    fn limit(&self, depth: usize, loops: u32, step: StepId) -> Option<CutReason> {
        let ExploreOptions { only, depth: deepest, loops: most_loops, .. } = self.options;
        if let Some(only) = only
            && !self.store.step_of(step).lifelines().is_subset(only)
        {
            return Some(CutReason::Only);
        }
        if most_loops.is_some_and(|most| loops > most) {
            return Some(CutReason::Loops);
        }
        deepest.is_some_and(|deepest| depth >= deepest).then_some(CutReason::Depth)
    }

    fn cut(&mut self, node: usize, reason: CutReason, step: StepId) {
        self.grown[node].cuts.entry(reason).or_default().insert(step);
    }

    /// A path ends: no event of the session can happen next.
    fn end(&mut self, node: usize, key: &Key) {
        if !self.logs.are_there() {
            return;
        }
        let can_end = self.found.nodes[node].can_end;
        let end = match self.logs.ended(&key.positions) {
            ended if ended.all && can_end => PathEnd::Covered,
            ended if ended.all => PathEnd::TooShort,
            ended if ended.some => PathEnd::LackOfObservation,
            _ => PathEnd::Out,
        };
        self.found.nodes[node].end = Some(end);
        self.is_over |= self.options.first && end == PathEnd::Covered;
    }

    fn step_text(&self, step: StepId) -> String {
        step_text(&self.store, self.signature, step)
    }

    fn finish(mut self) -> Exploration {
        for (node, grown) in self.grown.iter().enumerate() {
            let text = |step: &StepId| self.step_text(*step);
            let cut = |(&reason, steps): (&CutReason, &BTreeSet<StepId>)| Cut {
                reason,
                actions: steps.iter().map(text).collect(),
            };
            self.found.nodes[node].cuts = grown.cuts.iter().map(cut).collect();
        }
        self.found
    }
}

/// A step as text: `a!m`, or `{a!m, b?m}` for several actions.
pub(crate) fn step_text(store: &TermStore, signature: &Signature, step: StepId) -> String {
    let actions = store.step_of(step).actions();
    let texts: Vec<String> = actions.iter().map(|&action| signature.action_text(action)).collect();
    match &texts[..] {
        [only] => only.clone(),
        several => format!("{{{}}}", several.join(", ")),
    }
}
