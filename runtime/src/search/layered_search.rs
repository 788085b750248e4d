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
use crate::clusters::orders::Orders;
use crate::look_ahead::local_pass::LookAhead;
use crate::search::node_layout::NodeLayout;
use crate::search::outcome::SearchOutcome;
use crate::search::question::Question;
use crate::search::set_table::SetTable;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use multitrace_formats::bundle::long_words;
use multitrace_interaction::{BudgetLimit, Id, LocationId, StateId};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::ops::Range;

/// What to search, in any mode but global-prefix.
pub(crate) struct LayeredProblem<'a> {
    pub(crate) question: Question<'a>,
    pub(crate) table: &'a SetTable,
    /// If present, states from which some local trace cannot be read to its end are left out.
    pub(crate) look_ahead: Option<&'a LookAhead>,
    /// What clusters say of the session, if they were asked.
    pub(crate) orders: Option<&'a Orders>,
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
    /// Where the search is: positions, states, and the states after one more event.
    positions: Vec<u32>,
    here: Vec<u64>,
    after: Vec<u64>,
    todo: Vec<usize>,
    /// Per location and position, the states from which the rest of the log can be read. Empty without look-ahead.
    rows: Vec<u64>,
    /// Per location, where its rows begin.
    first_row: Vec<usize>,
    /// Per location, the states from which the logs of this location and of all behind it can be read to their ends from
    /// where the search is; then, in one row more, all states.
    later: Vec<u64>,
    /// The same for the locations before the one that is moved.
    earlier: Vec<u64>,
    /// Of the vectors with the most events read, the last one in their order; and its states.
    furthest: (u64, Vec<u64>),
}

impl LayeredSearch {
    /// Searches layer by layer.
    pub(crate) fn run(&mut self, problem: &LayeredProblem<'_>) -> SearchOutcome {
        self.visits = 0;
        self.is_cut = false;
        if !self.start(problem) {
            return SearchOutcome::DoesNotFit;
        }
        for left in (0..=problem.question.event_count()).rev() {
            if self.layer.vectors.is_empty() {
                break;
            }
            if let Some(outcome) = self.visit_layer(problem, left == 0) {
                return outcome;
            }
            std::mem::swap(&mut self.layer, &mut self.next);
            self.next.clear();
            self.known.clear();
        }
        if self.is_cut { SearchOutcome::Cut } else { SearchOutcome::Exhausted }
    }

