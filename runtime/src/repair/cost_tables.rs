//! The least cost, at one location alone, of the rest of a log: a row per rest, with an entry per class of states of the
//! search automaton that the location cannot tell apart; per state where there are no classes.
//
// Idea: one more event before a rest changes its row in a way that depends on that row alone, so rows are
// the states of a deterministic automaton that reads logs backwards, found on demand and kept from
// session to session. A row is stored without its least entry, which the moves between rows add up;
// then many rests share one row, and there are finitely many rows.
//
// Invariant: within a row, an entry is at most that of a successor plus the cost of the transition:
// that of an insertion for the location's own letters, 0 for those of others, since those are free here.
//
// Cost: one look-up per event once a move is known; a walk backwards over the classes for a new one.

use crate::monitor::Monitor;
use crate::repair::cost::{Cost, Zone};
use crate::repair::local_view::LocalView;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use multitrace_interaction::{Id, LetterId, LocationId, StateId};
use rustc_hash::{FxHashMap, FxHasher};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::hash::Hasher;
use std::ops::Range;

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
    entries: Vec<Cost>,
    /// Per row, where its entries begin; and where the last one ends.
    starts: Vec<usize>,
    known: HashTable<u32>,
    steps: FxHashMap<(u32, Step), Costs>,
    /// The row that is made, and its classes whose costs are to be told to those before them.
    costs: Vec<Cost>,
    lowered: Vec<(Cost, StateId)>,
    queue: VecDeque<(Cost, StateId)>,
}

