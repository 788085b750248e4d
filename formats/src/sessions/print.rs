//! Sessions as text.

use crate::lexer::name_text;
use multitrace_interaction::{Alphabet, Id, LetterId, Session, names};
use std::borrow::Cow;

/// Writes a session in the format of `.htf` files, on one line. The id is not part of it.
///
/// # Panics
/// When the session is not over this alphabet.
pub fn print_htf(session: &Session, alphabet: &Alphabet) -> String {
    let mut components = Vec::new();
    for (location, events) in logs(session, alphabet) {
        let events: Vec<Cow<'_, str>> = events.into_iter().map(htf_event).collect();
        let gap = if events.is_empty() { "" } else { " " };
        components.push(format!("[{}]{gap}{}", htf_header(location), events.join(".")));
    }
    format!("{{{}}}", components.join("; "))
}

/// The names of a location, each in quotes if it needs them.
fn htf_header(location: &str) -> String {
    let names = names::split(location, ',').map(names::name_of);
    let texts: Vec<String> = names.map(|name| name_text(&name).into_owned()).collect();
    texts.join(",")
}

/// An event as its lifeline and message, or, if reading these would not give the same text, as one
/// bare name.
fn htf_event(text: &str) -> Cow<'_, str> {
    let action = names::split_action(text).filter(|(lifeline, kind, message)| {
        let has_names = !lifeline.is_empty() && !message.is_empty();
        has_names && names::action_text(lifeline, *kind, message) == text
    });
    match action {
        Some((lifeline, kind, message)) => {
            let (lifeline, message) = (name_text(&lifeline), name_text(message));
            Cow::Owned(format!("{lifeline}{}{message}", kind.mark()))
        }
        None => name_text(text),
    }
}

/// Writes a session as a line of JSON Lines, without the end of the line.
///
/// # Panics
/// When the session is not over this alphabet.
pub fn print_json_line(session: &Session, alphabet: &Alphabet) -> String {
    format!("{{{}}}", fields(session, alphabet))
}

/// The same with more fields, whose values are JSON, on one line.
///
/// # Panics
/// When the session is not over this alphabet.
pub fn print_json_line_with(
    session: &Session,
    alphabet: &Alphabet,
    more: &[(&str, &str)],
) -> String {
    let more = more.iter().map(|(field, value)| format!(",{}:{value}", json_string(field)));
    format!("{{{}{}}}", fields(session, alphabet), more.collect::<String>())
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

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
