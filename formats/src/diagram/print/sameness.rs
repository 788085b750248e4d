//! Whether a printed diagram is read as the interaction that was printed.

use super::operands::{Associative, flat};
use super::printed_diagram::{PrintedDiagram, markdown_of};
use super::trial::{read, read_first};
use crate::diagram::Notation;
use crate::diagram::meaning::Meant;
use crate::hif::ParsedSpec;
use crate::locations::LocationGroup;
use crate::source::{Diagnostic, Diagnostics, Span};
use multitrace_interaction::{
    Action, Id, Interaction, LifelineSet, LoopKind, Node, NodeId, Signature, Step, TermStore,
};
use std::collections::BTreeSet;

/// Reads diagrams, and compares their interaction with the one that was printed. The first diagram refers to the others.
pub(super) fn check(
    notation: Notation,
    parsed: &ParsedSpec,
    locations: &[LocationGroup],
    diagrams: &[PrintedDiagram],
) -> Result<(), Diagnostics> {
    let found = match diagrams {
        [only] => read(notation, &only.text),
        _ => read_first(&markdown_of(notation, diagrams)),
    };
    let is_same = found.as_ref().is_ok_and(|(found, boxes)| {
        groups(boxes) == groups(locations)
            && has_same_lifelines(parsed, found)
            && is_same(parsed, found)
    });
    if is_same {
        return Ok(());
    }
    let message = format!("as a diagram of {}, this is read differently", notation.name());
    let whole = parsed.spans.last().copied().unwrap_or(Span::default());
    Err(Diagnostic::new(whole, message, "please report this text").into())
}

/// Whether two diagrams have the same lifelines, locations and interaction, open or not.
pub(crate) fn is_same_meaning(first: &Meant, second: &Meant) -> bool {
    let (a, b) = (&first.parsed, &second.parsed);
    groups(&first.locations) == groups(&second.locations)
        && a.unjudged.as_ref().map(|it| &it.0) == b.unjudged.as_ref().map(|it| &it.0)
        && a.unlogged_events == b.unlogged_events
        && a.unlogged.len() == b.unlogged.len()
        && has_same_lifelines(a, b)
        && is_same(a, b)
}

/// The members of locations that are not the only ones in theirs.
fn groups(locations: &[LocationGroup]) -> BTreeSet<BTreeSet<&str>> {
    let members = locations.iter().map(|it| it.members.iter().map(String::as_str).collect());
    members.filter(|members: &BTreeSet<&str>| members.len() > 1).collect()
}

fn has_same_lifelines(first: &ParsedSpec, second: &ParsedSpec) -> bool {
    let (first, second) = (&first.signature, &second.signature);
    let names = first.lifelines().map(|it| first.lifeline_name(it));
    names.eq(second.lifelines().map(|it| second.lifeline_name(it)))
}

/// Whether two interactions have the same normal form, once their weak sequences are folded to the
/// right.
fn is_same(first: &ParsedSpec, second: &ParsedSpec) -> bool {
    let mut signature = first.signature.clone();
    let first = folded(&first.interaction, &first.signature, &mut signature);
    let second = folded(&second.interaction, &second.signature, &mut signature);
    let (Some(first), Some(second)) = (first, second) else { return false };
    let mut store = TermStore::new();
    let first = store.intern(&first).root();
    first == store.intern(&second).root()
}

enum InternTask {
    Visit(NodeId),
    /// A sequence of as many operands as were visited last.
    Seq(usize),
    /// Another operator.
    Other(NodeId),
}

/// The interaction with sequences folded to the right, over another signature.
fn folded(from: &Interaction, own: &Signature, to: &mut Signature) -> Option<Interaction> {
    let mut fold = Fold { own, to, nodes: Vec::new(), done: Vec::new() };
    let mut todo = vec![InternTask::Visit(from.root())];
    while let Some(task) = todo.pop() {
        match task {
            InternTask::Visit(id) if Associative::Seq.is_of(from.node(id)) => {
                let operands = flat(from, id, Associative::Seq);
                todo.push(InternTask::Seq(operands.len()));
                todo.extend(operands.into_iter().rev().map(InternTask::Visit));
            }
            InternTask::Visit(id) => {
                todo.push(InternTask::Other(id));
                let children: Vec<NodeId> = from.node(id).children().collect();
                todo.extend(children.into_iter().rev().map(InternTask::Visit));
            }
            InternTask::Seq(count) => fold.sequence(count)?,
            InternTask::Other(id) => fold.node(from.node(id))?,
        }
    }
    Interaction::new(fold.nodes).ok()
}

struct Fold<'a> {
    own: &'a Signature,
    to: &'a mut Signature,
    nodes: Vec<Node>,
    /// The nodes that are not yet operands of another one.
    done: Vec<NodeId>,
}

impl Fold<'_> {
    fn push(&mut self, node: Node) {
        self.nodes.push(node);
        self.done.push(NodeId::new(self.nodes.len() - 1));
    }

    fn sequence(&mut self, count: usize) -> Option<()> {
        if count == 0 {
            self.push(Node::Empty);
        }
        for _ in 1..count {
            let (right, left) = (self.done.pop()?, self.done.pop()?);
            self.push(Node::Seq(left, right));
        }
        Some(())
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        let mut operand = || self.done.pop();
        let node = match node {
            Node::Empty => Node::Empty,
            Node::Step(step) => Node::Step(self.step(step)?),
            Node::Loop(kind, _) => Node::Loop(self.kind(kind), self.done.pop()?),
            binary => {
                let (right, left) = (operand()?, operand()?);
                match binary {
                    Node::Strict(..) => Node::Strict(left, right),
                    Node::Par(..) => Node::Par(left, right),
                    Node::Alt(..) => Node::Alt(left, right),
                    Node::CoReg(region, ..) => Node::CoReg(self.region(region), left, right),
                    _ => Node::Seq(left, right),
                }
            }
        };
        self.push(node);
        Some(())
    }

    fn step(&mut self, step: &Step) -> Option<Step> {
        let renamed = |action: &Action| Action {
            lifeline: self.to.intern_lifeline(self.own.lifeline_name(action.lifeline)),
            message: self.to.intern_message(self.own.message_name(action.message)),
            ..*action
        };
        Step::new(step.actions().iter().map(renamed).collect::<Vec<_>>())
    }

    fn region(&mut self, region: &LifelineSet) -> LifelineSet {
        region.iter().map(|it| self.to.intern_lifeline(self.own.lifeline_name(it))).collect()
    }

    fn kind(&mut self, kind: &LoopKind) -> LoopKind {
        match kind {
            LoopKind::CoReg(region) => LoopKind::CoReg(self.region(region)),
            other => other.clone(),
        }
    }
}
