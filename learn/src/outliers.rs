//! Sessions that have little in common with the others, and cost less on their own than in the learnt interaction.

// Idea: a session is rare if it has something that few sessions have: a label, or a label right after another at a
// lifeline. Those with the rarest are left out, more and more of them, as long as the interaction learnt from the rest
// gets cheaper by more than it costs to say each one left out as a change of another session.

use crate::arrow::{Arrows, Label};
use crate::language::{Facts, Word};
use crate::matching::Matched;
use crate::words::waiting;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The most sets of sessions that are tried.
const TRIED: usize = 4;

/// Something that a word has: a label right after another, or at the beginning or end, of those that share a lifeline.
type Feature = (Option<Label>, Option<Label>, usize);

/// The rarest words, for a number of sessions that may be left out: sets of their numbers, the largest first, each with the
/// bits that it costs to say them on their own.
pub(crate) fn candidates(
    words: &[Word],
    counts: &[u64],
    most: u64,
    facts: &Facts,
) -> Vec<(BTreeSet<usize>, f64)> {
    let support = Support::new(words, counts, facts);
    let mut rare: Vec<(u64, usize)> = (0..words.len())
        .filter(|&at| counts[at] > 0)
        .map(|at| (support.rarest(at), at))
        .filter(|(rarity, _)| *rarity <= most)
        .collect();
    rare.sort_unstable();
    let mut sets: Vec<BTreeSet<usize>> = Vec::new();
    let (mut taken, mut left_out) = (BTreeSet::new(), 0);
    for group in rare.chunk_by(|a, b| a.0 == b.0) {
        left_out += group.iter().map(|(_, at)| counts[*at]).sum::<u64>();
        if left_out > most {
            break;
        }
        taken.extend(group.iter().map(|(_, at)| *at));
        sets.push(taken.clone());
    }
    let own = |set: BTreeSet<usize>| {
        let bits = set.iter().map(|&at| {
            let changes = support.rare(at, most).div_ceil(3).max(1);
            counts[at] as f64 * of_changes(changes, words[at].len(), facts.len())
        });
        let bits = bits.sum();
        (set, bits)
    };
    sets.into_iter().rev().take(TRIED).map(own).collect()
}

/// Of an arrow whose reception has to wait in some sessions, the largest share of those for which that is a fault of
/// these sessions, and not of the interaction. An estimate, not measured.
const SHARE_THAT_WAITS: f64 = 0.1;

/// The sessions where a message crosses others that it does not cross in most sessions, if those are no more than may be
/// left out. One of them would set the ends of the arrow apart in all sessions.
pub(crate) fn crossing(
    sessions: &[(Matched, u64)],
    counts: &[u64],
    most: Option<u64>,
    arrows: &Arrows,
) -> BTreeSet<usize> {
    let Some(most) = most else { return BTreeSet::new() };
    let mut seen = vec![[0_u64; 2]; arrows.len()];
    for ((matched, _), count) in sessions.iter().zip(counts) {
        let all: BTreeSet<Label> = matched.labels.iter().copied().collect();
        all.into_iter().for_each(|it| seen[it as usize][0] += count);
        let waiting: BTreeSet<Label> = waiting(matched, arrows).collect();
        waiting.into_iter().for_each(|it| seen[it as usize][1] += count);
    }
    let is_seldom = |label: Label| {
        let [all, waiting] = seen[label as usize];
        waiting as f64 <= SHARE_THAT_WAITS * all as f64
    };
    let crosses = |at: &usize| counts[*at] > 0 && waiting(&sessions[*at].0, arrows).any(is_seldom);
    let found: BTreeSet<usize> = (0..sessions.len()).filter(crosses).collect();
    let all: u64 = found.iter().map(|&at| counts[at]).sum();
    if all <= most { found } else { BTreeSet::new() }
}

/// The words with something that fewer sessions have.
pub(crate) fn below(words: &[Word], counts: &[u64], least: u64, facts: &Facts) -> BTreeSet<usize> {
    if least <= 1 {
        return BTreeSet::new();
    }
    let support = Support::new(words, counts, facts);
    (0..words.len()).filter(|&at| counts[at] > 0 && support.rarest(at) < least).collect()
}

/// How many sessions have each label, and each label right after another.
struct Support {
    /// Per word, each once.
    features: Vec<Vec<Feature>>,
    sessions: FxHashMap<Feature, u64>,
}

impl Support {
    fn new(words: &[Word], counts: &[u64], facts: &Facts) -> Support {
        let features: Vec<Vec<Feature>> = words.iter().map(|word| features(word, facts)).collect();
        let mut sessions: FxHashMap<Feature, u64> = FxHashMap::default();
        for (features, count) in features.iter().zip(counts) {
            features.iter().for_each(|it| *sessions.entry(*it).or_default() += count);
        }
        Support { features, sessions }
    }

    /// How many sessions have the rarest label or pair of labels of a word.
    fn rarest(&self, at: usize) -> u64 {
        let sessions = self.features[at].iter().map(|it| self.sessions[it]);
        sessions.min().unwrap_or(u64::MAX)
    }

    /// How much a word has that at most some sessions have.
    fn rare(&self, at: usize, most: u64) -> usize {
        self.features[at].iter().filter(|it| self.sessions[*it] <= most).count()
    }
}

/// The bits of some changes of a word.
fn of_changes(changes: usize, length: usize, labels: usize) -> f64 {
    let log2 = |it: usize| ((it + 1) as f64).log2();
    changes as f64 * (log2(length) + log2(labels))
}

fn features(word: &[Label], facts: &Facts) -> Vec<Feature> {
    let mut last: FxHashMap<usize, Label> = FxHashMap::default();
    let mut features = Vec::new();
    for &label in word {
        for &lifeline in facts.lifelines(label) {
            features.push((last.insert(lifeline, label), Some(label), lifeline));
        }
    }
    features.extend(last.into_iter().map(|(lifeline, label)| (Some(label), None, lifeline)));
    features.sort_unstable();
    features.dedup();
    features
}
