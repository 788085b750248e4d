//! A language taken apart: an operator, and the languages of its operands.

use crate::arrow::Label;
use crate::bits::of_repetitions;
use crate::language::{Facts, Language, Word};
use crate::tree::Repetitions;
use std::collections::BTreeMap;

/// How a language is put together from others.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// One after the other.
    Seq,
    /// All, interleaved; with how many words have another order of them than most.
    Par(u64),
    /// One of them.
    Alt,
    /// The one, repeated.
    Loop(Repetitions),
    /// The first, and then any number of times the second and the first again.
    Redo(Repetitions),
}

/// A language taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    pub(crate) shape: Shape,
    pub(crate) parts: Vec<Language>,
    /// The cost of putting the words of the parts together.
    pub(crate) bits: f64,
    /// Whether it is one of several of its kind, which are tried only so deep.
    pub(crate) is_searched: bool,
}

impl Split {
    pub(crate) fn seq(parts: Vec<Language>) -> Split {
        Split { shape: Shape::Seq, parts, bits: 0.0, is_searched: false }
    }
}

/// The words of a language cut at places, as repetitions of one language; `None` if no word repeats it.
pub(crate) fn repeated(
    language: &Language,
    facts: &Facts,
    cuts: impl Fn(&Word) -> Vec<usize>,
) -> Option<Split> {
    let (mut pieces, mut numbers) = (Vec::new(), BTreeMap::new());
    for (word, count) in language.words() {
        let mut start = 0;
        let ends: Vec<usize> = cuts(word).into_iter().chain([word.len()]).collect();
        *numbers.entry(ends.len()).or_default() += count;
        for end in ends {
            pieces.push((&word[start..end], *count));
            start = end;
        }
    }
    let repetitions = Repetitions::new(&numbers);
    let is_repeated = numbers.keys().any(|&it| it > 1);
    let (shape, bits) = (Shape::Loop(repetitions), of_repetitions(&numbers));
    is_repeated.then(|| Split {
        shape,
        parts: vec![Language::in_order(facts, pieces)],
        bits,
        is_searched: false,
    })
}

/// How often a label is in a word.
pub(crate) fn occurrences(word: &[Label], label: Label) -> usize {
    word.iter().filter(|&&it| it == label).count()
}
