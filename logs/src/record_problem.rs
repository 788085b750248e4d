//! Problems of a record, at its place.

use crate::error::EventError;
use crate::field::FieldId;
use crate::line_lookup::LineLookup;
use crate::record::{Record, RecordPlace, Unit};
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace, shown};
use multitrace_formats::source::{Diagnostic, Span};
use std::ops::Range;
use std::sync::Arc;

/// A problem of a record of a file, with its line where the input has lines. The value of the field is
/// marked there, or else the start of the record.
pub(crate) fn record_problem(
    file: &str,
    record: &Record<'_>,
    field: Option<FieldId>,
    (message, help): (&str, &str),
) -> InputProblem {
    let place = record.place();
    if place.unit == Unit::Line && !record.text().is_empty() {
        let written = field.and_then(|field| record.range(field));
        // A value that is a copy may stand in the text as it is.
        let found = || found(record.text(), field.and_then(|field| record.get(field)));
        let range = written.unwrap_or_else(found);
        return line_problem(file, place, (record.text(), range), (message, help));
    }
    problem_at(file, Some(place), (message, help))
}

/// Records of the files of a run, for problems that are found when their text is no longer there.
#[derive(Debug)]
pub(crate) struct LateProblems {
    files: Arc<[Arc<str>]>,
    lines: LineLookup,
}

impl LateProblems {
    pub(crate) fn new(files: Arc<[Arc<str>]>, lines: LineLookup) -> LateProblems {
        LateProblems { files, lines }
    }

    /// A problem of a record. A value of the record is marked in its line, or else the start of the line.
    pub(crate) fn problem(
        &self,
        (file, place): (u32, RecordPlace),
        value: Option<&str>,
        what: (&str, &str),
    ) -> InputProblem {
        let name = self.files.get(file as usize).map_or("", |file| &**file);
        match self.line(file, place) {
            None => problem_at(name, Some(place), what),
            Some(line) => line_problem(name, place, (&line, found(&line, value)), what),
        }
    }

    /// The line of a record, if it has one of its own.
    pub(crate) fn line(&self, file: u32, place: RecordPlace) -> Option<String> {
        if place.unit != Unit::Line || place.item > 1 {
            return None;
        }
        self.lines.line(file, place.number)
    }
}

/// Where a value stands in a line, or else its start.
fn found(line: &str, value: Option<&str>) -> Range<usize> {
    let value = value.filter(|value| !value.is_empty());
    let found = value.and_then(|value| Some((line.find(value)?, value.len())));
    let (start, length) = found.unwrap_or((0, line.len().min(1)));
    start..start + length
}

/// A problem of a line, with the line.
fn line_problem(
    file: &str,
    place: RecordPlace,
    (line, range): (&str, Range<usize>),
    (message, help): (&str, &str),
) -> InputProblem {
    let error = Diagnostic::new(Span::from(range), message, "").with_help(help);
    match EventError::of_record(file, place, line, error) {
        EventError::Text(error) => InputProblem::from(&error),
        EventError::Binary { .. } => problem_at(file, Some(place), (message, help)),
    }
}

/// A problem of a record whose text cannot be shown, or of a whole file.
pub(crate) fn problem_at(
    file: &str,
    place: Option<RecordPlace>,
    (message, help): (&str, &str),
) -> InputProblem {
    let line = place.and_then(|place| usize::try_from(place.number).ok());
    let place = place.map_or_else(String::new, |place| format!(", {place}"));
    let text = shown(message, &format!("{file}{place}"), Some(help));
    let (file, message) = (file.to_owned(), message.to_owned());
    let place = ProblemPlace { file, line, column: None, message };
    InputProblem::new(ProblemKind::Malformed, place, text)
}
