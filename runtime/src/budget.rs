//! The limits of one session, and the part of them that is left.

use crate::automaton::Automaton;
use multitrace_interaction::{BudgetLimit, StateId, Stop, Transition};
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;
use web_time::Instant;

/// The most that one session may cost; a session that needs more is inconclusive.
///
/// The states and bytes that a session is charged do not depend on other sessions, so verdicts do
/// not depend on the number of threads. Time depends on the machine, and has no limit by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most nodes that each search may visit.
    pub states: States,
    /// The most bytes that each search may use for its nodes and the terms it meets, estimated.
    pub bytes: u64,
    /// The most time for a session; `None` sets no limit.
    pub time: Option<Duration>,
}

impl Default for Budget {
    /// States that grow with the session and 1 GiB: seconds of search, and memory that machines of
    /// CI services have.
    fn default() -> Budget {
        Budget { states: States::Scaled, bytes: 1 << 30, time: None }
    }
}

/// How many nodes each search of a session may visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum States {
    /// 500 for each event of the session, and at least 4 million.
    #[default]
    Scaled,
    /// This many, whatever the session.
    Fixed(u64),
}

/// The least of a scaled budget: a second of search on an automaton.
const LEAST_STATES: u64 = 4_000_000;

/// The states that a scaled budget gains with each event. A real session of 40,000 events needs between 100
/// and 200 states for each of them; this leaves more than twice the room.
const STATES_PER_EVENT: u64 = 500;

impl States {
    /// The number of nodes for a session with this many events.
    pub fn of(self, events: usize) -> u64 {
        match self {
            States::Scaled => (events as u64).saturating_mul(STATES_PER_EVENT).max(LEAST_STATES),
            States::Fixed(states) => states,
        }
    }
}

/// No search visits more nodes than this, whatever the budget: nodes are numbered by `u32`, with
/// room for those that are found and not visited.
const MOST_NODES: u64 = 1 << 31;

/// How many calls pass between two looks at bytes and time. A look at the clock takes about as long
/// as two visits of a node on an automaton, and 64 visits take a microsecond there.
const CALLS_BETWEEN_LOOKS: u32 = 64;

/// The states, bytes and time that a search may still spend.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    pub(crate) states: u64,
    pub(crate) bytes: u64,
    deadline: Option<Instant>,
    time: Duration,
    calls: Cell<u32>,
    /// How many calls pass between two looks at bytes and time.
    interval: u32,
}

impl Allowance {
    /// The allowance of a session with this many events that begins now.
    pub(crate) fn begin(budget: &Budget, events: usize) -> Allowance {
        Allowance {
            states: budget.states.of(events).min(MOST_NODES),
            bytes: budget.bytes,
            deadline: budget.time.and_then(|time| Instant::now().checked_add(time)),
            time: budget.time.unwrap_or_default(),
            calls: Cell::new(0),
            interval: CALLS_BETWEEN_LOOKS,
        }
    }

    /// The same with no more than this many states.
    pub(crate) fn with_states(&self, states: u64) -> Allowance {
        Allowance { states: self.states.min(states), ..self.clone() }
    }

    /// The same with any number of states and bytes, for stages that have limits of their own.
    pub(crate) fn of_time_only(&self) -> Allowance {
        Allowance { states: u64::MAX, bytes: u64::MAX, ..self.clone() }
    }

    /// Whether a search may not visit this many states.
    #[inline]
    pub(crate) fn spent_states(&self, states: u64) -> Option<BudgetLimit> {
        (states > self.states).then_some(BudgetLimit::States(self.states))
    }

    /// Whether a search may not visit this many states, use this many bytes, or go on any longer.
    /// Bytes and time are looked at only at every [`CALLS_BETWEEN_LOOKS`]th call.
    #[inline]
    pub(crate) fn spent(&self, states: u64, bytes: impl FnOnce() -> u64) -> Option<BudgetLimit> {
        if let Some(spent) = self.spent_states(states) {
            return Some(spent);
        }
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if !calls.is_multiple_of(self.interval) {
            return None;
        }
        if bytes() > self.bytes {
            return Some(BudgetLimit::Bytes(self.bytes));
        }
        self.is_late().then_some(BudgetLimit::Time(self.time))
    }

    /// The same as a question that others can ask; `None` if the session has all the time it wants.
    pub(crate) fn stop(&self) -> Option<Stop> {
        let deadline = self.deadline?;
        Some(Arc::new(move || Instant::now() >= deadline))
    }

    /// The same for searches on an automaton. On terms, where a visit may take long and much memory,
    /// bytes and time are looked at in every call.
    pub(crate) fn on<A: Automaton>(&self, automaton: &A) -> Allowance {
        let is_on_terms = automaton.initial().iter().any(|&state| automaton.weight(state) > 0);
        Allowance { interval: if is_on_terms { 1 } else { CALLS_BETWEEN_LOOKS }, ..self.clone() }
    }

