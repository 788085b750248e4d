//! The results of a run.

use crate::coverage::CoverageCounts;
use crate::illustrating::{add_lines_to, diagram};
use crate::input_remarks::{input_remarks, order_remark, repeated_remark, silent_remark};
use crate::log_lines::add_lines;
use crate::logged_locations::LoggedLocations;
use crate::monitor::Monitor;
use crate::part_source::{PartTotals, PartialSource};
use crate::rules::Rules;
use multitrace_formats::record_counts::RecordDetails;
use multitrace_formats::remedy::Words;
use multitrace_formats::selection::{Selection, SessionShard};
use multitrace_reports::baseline::Baseline;
use multitrace_reports::codes::Code;
use multitrace_reports::combinations::Combinations;
use multitrace_reports::costs::Costs;
use multitrace_reports::coverage::Coverage;
use multitrace_reports::demands::remark;
use multitrace_reports::first_errors::FirstErrors;
use multitrace_reports::gate::{Gate, TooManyPlaces};
use multitrace_reports::groups::{AllGroups, FindingGroups, Fingerprint, FurtherKind, GroupOrder};
use multitrace_reports::outcome::RunOutcome;
use multitrace_reports::outputs::{OutputFormat, Paint};
use multitrace_reports::partial::InputStamps;
use multitrace_reports::pictures::overlay::Overlay;
use multitrace_reports::repository::Repository;
use multitrace_reports::run_report::{ExplainCommand, MissingShards, ReportedGroup, RunReport};
use multitrace_reports::summary::Summary;
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

/// The results of a run, at its end.
#[must_use = "the outcome of the run is in its report"]
#[derive(Debug)]
pub struct Report {
    monitor: Monitor,
    run: RunReport,
    gate: Gate,
    /// Kinds of findings beyond the groups.
    further: Vec<(Fingerprint, FurtherKind)>,
    tolerated: bool,
    /// The ids of the list of sessions that no session had.
    missing: Vec<String>,
    /// Notes on the inputs themselves.
    notes: BTreeSet<String>,
    /// The locations that logged something.
    logged: BTreeSet<String>,
    overlay: Option<Overlay>,
    /// Whether there are sessions or files of other shards.
    has_others: bool,
    /// The part that only partial reports need, if the run asks for it.
    partial: Option<Box<PartialSource>>,
    /// The names of inputs that cannot be read again; `None` if no input is here.
    streams: Option<Vec<Arc<str>>>,
}

/// All results of a run, before the gate judges them.
pub(crate) struct Found {
    pub(crate) monitor: Monitor,
    /// The shards that a merged report lacks.
    pub(crate) missing_shards: Option<MissingShards>,
    pub(crate) version: String,
    pub(crate) observation: &'static str,
    pub(crate) summary: Summary,
    pub(crate) violations: u64,
    pub(crate) known: u64,
    pub(crate) groups: AllGroups,
    pub(crate) errors: FirstErrors,
    pub(crate) coverage: Option<Coverage>,
    pub(crate) overlay: Option<Overlay>,
    pub(crate) costs: Option<Costs>,
    pub(crate) gate: Gate,
    pub(crate) min_coverage: Option<f64>,
    pub(crate) has_others: bool,
    pub(crate) missing: Vec<String>,
    /// Notes on the inputs themselves.
    pub(crate) notes: BTreeSet<String>,
    /// The locations that logged something.
    pub(crate) logged: BTreeSet<String>,
    /// Patterns that won and records that no rule matches.
    pub(crate) details: RecordDetails,
    pub(crate) explain: Option<ExplainCommand>,
    pub(crate) words: Words,
}

/// The sums collected while a run goes on.
#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) groups: FindingGroups,
    /// The first problems of the input.
    pub(crate) errors: FirstErrors,
    pub(crate) combinations: Combinations,
    /// The sum of the hashes of the sessions, if the run makes a part.
    pub(crate) sessions_hash: u64,
    /// Patterns that won and records that no rule matches.
    pub(crate) details: RecordDetails,
    /// Notes on the inputs themselves.
    pub(crate) notes: BTreeSet<String>,
    /// The files that are read, if the run makes a part.
    pub(crate) inputs: InputStamps,
    /// The locations that logged something.
    pub(crate) logged: LoggedLocations,
    /// Whether there are sessions or files of other shards.
    pub(crate) has_others: bool,
    pub(crate) summary: Summary,
    pub(crate) violations: u64,
    /// Sessions whose findings the baseline has, all of them.
    pub(crate) known: u64,
    pub(crate) coverage: CoverageCounts,
    pub(crate) costs: Costs,
}

