//! The interaction that a diagram stands for.

// Idea: order down the page is weak sequencing, frames are operators. A break is an alternative to the
// rest of the frame around it, so a body is cut at its breaks and put together from its end. Out of a
// loop, the part before a break in the last repetition stands in the interaction once more.
//
// Directives stand before their statement, and wait until it comes.
//
// Cost: linear in the diagram, but for bounded loops and for breaks out of loops, which are copies; the
// size of the interaction has a limit.

mod entries;
mod lints;
mod loops;
mod messages;
mod settings;
mod several;
mod waiting;

use super::directives::Repetition;
use super::message_names::{MessageNames, one_line};
use super::model::{
    Diagram, End, Fragment, FragmentOperand, FragmentOperator, Note, Participant, ParticipantId,
    Statement,
};
use super::notes::{is_about, is_like_action};
use super::options::DiagramOptions;
use crate::hif::{Allowed, MAX_EXPANDED, NameUse, Named, ParsedSpec};
use crate::locations::LocationGroup;
use crate::open::{OperandNodes, Unjudged, UnloggedEvents, UnloggedStep, mark_unlogged};
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use crate::warning::{Warning, WarningCode};
use entries::{Entry, Exit, Stretch, entries, stretches};
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LifelineSet, Node, NodeId, Signature, Step,
};
use std::collections::{BTreeMap, HashMap};
use waiting::Waiting;

/// The name of messages without a text.
pub const UNLABELLED: &str = "unlabelled";

/// The interaction of a diagram, with locations and remarks.
pub(super) struct Meant {
    pub(super) parsed: ParsedSpec,
    /// Which lifelines share a clock.
    pub(super) locations: Vec<LocationGroup>,
    /// The places that have several readings, each with the one chosen.
    pub(super) remarks: Vec<Warning>,
}

/// The meaning of a diagram in a text.
pub(super) fn meaning(
    text: &str,
    diagram: &Diagram,
    options: &DiagramOptions,
) -> Result<Meant, Diagnostics> {
    let mut builder = Builder::new(text, diagram);
    options.meanings().for_each(|meaning| builder.set(meaning.clone()));
    builder.read_settings(&diagram.body);
    builder.remark_labels();
    let order = if builder.settings.is_strict { Order::Strict } else { Order::Weak };
    let root = builder.body(&diagram.body, &order);
    builder.lint();
    let mut statements = diagram.body.iter().filter(|it| !matches!(it, Statement::Mark(_)));
    let whole = statements.next().map_or(Span::default(), Statement::span);
    builder.or_empty(root, whole);
    builder.finish()
}

/// A name that a directive gives to a text.
struct NamedText {
    name: String,
    span: Span,
    is_used: bool,
}

/// Settings for the whole diagram.
#[derive(Default)]
struct Settings {
    loops: Repetition,
    /// Whether a message to oneself is one action, as it is where nothing says so.
    own_is_local: Option<bool>,
    /// Whether every message may be lost, or repeated.
    may_lose: bool,
    may_repeat: bool,
    unjudged: Option<(Unjudged, Span)>,
    unlogged: Vec<(UnloggedEvents, Span)>,
    boxes_are_locations: bool,
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

/// The options of a critical frame. Any of them may take over after any statement of its body.
struct Taken<'d, 'o> {
    options: &'d [FragmentOperand],
    order: &'o Order,
    /// Whether they were not read before.
    is_first: bool,
}

/// A frame that the next statement waits for in part, until that statement is known.
struct Quorum {
    operands: OperandNodes,
    enough: usize,
    /// The participants of all operands.
    shared: LifelineSet,
    span: Span,
}

struct Builder<'d> {
    text: &'d str,
    diagram: &'d Diagram,
    /// The labels by which participants may be called.
    labels: BTreeMap<String, &'d Participant>,
    /// Where the first statement stands, if there is one.
    first: Option<Span>,
    settings: Settings,
    signature: Signature,
    /// By participant; `None` for one that stands for several in a frame.
    lifelines: Vec<Option<LifelineId>>,
    /// The participants that stand for several, with the one that they stand for now.
    bound: Vec<(ParticipantId, LifelineId)>,
    /// The steps that are not logged, in the order of their nodes.
    unlogged: Vec<UnloggedStep>,
    /// By their last nodes.
    quorums: HashMap<NodeId, Quorum>,
    nodes: Vec<Node>,
    spans: Vec<Span>,
    uses: Vec<NameUse>,
    allowed: Allowed,
    remarks: Vec<Warning>,
    errors: Diagnostics,
    /// How many frames are open.
    depth: usize,
    /// Whether something happens behind the innermost of them, or behind one around it.
    is_followed: bool,
    /// The statement before the one that is read, in the same frame.
    before: Option<&'d Statement>,
    /// Whether a part is read once more. Its errors and remarks were told the first time.
    is_copy: bool,
    is_too_large: bool,
}

