//! The local pass over logs whose events are partly in no order: at each cut, the states of the search automaton from which
//! the rest of the log can be read in some order.
//
// Idea: backwards from the end of a log, cut by cut, those with most events read first. A cut has the sets of all moves that
// start there, made and remembered as for locations without a table. A cut from which nothing can be read is not looked at
// further. So where the specification has one order of the events, the pass takes as many steps as there are events.
//
// Invariant: a state in no set of a cut is a dead end there. A log with too many sets has none, and nothing is known of it.
//
// Cost: a look-up per move and set once the sets are known.

use crate::look_ahead::lazy_rows::LazyRows;
use crate::question::Question;
use crate::tied_logs::{START, TiedLogs};
use multitrace_formats::bundle::has_bit;
use multitrace_interaction::{Id, LocationId, Nfa, Observation, StateId};
use rustc_hash::FxHashMap;

/// The most sets at the cuts of one log, beside one for each event: those of 14 different events in no order. A search
/// without them decides most sessions with more, too (an estimate).
const MOST_SETS: usize = 1 << 14;

/// The sets of a session.
#[derive(Debug)]
pub(crate) struct TiedRows {
    logs: Vec<Option<LogRows>>,
}

#[derive(Debug, Default)]
struct LogRows {
    rows: LazyRows,
    /// Per cut that is not a dead end, its sets.
    sets: FxHashMap<u32, Vec<u32>>,
}

impl TiedRows {
    /// The sets of a question whose logs have cuts; `None` if some log can be read in none of its orders.
    pub(crate) fn new(
        search: &Nfa,
        (question, logs): (&Question<'_>, &TiedLogs),
    ) -> Option<TiedRows> {
        let mut all = Vec::new();
        for location in question.monitor.locations() {
            let rows = LogRows::new(search, (question, logs), location);
            let is_readable =
                |rows: &LogRows| search.initial().iter().any(|state| rows.allows(START, *state));
            if rows.as_ref().is_some_and(|rows| !is_readable(rows)) {
                return None;
            }
            all.push(rows);
        }
        Some(TiedRows { logs: all })
    }

    /// Whether the rest of every log can be read from a state, each for itself.
    pub(crate) fn is_alive(&self, state: StateId, cuts: &[u32]) -> bool {
        let alive = |(rows, cut): (&Option<LogRows>, &u32)| {
            rows.as_ref().is_none_or(|rows| rows.allows(*cut, state))
        };
        self.logs.iter().zip(cuts).all(alive)
    }

    /// Whether the rest of a log can be read from some state at a cut.
    pub(crate) fn may_be_at(&self, location: usize, cut: u32) -> bool {
        self.logs[location].as_ref().is_none_or(|rows| rows.sets.contains_key(&cut))
    }
}

impl LogRows {
    /// The sets of a log; `None` if there are too many.
    fn new(
        search: &Nfa,
        (question, logs): (&Question<'_>, &TiedLogs),
        location: LocationId,
    ) -> Option<LogRows> {
        let (monitor, at) = (question.monitor, location.index());
        let LogRows { mut rows, mut sets } = LogRows::default();
        rows.begin(search.state_count());
        let (end, mut left) = (logs.end(at), MOST_SETS + question.trace[at].len());
        let last = rows.end(monitor, search, location, question.may_go_on(at));
        sets.insert(end, vec![last]);
        let mut level = vec![end];
        while !level.is_empty() {
            let mut before = Vec::new();
            for cut in level {
                for (letter, from) in logs.moves_to(at, cut) {
                    for set in sets[&cut].clone() {
                        let Some(next) = rows.read(monitor, location, set, letter) else {
                            continue;
                        };
                        let known = sets.entry(from).or_insert_with(|| {
                            before.push(from);
                            Vec::new()
                        });
                        if !known.contains(&next) {
                            known.push(next);
                            left = left.checked_sub(1).filter(|_| !rows.is_full())?;
                        }
                    }
                }
            }
            level = before;
        }
        if question.observation == Observation::Slice
            && let Some(first) = sets.get_mut(&START)
        {
            first.iter_mut().for_each(|set| *set = rows.not_begun(monitor, *set));
        }
        Some(LogRows { rows, sets })
    }

    fn allows(&self, cut: u32, state: StateId) -> bool {
        let sets = self.sets.get(&cut).into_iter().flatten();
        sets.into_iter().any(|&set| has_bit(self.rows.row(set), state.index()))
    }
}
