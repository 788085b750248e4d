//! Limits on every step that can explode, and the error that says one was reached.

use multitrace_interaction::Stop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use web_time::Instant;

/// How large the compiled automata may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// States of the global automaton. By default 100,000: docs/BENCHMARKS.md compiles that many
    /// in about a second.
    pub states: usize,
    /// How many times larger than the specification a term may grow while it is explored. Terms
    /// of specifications with an automaton stay within a few times; where a loop keeps a term
    /// growing it has no automaton, and this limit finds that out long before the states run out.
    pub growth: u32,
    /// States of one local table, forward or backward. By default 20,000: larger tables seldom
    /// fit `local_bytes`, and finding that out takes time.
    pub local_states: usize,
    /// Bytes of one local table with its sets (areas, look-ahead rows). By default 64 MiB, so that a
    /// specification of a dozen locations stays within a gigabyte.
    pub local_bytes: usize,
    /// Units of work of each step that can explode, counted so that the limit is the same on every
    /// machine: operands touched by rewriting, or transitions visited for one table. By default 100
    /// million: seconds, and a few hundred megabytes of terms.
    pub work: u64,
    /// Bytes that compiling keeps at one time: terms with the results remembered for them, and the tables of all
    /// locations. A third of it is for tables: while a bundle is written, its bytes are in memory beside them. Counted, so
    /// that the limit is the same on every machine. By default 2 GiB.
    pub memory: usize,
    /// The longest that compiling may take; `None` sets no limit. With one, the same input may give
    /// other bytes on another machine.
    pub time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            states: 100_000,
            growth: 4,
            local_states: 20_000,
            local_bytes: 64 << 20,
            work: 100_000_000,
            // 2 GiB do not fit where addresses have 32 bits.
            memory: usize::try_from(2_u64 << 30).unwrap_or(usize::MAX / 2),
            time: None,
        }
    }
}

/// Something would have grown beyond a limit. Not an error of the specification: something slower
/// takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitExceeded {
    /// There would be more of something than the limit allows.
    #[error("more than {limit} {what}")]
    Count {
        /// The limit that was reached.
        limit: usize,
        /// The noun for the counted things.
        what: &'static str,
    },
    /// The explored terms keep growing.
    #[error("terms that keep growing, beyond {0} times the specification")]
    Growth(u32),
    /// The work took too long, as counted.
    #[error("more than {0} units of work")]
    Work(u64),
    /// It would take too much memory, as counted.
    #[error("more than {0} bytes of memory")]
    Memory(usize),
    /// The work took too long, as asked for.
    #[error("more than {0:?} of work")]
    Time(Duration),
}

impl LimitExceeded {
    /// Whether the limit was one of time, so that another machine may come to another result.
    pub fn is_time(&self) -> bool {
        matches!(self, LimitExceeded::Time(_))
    }
}

/// How many bits of a set count as one unit of work: to clear and hash them takes about as long as
/// to visit a transition.
pub(crate) const BITS_PER_UNIT: usize = 1_024;

/// The most states whose closure is kept for another time. An estimate.
pub(crate) const KEPT_STATES: usize = 8;

/// The most work to find the laws of balance: some 0.1 s at 10 ns for a number (an estimate).
pub(crate) const BALANCE_WORK: u64 = 10_000_000;

/// The work of one step, against its limits.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    left: u64,
    most: u64,
    clock: Clock,
    /// Since the last look at the clock.
    turns: usize,
}

/// How many turns pass between two looks at the clock.
const TURNS_BETWEEN_LOOKS: u32 = 64;

/// How many units of work are another turn, so that tables with much work in each turn end in time as well. An estimate.
const UNITS_PER_TURN: usize = 1_024;

impl Work {
    pub(crate) fn new(limits: &Limits, clock: Clock) -> Work {
        Work { left: limits.work, most: limits.work, clock, turns: 0 }
    }

