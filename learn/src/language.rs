//! Languages: words of arrows with their numbers, and the facts on the arrows.

use crate::arrow::{Arrow, Arrows, Label, MOST_ARROWS};
use crate::bits::of_choice;
use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use multitrace_interaction::Id;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hash::Hash;
use std::rc::Rc;

/// A session, or a part of one, as a sequence of labels. Neighbours without a common lifeline may be exchanged: words
/// are kept in one order of all those that such exchanges make equal.
pub(crate) type Word = Rc<[Label]>;

/// Labels of a word are counted up to this number where counts are compared.
pub(crate) const MOST_COUNTED: u8 = 7;

/// Words with their numbers, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Language(Rc<[(Word, u64)]>);

impl Language {
    /// The language of these words, equal ones added up.
    pub(crate) fn new(words: impl IntoIterator<Item = (Word, u64)>) -> Language {
        let mut counts: FxHashMap<Word, u64> = FxHashMap::default();
        for (word, count) in words {
            *counts.entry(word).or_default() += count;
        }
        let mut words: Vec<(Word, u64)> = counts.into_iter().collect();
        words.sort_unstable();
        Language(words.into())
    }

    /// The language of words that are not yet in the one order that stands for all that exchanges make equal. Those that are
    /// there several times are brought into it once.
    pub(crate) fn in_order<W: AsRef<[Label]> + Hash + Eq>(
        facts: &Facts,
        words: impl IntoIterator<Item = (W, u64)>,
    ) -> Language {
        let mut counts: FxHashMap<W, u64> = FxHashMap::default();
        for (word, count) in words {
            *counts.entry(word).or_default() += count;
        }
        let of = |(word, count): (W, u64)| (facts.canonical(word.as_ref()), count);
        Language::new(counts.into_iter().map(of))
    }

    pub(crate) fn words(&self) -> &[(Word, u64)] {
        &self.0
    }

    /// How many words there are, equal ones counted each.
    pub(crate) fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The bits of its words if nothing but their numbers is known of them.
    pub(crate) fn entropy(&self) -> f64 {
        of_choice(self.0.iter().map(|(_, count)| *count))
    }

    /// The words that a function makes of these.
    pub(crate) fn map(&self, facts: &Facts, each: impl Fn(&Word) -> Vec<Label>) -> Language {
        Language::in_order(facts, self.0.iter().map(|(word, count)| (each(word), *count)))
    }

    /// The words that have a property, and the others.
    pub(crate) fn parted(&self, is_in: impl Fn(&Word) -> bool) -> (Language, Language) {
        let (yes, no): (Vec<_>, Vec<_>) = self.0.iter().cloned().partition(|(word, _)| is_in(word));
        (Language(yes.into()), Language(no.into()))
    }

    /// The labels of its words.
    pub(crate) fn labels(&self) -> FixedBitSet {
        let mut labels = FixedBitSet::new();
        for &label in self.0.iter().flat_map(|(word, _)| word.iter()) {
            labels.grow_and_insert(label as usize);
        }
        labels
    }

    /// Per group of labels, how many of them each word has, up to [`MOST_COUNTED`].
    pub(crate) fn columns(
        &self,
        groups: impl ExactSizeIterator<Item = impl IntoIterator<Item = Label>>,
        facts: &Facts,
    ) -> Vec<Vec<u8>> {
        let mut columns = vec![vec![0_u8; self.0.len()]; groups.len()];
        let group_of = facts.group_of(groups);
        for (row, (word, _)) in self.0.iter().enumerate() {
            for &label in word.iter() {
                let number = &mut columns[group_of[label as usize]][row];
                *number = (*number + 1).min(MOST_COUNTED);
            }
        }
        columns
    }

    /// The words without all labels but these.
    pub(crate) fn project(&self, facts: &Facts, labels: &FixedBitSet) -> Language {
        let is_in = |label: &Label| labels.contains(*label as usize);
        self.map(facts, |word| word.iter().copied().filter(is_in).collect())
    }
}

