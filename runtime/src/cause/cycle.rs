//! Events of a session that would have to come before each other.
//
// Idea: what clusters order, with the order of the logs, is a proof that people can follow: this event
// before that one, and so on, back to the first.
//
// Invariant: it says the same whatever way the session was decided.
//
// Cost: that of asking the clusters (`clusters/orders.rs`), once for a failure.

use crate::cause::event_name::event_name;
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
    let named = events.into_iter().filter_map(|(location, index)| {
        let location = LocationId::new(location);
        let event = event_name(task.monitor, task.session, location, index)?;
        let name = task.monitor.alphabet().location_name(location).to_owned();
        Some(CycleEvent { location: name, index, event })
    });
    named.collect()
}