impl CostTables {
    /// Prepares for a session of a monitor, which is the same for all.
    pub(crate) fn begin(&mut self, monitor: &Monitor) {
        if self.entries.is_empty() || self.bytes() > MOST_BYTES {
            *self = CostTables { starts: vec![0], ..CostTables::default() };
            let widths = monitor.locations().map(|it| LocalView::new(monitor, it).width());
            self.costs = vec![Cost::ZERO; widths.max().unwrap_or_default()];
            self.intern();
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// About how many bytes a row takes, with the steps to it.
    pub(crate) fn bytes_of(&self, row: u32) -> usize {
        self.places(row).len() * size_of::<Cost>() + 4 * size_of::<u64>()
    }

    fn places(&self, row: u32) -> Range<usize> {
        self.starts[row as usize]..self.starts[row as usize + 1]
    }

    /// Where the entries of a row begin.
    #[inline]
    pub(crate) fn start(&self, row: u32) -> usize {
        self.starts[row as usize]
    }

    /// All entries, row by row.
    #[inline]
    pub(crate) fn entries(&self) -> &[Cost] {
        &self.entries
    }

    /// The costs at the end of a log, after which its location may not go on.
    pub(crate) fn end(&mut self, view: LocalView<'_>) -> Costs {
        self.follow(ZEROS, (Step::End(view.location), view), |tables| {
            for class in view.finals() {
                tables.costs[class.index()] = Cost::ZERO;
                tables.lowered.push((Cost::ZERO, class));
            }
            tables.relax(view, Zone::Other.insertion());
        })
    }

    /// The costs of a rest with one more event before it, which may be deleted.
    pub(crate) fn read(
        &mut self,
        view: LocalView<'_>,
        rest: Costs,
        (letter, zone): (LetterId, Zone),
    ) -> Costs {
        let start = self.start(rest.row);
        let costs = self.follow(rest.row, (Step::Read(letter, zone), view), |tables| {
            let CostTables { costs, entries, lowered, .. } = tables;
            let rest = &entries[start..start + costs.len()];
            for (cost, &entry) in costs.iter_mut().zip(rest) {
                *cost = entry + zone.deletion();
            }
            // A row with the same added to all entries keeps the invariant, since an insertion costs no
            // less here than behind the event: only costs that reading lowers have to reach the classes before.
            for &(from, to) in view.reading(letter) {
                let read = rest[to.index()] + zone.reading();
                if read < costs[from.index()] {
                    costs[from.index()] = read;
                    lowered.push((read, from));
                }
            }
            tables.relax(view, zone.insertion());
        });
        Costs { plus: costs.plus + rest.plus, ..costs }
    }

    /// The costs of the same rest if the location may not have begun.
    pub(crate) fn not_begun(&mut self, view: LocalView<'_>, rest: Costs) -> Costs {
        let start = self.start(rest.row);
        let costs = self.follow(rest.row, (Step::NotBegun(view.location), view), |tables| {
            let CostTables { costs, entries, lowered, .. } = tables;
            for (class, cost) in costs.iter_mut().enumerate() {
                *cost = entries[start + class];
                lowered.push((*cost, StateId::new(class)));
            }
            tables.relax(view, Cost::ZERO);
        });
        Costs { plus: costs.plus + rest.plus, ..costs }
    }

    fn bytes(&self) -> usize {
        self.entries.len() * size_of::<Cost>() + self.steps.len() * 4 * size_of::<u64>()
    }

    fn follow(
        &mut self,
        row: u32,
        (step, view): (Step, LocalView<'_>),
        make: impl FnOnce(&mut CostTables),
    ) -> Costs {
        if let Some(&known) = self.steps.get(&(row, step)) {
            return known;
        }
        self.costs.clear();
        self.costs.resize(view.width(), Cost::UNREACHABLE);
        make(self);
        let costs = self.reduce();
        self.steps.insert((row, step), costs);
        costs
    }

    /// Lowers each cost to that of a successor plus that of the transition, `insertion` for own letters. Begins at the
    /// classes in `lowered`; the others must not lower any cost.
    //
    // Dijkstra's algorithm with two costs of transitions: costs that an insertion lowers come in the order in which
    // they are found, so that a queue does for them, and costs that others' letters lower come next.
    fn relax(&mut self, view: LocalView<'_>, insertion: Cost) {
        let CostTables { costs, lowered, queue, .. } = self;
        lowered.sort_unstable_by_key(|&(cost, _)| Reverse(cost));
        loop {
            let is_queued = match (queue.front(), lowered.last()) {
                (Some(first), Some(last)) => first.0 < last.0,
                (first, _) => first.is_some(),
            };
            let next = if is_queued { queue.pop_front() } else { lowered.pop() };
            let Some((cost, class)) = next else { return };
            if costs[class.index()] != cost {
                continue;
            }
            for &(letter, from) in view.incoming(class) {
                let is_own = view.is_own(letter);
                let before = if is_own { cost + insertion } else { cost };
                if before < costs[from.index()] {
                    costs[from.index()] = before;
                    match is_own {
                        true => queue.push_back((before, from)),
                        false => lowered.push((before, from)),
                    }
                }
            }
        }
    }

    /// The row of the costs that were made, without the least of them.
    fn reduce(&mut self) -> Costs {
        let least = self.costs.iter().copied().min();
        let plus = least.filter(|&least| least < Cost::UNREACHABLE).unwrap_or_default();
        self.costs.iter_mut().for_each(|cost| *cost = cost.minus(plus).min(Cost::UNREACHABLE));
        Costs { row: self.intern(), plus }
    }

    fn intern(&mut self) -> u32 {
        let CostTables { starts, entries, known, costs, .. } = self;
        let of = |row: u32| starts[row as usize]..starts[row as usize + 1];
        let is_known = |&row: &u32| entries[of(row)] == **costs;
        match known.entry(hash(costs), is_known, |&row| hash(&entries[of(row)])) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let row = (starts.len() - 1) as u32;
                entry.insert(row);
                entries.extend_from_slice(costs);
                starts.push(entries.len());
                row
            }
        }
    }
}

fn hash(entries: &[Cost]) -> u64 {
    let mut hasher = FxHasher::default();
    entries.iter().for_each(|entry| hasher.write_u64(entry.word()));
    hasher.finish()
}
