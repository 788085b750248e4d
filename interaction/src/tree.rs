//! Interactions as they are written: a tree in an array, children before parents, so that passes
//! are loops, not recursion, and a parser can keep one source span per node beside it.
//!
//! The grammar is paper 000 def. 3, with steps of several actions and head-first loops.

use crate::action::{Action, Step};
use crate::id::{Id, NodeId};
use crate::idset::LifelineSet;

/// How the repetitions of a loop are ordered among each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LoopKind {
    /// `loopS`: a repetition ends everywhere before the next one begins.
    Strict,
    /// `loopW`: repetitions follow each other lifeline by lifeline.
    Weak,
    /// `loopP`: repetitions are concurrent.
    Parallel,
    /// `loopC`: concurrent on these lifelines, weakly ordered on the others.
    CoReg(LifelineSet),
    /// `loopH`: weakly ordered, and a repetition begins only after all before it have begun.
    HeadFirst,
}

/// One operator of an interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Nothing happens.
    Empty,
    /// Actions that happen together.
    Step(Step),
    /// The left ends everywhere before the right begins.
    Strict(NodeId, NodeId),
    /// On each lifeline the left comes before the right.
    Seq(NodeId, NodeId),
    /// Both, interleaved.
    Par(NodeId, NodeId),
    /// As `Par` on these lifelines, as `Seq` on the others.
    CoReg(LifelineSet, NodeId, NodeId),
    /// One of the two.
    Alt(NodeId, NodeId),
    /// Any number of repetitions.
    Loop(LoopKind, NodeId),
}

impl Node {
    /// The operands, left to right.
    pub fn children(&self) -> impl Iterator<Item = NodeId> + use<> {
        let (first, second) = match *self {
            Node::Empty | Node::Step(_) => (None, None),
            Node::Loop(_, body) => (Some(body), None),
            Node::Strict(a, b)
            | Node::Seq(a, b)
            | Node::Par(a, b)
            | Node::CoReg(_, a, b)
            | Node::Alt(a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
    }

    /// The same operator over other operands.
    #[must_use]
    pub fn with_children(&self, child: impl Fn(NodeId) -> NodeId) -> Node {
        match self {
            Node::Empty | Node::Step(_) => self.clone(),
            Node::Strict(a, b) => Node::Strict(child(*a), child(*b)),
            Node::Seq(a, b) => Node::Seq(child(*a), child(*b)),
            Node::Par(a, b) => Node::Par(child(*a), child(*b)),
            Node::CoReg(region, a, b) => Node::CoReg(region.clone(), child(*a), child(*b)),
            Node::Alt(a, b) => Node::Alt(child(*a), child(*b)),
            Node::Loop(kind, body) => Node::Loop(kind.clone(), child(*body)),
        }
    }
}

/// A formal sequence diagram: a tree of [`Node`]s whose root comes last.
///
/// ```
/// use multitrace_interaction::{Action, ActionKind, Interaction, Node, Signature, Step};
/// let mut signature = Signature::default();
/// let action = Action {
///     lifeline: signature.intern_lifeline("client"),
///     kind: ActionKind::Emission,
///     message: signature.intern_message("hello"),
/// };
/// let hello = Interaction::new(vec![Node::Step(Step::single(action))]).expect("a tree");
/// assert_eq!(hello.nodes().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Interaction {
    nodes: Vec<Node>,
}

/// The nodes given to [`Interaction::new`] are not a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The list has no node.
    #[error("an interaction has at least one node")]
    NoNode,
    /// A node does not come after its operands.
    #[error("node {} does not come after its operands", .0.index())]
    Order(NodeId),
    /// A node that is not the root is the operand of no node, or of several.
    #[error("node {} is not the operand of exactly one other", .0.index())]
    Sharing(NodeId),
}

