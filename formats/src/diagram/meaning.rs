//! The interaction that a diagram stands for.

// Idea: order down the page is weak sequencing, frames are operators. A break is an alternative to the
// rest of the frame around it, so a body is cut at its breaks and put together from its end. Out of a
// loop, what came before a break in the last repetition stands in the interaction once more.
//
// Directives stand before what they are about, and wait until it comes.
//
// Cost: linear in the diagram, but for bounded loops and for breaks out of loops, which are copies; the
// size of the interaction has a limit.

mod entries;
mod loops;
mod waiting;

use super::directives::{self, Meaning, RepetitionKind};
use super::message_names::{MessageNames, one_line};
use super::model::{
    Diagram, Directive, End, Fragment, FragmentOperator, Head, Message, Note, Participant,
    ParticipantId, Statement,
};
use super::notes::is_like_action;
use crate::hif::{Allowed, NameUse, Named, ParsedSpec};
use crate::locations::LocationGroup;
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use crate::suggest::did_you_mean;
use crate::warning::{Warning, WarningCode};
use entries::{Entry, Exit, Stretch, entries, stretches};
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LifelineSet, Node, NodeId, Signature, Step,
};
use std::collections::{HashMap, HashSet};
use waiting::Waiting;

/// The most nodes of an interaction with all copies, as for the parts of `.hif`.
const MAX_NODES: usize = 1 << 20;
/// What messages without a text are called.
const UNLABELLED: &str = "unlabelled";

/// What a diagram means.
pub(super) struct Meant {
    pub(super) parsed: ParsedSpec,
    /// Which lifelines share a clock, if a directive says so.
    pub(super) locations: Option<Vec<LocationGroup>>,
    /// What was read in one way of several.
    pub(super) remarks: Vec<Warning>,
}

/// The meaning of a diagram in a text; `names` says what messages are called, whatever the directive
/// `messages` says.
pub(super) fn meaning(
    text: &str,
    diagram: &Diagram,
    names: Option<&MessageNames>,
) -> Result<Meant, Diagnostics> {
    let mut builder = Builder::new(text, diagram);
    builder.read_settings(&diagram.body);
    if let Some(names) = names {
        builder.settings.names = names.clone();
    }
    builder.remark_labels();
    let order = if builder.settings.is_strict { Order::Strict } else { Order::Weak };
    let root = builder.body(&diagram.body, &order);
    let whole = diagram.body.first().map_or(Span::default(), span_of);
    builder.or_empty(root, whole);
    builder.finish()
}

/// A name that a directive gives to a text.
struct NamedText {
    name: String,
    span: Span,
    is_used: bool,
}

/// What holds for the whole diagram.
struct Settings {
    loops: RepetitionKind,
    is_local: bool,
    is_strict: bool,
    names: MessageNames,
    message_names: HashMap<String, NamedText>,
    /// Whether a directive says how loops repeat.
    says_loops: bool,
    locations: Option<Vec<LocationGroup>>,
}

/// How the statements of a body follow each other.
#[derive(Clone)]
enum Order {
    Weak,
    Strict,
    Coregion(LifelineSet),
}

impl Order {
    fn node(&self, left: NodeId, right: NodeId) -> Node {
        match self {
            Order::Weak => Node::Seq(left, right),
            Order::Strict => Node::Strict(left, right),
            Order::Coregion(region) => Node::CoReg(region.clone(), left, right),
        }
    }
}

struct Builder<'d> {
    text: &'d str,
    diagram: &'d Diagram,
    settings: Settings,
    signature: Signature,
    lifelines: Vec<LifelineId>,
    nodes: Vec<Node>,
    spans: Vec<Span>,
    uses: Vec<NameUse>,
    allowed: Allowed,
    remarks: Vec<Warning>,
    errors: Diagnostics,
    /// How many frames are open.
    depth: usize,
    /// Whether a part is read once more, so that nothing is said of it.
    is_copy: bool,
    is_too_large: bool,
}

