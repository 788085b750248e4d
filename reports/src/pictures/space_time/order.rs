//! The events of all lanes in one order.

use crate::pictures::space_time::event::{Event, Origin};
use crate::pictures::space_time::subject::SpaceTime;
use std::collections::VecDeque;

/// The lanes of the events in the order of their clocks, or of the witness.
pub(crate) fn hint(session: &SpaceTime<'_>, lanes: &[String]) -> Option<Vec<usize>> {
    let lane = |name: &str| lanes.iter().position(|it| it == name);
    if session.timeline.in_order {
        let rows = session.timeline.rows.iter().filter(|row| row.event.is_some());
        return Some(rows.filter_map(|row| lane(&row.location)).collect());
    }
    let (witness, alphabet) = session.witness?;
    let observed = witness.steps.iter().filter(|step| step.observed);
    let name = |step: &multitrace_interaction::WitnessStep| {
        alphabet.location_name(alphabet.location_of(step.letter))
    };
    Some(observed.filter_map(|step| lane(name(step))).collect())
}

/// The events of each lane that are still to come.
fn queues(events: &[Event], lanes: usize) -> Vec<VecDeque<usize>> {
    let mut queues = vec![VecDeque::new(); lanes];
    for (at, event) in events.iter().enumerate() {
        queues[event.lane].push_back(at);
    }
    queues
}

/// The events as a hint has them, each after what is inserted before it; then the others.
pub(crate) fn by_hint(events: &[Event], lanes: usize, hint: &[usize]) -> Vec<usize> {
    let mut queues = queues(events, lanes);
    let mut order = Vec::with_capacity(events.len());
    let is_logged = |at: usize| matches!(events[at].origin, Origin::Logged | Origin::Deleted);
    for &lane in hint {
        while let Some(at) = queues[lane].pop_front() {
            order.push(at);
            if is_logged(at) {
                // Insertions and the end of a log stand behind its last event.
                while queues[lane].iter().all(|&it| !is_logged(it)) {
                    let Some(at) = queues[lane].pop_front() else { break };
                    order.push(at);
                }
                break;
            }
        }
    }
    order.extend(queues.into_iter().flatten());
    order
}

/// Whether each event comes after what it received.
pub(crate) fn is_causal(order: &[usize], sources: &[Option<usize>]) -> bool {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &event)| place[event] = at);
    let mut received = sources.iter().enumerate().filter_map(|(at, it)| it.map(|it| (it, at)));
    received.all(|(source, target)| place[source] < place[target])
}

/// The events such that each comes after what it received, as far as that can be. Lane by lane, so that
/// what happened at one lane stays together.
pub(crate) fn causal(events: &[Event], lanes: usize, sources: &[Option<usize>]) -> Vec<usize> {
    let mut queues = queues(events, lanes);
    let mut is_done = vec![false; events.len()];
    let mut order = Vec::with_capacity(events.len());
    while order.len() < events.len() {
        let before = order.len();
        for queue in &mut queues {
            let is_ready = |at: usize, done: &[bool]| sources[at].is_none_or(|source| done[source]);
            while let Some(&at) = queue.front().filter(|&&at| is_ready(at, &is_done)) {
                queue.pop_front();
                is_done[at] = true;
                order.push(at);
            }
        }
        if order.len() == before {
            // A circle: what is received before it is emitted.
            let Some(at) = queues.iter_mut().find_map(VecDeque::pop_front) else { break };
            is_done[at] = true;
            order.push(at);
        }
    }
    order
}
