//! Three kinds of frames: a place for any events, a choice of some parts, and one body for each of several participants.

// A quorum is an alternative for each choice of parts that are enough: these, and then the rest; and beside both the
// other parts, or none of them. Parts beside come in any order at the participants that all parts share, such as the
// one who asks, and before the rest at the others.

use super::{Builder, Order, Quorum};
use crate::diagram::directives::{Bounds, Meaning, for_next};
use crate::diagram::model::{Fragment, Participant, ParticipantId, Statement};
use crate::open::{MAX_EXPANDED, NODES_OF_ANYTHING, NodeList, Operand, OperandNodes, choices};
use crate::source::Span;
use multitrace_interaction::{LifelineId, LifelineSet, Node, NodeId, names};
use std::collections::{BTreeMap, HashMap};

type Labels<'d> = BTreeMap<String, &'d Participant>;

/// The name of a participant that may be called by its label.
fn named(labels: &Labels<'_>, name: String) -> String {
    labels.get(&name).map_or(name, |it| it.id.clone())
}

impl<'d> Builder<'d> {
    /// The participants that stand for several, with all that they stand for.
    pub(super) fn find_templates(
        body: &[Statement],
        labels: &Labels<'_>,
        templates: &mut HashMap<String, Vec<String>>,
    ) {
        for statement in body {
            match statement {
                Statement::Directive(directive) => {
                    if let Some(Meaning::For { participant, values }) = for_next(directive) {
                        let values = values.into_iter().map(|it| named(labels, it));
                        templates.entry(named(labels, participant)).or_default().extend(values);
                    }
                }
                Statement::Fragment(fragment) => {
                    fragment
                        .operands
                        .iter()
                        .for_each(|it| Self::find_templates(&it.body, labels, templates));
                }
                _ => {}
            }
        }
    }

    fn list(&mut self) -> NodeList<'_> {
        let Builder { nodes, spans, unlogged, .. } = self;
        NodeList { nodes, spans, unlogged }
    }

    /// Any events of these participants that stand nowhere else; of all if none is named.
    pub(super) fn anything(&mut self, names: &[String], span: Span) -> NodeId {
        let named = names.iter().filter_map(|name| self.signature.lifeline(name)).collect();
        let lifelines: Vec<LifelineId> =
            if names.is_empty() { self.signature.lifelines().collect() } else { named };
        if self.nodes.len() + NODES_OF_ANYTHING * lifelines.len() > MAX_EXPANDED {
            self.too_large(span);
            return self.push(Node::Empty, span);
        }
        let any = self.signature.intern_message(names::ANY);
        self.list().anything(&lifelines, any, span)
    }

    /// The operand of a frame for each of several in place of a participant.
    pub(super) fn operands_for(
        &mut self,
        fragment: &'d Fragment,
        participant: &str,
        values: &[String],
        inside: &Order,
    ) -> Vec<(NodeId, Span)> {
        let participant = named(&self.labels, participant.to_owned());
        let at = self.diagram.participants.iter().position(|it| it.id == participant);
        let [operand] = &fragment.operands[..] else {
            let help = "draw one part, which holds for each of them";
            self.error(fragment.span, "`for` before a frame of several parts", help);
            return Vec::new();
        };
        let Some(at) = at else {
            let help = "name the participant that stands for each of them";
            self.error(operand.header, "`for` names no participant of the diagram", help);
            return Vec::new();
        };
        let was_copy = self.is_copy;
        let mut operands = Vec::new();
        for value in values {
            if self.is_too_large {
                break;
            }
            let lifeline = self.signature.intern_lifeline(&named(&self.labels, value.clone()));
            self.bound.push((ParticipantId(at as u32), lifeline));
            let body = self.body(&operand.body, inside);
            operands.push((self.or_empty(body, operand.header), fragment.span));
            self.bound.pop();
            self.is_copy = true;
        }
        self.is_copy = was_copy;
        operands
    }

    /// The operands, whose nodes are those from `first` on; `None` after an error.
    fn operand_nodes(
        &mut self,
        operands: &[(NodeId, Span)],
        first: usize,
        least: u32,
        span: Span,
    ) -> Option<OperandNodes> {
        if least as usize > operands.len() {
            let message = format!("{least} of {} parts", operands.len());
            self.error(span, &message, "write a smaller number");
            return None;
        }
        let nodes = OperandNodes::new(first, operands.iter().map(|(root, _)| *root));
        (!self.is_too_large).then_some(nodes)
    }

    /// So many of the operands, whose nodes are those from `first` on.
    pub(super) fn any_of(
        &mut self,
        operands: &[(NodeId, Span)],
        first: usize,
        (least, most): Bounds,
        span: Span,
    ) -> Option<NodeId> {
        let (last, _) = *operands.last()?;
        let Some(nodes) = self.operand_nodes(operands, first, least, span) else {
            return Some(last);
        };
        let most = most.map_or(usize::MAX, |most| most as usize);
        let root = self.list().any_of(&nodes, (least as usize, most), span);
        Some(root.unwrap_or_else(|| {
            self.too_large(span);
            last
        }))
    }

    /// Keeps a frame whose operands were read last; returns the node that stands for it.
    pub(super) fn keep_quorum(
        &mut self,
        operands: &[(NodeId, Span)],
        first: usize,
        enough: u32,
        span: Span,
    ) -> Option<NodeId> {
        let (last, _) = *operands.last()?;
        if let Some(nodes) = self.operand_nodes(operands, first, enough, span) {
            let shared = self.shared(&nodes);
            let quorum = Quorum { operands: nodes, enough: enough as usize, shared, span };
            self.quorums.insert(last, quorum);
        }
        Some(last)
    }

    /// The participants of all operands.
    fn shared(&self, operands: &OperandNodes) -> LifelineSet {
        let mut users: BTreeMap<LifelineId, usize> = BTreeMap::new();
        for range in operands.ranges() {
            let steps = self.nodes[range].iter().filter_map(|node| match node {
                Node::Step(step) => Some(step),
                _ => None,
            });
            let own: LifelineSet = steps
                .flat_map(|step| step.actions().iter().map(|action| action.lifeline))
                .collect();
            own.iter().for_each(|lifeline| *users.entry(lifeline).or_default() += 1);
        }
        let count = operands.ranges().count();
        users.into_iter().filter(|(_, users)| *users == count).map(|(it, _)| it).collect()
    }

    /// The frame before the rest, whose nodes are those behind the operands.
    pub(super) fn quorum(&mut self, quorum: &Quorum, has_rest: bool, order: &Order) -> NodeId {
        let Quorum { operands, enough, shared, span } = quorum;
        let mut list = self.list();
        let rest = has_rest.then(|| list.take(operands.end()));
        let operands = list.take_all(operands);
        let mut ways: Option<NodeId> = None;
        for choice in choices(operands.len(), *enough) {
            if list.nodes.len() > MAX_EXPANDED {
                self.too_large(*span);
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
