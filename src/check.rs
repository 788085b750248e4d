//! `multitrace check`: sessions in, verdicts out, in input order.

use crate::args::{
    CheckArgs, GateArgs, GlobalArgs, MaxFailures, Operands, OutputArgs, OutputChoice,
    SelectionArgs, ToleranceArgs,
};
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::options;
use crate::output::{Output, ReadInputs, reject_inputs};
use crate::progress::Messages;
use crate::reports::ReportFiles;
use crate::words::WORDS;
use multitrace::{
    CheckConfig, Detail, Error, Inputs, Monitor, OutputFormat, Report, RunObserver, RunOptions,
    RunOutcome, SessionFilter, Shard, is_stream, read_text,
};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::selection::IdList;
use multitrace_reports::baseline::Baseline;
use multitrace_reports::codes::Code;
use multitrace_reports::first_errors::SHOWN_PROBLEMS;
use multitrace_reports::gate::{Gate, Tolerance};
use multitrace_reports::repository::Repository;
use multitrace_reports::run_report::{ExplainCommand, Level};
use multitrace_reports::summary::Summary;
use multitrace_reports::text::{counted, quoted};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(crate) fn run(args: &CheckArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let started = Instant::now();
    let messages = Messages::new(global.quiet);
    let (spec, paths) = options::operands(&args.operands)?;
    let headers_of = options::sessions(&args.events, paths);
    let monitor =
        options::monitor(spec, &args.checking.options, &args.input, headers_of, global.quiet)?;
    options::warn_of(&monitor, spec, args.warnings, global.quiet)?;
    let inputs = options::inputs(&args.events, &args.input, &monitor, paths)?;
    if !inputs.are_events() && (args.grouped || args.events.memory.is_some()) {
        return Err(Failure::new(
            "--grouped and --memory are for event logs; add --events MAP.toml",
        ));
    }
    let (config, _) = options::check(&args.checking, args.witness, &monitor)?;
    let options = run_options(args, config, started)?;
    reject_unknown(&args.gate.demands.require_location, &monitor)?;
    let exclude = options::exclusions(&args.input.exclude)?;
    let files = reads(args, paths);
    reject_inputs(
        outputs(args),
        &ReadInputs { files: &files, spec: Some(spec), exclude: &exclude },
    )?;
    let explain = explain_command(args, inputs.are_events());
    let coverage_file = args.coverage.coverage_file.as_deref();
    let running = Running { output: &args.output, gate: &args.gate, coverage_file, explain };
    running.run(&monitor, (inputs, options), messages, global)
}

/// A run whose inputs are there: its reports, and the conditions that make it fail.
pub(crate) struct Running<'a> {
    pub(crate) output: &'a OutputArgs,
    pub(crate) gate: &'a GateArgs,
    pub(crate) coverage_file: Option<&'a Path>,
    /// How to explain one of the sessions.
    pub(crate) explain: Option<ExplainCommand>,
}

impl Running<'_> {
    pub(crate) fn run(
        self,
        monitor: &Monitor,
        (inputs, options): (Inputs, RunOptions),
        mut messages: Messages,
        global: &GlobalArgs,
    ) -> CommandResult<RunOutcome> {
        let Running { output, gate, coverage_file, explain } = self;
        let reports = ReportFiles::open(output, global.color)?;
        let baseline = gate.tolerance.write_baseline.as_deref();
        let written = WrittenFiles::open(baseline, coverage_file)?;
        messages.start();
        interrupt::progress(&Summary::default(), 0);
        let mut observer = Observer {
            messages,
            reports,
            failure: None,
            so_far: RunOutcome::Clean,
            exit_zero: gate.tolerance.exit_zero,
            untold: if shows(output, OutputFormat::Concise) { 0 } else { SHOWN_PROBLEMS },
        };
        let report = match monitor.run(inputs, options, &mut observer) {
            Err(Error::Stopped) => return observer.stopped(),
            other => other?,
        };
        let Observer { messages, reports, .. } = observer;
        messages.stop();
        let report = report.with_explain_command(explain).in_repository(repository());
        let report = report.with_notes(&global.notes);
        let report = report.with_errors_apart(shows(output, OutputFormat::Human));
        let finished = reports.finish(&report, None);
        if !matches!(finished, Err(Failure::BrokenPipe)) {
            finished?;
        }
        written.finish(&report)?;
        say_what_is_left(output, &report, &messages);
        Ok(match told(&report, &messages) {
            RunOutcome::Violations if gate.tolerance.exit_zero => RunOutcome::Clean,
            other => other,
        })
    }
}

