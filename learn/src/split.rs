//! A language taken apart: an operator, and the languages of its operands.

use crate::arrow::Label;
use crate::language::{Facts, Language, Word};
use crate::tree::Repetitions;

/// How a language is put together from others.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// One after the other.
    Seq,
    /// All, interleaved.
    Par,
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
    /// What it costs to put the words of the parts together.
    pub(crate) bits: f64,
}

impl Split {
    pub(crate) fn seq(parts: Vec<Language>) -> Split {
        Split { shape: Shape::Seq, parts, bits: 0.0 }
    }
}

/// The words of a language cut at places, as repetitions of one language; `None` if no word repeats it.
pub(crate) fn repeated(
    language: &Language,
    facts: &Facts,
    cuts: impl Fn(&Word) -> Vec<usize>,
) -> Option<(Language, Repetitions)> {
    let (mut pieces, mut sum) = (Vec::new(), 0);
    for (word, count) in language.words() {
        let mut start = 0;
        for end in cuts(word).into_iter().chain([word.len()]) {
            pieces.push((facts.canonical(&word[start..end]), *count));
            sum += count;
            start = end;
        }
    }
    let words = language.total();
    let repetitions = Repetitions { may_be_none: false, words, sum };
    (sum > words).then(|| (Language::new(pieces), repetitions))
}

/// How often a label is in a word.
pub(crate) fn occurrences(word: &[Label], label: Label) -> usize {
    word.iter().filter(|&&it| it == label).count()
}
