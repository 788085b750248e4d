//! The items of an interaction that a trace can take.
//
// A repetition of a loop begins with an action. So items with which the body of a loop does nothing are never taken: an
// empty operand of an `alt` that is the whole body, zero repetitions of a loop that is. These items are left out. A
// part *must act* if it is all of a body that can act.

use crate::id::{Id, NodeId};
use crate::tree::{Interaction, Node};
use rustc_hash::FxHashMap;

/// How often a loop is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repetition {
    /// Not at all, where the part around it is taken.
    Zero,
    /// Once.
    Once,
    /// Twice or more.
    More,
}

/// The kind of part that an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// Actions that are written as one: a message passing, a step.
    Message,
    /// An operand of an `alt`, counted from 0.
    Operand {
        /// The first node of the `alt`.
        alternative: NodeId,
        /// Which operand.
        index: u32,
    },
    /// A loop, repeated so often.
    Loop(Repetition),
}

/// Something that a trace may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where it is: a node of the message, the operand, the loop.
    pub node: NodeId,
    /// The kind of part it is.
    pub kind: ItemKind,
}

/// All that traces can take of an interaction, in the order of the nodes.
#[derive(Clone, Debug)]
pub struct Outline {
    items: Vec<Item>,
    /// Per node that is a step, its message.
    messages: Vec<Option<u32>>,
    operands: FxHashMap<(NodeId, u32), u32>,
    loops: FxHashMap<(NodeId, Repetition), u32>,
    /// Per node that is the first of an `alt`, its operands.
    alternatives: FxHashMap<NodeId, Vec<NodeId>>,
}

impl Outline {
    /// The outline of an interaction. `places` has a number for each node; nodes that are written
    /// as one have the same: the ends of a message passing, and the nodes that an operator with many
    /// operands is folded into.
    ///
    /// # Panics
    /// If there are fewer places than nodes.
    pub fn new(interaction: &Interaction, places: &[u32]) -> Outline {
        let nodes = interaction.nodes();
        let mut outline = Outline {
            items: Vec::new(),
            messages: vec![None; nodes.len()],
            operands: FxHashMap::default(),
            loops: FxHashMap::default(),
            alternatives: alternatives(nodes, places),
        };
        let can_act = can_act(nodes);
        let must_act = outline.must_act(nodes, &can_act);
        let mut message_at: FxHashMap<u32, u32> = FxHashMap::default();
        for (index, node) in nodes.iter().enumerate() {
            let id = NodeId::new(index);
            match node {
                Node::Step(_) => {
                    let item = *message_at
                        .entry(places[index])
                        .or_insert_with(|| push(&mut outline.items, id, ItemKind::Message));
                    outline.messages[index] = Some(item);
                }
                Node::Alt(..) => outline.add_operands(id, must_act[index], &can_act),
                Node::Loop(_, body) => {
                    outline.add_loop(id, must_act[index], can_act[body.index()]);
                }
                _ => {}
            }
        }
        outline
    }

    fn add_operands(&mut self, alternative: NodeId, must_act: bool, can_act: &[bool]) {
        let operands = self.alternatives.get(&alternative).cloned().unwrap_or_default();
        for (index, operand) in operands.into_iter().enumerate() {
            if must_act && !can_act[operand.index()] {
                continue;
            }
            let index = index as u32;
            let item = push(&mut self.items, operand, ItemKind::Operand { alternative, index });
            self.operands.insert((alternative, index), item);
        }
    }

    fn add_loop(&mut self, id: NodeId, must_act: bool, can_act: bool) {
        let often = [Repetition::Once, Repetition::More].into_iter().filter(|_| can_act);
        let zero = (!must_act).then_some(Repetition::Zero);
        for repetition in zero.into_iter().chain(often) {
            let item = push(&mut self.items, id, ItemKind::Loop(repetition));
            self.loops.insert((id, repetition), item);
        }
    }

    /// Which nodes do nothing in no trace of the part around them.
    fn must_act(&self, nodes: &[Node], can_act: &[bool]) -> Vec<bool> {
        let mut must_act = vec![false; nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            match *node {
                Node::Loop(_, body) => must_act[body.index()] = true,
                _ if !must_act[index] => {}
                Node::Alt(a, b) => {
                    must_act[a.index()] = true;
                    must_act[b.index()] = true;
                }
                Node::Strict(a, b) | Node::Seq(a, b) | Node::Par(a, b) | Node::CoReg(_, a, b) => {
                    must_act[a.index()] = !can_act[b.index()];
                    must_act[b.index()] = !can_act[a.index()];
                }
                Node::Empty | Node::Step(_) => {}
            }
        }
        must_act
    }

    /// The items, by their indices.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// How many operands an `alt` has, by its first node.
    pub fn operand_count(&self, alternative: NodeId) -> usize {
        self.alternatives.get(&alternative).map_or(0, Vec::len)
    }

    /// The message that a step belongs to.
    pub(super) fn message(&self, step: NodeId) -> Option<u32> {
        self.messages[step.index()]
    }

    pub(super) fn operand(&self, alternative: NodeId, index: u32) -> Option<u32> {
        self.operands.get(&(alternative, index)).copied()
    }

    pub(super) fn repetition(&self, id: NodeId, repetition: Repetition) -> Option<u32> {
        self.loops.get(&(id, repetition)).copied()
    }

    /// The operands of an `alt` by its first node; `None` for nodes that it is folded into.
    pub(super) fn alternatives(&self, id: NodeId) -> Option<&[NodeId]> {
        self.alternatives.get(&id).map(Vec::as_slice)
    }
}

fn push(items: &mut Vec<Item>, node: NodeId, kind: ItemKind) -> u32 {
    items.push(Item { node, kind });
    items.len() as u32 - 1
}

/// The operands of each `alt`. It is folded to the right, all at one place.
fn alternatives(nodes: &[Node], places: &[u32]) -> FxHashMap<NodeId, Vec<NodeId>> {
    let mut found: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    for (index, node) in nodes.iter().enumerate() {
        let Node::Alt(a, b) = *node else { continue };
        // From the last to the first for now.
        let is_same = places[b.index()] == places[index];
        let mut operands = if is_same { found.remove(&b) } else { None }.unwrap_or_else(|| vec![b]);
        operands.push(a);
        found.insert(NodeId::new(index), operands);
    }
    #[allow(clippy::iter_over_hash_type, reason = "each is reversed on its own")]
    found.values_mut().for_each(|operands| operands.reverse());
    found
}

/// Which nodes have a trace with an action.
fn can_act(nodes: &[Node]) -> Vec<bool> {
    let mut can_act: Vec<bool> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let own = matches!(node, Node::Step(_));
        can_act.push(own || node.children().any(|child| can_act[child.index()]));
    }
    can_act
}
