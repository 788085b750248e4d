//! Limits on every step that can explode, and the error that says one was reached.

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
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 100_000, growth: 4, local_states: 20_000, local_bytes: 64 << 20 }
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
        /// What was counted.
        what: &'static str,
    },
    /// The explored terms keep growing.
    #[error("terms that keep growing, beyond {0} times the specification")]
    Growth(u32),
}
