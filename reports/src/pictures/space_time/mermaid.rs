//! A session as a sequence diagram of Mermaid.

use crate::pictures::measure::Label;
use crate::pictures::space_time::cut::{self, Row};
use crate::pictures::space_time::event::{Event, Origin};
use crate::pictures::space_time::notes::session_notes;
use crate::pictures::space_time::story::Story;
use crate::pictures::space_time::subject::SpaceTime;
use multitrace_interaction::names;

/// The most characters of a name.
const NAME: usize = 60;
/// The most characters of a note.
const NOTE: usize = 300;

pub(crate) fn write(session: &SpaceTime<'_>, story: &Story) -> String {
    let mut out = "sequenceDiagram\n".to_owned();
    if !session.title.is_empty() {
        out = format!("---\ntitle: {}\n---\n{out}", yaml_text(session.title));
    }
    for (lane, name) in story.lanes.iter().enumerate() {
        out.push_str(&format!("    participant p{lane} as {}\n", text(name, NAME)));
    }
    let mut writer = Writer { story, is_received: received(story), out };
    for row in cut::rows(story, session.cut) {
        match row {
            Row::Event(at) => writer.add_event(at),
            Row::Omitted(_, count) => writer.add_note(None, &format!("… {count} events")),
        }
    }
    session_notes(session).iter().for_each(|note| writer.add_note(None, &session.words.text(note)));
    writer.out
}

/// Per event, whether some event received it.
fn received(story: &Story) -> Vec<bool> {
    let mut received = vec![false; story.events.len()];
    story.sources.iter().flatten().for_each(|&source| received[source] = true);
    received
}

struct Writer<'a> {
    story: &'a Story,
    is_received: Vec<bool>,
    out: String,
}

impl Writer<'_> {
    fn add_event(&mut self, at: usize) {
        let story = self.story;
        let event = &story.events[at];
        let label = event.label(&story.lanes);
        match (self.story.sources[at], event.origin) {
            (Some(source), _) => self.add_arrow(&story.events[source], event),
            // Its arrow stands where it is received.
            (None, Origin::Logged | Origin::Inserted) if self.is_received[at] => {}
            (None, Origin::Inserted) => {
                self.add_note(Some(event.lane), &format!("missing: {label}"))
            }
            (None, Origin::Deleted) => {
                self.add_note(Some(event.lane), &format!("too much: {label}"))
            }
            (None, Origin::End) => self.add_note(Some(event.lane), "ends here"),
            (None, Origin::Logged) => self.add_note(Some(event.lane), &label),
        }
        for note in &event.notes {
            let of = if event.origin == Origin::End { String::new() } else { format!("{label}: ") };
            self.add_note(Some(event.lane), &format!("{of}{note}"));
        }
    }

    fn add_arrow(&mut self, source: &Event, target: &Event) {
        let (from, to) = (source.lane, target.lane);
        let (arrow, missing) = match [source, target].map(|it| it.origin == Origin::Inserted) {
            [false, false] => ("->>", ""),
            [true, false] => ("-->>", "not sent: "),
            [false, true] => ("-->>", "not received: "),
            [true, true] => ("-->>", "missing: "),
        };
        let message = names::split_action(&target.text).map_or("", |(_, _, message)| message);
        let message = text(message, NAME);
        self.out.push_str(&format!("    p{from}{arrow}p{to}: {missing}{message}\n"));
    }

    /// A note at a lane, or over all of them.
    fn add_note(&mut self, lane: Option<usize>, note: &str) {
        let over = match (lane, self.story.lanes.len()) {
            (Some(lane), _) => format!("p{lane}"),
            (None, 0) => return,
            (None, 1) => "p0".to_owned(),
            (None, count) => format!("p0,p{}", count - 1),
        };
        self.out.push_str(&format!("    Note over {over}: {}\n", text(note, NOTE)));
    }
}

/// A text for Mermaid: signs that have a meaning in it or in HTML as character references.
fn text(text: &str, most: usize) -> String {
    let mut out = String::new();
    let shown = Label::new(text, most).shown;
    for (at, char) in shown.char_indices() {
        match char {
            ':' if shown[at..].starts_with(": ") => out.push(char),
            '#' | ';' | '<' | '>' | '&' | '"' | '`' | '%' | ':' => {
                out.push_str(&format!("#{};", u32::from(char)));
            }
            _ => out.push(char),
        }
    }
    if out.trim().is_empty() { "#32;".to_owned() } else { out }
}

/// A text between quotes.
fn yaml_text(text: &str) -> String {
    let text = Label::new(text, 2 * NAME).shown;
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
