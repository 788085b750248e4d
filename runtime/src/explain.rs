//! Why a session fails although each local trace is possible: whether the areas meet (paper 004
//! sec. 4.3), and how far an interleaving gets.

use crate::automaton::Automaton;
use crate::bit_set::BitSet;
use crate::budget::Allowance;
use crate::forward::{area, event_text};
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
    let mut best: (u64, Vec<u32>, BTreeSet<StateId>) = (0, vec![0; trace.len()], BTreeSet::new());
    let outcome = search.run(&problem, &mut |state, positions| {
        let explained = positions.iter().map(|&p| u64::from(p)).sum();
        let place = (explained, positions);
        if place > (best.0, best.1.as_slice()) {
            best = (explained, positions.to_vec(), BTreeSet::new());
        }
        if positions == best.1 {
            best.2.insert(state);
        }
    });
    let (_, positions, states) = best;
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
    let locations = monitor.locations().zip(&positions).map(entry).collect();
    Frontier { locations, complete: outcome == Outcome::Exhausted }
}
