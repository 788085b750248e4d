//! Which sessions fail a run, and whether the run fails.

use crate::baseline::{Baseline, Known};
use crate::groups::{FindingGroup, Fingerprint};
use crate::run_report::{ReportedGroup, Standing};
use crate::summary::Summary;
use multitrace_formats::selection::Rate;

/// The rules by which a run fails.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The names of the verdicts that fail a run: `fail`, `inconclusive`, `weak_pass`.
    pub fail_on: Vec<&'static str>,
    /// How many violations are tolerated.
    pub tolerance: Tolerance,
    /// Findings that are known and do not fail a run.
    pub baseline: Option<Baseline>,
}

/// How many violations a run may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tolerance {
    /// No violations; all sessions are still checked.
    #[default]
    None,
    /// None; the run stops when it has this many.
    StopAt(u64),
    /// This share of the sessions.
    Rate(Rate),
}

impl Default for Gate {
    /// Fails and inconclusive sessions fail a run; nothing is tolerated or known.
    fn default() -> Gate {
        Gate { fail_on: vec!["fail", "inconclusive"], tolerance: Tolerance::None, baseline: None }
    }
}

impl Gate {
    /// Whether a verdict of this name fails a run, if the baseline does not know the finding.
    pub fn names(&self, verdict: &str) -> bool {
        self.fail_on.contains(&verdict)
    }

    /// Whether a session with this verdict is a violation.
    pub fn is_violation(&self, verdict: &str, key: Option<Fingerprint>) -> bool {
        self.names(verdict) && !key.is_some_and(|key| self.knows(&key))
    }

    fn knows(&self, key: &Fingerprint) -> bool {
        self.baseline.as_ref().is_some_and(|baseline| baseline.groups.contains_key(key))
    }

    /// After how many violations the run stops.
    pub fn most(&self) -> u64 {
        match self.tolerance {
            Tolerance::StopAt(most) => most,
            Tolerance::Rate(_) | Tolerance::None => u64::MAX,
        }
    }

    /// Whether a run with this many violations still passes.
    pub fn tolerates(&self, violations: u64, summary: &Summary) -> bool {
        match self.tolerance {
            Tolerance::Rate(rate) => rate.allows(violations, summary.sessions),
            Tolerance::StopAt(_) | Tolerance::None => violations == 0,
        }
    }

    /// What the groups mean for the run, violations first.
    pub fn judge(
        &self,
        groups: Vec<(Fingerprint, FindingGroup)>,
        tolerated: bool,
    ) -> Vec<ReportedGroup> {
        let judge = |(fingerprint, group): (Fingerprint, FindingGroup)| {
            let standing = match () {
                () if !self.names(group.verdict) => Standing::Allowed,
                () if self.knows(&fingerprint) => Standing::Known,
                () if tolerated => Standing::Tolerated,
                () => Standing::Violation,
            };
            ReportedGroup { fingerprint, group, standing }
        };
        let mut judged: Vec<ReportedGroup> = groups.into_iter().map(judge).collect();
        judged.sort_by_key(|reported| reported.standing.level());
        judged
    }

    /// The groups of the baseline that are not among these.
    pub fn absent(&self, found: &[ReportedGroup]) -> Vec<(Fingerprint, Known)> {
        let groups = self.baseline.iter().flat_map(|baseline| &baseline.groups);
        let is_found = |key: &Fingerprint| found.iter().any(|group| group.fingerprint == *key);
        let absent = groups.filter(|(key, _)| !is_found(key));
        absent.map(|(key, known)| (*key, known.clone())).collect()
    }
}

/// The groups that fail a run, known ones too, as a baseline.
pub fn baseline(groups: &[ReportedGroup]) -> Baseline {
    let violations = groups.iter().filter(|group| group.standing != Standing::Allowed);
    let entry = |reported: &ReportedGroup| {
        let group = &reported.group;
        let known = Known { code: group.code.name().to_owned(), title: group.title() };
        (reported.fingerprint, known)
    };
    Baseline { groups: violations.map(entry).collect() }
}
