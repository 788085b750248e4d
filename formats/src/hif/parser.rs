//! Recursive descent over tokens, going on after errors so that all of them are reported.

use super::allowed;
use super::expansion::{Expansion, Repetition};
use super::other_languages::{diagram, skip_hash_comments};
use super::parsed::{MAX_NESTING, NameUse, Named, ParsedSpec};
use crate::cursor::{Cursor, Lists};
use crate::lexer::TokenKind;
use crate::open::{MAX_EXPANDED, NodeList, OperandNodes, UnloggedStep, mark_unlogged};
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use crate::suggest::did_you_mean;
use multitrace_interaction::{
    Action, ActionKind, Id, Interaction, LifelineId, LifelineSet, LoopKind, MessageId, Node,
    NodeId, Passing, Signature, Step, names,
};

/// The operators by name, for suggestions.
const OPERATORS: [&str; 14] = [
    "strict", "seq", "par", "alt", "opt", "coreg", "loopS", "loopW", "loopP", "loopH", "loopC",
    "any", "anything", "unlogged",
];

/// The error for a text without an interaction.
pub(super) const NO_INTERACTION: &str = "there is no interaction in this text";

/// The interaction of a text.
pub(super) fn parse(text: &str, signature: Option<Signature>) -> Result<ParsedSpec, Diagnostics> {
    let mut cursor = Cursor::new(text);
    skip_hash_comments(text, &mut cursor);
    let mut parser = Parser {
        cursor,
        declared: signature.is_some(),
        signature: signature.unwrap_or_default(),
        nodes: Vec::new(),
        spans: Vec::new(),
        names: Vec::new(),
        unlogged: Vec::new(),
        depth: 0,
        expansion: Expansion::default(),
    };
    parser.whole();
    let Parser { cursor, signature, nodes, spans, mut names, unlogged, .. } = parser;
    // A part is read again wherever it is used.
    names.sort_by_key(|name| name.span);
    names.dedup();
    let Cursor { tokens, comments, mut diagnostics, .. } = cursor;
    let allowed = allowed::read(text, &comments, &tokens, &mut diagnostics);
    let nodes = diagnostics.check(nodes);
    let nodes = nodes.map_err(|errors| diagram(text).map_or(errors, Diagnostics::from))?;
    match Interaction::new(nodes) {
        Ok(interaction) => Ok(ParsedSpec {
            signature,
            interaction,
            spans,
            names,
            allowed,
            unjudged: None,
            unlogged,
            unlogged_events: Vec::new(),
            has_only_multi_traces: false,
        }),
        Err(error) => {
            let message = format!("the parser built no tree: {error}");
            let span = Span::new(0, text.len());
            Err(Diagnostic::new(span, message, "please report this text").into())
        }
    }
}

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) signature: Signature,
    /// Whether the signature was given, so that other names are errors.
    declared: bool,
    pub(super) nodes: Vec<Node>,
    /// One per node.
    pub(super) spans: Vec<Span>,
    pub(super) names: Vec<NameUse>,
    /// The steps that are not logged, in the order of their nodes.
    pub(super) unlogged: Vec<UnloggedStep>,
    /// How many operators and parts are open.
    pub(super) depth: usize,
    pub(super) expansion: Expansion<'a>,
}

/// A way to put two interactions together.
#[derive(Clone, PartialEq)]
pub(super) enum Scheduler {
    Strict,
    Seq,
    Par,
    CoReg(LifelineSet),
    Alt,
}

impl Scheduler {
    pub(super) fn node(&self, left: NodeId, right: NodeId) -> Node {
        match self {
            Scheduler::Strict => Node::Strict(left, right),
            Scheduler::Seq => Node::Seq(left, right),
            Scheduler::Par => Node::Par(left, right),
            Scheduler::CoReg(region) => Node::CoReg(region.clone(), left, right),
            Scheduler::Alt => Node::Alt(left, right),
        }
    }
}

impl<'a> Lists<'a> for Parser<'a> {
    fn cursor(&mut self) -> &mut Cursor<'a> {
        &mut self.cursor
    }
}

