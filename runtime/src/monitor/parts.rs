//! The parts of a specification that have one location in common and no other: clients of one server, say.
//
// Idea: the operands of an outermost `par` that share a location beside the common one belong to one part.
//
// Invariant: each operand is in one part, and no location but the common one is in two. No step acts twice at that one.
//
// Cost: once per specification, linear in its nodes for each location that may be the common one.

use crate::disjoint_sets::DisjointSets;
use crate::lazy_automaton::{LazyAutomaton, SharedLazyAutomaton, Traces};
use multitrace_interaction::{
    Alphabet, Id, Interaction, LocationId, Locations, Node, NodeId, Signature, Stop,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many locations are tried as the common one, those of the most operands first (an estimate: servers are few).
const MOST_TRIED: usize = 8;

/// A specification in parts.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The location that they share.
    pub(crate) common: LocationId,
    /// Per part, its other locations.
    pub(crate) own: Vec<Vec<LocationId>>,
    /// An automaton with an initial state for each part.
    terms: SharedLazyAutomaton,
}

impl Parts {
    /// The parts of an interaction, if it has two or more.
    pub(crate) fn of(
        (signature, interaction): &(Signature, Interaction),
        alphabet: &Alphabet,
    ) -> Option<Parts> {
        let operands = operands(interaction);
        let locations = alphabet.locations_of(signature);
        let uses: Vec<BTreeSet<LocationId>> =
            operands.iter().map(|nodes| used(interaction, nodes, &locations)).collect();
        let (common, groups) = grouped(&uses)?;
        if interaction.nodes().iter().any(|node| is_twice_at(node, common, &locations)) {
            return None;
        }
        let own = |group: &Vec<usize>| {
            let all: BTreeSet<_> = group.iter().flat_map(|&it| &uses[it]).copied().collect();
            all.into_iter().filter(|&it| it != common).collect()
        };
        let own = groups.iter().map(own).collect();
        let part = |group: &Vec<usize>| {
            joined(interaction, group.iter().map(|&it| operands[it].as_slice()))
        };
        let parts: Vec<Interaction> = groups.iter().map(part).collect();
        let terms = SharedLazyAutomaton::new((signature.clone(), parts), alphabet, Traces::Enough);
        Some(Parts { common, own, terms })
    }

    /// The automaton of all parts, until `stop` says that the time of a session is over.
    pub(crate) fn terms(&self, alphabet: &Alphabet, stop: Option<Stop>) -> LazyAutomaton {
        self.terms.acquire(alphabet, stop)
    }

    /// How often that automaton was replaced.
    pub(crate) fn cleared(&self) -> u64 {
        self.terms.cleared()
    }
}

/// The nodes of each operand of the outermost `par`, in order.
fn operands(interaction: &Interaction) -> Vec<Vec<NodeId>> {
    let (mut operands, mut todo) = (Vec::new(), vec![interaction.root()]);
    while let Some(node) = todo.pop() {
        match interaction.node(node) {
            Node::Par(a, b) => todo.extend([*b, *a]),
            _ => operands.push(below(interaction, node)),
        }
    }
    operands
}

/// A node and all below it, operands before operators.
fn below(interaction: &Interaction, root: NodeId) -> Vec<NodeId> {
    let (mut nodes, mut todo) = (Vec::new(), vec![root]);
    while let Some(node) = todo.pop() {
        nodes.push(node);
        todo.extend(interaction.node(node).children());
    }
    nodes.sort_unstable();
    nodes
}

fn used(
    interaction: &Interaction,
    nodes: &[NodeId],
    locations: &Locations,
) -> BTreeSet<LocationId> {
    let actions = nodes.iter().flat_map(|&node| match interaction.node(node) {
        Node::Step(step) => step.actions(),
        _ => &[],
    });
    actions.map(|action| locations.of(action.lifeline)).collect()
}

/// Whether a step has two actions at a location: no event of another part can come between them.
fn is_twice_at(node: &Node, location: LocationId, locations: &Locations) -> bool {
    let Node::Step(step) = node else { return false };
    let own = step.actions().iter().filter(|it| locations.of(it.lifeline) == location);
    own.count() > 1
}

/// The common location, and the operands of each part: of all common locations the one that leaves the most parts.
fn grouped(uses: &[BTreeSet<LocationId>]) -> Option<(LocationId, Vec<Vec<usize>>)> {
    let mut users: BTreeMap<LocationId, usize> = BTreeMap::new();
    uses.iter().flatten().for_each(|&it| *users.entry(it).or_default() += 1);
    let mut tried: Vec<LocationId> = users.keys().copied().collect();
    tried.sort_by_key(|it| std::cmp::Reverse(users[it]));
    let tried = tried.into_iter().take(MOST_TRIED);
    let all = tried.map(|common| (common, groups(uses, common)));
    all.rev().max_by_key(|(_, groups)| groups.len()).filter(|(_, groups)| groups.len() > 1)
}

/// The operands that share locations beside the common one, together.
fn groups(uses: &[BTreeSet<LocationId>], common: LocationId) -> Vec<Vec<usize>> {
    let mut sets = DisjointSets::new(uses.len());
    let mut first: BTreeMap<LocationId, usize> = BTreeMap::new();
    for (operand, used) in uses.iter().enumerate() {
        for &location in used.iter().filter(|&&it| it != common) {
            sets.join(operand, *first.entry(location).or_insert(operand));
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..uses.len()).for_each(|it| groups.entry(sets.find(it)).or_default().push(it));
    groups.into_values().collect()
}

/// The `par` of some operands.
fn joined<'a>(
    interaction: &Interaction,
    operands: impl Iterator<Item = &'a [NodeId]>,
) -> Interaction {
    let (mut nodes, mut last) = (Vec::new(), None);
    for operand in operands {
        let start = nodes.len();
        let id = |old: NodeId| {
            let rank = operand.binary_search(&old).expect("operands are below their operator");
            NodeId::new(start + rank)
        };
        nodes.extend(operand.iter().map(|&node| interaction.node(node).with_children(id)));
        let root = NodeId::new(nodes.len() - 1);
        last = Some(last.map_or(root, |before| {
            nodes.push(Node::Par(before, root));
            NodeId::new(nodes.len() - 1)
        }));
    }
    Interaction::new(nodes).expect("operands are trees")
}
