//! Tokens of the HIBOU formats (`.hsf`, `.hif`, `.htf`): paper 000 sec. 7.1; comments to the end of the
//! line and names in quotes are ours.

use crate::source::{Diagnostic, Diagnostics, Span, quote};
use multitrace_interaction::names;
use std::borrow::Cow;
use winnow::combinator::{alt, not};
use winnow::error::EmptyError;
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Stream};
use winnow::token::{any, one_of, rest, take_until, take_while};

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Plain or in quotes.
    Name,
    /// `$c`
    Variable,
    /// Digits.
    Number,
    Equals,
    LeftParen,
    RightParen,
    LeftBrace,
    RightBrace,
    LeftBracket,
    RightBracket,
    Comma,
    Semicolon,
    Dot,
    Emit,
    Receive,
    Bar,
    Dashes,
    Arrow,
    Less,
    Greater,
    At,
    Hash,
    EmptySet,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// The tokens and comments of a text.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// The tokens, in order.
    pub(crate) tokens: Vec<Token>,
    /// The comments that end with their lines, in order.
    pub(crate) comments: Vec<Span>,
    /// The comments `/* … */`, in order.
    pub(crate) block_comments: Vec<Span>,
    /// Text that is not a token was reported and skipped.
    pub(crate) diagnostics: Diagnostics,
}

/// The tokens and comments of a text.
pub(crate) fn lex(text: &str) -> Lexed {
    let mut input = LocatingSlice::new(text);
    let Lexed { mut tokens, mut comments, mut block_comments, mut diagnostics } = Lexed::default();
    let mut unknown: Option<Span> = None;
    while let Ok((lexeme, range)) = lexeme.with_span().parse_next(&mut input) {
        let span = Span::from(range);
        if lexeme == Lexeme::Unknown {
            unknown = Some(unknown.map_or(span, |run| run.to(span)));
            continue;
        }
        report_unknown(text, unknown.take(), &mut diagnostics);
        match lexeme {
            Lexeme::Token(kind) => tokens.push(Token { kind, span }),
            Lexeme::LineComment => comments.push(span),
            Lexeme::BlockComment => block_comments.push(span),
            Lexeme::OpenComment => diagnostics.push(open_comment(span)),
            Lexeme::BadName => {
                diagnostics.push(bad_name(text, span));
                // The rest is read as if the name were fine.
                tokens.push(Token { kind: TokenKind::Name, span });
            }
            Lexeme::Blank | Lexeme::Unknown => {}
        }
    }
    report_unknown(text, unknown, &mut diagnostics);
    Lexed { tokens, comments, block_comments, diagnostics }
}

/// A name as these formats have it: in quotes, unless it consists of ASCII letters, digits and `_`, no
/// digit first.
pub(crate) fn name_text(name: &str) -> Cow<'_, str> {
    if is_name(name) { Cow::Borrowed(name) } else { Cow::Owned(names::quoted(name)) }
}

/// Whether a text is one name without quotes.
fn is_name(text: &str) -> bool {
    text.starts_with(is_name_start) && text.chars().all(is_name_part)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lexeme {
    Blank,
    Token(TokenKind),
    LineComment,
    BlockComment,
    OpenComment,
    /// Quotes that hold no name.
    BadName,
    Unknown,
}

type Input<'a> = LocatingSlice<&'a str>;

/// The next piece of the input; fails only at its end.
fn lexeme(input: &mut Input<'_>) -> Result<Lexeme, EmptyError> {
    alt((
        take_while(1.., is_blank).value(Lexeme::Blank),
        (one_of(is_name_start), take_while(0.., is_name_part))
            .value(Lexeme::Token(TokenKind::Name)),
        quoted_name,
        alt((variable, number)).map(Lexeme::Token),
        alt(("--".value(TokenKind::Dashes), "->".value(TokenKind::Arrow))).map(Lexeme::Token),
        any.verify_map(punctuation).map(Lexeme::Token),
        comment,
        // A whole word such as `2nd` is one error, not an error and a name.
        (one_of(char::is_alphanumeric), take_while(0.., is_word_part)).value(Lexeme::Unknown),
        any.value(Lexeme::Unknown),
    ))
    .parse_next(input)
}

fn variable(input: &mut Input<'_>) -> Result<TokenKind, EmptyError> {
    ('$', one_of(is_name_start), take_while(0.., is_name_part))
        .value(TokenKind::Variable)
        .parse_next(input)
}

fn number(input: &mut Input<'_>) -> Result<TokenKind, EmptyError> {
    (take_while(1.., |c: char| c.is_ascii_digit()), not(one_of(is_word_part)))
        .value(TokenKind::Number)
        .parse_next(input)
}

/// A name in quotes, which end on its line.
fn quoted_name(input: &mut Input<'_>) -> Result<Lexeme, EmptyError> {
    let text: &str = input.as_ref();
    // Before the end of the line is searched, which may be far.
    if !text.starts_with('"') {
        return Err(EmptyError);
    }
    let line = text.split('\n').next().unwrap_or_default();
    let end = names::quoted_end(line);
    let length = match end {
        Some(end) => end,
        // Up to the next quote, so that the text behind it is read.
        None => line[1..].find('"').map_or(line.trim_end().len(), |at| at + 2),
    };
    input.next_slice(length);
    let is_name = end.is_some_and(|end| end > 2);
    Ok(if is_name { Lexeme::Token(TokenKind::Name) } else { Lexeme::BadName })
}

fn comment(input: &mut Input<'_>) -> Result<Lexeme, EmptyError> {
    alt((
        ("/*", take_until(0.., "*/"), "*/").value(Lexeme::BlockComment),
        ("/*", rest).value(Lexeme::OpenComment),
        ("//", take_while(0.., |c| c != '\n')).value(Lexeme::LineComment),
    ))
    .parse_next(input)
}

fn punctuation(c: char) -> Option<TokenKind> {
    Some(match c {
        '(' => TokenKind::LeftParen,
        ')' => TokenKind::RightParen,
        '{' => TokenKind::LeftBrace,
        '}' => TokenKind::RightBrace,
        '[' => TokenKind::LeftBracket,
        ']' => TokenKind::RightBracket,
        ',' => TokenKind::Comma,
        ';' => TokenKind::Semicolon,
        '.' => TokenKind::Dot,
        '!' => TokenKind::Emit,
        '?' => TokenKind::Receive,
        '|' => TokenKind::Bar,
        '<' => TokenKind::Less,
        '>' => TokenKind::Greater,
        '@' => TokenKind::At,
        '#' => TokenKind::Hash,
        '=' => TokenKind::Equals,
        '∅' => TokenKind::EmptySet,
        _ => return None,
    })
}

/// White space, and the byte order mark some editors put first.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn report_unknown(text: &str, run: Option<Span>, diagnostics: &mut Diagnostics) {
    let Some(span) = run else { return };
    let found = quote(&text[span.start..span.end]);
    diagnostics.push(
        Diagnostic::new(span, format!("unknown text {found}"), "not part of the language").with_help(
            "names are made of the letters a-z, A-Z, digits and `_`, and do not start with a digit; \
             all others stand in quotes, \"order-service\"",
        ),
    );
}

