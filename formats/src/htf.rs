//! HIBOU trace files, `.htf`: multi-traces as text (paper 000 fig. 16), read into a raw form that
//! knows of no specification. [`sessions`](crate::sessions) gives it its meaning.
//!
//! `{[l1] l1!m1.l1?m2; [l2] ; [l3,l4] l3!m}`, the braces being optional. A header lists lifelines,
//! or is `[#all]` or `[#any]`; an event is `l!m`, `l?m`, several of them `{l1!m,l2?m}`, or a bare
//! name, for automata whose letters are arbitrary names. Names may stand in quotes, `"a-1"!"GET /"`; a
//! bare one may hold a whole action, `"a-1!GET /"`.

use crate::cursor::{Cursor, Lists};
use crate::lexer::TokenKind;
use crate::source::{Diagnostic, Diagnostics, Source, SourceError, Span};
use multitrace_interaction::{ActionKind, names};
use std::borrow::Cow;

/// A multi-trace as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawSession<'a> {
    /// Its local traces in order.
    pub components: Vec<Component<'a>>,
}

/// The local trace of one location as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component<'a> {
    /// The location.
    pub header: Header<'a>,
    /// Where the location is written.
    pub header_span: Span,
    /// The events in order.
    pub events: Vec<RawEvent<'a>>,
}

/// The location of a local trace, as its header names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header<'a> {
    /// `[#all]`: every lifeline.
    All,
    /// `[#any]`: the lifelines of its events.
    Any,
    /// These, each with its place.
    Names(Vec<(Cow<'a, str>, Span)>),
}

/// An event as action texts have it, see [`names`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEvent<'a> {
    /// `l!m`, `l?m` or a bare name.
    pub text: Cow<'a, str>,
    /// Where it is written.
    pub span: Span,
}

impl RawEvent<'_> {
    /// The lifeline, unless the event is a bare name.
    pub fn lifeline(&self) -> Option<Cow<'_, str>> {
        names::split_action(&self.text).map(|(lifeline, ..)| lifeline)
    }
}

/// Reads a multi-trace.
///
/// # Errors
/// All errors of syntax. An empty text is not an error: HIBOU reads it as a multi-trace without events.
///
/// ```
/// use multitrace_formats::{htf, source::Source};
/// let source = Source::new("a.htf", "{[l1] l1!m.l1?n; [l2]}");
/// let raw = htf::parse(&source).expect("a multi-trace");
/// assert_eq!(raw.components.len(), 2);
/// assert_eq!(raw.components[0].events[1].text, "l1?n");
/// ```
pub fn parse(source: &Source) -> Result<RawSession<'_>, SourceError> {
    parse_text(source.text()).map_err(|errors| errors.of(source.clone()))
}

/// The same for a text without a source.
pub(crate) fn parse_text(text: &str) -> Result<RawSession<'_>, Diagnostics> {
    let mut parser = Parser { cursor: Cursor::new(text), components: Vec::new() };
    parser.whole();
    let Parser { cursor, components } = parser;
    cursor.diagnostics.check(RawSession { components })
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    components: Vec<Component<'a>>,
}

impl<'a> Lists<'a> for Parser<'a> {
    fn cursor(&mut self) -> &mut Cursor<'a> {
        &mut self.cursor
    }
}

impl<'a> Parser<'a> {
    fn whole(&mut self) {
        // Events may be braces too, but no event comes before a header.
        let brace = self.cursor.eat(TokenKind::LeftBrace);
        while !matches!(self.cursor.peek(), Some(TokenKind::RightBrace) | None) {
            self.component();
        }
        self.end(brace);
    }