/// The options of the run, from those of the command line.
fn run_options(
    args: &CheckArgs,
    config: CheckConfig,
    started: Instant,
) -> CommandResult<RunOptions> {
    Ok(RunOptions {
        config,
        gate: gate(&args.gate)?,
        filter: filter(&args.selection)?,
        detail: Detail { costs: args.stats, ..detail(&args.output, &args.gate.tolerance) },
        rows: None,
        repair: args.repair,
        order: args.order_groups,
        threads: args.jobs.map(usize::from).and_then(NonZeroUsize::new),
        grouped: args.grouped,
        memory: args.events.memory(),
        coverage: args.coverage.any(),
        min_coverage: args.coverage.min_coverage,
        by_name: false,
        words: WORDS,
        started: Some(started),
    })
}

/// Whether a report of this format goes to standard output.
pub(crate) fn shows(args: &OutputArgs, format: OutputFormat) -> bool {
    let pairs = &args.pairs;
    let is_shown = |pair: &OutputChoice| {
        pair.format == format && pair.file.as_deref().is_none_or(|it| it == Path::new("-"))
    };
    pairs.is_empty() && format == OutputFormat::Human || pairs.iter().any(is_shown)
}

/// No session could have an event of a location that the specification does not have.
pub(crate) fn reject_unknown(names: &[String], monitor: &Monitor) -> CommandResult<()> {
    let alphabet = monitor.alphabet();
    let is_known = |name: &&String| {
        alphabet.location(name).or_else(|| alphabet.location_of_lifeline(name)).is_some()
    };
    let Some(name) = names.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let known: Vec<&str> = alphabet.locations().map(|it| alphabet.location_name(it)).collect();
    let known = known.join(" ");
    Err(Failure::new(format!(
        "--require-location {name}: no location of the specification; it has {known}"
    )))
}

/// The files beside the reports that a run writes at its end. They are opened before it begins, so
/// that no run is lost to a wrong path.
pub(crate) struct WrittenFiles {
    baseline: Option<Output>,
    coverage: Option<Output>,
}

impl WrittenFiles {
    pub(crate) fn open(
        baseline: Option<&Path>,
        coverage: Option<&Path>,
    ) -> CommandResult<WrittenFiles> {
        let open = |path: Option<&Path>| path.map(|path| Output::open(Some(path))).transpose();
        Ok(WrittenFiles { baseline: open(baseline)?, coverage: open(coverage)? })
    }

    pub(crate) fn finish(self, report: &Report) -> CommandResult<()> {
        if let Some(mut output) = self.baseline {
            let baseline = report.baseline().map_err(|error| Failure::new(error.to_string()))?;
            output.write(baseline.print().as_bytes())?;
            output.finish()?;
        }
        if let (Some(mut output), Some(coverage)) = (self.coverage, report.coverage()) {
            output.write_with(|out| coverage.write_lcov(out))?;
            output.finish()?;
        }
        Ok(())
    }
}

/// The files that the run makes.
fn outputs(args: &CheckArgs) -> impl Iterator<Item = &Path> {
    let reports = args.output.pairs.iter().filter_map(|pair| pair.file.as_deref());
    let coverage = args.coverage.coverage_file.as_deref();
    reports.chain(args.gate.tolerance.write_baseline.as_deref()).chain(coverage)
}

