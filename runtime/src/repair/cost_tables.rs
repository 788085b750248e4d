//! The least cost, at one location alone, of the rest of a log: a row per rest, with an entry per
//! state of the search automaton.
//
// Idea: one more event before a rest changes its row in a way that depends on that row alone, so rows are
// the states of a deterministic automaton that reads logs backwards, found on demand and kept from
// session to session. A row is stored without its least entry, which the moves between rows add up;
// then many rests share one row, and there are finitely many rows.
//
// Invariant: within a row, an entry is at most that of a successor plus the cost of the transition:
// that of an insertion for the location's own letters, 0 for those of others, since those are free here.
//
// Cost: one look-up per event once a move is known; a walk backwards over the automaton for a new
// one.

use crate::monitor::Monitor;
use crate::repair::cost::{Cost, Zone};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use multitrace_interaction::{Id, LetterId, LocationId, Nfa, StateId};
use rustc_hash::{FxHashMap, FxHasher};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hasher;

/// With more bytes of rows and moves than this, all are forgotten before the next session. It
/// bounds a worker's memory between sessions; within one, the budget of the session does.
const MOST_BYTES: usize = 64 << 20;

/// The row of zeros: nothing is known, or nothing is left to do.
pub(crate) const ZEROS: u32 = 0;

/// How one row follows from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// The end of a log, after which its location may not go on; from the row of zeros.
    End(LocationId),
    /// One more event before the others.
    Read(LetterId, Zone),
    /// The location's own letters are free, too: its observation has not begun.
    NotBegun(LocationId),
}

/// A row, and the cost to add to its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Costs {
    pub(crate) row: u32,
    pub(crate) plus: Cost,
}

/// The rows that sessions of one monitor have needed.
#[derive(Debug, Default)]
pub(crate) struct CostTables {
    /// Entries of a row: one per state.
    states: usize,
    entries: Vec<Cost>,
    known: HashTable<u32>,
    steps: FxHashMap<(u32, Step), Costs>,
    /// The row that is made, and its states by cost.
    costs: Vec<Cost>,
    by_cost: BinaryHeap<Reverse<(Cost, StateId)>>,
    made: Vec<Cost>,
}

