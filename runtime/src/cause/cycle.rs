//! Events of a session that would have to come before each other.
//
// Idea: what the constraints of a session demand before anything is chosen holds in every run. If that goes round in a
// circle, the circle is a proof that people can follow: this event before that one, and so on, back to the first.
//
// Invariant: it says the same whatever way the session was decided.
//
// Cost: that of writing the session out (`constraints/encoding.rs`), once for a failure.

use crate::cause::event_name::event_name;
use crate::constraints::forced_circle;
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_interaction::{CycleEvent, Id, LocationId, Observation};

/// The events of a cycle; empty if none is found.
pub(crate) fn cycle(
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Vec<CycleEvent> {
    let Some(plan) = task.monitor.plan() else { return Vec::new() };
    let events = forced_circle(plan, &task.question(observation), &mut scratch.constraints);
    let named = events.into_iter().filter_map(|(location, index)| {
        let location = LocationId::new(location);
        let event = event_name(task.monitor, task.session, location, index)?;
        let name = task.monitor.alphabet().location_name(location).to_owned();
        Some(CycleEvent { location: name, index, event })
    });
    named.collect()
}