impl<'d> Builder<'d> {
    fn new(text: &'d str, diagram: &'d Diagram) -> Builder<'d> {
        let mut signature = Signature::default();
        let labels = diagram.labels();
        let mut templates = HashMap::new();
        Builder::find_templates(&diagram.body, &labels, &mut templates);
        let mut lifelines = Vec::new();
        for participant in &diagram.participants {
            let values = templates.get(&participant.id);
            for name in values.into_iter().flatten() {
                signature.intern_lifeline(name);
            }
            let own = values.is_none().then(|| signature.intern_lifeline(&participant.id));
            lifelines.push(own);
        }
        for (label, participant) in &labels {
            if let Some(lifeline) = signature.lifeline(&participant.id) {
                signature.add_label(label, lifeline);
            }
        }
        let mut statements = diagram.body.iter().filter(|it| it.is_meant());
        Builder {
            text,
            diagram,
            labels,
            first: statements.next().map(Statement::span),
            settings: Settings::default(),
            signature,
            lifelines,
            bound: Vec::new(),
            unlogged: Vec::new(),
            quorums: HashMap::new(),
            nodes: Vec::new(),
            spans: Vec::new(),
            uses: Vec::new(),
            allowed: Allowed::default(),
            remarks: Vec::new(),
            errors: Diagnostics::default(),
            depth: 0,
            is_followed: false,
            before: None,
            is_copy: false,
            is_too_large: false,
        }
    }

    fn finish(mut self) -> Result<Meant, Diagnostics> {
        self.reject_unused_names();
        self.reject_unknown_events();
        let Builder { signature, nodes, spans, mut uses, allowed, remarks, errors, .. } = self;
        let Settings { unjudged, unlogged, .. } = self.settings;
        let nodes = errors.check(nodes)?;
        uses.sort_by_key(|it| it.span);
        uses.dedup();
        let remarks = remarks.into_iter().filter(|it| !allowed.silences(it)).collect();
        let interaction = Interaction::new(nodes).map_err(|error| {
            let message = format!("the diagram gave no tree: {error}");
            Diagnostic::new(Span::default(), message, "please report this text")
        })?;
        let parsed = ParsedSpec {
            signature,
            interaction,
            spans,
            names: uses,
            allowed,
            unjudged,
            unlogged: self.unlogged,
            unlogged_events: unlogged.into_iter().map(|(events, _)| events).collect(),
            has_only_multi_traces: false,
        };
        let locations = match self.settings.locations {
            Some(locations) => locations,
            None if self.settings.boxes_are_locations => boxes(self.diagram),
            None => Vec::new(),
        };
        Ok(Meant { parsed, locations, remarks })
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
        if self.nodes.len() < MAX_EXPANDED {
            self.nodes.push(node);
            self.spans.push(span);
        } else {
            self.too_large(span);
        }
        NodeId::new(self.nodes.len() - 1)
    }

    /// Says once that the interaction would have too many nodes.
    fn too_large(&mut self, span: Span) {
        if !std::mem::replace(&mut self.is_too_large, true) {
            let message = format!(
                "with its bounded loops, breaks, options and choices written out, the diagram has \
                 more than {MAX_EXPANDED} operators and actions"
            );
            let help = "use smaller bounds, a loop without bounds, or fewer parts to choose from";
            self.errors.push(Diagnostic::new(span, message, "too many here").with_help(help));
        }
    }

    fn or_empty(&mut self, node: Option<NodeId>, span: Span) -> NodeId {
        node.unwrap_or_else(|| self.push(Node::Empty, span))
    }

    /// Some statements one after another; `None` if they mean nothing.
    fn body(&mut self, body: &'d [Statement], order: &Order) -> Option<NodeId> {
        self.interruptible(body, &[], order)
    }

    /// Some statements one after another, until one of the options takes over, if there are any.
    fn interruptible(
        &mut self,
        body: &'d [Statement],
        options: &'d [FragmentOperand],
        order: &Order,
    ) -> Option<NodeId> {
        let mut parts = Vec::new();
        for Stretch { entries, exit } in &stretches(entries(body)) {
            let was_followed = self.is_followed;
            self.is_followed |= exit.is_some();
            let items = self.items(entries, order);
            self.is_followed = was_followed;
            let exit = exit.as_ref().map(|exit| {
                if self.depth > 0 && self.is_followed {
                    let message = "this break leaves only the frame that is directly around it";
                    self.remark(WarningCode::BreakReading, exit.fragment.span, message.to_owned());
                }
                (self.exit(exit, order), exit.fragment.span)
            });
            parts.push((items, exit));
        }
        let mut option = Taken { options, order, is_first: true };
        let mut rest = None;
        for (mut items, exit) in parts.into_iter().rev() {
            if let Some((left, span)) = exit {
                let rest = self.or_empty(rest, span);
                items.push((self.push(Node::Alt(left, rest), span), span));
            } else if let Some((option, span)) = self.option(&mut option) {
                let nothing = self.push(Node::Empty, span);
                items.push((self.push(Node::Alt(option, nothing), span), span));
            }
            rest = None;
            for (left, span) in items.into_iter().rev() {
                let is_last = rest.is_none();
                let both = self.before(left, rest, span, order);
                let option = if is_last { None } else { self.option(&mut option) };
                rest = Some(option.map_or(both, |(it, span)| self.push(Node::Alt(both, it), span)));
            }
        }
        rest
    }

    /// The options once more, as alternatives.
    fn option(&mut self, taken: &mut Taken<'d, '_>) -> Option<(NodeId, Span)> {
        let span = taken.options.first()?.header;
        if self.is_too_large {
            return None;
        }
        let was_copy = self.is_copy;
        self.is_copy |= !taken.is_first;
        taken.is_first = false;
        let mut all = Vec::new();
        for option in taken.options {
            let body = self.body(&option.body, taken.order);
            all.push((self.or_empty(body, option.header), option.header));
        }
        self.is_copy = was_copy;
        Some((self.joined(all, Node::Alt)?, span))
    }

    /// The interaction of the frame of a break.
    fn exit(&mut self, exit: &Exit<'d>, order: &Order) -> NodeId {
        let Exit { fragment, directives } = exit;
        let mut waiting = Waiting::default();
        directives.iter().for_each(|(meaning, span)| waiting.add(meaning, *span));
        let inside = self.inside(&mut waiting).unwrap_or_else(|| order.clone());
        self.reject_unused(&waiting);
        self.depth += 1;
        let body = fragment.operands.first().and_then(|it| self.body(&it.body, &inside));
        self.depth -= 1;
        self.or_empty(body, fragment.span)
    }

    /// Puts statements together, from the last one on.
    fn in_order(&mut self, items: Vec<(NodeId, Span)>, order: &Order) -> Option<NodeId> {
        let mut rest = None;
        for (left, span) in items.into_iter().rev() {
            rest = Some(self.before(left, rest, span, order));
        }
        rest
    }

    /// A statement before the rest.
    fn before(&mut self, left: NodeId, rest: Option<NodeId>, span: Span, order: &Order) -> NodeId {
        match (self.quorums.remove(&left), rest) {
            (Some(quorum), rest) => self.quorum(&quorum, rest.is_some(), order),
            (None, None) => left,
            (None, Some(rest)) => self.push(order.node(left, rest), span),
        }
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
        let (mut before, was_followed) = (None, self.is_followed);
        let last = entries.iter().rposition(Entry::has_events);
        for (at, entry) in entries.iter().enumerate() {
            let statement = match entry {
                Entry::Directive(meaning, span) => {
                    waiting.add(meaning, *span);
                    continue;
                }
                Entry::Anything(names, span) => {
                    items.push(vec![(self.anything(names, *span), *span)]);
                    continue;
                }
                Entry::Statement(statement) => *statement,
            };
            let (span, mut for_this) = (statement.span(), std::mem::take(&mut waiting));
            self.before = before.replace(statement);
            self.is_followed = was_followed || last.is_some_and(|last| at < last);
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
        self.is_followed = was_followed;
        self.reject_unused(&waiting);
        items.into_iter().filter_map(|it| self.at_once(it)).collect()
    }

    fn at_once(&mut self, items: Vec<(NodeId, Span)>) -> Option<(NodeId, Span)> {
        let span = items.first()?.1.to(items.last()?.1);
        // Weak order leaves them parallel but for the events of one participant, which stay in order.
        Some((self.joined(items, Node::Seq)?, span))
    }

    fn reject_unused(&mut self, waiting: &Waiting) {
        let help = "`loop` stands before a loop, `strict` and `coregion` before a frame, `local` before a \
                    note or a message to oneself, `received` before a message to oneself, \
                    `synchronous`, `may be lost` and `may be repeated` before a message of two participants, \
                    `any` and `quorum` before a `par`, `for` before a frame, `ref` before a note, `not logged` and `ignore` before any \
                    statement, each once";
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
        let first = self.nodes.len();
        let unlogged = waiting.take_not_logged();
        let node = self.read_statement(statement, waiting, order);
        if let Some(names) = unlogged {
            let known: LifelineSet =
                names.iter().filter_map(|name| self.signature.lifeline(name)).collect();
            let at = (!names.is_empty()).then_some(&known);
            let has_event = mark_unlogged(&self.nodes, first, at, &mut self.unlogged);
            // Of several that a part holds for, one may have it.
            if !has_event && self.bound.is_empty() {
                self.reject_not_logged(statement.span(), &names);
            }
        }
        node
    }

    /// A directive `not logged` before a statement without an event that it is about.
    fn reject_not_logged(&mut self, span: Span, names: &[String]) {
        let of = if names.is_empty() { String::new() } else { format!(" of {}", names.join(", ")) };
        let message =
            format!("nothing here is an event{of}, which the directive before says is not logged");
        self.error(
            span,
            &message,
            "write it before the statement that has the event, or leave it out",
        );
    }

    fn read_statement(
        &mut self,
        statement: &'d Statement,
        waiting: &mut Waiting,
        order: &Order,
    ) -> Option<NodeId> {
        match statement {
            Statement::Directive(_) | Statement::Mark(_) => None,
            Statement::Message(message) => self.message(message, waiting),
            Statement::Note(note) => self.note(note, waiting),
            Statement::Reference(note) => {
                if self.before.is_some_and(|before| is_about(note, before)) {
                    return None;
                }
                let message = format!("the reference {} is read as nothing", shown(&note.text));
                self.remark(WarningCode::ReferenceSkipped, note.span, message);
                None
            }
            Statement::Fragment(fragment) => self.fragment(fragment, waiting, order),
        }
    }

    fn step(&mut self, action: Action, span: Span) -> NodeId {
        self.push(Node::Step(Step::single(action)), span)
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
            self.error(
                note.span,
                "a note without text is not an action",
                "write the action into it",
            );
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
        let any_of = if is_par { waiting.take_any_of() } else { None };
        let enough = if is_par { waiting.take_quorum() } else { None };
        let for_each = waiting.take_for();
        // The coregion of `par` is between its operands.
        let (inside, region) = match &own {
            Some(Order::Coregion(region)) if is_par => (order, Some(region)),
            Some(own) => (own, None),
            None => (order, None),
        };
        if let (FragmentOperator::Critical, [body, options @ ..]) =
            (fragment.operator, &fragment.operands[..])
        {
            self.depth += 1;
            let node = self.interruptible(&body.body, options, inside);
            self.depth -= 1;
            return Some(self.or_empty(node, fragment.span));
        }
        let first = self.nodes.len();
        let operands = match for_each {
            None => self.operands(fragment, inside),
            Some((participant, values)) => {
                self.operands_for(fragment, &participant, &values, inside)
            }
        };
        if let Some(enough) = enough {
            return self.keep_quorum(&operands, first, enough, fragment.span);
        }
        if let Some((least, most)) = any_of {
            return self.any_of(&operands, first, (least, most), fragment.span);
        }
        self.joined(operands, |left, right| match region {
            Some(region) => Node::CoReg(region.clone(), left, right),
            None if is_par => Node::Par(left, right),
            None => Node::Alt(left, right),
        })
    }

    /// The operands of a frame, with the empty one of frames that may be left out. `else` says what happens otherwise.
    fn operands(&mut self, fragment: &'d Fragment, inside: &Order) -> Vec<(NodeId, Span)> {
        let mut operands = Vec::new();
        self.depth += 1;
        for operand in &fragment.operands {
            let body = self.body(&operand.body, inside);
            operands.push((self.or_empty(body, operand.header), fragment.span));
        }
        self.depth -= 1;
        let is_optional = match fragment.operator {
            FragmentOperator::Opt | FragmentOperator::Alt => operands.len() == 1,
            _ => false,
        };
        if is_optional {
            operands.push((self.push(Node::Empty, fragment.span), fragment.span));
        }
        operands
    }

    /// Warns of a frame that has several readings.
    fn remark_frame(&mut self, fragment: &Fragment) {
        let count = fragment.operands.len();
        let reading = match fragment.operator {
            FragmentOperator::Alt if count == 1 => {
                "an `alt` without `else` may be left out, as `opt` may"
            }
            FragmentOperator::Opt if count > 1 => {
                "an `opt` with `else` is one of its parts, as `alt` is"
            }
            FragmentOperator::Critical if count == 1 => {
                "`critical` is its body, which may be interrupted"
            }
            FragmentOperator::Critical => {
                "`critical` is its body, where an option may take over after any statement"
            }
            FragmentOperator::Group if count > 1 => {
                "the parts of a group with `else` are alternatives"
            }
            _ => return,
        };
        let header = fragment.operands.first().map_or(fragment.span, |it| it.header);
        self.remark(WarningCode::FrameReading, header, reading.to_owned());
    }
}

/// A text in a message, on one line.
fn shown(text: &str) -> String {
    quote(&one_line(text))
}

/// The boxes that have members, as locations.
fn boxes(diagram: &Diagram) -> Vec<LocationGroup> {
    let name = |it: &ParticipantId| diagram.participants.get(it.index());
    let members = diagram.boxes.iter().map(|it| it.members.iter().filter_map(name));
    let members = members.map(|it| it.map(|it| it.id.clone()).collect::<Vec<String>>());
    members
        .filter(|members| !members.is_empty())
        .map(|members| LocationGroup { name: None, members })
        .collect()
}
