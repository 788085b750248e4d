//! A place in a list of tokens, with operations that every parser of the HIBOU formats needs: looking ahead, naming the
//! expected tokens, and finding the place to go on after an error.

use crate::lexer::{Lexed, Token, TokenKind, lex};
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use multitrace_interaction::names;
use std::borrow::Cow;
use std::ops::Range;

/// The tokens of a text, the next one to read, and the errors so far.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    pub(crate) tokens: Vec<Token>,
    /// The comments that end with their lines.
    pub(crate) comments: Vec<Span>,
    at: usize,
    pub(crate) diagnostics: Diagnostics,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Cursor<'a> {
        let Lexed { tokens, comments, diagnostics, .. } = lex(text);
        Cursor { text, tokens, comments, at: 0, diagnostics }
    }

    /// The kind of the next token.
    pub(crate) fn peek(&self) -> Option<TokenKind> {
        self.peek_at(0)
    }

    /// The kind of a token further on.
    pub(crate) fn peek_at(&self, ahead: usize) -> Option<TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    /// The text of a token further on; nothing behind the last.
    pub(crate) fn word_at(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |token| self.text_of(token.span))
    }

    /// Where the next token stands; at the end of the text, the place behind the last token.
    pub(crate) fn here(&self) -> Span {
        match self.tokens.get(self.at) {
            Some(token) => token.span,
            None => {
                let end = self.tokens.last().map_or(0, |token| token.span.end);
                Span::new(end, end)
            }
        }
    }

    /// Where the token before the next one stands.
    pub(crate) fn previous(&self) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.map_or(Span::default(), |token| token.span)
    }

    /// The text of a span.
    pub(crate) fn text_of(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// Reads the next token, whatever it is.
    pub(crate) fn advance(&mut self) -> Span {
        let span = self.here();
        self.at = (self.at + 1).min(self.tokens.len());
        span
    }

    /// Reads the next token when it is of this kind.
    pub(crate) fn eat(&mut self, kind: TokenKind) -> Option<Span> {
        (self.peek() == Some(kind)).then(|| self.advance())
    }

    /// Reads a token of this kind, or reports that it is not there.
    pub(crate) fn expect(&mut self, kind: TokenKind, what: &str) -> Option<Span> {
        let span = self.eat(kind);
        if span.is_none() {
            self.expected(what);
        }
        span
    }

    /// Reads a name, or reports that it is missing. It comes without its quotes.
    pub(crate) fn name(&mut self, what: &str) -> Option<(Cow<'a, str>, Span)> {
        let (text, span) = self.word(what)?;
        Some((names::name_of(text), span))
    }

    /// Reads a word of the language. In quotes, none is one.
    pub(crate) fn word(&mut self, what: &str) -> Option<(&'a str, Span)> {
        let span = self.expect(TokenKind::Name, what)?;
        Some((self.text_of(span), span))
    }

    /// Reports that something else was expected here.
    pub(crate) fn expected(&mut self, what: &str) {
        let found = self.found();
        let message = format!("expected {what}, found {found}");
        self.report(Diagnostic::new(self.here(), message, format!("expected {what}")));
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The next token in words.
    pub(crate) fn found(&self) -> String {
        match self.peek() {
            Some(_) => quote(self.text_of(self.here())),
            None => "the end of the text".to_owned(),
        }
    }

    /// Skips all `#` with the rest of their lines, and the errors there. Returns the first one.
    pub(crate) fn skip_hashed(&mut self) -> Option<Span> {
        let hashes = self.tokens.iter().filter(|token| token.kind == TokenKind::Hash);
        let rest = |hash: &Token| {
            let line = self.text[hash.span.start..].find('\n');
            hash.span.start..line.map_or(self.text.len(), |line| hash.span.start + line)
        };
        let lines: Vec<Range<usize>> = hashes.map(rest).collect();
        let first = lines.first()?.clone();
        // The last line that begins before a place is the only one that may hold it.
        let is_skipped = |span: Span| {
            let before = lines.partition_point(|line| line.start <= span.start);
            before > 0 && lines[before - 1].contains(&span.start)
        };
        self.tokens.retain(|token| !is_skipped(token.span));
        self.diagnostics.retain(|diagnostic| !is_skipped(diagnostic.span));
        Some(first.into())
    }

    /// Which token comes next, for [`Cursor::go_to`].
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Goes to a token, to read it again.
    pub(crate) fn go_to(&mut self, position: usize) {
        self.at = position;
    }

    /// Skips all that is left.
    pub(crate) fn skip_to_end(&mut self) {
        self.at = self.tokens.len();
    }

    /// After an error inside a list: skips to the next comma of that list, or its end.
    pub(crate) fn recover(&mut self, close: TokenKind) {
        let mut depth = 0_usize;
        while let Some(kind) = self.peek() {
            if depth == 0 && (kind == TokenKind::Comma || kind == close || ends_outer(kind, close))
            {
                return;
            }
            depth = match kind {
                TokenKind::LeftParen | TokenKind::LeftBrace | TokenKind::LeftBracket => depth + 1,
                TokenKind::RightParen | TokenKind::RightBrace | TokenKind::RightBracket => {
                    depth.saturating_sub(1)
                }
                _ => depth,
            };
            self.advance();
        }
    }

    /// Skips a parenthesised group whose opening parenthesis comes next.
    pub(crate) fn skip_group(&mut self) {
        let mut depth = 0_usize;
        while let Some(kind) = self.peek() {
            match kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Whether two parenthesised groups follow each other here, as in `coreg(l1)(i)`.
    pub(crate) fn is_double_group(&self) -> bool {
        let mut depth = 0_usize;
        for (index, token) in self.tokens[self.at..].iter().enumerate() {
            match token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return self.peek_at(index + 1) == Some(TokenKind::LeftParen);
            }
        }
        false
    }

    /// After an item of a list opened at `open`: reads the comma or the closing bracket, and tells
    /// whether another item follows. Anything else is reported and skipped.
    pub(crate) fn more_items(&mut self, open: Span, close: TokenKind, closing: &str) -> bool {
        if !matches!(self.peek(), Some(TokenKind::Comma) | None) && self.peek() != Some(close) {
            self.expected(&format!("`,` or `{closing}`"));
            self.recover(close);
        }
        if let Some(comma) = self.eat(TokenKind::Comma) {
            let ends = self.eat(close).is_some();
            if ends {
                let message = format!("nothing between `,` and `{closing}`");
                let help = "remove the comma, or write the next item behind it";
                self.report(Diagnostic::new(comma, message, "trailing comma").with_help(help));
            }
            return !ends;
        }
        if self.eat(close).is_none() {
            let opening = quote(self.text_of(open));
            let message = format!("{opening} is never closed");
            let help = format!("add the `{closing}` that ends it");
            self.report(Diagnostic::new(open, message, "opened here").with_help(help));
        }
        false
    }
}

/// Whether a token must belong to something around the list that `close` ends: braces hold no
/// parentheses, and neither they nor brackets hold a new component.
fn ends_outer(kind: TokenKind, close: TokenKind) -> bool {
    use TokenKind::{LeftBracket, RightBrace, RightBracket, RightParen, Semicolon};
    match close {
        RightBrace => matches!(kind, RightParen | LeftBracket | Semicolon),
        RightBracket => matches!(kind, RightBrace | LeftBracket | Semicolon),
        _ => false,
    }
}

/// Parsers that own a cursor, and the lists all of them read.
pub(crate) trait Lists<'a> {
    fn cursor(&mut self) -> &mut Cursor<'a>;

    /// The items of a list in brackets, whose opening bracket comes next. A parser of an item
    /// returns `None` when it has reported an error; the rest of the item is then skipped.
    fn list<T>(
        &mut self,
        close: TokenKind,
        closing: &str,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Vec<T> {
        let open = self.cursor().advance();
        let mut items = Vec::new();
        if self.cursor().eat(close).is_some() {
            return items;
        }
        loop {
            match item(self) {
                Some(value) => items.push(value),
                None => self.cursor().recover(close),
            }
            if !self.cursor().more_items(open, close, closing) {
                return items;
            }
        }
    }
}
