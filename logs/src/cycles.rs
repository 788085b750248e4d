//! Times without a day or a year in the order of an input: they begin again at midnight or at new year.

// Idea: such times say the order of two events only if both are of one day. A file is mostly written in order, so a time that
// falls by more than half of a day is taken for one of the next day. Nothing tells whether it is one: the session is an
// error, and never sorted by such times.

use crate::mapping::{Cycle, OrderKey};

/// The first two events of an input, one behind the other, between which another day or year may have begun; each has its
/// file and its order.
pub(crate) fn turn<T: Copy>(
    cycle: Cycle,
    events: impl Iterator<Item = (u32, Option<OrderKey>, T)>,
) -> Option<(T, T)> {
    let mut before: Option<(u32, i128, T)> = None;
    for (file, order, event) in events {
        let Some(order) = order.map(|order| order.event_order().value) else { continue };
        if let Some((file_before, first, one)) = before
            && cycle.may_begin_between(first, order, file_before == file)
        {
            return Some((one, event));
        }
        before = Some((file, order, event));
    }
    None
}
