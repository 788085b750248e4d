//! Verdicts and the evidence they carry: one vocabulary for every engine and every output.
//!
//! Papers: 004 sec. 4 for the causes, 001 sec. 4 and 000 sec. 5 for the weak verdicts.

use crate::alphabet::Alphabet;
use crate::balance::Imbalance;
use crate::id::{LetterId, LocationId};
use std::time::Duration;

/// The part of an execution that the logs are assumed to contain.
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
    /// All modes.
    pub const ALL: [Observation; 5] = [
        Observation::Complete,
        Observation::Missing,
        Observation::Prefix,
        Observation::Slice,
        Observation::GlobalPrefix,
    ];

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
    /// Not accepted, with everything that is certainly wrong.
    Fail(Failure),
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

/// Everything that is certainly wrong with a session.
///
/// The causes are in this order: events that the specification does not know, impossible events,
/// logs that end too early, then the one cause that concerns all logs together. Within a kind they
/// are in the order of the locations, unknown locations last, and of the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The causes, the main one first; never empty. Of each location there are at most
    /// [`Failure::MOST_PER_LOCATION`], and those beyond whose event occurs in none before.
    pub causes: Vec<Cause>,
    /// The number of further causes, which repeat events of those.
    pub omitted: u64,
}

impl Failure {
    /// Causes of one location that are kept whatever their events: a screen of them.
    pub const MOST_PER_LOCATION: usize = 20;

    /// A failure with one cause.
    pub fn single(cause: Cause) -> Failure {
        Failure { causes: vec![cause], omitted: 0 }
    }

    /// The first cause, which stands for the session where there is room for one.
    ///
    /// # Panics
    /// If the failure has no cause.
    pub fn main(&self) -> &Cause {
        &self.causes[0]
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

/// An impossible event of a local trace, or a local trace that ends too early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalFailure {
    /// The location; one that the alphabet does not have is a foreign log of the session
    /// ([`Session::foreign_location`](crate::Session::foreign_location)).
    pub location: LocationId,
    /// The index of the impossible event, from 0; the length of the trace if it ends too early.
    pub index: usize,
    /// The impossible event, [`LetterId::UNKNOWN`] if the specification does not know it; `None` if the trace ends
    /// too early, or is the empty trace of an unknown location.
    pub event: Option<LetterId>,
    /// The events that were possible there, in the order of the alphabet.
    pub expected: Vec<LetterId>,
}

impl LocalFailure {
    /// Whether the specification knows location and event, so that the event is impossible only there, or only
    /// missing.
    pub fn is_known(&self, alphabet: &Alphabet) -> bool {
        alphabet.has_location(self.location) && self.event != Some(LetterId::UNKNOWN)
    }
}

/// The furthest an interleaving gets: one entry per location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    /// One entry per location of the alphabet, in order.
    pub locations: Vec<FrontierEntry>,
    /// False if the budget was spent before every interleaving was followed: another one may get
    /// further.
    pub complete: bool,
    /// Events that would each have to come before the next, and the last before the first: those of one
    /// location by its log, others by the specification. Empty if none were found.
    pub cycle: Vec<CycleEvent>,
    /// The law of balance that the session breaks; `None` if it breaks no law, or if every interleaving was followed.
    pub imbalance: Option<Imbalance>,
}

/// One of several events that would have to come before each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleEvent {
    /// The location.
    pub location: LocationId,
    /// The index of the event in its local trace.
    pub index: usize,
}

/// How far one location gets in the furthest interleaving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontierEntry {
    /// How many of its events are explained.
    pub explained: usize,
    /// The index of the event that blocks, or of the end. It is larger than `explained` if events
    /// before it are unknown to the specification, which is a cause of its own.
    pub index: usize,
    /// How many events its trace has.
    pub length: usize,
    /// The event that blocks; `None` if all events are explained.
    pub event: Option<LetterId>,
    /// The events that the specification allows at this location there, in the order of the alphabet.
    pub expected: Vec<LetterId>,
}

/// A limit in the budget of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetLimit {
    /// The most nodes that a search may visit.
    States(u64),
    /// The most bytes that a search may use.
    Bytes(u64),
    /// The longest that a session may take.
    Time(Duration),
}

impl BudgetLimit {
    /// The budget to try after this one was spent: four times as much. Less is often spent again, as
    /// costs often grow exponentially; more may last for hours.
    #[must_use]
    pub fn next_try(self) -> BudgetLimit {
        const FACTOR: u32 = 4;
        match self {
            BudgetLimit::States(n) => BudgetLimit::States(n.saturating_mul(FACTOR.into())),
            BudgetLimit::Bytes(n) => BudgetLimit::Bytes(n.saturating_mul(FACTOR.into())),
            BudgetLimit::Time(time) => BudgetLimit::Time(time.saturating_mul(FACTOR)),
        }
    }
}

impl std::fmt::Display for BudgetLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BudgetLimit::States(states) => write!(f, "{states} states"),
            BudgetLimit::Bytes(bytes) => write!(f, "{bytes} bytes"),
            BudgetLimit::Time(time) => write!(f, "{time:?}"),
        }
    }
}

/// How far a search got in the log of one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The location.
    pub location: LocationId,
    /// How many of its events were read.
    pub read: usize,
    /// How many events its log has.
    pub length: usize,
}

/// Why a session was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InconclusiveReason {
    /// A budget was spent before the search was over.
    Budget {
        /// The budget.
        limit: BudgetLimit,
        /// How far the search got: one entry per location, in order, of a way through all logs that
        /// reads the most events.
        reached: Vec<Reached>,
    },
    /// Simulation stopped at the criterion that was asked for (paper 000 sec. 5), and found no interleaving within this
    /// many nodes.
    Simulation(u64),
    /// In global-prefix mode: an interleaving is stuck after some location's log has ended, and
    /// more of that log might have let it go on (paper 001 sec. 4.5, LackObs).
    LackOfObservation,
    /// These locations logged nothing, and the other logs are those of some accepted multi-trace:
    /// the logs of these locations seem to be missing.
    Partial(Vec<LocationId>),
    /// The event log that the session comes from was cut off, and each of its logs is a prefix of
    /// the log that some accepted multi-trace has there.
    CutOff,
    /// Records of the session could not be used, so that events are missing from it.
    Damaged,
    /// Lifeline removal decided alone. It does not rule the logs out, but accepts more than the
    /// specification does.
    Removal,
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
