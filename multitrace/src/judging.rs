//! One session, judged: decided, the causes of a failure in order, and repaired. A panic on the way is a
//! problem of the session, and the judge is fit for use afterwards.

use crate::cause_order::sort_by_event_order;
use crate::coverage::SessionCoverage;
use crate::error::Error;
use crate::monitor::Monitor;
use crate::session_stream::{ReadSession, SessionPlaces};
use multitrace_formats::place::Places;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::workers::contained;
use multitrace_interaction::{
    Alphabet, Edit, EditKind, Engine, Failure, Id, LocationId, Repair, Session, Verdict, Witness,
};
use multitrace_reports::costs::Cost;
use multitrace_reports::finding::Finding;
use multitrace_reports::repair_view::RepairView;
use multitrace_reports::session_names::SessionNames;
use multitrace_runtime::{CheckConfig, Checked, Checker, DeciderName, Effort, Gaps, OrderRank};
use std::cmp::Reverse;

/// Judges sessions one after another, and reuses its memory.
#[derive(Debug)]
pub(crate) struct Judge<'m> {
    checker: Checker<'m>,
    alphabet: &'m Alphabet,
}

/// A judged session.
pub(crate) struct Judged {
    pub(crate) checked: Checked,
    pub(crate) events: usize,
    /// The findings, as far as the run asks for them: of a session that fails, its faults.
    pub(crate) findings: Vec<Finding>,
    /// The findings that are certain of a session that fails, if the run asks for each session.
    pub(crate) evidence: Vec<Finding>,
    /// The edits that would make it accepted, if it fails and the run asks for findings.
    pub(crate) repair: Option<Repair>,
    /// The same with names, if the run asks for each session and for repairs.
    pub(crate) repair_view: Option<RepairView>,
    /// Whether it is accepted, and its event log was cut off.
    pub(crate) cut_off: bool,
    /// The parts that a passing session took, if the run asks for coverage.
    pub(crate) coverage: Option<SessionCoverage>,
    pub(crate) lack: Lack,
    /// The cost of the session, if the run asks for it.
    pub(crate) cost: Option<Cost>,
    /// Whether it was judged without its letters, which are not known.
    pub(crate) is_withheld: bool,
}

/// The part that a failing session lacks, if it has no other fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// Something else is wrong, or nothing, or it is not known.
    Other,
    /// Ends of logs.
    Ends,
    /// Whole logs.
    Logs,
}

impl Lack {
    pub(crate) fn of(repair: Option<&Repair>, session: &Session) -> Lack {
        let length = |edit: &Edit| session.trace.get(edit.location.index()).map(Vec::len);
        let is_end = |it: &Edit| it.kind == EditKind::Insert && length(it) == Some(it.index);
        match repair.filter(|it| it.exact && !it.edits.is_empty()) {
            Some(repair) if repair.edits.iter().all(is_end) => {
                match repair.edits.iter().all(|it| it.index == 0) {
                    true => Lack::Logs,
                    false => Lack::Ends,
                }
            }
            _ => Lack::Other,
        }
    }
}

impl Judged {
    /// A session of no events and findings.
    pub(crate) fn of(checked: Checked) -> Judged {
        Judged {
            checked,
            events: 0,
            findings: Vec::new(),
            evidence: Vec::new(),
            repair: None,
            repair_view: None,
            cut_off: false,
            coverage: None,
            lack: Lack::Other,
            cost: None,
            is_withheld: false,
        }
    }

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

