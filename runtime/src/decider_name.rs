//! The stages that decide sessions, by name.

/// Which stage decides, or answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DeciderName {
    /// Events that are unknown, or logs that are impossible alone.
    SingleLogs,
    /// Laws about the numbers of events.
    Balance,
    /// Parts of the specification that have one location in common, each alone, and the log of that location.
    PartsApart,
    /// A search of the automaton without look-ahead.
    BlindSearch,
    /// A short search of the automaton with look-ahead.
    AheadSearch,
    /// A search of the automaton node by node, which gives witnesses.
    NodeSearch,
    /// Algorithm 1 of paper 004.
    Centralized,
    /// Clauses, and a graph of the order of events.
    Constraints,
    /// A search of terms.
    TermSearch,
    /// Lifeline removal.
    Removal,
    /// Lifeline removal where a log ends, for slices.
    RemovalAtEnds,
    /// A search with as many repetitions of loops as the session can need.
    Repetitions,
    /// Simulation as far as the criterion of paper 000 goes.
    Simulation,
    /// For global prefixes, a search for an order of the events alone; without one, whether longer logs might be
    /// accepted.
    AllEvents,
}

impl DeciderName {
    /// Every stage.
    pub const ALL: [DeciderName; 14] = [
        DeciderName::SingleLogs,
        DeciderName::Balance,
        DeciderName::PartsApart,
        DeciderName::BlindSearch,
        DeciderName::AheadSearch,
        DeciderName::NodeSearch,
        DeciderName::Centralized,
        DeciderName::Constraints,
        DeciderName::TermSearch,
        DeciderName::Removal,
        DeciderName::RemovalAtEnds,
        DeciderName::Repetitions,
        DeciderName::Simulation,
        DeciderName::AllEvents,
    ];

    /// The name in reports of costs.
    pub fn name(self) -> &'static str {
        match self {
            DeciderName::SingleLogs => "single logs",
            DeciderName::Balance => "balance",
            DeciderName::PartsApart => "parts apart",
            DeciderName::BlindSearch => "blind search",
            DeciderName::AheadSearch => "search with look-ahead",
            DeciderName::NodeSearch => "search of nodes",
            DeciderName::Centralized => "centralized search",
            DeciderName::Constraints => "constraints",
            DeciderName::TermSearch => "search of terms",
            DeciderName::Removal => "lifeline removal",
            DeciderName::RemovalAtEnds => "lifeline removal at ends",
            DeciderName::Repetitions => "search of repetitions",
            DeciderName::Simulation => "simulation",
            DeciderName::AllEvents => "search of all events",
        }
    }
}
