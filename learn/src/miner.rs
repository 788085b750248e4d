//! Puts cuts together: of all ways to take a language apart, the one that takes the fewest bits.

// Cost: bits of the tree (a fixed number for each operator and arrow) and those of the words, given the tree. So size
// and precision are weighed by one rule, without a threshold. What a language is learnt as is remembered.

use crate::bits::of_choice;
use crate::cuts::{alt, choice, ends, leaves, loops, par, seq};
use crate::language::{Facts, Language, Word};
use crate::part::Part;
use crate::split::{Shape, Split};
use crate::tree::{Repetitions, Tree};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How many choices may be inside one another.
const DEPTH: usize = 4;
/// How many languages are learnt with all kinds of cuts; an estimate, not measured. Those after them take no choices.
const MOST_LANGUAGES: usize = 20_000;

pub(crate) struct Miner<'f> {
    facts: &'f Facts,
    /// The bits of an operator or arrow.
    price: f64,
    learnt: FxHashMap<Language, Part>,
    depth: usize,
}

impl<'f> Miner<'f> {
    pub(crate) fn new(facts: &'f Facts, arrows: usize) -> Miner<'f> {
        // An arrow is one of all arrows or of six operators, and whether the operands end.
        let price = ((arrows + 6) as f64).log2() + 1.0;
        Miner { facts, price, learnt: FxHashMap::default(), depth: 0 }
    }

    pub(crate) fn price(&self) -> f64 {
        self.price
    }

    /// What a language is learnt as.
    pub(crate) fn learn(&mut self, language: &Language) -> Part {
        if let Some(known) = self.learnt.get(language) {
            return known.clone();
        }
        let part = self.learn_anew(language);
        self.learnt.insert(language.clone(), part.clone());
        part
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
        if let Some(split) = alt::cut(language, facts) {
            return self.put_together(split);
        }
        let mut found = match seq::cut(language, facts, 2.0 * self.price) {
            seq::Found::Independent(split) => return self.put_together(split),
            seq::Found::Dependent(split) => split.map(|it| self.put_together(it)),
            seq::Found::Nothing => None,
        };
        let candidates = self.candidates(language).into_iter().chain(found.take());
        let flower = leaves::flower(language, facts);
        self.best(candidates.chain([flower]).collect())
    }

    fn optional(&mut self, language: &Language) -> Part {
        let (none, some) = language.parted(|word| word.is_empty());
        let counts = [some.total(), none.total()];
        let part = self.learn(&some);
        let bits = match &*part.tree {
            Tree::Loop(_, Repetitions { may_be_none: true, .. }) => 0.0,
            _ => of_choice(counts),
        };
        Part { tree: Tree::opt(part.tree, counts), bits: part.bits + bits }
    }

    fn candidates(&mut self, language: &Language) -> Vec<Part> {
        let facts = self.facts;
        let mut splits = Vec::new();
        splits.extend(par::cut(language, facts));
        splits.extend(loops::cuts(language, facts));
        splits.extend(par::once(language, facts));
        splits.extend(ends::cut(language, facts));
        let mut parts: Vec<Part> = splits.into_iter().map(|it| self.put_together(it)).collect();
        if self.depth < DEPTH && self.learnt.len() < MOST_LANGUAGES {
            self.depth += 1;
            let choices = choice::cuts(language, facts);
            parts.extend(choices.into_iter().map(|it| self.put_together(it)));
            self.depth -= 1;
        }
        parts.extend(leaves::variants(language, facts));
        parts
    }

    fn best(&self, parts: Vec<Part>) -> Part {
        let cheapest =
            parts.into_iter().min_by(|a, b| a.cost(self.price).total_cmp(&b.cost(self.price)));
        cheapest.unwrap_or(Part { tree: Rc::new(Tree::Empty), bits: 0.0 })
    }

    fn put_together(&mut self, split: Split) -> Part {
        let parts: Vec<Part> = split.parts.iter().map(|it| self.learn(it)).collect();
        let bits = split.bits + parts.iter().map(|it| it.bits).sum::<f64>();
        let totals = split.parts.iter().map(Language::total);
        let mut trees = parts.into_iter().map(|it| it.tree);
        let tree = match split.shape {
            Shape::Seq => Tree::seq(trees),
            Shape::Par => Tree::par(trees),
            Shape::Alt => Tree::alt(trees.zip(totals)),
            Shape::Loop(repetitions) => {
                Tree::repeated(trees.next().unwrap_or_default(), repetitions)
            }
            Shape::Redo(repetitions) => {
                let (body, redo) = (trees.next().unwrap_or_default(), trees.next().unwrap_or_default());
                let again = Tree::seq([redo, Rc::clone(&body)]);
                Tree::seq([body, Tree::repeated(again, repetitions)])
            }
        };
        Part { tree, bits }
    }
}