impl Interaction {
    /// The interaction of these nodes; the last one is the root.
    ///
    /// # Errors
    /// If they are not a tree, or a node comes before one of its operands.
    pub fn new(nodes: Vec<Node>) -> Result<Interaction, TreeError> {
        let mut parents = vec![0_usize; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for child in node.children() {
                if child.index() >= index {
                    return Err(TreeError::Order(NodeId::new(index)));
                }
                parents[child.index()] += 1;
            }
        }
        let Some((_, below)) = parents.split_last() else { return Err(TreeError::NoNode) };
        match below.iter().position(|&count| count != 1) {
            Some(index) => Err(TreeError::Sharing(NodeId::new(index))),
            None => Ok(Interaction { nodes }),
        }
    }

    /// The nodes, operands before operators.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of an id.
    ///
    /// # Panics
    /// If the id is not of this interaction.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The outermost operator.
    pub fn root(&self) -> NodeId {
        NodeId::new(self.nodes.len() - 1)
    }

    /// Whether two of its nodes are equal with all that is below them.
    ///
    /// # Panics
    /// If one is not of this interaction.
    pub fn is_same_part(&self, a: NodeId, b: NodeId) -> bool {
        have_same_tree((self, a), (self, b))
    }

    /// The interaction without the events of other lifelines.
    #[must_use]
    pub fn at_lifelines(&self, lifelines: &LifelineSet) -> Interaction {
        let nodes = self.nodes.iter().map(|node| match node {
            Node::Step(step) => {
                let actions = step.actions().iter().filter(|it| lifelines.contains(it.lifeline));
                Step::new(actions.copied().collect::<Vec<_>>()).map_or(Node::Empty, Node::Step)
            }
            other => other.clone(),
        });
        Interaction { nodes: nodes.collect() }
    }

    /// Every action written in it, in order of appearance, with repetitions.
    pub fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        self.nodes
            .iter()
            .flat_map(|node| match node {
                Node::Step(step) => step.actions(),
                _ => &[],
            })
            .copied()
    }
}

/// Equality of the trees; the order of the nodes in the array makes no difference.
impl PartialEq for Interaction {
    fn eq(&self, other: &Self) -> bool {
        have_same_tree((self, self.root()), (other, other.root()))
    }
}

impl Eq for Interaction {}

fn have_same_tree(one: (&Interaction, NodeId), other: (&Interaction, NodeId)) -> bool {
    let mut todo = vec![(one.1, other.1)];
    while let Some((a, b)) = todo.pop() {
        let (a, b) = (one.0.node(a), other.0.node(b));
        if !same_operator(a, b) {
            return false;
        }
        todo.extend(a.children().zip(b.children()));
    }
    true
}

fn same_operator(a: &Node, b: &Node) -> bool {
    match (a, b) {
        (Node::Step(x), Node::Step(y)) => x == y,
        (Node::CoReg(x, ..), Node::CoReg(y, ..)) => x == y,
        (Node::Loop(x, _), Node::Loop(y, _)) => x == y,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty_pair(make: fn(NodeId, NodeId) -> Node, a: usize, b: usize) -> Vec<Node> {
        vec![Node::Empty, Node::Empty, make(NodeId::new(a), NodeId::new(b))]
    }

    #[test]
    fn only_trees_are_accepted() {
        assert_eq!(Interaction::new(vec![]), Err(TreeError::NoNode));
        let shared = Interaction::new(empty_pair(Node::Alt, 0, 0));
        assert_eq!(shared, Err(TreeError::Sharing(NodeId::new(0))));
        let itself = Interaction::new(empty_pair(Node::Alt, 0, 2));
        assert_eq!(itself, Err(TreeError::Order(NodeId::new(2))));
        assert!(Interaction::new(empty_pair(Node::Alt, 0, 1)).is_ok());
    }

    #[test]
    fn equality_is_structural() {
        let left = Interaction::new(empty_pair(Node::Alt, 0, 1));
        let right = Interaction::new(empty_pair(Node::Alt, 1, 0));
        assert_eq!(left, right);
        assert_ne!(left, Interaction::new(empty_pair(Node::Par, 0, 1)));
    }
}
