//! How long accepted multi-traces may be, and how often loops may repeat in them.

/// Bounds of accepted multi-traces. The defaults are those of paper 003 sec. 6.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The fewest events.
    pub min_events: usize,
    /// The most events; without it as many as the repetitions of loops allow.
    pub max_events: Option<usize>,
    /// The fewest repetitions of loops that begin.
    pub min_loops: usize,
    /// The most repetitions of loops that begin, all loops together (paper 000 app. B.1): those of
    /// the normal form, and those of nested loops each for itself.
    pub max_loops: Option<usize>,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds::events(1, 30)
    }
}

impl Bounds {
    /// From `min` to `max` events, loops as one likes.
    pub fn events(min: usize, max: usize) -> Bounds {
        Bounds { min_events: min, max_events: Some(max), min_loops: 0, max_loops: None }
    }
}

/// Why there is nothing to generate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundsError {
    /// No accepted multi-trace is within the bounds.
    #[error(
        "no accepted multi-trace has {}; the shortest has {shortest} events",
        described(bounds)
    )]
    Nothing {
        /// The bounds.
        bounds: Bounds,
        /// How many events the shortest accepted multi-trace has.
        shortest: usize,
    },
    /// The automaton accepts nothing.
    #[error("no multi-trace is accepted")]
    Empty,
    /// The bounds limit neither events nor repetitions from above.
    #[error("neither the events nor the loop repetitions are bounded from above")]
    Unbounded,
    /// The bounds are too wide to keep count.
    #[error("up to {events} events with up to {loops} loop repetitions are too many to keep count")]
    TooWide {
        /// The most events.
        events: usize,
        /// The most repetitions.
        loops: usize,
    },
}

/// "from 1 to 30 events and at least 2 loop repetitions"
fn described(bounds: &Bounds) -> String {
    let events = range(bounds.min_events, bounds.max_events, "events");
    let loops = range(bounds.min_loops, bounds.max_loops, "loop repetitions");
    let parts: Vec<String> = events.into_iter().chain(loops).collect();
    parts.join(" and ")
}

fn range(min: usize, max: Option<usize>, what: &str) -> Option<String> {
    match max {
        Some(max) => Some(format!("from {min} to {max} {what}")),
        None if min > 0 => Some(format!("at least {min} {what}")),
        None => None,
    }
}
