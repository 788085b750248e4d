//! The interaction that a diagram stands for.

// Idea: order down the page is weak sequencing, frames are operators. A break is an alternative to the
// rest of the frame around it, so a body is cut at its breaks and put together from its end. Out of a
// loop, what came before a break in the last repetition stands in the interaction once more.
//
// Directives stand before what they are about, and wait until it comes.
//
// Cost: linear in the diagram, but for bounded loops and for breaks out of loops, which are copies; the
// size of the interaction has a limit.

use super::directives::{self, Meaning, RepetitionKind};
use super::message_names::{MessageNames, one_line};
use super::model::{
    Diagram, Directive, End, Fragment, FragmentOperator, Head, Message, Note, ParticipantId,
    Statement,
};
use super::notes::is_like_action;
use crate::hif::{Allowed, NameUse, Named, ParsedSpec};
use crate::locations::LocationGroup;
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use crate::suggest::did_you_mean;
use crate::warning::{Warning, WarningCode};
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LifelineSet, LoopKind, Node, NodeId,
    Signature, Step,
};
use std::collections::HashMap;

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

/// The meaning of a diagram in a text; `names` is for messages whose names no directive says.
pub(super) fn meaning(
    text: &str,
    diagram: &Diagram,
    names: &MessageNames,
) -> Result<Meant, Diagnostics> {
    let mut builder = Builder::new(text, diagram, names.clone());
    builder.read_settings(&diagram.body);
    let order = if builder.settings.is_strict { Order::Strict } else { Order::Weak };
    let root = builder.body(&diagram.body, &order);
    let whole = diagram.body.first().map_or(Span::default(), span_of);
    builder.or_empty(root, whole);
    builder.finish()
}

/// What holds for the whole diagram.
struct Settings {
    loops: RepetitionKind,
    is_local: bool,
    is_strict: bool,
    names: MessageNames,
    message_names: HashMap<String, String>,
    locations: Option<Vec<LocationGroup>>,
}

/// How the statements of a body follow each other.
#[derive(Clone)]
enum Order {
    Weak,
    Strict,
    Coregion(LifelineSet),
}

/// Directives that wait for the next statement.
#[derive(Default)]
struct Waiting {
    repetition: Option<RepetitionKind>,
    is_local: bool,
    is_received: bool,
    is_synchronous: bool,
    is_ignored: bool,
    is_strict: bool,
    coregion: Option<LifelineSet>,
    /// Where the last of them stands.
    span: Option<Span>,
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

/// A part of a body: what stands before a break, and the break; none after the last one.
struct Stretch<'d> {
    statements: Vec<&'d Statement>,
    exit: Option<&'d Fragment>,
}