/// The labels of a set, in the order of their ranks.
pub(crate) fn ranked(labels: &FixedBitSet, facts: &Facts) -> Vec<Label> {
    let mut all: Vec<Label> = labels.ones().map(|it| it as Label).collect();
    all.sort_by_key(|&it| facts.rank(it));
    all
}

/// Lifelines, average place and dependent labels of each label.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The lifelines of each label; the ends of an arrow that stand apart share one of their own.
    lifelines: Vec<Vec<usize>>,
    /// The place of each label in the order in which they stand in sessions on average.
    ranks: Vec<usize>,
    /// The labels that share a lifeline with each.
    dependent: Vec<FixedBitSet>,
    /// How many lifelines there are, with those of arrows whose ends stand apart.
    most_lifelines: usize,
    /// The events of each label, by number: equal ones of several labels have one.
    events: Vec<Vec<usize>>,
}

impl Facts {
    /// For arrows, each with its mean place in sessions.
    pub(crate) fn new(arrows: &Arrows, places: &[f64]) -> Facts {
        let lifelines = lifelines(arrows);
        let mut by_place: Vec<usize> = (0..arrows.len()).collect();
        by_place.sort_by(|&a, &b| places[a].total_cmp(&places[b]).then(a.cmp(&b)));
        let mut ranks = vec![0; arrows.len()];
        by_place.into_iter().enumerate().for_each(|(rank, label)| ranks[label] = rank);
        let dependent =
            if lifelines.len() > MOST_ARROWS { Vec::new() } else { dependent(&lifelines) };
        let most_lifelines = lifelines.iter().flatten().max().map_or(0, |it| it + 1);
        Facts { lifelines, ranks, dependent, most_lifelines, events: events(arrows) }
    }

    pub(crate) fn len(&self) -> usize {
        self.lifelines.len()
    }

    /// Whether there are too many labels to look at their order: then each different word is an alternative.
    pub(crate) fn are_too_many(&self) -> bool {
        self.len() > MOST_ARROWS
    }

    /// The lifelines of a label, by number.
    pub(crate) fn lifelines(&self, label: Label) -> &[usize] {
        &self.lifelines[label as usize]
    }

    /// The events of a label, by number.
    pub(crate) fn events(&self, label: Label) -> &[usize] {
        &self.events[label as usize]
    }

    /// For each label, the number of the group that has it; 0 if none has.
    pub(crate) fn group_of(
        &self,
        groups: impl Iterator<Item = impl IntoIterator<Item = Label>>,
    ) -> Vec<usize> {
        let mut group_of = vec![0; self.len()];
        for (at, group) in groups.enumerate() {
            group.into_iter().for_each(|label| group_of[label as usize] = at);
        }
        group_of
    }

    pub(crate) fn rank(&self, label: Label) -> usize {
        self.ranks[label as usize]
    }

    /// The labels that share a lifeline with a label; itself is one. Not known if there are too many.
    pub(crate) fn dependent(&self, label: Label) -> &FixedBitSet {
        &self.dependent[label as usize]
    }

    /// The one order of a word that stands for all that exchanges of independent neighbours make of it: of the labels that
    /// can come next always the one that was there least often, and of those the one of the least rank. So repetitions of a
    /// loop stay together where nothing else says so.
    pub(crate) fn canonical(&self, word: &[Label]) -> Word {
        Exchanges::new(self, word).least(&self.keys(word)).into()
    }

    /// For each label of a word, how often it was there up to then, and its rank.
    fn keys(&self, word: &[Label]) -> Vec<(u32, u32)> {
        let mut numbers = vec![0; self.len()];
        let key = |&label: &Label| {
            let number = &mut numbers[label as usize];
            *number += 1;
            (*number, self.rank(label) as u32)
        };
        word.iter().map(key).collect()
    }
}

