//! Rows of a table, made of sessions by the threads that decide them.

use multitrace_formats::place::Place;
use multitrace_interaction::Verdict;
use multitrace_reports::finding::Finding;
use multitrace_reports::repair_view::RepairView;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The results for one session, borrowed from the thread that decided it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SessionRow<'a> {
    /// The name of the session in the input.
    pub session: &'a str,
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The findings, the main one first; empty for a pass.
    pub findings: &'a [Finding],
    /// The edits that would make a failing session accepted, if they were asked for.
    pub repair: Option<&'a RepairView>,
    /// Where to look, if the session has a place and does not pass.
    pub place: Option<&'a Place>,
}

/// The rows of some sessions that follow one another in the input.
pub trait SessionRows: Send {
    /// Adds the row of the next session.
    fn add(&mut self, session: &SessionRow<'_>);

    /// Turns the rows into the value for [`RunObserver::rows`](crate::RunObserver::rows), on the thread that decided
    /// the sessions.
    fn finish(self: Box<Self>) -> Box<dyn Any + Send>;
}

/// Makes rows that are empty.
#[derive(Clone)]
pub struct NewRows(Arc<dyn Fn() -> Box<dyn SessionRows> + Send + Sync>);

impl NewRows {
    /// Rows of this type.
    pub fn of<R: SessionRows + Default + 'static>() -> NewRows {
        NewRows(Arc::new(|| Box::new(R::default())))
    }

    pub(crate) fn make(&self) -> Box<dyn SessionRows> {
        (self.0)()
    }
}

impl fmt::Debug for NewRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewRows")
    }
}
