//! Groups of labels that are connected.

use crate::arrow::Label;
use crate::language::{Facts, ranked};
use fixedbitset::FixedBitSet;

/// The connected components of labels, by a function that tells the neighbours of each; in order of their ranks.
pub(crate) fn components(
    labels: &FixedBitSet,
    facts: &Facts,
    neighbours: impl Fn(Label) -> FixedBitSet,
) -> Vec<FixedBitSet> {
    let mut left = labels.clone();
    let mut found = Vec::new();
    for label in ranked(labels, facts) {
        if !left.contains(label as usize) {
            continue;
        }
        let mut component = FixedBitSet::with_capacity(labels.len());
        let mut todo = vec![label];
        left.remove(label as usize);
        while let Some(label) = todo.pop() {
            component.insert(label as usize);
            let mut next = neighbours(label);
            next.intersect_with(&left);
            left.difference_with(&next);
            todo.extend(next.ones().map(|it| it as Label));
        }
        found.push(component);
    }
    found
}
