//! The central search on sets of states.
//!
//! It serves small automata, whose sets are a few words, and what must be searched to its end:
//! sessions that fail, and how far they get.
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
use crate::look_ahead::local_pass::LookAhead;
use crate::monitor::set_table::{Set, SetTable, sets};
use crate::question::Question;
use crate::search::node_layout::NodeLayout;
use crate::search::outcome::SearchOutcome;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use multitrace_formats::bundle::long_words;
use multitrace_interaction::{BudgetLimit, Id, LocationId, StateId};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// What to search, in any mode but global-prefix.
pub(crate) struct LayeredProblem<'a> {
    pub(crate) question: Question<'a>,
    pub(crate) table: &'a SetTable,
    /// If present, states from which some local trace cannot be read to its end are left out.
    pub(crate) look_ahead: Option<&'a LookAhead>,
    /// How many vectors of each layer to follow once the states of the allowance are spent, to see
    /// how far they lead; 0 stops the search there.
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
    /// Whether vectors were left out.
    is_cut: bool,
    /// Where the search is.
    positions: Vec<u32>,
    todo: Vec<usize>,
    /// Per location and position, the states from which the rest of the log can be read. Empty without look-ahead.
    rows: Vec<u64>,
    /// Per location, where its rows begin, counted in rows. Empty without look-ahead.
    first_row: Vec<usize>,
    /// Per location, the states from which the logs of this location and of all behind it can be read to their ends from
    /// where the search is; then, in one row more, all states. Empty without look-ahead.
    later: Vec<u64>,
    /// Of the vectors with the most events read, the last one in their order; and its states.
    furthest: (u64, Vec<u64>),
}

impl LayeredSearch {
    /// Searches layer by layer.
    pub(crate) fn run(&mut self, problem: &LayeredProblem<'_>) -> SearchOutcome {
        match problem.table.words() {
            1 => self.search::<1>(problem),
            2 => self.search::<2>(problem),
            3 => self.search::<3>(problem),
            4 => self.search::<4>(problem),
            _ => SearchOutcome::DoesNotFit,
        }
    }

    fn search<const W: usize>(&mut self, problem: &LayeredProblem<'_>) -> SearchOutcome {
        self.visits = 0;
        self.is_cut = false;
        if !self.start::<W>(problem) {
            return SearchOutcome::DoesNotFit;
        }
        for left in (0..=problem.question.event_count()).rev() {
            if self.layer.vectors.is_empty() {
                break;
            }
            if let Some(outcome) = self.visit_layer::<W>(problem, left == 0) {
                return outcome;
            }
            std::mem::swap(&mut self.layer, &mut self.next);
            self.next.clear();
            self.known.clear();
        }
        if self.is_cut { SearchOutcome::Cut } else { SearchOutcome::Exhausted }
    }

    /// Visits the vectors of a layer; an outcome, if it ends the search.
    fn visit_layer<const W: usize>(
        &mut self,
        problem: &LayeredProblem<'_>,
        is_last: bool,
    ) -> Option<SearchOutcome> {
        self.furthest.1.clear();
        for index in 0..self.layer.vectors.len() {
            let here: Set<W> = match self.spend(problem, index) {
                Ok(true) => self.visit(problem, index),
                Ok(false) => break,
                Err(spent) => return Some(SearchOutcome::Spent(spent)),
            };
            if is_last && may_stop(problem, &here) {
                return Some(SearchOutcome::Found);
            }
        }
        None
    }

    /// Counts a visit of a vector of the layer, and says whether it may be visited.
    fn spend(&mut self, problem: &LayeredProblem<'_>, index: usize) -> Result<bool, BudgetLimit> {
        let goes_on = match problem.question.allowance.spent(self.visits + 1, || self.bytes()) {
            None => true,
            Some(BudgetLimit::States(_)) if problem.beam > 0 => {
                self.is_cut = true;
                index < problem.beam
            }
            Some(spent) => return Err(spent),
        };
        self.visits += u64::from(goes_on);
        Ok(goes_on)
    }

    /// How many vectors the last run visited.
    pub(crate) fn visits(&self) -> u64 {
        self.visits
    }

