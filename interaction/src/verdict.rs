//! Verdicts and the evidence they carry: one vocabulary for every engine and every output.
//!
//! Papers: 004 sec. 4 for the causes, 001 sec. 4 and 000 sec. 5 for the weak verdicts.

use crate::id::LetterId;
use std::time::Duration;

/// What the logs are assumed to contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observation {
    /// Everything that happened.
    #[default]
    Complete,
    /// Each location logged everything, or its log is missing: an empty log says nothing.
    Missing,
    /// Each location may have stopped early, or never begun (papers 002, 003).
    Prefix,
    /// Each location may have begun late and stopped early (paper 000).
    Slice,
    /// All locations stopped at one moment: the projection of a prefix of an accepted global trace
    /// (paper 001 sec. 4.5).
    GlobalPrefix,
}

impl Observation {
    /// The name of the mode on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Observation::Complete => "complete",
            Observation::Missing => "missing",
            Observation::Prefix => "prefix",
            Observation::Slice => "slice",
            Observation::GlobalPrefix => "global-prefix",
        }
    }

    /// Whether a location may act without an event of its log once `read` events of its `length`
    /// are read.
    #[inline]
    pub fn is_open(self, read: usize, length: usize) -> bool {
        match self {
            Observation::Complete | Observation::GlobalPrefix => false,
            Observation::Missing => length == 0,
            Observation::Prefix => read == length,
            Observation::Slice => read == length || read == 0,
        }
    }

    /// Whether more may have happened at a location than its log of `length` events shows.
    #[inline]
    pub fn may_go_on(self, length: usize) -> bool {
        match self {
            Observation::Complete => false,
            Observation::Missing => length == 0,
            Observation::Prefix | Observation::Slice | Observation::GlobalPrefix => true,
        }
    }
}

/// Which engine gives a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Search over the compiled automaton.
    Nfa,
    /// Search over terms, whose derivatives are computed on demand.
    Term,
}

impl Engine {
    /// The name of the engine on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Nfa => "nfa",
            Engine::Term => "term",
        }
    }
}

/// The answer to "does this session conform to this specification?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted as it is, whatever the observation mode.
    Pass,
    /// Not accepted as it is, but as a part of an accepted multi-trace.
    WeakPass,
    /// Not accepted, and why.
    Fail(Cause),
    /// Not decided, and why.
    Inconclusive(InconclusiveReason),
}

impl Verdict {
    /// The name of the verdict in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::WeakPass => "weak_pass",
            Verdict::Fail(_) => "fail",
            Verdict::Inconclusive(_) => "inconclusive",
        }
    }
}

/// Why a session is not accepted (paper 004 sec. 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Some local trace alone is impossible.
    Local(LocalFailure),
    /// Each local trace is possible, but no accepting path is common to their areas.
    Inter(Frontier),
    /// The areas meet, but no interleaving is accepted.
    Central(Frontier),
}

impl Cause {
    /// The name of the cause in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Cause::Local(_) => "local",
            Cause::Inter(_) => "inter",
            Cause::Central(_) => "central",
        }
    }
}

/// The first impossible event of a local trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalFailure {
    /// The location by name.
    pub location: String,
    /// The index of the first impossible event, from 0; the length of the trace if every event is
    /// possible and the trace ends too early.
    pub index: usize,
    /// The impossible event; `None` if the trace ends too early.
    pub event: Option<String>,
    /// Whether the specification knows the event; true if the trace ends too early.
    pub known: bool,
    /// The events that were possible there, sorted.
    pub expected: Vec<String>,
}

/// The furthest an interleaving gets: one entry per location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    /// One entry per location, in order.
    pub locations: Vec<FrontierEntry>,
    /// False if the budget was spent before every interleaving was followed: another one may get
    /// further.
    pub complete: bool,
}

/// How far one location gets in the furthest interleaving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontierEntry {
    /// The location by name.
    pub location: String,
    /// How many of its events are explained.
    pub explained: usize,
    /// How many events its trace has.
    pub length: usize,
    /// The event that blocks; `None` if all events are explained.
    pub event: Option<String>,
    /// What the specification allows at this location there, sorted.
    pub expected: Vec<String>,
}

/// Why a session was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InconclusiveReason {
    /// The search visited this many nodes, the most it may.
    StateBudget(u64),
    /// The search used this many bytes, the most it may.
    MemoryBudget(u64),
    /// The session took this long, the most it may.
    TimeBudget(Duration),
    /// Unobserved actions may go on without end: simulation found no interleaving within this many
    /// nodes, and lifeline removal did not refute one.
    Simulation(u64),
    /// In global-prefix mode: an interleaving is stuck after some location's log has ended, and
    /// more of that log might have let it go on (paper 001 sec. 4.5, LackObs).
    LackOfObservation,
    /// These locations logged nothing, and the other logs are those of some accepted multi-trace:
    /// the logs of these locations seem to be missing.
    Partial(Vec<String>),
    /// The event log that the session comes from was cut off, and each of its logs is a prefix of
    /// the log that some accepted multi-trace has there.
    CutOff,
    /// Records of the session could not be used, so that events are missing from it.
    Damaged,
    /// Lifeline removal decided alone. It does not rule the logs out, but accepts more than the
    /// specification does.
    Removal,
}

impl std::fmt::Display for InconclusiveReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InconclusiveReason::StateBudget(states) => {
                write!(f, "the search stopped at its budget of {states} states")
            }
            InconclusiveReason::MemoryBudget(bytes) => {
                write!(f, "the search stopped at its budget of {bytes} bytes")
            }
            InconclusiveReason::TimeBudget(time) => {
                write!(f, "the search stopped at its budget of {time:?}")
            }
            InconclusiveReason::Removal => f.write_str(
                "lifeline removal does not rule the logs out, and it is no proof of the contrary",
            ),
            InconclusiveReason::Partial(locations) => {
                write!(f, "nothing was logged at {}; the other logs fit", locations.join(", "))
            }
            InconclusiveReason::CutOff => {
                f.write_str("an event log was cut off; the logs fit as far as they go")
            }
            InconclusiveReason::Damaged => {
                f.write_str("records of the session could not be used, so that events are missing")
            }
            InconclusiveReason::LackOfObservation => f.write_str(
                "lack of observation: some log ends where more of it might explain the others",
            ),
            InconclusiveReason::Simulation(nodes) => write!(
                f,
                "unobserved actions may go on without end; none were found in {nodes} states that \
                 explain the logs, and lifeline removal does not rule them out"
            ),
        }
    }
}

/// An accepted global trace as evidence for a pass, checkable by replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// Its actions in order.
    pub steps: Vec<WitnessStep>,
}

/// One action of a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WitnessStep {
    /// The action.
    pub letter: LetterId,
    /// Whether it is an event of the session; false if it went unobserved.
    pub observed: bool,
}