impl<'a> Parser<'a> {
    fn whole(&mut self) {
        self.definitions();
        if self.cursor.peek().is_none() {
            if !self.cursor.diagnostics.is_empty() {
                return;
            }
            let error =
                Diagnostic::new(self.cursor.here(), NO_INTERACTION, "expected an interaction");
            self.cursor.report(error.with_help("write `o` for the empty interaction"));
            return;
        }
        if self.interaction().is_none() {
            // After an error the parser cannot tell where the next part begins.
            self.cursor.skip_to_end();
        }
        if self.cursor.peek().is_some() {
            let message = format!("expected the end of the text, found {}", self.cursor.found());
            let error = Diagnostic::new(self.cursor.here(), message, "the interaction ends before");
            let help = "check the parentheses, or put several interactions into `seq(…)`";
            self.cursor.report(error.with_help(help));
        }
    }

    pub(super) fn push(&mut self, node: Node, span: Span) -> NodeId {
        self.nodes.push(node);
        self.spans.push(span);
        NodeId::new(self.nodes.len() - 1)
    }

    /// Reads one interaction; `None` after an error in its own text, not in its operands.
    pub(super) fn interaction(&mut self) -> Option<NodeId> {
        match self.cursor.peek() {
            Some(TokenKind::EmptySet) => Some(self.empty()),
            Some(TokenKind::LeftBrace) => self.step(),
            Some(TokenKind::Less | TokenKind::Variable) => self.passing(),
            Some(TokenKind::At) => self.call(),
            Some(TokenKind::Name) => self.named(),
            _ => {
                self.cursor.expected("an interaction");
                None
            }
        }
    }

    fn named(&mut self) -> Option<NodeId> {
        let span = self.cursor.here();
        let name = self.cursor.text_of(span);
        match self.cursor.peek_at(1) {
            Some(TokenKind::LeftParen | TokenKind::LeftBracket) => self.operator(name),
            _ if self.is_for_at(1) => self.operator(name),
            Some(TokenKind::Dashes | TokenKind::Arrow) => self.passing(),
            Some(TokenKind::Emit | TokenKind::Receive) => self.bare_action(),
            _ if name == "o" => Some(self.empty()),
            _ => {
                self.cursor.advance();
                self.cursor.expected(&format!("`--`, `->` or `(` after {}", quote(name)));
                None
            }
        }
    }

    /// `l!m` or `l?m`, which is an event of a log and no interaction.
    fn bare_action(&mut self) -> Option<NodeId> {
        let start = self.cursor.advance();
        let is_emission = self.cursor.peek() == Some(TokenKind::Emit);
        self.cursor.advance();
        let (message, end) = self.cursor.word("a message")?;
        let (lifeline, span) = (self.cursor.text_of(start), start.to(end));
        let help = if is_emission {
            format!(
                "write `{lifeline} -- {message} ->|` for an emission that nobody receives, or \
                 `{lifeline} -- {message} -> receiver`"
            )
        } else {
            format!(
                "write `{message} -> {lifeline}` for a reception without emission, or \
                 `sender -- {message} -> {lifeline}`"
            )
        };
        let text = quote(self.cursor.text_of(span));
        let error =
            Diagnostic::new(span, format!("{text} alone is not an interaction"), "an action");
        self.cursor.report(error.with_help(help));
        // After an error the nodes are thrown away; a stand-in keeps the rest readable.
        Some(NodeId::new(0))
    }

    fn empty(&mut self) -> NodeId {
        let span = self.cursor.advance();
        self.push(Node::Empty, span)
    }

    /// An operator, whose name comes next and then a parenthesis.
    fn operator(&mut self, name: &'a str) -> Option<NodeId> {
        let start = self.cursor.advance();
        let (names, nodes) = (self.names.len(), self.nodes.len());
        let root = self.operator_at(start, name);
        self.note_acting(start, names, nodes);
        root
    }

    /// Notes which lifelines in the brackets of an operator do something in its operands. All do if nothing is left of these.
    fn note_acting(&mut self, start: Span, names: usize, nodes: usize) {
        let steps = self.nodes[nodes..].iter().filter_map(|node| match node {
            Node::Step(step) => Some(step.actions()),
            _ => None,
        });
        let mut found: Option<LifelineSet> = None;
        for name in &mut self.names[names..] {
            let Named::Region { lifeline, operator, acts } = &mut name.named else { return };
            if *operator != start.start {
                return;
            }
            let acting = found.get_or_insert_with(|| {
                steps.clone().flatten().map(|action| action.lifeline).collect()
            });
            *acts = acting.is_empty() || acting.contains(*lifeline);
        }
    }

