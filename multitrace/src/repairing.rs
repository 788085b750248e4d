//! Repairs of sessions whose verdict is known already.

use multitrace_formats::workers::contained;
use multitrace_interaction::{Repair, Session};
use multitrace_runtime::{Checker, Gaps};

/// The repair of a failing session, if it can be given. A panic while it is searched for takes the
/// repair and not the verdict; the checker is fit for use afterwards.
pub(crate) fn repair(checker: &mut Checker<'_>, session: &Session, gaps: Gaps) -> Option<Repair> {
    contained(|| checker.repair(session, gaps)).unwrap_or_else(|_| {
        checker.reset();
        None
    })
}
