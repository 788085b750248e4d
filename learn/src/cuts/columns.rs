//! Words by their places, counted from the beginning or the end, where all labels share a lifeline.

use crate::arrow::Label;
use crate::bits::shared;
use crate::language::{Facts, Language, Word};
use crate::split::Split;

/// The language by its places: one after the other if all words are as long, else with a beginning or an end of one
/// length. `price` is the bits that a dependence must be worth.
pub(crate) fn cuts(language: &Language, facts: &Facts, price: f64) -> Vec<Split> {
    let words = language.words();
    let lengths = words.iter().map(|(word, _)| word.len());
    let (Some(least), Some(most)) = (lengths.clone().min(), lengths.max()) else {
        return Vec::new();
    };
    if words.len() < 2 || !is_total(language, facts) {
        return Vec::new();
    }
    if least == most {
        return by_place(language, facts, price, least).into_iter().collect();
    }
    [from_end(language, facts, least), from_start(language, facts, least)]
        .into_iter()
        .flatten()
        .collect()
}

/// Whether all labels share a lifeline with each other.
fn is_total(language: &Language, facts: &Facts) -> bool {
    let labels = language.labels();
    labels.ones().all(|label| labels.is_subset(facts.dependent(label as Label)))
}

/// One part for each place, those that tell of one another together.
fn by_place(language: &Language, facts: &Facts, price: f64, length: usize) -> Option<Split> {
    let weights: Vec<u64> = language.words().iter().map(|(_, count)| *count).collect();
    let column = |at: usize| -> Vec<u8> {
        let mut known: Vec<Label> = Vec::new();
        let code = |(word, _): &(Word, u64)| {
            let label = word[at];
            let place = known.iter().position(|&it| it == label).unwrap_or_else(|| {
                known.push(label);
                known.len() - 1
            });
            place.min(7) as u8
        };
        language.words().iter().map(code).collect()
    };
    let columns: Vec<Vec<u8>> = (0..length).map(column).collect();
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < length {
        let (mut end, mut at) = (start, start);
        while at <= end {
            let depends = |other: &usize| shared(&columns[at], &columns[*other], &weights) > price;
            end = (end + 1..length).rev().find(depends).unwrap_or(end);
            at += 1;
        }
        parts.push(language.map(facts, |word| word[start..=end].to_vec()));
        start = end + 1;
    }
    (parts.len() > 1).then(|| Split::seq(parts))
}

/// The rest, and an end that begins with one label in all words.
fn from_end(language: &Language, facts: &Facts, least: usize) -> Option<Split> {
    let at = |word: &Word, place: usize| word[word.len() - place];
    let place = constant(language, (1..=least).rev(), at)?;
    Some(Split::seq(vec![
        language.map(facts, |word| word[..word.len() - place].to_vec()),
        language.map(facts, |word| word[word.len() - place..].to_vec()),
    ]))
}

/// A beginning that ends with one label in all words, and the rest.
fn from_start(language: &Language, facts: &Facts, least: usize) -> Option<Split> {
    let place = constant(language, (1..=least).rev(), |word, place| word[place - 1])?;
    Some(Split::seq(vec![
        language.map(facts, |word| word[..place].to_vec()),
        language.map(facts, |word| word[place..].to_vec()),
    ]))
}

/// The first of some places at which all words have the same label.
fn constant(
    language: &Language,
    mut places: impl Iterator<Item = usize>,
    at: impl Fn(&Word, usize) -> Label,
) -> Option<usize> {
    let (first, _) = language.words().first()?;
    places
        .find(|&place| language.words().iter().all(|(word, _)| at(word, place) == at(first, place)))
}
