//! Clusters: parts of an interaction that are looked at alone, with everything else hidden. They are operands of
//! `par`, and pairs of locations.
//
// Idea: an operand of `par` does what it does whatever its neighbours do, so whether its events fit
// together can be seen without the interleavings with theirs. Its letters are told from the
// letters of the rest, so only those count that occur nowhere else. And where two locations disagree, that
// can be seen without what the others do in between.
//
// Invariant: hiding letters over-approximates. For every accepted trace, what is left of it is a
// trace of the interaction with the other letters left out: this holds for a step, and every
// operator keeps it, since fewer letters mean fewer orders between them. Only head-first loops need
// care: their first letter may be hidden, so they become weak, which accepts more.
//
// Cost: a copy of the interaction for each candidate, within `MOST_COPIED`.

use multitrace_interaction::{
    Action, Id, Interaction, Locations, LoopKind, MessageId, Node, NodeId, Step,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most nodes that are copied for candidates: a tenth of a second. It leaves out parts of
/// specifications with thousands of messages only. An estimate, not measured.
const MOST_COPIED: usize = 1_000_000;

/// What the automaton of a cluster keeps of its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// The multi-traces, with as few interleavings as will do: they refute.
    MultiTraces,
    /// All global traces of the part as it was written: they say what must come before what. Linearised
    /// terms order more than the diagram does.
    GlobalTraces,
}

/// The most pairs of locations that are looked at: those that exchange messages, since most disagreements are between two. A
/// message to everyone makes many pairs.
const MOST_PAIRS: usize = 1_000;

/// A part of an interaction, and the interaction with everything else hidden.
pub(crate) struct Part {
    /// What to split if the part is too large; none for the letters of two locations.
    pub(crate) node: Option<NodeId>,
    /// Its actions: of an operand those that occur nowhere else.
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
    pairs: Pairs,
    /// What was tried.
    seen: BTreeSet<BTreeSet<Action>>,
}

impl<'a> Candidates<'a> {
    /// The operands of all `par`. Unless the whole interaction has an automaton, its largest
    /// parts, too. Then the locations that exchange messages, two at a time.
    pub(crate) fn new(
        interaction: &'a Interaction,
        locations: &Locations,
        is_whole: bool,
    ) -> Candidates<'a> {
        let mut counts = BTreeMap::new();
        interaction.actions().for_each(|action| *counts.entry(action).or_default() += 1);
        let is_par = |node: &NodeId| matches!(interaction.node(*node), Node::Par(..));
        let pars = (0..interaction.nodes().len()).map(NodeId::new).filter(is_par);
        let operands = pars.flat_map(|par| interaction.node(par).children());
        let mut todo: Vec<_> = operands.filter(|operand| !is_par(operand)).collect();
        if !is_whole {
            todo.extend(interaction.node(interaction.root()).children());
        }
        let pairs = Pairs::new(interaction, locations);
        // The whole is searched anyway.
        let whole = is_whole.then(|| interaction.actions().collect());
        Candidates { interaction, counts, todo, pairs, seen: whole.into_iter().collect() }
    }

    /// Tries the operands of a part that is too large.
    pub(crate) fn split(&mut self, part: NodeId) {
        self.todo.extend(self.interaction.node(part).children());
    }

    fn part(&self, node: Option<NodeId>, actions: BTreeSet<Action>) -> Part {
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
            let (node, actions) = match self.todo.pop() {
                Some(node) => (Some(node), self.own_actions(node)),
                None => (None, self.pairs.next()?),
            };
            if self.seen.insert(actions.clone()) {
                return Some(self.part(node, actions));
            }
        }
        None
    }
}

/// Locations two at a time, and what they do.
#[derive(Debug, Default)]
struct Pairs {
    /// Those that exchange messages, the next one last.
    todo: Vec<(usize, usize)>,
    /// Per location, its actions.
    own: BTreeMap<usize, BTreeSet<Action>>,
}

impl Pairs {
    fn new(interaction: &Interaction, locations: &Locations) -> Pairs {
        let mut users = BTreeMap::<MessageId, BTreeSet<usize>>::new();
        let mut own = BTreeMap::<usize, BTreeSet<Action>>::new();
        for action in interaction.actions() {
            let location = locations.of(action.lifeline).index();
            users.entry(action.message).or_default().insert(location);
            own.entry(location).or_default().insert(action);
        }
        let mut pairs = BTreeSet::new();
        for of in users.values() {
            for (at, &one) in of.iter().enumerate() {
                let left = MOST_PAIRS.saturating_sub(pairs.len());
                pairs.extend(of.iter().skip(at + 1).map(|&other| (one, other)).take(left));
            }
        }
        Pairs { todo: pairs.into_iter().rev().collect(), own }
    }
}

impl Iterator for Pairs {
    type Item = BTreeSet<Action>;

    fn next(&mut self) -> Option<BTreeSet<Action>> {
        let (one, other) = self.todo.pop()?;
        Some(&self.own[&one] | &self.own[&other])
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

#[cfg(test)]
mod tests {
    use super::*;
    use multitrace_interaction::{ActionKind, LifelineId, Signature};

    #[test]
    fn candidates_are_as_many_as_a_million_copied_nodes_allow() {
        let mut signature = Signature::default();
        let lifeline: LifelineId = signature.intern_lifeline("l");
        let mut nodes = Vec::new();
        for number in 0..1_000 {
            let message = signature.intern_message(&format!("m{number}"));
            let action = Action { lifeline, kind: ActionKind::Emission, message };
            nodes.push(Node::Step(Step::single(action)));
        }
        let mut whole = NodeId::new(0);
        for number in 1..1_000 {
            nodes.push(Node::Par(whole, NodeId::new(number)));
            whole = NodeId::new(nodes.len() - 1);
        }
        nodes.push(Node::Loop(LoopKind::Strict, whole));
        assert_eq!(nodes.len(), 2_000);
        let interaction = Interaction::new(nodes).expect("a tree");
        let locations = Locations::discrete(&signature);
        assert_eq!(Candidates::new(&interaction, &locations, false).count(), 500);
    }
}
