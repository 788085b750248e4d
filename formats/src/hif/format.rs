//! The layout of `.hif` texts: one operand a line, unless an operator fits on one.

// Idea: the formatter works on tokens and comments and knows of the language only which parentheses
// hold operands. So all text stays, also that of parts and `for`, which the parser writes out. Each
// gap between two tokens is either a break, with an indent, or not; comments stand in gaps.
//
// A layout depends on the tokens, on which comments share their line with tokens around them, and on
// blank lines, and keeps all three. So a text that was laid out stays as it is.
//
// A comment that silences warnings does so for a line. Where the usual layout would let it silence
// others, the lines that such comments are about are kept as they are.

mod comments;
mod structure;
mod writer;

use super::allowed::{self, Allowed};
use super::parser;
use crate::lexer::{Lexed, Token, TokenKind, lex};
use crate::source::{Diagnostic, Diagnostics, Source, SourceError, Span};
use crate::warning::{Warning, WarningCode};
use comments::{Gaps, KeptLines};
use structure::Structure;

/// The most times that a text with kept lines is laid out: its comments may move at first.
const MAX_ROUNDS: usize = 8;

/// The same text, laid out: an operator with its operands on one line if it fits in 80 columns, holds
/// no comment, and nests at most one level of operators; otherwise one operand a line, four spaces a
/// level. All comments stay, on lines of their own or behind the same token. Where blank lines
/// stand between operands or parts, one stays. A text that was laid out stays as it is.
///
/// Lines have at most 100 columns, unless a single name, a message passing or a comment is longer, or
/// a comment silences warnings for the line.
///
/// # Errors
/// The errors of the text, as [`parse`](super::parse) without a signature has them. A text without an
/// interaction, as one of comments, is laid out all the same.
///
/// ```
/// use multitrace_formats::{hif, source::Source};
/// let source = Source::new("a.hif", "seq(a--m->b, // first\n   loopS( b--n->a ))");
/// let text = hif::format(&source).expect("an interaction");
/// assert_eq!(text, "seq(\n    a -- m -> b, // first\n    loopS(b -- n -> a)\n)\n");
/// ```
pub fn format(source: &Source) -> Result<String, SourceError> {
    let text = source.spec_text();
    let read = text.and_then(|text| parser::parse(text, None).map(drop));
    if let Err(errors) = read.map_err(|errors| errors.of(source.clone()))
        && !only_lacks_interaction(&errors)
    {
        return Err(errors);
    }
    let mut text = source.text().to_owned();
    for _ in 0..MAX_ROUNDS {
        let (layout, is_usual) = laid_out(&text);
        if is_usual || layout == text {
            return Ok(layout);
        }
        text = layout;
    }
    let message = "the layout of this text does not settle";
    let error = Diagnostic::new(Span::default(), message, "please report this text");
    Err(SourceError::new(source.clone(), error))
}

/// Whether a text without an interaction has no other error.
fn only_lacks_interaction(errors: &SourceError) -> bool {
    matches!(errors.diagnostics(), [only] if only.message == parser::NO_INTERACTION)
}

/// The layout of a text without errors, and whether it is the usual one.
fn laid_out(text: &str) -> (String, bool) {
    let Lexed { tokens, comments, block_comments, .. } = lex(text);
    let mut all = [&comments[..], &block_comments[..]].concat();
    all.sort_unstable();
    let layout = |kept: &KeptLines| {
        let gaps = Gaps::new(text, &tokens, &all, kept.is_empty());
        let structure = Structure::new(text, &tokens, &gaps);
        writer::write(text, &tokens, &gaps, &structure, kept)
    };
    let usual = layout(&KeptLines::default());
    let allowed = allowed::read(text, &comments, &tokens, &mut Diagnostics::default());
    if allowed == Allowed::default() || silences_same(&allowed, &tokens, &usual) {
        return (usual, true);
    }
    (layout(&KeptLines::new(text, &tokens, &comments)), false)
}

/// Whether the comments of a layout silence warnings at the same tokens.
fn silences_same(allowed: &Allowed, tokens: &[Token], layout: &str) -> bool {
    let Lexed { tokens: others, comments, .. } = lex(layout);
    let other = allowed::read(layout, &comments, &others, &mut Diagnostics::default());
    let silenced = |allowed: &Allowed, token: &Token, code| {
        allowed.silences(&Warning::new(code, token.span, "", ""))
    };
    // No warning starts at a sign that ends something, and these may change their lines.
    let is_end = |kind| matches!(kind, TokenKind::Comma | TokenKind::RightParen);
    let mut pairs = tokens.iter().zip(&others).filter(|(token, _)| !is_end(token.kind));
    pairs.all(|(before, after)| {
        let mut codes = WarningCode::ALL.into_iter();
        codes.all(|code| silenced(allowed, before, code) == silenced(&other, after, code))
    })
}
/// How many comments a text has.
pub fn comment_count(text: &str) -> usize {
    let Lexed { comments, block_comments, .. } = lex(text);
    comments.len() + block_comments.len()
}
