//! Puts cuts together: of all ways to take a language apart, the one that takes the fewest bits.

// Cost: bits of the tree (a fixed number for each operator and arrow) and those of the words, given the tree. So size
// and precision are weighed by one rule, without a threshold. The part learnt from a language is remembered. No tree
// says words in fewer bits than their entropy: so a cut whose parts have too much of it is not looked into.

use crate::bits::of_choice;
use crate::cuts::{alt, anchor, choice, columns, ends, leaves, loops, par, seq, threads};
use crate::language::{Facts, Language, Word};
use crate::part::Part;
use crate::split::{Shape, Split};
use crate::tree::Tree;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How many cuts may be inside one another before only those are tried that the language leaves no choice about.
const DEPTH: usize = 5;
/// How many labels of words are looked at with all kinds of cuts: seconds; an estimate, not measured. The rest is then
/// learnt without those that look at a language in several ways.
const MOST_WORK: usize = 1_000_000;
/// The same for large languages, as a multiple of their size: each is looked at twice at least, as a whole and in
/// parts.
const MOST_VISITS: usize = 4;
/// After as many times that work, only the cut that may be the cheapest is looked into: also without those that are
/// searched, a language may be taken apart in very many ways, such as by one label after another.
const MOST_TRIED: usize = 4;
/// After as many times that work, nothing is taken apart any more.
const MOST_IN_ALL: usize = 32;
/// More sessions weigh as much as so many: two choices are never quite independent, and a large log would pay for a tree
/// that says every small dependence. An estimate: other numbers were not tried.
const MOST_WEIGHED: u64 = 300;

/// Each cut takes the longer the more labels there are; up to this number it makes no difference worth counting.
const USUAL_LABELS: usize = 64;

pub(crate) struct Miner<'f> {
    facts: &'f Facts,
    /// The bits of an operator or arrow.
    price: f64,
    /// The parts learnt from languages, each with the number of choices around it.
    learnt: FxHashMap<Language, (usize, Part)>,
    depth: usize,
    work: usize,
    most_work: usize,
    is_cut: bool,
    /// The work for languages before this one.
    spent: usize,
}

