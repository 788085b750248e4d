//! Which nodes are written as one: message passings, and operators with many operands.
//
// The same reading as that of the printer of `.hif` files, so that a picture has an arrow where the
// text has one.

use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, MessageId, Node, NodeId,
};

/// A message from one lifeline, or from outside, to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passing {
    /// Who emits it; `None` if it comes from outside.
    pub(crate) origin: Option<LifelineId>,
    pub(crate) message: MessageId,
    /// Who receives it; empty if it goes outside.
    pub(crate) targets: Vec<LifelineId>,
    /// Whether all happen together.
    pub(crate) is_synchronous: bool,
}

/// An interaction with its passings.
pub(crate) struct Passings<'a> {
    interaction: &'a Interaction,
    /// Per node, the message if all that the node does is several receptions of it, in a row.
    receptions: Vec<Option<MessageId>>,
}

impl<'a> Passings<'a> {
    pub(crate) fn new(interaction: &'a Interaction) -> Passings<'a> {
        let mut receptions = Vec::with_capacity(interaction.nodes().len());
        for node in interaction.nodes() {
            receptions.push(match *node {
                Node::Step(_) => reception(node),
                Node::Seq(first, others) => reception(interaction.node(first))
                    .filter(|&message| receptions[others.index()] == Some(message)),
                _ => None,
            });
        }
        Passings { interaction, receptions }
    }

    /// The message passing that a node is.
    pub(crate) fn passing(&self, id: NodeId) -> Option<Passing> {
        if let Node::Step(step) = self.interaction.node(id) {
            return of_step(step.actions());
        }
        if let Some(message) = self.receptions[id.index()] {
            return Some(passing(None, message, self.receivers(id), false));
        }
        let Node::Strict(left, right) = *self.interaction.node(id) else { return None };
        let emission = self.emission(left, right)?;
        Some(passing(Some(emission.lifeline), emission.message, self.receivers(right), false))
    }

    /// The operands of a node; those of its like nested on the right count as its own.
    pub(crate) fn operands(&self, id: NodeId) -> Vec<NodeId> {
        let mut operands = Vec::new();
        let mut at = id;
        loop {
            let mut children = self.interaction.node(at).children();
            let (first, second) = (children.next(), children.next());
            operands.extend(first);
            let Some(right) = second else { return operands };
            if !self.continues(id, right) {
                operands.push(right);
                return operands;
            }
            at = right;
        }
    }

    fn continues(&self, id: NodeId, right: NodeId) -> bool {
        let same = match (self.interaction.node(id), self.interaction.node(right)) {
            (Node::Strict(..), Node::Strict(a, b)) => self.emission(*a, *b).is_none(),
            (Node::Par(..), Node::Par(..)) | (Node::Alt(..), Node::Alt(..)) => true,
            (Node::CoReg(a, ..), Node::CoReg(b, ..)) => a == b,
            _ => false,
        };
        same && self.receptions[right.index()].is_none()
    }

    /// The emission on the left whose message all on the right receive.
    fn emission(&self, left: NodeId, right: NodeId) -> Option<Action> {
        let emission = single(self.interaction.node(left))?;
        let is_passed = emission.kind == ActionKind::Emission
            && self.receptions[right.index()] == Some(emission.message);
        is_passed.then_some(emission)
    }

    fn receivers(&self, id: NodeId) -> Vec<LifelineId> {
        let mut receivers = Vec::new();
        let mut at = id;
        while let Node::Seq(first, others) = *self.interaction.node(at) {
            receivers.extend(single(self.interaction.node(first)).map(|it| it.lifeline));
            at = others;
        }
        receivers.extend(single(self.interaction.node(at)).map(|it| it.lifeline));
        receivers
    }
}

fn passing(
    origin: Option<LifelineId>,
    message: MessageId,
    targets: Vec<LifelineId>,
    is_synchronous: bool,
) -> Passing {
    Passing { origin, message, targets, is_synchronous }
}

/// One message that some lifeline emits, others receive, or both.
fn of_step(actions: &[Action]) -> Option<Passing> {
    let first = actions.first()?;
    let origin = Some(first.lifeline).filter(|_| first.kind == ActionKind::Emission);
    let receptions = &actions[usize::from(origin.is_some())..];
    let is_received = |it: &Action| it.kind == ActionKind::Reception && it.message == first.message;
    if !receptions.iter().all(is_received) {
        return None;
    }
    let targets = receptions.iter().map(|it| it.lifeline).collect();
    Some(passing(origin, first.message, targets, actions.len() > 1))
}

fn single(node: &Node) -> Option<Action> {
    if let Node::Step(step) = node { step.as_single() } else { None }
}

fn reception(node: &Node) -> Option<MessageId> {
    single(node).filter(|it| it.kind == ActionKind::Reception).map(|it| it.message)
}
