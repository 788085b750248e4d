//! An interaction as it is learnt: a tree of operators with the numbers that support it.

use crate::arrow::Label;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An operator over arrows. Numbers are of the words that were learnt from: a session passes a place once for each
/// repetition of the loops around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tree {
    #[default]
    Empty,
    Arrow(Label),
    Seq(Vec<Rc<Tree>>),
    /// With how many words have another order of them than most; 0 where no order can be seen.
    Par(Vec<Rc<Tree>>, u64),
    /// Each alternative with how many words take it.
    Alt(Vec<(Rc<Tree>, u64)>),
    /// With how many words have it, and how many do not.
    Opt(Rc<Tree>, [u64; 2]),
    Loop(Rc<Tree>, Repetitions),
}

/// How often a loop repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repetitions {
    /// Whether one may begin before the one before it has ended.
    pub(crate) may_overlap: bool,
    /// Whether it may have no repetition.
    pub(crate) may_be_none: bool,
    /// The least and the largest number of repetitions.
    pub(crate) bounds: [usize; 2],
    /// How many words repeat it least.
    pub(crate) at_least: u64,
    /// How many words have it.
    pub(crate) words: u64,
    /// How often it repeats in all of them.
    pub(crate) sum: u64,
}

impl Repetitions {
    /// By how many words repeat it how often.
    pub(crate) fn new(words_by_number: &BTreeMap<usize, u64>) -> Repetitions {
        let (&least, &at_least) = words_by_number.first_key_value().unwrap_or((&0, &0));
        let most = words_by_number.last_key_value().map_or(0, |(&most, _)| most);
        Repetitions {
            may_overlap: false,
            may_be_none: least == 0,
            bounds: [least, most],
            at_least,
            words: words_by_number.values().sum(),
            sum: words_by_number.iter().map(|(number, words)| *number as u64 * words).sum(),
        }
    }
}

/// Fewer words say nothing of bounds; an estimate, not measured.
const BOUNDED: u64 = 20;
/// The most arrows that are written for the repetitions that each session has.
const MOST_COPIED: usize = 50;

impl Repetitions {
    /// The least number of repetitions. More than one is a bound only if many words say so.
    pub(crate) fn least(&self) -> usize {
        let is_certain = self.words >= BOUNDED && self.at_least * BOUNDED > self.words;
        match self.bounds[0] {
            _ if self.may_be_none => 0,
            least if is_certain => least,
            _ => 1,
        }
    }

    /// How often a body of some arrows is there at least, and whether it may be there more often.
    pub(crate) fn copies(&self, arrows: usize) -> (usize, bool) {
        match self.least() {
            0 => (0, true),
            1 => (1, true),
            least if least * arrows > MOST_COPIED => (1, true),
            least => (least, least < self.bounds[1]),
        }
    }
}

impl Tree {
    /// One after the other; no nested sequence, nothing empty.
    pub(crate) fn seq(parts: impl IntoIterator<Item = Rc<Tree>>) -> Rc<Tree> {
        let mut all = Vec::new();
        for part in parts {
            match &*part {
                Tree::Empty => {}
                Tree::Seq(inner) => all.extend(inner.iter().cloned()),
                _ => all.push(part),
            }
        }
        match all.len() {
            0 => Rc::new(Tree::Empty),
            1 => all.remove(0),
            _ => Rc::new(Tree::Seq(all)),
        }
    }

    pub(crate) fn par(parts: impl IntoIterator<Item = Rc<Tree>>, mut others: u64) -> Rc<Tree> {
        let mut all = Vec::new();
        for part in parts {
            match &*part {
                Tree::Empty => {}
                Tree::Par(inner, inner_others) => {
                    all.extend(inner.iter().cloned());
                    others = if others == 0 { *inner_others } else { others.min(*inner_others) };
                }
                _ => all.push(part),
            }
        }
        match all.len() {
            0 => Rc::new(Tree::Empty),
            1 => all.remove(0),
            _ => Rc::new(Tree::Par(all, others)),
        }
    }

    /// One of them. Alternatives of alternatives are alternatives; the part that all begin or end with stands before or
    /// after them.
    pub(crate) fn alt(parts: impl IntoIterator<Item = (Rc<Tree>, u64)>) -> Rc<Tree> {
        let mut all: Vec<(Rc<Tree>, u64)> = Vec::new();
        let mut none = 0;
        for (part, count) in parts {
            none += flatten(part, count, &mut all);
        }
        let some: u64 = all.iter().map(|(_, count)| count).sum();
        let tree = match all.len() {
            0 => return Rc::new(Tree::Empty),
            1 => Rc::clone(&all[0].0),
            _ if none > 0 => Rc::new(Tree::Alt(all)),
            _ => factored(all),
        };
        if none > 0 { Tree::opt(tree, [some, none]) } else { tree }
    }

    pub(crate) fn opt(tree: Rc<Tree>, counts: [u64; 2]) -> Rc<Tree> {
        match &*tree {
            _ if tree.may_be_empty() => tree,
            Tree::Loop(body, repetitions) => {
                let [some, none] = counts;
                let words = some + none;
                let repetitions = Repetitions { may_be_none: true, words, ..*repetitions };
                Rc::new(Tree::Loop(Rc::clone(body), repetitions))
            }
            _ => Rc::new(Tree::Opt(tree, counts)),
        }
    }

