//! Why a session fails although each local trace is possible: whether the areas meet (paper 004
//! sec. 4.3), and how far an interleaving gets.

use crate::automaton::Automaton;
use crate::bit_set::BitSet;
use crate::budget::Allowance;
use crate::forward::{area, event_text};
use crate::layered_search::{LayeredOutcome, LayeredProblem, LayeredSearch};
use crate::monitor::Monitor;
use crate::search::{Outcome, Problem, ShuffleSearch};
use multitrace_interaction::{
    Frontier, FrontierEntry, Id, LetterId, Nfa, Observation, Session, StateId,
};
use std::collections::BTreeSet;

/// The transitions common to the areas of all local traces (paper 004 def. 9). Every local trace
/// must be possible.
pub(crate) fn inter(
    monitor: &Monitor,
    full: &Nfa,
    session: &Session,
    observation: Observation,
) -> BitSet {
    let mut common = BitSet::full(full.transitions().len());
    for location in monitor.locations() {
        let local = &session.trace[location.index()];
        common.keep(area(monitor, full, location, local, observation).words());
    }
    common
}

/// Whether the automaton has an accepting path of these transitions only.
pub(crate) fn has_accepting_path(full: &Nfa, transitions: &BitSet) -> bool {
    let mut seen = BitSet::new(full.state_count());
    let mut todo: Vec<StateId> = full.initial().to_vec();
    todo.iter().for_each(|state| {
        seen.insert(state.index());
    });
    while let Some(state) = todo.pop() {
        if full.is_final(state) {
            return true;
        }
        for (id, transition) in full.outgoing_ids(state) {
            if transitions.contains(id.index()) && seen.insert(transition.to.index()) {
                todo.push(transition.to);
            }
        }
    }
    false
}

/// The furthest an interleaving gets: the most events explained, the first such node in the
/// order of positions. What is expected is what the automaton can read there.
pub(crate) fn frontier<A: Automaton>(
    monitor: &Monitor,
    automaton: &A,
    session: &Session,
    observation: Observation,
    allowance: Allowance,
    search: &mut ShuffleSearch,
) -> Frontier {
    let trace = &session.trace;
    let problem = Problem::plain(monitor, automaton, trace, observation, allowance);
    let (mut most, mut furthest, mut states) = (0, vec![0; trace.len()], Vec::new());
    let outcome = search.run(&problem, &mut |state, positions| {
        let explained: u64 = positions.iter().map(|&p| u64::from(p)).sum();
        if (explained, positions) > (most, furthest.as_slice()) {
            most = explained;
            furthest.copy_from_slice(positions);
            states.clear();
        }
        if positions == furthest {
            states.push(state);
        }
    });
    let complete = outcome == Outcome::Exhausted;
    describe(monitor, automaton, session, &furthest, states, complete)
}

/// The most places visited to find the furthest one; when they are spent, so many of each layer.
const PLACES: u64 = 20_000;
const PLACES_PER_EVENT: u64 = 4;
const BEAM: usize = 32;

/// The same where the automaton has a table of sets; `None` when it has none, or another
/// budget than that of states is spent. Where there are too many places, some are followed to their end.
pub(crate) fn frontier_of_sets(
    monitor: &Monitor,
    full: &Nfa,
    session: &Session,
    observation: Observation,
    allowance: &Allowance,
    search: &mut LayeredSearch,
) -> Option<Frontier> {
    let table = monitor.full_sets()?;
    let allowance = allowance.with_states(PLACES + PLACES_PER_EVENT * session.event_count() as u64);
    let trace = &session.trace;
    let suffixes = None;
    let problem =
        LayeredProblem { monitor, table, trace, observation, suffixes, allowance, beam: BEAM };
    let complete = match search.run(&problem) {
        LayeredOutcome::Exhausted => true,
        LayeredOutcome::Cut => false,
        LayeredOutcome::Found | LayeredOutcome::Spent(_) | LayeredOutcome::TooLong => return None,
    };
    let (positions, states) = search.furthest();
    Some(describe(monitor, full, session, &positions, states, complete))
}

/// A place that is reached in some states.
fn describe<A: Automaton>(
    monitor: &Monitor,
    automaton: &A,
    session: &Session,
    positions: &[u32],
    states: impl IntoIterator<Item = StateId>,
    complete: bool,
) -> Frontier {
    let trace = &session.trace;
    let mut possible = BTreeSet::new();
    for state in states {
        automaton.outgoing(state, &mut |row| possible.extend(row.iter().map(|t| t.letter)));
    }
    let own = |location| {
        let at = move |&letter: &LetterId| monitor.location_of(letter) == location;
        possible.iter().copied().filter(at)
    };
    let entry = |(location, &position): (multitrace_interaction::LocationId, &u32)| FrontierEntry {
        location: monitor.alphabet().location_name(location).to_owned(),
        explained: position as usize,
        length: trace[location.index()].len(),
        event: event_text(monitor, session, location, position as usize),
        expected: monitor.letter_names(own(location)),
    };
    let locations = monitor.locations().zip(positions).map(entry).collect();
    Frontier { locations, complete }
}
