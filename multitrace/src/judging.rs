//! One session, judged: decided, the causes of a failure in order, and repaired. A panic on the way is a
//! problem of the session, and the judge is fit for use afterwards.

use crate::cause_order::sort_by_event_order;
use crate::coverage::SessionCoverage;
use crate::error::Error;
use crate::monitor::Monitor;
use multitrace_formats::place::Places;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::workers::contained;
use multitrace_interaction::{Alphabet, Engine, Repair, Session, Verdict};
use multitrace_reports::costs::Cost;
use multitrace_reports::fault_view::FaultView;
use multitrace_reports::finding::Finding;
use multitrace_reports::repair_view::RepairView;
use multitrace_reports::session_names::SessionNames;
use multitrace_runtime::{CheckConfig, Checked, Checker, Gaps};

/// Judges sessions one after another, and reuses its memory.
#[derive(Debug)]
pub(crate) struct Judge<'m> {
    checker: Checker<'m>,
    alphabet: &'m Alphabet,
}

/// What a session was judged to be.
pub(crate) struct Judged {
    pub(crate) checked: Checked,
    pub(crate) events: usize,
    /// What is wrong, as far as the run asks for it.
    pub(crate) findings: Vec<Finding>,
    /// What would make it accepted, if it fails and the run asks for it.
    pub(crate) repair: Option<Repair>,
    /// The same with names, if the run asks for each session.
    pub(crate) repair_view: Option<RepairView>,
    /// What went wrong by that.
    pub(crate) faults: Vec<FaultView>,
    /// Whether it is accepted, and its event log was cut off.
    pub(crate) cut_off: bool,
    /// What a passing session took, if the run asks for it.
    pub(crate) coverage: Option<SessionCoverage>,
    /// What it cost, if the run asks for it.
    pub(crate) cost: Option<Cost>,
}

impl Judged {
    /// The edits of its repair.
    pub(crate) fn distance(&self) -> Option<u64> {
        self.repair.as_ref().map(|repair| repair.distance)
    }

    pub(crate) fn is_failure(&self) -> bool {
        matches!(self.checked.verdict, Verdict::Fail(_))
    }

    /// Whether it passes, and nothing more is to be said of it.
    pub(crate) fn is_plain(&self) -> bool {
        self.checked.verdict == Verdict::Pass && !self.cut_off
    }

    /// How many causes of a failure are left out, since they repeat others.
    pub(crate) fn omitted(&self) -> u64 {
        omitted(&self.checked.verdict)
    }
}

/// How many causes of a failure are left out, since they repeat others.
pub(crate) fn omitted(verdict: &Verdict) -> u64 {
    match verdict {
        Verdict::Fail(failure) => failure.omitted,
        _ => 0,
    }
}

/// Brings the causes of a failure into the order of their events.
fn in_order(checked: &mut Checked, alphabet: &Alphabet, places: &dyn Places) {
    if let Verdict::Fail(failure) = &mut checked.verdict {
        sort_by_event_order(failure, alphabet, places);
    }
}

impl<'m> Judge<'m> {
    pub(crate) fn new(monitor: &'m Monitor, config: CheckConfig) -> Result<Judge<'m>, Error> {
        let checker = Checker::new(monitor.runtime(), config)?;
        Ok(Judge { checker, alphabet: monitor.alphabet() })
    }

    pub(crate) fn engine(&self) -> Engine {
        self.checker.engine()
    }

    /// Decides a session, and does more with it.
    ///
    /// # Errors
    /// When either panics.
    pub(crate) fn judge<T>(
        &mut self,
        (session, gaps): (&Session, Gaps),
        places: &dyn Places,
        more: impl FnOnce(&mut Checker<'m>, &mut Checked) -> T,
    ) -> Result<(Checked, T), InputProblem> {
        let Judge { checker, alphabet } = self;
        let judged = contained(|| {
            let mut checked = checker.check_with_gaps(session, gaps);
            in_order(&mut checked, alphabet, places);
            let more = more(checker, &mut checked);
            (checked, more)
        });
        judged.map_err(|panicked| {
            checker.reset();
            InputProblem::internal(places.session(), panicked.to_string())
        })
    }

    /// The findings of a session with the cycles of those that concern all logs; `None` if that panics.
    pub(crate) fn findings_with_cycles(
        &mut self,
        (session, gaps): (&Session, Gaps),
        places: &dyn Places,
    ) -> Option<Vec<Finding>> {
        let Judge { checker, alphabet } = self;
        let found = contained(|| {
            let mut checked = checker.check_with_cycles(session, gaps);
            in_order(&mut checked, alphabet, places);
            Finding::of(&checked.verdict, &SessionNames { session, alphabet })
        });
        found.map_err(|_| checker.reset()).ok()
    }

    /// Decides a session without places. A panic goes on.
    pub(crate) fn decide(&mut self, session: &Session) -> Checked {
        self.checker.check(session)
    }

    /// The repair of a session that fails, if it can be given.
    pub(crate) fn repair(&mut self, session: &Session, gaps: Gaps) -> Option<Repair> {
        self.unless_it_panics(|checker| checker.repair(session, gaps))
    }

    /// The same within a small budget; beyond it, a lower bound of its distance.
    pub(crate) fn repair_within_limits(&mut self, session: &Session, gaps: Gaps) -> Option<Repair> {
        self.unless_it_panics(|checker| checker.repair_briefly(session, gaps))
    }

    /// A panic while a repair is searched for takes the repair and not the verdict.
    fn unless_it_panics(
        &mut self,
        repair: impl FnOnce(&mut Checker<'m>) -> Option<Repair>,
    ) -> Option<Repair> {
        contained(|| repair(&mut self.checker).map(Repair::of_failure)).unwrap_or_else(|_| {
            self.checker.reset();
            None
        })
    }
}
