//! Alternatives whose labels never meet in a word.

use crate::bits::of_choice;
use crate::components::components;
use crate::language::{Facts, Language};
use crate::split::{Shape, Split};
use fixedbitset::FixedBitSet;

/// The language as alternatives without a common label, if it has several.
pub(crate) fn cut(language: &Language, facts: &Facts) -> Option<Split> {
    let labels = language.labels();
    let mut neighbours = vec![FixedBitSet::with_capacity(facts.len()); facts.len()];
    for pair in language.words().iter().flat_map(|(word, _)| word.windows(2)) {
        neighbours[pair[0] as usize].insert(pair[1] as usize);
        neighbours[pair[1] as usize].insert(pair[0] as usize);
    }
    let groups = components(&labels, facts, |label| neighbours[label as usize].clone());
    if groups.len() < 2 {
        return None;
    }
    let of = |group: &FixedBitSet| {
        language.parted(|word| word.first().is_some_and(|it| group.contains(*it as usize))).0
    };
    let parts: Vec<Language> = groups.iter().map(of).collect();
    let bits = of_choice(parts.iter().map(Language::total));
    Some(Split { shape: Shape::Alt, parts, bits, is_searched: false })
}
