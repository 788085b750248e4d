//! Pieces of statements in PlantUML.

use super::texts::Texts;
use crate::diagram::model::{Arrow, Head, Side};
pub(super) use crate::diagram::plantuml::{is_code, is_kind, plain};
use std::fmt::Write;

/// A text of a message or a note.
pub(super) fn text(text: &str, texts: Texts) -> String {
    let forms = [marked(text, ""), marked(text, "*/\"-_~<[&=#"), marked(text, SIGNS)];
    let mut forms = forms.into_iter();
    let found = match texts {
        Texts::Numbered => None,
        _ => forms.find(|form| reads_as(form, text)),
    };
    found.unwrap_or_else(|| marked(text, SIGNS))
}

const SIGNS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~“”";

/// Whether a text in a diagram is read as this one.
pub(super) fn reads_as(written: &str, text: &str) -> bool {
    // Characters that the preprocessor or the end of a line takes.
    let is_taken = written.contains(['\n', '%', '$']) || written.contains("'/");
    !is_taken && !written.ends_with('\\') && plain(written) == text
}

/// With numbers for these signs.
fn marked(text: &str, signs: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '%' | '$' => number(c, &mut out),
            '\\' if !signs.contains('\\') => out.push_str("\\\\"),
            c if signs.contains(c) => number(c, &mut out),
            c => out.push(c),
        }
    }
    out
}

fn number(c: char, out: &mut String) {
    // Writing to a text does not fail.
    let _ = write!(out, "<U+{:04X}>", u32::from(c));
}

/// A text beside the keyword of a frame, which must not begin with a colour.
pub(super) fn condition(text: &str, texts: Texts) -> String {
    let texts = if text.starts_with('#') { Texts::Numbered } else { texts };
    self::text(text, texts)
}

/// A text in quotes.
pub(super) fn quoted(text: &str, texts: Texts) -> String {
    let texts = if text.contains(['"', '“', '”']) { Texts::Numbered } else { texts };
    format!("\"{}\"", self::text(text, texts))
}

pub(super) fn declaration(name: &str, kind: &str, label: Option<&str>) -> String {
    match label {
        Some(label) => format!("{kind} {label} as {name}"),
        None => format!("{kind} {name}"),
    }
}

pub(super) fn opened_box(title: &str, texts: Texts) -> String {
    if title.is_empty() { "box".to_owned() } else { format!("box {}", quoted(title, texts)) }
}

/// An end of a message.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// The name of a participant.
    Named(&'a str),
    Outside {
        is_left: bool,
        is_near: bool,
    },
}

impl Place<'_> {
    /// As it stands before an arrow.
    fn before(self) -> String {
        match self {
            Place::Named(name) => format!("{name} "),
            Place::Outside { is_near, .. } => if is_near { "?" } else { "[" }.to_owned(),
        }
    }

    /// As it stands behind an arrow.
    fn behind(self) -> String {
        match self {
            Place::Named(name) => format!(" {name}"),
            Place::Outside { is_near, .. } => if is_near { "?" } else { "]" }.to_owned(),
        }
    }
}

pub(super) fn message(
    (from, to): (Place<'_>, Place<'_>),
    arrow: Arrow,
    sign: Option<char>,
    text: &str,
) -> String {
    let dashes = if arrow.is_dotted { "--" } else { "-" };
    let (left, right) = if arrow.head == Head::Open { ("<<", ">>") } else { ("<", ">") };
    let is_to_left = matches!(to, Place::Outside { is_left: true, .. })
        || matches!(from, Place::Outside { is_left: false, .. });
    // The signs where it starts, and where it ends.
    let (at_start, at_end) = match (arrow.head, arrow.is_decorated) {
        (Head::Cross, true) => ("o", "x"),
        (Head::Cross, false) => ("", "x"),
        (_, true) => ("", "o"),
        (_, false) => ("", ""),
    };
    let tail = if arrow.is_bidirectional { left } else { "" };
    let arrow = match is_to_left {
        true => format!("{}{at_end}{left}{dashes}{at_start}{}", to.before(), from.behind()),
        false => format!("{}{at_start}{tail}{dashes}{right}{at_end}{}", from.before(), to.behind()),
    };
    let sign = sign.map(|it| format!(" {it}{it}")).unwrap_or_default();
    let text = if text.is_empty() { String::new() } else { format!(" : {text}") };
    format!("{arrow}{sign}{text}")
}

pub(super) fn note(side: Side, over: &str, text: &str) -> String {
    let place = match (side, over) {
        (Side::Over, "") => "across".to_owned(),
        (Side::Over, over) => format!("over {over}"),
        (Side::Left, "") => "left".to_owned(),
        (Side::Right, "") => "right".to_owned(),
        (Side::Left, over) => format!("left of {over}"),
        (Side::Right, over) => format!("right of {over}"),
    };
    format!("note {place} : {text}")
}
