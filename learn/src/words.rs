//! Matched sessions become words of labels, in an order that all their logs allow.

// An arrow whose reception once had to wait is loose: in all sessions its emission and its receptions are labels of
// their own, which stand apart, so that no message crosses a label.

use crate::arrow::{Arrow, Arrows, Label};
use crate::language::{Facts, Language, Word};
use crate::matching::{Matched, Replayed};
use multitrace_interaction::LifelineId;
use std::collections::BTreeSet;

/// The words of sessions, and the facts on their labels.
pub(crate) struct Words {
    pub(crate) facts: Facts,
    /// The word of each session.
    pub(crate) words: Vec<Word>,
}

impl Words {
    /// The words of sessions, each as often as a function says.
    pub(crate) fn language(&self, count: impl Fn(usize) -> u64) -> Language {
        let words = self.words.iter().enumerate();
        let counted = words.map(|(at, word)| (Word::clone(word), count(at)));
        Language::new(counted.filter(|(_, count)| *count > 0))
    }
}

/// The words of matched sessions, with how often each session counts. One that counts zero times has no influence on the
/// words of others.
pub(crate) fn words(arrows: &mut Arrows, sessions: &[(Matched, u64)], counts: &[u64]) -> Words {
    let loose = loose(arrows, sessions, counts);
    let words: Vec<Vec<Label>> =
        sessions.iter().map(|(matched, _)| word(matched, arrows, &loose)).collect();
    let places = mean_places(arrows.len(), words.iter().zip(counts.iter().copied()));
    let facts = Facts::new(arrows, &places);
    let words = words.iter().map(|word| facts.canonical(word)).collect();
    Words { facts, words }
}

/// Arrows whose reception had to wait in some session.
fn loose(arrows: &Arrows, sessions: &[(Matched, u64)], counts: &[u64]) -> BTreeSet<Label> {
    let counting = sessions.iter().zip(counts).filter(|(_, count)| **count > 0);
    counting.flat_map(|((matched, _), _)| waiting(matched, arrows)).collect()
}

/// The arrows of a session whose reception has to wait.
pub(crate) fn waiting<'a>(
    matched: &'a Matched,
    arrows: &'a Arrows,
) -> impl Iterator<Item = Label> + 'a {
    let sent = matched.steps.iter().filter_map(|step| match step {
        Replayed::Sent(instance) => Some(matched.labels[*instance]),
        Replayed::Passed(_) | Replayed::Received(..) => None,
    });
    sent.filter(|label| !arrows.arrow(*label).receivers.is_empty())
}

fn word(matched: &Matched, arrows: &mut Arrows, loose: &BTreeSet<Label>) -> Vec<Label> {
    let mut word = Vec::with_capacity(matched.steps.len());
    for &step in &matched.steps {
        let (Replayed::Passed(at) | Replayed::Sent(at) | Replayed::Received(at, _)) = step;
        let label = matched.labels[at];
        match step {
            Replayed::Passed(_) if loose.contains(&label) => {
                word.push(emission(label, arrows));
                for receiver in arrows.arrow(label).receivers.clone() {
                    word.push(reception(label, receiver, arrows));
                }
            }
            Replayed::Sent(_) if loose.contains(&label) => word.push(emission(label, arrows)),
            Replayed::Passed(_) | Replayed::Sent(_) => word.push(label),
            Replayed::Received(_, receiver) => word.push(reception(label, receiver, arrows)),
        }
    }
    word
}

fn emission(of: Label, arrows: &mut Arrows) -> Label {
    let Arrow { sender, message, .. } = *arrows.arrow(of);
    arrows.intern(Arrow { sender, message, receivers: Vec::new(), end_of: Some(of) })
}

fn reception(of: Label, receiver: LifelineId, arrows: &mut Arrows) -> Label {
    let message = arrows.arrow(of).message;
    arrows.intern(Arrow { sender: None, message, receivers: vec![receiver], end_of: Some(of) })
}

/// The mean place of each label in the words that have it, from 0 to 1.
fn mean_places<'a>(labels: usize, words: impl Iterator<Item = (&'a Vec<Label>, u64)>) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); labels];
    for (word, count) in words {
        for (at, &label) in word.iter().enumerate() {
            let (sum, number) = &mut sums[label as usize];
            *sum += count as f64 * at as f64 / word.len() as f64;
            *number += count as f64;
        }
    }
    sums.into_iter().map(|(sum, number)| if number > 0.0 { sum / number } else { 0.0 }).collect()
}
