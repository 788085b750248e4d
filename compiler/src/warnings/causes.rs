//! Whether a message is sent because of another one: its sender knows, by a chain of messages, that the other was sent.
//
// Idea: from the first message on, keep the lifelines that know of it, and go through the parts between the two. A part
// that may be left out passes nothing on; of alternatives, all must.
//
// Cost: the nodes between the two messages, up to a number for the whole specification.

use super::local_order::Occurrence;
use super::passings::Passings;
use super::written::WrittenSpec;
use multitrace_interaction::{ActionKind, Id, LifelineSet, Node, NodeId};

/// The most nodes walked for a specification: some tenths of a second.
const MAX_WALKED: usize = 2_000_000;

/// Looks for chains of messages, as long as its fuel lasts.
pub(super) struct Causes {
    /// By node; the root is its own.
    parents: Vec<NodeId>,
    fuel: usize,
}

/// A part that is still to be walked.
enum Todo {
    Part(NodeId),
    /// The other operand, from where the first one began.
    Other(NodeId),
    /// Both operands are done.
    Join {
        is_choice: bool,
    },
}

impl Causes {
    pub(super) fn new(spec: &WrittenSpec<'_>) -> Causes {
        let nodes = spec.parsed.interaction.nodes();
        let mut parents: Vec<NodeId> = (0..nodes.len()).map(NodeId::new).collect();
        for (index, node) in nodes.iter().enumerate() {
            node.children().for_each(|child| parents[child.index()] = NodeId::new(index));
        }
        Causes { parents, fuel: MAX_WALKED }
    }

    /// Whether the message received at `y` is sent because of the one received at `x`, which stands before it in this
    /// `seq`. Without fuel it is taken to be.
    pub(super) fn follows(
        &mut self,
        (spec, passings): (&WrittenSpec<'_>, &Passings),
        (x, y): (Occurrence, Occurrence),
        order: NodeId,
    ) -> bool {
        let mut aware: LifelineSet = x.sender.into_iter().chain([x.action.lifeline]).collect();
        for (node, parent) in self.path(x.node, order) {
            if let Node::Seq(a, b) | Node::Strict(a, b) = spec.parsed.interaction.node(parent)
                && *a == node
            {
                self.pass((spec, passings), *b, &mut aware);
            }
        }
        for (node, parent) in self.path(y.node, order).into_iter().rev() {
            if let Node::Seq(a, b) | Node::Strict(a, b) = spec.parsed.interaction.node(parent)
                && *b == node
            {
                self.pass((spec, passings), *a, &mut aware);
            }
        }
        self.fuel == 0 || y.sender.is_some_and(|sender| aware.contains(sender))
    }

    /// The nodes from one up to below another, each with its parent.
    fn path(&mut self, from: NodeId, below: NodeId) -> Vec<(NodeId, NodeId)> {
        let (mut path, mut node) = (Vec::new(), from);
        while self.fuel > 0 {
            let parent = self.parents[node.index()];
            if parent == below || parent == node {
                break;
            }
            self.fuel -= 1;
            path.push((node, parent));
            node = parent;
        }
        path
    }

    /// Adds the lifelines that know of the message after a part.
    fn pass(
        &mut self,
        (spec, passings): (&WrittenSpec<'_>, &Passings),
        part: NodeId,
        aware: &mut LifelineSet,
    ) {
        let (mut todo, mut kept) = (vec![Todo::Part(part)], Vec::new());
        let mut told = Vec::new();
        while let Some(next) = todo.pop() {
            if self.fuel == 0 {
                return;
            }
            self.fuel -= 1;
            let node = match next {
                Todo::Part(node) => node,
                Todo::Other(node) => {
                    if let Some(before) = kept.pop() {
                        kept.push(std::mem::replace(aware, before));
                    }
                    node
                }
                Todo::Join { is_choice } => {
                    let other = kept.pop().unwrap_or_default();
                    *aware =
                        if is_choice { aware.intersection(&other) } else { aware.union(&other) };
                    continue;
                }
            };
            match spec.parsed.interaction.node(node) {
                Node::Empty | Node::Loop(..) => {}
                Node::Step(step) => {
                    let sent = step.actions().iter().filter(|it| it.kind == ActionKind::Emission);
                    for action in sent.filter(|it| aware.contains(it.lifeline)) {
                        told.extend(passings.partners(node, step, *action));
                    }
                    told.drain(..).for_each(|it| _ = aware.insert(it));
                }
                Node::Seq(a, b) | Node::Strict(a, b) => {
                    todo.extend([Todo::Part(*b), Todo::Part(*a)]);
                }
                Node::Alt(a, b) | Node::Par(a, b) | Node::CoReg(_, a, b) => {
                    let is_choice = matches!(spec.parsed.interaction.node(node), Node::Alt(..));
                    kept.push(aware.clone());
                    todo.extend([Todo::Join { is_choice }, Todo::Other(*b), Todo::Part(*a)]);
                }
            }
        }
    }
}
