//! A label that all words have divides them: the labels before it, itself, and the labels after it. Both sides may
//! share labels, which then play several roles.

use crate::arrow::Label;
use crate::language::{Facts, Language, ranked};
use crate::split::{Split, occurrences};
use fixedbitset::FixedBitSet;

/// How many divisions are tried at each place.
const TRIED: usize = 3;

/// Which occurrence of a label divides a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    First,
    Last,
}

/// Divisions by the labels that mix the fewest others.
pub(crate) fn cuts(language: &Language, facts: &Facts) -> Vec<Split> {
    if language.words().len() < 2 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for label in ranked(&language.labels(), facts) {
        let counts = language.words().iter().map(|(word, _)| occurrences(word, label));
        let (least, most) = counts.fold((usize::MAX, 0), |(a, b), it| (a.min(it), b.max(it)));
        if least == 0 {
            continue;
        }
        let both = [Which::First, Which::Last];
        for which in if most == 1 { &both[..1] } else { &both[..] } {
            found.extend(divided(language, facts, label, *which));
        }
    }
    found.sort_by_key(mixed);
    found.truncate(TRIED);
    found
}

/// How many labels the parts have, those of several parts once for each.
fn mixed(split: &Split) -> usize {
    split.parts.iter().map(|part| part.labels().count_ones(..)).sum()
}

/// The language as the labels before a label, the label, and those after it.
fn divided(language: &Language, facts: &Facts, label: Label, which: Which) -> Option<Split> {
    let (mut before, mut own, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for (word, count) in language.words() {
        let mut places = (0..word.len()).filter(|&at| word[at] == label);
        let at = match which {
            Which::First => places.next(),
            Which::Last => places.next_back(),
        };
        let [first, last] = sides(word, at?, facts);
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
