//! Trees as interactions.

use crate::arrow::{Arrow, Arrows};
use crate::tree::{Repetitions, Tree};
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LoopKind, MessageId, Node, NodeId, Step,
};

/// Puts nodes together, operands before operators.
#[derive(Default)]
struct Nodes(Vec<Node>);

/// The interaction that a tree means.
pub(crate) fn interaction(tree: &Tree, arrows: &Arrows) -> Interaction {
    let mut nodes = Nodes::default();
    nodes.tree(tree, arrows);
    nodes.finish()
}

/// Alternatives to an interaction: each the logs of one session, and no others.
pub(crate) fn with_sessions<'a>(
    interaction: &Interaction,
    sessions: impl IntoIterator<Item = &'a [Action]>,
) -> Interaction {
    let mut nodes = Nodes(interaction.nodes().to_vec());
    let mut root = interaction.root();
    for actions in sessions {
        let steps = actions.iter().map(|&action| nodes.action(action)).collect();
        let session = nodes.folded(steps, Node::Seq);
        root = nodes.push(Node::Alt(root, session));
    }
    nodes.finish()
}

impl Nodes {
    fn push(&mut self, node: Node) -> NodeId {
        self.0.push(node);
        NodeId::new(self.0.len() - 1)
    }

    fn finish(self) -> Interaction {
        Interaction::new(self.0).unwrap_or_else(|error| unreachable!("operands come first: {error}"))
    }

    fn tree(&mut self, tree: &Tree, arrows: &Arrows) -> NodeId {
        match tree {
            Tree::Empty => self.push(Node::Empty),
            Tree::Arrow(label) => self.arrow(arrows.arrow(*label)),
            Tree::Seq(parts) => {
                let parts = parts.iter().map(|it| self.tree(it, arrows)).collect();
                self.folded(parts, Node::Seq)
            }
            Tree::Par(parts) => {
                let parts = parts.iter().map(|it| self.tree(it, arrows)).collect();
                self.folded(parts, Node::Par)
            }
            Tree::Alt(parts) => {
                let parts = parts.iter().map(|(it, _)| self.tree(it, arrows)).collect();
                self.folded(parts, Node::Alt)
            }
            Tree::Opt(body, _) => {
                let (body, nothing) = (self.tree(body, arrows), self.push(Node::Empty));
                self.push(Node::Alt(body, nothing))
            }
            Tree::Loop(body, Repetitions { may_be_none, .. }) => {
                let once = (!may_be_none).then(|| self.tree(body, arrows));
                let body = self.tree(body, arrows);
                let all = self.push(Node::Loop(LoopKind::Weak, body));
                once.map_or(all, |once| self.push(Node::Seq(once, all)))
            }
        }
    }

    fn action(&mut self, action: Action) -> NodeId {
        self.push(Node::Step(Step::single(action)))
    }

    fn arrow(&mut self, arrow: &Arrow) -> NodeId {
        let Arrow { sender, message, receivers } = arrow;
        let message: MessageId = *message;
        let mut action = |lifeline: LifelineId, kind| self.action(Action { lifeline, kind, message });
        let sent = sender.map(|it| action(it, ActionKind::Emission));
        let received: Vec<NodeId> =
            receivers.iter().map(|&it| action(it, ActionKind::Reception)).collect();
        match (sent, received.is_empty()) {
            (Some(sent), true) => sent,
            (None, _) => self.folded(received, Node::Seq),
            (Some(sent), false) => {
                let received = self.folded(received, Node::Seq);
                self.push(Node::Strict(sent, received))
            }
        }
    }

    fn folded(&mut self, parts: Vec<NodeId>, operator: impl Fn(NodeId, NodeId) -> Node) -> NodeId {
        let mut parts = parts.into_iter().rev();
        let Some(last) = parts.next() else { return self.push(Node::Empty) };
        parts.fold(last, |after, part| self.push(operator(part, after)))
    }
}
