//! The parts of a specification that sessions take, for those that nothing takes any more.

use super::amending::Written;
use super::found::Learnt;
use super::verifying::{Letters, SESSIONS_AT_ONCE, Verifier};
use crate::coverage::{CoverageCounts, CoveragePlan};
use crate::error::Error;
use multitrace_formats::workers::in_pool;
use multitrace_interaction::Verdict;
use multitrace_learn::SessionLogs;
use multitrace_reports::coverage::Coverage;
use multitrace_runtime::{CheckConfig, Checker};
use rayon::prelude::*;

impl Learnt {
    /// How many of its sessions take each part of a specification, of those that this accepts.
    ///
    /// # Errors
    /// When the text of the specification is not known, or its engine is not available.
    pub fn coverage(&self, written: &Written) -> Result<Coverage, Error> {
        in_pool(0, || self.coverage_here(written))
    }

    /// The same on the pool of the current thread.
    fn coverage_here(&self, Written { monitor, .. }: &Written) -> Result<Coverage, Error> {
        let plan = CoveragePlan::new(monitor)?;
        let verifier = Verifier::new(&self.observations, &self.locations);
        let config = CheckConfig { witness: true, ..monitor.config() };
        let of = |sessions: &[(SessionLogs, u64)]| -> Result<CoverageCounts, Error> {
            let mut checker = Checker::new(monitor.runtime(), config)?;
            let (mut worker, mut letters) = (plan.worker(), Letters::default());
            let mut counts = CoverageCounts::default();
            for (logs, count) in sessions {
                let checked = checker.check(&verifier.session(monitor, logs, &mut letters));
                if checked.verdict == Verdict::Pass {
                    counts.add(&worker.follow(checked.witness.as_ref()), *count);
                }
            }
            Ok(counts)
        };
        let parts = self.observations.sessions.par_chunks(SESSIONS_AT_ONCE).map(of);
        let mut counts = CoverageCounts::default();
        for part in parts.collect::<Result<Vec<_>, Error>>()? {
            counts.merge(&part);
        }
        Ok(plan.report(&counts))
    }
}
