//! A walk along one local trace, event by event: the letters that are possible next, and whether the trace may
//! end (paper 004 sec. 4.1).
//
// Idea: the deterministic verifier of the location serves if the bundle has it; else sets of states
// of the full automaton; else terms without the other locations.
//
// Invariant: an event that is refused is impossible for certain. On terms removal keeps every local
// behaviour. If a location has too many terms at once, only unknown events are refused from there.
//
// Cost: one look-up per event with a table; else one pass over the transitions of the set.

pub(crate) mod gaps;
pub(crate) mod nearest_order;
pub(crate) mod set_walk;

use crate::automaton::{Automaton, Late};
use crate::lazy_automaton::{LazyAutomaton, MOST_DERIVED, Traces};
use crate::local_walk::set_walk::SetWalk;
use crate::monitor::Monitor;
use crate::question::Question;
use multitrace_formats::bundle::{DEAD, ForwardTable};
use multitrace_interaction::{Id, LetterId, LocationId, Nfa, Observation, StateId, Stop};
use std::collections::BTreeSet;

/// A walk along the log of one location.
#[derive(Debug)]
pub struct LocalWalk<'m> {
    monitor: &'m Monitor,
    location: LocationId,
    verifier: Verifier<'m>,
}

/// The source of possible events, and the walk's position in it.
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
        terms: LazyAutomaton,
        states: BTreeSet<StateId>,
        /// The weight of all terms that the walk has derived.
        derived: u64,
    },
    /// Every event that the specification knows may be possible.
    None,
}

impl Verifier<'_> {
    /// Terms without the other locations.
    fn on_terms(monitor: &Monitor, location: LocationId, stop: Option<Stop>) -> Self {
        let Some(terms) = monitor.terms(Traces::Enough, stop) else { return Verifier::None };
        let states = terms.initial().iter().map(|&state| terms.local(state, location)).collect();
        match states {
            Err(Late) => Verifier::None,
            Ok(states) => Verifier::Terms { terms, states, derived: 0 },
        }
    }
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
        LocalWalk::until(monitor, location, observation, None)
    }

    /// The same, but once `stop` says that the time is over every event that the specification knows
    /// counts as possible, if the walk is one on terms.
    pub(crate) fn until(
        monitor: &'m Monitor,
        location: LocationId,
        observation: Observation,
        stop: Option<Stop>,
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
            (None, Err(_)) => Verifier::on_terms(monitor, location, stop),
        };
        LocalWalk { monitor, location, verifier }
    }

    /// Whether it takes every event that the specification knows for possible.
    pub(crate) fn is_blind(&self) -> bool {
        matches!(self.verifier, Verifier::None)
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
            Verifier::Terms { terms, states, derived } => {
                let next = after(terms, states, letter, derived);
                match next {
                    Ok(next) if next.is_empty() && *derived <= MOST_DERIVED => return false,
                    Ok(next) if next.len() <= MOST_TERMS && *derived <= MOST_DERIVED => {
                        *states = next;
                    }
                    _ => self.verifier = Verifier::None,
                }
                letter != LetterId::UNKNOWN
            }
            Verifier::None => letter != LetterId::UNKNOWN,
        }
    }

    /// The events that are possible next, in order; empty if that is not known.
    pub fn possible(&self) -> Vec<LetterId> {
        let mut letters = self.unsorted();
        letters.sort_unstable();
        letters.dedup();
        letters
    }

    fn unsorted(&self) -> Vec<LetterId> {
        match &self.verifier {
            Verifier::Table { table, state } => {
                let letters = &self.monitor.local(self.location).letters;
                let row = &table.next[*state as usize * letters.len()..][..letters.len()];
                let possible = row.iter().zip(letters).filter(|(next, _)| **next != DEAD);
                possible.map(|(_, &letter)| letter).collect()
            }
            Verifier::Sets { walk, .. } => walk.expected(&walk.states),
            Verifier::Terms { terms, states, .. } => {
                let rows: Result<Vec<_>, Late> =
                    states.iter().map(|&state| terms.outgoing(state)).collect();
                rows.iter().flatten().flat_map(|row| &**row).map(|t| t.letter).collect()
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
            Verifier::Terms { terms, states, .. } => states.iter().any(|&it| terms.is_final(it)),
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

/// The states after a letter. The weight of the terms that were looked at is added to `derived`.
fn after(
    terms: &LazyAutomaton,
    states: &BTreeSet<StateId>,
    letter: LetterId,
    derived: &mut u64,
) -> Result<BTreeSet<StateId>, Late> {
    let mut next = BTreeSet::new();
    for &state in states {
        let row = terms.outgoing(state)?;
        *derived = derived.saturating_add(terms.weight_of_row(state, &row));
        next.extend(row.iter().filter(|it| it.letter == letter).map(|it| it.to));
    }
    Ok(next)
}

/// Whether some local trace alone is impossible. If the time of the session is over, the logs that
/// are left may be judged possible.
pub(crate) fn is_impossible(question: &Question<'_>) -> bool {
    let stop = question.allowance.stop();
    question.monitor.locations().any(|location| {
        let &Question { monitor, observation, .. } = question;
        let mut walk = LocalWalk::until(monitor, location, observation, stop.clone());
        let is_read = question.trace[location.index()].iter().all(|&letter| walk.read(letter));
        !is_read || !question.may_go_on(location.index()) && !walk.may_end()
    })
}