    pub(crate) fn repeated(body: Rc<Tree>, repetitions: Repetitions) -> Rc<Tree> {
        match &*body {
            Tree::Empty => body,
            Tree::Loop(inner, other) => {
                let may_be_none = repetitions.may_be_none || other.may_be_none;
                let may_overlap = repetitions.may_overlap || other.may_overlap;
                let (bounds, sum) = ([0, usize::MAX], other.sum);
                let repetitions =
                    Repetitions { may_overlap, may_be_none, bounds, sum, ..repetitions };
                Rc::new(Tree::Loop(Rc::clone(inner), repetitions))
            }
            Tree::Opt(inner, _) => Rc::new(Tree::Loop(
                Rc::clone(inner),
                Repetitions { may_be_none: true, ..repetitions },
            )),
            _ => Rc::new(Tree::Loop(body, repetitions)),
        }
    }

    /// Whether it may be nothing.
    fn may_be_empty(&self) -> bool {
        match self {
            Tree::Empty | Tree::Opt(..) => true,
            Tree::Arrow(_) => false,
            Tree::Seq(parts) | Tree::Par(parts, _) => parts.iter().all(|it| it.may_be_empty()),
            Tree::Alt(parts) => parts.iter().any(|(it, _)| it.may_be_empty()),
            Tree::Loop(_, repetitions) => repetitions.may_be_none,
        }
    }

    /// How many operators and arrows it has.
    pub(crate) fn size(&self) -> usize {
        match self {
            Tree::Empty | Tree::Arrow(_) => 1,
            Tree::Seq(parts) | Tree::Par(parts, _) => {
                1 + parts.iter().map(|it| it.size()).sum::<usize>()
            }
            Tree::Alt(parts) => 1 + parts.iter().map(|(it, _)| it.size()).sum::<usize>(),
            Tree::Opt(body, _) | Tree::Loop(body, _) => 1 + body.size(),
        }
    }

    /// How many arrows it has.
    pub(crate) fn arrows(&self) -> usize {
        self.arrows_that(&|_| true)
    }

    /// How many arrows of a kind it has.
    pub(crate) fn arrows_that(&self, are: &dyn Fn(Label) -> bool) -> usize {
        match self {
            Tree::Empty => 0,
            Tree::Arrow(label) => usize::from(are(*label)),
            Tree::Seq(parts) | Tree::Par(parts, _) => {
                parts.iter().map(|it| it.arrows_that(are)).sum()
            }
            Tree::Alt(parts) => parts.iter().map(|(it, _)| it.arrows_that(are)).sum(),
            Tree::Opt(body, _) | Tree::Loop(body, _) => body.arrows_that(are),
        }
    }

    /// Whether two have the same operators and arrows, whatever their numbers.
    fn is_same(&self, other: &Tree) -> bool {
        match (self, other) {
            (Tree::Seq(a), Tree::Seq(b)) | (Tree::Par(a, _), Tree::Par(b, _)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
            }
            (Tree::Alt(a), Tree::Alt(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((a, _), (b, _))| a.is_same(b))
            }
            (Tree::Opt(a, _), Tree::Opt(b, _)) => a.is_same(b),
            (Tree::Loop(a, m), Tree::Loop(b, n)) => {
                let arrows = a.arrows();
                m.may_overlap == n.may_overlap
                    && m.copies(arrows) == n.copies(arrows)
                    && a.is_same(b)
            }
            _ => self == other,
        }
    }

    fn parts(self: &Rc<Tree>) -> &[Rc<Tree>] {
        match &**self {
            Tree::Seq(parts) => parts,
            Tree::Empty => &[],
            _ => std::slice::from_ref(self),
        }
    }
}

/// Adds a part to alternatives; returns how many words are empty.
fn flatten(part: Rc<Tree>, count: u64, all: &mut Vec<(Rc<Tree>, u64)>) -> u64 {
    match &*part {
        Tree::Empty => count,
        Tree::Opt(inner, [_, none]) => flatten(Rc::clone(inner), count - none, all) + none,
        Tree::Alt(inner) => {
            inner.iter().for_each(|(part, count)| add(Rc::clone(part), *count, all));
            0
        }
        _ => {
            add(part, count, all);
            0
        }
    }
}

fn add(part: Rc<Tree>, count: u64, all: &mut Vec<(Rc<Tree>, u64)>) {
    match all.iter_mut().find(|(known, _)| known.is_same(&part)) {
        Some((_, known)) => *known += count,
        None => all.push((part, count)),
    }
}

/// Alternatives with the part that all begin or end with outside of them.
fn factored(all: Vec<(Rc<Tree>, u64)>) -> Rc<Tree> {
    let parts: Vec<&[Rc<Tree>]> = all.iter().map(|(tree, _)| tree.parts()).collect();
    let shortest = parts.iter().map(|it| it.len()).min().unwrap_or(0);
    let first = parts[0];
    let is_common = |at: &dyn Fn(&[Rc<Tree>]) -> usize| {
        parts.iter().all(|it| it[at(it)].is_same(&first[at(first)]))
    };
    let before = (0..shortest).take_while(|&at| is_common(&|_| at)).count();
    let after = (0..shortest - before).take_while(|&at| is_common(&|it| it.len() - 1 - at)).count();
    if before + after == 0 {
        return Rc::new(Tree::Alt(all));
    }
    let inner = |(tree, count): &(Rc<Tree>, u64)| {
        let parts = tree.parts();
        (Tree::seq(parts[before..parts.len() - after].iter().cloned()), *count)
    };
    let middle = Tree::alt(all.iter().map(inner));
    let (start, end) = (&first[..before], &first[first.len() - after..]);
    Tree::seq(start.iter().cloned().chain([middle]).chain(end.iter().cloned()))
}
