//! Specifications that do not say everything: messages that are not judged, places where anything may happen,
//! events that need not be in the log, and some of several parts. Each stands for an interaction of the usual
//! operators.

// The message `*` stands for any message that the specification does not have at that lifeline in that
// direction: `a!*` is an emission of a that it does not have, `a?*` a reception. So no alphabet is written out.

use crate::hif::ParsedSpec;
use crate::source::Span;
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LifelineSet, Locations, LoopKind, MessageId,
    Node, NodeId, Signature, Step, TermStore, names,
};

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

    fn is_of(&self, action: Action, signature: &Signature) -> bool {
        signature.lifeline_name(action.lifeline) == self.lifeline
            && self.kind.is_none_or(|kind| kind == action.kind)
            && self.message.as_ref().is_none_or(|it| signature.message_name(action.message) == it)
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
    fn is_of(&self, action: Action) -> bool {
        self.at.as_ref().is_none_or(|at| at.contains(action.lifeline))
    }
}

/// Marks the steps from a node on as not logged, at these lifelines or at all.
pub(crate) fn mark_unlogged(
    nodes: &[Node],
    first: usize,
    at: Option<&LifelineSet>,
    unlogged: &mut Vec<UnloggedStep>,
) {
    let start = unlogged.partition_point(|step| step.node.index() < first);
    let steps = (first..nodes.len()).filter(|&index| matches!(nodes[index], Node::Step(_)));
    unlogged.extend(steps.map(|index| UnloggedStep { node: NodeId::new(index), at: at.cloned() }));
    unlogged[start..].sort_by_key(|step| step.node);
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
    fn push(&mut self, node: Node, span: Span) -> NodeId {
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

    /// A copy of an operand; returns its root.
    fn copy(&mut self, operand: &Operand) -> NodeId {
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

    /// Between so many of the operands, in parallel: an alternative for each choice. `None` if there would be more
    /// than `limit` nodes.
    pub(crate) fn any_of(
        &mut self,
        operands: &[Operand],
        (least, most): (usize, usize),
        span: Span,
        limit: usize,
    ) -> Option<NodeId> {
        if self.nodes.len() > limit {
            return None;
        }
        let Some((first, rest)) = operands.split_first().filter(|_| most > 0) else {
            return Some(self.push(Node::Empty, span));
        };
        let mut with = self.copy(first);
        if most > 1 && !rest.is_empty() {
            let others = self.any_of(rest, (least.saturating_sub(1), most - 1), span, limit)?;
            with = self.push(Node::Par(with, others), span);
        }
        if least > rest.len() {
            return Some(with);
        }
        let without = self.any_of(rest, (least, most), span, limit)?;
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

/// Why a specification is not read with what is open in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A name that no lifeline has.
    #[error("no lifeline is called `{0}`")]
    UnknownLifeline(String),
    /// Events that no part of the specification has.
    #[error("the specification has no event {0}, which is said to be not logged")]
    UnknownEvents(String),
    /// An event whose place in the order of others can be observed.
    #[error(
        "{0} need not be logged, but it orders other events in a way that logs can show: it is below a concurrent \
         operator whose operands share several locations; make the order around it strict, or log it"
    )]
    Observable(String),
}

impl ParsedSpec {
    /// The specification in which what is open is written out: `unjudged` and `unlogged` beside what it says itself.
    ///
    /// # Errors
    /// When a name is unknown, or an event that is not logged cannot be left out without changing which logs are
    /// accepted.
    pub fn written_out(
        self,
        unjudged: Option<&Unjudged>,
        unlogged: &[UnloggedEvents],
        locations: &Locations,
    ) -> Result<ParsedSpec, OpenError> {
        let spec = self.without_unlogged(unlogged, locations)?;
        match unjudged.cloned().or_else(|| spec.unjudged.clone()) {
            None => Ok(spec),
            Some(unjudged) => spec.with_unjudged(&unjudged),
        }
    }

    fn without_unlogged(
        mut self,
        unlogged: &[UnloggedEvents],
        locations: &Locations,
    ) -> Result<ParsedSpec, OpenError> {
        let said = std::mem::take(&mut self.unlogged_events);
        let all: Vec<&UnloggedEvents> = said.iter().chain(unlogged).collect();
        if all.is_empty() && self.unlogged.is_empty() {
            return Ok(self);
        }
        for events in &all {
            self.check_known(events)?;
        }
        let own = std::mem::take(&mut self.unlogged);
        let signature = self.signature.clone();
        let is_unlogged = |node: usize, action: Action| {
            let start = own.partition_point(|step| step.node.index() < node);
            let mut steps = own[start..].iter().take_while(|step| step.node.index() == node);
            steps.any(|step| step.is_of(action))
                || all.iter().any(|events| events.is_of(action, &signature))
        };
        if let Some(action) = observable(&self.interaction, &is_unlogged, locations) {
            return Err(OpenError::Observable(signature.action_text(action)));
        }
        self.make_optional(&is_unlogged);
        Ok(self)
    }

    /// Replaces each step by alternatives with and without its actions that need not be in the log.
    fn make_optional(&mut self, is_unlogged: &dyn Fn(usize, Action) -> bool) {
        let (mut nodes, mut spans): (Vec<Node>, Vec<Span>) = (Vec::new(), Vec::new());
        let mut moved: Vec<NodeId> = Vec::new();
        for (index, node) in self.interaction.nodes().iter().enumerate() {
            let span = self.spans.get(index).copied().unwrap_or_default();
            let mut push = |node: Node| {
                nodes.push(node);
                spans.push(span);
                NodeId::new(nodes.len() - 1)
            };
            let root = match node {
                Node::Step(step) => {
                    let choices = choices(step, |action| is_unlogged(index, action));
                    let mut choices = choices
                        .into_iter()
                        .rev()
                        .map(|actions| Step::new(actions).map_or(Node::Empty, Node::Step));
                    let last = push(choices.next().unwrap_or(Node::Empty));
                    choices.fold(last, |rest, choice| {
                        let choice = push(choice);
                        push(Node::Alt(choice, rest))
                    })
                }
                node => push(node.with_children(|child| moved[child.index()])),
            };
            moved.push(root);
        }
        self.spans = spans;
        // The shape is that of a tree that was checked.
        if let Ok(interaction) = Interaction::new(nodes) {
            self.interaction = interaction;
        }
    }

    fn check_known(&self, events: &UnloggedEvents) -> Result<(), OpenError> {
        if self.signature.lifeline(&events.lifeline).is_none() {
            return Err(OpenError::UnknownLifeline(events.lifeline.clone()));
        }
        let mut actions = self.interaction.actions();
        if actions.any(|action| events.is_of(action, &self.signature)) {
            return Ok(());
        }
        let kind = events.kind.map_or('!', ActionKind::mark);
        let message = events.message.as_deref().unwrap_or(names::ANY);
        Err(OpenError::UnknownEvents(format!("{}{kind}{message}", events.lifeline)))
    }

    fn with_unjudged(mut self, unjudged: &Unjudged) -> Result<ParsedSpec, OpenError> {
        let lifelines: Vec<LifelineId> = match unjudged {
            Unjudged::All => {
                // Lifelines that the specification does not mention have this name.
                let all = self.signature.lifelines().collect();
                self.signature.intern_lifeline(names::ANY);
                all
            }
            Unjudged::At(names) => {
                let id = |name: &String| {
                    let id = self.signature.lifeline(name);
                    id.ok_or_else(|| OpenError::UnknownLifeline(name.clone()))
                };
                names.iter().map(id).collect::<Result<_, _>>()?
            }
        };
        let any = self.signature.intern_message(names::ANY);
        let mut nodes = self.interaction.nodes().to_vec();
        let root = NodeId::new(nodes.len() - 1);
        let span = self.spans.last().copied().unwrap_or_default();
        let mut list =
            NodeList { nodes: &mut nodes, spans: &mut self.spans, unlogged: &mut self.unlogged };
        let others = list.anything(&lifelines, any, span);
        list.push(Node::Par(root, others), span);
        // The shape is that of a tree that was checked.
        self.interaction = Interaction::new(nodes).unwrap_or(self.interaction);
        Ok(self)
    }
}

/// The actions of a step, with all of its optional ones, with some, without any.
fn choices(step: &Step, is_optional: impl Fn(Action) -> bool) -> Vec<Vec<Action>> {
    let mut choices = vec![Vec::new()];
    for &action in step.actions() {
        let without = if is_optional(action) { choices.clone() } else { Vec::new() };
        choices.iter_mut().for_each(|choice: &mut Vec<Action>| choice.push(action));
        choices.extend(without);
    }
    choices
}

/// What is added to the ids of messages that need not be logged: far beyond those that there are.
const MARK: usize = 1 << 30;

/// An action that need not be logged and whose place in the order of others logs can show.
///
/// Order that no location can tell is made strict first. Strict order, choice, interleaving and strict or parallel
/// loops are then concatenations, unions and shuffles of words, and leaving letters out of words commutes with these.
/// What stays weak or concurrent at some lifelines only orders letters by others, which must not be left out.
fn observable(
    interaction: &Interaction,
    is_unlogged: &dyn Fn(usize, Action) -> bool,
    locations: &Locations,
) -> Option<Action> {
    let mark = |(index, node): (usize, &Node)| match node {
        Node::Step(step) => {
            let actions = step.actions().iter().map(|&action| match is_unlogged(index, action) {
                true => Action { message: MessageId::new(MARK + action.message.index()), ..action },
                false => action,
            });
            Step::new(actions.collect::<Vec<Action>>()).map_or(Node::Empty, Node::Step)
        }
        node => node.clone(),
    };
    let marked = interaction.nodes().iter().enumerate().map(mark).collect();
    let mut store = TermStore::new();
    let root = store.intern(&Interaction::new(marked).ok()?).root();
    let term = store.linearize(root, locations).term;
    let written = store.write_out(term);
    let mut is_weak = vec![false; written.nodes().len()];
    for (index, node) in written.nodes().iter().enumerate().rev() {
        let own = matches!(
            node,
            Node::Seq(..)
                | Node::CoReg(..)
                | Node::Loop(LoopKind::Weak | LoopKind::CoReg(_) | LoopKind::HeadFirst, _)
        );
        let below = is_weak[index] || own;
        node.children().for_each(|child| is_weak[child.index()] = below);
        if let (Node::Step(step), true) = (node, below) {
            let marked = step.actions().iter().find(|action| action.message.index() >= MARK);
            if let Some(action) = marked {
                let message = MessageId::new(action.message.index() - MARK);
                return Some(Action { message, ..*action });
            }
        }
    }
    None
}
