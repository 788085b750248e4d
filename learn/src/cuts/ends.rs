//! The labels that all words begin with, and those that all end with.

use crate::language::{Facts, Language, Word};
use crate::split::Split;

/// The common beginning, the rest, and the common end, if words have either.
pub(crate) fn cut(language: &Language, facts: &Facts) -> Option<Split> {
    let words: Vec<&Word> = language.words().iter().map(|(word, _)| word).collect();
    let first = words.first()?;
    let shortest = words.iter().map(|word| word.len()).min()?;
    let before =
        (0..shortest).take_while(|&at| words.iter().all(|word| word[at] == first[at])).count();
    let from_end = |word: &Word, at: usize| word[word.len() - 1 - at];
    let is_same = |at: usize| words.iter().all(|word| from_end(word, at) == from_end(first, at));
    let after = (0..shortest - before).take_while(|&at| is_same(at)).count();
    if before + after == 0 || words.len() < 2 {
        return None;
    }
    let part = |of: &dyn Fn(&Word) -> Vec<u32>| language.map(facts, of);
    let parts = [
        part(&|word| word[..before].to_vec()),
        part(&|word| word[before..word.len() - after].to_vec()),
        part(&|word| word[word.len() - after..].to_vec()),
    ];
    let is_some = |it: &Language| it.words().iter().any(|(word, _)| !word.is_empty());
    Some(Split::seq(parts.into_iter().filter(is_some).collect()))
}