impl<'d> Builder<'d> {
    fn new(text: &'d str, diagram: &'d Diagram) -> Builder<'d> {
        let mut signature = Signature::default();
        let participants = diagram.participants.iter();
        let lifelines = participants.map(|it| signature.intern_lifeline(&it.id)).collect();
        let settings = Settings {
            loops: RepetitionKind::Weak,
            is_local: false,
            is_strict: false,
            names: MessageNames::default(),
            message_names: HashMap::new(),
            says_loops: false,
            locations: None,
        };
        Builder {
            text,
            diagram,
            settings,
            signature,
            lifelines,
            nodes: Vec::new(),
            spans: Vec::new(),
            uses: Vec::new(),
            allowed: Allowed::default(),
            remarks: Vec::new(),
            errors: Diagnostics::default(),
            depth: 0,
            is_copy: false,
            is_too_large: false,
        }
    }

    fn finish(mut self) -> Result<Meant, Diagnostics> {
        self.reject_unused_names();
        let Builder { signature, nodes, spans, mut uses, allowed, remarks, errors, .. } = self;
        let nodes = errors.check(nodes)?;
        uses.sort_by_key(|it| it.span);
        uses.dedup();
        let remarks = remarks.into_iter().filter(|it| !allowed.silences(it)).collect();
        let interaction = Interaction::new(nodes).map_err(|error| {
            let message = format!("the diagram gave no tree: {error}");
            Diagnostic::new(Span::default(), message, "please report this text")
        })?;
        let parsed = ParsedSpec { signature, interaction, spans, names: uses, allowed };
        Ok(Meant { parsed, locations: self.settings.locations, remarks })
    }

    fn reject_unused_names(&mut self) {
        let names = self.settings.message_names.iter();
        let mut unused: Vec<(Span, String)> =
            names.filter(|it| !it.1.is_used).map(|(text, it)| (it.span, text.clone())).collect();
        unused.sort();
        for (span, text) in unused {
            let message = format!("no arrow has the text {}", quote(&text));
            let error = Diagnostic::new(span, message, "this text");
            self.errors.push(error.with_help("write the text as it stands on the arrow"));
        }
    }

    /// Participants that are called as another one is labelled: most likely one was meant.
    fn remark_labels(&mut self) {
        let participants = &self.diagram.participants;
        for participant in participants {
            let is_label = |other: &&Participant| {
                other.id != participant.id && one_line(&other.label) == participant.id
            };
            let Some(other) = participants.iter().find(is_label) else { continue };
            let (name, id) = (quote(&participant.id), quote(&other.id));
            let message = format!("{name} is the label of {id}; is it {id}?");
            self.remark(WarningCode::SimilarName, participant.span, message);
        }
    }

    /// Reads the directives that hold for the whole diagram, wherever they stand.
    fn read_settings(&mut self, body: &'d [Statement]) {
        for (index, statement) in body.iter().enumerate() {
            match statement {
                Statement::Directive(directive) => {
                    let mut next = body[index + 1..].iter();
                    let next = next.find(|it| !matches!(it, Statement::Directive(_)));
                    self.read_setting(directive, next);
                }
                Statement::Fragment(fragment) => {
                    fragment.operands.iter().for_each(|it| self.read_settings(&it.body));
                }
                _ => {}
            }
        }
    }

    fn read_setting(&mut self, directive: &Directive, next: Option<&Statement>) {
        let span = directive.span;
        match directives::meaning(directive, &mut self.errors) {
            Some(Meaning::Loop { kind, is_for_all: true }) => {
                let is_said = std::mem::replace(&mut self.settings.says_loops, true);
                self.reject_second(is_said, span);
                self.settings.loops = kind;
            }
            Some(Meaning::Local { is_for_all: true }) => self.settings.is_local = true,
            Some(Meaning::Strict { is_for_all: true }) => self.settings.is_strict = true,
            Some(Meaning::Messages(names)) => self.settings.names = names,
            Some(Meaning::Message { text, name }) => {
                let named = NamedText { name, span, is_used: false };
                let before = self.settings.message_names.insert(one_line(&text), named);
                self.reject_second(before.is_some(), span);
            }
            Some(Meaning::Locations(groups)) => {
                self.check_lifelines(groups.iter().flat_map(|it| &it.members), span);
                let before = self.settings.locations.replace(groups);
                self.reject_second(before.is_some(), span);
            }
            Some(Meaning::Allow(codes)) => self.allow(codes, span, next),
            _ => {}
        }
    }

    /// A directive that says what another one has said.
    fn reject_second(&mut self, is_second: bool, span: Span) {
        if is_second {
            self.error(span, "another directive says this already", "keep one of them");
        }
    }

    /// Before the first statement, warnings are allowed in the whole diagram.
    fn allow(&mut self, codes: Vec<WarningCode>, span: Span, next: Option<&Statement>) {
        let mut first =
            self.diagram.body.iter().filter(|it| !matches!(it, Statement::Directive(_)));
        let is_first = first.next().is_none_or(|it| span < span_of(it));
        match next {
            Some(next) if !is_first => {
                self.allowed.allow_on_line(self.text, span_of(next).start, codes);
            }
            _ => self.allowed.allow_everywhere(codes),
        }
    }

    /// Reports names that no participant has, and names that stand twice.
    fn check_lifelines<'n>(&mut self, names: impl IntoIterator<Item = &'n String>, span: Span) {
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name) {
                let message = format!("{} stands twice", quote(name));
                let error = Diagnostic::new(span, message, "here");
                self.errors.push(error.with_help("name each participant once"));
            }
            if self.signature.lifeline(name).is_none() {
                let message = format!("no participant is called {}", quote(name));
                let known = self.diagram.participants.iter().map(|it| it.id.as_str());
                let help = did_you_mean(name, known)
                    .unwrap_or_else(|| "write the name that messages use".to_owned());
                let error = Diagnostic::new(span, message, "unknown name");
                self.errors.push(error.with_help(help));
            }
        }
    }

    fn remark(&mut self, code: WarningCode, span: Span, message: String) {
        if !self.is_copy {
            self.remarks.push(Warning::new(code, span, message, ""));
        }
    }

    fn error(&mut self, span: Span, message: &str, help: &str) {
        if !self.is_copy {
            self.errors.push(Diagnostic::new(span, message, "here").with_help(help));
        }
    }

    fn push(&mut self, node: Node, span: Span) -> NodeId {
        // After the error the nodes are thrown away, so their number need not grow.
        if self.nodes.len() < MAX_NODES {
            self.nodes.push(node);
            self.spans.push(span);
        } else if !std::mem::replace(&mut self.is_too_large, true) {
            let message = format!(
                "with its bounded loops and breaks written out, the diagram has more than \
                 {MAX_NODES} operators and actions"
            );
            let error = Diagnostic::new(span, message, "too many here");
            self.errors.push(error.with_help("use smaller bounds, or a loop without bounds"));
        }
        NodeId::new(self.nodes.len() - 1)
    }

    fn or_empty(&mut self, node: Option<NodeId>, span: Span) -> NodeId {
        node.unwrap_or_else(|| self.push(Node::Empty, span))
    }

    /// Some statements one after another; `None` if they mean nothing.
    fn body(&mut self, body: &'d [Statement], order: &Order) -> Option<NodeId> {
        let mut parts = Vec::new();
        for Stretch { entries, exit } in &stretches(entries(body)) {
            let items = self.items(entries, order);
            let exit = exit.as_ref().map(|exit| {
                if self.depth > 0 {
                    let message = "this break leaves only the frame that is directly around it";
                    self.remark(WarningCode::BreakReading, exit.fragment.span, message.to_owned());
                }
                (self.exit(exit, order), exit.fragment.span)
            });
            parts.push((items, exit));
        }
        let mut rest = None;
        for (mut items, exit) in parts.into_iter().rev() {
            if let Some((left, span)) = exit {
                let rest = self.or_empty(rest, span);
                items.push((self.push(Node::Alt(left, rest), span), span));
            } else {
                items.extend(rest.map(|rest| (rest, Span::default())));
            }
            rest = self.in_order(items, order);
        }
        rest
    }

    /// What happens in a break.
    fn exit(&mut self, exit: &Exit<'d>, order: &Order) -> NodeId {
        let Exit { fragment, directives } = exit;
        let mut waiting = Waiting::default();
        directives.iter().for_each(|directive| waiting.add(directive));
        let inside = self.inside(&mut waiting).unwrap_or_else(|| order.clone());
        self.reject_unused(&waiting);
        self.depth += 1;
        let body = fragment.operands.first().and_then(|it| self.body(&it.body, &inside));
        self.depth -= 1;
        self.or_empty(body, fragment.span)
    }

    /// Puts statements together, from the last one on.
    fn in_order(&mut self, items: Vec<(NodeId, Span)>, order: &Order) -> Option<NodeId> {
        self.joined(items, |left, right| order.node(left, right))
    }

    fn joined(
        &mut self,
        items: Vec<(NodeId, Span)>,
        node: impl Fn(NodeId, NodeId) -> Node,
    ) -> Option<NodeId> {
        let mut items = items.into_iter().rev();
        let (last, _) = items.next()?;
        Some(items.fold(last, |right, (left, span)| self.push(node(left, right), span)))
    }

    /// The statements that mean something. Messages that are parallel to the one before are one item.
    fn items(&mut self, entries: &[Entry<'d>], order: &Order) -> Vec<(NodeId, Span)> {
        let mut items: Vec<Vec<(NodeId, Span)>> = Vec::new();
        let mut waiting = Waiting::default();
        for entry in entries {
            let statement = match entry {
                Entry::Directive(directive) => {
                    self.check_region(directive);
                    waiting.add(directive);
                    continue;
                }
                Entry::Statement(statement) => *statement,
            };
            let (span, mut for_this) = (span_of(statement), std::mem::take(&mut waiting));
            let node = self.statement(statement, &mut for_this, order);
            self.reject_unused(&for_this);
            let Some(node) = node else { continue };
            let is_parallel = matches!(statement, Statement::Message(it) if it.is_parallel);
            match items.last_mut() {
                Some(before) if is_parallel => before.push((node, span)),
                _ => {
                    if is_parallel {
                        let help = "take the `&` away, or put the message behind another one";
                        self.error(span, "nothing stands before it that it is parallel to", help);
                    }
                    items.push(vec![(node, span)]);
                }
            }
        }
        self.reject_unused(&waiting);
        items.into_iter().filter_map(|it| self.at_once(it)).collect()
    }

    fn at_once(&mut self, items: Vec<(NodeId, Span)>) -> Option<(NodeId, Span)> {
        let span = items.first()?.1.to(items.last()?.1);
        Some((self.joined(items, Node::Par)?, span))
    }

    fn check_region(&mut self, directive: &Directive) {
        if let Some(Meaning::Coregion(names)) =
            directives::meaning(directive, &mut Diagnostics::default())
            && !self.is_copy
        {
            self.check_lifelines(&names, directive.span);
        }
    }

    fn reject_unused(&mut self, waiting: &Waiting) {
        let help = "`loop` stands before a loop, `strict` and `coregion` before a frame, `local` before a \
                    note or a message to oneself, `received` before a message to oneself, \
                    `synchronous` before a message of two participants, `ignore` before any statement, \
                    each once";
        for span in waiting.spans() {
            self.error(span, "this directive stands before nothing that it could be about", help);
        }
    }

    /// The order that directives give to the inside of a frame.
    fn inside(&self, waiting: &mut Waiting) -> Option<Order> {
        if waiting.take_strict() {
            return Some(Order::Strict);
        }
        let names = waiting.take_coregion()?;
        let known = names.iter().filter_map(|name| self.signature.lifeline(name));
        Some(Order::Coregion(known.collect()))
    }

    fn statement(
        &mut self,
        statement: &'d Statement,
        waiting: &mut Waiting,
        order: &Order,
    ) -> Option<NodeId> {
        if waiting.take_ignore() {
            return None;
        }
        match statement {
            Statement::Directive(_) => None,
            Statement::Message(message) => self.message(message, waiting),
            Statement::Note(note) => self.note(note, waiting),
            Statement::Reference(note) => {
                let message = format!("the reference {} is read as nothing", shown(&note.text));
                self.remark(WarningCode::ReferenceSkipped, note.span, message);
                None
            }
            Statement::Fragment(fragment) => self.fragment(fragment, waiting, order),
        }
    }

    fn message_id(&mut self, message: &Message) -> multitrace_interaction::MessageId {
        let label = one_line(&message.text);
        if label.contains("multitrace: ") {
            let help = "write it in a comment on a line of its own, above the arrow";
            self.error(message.text_span, "a directive in the text of an arrow", help);
        }
        let name = match self.said_name(&label) {
            Some(name) => name,
            None if label.is_empty() => UNLABELLED.to_owned(),
            None => self.settings.names.name(&label),
        };
        let id = self.signature.intern_message(&name);
        let span = if message.text_span.start < message.text_span.end {
            message.text_span
        } else {
            message.span
        };
        self.uses.push(NameUse { span, named: Named::Message(id) });
        id
    }

    /// The name that a directive gives to a text.
    fn said_name(&mut self, text: &str) -> Option<String> {
        let named = self.settings.message_names.get_mut(text)?;
        named.is_used = true;
        Some(named.name.clone())
    }

    fn lifeline(&mut self, end: End, span: Span) -> Option<LifelineId> {
        let End::Participant(participant) = end else { return None };
        let lifeline = *self.lifelines.get(participant.index())?;
        self.uses.push(NameUse { span, named: Named::Lifeline(lifeline) });
        Some(lifeline)
    }

    fn name_of(&self, end: End) -> String {
        match end {
            End::Participant(participant) => self.participant(participant),
            End::Outside => "the outside".to_owned(),
        }
    }

    fn participant(&self, participant: ParticipantId) -> String {
        self.diagram
            .participants
            .get(participant.index())
            .map_or_else(String::new, |it| quote(&it.id))
    }

    fn message(&mut self, message: &Message, waiting: &mut Waiting) -> Option<NodeId> {
        let span = message.span;
        let id = self.message_id(message);
        let (start, end) = ends(message);
        let (from, to) = (self.lifeline(start, span), self.lifeline(end, span));
        let action = |lifeline, kind| Action { lifeline, kind, message: id };
        let emission = from.map(|from| action(from, ActionKind::Emission));
        let reception = to.map(|to| action(to, ActionKind::Reception));
        let reception = reception.filter(|_| !message.arrow.is_lost || emission.is_none());
        let reading = match (emission, reception) {
            (Some(emission), Some(reception)) => {
                self.reading((emission, reception), message, waiting)
            }
            _ => Reading::Alone,
        };
        self.remark_message(message, reading);
        match (emission, reception) {
            (None, None) => {
                let help = "let one end of the arrow be a participant";
                self.error(span, "a message that nobody emits or receives", help);
                None
            }
            (Some(emission), Some(reception)) => {
                Some(self.read_as(reading, emission, reception, span))
            }
            (Some(only), None) | (None, Some(only)) => Some(self.step(only, span)),
        }
    }

    /// How a message is read that somebody emits and somebody receives.
    fn reading(
        &self,
        (emission, reception): (Action, Action),
        message: &Message,
        waiting: &mut Waiting,
    ) -> Reading {
        if emission.lifeline == reception.lifeline {
            if waiting.take_received() {
                return Reading::ReceptionOnly;
            }
            if waiting.take_local() || self.settings.is_local {
                return Reading::EmissionOnly;
            }
        } else if message.arrow.is_bidirectional {
            return Reading::BothWays;
        }
        if waiting.take_synchronous() { Reading::Synchronous } else { Reading::Passing }
    }

    fn read_as(
        &mut self,
        reading: Reading,
        emission: Action,
        reception: Action,
        span: Span,
    ) -> NodeId {
        match reading {
            Reading::EmissionOnly => self.step(emission, span),
            Reading::ReceptionOnly => self.step(reception, span),
            Reading::Synchronous => match Step::new(vec![emission, reception]) {
                Some(step) => self.push(Node::Step(step), span),
                None => self.passing(emission, reception, span),
            },
            Reading::Passing | Reading::Alone => self.passing(emission, reception, span),
            Reading::BothWays => {
                let there = self.passing(emission, reception, span);
                let turned = |action: Action, kind| Action { kind, ..action };
                let back = turned(reception, ActionKind::Emission);
                let back = self.passing(back, turned(emission, ActionKind::Reception), span);
                self.push(Node::Par(there, back), span)
            }
        }
    }

    fn step(&mut self, action: Action, span: Span) -> NodeId {
        self.push(Node::Step(Step::single(action)), span)
    }

    fn passing(&mut self, emission: Action, reception: Action, span: Span) -> NodeId {
        let (emission, reception) = (self.step(emission, span), self.step(reception, span));
        self.push(Node::Strict(emission, reception), span)
    }

    /// What of an arrow could be read in another way.
    fn remark_message(&mut self, message: &Message, reading: Reading) {
        let Message { span, arrow, .. } = *message;
        let (from, to) = ends(message);
        let (start, end, text) = (self.name_of(from), self.name_of(to), shown(&message.text));
        if one_line(&message.text).is_empty() {
            let what = format!("the arrow from {start} to {end} has no text");
            self.remark(WarningCode::NoLabel, span, what);
        }
        if from == to && reading == Reading::Passing {
            let what = format!("{start} sends {text} to itself");
            self.remark(WarningCode::MessageToSelf, span, what);
        }
        let what = if reading == Reading::BothWays {
            format!("this arrow has two heads: {start} and {end} each send {text} to the other")
        } else if arrow.is_bidirectional {
            format!("this arrow has two heads: it is read as a message from {start} to {end}")
        } else if arrow.head == Head::Cross && !arrow.is_lost {
            format!("a cross ends this arrow: {end} is taken to receive {text}")
        } else if arrow.is_reversed {
            format!(
                "the head of this arrow is at {end}: it is read as a message from {start} to {end}"
            )
        } else if arrow.is_decorated {
            format!(
                "this arrow has a circle or a cross: it is read as a message from {start} to {end}"
            )
        } else if arrow.head == Head::None {
            format!("this arrow has no head: it is read as a message from {start} to {end}")
        } else {
            return;
        };
        self.remark(WarningCode::ArrowReading, span, what);
    }

    /// A note means nothing, unless a directive makes it an action.
    fn note(&mut self, note: &Note, waiting: &mut Waiting) -> Option<NodeId> {
        let text = one_line(&note.text);
        if !waiting.take_local() {
            if note.over.len() == 1 && is_like_action(&text) {
                let of = self.participant(note.over[0]);
                let message = format!("the note {} looks like an action of {of}", shown(&text));
                self.remark(WarningCode::NoteLikeAction, note.span, message);
            }
            return None;
        }
        let [participant] = note.over[..] else {
            let help = "put the note at one participant";
            self.error(note.span, "an action has one participant", help);
            return None;
        };
        let name = self.said_name(&text).unwrap_or_else(|| self.settings.names.name(&text));
        if name.is_empty() {
            self.error(note.span, "a note without text is no action", "write what is done");
            return None;
        }
        let message = self.signature.intern_message(&name);
        let lifeline = self.lifeline(End::Participant(participant), note.span)?;
        self.uses.push(NameUse { span: note.span, named: Named::Message(message) });
        Some(self.step(Action { lifeline, kind: ActionKind::Emission, message }, note.span))
    }

    fn fragment(
        &mut self,
        fragment: &'d Fragment,
        waiting: &mut Waiting,
        order: &Order,
    ) -> Option<NodeId> {
        let own = self.inside(waiting);
        if fragment.operator == FragmentOperator::Loop {
            let said = waiting.take_repetition();
            return self.repeated(fragment, said, own.as_ref().unwrap_or(order));
        }
        self.remark_frame(fragment);
        let is_par = fragment.operator == FragmentOperator::Par;
        // The coregion of `par` is between its operands.
        let (inside, region) = match &own {
            Some(Order::Coregion(region)) if is_par => (order, Some(region)),
            Some(own) => (own, None),
            None => (order, None),
        };
        let operands = self.operands(fragment, inside);
        self.joined(operands, |left, right| match region {
            Some(region) => Node::CoReg(region.clone(), left, right),
            None if is_par => Node::Par(left, right),
            None => Node::Alt(left, right),
        })
    }

    /// The operands of a frame, with the empty one of frames that may be left out.
    fn operands(&mut self, fragment: &'d Fragment, inside: &Order) -> Vec<(NodeId, Span)> {
        let mut operands = Vec::new();
        self.depth += 1;
        for operand in &fragment.operands {
            let body = self.body(&operand.body, inside);
            operands.push((self.or_empty(body, operand.header), fragment.span));
        }
        self.depth -= 1;
        let is_optional = match fragment.operator {
            FragmentOperator::Opt => true,
            FragmentOperator::Alt => operands.len() == 1,
            _ => false,
        };
        if is_optional {
            operands.push((self.push(Node::Empty, fragment.span), fragment.span));
        }
        operands
    }

    /// What of a frame could be read in another way.
    fn remark_frame(&mut self, fragment: &Fragment) {
        let count = fragment.operands.len();
        let reading = match fragment.operator {
            FragmentOperator::Alt if count == 1 => {
                "an `alt` without `else` may be left out, as `opt` may"
            }
            FragmentOperator::Opt if count > 1 => {
                "an `opt` with `else` is one of its parts, or none of them"
            }
            FragmentOperator::Critical if count == 1 => {
                "`critical` is its body, which may be interrupted"
            }
            FragmentOperator::Critical => "`critical` is its body or one of its options",
            FragmentOperator::Group if count > 1 => {
                "the parts of a group with `else` are alternatives"
            }
            FragmentOperator::Break => "",
            _ => return,
        };
        if !reading.is_empty() {
            let header = fragment.operands.first().map_or(fragment.span, |it| it.header);
            self.remark(WarningCode::FrameReading, header, reading.to_owned());
        }
    }
}

/// How a message is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// It has one end.
    Alone,
    EmissionOnly,
    ReceptionOnly,
    Synchronous,
    Passing,
    BothWays,
}

/// Who sends and who receives: an arrow whose head is drawn where it starts goes there.
fn ends(message: &Message) -> (End, End) {
    let Message { from, to, .. } = *message;
    if message.arrow.is_reversed { (to, from) } else { (from, to) }
}

fn span_of(statement: &Statement) -> Span {
    match statement {
        Statement::Message(message) => message.span,
        Statement::Note(note) | Statement::Reference(note) => note.span,
        Statement::Fragment(fragment) => fragment.span,
        Statement::Directive(directive) => directive.span,
    }
}

/// A text in a message, on one line.
fn shown(text: &str) -> String {
    quote(&one_line(text))
}
