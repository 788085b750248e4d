//! How the names of an interaction are written in a diagram.

use super::lines::{NotationLine, Writer};
use super::refusal::{Refusal, refuse};
use super::trial::{Trial, label_read};
use crate::diagram::Notation;
use crate::hif::ParsedSpec;
use crate::source::Diagnostics;
use multitrace_interaction::{Id, LifelineId, MessageId, Signature, names};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;

/// The forms of all names.
pub(super) struct Names {
    lifelines: Vec<String>,
    /// The label of each lifeline that has one.
    labels: BTreeMap<LifelineId, String>,
    messages: Vec<Option<MessageForm>>,
}

/// How a message is written.
struct MessageForm {
    /// The text of its arrows.
    text: String,
    /// The directive that gives the name for the text.
    directive: Option<String>,
}

impl Names {
    /// Finds the forms; names without one are refused.
    pub(super) fn find(
        notation: Notation,
        parsed: &ParsedSpec,
        labels: &BTreeMap<LifelineId, String>,
        refusals: &mut Diagnostics,
    ) -> Names {
        let signature = &parsed.signature;
        let lifelines = signature.lifelines().map(|id| {
            let found = lifeline_form(notation, signature.lifeline_name(id));
            if found.is_none() {
                refuse(parsed, &Refusal::Participant(notation, id), refusals);
            }
            found.unwrap_or_default()
        });
        let lifelines = lifelines.collect();
        let labels = labels.iter().map(|(&id, label)| {
            let form = label_form(notation, label);
            if form.is_none() {
                refuse(parsed, &Refusal::Participant(notation, id), refusals);
            }
            (id, form.unwrap_or_default())
        });
        let labels = labels.collect();
        let mut messages: Vec<Option<MessageForm>> = Vec::new();
        messages.resize_with(signature.messages().len(), || None);
        let used: BTreeSet<MessageId> = parsed.interaction.actions().map(|it| it.message).collect();
        let mut taken = HashSet::new();
        for id in used {
            let found = message_form(notation, signature, signature.message_name(id), &mut taken);
            if found.is_none() {
                refuse(parsed, &Refusal::Message(notation, id), refusals);
            }
            messages[id.index()] = found;
        }
        Names { lifelines, labels, messages }
    }

    /// A participant as it stands in statements.
    pub(super) fn lifeline(&self, id: LifelineId) -> &str {
        self.lifelines.get(id.index()).map_or("", String::as_str)
    }

    /// The label of a participant, if it has another one than its name.
    pub(super) fn label(&self, id: LifelineId) -> Option<&str> {
        self.labels.get(&id).map(String::as_str)
    }

    /// The text of a message.
    pub(super) fn message(&self, id: MessageId) -> &str {
        let form = self.messages.get(id.index()).and_then(Option::as_ref);
        form.map_or("", |form| form.text.as_str())
    }

    /// The directives that messages need.
    pub(super) fn directives(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().flatten().filter_map(|form| form.directive.as_deref())
    }
}

/// A name that is not this one, and has a form everywhere.
fn other_than(name: &str) -> &'static str {
    if name == "other" { "another" } else { "other" }
}

/// How a label is written at the head of a participant; `None` for one that the notation cannot write.
pub fn label_form(notation: Notation, label: &str) -> Option<String> {
    let keeps: [fn(char) -> bool; 2] = [keeps_usual, keeps_plain];
    let is_label = |form: &String| {
        let mut writer = Writer::new(notation, false);
        writer.line(&NotationLine::Participant("other", Some(form)));
        writer.line(&NotationLine::Emission("other", "m"));
        label_read(notation, &writer.finish()).as_deref() == Some(label)
    };
    let forms = std::iter::once(label.to_owned())
        .chain(keeps.into_iter().map(|keeps| escaped(notation, label, keeps)));
    forms.into_iter().filter(|_| !label.contains(['\n', '\r', '"'])).find(is_label)
}

/// A name for a participant that has one which no notation can write: the letters and digits of that.
pub fn plain_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if plain.chars().any(char::is_alphanumeric) { plain } else { format!("lifeline{plain}") }
}

