//! The local pass: one walk backwards over each local trace gives, at every position, the states
//! of the search automaton from which the rest can still be read, and with it the local verdict.

use crate::monitor::Monitor;
use multitrace_formats::bundle::{BackwardTable, DEAD, has_bit};
use multitrace_interaction::{Id, LetterId, LocationId, MultiTrace, Nfa, Observation, StateId};

/// The look-ahead of one session: per location and position, a set of states.
#[derive(Debug, Default)]
pub(crate) struct Suffixes {
    /// Per location, the row of each position.
    rows: Vec<Vec<u32>>,
    /// Per location, whether rows are those of its table.
    tabled: Vec<bool>,
    /// Per location without a table, its rows.
    simulated: Vec<Vec<u64>>,
}

/// No row is kept for a position: nothing is known to be a dead end there.
const NO_ROW: u32 = u32::MAX;
/// The most bytes of rows kept for one location without a table. Longer logs go without
/// look-ahead, apart from their first position.
const SIMULATED_BYTES: usize = 64 << 20;

impl Suffixes {
    /// Walks all local traces; false as soon as one of them is impossible.
    pub(crate) fn fill(
        &mut self,
        monitor: &Monitor,
        search: &Nfa,
        trace: &MultiTrace,
        observation: Observation,
    ) -> bool {
        self.rows.resize_with(trace.len(), Vec::new);
        self.simulated.resize_with(trace.len(), Vec::new);
        self.tabled.resize(trace.len(), false);
        let mut locations = monitor.locations();
        locations.all(|location| {
            let local = &trace[location.index()];
            let table = monitor.local(location).backward.as_ref();
            let table = table.and_then(|table| Some((table, end(table, observation)?)));
            self.tabled[location.index()] = table.is_some();
            let possible = match table {
                Some((table, end)) => self.walk(monitor, table, end, location, local, observation),
                None => self.simulate(monitor, search, location, local, observation),
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
        self.row(monitor, location, position).is_none_or(|words| has_bit(words, state.index()))
    }

    /// The states from which the rest of a local trace from a position can still be read; `None`
    /// when nothing is known.
    #[inline]
    pub(crate) fn row<'a>(
        &'a self,
        monitor: &'a Monitor,
        location: LocationId,
        position: usize,
    ) -> Option<&'a [u64]> {
        let row = self.rows[location.index()][position];
        if row == NO_ROW {
            return None;
        }
        Some(match &monitor.local(location).backward {
            Some(table) if self.tabled[location.index()] => table.rows.row(row),
            _ => {
                let stride = search_stride(monitor);
                &self.simulated[location.index()][row as usize * stride..][..stride]
            }
        })
    }

    fn walk(
        &mut self,
        monitor: &Monitor,
        table: &BackwardTable,
        end: u32,
        location: LocationId,
        local: &[LetterId],
        observation: Observation,
    ) -> bool {
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
        if observation == Observation::Slice {
            rows[0] = table.unbegun[state as usize];
        }
        true
    }

    /// The same on sets of states, for a location whose table is over a limit.
    fn simulate(
        &mut self,
        monitor: &Monitor,
        search: &Nfa,
        location: LocationId,
        local: &[LetterId],
        observation: Observation,
    ) -> bool {
        let stride = search_stride(monitor);
        let keeps_rows = (local.len() + 1) * stride * 8 <= SIMULATED_BYTES;
        let rows = &mut self.rows[location.index()];
        rows.clear();
        rows.extend(
            (0..=local.len() as u32).map(|p| if keeps_rows || p == 0 { p } else { NO_ROW }),
        );
        let words = &mut self.simulated[location.index()];
        words.clear();
        words.resize(if keeps_rows { local.len() + 1 } else { 1 } * stride, 0);
        let mut current: Vec<StateId> = match observation {
            Observation::Complete => search.finals().collect(),
            Observation::Prefix | Observation::Slice | Observation::GlobalPrefix => {
                search.states().collect()
            }
        };
        let other = |letter| monitor.location_of(letter) != location;
        for position in (0..=local.len()).rev() {
            if let Some(&letter) = local.get(position) {
                let before = current.iter().flat_map(|&state| monitor.incoming(state));
                current =
                    before.filter(|(read, _)| *read == letter).map(|&(_, from)| from).collect();
            }
            let row = &mut words[if keeps_rows { position } else { 0 } * stride..][..stride];
            row.fill(0);
            let unbegun = position == 0 && observation == Observation::Slice;
            current = close(monitor, &current, row, &|letter| unbegun || other(letter));
        }
        !current.is_empty()
    }
}

/// Where a table starts; `None` when it has no part for the mode.
fn end(table: &BackwardTable, observation: Observation) -> Option<u32> {
    match observation {
        Observation::Complete => Some(table.at_end),
        Observation::Prefix | Observation::Slice | Observation::GlobalPrefix => table.open_end,
    }
}

fn search_stride(monitor: &Monitor) -> usize {
    monitor.central().map_or(0, |automaton| automaton.search.state_count().div_ceil(64))
}

/// Marks in `row` all states that lead into `roots` by letters that pass, and lists them.
fn close(
    monitor: &Monitor,
    roots: &[StateId],
    row: &mut [u64],
    passes: &dyn Fn(LetterId) -> bool,
) -> Vec<StateId> {
    let mut all: Vec<StateId> = Vec::new();
    let mut todo = roots.to_vec();
    while let Some(state) = todo.pop() {
        let (word, bit) = (state.index() / 64, 1 << (state.index() % 64));
        if row[word] & bit != 0 {
            continue;
        }
        row[word] |= bit;
        all.push(state);
        let before = monitor.incoming(state).iter();
        todo.extend(before.filter(|(letter, _)| passes(*letter)).map(|&(_, from)| from));
    }
    all
}
