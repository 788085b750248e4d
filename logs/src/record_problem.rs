//! What is wrong with a record, at its place.

use crate::error::EventError;
use crate::field::FieldId;
use crate::record::{Record, RecordPlace, Unit};
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace};
use multitrace_formats::source::{Diagnostic, Span};

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
        let range = field.and_then(|field| record.range(field)).unwrap_or(0..1);
        let error = Diagnostic::new(Span::from(range), message, "").with_help(help);
        if let EventError::Text(error) = EventError::at(file, place.number, record.text(), error) {
            return InputProblem::from(&error);
        }
    }
    problem_at(file, Some(place), (message, help))
}

/// A problem of a record whose text is not there any more, or of a whole file.
pub(crate) fn problem_at(
    file: &str,
    place: Option<RecordPlace>,
    (message, help): (&str, &str),
) -> InputProblem {
    let line = place.filter(|place| place.unit == Unit::Line);
    let line = line.and_then(|place| usize::try_from(place.number).ok());
    let shown = place.map_or_else(String::new, |place| format!(", {place}"));
    let text = format!("error: {message}\n --> {file}{shown}\n  = help: {help}");
    let (file, message) = (file.to_owned(), message.to_owned());
    let place = ProblemPlace { file, line, column: None, message };
    InputProblem::new(ProblemKind::Malformed, place, text)
}