impl<'d> Builder<'d> {
    fn new(text: &'d str, diagram: &'d Diagram, names: MessageNames) -> Builder<'d> {
        let mut signature = Signature::default();
        let participants = diagram.participants.iter();
        let lifelines = participants.map(|it| signature.intern_lifeline(&it.id)).collect();
        let settings = Settings {
            loops: RepetitionKind::Weak,
            is_local: false,
            is_strict: false,
            names,
            message_names: HashMap::new(),
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

    fn finish(self) -> Result<Meant, Diagnostics> {
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
        match directives::meaning(directive, &mut self.errors) {
            Some(Meaning::Loop { kind, is_for_all: true }) => self.settings.loops = kind,
            Some(Meaning::Local { is_for_all: true }) => self.settings.is_local = true,
            Some(Meaning::Strict { is_for_all: true }) => self.settings.is_strict = true,
            Some(Meaning::Messages(names)) => self.settings.names = names,
            Some(Meaning::Message { text, name }) => {
                self.settings.message_names.insert(one_line(&text), name);
            }
            Some(Meaning::Locations(groups)) => {
                self.check_lifelines(groups.iter().flat_map(|it| &it.members), directive.span);
                self.settings.locations = Some(groups);
            }
            Some(Meaning::Allow(codes)) => {
                // Before the first statement, it is for the whole diagram.
                let first = self.diagram.body.iter();
                let first = first.filter(|it| !matches!(it, Statement::Directive(_)));
                let is_first = first.map(span_of).next().is_none_or(|it| directive.span < it);
                match next {
                    Some(next) if !is_first => {
                        self.allowed.allow_on_line(self.text, span_of(next).start, codes);
                    }
                    _ => self.allowed.allow_everywhere(codes),
                }
            }
            _ => {}
        }
    }

    fn check_lifelines<'n>(&mut self, names: impl IntoIterator<Item = &'n String>, span: Span) {
        for name in names {
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
        let stretches = stretches(&flat(body));
        let mut parts = Vec::new();
        for Stretch { statements, exit } in &stretches {
            let items = self.items(statements, order);
            let exit = exit.map(|exit| {
                if self.depth > 0 {
                    let message = "this break leaves only the frame that is directly around it";
                    self.remark(WarningCode::BreakReading, exit.span, message.to_owned());
                }
                (self.exit(exit, order), exit.span)
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
    fn exit(&mut self, exit: &'d Fragment, order: &Order) -> NodeId {
        self.depth += 1;
        let inside = exit.operands.first().and_then(|it| self.body(&it.body, order));
        self.depth -= 1;
        self.or_empty(inside, exit.span)
    }

    /// Puts statements together, from the last one on.
    fn in_order(&mut self, items: Vec<(NodeId, Span)>, order: &Order) -> Option<NodeId> {
        let mut items = items.into_iter().rev();
        let (last, _) = items.next()?;
        Some(items.fold(last, |right, (left, span)| {
            let node = match order {
                Order::Weak => Node::Seq(left, right),
                Order::Strict => Node::Strict(left, right),
                Order::Coregion(region) => Node::CoReg(region.clone(), left, right),
            };
            self.push(node, span)
        }))
    }

    /// The statements that mean something.
    fn items(&mut self, statements: &[&'d Statement], order: &Order) -> Vec<(NodeId, Span)> {
        let mut items: Vec<(NodeId, Span)> = Vec::new();
        let mut waiting = Waiting::default();
        for statement in statements {
            if let Statement::Directive(directive) = statement {
                self.wait(directive, &mut waiting);
                continue;
            }
            let span = span_of(statement);
            let for_this = std::mem::take(&mut waiting);
            let Some(node) = self.statement(statement, &for_this, order) else { continue };
            let is_parallel = matches!(statement, Statement::Message(it) if it.is_parallel);
            match items.pop() {
                Some((before, start)) if is_parallel => {
                    items.push((self.push(Node::Par(before, node), start.to(span)), span));
                }
                before => items.extend(before.into_iter().chain([(node, span)])),
            }
        }
        if let Some(span) = waiting.span {
            self.unused(span);
        }
        items
    }

    fn unused(&mut self, span: Span) {
        let help = "`loop` stands before a loop, `strict` and `coregion` before a frame, `local` before \
                    a note or a message to oneself, `received` before a message to oneself, `synchronous` \
                    before a message, `ignore` before any statement";
        self.error(span, "this directive stands before nothing that it could be about", help);
    }

    fn wait(&mut self, directive: &Directive, waiting: &mut Waiting) {
        // Errors were told when the settings were read.
        match directives::meaning(directive, &mut Diagnostics::default()) {
            Some(Meaning::Loop { kind, is_for_all: false }) => waiting.repetition = Some(kind),
            Some(Meaning::Local { is_for_all: false }) => waiting.is_local = true,
            Some(Meaning::Strict { is_for_all: false }) => waiting.is_strict = true,
            Some(Meaning::Received) => waiting.is_received = true,
            Some(Meaning::Synchronous) => waiting.is_synchronous = true,
            Some(Meaning::Ignore) => waiting.is_ignored = true,
            Some(Meaning::Coregion(names)) => {
                if !self.is_copy {
                    self.check_lifelines(&names, directive.span);
                }
                let known = names.iter().filter_map(|name| self.signature.lifeline(name));
                waiting.coregion = Some(known.collect());
            }
            _ => return,
        }
        waiting.span = Some(directive.span);
    }

    fn statement(
        &mut self,
        statement: &'d Statement,
        waiting: &Waiting,
        order: &Order,
    ) -> Option<NodeId> {
        if waiting.is_ignored {
            return None;
        }
        let (is_used, node) = match statement {
            Statement::Directive(_) => return None,
            Statement::Message(message) => {
                let is_to_self = message.from == message.to;
                let is_used = (is_to_self && (waiting.is_local || waiting.is_received))
                    || waiting.is_synchronous;
                (is_used, self.message(message, waiting))
            }
            Statement::Note(note) => (waiting.is_local, self.note(note, waiting)),
            Statement::Reference(note) => {
                let message = format!("the reference {} is read as nothing", shown(&note.text));
                self.remark(WarningCode::ReferenceSkipped, note.span, message);
                (false, None)
            }
            Statement::Fragment(fragment) => {
                let is_loop = fragment.operator == FragmentOperator::Loop;
                let is_used = waiting.is_strict
                    || waiting.coregion.is_some()
                    || (is_loop && waiting.repetition.is_some());
                (is_used, self.fragment(fragment, waiting, order))
            }
        };
        if let Some(span) = waiting.span.filter(|_| !is_used) {
            self.unused(span);
        }
        node
    }

    fn message_id(&mut self, message: &Message) -> multitrace_interaction::MessageId {
        let label = one_line(&message.text);
        let name = match self.settings.message_names.get(&label) {
            Some(name) => name.clone(),
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

    fn message(&mut self, message: &Message, waiting: &Waiting) -> Option<NodeId> {
        let span = message.span;
        let id = self.message_id(message);
        let (from, to) = (self.lifeline(message.from, span), self.lifeline(message.to, span));
        self.remark_message(message, waiting);
        let action = |lifeline, kind| Action { lifeline, kind, message: id };
        let emission = from.map(|from| action(from, ActionKind::Emission));
        let reception = to.map(|to| action(to, ActionKind::Reception));
        let emission = emission.filter(|_| !message.arrow.is_found || reception.is_none());
        let reception = reception.filter(|_| !message.arrow.is_lost || emission.is_none());
        match (emission, reception) {
            (None, None) => {
                let help = "let one end of the arrow be a participant";
                self.error(span, "a message that nobody emits or receives", help);
                None
            }
            (Some(_), Some(reception)) if from == to && waiting.is_received => {
                Some(self.step(reception, span))
            }
            (Some(emission), Some(reception)) if waiting.is_synchronous => {
                let step = Step::new(vec![emission, reception])?;
                Some(self.push(Node::Step(step), span))
            }
            (Some(emission), Some(_)) if from == to && self.is_local(waiting) => {
                Some(self.step(emission, span))
            }
            (Some(emission), Some(reception)) => {
                let there = self.passing(emission, reception, span);
                if !message.arrow.is_bidirectional || from == to {
                    return Some(there);
                }
                let (from, to) = (reception.lifeline, emission.lifeline);
                let emission = action(from, ActionKind::Emission);
                let back = self.passing(emission, action(to, ActionKind::Reception), span);
                Some(self.push(Node::Par(there, back), span))
            }
            (Some(only), None) | (None, Some(only)) => Some(self.step(only, span)),
        }
    }

    fn is_local(&self, waiting: &Waiting) -> bool {
        waiting.is_local || self.settings.is_local
    }

    fn step(&mut self, action: Action, span: Span) -> NodeId {
        self.push(Node::Step(Step::single(action)), span)
    }

    fn passing(&mut self, emission: Action, reception: Action, span: Span) -> NodeId {
        let (emission, reception) = (self.step(emission, span), self.step(reception, span));
        self.push(Node::Strict(emission, reception), span)
    }

    /// What of an arrow could be read in another way.
    fn remark_message(&mut self, message: &Message, waiting: &Waiting) {
        let Message { from, to, span, arrow, .. } = *message;
        let (start, end) = (self.name_of(from), self.name_of(to));
        if one_line(&message.text).is_empty() {
            let text = format!("the arrow from {start} to {end} has no text");
            self.remark(WarningCode::NoLabel, span, text);
        }
        let is_to_self = from == to && matches!(from, End::Participant(_));
        let is_said = self.is_local(waiting) || waiting.is_received || waiting.is_synchronous;
        if is_to_self && !is_said {
            let text = format!("{start} sends {} to itself", shown(&message.text));
            self.remark(WarningCode::MessageToSelf, span, text);
        }
        let reading = match arrow.head {
            _ if arrow.is_bidirectional && from != to => {
                format!("{start} and {end} each send {} to the other", shown(&message.text))
            }
            Head::Cross if !arrow.is_lost => format!("{end} receives it, though a cross ends it"),
            Head::None => format!("it is a message from {start} to {end}, though it has no head"),
            _ => return,
        };
        self.remark(WarningCode::ArrowReading, span, format!("this arrow is read so: {reading}"));
    }

    /// A note means nothing, unless a directive makes it an action.
    fn note(&mut self, note: &Note, waiting: &Waiting) -> Option<NodeId> {
        let text = one_line(&note.text);
        if !waiting.is_local {
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
        let name = self.settings.message_names.get(&text).cloned();
        let name = name.unwrap_or_else(|| self.settings.names.name(&text));
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
        waiting: &Waiting,
        order: &Order,
    ) -> Option<NodeId> {
        let own;
        let is_par = fragment.operator == FragmentOperator::Par;
        let inside = match &waiting.coregion {
            _ if waiting.is_strict => &Order::Strict,
            Some(region) if !is_par => {
                own = Order::Coregion(region.clone());
                &own
            }
            _ => order,
        };
        if fragment.operator == FragmentOperator::Loop {
            let kind = waiting.repetition.unwrap_or(self.settings.loops);
            return self.repeated(fragment, kind, inside, waiting.repetition.is_some());
        }
        self.remark_frame(fragment);
        let span = fragment.span;
        let mut operands = Vec::new();
        self.depth += 1;
        for operand in &fragment.operands {
            let body = self.body(&operand.body, inside);
            operands.push(self.or_empty(body, operand.header));
        }
        self.depth -= 1;
        let is_optional = match fragment.operator {
            FragmentOperator::Opt => true,
            FragmentOperator::Alt => operands.len() == 1,
            _ => false,
        };
        if is_optional {
            operands.push(self.push(Node::Empty, span));
        }
        let mut operands = operands.into_iter().rev();
        let last = operands.next()?;
        Some(operands.fold(last, |right, left| {
            let node = match (is_par, &waiting.coregion) {
                (true, Some(region)) => Node::CoReg(region.clone(), left, right),
                (true, None) => Node::Par(left, right),
                (false, _) => Node::Alt(left, right),
            };
            self.push(node, span)
        }))
    }

    /// What of a frame could be read in another way.
    fn remark_frame(&mut self, fragment: &Fragment) {
        let count = fragment.operands.len();
        let reading = match fragment.operator {
            FragmentOperator::Alt if count == 1 => {
                "an `alt` without `else` may be left out, as `opt` may"
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

    /// A loop, which its breaks leave.
    fn repeated(
        &mut self,
        fragment: &'d Fragment,
        kind: RepetitionKind,
        order: &Order,
        is_said: bool,
    ) -> Option<NodeId> {
        let operand = fragment.operands.first()?;
        if !is_said && super::notes::is_like_bound(&operand.text) {
            let message =
                format!("the loop {} repeats any number of times, also none", shown(&operand.text));
            self.remark(WarningCode::LoopLikeBound, operand.header, message);
        }
        let span = fragment.span;
        let stretches = stretches(&flat(&operand.body));
        let repeated = self.repetitions(&stretches, kind, order, span)?;
        let was_copy = std::mem::replace(&mut self.is_copy, true);
        let mut exits = Vec::new();
        for (index, stretch) in stretches.iter().enumerate() {
            let Some(exit) = stretch.exit else { continue };
            if self.is_too_large {
                break;
            }
            let mut items = self.without_exits(&stretches[..=index], order);
            self.is_copy = was_copy;
            items.push((self.exit(exit, order), exit.span));
            self.is_copy = true;
            exits.extend(self.in_order(items, order));
        }
        self.is_copy = was_copy;
        if exits.is_empty() {
            return Some(repeated);
        }
        exits.push(self.push(Node::Empty, span));
        let mut exits = exits.into_iter().rev();
        let last = exits.next()?;
        let exit = exits.fold(last, |right, left| self.push(Node::Alt(left, right), span));
        self.in_order(vec![(repeated, span), (exit, span)], order)
    }

    /// The repetitions of a loop, without its breaks.
    fn repetitions(
        &mut self,
        stretches: &[Stretch<'d>],
        kind: RepetitionKind,
        order: &Order,
        span: Span,
    ) -> Option<NodeId> {
        let mut body = |builder: &mut Self| {
            let items = builder.without_exits(stretches, order);
            let body = builder.in_order(items, order);
            builder.or_empty(body, span)
        };
        let kind = match kind {
            RepetitionKind::Strict => LoopKind::Strict,
            RepetitionKind::Weak => LoopKind::Weak,
            RepetitionKind::Parallel => LoopKind::Parallel,
            RepetitionKind::HeadFirst => LoopKind::HeadFirst,
            RepetitionKind::Bounded(least, most) => {
                return Some(self.bounded((least, most), span, &mut body));
            }
        };
        let body = body(self);
        Some(self.push(Node::Loop(kind, body), span))
    }

    /// Copies of a body: x; x; opt(x; opt(x)) for two to four.
    fn bounded(
        &mut self,
        (least, most): (u32, Option<u32>),
        span: Span,
        body: &mut impl FnMut(&mut Self) -> NodeId,
    ) -> NodeId {
        let was_copy = self.is_copy;
        let mut rest: Option<NodeId> = None;
        let mut copy = |builder: &mut Self| {
            let copy = body(builder);
            builder.is_copy = true;
            copy
        };
        if most.is_none() {
            let body = copy(self);
            rest = Some(self.push(Node::Loop(LoopKind::Weak, body), span));
        }
        let optional = most.map_or(0, |most| most - least);
        for round in 0..u64::from(optional) + u64::from(least) {
            if self.is_too_large {
                break;
            }
            let first = copy(self);
            let both = match rest {
                None => first,
                Some(rest) => self.push(Node::Seq(first, rest), span),
            };
            rest = Some(both);
            if round < u64::from(optional) {
                let nothing = self.push(Node::Empty, span);
                rest = Some(self.push(Node::Alt(both, nothing), span));
            }
        }
        self.is_copy = was_copy;
        self.or_empty(rest, span)
    }

    /// The statements of a loop but for its breaks.
    fn without_exits(&mut self, stretches: &[Stretch<'d>], order: &Order) -> Vec<(NodeId, Span)> {
        stretches.iter().flat_map(|it| self.items(&it.statements, order)).collect()
    }
}

/// Statements with those of frames that only group; a frame that a directive is about stays.
fn flat(body: &[Statement]) -> Vec<&Statement> {
    let mut statements: Vec<&Statement> = Vec::new();
    for statement in body {
        let after_directive = matches!(statements.last(), Some(Statement::Directive(_)));
        match statement {
            Statement::Fragment(Fragment {
                operator: FragmentOperator::Group, operands, ..
            }) if operands.len() == 1 && !after_directive => {
                statements.extend(flat(&operands[0].body));
            }
            _ => statements.push(statement),
        }
    }
    statements
}

/// Statements, cut at their breaks. A break that a directive is about is like any other statement.
fn stretches<'d>(statements: &[&'d Statement]) -> Vec<Stretch<'d>> {
    let mut stretches = vec![Stretch { statements: Vec::new(), exit: None }];
    for statement in statements {
        let Some(last) = stretches.last_mut() else { break };
        let after_directive = matches!(last.statements.last(), Some(Statement::Directive(_)));
        match statement {
            Statement::Fragment(exit)
                if exit.operator == FragmentOperator::Break && !after_directive =>
            {
                last.exit = Some(exit);
                stretches.push(Stretch { statements: Vec::new(), exit: None });
            }
            _ => last.statements.push(statement),
        }
    }
    stretches
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
