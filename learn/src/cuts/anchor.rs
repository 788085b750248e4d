//! A label that all words have divides them: the labels before it, itself, and the labels after it. Both sides may
//! share labels, which then play several roles.

use crate::arrow::Label;
use crate::language::{Facts, Language, ranked};
use crate::split::Split;
use fixedbitset::FixedBitSet;

/// How many divisions are tried at each place.
const TRIED: usize = 3;

/// Which occurrence of a label divides a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    First,
    Last,
}

impl Which {
    /// The place of the label in a word.
    fn of(self, word: &[Label], label: Label) -> Option<usize> {
        match self {
            Which::First => word.iter().position(|&it| it == label),
            Which::Last => word.iter().rposition(|&it| it == label),
        }
    }
}

/// Divisions by the labels that mix the fewest others.
pub(crate) fn cuts(language: &Language, facts: &Facts) -> Vec<Split> {
    if language.words().len() < 2 {
        return Vec::new();
    }
    let labels = ranked(&language.labels(), facts);
    let counts = language.columns(labels.iter().map(|&it| [it]), facts);
    let mut found = Vec::new();
    for (&label, counts) in labels.iter().zip(counts) {
        let least = counts.iter().min().copied().unwrap_or(0);
        let ways = match counts.iter().max() {
            _ if least == 0 => &[][..],
            Some(1) => &[Which::First][..],
            _ => &[Which::First, Which::Last][..],
        };
        found
            .extend(ways.iter().map(|&which| (mixed(language, facts, label, which), label, which)));
    }
    found.sort_by_key(|it| it.0);
    let found =
        found.into_iter().filter_map(|(_, label, which)| divided(language, facts, label, which));
    found.take(TRIED).collect()
}

/// How many labels the parts of a division have, those of both sides twice.
fn mixed(language: &Language, facts: &Facts, label: Label, which: Which) -> usize {
    let empty = || FixedBitSet::with_capacity(facts.len());
    let mut both = [empty(), empty()];
    for (word, _) in language.words() {
        let Some(at) = which.of(word, label) else { continue };
        for (all, side) in both.iter_mut().zip(sides(word, at, facts)) {
            all.extend(side.into_iter().map(|it| it as usize));
        }
    }
    both.iter().map(|it| it.count_ones(..)).sum()
}

/// The language as the labels before a label, the label, and those after it.
fn divided(language: &Language, facts: &Facts, label: Label, which: Which) -> Option<Split> {
    let (mut before, mut own, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for (word, count) in language.words() {
        let [first, last] = sides(word, which.of(word, label)?, facts);
        before.push((first, *count));
        own.push((vec![label], *count));
        after.push((last, *count));
    }
    let parts = [before, own, after].map(|it| Language::in_order(facts, it));
    let is_some = |it: &Language| it.words().iter().any(|(word, _)| !word.is_empty());
    let parts: Vec<Language> = parts.into_iter().filter(is_some).collect();
    (parts.len() > 1).then(|| Split::seq(parts))
}

/// The labels before and after a place of a word. A label that is not ordered with it stands where it does on average.
fn sides(word: &[Label], at: usize, facts: &Facts) -> [Vec<Label>; 2] {
    let mut is_before = FixedBitSet::with_capacity(word.len());
    let mut causes = facts.dependent(word[at]).clone();
    for other in (0..at).rev() {
        if causes.contains(word[other] as usize) {
            is_before.insert(other);
            causes.union_with(facts.dependent(word[other]));
        }
    }
    let rank = facts.rank(word[at]);
    let mut effects = FixedBitSet::with_capacity(facts.len());
    let mut sides = [Vec::new(), Vec::new()];
    for (other, &label) in word.iter().enumerate() {
        let is_effect = effects.contains(label as usize);
        if other == at {
            effects.union_with(facts.dependent(label));
        } else if is_before.contains(other) || !is_effect && facts.rank(label) < rank {
            sides[0].push(label);
        } else {
            effects.union_with(facts.dependent(label));
            sides[1].push(label);
        }
    }
    sides
}
