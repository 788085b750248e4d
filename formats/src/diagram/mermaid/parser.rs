//! Reads the tokens of a diagram statement by statement, going on at the next line after an error so
//! that all of them are reported.

use super::cast::Cast;
use super::frames::{Closed, Frames};
use super::lexer::{Lexed, lex, trimmed};
use super::mapped::Mapped;
use super::prepare::Prepared;
use super::scan::trim;
use super::text::{shown, unwrapped, wrapping, written};
use super::tokens::{PAR_OVER, Token, TokenKind};
use crate::diagram::model::{
    Diagram, FragmentOperand, FragmentOperator, Life, Looks, Mark, MarkKind, ParticipantId,
    Statement,
};
use crate::source::{Diagnostic, Diagnostics, Span, quote};
use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

mod messages;
mod participants;

/// The diagram of a prepared text.
pub(super) fn parse(prepared: &Prepared) -> Result<Diagram, Diagnostics> {
    let Lexed { tokens, comments } = lex(&prepared.text);
    let mut comments = [&prepared.settings[..], &prepared.comments, &comments].concat();
    comments.sort_by_key(Statement::span);
    let mut parser = Parser {
        mapped: &prepared.text,
        tokens,
        at: 0,
        start: 0,
        comments: comments.into_iter().peekable(),
        frames: Frames::default(),
        cast: Cast::default(),
        destroyed: None,
        title: prepared.title.as_deref().map(shown),
        styling: prepared.settings.len(),
        box_has_error: false,
        diagnostics: Diagnostics::default(),
    };
    parser.whole();
    parser.finish()
}

struct Parser<'a> {
    mapped: &'a Mapped,
    tokens: Vec<Token>,
    /// The next token.
    at: usize,
    /// The first token of the statement.
    start: usize,
    /// The comments that are still to come.
    comments: Peekable<IntoIter<Statement>>,
    frames: Frames,
    cast: Cast,
    /// Whom the next message destroys.
    destroyed: Option<ParticipantId>,
    title: Option<String>,
    /// How many statements only concern the looks.
    styling: usize,
    /// Whether an error was reported for a statement that the open box cannot hold.
    box_has_error: bool,
    diagnostics: Diagnostics,
}

impl<'a> Parser<'a> {
    fn whole(&mut self) {
        while self.peek() == Some(TokenKind::NewLine) {
            self.at += 1;
        }
        let header = self.expect(TokenKind::Header, "`sequenceDiagram`");
        let mut read = header.and_then(|_| self.statements());
        while let Err(error) = read {
            self.diagnostics.push(error);
            self.skip_line();
            read = self.statements();
        }
        self.place_comments(usize::MAX);
    }

    /// Reads statements up to an error, or to the end.
    fn statements(&mut self) -> Result<(), Diagnostic> {
        while let Some(kind) = self.peek() {
            if kind != TokenKind::NewLine {
                self.place_comments(self.span().start);
            }
            self.start = self.at;
            self.statement(kind)?;
        }
        Ok(())
    }

    /// Skips the rest of the line of the next token, unless the statement is read to its end.
    fn skip_line(&mut self) {
        let read = self.tokens.get(self.start..self.at).unwrap_or_default();
        if read.last().is_some_and(|token| token.kind == TokenKind::NewLine) {
            return;
        }
        let Some(token) = self.tokens.get(self.at) else { return };
        let end = super::scan::line_end(self.mapped.text(), token.range.start);
        let rest = &self.tokens[self.at..];
        // Behind a keyword alone stands an empty rest of its line.
        let is_on_line = |token: &&Token| {
            token.range.start < end || token.kind == TokenKind::Rest && token.range.start == end
        };
        self.at += rest.iter().take_while(is_on_line).count().max(1);
    }

    fn finish(mut self) -> Result<Diagram, Diagnostics> {
        let (mut body, unclosed) = self.frames.finish();
        self.cast.settle(&mut body);
        for keyword in unclosed {
            let error = Diagnostic::new(
                keyword,
                "the end of the diagram comes before `end`",
                "opened here",
            );
            self.diagnostics.push(error.with_help("close it with a line `end`"));
        }
        let Cast { participants, boxes, .. } = self.cast;
        let (title, styling_statements) = (self.title, self.styling);
        self.diagnostics.check(Diagram {
            name: String::new(),
            title,
            title_looks: Looks::default(),
            participants,
            boxes,
            body,
            unclosed: Vec::new(),
            styling_statements,
        })
    }

    /// Adds the comments that stand before a place of the whole text.
    fn place_comments(&mut self, place: usize) {
        while let Some(comment) = self.comments.next_if(|next| next.span().start < place) {
            self.frames.push(comment);
        }
    }

