//! Repetitions at the same time: a part that begins again before it has ended.

// Idea: a label that all words begin with begins each repetition. The words with one of it show what a repetition is; the
// others are taken apart into such repetitions, label by label: each label continues one of those that have begun, the
// first of them if possible. Where that leads nowhere, the next one is tried. Cost: a number of tries for each label.

use crate::arrow::Label;
use crate::bits::{of_interleaving, of_order, of_repetitions};
use crate::language::{Facts, Language, Word};
use crate::split::{Shape, Split, occurrences};
use crate::tree::Repetitions;
use std::collections::BTreeMap;

/// More different repetitions, or more labels in one of them, are not looked at: a set of places is a word of bits.
const MOST_BODIES: usize = 64;
const MOST_LABELS: usize = 64;
/// A label is tried so often on average, and some more in short languages; estimates, not measured.
const MOST_TRIES: usize = 4;
const FEW_TRIES: usize = 2_000;
/// Each label is a level of recursion: longer words are not looked at.
const LONGEST: usize = 1_000;

/// The language as repetitions that are interleaved.
pub(crate) fn cut(language: &Language, facts: &Facts) -> Option<Split> {
    let first: Label = *language.words().first()?.0.first()?;
    if !language.words().iter().all(|(word, _)| word.first() == Some(&first)) {
        return None;
    }
    let (alone, repeated) = language.parted(|word| occurrences(word, first) == 1);
    if repeated.words().is_empty() || alone.words().len() > MOST_BODIES {
        return None;
    }
    let lengths = || language.words().iter().map(|(word, _)| word.len());
    if lengths().any(|it| it > LONGEST) {
        return None;
    }
    let mut tries = FEW_TRIES + MOST_TRIES * lengths().sum::<usize>();
    let bodies: Option<Vec<Body>> =
        alone.words().iter().map(|(word, _)| Body::new(word, facts)).collect();
    let bodies = bodies.filter(|it| !it.is_empty())?;
    let (mut threads, mut numbers, mut bits) = (Vec::new(), BTreeMap::new(), 0.0);
    for (word, count) in language.words() {
        let search =
            Search { bodies: &bodies, first, word, threads: Vec::new(), tries: &mut tries };
        let parts = search.parts()?;
        let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
        bits += *count as f64 * (of_interleaving(&lengths) - of_order(parts.len())).max(0.0);
        *numbers.entry(parts.len()).or_default() += count;
        threads.extend(parts.into_iter().map(|it| (it, *count)));
    }
    let repetitions = Repetitions { may_overlap: true, ..Repetitions::new(&numbers) };
    Some(Split {
        shape: Shape::Loop(repetitions),
        parts: vec![Language::in_order(facts, threads)],
        bits: bits + of_repetitions(&numbers),
        is_searched: false,
    })
}

/// A repetition that was seen alone: its labels, and for each the places before it that it shares a lifeline with.
struct Body {
    labels: Word,
    before: Vec<u64>,
}

impl Body {
    fn new(word: &Word, facts: &Facts) -> Option<Body> {
        let before = |at: usize| {
            let dependent = facts.dependent(word[at]);
            (0..at).filter(|&it| dependent.contains(word[it] as usize)).map(|it| 1 << it).sum()
        };
        (word.len() <= MOST_LABELS)
            .then(|| Body { labels: word.clone(), before: (0..word.len()).map(before).collect() })
    }

    /// The places that have been reached once a label comes after others, if it may.
    fn after(&self, reached: u64, label: Label) -> Option<u64> {
        let is_next = |&at: &usize| {
            self.labels[at] == label && reached & (1 << at) == 0 && self.before[at] & !reached == 0
        };
        (0..self.labels.len()).find(is_next).map(|at| reached | 1 << at)
    }

    fn is_whole(&self, reached: u64) -> bool {
        reached.count_ones() as usize == self.labels.len()
    }
}

/// A repetition that has begun: the bodies that it may be, each with the places reached, and its labels up to now.
struct Thread {
    may_be: Vec<(usize, u64)>,
    labels: Vec<Label>,
}

struct Search<'a> {
    bodies: &'a [Body],
    first: Label,
    word: &'a [Label],
    threads: Vec<Thread>,
    /// How many more labels may be given to a thread.
    tries: &'a mut usize,
}

