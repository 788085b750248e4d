//! The central search on sets of states: all positions that are reached with so many events read
//! make a layer, each with the set of states it is reached in. Every position is visited once,
//! however many paths and states lead there, and only two layers are kept.
//!
//! It is for small automata, whose sets are a few words, and for what must be searched to its end:
//! sessions that fail, and how far they get. `search.rs` is its oracle.

use crate::bit_set::ones;
use crate::budget::{Allowance, Spent};
use crate::monitor::Monitor;
use crate::suffixes::Suffixes;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use multitrace_interaction::{Id, LetterId, LocationId, MultiTrace, Nfa, Observation, StateId};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The transitions of an automaton as maps from sets of states to sets of states.
#[derive(Debug)]
pub(crate) struct SetTable {
    /// Words of a set.
    words: usize,
    states: usize,
    initial: Vec<u64>,
    finals: Vec<u64>,
    /// Per letter and state, the set of states it leads to.
    by_letter: Vec<u64>,
    /// Per location and state, the same for any letter of the location.
    by_location: Vec<u64>,
}

/// Automata with more states have no such table.
const MOST_STATES: usize = 256;
/// Nor have those whose table would have more words.
const MOST_WORDS: usize = 1 << 20;

impl SetTable {
    /// The table of an automaton, unless it would be too large.
    pub(crate) fn new(monitor: &Monitor, nfa: &Nfa) -> Option<SetTable> {
        let (states, letters) = (nfa.state_count(), monitor.alphabet().letters().len());
        let words = states.div_ceil(64);
        let rows = (letters + monitor.locations().len()) * states;
        if states > MOST_STATES || rows * words > MOST_WORDS {
            return None;
        }
        let mut table = SetTable {
            words,
            states,
            initial: vec![0; words],
            finals: vec![0; words],
            by_letter: vec![0; letters * states * words],
            by_location: vec![0; monitor.locations().len() * states * words],
        };
        nfa.initial().iter().for_each(|&state| add(&mut table.initial, state.index()));
        nfa.finals().for_each(|state| add(&mut table.finals, state.index()));
        for transition in nfa.transitions() {
            let (from, to) = (transition.from.index(), transition.to.index());
            let location = monitor.location_of(transition.letter);
            let row = (transition.letter.index() * states + from) * words;
            add(&mut table.by_letter[row..][..words], to);
            let row = (location.index() * states + from) * words;
            add(&mut table.by_location[row..][..words], to);
        }
        Some(table)
    }

    fn of_letter(&self, letter: LetterId) -> &[u64] {
        let length = self.states * self.words;
        &self.by_letter[letter.index() * length..][..length]
    }

    fn of_location(&self, location: usize) -> &[u64] {
        let length = self.states * self.words;
        &self.by_location[location * length..][..length]
    }
}

fn add(set: &mut [u64], state: usize) {
    set[state / 64] |= 1 << (state % 64);
}

/// What to search, in any mode but global-prefix.
pub(crate) struct LayeredProblem<'a> {
    pub(crate) monitor: &'a Monitor,
    pub(crate) table: &'a SetTable,
    pub(crate) trace: &'a MultiTrace,
    pub(crate) observation: Observation,
    /// States from which some local trace cannot be read to its end are left out.
    pub(crate) suffixes: Option<&'a Suffixes>,
    pub(crate) allowance: Allowance,
    /// When the states of the allowance are spent, to go on with so many places of each layer, to
    /// see how far they lead; 0 to stop.
    pub(crate) beam: usize,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayeredOutcome {
    Found,
    Exhausted,
    /// The same, but not every place was visited.
    Cut,
    Spent(Spent),
    /// Positions do not fit a word.
    TooLong,
}

/// Positions with their sets of states.
#[derive(Debug, Default)]
struct Layer {
    positions: Vec<u64>,
    sets: Vec<u64>,
}

impl Layer {
    fn clear(&mut self) {
        self.positions.clear();
        self.sets.clear();
    }
}

