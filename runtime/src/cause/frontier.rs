//! How far an interleaving gets when none is accepted.
//
// Idea: search the full automaton without look-ahead, and keep the node with the most events read.
// On a small automaton the search on sets of states visits each position vector once, and goes on
// with a beam where there are too many; else the plain search does it.
//
// Invariant: among nodes with equally many events the last one in the order of positions counts, so
// that both searches name the same one. It is marked as not complete if the search was cut.
//
// Cost: bounded by the constants below, whatever the budget of the session.

use crate::automaton::{Automaton, Late};
use crate::budget::Allowance;
use crate::local_walk::LocalWalk;
use crate::question::Question;
use crate::search::layered_search::{LayeredProblem, LayeredSearch};
use crate::search::outcome::SearchOutcome;
use crate::search::problem::Problem;
use crate::search::shuffle_search::ShuffleSearch;
use crate::task::Task;
use multitrace_interaction::{
    Frontier, FrontierEntry, Id, LetterId, LocationId, Nfa, Observation, StateId,
};
use std::collections::BTreeSet;

/// The most nodes that the plain search visits: a fixed number, a few milliseconds on an automaton,
/// and some per event, so that long logs with little choice are followed to their end.
const NODES: u64 = 100_000;
const NODES_PER_EVENT: u64 = 4;

/// The same for the search on sets of states, whose visits take longer.
const VECTORS: u64 = 20_000;
const VECTORS_PER_EVENT: u64 = 4;

/// How many vectors of each layer to follow once that budget is spent. A wider beam gets further in logs
/// with much choice; a failure then takes this many visits for each event.
const BEAM_OF_VECTORS: usize = 32;

/// The limit of a search for a frontier.
fn allowance(task: &Task<'_>) -> Allowance {
    let events = task.session.event_count() as u64;
    task.allowance.with_states(NODES + NODES_PER_EVENT * events)
}

/// The furthest node by the plain search. The expected events are those that the automaton can read there.
pub(crate) fn frontier(
    task: &Task<'_>,
    automaton: &Nfa,
    observation: Observation,
    search: &mut ShuffleSearch,
) -> Frontier {
    let question =
        Question { allowance: allowance(task).on(automaton), ..task.question(observation) };
    let problem = Problem::plain(question, automaton);
    let (mut most, mut furthest) = (0, vec![0; task.session.trace.len()]);
    let mut states = Vec::new();
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
    let complete = outcome == SearchOutcome::Exhausted;
    describe(task, (automaton, observation), &furthest, states, complete)
}

/// The furthest node by the search on sets of states; `None` if the automaton has no table of sets,
/// if vectors do not fit a word, or if a budget other than that of states is spent.
pub(crate) fn frontier_of_sets(
    task: &Task<'_>,
    full: &Nfa,
    observation: Observation,
    search: &mut LayeredSearch,
) -> Option<Frontier> {
    let vectors = VECTORS + VECTORS_PER_EVENT * task.session.event_count() as u64;
    let allowance = allowance(task).with_states(vectors);
    let question = Question { allowance, ..task.question(observation) };
    let table = task.monitor.full_sets()?;
    let complete = search.run(&LayeredProblem { question, table, beam: BEAM_OF_VECTORS })?;
    let (positions, states) = search.furthest();
    Some(describe(task, (full, observation), &positions, states, complete))
}

/// Leaves the letters that may be next in a log: a location that may go on unobserved may have done so before the others.
fn retain_possible(
    task: &Task<'_>,
    observation: Observation,
    (location, log): (LocationId, &[LetterId]),
    letters: &mut Vec<LetterId>,
) {
    let mut walk = LocalWalk::until(task.monitor, location, observation, task.allowance.stop());
    if !letters.is_empty() && log.iter().all(|&letter| walk.read(letter)) {
        let possible = walk.possible();
        letters.retain(|letter| possible.contains(letter));
    }
}

/// Positions that are reached in some states.
pub(crate) fn describe<A: Automaton>(
    task: &Task<'_>,
    (automaton, observation): (&A, Observation),
    positions: &[u32],
    states: impl IntoIterator<Item = StateId>,
    mut complete: bool,
) -> Frontier {
    let mut possible = BTreeSet::new();
    for state in states {
        match automaton.outgoing(state) {
            Ok(row) => possible.extend(row.iter().map(|t| t.letter)),
            Err(Late) => complete = false,
        }
    }
    let entry = |(location, &position): (LocationId, &u32)| {
        let log = &task.session.trace[location.index()];
        let own = |&letter: &LetterId| task.monitor.location_of(letter) == location;
        let mut expected: Vec<LetterId> = possible.iter().copied().filter(own).collect();
        if observation != Observation::Complete || !task.open_ends.is_empty() {
            retain_possible(
                task,
                observation,
                (location, &log[..position as usize]),
                &mut expected,
            );
        }
        FrontierEntry {
            explained: position as usize,
            index: position as usize,
            length: log.len(),
            event: log.get(position as usize).copied(),
            expected,
        }
    };
    let locations = task.monitor.locations().zip(positions).map(entry).collect();
    Frontier { locations, complete, cycle: Vec::new(), imbalance: None }
}