    /// Whether bytes and time are looked at in every call.
    pub(crate) fn looks_often(&self) -> bool {
        self.interval == 1
    }

    /// The limit of a search that was cut short by its time.
    pub(crate) fn time_spent(&self) -> BudgetLimit {
        BudgetLimit::Time(self.time)
    }

    /// Whether the session has taken all of its time.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// An estimate of the memory that a term takes, with all that is remembered of it: a part for the
/// term, and a part for each of its operators and steps. Terms share their parts, so most need
/// less. Estimated from the tables of a `TermStore`, not measured.
const BYTES_PER_TERM: u64 = 128;
const BYTES_PER_WEIGHT: u64 = 8;

/// The same for a term that is only derived: its operands take four bytes each, and one in three
/// symbols of a term is an operand of a flat operator, if it has one.
const BYTES_PER_WEIGHT_DERIVED: u64 = 1;

/// Counts the terms that one search meets. It counts those that other sessions have met, too, so that the charge of a
/// session does not depend on other sessions.
#[derive(Debug, Default)]
pub(crate) struct TermMeter {
    touched: FxHashSet<StateId>,
    /// The states whose transitions were counted.
    rows: FxHashSet<StateId>,
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

    /// Counts the terms that the transitions of a state lead to, once: all of them are derived,
    /// followed or not. Of those that nobody follows, nothing is remembered but their operands.
    #[inline]
    pub(crate) fn touch_row<A: Automaton>(
        &mut self,
        automaton: &A,
        state: StateId,
        row: &[Transition],
    ) {
        if automaton.weight(state) > 0 && self.rows.insert(state) {
            let weights = row.iter().map(|to| u64::from(automaton.weight(to.to)));
            self.bytes += BYTES_PER_WEIGHT_DERIVED * weights.sum::<u64>();
        }
    }

    /// The estimated memory of the terms counted so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn reset(&mut self) {
        self.touched.clear();
        self.rows.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_grows_with_the_session_and_a_number_does_not() {
        assert_eq!(States::Scaled.of(0), LEAST_STATES);
        assert_eq!(States::Scaled.of(8_000), LEAST_STATES);
        assert_eq!(States::Scaled.of(40_000), 20_000_000);
        assert_eq!(States::Fixed(7).of(40_000), 7);
        let most = Allowance::begin(&Budget::default(), usize::MAX);
        assert_eq!(most.states, MOST_NODES);
    }

    #[test]
    fn states_and_bytes_are_spent_once_they_are_exceeded() {
        let budget = Budget { states: States::Fixed(5), bytes: 7, time: None };
        let allowance = Allowance::begin(&budget, 0);
        let bytes = Some(BudgetLimit::Bytes(7));
        for turn in 1..=3 * CALLS_BETWEEN_LOOKS {
            let is_looked_at = turn % CALLS_BETWEEN_LOOKS == 0;
            assert_eq!(allowance.spent(5, || 8), bytes.filter(|_| is_looked_at), "{turn}");
            // A number of states that is too large is not a call that counts.
            assert_eq!(allowance.spent(6, || 0), Some(BudgetLimit::States(5)));
        }
        for _ in 0..2 * CALLS_BETWEEN_LOOKS {
            assert_eq!(allowance.spent(5, || 7), None);
        }
        assert_eq!(allowance.with_states(4).spent_states(4), None);
        assert_eq!(allowance.with_states(9).spent_states(6), Some(BudgetLimit::States(5)));
        assert!(!allowance.is_late() && allowance.stop().is_none());
    }

    #[test]
    fn without_time_everything_is_late() {
        let budget = Budget { time: Some(Duration::ZERO), ..Budget::default() };
        let allowance = Allowance::begin(&budget, 0);
        assert!(allowance.is_late());
        assert!(allowance.stop().is_some_and(|stop| stop()));
        let found =
            (0..CALLS_BETWEEN_LOOKS).filter_map(|_| allowance.spent(0, || 0)).collect::<Vec<_>>();
        assert_eq!(found, [BudgetLimit::Time(Duration::ZERO)]);
        let plenty = Budget { time: Some(Duration::MAX), ..Budget::default() };
        assert!(!Allowance::begin(&plenty, 0).is_late());
    }

    #[test]
    fn a_term_and_a_row_are_counted_once() {
        use multitrace_interaction::Id;
        let mut meter = TermMeter::default();
        let [one, other] = [0, 1].map(StateId::new);
        for (state, weight, bytes) in
            [(one, 0, 0), (one, 3, 128 + 24), (one, 3, 128 + 24), (other, 1, 2 * 128 + 32)]
        {
            meter.touch(state, weight);
            assert_eq!(meter.bytes(), bytes);
        }
        meter.reset();
        meter.touch(one, 2);
        assert_eq!(meter.bytes(), 128 + 16);
    }
}
