//! What is written once and read several times: parts with names, `for`, and loops with bounds.

// Idea: nothing is copied. The parser goes back to where a part, an operand or a body is written, and
// reads it again with other values of its names. So all places are those of the text as written.
//
// A part is read once where it is defined, for the errors in it and to find its end; what that read
// makes is thrown away. So an error in a part is told once, and a part that has one is not read again.
//
// Invariant: the nodes of each reading are new, since a tree shares none.
//
// Cost: that of the expanded text, which has a limit.

use super::parsed::MAX_NESTING;
use super::parser::{Parser, Scheduler};
use crate::cursor::Lists;
use crate::lexer::TokenKind;
use crate::source::{Diagnostic, Position, Source, Span, quote};
use crate::suggest::did_you_mean;
use indexmap::IndexMap;
use multitrace_interaction::{Id, LoopKind, Node, NodeId, Signature, names};
use std::borrow::Cow;

/// The most nodes and readings of an interaction with parts, `for` or bounds. The compiler takes about
/// a second for so many.
const MAX_EXPANDED: usize = 1 << 20;

/// Parts, and what names stand for.
#[derive(Default)]
pub(super) struct Expansion<'a> {
    parts: IndexMap<&'a str, Part<'a>>,
    /// What names and variables stand for, the innermost last.
    scope: Vec<(&'a str, Bound<'a>)>,
    /// Those before are of the place where the part is used, and mean nothing in it.
    scope_start: usize,
    /// The parts that are being read.
    open: Vec<&'a str>,
    /// Readings whose nodes are thrown away.
    dry: usize,
    /// Uses of parts in parts, which may be defined later.
    uses: Vec<Use<'a>>,
    /// How often something was read again.
    readings: usize,
    is_exhausted: bool,
}

/// `@name(a, b) = …`
struct Part<'a> {
    parameters: Vec<(&'a str, Span)>,
    body_at: usize,
    is_broken: bool,
}

/// What a name stands for, and where that is written.
#[derive(Clone)]
struct Bound<'a> {
    name: Cow<'a, str>,
    span: Span,
}

/// `@name(a, b)`
struct Use<'a> {
    name: &'a str,
    span: Span,
    arguments: Vec<Bound<'a>>,
}

/// A loop with bounds.
pub(super) struct Repetition {
    pub(super) kind: LoopKind,
    pub(super) bounds: Bounds,
    /// Where its operands begin.
    pub(super) body_at: usize,
    pub(super) span: Span,
}

/// How often a loop repeats.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    least: u32,
    /// `None` for any number.
    most: Option<u32>,
}

/// What is put back after a reading whose result is thrown away.
struct Before {
    signature: Signature,
    nodes: usize,
    names: usize,
}

impl Expansion<'_> {
    /// Whether what is read is thrown away.
    pub(super) fn is_dry(&self) -> bool {
        self.dry > 0
    }

    /// Whether the limit was reported, so that what is missing is no error of its own.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}

impl<'a> Parser<'a> {
    /// All parts, which stand before the interaction.
    pub(super) fn definitions(&mut self) {
        while self.is_definition() {
            if self.definition().is_none() {
                self.skip_definition();
            }
        }
        for used in std::mem::take(&mut self.expansion.uses) {
            self.check_use(&used);
        }
    }

    /// Whether `@name =` or `@name(…) =` comes next.
    fn is_definition(&self) -> bool {
        let kind = |ahead| self.cursor.peek_at(ahead);
        if kind(0) != Some(TokenKind::At) || kind(1) != Some(TokenKind::Name) {
            return false;
        }
        let mut after = 2;
        if kind(2) == Some(TokenKind::LeftParen) {
            while !matches!(kind(after), Some(TokenKind::RightParen) | None) {
                after += 1;
            }
            after += 1;
        }
        kind(after) == Some(TokenKind::Equals)
    }

    fn skip_definition(&mut self) {
        self.cursor.advance();
        while self.cursor.peek().is_some() && !self.is_definition() {
            self.cursor.advance();
        }
    }

