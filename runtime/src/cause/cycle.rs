//! Events of a session that would have to come before each other.
//
// Idea: what clusters order, with the order of the logs, is a proof that people can follow: this event
// before that one, and so on, back to the first.
//
// Invariant: it says the same whatever way the session was decided.
//
// Cost: that of asking the clusters (`clusters/orders.rs`), once for a failure.

use crate::clusters::orders::{Orders, Refusal};
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_interaction::{CycleEvent, Id, LocationId, Observation};

/// The events of a cycle; empty if none is found.
pub(crate) fn cycle(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Vec<CycleEvent> {
    if observation == Observation::GlobalPrefix {
        return Vec::new();
    }
    let Scratch { clusters, orders: kept, .. } = scratch;
    let events = match Orders::of(&task.question(observation), clusters, kept) {
        Err(Refusal::Cycle(events)) => events,
        Ok(Some(orders)) => {
            orders.keep_in(kept);
            return Vec::new();
        }
        Ok(None) | Err(Refusal::Cluster) => return Vec::new(),
    };
    let event = |(location, index)| CycleEvent { location: LocationId::new(location), index };
    events.into_iter().map(event).collect()
}
