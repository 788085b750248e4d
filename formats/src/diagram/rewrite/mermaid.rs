//! Pieces of statements in Mermaid.

use super::texts::Texts;
use crate::diagram::mermaid::box_texts;
pub(super) use crate::diagram::mermaid::reads_as;
use crate::diagram::model::{Arrow, Head, Looks, ParticipantBox, Side};
use crate::diagram::plantuml::turned;
use std::fmt::Write;

/// A text of a message, a note or a frame.
pub(super) fn text(text: &str, texts: Texts) -> String {
    let marked = marked(text);
    if texts != Texts::Numbered && reads_as(&marked, text) { marked } else { numbered(text) }
}

/// With numbers for the signs that mean something.
fn marked(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br/>"),
            '#' | ';' => number(c, &mut out),
            c => out.push(c),
        }
    }
    out.replace("%%{", "#37;#37;{")
}

fn numbered(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br/>"),
            c if c.is_alphanumeric() || c == ' ' => out.push(c),
            c => number(c, &mut out),
        }
    }
    out
}

fn number(c: char, out: &mut String) {
    // Writing to a text does not fail.
    let _ = write!(out, "#{};", u32::from(c));
}

/// Whether a name can have an alias.
pub(super) fn is_word(name: &str) -> bool {
    !name.contains(|c: char| c.is_whitespace() || c == '@')
}

/// Whether a name can have options with this kind.
pub(super) fn can_have_options(name: &str, kind: &str) -> bool {
    is_word(name) && !name.contains(['=', '-']) && kind.bytes().all(|it| it.is_ascii_lowercase())
}

pub(super) fn declaration(name: &str, kind: &str, label: Option<&str>) -> String {
    let label = label.map(|it| format!(" as {it}")).unwrap_or_default();
    match kind {
        "participant" | "actor" => format!("{kind} {name}{label}"),
        kind => format!("participant {name}@{{ \"type\": \"{kind}\" }}{label}"),
    }
}

/// The first line of a box: a colour must not be taken from its title.
pub(super) fn opened_box(color: &str, title: &str) -> String {
    if !color.is_empty() {
        return format!("box {color} {title}");
    }
    let is_safe = !title.is_empty() && !title.contains('#') && box_texts(title).1 == title;
    format!("box {}{title}", if is_safe { "" } else { "transparent " })
}

/// Whether the title of a box leaves its colour a colour.
pub(super) fn can_have_color(of: &ParticipantBox) -> bool {
    let color = &of.looks.behind;
    let line = format!("{color} {}", marked(&of.label));
    color.is_empty() || box_texts(&line).0.trim() == color
}

/// A text behind its `wrap:` or `nowrap:`.
pub(super) fn wrapped(looks: &Looks, text: &str) -> String {
    if looks.before.is_empty() { text.to_owned() } else { format!("{} {text}", looks.before) }
}

pub(super) fn message(
    (from, to): (&str, &str),
    (arrow, half): (Arrow, &str),
    sign: Option<char>,
    text: &str,
) -> String {
    let sign = sign.map(String::from).unwrap_or_default();
    let dashes = if arrow.is_dotted { "--" } else { "-" };
    let [start, end] = arrow.signs.map(|it| if it.is_some() { "()" } else { "" });
    let arrow = match arrow.head {
        Head::Filled if arrow.is_bidirectional() => format!("<<{dashes}>>"),
        Head::Filled => format!("{dashes}>>"),
        Head::Open if !half.is_empty() => half_head(half, dashes, arrow.is_reversed),
        Head::Open => format!("{dashes})"),
        Head::None => format!("{dashes}>"),
        Head::Cross => format!("{dashes}x"),
    };
    // The arrow would take a sign at the end of a name as its own.
    let gap = if from.ends_with(char::is_alphanumeric) { "" } else { " " };
    format!("{from}{gap}{start}{arrow}{sign}{end}{gap}{to}: {text}")
}

/// An arrow with half a head, which is above or below the line, as PlantUML writes it.
fn half_head(half: &str, dashes: &str, is_reversed: bool) -> String {
    match (half, is_reversed) {
        (r"\" | "/", false) => format!("{dashes}|{half}"),
        (_, false) => format!("{dashes}{half}"),
        (r"\" | "/", true) => format!("{}|{dashes}", turned(half)),
        (_, true) => format!("{}{dashes}", turned(half)),
    }
}

pub(super) fn note(side: Side, over: &str, text: &str) -> String {
    let place = match side {
        Side::Over => "over",
        Side::Left => "left of",
        Side::Right => "right of",
    };
    format!("note {place} {over}: {text}")
}
