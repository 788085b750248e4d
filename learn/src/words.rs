//! Matched sessions become words: arrows in an order that all their logs allow.

use crate::arrow::{Arrows, Label};
use crate::language::{Facts, Language, Word};
use crate::matching::Matched;
use rustc_hash::FxHashSet;
use std::collections::{BTreeSet, HashMap};

/// The words of sessions, and what is known of their labels.
pub(crate) struct Words {
    pub(crate) facts: Facts,
    /// The word of each session.
    pub(crate) words: Vec<Word>,
}

impl Words {
    /// The words of all sessions that a condition selects, by their numbers.
    pub(crate) fn language(&self, counts: impl Fn(usize) -> u64) -> Language {
        let words = self.words.iter().enumerate();
        let counted = words.map(|(at, word)| (Word::clone(word), counts(at)));
        Language::new(counted.filter(|(_, count)| *count > 0))
    }
}

/// The words of matched sessions.
pub(crate) fn words(arrows: &Arrows, sessions: &[(Matched, u64)]) -> Words {
    let places = mean_places(arrows.len(), sessions);
    let mut crossing = FxHashSet::default();
    let words: Vec<Vec<Label>> =
        sessions.iter().map(|(matched, _)| word(matched, &places, &mut crossing)).collect();
    let facts = Facts::new(arrows, &places, crossing);
    let words = words.iter().map(|word| facts.canonical(word)).collect();
    Words { facts, words }
}

/// The mean place of each arrow in the logs that have it, from 0 to 1.
fn mean_places(arrows: usize, sessions: &[(Matched, u64)]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); arrows];
    for (matched, count) in sessions {
        for order in &matched.orders {
            let length = order.len().max(1) as f64;
            for (at, &instance) in order.iter().enumerate() {
                let (sum, number) = &mut sums[matched.labels[instance] as usize];
                *sum += *count as f64 * at as f64 / length;
                *number += *count as f64;
            }
        }
    }
    sums.into_iter().map(|(sum, number)| if number > 0.0 { sum / number } else { 0.0 }).collect()
}

/// The instances of a session in an order of all logs. Where messages cross, there is none: the instance that waits for
/// the fewest goes first, and crosses those it waits for.
fn word(matched: &Matched, places: &[f64], crossing: &mut FxHashSet<(Label, Label)>) -> Vec<Label> {
    let count = matched.labels.len();
    let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    let mut after: HashMap<usize, Vec<usize>> = HashMap::new();
    for order in &matched.orders {
        for pair in order.windows(2) {
            if pair[0] != pair[1] && before[pair[1]].insert(pair[0]) {
                after.entry(pair[0]).or_default().push(pair[1]);
            }
        }
    }
    let key = |at: usize| (Place(places[matched.labels[at] as usize]), matched.labels[at], at);
    let mut ready: BTreeSet<_> =
        (0..count).filter(|&at| before[at].is_empty()).map(key).collect();
    let mut left: BTreeSet<usize> = (0..count).collect();
    let mut word = Vec::with_capacity(count);
    while !left.is_empty() {
        let next = ready.pop_first().map(|(.., at)| at);
        let least = || left.iter().copied().min_by_key(|&at| (before[at].len(), key(at)));
        let Some(at) = next.or_else(least) else { break };
        for other in std::mem::take(&mut before[at]) {
            let (a, b) = (matched.labels[at], matched.labels[other]);
            crossing.extend([(a, b), (b, a)]);
        }
        left.remove(&at);
        word.push(matched.labels[at]);
        for &other in after.get(&at).into_iter().flatten() {
            if before[other].remove(&at) && before[other].is_empty() && left.contains(&other) {
                ready.insert(key(other));
            }
        }
    }
    word
}

/// A number as a key.
#[derive(Clone, Copy, PartialEq)]
struct Place(f64);

impl Eq for Place {}

impl Ord for Place {
    fn cmp(&self, other: &Place) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
