//! Sessions out of rows of a table: each row has events of one location of one session.

use super::resolve::resolve;
use crate::htf::{Component, Header, RawEvent, RawSession};
use crate::problem::{InputProblem, ProblemKind, ProblemPlace, shown};
use crate::source::{Diagnostic, Diagnostics, Span};
use multitrace_interaction::{Alphabet, Session, names};
use std::borrow::Cow;

/// The log of one location as rows give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLog {
    /// The location: a lifeline or a location as it is called, or lifelines as a key of JSON Lines names them.
    pub location: String,
    /// The first row, from 1.
    pub row: usize,
    /// The events with their rows.
    pub events: Vec<(usize, String)>,
}

/// Gives the logs of a session their meaning, as [`resolve`](super::resolve) does; `table` is the name of the table in
/// errors.
///
/// # Errors
/// Those of [`resolve`](super::resolve), each at its row.
///
/// ```
/// use multitrace_formats::sessions::{RowLog, resolve_rows};
/// use multitrace_interaction::Alphabet;
/// let mut alphabet = Alphabet::default();
/// for name in ["a", "b"] {
///     let location = alphabet.add_location(name).expect("a new name");
///     alphabet.add_lifeline(name, location);
/// }
/// let log = RowLog { location: "a".to_owned(), row: 7, events: vec![(8, "b!m".to_owned())] };
/// let problem = resolve_rows("the table", "s1", &[log], &alphabet).expect_err("logged elsewhere");
/// assert_eq!(problem.places[0].line, Some(8));
/// ```
pub fn resolve_rows(
    table: &str,
    session: &str,
    logs: &[RowLog],
    alphabet: &Alphabet,
) -> Result<Session, InputProblem> {
    let mut errors = Diagnostics::default();
    let components = logs.iter().map(|log| component(log, alphabet, &mut errors)).collect();
    let raw = errors.check(RawSession { components });
    let session = raw.and_then(|raw| resolve(session, &raw, alphabet));
    session.map_err(|errors| problem(table, errors))
}

/// The error in one row of a table, as errors in other tables are written.
pub fn row_problem(table: &str, row: usize, message: &str, help: Option<&str>) -> InputProblem {
    let text = shown(message, &in_row(table, row), help);
    InputProblem::new(ProblemKind::Malformed, place(table, row, message), text)
}

fn component<'a>(log: &'a RowLog, alphabet: &Alphabet, errors: &mut Diagnostics) -> Component<'a> {
    // Spans are rows here, so that every error knows its own.
    let header_span = at(log.row);
    let names: Vec<_> = match alphabet.location_of_lifeline(&log.location) {
        Some(_) => vec![(Cow::Borrowed(&*log.location), header_span)],
        None => names::split(&log.location, ',')
            .map(|piece| (names::name_of(piece.trim()), header_span))
            .collect(),
    };
    if names.iter().any(|(name, _)| name.is_empty()) {
        let error = Diagnostic::new(header_span, "a location with an empty name", "");
        errors.push(error.with_help("write \"l1\", or \"l1,l2\" for several lifelines"));
    }
    let event =
        |(row, text): &'a (usize, String)| RawEvent { text: Cow::Borrowed(text), span: at(*row) };
    let events = log.events.iter().map(event).collect();
    Component { header: Header::Names(names), header_span, events }
}

fn at(row: usize) -> Span {
    Span::new(row, row)
}

fn problem(table: &str, errors: Diagnostics) -> InputProblem {
    let mut list = errors.into_list();
    list.sort_by_key(|error| error.span);
    let texts: Vec<String> = list
        .iter()
        .map(|it| shown(&it.message, &in_row(table, it.span.start), it.help.as_deref()))
        .collect();
    let mut places = list.iter().map(|error| place(table, error.span.start, &error.message));
    let first = places.next().unwrap_or_else(|| place(table, 1, "not a session"));
    let mut problem = InputProblem::new(ProblemKind::Malformed, first, texts.join("\n"));
    problem.places.extend(places);
    problem
}

fn place(table: &str, row: usize, message: &str) -> ProblemPlace {
    let message = message.to_owned();
    ProblemPlace { file: table.to_owned(), line: Some(row), column: None, message }
}

fn in_row(table: &str, row: usize) -> String {
    format!("{table}, row {row}")
}
