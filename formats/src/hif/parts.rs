//! Parts with names: where they are defined, and where they are used.

use super::expansion::{Bound, PartDefinition, Use};
use super::parsed::MAX_NESTING;
use super::parser::Parser;
use crate::cursor::Lists;
use crate::lexer::TokenKind;
use crate::open::MAX_EXPANDED;
use crate::source::{Diagnostic, Position, Source, Span, quote};
use crate::suggest::did_you_mean;
use multitrace_interaction::{Id, NodeId, names};
use std::collections::HashSet;

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
            after += 1;
            while matches!(kind(after), Some(TokenKind::Name | TokenKind::Comma)) {
                after += 1;
            }
            if kind(after) != Some(TokenKind::RightParen) {
                return false;
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
        let part = PartDefinition { parameters, body_at, is_broken };
        if self.expansion.parts.insert(name, part).is_some() {
            let message = format!("`@{name}` is defined twice");
            let error = Diagnostic::new(at.to(span), message, "defined before");
            self.cursor.report(error.with_help("give one of them another name"));
        }
        read.map(drop)
    }

    fn check_parameters(&mut self, parameters: &[(&'a str, Span)]) {
        let mut seen = HashSet::new();
        for (name, span) in parameters {
            if !seen.insert(name) {
                let message = format!("two parameters are called {}", quote(name));
                let error = Diagnostic::new(*span, message, "named before");
                self.cursor.report(error.with_help("give one of them another name"));
            }
        }
    }

    /// Reads something for its errors alone.
    pub(super) fn dry_run<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let (nodes, names) = (self.nodes.len(), self.names.len());
        self.expansion.dry += 1;
        let result = read(self);
        self.expansion.dry -= 1;
        self.nodes.truncate(nodes);
        self.spans.truncate(nodes);
        self.names.truncate(names);
        result
    }

    /// Reads something with values of names; `is_part`: those around mean nothing there.
    pub(super) fn in_scope<T>(
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
            let error = Diagnostic::new(*span, message, "another number of names");
            self.cursor.report(error.with_help(usage(name, &expected)));
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
        if self.cursor.diagnostics.count() > errors {
            let words = format!(", in `@{name}`, used at {}", self.position(span));
            self.cursor.diagnostics.add_to_messages(errors, &words);
        }
        read
    }

    /// Line and column of a place, for messages about another one.
    fn position(&self, span: Span) -> String {
        let before = self.cursor.text_of(Span::new(0, span.start));
        let Position { line, column } = Source::new("", before).position(span.start);
        format!("{line}:{column}")
    }

    /// Whether the interaction may still grow; reports that it may not, once.
    pub(super) fn has_room(&mut self, span: Span) -> bool {
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
}

/// How a part is used.
fn usage(name: &str, parameters: &[&str]) -> String {
    match parameters {
        [] => format!("write `@{name}`"),
        _ => format!("write `@{name}({})`", parameters.join(", ")),
    }
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
