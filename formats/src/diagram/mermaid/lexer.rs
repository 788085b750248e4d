//! Splits a prepared text into tokens, as the ordered patterns of Mermaid's lexer do.
//!
//! The first pattern that fits takes the text, not the longest. Some keywords change which patterns
//! are tried: behind `participant` a name may hold characters that end it elsewhere. That state depends on the
//! tokens alone, so that all tokens are found before the parser starts. Each pattern looks ahead at
//! most to the end of its own run, which keeps the cost linear.

use super::arrow::{arrow_at, ends_name};
use super::mapped::Mapped;
use super::prepare::comment;
use super::scan::{as_follows, is_space, is_word_end, line_end, run, starts_with};
use super::tokens::{KEYWORDS, Token, TokenKind};
use crate::diagram::model::Statement;
use std::ops::Range;

/// The tokens of a text, and the comments between them.
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Statement>,
}

/// Splits a text into tokens.
pub(super) fn lex(mapped: &Mapped) -> Lexed {
    let mut lexer = Lexer {
        mapped,
        text: mapped.text(),
        at: 0,
        state: State::Statement,
        tokens: Vec::new(),
        comments: Vec::new(),
    };
    while lexer.at < lexer.text.len() {
        lexer.step();
    }
    lexer.end();
    Lexed { tokens: lexer.tokens, comments: lexer.comments }
}

/// Which patterns are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Those of statements.
    Statement,
    /// A name behind `participant`, `destroy`, `activate` …
    Name,
    /// Behind a name that `as` may follow.
    Alias,
    /// The rest of a line behind a keyword.
    Rest,
    /// Between `@{` and `}`.
    Options,
    /// The rest of a line behind `accTitle:` or `accDescr:`.
    Accessible,
    /// Behind `accDescr {`.
    AccessibleBlock,
}

struct Lexer<'a> {
    mapped: &'a Mapped,
    text: &'a str,
    at: usize,
    state: State,
    tokens: Vec<Token>,
    comments: Vec<Statement>,
}

