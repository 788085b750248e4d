//! Which emission and which receptions are one message passing.
//
// The parser gives all nodes of `a -- m -> (b, c)` the place of the passing. So a `strict` with the
// place of its left operand is a passing, and the steps below it with that place are its ends.

use super::written::WrittenSpec;
use multitrace_interaction::{Action, ActionKind, Id, LifelineId, Node, NodeId, Step};

/// The other ends of messages.
pub(super) struct Passings {
    /// The lifeline at the other end of the single action of a step, by node; none for a message from or
    /// to outside.
    partners: Vec<Vec<LifelineId>>,
}

impl Passings {
    pub(super) fn new(spec: &WrittenSpec<'_>) -> Passings {
        let nodes = spec.parsed.interaction.nodes();
        let mut partners = vec![Vec::new(); nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let Node::Strict(emission, right) = *node else { continue };
            let span = spec.parsed.spans[index];
            let Some(sent) = single(&nodes[emission.index()]) else { continue };
            if spec.span(emission) != span {
                continue;
            }
            for reception in receptions(spec, right) {
                if let Some(received) = single(&nodes[reception.index()]) {
                    partners[reception.index()].push(sent.lifeline);
                    partners[emission.index()].push(received.lifeline);
                }
            }
        }
        Passings { partners }
    }

    /// The sender of the message that a step receives on its own.
    pub(super) fn sender(&self, node: NodeId, action: Action) -> Option<LifelineId> {
        let partners = &self.partners[node.index()];
        (action.kind == ActionKind::Reception).then_some(partners.first().copied()).flatten()
    }

    /// The lifelines at the other end of an action of a step.
    pub(super) fn partners(&self, node: NodeId, step: &Step, action: Action) -> Vec<LifelineId> {
        if step.actions().len() == 1 {
            return self.partners[node.index()].clone();
        }
        let others = step
            .actions()
            .iter()
            .filter(|other| other.message == action.message && other.kind != action.kind);
        others.map(|other| other.lifeline).collect()
    }
}

fn single(node: &Node) -> Option<Action> {
    let Node::Step(step) = node else { return None };
    let &[action] = step.actions() else { return None };
    Some(action)
}

/// The receptions of a passing, whose right operand this is.
fn receptions(spec: &WrittenSpec<'_>, right: NodeId) -> Vec<NodeId> {
    let (span, mut found, mut at) = (spec.span(right), Vec::new(), right);
    while let Node::Seq(first, rest) = *spec.parsed.interaction.node(at)
        && spec.span(first) == span
    {
        found.push(first);
        at = rest;
    }
    found.push(at);
    found
}
