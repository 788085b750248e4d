//! The logs of one explained session as text, one line a location, the wrong event in angle
//! brackets.

use crate::explanation::{EventExplanation, EventState, Explanation, LocationExplanation};
use crate::outputs::paint::Paint;
use crate::run_report::Level;
use multitrace_formats::shorten::visible;
use std::fmt::Write;

/// The session, its place, and how far it is explained.
pub(super) fn heading(example: &Explanation) -> String {
    let session = visible(&example.session);
    let place = match example.points_at() {
        Some(place) => format!("{}: ", visible(&place.to_string())),
        None => String::new(),
    };
    match (example.explained, example.blamed().next()) {
        (Some(explained), _) => {
            let best = if example.complete { "at best" } else { "so far (the search was cut)" };
            let of = example.events;
            format!("{place}in {session}, {explained} of {of} events can be explained {best}")
        }
        (None, Some(only)) => format!("{place}in {session}, {}", stop(only)),
        (None, None) => format!("{place}in {session}"),
    }
}

/// Where the log of one location goes wrong.
fn stop(location: &LocationExplanation) -> String {
    let name = visible(&location.location);
    match location.blocked() {
        // People count from 1.
        Some(event) => format!("event {} of {name}", event.index + 1),
        None => format!("the end of {name} after {} events", location.length),
    }
}

/// The locations that are shown, one line each, and a second one for what was expected. `all`
/// shows also those that were not looked at.
pub(super) fn lines(example: &Explanation, indent: &str, all: bool, paint: Paint) -> String {
    let shown = |location: &&LocationExplanation| all || location.explained.is_some();
    let shown: Vec<&LocationExplanation> = example.locations.iter().filter(shown).collect();
    let names = shown.iter().map(|location| visible(&location.location));
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0).min(40);
    let mut text = String::new();
    for location in shown {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{indent}{}", line(location, width, paint));
        let is_told = location.explained.is_some() && location.blamed;
        if is_told || !location.expected.events.is_empty() {
            let expected = location.expected.text(location.blocked());
            let _ = writeln!(text, "{indent}{:width$}       {}", "", paint.dim(&expected));
        }
    }
    if example.omitted_locations > 0 {
        let _ = writeln!(text, "{indent}and {} more locations", example.omitted_locations);
    }
    text
}

fn line(location: &LocationExplanation, width: usize, paint: Paint) -> String {
    let name = visible(&location.location);
    let count = match location.explained {
        Some(explained) => format!("{explained}/{}", location.length),
        None => format!("{}", location.length),
    };
    format!("{name:<width$}  {count:<5}{}", log(location, paint))
}

/// The events that are shown.
fn log(location: &LocationExplanation, paint: Paint) -> String {
    let mut words: Vec<String> = Vec::new();
    if location.before > 0 {
        words.push(format!("…{}", location.before));
    }
    words.extend(location.log.iter().map(|event| word(event, paint)));
    if location.blamed && location.explained.is_some() && location.blocked().is_none() {
        words.push(paint.level(Level::Error, ">end<"));
    }
    if location.after > 0 {
        words.push(format!("…{}", location.after));
    }
    if words.is_empty() { "(no events)".to_owned() } else { words.join(" ") }
}

fn word(event: &EventExplanation, paint: Paint) -> String {
    let name = visible(&event.event);
    match (event.state, &event.place) {
        (EventState::Blocked, Some(place)) => {
            let marked = paint.level(Level::Error, &format!(">{name}<"));
            format!("{marked} ({})", visible(&place.to_string()))
        }
        (EventState::Blocked, None) => paint.level(Level::Error, &format!(">{name}<")),
        (EventState::NotReached | EventState::NotExamined, _) => paint.dim(&name),
        (EventState::Explained, _) => name.into_owned(),
    }
}
