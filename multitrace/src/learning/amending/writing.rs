//! The text of a diagram with other ways beside stretches of it.

use super::outline::{Item, Outline};
use super::pieces::{OtherStep, Piece};
use super::share_marks::SHARE;
use multitrace_formats::diagram::{Notation, message_lines};
use multitrace_formats::source::Span;
use std::ops::Range;

/// One more level of statements.
const INDENT: &str = "    ";

/// The number of the line at a place of a text, from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// Lines of a text that are changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPlace {
    /// The number of the line where they begin, before the change, from 1.
    pub line: usize,
    /// The lines after it, each with whether it is new.
    pub lines: Vec<(bool, String)>,
}

/// A change of the lines in a range of a text.
struct Change {
    range: Range<usize>,
    place: ChangedPlace,
}

/// A text with its statements.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    pub(super) text: &'a str,
    pub(super) notation: Notation,
    pub(super) outline: &'a Outline,
}

impl Drawn<'_> {
    /// The text with the other ways of pieces, and the places that change; `None` if they are not whole lines, or a name cannot
    /// be written. Labels wait for the number of sessions.
    pub(super) fn with(&self, pieces: &[Piece]) -> Option<(String, Vec<ChangedPlace>)> {
        let changes = pieces.iter().map(|piece| self.change(piece));
        let mut changes: Vec<Change> = changes.collect::<Option<_>>()?;
        changes.sort_by_key(|it| (it.range.start, it.range.end));
        if changes.windows(2).any(|pair| pair[1].range.start < pair[0].range.end) {
            return None;
        }
        let line_end = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let (mut text, mut end) = (String::new(), 0);
        for Change { range, place } in &changes {
            text += &self.text[end..range.start];
            if !text.is_empty() && !text.ends_with('\n') {
                text += line_end;
            }
            place.lines.iter().for_each(|(_, line)| text.extend([line.as_str(), line_end]));
            end = range.end;
        }
        text += &self.text[end..];
        Some((text, changes.into_iter().map(|it| it.place).collect()))
    }

    fn change(&self, piece: &Piece) -> Option<Change> {
        let body = self.outline.0.get(piece.body)?;
        let old = &body.items[piece.range.clone()];
        let range = match (old.first(), old.last(), body.items.get(piece.range.start)) {
            (Some(first), Some(last), _) => self.lines(first.whole.to(last.whole))?,
            (_, _, Some(next)) => {
                let start = self.lines(next.whole)?.start;
                start..start
            }
            _ => {
                let before = body.items.last().map(|it| it.whole).or(body.header)?;
                let end = self.lines(before)?.end;
                end..end
            }
        };
        let indent = self.indent(piece, &range);
        let new = |line: &str| (true, format!("{indent}{line}"));
        let old_lines = || self.kept(range.clone());
        let other = self.other_lines(&piece.other, &body.items, &indent)?;
        let (head, inside) = match (piece.is_loop, range.is_empty(), other.is_empty()) {
            (true, true, _) => ("loop".to_owned(), other),
            (true, false, _) => ("loop 1..*".to_owned(), old_lines()),
            (_, true, _) => (format!("opt {SHARE}"), other),
            (_, _, true) => (format!("opt not in {SHARE}"), old_lines()),
            _ => {
                let section = vec![new(&format!("else {SHARE}"))];
                ("alt".to_owned(), [old_lines(), section, other].concat())
            }
        };
        let lines = [vec![new(&head)], inside, vec![new("end")]].concat();
        let line = line_at(self.text, range.start);
        Some(Change { range, place: ChangedPlace { line, lines } })
    }

    fn other_lines(
        &self,
        other: &[OtherStep],
        items: &[Item],
        indent: &str,
    ) -> Option<Vec<(bool, String)>> {
        let mut lines = Vec::new();
        for step in other {
            match step {
                OtherStep::Kept(at) => {
                    let kept = self.kept(self.lines(items[*at].whole)?);
                    lines.extend(kept.into_iter().map(|(_, line)| (true, line)));
                }
                OtherStep::New(message) => {
                    let (from, to) = (message.sender.as_deref(), message.receiver.as_deref());
                    let new = message_lines(self.notation, from, to, &message.message)?;
                    lines.extend(new.iter().map(|it| (true, format!("{indent}{INDENT}{it}"))));
                }
            }
        }
        Some(lines)
    }

    /// The white space before the statements of a body.
    fn indent(&self, piece: &Piece, range: &Range<usize>) -> String {
        let body = &self.outline.0[piece.body];
        let of = |at: usize| {
            let line = self.text[at..].lines().next().unwrap_or_default();
            line[..line.len() - line.trim_start().len()].to_owned()
        };
        let start = |span: Span| self.text[..span.start].rfind('\n').map_or(0, |it| it + 1);
        match (body.items.last(), body.header) {
            (Some(_), _) if !range.is_empty() => of(range.start),
            (Some(last), _) => of(start(last.whole)),
            (None, Some(header)) => of(start(header)) + INDENT,
            (None, None) => INDENT.to_owned(),
        }
    }

    /// The lines of a span, if nothing else stands there.
    fn lines(&self, span: Span) -> Option<Range<usize>> {
        let start = self.text.get(..span.start)?.rfind('\n').map_or(0, |it| it + 1);
        let rest = self.text.get(span.end..)?;
        let end = rest.find('\n').map_or(self.text.len(), |it| span.end + it + 1);
        let is_empty = |text: &str| text.trim().is_empty();
        // The place of a directive begins behind the mark of its comment.
        let before = self.text[start..span.start].trim();
        let is_first = is_empty(before) || before.starts_with("%%") || before.starts_with('\'');
        let is_alone = is_first && is_empty(self.text[span.end..end].trim_start_matches(';'));
        is_alone.then_some(start..end)
    }

    /// Lines that stay, one level deeper.
    fn kept(&self, range: Range<usize>) -> Vec<(bool, String)> {
        let deeper = |line: &str| match line.trim_end() {
            "" => String::new(),
            line => format!("{INDENT}{line}"),
        };
        self.text[range].lines().map(|line| (false, deeper(line))).collect()
    }
}