/// How a participant is written in statements; `None` for a name that the notation cannot write.
pub fn lifeline_form(notation: Notation, name: &str) -> Option<String> {
    let other = other_than(name);
    let succeeds = |form: &String| {
        let participants = [(name, form.as_str()), (other, other)];
        Trial { notation, setting: None, participants, messages: [("m", "m"), ("n", "n")] }
            .succeeds()
    };
    let forms = match notation {
        Notation::Mermaid => vec![name.to_owned()],
        Notation::PlantUml => vec![name.to_owned(), format!("\"{name}\"")],
    };
    // A name of several lines would be several statements.
    let is_line = !name.contains(['\n', '\r']);
    forms.into_iter().filter(|_| is_line).find(succeeds)
}

/// The lines that say a message in a diagram, or one end of it; `None` if the notation has no form for a name, or only one with a
/// directive for the whole diagram.
///
/// ```
/// use multitrace_formats::diagram::{Notation, message_lines};
/// let lines = |from, to| message_lines(Notation::Mermaid, from, to, "charge");
/// assert_eq!(lines(Some("shop"), Some("bank")).expect("a form"), ["shop->>bank: charge"]);
/// let received = lines(None, Some("bank")).expect("a form");
/// assert_eq!(received, ["%% multitrace: received", "bank->>bank: charge"]);
/// ```
pub fn message_lines(
    notation: Notation,
    from: Option<&str>,
    to: Option<&str>,
    message: &str,
) -> Option<Vec<String>> {
    let ends = [from, to].into_iter().flatten().map(|it| lifeline_form(notation, it));
    let ends: Vec<String> = ends.collect::<Option<_>>()?;
    let form = message_form(notation, &Signature::default(), message, &mut HashSet::new())?;
    if form.directive.is_some() {
        return None;
    }
    let mut writer = Writer::inside(notation);
    writer.line(&match (&ends[..], from) {
        ([from, to], _) => NotationLine::Arrow(from, to, &form.text),
        ([at], Some(_)) => NotationLine::Emission(at, &form.text),
        ([at], None) => NotationLine::Reception(at, &form.text),
        _ => return None,
    });
    Some(writer.lines())
}

fn message_form(
    notation: Notation,
    signature: &Signature,
    name: &str,
    taken: &mut HashSet<String>,
) -> Option<MessageForm> {
    let other = other_than(name);
    let succeeds = |text: &str, setting: Option<&str>| {
        let participants = [("a", "a"), ("b", "b")];
        let messages = [(name, text), (other, other)];
        Trial { notation, setting, participants, messages }.succeeds()
    };
    if !name.contains(['\n', '\r']) {
        for keeps in [keeps_all, keeps_usual, keeps_plain] {
            let text = escaped(notation, name, keeps);
            if succeeds(&text, None) {
                return Some(MessageForm { text, directive: None });
            }
        }
    }
    let text = stand_in(signature, name, taken);
    let directive = format!("message {} is {}", names::quoted(&text), names::quoted(name));
    let is_read = succeeds(&text, Some(&directive));
    is_read.then_some(MessageForm { text, directive: Some(directive) })
}

fn keeps_all(_: char) -> bool {
    true
}

/// Signs that mean nothing to either notation inside of a text, unless doubled.
fn keeps_usual(c: char) -> bool {
    keeps_plain(c) || "(),.?!+-/_=".contains(c)
}

fn keeps_plain(c: char) -> bool {
    c.is_alphanumeric() || c == ' '
}

/// A text with the numbers of those characters that are not kept.
fn escaped(notation: Notation, text: &str, keeps: fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        let written = match notation {
            _ if keeps(c) => write!(escaped, "{c}"),
            Notation::Mermaid => write!(escaped, "#{};", u32::from(c)),
            Notation::PlantUml => write!(escaped, "<U+{:04X}>", u32::from(c)),
        };
        // Writing to a text does not fail.
        written.unwrap_or_default();
    }
    escaped
}

/// A harmless text in place of a name: its letters and digits, which no other message has.
fn stand_in(signature: &Signature, name: &str, taken: &mut HashSet<String>) -> String {
    let letters: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = letters.split_whitespace().collect();
    let base = if words.is_empty() { "message".to_owned() } else { words.join(" ") };
    let mut text = base.clone();
    for number in 2_u64.. {
        let is_new = signature.message(&text).is_none() && taken.insert(text.clone());
        if is_new {
            break;
        }
        text = format!("{base} {number}");
    }
    text
}
