//! The local pass: one walk backwards over each local trace gives, at every position, the states
//! of the search automaton from which the rest can still be read, and with it the local verdict.
//
// Idea: the bundle has a deterministic automaton of each location read backwards. Each of its
// states has a row: a set of states of the search automaton. The walk notes one row per position.
//
// Invariant: a state outside the row of a position is a dead end there, whatever the other
// locations do. Where rows were forgotten, nothing is known.
//
// Cost: one table look-up per event (2.6 ns, table "The local pass" of docs/BENCHMARKS.md), four
// times that where the table is over a limit and rows are made as far as they are needed.

use crate::look_ahead::lazy_rows::LazyRows;
use crate::monitor::Monitor;
use crate::question::Question;
use multitrace_formats::bundle::{BackwardTable, DEAD, Word, has_bit};
use multitrace_interaction::{Id, LetterId, LocationId, Nfa, Observation, StateId};

/// The look-ahead of one session: per location and position, a set of states.
#[derive(Debug, Default)]
pub(crate) struct LookAhead {
    /// Per location, the row of each position.
    rows: Vec<Vec<u32>>,
    /// Per location, whether its rows are those of its table.
    tabled: Vec<bool>,
    /// Per location without a table, the rows that were needed so far.
    lazy: Vec<LazyRows>,
}

/// A row that was forgotten: nothing is known of dead ends there.
const NO_ROW: u32 = u32::MAX;

impl LookAhead {
    /// Walks over all local traces; false as soon as one of them is impossible.
    pub(crate) fn fill(&mut self, search: &Nfa, question: &Question<'_>) -> bool {
        let &Question { monitor, trace, .. } = question;
        self.rows.resize_with(trace.len(), Vec::new);
        self.lazy.resize_with(trace.len(), LazyRows::default);
        self.tabled.resize(trace.len(), false);
        let mut locations = monitor.locations();
        locations.all(|location| {
            let local = &trace[location.index()];
            let table = monitor.local(location).backward.as_ref();
            let table = table.and_then(|table| {
                let may_go_on = question.may_go_on(location.index());
                Some((table, if may_go_on { table.open_end? } else { table.at_end }))
            });
            self.tabled[location.index()] = table.is_some();
            let possible = match table {
                Some((table, end)) => self.walk(question, table, end, location, local),
                None => self.walk_lazily(question, search, location, local),
            };
            let start = |&state: &StateId| self.allows(monitor, location, 0, state);
            possible && search.initial().iter().any(start)
        })
    }

    /// Whether the rest of a local trace from a position can still be read from a state.
    #[inline]
    pub(crate) fn allows(
        &self,
        monitor: &Monitor,
        location: LocationId,
        position: usize,
        state: StateId,
    ) -> bool {
        self.row(monitor, location, position).is_none_or(|row| has_bit(row, state.index()))
    }

    /// The states from which the rest of a local trace from a position can still be read; `None`
    /// if that row was forgotten.
    #[inline]
    pub(crate) fn row<'a>(
        &'a self,
        monitor: &'a Monitor,
        location: LocationId,
        position: usize,
    ) -> Option<&'a [Word]> {
        let row = self.rows[location.index()][position];
        if row == NO_ROW {
            return None;
        }
        Some(match &monitor.local(location).backward {
            Some(table) if self.tabled[location.index()] => table.rows.row(row),
            _ => self.lazy[location.index()].row(row),
        })
    }

    fn walk(
        &mut self,
        question: &Question<'_>,
        table: &BackwardTable,
        end: u32,
        location: LocationId,
        local: &[LetterId],
    ) -> bool {
        let monitor = question.monitor;
        let rows = &mut self.rows[location.index()];
        rows.clear();
        rows.resize(local.len() + 1, 0);
        let letters = monitor.local(location).letters.len();
        let mut state = end;
        rows[local.len()] = table.begun[state as usize];
        for (position, &letter) in local.iter().enumerate().rev() {
            let Some(column) = monitor.column(location, letter) else { return false };
            state = table.next[state as usize * letters + column];
            if state == DEAD {
                return false;
            }
            rows[position] = table.begun[state as usize];
        }
        if question.observation == Observation::Slice {
            rows[0] = table.unbegun[state as usize];
        }
        true
    }

    /// The same for a location whose table is over a limit.
    fn walk_lazily(
        &mut self,
        question: &Question<'_>,
        search: &Nfa,
        location: LocationId,
        local: &[LetterId],
    ) -> bool {
        let monitor = question.monitor;
        let rows = &mut self.rows[location.index()];
        let lazy = &mut self.lazy[location.index()];
        lazy.begin(search.state_count());
        rows.clear();
        rows.resize(local.len() + 1, 0);
        let mut set = lazy.end(monitor, search, location, question.may_go_on(location.index()));
        rows[local.len()] = set;
        for (position, &letter) in local.iter().enumerate().rev() {
            match lazy.read(monitor, location, set, letter) {
                Some(next) => set = next,
                None => return false,
            }
            if lazy.is_full() {
                set = lazy.keep_only(set);
                rows[position + 1..].fill(NO_ROW);
            }
            rows[position] = set;
        }
        if question.observation == Observation::Slice {
            rows[0] = lazy.not_begun(monitor, set);
        }
        true
    }
}
