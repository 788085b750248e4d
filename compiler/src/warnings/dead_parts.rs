//! Parts that change nothing (MT608): alternatives that are there already, an empty one beside one that
//! can be empty, loops of nothing, and loops that add nothing to the loop around them.
//
// Equal parts are found by giving each node a number for its shape: operator and numbers of the operands.

use super::written::WrittenSpec;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::{Id, LifelineSet, LoopKind, Node, NodeId, Step};
use rustc_hash::FxHashMap;

/// A node with the numbers of its operands; equal for parts that are written alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Shape<'a> {
    Empty,
    Step(&'a Step),
    Strict(u32, u32),
    Seq(u32, u32),
    Par(u32, u32),
    CoReg(&'a LifelineSet, u32, u32),
    Alt(u32, u32),
    Loop(&'a LoopKind, u32),
}

/// Properties of a node.
#[derive(Clone, Copy)]
struct Facts {
    shape: u32,
    may_be_empty: bool,
    has_step: bool,
    /// Whether it is the operand of an `alt`.
    is_alternative: bool,
}

pub(super) fn warnings(spec: &WrittenSpec<'_>) -> Vec<Warning> {
    let nodes = spec.parsed.interaction.nodes();
    let facts = facts(nodes);
    let mut found = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let id = NodeId::new(index);
        match node {
            Node::Alt(..) if !facts[index].is_alternative => {
                alternatives(spec, &facts, id, &mut found);
            }
            Node::Loop(kind, body) => repetition(spec, &facts, (id, kind, *body), &mut found),
            _ => {}
        }
    }
    found
}

fn facts(nodes: &[Node]) -> Vec<Facts> {
    let mut shapes: FxHashMap<Shape<'_>, u32> = FxHashMap::default();
    let mut facts: Vec<Facts> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let of = |id: &NodeId| facts[id.index()];
        let number = |id: &NodeId| of(id).shape;
        let shape = match node {
            Node::Empty => Shape::Empty,
            Node::Step(step) => Shape::Step(step),
            Node::Strict(a, b) => Shape::Strict(number(a), number(b)),
            Node::Seq(a, b) => Shape::Seq(number(a), number(b)),
            Node::Par(a, b) => Shape::Par(number(a), number(b)),
            Node::CoReg(region, a, b) => Shape::CoReg(region, number(a), number(b)),
            Node::Alt(a, b) => Shape::Alt(number(a), number(b)),
            Node::Loop(kind, body) => Shape::Loop(kind, number(body)),
        };
        let may_be_empty = match node {
            Node::Empty | Node::Loop(..) => true,
            Node::Step(_) => false,
            Node::Alt(a, b) => of(a).may_be_empty || of(b).may_be_empty,
            other => other.children().all(|child| of(&child).may_be_empty),
        };
        let has_step = matches!(node, Node::Step(_)) || node.children().any(|it| of(&it).has_step);
        if matches!(node, Node::Alt(..)) {
            node.children().for_each(|child| facts[child.index()].is_alternative = true);
        }
        let next = u32::try_from(shapes.len()).unwrap_or(u32::MAX);
        let shape = *shapes.entry(shape).or_insert(next);
        facts.push(Facts { shape, may_be_empty, has_step, is_alternative: false });
    }
    facts
}

/// All alternatives of an `alt`, those of an `alt` inside it too, in the order of the text.
fn operands(spec: &WrittenSpec<'_>, alternative: NodeId) -> Vec<NodeId> {
    let (mut operands, mut todo) = (Vec::new(), vec![alternative]);
    while let Some(id) = todo.pop() {
        match spec.parsed.interaction.node(id) {
            Node::Alt(a, b) => todo.extend([*b, *a]),
            _ => operands.push(id),
        }
    }
    operands
}

fn alternatives(
    spec: &WrittenSpec<'_>,
    facts: &[Facts],
    alternative: NodeId,
    found: &mut Vec<Warning>,
) {
    let operands = operands(spec, alternative);
    let mut seen: FxHashMap<u32, NodeId> = FxHashMap::default();
    let is_empty = |id: NodeId| matches!(spec.parsed.interaction.node(id), Node::Empty);
    let other = operands.iter().find(|it| facts[it.index()].may_be_empty && !is_empty(**it));
    for &operand in &operands {
        if let Some(&first) = seen.get(&facts[operand.index()].shape) {
            let message = "this alternative is there already";
            found.push(dead(spec, operand, message).with_related(spec.span(first), "the same"));
            continue;
        }
        seen.insert(facts[operand.index()].shape, operand);
        if let Some(&other) = other.filter(|_| is_empty(operand)) {
            let message = "this alternative changes nothing: another one can be empty";
            let warning = dead(spec, operand, message);
            found.push(warning.with_related(spec.span(other), "can be empty"));
        }
    }
}

fn repetition(
    spec: &WrittenSpec<'_>,
    facts: &[Facts],
    (id, kind, body): (NodeId, &LoopKind, NodeId),
    found: &mut Vec<Warning>,
) {
    if !facts[body.index()].has_step {
        found.push(dead(spec, id, "a loop of nothing"));
        return;
    }
    match spec.parsed.interaction.node(body) {
        Node::Loop(inner, _) if inner == kind && *kind != LoopKind::HeadFirst => {
            found.push(dead(spec, body, "a loop in a loop of its kind changes nothing"));
        }
        Node::Alt(..) => {
            let empty = operands(spec, body)
                .into_iter()
                .find(|&it| matches!(spec.parsed.interaction.node(it), Node::Empty));
            found.extend(empty.map(|it| {
                dead(spec, it, "this alternative changes nothing: a loop may end instead")
            }));
        }
        _ => {}
    }
}

fn dead(spec: &WrittenSpec<'_>, node: NodeId, message: &str) -> Warning {
    Warning::new(WarningCode::DeadPart, spec.span(node), message, "has no effect")
}
