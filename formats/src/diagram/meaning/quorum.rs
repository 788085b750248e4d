//! Frames that what follows waits for in part: so many of the operands are enough.

// For each choice of operands that are enough: these, and then the rest; and beside both the other operands, or none of
// them. What is beside comes in any order at the participants that all operands share, such as the one who asks, and
// before the rest at the others.

use super::{Builder, Order, Quorum};
use crate::hif::MAX_EXPANDED;
use crate::open::{NodeList, Operand};
use crate::source::Span;
use multitrace_interaction::{Id, LifelineId, LifelineSet, Node, NodeId};
use std::collections::BTreeMap;

impl Builder<'_> {
    /// Keeps a frame whose operands were read last; returns what stands for it.
    pub(super) fn keep_quorum(
        &mut self,
        operands: &[(NodeId, Span)],
        first: usize,
        enough: u32,
        span: Span,
    ) -> Option<NodeId> {
        let (last, _) = *operands.last()?;
        if enough as usize > operands.len() {
            let message = format!("{enough} of {} parts", operands.len());
            self.error(span, &message, "write a smaller number");
            return Some(last);
        }
        let ends = operands.iter().map(|(root, _)| root.index() + 1);
        let starts: Vec<usize> = std::iter::once(first).chain(ends).collect();
        let mut users: BTreeMap<LifelineId, usize> = BTreeMap::new();
        for bounds in starts.windows(2) {
            let steps = self.nodes[bounds[0]..bounds[1]].iter().filter_map(|node| match node {
                Node::Step(step) => Some(step),
                _ => None,
            });
            let own: LifelineSet = steps
                .flat_map(|step| step.actions().iter().map(|action| action.lifeline))
                .collect();
            own.iter().for_each(|lifeline| *users.entry(lifeline).or_default() += 1);
        }
        let shared = users.iter().filter(|(_, count)| **count == operands.len());
        let shared = shared.map(|(lifeline, _)| *lifeline).collect();
        self.quorums.insert(last, Quorum { starts, enough: enough as usize, shared, span });
        Some(last)
    }

    /// The frame before the rest, whose nodes are those behind the operands.
    pub(super) fn quorum(&mut self, quorum: &Quorum, has_rest: bool, order: &Order) -> NodeId {
        let Quorum { starts, enough, shared, span } = quorum;
        let Builder { nodes, spans, unlogged, .. } = self;
        let mut list = NodeList { nodes, spans, unlogged };
        let behind = starts.last().copied().unwrap_or_default();
        let rest = has_rest.then(|| list.take(behind));
        let mut operands: Vec<Operand> =
            starts[..starts.len() - 1].iter().rev().map(|&start| list.take(start)).collect();
        operands.reverse();
        let mut choices = vec![Vec::new()];
        for at in 0..operands.len() {
            let with = choices.iter().filter(|choice: &&Vec<usize>| choice.len() < *enough);
            let with: Vec<Vec<usize>> =
                with.map(|choice| choice.iter().copied().chain([at]).collect()).collect();
            choices.extend(with);
            if choices.len() > MAX_EXPANDED {
                break;
            }
        }
        choices.retain(|choice| choice.len() == *enough);
        let mut ways: Option<NodeId> = None;
        for choice in choices {
            if list.nodes.len() > MAX_EXPANDED {
                self.is_too_large = true;
                self.error(*span, "too many choices", "use fewer parts");
                break;
            }
            let way = way(&mut list, &operands, &choice, rest.as_ref(), (shared, *span), order);
            ways = Some(ways.map_or(way, |before| list.push(Node::Alt(before, way), *span)));
        }
        self.or_empty(ways, *span)
    }
}

/// These operands and then the rest, beside the others.
fn way(
    list: &mut NodeList<'_>,
    operands: &[Operand],
    choice: &[usize],
    rest: Option<&Operand>,
    (shared, span): (&LifelineSet, Span),
    order: &Order,
) -> NodeId {
    let mut others: Option<NodeId> = None;
    for (_, other) in operands.iter().enumerate().filter(|(at, _)| !choice.contains(at)) {
        let other = list.copy(other);
        let nothing = list.push(Node::Empty, span);
        let maybe = list.push(Node::Alt(other, nothing), span);
        others = Some(others.map_or(maybe, |before| list.push(Node::Par(before, maybe), span)));
    }
    let mut enough: Option<NodeId> = None;
    for &at in choice {
        let one = list.copy(&operands[at]);
        enough = Some(enough.map_or(one, |before| list.push(Node::Par(before, one), span)));
    }
    let mut whole = enough.unwrap_or_else(|| list.push(Node::Empty, span));
    if let Some(rest) = rest {
        let rest = list.copy(rest);
        whole = list.push(order.node(whole, rest), span);
    }
    match others {
        None => whole,
        Some(others) => list.push(Node::CoReg(shared.clone(), others, whole), span),
    }
}
