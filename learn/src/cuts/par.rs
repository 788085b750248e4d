//! Parts that are interleaved: labels that were seen in both orders, or share no lifeline.

use crate::bits::of_interleaving;
use crate::components::components;
use crate::language::{Facts, Language, ranked};
use crate::order::order;
use crate::split::{Shape, Split, occurrences};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

/// The language as parts that are interleaved.
pub(crate) fn cut(language: &Language, facts: &Facts) -> Option<Split> {
    let labels = language.labels();
    let same = order(language, facts).same_number;
    let ordered = |label: u32| {
        let at = label as usize;
        let mut ordered = facts.dependent(label).clone();
        ordered.intersect_with(&labels);
        let both = |other: &usize| same[at].contains(*other) && same[*other].contains(at);
        let both: Vec<usize> = ordered.ones().filter(both).collect();
        both.into_iter().for_each(|it| ordered.remove(it));
        ordered
    };
    let groups = components(&labels, facts, ordered);
    (groups.len() > 1).then(|| interleaved(language, facts, &groups))
}

/// A label that is in each word once, beside all others.
pub(crate) fn once(language: &Language, facts: &Facts) -> Option<Split> {
    let labels = language.labels();
    let is_once =
        |&label: &u32| language.words().iter().all(|(word, _)| occurrences(word, label) == 1);
    let found = ranked(&labels, facts).into_iter().find(is_once)?;
    let mut own = FixedBitSet::with_capacity(labels.len());
    own.insert(found as usize);
    let mut others = labels;
    others.remove(found as usize);
    (!others.is_clear()).then(|| interleaved(language, facts, &[own, others]))
}

fn interleaved(language: &Language, facts: &Facts, groups: &[FixedBitSet]) -> Split {
    let parts = groups.iter().map(|group| language.project(facts, group)).collect();
    let lengths = |word: &[u32]| -> Vec<usize> {
        let in_group =
            |group: &FixedBitSet| word.iter().filter(|&&it| group.contains(it as usize)).count();
        groups.iter().map(in_group).collect()
    };
    // Which part each label of a word is of, in its order.
    let order = |word: &[u32]| -> Vec<Option<usize>> {
        let group = |label: &u32| groups.iter().position(|it| it.contains(*label as usize));
        word.iter().map(group).collect()
    };
    let mut orders: BTreeMap<Vec<Option<usize>>, u64> = BTreeMap::new();
    language
        .words()
        .iter()
        .for_each(|(word, count)| *orders.entry(order(word)).or_default() += count);
    let others = language.total() - orders.values().max().copied().unwrap_or(0);
    let of_words = language.words().iter();
    let bits = of_words.map(|(word, count)| *count as f64 * of_interleaving(&lengths(word))).sum();
    Split { shape: Shape::Par(others), parts, bits, is_searched: false }
}
