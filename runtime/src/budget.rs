//! What one session may cost, and what is left of it.

use multitrace_interaction::{InconclusiveReason, StateId};
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::time::Duration;
use web_time::Instant;

/// The most that one session may cost; a session that needs more is inconclusive.
///
/// What a session is charged in states and bytes does not depend on other sessions, so verdicts do
/// not depend on the number of threads. Time depends on the machine, and has no limit by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most nodes that each search may visit.
    pub states: u64,
    /// The most bytes that each search may use for its nodes and the terms it meets, estimated.
    pub bytes: u64,
    /// The most time for a session; `None` sets no limit.
    pub time: Option<Duration>,
}

impl Default for Budget {
    /// 4 million states and 1 GiB: seconds of search, and memory that machines of CI services have.
    fn default() -> Budget {
        Budget { states: 4_000_000, bytes: 1 << 30, time: None }
    }
}

/// No search visits more nodes than this, whatever the budget: nodes are numbered by `u32`, with
/// room for those that are found and not visited.
const MOST_NODES: u64 = 1 << 31;

/// How many calls pass between two looks at bytes and time. A look at the clock takes about as long
/// as two visits of a node on an automaton, and 64 visits take a microsecond there.
const SELDOM: u32 = 64;

/// What a search may still spend.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    pub(crate) states: u64,
    pub(crate) bytes: u64,
    deadline: Option<Instant>,
    time: Duration,
    calls: Cell<u32>,
}

/// Which part of an allowance was spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spent {
    States(u64),
    Bytes(u64),
    Time(Duration),
}

impl Allowance {
    /// The allowance of a session that begins now.
    pub(crate) fn begin(budget: &Budget) -> Allowance {
        Allowance {
            states: budget.states.min(MOST_NODES),
            bytes: budget.bytes,
            deadline: budget.time.and_then(|time| Instant::now().checked_add(time)),
            time: budget.time.unwrap_or_default(),
            calls: Cell::new(0),
        }
    }

    /// The same with no more than this many states.
    pub(crate) fn with_states(&self, states: u64) -> Allowance {
        Allowance { states: self.states.min(states), ..self.clone() }
    }

    /// Whether a search may not visit this many states.
    #[inline]
    pub(crate) fn spent_states(&self, states: u64) -> Option<Spent> {
        (states > self.states).then_some(Spent::States(self.states))
    }

    /// Whether a search may not visit this many states, use this many bytes, or go on any longer.
    /// Bytes and time are looked at only at every [`SELDOM`]th call.
    #[inline]
    pub(crate) fn spent(&self, states: u64, bytes: impl FnOnce() -> u64) -> Option<Spent> {
        if let Some(spent) = self.spent_states(states) {
            return Some(spent);
        }
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if !calls.is_multiple_of(SELDOM) {
            return None;
        }
        if bytes() > self.bytes {
            return Some(Spent::Bytes(self.bytes));
        }
        let over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        over.then_some(Spent::Time(self.time))
    }
}

/// An estimate of the memory that a term takes, with all that is remembered of it: a part for the
/// term, and a part for each of its operators and steps. Terms share their parts, so most need
/// less. Estimated from the tables of a `TermStore`, not measured.
const BYTES_PER_TERM: u64 = 128;
const BYTES_PER_WEIGHT: u64 = 8;

/// Counts the terms that one search meets. It counts those that other sessions have met, too, so
/// that what a session is charged does not depend on other sessions.
#[derive(Debug, Default)]
pub(crate) struct TermMeter {
    touched: FxHashSet<StateId>,
    bytes: u64,
}

impl TermMeter {
    /// Counts the term of a state once. States of compiled automata weigh nothing and are not
    /// counted.
    #[inline]
    pub(crate) fn touch(&mut self, state: StateId, weight: u32) {
        if weight > 0 && self.touched.insert(state) {
            self.bytes += BYTES_PER_TERM + BYTES_PER_WEIGHT * u64::from(weight);
        }
    }

    /// The estimated memory of the terms counted so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn reset(&mut self) {
        self.touched.clear();
        self.bytes = 0;
    }
}

impl From<Spent> for InconclusiveReason {
    fn from(spent: Spent) -> InconclusiveReason {
        match spent {
            Spent::States(states) => InconclusiveReason::StateBudget(states),
            Spent::Bytes(bytes) => InconclusiveReason::MemoryBudget(bytes),
            Spent::Time(time) => InconclusiveReason::TimeBudget(time),
        }
    }
}
