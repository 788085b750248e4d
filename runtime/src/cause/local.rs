//! Local failures: the first impossible event of a local trace, and what was possible there (paper
//! 004 sec. 4.1).
//
// Idea: a walk reads each log forwards until it refuses an event.
//
// Invariant: what is reported is impossible for certain.
//
// Cost: that of the walk. On a compiled automaton this runs on failures, and before the search for
// global prefixes; on terms it runs before every search, as the cheapest refutation.

use crate::cause::local_walk::LocalWalk;
use crate::monitor::Monitor;
use multitrace_interaction::{Id, LetterId, LocalFailure, LocationId, Observation, Session};

/// The first impossible event of a local trace, or its end if that comes too early.
struct ImpossibleEvent {
    index: usize,
    expected: Vec<LetterId>,
}

/// The first location whose local trace alone is impossible: of those that logged something, else
/// of those that the specification does not know, else of those that logged nothing, which tell
/// least. `None` if every trace is possible, or has no verifier to judge it.
pub(crate) fn local_failure(
    monitor: &Monitor,
    session: &Session,
    observation: Observation,
) -> Option<LocalFailure> {
    let known = |silent: bool| {
        monitor.locations().find_map(|location| {
            let local = &session.trace[location.index()];
            let impossible = if local.is_empty() == silent {
                impossible_event(monitor, location, local, observation)?
            } else {
                return None;
            };
            Some(describe(monitor, session, location, impossible))
        })
    };
    known(false).or_else(|| foreign(session)).or_else(|| known(true))
}

fn foreign(session: &Session) -> Option<LocalFailure> {
    let foreign = session.foreign.first()?;
    Some(LocalFailure {
        location: foreign.location.clone(),
        index: 0,
        event: foreign.events.first().cloned(),
        known: false,
        expected: Vec::new(),
    })
}

fn describe(
    monitor: &Monitor,
    session: &Session,
    location: LocationId,
    impossible: ImpossibleEvent,
) -> LocalFailure {
    let event = event_text(monitor, session, location, impossible.index);
    let letter = session.trace[location.index()].get(impossible.index);
    LocalFailure {
        location: monitor.alphabet().location_name(location).to_owned(),
        index: impossible.index,
        event,
        known: letter != Some(&LetterId::UNKNOWN),
        expected: monitor.letter_names(impossible.expected),
    }
}

/// The event at an index of a local trace, as it was written.
pub(crate) fn event_text(
    monitor: &Monitor,
    session: &Session,
    location: LocationId,
    index: usize,
) -> Option<String> {
    let letter = *session.trace[location.index()].get(index)?;
    let unknown = || session.unknown_text(location.index(), index).unwrap_or("?").to_owned();
    let known = letter != LetterId::UNKNOWN;
    Some(if known { monitor.alphabet().letter_name(letter).to_owned() } else { unknown() })
}

fn impossible_event(
    monitor: &Monitor,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> Option<ImpossibleEvent> {
    let mut walk = LocalWalk::new(monitor, location, observation);
    for (index, &letter) in local.iter().enumerate() {
        if !walk.read(letter) {
            return Some(ImpossibleEvent { index, expected: walk.possible() });
        }
    }
    let too_early = !observation.may_go_on(local.len()) && !walk.may_end();
    too_early.then(|| ImpossibleEvent { index: local.len(), expected: walk.possible() })
}
