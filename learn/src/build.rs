//! Trees as interactions.

use crate::arrow::{Arrow, Arrows};
use crate::tree::Tree;
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LoopKind, MessageId, Node, NodeId, Step,
};
use std::rc::Rc;

/// How often a place is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The operand of an alternative.
    pub node: NodeId,
    /// How often it is taken.
    pub taken: u64,
    /// How often it or another is taken.
    pub of: u64,
}

/// Puts nodes together, operands before operators.
#[derive(Default)]
struct Nodes {
    nodes: Vec<Node>,
    shares: Vec<Share>,
    orders: Vec<(NodeId, u64)>,
}

/// An interaction, how often its alternatives are taken, and for the first operand of each parallel composition, how many
/// sessions have another order than most.
type Built = (Interaction, Vec<Share>, Vec<(NodeId, u64)>);

/// The interaction that a tree means.
pub(crate) fn interaction(tree: &Tree, arrows: &Arrows) -> Built {
    let mut nodes = Nodes::default();
    nodes.tree(tree, arrows);
    nodes.finish()
}

/// Alternatives to an interaction: each the events of one session, and no others. Also tells how many events these have.
pub(crate) fn with_sessions<'a>(
    interaction: &Interaction,
    sessions: impl Iterator<Item = &'a [Vec<Action>]>,
) -> (Interaction, usize) {
    let mut nodes = Nodes { nodes: interaction.nodes().to_vec(), ..Nodes::default() };
    let (mut operands, mut events) = (vec![interaction.root()], 0);
    for logs in sessions {
        let steps: Vec<_> = logs.iter().flatten().map(|&action| nodes.action(action)).collect();
        events += steps.len();
        operands.push(nodes.folded(steps, Node::Seq));
    }
    nodes.folded(operands, Node::Alt);
    (nodes.finish().0, events)
}

impl Nodes {
    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId::new(self.nodes.len() - 1)
    }

    fn finish(self) -> Built {
        let interaction = Interaction::new(self.nodes);
        let interaction = interaction
            .unwrap_or_else(|error| unreachable!("operands come before operators: {error}"));
        (interaction, self.shares, self.orders)
    }

    fn tree(&mut self, tree: &Tree, arrows: &Arrows) -> NodeId {
        match tree {
            Tree::Empty => self.push(Node::Empty),
            Tree::Arrow(label) => self.arrow(arrows.arrow(*label)),
            Tree::Seq(parts) => {
                let parts = parts.iter().map(|it| self.tree(it, arrows)).collect();
                self.folded(parts, Node::Seq)
            }
            Tree::Par(parts, others) => {
                let parts: Vec<NodeId> = parts.iter().map(|it| self.tree(it, arrows)).collect();
                self.orders.push((parts[0], *others));
                self.folded(parts, Node::Par)
            }
            Tree::Alt(parts) => self.alternatives(parts, None, arrows),
            Tree::Opt(body, [taken, none]) => {
                if let Tree::Alt(parts) = &**body {
                    return self.alternatives(parts, Some(*none), arrows);
                }
                let (body, nothing) = (self.tree(body, arrows), self.push(Node::Empty));
                self.shares.push(Share { node: body, taken: *taken, of: taken + none });
                self.push(Node::Alt(body, nothing))
            }
            Tree::Loop(body, repetitions) => {
                let (copies, may_be_more) = repetitions.copies(body.arrows());
                let mut all: Vec<_> = (0..copies).map(|_| self.tree(body, arrows)).collect();
                let (kind, operator): (_, fn(_, _) -> _) = match repetitions.may_overlap {
                    true => (LoopKind::Parallel, Node::Par),
                    false => (LoopKind::Weak, Node::Seq),
                };
                if may_be_more {
                    let body = self.tree(body, arrows);
                    all.push(self.push(Node::Loop(kind, body)));
                }
                self.folded(all, operator)
            }
        }
    }

    /// Alternatives with their shares. `none` counts how often none of them is taken, where that may be.
    fn alternatives(
        &mut self,
        parts: &[(Rc<Tree>, u64)],
        none: Option<u64>,
        arrows: &Arrows,
    ) -> NodeId {
        let of = parts.iter().map(|(_, taken)| taken).chain(&none).sum();
        let operand = |(tree, taken): &(Rc<Tree>, u64)| {
            let node = self.tree(tree, arrows);
            self.shares.push(Share { node, taken: *taken, of });
            node
        };
        let mut operands: Vec<NodeId> = parts.iter().map(operand).collect();
        if let Some(taken) = none {
            let node = self.push(Node::Empty);
            self.shares.push(Share { node, taken, of });
            operands.push(node);
        }
        self.folded(operands, Node::Alt)
    }

    fn action(&mut self, action: Action) -> NodeId {
        self.push(Node::Step(Step::single(action)))
    }

    fn arrow(&mut self, arrow: &Arrow) -> NodeId {
        let Arrow { sender, message, receivers, .. } = arrow;
        let message: MessageId = *message;
        let mut action =
            |lifeline: LifelineId, kind| self.action(Action { lifeline, kind, message });
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

/// The same tree with both ends of an arrow as one where they follow one another.
pub(crate) fn joined(tree: &Rc<Tree>, arrows: &Arrows) -> Rc<Tree> {
    let of = |it: &Rc<Tree>| joined(it, arrows);
    Rc::new(match &**tree {
        Tree::Empty | Tree::Arrow(_) => return Rc::clone(tree),
        Tree::Seq(parts) => return Tree::seq(joined_parts(parts, arrows).iter().map(of)),
        Tree::Par(parts, others) => Tree::Par(parts.iter().map(of).collect(), *others),
        Tree::Alt(parts) => Tree::Alt(parts.iter().map(|(it, count)| (of(it), *count)).collect()),
        Tree::Opt(body, counts) => Tree::Opt(of(body), *counts),
        Tree::Loop(body, repetitions) => Tree::Loop(of(body), *repetitions),
    })
}

/// The parts of a sequence, with both ends of an arrow as one where they follow one another.
fn joined_parts(parts: &[Rc<Tree>], arrows: &Arrows) -> Vec<Rc<Tree>> {
    let whole = |tree: &Tree, is_end: fn(&Arrow) -> bool| match tree {
        Tree::Arrow(label) => Some(arrows.arrow(*label)).filter(|it| is_end(it))?.end_of,
        _ => None,
    };
    let mut all: Vec<Rc<Tree>> = Vec::with_capacity(parts.len());
    for part in parts {
        let before = all.last().and_then(|it| whole(it, |arrow| arrow.sender.is_some()));
        let own = whole(part, |arrow| arrow.sender.is_none());
        match own.filter(|it| before == Some(*it) && arrows.arrow(*it).receivers.len() == 1) {
            Some(label) => {
                all.pop();
                all.push(Rc::new(Tree::Arrow(label)));
            }
            None => all.push(Rc::clone(part)),
        }
    }
    all
}