    /// The closing brace when there is an opening one, and the end of the text.
    fn end(&mut self, brace: Option<Span>) {
        let close = self.cursor.eat(TokenKind::RightBrace);
        match (brace, close) {
            (Some(open), None) => {
                let error = Diagnostic::new(open, "`{` is never closed", "opened here");
                self.cursor.report(error.with_help("end the multi-trace with `}`"));
            }
            (None, Some(close)) => {
                let error = Diagnostic::new(close, "`}` without `{`", "nothing to close");
                self.cursor.report(error.with_help("open the multi-trace with `{`"));
            }
            _ if self.cursor.peek().is_some() => {
                self.cursor.expected("the end of the text");
            }
            _ => {}
        }
    }

    /// One component with its semicolon. On errors skips to the next one.
    fn component(&mut self) {
        match self.header() {
            Some((header, header_span)) => {
                let events = self.events();
                self.components.push(Component { header, header_span, events });
            }
            None => self.skip_component(),
        }
        let ends = matches!(self.cursor.peek(), Some(TokenKind::RightBrace) | None);
        if self.cursor.eat(TokenKind::Semicolon).is_none() && !ends {
            self.cursor.expected("`.`, `;` or the end of the multi-trace");
            self.skip_component();
            self.cursor.eat(TokenKind::Semicolon);
        }
    }

    fn header(&mut self) -> Option<(Header<'a>, Span)> {
        if self.cursor.peek() != Some(TokenKind::LeftBracket) {
            self.cursor.expected("`[`");
            return None;
        }
        let open = self.cursor.here();
        let header = if self.cursor.peek_at(1) == Some(TokenKind::Hash) {
            self.keyword(open)?
        } else {
            self.names(open)?
        };
        Some((header, open.to(self.cursor.previous())))
    }

