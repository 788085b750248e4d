//! `multitrace merge`: partial reports in, the report of the whole out.

use crate::args::{GlobalArgs, MaxFailures, MergeArgs, OutputChoice, ToleranceArgs};
use crate::check::{
    WrittenFiles, kept_baseline, read_baseline, repository, shows, tell_notes, told,
};
use crate::failure::{CommandResult, Failure};
use crate::options;
use crate::output::{ReadInputs, reject_inputs};
use crate::progress::Messages;
use crate::reports::ReportFiles;
use crate::words::WORDS;
use multitrace::{Error, FinishOptions, OutputFormat, PartialReport, RunOutcome, read_or_stdin};
use multitrace_logs::InputFiles;
use multitrace_reports::gate::Tolerance;
use multitrace_reports::outputs::concise::error_line;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &MergeArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let messages = Messages::new(global.quiet);
    let exclude = options::exclusions(&args.exclude)?;
    let files = InputFiles::list_without(&args.parts, &exclude).map_err(Error::from)?;
    let paths: Vec<PathBuf> = files.files.into_iter().map(|file| file.path).collect();
    let read = paths.iter().chain(kept_baseline(&args.tolerance)).map(PathBuf::as_path);
    let read: Vec<&Path> = read.collect();
    reject_inputs(outputs(args), &ReadInputs { files: &read, spec: None, exclude: &exclude })?;
    let options = finish_options(args)?;
    let reports = ReportFiles::open(&args.output, global.color)?;
    let tolerance = &args.tolerance;
    let written =
        WrittenFiles::open(tolerance.write_baseline.as_deref(), args.coverage_file.as_deref())?;
    let part = merged(&paths)?.with_notes(files.notes);
    if args.coverage_file.is_some() && !part.has_coverage() {
        return Err(Failure::new("the parts have no coverage; check them with --coverage"));
    }
    tell_shards(&part, &messages);
    let again = makes(args, OutputFormat::Partial).then(|| part.clone());
    let report = part.finish(options)?.in_repository(repository()).with_notes(&global.notes);
    let is_told = [OutputFormat::Human, OutputFormat::Concise].map(|it| shows(&args.output, it));
    let report = report.with_errors_apart(is_told[0]);
    let finished = reports.finish(&report, again.as_ref());
    if !matches!(finished, Err(Failure::BrokenPipe)) {
        finished?;
    }
    written.finish(&report)?;
    if !is_told[1] {
        report.run().errors.iter().for_each(|it| messages.error(&error_line(it)));
    }
    tell_notes(&report, &messages, is_told.contains(&true));
    Ok(match told(&report, &messages) {
        RunOutcome::Violations if tolerance.exit_zero => RunOutcome::Clean,
        other => other,
    })
}

/// All parts as one. They are read one after another, so that one and the sum are in memory.
fn merged(paths: &[PathBuf]) -> CommandResult<PartialReport> {
    let mut all: Option<PartialReport> = None;
    for path in paths {
        let name = path.display();
        let part = PartialReport::from_bytes(&read_or_stdin(path)?)
            .map_err(|error| Failure::new(format!("{name}: {error}")))?;
        match &mut all {
            None => all = Some(part),
            Some(all) => {
                let error = |error| Failure::new(format!("{name}: {error}"));
                all.merge(part).map_err(error)?;
            }
        }
    }
    all.ok_or_else(|| Failure::new("no part: the folders hold no file"))
}

fn finish_options(args: &MergeArgs) -> CommandResult<FinishOptions> {
    let ToleranceArgs { max_failures, .. } = &args.tolerance;
    let tolerance = match max_failures {
        None => Tolerance::None,
        Some(MaxFailures::Rate(rate)) => Tolerance::Rate(*rate),
        Some(MaxFailures::Count(_)) => {
            return Err(Failure::new(
                "--max-failures N stops a run, and these are over; give a rate, as in \
                 --max-failures 0.5%",
            ));
        }
    };
    let is_part = |pair: &OutputChoice| pair.format == OutputFormat::Partial;
    let pairs = &args.output.pairs;
    Ok(FinishOptions {
        baseline: read_baseline(&args.tolerance)?,
        demands: args.demands.demands(),
        tolerance,
        order: args.order_groups,
        min_coverage: args.min_coverage,
        allow_missing: args.allow_missing,
        is_part: !pairs.is_empty() && pairs.iter().all(is_part),
        words: WORDS,
    })
}

fn makes(args: &MergeArgs, format: OutputFormat) -> bool {
    args.output.pairs.iter().any(|pair| pair.format == format)
}

/// The files that the command makes.
fn outputs(args: &MergeArgs) -> impl Iterator<Item = &Path> {
    let reports = args.output.pairs.iter().filter_map(|pair| pair.file.as_deref());
    let baseline = args.tolerance.write_baseline.as_deref();
    reports.chain(baseline).chain(args.coverage_file.as_deref())
}

/// Says which shards are missing.
fn tell_shards(part: &PartialReport, messages: &Messages) {
    if let Some(missing) = part.missing_shards() {
        messages.note(&missing.to_string());
    }
}
