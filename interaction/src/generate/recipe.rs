//! A description of multi-traces to make: which part of accepted ones, mutated or not, and how many.

/// How much of an accepted multi-trace is observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TracePart {
    /// All of it.
    #[default]
    Accepted,
    /// Each local trace up to some event.
    Prefix,
    /// Each local trace from some event to another.
    Slice,
}

impl TracePart {
    /// Its name in session ids.
    pub fn name(self) -> &'static str {
        match self {
            TracePart::Accepted => "accepted",
            TracePart::Prefix => "prefix",
            TracePart::Slice => "slice",
        }
    }
}

/// How a multi-trace is mutated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// A random action is inserted.
    Noise,
    /// Two actions of a local trace change places.
    SwapActions,
    /// One local trace is exchanged for that of another multi-trace.
    SwapComponents,
    /// One to three events are inserted, replaced or removed. Most results have a local error
    /// (paper 004 sec. 5); whoever wants only those checks them.
    LocalError,
    /// Each local trace but the first is that of another multi-trace. The result may have an inter error.
    InterError,
    /// As [`Mutation::InterError`]. The result may have a central error.
    CentralError,
}

impl Mutation {
    /// Its name in session ids.
    pub fn name(self) -> &'static str {
        match self {
            Mutation::Noise => "noise",
            Mutation::SwapActions => "swap-actions",
            Mutation::SwapComponents => "swap-components",
            Mutation::LocalError => "local-error",
            Mutation::InterError => "inter-error",
            Mutation::CentralError => "central-error",
        }
    }
}

/// A description of multi-traces to make.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recipe {
    /// Which parts of accepted multi-traces.
    pub part: TracePart,
    /// How to mutate them, if at all.
    pub mutation: Option<Mutation>,
    /// Whether to take all accepted multi-traces within the bounds, not random ones.
    pub exhaustive: bool,
    /// Whether to take all parts of each accepted multi-trace, not one random part.
    pub all: bool,
    /// How many; with `all`, of how many accepted multi-traces the parts are taken.
    pub count: Option<usize>,
    /// Whether to keep repetitions.
    pub duplicates: bool,
}