/// The files that it reads, without the baseline: that may be read and written.
fn reads<'a>(args: &'a CheckArgs, paths: &'a [PathBuf]) -> Vec<&'a Path> {
    let (events, only) = (&args.events.events, &args.selection.only_sessions);
    let others = [events, only, &args.checking.options.reading.signature];
    let all = paths.iter().chain(others.into_iter().flatten());
    all.chain(kept_baseline(&args.gate.tolerance)).map(PathBuf::as_path).collect()
}

/// The baseline that is read, unless a newer one is to take its place.
pub(crate) fn kept_baseline(args: &ToleranceArgs) -> Option<&PathBuf> {
    args.baseline.as_ref().filter(|baseline| Some(*baseline) != args.write_baseline.as_ref())
}

/// The machine-readable lines and groups that the reports need.
pub(crate) fn detail(output: &OutputArgs, tolerance: &ToleranceArgs) -> Detail {
    let formats = Detail::of(output.pairs.iter().map(|pair| pair.format));
    let with_baseline = tolerance.write_baseline.is_some() || tolerance.baseline.is_some();
    Detail { groups: formats.groups || with_baseline, ..formats }
}

/// Which sessions fail the run.
pub(crate) fn gate(args: &GateArgs) -> CommandResult<Gate> {
    if args.tolerance.exit_zero
        && matches!(args.tolerance.max_failures, Some(MaxFailures::Count(_)))
    {
        return Err(Failure::new(
            "--max-failures N stops before the end, and with --exit-zero the rest would pass unread; leave one of them out",
        ));
    }
    Ok(Gate {
        fail_on: args.fail_on.clone(),
        tolerance: match args.tolerance.max_failures {
            None => Tolerance::None,
            Some(MaxFailures::Count(most)) => Tolerance::StopAt(most),
            Some(MaxFailures::Rate(rate)) => Tolerance::Rate(rate),
        },
        baseline: read_baseline(&args.tolerance)?,
        demands: args.demands.demands(),
    })
}

/// The baseline, if there is one.
pub(crate) fn read_baseline(args: &ToleranceArgs) -> CommandResult<Option<Baseline>> {
    let Some(path) = args.baseline.as_deref() else { return Ok(None) };
    // The first run that keeps a baseline has none yet.
    if !path.exists() && args.write_baseline.as_deref() == Some(path) {
        return Ok(Some(Baseline::default()));
    }
    Baseline::parse(&read_text(path)?).map(Some).map_err(Failure::source)
}

/// Which sessions are checked.
fn filter(args: &SelectionArgs) -> CommandResult<SessionFilter> {
    let read =
        |path: &Path| -> CommandResult<IdList> { Ok(IdList::parse(read_text(path)?.text())) };
    Ok(SessionFilter {
        only: args.only_sessions.as_deref().map(read).transpose()?,
        sample: args.sample,
        seed: args.seed,
        shard: match (args.shard, args.shard_files) {
            (Some(shard), _) => Some(Shard::Sessions(shard)),
            (None, Some(shard)) => Some(Shard::Files(shard)),
            (None, None) => None,
        },
    })
}

/// Writes the results of a run while it goes on.
struct Observer {
    messages: Messages,
    reports: ReportFiles,
    /// Why it ended the run.
    failure: Option<Failure>,
    /// How the run would end if it ended now.
    so_far: RunOutcome,
    exit_zero: bool,
    /// How many problems of the input are still to be told beside the reports.
    untold: u64,
}

impl Observer {
    /// How a run ends that was stopped. Nobody reads on: it ends as far as it came, with the exit code of its findings.
    fn stopped(self) -> CommandResult<RunOutcome> {
        match (self.failure, self.so_far) {
            (None | Some(Failure::BrokenPipe), RunOutcome::Clean) => Err(Failure::BrokenPipe),
            (None | Some(Failure::BrokenPipe), found) => Ok(found),
            (Some(failure), _) => Err(failure),
        }
    }
}

