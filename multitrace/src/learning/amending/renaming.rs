//! Messages that have another name than in a diagram.

use super::writing::Drawn;
use crate::diff::SignatureDiff;
use crate::monitor::Monitor;
use multitrace_formats::diagram::{Notation, message_lines};
use multitrace_formats::source::Span;
use multitrace_interaction::{Action, names};
use multitrace_learn::Observations;
use std::collections::BTreeSet;

/// The name of a message in a diagram, and in sessions.
pub(super) type Rename = (String, String);

/// Messages that no session has, each with the one that only sessions have at the same lifelines, if it is the only one.
pub(super) fn renames(monitor: &Monitor, observations: &Observations) -> Vec<Rename> {
    let (alphabet, signature) = (monitor.alphabet(), &observations.signature);
    let own: BTreeSet<String> = letters(monitor).map(str::to_owned).collect();
    let logs = observations.sessions.iter().flat_map(|(logs, _)| logs.iter().flatten());
    let actions: BTreeSet<_> = logs.copied().collect();
    let text = |action: &Action| {
        let name = signature.lifeline_name(action.lifeline);
        let lifeline = alphabet.lifeline_called(name).unwrap_or(name);
        names::action_text(lifeline, action.kind, signature.message_name(action.message))
    };
    let logged: BTreeSet<String> = actions.iter().map(text).collect();
    let only = |of: &BTreeSet<String>, other| of.difference(other).cloned().collect();
    let letters = [only(&own, &logged), only(&logged, &own)];
    let signature = SignatureDiff { letters, ..SignatureDiff::default() };
    let has = |letters: &BTreeSet<String>, message| letters.iter().any(|it| is_of(it, message));
    let renamed = signature.renamed().into_iter();
    let renamed = renamed.filter(|(old, new)| !has(&logged, old) && !has(&own, new));
    renamed.map(|(old, new)| (old.to_owned(), new.to_owned())).collect()
}

/// Whether a specification has a message.
pub(super) fn has_message(monitor: &Monitor, message: &str) -> bool {
    letters(monitor).any(|it| is_of(it, message))
}

fn letters(monitor: &Monitor) -> impl Iterator<Item = &str> {
    let alphabet = monitor.alphabet();
    alphabet.letters().map(|it| alphabet.letter_name(it))
}

fn is_of(letter: &str, message: &str) -> bool {
    names::split_action(letter).is_some_and(|it| it.2 == message)
}

impl Drawn<'_> {
    /// The text with new names of messages at all arrows; `None` if one is at no arrow, or cannot be written.
    pub(super) fn with_new_names(&self, renames: &[Rename]) -> Option<String> {
        let mut labels: Vec<(Span, String)> = Vec::new();
        for (old, new) in renames {
            let [old, new] = [old, new].map(|it| label(self.notation, it));
            let (old, new) = (old?, new?);
            let all = self.outline.0.iter().flat_map(|it| &it.items).flat_map(|it| &it.labels);
            let before = labels.len();
            let renamed = all.filter(|it| self.text[it.start..it.end].trim() == old);
            labels.extend(renamed.map(|it| (*it, new.clone())));
            if labels.len() == before {
                return None;
            }
        }
        labels.sort_by_key(|(span, _)| span.start);
        let (mut text, mut end) = (String::new(), 0);
        for (span, new) in labels {
            let label = &self.text[span.start..span.end];
            let space = label.len() - label.trim_start().len();
            text.extend([&self.text[end..span.start + space], &new]);
            end = span.start + label.trim_end().len();
        }
        Some(text + &self.text[end..])
    }
}

/// The text of an arrow with a message.
fn label(notation: Notation, message: &str) -> Option<String> {
    let lines = message_lines(notation, Some("a"), Some("b"), message)?;
    let (_, label) = lines.last()?.split_once(": ")?;
    Some(label.to_owned())
}
