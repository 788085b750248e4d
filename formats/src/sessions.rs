//! Sessions: multi-traces read against an alphabet, from `.htf` files and from JSON Lines.
//!
//! A line is `{"session":"s1","traces":{"l1":["l1!m1","l1?m2"],"l2":[]}}`, where a key may name
//! several lifelines, `"l1,l2"`, those with commas in quotes; or `{"session":"s1","htf":"{[l1] l1!m1; …}"}`. [`LineRemarks`] may
//! stand beside; other fields are ignored.
//!
//! Reading lines ([`LineChunks`]) is apart from parsing them ([`parse_line`]), so that a caller can
//! parse many at once.

mod format;
mod json;
mod lines;
mod names;
mod places;
mod print;
mod quick;
mod remarks;
mod resolve;
mod rows;

use crate::htf::{RawSession, parse_text};
use crate::source::{Source, SourceError};
use multitrace_interaction::{Alphabet, Session};
use std::path::Path;

pub use format::{FormatGuess, SessionFormat, id_of_path};
pub use lines::{LineChunk, LineChunks, MAX_LINE_BYTES, RawLine};
pub use places::{LinePlaces, event_fields};
pub use print::{print_htf, print_json_line, print_json_line_with};
pub use quick::{LineParts, QuickReader, split};
pub use remarks::LineRemarks;
pub use rows::{RowLog, resolve_rows, row_problem};

/// Gives a multi-trace its meaning: a local trace per location of the alphabet, in which events
/// that are not letters are kept as unknown, and apart from them the traces of locations the
/// alphabet knows nothing of. `source` is where the raw form was read from.
///
/// # Errors
/// When the traces do not fit the locations of the alphabet, and so cannot be compared with it: a header that joins
/// lifelines that the alphabet keeps apart, or the other way round; a lifeline that stands in two headers; an event
/// that is logged where its lifeline is not.
pub fn resolve(
    id: &str,
    raw: &RawSession<'_>,
    alphabet: &Alphabet,
    source: &Source,
) -> Result<Session, SourceError> {
    resolve::resolve(id, raw, alphabet).map_err(|errors| errors.of(source.clone()))
}

/// Reads a session in the format of `.htf` files; it is called like the file without extension.
///
/// # Errors
/// Those of [`htf::parse`](crate::htf::parse), and those of [`resolve`].
pub fn parse_htf_session(source: &Source, alphabet: &Alphabet) -> Result<Session, SourceError> {
    let id = id_of_path(Path::new(source.name()));
    let session = parse_text(source.text()).and_then(|raw| resolve::resolve(&id, &raw, alphabet));
    session.map_err(|errors| errors.of(source.clone()))
}

/// Reads a session from one line of a JSON Lines file. `name` is that of the file, `number` that
/// of the line, from 1; both are for the errors.
///
/// # Errors
/// When the line is not JSON, or not of the form above; and those of [`resolve`].
///
/// ```
/// use multitrace_formats::sessions::parse_line;
/// use multitrace_interaction::Alphabet;
/// let mut alphabet = Alphabet::default();
/// let l1 = alphabet.add_location("l1").expect("a new name");
/// let hello = alphabet.add_letter("l1!hello", l1).expect("a new name");
/// let line = r#"{"session":"s1","traces":{"l1":["l1!hello"]}}"#;
/// let session = parse_line("log.jsonl", 1, line, &alphabet).expect("a session");
/// assert_eq!(session.trace, [[hello]]);
/// ```
pub fn parse_line(
    name: &str,
    number: usize,
    text: &str,
    alphabet: &Alphabet,
) -> Result<Session, SourceError> {
    parse_line_with_remarks(name, number, text, alphabet).map(|(session, _)| session)
}

/// The same, with the other fields of the line.
///
/// # Errors
/// Those of [`parse_line`].
pub fn parse_line_with_remarks<'t>(
    name: &str,
    number: usize,
    text: &'t str,
    alphabet: &Alphabet,
) -> Result<(Session, LineRemarks<'t>), SourceError> {
    json::parse(text, alphabet).map_err(|errors| errors.of(Source::at_line(name, text, number)))
}
