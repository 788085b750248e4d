//! Gaps of event logs, and the failures that they excuse.
//
// Idea: a session that fails is checked again in the mode that allows for its gap. If it passes
// there, the gap may explain the failure, so the session is undecided; if it fails there as well,
// the failure holds whatever is missing, and its cause is that of the second check.
//
// Invariant: a gap never turns a failure into a pass, and never changes a pass.
//
// Cost: a second check, of failing sessions with a gap only, and a replay for each log that is missing and
// may be empty.

use crate::monitor::Monitor;
use crate::replay::is_accepted;
use multitrace_interaction::{
    Id, InconclusiveReason, LocationId, Observation, Session, Witness, WitnessStep,
};

/// The events that a session may lack, the fewest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Gaps {
    /// Nothing: the session is complete as given.
    #[default]
    None,
    /// The whole log of each location that has no event.
    Locations,
    /// The ends of logs, because an event log was cut off, and whole logs of locations with it.
    Ends,
    /// Events anywhere, because records of the session could not be used.
    Events,
}

impl Gaps {
    /// The gaps of a session from event logs: `cut` if a file was cut off, `damaged` if records of
    /// the session could not be used.
    pub fn of(cut: bool, damaged: bool) -> Gaps {
        match (cut, damaged) {
            (_, true) => Gaps::Events,
            (true, false) => Gaps::Ends,
            (false, false) => Gaps::Locations,
        }
    }

    /// Its name in lines of sessions; `None` if nothing is missing.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Gaps::None => None,
            Gaps::Locations => Some("locations"),
            Gaps::Ends => Some("ends"),
            Gaps::Events => Some("events"),
        }
    }

    /// The gaps with this name.
    pub fn named(name: &str) -> Option<Gaps> {
        let all = [Gaps::Locations, Gaps::Ends, Gaps::Events];
        all.into_iter().find(|gaps| gaps.name() == Some(name))
    }

    /// The mode that allows for the gaps of a session; `None` if it has none, or if its own mode
    /// allows for them already.
    pub(crate) fn excusing_mode(
        self,
        session: &Session,
        observation: Observation,
    ) -> Option<Observation> {
        let is_complete = observation == Observation::Complete;
        match self {
            Gaps::Locations if is_complete && session.trace.iter().any(Vec::is_empty) => {
                Some(Observation::Missing)
            }
            Gaps::Ends if is_complete || observation == Observation::Missing => {
                Some(Observation::Prefix)
            }
            _ => None,
        }
    }

    /// Why a failing session is undecided that passes in the mode that allows for its gaps.
    pub(crate) fn reason(
        self,
        monitor: &Monitor,
        session: &Session,
        witness: Option<&Witness>,
    ) -> InconclusiveReason {
        match self {
            Gaps::Locations => InconclusiveReason::Partial(silent(monitor, session, witness)),
            _ => InconclusiveReason::CutOff,
        }
    }
}

/// The locations without events that must have acted, by one way to explain the session; without a
/// witness, all locations without events. A location whose actions may be left out of that way need not have acted.
pub(crate) fn silent(
    monitor: &Monitor,
    session: &Session,
    witness: Option<&Witness>,
) -> Vec<LocationId> {
    let alphabet = monitor.alphabet();
    let is_empty = |location: &LocationId| session.trace[location.index()].is_empty();
    let empty = alphabet.locations().filter(is_empty);
    let Some(mut witness) = witness.cloned() else { return empty.collect() };
    let mut has_acted = |&location: &LocationId| {
        let is_of = |step: &WitnessStep| alphabet.location_of(step.letter) == location;
        let others = witness.steps.iter().filter(|step| !is_of(step));
        let without = Witness { steps: others.cloned().collect() };
        if without.steps.len() == witness.steps.len() {
            return false;
        }
        let must_act = !may_log_nothing(monitor, location) || !is_accepted(monitor, &without);
        if !must_act {
            witness = without;
        }
        must_act
    };
    empty.filter(|it| has_acted(it)).collect()
}

/// Whether its verifier, if there is one, accepts a log without events.
fn may_log_nothing(monitor: &Monitor, location: LocationId) -> bool {
    let table = monitor.local(location).forward.as_ref();
    table.is_none_or(|table| table.is_final(table.start))
}
