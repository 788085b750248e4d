//! Sequence diagrams of PlantUML.
//!
//! The text goes through four steps, each in a module of its own: `extent` finds the diagram,
//! `line` takes comments out and joins continued lines, `preprocess` expands variables and macros,
//! and `parser` reads the statements. A statement that only concerns the looks is counted and skipped. The
//! expressions of PlantUML's own commands say which line is which statement.

mod activation;
mod arrow;
mod builtins;
mod creole;
mod expression;
mod extent;
mod include;
mod json;
mod line;
mod names;
mod open_frames;
mod parser;
mod participants;
mod preprocess;
mod script;
mod styling;
mod value;

pub(super) use arrow::turned;
pub(super) use creole::plain;
pub(super) use participants::is_kind;

/// Whether a name needs no quotes.
pub(super) fn is_code(name: &str) -> bool {
    names::code(name) == Some((name, ""))
}

pub use include::{Include, IncludeError};

use super::model::{Diagram, Statement};
use crate::source::{Diagnostic, Diagnostics, Span, floor_char};
use std::ops::Range;

/// Reads the diagram in this range of a text, which may hold `@startuml … @enduml` or the lines
/// between. All places are in bytes of the whole text; a line that macros changed has the place of
/// the line as it was written, and a line of an included file has the place of its `!include`. Errors
/// in an included file say its path and the line.
///
/// # Errors
///
/// Statements that PlantUML would not draw as a sequence diagram, or that have a meaning but are not supported,
/// each with its place. Several errors are collected.
///
/// ```
/// use multitrace_formats::diagram::plantuml::{IncludeError, parse};
///
/// let text = "@startuml\nAlice -> Bob : hello\n@enduml\n";
/// let diagram = parse(text, 0..text.len(), &|_| Err(IncludeError::NoFolder)).expect("a diagram");
/// assert_eq!(diagram.participants[1].label, "Bob");
/// ```
pub fn parse(
    text: &str,
    range: Range<usize>,
    include: &Include<'_>,
) -> Result<Diagram, Diagnostics> {
    let range = whole_chars(text, range);
    let mark = if text[range.clone()].starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len_utf8()
    } else {
        0
    };
    let range = range.start + mark..range.end;
    let extent = extent::body(text, range.clone())?;
    let mut diagnostics = Diagnostics::default();
    let mut lines = line::lines(text, extent.before, None, &mut Diagnostics::default());
    lines.retain(|line| line.directive().is_some());
    lines.extend(line::lines(text, extent.body.clone(), None, &mut diagnostics));
    let lines = preprocess::preprocess(lines, include, range.len(), &mut diagnostics);
    let mut diagram = parser::parse(&lines, &mut diagnostics);
    diagram.name = extent.name;
    if diagnostics.is_empty() && is_empty(&diagram) {
        let span = Span::new(extent.body.start, extent.body.start);
        let empty = Diagnostic::new(span, "an empty diagram", "expected a statement");
        diagnostics.push(empty.with_help("write a message: `A -> B : text`"));
    }
    diagnostics.check(diagram)
}

/// The mark that some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Whether nothing is drawn.
fn is_empty(diagram: &Diagram) -> bool {
    diagram.participants.is_empty()
        && diagram.body.iter().all(|it| matches!(it, Statement::Mark(_)))
}

/// The range within the text, on boundaries of characters.
fn whole_chars(text: &str, range: Range<usize>) -> Range<usize> {
    let end = floor_char(text, range.end);
    floor_char(text, range.start).min(end)..end
}

#[cfg(test)]
mod tests;
