//! Replaying a witness: an independent check that it is accepted and that it is an interleaving of
//! the session. It shares no code with the searches.
//
// Idea: follow the witness over sets of states, action by action; then compare what it says of each
// location with the local trace and with the observation mode.
//
// Invariant: it runs on the interaction as it was written, since what was compiled from it keeps
// only some interleavings; or on the automaton that was given instead.
//
// Cost: linear in the length of the witness, for terms and automata of bounded non-determinism; a limit ends it for others.

use crate::monitor::Monitor;
use multitrace_interaction::{
    Id, Interaction, LetterId, LocationId, Observation, Session, Signature, StateId, TermAutomaton,
    TermStore, Transition, Witness,
};
use std::cell::RefCell;
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
    #[error("action {index} ({letter}) is not accepted there")]
    NotAccepted {
        /// The index of the action in the witness.
        index: usize,
        /// The action.
        letter: String,
    },
    /// The actions lead to more states than are followed, so that nothing is known: loops in one another that no order binds.
    #[error(
        "action {index} ({letter}) leads to more than {MOST_STATES} states, which are not followed"
    )]
    TooManyStates {
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

/// The most states that a witness is followed over at once. Specifications with loops in one another that no order binds have
/// as many as there are ways to share actions out among repetitions.
const MOST_STATES: usize = 10_000;

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
        let location = "every location".to_owned();
        return Err(ReplayError::NotObserved { location, observation });
    }
    let locations = monitor.alphabet().locations();
    locations
        .into_iter()
        .try_for_each(|location| projects(monitor, session, witness, observation, location))
}

/// Whether what a witness says of one location is its local trace, observed as the mode allows.
fn projects(
    monitor: &Monitor,
    session: &Session,
    witness: &Witness,
    observation: Observation,
    location: LocationId,
) -> Result<(), ReplayError> {
    let alphabet = monitor.alphabet();
    let own = witness.steps.iter().filter(|step| alphabet.location_of(step.letter) == location);
    let name = || alphabet.location_name(location).to_owned();
    let seen = own.clone().filter(|step| step.observed).map(|step| step.letter);
    if !seen.eq(session.trace[location.index()].iter().copied()) {
        return Err(ReplayError::NotTheTrace { location: name() });
    }
    let observed: Vec<bool> = own.map(|step| step.observed).collect();
    if !allowed(&observed, observation) {
        return Err(ReplayError::NotObserved { location: name(), observation });
    }
    Ok(())
}

/// Whether the specification accepts the actions of a witness.
fn accepted(monitor: &Monitor, witness: &Witness) -> Result<(), ReplayError> {
    match (monitor.central(), &monitor.bundle().source) {
        (_, Some((signature, interaction))) => {
            accepted_by_terms(monitor, witness, signature, interaction)
        }
        (Ok(automaton), None) => {
            let full = &automaton.full;
            let successors = |state, letter| full.reading(state, letter).to_vec();
            let states = full.initial().iter().copied().collect();
            follow(monitor, witness, states, successors, |state| full.is_final(state))
        }
        (Err(_), None) => Err(ReplayError::NoSpecification),
    }
}

/// Whether the interaction as it was written accepts the actions of a witness.
fn accepted_by_terms(
    monitor: &Monitor,
    witness: &Witness,
    signature: &Signature,
    interaction: &Interaction,
) -> Result<(), ReplayError> {
    let mut store = TermStore::new();
    let term = store.intern(interaction).root();
    let letter = |action| monitor.alphabet().letter(&signature.action_text(action));
    let letters = interaction.actions().filter_map(|action| Some((action, letter(action)?)));
    let automaton = RefCell::new(TermAutomaton::new(store, letters, None));
    let states = BTreeSet::from([automaton.borrow_mut().state(term)]);
    let successors = |state, letter| {
        let mut row = automaton.borrow_mut().transitions(state);
        row.retain(|transition| transition.letter == letter);
        row
    };
    follow(monitor, witness, states, successors, |state| automaton.borrow().is_final(state))
}

/// Follows a witness over sets of states.
fn follow(
    monitor: &Monitor,
    witness: &Witness,
    mut states: BTreeSet<StateId>,
    successors: impl Fn(StateId, LetterId) -> Vec<Transition>,
    is_final: impl Fn(StateId) -> bool,
) -> Result<(), ReplayError> {
    for (index, step) in witness.steps.iter().enumerate() {
        let next = states.iter().flat_map(|&state| successors(state, step.letter));
        states = next.map(|transition| transition.to).collect();
        let letter = || monitor.alphabet().letter_name(step.letter).to_owned();
        if states.is_empty() {
            return Err(ReplayError::NotAccepted { index, letter: letter() });
        }
        if states.len() > MOST_STATES {
            return Err(ReplayError::TooManyStates { index, letter: letter() });
        }
    }
    let may_end = states.into_iter().any(is_final);
    if may_end { Ok(()) } else { Err(ReplayError::NotFinal) }
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