    /// After a search that was exhausted or cut: of the vectors with the most events read the last
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
        let mut first = *problem.table.initial::<W>();
        self.furthest.0 = 0;
        self.furthest.1.clear();
        self.furthest.1.extend_from_slice(&first);
        self.copy_rows::<W>(problem);
        self.look_ahead::<W>();
        self.keep_living(0, &mut first);
        if first != [0; W] {
            self.layer.vectors.push(0);
            self.layer.sets.extend_from_slice(&first);
        }
        true
    }

    /// Visits a vector of the layer, and adds what one more event leads to to the next layer. Returns the states it is reached
    /// in.
    fn visit<const W: usize>(&mut self, problem: &LayeredProblem<'_>, index: usize) -> Set<W> {
        let word = self.layer.vectors[index];
        let mut here: Set<W> = *self.layer.set(index);
        self.layout.unpack(&[word], &mut self.positions);
        self.look_ahead::<W>();
        self.go_unobserved(problem, &mut here);
        if self.furthest.1.is_empty() || word > self.furthest.0 {
            self.furthest.0 = word;
            self.furthest.1.clear();
            self.furthest.1.extend_from_slice(&here);
        }
        // The states from which the logs of the locations before can be read to their ends.
        let mut earlier = [u64::MAX; W];
        for location in 0..self.positions.len() {
            if let Some(after) = self.read_event(problem, location, &here, &earlier) {
                self.discover(word + self.layout.one_event(location), &after);
            }
            if self.looks_ahead() {
                keep(&mut earlier, self.row(location, self.positions[location] as usize));
            }
        }
        here
    }

    /// The living states after the next event of a location, if there are any.
    #[inline]
    fn read_event<const W: usize>(
        &mut self,
        problem: &LayeredProblem<'_>,
        location: usize,
        here: &Set<W>,
        earlier: &Set<W>,
    ) -> Option<Set<W>> {
        let position = self.positions[location] as usize;
        let &letter = problem.question.trace[location].get(position)?;
        let mut from = *here;
        keep(&mut from, problem.table.sources(letter));
        let mut after = targets(&from, problem.table.of_letter(letter));
        if self.looks_ahead() {
            keep(&mut after, self.row(location, position + 1));
            self.keep_living(location + 1, &mut after);
            keep(&mut after, earlier);
        }
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
            self.keep_living(0, &mut after);
            for (here, after) in here.iter_mut().zip(&mut after) {
                *after &= !*here;
                *here |= *after;
            }
            self.todo.extend(ones(&after));
        }
    }

    /// Copies the look-ahead side by side; where nothing is known, all states.
    fn copy_rows<const W: usize>(&mut self, problem: &LayeredProblem<'_>) {
        self.rows.clear();
        self.later.clear();
        self.first_row.clear();
        let Some(look_ahead) = problem.look_ahead else { return };
        let Question { monitor, trace, .. } = problem.question;
        for (location, local) in trace.iter().enumerate() {
            self.first_row.push(self.rows.len() / W);
            for position in 0..=local.len() {
                match look_ahead.row(monitor, LocationId::new(location), position) {
                    Some(row) => self.rows.extend(long_words(row)),
                    None => self.rows.resize(self.rows.len() + W, u64::MAX),
                }
            }
        }
        self.later.resize((trace.len() + 1) * W, u64::MAX);
    }

    #[inline]
    fn looks_ahead(&self) -> bool {
        !self.first_row.is_empty()
    }

    /// The states from which the rest of a log can be read, from a position on.
    #[inline]
    fn row<const W: usize>(&self, location: usize, position: usize) -> &Set<W> {
        &sets(&self.rows)[self.first_row[location] + position]
    }

    /// Finds from which states the logs can be read to their ends, from the positions on.
    fn look_ahead<const W: usize>(&mut self) {
        let mut later = [u64::MAX; W];
        for location in (0..self.first_row.len()).rev() {
            keep(&mut later, self.row(location, self.positions[location] as usize));
            self.later[location * W..][..W].copy_from_slice(&later);
        }
    }

    /// Removes the states from which some log cannot be read to its end: that of this location, or of a later one.
    #[inline]
    fn keep_living<const W: usize>(&self, location: usize, states: &mut Set<W>) {
        if self.looks_ahead() {
            keep(states, &sets(&self.later)[location]);
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
        let words =
            of_layer(&self.layer) + of_layer(&self.next) + self.known.len() + self.rows.len();
        (words * size_of::<u64>()) as u64
    }
}

/// Whether a path may stop in one of the states where the search is.
fn may_stop<const W: usize>(problem: &LayeredProblem<'_>, here: &Set<W>) -> bool {
    let mut both = here.iter().zip(problem.table.finals::<W>());
    problem.question.may_stop(|| both.any(|(here, finals)| here & finals != 0), || true)
}

/// Removes the states that are not in another set.
#[inline]
fn keep<const W: usize>(set: &mut Set<W>, other: &Set<W>) {
    set.iter_mut().zip(other).for_each(|(set, other)| *set &= other);
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
