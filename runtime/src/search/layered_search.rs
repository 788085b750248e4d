//! How far the logs of a session that fails can be read, by a search on sets of states. It serves small automata, whose sets are
//! a few words.
//
// Idea: all position vectors with the same number of events read make a layer, each with the set of
// states it is reached in. A move reads one event for a whole set. Every position vector is visited
// once, whatever number of paths and states lead there.
//
// Invariant: a vector of layer n leads only to layer n + 1, so two layers are kept. Unobserved
// moves read no event; they enlarge the set within the layer.
//
// Cost: for each vector and location, one row of the table per state of the set.
// `shuffle_search.rs` is its oracle.

use crate::bit_set::ones;
use crate::monitor::set_table::{Set, SetTable, sets};
use crate::question::Question;
use crate::search::node_layout::NodeLayout;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use multitrace_interaction::{BudgetLimit, Id, StateId};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A search problem in any mode but global-prefix.
pub(crate) struct LayeredProblem<'a> {
    pub(crate) question: Question<'a>,
    pub(crate) table: &'a SetTable,
    /// How many vectors of each layer to follow once the states of the allowance are spent.
    pub(crate) beam: usize,
}

/// Position vectors, each a word, with their sets of states.
#[derive(Debug, Default)]
struct Layer {
    vectors: Vec<u64>,
    sets: Vec<u64>,
}

impl Layer {
    fn set<const W: usize>(&self, index: usize) -> &Set<W> {
        &sets(&self.sets)[index]
    }

    fn clear(&mut self) {
        self.vectors.clear();
        self.sets.clear();
    }
}

/// The memory of a search, reused from one session to the next.
#[derive(Debug, Default)]
pub(crate) struct LayeredSearch {
    /// Vectors are laid out in order, so that words compare as the vectors do.
    layout: NodeLayout,
    layer: Layer,
    next: Layer,
    /// The indexes of the vectors in the next layer, by their words.
    known: HashTable<u32>,
    visits: u64,
    /// Where the search is.
    positions: Vec<u32>,
    todo: Vec<usize>,
    /// Of the vectors with the most events read, the last one in their order; and its states.
    furthest: (u64, Vec<u64>),
}

impl LayeredSearch {
    /// Searches layer by layer, and says whether no vector was left out; `None` if vectors do not fit a word or a budget other
    /// than that of states is spent.
    pub(crate) fn run(&mut self, problem: &LayeredProblem<'_>) -> Option<bool> {
        match problem.table.words() {
            1 => self.search::<1>(problem),
            2 => self.search::<2>(problem),
            3 => self.search::<3>(problem),
            4 => self.search::<4>(problem),
            _ => None,
        }
    }

    fn search<const W: usize>(&mut self, problem: &LayeredProblem<'_>) -> Option<bool> {
        self.visits = 0;
        let mut is_whole = true;
        if !self.start::<W>(problem) {
            return None;
        }
        while !self.layer.vectors.is_empty() {
            is_whole &= self.visit_layer::<W>(problem)?;
            std::mem::swap(&mut self.layer, &mut self.next);
            self.next.clear();
            self.known.clear();
        }
        Some(is_whole)
    }

    /// Visits the vectors of a layer, and says whether the states of the allowance sufficed for all; `None` if another budget is
    /// spent.
    fn visit_layer<const W: usize>(&mut self, problem: &LayeredProblem<'_>) -> Option<bool> {
        self.furthest.1.clear();
        let mut is_whole = true;
        for index in 0..self.layer.vectors.len() {
            match problem.question.allowance.spent(self.visits + 1, || self.bytes()) {
                None => {}
                Some(BudgetLimit::States(_)) => is_whole = false,
                Some(_) => return None,
            }
            if !is_whole && index >= problem.beam {
                break;
            }
            self.visits += 1;
            self.visit::<W>(problem, index);
        }
        Some(is_whole)
    }

    /// After a search: of the vectors with the most events read the last
    /// one in their order, and the states it is reached in.
    pub(crate) fn furthest(&self) -> (Vec<u32>, impl Iterator<Item = StateId> + '_) {
        let (word, states) = &self.furthest;
        let position = |location| self.layout.position_of(*word, location);
        ((0..self.positions.len()).map(position).collect(), ones(states).map(StateId::new))
    }