impl Search<'_> {
    /// The repetitions that the word is made of.
    fn parts(mut self) -> Option<Vec<Vec<Label>>> {
        self.finds(0).then(|| self.threads.into_iter().map(|it| it.labels).collect())
    }

    /// Whether the rest of the word, from some place, continues the threads to their ends.
    fn finds(&mut self, at: usize) -> bool {
        let Some(&label) = self.word.get(at) else { return self.is_whole() };
        if *self.tries == 0 {
            return false;
        }
        *self.tries -= 1;
        if label == self.first {
            let none: Vec<_> = (0..self.bodies.len()).map(|it| (it, 0)).collect();
            let may_be = self.continued(&none, label);
            self.threads.push(Thread { may_be, labels: vec![label] });
            return self.finds(at + 1) || self.threads.pop().is_none();
        }
        for own in 0..self.threads.len() {
            let before = &self.threads[own].may_be;
            // Threads that are as far are the same.
            if self.threads[..own].iter().any(|it| it.may_be == *before) {
                continue;
            }
            let next = self.continued(before, label);
            if next.is_empty() {
                continue;
            }
            let before = std::mem::replace(&mut self.threads[own].may_be, next);
            self.threads[own].labels.push(label);
            if self.finds(at + 1) {
                return true;
            }
            self.threads[own].may_be = before;
            self.threads[own].labels.pop();
        }
        false
    }

    /// The bodies that a thread may be once a label continues it.
    fn continued(&self, may_be: &[(usize, u64)], label: Label) -> Vec<(usize, u64)> {
        let next = |&(body, reached): &(usize, u64)| {
            self.bodies[body].after(reached, label).map(|it| (body, it))
        };
        may_be.iter().filter_map(next).collect()
    }

    fn is_whole(&self) -> bool {
        let is_whole =
            |it: &Thread| it.may_be.iter().any(|&(body, at)| self.bodies[body].is_whole(at));
        self.threads.iter().all(is_whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrow::{Arrow, Arrows};
    use multitrace_interaction::{Id, LifelineId, MessageId};

    /// Arrows between two lifelines, as many as there are letters.
    fn facts() -> Facts {
        let mut arrows = Arrows::default();
        for message in 0..4 {
            arrows.intern(Arrow {
                sender: Some(LifelineId::new(message % 2)),
                message: MessageId::new(message),
                receivers: vec![LifelineId::new(1 - message % 2)],
                end_of: None,
            });
        }
        Facts::new(&arrows, &[0.1, 0.2, 0.3, 0.4])
    }

    fn language(words: &[&str]) -> Language {
        let word = |it: &str| it.bytes().map(|it| Label::from(it - b'a')).collect::<Vec<_>>();
        Language::new(words.iter().map(|it| (Word::from(word(it)), 1)))
    }

    fn parts(words: &[&str]) -> Option<Language> {
        cut(&language(words), &facts()).map(|it| it.parts[0].clone())
    }

    #[test]
    fn repetitions_that_overlap_are_those_that_were_seen_alone() {
        assert_eq!(
            parts(&["abc", "aabbcc", "aabcbc"]),
            Some(Language::new(language(&["abc"]).words().iter().map(|(it, _)| (it.clone(), 5))))
        );
        let both = parts(&["abd", "acd", "aacbdd"]);
        assert_eq!(both.map(|it| it.words().len()), Some(2));
    }

    #[test]
    fn where_the_first_repetition_cannot_end_another_one_goes_on() {
        // The first of both `b` belongs to the repetition that ends with `d`.
        let both = parts(&["abbd", "abc", "aabbbcd", "aabbbdc"]);
        assert_eq!(both.map(|it| it.total()), Some(6));
    }

    #[test]
    fn a_word_that_is_no_such_repetition_refuses_the_cut() {
        assert_eq!(parts(&["abc", "aabbc"]), None, "one has no end");
        assert_eq!(parts(&["aabb", "aaabbb"]), None, "none was seen alone");
        assert_eq!(parts(&["ab", "abc"]), None, "nothing repeats");
        assert_eq!(parts(&["ab", "ba", "aabb"]), None, "not all begin alike");
    }
}