/// The memory of a search, reused from one session to the next.
#[derive(Debug, Default)]
pub(crate) struct LayeredSearch {
    /// Per location, where its position begins in a word, and its bits there.
    fields: Vec<(u32, u64)>,
    layer: Layer,
    next: Layer,
    /// The places in the next layer, by their positions.
    places: HashTable<u32>,
    visits: u64,
    /// Whether places were left out.
    is_cut: bool,
    /// Where the search is: positions, states, and the states after one more event.
    positions: Vec<u32>,
    here: Vec<u64>,
    after: Vec<u64>,
    todo: Vec<usize>,
    /// The furthest place, of those the last one in the order of positions, and its states.
    furthest: (u64, Vec<u64>),
}

impl LayeredSearch {
    pub(crate) fn run(&mut self, problem: &LayeredProblem<'_>) -> LayeredOutcome {
        self.visits = 0;
        self.is_cut = false;
        if !self.start(problem) {
            return LayeredOutcome::TooLong;
        }
        let events: usize = problem.trace.iter().map(Vec::len).sum();
        for left in (0..=events).rev() {
            if self.layer.positions.is_empty() {
                break;
            }
            self.furthest.1.clear();
            for place in 0..self.layer.positions.len() {
                match self.spend(problem, place) {
                    Ok(true) => self.visit(problem, place),
                    Ok(false) => break,
                    Err(spent) => return LayeredOutcome::Spent(spent),
                }
                if left == 0 && self.may_stop(problem) {
                    return LayeredOutcome::Found;
                }
            }
            std::mem::swap(&mut self.layer, &mut self.next);
            self.next.clear();
            self.places.clear();
        }
        if self.is_cut { LayeredOutcome::Cut } else { LayeredOutcome::Exhausted }
    }

    /// Counts a visit of a place of the layer; whether it may be visited.
    fn spend(&mut self, problem: &LayeredProblem<'_>, place: usize) -> Result<bool, Spent> {
        let goes_on = match problem.allowance.spent(self.visits + 1, || self.bytes()) {
            None => true,
            Some(Spent::States(_)) if problem.beam > 0 => {
                self.is_cut = true;
                place < problem.beam
            }
            Some(spent) => return Err(spent),
        };
        self.visits += u64::from(goes_on);
        Ok(goes_on)
    }

    /// How many places the last run visited.
    pub(crate) fn visits(&self) -> u64 {
        self.visits
    }

    /// After a search that was exhausted or cut: of the positions with the most events read the last ones
    /// in their order, and the states they are reached in.
    pub(crate) fn furthest(&self) -> (Vec<u32>, impl Iterator<Item = StateId> + '_) {
        let (word, states) = &self.furthest;
        let position = |&(shift, mask): &(u32, u64)| (word >> shift & mask) as u32;
        (self.fields.iter().map(position).collect(), ones(states).map(StateId::new))
    }

    /// Lays out positions, the first location highest, so that words are in the order of
    /// positions; and makes the first layer. False when positions do not fit.
    fn start(&mut self, problem: &LayeredProblem<'_>) -> bool {
        let mut used = 0;
        self.fields.clear();
        for local in problem.trace.iter().rev() {
            let width = usize::BITS - local.len().leading_zeros();
            if used + width >= u64::BITS {
                return false;
            }
            self.fields.push((used, (1 << width) - 1));
            used += width;
        }
        self.fields.reverse();
        let words = problem.table.words;
        for set in [&mut self.here, &mut self.after] {
            set.clear();
            set.resize(words, 0);
        }
        self.positions.clear();
        self.positions.resize(problem.trace.len(), 0);
        self.layer.clear();
        self.next.clear();
        self.places.clear();
        self.furthest.0 = 0;
        self.furthest.1.clone_from(&problem.table.initial);
        self.after.copy_from_slice(&problem.table.initial);
        self.keep_living(problem);
        if self.after.iter().any(|&word| word != 0) {
            self.layer.positions.push(0);
            self.layer.sets.extend_from_slice(&self.after);
        }
        true
    }

