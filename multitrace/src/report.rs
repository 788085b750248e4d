//! What a run found.

use crate::coverage::CoverageCounts;
use crate::illustrating::{add_lines_to, diagram};
use crate::worker::Rules;
use multitrace_formats::selection::Selection;
use multitrace_reports::baseline::Baseline;
use multitrace_reports::costs::Costs;
use multitrace_reports::coverage::Coverage;
use multitrace_reports::gate::{Gate, TooManyKinds};
use multitrace_reports::groups::{AllGroups, FindingGroups, Fingerprint, FurtherKind, GroupOrder};
use multitrace_reports::outputs::{OutputFormat, Paint};
use multitrace_reports::pictures::overlay::Overlay;
use multitrace_reports::repository::Repository;
use multitrace_reports::run_report::{ExplainCommand, InputError, ReportedGroup, RunReport};
use multitrace_reports::summary::Summary;
use std::io;
use std::sync::Arc;

/// What a run found, at its end.
#[derive(Debug)]
pub struct Report {
    run: RunReport,
    gate: Gate,
    /// Kinds of findings beyond the groups.
    further: Vec<(Fingerprint, FurtherKind)>,
    tolerated: bool,
    selection: Arc<Selection>,
    overlay: Option<Overlay>,
}

/// What is collected while a run goes on.
#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) groups: FindingGroups,
    /// The first problems of the input.
    pub(crate) errors: Vec<InputError>,
    pub(crate) summary: Summary,
    pub(crate) violations: u64,
    /// Sessions whose findings the baseline has, all of them.
    pub(crate) known: u64,
    pub(crate) coverage: CoverageCounts,
    pub(crate) costs: Costs,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunOutcome {
    /// No violations, or no more than are tolerated.
    Clean,
    /// Sessions violate the specification, or take less of it than is demanded.
    Violations,
    /// Some input cannot be read or understood. Wins over violations.
    Error,
    /// There was no session to check.
    NothingChecked,
}

impl Report {
    pub(crate) fn new(
        rules: Rules,
        totals: Totals,
        order: GroupOrder,
        min_coverage: Option<f64>,
    ) -> Report {
        let Rules { monitor, config, gate, selection, coverage: plan, detail, .. } = rules;
        let coverage = plan.as_ref().map(|plan| plan.report(&totals.coverage));
        let overlay = plan.and_then(|plan| plan.overlay(&totals.coverage));
        let Totals { groups, errors, summary, violations, known, costs, .. } = totals;
        let tolerated = gate.tolerates(violations, &summary);
        let all = groups.finish(order);
        let rest = gate.judge_rest(&all, tolerated);
        let AllGroups { groups, further, uncounted } = all;
        let groups = gate.judge(groups, tolerated);
        // What is not among those may be among what is not counted, or in input that was not read.
        let is_complete = uncounted == 0 && !summary.stopped;
        let diagram =
            detail.pictures.then(|| diagram(&monitor, &groups, overlay.clone())).flatten();
        let found = groups.iter().map(|group| group.fingerprint);
        let found = found.chain(further.iter().map(|(key, _)| *key)).collect();
        let run = RunReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            specification: monitor.bundle().provenance.spec_name.clone(),
            observation: config.observation.name(),
            summary,
            violations,
            known,
            absent: if is_complete { gate.absent(&found) } else { Vec::new() },
            groups,
            rest,
            errors,
            has_baseline: gate.baseline.is_some(),
            repository: None,
            explain: None,
            coverage,
            costs: detail.costs.then_some(costs),
            diagram,
            min_coverage,
        };
        Report { run, gate, further, tolerated, selection, overlay }
    }

    /// Names the command that explains a session of the run, which reports then show.
    #[must_use]
    pub fn with_explain_command(mut self, command: Option<ExplainCommand>) -> Report {
        self.run.explain = command;
        self
    }

    /// Says where the run takes place. Reports for platforms then have the places of what is inside
    /// the repository, by paths relative to its root, and no others.
    #[must_use]
    pub fn in_repository(mut self, repository: Option<Repository>) -> Report {
        self.run.repository = repository;
        self
    }

    /// Adds to the pictures the lines of the logs.
    pub(crate) fn add_log_lines(&mut self, streams: &[Arc<str>]) {
        add_lines_to(&mut self.run.groups, streams);
    }

    /// The counts.
    pub fn summary(&self) -> &Summary {
        &self.run.summary
    }

    pub(crate) fn summary_mut(&mut self) -> &mut Summary {
        &mut self.run.summary
    }

    /// The groups of findings, violations first, then those with most sessions.
    pub fn groups(&self) -> &[ReportedGroup] {
        &self.run.groups
    }

    /// Everything in the report.
    pub fn run(&self) -> &RunReport {
        &self.run
    }

    /// What the passing sessions took of the specification, if the run asked for it.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.run.coverage.as_ref()
    }

    /// The same as marks in the diagram of the specification; `None` for an automaton.
    pub fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_ref()
    }

    /// Whether passing sessions took as much of the specification as the run demands.
    pub fn covers_enough(&self) -> bool {
        self.run.covers_enough()
    }

    /// How many sessions violate the specification, known ones not counted.
    pub fn violations(&self) -> u64 {
        self.run.violations
    }

    /// How many sessions would violate the specification, if the baseline had not all of their
    /// findings.
    pub fn known(&self) -> u64 {
        self.run.known
    }

    /// How the run ended.
    pub fn outcome(&self) -> RunOutcome {
        if self.run.summary.errors > 0 {
            RunOutcome::Error
        } else if self.run.summary.sessions == 0 {
            RunOutcome::NothingChecked
        } else if self.tolerated && self.covers_enough() {
            RunOutcome::Clean
        } else {
            RunOutcome::Violations
        }
    }

    /// The ids of the list of sessions that no session had.
    pub fn missing_sessions(&self) -> Vec<&str> {
        match &self.selection.only {
            Some(only) if !self.run.summary.stopped => only.missing(),
            _ => Vec::new(),
        }
    }

    /// The kinds of findings that fail the run, known ones too, as a baseline.
    ///
    /// # Errors
    /// When the run had more kinds than are counted.
    pub fn baseline(&self) -> Result<Baseline, TooManyKinds> {
        self.gate.baseline(&self.run.groups, &self.further, self.run.rest.uncounted)
    }

    /// Writes the report, without colours. Of [`OutputFormat::JsonLines`] this is the last line;
    /// [`RunObserver::lines`](crate::RunObserver::lines) is given the others while the run goes on.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write(&self, format: OutputFormat, out: &mut dyn io::Write) -> io::Result<()> {
        self.write_painted(format, Paint::PLAIN, out)
    }

    /// Writes the report; only [`OutputFormat::Human`] is painted.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write_painted(
        &self,
        format: OutputFormat,
        paint: Paint,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        format.write(&self.run, paint, out)
    }
}