    /// Visits the vectors of a layer; an outcome, if it ends the search.
    fn visit_layer(
        &mut self,
        problem: &LayeredProblem<'_>,
        is_last: bool,
    ) -> Option<SearchOutcome> {
        self.furthest.1.clear();
        for index in 0..self.layer.vectors.len() {
            match self.spend(problem, index) {
                Ok(true) => self.visit(problem, index),
                Ok(false) => break,
                Err(spent) => return Some(SearchOutcome::Spent(spent)),
            }
            if is_last && self.may_stop(problem) {
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
    fn start(&mut self, problem: &LayeredProblem<'_>) -> bool {
        let trace = problem.question.trace;
        self.layout.arrange_in_order(trace.iter().map(Vec::len));
        if !self.layout.fits(u64::BITS - 1) {
            return false;
        }
        for set in [&mut self.here, &mut self.after] {
            set.clear();
            set.resize(problem.table.words(), 0);
        }
        self.positions.clear();
        self.positions.resize(trace.len(), 0);
        self.layer.clear();
        self.next.clear();
        self.known.clear();
        self.furthest.0 = 0;
        self.furthest.1.clear();
        self.furthest.1.extend_from_slice(problem.table.initial());
        self.after.copy_from_slice(problem.table.initial());
        self.copy_rows(problem);
        self.look_ahead();
        self.keep_living(0);
        if self.after.iter().any(|&word| word != 0) {
            self.layer.vectors.push(0);
            self.layer.sets.extend_from_slice(&self.after);
        }
        true
    }

    /// Visits a vector of the layer, and adds what one more event leads to to the next layer.
    fn visit(&mut self, problem: &LayeredProblem<'_>, index: usize) {
        let word = self.layer.vectors[index];
        let words = problem.table.words();
        self.here.copy_from_slice(&self.layer.sets[index * words..][..words]);
        self.layout.unpack(&[word], &mut self.positions);
        self.look_ahead();
        self.go_unobserved(problem);
        if self.furthest.1.is_empty() || word > self.furthest.0 {
            self.furthest.0 = word;
            self.furthest.1.clear();
            self.furthest.1.extend_from_slice(&self.here);
        }
        for location in 0..self.positions.len() {
            if self.read_event(problem, location) {
                self.discover(word + self.layout.one_event(location), words);
            }
            let row = self.row(location, self.positions[location] as usize);
            keep(&mut self.earlier, &self.rows[row]);
        }
    }

    /// Finds the living states after the next event of a location; whether there are any.
    fn read_event(&mut self, problem: &LayeredProblem<'_>, location: usize) -> bool {
        let position = self.positions[location] as usize;
        let Some(&letter) = problem.question.trace[location].get(position) else { return false };
        self.after.fill(0);
        add_targets(&mut self.after, ones(&self.here), problem.table.of_letter(letter));
        let row = self.row(location, position + 1);
        keep(&mut self.after, &self.rows[row]);
        self.keep_living(location + 1);
        keep(&mut self.after, &self.earlier);
        if self.after.iter().all(|&word| word == 0) {
            return false;
        }
        self.positions[location] += 1;
        let is_allowed =
            problem.orders.is_none_or(|it| it.allow(letter, location, &self.positions));
        self.positions[location] -= 1;
        is_allowed
    }

    /// Adds the states that are reached without an event, where the observation mode allows it.
    fn go_unobserved(&mut self, problem: &LayeredProblem<'_>) {
        if problem.question.is_closed() {
            return;
        }
        self.todo.clear();
        self.todo.extend(ones(&self.here));
        while let Some(state) = self.todo.pop() {
            self.after.fill(0);
            for (location, &position) in self.positions.iter().enumerate() {
                if problem.question.may_go_unobserved(location, position) {
                    let table = problem.table.of_location(location);
                    add_targets(&mut self.after, std::iter::once(state), table);
                }
            }
            self.keep_living(0);
            for (here, after) in self.here.iter_mut().zip(&mut self.after) {
                *after &= !*here;
                *here |= *after;
            }
            self.todo.extend(ones(&self.after));
        }
    }

    /// Copies the look-ahead side by side; where nothing is known, all states.
    fn copy_rows(&mut self, problem: &LayeredProblem<'_>) {
        let words = problem.table.words();
        for own in [&mut self.rows, &mut self.later, &mut self.earlier] {
            own.clear();
        }
        self.first_row.clear();
        let Some(look_ahead) = problem.look_ahead else { return };
        let Question { monitor, trace, .. } = problem.question;
        for (location, local) in trace.iter().enumerate() {
            self.first_row.push(self.rows.len());
            for position in 0..=local.len() {
                match look_ahead.row(monitor, LocationId::new(location), position) {
                    Some(row) => self.rows.extend(long_words(row)),
                    None => self.rows.resize(self.rows.len() + words, u64::MAX),
                }
            }
        }
        self.earlier.resize(words, u64::MAX);
        self.later.resize((trace.len() + 1) * words, u64::MAX);
    }

    /// Where the row of a position of a location is; nowhere without look-ahead.
    fn row(&self, location: usize, position: usize) -> Range<usize> {
        let words = self.earlier.len();
        let begin = self.first_row.get(location).map_or(0, |first| first + position * words);
        begin..begin + words
    }

    /// Finds from which states the logs can be read to their ends, from the positions on.
    fn look_ahead(&mut self) {
        let words = self.earlier.len();
        self.earlier.fill(u64::MAX);
        for location in (0..self.first_row.len()).rev() {
            let row = self.row(location, self.positions[location] as usize);
            let (own, later) = self.later[location * words..].split_at_mut(words);
            for ((own, later), row) in own.iter_mut().zip(later).zip(&self.rows[row]) {
                *own = *later & row;
            }
        }
    }

    /// Removes the states after the move from which some log cannot be read to its end: that of this location, or of a later
    /// one.
    fn keep_living(&mut self, location: usize) {
        let words = self.earlier.len();
        keep(&mut self.after, &self.later[location * words..][..words]);
    }

    /// Adds the states after the move to a vector of the next layer.
    fn discover(&mut self, word: u64, words: usize) {
        let Layer { vectors, sets } = &mut self.next;
        let entry = self.known.entry(
            hash(word),
            |&index| vectors[index as usize] == word,
            |&index| hash(vectors[index as usize]),
        );
        match entry {
            Entry::Occupied(entry) => {
                let set = &mut sets[*entry.get() as usize * words..][..words];
                set.iter_mut().zip(&self.after).for_each(|(set, after)| *set |= after);
            }
            Entry::Vacant(entry) => {
                entry.insert(vectors.len() as u32);
                vectors.push(word);
                sets.extend_from_slice(&self.after);
            }
        }
    }

    /// Whether a path may stop in a state where the search is.
    fn may_stop(&self, problem: &LayeredProblem<'_>) -> bool {
        let mut both = self.here.iter().zip(problem.table.finals());
        problem.question.may_stop(|| both.any(|(here, finals)| here & finals != 0), || true)
    }

    /// About how many bytes the layers take.
    fn bytes(&self) -> u64 {
        let of_layer = |layer: &Layer| layer.vectors.len() + layer.sets.len();
        let words =
            of_layer(&self.layer) + of_layer(&self.next) + self.known.len() + self.rows.len();
        (words * size_of::<u64>()) as u64
    }
}

/// Removes the states that are not in another set, if there is one.
fn keep(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(set, other)| *set &= other);
}

/// Adds the states that a table leads to from each of some states.
fn add_targets(set: &mut [u64], states: impl Iterator<Item = usize>, table: &[u64]) {
    let words = set.len();
    for state in states {
        let to = &table[state * words..][..words];
        set.iter_mut().zip(to).for_each(|(set, to)| *set |= to);
    }
}

fn hash(word: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(word);
    hasher.finish()
}
