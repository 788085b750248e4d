//! The logs of one explained session as text: a line for each location with every wrong event in
//! angle brackets, then a line for each thing that is wrong there.

use crate::codes::Code;
use crate::explanation::{EventExplanation, EventState, Explanation, LocationExplanation, Mark};
use crate::finding::{Finding, in_a_row};
use crate::groups::FindingGroup;
use crate::paint::Paint;
use crate::run_report::Level;
use crate::text::counted;
use multitrace_formats::place::Place;
use multitrace_formats::shorten::visible;
use multitrace_interaction::names;
use std::fmt::Write;

/// The example of a group: the place, the session, and where its finding is.
pub(super) fn heading(group: &FindingGroup) -> String {
    let FindingGroup { finding, example, place, .. } = group;
    format!("{}{}", placed(place.as_ref()), whereabouts(finding, example))
}

/// The example of a group, if another group has shown it.
pub(super) fn shown_above(group: &FindingGroup) -> String {
    format!("in {}, which is shown above", visible(&group.example.session))
}

/// A place before a message.
pub(super) fn placed(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!("{}: ", visible(&place.to_string())))
}

/// Where a finding of a session is.
pub(super) fn whereabouts(finding: &Finding, example: &Explanation) -> String {
    let session = visible(&example.session);
    if let (Some(fault), Some(location), Some(index)) =
        (&finding.fault, &finding.location, finding.index)
        && fault.is_missing
    {
        let location = visible(location);
        let length = example.locations.iter().find(|it| it.location == location);
        return match length.is_some_and(|it| index < it.length) {
            // People count from 1.
            true => format!("in {session}, before event {} of {location}", index + 1),
            false => {
                let events = counted(index as u64, "event");
                format!("in {session}, at the end of {location} after {events}")
            }
        };
    }
    if let (Some(_), Some(explained)) = (&finding.frontier, example.explained) {
        let best = if example.complete { "at best" } else { "so far (the search was cut)" };
        let of = example.events;
        return format!("in {session}, {explained} of {of} events can be explained {best}");
    }
    match (&finding.location, finding.index, &finding.event) {
        // People count from 1.
        (Some(location), Some(index), Some(_)) => {
            format!("in {session}, event {} of {}", index + 1, visible(location))
        }
        (Some(location), Some(_), None) if finding.code == Code::UnknownLocation => {
            format!("in {session}, the empty log of {}", visible(location))
        }
        (Some(location), Some(index), None) => {
            let events = counted(index as u64, "event");
            format!("in {session}, the end of {} after {events}", visible(location))
        }
        _ => format!("in {session}"),
    }
}

/// The locations that are shown, one line each, with a line for each thing that is wrong. `all` shows
/// also those that were not looked at, which are all that there are where only the numbers of events are wrong.
pub(super) fn lines(example: &Explanation, indent: &str, all: bool, paint: Paint) -> String {
    let is_looked_at = |location: &LocationExplanation| location.explained.is_some();
    let all = all || !example.locations.iter().any(is_looked_at);
    // Lifelines that the specification does not have may log nothing.
    let is_nobody = |it: &LocationExplanation| it.location == names::ANY && it.length == 0;
    // Beside logs that are marked, empty ones say nothing.
    let is_marked = example.locations.iter().any(|it| it.blamed);
    let is_empty = |it: &&LocationExplanation| is_marked && !it.blamed && it.length == 0;
    let shown = |it: &&LocationExplanation| (all || is_looked_at(it)) && !is_nobody(it);
    let (empty, shown): (Vec<&LocationExplanation>, Vec<&LocationExplanation>) =
        example.locations.iter().filter(shown).partition(is_empty);
    let names = shown.iter().map(|location| visible(&location.location));
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0).min(40);
    let digits = shown.iter().map(|location| count(location).len()).max().unwrap_or(0).max(4);
    let marks: usize = example.locations.iter().map(|location| location.marks.len()).sum();
    // The name, two blanks, the count, a blank.
    let indented = width + digits + 3;
    let mut text = String::new();
    for location in shown {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{indent}{}", line(location, width, digits, paint));
        for mark in &location.marks {
            let told = told(mark, marks > 1);
            let _ = writeln!(text, "{indent}{:indented$}{}", "", paint.dim(&told));
        }
        if location.omitted_marks > 0 {
            let more = format!("and {} more here", location.omitted_marks);
            let _ = writeln!(text, "{indent}{:indented$}{}", "", paint.dim(&more));
        }
        if location.marks.is_empty() && !location.expected.events.is_empty() {
            let told = location.expected.text(false);
            let _ = writeln!(text, "{indent}{:indented$}{}", "", paint.dim(&told));
        }
    }
    if !empty.is_empty() {
        let names: Vec<&str> = empty.iter().map(|it| &*it.location).collect();
        let _ = writeln!(text, "{indent}nothing was logged at {}", visible(&in_a_row(&names)));
    }
    // Those to blame come first: where another one is listed, all of them are.
    let is_more_to_say = all || example.locations.iter().all(|it| it.blamed);
    if example.omitted_locations > 0 && is_more_to_say {
        let _ = writeln!(text, "{indent}and {} more locations", example.omitted_locations);
    }
    text
}

/// Whether the lines of an example have counts or angle brackets.
pub(super) fn has_signs(example: &Explanation) -> bool {
    example.locations.iter().any(|it| it.explained.is_some())
}

/// The finding at a place of a log, as text. One of several names its code and its event.
fn told(mark: &Mark, is_one_of_several: bool) -> String {
    let expected = mark.expected.text_at(mark.code, mark.event.is_some());
    match (&mark.event, is_one_of_several) {
        (_, false) => expected,
        // People count from 1.
        (Some(event), true) => {
            let number = mark.index + 1;
            format!("{} event {number}, {}: {expected}", mark.code.name(), visible(event))
        }
        (None, true) => format!("{} the end: {expected}", mark.code.name()),
    }
}

fn line(location: &LocationExplanation, width: usize, digits: usize, paint: Paint) -> String {
    let name = visible(&location.location);
    format!("{name:<width$}  {:<digits$} {}", count(location), log(location, paint))
}

/// How many events are explained, of how many.
fn count(location: &LocationExplanation) -> String {
    match location.explained {
        Some(explained) => format!("{explained}/{}", location.length),
        None => format!("{}", location.length),
    }
}

/// The events that are shown, and how many are left out between them.
fn log(location: &LocationExplanation, paint: Paint) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut next = 0;
    for event in &location.log {
        if event.index > next {
            words.push(format!("…{}", event.index - next));
        }
        words.push(word(event, paint));
        next = event.index + 1;
    }
    if location.log.is_empty() && location.before > 0 {
        words.push(format!("…{}", location.before));
    }
    if location.mark(location.length).is_some() {
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
