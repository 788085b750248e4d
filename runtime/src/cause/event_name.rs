//! Events as they were written.

use crate::monitor::Monitor;
use multitrace_interaction::{Id, LetterId, LocationId, Session};

/// The event at an index of a local trace, as it was written; `None` behind its end.
pub(crate) fn event_name(
    monitor: &Monitor,
    session: &Session,
    location: LocationId,
    index: usize,
) -> Option<String> {
    let letter = *session.trace[location.index()].get(index)?;
    let unknown = || session.unknown_text(location.index(), index).unwrap_or("?").to_owned();
    let known = letter != LetterId::UNKNOWN;
    Some(if known { monitor.alphabet().letter_name(letter).to_owned() } else { unknown() })
}
