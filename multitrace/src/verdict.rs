//! The verdict of one session, with its findings.

use crate::rows::SessionRow;
use multitrace_formats::place::Place;
use multitrace_interaction::{Engine, Verdict, Witness};
use multitrace_reports::finding::Finding;
use multitrace_reports::repair_view::RepairView;
use multitrace_runtime::Checked;

/// The results for one session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionVerdict {
    /// The name of the session in the input.
    pub session: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The findings, the main one first: of a session that fails, its faults; empty for a pass.
    pub findings: Vec<Finding>,
    /// The findings that are certain of a session that fails.
    pub evidence: Vec<Finding>,
    /// The edits that would make a failing session accepted, if they were asked for.
    pub repair: Option<RepairView>,
    /// The accepted global trace behind a pass or a weak-pass, if it was asked for.
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
