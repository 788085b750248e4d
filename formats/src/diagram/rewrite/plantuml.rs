//! Pieces of statements in PlantUML.

use super::texts::Texts;
use crate::diagram::model::{Arrow, Head, Looks, Note, Side, Sign};
use crate::diagram::plantuml::turned;
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

pub(super) fn declaration(name: &str, kind: &str, label: Option<&str>, looks: &Looks) -> String {
    match label {
        Some(label) => format!("{kind} {label} as {name} {}", looks.behind),
        None => format!("{kind} {name} {}", looks.behind),
    }
}

/// The first line of a box with a title in quotes.
pub(super) fn opened_box(title: &str, looks: &Looks) -> String {
    format!("box {title} {}", looks.behind)
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
    (arrow, looks): (Arrow, &Looks),
    sign: Option<char>,
    text: &str,
) -> String {
    let (style, halves, slant) = arrow_parts(&looks.within);
    let (half, half_tail) = halves.split_once(',').unwrap_or((halves, ""));
    let dashes = format!("-{style}{}", if arrow.is_dotted { "-" } else { "" });
    let right = head(arrow.head, half);
    let left = turned(right);
    let tail = match arrow.tail {
        Some(_) if !half_tail.is_empty() => half_tail.to_owned(),
        tail => tail.map_or_else(String::new, |it| turned(head(it, ""))),
    };
    let is_to_left = matches!(to, Place::Outside { is_left: true, .. })
        || matches!(from, Place::Outside { is_left: false, .. });
    // The signs where it starts, and where it ends.
    let [at_start, at_end] = arrow.signs.map(|it| match it {
        None => "",
        Some(Sign::Circle) => "o",
        Some(Sign::Cross) => "x",
    });
    let at_end = if arrow.head == Head::Cross { "x" } else { at_end };
    let arrow = match is_to_left {
        true => {
            format!("{}{at_end}{slant}{left}{dashes}{at_start}{}", to.before(), from.behind())
        }
        false => {
            let (from, to) = (from.before(), to.behind());
            format!("{from}{at_start}{tail}{dashes}{right}{slant}{at_end}{to}")
        }
    };
    let sign = sign.map(|it| format!(" {it}{it}")).unwrap_or_default();
    let text = if text.is_empty() { String::new() } else { format!(" : {text}") };
    let behind = before_blank(&looks.behind);
    let anchor = if looks.before.is_empty() { "" } else { " " };
    format!("{}{anchor}{arrow}{sign}{behind}{text}", looks.before)
}

/// A head, or half of one, at the right end of an arrow.
fn head(head: Head, half: &str) -> &str {
    match head {
        _ if !half.is_empty() => half,
        Head::Open => ">>",
        _ => ">",
    }
}

/// The style of an arrow, halves of its heads, and its slant.
pub(super) fn arrow_parts(within: &str) -> (&str, &str, &str) {
    let (style, within) = within.split_at(within.find(']').map_or(0, |end| end + 1));
    let (half, slant) = within.split_at(within.find('(').unwrap_or(within.len()));
    (style, half, slant)
}

fn before_blank(looks: &str) -> String {
    if looks.is_empty() { String::new() } else { format!(" {looks}") }
}

/// A note of one or of several lines.
pub(super) fn note(note: &Note, over: &str, text: &str) -> Vec<String> {
    let Looks { before, within, behind, .. } = &note.looks;
    let row = if before.is_empty() { "" } else { "/ " };
    let kind = if within.is_empty() { "note" } else { within };
    let start = format!("{row}{kind} {}{}", place(note.side, over), before_blank(behind));
    with_text(start, text, "end note")
}

pub(super) fn reference(note: &Note, over: &str, text: &str) -> Vec<String> {
    let behind = &note.looks.behind;
    let start = match behind.starts_with('#') {
        true => format!("ref{behind} over {over}"),
        false => format!("ref over {over}{}", before_blank(behind)),
    };
    with_text(start, text, "end ref")
}

fn with_text(start: String, text: &str, end: &str) -> Vec<String> {
    if !text.contains('\n') {
        return vec![format!("{start} : {text}")];
    }
    let lines = text.split('\n').map(str::to_owned);
    [start].into_iter().chain(lines).chain([end.to_owned()]).collect()
}

fn place(side: Side, over: &str) -> String {
    match (side, over) {
        (Side::Over, "") => "across".to_owned(),
        (Side::Over, over) => format!("over {over}"),
        (Side::Left, "") => "left".to_owned(),
        (Side::Right, "") => "right".to_owned(),
        (Side::Left, over) => format!("left of {over}"),
        (Side::Right, over) => format!("right of {over}"),
    }
}