impl Lexer<'_> {
    /// Takes at least one character, or leaves the state.
    fn step(&mut self) {
        match self.state {
            State::Statement => self.statement(),
            State::Name => self.name(),
            State::Alias => self.alias(),
            State::Rest => self.rest(),
            State::Options => self.options(),
            State::Accessible => {
                self.take(TokenKind::AccessibleText, line_end(self.text, self.at));
                self.state = State::Statement;
            }
            State::AccessibleBlock => self.accessible_block(),
        }
    }

    /// The tokens that stand for the end of the text.
    fn end(&mut self) {
        match self.state {
            State::Statement | State::Alias => self.take(TokenKind::NewLine, self.at),
            State::Rest => self.take(TokenKind::Rest, self.at),
            State::Accessible | State::AccessibleBlock => {
                self.take(TokenKind::AccessibleText, self.at)
            }
            State::Name | State::Options => {}
        }
    }

    fn take(&mut self, kind: TokenKind, end: usize) {
        self.tokens.push(Token { kind, range: self.at..end });
        self.at = end;
    }

    /// Takes the text up to here. White space around it does not belong to the token.
    fn take_trimmed(&mut self, kind: TokenKind, end: usize) {
        let range = trimmed(self.text, self.at..end);
        self.tokens.push(Token { kind, range });
        self.at = end;
    }

    fn next(&self) -> char {
        self.text[self.at..].chars().next().unwrap_or('\n')
    }

    fn starts_with(&self, word: &str) -> bool {
        self.text[self.at..].starts_with(word)
    }

    /// Skips a comment up to the end of its line.
    fn comment(&mut self) {
        let end = line_end(self.text, self.at);
        self.comments.extend(comment(self.mapped, self.at..end));
        self.at = end;
    }

    /// Skips white space up to the end of the line, or a comment.
    fn skip_in_line(&mut self) -> bool {
        let end = run(self.text, self.at, |c| is_space(c) && c != '\n');
        let is_comment = self.text[self.at..].starts_with('#');
        if is_comment {
            self.comment();
        } else if end > self.at {
            self.at = end;
        } else {
            return false;
        }
        true
    }

    fn statement(&mut self) {
        let next = self.next();
        if next == '\n' {
            self.take(TokenKind::NewLine, run(self.text, self.at, |c| c == '\n'));
        } else if is_space(next) {
            self.at = run(self.text, self.at, is_space);
        } else if self.is_comment(next) {
            self.comment();
        } else if let Some(end) = number(self.text, self.at) {
            self.take(TokenKind::Number, end);
        } else if !(next.is_ascii_alphabetic() && self.keyword()) {
            self.sign(next);
        }
    }

    /// Whether a comment starts here: at `#`, at `%`, or one character before `%%`.
    fn is_comment(&self, next: char) -> bool {
        let after = &self.text[self.at + next.len_utf8()..];
        match next {
            '#' => true,
            '%' if !after.starts_with('{') => true,
            // A character of JavaScript has 16 bits.
            _ => next != '}' && next.len_utf16() == 1 && after.starts_with("%%"),
        }
    }

    /// Takes a keyword, and changes the state to the tokens that may follow it.
    fn keyword(&mut self) -> bool {
        if let Some(end) = title(self.text, self.at) {
            self.take(TokenKind::Title, end);
            return true;
        }
        for (word, kind) in KEYWORDS {
            let end = self.at + word.len();
            if starts_with(self.text, self.at, word) && is_word_end(self.text, end) {
                return self.found_keyword(kind, end);
            }
        }
        false
    }

    fn found_keyword(&mut self, kind: TokenKind, end: usize) -> bool {
        if kind == TokenKind::Accessible {
            return self.accessible(end);
        }
        self.state = match kind {
            TokenKind::Participant
            | TokenKind::Destroy
            | TokenKind::Activate
            | TokenKind::Deactivate => State::Name,
            TokenKind::Box | TokenKind::Open(_) | TokenKind::Section(_) => State::Rest,
            _ => State::Statement,
        };
        self.take(kind, end);
        true
    }

    /// Takes `accTitle:`, `accDescr:` or `accDescr {`, whose word ends here.
    fn accessible(&mut self, end: usize) -> bool {
        let is_description = starts_with(self.text, self.at, "accDescr");
        let sign = run(self.text, end, is_space);
        (self.state, _) = match self.text[sign..].chars().next() {
            Some(':') => (State::Accessible, self.take(TokenKind::Accessible, sign + 1)),
            Some('{') if is_description => {
                (State::AccessibleBlock, self.take(TokenKind::AccessibleBlock, sign + 1))
            }
            _ => return false,
        };
        self.at = run(self.text, self.at, is_space);
        true
    }

    fn accessible_block(&mut self) {
        if self.starts_with("}") {
            self.at += 1;
            self.state = State::Statement;
        } else {
            self.take(TokenKind::AccessibleText, run(self.text, self.at, |c| c != '}'));
        }
    }

    /// A name, an arrow or another sign.
    fn sign(&mut self, next: char) {
        if next == ',' {
            self.take(TokenKind::Comma, self.at + 1);
        } else if next == ';' {
            self.take(TokenKind::NewLine, self.at + 1);
        } else if starts_name(next) {
            self.take_trimmed(TokenKind::Name, end_of_name(self.text, self.at));
        } else if let Some((length, drawn)) = arrow_at(self.text, self.at) {
            self.take(TokenKind::Arrow(drawn), self.at + length);
        } else if next == ':' {
            self.take(TokenKind::Text, run(self.text, self.at, is_in_rest));
        } else {
            self.other_sign(next);
        }
    }

    fn other_sign(&mut self, next: char) {
        let (kind, length) = match next {
            '+' => (TokenKind::Plus, 1),
            '-' => (TokenKind::Minus, 1),
            _ if self.starts_with("()") => (TokenKind::Central, 2),
            other => (TokenKind::Stray, other.len_utf8()),
        };
        self.take(kind, self.at + length);
    }

    /// A name behind a keyword, which may hold signs that end it elsewhere.
    fn name(&mut self) {
        if self.skip_in_line() {
            return;
        }
        if self.starts_with("@{") {
            self.take(TokenKind::OpenOptions, self.at + 2);
            self.state = State::Options;
        } else if let Some(end) = name_with_options(self.text, self.at) {
            self.take(TokenKind::Name, end);
        } else if let Some(end) = name_with_alias(self.text, self.at) {
            self.take(TokenKind::Name, end);
            self.state = State::Alias;
        } else {
            self.last_name();
        }
    }

    /// A name that ends the statement, or text that is not a name.
    fn last_name(&mut self) {
        self.state = State::Statement;
        if let Some(end) = name_to_end(self.text, self.at) {
            self.take_trimmed(TokenKind::Name, end);
        } else if self.starts_with("\n") {
            self.tokens.push(Token { kind: TokenKind::Unknown, range: self.at..self.at });
        } else {
            self.take_trimmed(TokenKind::Stray, line_end(self.text, self.at));
        }
    }

    fn alias(&mut self) {
        if self.skip_in_line() {
            return;
        }
        if starts_with(self.text, self.at, "as") && is_word_end(self.text, self.at + 2) {
            self.take(TokenKind::As, self.at + 2);
            self.state = State::Rest;
        } else {
            self.take(TokenKind::NewLine, self.at);
            self.state = State::Statement;
        }
    }

    fn rest(&mut self) {
        if !self.skip_in_line() {
            self.take(TokenKind::Rest, run(self.text, self.at, is_in_rest));
            self.state = State::Statement;
        }
    }

    fn options(&mut self) {
        if self.starts_with("}") {
            self.take(TokenKind::CloseOptions, self.at + 1);
            let has_alias = as_follows(self.text, self.at);
            self.state = if has_alias { State::Alias } else { State::Statement };
        } else {
            self.take(TokenKind::Options, run(self.text, self.at, |c| c != '}'));
        }
    }
}

