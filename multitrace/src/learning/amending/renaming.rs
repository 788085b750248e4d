//! Messages that have another name than in a diagram.

use super::writing::Drawn;
use super::{Amended, Amender};
use crate::diff::SignatureDiff;
use crate::error::Error;
use crate::learning::verifying::Verifier;
use crate::monitor::Monitor;
use crate::spec::Spec;
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

impl Amender<'_> {
    /// The specification with the new names of messages that a session has, if that alone lets one pass, and what else lets
    /// this one pass then.
    pub(super) fn renamed(
        &self,
        at: usize,
        spec: &Spec,
        drawn: &Drawn<'_>,
    ) -> Result<Option<Result<Amended, &'static str>>, Error> {
        let signature = &self.learnt.observations.signature;
        let logs = self.learnt.observations.sessions[at].0.iter().flatten();
        let names: BTreeSet<&str> = logs.map(|it| signature.message_name(it.message)).collect();
        let is_here =
            |(old, new): &&Rename| names.contains(new.as_str()) && has_message(&self.monitor, old);
        let renames: Vec<Rename> = self.renames.iter().filter(is_here).cloned().collect();
        let text = if renames.is_empty() { None } else { drawn.with_new_names(&renames) };
        let Some(text) = text else { return Ok(None) };
        let Some(amended) = self.checked(spec.with_text(text))? else { return Ok(None) };
        // A message that is new beside other changes may be another one.
        let explains = amended.failing.len() < self.failing.len();
        if !explains || renames.iter().any(|(old, _)| has_message(&amended.monitor, old)) {
            return Ok(None);
        }
        if amended.failing.binary_search(&at).is_err() {
            return Ok(Some(Ok(Amended { renames, ..amended })));
        }
        let Amended { spec, monitor, failing, .. } = amended;
        let verifier = Verifier::new(&self.learnt.observations, &self.learnt.locations);
        let (spec, renames_left) = (Some(spec), Vec::new());
        let amender = Amender { verifier, spec, monitor, failing, renames: renames_left, ..*self };
        Ok(Some(amender.amended(at)?.map(|it| Amended { renames, ..it })))
    }
}

/// Whether a specification has a message.
fn has_message(monitor: &Monitor, message: &str) -> bool {
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
