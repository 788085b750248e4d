//! A walk along one local trace, event by event: what is possible next, and whether the trace may
//! end (paper 004 sec. 4.1).
//
// Idea: the deterministic verifier of the location serves if the bundle has it; else sets of states
// of the full automaton; else terms without the other locations.
//
// Invariant: an event that is refused is impossible for certain. On terms removal keeps every local
// behaviour. If a location has too many terms at once, only unknown events are refused from there.
//
// Cost: one look-up per event with a table; else one pass over the transitions of the set.

use crate::automaton::Automaton;
use crate::cause::set_walk::SetWalk;
use crate::lazy_automaton::{LazyAutomaton, Traces};
use crate::monitor::Monitor;
use multitrace_formats::bundle::{DEAD, ForwardTable};
use multitrace_interaction::{LetterId, LocationId, Nfa, Observation, StateId, Transition};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A walk along the log of one location.
#[derive(Debug)]
pub struct LocalWalk<'m> {
    monitor: &'m Monitor,
    location: LocationId,
    verifier: Verifier<'m>,
}

/// What says which events are possible, and where the walk is in it.
#[derive(Debug)]
enum Verifier<'m> {
    Table {
        table: &'m ForwardTable,
        state: u32,
    },
    Sets {
        walk: SetWalk<'m>,
        full: &'m Nfa,
    },
    Terms {
        terms: Arc<LazyAutomaton>,
        states: BTreeSet<StateId>,
    },
    /// Every event that the specification knows may be possible.
    None,
}

/// If more terms of one location are possible at once, its log is not judged. The search then
/// decides alone; a larger number spends time on logs whose terms may go on growing.
const MOST_TERMS: usize = 256;

impl<'m> LocalWalk<'m> {
    /// A walk that has read nothing. In slice mode it may begin anywhere.
    pub fn new(
        monitor: &'m Monitor,
        location: LocationId,
        observation: Observation,
    ) -> LocalWalk<'m> {
        let table = monitor.local(location).forward.as_ref();
        let table = table.and_then(|table| Some((table, start(table, observation)?)));
        let verifier = match (table, monitor.central()) {
            (Some((table, state)), _) => Verifier::Table { table, state },
            (None, Ok(automaton)) => {
                let full = &automaton.full;
                Verifier::Sets { walk: SetWalk::new(monitor, full, location, observation), full }
            }
            (None, Err(_)) if observation == Observation::Slice => Verifier::None,
            (None, Err(_)) => monitor.terms(Traces::Enough).map_or(Verifier::None, |terms| {
                let initial = terms.initial().iter();
                let states = initial.map(|&state| terms.local(state, location)).collect();
                Verifier::Terms { terms, states }
            }),
        };
        LocalWalk { monitor, location, verifier }
    }

    /// Reads an event. False if it is impossible; the walk then stays where it is.
    pub fn read(&mut self, letter: LetterId) -> bool {
        match &mut self.verifier {
            Verifier::Table { table, state } => {
                let column = self.monitor.column(self.location, letter);
                let letters = self.monitor.local(self.location).letters.len();
                let next = column.map(|column| table.next[*state as usize * letters + column]);
                match next {
                    Some(next) if next != DEAD => {
                        *state = next;
                        true
                    }
                    _ => false,
                }
            }
            Verifier::Sets { walk, .. } => {
                walk.read(letter) || {
                    walk.go_back();
                    false
                }
            }
            Verifier::Terms { terms, states } => {
                let row = transitions(terms, states);
                let next: BTreeSet<_> =
                    row.iter().filter(|t| t.letter == letter).map(|t| t.to).collect();
                if next.is_empty() {
                    return false;
                }
                match next.len() > MOST_TERMS {
                    true => self.verifier = Verifier::None,
                    false => *states = next,
                }
                true
            }
            Verifier::None => letter != LetterId::UNKNOWN,
        }
    }

    /// The events that are possible next, in no order; empty if that is not known.
    pub fn possible(&self) -> Vec<LetterId> {
        match &self.verifier {
            Verifier::Table { table, state } => {
                let letters = &self.monitor.local(self.location).letters;
                let row = &table.next[*state as usize * letters.len()..][..letters.len()];
                let possible = row.iter().zip(letters).filter(|(next, _)| **next != DEAD);
                possible.map(|(_, &letter)| letter).collect()
            }
            Verifier::Sets { walk, .. } => walk.expected(&walk.states),
            Verifier::Terms { terms, states } => {
                transitions(terms, states).iter().map(|t| t.letter).collect()
            }
            Verifier::None => Vec::new(),
        }
    }

    /// Whether the log may end here.
    pub fn may_end(&self) -> bool {
        match &self.verifier {
            Verifier::Table { table, state } => table.is_final(*state),
            Verifier::Sets { walk, full } => {
                walk.states.list.iter().any(|&state| full.is_final(state))
            }
            Verifier::Terms { terms, states } => states.iter().any(|&it| terms.is_final(it)),
            Verifier::None => true,
        }
    }
}

/// The state where a table starts; `None` if it has no part for the mode.
fn start(table: &ForwardTable, observation: Observation) -> Option<u32> {
    match observation {
        Observation::Slice => table.start_anywhere,
        _ => Some(table.start),
    }
}

fn transitions(terms: &LazyAutomaton, states: &BTreeSet<StateId>) -> Vec<Transition> {
    let mut all = Vec::new();
    for &state in states {
        terms.outgoing(state, &mut |row| all.extend_from_slice(row));
    }
    all
}
