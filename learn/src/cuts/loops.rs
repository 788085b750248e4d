//! Repetitions: a part that ends and begins again.

use crate::arrow::Label;
use crate::bits::of_repetitions;
use crate::components::components;
use crate::language::{Facts, Language, Word};
use crate::split::{Shape, Split, repeated};
use crate::tree::Repetitions;
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

/// All ways to see the language as repetitions.
pub(crate) fn cuts(language: &Language, facts: &Facts) -> Vec<Split> {
    let ends = Ends::new(language, facts.len());
    let found =
        [redo(language, facts, &ends), at_ends(language, facts, &ends), at_first(language, facts)];
    found.into_iter().flatten().collect()
}

/// The labels that words begin and end with.
struct Ends {
    first: FixedBitSet,
    last: FixedBitSet,
}

impl Ends {
    fn new(language: &Language, size: usize) -> Ends {
        let empty = || FixedBitSet::with_capacity(size);
        let mut ends = Ends { first: empty(), last: empty() };
        for (word, _) in language.words() {
            ends.first.extend(word.first().map(|&it| it as usize));
            ends.last.extend(word.last().map(|&it| it as usize));
        }
        ends
    }
}

/// Cut where a label that words end with stands before one that words begin with.
fn at_ends(language: &Language, facts: &Facts, ends: &Ends) -> Option<Split> {
    let cuts = |word: &Word| {
        let is_cut = |&at: &usize| {
            ends.last.contains(word[at - 1] as usize) && ends.first.contains(word[at] as usize)
        };
        (1..word.len()).filter(is_cut).collect()
    };
    repeated(language, facts, cuts)
}

/// Cut before each label that all words begin with.
fn at_first(language: &Language, facts: &Facts) -> Option<Split> {
    let first: Label = *language.words().first()?.0.first()?;
    if !language.words().iter().all(|(word, _)| word.first() == Some(&first)) {
        return None;
    }
    let cuts = |word: &Word| (1..word.len()).filter(|&at| word[at] == first).collect();
    repeated(language, facts, cuts)
}

/// A part, and any number of times another part and the first again.
fn redo(language: &Language, facts: &Facts, ends: &Ends) -> Option<Split> {
    let redo = redo_labels(language, facts, ends)?;
    let (mut bodies, mut redos) = (Vec::new(), Vec::new());
    let mut numbers: BTreeMap<usize, u64> = BTreeMap::new();
    for (word, count) in language.words() {
        let runs = word.chunk_by(|&a, &b| redo.contains(a as usize) == redo.contains(b as usize));
        let mut number = 0;
        for run in runs {
            let is_redo = redo.contains(run[0] as usize);
            let to = if is_redo { &mut redos } else { &mut bodies };
            to.push((run, *count));
            number += usize::from(is_redo);
        }
        *numbers.entry(number).or_default() += count;
    }
    let repetitions = Repetitions { may_be_none: true, ..Repetitions::new(&numbers) };
    let bits = of_repetitions(&numbers);
    let parts = [bodies, redos].map(|it| Language::in_order(facts, it)).to_vec();
    Some(Split { shape: Shape::Redo(repetitions), parts, bits, is_searched: false })
}

/// The labels that only stand between an end and a beginning.
fn redo_labels(language: &Language, facts: &Facts, ends: &Ends) -> Option<FixedBitSet> {
    let mut middle = language.labels();
    middle.difference_with(&ends.first);
    middle.difference_with(&ends.last);
    let size = facts.len();
    let empty = || vec![FixedBitSet::with_capacity(size); size];
    let (mut before, mut after) = (empty(), empty());
    for pair in language.words().iter().flat_map(|(word, _)| word.windows(2)) {
        after[pair[0] as usize].insert(pair[1] as usize);
        before[pair[1] as usize].insert(pair[0] as usize);
    }
    let neighbours = |label: Label| {
        let mut all = before[label as usize].clone();
        all.union_with(&after[label as usize]);
        all.intersect_with(&middle);
        all
    };
    let outside = |group: &FixedBitSet, of: &[FixedBitSet]| {
        let mut all = FixedBitSet::with_capacity(size);
        group.ones().for_each(|it| all.union_with(&of[it]));
        all.difference_with(group);
        all
    };
    let mut redo = FixedBitSet::with_capacity(size);
    for group in components(&middle, facts, neighbours) {
        let (into, out) = (outside(&group, &before), outside(&group, &after));
        let is_between = into.is_subset(&ends.last) && out.is_subset(&ends.first);
        if is_between && !into.is_clear() && !out.is_clear() {
            redo.union_with(&group);
        }
    }
    (!redo.is_clear()).then_some(redo)
}