    /// `[#all]` or `[#any]`
    fn keyword(&mut self, open: Span) -> Option<Header<'a>> {
        self.cursor.advance();
        self.cursor.advance();
        let (name, span) = self.cursor.word("`all` or `any`")?;
        let header = match name {
            "all" => Header::All,
            "any" => Header::Any,
            _ => {
                let span = open.to(span);
                let error =
                    Diagnostic::new(span, "unknown keyword", "expected `[#all]` or `[#any]`");
                self.cursor.report(error);
                return None;
            }
        };
        self.cursor.expect(TokenKind::RightBracket, "`]`")?;
        Some(header)
    }

    fn names(&mut self, open: Span) -> Option<Header<'a>> {
        let errors = self.cursor.diagnostics.count();
        let names =
            self.list(TokenKind::RightBracket, "]", |parser| parser.cursor.name("a lifeline"));
        if names.is_empty() && self.cursor.diagnostics.count() == errors {
            let span = open.to(self.cursor.previous());
            let error = Diagnostic::new(span, "a header without lifelines", "expected a lifeline");
            self.cursor.report(error.with_help("write `[#any]` for the lifelines of the events"));
        }
        Some(Header::Names(names))
    }

    /// The events up to the end of the component; after an error those so far.
    fn events(&mut self) -> Vec<RawEvent<'a>> {
        let mut events = Vec::new();
        if matches!(self.cursor.peek(), Some(TokenKind::Semicolon | TokenKind::RightBrace) | None) {
            return events;
        }
        loop {
            if self.event(&mut events).is_none() {
                self.skip_event();
            }
            if self.cursor.eat(TokenKind::Dot).is_none() {
                return events;
            }
        }
    }

    fn event(&mut self, events: &mut Vec<RawEvent<'a>>) -> Option<()> {
        if self.cursor.peek() == Some(TokenKind::LeftBrace) {
            events.extend(self.list(TokenKind::RightBrace, "}", Self::action));
        } else {
            events.push(self.action()?);
        }
        Some(())
    }

    fn action(&mut self) -> Option<RawEvent<'a>> {
        let (first, start) = self.cursor.name("an event")?;
        let kind = match self.cursor.peek() {
            Some(TokenKind::Emit) => ActionKind::Emission,
            Some(TokenKind::Receive) => ActionKind::Reception,
            _ => return Some(RawEvent { text: first, span: start }),
        };
        self.cursor.advance();
        let (message, end) = self.cursor.name("a message")?;
        let span = start.to(end);
        let written = self.cursor.text_of(span);
        // Written without blanks and quotes, as it nearly always is, the text itself will do.
        let text = if written.len() == first.len() + 1 + message.len() {
            Cow::Borrowed(written)
        } else {
            Cow::Owned(names::action_text(&first, kind, &message))
        };
        Some(RawEvent { text, span })
    }

    fn skip_event(&mut self) {
        use TokenKind::{Dot, LeftBracket, RightBrace, Semicolon};
        while !matches!(self.cursor.peek(), Some(Dot | Semicolon | LeftBracket | RightBrace) | None)
        {
            self.cursor.advance();
        }
    }

    fn skip_component(&mut self) {
        use TokenKind::{LeftBracket, RightBrace, Semicolon};
        while !matches!(self.cursor.peek(), Some(Semicolon | LeftBracket | RightBrace) | None) {
            self.cursor.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Vec<Vec<String>> {
        let source = Source::new("f", text);
        let raw = parse(&source).expect("a multi-trace");
        let texts = |c: Component<'_>| c.events.iter().map(|e| e.text.to_string()).collect();
        raw.components.into_iter().map(texts).collect()
    }

    fn errors(text: &str) -> Vec<String> {
        parse(&Source::new("f", text)).expect_err("not a multi-trace").lines().collect()
    }

    #[test]
    fn figure_16_and_other_forms() {
        let figure = "[#any] l1!m1.l2?m1.l2?m4;\n[l3] l3?m1.l3!m4";
        let expected = vec![vec!["l1!m1", "l2?m1", "l2?m4"], vec!["l3?m1", "l3!m4"]];
        assert_eq!(events(figure), expected);
        assert_eq!(events(&format!("{{ {figure} ; }}")), expected);
        assert_eq!(
            events("{[a] {a ! m, b?m}.a17; [b] ;[c]}"),
            [vec!["a!m", "b?m", "a17"], vec![], vec![]]
        );
        assert_eq!(events("{}"), Vec::<Vec<String>>::new());
    }

    #[test]
    fn headers_and_places() {
        let source = Source::new("f", "[#all] x;[ a , b ] {a!m,b?m}");
        let raw = parse(&source).expect("a multi-trace");
        assert_eq!(raw.components[0].header, Header::All);
        assert_eq!(raw.components[0].events[0].lifeline(), None);
        let names = vec![("a".into(), Span::new(11, 12)), ("b".into(), Span::new(15, 16))];
        assert_eq!(raw.components[1].header, Header::Names(names));
        assert_eq!(raw.components[1].header_span, Span::new(9, 18));
        assert_eq!(raw.components[1].events[1].span, Span::new(24, 27));
        assert_eq!(raw.components[1].events[1].lifeline().as_deref(), Some("b"));
    }

    #[test]
    fn all_errors_are_reported() {
        assert_eq!(
            errors("{[a] a!.b?m.; x; [#al] a!m; [b a!m; [] ; [c,] c!m c!m"),
            [
                "f:1:1: `{` is never closed",
                "f:1:8: expected a message, found `.`",
                "f:1:13: expected an event, found `;`",
                "f:1:15: expected `[`, found `x`",
                "f:1:18: unknown keyword",
                "f:1:29: `[` is never closed",
                "f:1:32: expected `,` or `]`, found `a`",
                "f:1:37: a header without lifelines",
                "f:1:44: nothing between `,` and `]`",
                "f:1:51: expected `.`, `;` or the end of the multi-trace, found `c`",
            ]
        );
    }

    #[test]
    fn braces_must_match_and_text_must_end() {
        assert_eq!(events(""), Vec::<Vec<String>>::new());
        assert_eq!(errors("[a] a!m }"), ["f:1:9: `}` without `{`"]);
        assert_eq!(errors("{[a] a!m} [b]"), ["f:1:11: expected the end of the text, found `[`"]);
        assert_eq!(errors("{[a] a!m"), ["f:1:1: `{` is never closed"]);
    }
}
