//! Repairs of sessions whose verdict is known already.

use multitrace_formats::workers::contained;
use multitrace_interaction::{Repair, Session};
use multitrace_runtime::{Checker, Gaps};

/// The repair of a failing session, if it can be given.
pub(crate) fn repair(checker: &mut Checker<'_>, session: &Session, gaps: Gaps) -> Option<Repair> {
    unless_it_panics(checker, |checker| checker.repair(session, gaps))
}

/// The repair of an example, if one is found soon; else a lower bound of its distance.
pub(crate) fn repair_briefly(
    checker: &mut Checker<'_>,
    session: &Session,
    gaps: Gaps,
) -> Option<Repair> {
    unless_it_panics(checker, |checker| checker.repair_briefly(session, gaps))
}

/// A panic while a repair is searched for takes the repair and not the verdict; the checker is fit
/// for use afterwards.
fn unless_it_panics<'a>(
    checker: &mut Checker<'a>,
    repair: impl FnOnce(&mut Checker<'a>) -> Option<Repair>,
) -> Option<Repair> {
    contained(|| repair(checker)).unwrap_or_else(|_| {
        checker.reset();
        None
    })
}
