//! Which nodes are written as one: message passings, and operators with many operands. Texts and pictures
//! share this, so that a picture has an arrow where the text has one.

use crate::action::{Action, ActionKind};
use crate::id::{Id, LifelineId, MessageId, NodeId};
use crate::tree::{Interaction, Node};

/// A message from one lifeline, or from outside, to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passing {
    /// The emitter; `None` if it comes from outside.
    pub origin: Option<LifelineId>,
    /// The message that is passed.
    pub message: MessageId,
    /// The receivers; empty if it goes outside.
    pub targets: Vec<LifelineId>,
    /// Whether all happen together.
    pub is_synchronous: bool,
}

/// An interaction with its passings.
///
/// ```
/// use multitrace_interaction::{
///     Action, ActionKind, Id, Interaction, Node, NodeId, Passings, Signature, Step,
/// };
/// let mut signature = Signature::default();
/// let (a, b) = (signature.intern_lifeline("a"), signature.intern_lifeline("b"));
/// let message = signature.intern_message("m");
/// let step = |lifeline, kind| Node::Step(Step::single(Action { lifeline, kind, message }));
/// let (sent, received) = (step(a, ActionKind::Emission), step(b, ActionKind::Reception));
/// let strict = Node::Strict(NodeId::new(0), NodeId::new(1));
/// let interaction = Interaction::new(vec![sent, received, strict]).expect("a tree");
/// let passing = Passings::new(&interaction).passing(interaction.root()).expect("a passing");
/// assert_eq!((passing.origin, passing.targets), (Some(a), vec![b]));
/// ```
#[derive(Debug)]
pub struct Passings<'a> {
    interaction: &'a Interaction,
    /// Per node, the message if all that the node does is several receptions of it, in a row.
    receptions: Vec<Option<MessageId>>,
}

impl<'a> Passings<'a> {
    /// Finds the passings, in time that grows with the interaction. Found from the operands up, since
    /// looking down from each node of a long list takes quadratic time.
    pub fn new(interaction: &'a Interaction) -> Passings<'a> {
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
    ///
    /// # Panics
    /// If the node is not of this interaction.
    pub fn passing(&self, id: NodeId) -> Option<Passing> {
        if let Node::Step(step) = self.interaction.node(id) {
            return Passing::of_step(step.actions());
        }
        if let Some(message) = self.receptions[id.index()] {
            return Some(passing(None, message, self.receivers(id), false));
        }
        let Node::Strict(left, right) = *self.interaction.node(id) else { return None };
        let emission = self.emission(left, right)?;
        Some(passing(Some(emission.lifeline), emission.message, self.receivers(right), false))
    }

    /// The messages that are passed from one lifeline to others, in the order of their nodes.
    pub fn messages(&self) -> impl Iterator<Item = (LifelineId, Passing)> + '_ {
        let nodes = self.interaction.nodes().iter().enumerate();
        let whole = nodes.filter(|(_, node)| matches!(node, Node::Strict(..) | Node::Step(_)));
        let passings = whole.filter_map(|(index, _)| self.passing(NodeId::new(index)));
        passings.filter_map(|passing| Some((passing.origin?, passing)))
    }

    /// The operands of a node; those of its like nested on the right count as its own.
    ///
    /// # Panics
    /// If the node is not of this interaction.
    pub fn operands(&self, id: NodeId) -> Vec<NodeId> {
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
            (Node::Seq(..), Node::Seq(..))
            | (Node::Par(..), Node::Par(..))
            | (Node::Alt(..), Node::Alt(..)) => true,
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

impl Passing {
    /// Its actions: the emission, then the receptions.
    pub fn actions(&self) -> Vec<Action> {
        let action = |lifeline, kind| Action { lifeline, kind, message: self.message };
        let emission = self.origin.map(|it| action(it, ActionKind::Emission));
        let receptions = self.targets.iter().map(|it| action(*it, ActionKind::Reception));
        emission.into_iter().chain(receptions).collect()
    }

    /// The passing that a step is: one message that some lifeline emits, others receive, or both.
    pub fn of_step(actions: &[Action]) -> Option<Passing> {
        let first = actions.first()?;
        let origin = Some(first.lifeline).filter(|_| first.kind == ActionKind::Emission);
        let receptions = &actions[usize::from(origin.is_some())..];
        let is_received =
            |it: &Action| it.kind == ActionKind::Reception && it.message == first.message;
        if !receptions.iter().all(is_received) {
            return None;
        }
        let targets = receptions.iter().map(|it| it.lifeline).collect();
        Some(passing(origin, first.message, targets, actions.len() > 1))
    }
}

fn single(node: &Node) -> Option<Action> {
    if let Node::Step(step) = node { step.as_single() } else { None }
}

fn reception(node: &Node) -> Option<MessageId> {
    single(node).filter(|it| it.kind == ActionKind::Reception).map(|it| it.message)
}