/// The orders that exchanges of independent neighbours make of a word.
struct Exchanges<'a> {
    word: &'a [Label],
    /// For each place, how many others come directly before it, each counted once for a lifeline.
    waits: Vec<u32>,
    /// For each place, the next one at each lifeline of its label, or [`END`]: those of place `at` begin at `starts[at]`.
    next: Vec<u32>,
    starts: Vec<u32>,
}

/// No place.
const END: u32 = u32::MAX;

impl<'a> Exchanges<'a> {
    fn new(facts: &Facts, word: &'a [Label]) -> Exchanges<'a> {
        // For each lifeline, where the place after its last one is to be written.
        let mut open = vec![END; facts.most_lifelines];
        let (mut waits, mut starts) = (vec![0; word.len()], Vec::with_capacity(word.len() + 1));
        let mut next = Vec::with_capacity(2 * word.len());
        for (at, &label) in word.iter().enumerate() {
            starts.push(next.len() as u32);
            for &lifeline in facts.lifelines(label) {
                let before = std::mem::replace(&mut open[lifeline], next.len() as u32);
                next.push(END);
                if before != END {
                    next[before as usize] = at as u32;
                    waits[at] += 1;
                }
            }
        }
        starts.push(next.len() as u32);
        Exchanges { word, waits, next, starts }
    }

    /// The order where each label comes after those it waits for, and of those that wait for nothing the one with
    /// the least key comes next.
    fn least(mut self, keys: &[(u32, u32)]) -> Vec<Label> {
        let ready = (0..self.word.len()).filter(|&at| self.waits[at] == 0);
        let mut ready: BinaryHeap<_> = ready.map(|at| Reverse((keys[at], at))).collect();
        let mut ordered = Vec::with_capacity(self.word.len());
        while let Some(Reverse((_, at))) = ready.pop() {
            ordered.push(self.word[at]);
            let own = self.starts[at] as usize..self.starts[at + 1] as usize;
            for after in own.map(|it| self.next[it] as usize).filter(|&it| it != END as usize) {
                self.waits[after] -= 1;
                if self.waits[after] == 0 {
                    ready.push(Reverse((keys[after], after)));
                }
            }
        }
        ordered
    }
}

fn lifelines(arrows: &Arrows) -> Vec<Vec<usize>> {
    let all = || (0..arrows.len()).map(|it| arrows.arrow(it as Label));
    let most = all().flat_map(Arrow::lifelines).map(Id::index).max().unwrap_or(0);
    let of = |arrow: &Arrow| {
        let link = arrow.end_of.map(|whole| most + 1 + whole as usize);
        let mut own: Vec<usize> = arrow.lifelines().map(Id::index).chain(link).collect();
        own.sort_unstable();
        own.dedup();
        own
    };
    all().map(of).collect()
}

fn events(arrows: &Arrows) -> Vec<Vec<usize>> {
    let mut all = IndexSet::new();
    let of = |arrow: &Arrow| {
        let emissions = arrow.sender.into_iter().map(|it| (it, true));
        let events = emissions.chain(arrow.receivers.iter().map(|&it| (it, false)));
        events
            .map(|(at, is_emission)| all.insert_full((at, is_emission, arrow.message)).0)
            .collect()
    };
    (0..arrows.len()).map(|it| arrows.arrow(it as Label)).map(of).collect()
}

fn dependent(lifelines: &[Vec<usize>]) -> Vec<FixedBitSet> {
    let mut at: BTreeMap<usize, FixedBitSet> = BTreeMap::new();
    for (label, own) in lifelines.iter().enumerate() {
        for &lifeline in own {
            at.entry(lifeline).or_default().grow_and_insert(label);
        }
    }
    let of = |own: &Vec<usize>| {
        let mut all = FixedBitSet::with_capacity(lifelines.len());
        own.iter().filter_map(|it| at.get(it)).for_each(|it| all.union_with(it));
        all
    };
    lifelines.iter().map(of).collect()
}