fn bad_name(text: &str, span: Span) -> Diagnostic {
    let written = &text[span.start..span.end];
    let is_closed = written.len() > 1 && written.ends_with('"');
    let (message, label) = match written {
        "\"\"" => ("an empty name", "nothing in quotes"),
        _ if is_closed => ("unknown escape in a name", "not one of \\\", \\\\, \\n, \\r and \\t"),
        _ => ("name without end", "starts here"),
    };
    let help = r#"write `"GET /cart"`, a quote in it as `\"`, and a backslash as `\\`"#;
    Diagnostic::new(span, message, label).with_help(help)
}

fn open_comment(span: Span) -> Diagnostic {
    let opening = Span::new(span.start, span.start + 2);
    Diagnostic::new(opening, "comment without end", "starts here").with_help("close it with `*/`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let Lexed { tokens, diagnostics, .. } = lex(text);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        tokens.iter().map(|token| token.kind).collect()
    }

    fn errors(text: &str) -> Vec<String> {
        lex(text).diagnostics.of(Source::new("f", text)).lines().collect()
    }

    #[test]
    fn every_token_is_known() {
        use TokenKind::*;
        let all = "a1_ ( ) { } [ ] , ; . ! ? | -- -> < > @ # = 12 $a ∅";
        let expected = [
            Name,
            LeftParen,
            RightParen,
            LeftBrace,
            RightBrace,
            LeftBracket,
            RightBracket,
            Comma,
            Semicolon,
            Dot,
            Emit,
            Receive,
            Bar,
            Dashes,
            Arrow,
            Less,
            Greater,
            At,
            Hash,
            Equals,
            Number,
            Variable,
            EmptySet,
        ];
        assert_eq!(kinds(all), expected);
        assert_eq!(kinds(&all.replace(' ', "")), expected);
        assert_eq!(kinds("\u{feff}->|/* -- */--"), [Arrow, Bar, Dashes]);
    }

    #[test]
    fn spans_are_bytes() {
        assert_eq!(lex("∅ ab").tokens[1].span, Span::new(4, 6));
    }

    #[test]
    fn runs_of_unknown_text_are_one_error_each() {
        let found = errors("a $%é& b 2nd-\nc");
        assert_eq!(found, ["f:1:3: unknown text `$%é&`", "f:1:10: unknown text `2nd-`"]);
    }

    #[test]
    fn comments_end_with_their_lines() {
        use TokenKind::*;
        assert_eq!(kinds("a // b /* c\n-> // é"), [Name, Arrow]);
        assert_eq!(kinds("/* // */ a"), [Name]);
        assert_eq!(lex("a /* b */").block_comments, [Span::new(2, 9)]);
        assert_eq!(lex("a // b\n//").comments, [Span::new(2, 6), Span::new(7, 9)]);
        assert_eq!(errors("a / b"), ["f:1:3: unknown text `/`"]);
    }

    #[test]
    fn an_open_comment_is_an_error_at_its_start() {
        assert_eq!(errors("a\n /* b"), ["f:2:2: comment without end"]);
    }
}