    /// Visits a place of the layer, and adds what is reached by one more event to the next one.
    fn visit(&mut self, problem: &LayeredProblem<'_>, place: usize) {
        let word = self.layer.positions[place];
        let words = problem.table.words;
        self.here.copy_from_slice(&self.layer.sets[place * words..][..words]);
        for (position, &(shift, mask)) in self.positions.iter_mut().zip(&self.fields) {
            *position = (word >> shift & mask) as u32;
        }
        self.go_unobserved(problem);
        if self.furthest.1.is_empty() || word > self.furthest.0 {
            self.furthest.0 = word;
            self.furthest.1.clear();
            self.furthest.1.extend_from_slice(&self.here);
        }
        for location in 0..problem.trace.len() {
            let position = self.positions[location] as usize;
            let Some(&letter) = problem.trace[location].get(position) else { continue };
            self.after.fill(0);
            let row = problem.table.of_letter(letter);
            for state in ones(&self.here) {
                let to = &row[state * words..][..words];
                self.after.iter_mut().zip(to).for_each(|(after, to)| *after |= to);
            }
            self.positions[location] += 1;
            self.keep_living(problem);
            self.positions[location] -= 1;
            if self.after.iter().any(|&word| word != 0) {
                self.discover(word + (1 << self.fields[location].0), words);
            }
        }
    }

    /// Adds the states that are reached without an event, where the observation mode allows it.
    fn go_unobserved(&mut self, problem: &LayeredProblem<'_>) {
        if problem.observation == Observation::Complete {
            return;
        }
        let words = problem.table.words;
        self.todo.clear();
        self.todo.extend(ones(&self.here));
        while let Some(state) = self.todo.pop() {
            self.after.fill(0);
            for (location, &position) in self.positions.iter().enumerate() {
                let length = problem.trace[location].len();
                if problem.observation.is_open(position as usize, length) {
                    let to = &problem.table.of_location(location)[state * words..][..words];
                    self.after.iter_mut().zip(to).for_each(|(after, to)| *after |= to);
                }
            }
            self.keep_living(problem);
            for (here, after) in self.here.iter_mut().zip(&mut self.after) {
                *after &= !*here;
                *here |= *after;
            }
            self.todo.extend(ones(&self.after));
        }
    }

    /// Removes the states after the move from which some local trace cannot be read to its end.
    fn keep_living(&mut self, problem: &LayeredProblem<'_>) {
        let Some(suffixes) = problem.suffixes else { return };
        for (location, &position) in self.positions.iter().enumerate() {
            let location = LocationId::new(location);
            if let Some(row) = suffixes.row(problem.monitor, location, position as usize) {
                self.after.iter_mut().zip(row).for_each(|(after, row)| *after &= row);
            }
        }
    }

    /// Adds the states after the move to a place of the next layer.
    fn discover(&mut self, word: u64, words: usize) {
        let Layer { positions, sets } = &mut self.next;
        let entry = self.places.entry(
            hash(word),
            |&place| positions[place as usize] == word,
            |&place| hash(positions[place as usize]),
        );
        match entry {
            Entry::Occupied(entry) => {
                let set = &mut sets[*entry.get() as usize * words..][..words];
                set.iter_mut().zip(&self.after).for_each(|(set, after)| *set |= after);
            }
            Entry::Vacant(entry) => {
                entry.insert(positions.len() as u32);
                positions.push(word);
                sets.extend_from_slice(&self.after);
            }
        }
    }

    /// Whether the automaton may stop in a state where the search is. From every state a final one
    /// is reached.
    fn may_stop(&self, problem: &LayeredProblem<'_>) -> bool {
        problem.observation.stops_anywhere()
            || self.here.iter().zip(&problem.table.finals).any(|(here, finals)| here & finals != 0)
    }

    /// About how many bytes it needs.
    fn bytes(&self) -> u64 {
        let of_layer = |layer: &Layer| layer.positions.len() + layer.sets.len();
        let words = of_layer(&self.layer) + of_layer(&self.next) + self.places.len();
        (words * size_of::<u64>()) as u64
    }
}

fn hash(word: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(word);
    hasher.finish()
}