impl CostTables {
    /// Prepares for a session over an automaton with this many states.
    pub(crate) fn begin(&mut self, states: usize) {
        if self.entries.is_empty() || self.states != states || self.bytes() > MOST_BYTES {
            *self = CostTables { states, ..CostTables::default() };
            self.made = vec![Cost::ZERO; states];
            self.intern();
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() / self.states.max(1)
    }

    /// About how many bytes a row takes, with the steps to it.
    pub(crate) fn bytes_per_row(&self) -> usize {
        self.states * size_of::<Cost>() + 4 * size_of::<u64>()
    }

    /// Where the entries of a row begin.
    #[inline]
    pub(crate) fn start(&self, row: u32) -> usize {
        row as usize * self.states
    }

    /// All entries, row by row.
    #[inline]
    pub(crate) fn entries(&self) -> &[Cost] {
        &self.entries
    }

    /// The costs at the end of a log, after which its location may not go on.
    pub(crate) fn end(&mut self, monitor: &Monitor, nfa: &Nfa, location: LocationId) -> Costs {
        self.follow(ZEROS, Step::End(location), |tables| {
            for state in nfa.finals() {
                tables.costs[state.index()] = Cost::ZERO;
                tables.by_cost.push(Reverse((Cost::ZERO, state)));
            }
            tables.relax(monitor, &insertion_at(monitor, location, Zone::Other));
        })
    }

    /// The costs of a rest with one more event before it, which may be deleted.
    pub(crate) fn read(
        &mut self,
        monitor: &Monitor,
        location: LocationId,
        rest: Costs,
        (letter, zone): (LetterId, Zone),
    ) -> Costs {
        let start = self.start(rest.row);
        let costs = self.follow(rest.row, Step::Read(letter, zone), |tables| {
            let CostTables { costs, entries, states, by_cost, .. } = tables;
            let rest = &entries[start..start + *states];
            for (cost, &entry) in costs.iter_mut().zip(rest) {
                *cost = entry + zone.deletion();
            }
            // A row with the same added to all entries keeps the invariant, since an insertion costs no
            // less here than behind the event: only costs that reading lowers have to reach the states before.
            for &(from, to) in monitor.reading(letter) {
                let read = rest[to.index()] + zone.reading();
                if read < costs[from.index()] {
                    costs[from.index()] = read;
                    by_cost.push(Reverse((read, from)));
                }
            }
            tables.relax(monitor, &insertion_at(monitor, location, zone));
        });
        Costs { plus: costs.plus + rest.plus, ..costs }
    }

    /// The costs of the same rest if the location may not have begun.
    pub(crate) fn not_begun(
        &mut self,
        monitor: &Monitor,
        location: LocationId,
        rest: Costs,
    ) -> Costs {
        let start = self.start(rest.row);
        let costs = self.follow(rest.row, Step::NotBegun(location), |tables| {
            let CostTables { costs, entries, states, by_cost, .. } = tables;
            for (state, &entry) in entries[start..start + *states].iter().enumerate() {
                costs[state] = entry;
                by_cost.push(Reverse((entry, StateId::new(state))));
            }
            tables.relax(monitor, &|_| Cost::ZERO);
        });
        Costs { plus: costs.plus + rest.plus, ..costs }
    }

    fn bytes(&self) -> usize {
        self.entries.len() * size_of::<Cost>() + self.steps.len() * 4 * size_of::<u64>()
    }

    fn follow(&mut self, row: u32, step: Step, make: impl FnOnce(&mut CostTables)) -> Costs {
        if let Some(&known) = self.steps.get(&(row, step)) {
            return known;
        }
        self.costs.clear();
        self.costs.resize(self.states, Cost::UNREACHABLE);
        make(self);
        let costs = self.reduce();
        self.steps.insert((row, step), costs);
        costs
    }

    /// Lowers each cost to that of a successor plus that of the transition. Begins at the states in
    /// `by_cost`, which are looked at by their cost, as in Dijkstra's algorithm; the others must not lower
    /// any cost.
    fn relax(&mut self, monitor: &Monitor, of_letter: &dyn Fn(LetterId) -> Cost) {
        let CostTables { costs, by_cost, .. } = self;
        while let Some(Reverse((cost, state))) = by_cost.pop() {
            if costs[state.index()] != cost {
                continue;
            }
            for &(letter, from) in monitor.incoming(state) {
                let before = cost + of_letter(letter);
                if before < costs[from.index()] {
                    costs[from.index()] = before;
                    by_cost.push(Reverse((before, from)));
                }
            }
        }
    }

    /// The row of the costs that were made, without the least of them.
    fn reduce(&mut self) -> Costs {
        let least = self.costs.iter().copied().min();
        let plus = least.filter(|&least| least < Cost::UNREACHABLE).unwrap_or_default();
        self.made.clear();
        self.made.extend(self.costs.iter().map(|cost| cost.minus(plus).min(Cost::UNREACHABLE)));
        Costs { row: self.intern(), plus }
    }

    fn intern(&mut self) -> u32 {
        let CostTables { states, entries, known, made, .. } = self;
        let of = |row: u32| row as usize * *states..(row as usize + 1) * *states;
        let is_known = |&row: &u32| entries[of(row)] == **made;
        match known.entry(hash(made), is_known, |&row| hash(&entries[of(row)])) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let row = (entries.len() / (*states).max(1)) as u32;
                entry.insert(row);
                entries.extend_from_slice(made);
                row
            }
        }
    }
}

/// The cost of inserting a letter, as one location alone sees it.
fn insertion_at(monitor: &Monitor, location: LocationId, zone: Zone) -> impl Fn(LetterId) -> Cost {
    move |letter| match monitor.location_of(letter) == location {
        true => zone.insertion(),
        false => Cost::ZERO,
    }
}

fn hash(entries: &[Cost]) -> u64 {
    let mut hasher = FxHasher::default();
    entries.iter().for_each(|entry| hasher.write_u64(entry.word()));
    hasher.finish()
}
