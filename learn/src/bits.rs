//! The costs of numbers and choices in bits.

use crate::tree::Repetitions;
use std::collections::BTreeMap;

/// The bits that tell which of two things happens, for all of some choices.
pub(crate) fn of_choice(counts: impl IntoIterator<Item = u64> + Clone) -> f64 {
    let total: u64 = counts.clone().into_iter().sum();
    let of = |count: u64| -(count as f64) * (count as f64 / total as f64).log2();
    counts.into_iter().filter(|&it| it > 0).map(of).sum()
}

/// The bits that tell how often something repeats in each word, by how many words repeat it how often: after each
/// repetition, whether another one follows; or all numbers from the least to the largest alike, whatever takes less.
pub(crate) fn of_repetitions(words_by_number: &BTreeMap<usize, u64>) -> f64 {
    let words: u64 = words_by_number.values().sum();
    let least = usize::from(!words_by_number.contains_key(&0));
    let most = words_by_number.keys().next_back().copied().unwrap_or(least);
    let more: u64 = words_by_number.iter().map(|(it, words)| (it - least) as u64 * words).sum();
    let first = Repetitions::new(words_by_number).least().max(least);
    let bounds = if first > 1 { 2.0 } else { 1.0 } * ((most + 1) as f64).log2();
    let alike = words as f64 * ((most - first + 1) as f64).log2() + bounds;
    of_choice([more, words]).min(alike)
}

/// The bits of one way among all ways to interleave parts of these lengths.
pub(crate) fn of_interleaving(lengths: &[usize]) -> f64 {
    let all: usize = lengths.iter().sum();
    of_order(all) - lengths.iter().map(|&it| of_order(it)).sum::<f64>()
}

/// The bits of one order among all orders of so many things.
pub(crate) fn of_order(of: usize) -> f64 {
    (2..=of).map(|it| (it as f64).log2()).sum()
}

/// How many bits two columns of small numbers tell of one another, over weighted rows, more than chance explains.
pub(crate) fn shared(a: &[u8], b: &[u8], weights: &[u64]) -> f64 {
    const VALUES: usize = 8;
    let mut table = [[0_u64; VALUES]; VALUES];
    for ((&a, &b), &weight) in a.iter().zip(b).zip(weights) {
        table[usize::from(a)][usize::from(b)] += weight;
    }
    let rows = table.map(|row| row.iter().sum::<u64>());
    let columns: [u64; VALUES] = std::array::from_fn(|at| table.iter().map(|row| row[at]).sum());
    let total = weights.iter().sum::<u64>() as f64;
    let mut bits = 0.0;
    for (row, &of_row) in table.iter().zip(&rows) {
        for (&count, &of_column) in row.iter().zip(&columns).filter(|(count, _)| **count > 0) {
            bits +=
                count as f64 * (count as f64 * total / (of_row as f64 * of_column as f64)).log2();
        }
    }
    let used = |sums: &[u64]| sums.iter().filter(|&&it| it > 0).count() as f64 - 1.0;
    let freedom = used(&rows) * used(&columns);
    // The information that independent columns share on average (half a nat a degree of freedom), and two deviations.
    bits - std::f64::consts::LOG2_E
        * (freedom / 2.0 + if freedom > 1.0 { (2.0 * freedom).sqrt() } else { 0.0 })
}
