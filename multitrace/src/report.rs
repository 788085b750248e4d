//! What a run found.

use crate::worker::Rules;
use multitrace_formats::selection::Selection;
use multitrace_reports::baseline::Baseline;
use multitrace_reports::gate;
use multitrace_reports::groups::FindingGroups;
use multitrace_reports::outputs::{OutputFormat, Paint};
use multitrace_reports::run_report::{
    ExplainCommand, InputError, ReportedGroup, RunReport, Standing,
};
use multitrace_reports::summary::Summary;
use std::io;
use std::sync::Arc;

/// What a run found, at its end.
#[derive(Debug)]
pub struct Report {
    run: RunReport,
    violations: u64,
    tolerated: bool,
    selection: Arc<Selection>,
}

/// What is collected while a run goes on.
#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) groups: FindingGroups,
    /// The first problems of the input.
    pub(crate) errors: Vec<InputError>,
    pub(crate) summary: Summary,
    pub(crate) violations: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunOutcome {
    /// No violations, or no more than are tolerated.
    Clean,
    /// Sessions violate the specification.
    Violations,
    /// Some input cannot be read or understood. Wins over violations.
    Error,
    /// There was no session to check.
    NothingChecked,
}

impl Report {
    pub(crate) fn new(rules: Rules, totals: Totals) -> Report {
        let Rules { monitor, config, gate, selection, .. } = rules;
        let Totals { groups, errors, summary, violations } = totals;
        let tolerated = gate.tolerates(violations, &summary);
        let (groups, rest) = groups.finish();
        let groups = gate.judge(groups, tolerated);
        // What is not among the groups may be among the rest, or in input that was not read.
        let all = rest.sessions == 0 && !summary.stopped;
        let run = RunReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            specification: monitor.bundle().provenance.spec_name.clone(),
            observation: config.observation.name(),
            summary,
            absent: if all { gate.absent(&groups) } else { Vec::new() },
            groups,
            rest,
            errors,
            has_baseline: gate.baseline.is_some(),
            explain: None,
        };
        Report { run, violations, tolerated, selection }
    }

    /// Names the command that explains a session of the run, which reports then show.
    #[must_use]
    pub fn with_explain_command(mut self, command: Option<ExplainCommand>) -> Report {
        self.run.explain = command;
        self
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

    /// How many sessions violate the specification, known ones not counted.
    pub fn violations(&self) -> u64 {
        self.violations
    }

    /// How many sessions have findings that the baseline knows.
    pub fn known(&self) -> u64 {
        let known = |it: &&ReportedGroup| it.standing == Standing::Known;
        self.run.groups.iter().filter(known).map(|it| it.group.count).sum()
    }

    /// How the run ended.
    pub fn outcome(&self) -> RunOutcome {
        if self.run.summary.errors > 0 {
            RunOutcome::Error
        } else if self.run.summary.sessions == 0 {
            RunOutcome::NothingChecked
        } else if self.tolerated {
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

    /// The groups that fail the run, known ones too, as a baseline.
    pub fn baseline(&self) -> Baseline {
        gate::baseline(&self.run.groups)
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
