//! The verdict of one session, with its findings.

use crate::rows::SessionRow;
use multitrace_formats::place::Place;
use multitrace_interaction::{Engine, Verdict, Witness};
use multitrace_reports::finding::Finding;
use multitrace_reports::repair_view::RepairView;
use multitrace_runtime::Checked;

/// What was decided for one session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionVerdict {
    /// What the input calls the session.
    pub session: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What is wrong, the main finding first: of a session that fails, its faults; none for a pass.
    pub findings: Vec<Finding>,
    /// What is certain of a session that fails.
    pub evidence: Vec<Finding>,
    /// What would make a failing session accepted, if it was asked for.
    pub repair: Option<RepairView>,
    /// The accepted global trace behind a pass or a weak pass, if it was asked for.
    pub witness: Option<Witness>,
    /// The engine that decided.
    pub engine: Engine,
    /// Where to look, if the session has a place and does not pass: the event of the main finding,
    /// else the session.
    pub place: Option<Place>,
}

impl SessionVerdict {
    pub(crate) fn new(
        session: &str,
        checked: &Checked,
        findings: Vec<Finding>,
        engine: Engine,
        place: Option<Place>,
    ) -> SessionVerdict {
        SessionVerdict {
            session: session.to_owned(),
            verdict: checked.verdict.clone(),
            findings,
            evidence: Vec::new(),
            repair: None,
            witness: checked.witness.clone(),
            engine,
            place,
        }
    }

    /// The same, borrowed.
    pub fn as_row(&self) -> SessionRow<'_> {
        SessionRow {
            session: &self.session,
            verdict: &self.verdict,
            findings: &self.findings,
            repair: self.repair.as_ref(),
            place: self.place.as_ref(),
        }
    }

    /// Whether the session was accepted as it is.
    pub fn is_pass(&self) -> bool {
        self.verdict == Verdict::Pass
    }
}
