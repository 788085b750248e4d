//! Replaying a witness: an independent check, in time linear in its length, that it is accepted
//! and that it is an interleaving of the session. It shares no code with the search.

use crate::monitor::Monitor;
use multitrace_interaction::{Id, LetterId, Observation, Session, StateId, Witness};
use std::collections::BTreeSet;

/// Why a witness is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The specification has no automaton to replay on.
    #[error("the specification has no automaton to replay on")]
    NoAutomaton,
    /// The session has events that no witness can contain.
    #[error("the session has events unknown to the specification")]
    UnknownEvents,
    /// The specification cannot do this action here.
    #[error("action {index} ({letter}) is not accepted there")]
    NotAccepted {
        /// The index of the action in the witness.
        index: usize,
        /// The action.
        letter: String,
    },
    /// The specification cannot end where the witness ends.
    #[error("the witness ends where the specification cannot")]
    NotFinal,
    /// The observed actions at a location are not its local trace.
    #[error("the observed actions at {location} are not its local trace")]
    NotTheTrace {
        /// The location by name.
        location: String,
    },
    /// Actions went unobserved where the observation mode does not allow it.
    #[error("an action at {location} is unobserved where {} observation does not allow it", observation.name())]
    NotObserved {
        /// The location by name.
        location: String,
        /// The mode.
        observation: Observation,
    },
}

/// Checks that a witness proves that a session passes in an observation mode.
///
/// # Errors
/// Says the first thing that is wrong with it.
pub fn replay(
    monitor: &Monitor,
    session: &Session,
    witness: &Witness,
    observation: Observation,
) -> Result<(), ReplayError> {
    accepted(monitor, witness)?;
    let unknown = session.trace.iter().flatten().any(|&letter| letter == LetterId::UNKNOWN);
    if unknown || !session.foreign.is_empty() {
        return Err(ReplayError::UnknownEvents);
    }
    for location in monitor.alphabet().locations() {
        let steps = witness.steps.iter();
        let own = steps.filter(|step| monitor.alphabet().location_of(step.letter) == location);
        let own: Vec<_> = own.collect();
        let seen = own.iter().filter(|step| step.observed).map(|step| step.letter);
        let name = || monitor.alphabet().location_name(location).to_owned();
        if !seen.eq(session.trace[location.index()].iter().copied()) {
            return Err(ReplayError::NotTheTrace { location: name() });
        }
        let observed: Vec<bool> = own.iter().map(|step| step.observed).collect();
        if !allowed(&observed, observation) {
            return Err(ReplayError::NotObserved { location: name(), observation });
        }
    }
    Ok(())
}

fn accepted(monitor: &Monitor, witness: &Witness) -> Result<(), ReplayError> {
    let full = &monitor.central().map_err(|_| ReplayError::NoAutomaton)?.full;
    let mut states: BTreeSet<StateId> = full.initial().iter().copied().collect();
    for (index, step) in witness.steps.iter().enumerate() {
        let next = states.iter().flat_map(|&state| full.reading(state, step.letter));
        states = next.map(|transition| transition.to).collect();
        if states.is_empty() {
            let letter = monitor.alphabet().letter_name(step.letter).to_owned();
            return Err(ReplayError::NotAccepted { index, letter });
        }
    }
    let may_end = states.iter().any(|&state| full.is_final(state));
    if may_end { Ok(()) } else { Err(ReplayError::NotFinal) }
}

/// Whether the observed actions of one location lie as the mode says: all; a beginning; a stretch.
fn allowed(observed: &[bool], observation: Observation) -> bool {
    let stretches = observed.chunk_by(|a, b| a == b).map(|chunk| chunk[0]);
    let shape: Vec<bool> = stretches.collect();
    match observation {
        Observation::Complete => !shape.contains(&false),
        Observation::Prefix => matches!(*shape, [] | [_] | [true, false]),
        Observation::Slice => {
            matches!(*shape, [] | [_] | [true, false] | [false, true] | [false, true, false])
        }
    }
}
