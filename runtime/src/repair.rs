//! Repairs: the least number of events to insert into and delete from the logs of a session so that
//! it is accepted, and one set of such edits (DESIGN, section "Blame": repair).
//
// Idea: A* over nodes of positions and a state. A move takes a transition: it reads the next event
// with its letter, deleting the events before that one, or reads nothing, as an insertion. The
// estimate of a node is the sum, over the locations, of the least cost at that location alone.
//
// Invariant: the distance is a property of the multi-traces that the specification accepts, so it
// is the same on every automaton that accepts those; the search automaton is one.
//
// Cost: the estimate is exact for most sessions with few edits, and then the search goes straight to
// the end: a few nodes per event.

mod aligned;
mod alignment_search;
mod cost;
mod cost_tables;
mod estimate;
mod faults;
mod known_logs;
mod node_arena;
mod on_automaton;
mod on_terms;
mod problem;
mod session_costs;
mod shortest;
mod term_costs;

use crate::repair::alignment_search::AlignmentSearch;
use crate::repair::cost_tables::CostTables;
use crate::repair::faults::faults;
use crate::repair::known_logs::KnownLogs;
use crate::repair::session_costs::SessionCosts;
use crate::repair::shortest::ShortestLengths;
use crate::task::Task;
use multitrace_interaction::{Engine, Observation, Repair, Session};

/// What repairs keep between sessions.
#[derive(Debug, Default)]
pub(crate) struct RepairScratch {
    logs: KnownLogs,
    search: AlignmentSearch,
    tables: CostTables,
    costs: SessionCosts,
    shortest: ShortestLengths,
}

/// The repair of a session in an observation mode other than global-prefix.
pub(crate) fn repair(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut RepairScratch,
) -> Repair {
    let RepairScratch { logs, search, tables, costs, shortest } = scratch;
    logs.fill(task.monitor, task.session, observation);
    let events = task.session.event_count() as u64;
    let Some(shortest) = shortest.of(task.monitor, logs) else {
        // Whatever is deleted and inserted, nothing is accepted.
        return Repair {
            distance: events,
            exact: false,
            worst: None,
            edits: Vec::new(),
            faults: Vec::new(),
        };
    };
    let found = match task.engine {
        Engine::Nfa => on_automaton::align(task, logs, search, tables, costs),
        Engine::Term => on_terms::align(task, logs, search),
    };
    let certain = logs.unknown_count() + foreign_count(task.session);
    let aligned = match found.found {
        Some(_) => aligned::align(task, logs, search.path()),
        None => Vec::new(),
    };
    let (edits, ranks) = aligned::edits(&aligned);
    let faults = faults(&aligned, &ranks, task.monitor.messages(), logs.locations());
    Repair {
        distance: found.least + certain,
        exact: found.is_exact(),
        worst: Some(events + shortest),
        edits,
        faults,
    }
}

fn foreign_count(session: &Session) -> u64 {
    session.foreign.iter().map(|foreign| foreign.events.len() as u64).sum()
}