    fn operator_at(&mut self, start: Span, name: &'a str) -> Option<NodeId> {
        match name {
            "strict" => self.scheduled(start, name, &Scheduler::Strict),
            "seq" => self.scheduled(start, name, &Scheduler::Seq),
            "par" => self.scheduled(start, name, &Scheduler::Par),
            "alt" => self.scheduled(start, name, &Scheduler::Alt),
            "coreg" => {
                let region = self.region(start, (TokenKind::RightParen, ")"));
                self.scheduled(start, name, &Scheduler::CoReg(region))
            }
            "opt" => self.optional(start, name),
            "loopS" => self.repeated(start, name, |_| LoopKind::Strict),
            "loopW" => self.repeated(start, name, |_| LoopKind::Weak),
            "loopP" => self.repeated(start, name, |_| LoopKind::Parallel),
            "loopH" => self.repeated(start, name, |_| LoopKind::HeadFirst),
            "loopC" => self.repeated(start, name, |parser| {
                LoopKind::CoReg(parser.region(start, (TokenKind::RightParen, ")")))
            }),
            "any" => self.any_of(start, name),
            "anything" => self.anything(start),
            "unlogged" => self.unlogged(start, name),
            _ => self.unknown_operator(start, name),
        }
    }

    /// `any[2](x, y, z)`: this many of the operands, in parallel.
    fn any_of(&mut self, start: Span, name: &str) -> Option<NodeId> {
        let Some(bounds) = self.bounds() else {
            self.cursor.expected("how many of the operands: `any[2](…)`, `any[2..](…)`");
            return None;
        };
        let first = self.nodes.len();
        let operands = match self.is_for_at(0) {
            true => self.operands_for(start, name)?,
            false => self.operands(start, name)?,
        };
        let span = start.to(self.cursor.previous());
        if !self.cursor.diagnostics.is_empty() || self.expansion.is_dry() {
            return Some(NodeId::new(0));
        }
        let (least, most) =
            (bounds.least as usize, bounds.most.map_or(usize::MAX, |most| most as usize));
        if least > operands.len() {
            let message = format!("{least} of {} operands", operands.len());
            let error = Diagnostic::new(start, message, "more than there are");
            self.cursor.report(error.with_help("write a smaller number"));
            return Some(NodeId::new(0));
        }
        let nodes = OperandNodes::new(first, operands);
        let root = self.list_of_nodes().any_of(&nodes, (least, most), span);
        if root.is_none() {
            let message = format!(
                "with its choices written out, this has more than {MAX_EXPANDED} operators"
            );
            let error = Diagnostic::new(start, message, "too many choices");
            self.cursor.report(error.with_help("choose of fewer operands"));
        }
        Some(root.unwrap_or(NodeId::new(0)))
    }

    /// `anything(a, b)`: events of these lifelines that stand nowhere else.
    fn anything(&mut self, start: Span) -> Option<NodeId> {
        let lifelines = self.list(TokenKind::RightParen, ")", Self::lifeline);
        let span = start.to(self.cursor.previous());
        // It names no message, so that no signature has to declare it.
        let any = self.signature.intern_message(names::ANY);
        Some(self.list_of_nodes().anything(&lifelines, any, span))
    }