impl RunObserver for Observer {
    fn lines(&mut self, lines: &[u8]) -> ControlFlow<()> {
        match self.reports.lines(lines) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn problem(&mut self, problem: &InputProblem) {
        if let Some(untold) = self.untold.checked_sub(1) {
            self.untold = untold;
            self.messages.problem(problem);
        }
    }

    fn records_read(&mut self, records: u64) {
        self.messages.read(records);
    }

    fn progress(&mut self, summary: &Summary, violations: u64) {
        interrupt::progress(summary, violations);
        self.messages.checked(summary.sessions);
        self.so_far = match () {
            () if summary.errors > 0 => RunOutcome::Error,
            () if violations > 0 && !self.exit_zero => RunOutcome::Violations,
            () => RunOutcome::Clean,
        };
    }
}

/// Prints the counts that reports of sessions do not show.
fn say_what_is_left(output: &OutputArgs, report: &Report, messages: &Messages) {
    let is_told = shows(output, OutputFormat::Human) || shows(output, OutputFormat::Concise);
    let remarks = report.run().remarks();
    for remark in remarks.iter().filter(|it| it.code == Code::LowCoverage && !is_told) {
        messages.error(&format!("error: {}", remark.message));
    }
    tell_notes(report, messages, is_told);
}

/// Prints the notes of a run beside its findings. `is_told`: a report for people on standard output has the
/// remarks on the input; else they are printed, also if the run is quiet.
pub(crate) fn tell_notes(report: &Report, messages: &Messages, is_told: bool) {
    for remark in report.run().input_remarks().filter(|_| !is_told) {
        let word = if remark.level == Level::Error { "error" } else { "note" };
        messages.error(&format!("{word}: {}", remark.message));
    }
    report.notes().iter().for_each(|note| messages.note(note));
}

/// How the run ended, once the reason is printed.
pub(crate) fn told(report: &Report, messages: &Messages) -> RunOutcome {
    let (summary, violations, known) =
        (report.summary(), report.run().violations, report.run().known);
    if known > 0 {
        let count = counted(known, "session");
        messages.note(&format!("{count} failed, with findings that are all in the baseline"));
    }
    let outcome = report.outcome();
    if let Some(why) = report.why_nothing() {
        messages.error(&format!("error: {why}"));
    }
    if outcome == RunOutcome::Clean && violations > 0 {
        let (count, of) = (counted(violations, "violation"), counted(summary.sessions, "session"));
        messages.note(&format!("{count} in {of}, within --max-failures"));
    }
    outcome
}

/// The repository around the working directory, as services of CI name it, else the folder with `.git`,
/// else the working directory.
pub(crate) fn repository() -> Option<Repository> {
    let here = std::env::current_dir().ok()?;
    let named = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].into_iter().filter_map(std::env::var_os);
    let named = named.map(PathBuf::from).find(|root| root.is_absolute() && here.starts_with(root));
    let found = || here.ancestors().find(|folder| folder.join(".git").exists());
    let root = named.or_else(|| found().map(Path::to_owned)).unwrap_or_else(|| here.clone());
    Some(Repository { here, root })
}

/// Inputs that take more characters than this are not listed in every command: reports have one for
/// each group.
const LONGEST_INPUTS: usize = 1000;

/// How to explain one of the sessions; standard input and pipes cannot be read again. The events of a session
/// may be spread over all event logs.
fn explain_command(args: &CheckArgs, are_events: bool) -> Option<ExplainCommand> {
    let Operands { spec, inputs } = &args.operands;
    if inputs.iter().chain(spec).any(|path| is_stream(path)) {
        return None;
    }
    let named: Vec<String> =
        inputs.iter().map(|path| quoted(&path.display().to_string())).collect();
    let named = named.join(" ");
    Some(ExplainCommand {
        spec: spec.as_ref()?.display().to_string(),
        inputs: (are_events && named.len() <= LONGEST_INPUTS).then_some(named),
        options: format!("{} --session", args.explain_options),
    })
}