    /// Counts some work.
    ///
    /// # Errors
    /// If it was too much.
    pub(crate) fn spend(&mut self, units: usize) -> Result<(), LimitExceeded> {
        self.left = self.left.checked_sub(units as u64).ok_or(LimitExceeded::Work(self.most))?;
        self.turns += 1 + units / UNITS_PER_TURN;
        if self.turns < TURNS_BETWEEN_LOOKS as usize {
            return Ok(());
        }
        self.turns = 0;
        self.clock.check()
    }
}

/// When compiling must be over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    limit: Option<(Instant, Duration)>,
    stopped: Arc<AtomicBool>,
}

impl Clock {
    /// A clock that starts now; `stopped` ends it at once.
    pub(crate) fn start(limits: &Limits, stopped: Arc<AtomicBool>) -> Clock {
        let deadline = |time| Some((Instant::now().checked_add(time)?, time));
        Clock { limit: limits.time.and_then(deadline), stopped }
    }

    /// # Errors
    /// If the time is over.
    pub(crate) fn check(&self) -> Result<(), LimitExceeded> {
        if self.stopped.load(Relaxed) {
            return Err(LimitExceeded::Time(Duration::ZERO));
        }
        match self.limit {
            Some((deadline, time)) if Instant::now() >= deadline => Err(LimitExceeded::Time(time)),
            _ => Ok(()),
        }
    }

    /// Looks at the time in one of [`TURNS_BETWEEN_LOOKS`] turns.
    ///
    /// # Errors
    /// If the time is over.
    pub(crate) fn check_at_turn(&self, turn: u32) -> Result<(), LimitExceeded> {
        if turn.is_multiple_of(TURNS_BETWEEN_LOOKS) { self.check() } else { Ok(()) }
    }

    /// The same for work on terms.
    pub(crate) fn stop(self) -> Stop {
        Arc::new(move || self.check().is_err())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::CompileProgress;

    #[test]
    fn work_ends_at_its_limit_and_time_at_its_own() {
        let limits = Limits { work: 10, ..Limits::default() };
        let mut work = Work::new(&limits, Clock::default());
        assert_eq!(work.spend(10), Ok(()));
        let over = work.spend(1);
        assert_eq!(over, Err(LimitExceeded::Work(10)));
        assert!(over.is_err_and(|limit| !limit.is_time()));
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let over = Clock::start(&limits, Arc::default()).check();
        assert!(over.is_err_and(|limit| limit.is_time()));
    }

    #[test]
    fn who_watches_may_end_it() {
        let progress = CompileProgress::default();
        let clock = Clock::start(&Limits::default(), progress.stopped());
        let mut work = Work::new(&Limits::default(), clock.clone());
        assert_eq!((clock.check(), clock.clone().stop()()), (Ok(()), false));
        progress.stop();
        assert!(clock.check().is_err_and(|limit| limit.is_time()) && clock.stop()());
        assert!((0..TURNS_BETWEEN_LOOKS).any(|_| work.spend(1).is_err()));
    }

    #[test]
    fn a_turn_with_much_work_looks_at_the_time() {
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let mut work = Work::new(&limits, Clock::start(&limits, Arc::default()));
        assert_eq!(work.spend(1), Ok(()));
        let units = TURNS_BETWEEN_LOOKS as usize * UNITS_PER_TURN;
        assert!(work.spend(units).is_err_and(|limit| limit.is_time()));
    }

    #[test]
    fn work_on_terms_stops_when_the_time_is_over() {
        let limits = |time| Limits { time, ..Limits::default() };
        let stops = |time| Clock::start(&limits(time), Arc::default()).stop()();
        assert!(!stops(None));
        assert!(stops(Some(Duration::ZERO)));
        assert!(!stops(Some(Duration::from_secs(1 << 20))));
    }

    #[test]
    fn the_clock_is_looked_at_seldom() {
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let mut work = Work::new(&limits, Clock::start(&limits, Arc::default()));
        for _ in 1..TURNS_BETWEEN_LOOKS {
            assert_eq!(work.spend(1), Ok(()));
        }
        assert_eq!(work.spend(1), Err(LimitExceeded::Time(Duration::ZERO)));
    }
}
