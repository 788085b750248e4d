//! Specifications with their open choices written out.

use super::parsed::ParsedSpec;
use crate::open::{NodeList, Unjudged, UnloggedEvents};
use crate::shorten::shorten;
use crate::source::Span;
use multitrace_interaction::{
    Action, Id, Interaction, LifelineId, Locations, LoopKind, MessageId, Node, NodeId, Signature,
    Step, TermStore, names,
};

/// Why the open choices of a specification cannot be written out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A name that no lifeline has.
    #[error("no lifeline is called `{name}`; the specification has {known}")]
    UnknownLifeline {
        /// The name.
        name: String,
        /// The names of all lifelines.
        known: String,
    },
    /// Events that no part of the specification has.
    #[error(
        "no event of the specification is {0}, which is said to be not logged; write it as the specification has it"
    )]
    UnknownEvents(String),
    /// In one step, too many actions need not be logged.
    #[error(
        "a step of more than {MOST_OPTIONAL} actions that need not be logged, with {action}; write its actions one by one"
    )]
    TooManyActions {
        /// One of the actions.
        action: String,
        /// Where the step is written.
        span: Span,
    },
    /// An event whose place in the order of others can be observed.
    #[error(
        "{action} need not be logged, but it orders other events in a way that logs can show: {why}, or log it"
    )]
    Observable {
        /// The event.
        action: String,
        /// Why the logs can show it, and the remedy.
        why: ObservableBy,
        /// Where it is written first.
        span: Span,
    },
}

/// Why logs can show the order that an event makes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObservableBy {
    /// Operands of a concurrent operator share several locations.
    #[error(
        "it is below a concurrent operator whose operands share several locations; make the order around it strict"
    )]
    Concurrency,
    /// Events of different lifelines of one log are in an order that only this event makes.
    #[error(
        "lifelines share a log ({0}), where the order of their events may come from it; give them logs of their own, make \
         the order around it strict"
    )]
    SharedLogs(String),
}

impl OpenError {
    /// Where the specification has it, if it is there at all.
    pub fn span(&self) -> Option<Span> {
        match self {
            OpenError::TooManyActions { span, .. } | OpenError::Observable { span, .. } => {
                Some(*span)
            }
            _ => None,
        }
    }
}

impl ParsedSpec {
    /// The specification with its open choices written out: `unjudged` and `unlogged` beside its own.
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
        // An option has no place.
        let whole = spec.spans.last().copied().unwrap_or_default();
        let given = unjudged.map(|it| (it.clone(), whole));
        match given.or_else(|| spec.unjudged.clone()) {
            None => Ok(spec),
            Some((unjudged, span)) => spec.with_unjudged(&unjudged, span),
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
        let found = |action: Action| {
            let has_it = |(index, node): (usize, &Node)| match node {
                Node::Step(step) => step.actions().contains(&action) && is_unlogged(index, action),
                _ => false,
            };
            let at = self.interaction.nodes().iter().enumerate().position(has_it);
            let span = at.and_then(|at| self.spans.get(at)).copied().unwrap_or_default();
            (signature.action_text(action), span)
        };
        if let Some(action) = observable(&self.interaction, &is_unlogged, locations) {
            let (action, span) = found(action);
            let apart = Locations::discrete(&signature);
            let why = match observable(&self.interaction, &is_unlogged, &apart) {
                Some(_) => ObservableBy::Concurrency,
                None => ObservableBy::SharedLogs(shared_logs(locations, &signature)),
            };
            return Err(OpenError::Observable { action, why, span });
        }
        if let Some(action) = too_many(&self.interaction, &is_unlogged) {
            let (action, span) = found(action);
            return Err(OpenError::TooManyActions { action, span });
        }
        self.make_optional(&is_unlogged);
        self.has_only_multi_traces = true;
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
        self.lifeline(&events.lifeline)?;
        let mut actions = self.interaction.actions();
        if actions.any(|action| events.is_of(action, &self.signature)) {
            return Ok(());
        }
        Err(OpenError::UnknownEvents(events.to_string()))
    }

    fn lifeline(&self, name: &str) -> Result<LifelineId, OpenError> {
        self.signature.lifeline(name).ok_or_else(|| {
            let known = self.signature.lifelines().map(|it| self.signature.lifeline_name(it));
            OpenError::UnknownLifeline {
                name: name.to_owned(),
                known: shorten(&names::location_text(known), MOST_NAMES).into_owned(),
            }
        })
    }

    fn with_unjudged(mut self, unjudged: &Unjudged, span: Span) -> Result<ParsedSpec, OpenError> {
        let lifelines: Vec<LifelineId> = match unjudged {
            Unjudged::All => {
                // Lifelines that the specification does not mention have this name.
                self.signature.intern_lifeline(names::ANY);
                self.signature.lifelines().collect()
            }
            Unjudged::At(names) => {
                names.iter().map(|name| self.lifeline(name)).collect::<Result<_, _>>()?
            }
        };
        let any = self.signature.intern_message(names::ANY);
        let mut nodes = self.interaction.nodes().to_vec();
        let root = NodeId::new(nodes.len() - 1);
        let whole = self.spans.last().copied().unwrap_or_default();
        let mut list =
            NodeList { nodes: &mut nodes, spans: &mut self.spans, unlogged: &mut self.unlogged };
        let others = list.anything(&lifelines, any, span);
        list.push(Node::Par(root, others), whole);
        // The shape is that of a tree that was checked.
        self.interaction = Interaction::new(nodes).unwrap_or(self.interaction);
        Ok(self)
    }
}

/// The lifelines of each log that several share.
fn shared_logs(locations: &Locations, signature: &Signature) -> String {
    let shared = locations.iter().filter(|it| locations.lifelines(*it).len() > 1);
    let names: Vec<String> = shared.map(|it| locations.name(it, signature)).collect();
    shorten(&names.join("; "), MOST_NAMES).into_owned()
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

/// An action of a step that would have too many alternatives.
fn too_many(
    interaction: &Interaction,
    is_unlogged: &dyn Fn(usize, Action) -> bool,
) -> Option<Action> {
    interaction.nodes().iter().enumerate().find_map(|(index, node)| {
        let Node::Step(step) = node else { return None };
        let mut optional = step.actions().iter().filter(|&&action| is_unlogged(index, action));
        optional.nth(MOST_OPTIONAL).copied()
    })
}

/// The most actions of a step that need not be logged: each doubles the alternatives that the step becomes.
const MOST_OPTIONAL: usize = 10;
/// The most characters of the names of lifelines in an error.
const MOST_NAMES: usize = 200;

/// The number added to the ids of messages that need not be logged: far beyond those that there are.
const MARK: usize = 1 << 30;

/// An action that need not be logged and whose place in the order of others logs can show.
///
/// Order that no location can tell is made strict first. Strict order, choice, interleaving and strict or parallel
/// loops are then concatenations, unions and shuffles of words, and leaving letters out of words commutes with these.
/// A node that stays weak or concurrent at some lifelines only orders letters by others, which must not be left out.
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