    fn mark(&mut self, kind: MarkKind, span: Span) {
        self.frames.push(Statement::Mark(Mark { kind, looks: Looks::default(), span }));
    }

    fn life(&mut self, life: Life, participant: ParticipantId, span: Span) {
        self.mark(MarkKind::Life(life, participant), span);
    }

    fn statement(&mut self, kind: TokenKind) -> Result<(), Diagnostic> {
        if self.frames.is_in_box() && !is_allowed_in_box(kind) {
            self.check_box();
        }
        match kind {
            TokenKind::NewLine | TokenKind::Stray => self.skip(),
            TokenKind::Name => self.message()?,
            TokenKind::Participant | TokenKind::Destroy => self.participant(false)?,
            TokenKind::Create => self.create()?,
            TokenKind::Box => self.open_box()?,
            TokenKind::Open(operator) => self.open(operator)?,
            TokenKind::Section(operator) => self.section(operator)?,
            TokenKind::End => self.end()?,
            TokenKind::Note => self.note()?,
            _ => self.style(kind)?,
        }
        Ok(())
    }

    /// Refuses a statement that cannot be in a box, once for each box. Then reads it as if it stood outside.
    fn check_box(&mut self) {
        if !std::mem::replace(&mut self.box_has_error, true) {
            let message = "a box can hold only declarations of participants";
            let error = Diagnostic::new(self.span(), message, "not a declaration");
            self.diagnostics.push(error.with_help("close the box with `end` before this line"));
        }
    }

    /// A statement that only concerns the looks.
    fn style(&mut self, kind: TokenKind) -> Result<(), Diagnostic> {
        let start = self.range().start;
        match kind {
            TokenKind::Title => self.set_title(),
            TokenKind::Activate | TokenKind::Deactivate => self.activation(kind)?,
            TokenKind::AutoNumber => self.autonumber()?,
            TokenKind::Details => self.details()?,
            TokenKind::Accessible => {
                self.skip();
                self.expect(TokenKind::AccessibleText, "a text")?;
            }
            // The text between the braces may be missing, and counts with its keyword.
            TokenKind::AccessibleBlock => self.skip_block(),
            _ => return Err(self.expected("a statement")),
        }
        if matches!(kind, TokenKind::Details | TokenKind::Accessible | TokenKind::AccessibleBlock) {
            self.keep_looks(start);
        }
        self.styling += usize::from(kind != TokenKind::Title);
        Ok(())
    }

    /// Keeps the text from here to the next token as it is written.
    fn keep_looks(&mut self, start: usize) {
        let end = self.range().start.max(start);
        let range = trimmed(self.mapped.text(), start..end);
        let text = written(&self.mapped.text()[range.clone()]);
        self.mark(MarkKind::Looks(text), self.mapped.span(range));
    }

    fn skip_block(&mut self) {
        self.skip();
        while self.peek() == Some(TokenKind::AccessibleText) {
            self.skip();
        }
    }

    fn set_title(&mut self) {
        let range = self.range();
        let text = &self.mapped.text()[range];
        let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let text = text.strip_prefix(':').unwrap_or(text);
        self.title = Some(shown(trim(text)));
        self.skip();
    }

    fn autonumber(&mut self) -> Result<(), Diagnostic> {
        let span = self.span();
        self.skip();
        let start = self.range().start;
        if self.peek() == Some(TokenKind::Off) {
            self.skip();
        } else if self.peek() == Some(TokenKind::Number) {
            self.skip();
            if self.peek() == Some(TokenKind::Number) {
                self.skip();
            }
        }
        let expected =
            "numbers with at most two digits behind the point, `off` or the end of the line";
        let text = trim(&self.mapped.text()[start..self.range().start.max(start)]).to_owned();
        self.expect(TokenKind::NewLine, expected)?;
        self.mark(MarkKind::AutoNumber { text, counts_hidden: true }, span);
        Ok(())
    }

    fn open(&mut self, operator: FragmentOperator) -> Result<(), Diagnostic> {
        let keyword = self.span();
        let within = if self.found().eq_ignore_ascii_case(PAR_OVER) { PAR_OVER } else { "" };
        let (text, header, before) = self.header()?;
        // Mermaid draws no title of a `rect`, only its colour.
        let (text, color, before) = match operator {
            FragmentOperator::Group => (String::new(), text, String::new()),
            _ => (text, String::new(), before),
        };
        let looks = Looks { before, within: within.to_owned(), ..Looks::default() };
        let operand = FragmentOperand { text, color, looks, header, body: Vec::new() };
        self.frames.open(operator, keyword, operand).or_else(|error| {
            self.diagnostics.push(error);
            Ok(())
        })
    }

