//! Specifications that do not say everything: messages that are not judged, places where anything may happen,
//! events that need not be in the log, and some of several parts. Each stands for an interaction of the usual
//! operators.

// The message `*` stands for any message that the specification does not have at that lifeline in that
// direction: `a!*` is an emission of a that it does not have, `a?*` a reception. So no alphabet is written out.

use crate::source::Span;
use multitrace_interaction::{
    Action, ActionKind, Id, LifelineId, LifelineSet, LoopKind, MessageId, Node, NodeId, Signature,
    Step, names,
};
use std::fmt;
use std::ops::Range;

/// Which messages that a specification does not mention are not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// Those of all lifelines, and of lifelines that it does not mention either.
    All,
    /// Those of these lifelines.
    At(Vec<String>),
}

impl Unjudged {
    /// Reads `all`, or lifelines with commas between them.
    pub fn parse(text: &str) -> Unjudged {
        if text.trim() == "all" {
            return Unjudged::All;
        }
        Unjudged::At(
            names::split(text, ',').map(|name| names::name_of(name).into_owned()).collect(),
        )
    }
}

/// Events that need not be in the log: `a`, `a!m`, `b?m`, `a!*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnloggedEvents {
    /// Their lifeline.
    pub lifeline: String,
    /// Their direction; `None` for both.
    pub kind: Option<ActionKind>,
    /// Their message; `None` for all.
    pub message: Option<String>,
}

impl UnloggedEvents {
    /// Reads a list with commas between its parts.
    pub fn parse_list(text: &str) -> Vec<UnloggedEvents> {
        let parts = names::split(text, ',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(UnloggedEvents::parse).collect()
    }

    fn parse(text: &str) -> UnloggedEvents {
        match names::split_action(text) {
            Some((lifeline, kind, message)) => UnloggedEvents {
                lifeline: lifeline.into_owned(),
                kind: Some(kind),
                message: Some(message.trim().to_owned()).filter(|message| message != names::ANY),
            },
            None => UnloggedEvents {
                lifeline: names::name_of(text).into_owned(),
                kind: None,
                message: None,
            },
        }
    }

    pub(crate) fn is_of(&self, action: Action, signature: &Signature) -> bool {
        signature.lifeline(&self.lifeline) == Some(action.lifeline)
            && self.kind.is_none_or(|kind| kind == action.kind)
            && self.message.as_ref().is_none_or(|it| signature.message_name(action.message) == it)
    }
}

/// As it is written.
impl fmt::Display for UnloggedEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lifeline)?;
        let Some(kind) = self.kind else { return Ok(()) };
        write!(f, "{}{}", kind.mark(), self.message.as_deref().unwrap_or(names::ANY))
    }
}

/// Actions of a step that need not be in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnloggedStep {
    /// The step.
    pub node: NodeId,
    /// At which lifelines; `None` for all.
    pub at: Option<LifelineSet>,
}

impl UnloggedStep {
    pub(crate) fn is_of(&self, action: Action) -> bool {
        self.at.as_ref().is_none_or(|at| at.contains(action.lifeline))
    }
}

/// Marks the steps from a node on as not logged, at these lifelines or at all. Returns whether there is an event that this is
/// about.
pub(crate) fn mark_unlogged(
    nodes: &[Node],
    first: usize,
    at: Option<&LifelineSet>,
    unlogged: &mut Vec<UnloggedStep>,
) -> bool {
    let is_there = |action: &Action| at.is_none_or(|at| at.contains(action.lifeline));
    let start = unlogged.partition_point(|step| step.node.index() < first);
    let steps = (first..nodes.len()).filter(|&index| matches!(nodes[index], Node::Step(_)));
    unlogged.extend(steps.map(|index| UnloggedStep { node: NodeId::new(index), at: at.cloned() }));
    unlogged[start..].sort_by_key(|step| step.node);
    nodes[first..].iter().any(|node| match node {
        Node::Step(step) => step.actions().iter().any(is_there),
        _ => false,
    })
}

/// The most operators and actions of an interaction with its parts, `for`, bounds, breaks and choices written out. A
/// slip such as a bound of a billion is an error before it fills the memory; the number is an estimate.
pub const MAX_EXPANDED: usize = 1 << 20;

/// The most operands that a choice of some may have: among more, the choice is longer than anybody means, and
/// [`NodeList::any_of`] recurses for each.
const MOST_TO_CHOOSE: usize = 1_000;

/// How many nodes [`NodeList::anything`] makes for a lifeline.
pub(crate) const NODES_OF_ANYTHING: usize = 5;

/// The choices of this many of a number of things, each in ascending order.
pub(crate) fn choices(of: usize, count: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut next = (count <= of).then(|| (0..count).collect::<Vec<usize>>());
    std::iter::from_fn(move || {
        let now = next.take()?;
        // The last place that can move on does, and those behind it follow it.
        if let Some(at) = (0..count).rev().find(|&at| now[at] < of - count + at) {
            let moved = now[at] + 1;
            let kept = now[..at].iter().copied();
            next = Some(kept.chain(moved..moved + count - at).collect());
        }
        Some(now)
    })
}

/// Where the nodes of operands stand that were written one behind the other.
#[derive(Clone, Debug)]
pub(crate) struct OperandNodes {
    /// Where those of each operand begin, and where the last ones end.
    starts: Vec<usize>,
}

