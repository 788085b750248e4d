//! Sessions as text.

use crate::lexer::is_name;
use crate::source::quote;
use multitrace_interaction::{Alphabet, Id, LetterId, Session};

/// A name that the format of `.htf` files cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} cannot be written in an .htf file; write JSON Lines instead", quote(.0))]
pub struct NotHtf(pub String);

/// Writes a session in the format of `.htf` files, on one line. The id is not part of it.
///
/// # Errors
/// When a location or an event is not made of names: ASCII letters, digits and `_`, no digit
/// first.
///
/// # Panics
/// When the session is not over this alphabet.
pub fn print_htf(session: &Session, alphabet: &Alphabet) -> Result<String, NotHtf> {
    let mut components = Vec::new();
    for (location, events) in logs(session, alphabet) {
        check(location, location.split(',').all(is_name))?;
        for event in &events {
            check(event, is_event(event))?;
        }
        let events = events.join(".");
        let gap = if events.is_empty() { "" } else { " " };
        components.push(format!("[{location}]{gap}{events}"));
    }
    Ok(format!("{{{}}}", components.join("; ")))
}

/// Writes a session as a line of JSON Lines, without the end of the line.
///
/// # Panics
/// When the session is not over this alphabet.
pub fn print_json_line(session: &Session, alphabet: &Alphabet) -> String {
    format!("{{{}}}", fields(session, alphabet))
}

/// The same with one more field, which reading ignores. `value` is JSON, on one line.
///
/// # Panics
/// When the session is not over this alphabet.
pub fn print_json_line_with(
    session: &Session,
    alphabet: &Alphabet,
    field: &str,
    value: &str,
) -> String {
    format!("{{{},{}:{value}}}", fields(session, alphabet), json_string(field))
}

fn fields(session: &Session, alphabet: &Alphabet) -> String {
    let traces: Vec<String> = logs(session, alphabet)
        .map(|(location, events)| {
            let events: Vec<String> = events.into_iter().map(json_string).collect();
            format!("{}:[{}]", json_string(location), events.join(","))
        })
        .collect();
    format!("\"session\":{},\"traces\":{{{}}}", json_string(&session.id), traces.join(","))
}

/// Every log of a session, known or foreign: its location and its events.
fn logs<'a>(
    session: &'a Session,
    alphabet: &'a Alphabet,
) -> impl Iterator<Item = (&'a str, Vec<&'a str>)> {
    let known = alphabet.locations().map(|location| {
        let trace = &session.trace[location.index()];
        let text = |(index, &letter): (usize, &LetterId)| match letter {
            LetterId::UNKNOWN => session.unknown_text(location.index(), index).unwrap_or_default(),
            _ => alphabet.letter_name(letter),
        };
        (alphabet.location_name(location), trace.iter().enumerate().map(text).collect())
    });
    let foreign = session.foreign.iter();
    known.chain(
        foreign.map(|f| (f.location.as_str(), f.events.iter().map(String::as_str).collect())),
    )
}

fn check(text: &str, is_fine: bool) -> Result<(), NotHtf> {
    if is_fine { Ok(()) } else { Err(NotHtf(text.to_owned())) }
}

fn is_event(text: &str) -> bool {
    match text.split_once(['!', '?']) {
        Some((lifeline, message)) => is_name(lifeline) && is_name(message),
        None => is_name(text),
    }
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
