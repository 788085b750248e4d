//! What one session may cost, and what is left of it.

use multitrace_interaction::{InconclusiveReason, StateId};
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::time::Duration;
use web_time::Instant;

/// The most one session may cost; a session that needs more is inconclusive.
///
/// States and bytes are counted in a way that does not depend on what other sessions do, so
/// verdicts do not depend on the number of threads. Time does depend on it, and is not limited
/// unless asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most nodes each search may visit.
    pub states: u64,
    /// The most bytes each search may use: its nodes, and the terms it looks at, roughly.
    pub bytes: u64,
    /// The most time for a session.
    pub time: Option<Duration>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { states: 4_000_000, bytes: 1 << 30, time: None }
    }
}

/// No search can hold more nodes than this, whatever the budget.
const MOST_NODES: u64 = 1 << 31;

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
    /// Of a session that begins now.
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

    /// Whether these states spend it, or the bytes or the time so far, which are looked at now and
    /// then only.
    #[inline]
    pub(crate) fn spent(&self, states: u64, bytes: impl FnOnce() -> u64) -> Option<Spent> {
        /// How many calls go by between two looks.
        const SELDOM: u32 = 64;
        if states > self.states {
            return Some(Spent::States(self.states));
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

/// What a term that a search has come across is taken to need in memory, with all that is
/// remembered of it: so much, and so much for each of its operators and steps. Terms share parts,
/// so it needs less as a rule.
const BYTES_PER_TERM: u64 = 128;
const BYTES_PER_WEIGHT: u64 = 8;

/// Counts the terms one search has come across. It does not ask whether they were known before, so
/// that what a session is charged does not depend on the others.
#[derive(Debug, Default)]
pub(crate) struct TermMeter {
    touched: FxHashSet<StateId>,
    bytes: u64,
}

impl TermMeter {
    /// Counts the term of a state, once. States of automata have no weight and are not counted.
    #[inline]
    pub(crate) fn touch(&mut self, state: StateId, weight: u32) {
        if weight > 0 && self.touched.insert(state) {
            self.bytes += BYTES_PER_TERM + BYTES_PER_WEIGHT * u64::from(weight);
        }
    }

    /// What the terms counted so far are taken to need.
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
