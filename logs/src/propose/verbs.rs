//! Texts that say whether something was sent or received, anywhere in them.

use super::json_text::{HEAD, marks};
use super::values::toml_text;
use crate::survey::{FieldSample, Survey};
use std::collections::BTreeSet;

/// A text that says in each record whether something was sent or received, anywhere in it.
pub(super) struct Verbs<'s> {
    pub(super) sample: &'s FieldSample,
    marks: [&'static str; 2],
}

impl Verbs<'_> {
    /// Whether the texts say nothing else: `message sent`, `message received`.
    pub(super) fn are_all(&self) -> bool {
        let [one, other] = self.marks;
        let rest = |text: &str| {
            let words = text.split_whitespace();
            let others = words.filter(|word| !word.contains(one) && !word.contains(other));
            others.map(str::to_owned).collect::<Vec<_>>()
        };
        self.sample.distinct().into_iter().map(rest).collect::<BTreeSet<_>>().len() == 1
    }

    /// Whether they stand in this field.
    pub(super) fn is_in(&self, other: &FieldSample) -> bool {
        other.path == self.sample.path
    }

    /// Whether something was sent or received.
    pub(super) fn direction(&self) -> String {
        let Verbs { sample, marks: [one, other] } = self;
        format!(
            "direction = {{ field = {}, emission = '/{one}/', reception = '/{other}/' }}",
            toml_text(&sample.path)
        )
    }

    /// The word behind the verb.
    pub(super) fn message(&self) -> String {
        let [one, other] = self.marks;
        format!(
            "message = {{ field = {}, match = '(?:{one}|{other})\\w*:?\\s+(?<message>[^\\s,;]+)' }}",
            toml_text(&self.sample.path)
        )
    }
}

impl Survey {
    /// The words before JSON, or another text with blanks, with the marks of its directions.
    pub(super) fn verbs(&self) -> Option<Verbs<'_>> {
        let is_text = |it: &&FieldSample| it.path == HEAD || it.present().all(has_second_word);
        let mut texts = self.samples.iter().filter(is_text).filter(|it| self.is_in_all(it));
        texts.find_map(|sample| {
            let marks = marks(sample.present().collect::<Vec<_>>().into_iter())?;
            Some(Verbs { sample, marks })
        })
    }
}

/// Whether a text has several words.
pub(super) fn has_second_word(text: &str) -> bool {
    text.split_whitespace().nth(1).is_some()
}