impl OperandNodes {
    /// Those from a node on, whose operands have these roots.
    pub(crate) fn new(first: usize, roots: impl IntoIterator<Item = NodeId>) -> OperandNodes {
        let ends = roots.into_iter().map(|root| root.index() + 1);
        OperandNodes { starts: std::iter::once(first).chain(ends).collect() }
    }

    /// The nodes of each operand.
    pub(crate) fn ranges(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + '_ {
        self.starts.windows(2).map(|bounds| bounds[0]..bounds[1])
    }

    /// Where the last ones end.
    pub(crate) fn end(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }
}

/// Nodes of an interaction while it is written, operands before operators.
pub(crate) struct NodeList<'a> {
    pub(crate) nodes: &'a mut Vec<Node>,
    pub(crate) spans: &'a mut Vec<Span>,
    pub(crate) unlogged: &'a mut Vec<UnloggedStep>,
}

/// The nodes of an operand, taken out of a list.
pub(crate) struct Operand {
    nodes: Vec<Node>,
    spans: Vec<Span>,
    unlogged: Vec<UnloggedStep>,
    first: usize,
}

impl NodeList<'_> {
    pub(crate) fn push(&mut self, node: Node, span: Span) -> NodeId {
        self.nodes.push(node);
        self.spans.push(span);
        NodeId::new(self.nodes.len() - 1)
    }

    /// Takes the nodes from this one on out of the list. The last one is their root.
    pub(crate) fn take(&mut self, first: usize) -> Operand {
        let nodes = self.nodes.split_off(first);
        let spans = self.spans.split_off(first);
        let start = self.unlogged.partition_point(|it| it.node.index() < first);
        Operand { nodes, spans, unlogged: self.unlogged.split_off(start), first }
    }

    /// Takes the nodes of operands out of the list, behind which no others stand.
    pub(crate) fn take_all(&mut self, operands: &OperandNodes) -> Vec<Operand> {
        let mut all: Vec<Operand> = operands.ranges().rev().map(|it| self.take(it.start)).collect();
        all.reverse();
        all
    }

    /// A copy of an operand; returns its root.
    pub(crate) fn copy(&mut self, operand: &Operand) -> NodeId {
        let now = self.nodes.len();
        let moved = |id: NodeId| NodeId::new(id.index() - operand.first + now);
        self.nodes.extend(operand.nodes.iter().map(|node| node.with_children(moved)));
        self.spans.extend(&operand.spans);
        self.unlogged.extend(
            operand
                .unlogged
                .iter()
                .map(|it| UnloggedStep { node: moved(it.node), at: it.at.clone() }),
        );
        NodeId::new(self.nodes.len() - 1)
    }

    /// Between this many of the operands, whose nodes were written last, in parallel: an alternative for each choice.
    /// `None` if there are too many.
    pub(crate) fn any_of(
        &mut self,
        operands: &OperandNodes,
        bounds: (usize, usize),
        span: Span,
    ) -> Option<NodeId> {
        let operands = self.take_all(operands);
        if operands.len() > MOST_TO_CHOOSE {
            return None;
        }
        self.any_of_taken(&operands, bounds, span)
    }

    fn any_of_taken(
        &mut self,
        operands: &[Operand],
        (least, most): (usize, usize),
        span: Span,
    ) -> Option<NodeId> {
        if self.nodes.len() > MAX_EXPANDED {
            return None;
        }
        let Some((first, rest)) = operands.split_first().filter(|_| most > 0) else {
            return Some(self.push(Node::Empty, span));
        };
        let mut with = self.copy(first);
        if most > 1 && !rest.is_empty() {
            let others = self.any_of_taken(rest, (least.saturating_sub(1), most - 1), span)?;
            with = self.push(Node::Par(with, others), span);
        }
        if least > rest.len() {
            return Some(with);
        }
        let without = self.any_of_taken(rest, (least, most), span)?;
        Some(self.push(Node::Alt(with, without), span))
    }

    /// Any number of events of these lifelines that stand nowhere else in the specification.
    pub(crate) fn anything(
        &mut self,
        lifelines: &[LifelineId],
        any: MessageId,
        span: Span,
    ) -> NodeId {
        let mut all: Option<NodeId> = None;
        for &lifeline in lifelines {
            let step = |kind| Node::Step(Step::single(Action { lifeline, kind, message: any }));
            let emission = self.push(step(ActionKind::Emission), span);
            let reception = self.push(step(ActionKind::Reception), span);
            let one = self.push(Node::Alt(emission, reception), span);
            let many = self.push(Node::Loop(LoopKind::Strict, one), span);
            all = Some(match all {
                None => many,
                Some(before) => self.push(Node::Par(before, many), span),
            });
        }
        all.unwrap_or_else(|| self.push(Node::Empty, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_all_and_each_once() {
        let all = |of, count| choices(of, count).collect::<Vec<_>>();
        assert_eq!(all(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(all(2, 0), [[0; 0]]);
        assert_eq!(all(2, 3), [[0; 0]; 0]);
        assert_eq!(all(10, 5).len(), 252);
        assert_eq!(all(200, 199).len(), 200);
    }
}
