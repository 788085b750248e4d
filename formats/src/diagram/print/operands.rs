//! The operands of operators that are associative, as one list.

use multitrace_interaction::{Interaction, LifelineSet, Node, NodeId};

/// An operator that is associative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Associative {
    Strict,
    /// A weak sequence; a coregion without lifelines is a weak sequence.
    Seq,
    Par,
    Alt,
}

impl Associative {
    pub(super) fn is_of(self, node: &Node) -> bool {
        match node {
            Node::Strict(..) => self == Associative::Strict,
            Node::Seq(..) => self == Associative::Seq,
            Node::CoReg(region, ..) => self == Associative::Seq && region.is_empty(),
            Node::Par(..) => self == Associative::Par,
            Node::Alt(..) => self == Associative::Alt,
            Node::Empty | Node::Step(_) | Node::Loop(..) => false,
        }
    }
}

/// The operands of nested nodes of one kind, left to right, without empty ones where those change
/// nothing. A node of another kind is its own only operand.
pub(super) fn flat(interaction: &Interaction, root: NodeId, kind: Associative) -> Vec<NodeId> {
    let mut operands = Vec::new();
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        match interaction.node(id) {
            Node::Empty if kind != Associative::Alt => {}
            node if kind.is_of(node) => {
                let first = todo.len();
                todo.extend(node.children());
                todo[first..].reverse();
            }
            _ => operands.push(id),
        }
    }
    operands
}

/// The operands of a coregion and of those with the same region nested on its right.
pub(super) fn of_region(interaction: &Interaction, root: NodeId) -> Vec<NodeId> {
    let mut operands = Vec::new();
    let mut at = root;
    while let Node::CoReg(region, left, right) = interaction.node(at) {
        if !matches!(interaction.node(root), Node::CoReg(own, ..) if own == region) {
            break;
        }
        operands.push(*left);
        at = *right;
    }
    operands.push(at);
    operands
}

/// The lifelines that do something below a node.
pub(super) fn lifelines(interaction: &Interaction, root: NodeId) -> LifelineSet {
    let mut found = LifelineSet::new();
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        let node = interaction.node(id);
        if let Node::Step(step) = node {
            for action in step.actions() {
                found.insert(action.lifeline);
            }
        }
        todo.extend(node.children());
    }
    found
}
