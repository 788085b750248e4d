//! How to check sessions: settings for everyone, and those for comparisons alone.

use crate::budget::Budget;
use crate::decider_name::DeciderName;
use multitrace_interaction::Observation;

/// How to check sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckConfig {
    /// The part of an execution that the logs are assumed to contain.
    pub observation: Observation,
    /// Which engine decides.
    pub engine: EngineChoice,
    /// The most that one session may cost.
    pub budget: Budget,
    /// Whether passes come with a witness.
    pub witness: bool,
    /// Whether failures come without a cycle ([`Frontier::cycle`](multitrace_interaction::Frontier)). To look for one takes
    /// a third of the time of a failure where something is concurrent, so runs do it for the examples that they show.
    pub without_cycles: bool,
    /// Other ways to the same verdicts. Leave it at its default unless you compare them.
    pub comparison: Comparison,
}

/// Which engine decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineChoice {
    /// The compiled automaton if the bundle has one, else terms.
    #[default]
    Auto,
    /// The compiled automaton.
    Nfa,
    /// Terms, whose derivatives are computed on demand.
    Term,
}

/// Settings for papers and comparisons. No choice here changes a verdict, except that some ways leave
/// more sessions inconclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Which procedure decides, on the compiled automaton.
    pub procedure: Procedure,
    /// How the semi-centralized procedure searches the compiled automaton.
    pub search: SearchChoice,
    /// How many events of a local trace look-ahead on terms reads; `None` reads all of them.
    pub look_ahead_depth: Option<u32>,
    /// How terms decide sessions that are partly observed.
    pub method: Method,
    /// If present, these reductions replace our own on terms: linearisation, persistent locations, sorted orders, events with
    /// several free places, and the stages in which global-prefix mode asks prefix mode first.
    pub reductions: Option<Reductions>,
    /// A stage that is not asked, unless it is the last of its plan.
    pub without: Option<DeciderName>,
}

/// Which procedure decides on the compiled automaton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Procedure {
    /// Local checks first, then a search with look-ahead (paper 004 sec. 4).
    #[default]
    SemiCentralized,
    /// Algorithm 1 of paper 004 as printed: a search over the full automaton, nothing before it.
    Centralized,
}

/// How a compiled automaton is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchChoice {
    /// The search that suits the session.
    #[default]
    Auto,
    /// Node by node, without look-ahead.
    Blind,
    /// Node by node, with look-ahead.
    Nodes,
    /// As [`SearchChoice::Nodes`] with nodes of one word. Sessions whose nodes need more words, or
    /// that need a witness, are searched as with [`SearchChoice::Nodes`].
    Packed,
    /// By constraints (which parts of the specification are there, and in which order), on terms, too. Sessions that
    /// they do not decide are searched as with [`SearchChoice::Nodes`].
    Constraints,
}

/// How terms decide sessions that are partly observed: their unobserved actions may be endless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Lifeline removal, and simulation as far as the budget goes.
    #[default]
    Exact,
    /// Lifeline removal alone (papers 002 and 003). It answers prefixes only, and confirms only
    /// where removal is exact.
    Removal,
    /// Simulation alone, as far as a criterion goes (paper 000 sec. 5).
    Simulation(Criterion),
}

/// The reductions of paper 003 sec. 5, on the interaction as it was written and without ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reductions {
    /// One-unambiguous events are read first (sec. 5.1).
    pub partial_order: bool,
    /// Analyses of single locations find dead ends (sec. 5.2).
    pub local_analyses: bool,
}

/// When simulation stops (paper 000 sec. 5.1 and 7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Criterion {
    /// How many repetitions of loops may begin.
    pub loops: LoopLimit,
    /// How many actions outside loops may happen.
    pub actions: ActionLimit,
    /// Whether both limits are multiplied by the number of events of the session.
    pub multiply: bool,
    /// Whether the limits start again after every event; otherwise they hold for the whole session.
    pub reset: bool,
    /// Whether a location may also move before its first event, in slice mode. If not, only
    /// prefixes are recognised.
    pub before: bool,
}

impl Default for Criterion {
    /// The criterion of paper 000 sec. 5.1.
    fn default() -> Criterion {
        Criterion {
            loops: LoopLimit::Depth,
            actions: ActionLimit::Outside,
            multiply: false,
            reset: true,
            before: true,
        }
    }
}

/// A limit on the repetitions of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopLimit {
    /// The deepest nesting of loops in the term.
    Depth,
    /// The number of loops in the term.
    Count,
    /// This many.
    AtMost(u32),
}

/// A limit on the actions outside loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActionLimit {
    /// As many as the term has.
    Outside,
    /// This many.
    AtMost(u32),
}