impl Totals {
    pub(crate) fn new(rules: &Rules) -> Totals {
        let is_part = rules.detail.partial;
        let groups = if is_part { FindingGroups::of_part() } else { FindingGroups::default() };
        Totals { groups, ..Totals::default() }
    }

    /// Leaves out the parts that the first shard reports alone.
    pub(crate) fn leave_out_records(&mut self) {
        self.details.clear();
        if let Some(counts) = &mut self.summary.input {
            *counts = counts.of_sessions();
        }
    }
}

impl Report {
    pub(crate) fn new(
        rules: Rules,
        totals: Totals,
        order: GroupOrder,
        min_coverage: Option<f64>,
        streams: Vec<Arc<str>>,
    ) -> Report {
        let is_partial = rules.detail.partial;
        let mut kept = if is_partial { totals.groups.clone() } else { FindingGroups::default() };
        add_lines(kept.examples_mut().flat_map(|it| &mut it.illustration.rows).collect(), &streams);
        let part = PartTotals {
            groups: kept,
            combinations: totals.combinations,
            sessions_hash: totals.sessions_hash,
            errors: totals.errors.clone(),
            details: totals.details.clone(),
            inputs: totals.inputs,
        };
        let partial = is_partial.then(|| PartialSource::new(&rules, &totals.coverage, part));
        let words = rules.words;
        let Rules { monitor, config, gate, selection, coverage: plan, detail, .. } = rules;
        let shard = selection.shard.as_ref();
        let found = Found {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            observation: config.observation.name(),
            coverage: plan.as_ref().map(|plan| plan.report(&totals.coverage)),
            overlay: plan.and_then(|plan| plan.overlay(&totals.coverage)),
            groups: totals.groups.finish(order, &|place| gate.knows(place)),
            errors: totals.errors,
            costs: detail.costs.then_some(totals.costs),
            summary: totals.summary,
            violations: totals.violations,
            known: totals.known,
            gate,
            min_coverage,
            has_others: is_partial
                && (totals.has_others || shard.is_some_and(SessionShard::has_others)),
            missing: missing(&selection, &totals.summary),
            notes: totals.notes,
            logged: totals.logged.names(monitor.alphabet()),
            details: totals.details,
            explain: None,
            words,
            missing_shards: None,
            monitor,
        };
        let report = Report::of_found(found);
        Report { partial: partial.map(Box::new), streams: Some(streams), ..report }
    }

    /// Judges the results of a run.
    pub(crate) fn of_found(found: Found) -> Report {
        let Found { monitor, groups: all, gate, summary, violations, overlay, .. } = found;
        let tolerated = gate.tolerates(violations, &summary);
        let rest = gate.judge_rest(&all, tolerated);
        let AllGroups { groups, further, uncounted } = all;
        let groups = gate.judge(groups, tolerated);
        // A finding that is not among those may be one that is not counted, or in input that was not read.
        let is_complete = uncounted == 0 && !summary.stopped;
        let places = groups.iter().flat_map(|it| it.group.places.keys());
        let places = places.chain(further.iter().flat_map(|(_, kind)| kind.places.keys()));
        let places = places.copied().collect();
        let unmatched = found.details.unmatched.by_count();
        let mut input = input_remarks(found.errors.by_kind(), &summary, &unmatched, &found.notes);
        input.extend(repeated_remark(&found.details, &summary));
        input.extend(order_remark(&found.details, &summary));
        input.extend(silent_remark(&groups, &found.logged, monitor.alphabet()));
        // Those of a whole are judged where its parts are merged.
        if !found.has_others {
            input.extend(gate.demands.unmet(&summary, &found.missing, &found.logged));
        }
        let run = RunReport {
            input,
            unmatched,
            version: found.version,
            specification: monitor.bundle().provenance.spec_name.clone(),
            observation: found.observation,
            summary,
            violations,
            known: found.known,
            absent: if is_complete { gate.absent(&places) } else { Vec::new() },
            groups,
            rest,
            errors: found.errors.errors(found.words),
            errors_apart: false,
            has_baseline: gate.baseline.is_some(),
            repository: None,
            explain: found.explain,
            coverage: found.coverage,
            costs: found.costs,
            diagram: None,
            min_coverage: found.min_coverage,
            missing_shards: found.missing_shards,
            words: found.words,
        };
        let Found { missing, has_others, notes, logged, .. } = found;
        let (partial, streams) = (None, None);
        Report {
            monitor,
            run,
            gate,
            further,
            tolerated,
            missing,
            notes,
            logged,
            overlay,
            has_others,
            partial,
            streams,
        }
    }

