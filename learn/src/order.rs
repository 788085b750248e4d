//! In which order labels that share a lifeline stand in words.

use crate::language::{Facts, Language};
use fixedbitset::FixedBitSet;

/// For each label, those that stand before it.
pub(crate) type Before = Vec<FixedBitSet>;

/// The local order of a language.
pub(crate) struct Order {
    /// An event of the label stands before one of this in some word, and they share a lifeline.
    pub(crate) any: Before,
    /// The same for events of the same number: the first before the first, the second before the second.
    pub(crate) same_number: Before,
}

/// The order of the labels of a language.
pub(crate) fn order(language: &Language, facts: &Facts) -> Order {
    let size = facts.len();
    let empty = || vec![FixedBitSet::with_capacity(size); size];
    let mut order = Order { any: empty(), same_number: empty() };
    let mut counts = vec![0_usize; size];
    for (word, _) in language.words() {
        let mut seen = FixedBitSet::with_capacity(size);
        for &label in word.iter() {
            let at = label as usize;
            let mut before = seen.clone();
            before.intersect_with(facts.dependent(label));
            order.any[at].union_with(&before);
            let own = counts[at];
            before.ones().filter(|&it| it != at && counts[it] > own).for_each(|it| {
                order.same_number[at].insert(it);
            });
            seen.insert(at);
            counts[at] += 1;
        }
        word.iter().for_each(|&label| counts[label as usize] = 0);
    }
    order
}

/// All labels that stand before each, directly or through others.
pub(crate) fn closed(before: &Before, labels: &FixedBitSet) -> Before {
    let mut closed = before.clone();
    for middle in labels.ones() {
        let through = closed[middle].clone();
        for label in labels.ones().filter(|&it| it != middle) {
            if closed[label].contains(middle) {
                closed[label].union_with(&through);
            }
        }
    }
    closed
}