    fn section(&mut self, operator: FragmentOperator) -> Result<(), Diagnostic> {
        if self.frames.innermost() == Some(operator) {
            let (text, header, before) = self.header()?;
            let (color, looks) = (String::new(), Looks { before, ..Looks::default() });
            self.frames.section(FragmentOperand { text, color, looks, header, body: Vec::new() });
            return Ok(());
        }
        let frame = match operator {
            FragmentOperator::Alt => "alt",
            FragmentOperator::Par => "par",
            _ => "critical",
        };
        let message = format!("{} stands outside of `{frame}`", quote(self.found()));
        let error = Diagnostic::new(self.span(), message, format!("no `{frame}` is open here"));
        Err(error.with_help(format!(
            "open a frame with `{frame}` before, or close the one inside of it"
        )))
    }

    /// The line of a frame or an operand: its text, where it stands, and its `wrap:` or `nowrap:`.
    fn header(&mut self) -> Result<(String, Span, String), Diagnostic> {
        let keyword = self.span();
        self.skip();
        let rest = self.expect(TokenKind::Rest, "the rest of the line")?;
        let wrapping = self.wrapping(rest.clone());
        let (text, span) = self.text(rest);
        Ok((text, if span.end > span.start { keyword.to(span) } else { keyword }, wrapping))
    }

    fn end(&mut self) -> Result<(), Diagnostic> {
        let span = self.span();
        match self.frames.close(span) {
            Some(Closed::Box) => self.cast.close_box(),
            Some(Closed::Fragment) => {}
            None => {
                let error = Diagnostic::new(span, "`end` without a frame", "nothing is open here");
                return Err(error.with_help("remove it; a participant cannot be called `end`"));
            }
        }
        self.skip();
        Ok(())
    }

    /// The kind of the next token.
    fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn skip(&mut self) {
        self.at += 1;
    }

    /// Where the next token stands in the edited text; at the end, nothing.
    fn range(&self) -> Range<usize> {
        let end = self.mapped.text().len();
        self.tokens.get(self.at).map_or(end..end, |token| token.range.clone())
    }

    /// Where the next token stands in the whole text.
    fn span(&self) -> Span {
        self.mapped.span(self.range())
    }

    /// The text of the next token.
    fn found(&self) -> &'a str {
        &self.mapped.text()[self.range()]
    }

    /// From the start of a span to the end of the token before the next one.
    fn since(&self, start: Span) -> Span {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(start, |token| {
            start.to(self
                .mapped
                .span(super::lexer::trimmed(self.mapped.text(), token.range.clone())))
        })
    }

    /// Takes a token of a kind.
    fn expect(&mut self, kind: TokenKind, what: &str) -> Result<Range<usize>, Diagnostic> {
        if self.peek() == Some(kind) {
            let range = self.range();
            self.skip();
            return Ok(range);
        }
        Err(self.expected(what))
    }

    /// Takes the end of the line.
    fn expect_end(&mut self) -> Result<(), Diagnostic> {
        self.expect(TokenKind::NewLine, "the end of the line").map(drop)
    }

    /// The error that something else stands here.
    fn expected(&self, what: &str) -> Diagnostic {
        let found = written(trim(self.found()));
        let message = match found.lines().next() {
            None => format!("expected {what}, found the end of the line"),
            Some(line) => format!("expected {what}, found {}", quote(line)),
        };
        let error = Diagnostic::new(self.span(), message, format!("expected {what}"));
        match self.peek() {
            Some(kind) if kind.is_keyword() => error.with_help(format!(
                "{} is a keyword of Mermaid, and no name can be or start with it",
                quote(&found)
            )),
            _ => error,
        }
    }

    /// The `wrap:` or `nowrap:` in front of a piece of the edited text; may be empty.
    fn wrapping(&self, range: Range<usize>) -> String {
        wrapping(&self.mapped.text()[range])
    }

    /// The text drawn for a piece of the edited text, and its place.
    fn text(&self, range: Range<usize>) -> (String, Span) {
        let piece = &self.mapped.text()[range.clone()];
        let text = unwrapped(piece);
        let at = if text.is_empty() { piece.len() } else { piece.rfind(text).unwrap_or(0) };
        let start = range.start + at;
        (shown(text), self.mapped.span(start..start + text.len()))
    }
}

/// Whether a box can hold a statement that starts so.
fn is_allowed_in_box(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::NewLine | TokenKind::Participant | TokenKind::Destroy | TokenKind::End
    )
}