    fn list_of_nodes(&mut self) -> NodeList<'_> {
        let Parser { nodes, spans, unlogged, .. } = self;
        NodeList { nodes, spans, unlogged }
    }

    /// `unlogged(x)`, `unlogged[a, b](x)`: x, whose events are not in the logs (of a and b).
    fn unlogged(&mut self, start: Span, name: &str) -> Option<NodeId> {
        let is_some = self.cursor.peek() == Some(TokenKind::LeftBracket);
        let at = is_some.then(|| self.region(start, (TokenKind::RightBracket, "]")));
        let first = self.nodes.len();
        let body = self.only_operand(start, name)?;
        if !self.expansion.is_dry() {
            mark_unlogged(&self.nodes, first, at.as_ref(), &mut self.unlogged);
        }
        Some(body)
    }

    fn scheduled(&mut self, start: Span, name: &str, scheduler: &Scheduler) -> Option<NodeId> {
        let operands = match self.is_for_at(0) {
            true => self.operands_for(start, name)?,
            false => self.operands(start, name)?,
        };
        let span = start.to(self.cursor.previous());
        if !operands.is_empty() {
            return self.fold(scheduler, operands, span);
        }
        if *scheduler == Scheduler::Alt && !self.expansion.is_exhausted {
            let message = "alternatives over nothing: `for` has no value left";
            let error = Diagnostic::new(start, message, "no alternative");
            self.cursor.report(error.with_help("give `for` a value, or take some from `except`"));
        }
        Some(self.push(Node::Empty, span))
    }

    /// `op(a, b, c)` is `op(a, op(b, c))`. `None` when there is no operand.
    fn fold(&mut self, scheduler: &Scheduler, operands: Vec<NodeId>, span: Span) -> Option<NodeId> {
        let mut operands = operands.into_iter().rev();
        let last = operands.next()?;
        Some(operands.fold(last, |right, left| self.push(scheduler.node(left, right), span)))
    }

    /// `opt(x)` is `alt(x, o)`.
    fn optional(&mut self, start: Span, name: &str) -> Option<NodeId> {
        let body = self.only_operand(start, name)?;
        let span = start.to(self.cursor.previous());
        Some(self.opt(body, span))
    }

    pub(super) fn opt(&mut self, body: NodeId, span: Span) -> NodeId {
        let nothing = self.push(Node::Empty, span);
        self.push(Node::Alt(body, nothing), span)
    }

    /// A loop; its bounds may stand before or behind its region.
    fn repeated(
        &mut self,
        start: Span,
        name: &str,
        kind: impl FnOnce(&mut Self) -> LoopKind,
    ) -> Option<NodeId> {
        let before = self.bounds();
        let kind = kind(self);
        let bounds = before.or_else(|| self.bounds());
        let (body_at, nodes) = (self.cursor.position(), self.nodes.len());
        let body = self.only_operand(start, name)?;
        let span = start.to(self.cursor.previous());
        match bounds {
            None => Some(self.push(Node::Loop(kind, body), span)),
            Some(bounds) => {
                let end = self.cursor.position();
                let mut first = Some(body);
                if bounds.most == Some(0) {
                    first = None;
                    self.nodes.truncate(nodes);
                    self.spans.truncate(nodes);
                    self.unlogged.retain(|step| step.node.index() < nodes);
                }
                let mut repetition = Repetition { kind, bounds, first, body_at, span };
                let unrolled = self.unrolled(&mut repetition, start);
                self.cursor.go_to(end);
                unrolled
            }
        }
    }

    /// The only interaction that an operator is applied to.
    pub(super) fn only_operand(&mut self, start: Span, name: &str) -> Option<NodeId> {
        if self.is_for_at(0) {
            let error = Diagnostic::new(start, format!("`{name}` takes no `for`"), "one operand");
            let help = format!("write `{name}(seq for $c in … (…))`");
            self.cursor.report(error.with_help(help));
            return None;
        }
        let operands = self.operands(start, name)?;
        if operands.len() > 1 {
            let message = format!("`{name}` takes one interaction, found {}", operands.len());
            let error = Diagnostic::new(start, message, "expected one operand");
            self.cursor.report(error.with_help("put them into `seq(…)`"));
        }
        operands.first().copied()
    }

    /// The interactions an operator is applied to: at least one. `None` after an error that leaves
    /// none.
    pub(super) fn operands(&mut self, start: Span, name: &str) -> Option<Vec<NodeId>> {
        if self.cursor.peek() != Some(TokenKind::LeftParen) {
            self.cursor.expected("`(`");
            return None;
        }
        if self.depth == MAX_NESTING {
            self.too_deep(start);
            return None;
        }
        let errors = self.cursor.diagnostics.count();
        self.depth += 1;
        let operands = self.list(TokenKind::RightParen, ")", Self::interaction);
        self.depth -= 1;
        if operands.is_empty()
            && self.cursor.diagnostics.count() == errors
            && !self.expansion.is_exhausted
        {
            let message = format!("`{name}` has no operand");
            let error = Diagnostic::new(start, message, "expected at least one interaction");
            self.cursor.report(error.with_help("write `o` for the empty interaction"));
        }
        // After an error the nodes are thrown away; a stand-in keeps the rest readable.
        let stand_in = || vec![NodeId::new(0)];
        Some(if operands.is_empty() { stand_in() } else { operands })
    }

    pub(super) fn too_deep(&mut self, start: Span) {
        let message = format!("operators nest deeper than {MAX_NESTING} levels");
        let error = Diagnostic::new(start, message, "one level too many");
        let help = "list operands side by side: `seq(a, b, c)` for `seq(a, seq(b, c))`";
        self.cursor.report(error.with_help(help));
        self.cursor.skip_group();
    }

    /// The lifelines that an operator is about, which may be none; it stands at `start`.
    fn region(&mut self, start: Span, (end, text): (TokenKind, &str)) -> LifelineSet {
        let operator = start.start;
        let lifelines = self.list(end, text, |parser| {
            parser.lifeline_as(|lifeline| Named::Region { lifeline, operator, acts: true })
        });
        lifelines.into_iter().collect()
    }

    /// Reports the operator, and reads its operands for the errors in them.
    fn unknown_operator(&mut self, start: Span, name: &str) -> Option<NodeId> {
        self.cursor.diagnostics.push_with(|| describe_unknown_operator(start, name));
        if self.cursor.is_double_group() {
            self.cursor.skip_group();
        }
        self.operands(start, name)?;
        Some(NodeId::new(0))
    }

    /// `{l1!m, l2?n}`
    fn step(&mut self) -> Option<NodeId> {
        let start = self.cursor.here();
        let errors = self.cursor.diagnostics.count();
        let actions = self.list(TokenKind::RightBrace, "}", Self::action);
        let span = start.to(self.cursor.previous());
        match Step::new(actions) {
            Some(step) => Some(self.push(Node::Step(step), span)),
            None => {
                if self.cursor.diagnostics.count() == errors {
                    let error =
                        Diagnostic::new(span, "a step without action", "expected an action");
                    self.cursor.report(error.with_help("write `o` for the empty interaction"));
                }
                None
            }
        }
    }

    fn action(&mut self) -> Option<Action> {
        let lifeline = self.lifeline()?;
        let kind = match self.cursor.peek() {
            Some(TokenKind::Emit) => ActionKind::Emission,
            Some(TokenKind::Receive) => ActionKind::Reception,
            _ => {
                self.cursor.expected("`!` or `?`");
                return None;
            }
        };
        self.cursor.advance();
        Some(Action { lifeline, kind, message: self.message()? })
    }

    fn passing(&mut self) -> Option<NodeId> {
        let start = self.cursor.here();
        let passing = self.passing_parts(start)?;
        let span = start.to(self.cursor.previous());
        let actions = passing.actions();
        if passing.is_synchronous {
            return Step::new(actions).map(|step| self.push(Node::Step(step), span));
        }
        let steps: Vec<NodeId> =
            actions.into_iter().map(|a| self.push(Node::Step(Step::single(a)), span)).collect();
        match steps.split_first() {
            Some((&emission, receptions)) if passing.origin.is_some() && !receptions.is_empty() => {
                let receptions = self.fold(&Scheduler::Seq, receptions.to_vec(), span)?;
                Some(self.push(Node::Strict(emission, receptions), span))
            }
            _ => self.fold(&Scheduler::Seq, steps, span),
        }
    }

    fn passing_parts(&mut self, start: Span) -> Option<Passing> {
        let origin = if self.cursor.peek_at(1) == Some(TokenKind::Dashes) {
            let origin = self.lifeline()?;
            self.cursor.advance();
            Some(origin)
        } else {
            None
        };
        let is_synchronous = self.passing_kind()?;
        let message = self.message()?;
        self.cursor.expect(TokenKind::Arrow, "`->`")?;
        let targets = self.targets(start, origin.is_some())?;
        Some(Passing { origin, is_synchronous, message, targets })
    }

    /// Whether `<synch>` stands here; nothing and `<asynch>` are the same.
    fn passing_kind(&mut self) -> Option<bool> {
        if self.cursor.eat(TokenKind::Less).is_none() {
            return Some(false);
        }
        let (kind, span) = self.cursor.word("`synch` or `asynch`")?;
        if !matches!(kind, "synch" | "asynch") {
            let message = format!("unknown kind of passing {}", quote(kind));
            let error = Diagnostic::new(span, message, "expected `synch` or `asynch`");
            self.cursor.report(error.with_help(
                "`<synch>` makes emission and receptions happen together; `<asynch>` is the default",
            ));
        }
        self.cursor.expect(TokenKind::Greater, "`>`")?;
        Some(kind == "synch")
    }

    /// Reads the targets behind the arrow: `|`, a lifeline, or several in parentheses.
    fn targets(&mut self, start: Span, has_origin: bool) -> Option<Vec<LifelineId>> {
        match self.cursor.peek() {
            Some(TokenKind::Bar) => {
                self.cursor.advance();
                if !has_origin {
                    let span = start.to(self.cursor.previous());
                    let error = Diagnostic::new(
                        span,
                        "a message that nobody emits or receives",
                        "no lifeline",
                    );
                    self.cursor.report(error.with_help("write `l -- m ->|` or `m -> l`"));
                    return None;
                }
                Some(Vec::new())
            }
            Some(TokenKind::LeftParen) => self.target_list(),
            Some(TokenKind::Name | TokenKind::Variable) => {
                self.lifeline().map(|target| vec![target])
            }
            _ => {
                self.cursor.expected("`|`, a lifeline or `(`");
                None
            }
        }
    }

    fn target_list(&mut self) -> Option<Vec<LifelineId>> {
        let open = self.cursor.here();
        let errors = self.cursor.diagnostics.count();
        let targets = self.list(TokenKind::RightParen, ")", Self::lifeline);
        if targets.is_empty() && self.cursor.diagnostics.count() == errors {
            let span = open.to(self.cursor.previous());
            let error = Diagnostic::new(span, "a list of no receivers", "expected a lifeline");
            self.cursor.report(error.with_help("write `->|` for a message that nobody receives"));
        }
        (!targets.is_empty()).then_some(targets)
    }

    fn lifeline(&mut self) -> Option<LifelineId> {
        self.lifeline_as(Named::Lifeline)
    }

    fn lifeline_as(&mut self, named: impl FnOnce(LifelineId) -> Named) -> Option<LifelineId> {
        let (name, span) = self.name("a lifeline")?;
        let id = self.lifeline_named(&name, span);
        self.names.push(NameUse { span, named: named(id) });
        Some(id)
    }

    fn lifeline_named(&mut self, name: &str, span: Span) -> LifelineId {
        if self.expansion.is_dry() {
            return LifelineId::new(0);
        }
        if !self.declared {
            return self.signature.intern_lifeline(name);
        }
        let id = self.signature.lifeline(name);
        if id.is_none() {
            let known = self.signature.lifelines().map(|l| self.signature.lifeline_name(l));
            self.cursor.diagnostics.push_with(|| undeclared("lifeline", name, span, known));
        }
        // The interaction is thrown away after an error, so any id is fine.
        id.unwrap_or(LifelineId::new(0))
    }

    fn message(&mut self) -> Option<MessageId> {
        let (name, span) = self.name("a message")?;
        let id = self.message_named(&name, span);
        self.names.push(NameUse { span, named: Named::Message(id) });
        Some(id)
    }

    fn message_named(&mut self, name: &str, span: Span) -> MessageId {
        if self.expansion.is_dry() {
            return MessageId::new(0);
        }
        if !self.declared {
            return self.signature.intern_message(name);
        }
        let id = self.signature.message(name);
        if id.is_none() {
            let known = self.signature.messages().map(|m| self.signature.message_name(m));
            self.cursor.diagnostics.push_with(|| undeclared("message", name, span, known));
        }
        id.unwrap_or(MessageId::new(0))
    }
}

fn undeclared<'a>(
    what: &str,
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!("undeclared {what} {}", quote(name));
    let error = Diagnostic::new(span, message, "not in the signature");
    let declare = || format!("declare it in `@{what}{{…}}`");
    let help = did_you_mean(name, known).unwrap_or_else(declare);
    error.with_help(help)
}

fn describe_unknown_operator(span: Span, name: &str) -> Diagnostic {
    if matches!(name, "sync" | "and") {
        let message = format!("multitrace does not support the operator `{name}`");
        let help = "newer versions of HIBOU have `sync` and `and`, which synchronise or intersect \
                    interactions; write the behaviour with the other operators instead";
        return Diagnostic::new(span, message, "not supported").with_help(help);
    }
    let error = Diagnostic::new(span, format!("unknown operator {}", quote(name)), "no operator");
    let all = format!("the operators are {}", OPERATORS.join(", "));
    error.with_help(match did_you_mean(name, OPERATORS) {
        Some(suggestion) => format!("{suggestion} {all}"),
        None => all,
    })
}