impl<'f> Miner<'f> {
    pub(crate) fn new(facts: &'f Facts, arrows: usize, sessions: u64) -> Miner<'f> {
        // An arrow is one of all arrows or of six operators, and whether the operands end.
        let price = ((arrows + 6) as f64).log2() + 1.0;
        let price = price * (sessions as f64 / MOST_WEIGHED as f64).max(1.0);
        Miner {
            facts,
            price,
            learnt: FxHashMap::default(),
            depth: 0,
            work: 0,
            most_work: 0,
            is_cut: facts.are_too_many(),
            spent: 0,
        }
    }

    /// The work for all languages.
    pub(crate) fn spent(&self) -> usize {
        self.spent + self.work
    }

    /// The part learnt from a language with all the work that one may take, and whether there was too much to look at in all
    /// ways.
    pub(crate) fn mine(&mut self, language: &Language) -> (Part, bool) {
        self.spent += self.work;
        (self.work, self.most_work, self.is_cut) = (0, 0, self.facts.are_too_many());
        self.learnt.clear();
        let part = self.learn(language);
        (part, self.is_cut)
    }

    pub(crate) fn price(&self) -> f64 {
        self.price
    }

    /// The part learnt from a language.
    fn learn(&mut self, language: &Language) -> Part {
        if let Some((_, known)) = self.learnt.get(language).filter(|it| it.0 <= self.depth) {
            return known.clone();
        }
        let size: usize = language.words().iter().map(|(word, _)| 1 + word.len()).sum();
        // Labels are compared with each other.
        let own = language.labels().count_ones(..);
        let size = (size * (1 + self.facts.len() / USUAL_LABELS)).max(own * own);
        self.most_work = self.most_work.max(MOST_WORK).max(MOST_VISITS * size);
        self.work += size;
        let part = self.learn_anew(language);
        self.learnt.insert(language.clone(), (self.depth, part.clone()));
        part
    }

    /// Whether the work has reached as many times the most that is searched with.
    fn is_worked(&self, times: usize) -> bool {
        self.work >= self.most_work.saturating_mul(times)
    }

    fn learn_anew(&mut self, language: &Language) -> Part {
        let facts = self.facts;
        let is_empty = |word: &Word| word.is_empty();
        if language.words().iter().all(|(word, _)| is_empty(word)) {
            return Part { tree: Rc::new(Tree::Empty), bits: 0.0 };
        }
        if language.words().iter().any(|(word, _)| is_empty(word)) {
            return self.optional(language);
        }
        if let Some(part) = leaves::simple(language, facts) {
            return part;
        }
        if facts.are_too_many() {
            return self.best(language, Vec::new());
        }
        if self.is_worked(MOST_IN_ALL) {
            self.is_cut = true;
            return self.best(language, Vec::new());
        }
        if let Some(split) = alt::cut(language, facts) {
            return self.put_together(split);
        }
        let mut candidates = Vec::new();
        match seq::cut(language, facts, 2.0 * self.price) {
            seq::Found::Independent(split) => return self.put_together(split),
            seq::Found::Dependent(split) => candidates.extend(split),
            seq::Found::Nothing => {}
        }
        candidates.extend(self.candidates(language));
        self.best(language, candidates)
    }

    fn optional(&mut self, language: &Language) -> Part {
        let (none, some) = language.parted(|word| word.is_empty());
        let counts = [some.total(), none.total()];
        let part = self.learn(&some);
        let bits = of_choice(counts);
        Part { tree: Tree::opt(part.tree, counts), bits: part.bits + bits }
    }

    fn candidates(&mut self, language: &Language) -> Vec<Split> {
        let facts = self.facts;
        let mut splits = Vec::new();
        splits.extend(par::cut(language, facts));
        splits.extend(loops::cuts(language, facts));
        splits.extend(threads::cut(language, facts));
        splits.extend(par::once(language, facts));
        splits.extend(ends::cut(language, facts));
        splits.extend(columns::cuts(language, facts, 2.0 * self.price));
        if self.depth < DEPTH && self.is_worked(1) {
            self.is_cut = true;
        } else if self.depth < DEPTH {
            let searched =
                choice::cuts(language, facts).into_iter().chain(anchor::cuts(language, facts));
            splits.extend(searched.map(|it| Split { is_searched: true, ..it }));
        }
        splits
    }

    /// The cheapest way, those first that may be the cheapest.
    fn best(&mut self, language: &Language, splits: Vec<Split>) -> Part {
        let least_tree = self.price * language.labels().count_ones(..) as f64;
        let bound = |split: &Split| {
            split.bits + least_tree + split.parts.iter().map(Language::entropy).sum::<f64>()
        };
        let mut bounded: Vec<(f64, Split)> =
            splits.into_iter().map(|it| (bound(&it), it)).collect();
        bounded.sort_by(|a, b| a.0.total_cmp(&b.0));
        if bounded.len() > 1 && self.is_worked(MOST_TRIED) {
            self.is_cut = true;
            bounded.truncate(1);
        }
        let mut best = leaves::flower(language, self.facts);
        if let Some(variants) = leaves::variants(language) {
            best = self.cheaper(best, variants);
        }
        for (bound, split) in bounded {
            let is_searched = split.is_searched;
            self.depth += usize::from(is_searched);
            if let Some(part) = self.put_together_below(split, bound, best.cost(self.price)) {
                best = self.cheaper(best, part);
            }
            self.depth -= usize::from(is_searched);
        }
        best
    }

    fn cheaper(&self, a: Part, b: Part) -> Part {
        if b.cost(self.price) < a.cost(self.price) { b } else { a }
    }

    fn put_together(&mut self, split: Split) -> Part {
        let parts = split.parts.iter().map(|it| self.learn(it)).collect();
        put(split, parts)
    }

    /// The same, unless its least cost, which is `bound` at first, reaches `most`.
    fn put_together_below(&mut self, split: Split, mut bound: f64, most: f64) -> Option<Part> {
        let mut parts = Vec::with_capacity(split.parts.len());
        for language in &split.parts {
            if bound >= most {
                return None;
            }
            let part = self.learn(language);
            bound += part.bits - language.entropy();
            parts.push(part);
        }
        Some(put(split, parts))
    }
}

/// Puts the parts of a split together.
fn put(split: Split, parts: Vec<Part>) -> Part {
    let bits = split.bits + parts.iter().map(|it| it.bits).sum::<f64>();
    let totals = split.parts.iter().map(Language::total);
    let mut trees = parts.into_iter().map(|it| it.tree);
    let tree = match split.shape {
        Shape::Seq => Tree::seq(trees),
        Shape::Par(others) => Tree::par(trees, others),
        Shape::Alt => Tree::alt(trees.zip(totals)),
        Shape::Loop(repetitions) => Tree::repeated(trees.next().unwrap_or_default(), repetitions),
        Shape::Redo(repetitions) => {
            let mut next = || trees.next().unwrap_or_default();
            let (body, redo) = (next(), next());
            let again = Tree::seq([redo, Rc::clone(&body)]);
            Tree::seq([body, Tree::repeated(again, repetitions)])
        }
    };
    Part { tree, bits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrow::{Arrow, Arrows, Label};
    use crate::tree::Repetitions;
    use multitrace_interaction::{Id, LifelineId, MessageId};
    use multitrace_testing::cases;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Arrows between three lifelines, some of which share none.
    fn arrows() -> Arrows {
        let mut arrows = Arrows::default();
        for (message, (from, to)) in
            [(0, 1), (1, 0), (2, 3), (1, 2), (0, 1)].into_iter().enumerate()
        {
            arrows.intern(Arrow {
                sender: Some(LifelineId::new(from)),
                message: MessageId::new(message),
                receivers: vec![LifelineId::new(to)],
                end_of: None,
            });
        }
        arrows
    }

    fn facts() -> Facts {
        Facts::new(&arrows(), &[0.1, 0.2, 0.3, 0.4, 0.5])
    }

    /// Messages of one lifeline to as many others, and sessions that each lack every seventh of them.
    fn star(size: usize) -> (Facts, Language) {
        let mut arrows = Arrows::default();
        for message in 0..size {
            arrows.intern(Arrow {
                sender: Some(LifelineId::new(0)),
                message: MessageId::new(message),
                receivers: vec![LifelineId::new(1 + message)],
                end_of: None,
            });
        }
        let places: Vec<f64> = (0..size).map(|it| it as f64 / size as f64).collect();
        let facts = Facts::new(&arrows, &places);
        let word = |missing: usize| (0..size).filter(move |it| it % 7 != missing);
        let word = |missing: usize| word(missing).map(|it| it as Label).collect::<Vec<_>>();
        let words = (0..7).map(|missing| (facts.canonical(&word(missing)), 1));
        let language = Language::new(words);
        (facts, language)
    }

    #[test]
    fn the_rest_is_not_taken_apart_in_all_ways() {
        let (facts, language) = star(100);
        let mut miner = Miner::new(&facts, 100, 7);
        let part = miner.learn(&language);
        assert!(miner.is_cut && miner.work < 12 * MOST_WORK, "{}", miner.work);
        assert_eq!(part.tree.arrows(), 100);
    }

    #[test]
    fn nothing_is_taken_apart_after_all_work() {
        let (facts, language) = star(100);
        let mut miner = Miner::new(&facts, 100, 7);
        miner.work = MOST_IN_ALL * MOST_WORK;
        miner.learn(&language);
        assert!(miner.is_cut && miner.learnt.len() == 1);
    }

    /// All words that exchanges of independent neighbours make of a word.
    fn exchanged(word: &[Label], facts: &Facts) -> BTreeSet<Vec<Label>> {
        let mut found = BTreeSet::from([word.to_vec()]);
        let mut todo = vec![word.to_vec()];
        while let Some(word) = todo.pop() {
            for at in 1..word.len() {
                if !facts.dependent(word[at]).contains(word[at - 1] as usize) {
                    let mut other = word.clone();
                    other.swap(at - 1, at);
                    if found.insert(other.clone()) {
                        todo.push(other);
                    }
                }
            }
        }
        found
    }

    /// The ends of all beginnings of a word, from some place, that a tree accepts. No exchange; by definition.
    fn ends(tree: &Tree, word: &[Label], from: usize) -> BTreeSet<usize> {
        match tree {
            Tree::Empty => BTreeSet::from([from]),
            Tree::Arrow(label) => {
                word.get(from).filter(|it| *it == label).map(|_| from + 1).into_iter().collect()
            }
            Tree::Seq(parts) => parts.iter().fold(BTreeSet::from([from]), |at, part| {
                at.into_iter().flat_map(|it| ends(part, word, it)).collect()
            }),
            Tree::Alt(parts) => parts.iter().flat_map(|(it, _)| ends(it, word, from)).collect(),
            Tree::Opt(body, _) => ends(body, word, from).into_iter().chain([from]).collect(),
            Tree::Loop(body, Repetitions { may_overlap: true, may_be_none, .. }) => {
                let is_some = |part: &[Label], number: usize| {
                    is_shuffled(&vec![Rc::clone(body); number], part)
                };
                let least = usize::from(!may_be_none);
                let is_in = |end: &usize| {
                    (least..=end - from).any(|number| is_some(&word[from..*end], number))
                };
                (from..=word.len()).filter(is_in).collect()
            }
            Tree::Loop(body, Repetitions { may_be_none, .. }) => {
                let mut all: BTreeSet<usize> = BTreeSet::new();
                let mut todo = vec![from];
                while let Some(at) = todo.pop() {
                    todo.extend(ends(body, word, at).into_iter().filter(|it| all.insert(*it)));
                }
                all.extend(may_be_none.then_some(from));
                all
            }
            Tree::Par(parts, _) => {
                (from..=word.len()).filter(|&end| is_shuffled(parts, &word[from..end])).collect()
            }
        }
    }

    fn is_shuffled(parts: &[Rc<Tree>], word: &[Label]) -> bool {
        let Some((first, others)) = parts.split_first() else { return word.is_empty() };
        (0..1_u32 << word.len()).any(|chosen| {
            let is_first = |at: &usize| chosen & (1 << at) != 0;
            let (own, rest): (Vec<usize>, Vec<usize>) = (0..word.len()).partition(is_first);
            let of = |at: Vec<usize>| at.into_iter().map(|it| word[it]).collect::<Vec<_>>();
            accepts(first, &of(own)) && is_shuffled(others, &of(rest))
        })
    }

    fn accepts(tree: &Tree, word: &[Label]) -> bool {
        ends(tree, word, 0).contains(&word.len())
    }

    fn any_words() -> impl Strategy<Value = Vec<(Vec<Label>, u64)>> {
        let word = prop::collection::vec(0..5_u32, 0..6);
        prop::collection::vec((word, 1..20_u64), 1..6)
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn one_word_stands_for_all_that_exchanges_make(word in prop::collection::vec(0..5_u32, 0..7)) {
            let facts = facts();
            let all = exchanged(&word, &facts);
            let number = |word: &[Label], at: usize| word[..at].iter().filter(|it| **it == word[at]).count();
            let least = all.iter().min_by_key(|word| {
                (0..word.len()).map(|at| (number(word, at), facts.rank(word[at]))).collect::<Vec<_>>()
            });
            for other in &all {
                prop_assert_eq!(Some(&*facts.canonical(other)), least.map(Vec::as_slice));
            }
        }

        #[test]
        fn what_is_learnt_accepts_the_words(words in any_words()) {
            let facts = facts();
            let canonical = words.iter().map(|(word, count)| (facts.canonical(word), *count));
            let language = Language::new(canonical);
            let part = Miner::new(&facts, 5, 1).learn(&language);
            for (word, _) in language.words() {
                let is_in = exchanged(word, &facts).iter().any(|it| accepts(&part.tree, it));
                prop_assert!(is_in, "{word:?} is not in {:?}", part.tree);
            }
        }
    }
}