/// The range without white space around it.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let start = run(&text[..range.end], range.start, is_space);
    let end = start + text[start..range.end].trim_end_matches(is_space).len();
    start..end
}

/// Whether a character may be in a text or in the rest of a line.
fn is_in_rest(c: char) -> bool {
    !matches!(c, '#' | '\n' | ';')
}

/// Where a number ends that white space follows: digits, and up to two behind a `.`.
fn number(text: &str, start: usize) -> Option<usize> {
    let digits = |start| run(text, start, |c| c.is_ascii_digit());
    let mut end = digits(start);
    if text[end..].starts_with('.') {
        let fraction = digits(end + 1);
        end = if (1..=2).contains(&(fraction - end - 1)) { fraction } else { start };
    }
    (end > start && text[end..].starts_with([' ', '\n'])).then_some(end)
}

/// Where `title …` or `title: …` ends.
fn title(text: &str, start: usize) -> Option<usize> {
    let word = ["title:", "title"].into_iter().find(|word| starts_with(text, start, word))?;
    let space = text[start + word.len()..].chars().next().filter(|&c| is_space(c))?;
    let value = start + word.len() + space.len_utf8();
    let end = run(text, value, is_in_rest);
    (end > value).then_some(end)
}

/// Whether the name of a participant may start so.
fn starts_name(c: char) -> bool {
    is_in_name(c) && !matches!(c, '/' | '\\' | '(' | ')')
}

/// Whether a character may be inside the name of a participant.
fn is_in_name(c: char) -> bool {
    !matches!(c, '+' | '<' | '-' | '>' | ':' | '\n' | ',' | ';')
}

/// Where the name that starts here ends, if a message follows.
fn end_of_name(text: &str, start: usize) -> usize {
    let mut end = run(text, start, starts_name);
    while !ends_name(text, end) {
        let dashes = run(text, end, |c| c == '-');
        let next = run(text, dashes, is_in_name);
        if next == dashes {
            break;
        }
        end = next;
    }
    end
}

/// Whether a character may be in a name behind `participant`.
fn is_in_declared(c: char) -> bool {
    !matches!(c, '<' | '>' | ':' | '\n' | ',' | ';' | '@')
}

/// Where the name that `@{` follows ends.
fn name_with_options(text: &str, start: usize) -> Option<usize> {
    let end = run(text, start, |c| is_in_declared(c) && !matches!(c, '=' | '-') && !is_space(c));
    (end > start && text[end..].starts_with("@{")).then_some(end)
}

/// Where the name that `as` follows ends.
fn name_with_alias(text: &str, start: usize) -> Option<usize> {
    let end = run(text, start, |c| is_in_declared(c) && !is_space(c));
    (end > start && as_follows(text, end)).then_some(end)
}

/// Where the name that a line end, `;`, `#` or nothing follows ends.
fn name_to_end(text: &str, start: usize) -> Option<usize> {
    let end = run(text, start, is_in_declared);
    let is_whole = end == text.len() || text[end..].starts_with(['\n', ';']);
    let end = if is_whole { end } else { start + text[start..end].rfind('#')? };
    (end > start).then_some(end)
}
