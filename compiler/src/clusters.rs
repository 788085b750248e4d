//! Clusters: parts of an interaction that are looked at alone, with everything else hidden.
//
// Idea: an operand of `par` does what it does whatever its neighbours do, so whether its events fit
// together can be seen without the interleavings with theirs. Its letters are told from the
// letters of the rest, so only those count that occur nowhere else.
//
// Invariant: hiding letters over-approximates. For every accepted trace, what is left of it is a
// trace of the interaction with the other letters left out: this holds for a step, and every
// operator keeps it, since fewer letters mean fewer orders between them. Only head-first loops need
// care: their first letter may be hidden, so they become weak, which accepts more.
//
// Cost: a copy of the interaction for each candidate, within `MOST_COPIED`.

use multitrace_interaction::{Action, Id, Interaction, LoopKind, Node, NodeId, Step};
use std::collections::{BTreeMap, BTreeSet};

/// The most nodes that are copied for candidates: a tenth of a second. It leaves out parts of
/// specifications with thousands of messages only. An estimate, not measured.
const MOST_COPIED: usize = 1_000_000;

/// A part of an interaction, and the interaction with everything else hidden.
pub(crate) struct Part {
    pub(crate) node: NodeId,
    /// The actions of the part that occur nowhere else.
    pub(crate) actions: BTreeSet<Action>,
    pub(crate) interaction: Interaction,
}

/// The parts that may become clusters, one after the other.
pub(crate) struct Candidates<'a> {
    interaction: &'a Interaction,
    /// How often each action occurs.
    counts: BTreeMap<Action, usize>,
    /// What is to be tried, the next one last.
    todo: Vec<NodeId>,
    /// What was tried.
    seen: BTreeSet<BTreeSet<Action>>,
}

impl<'a> Candidates<'a> {
    /// The operands of all `par`. Unless the whole interaction has an automaton, its largest
    /// parts, too.
    pub(crate) fn new(interaction: &'a Interaction, is_whole: bool) -> Candidates<'a> {
        let mut counts = BTreeMap::new();
        interaction.actions().for_each(|action| *counts.entry(action).or_default() += 1);
        let is_par = |node: &NodeId| matches!(interaction.node(*node), Node::Par(..));
        let pars = (0..interaction.nodes().len()).map(NodeId::new).filter(is_par);
        let operands = pars.flat_map(|par| interaction.node(par).children());
        let mut todo: Vec<_> = operands.filter(|operand| !is_par(operand)).collect();
        if !is_whole {
            todo.extend(interaction.node(interaction.root()).children());
        }
        Candidates { interaction, counts, todo, seen: BTreeSet::new() }
    }

    /// Tries the operands of a part that is too large.
    pub(crate) fn split(&mut self, part: NodeId) {
        self.todo.extend(self.interaction.node(part).children());
    }

    fn part(&self, node: NodeId) -> Part {
        let actions = self.own_actions(node);
        Part { node, interaction: restricted(self.interaction, &actions), actions }
    }

    /// The actions that occur below a node and nowhere else.
    fn own_actions(&self, node: NodeId) -> BTreeSet<Action> {
        let mut here = BTreeMap::<Action, usize>::new();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            let node = self.interaction.node(node);
            if let Node::Step(step) = node {
                step.actions().iter().for_each(|&action| *here.entry(action).or_default() += 1);
            }
            todo.extend(node.children());
        }
        let is_own = |(action, count): (Action, usize)| {
            (self.counts.get(&action) == Some(&count)).then_some(action)
        };
        here.into_iter().filter_map(is_own).collect()
    }
}

impl Iterator for Candidates<'_> {
    type Item = Part;

    /// The next part whose actions were not tried before.
    fn next(&mut self) -> Option<Part> {
        while self.seen.len() * self.interaction.nodes().len() < MOST_COPIED {
            let node = self.todo.pop()?;
            let part = self.part(node);
            if self.seen.insert(part.actions.clone()) {
                return Some(part);
            }
        }
        None
    }
}

/// The interaction with all other actions hidden.
fn restricted(interaction: &Interaction, actions: &BTreeSet<Action>) -> Interaction {
    let nodes = interaction.nodes().iter().map(|node| match node {
        Node::Step(step) => {
            let left = step.actions().iter().copied().filter(|action| actions.contains(action));
            Step::new(left.collect::<Vec<_>>()).map_or(Node::Empty, Node::Step)
        }
        Node::Loop(LoopKind::HeadFirst, body) => Node::Loop(LoopKind::Weak, *body),
        node => node.clone(),
    });
    Interaction::new(nodes.collect()).expect("the shape of a tree is kept")
}