    fn definition(&mut self) -> Option<()> {
        let at = self.cursor.advance();
        let (name, span) = self.cursor.word("the name of the part")?;
        let parameters = match self.cursor.peek() {
            Some(TokenKind::LeftParen) => {
                self.list(TokenKind::RightParen, ")", |it| it.cursor.word("a parameter"))
            }
            _ => Vec::new(),
        };
        self.check_parameters(&parameters);
        self.cursor.expect(TokenKind::Equals, "`=`")?;
        let (body_at, errors) = (self.cursor.position(), self.cursor.diagnostics.count());
        let itself =
            |&(name, span): &(&'a str, Span)| (name, Bound { name: names::name_of(name), span });
        let bindings = parameters.iter().map(itself).collect();
        let read = self.dry_run(|parser| parser.in_scope(bindings, true, Self::interaction));
        let is_broken = self.cursor.diagnostics.count() > errors;
        let part = Part { parameters, body_at, is_broken };
        if self.expansion.parts.insert(name, part).is_some() {
            let message = format!("`@{name}` is defined twice");
            let error = Diagnostic::new(at.to(span), message, "defined before");
            self.cursor.report(error.with_help("give one of them another name"));
        }
        read.map(drop)
    }

    fn check_parameters(&mut self, parameters: &[(&'a str, Span)]) {
        for (index, (name, span)) in parameters.iter().enumerate() {
            if parameters[..index].iter().any(|(other, _)| other == name) {
                let message = format!("two parameters are called {}", quote(name));
                let error = Diagnostic::new(*span, message, "named before");
                self.cursor.report(error.with_help("give one of them another name"));
            }
        }
    }

    /// Reads something for its errors alone.
    fn dry_run<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = Before {
            signature: self.signature.clone(),
            nodes: self.nodes.len(),
            names: self.names.len(),
        };
        self.expansion.dry += 1;
        let result = read(self);
        self.expansion.dry -= 1;
        self.signature = before.signature;
        self.nodes.truncate(before.nodes);
        self.spans.truncate(before.nodes);
        self.names.truncate(before.names);
        result
    }

    /// Reads something with values of names; `is_part`: those around mean nothing there.
    fn in_scope<T>(
        &mut self,
        bindings: Vec<(&'a str, Bound<'a>)>,
        is_part: bool,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (length, start) = (self.expansion.scope.len(), self.expansion.scope_start);
        if is_part {
            self.expansion.scope_start = length;
        }
        self.expansion.scope.extend(bindings);
        let result = read(self);
        self.expansion.scope.truncate(length);
        self.expansion.scope_start = start;
        result
    }

    /// `@name` or `@name(a, b)`
    pub(super) fn call(&mut self) -> Option<NodeId> {
        let at = self.cursor.advance();
        let (name, span) = self.cursor.word("the name of a part")?;
        let arguments = match self.cursor.peek() {
            Some(TokenKind::LeftParen) => self.list(TokenKind::RightParen, ")", |parser| {
                let (name, span) = parser.name("a lifeline or a message")?;
                Some(Bound { name, span })
            }),
            _ => Vec::new(),
        };
        let used = Use { name, span: at.to(span), arguments };
        if self.expansion.is_dry() {
            self.expansion.uses.push(used);
            return Some(NodeId::new(0));
        }
        if !self.check_use(&used) {
            return Some(NodeId::new(0));
        }
        self.expand(used)
    }

    /// Whether a part of that name takes as many arguments.
    fn check_use(&mut self, used: &Use<'a>) -> bool {
        let Use { name, span, arguments } = used;
        let Some(part) = self.expansion.parts.get(name) else {
            let message = format!("no part is called `@{name}`");
            let suggestion = did_you_mean(name, self.expansion.parts.keys().copied());
            let help = suggestion
                .unwrap_or_else(|| format!("define it before the interaction: `@{name} = seq(…)`"));
            let error = Diagnostic::new(*span, message, "not defined");
            self.cursor.report(error.with_help(help));
            return false;
        };
        let expected: Vec<&str> = part.parameters.iter().map(|(name, _)| *name).collect();
        if expected.len() != arguments.len() {
            let found = arguments.len();
            let message = format!("`@{name}` takes {}, found {found}", names_in_words(&expected));
            self.cursor.report(Diagnostic::new(*span, message, "another number of names"));
            return false;
        }
        !part.is_broken
    }

    /// Reads a part at its definition.
    fn expand(&mut self, used: Use<'a>) -> Option<NodeId> {
        let Use { name, span, arguments } = used;
        if self.expansion.open.contains(&name) {
            let message = format!("`@{name}` uses itself");
            let error = Diagnostic::new(span, message, "used in its own definition");
            self.cursor.report(error.with_help("write repetitions with `loopS(…)`"));
            return Some(NodeId::new(0));
        }
        if self.depth == MAX_NESTING {
            self.too_deep(span);
            return None;
        }
        if !self.has_room(span) {
            return Some(NodeId::new(0));
        }
        let part = self.expansion.parts.get(name)?;
        let parameters = part.parameters.iter().map(|(name, _)| *name);
        let bindings = parameters.zip(arguments).collect();
        let (body_at, back) = (part.body_at, self.cursor.position());
        let errors = self.cursor.diagnostics.count();
        self.expansion.open.push(name);
        self.depth += 1;
        self.cursor.go_to(body_at);
        let read = self.in_scope(bindings, true, Self::interaction);
        self.cursor.go_to(back);
        self.depth -= 1;
        self.expansion.open.pop();
        let words = format!(", in `@{name}`, used at {}", self.position(span));
        self.cursor.diagnostics.add_to_messages(errors, &words);
        read
    }

    /// Line and column of a place, for messages about another one.
    fn position(&self, span: Span) -> String {
        let before = self.cursor.text_of(Span::new(0, span.start));
        let Position { line, column } = Source::new("", before).position(span.start);
        format!("{line}:{column}")
    }

    /// Whether the interaction may still grow; reports that it may not, once.
    fn has_room(&mut self, span: Span) -> bool {
        self.expansion.readings += 1;
        if self.nodes.len() + self.expansion.readings <= MAX_EXPANDED {
            return true;
        }
        if !std::mem::replace(&mut self.expansion.is_exhausted, true) {
            let message = format!(
                "with its parts, `for` and bounds written out, the interaction has more than \
                 {MAX_EXPANDED} operators and actions"
            );
            let error = Diagnostic::new(span, message, "too many here");
            let help = "use smaller bounds or fewer values, or a loop without bounds";
            self.cursor.report(error.with_help(help));
        }
        false
    }

    /// Whether `for $c` stands here, or further on.
    pub(super) fn is_for_at(&self, ahead: usize) -> bool {
        self.cursor.peek_at(ahead) == Some(TokenKind::Name)
            && self.cursor.peek_at(ahead + 1) == Some(TokenKind::Variable)
            && self.cursor.word_at(ahead) == "for"
    }

    /// `for $c in a, b except c (…)`: the operands for each value, in order.
    pub(super) fn operands_for(&mut self, start: Span, name: &str) -> Option<Vec<NodeId>> {
        self.cursor.advance();
        let variable = self.cursor.here();
        let variable = self.cursor.text_of(variable);
        self.cursor.advance();
        self.keyword("in")?;
        let mut values = self.values()?;
        if self.is_keyword("except") {
            self.cursor.advance();
            let left_out = self.values()?;
            values.retain(|value| left_out.iter().all(|other| other.name != value.name));
        }
        let (operands_at, errors) = (self.cursor.position(), self.cursor.diagnostics.count());
        if values.is_empty() || self.expansion.is_exhausted {
            let any = Bound { name: Cow::Borrowed("a"), span: start };
            self.dry_run(|parser| parser.operands_with(variable, any, (start, name)))?;
        }
        let mut operands = Vec::new();
        for value in values {
            if self.expansion.is_exhausted || !self.has_room(value.span) {
                break;
            }
            self.cursor.go_to(operands_at);
            operands.extend(self.operands_with(variable, value, (start, name))?);
            if self.cursor.diagnostics.count() > errors {
                break;
            }
        }
        Some(operands)
    }

    fn operands_with(
        &mut self,
        variable: &'a str,
        value: Bound<'a>,
        (start, name): (Span, &str),
    ) -> Option<Vec<NodeId>> {
        self.in_scope(vec![(variable, value)], false, |parser| match parser.is_for_at(0) {
            true => parser.operands_for(start, name),
            false => parser.operands(start, name),
        })
    }

    fn is_keyword(&self, word: &str) -> bool {
        self.cursor.peek() == Some(TokenKind::Name) && self.cursor.word_at(0) == word
    }

    fn keyword(&mut self, word: &str) -> Option<()> {
        if !self.is_keyword(word) {
            self.cursor.expected(&format!("`{word}`"));
            return None;
        }
        self.cursor.advance();
        Some(())
    }

    /// `a, b, c1..c5`
    fn values(&mut self) -> Option<Vec<Bound<'a>>> {
        let mut values = Vec::new();
        loop {
            self.value(&mut values)?;
            if self.cursor.eat(TokenKind::Comma).is_none() {
                return Some(values);
            }
        }
    }

    /// A name, a variable, a number, or a range of names or numbers.
    fn value(&mut self, values: &mut Vec<Bound<'a>>) -> Option<()> {
        let first = match self.cursor.peek() {
            Some(TokenKind::Number) => self.number_text(),
            _ => self.name("a value, `a, b` or `c1..c5`")?,
        };
        if self.cursor.peek() != Some(TokenKind::Dot) {
            values.push(Bound { name: first.0, span: first.1 });
            return Some(());
        }
        self.cursor.advance();
        self.cursor.expect(TokenKind::Dot, "`..`")?;
        let last = match self.cursor.peek() {
            Some(TokenKind::Number) => self.number_text(),
            _ => self.name("the last value of the range")?,
        };
        let span = first.1.to(last.1);
        let Some((stem, numbers)) = range(&first.0, &last.0) else {
            let message = format!("no range goes from {} to {}", quote(&first.0), quote(&last.0));
            let help = "write two names that end with a number and are otherwise equal, the smaller \
                        number first: `c1..c5`";
            let error = Diagnostic::new(span, message, "not a range");
            self.cursor.report(error.with_help(help));
            return None;
        };
        for number in numbers {
            if !self.has_room(span) {
                break;
            }
            values.push(Bound { name: Cow::Owned(format!("{stem}{number}")), span });
        }
        Some(())
    }

    fn number_text(&mut self) -> (Cow<'a, str>, Span) {
        let span = self.cursor.advance();
        (Cow::Borrowed(self.cursor.text_of(span)), span)
    }

    /// A name, with what it stands for in the part or the `for` around it.
    pub(super) fn name(&mut self, what: &str) -> Option<(Cow<'a, str>, Span)> {
        if self.cursor.peek() == Some(TokenKind::Variable) {
            return self.variable();
        }
        let (text, span) = self.cursor.word(what)?;
        if text.starts_with('"') {
            return Some((self.filled_in(names::name_of(text)), span));
        }
        match self.bound(text) {
            Some(Bound { name, span }) => Some((name, span)),
            None => Some((Cow::Borrowed(text), span)),
        }
    }

    fn variable(&mut self) -> Option<(Cow<'a, str>, Span)> {
        let span = self.cursor.advance();
        let text = self.cursor.text_of(span);
        let bound = self.bound(text);
        if bound.is_none() {
            let error = Diagnostic::new(span, format!("nothing binds `{text}`"), "no value");
            let help = format!("write it inside of `par for {text} in a, b (…)`");
            self.cursor.report(error.with_help(help));
        }
        // After an error the names are thrown away; a stand-in keeps what follows readable.
        let bound = bound.unwrap_or(Bound { name: Cow::Borrowed(text), span });
        Some((bound.name, bound.span))
    }

    fn bound(&self, name: &str) -> Option<Bound<'a>> {
        let visible = &self.expansion.scope[self.expansion.scope_start..];
        visible.iter().rev().find(|(other, _)| *other == name).map(|(_, bound)| bound.clone())
    }

