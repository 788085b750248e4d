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
mod local_view;
mod node_arena;
mod on_automaton;
mod on_terms;
mod problem;
mod session_costs;
mod shortest;
mod term_costs;

use crate::repair::alignment_search::{AlignmentSearch, Distance};
use crate::repair::cost::{MOST_SEARCHED, MOST_WEIGHED};
use crate::repair::cost_tables::CostTables;
use crate::repair::faults::faults;
use crate::repair::known_logs::KnownLogs;
use crate::repair::session_costs::SessionCosts;
use crate::repair::shortest::ShortestLengths;
use crate::task::Task;
use multitrace_formats::place::Places;
use multitrace_interaction::{Engine, Observation, Repair, Session};

/// Logs, tables and buffers that repairs keep between sessions.
#[derive(Debug, Default)]
pub(crate) struct RepairScratch {
    logs: KnownLogs,
    search: AlignmentSearch,
    tables: CostTables,
    costs: SessionCosts,
    shortest: ShortestLengths,
    counts: Vec<u32>,
}

/// On terms whose nodes times locations are more, the repair of an example that breaks a law of balance is not searched for.
/// Of 10 clients with one server, 1,500 of these, that takes tenths of a second; of 40, 21,000, some seconds (an estimate).
const MOST_BESIDE_A_LAW: usize = 5_120;

/// The same for each example, by the square of its nodes times its locations. Of 100 clients with one server that is half of
/// this; one search on terms of 300 clients takes minutes (an estimate).
const MOST_WORK_OF_AN_EXAMPLE: usize = 100_000_000;

/// The repair of a session in an observation mode other than global-prefix; of an example only a bound, if it would take
/// long.
pub(crate) fn repair(
    (task, places): (&Task<'_>, &dyn Places),
    (observation, is_example): (Observation, bool),
    scratch: &mut RepairScratch,
) -> Repair {
    let RepairScratch { logs, search, tables, costs, shortest, counts } = scratch;
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
    let worst = events + shortest;
    logs.accuse(task, worst < MOST_WEIGHED);
    let unbalanced = least_edits(task, observation, counts);
    let found = match task.engine {
        _ if worst >= MOST_SEARCHED => Distance::UNKNOWN,
        Engine::Nfa => on_automaton::align(task, logs, search, tables, costs),
        Engine::Term if is_example && takes_long(task, unbalanced > 0) => Distance::UNKNOWN,
        Engine::Term => on_terms::align(task, logs, search),
    };
    let found = found.at_least(unbalanced);
    let certain = logs.unknown_count() + foreign_count(task.session);
    let aligned = match found.found {
        Some(_) => aligned::align(task, logs, search.path()),
        None => Vec::new(),
    };
    let (edits, ranks) = aligned::edits(&aligned);
    let faults = faults(&aligned, &ranks, (task, places), logs.locations());
    // No edit takes away an empty log of a location that the specification does not have.
    let has_empty = task.session.foreign.iter().any(|it| it.events.is_empty());
    let distance = (found.least + certain).max(u64::from(has_empty));
    Repair {
        distance,
        exact: found.is_exact() && distance == found.least + certain,
        worst: Some(worst),
        edits,
        faults,
    }
}

/// How many edits the laws of balance ask for, of events that the specification knows.
fn least_edits(task: &Task<'_>, observation: Observation, counts: &mut Vec<u32>) -> u64 {
    let bundle = task.monitor.bundle();
    if observation != Observation::Complete {
        return 0;
    }
    match bundle.balance.broken(&task.session.trace, bundle.alphabet.letters().len(), counts) {
        Some(_) => u64::from(bundle.balance.least_edits(counts)),
        None => 0,
    }
}

/// Whether a search on terms takes long: each of its nodes has successors of most parts of the term, and the estimate of
/// each looks at all locations.
fn takes_long(task: &Task<'_>, breaks_law: bool) -> bool {
    let Some((_, term)) = &task.monitor.bundle().source else { return false };
    let (nodes, locations) = (term.nodes().len(), task.monitor.locations().len());
    let size = nodes.saturating_mul(locations);
    breaks_law && size > MOST_BESIDE_A_LAW || size.saturating_mul(nodes) > MOST_WORK_OF_AN_EXAMPLE
}

fn foreign_count(session: &Session) -> u64 {
    session.foreign.iter().map(|foreign| foreign.events.len() as u64).sum()
}
