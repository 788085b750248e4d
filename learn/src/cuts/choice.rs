//! A choice by the presence of one label: its alternatives may share other labels.

use crate::arrow::Label;
use crate::bits::{of_choice, shared};
use crate::language::{Facts, Language, ranked};
use crate::split::{Shape, Split};
use std::collections::BTreeSet;

/// How many labels are tried at each place.
const TRIED: usize = 2;

/// Choices by the labels whose presence tells most of the other labels.
pub(crate) fn cuts(language: &Language, facts: &Facts) -> Vec<Split> {
    let words = language.words();
    if words.len() < 2 {
        return Vec::new();
    }
    let labels = ranked(&language.labels(), facts);
    let weights: Vec<u64> = words.iter().map(|(_, count)| *count).collect();
    let counts = language.columns(labels.iter().map(|&it| [it]), facts);
    let mut seen = BTreeSet::new();
    let mut scored = Vec::new();
    for (at, label) in labels.iter().enumerate() {
        let presence: Vec<u8> = counts[at].iter().map(|&it| it.min(1)).collect();
        if presence.iter().all(|&it| it == 1) || !seen.insert(presence.clone()) {
            continue;
        }
        let others = counts.iter().enumerate().filter(|(other, _)| *other != at);
        let score: f64 = others.map(|(_, it)| shared(&presence, it, &weights)).sum();
        scored.push((score, *label));
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(TRIED).map(|(_, label)| by_presence(language, label)).collect()
}

fn by_presence(language: &Language, label: Label) -> Split {
    let (with, without) = language.parted(|word| word.contains(&label));
    let bits = of_choice([with.total(), without.total()]);
    Split { shape: Shape::Alt, parts: vec![with, without], bits, is_searched: false }
}