    /// How many bytes its findings take, about: each some texts.
    pub(crate) fn held_bytes(&self) -> usize {
        /// An estimate, not measured.
        const OF_FINDING: usize = 1_024;
        OF_FINDING * (self.findings.len() + self.evidence.len())
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

    /// Decides a session, unless its failure is known, and does more with it.
    ///
    /// # Errors
    /// When either panics.
    pub(crate) fn judge<T>(
        &mut self,
        (session, gaps): (&Session, Gaps),
        failure: Option<Failure>,
        places: &dyn Places,
        more: impl FnOnce(&mut Judge<'m>, Checked) -> T,
    ) -> Result<T, InputProblem> {
        let judged = contained(|| {
            let mut checked = match failure {
                None => self.checker.check_with_gaps(session, gaps),
                Some(failure) => Checked {
                    verdict: Verdict::Fail(failure),
                    witness: None,
                    explored: 0,
                    decided_by: DeciderName::SingleLogs,
                },
            };
            in_order(&mut checked, self.alphabet, places);
            more(self, checked)
        });
        judged.map_err(|panicked| {
            self.checker.reset();
            InputProblem::internal(places.session(), panicked.to_string())
        })
    }

    /// The findings that are certain of a session, those of all logs with cycles; `None` if the search for them panics.
    pub(crate) fn evidence_with_cycles(
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

    /// The accepted trace of a session; `None` if it is not accepted, or if that panics.
    pub(crate) fn witness(&mut self, session: &Session, gaps: Gaps) -> Option<Witness> {
        let witness = contained(|| self.checker.witness(session, gaps));
        witness.map_err(|_| self.checker.reset()).ok()?
    }

    /// The locations without a log that must have acted in a repaired session; `None` if the repair does not fit, or if
    /// that panics.
    pub(crate) fn silent(
        &mut self,
        (session, gaps): (&Session, Gaps),
        repair: &Repair,
    ) -> Option<Vec<LocationId>> {
        let repaired = repair.apply(session).ok()?;
        let silent = contained(|| self.checker.silent(&repaired, gaps));
        silent.map_err(|_| self.checker.reset()).ok()
    }

    /// Gives a session whose events are in no certain order one that is accepted, if there is one, else a near one. That the
    /// budget ends first is a problem, and the session is checked without its events. Returns whether it passes, and not in
    /// the order of the input.
    pub(crate) fn order_events(
        &mut self,
        read: &mut ReadSession<'_>,
        session: &mut Session,
    ) -> bool {
        let (SessionPlaces::Events(places), gaps) = (&mut read.places, read.gaps) else {
            return false;
        };
        let (mut ways, mut is_given) = (0, false);
        let found = contained(|| {
            let is_best = |(rank, _): &(OrderRank, _)| *rank == OrderRank::Accepted;
            places.find_order(session, is_best, |session, ties| {
                let found = self.checker.find_order(session, ties, gaps);
                // The first way to give roles is that of the input, and the last one that is judged is accepted, if one is.
                is_given = ways == 0 && found.orders.iter().all(|order| order.is_sorted());
                ways += 1;
                (found.orders, (found.rank, Reverse(found.distance)))
            })
        });
        match found {
            Ok(Some((OrderRank::Spent, _))) => {
                let place = places.session();
                read.problem = Some(places.undecided(session));
                session.trace.iter_mut().for_each(Vec::clear);
                session.unknown.clear();
                session.foreign.clear();
                read.places = SessionPlaces::Session(place);
                read.gaps = Gaps::Events;
            }
            Ok(Some((OrderRank::Accepted, _))) => return !is_given,
            Ok(_) => {}
            Err(_) => self.checker.reset(),
        }
        false
    }

    /// Decides a session without places. A panic goes on.
    pub(crate) fn decide(&mut self, session: &Session) -> Checked {
        self.checker.check(session)
    }

    /// The repair of a session that fails, if it can be given. A panic takes the repair and not the verdict.
    pub(crate) fn repair(
        &mut self,
        (session, gaps): (&Session, Gaps),
        places: &dyn Places,
        effort: Effort,
    ) -> Option<Repair> {
        let checker = &mut self.checker;
        let repair = contained(|| checker.repair_with(session, gaps, places, effort));
        repair.map(|it| it.map(Repair::of_failure)).unwrap_or_else(|_| {
            self.checker.reset();
            None
        })
    }

    /// The findings of a session that was decided, and the edits that would make it accepted. The faults are those of a
    /// brief search, so that they do not depend on other options of a run; `effort` is for the repair.
    pub(crate) fn findings(
        &mut self,
        (session, gaps): (&Session, Gaps),
        verdict: &Verdict,
        places: &dyn Places,
        effort: Effort,
    ) -> (Vec<Finding>, Option<Repair>) {
        let names = SessionNames { session, alphabet: self.alphabet };
        let evidence = || Finding::of(verdict, &names);
        if !matches!(verdict, Verdict::Fail(_)) {
            return (evidence(), None);
        }
        let brief = self.repair((session, gaps), places, Effort::Brief);
        let findings = Finding::of_failure(brief.as_ref(), evidence, &names, places);
        let is_enough = effort == Effort::Brief || brief.as_ref().is_none_or(|it| it.exact);
        match is_enough {
            true => (findings, brief),
            false => (findings, self.repair((session, gaps), places, effort)),
        }
    }
}