    pub(crate) fn partial_source(&self) -> Option<&PartialSource> {
        self.partial.as_deref()
    }

    /// The notes on the inputs themselves, and the locations that logged something.
    pub(crate) fn of_inputs(&self) -> (&BTreeSet<String>, &BTreeSet<String>) {
        (&self.notes, &self.logged)
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Names the command that explains a session of the run, which reports then show.
    pub fn with_explain_command(mut self, command: Option<ExplainCommand>) -> Report {
        self.run.explain = command;
        self
    }

    /// Adds notes on the options of the run, such as where its defaults come from.
    pub fn with_notes(mut self, notes: &[String]) -> Report {
        let new = notes.iter().filter(|note| self.notes.insert((*note).clone()));
        self.run.input.extend(new.map(|note| remark(Code::InputNote, note.clone())));
        self
    }

    /// Says whether whoever reads the report for people is told of the problems of the input beside it, as on a terminal.
    pub fn with_errors_apart(mut self, apart: bool) -> Report {
        self.run.errors_apart = apart;
        self
    }

    /// Says where the run takes place. Reports for platforms then have the places of files inside the repository, by
    /// paths relative to its root, and no others.
    pub fn in_repository(mut self, repository: Option<Repository>) -> Report {
        self.run.repository = repository;
        self
    }

    /// The groups with the lines of the logs, which are read again.
    fn groups_with_lines(&self) -> Vec<ReportedGroup> {
        let mut groups = self.run.groups.clone();
        self.streams.iter().for_each(|streams| add_lines_to(&mut groups, streams));
        groups
    }

    /// The same as [`Report::run`] for formats with pictures.
    fn illustrated(&self) -> RunReport {
        let groups = self.groups_with_lines();
        let diagram = diagram(&self.monitor, &groups, self.overlay.clone());
        RunReport { groups, diagram, ..self.run.clone() }
    }

    /// The monitor that the sessions were checked against.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
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

    /// The parts of the specification that the passing sessions took, if the run asked for them.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.run.coverage.as_ref()
    }

    /// The same as marks in the diagram of the specification; `None` for an automaton.
    pub fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_ref()
    }

    /// How the run ended: the gate of every front end. Errors win over violations.
    pub fn outcome(&self) -> RunOutcome {
        let summary = &self.run.summary;
        match () {
            () if summary.errors > 0 || !self.run.has_what_is_demanded() => RunOutcome::Error,
            () if summary.sessions == 0 && !self.has_others => RunOutcome::NothingChecked,
            () if self.tolerated && self.run.covers_enough() => RunOutcome::Clean,
            () => RunOutcome::Violations,
        }
    }

    /// The code with which a process ends: that of its outcome.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        self.outcome().exit_code()
    }

    /// The ids of the list of sessions that no session had.
    pub fn missing_sessions(&self) -> Vec<&str> {
        self.missing.iter().map(String::as_str).collect()
    }

    /// The places of findings that fail the run, known ones too, as a baseline.
    ///
    /// # Errors
    /// When the run had more places than are counted.
    pub fn baseline(&self) -> Result<Baseline, TooManyPlaces> {
        self.gate.baseline(&self.run.groups, &self.further, self.run.rest.uncounted, self.run.words)
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
        match format {
            OutputFormat::Partial => {
                let part = self.partial().map_err(io::Error::other)?;
                out.write_all(&part.to_packed().map_err(io::Error::other)?)
            }
            OutputFormat::Html => format.write(&self.illustrated(), paint, out),
            _ => format.write(&self.run, paint, out),
        }
    }
}

/// The ids of the list that no session had, as far as the run looked for them.
fn missing(selection: &Selection, summary: &Summary) -> Vec<String> {
    match &selection.only {
        Some(only) if !summary.stopped => {
            let missing = only.missing().into_iter();
            missing.filter(|id| selection.in_shard(id)).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
