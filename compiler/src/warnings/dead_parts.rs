//! Parts that change nothing (MT608): alternatives that are there already, an empty one beside one that
//! can be empty, loops of nothing, and loops that add nothing to the loop around them.
//
// Equal parts are found by giving each node a number for its shape: operator and numbers of the operands.
//
// Where an event need not be logged or a message may be lost, its step became an alternative to an empty part, both at the
// place of the step. Nobody wrote that empty part, so it is not one of the alternatives here.
//
// In a diagram, an alternative with a condition or a note tells its readers something.

use super::drawn::Drawn;
use super::written::WrittenSpec;
use multitrace_formats::source::Span;
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
    /// Whether it is looked at with the `alt` that it is an operand of.
    is_alternative: bool,
    /// Whether it is an empty part that nobody wrote.
    is_made: bool,
}

pub(super) fn warnings(spec: &WrittenSpec<'_>, drawn: &Drawn<'_>) -> Vec<Warning> {
    let nodes = spec.parsed.interaction.nodes();
    let facts = facts(nodes, &spec.parsed.spans);
    let mut found = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let id = NodeId::new(index);
        match node {
            Node::Alt(..) if !facts[index].is_alternative => {
                alternatives((spec, drawn), &facts, id, &mut found);
            }
            Node::Loop(kind, body) => {
                repetition((spec, drawn), &facts, (id, kind, *body), &mut found);
            }
            _ => {}
        }
    }
    found
}

fn facts(nodes: &[Node], spans: &[Span]) -> Vec<Facts> {
    let mut shapes: FxHashMap<Shape<'_>, u32> = FxHashMap::default();
    let mut facts: Vec<Facts> = Vec::with_capacity(nodes.len());
    for node in nodes {
        if let Node::Alt(a, b) = node {
            for (one, other) in [(a, b), (b, a)] {
                let (one, other) = (one.index(), other.index());
                facts[one].is_made = matches!(nodes[one], Node::Empty)
                    && facts[other].has_step
                    && spans[one] == spans[other];
            }
        }
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
            Node::Alt(a, b) => [a, b].iter().any(|it| of(it).may_be_empty && !of(it).is_made),
            other => other.children().all(|child| of(&child).may_be_empty),
        };
        let has_step = matches!(node, Node::Step(_)) || node.children().any(|it| of(&it).has_step);
        if matches!(node, Node::Alt(..)) {
            // One of nothing beside others is told by itself.
            for child in node.children() {
                let child = &mut facts[child.index()];
                child.is_alternative = child.has_step || !has_step;
            }
        }
        let next = u32::try_from(shapes.len()).unwrap_or(u32::MAX);
        let shape = *shapes.entry(shape).or_insert(next);
        let (is_alternative, is_made) = (false, false);
        facts.push(Facts { shape, may_be_empty, has_step, is_alternative, is_made });
    }
    facts
}

/// All alternatives of an `alt`, those of an `alt` inside it too, in the order of the text.
fn operands(spec: &WrittenSpec<'_>, facts: &[Facts], alternative: NodeId) -> Vec<NodeId> {
    let (mut operands, mut todo) = (Vec::new(), vec![alternative]);
    while let Some(id) = todo.pop() {
        match spec.parsed.interaction.node(id) {
            Node::Alt(a, b) if facts[id.index()].has_step => todo.extend([*b, *a]),
            _ if facts[id.index()].is_made => {}
            _ => operands.push(id),
        }
    }
    operands
}

fn alternatives(
    (spec, drawn): (&WrittenSpec<'_>, &Drawn<'_>),
    facts: &[Facts],
    alternative: NodeId,
    found: &mut Vec<Warning>,
) {
    if !facts[alternative.index()].has_step {
        if !drawn.has_note(spec.span(alternative)) {
            found.push(dead(spec, alternative, "alternatives of nothing"));
        }
        return;
    }
    let operands = operands(spec, facts, alternative);
    let mut seen: FxHashMap<u32, NodeId> = FxHashMap::default();
    let is_empty = |id: NodeId| matches!(spec.parsed.interaction.node(id), Node::Empty);
    let other = operands.iter().find(|it| facts[it.index()].may_be_empty && !is_empty(**it));
    for &operand in &operands {
        let first = *seen.entry(facts[operand.index()].shape).or_insert(operand);
        if drawn.is_explained(spec.span(alternative), spec.span(operand)) {
            continue;
        }
        if first != operand {
            let message = "this alternative is there already";
            found.push(dead(spec, operand, message).with_related(spec.span(first), "the same"));
            continue;
        }
        if let Some(&other) = other.filter(|_| is_empty(operand)) {
            let message = "this alternative changes nothing: another one can be empty";
            let warning = dead(spec, operand, message);
            found.push(warning.with_related(spec.span(other), "can be empty"));
        }
    }
}

fn repetition(
    (spec, drawn): (&WrittenSpec<'_>, &Drawn<'_>),
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
            let empty = operands(spec, facts, body)
                .into_iter()
                .filter(|&it| matches!(spec.parsed.interaction.node(it), Node::Empty))
                .find(|&it| !drawn.is_explained(spec.span(body), spec.span(it)));
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
