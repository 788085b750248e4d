//! The gaps between tokens, and the comments in them.

use super::super::allowed::directive_text;
use crate::lexer::{Token, TokenKind};
use crate::source::Span;
use std::collections::HashSet;

/// A comment between two tokens.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    pub(super) span: Span,
    /// Whether a line ends between it and the token or comment before it.
    pub(super) is_first_on_line: bool,
    /// Whether a line ends between it and the token or comment behind it.
    pub(super) is_last_on_line: bool,
    /// Whether a blank line stands before it.
    pub(super) is_after_blank: bool,
}

impl Comment {
    fn at(span: Span) -> Comment {
        let (is_first_on_line, is_last_on_line, is_after_blank) = (false, false, false);
        Comment { span, is_first_on_line, is_last_on_line, is_after_blank }
    }
}

/// The comments before a token, or at the end of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Gap {
    pub(super) comments: Vec<Comment>,
    /// Whether a blank line stands before the token itself.
    pub(super) ends_blank: bool,
}

/// The gaps of a text: one before each token, and the last at the end.
pub(super) struct Gaps {
    pub(super) list: Vec<Gap>,
    /// How many comments stand in the gaps before each gap.
    before: Vec<usize>,
}

impl Gaps {
    /// The gaps of a text; `moves`: comments before a comma go behind it, so that it can stand at the
    /// end of a line.
    pub(super) fn new(text: &str, tokens: &[Token], comments: &[Span], moves: bool) -> Gaps {
        let mut list = vec![Gap::default(); tokens.len() + 1];
        for &span in comments {
            let at = tokens.partition_point(|token| token.span.start < span.start);
            if let Some(gap) = list.get_mut(at) {
                gap.comments.push(Comment::at(span));
            }
        }
        let mut end = 0;
        for (at, gap) in list.iter_mut().enumerate() {
            let token = tokens.get(at).map_or(Span::new(text.len(), text.len()), |it| it.span);
            find_lines(text, gap, end, token.start);
            end = token.end;
        }
        if moves {
            move_behind_commas(tokens, &mut list);
        }
        let mut before = vec![0];
        for gap in &list {
            before.push(before.last().copied().unwrap_or(0) + gap.comments.len());
        }
        Gaps { list, before }
    }

    /// Whether a comment stands between the first and the last of these tokens.
    pub(super) fn has_comment(&self, first: usize, last: usize) -> bool {
        self.before.get(first + 1) != self.before.get(last + 1)
    }
}

/// Finds the ends of lines in a gap.
fn find_lines(text: &str, gap: &mut Gap, start: usize, end: usize) {
    let breaks =
        |from: usize, to: usize| text.get(from..to).unwrap_or_default().matches('\n').count();
    let mut from = start;
    let mut previous: Option<usize> = None;
    for at in 0..gap.comments.len() {
        let span = gap.comments[at].span;
        let count = breaks(from, span.start);
        gap.comments[at].is_first_on_line = count > 0;
        gap.comments[at].is_after_blank = count > 1;
        if let Some(previous) = previous {
            gap.comments[previous].is_last_on_line = count > 0;
        }
        (from, previous) = (span.end, Some(at));
    }
    let count = breaks(from, end);
    gap.ends_blank = count > 1;
    if let Some(last) = gap.comments.last_mut() {
        // The end of the text ends a line, too.
        last.is_last_on_line = count > 0 || end == text.len();
    }
}

/// Moves comments before a comma behind it, unless they share its line.
fn move_behind_commas(tokens: &[Token], gaps: &mut [Gap]) {
    for at in 0..tokens.len() {
        let has_break = gaps[at].comments.iter().any(|comment| comment.is_last_on_line);
        if tokens[at].kind == TokenKind::Comma && has_break {
            let moved = std::mem::take(&mut gaps[at].comments);
            if let Some(next) = gaps.get_mut(at + 1) {
                put_before(moved, &mut next.comments);
            }
        }
    }
}

/// Puts comments before others. A line ends between the two where one ended at either side of the comma.
fn put_before(mut moved: Vec<Comment>, others: &mut Vec<Comment>) {
    if let (Some(last), Some(first)) = (moved.last_mut(), others.first_mut()) {
        let is_break = last.is_last_on_line || first.is_first_on_line;
        (last.is_last_on_line, first.is_first_on_line) = (is_break, is_break);
    }
    moved.append(others);
    *others = moved;
}

/// The lines of a text that are kept as they are: those that comments silence warnings on.
#[derive(Debug, Default)]
pub(super) struct KeptLines {
    /// For each token, the number of its line.
    lines: Vec<usize>,
    kept: HashSet<usize>,
}

impl KeptLines {
    pub(super) fn new(text: &str, tokens: &[Token], comments: &[Span]) -> KeptLines {
        let mut lines = Vec::with_capacity(tokens.len());
        let (mut line, mut from) = (0, 0);
        for token in tokens {
            let between = text.get(from..token.span.start).unwrap_or_default();
            line += between.matches('\n').count();
            from = token.span.start;
            lines.push(line);
        }
        let directives = comments.iter().filter(|span| directive_text(text, **span).is_some());
        let about = |span: &Span| {
            let next = tokens.partition_point(|token| token.span.start < span.start);
            let before = next.checked_sub(1)?;
            let between = text.get(tokens[before].span.end..span.start)?;
            lines.get(if between.contains('\n') { next } else { before }).copied()
        };
        let kept = directives.filter_map(about).collect();
        KeptLines { lines, kept }
    }

    /// Whether a line must or must not end before a token; `None` if both are allowed.
    pub(super) fn ends_before(&self, token: usize) -> Option<bool> {
        let own = self.lines.get(token)?;
        let before = self.lines.get(token.checked_sub(1)?)?;
        let is_kept = self.kept.contains(own) || self.kept.contains(before);
        is_kept.then_some(own != before)
    }

    /// Whether no line is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}
