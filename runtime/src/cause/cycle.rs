//! Events of a session that would have to come before each other.
//
// Idea: the orders that the constraints of a session demand before any choice hold in every run. If they form a circle,
// it is a proof that people can follow: this event before that one, and so on, back to the first.
//
// Invariant: it says the same whatever way the session was decided.
//
// Cost: that of writing the session out (`constraints/encoding.rs`), once for a failure.

use crate::constraints::forced_circle;
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_interaction::{CycleEvent, Id, LocationId, Observation};

/// The most events of a session whose cycle is looked for: to write it out takes some 0.1 ms (an estimate), for each failure.
const MOST_EVENTS: usize = 200;

/// The events of a cycle; empty if none is found. Where nothing is concurrent, logs that are possible alone disagree about
/// choices, and not about an order.
pub(crate) fn cycle(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Vec<CycleEvent> {
    let plan = task.monitor.plan().filter(|it| it.is_concurrent);
    let Some(plan) = plan.filter(|_| task.session.event_count() <= MOST_EVENTS) else {
        return Vec::new();
    };
    let events = forced_circle(plan, &task.question(observation), &mut scratch.constraints);
    let event = |(location, index)| CycleEvent { location: LocationId::new(location), index };
    events.into_iter().map(event).collect()
}
