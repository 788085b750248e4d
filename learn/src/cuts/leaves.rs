//! Languages that are not taken apart.

use crate::arrow::Label;
use crate::bits::{of_choice, of_repetitions};
use crate::language::{Facts, Language, Word, ranked};
use crate::part::Part;
use crate::tree::{Repetitions, Tree};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The most times that one label is written out.
const WRITTEN_OUT: usize = 3;
/// The most alternatives that are written out, and the most labels of all of them.
const MOST_VARIANTS: usize = 200;
const MOST_WRITTEN: usize = 20_000;

fn arrow(label: Label) -> Rc<Tree> {
    Rc::new(Tree::Arrow(label))
}

fn sequence(word: &[Label]) -> Rc<Tree> {
    Tree::seq(word.iter().map(|&it| arrow(it)))
}

/// A language of one word in which no label repeats, or with one label alone.
pub(crate) fn simple(language: &Language, facts: &Facts) -> Option<Part> {
    let words = language.words();
    let of = |word: &Word| Part { tree: sequence(word), bits: 0.0 };
    let labels = language.labels();
    let (word, _) = words.first()?;
    if words.len() == 1 && (labels.count_ones(..) == word.len() || word.len() <= WRITTEN_OUT) {
        return Some(of(word));
    }
    let label = ranked(&labels, facts).first().copied().filter(|_| labels.count_ones(..) == 1)?;
    if words.iter().any(|(word, _)| word.is_empty()) {
        return None;
    }
    let numbers = lengths(language);
    let tree = Tree::repeated(arrow(label), Repetitions::new(&numbers));
    Some(Part { tree, bits: of_repetitions(&numbers) })
}

/// Each word as an alternative.
pub(crate) fn variants(language: &Language) -> Option<Part> {
    let words = language.words();
    let written = words.iter().map(|(word, _)| word.len()).sum::<usize>();
    if words.len() > MOST_VARIANTS || written > MOST_WRITTEN {
        return None;
    }
    let tree = Tree::alt(words.iter().map(|(word, count)| (sequence(word), *count)));
    Some(Part { tree, bits: of_choice(words.iter().map(|(_, count)| *count)) })
}

/// Any number of any of its labels.
pub(crate) fn flower(language: &Language, facts: &Facts) -> Part {
    let labels = language.labels();
    let numbers = lengths(language);
    let mut counts = vec![0; facts.len()];
    for (word, count) in language.words() {
        word.iter().for_each(|&label| counts[label as usize] += count);
    }
    let labelled = ranked(&labels, facts);
    // They are different: nothing is to be merged.
    let body = match &labelled[..] {
        [label] => arrow(*label),
        _ => Rc::new(Tree::Alt(
            labelled.iter().map(|&it| (arrow(it), counts[it as usize])).collect(),
        )),
    };
    let repetitions = Repetitions::new(&numbers);
    let tree = Tree::repeated(body, repetitions);
    let bits = repetitions.sum as f64 * (labels.count_ones(..) as f64).log2();
    Part { tree, bits: bits + of_repetitions(&numbers) }
}

/// How many words have each length.
fn lengths(language: &Language) -> BTreeMap<usize, u64> {
    let mut numbers = BTreeMap::new();
    for (word, count) in language.words() {
        *numbers.entry(word.len()).or_default() += count;
    }
    numbers
}