    /// Makes the first layer; false if vectors do not fit a word.
    fn start<const W: usize>(&mut self, problem: &LayeredProblem<'_>) -> bool {
        let trace = problem.question.trace;
        self.layout.arrange_in_order(trace.iter().map(Vec::len));
        if !self.layout.fits(u64::BITS - 1) {
            return false;
        }
        self.positions.clear();
        self.positions.resize(trace.len(), 0);
        self.layer.clear();
        self.next.clear();
        self.known.clear();
        let first = problem.table.initial::<W>();
        self.furthest.0 = 0;
        self.furthest.1.clear();
        self.furthest.1.extend_from_slice(first);
        if *first != [0; W] {
            self.layer.vectors.push(0);
            self.layer.sets.extend_from_slice(first);
        }
        true
    }

    /// Visits a vector of the layer, and adds its successors by one more event to the next layer.
    fn visit<const W: usize>(&mut self, problem: &LayeredProblem<'_>, index: usize) {
        let word = self.layer.vectors[index];
        let mut here: Set<W> = *self.layer.set(index);
        self.layout.unpack(&[word], &mut self.positions);
        self.go_unobserved(problem, &mut here);
        if self.furthest.1.is_empty() || word > self.furthest.0 {
            self.furthest.0 = word;
            self.furthest.1.clear();
            self.furthest.1.extend_from_slice(&here);
        }
        for location in 0..self.positions.len() {
            if let Some(after) = self.read_event(problem, location, &here) {
                self.discover(word + self.layout.one_event(location), &after);
            }
        }
    }

    /// The states after the next event of a location, if there are any.
    #[inline]
    fn read_event<const W: usize>(
        &mut self,
        problem: &LayeredProblem<'_>,
        location: usize,
        here: &Set<W>,
    ) -> Option<Set<W>> {
        let position = self.positions[location] as usize;
        let &letter = problem.question.trace[location].get(position)?;
        let mut from = *here;
        from.iter_mut()
            .zip(problem.table.sources::<W>(letter))
            .for_each(|(set, other)| *set &= other);
        let after = targets(&from, problem.table.of_letter(letter));
        (after != [0; W]).then_some(after)
    }

    /// Adds the states that are reached without an event, where the observation mode allows it.
    fn go_unobserved<const W: usize>(&mut self, problem: &LayeredProblem<'_>, here: &mut Set<W>) {
        if problem.question.is_closed() {
            return;
        }
        self.todo.clear();
        self.todo.extend(ones(&*here));
        while let Some(state) = self.todo.pop() {
            let mut after = [0; W];
            for (location, &position) in self.positions.iter().enumerate() {
                if problem.question.may_go_unobserved(location, position) {
                    add(&mut after, &problem.table.of_location(location)[state]);
                }
            }
            for (here, after) in here.iter_mut().zip(&mut after) {
                *after &= !*here;
                *here |= *after;
            }
            self.todo.extend(ones(&after));
        }
    }

    /// Adds states to a vector of the next layer.
    fn discover<const W: usize>(&mut self, word: u64, states: &Set<W>) {
        let Layer { vectors, sets } = &mut self.next;
        let entry = self.known.entry(
            hash(word),
            |&index| vectors[index as usize] == word,
            |&index| hash(vectors[index as usize]),
        );
        match entry {
            Entry::Occupied(entry) => {
                let set = &mut sets[*entry.get() as usize * W..][..W];
                set.iter_mut().zip(states).for_each(|(set, states)| *set |= states);
            }
            Entry::Vacant(entry) => {
                entry.insert(vectors.len() as u32);
                vectors.push(word);
                sets.extend_from_slice(states);
            }
        }
    }

    /// About how many bytes the layers take.
    fn bytes(&self) -> u64 {
        let of_layer = |layer: &Layer| layer.vectors.len() + layer.sets.len();
        let words = of_layer(&self.layer) + of_layer(&self.next) + self.known.len();
        (words * size_of::<u64>()) as u64
    }
}

/// The states that a table leads to from some states.
#[inline]
fn targets<const W: usize>(from: &Set<W>, table: &[Set<W>]) -> Set<W> {
    let mut targets = [0; W];
    for (block, &word) in from.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            add(&mut targets, &table[block * 64 + left.trailing_zeros() as usize]);
            left &= left - 1;
        }
    }
    targets
}

#[inline]
fn add<const W: usize>(set: &mut Set<W>, other: &Set<W>) {
    set.iter_mut().zip(other).for_each(|(set, other)| *set |= other);
}

fn hash(word: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(word);
    hasher.finish()
}
