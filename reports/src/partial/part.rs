//! The results of a run over a part of the input, and how parts merge.

use crate::combinations::Combinations;
use crate::costs::Costs;
use crate::demands::Demands;
use crate::first_errors::FirstErrors;
use crate::groups::FindingGroups;
use crate::partial::checks;
use crate::partial::coverage_totals::{CoverageTotals, add_all};
use crate::partial::error::MergeError;
use crate::partial::input_stamps::InputStamps;
use crate::partial::settings::Settings;
use crate::partial::shards::Shards;
use crate::run_report::ExplainCommand;
use crate::summary::Summary;
use multitrace_formats::record_counts::RecordDetails;
use std::collections::BTreeSet;

/// The larger one of two shares.
pub fn most(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}

/// The results of a run over a part of the input.
#[derive(Clone, Debug)]
pub struct PartialReport {
    /// The settings that must be equal in all parts of a run.
    pub settings: Settings,
    /// The bundle that sessions were checked against.
    pub bundle: Vec<u8>,
    /// Which shards of the input are in it.
    pub shards: Shards,
    /// The runs it is of, each by a hash of its part.
    pub runs: BTreeSet<String>,
    /// The files that were read.
    pub inputs: InputStamps,
    /// The counts, but for the time.
    pub summary: Summary,
    /// How long the runs took together, in nanoseconds.
    pub nanoseconds: u64,
    /// The kinds of findings.
    pub groups: FindingGroups,
    /// How many sessions have which findings together.
    pub combinations: Combinations,
    /// The first inputs that could not be checked.
    pub errors: FirstErrors,
    /// The parts of the specification that passing sessions took, if they were asked for.
    pub coverage: Option<CoverageTotals>,
    /// The costs of sessions, if they were asked for.
    pub costs: Option<Costs>,
    /// Counts of records beside the summary, and the kinds of those that no rule matches.
    pub details: RecordDetails,
    /// Notes on the input, for people.
    pub notes: BTreeSet<String>,
    /// The locations that logged something.
    pub logged: BTreeSet<String>,
    /// The ids of the list of sessions that no session had, in the order of the list.
    pub missing: Vec<String>,
    /// The demands of its runs, which are those of the whole.
    pub demands: Demands,
    /// The share of the specification that they demand, in percent.
    pub min_coverage: Option<f64>,
    /// How to explain a session, if it is the same in all parts.
    pub explain: Option<ExplainCommand>,
}

impl PartialReport {
    /// Adds the results of another part of the input.
    ///
    /// # Errors
    /// When the two are not parts of one run: they were checked in different ways, or have the same
    /// shard.
    pub fn merge(&mut self, other: PartialReport) -> Result<(), MergeError> {
        self.settings.check_equal(&other.settings)?;
        if self.bundle != other.bundle {
            return Err(MergeError::different("the bundle", &"one bundle", &"another one"));
        }
        self.shards.merge(&other.shards)?;
        if !self.runs.is_disjoint(&other.runs) {
            return Err(MergeError::SameRun);
        }
        self.inputs.merge(&other.inputs, &self.shards)?;
        self.runs.extend(other.runs.iter().cloned());
        self.merge_counts(&other);
        self.groups.merge(other.groups);
        self.combinations.merge(other.combinations);
        self.errors.merge(other.errors);
        if let (Some(all), Some(more)) = (&mut self.coverage, &other.coverage) {
            all.merge(more);
        }
        if let (Some(all), Some(more)) = (&mut self.costs, &other.costs) {
            all.merge(more);
        }
        add_all(&mut self.details.pattern_wins, &other.details.pattern_wins);
        self.details.unmatched.merge(&other.details.unmatched);
        self.details.add_unused_order(other.details.unused_order.as_ref());
        self.details.add_repeated_span(other.details.repeated_span.as_ref());
        self.notes.extend(other.notes);
        self.logged.extend(other.logged);
        self.demands.add(other.demands);
        self.min_coverage = most(self.min_coverage, other.min_coverage);
        let missing: std::collections::HashSet<&String> = other.missing.iter().collect();
        self.missing.retain(|id| missing.contains(id));
        if self.explain != other.explain {
            self.explain = None;
        }
        checks::counts(&self.summary).map_err(|_| MergeError::TooLarge)
    }

    fn merge_counts(&mut self, other: &PartialReport) {
        let (all, more) = (&mut self.summary, &other.summary);
        all.merge(more);
        all.terms_replaced = all.terms_replaced.saturating_add(more.terms_replaced);
        all.peak_bytes = all.peak_bytes.max(more.peak_bytes);
        if let Some(input) = &more.input {
            all.input.get_or_insert_default().add(input);
        }
        self.nanoseconds = self.nanoseconds.saturating_add(other.nanoseconds);
    }

    /// The counts of the whole, with the time.
    pub fn whole_summary(&self) -> Summary {
        let mut summary = self.summary;
        summary.seconds = self.nanoseconds as f64 / 1e9;
        if let Some(input) = &mut summary.input {
            input.unused_patterns = self.details.unused_patterns();
        }
        summary
    }
}