    /// A name in quotes with the values of its variables; `$$` is a dollar, and a variable that nothing
    /// binds stays.
    fn filled_in(&self, name: Cow<'a, str>) -> Cow<'a, str> {
        if !name.contains('$') {
            return name;
        }
        let (mut filled, mut rest) = (String::new(), &*name);
        while let Some(at) = rest.find('$') {
            filled.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = after.find(|c| !is_part(c)).unwrap_or(after.len());
            let variable = &rest[at..at + 1 + length];
            rest = &after[length..];
            match self.bound(variable) {
                _ if after.starts_with('$') => {
                    filled.push('$');
                    rest = &after[1..];
                }
                Some(bound) => filled.push_str(&bound.name),
                None => filled.push_str(variable),
            }
        }
        filled.push_str(rest);
        Cow::Owned(filled)
    }

    /// `[2..5]`, `[3]` or `[1..]`; `None` if there are no bounds.
    pub(super) fn bounds(&mut self) -> Option<Bounds> {
        let open = self.cursor.eat(TokenKind::LeftBracket)?;
        let bounds = self.numbers(open);
        if bounds.is_none() {
            use TokenKind::{LeftParen, RightBracket};
            while !matches!(self.cursor.peek(), Some(RightBracket | LeftParen) | None) {
                self.cursor.advance();
            }
            self.cursor.eat(RightBracket);
        }
        // After an error the nodes are thrown away.
        Some(bounds.unwrap_or(Bounds { least: 1, most: Some(1) }))
    }

    fn numbers(&mut self, open: Span) -> Option<Bounds> {
        let least = self.number()?;
        let mut most = Some(least);
        if self.cursor.eat(TokenKind::Dot).is_some() {
            self.cursor.expect(TokenKind::Dot, "`..`")?;
            most = match self.cursor.peek() {
                Some(TokenKind::Number) => Some(self.number()?),
                _ => None,
            };
        }
        let close = self.cursor.expect(TokenKind::RightBracket, "`]`, `..` or a number")?;
        if most.is_some_and(|most| most < least) {
            let error = Diagnostic::new(
                open.to(close),
                "a loop that repeats at least more often than at most",
                "the larger number stands first",
            );
            self.cursor.report(error.with_help("write the smaller number first: `[2..5]`"));
        }
        Some(Bounds { least, most })
    }

    fn number(&mut self) -> Option<u32> {
        let span = self.cursor.expect(TokenKind::Number, "a number of repetitions")?;
        let number = self.cursor.text_of(span).parse().ok();
        if number.is_none() {
            let error = Diagnostic::new(span, "a number of repetitions is too large", "");
            self.cursor.report(error.with_help("write a loop without an upper bound: `[1..]`"));
        }
        number
    }

    /// A loop with bounds as its copies: x; x; opt(x; opt(x)) for `[2..4]`.
    pub(super) fn unrolled(&mut self, loop_: &Repetition, start: Span) -> Option<NodeId> {
        let Repetition { kind, bounds, span, .. } = loop_;
        let scheduler = match kind {
            LoopKind::Strict => Scheduler::Strict,
            LoopKind::Weak => Scheduler::Seq,
            LoopKind::Parallel => Scheduler::Par,
            LoopKind::CoReg(region) => Scheduler::CoReg(region.clone()),
            LoopKind::HeadFirst => {
                let error = Diagnostic::new(start, "`loopH` takes no bounds", "a head-first loop");
                self.cursor.report(error.with_help("leave the bounds out, or use `loopW`"));
                return Some(NodeId::new(0));
            }
        };
        let mut rest = None;
        match bounds.most {
            None => {
                let body = self.copy(loop_)?;
                rest = Some(self.push(Node::Loop(kind.clone(), body), *span));
            }
            Some(most) => {
                for _ in bounds.least..most {
                    let some = self.before_rest(loop_, &scheduler, rest)?;
                    rest = Some(self.opt(some, *span));
                }
            }
        }
        for _ in 0..bounds.least {
            rest = Some(self.before_rest(loop_, &scheduler, rest)?);
        }
        Some(rest.unwrap_or_else(|| self.push(Node::Empty, *span)))
    }

    fn before_rest(
        &mut self,
        loop_: &Repetition,
        scheduler: &Scheduler,
        rest: Option<NodeId>,
    ) -> Option<NodeId> {
        let body = self.copy(loop_)?;
        Some(match rest {
            None => body,
            Some(rest) => self.push(scheduler.node(body, rest), loop_.span),
        })
    }

    /// The body of a loop, read once more.
    fn copy(&mut self, loop_: &Repetition) -> Option<NodeId> {
        if !self.has_room(loop_.span) {
            return None;
        }
        self.cursor.go_to(loop_.body_at);
        self.operands(loop_.span, "a loop")?.first().copied()
    }
}

/// The common stem of two names, and the numbers from the end of one to that of the other.
fn range<'n>(first: &'n str, last: &str) -> Option<(&'n str, std::ops::RangeInclusive<u32>)> {
    let split = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (stem, from) = first.split_at(split(first));
    let (other, to) = last.split_at(split(last));
    let (least, most) = (from.parse::<u32>().ok()?, to.parse::<u32>().ok()?);
    let is_plain = |text: &str, number: u32| text == number.to_string();
    let is_range = stem == other && least <= most && is_plain(from, least) && is_plain(to, most);
    is_range.then_some((stem, least..=most))
}

/// `2 names, a and b`
fn names_in_words(names: &[&str]) -> String {
    match names {
        [] => "no name".to_owned(),
        [only] => format!("1 name, {}", quote(only)),
        [rest @ .., last] => {
            let rest: Vec<String> = rest.iter().map(|name| quote(name)).collect();
            format!("{} names, {} and {}", names.len(), rest.join(", "), quote(last))
        }
    }
}
