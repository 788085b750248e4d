//! Local failures: the first impossible event of a local trace, and what was possible there (paper
//! 004 sec. 4.1).
//
// Idea: read the log forwards. The deterministic verifier of the location serves if the bundle has
// it; else sets of states of the full automaton; else terms without the other locations.
//
// Invariant: what is reported is impossible for certain. On terms removal keeps every local
// behaviour, and where it has too many terms at once, only unknown events count.
//
// Cost: one look-up per event with a table. On a compiled automaton this runs on failures, and
// before the search for global prefixes; on terms it runs before every search, as the cheapest
// refutation.

use crate::automaton::Automaton;
use crate::cause::set_walk::SetWalk;
use crate::lazy_automaton::{LazyAutomaton, Traces};
use crate::monitor::Monitor;
use multitrace_formats::bundle::{DEAD, ForwardTable};
use multitrace_interaction::{
    Id, LetterId, LocalFailure, LocationId, Nfa, Observation, Session, StateId, Transition,
};
use std::collections::BTreeSet;

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
    let table = monitor.local(location).forward.as_ref();
    let table = table.and_then(|table| Some((table, start(table, observation)?)));
    match (table, monitor.central()) {
        (Some((table, start)), _) => {
            impossible_by_table(monitor, table, start, location, local, observation)
        }
        (None, Ok(automaton)) => {
            impossible_by_sets(monitor, &automaton.full, location, local, observation)
        }
        (None, Err(_)) => {
            let terms = monitor.terms(Traces::Enough).filter(|_| observation != Observation::Slice);
            match terms.map(|terms| impossible_by_terms(&terms, location, local, observation)) {
                Some(Ok(impossible)) => impossible,
                // Only an event that the specification does not know is impossible for certain.
                None | Some(Err(TooManyTerms)) => {
                    let index = local.iter().position(|&letter| letter == LetterId::UNKNOWN)?;
                    Some(ImpossibleEvent { index, expected: Vec::new() })
                }
            }
        }
    }
}

/// More terms of one location are possible at once than are followed.
struct TooManyTerms;

/// If more terms of one location are possible at once, its log is not judged. The search then
/// decides alone; a larger number spends time on logs whose terms may go on growing.
const MOST_TERMS: usize = 256;

/// The first event that is impossible on terms without the other locations. Removal keeps every
/// local behaviour, so what it finds impossible is impossible.
fn impossible_by_terms(
    terms: &LazyAutomaton,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> Result<Option<ImpossibleEvent>, TooManyTerms> {
    let initial = terms.initial().iter().map(|&state| terms.local(state, location));
    let mut states: BTreeSet<StateId> = initial.collect();
    for (index, &letter) in local.iter().enumerate() {
        let row = transitions(terms, &states);
        let next: BTreeSet<_> = row.iter().filter(|t| t.letter == letter).map(|t| t.to).collect();
        if next.is_empty() {
            return Ok(Some(ImpossibleEvent {
                index,
                expected: row.iter().map(|t| t.letter).collect(),
            }));
        }
        if next.len() > MOST_TERMS {
            return Err(TooManyTerms);
        }
        states = next;
    }
    let may_end = states.iter().any(|&state| terms.is_final(state));
    if may_end || observation.may_go_on(local.len()) {
        return Ok(None);
    }
    let expected = transitions(terms, &states).iter().map(|t| t.letter).collect();
    Ok(Some(ImpossibleEvent { index: local.len(), expected }))
}

fn transitions(terms: &LazyAutomaton, states: &BTreeSet<StateId>) -> Vec<Transition> {
    let mut all = Vec::new();
    for &state in states {
        terms.outgoing(state, &mut |row| all.extend_from_slice(row));
    }
    all
}

/// The state where a table starts; `None` if it has no part for the mode.
fn start(table: &ForwardTable, observation: Observation) -> Option<u32> {
    match observation {
        Observation::Slice => table.start_anywhere,
        _ => Some(table.start),
    }
}

fn impossible_by_table(
    monitor: &Monitor,
    table: &ForwardTable,
    start: u32,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> Option<ImpossibleEvent> {
    let letters = &monitor.local(location).letters;
    let row = |state: u32| &table.next[state as usize * letters.len()..][..letters.len()];
    let expected = |state: u32| {
        let possible = row(state).iter().zip(letters).filter(|(next, _)| **next != DEAD);
        possible.map(|(_, &letter)| letter).collect()
    };
    let mut state = start;
    for (index, &letter) in local.iter().enumerate() {
        match monitor.column(location, letter).map(|column| row(state)[column]) {
            Some(next) if next != DEAD => state = next,
            _ => return Some(ImpossibleEvent { index, expected: expected(state) }),
        }
    }
    let too_early = !observation.may_go_on(local.len()) && !table.is_final(state);
    too_early.then(|| ImpossibleEvent { index: local.len(), expected: expected(state) })
}

fn impossible_by_sets(
    monitor: &Monitor,
    full: &Nfa,
    location: LocationId,
    local: &[LetterId],
    observation: Observation,
) -> Option<ImpossibleEvent> {
    let mut walk = SetWalk::new(monitor, full, location, observation);
    for (index, &letter) in local.iter().enumerate() {
        if !walk.read(letter) {
            return Some(ImpossibleEvent { index, expected: walk.expected(&walk.before) });
        }
    }
    let ended = walk.states.list.iter().any(|&state| full.is_final(state));
    let too_early = !observation.may_go_on(local.len()) && !ended;
    too_early.then(|| ImpossibleEvent { index: local.len(), expected: walk.expected(&walk.states) })
}
