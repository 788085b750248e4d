//! The order of a session's findings where its events have an order among all logs.
//
// Idea: the kinds of findings keep their order. Within a kind, the finding of the earliest event
// comes first, if all events of the kind have an order of one kind; so the first thing that went
// wrong is the main finding, whatever location comes first in the specification.
//
// Invariant: only the order changes, so verdicts, fingerprints and groups do not depend on clocks.

use multitrace_formats::place::{EventOrder, Places};
use multitrace_interaction::{Alphabet, Cause, Failure, Id};

/// Brings the causes of a failure into the order of their events.
pub(crate) fn sort_by_event_order(failure: &mut Failure, alphabet: &Alphabet, places: &dyn Places) {
    if failure.causes.len() < 2 {
        return;
    }
    let kind = |cause: &Cause| kind(cause, alphabet);
    for kind in failure.causes.chunk_by_mut(|a, b| kind(a) == kind(b)) {
        let order = |cause: &Cause| event_order(cause, places);
        let orders: Option<Vec<EventOrder>> = kind.iter().map(order).collect();
        let comparable = |orders: &Vec<EventOrder>| {
            orders.windows(2).all(|pair| pair[0].is_time == pair[1].is_time)
        };
        if orders.is_some_and(|it| comparable(&it)) {
            kind.sort_by_cached_key(order);
        }
    }
}

/// The kinds of causes, in their order.
fn kind(cause: &Cause, alphabet: &Alphabet) -> u8 {
    match cause {
        Cause::Local(failure) if !failure.is_known(alphabet) => 0,
        Cause::Local(failure) if failure.event.is_some() => 1,
        Cause::Local(_) => 2,
        Cause::Inter(_) | Cause::Central(_) => 3,
    }
}

/// The order of the event of a cause; of an early end, that of the last event.
fn event_order(cause: &Cause, places: &dyn Places) -> Option<EventOrder> {
    let Cause::Local(failure) = cause else { return None };
    let index = match failure.event {
        Some(_) => failure.index,
        None => failure.index.checked_sub(1)?,
    };
    places.order(failure.location.index(), index)
}
