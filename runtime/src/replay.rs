//! Replaying a witness: an independent check that it is accepted and that it is an interleaving of
//! the session. It shares no code with the searches and their terms: it has derivatives of its own, which coverage uses, too.
//
// Idea: find a derivation of the witness; then compare its projection to each location with the local trace and with
// the observation mode.
//
// Invariant: it reads the interaction as it was written, as coverage does (`coverage/rest.rs` of the interaction): a
// compiled automaton keeps only some interleavings, and terms are in normal form. Or it runs on the automaton that was
// given instead.
//
// Cost: linear in the length of the witness where the first derivation that is tried is one; a limit ends it for others.

use crate::monitor::Monitor;
use multitrace_interaction::coverage::{NotFollowed, Outline, TermFollower};
use multitrace_interaction::{
    Action, Id, Interaction, LetterId, LocationId, Nfa, Observation, Session, StateId, Witness,
    WitnessStep,
};
use std::collections::BTreeSet;

/// Why a witness is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The bundle has neither an automaton nor an interaction.
    #[error("there is neither an automaton nor an interaction to replay on")]
    NoSpecification,
    /// The session has events that no witness can contain.
    #[error("the session has events unknown to the specification")]
    UnknownEvents,
    /// The specification cannot do this action here.
    #[error("action {index} is not accepted there")]
    NotAccepted {
        /// The index of the action in the witness; of a step of several actions, that of the first one.
        index: usize,
        /// The action.
        letter: LetterId,
    },
    /// There are more ways to derive the actions than are tried, so that nothing is known: loops in one another that no order
    /// binds.
    #[error("there are too many ways to derive {read} actions of the witness to try all of them")]
    TooManyDerivations {
        /// How many actions some way derives.
        read: usize,
    },
    /// The specification cannot end where the witness ends.
    #[error("the witness ends where the specification cannot")]
    NotFinal,
    /// The observed actions at a location are not its local trace.
    #[error("the observed actions at location {} are not its local trace", location.index())]
    NotTheTrace {
        /// The location.
        location: LocationId,
    },
    /// Actions went unobserved where the observation mode does not allow it.
    #[error("an action is unobserved where {} observation does not allow it", observation.name())]
    NotObserved {
        /// The location; `None` if the order of the actions of all is wrong.
        location: Option<LocationId>,
        /// The mode.
        observation: Observation,
    },
}

/// Checks that a witness proves that a session passes in an observation mode.
///
/// # Errors
/// The first reason to reject the witness, or that it is too much to follow.
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
    if observation == Observation::GlobalPrefix && !witness.steps.is_sorted_by_key(|s| !s.observed)
    {
        return Err(ReplayError::NotObserved { location: None, observation });
    }
    let locations = monitor.alphabet().locations();
    locations
        .into_iter()
        .try_for_each(|location| projects(monitor, session, witness, observation, location))
}

/// Whether the projection of a witness to one location is its local trace, observed as the mode allows.
fn projects(
    monitor: &Monitor,
    session: &Session,
    witness: &Witness,
    observation: Observation,
    location: LocationId,
) -> Result<(), ReplayError> {
    let alphabet = monitor.alphabet();
    let own = witness.steps.iter().filter(|step| alphabet.location_of(step.letter) == location);
    let seen = own.clone().filter(|step| step.observed).map(|step| step.letter);
    if !seen.eq(session.trace[location.index()].iter().copied()) {
        return Err(ReplayError::NotTheTrace { location });
    }
    let observed: Vec<bool> = own.map(|step| step.observed).collect();
    if !allowed(&observed, observation) {
        return Err(ReplayError::NotObserved { location: Some(location), observation });
    }
    Ok(())
}

/// Whether the actions of a witness are known to be accepted, wherever they were observed.
pub(crate) fn is_accepted(monitor: &Monitor, witness: &Witness) -> bool {
    accepted(monitor, witness).is_ok()
}

/// Whether the specification accepts the actions of a witness.
fn accepted(monitor: &Monitor, witness: &Witness) -> Result<(), ReplayError> {
    let letter = |index: usize| witness.steps.get(index).map(|step| step.letter);
    match (monitor.central(), &monitor.bundle().source) {
        (_, Some((_, interaction))) => {
            let followed = follow_interaction(monitor, witness, interaction);
            followed.map_err(|NotFollowed { read: index, is_cut }| match letter(index) {
                _ if is_cut => ReplayError::TooManyDerivations { read: index },
                Some(letter) => ReplayError::NotAccepted { index, letter },
                None => ReplayError::NotFinal,
            })
        }
        (Ok(automaton), None) => {
            let read = follow_automaton(&automaton.full, witness);
            read.map_err(|index| match letter(index) {
                Some(letter) => ReplayError::NotAccepted { index, letter },
                None => ReplayError::NotFinal,
            })
        }
        (Err(_), None) => Err(ReplayError::NoSpecification),
    }
}

/// Follows a witness through the interaction as it was written, by the reading of it that coverage has.
fn follow_interaction(
    monitor: &Monitor,
    witness: &Witness,
    interaction: &Interaction,
) -> Result<(), NotFollowed> {
    let actions = monitor.alphabet().actions_by_letter();
    let action = |step: &WitnessStep| actions.get(step.letter.index()).copied().flatten();
    let known = witness.steps.iter().map_while(action);
    let word: Vec<Action> = known.collect();
    let places: Vec<u32> = (0..interaction.nodes().len() as u32).collect();
    let outline = Outline::new(interaction, &places);
    TermFollower::new(interaction, &outline).accept(&word)?;
    match word.len() == witness.steps.len() {
        true => Ok(()),
        // A letter of a forged bundle that is not an action.
        false => Err(NotFollowed { read: word.len(), is_cut: false }),
    }
}

/// Follows a witness over sets of states; the index of the first action that is not accepted, or the number of actions if it
/// ends where the automaton cannot.
fn follow_automaton(full: &Nfa, witness: &Witness) -> Result<(), usize> {
    let mut states: BTreeSet<StateId> = full.initial().iter().copied().collect();
    for (index, step) in witness.steps.iter().enumerate() {
        let next = states.iter().flat_map(|&state| full.reading(state, step.letter));
        states = next.map(|transition| transition.to).collect();
        if states.is_empty() {
            return Err(index);
        }
    }
    let may_end = states.into_iter().any(|state| full.is_final(state));
    if may_end { Ok(()) } else { Err(witness.steps.len()) }
}

/// Whether the observed actions of one location lie as the mode says: all; all or none; a
/// beginning; a stretch.
fn allowed(observed: &[bool], observation: Observation) -> bool {
    let stretches = observed.chunk_by(|a, b| a == b).map(|chunk| chunk[0]);
    let shape: Vec<bool> = stretches.collect();
    match observation {
        Observation::Complete => !shape.contains(&false),
        Observation::Missing => shape.len() < 2,
        Observation::Prefix | Observation::GlobalPrefix => {
            matches!(*shape, [] | [_] | [true, false])
        }
        Observation::Slice => {
            matches!(*shape, [] | [_] | [true, false] | [false, true] | [false, true, false])
        }
    }
}
