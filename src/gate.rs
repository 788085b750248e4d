//! What counts as a violation, and how a run with some of them ends.

use crate::args::{FailOn, GateArgs, MaxFailures};
use crate::failure::{Failure, Outcome};
use crate::load;
use multitrace_formats::baseline::{Baseline, Known};
use multitrace_formats::groups::{Fingerprint, Group};
use multitrace_formats::outputs::{ReportedGroup, Standing};
use multitrace_formats::report::Summary;
use std::path::Path;

/// Which sessions are violations. Shared by all threads.
pub(crate) struct Gate {
    fail_on: Vec<FailOn>,
    max_failures: Option<MaxFailures>,
    pub(crate) baseline: Option<Baseline>,
}

impl Gate {
    /// Fails when the baseline cannot be read.
    pub(crate) fn new(args: &GateArgs) -> Outcome<Gate> {
        Ok(Gate {
            fail_on: args.fail_on.clone(),
            max_failures: args.max_failures,
            baseline: args.baseline.as_deref().map(read_baseline).transpose()?,
        })
    }

    /// Whether a verdict of this name is a violation where no baseline has it.
    pub(crate) fn names(&self, verdict: &str) -> bool {
        self.fail_on.iter().any(|choice| {
            verdict
                == match choice {
                    FailOn::Fail => "fail",
                    FailOn::Inconclusive => "inconclusive",
                    FailOn::WeakPass => "weak_pass",
                }
        })
    }

    /// Whether a session with this verdict is a violation.
    pub(crate) fn is_violation(&self, verdict: &str, key: Option<Fingerprint>) -> bool {
        self.names(verdict) && !key.is_some_and(|key| self.knows(&key))
    }

    fn knows(&self, key: &Fingerprint) -> bool {
        self.baseline.as_ref().is_some_and(|baseline| baseline.groups.contains_key(key))
    }

    /// After how many violations the run stops.
    pub(crate) fn most(&self) -> u64 {
        match self.max_failures {
            Some(MaxFailures::Count(most)) => most,
            Some(MaxFailures::Rate(_)) | None => u64::MAX,
        }
    }

    /// Whether so many violations still let the run pass.
    pub(crate) fn tolerates(&self, violations: u64, summary: &Summary) -> bool {
        match self.max_failures {
            Some(MaxFailures::Rate(rate)) => rate.allows(violations, summary.sessions),
            Some(MaxFailures::Count(_)) | None => violations == 0,
        }
    }

    /// What the groups mean for the run, violations first.
    pub(crate) fn judge(
        &self,
        groups: Vec<(Fingerprint, Group)>,
        tolerated: bool,
    ) -> Vec<ReportedGroup> {
        let judge = |(fingerprint, group): (Fingerprint, Group)| {
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
    pub(crate) fn absent(&self, found: &[ReportedGroup]) -> Vec<(Fingerprint, Known)> {
        let groups = self.baseline.iter().flat_map(|baseline| &baseline.groups);
        let is_found = |key: &Fingerprint| found.iter().any(|group| group.fingerprint == *key);
        let absent = groups.filter(|(key, _)| !is_found(key));
        absent.map(|(key, known)| (*key, known.clone())).collect()
    }
}

/// The violations among the groups, known ones too, as a baseline.
pub(crate) fn baseline(groups: &[ReportedGroup]) -> Baseline {
    let violations = groups.iter().filter(|group| group.standing != Standing::Allowed);
    let entry = |reported: &ReportedGroup| {
        let group = &reported.group;
        let known = Known { code: group.code.name().to_owned(), title: group.title() };
        (reported.fingerprint, known)
    };
    Baseline { groups: violations.map(entry).collect() }
}

fn read_baseline(path: &Path) -> Outcome<Baseline> {
    let source = load::text(path, load::read(path)?)?;
    Baseline::parse(&source).map_err(Failure::source)
}
