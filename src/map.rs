//! `multitrace map`: mappings of event logs, proposed, explained, and compared with a specification.

use crate::args::{InputArgs, MapArgs, ReportFormat, grouping_memory};
use crate::failure::{CommandResult, Failure, note};
use crate::options;
use crate::output::{Output, print_file, print_mapping};
use crate::words::WORDS;
use multitrace::{Error, Monitor, RunOutcome};
use multitrace_formats::place::STANDARD_INPUT;
use multitrace_formats::shorten::CommandMarks;
use multitrace_logs::{EventLog, InputFiles, Mapping, check_log, propose_files, write_preview};
use multitrace_reports::text::counted;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &MapArgs) -> CommandResult<RunOutcome> {
    let InputArgs { input_format, stdin_filename, exclude } = &args.input;
    if stdin_filename.is_some() && args.check.is_empty() && args.explain.is_empty() {
        return Err(Failure::new("--stdin-filename is for --check and --explain"));
    }
    if let Some(name) = &args.preset {
        if input_format.is_some() || !exclude.is_empty() {
            return Err(Failure::new("--input-format and --exclude are for logs"));
        }
        return preset(name);
    }
    if !args.init.is_empty() {
        return init(&args.init, &args.input);
    }
    match (args.explain.is_empty(), args.check.split_first(), &args.events) {
        (false, _, Some(mapping)) => explain(args, mapping),
        (_, Some((spec, logs)), _) => check(spec, logs, args),
        // The command line asks for one of them.
        _ => Err(Failure::new("either --init, or --explain or --check with --events")),
    }
}

fn init(paths: &[PathBuf], input: &InputArgs) -> CommandResult<RunOutcome> {
    let format = options::event_format(input)?;
    let exclude = options::exclusions(&input.exclude)?;
    let files = InputFiles::list_without(paths, &exclude).map_err(Error::from)?;
    files.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let (proposal, notes) = propose_files(&files.files, format).map_err(Error::from)?;
    notes.iter().for_each(|text| note(&format!("note: {text}")));
    print_mapping(&WORDS.text(&proposal))?;
    Ok(RunOutcome::Clean)
}

/// Prints the mapping for a tool.
fn preset(name: &str) -> CommandResult<RunOutcome> {
    let text = Mapping::preset(name).ok_or_else(|| {
        let names: Vec<&str> = Mapping::preset_names().collect();
        Failure::new(format!("no preset {name:?}: there are {}", names.join(", ")))
    })?;
    print_file(text)?;
    Ok(RunOutcome::Clean)
}

fn explain(args: &MapArgs, mapping: &Path) -> CommandResult<RunOutcome> {
    let mapping = options::in_format(options::read_mapping(mapping)?, &args.input)?;
    let log = event_log(&args.explain, mapping.clone(), &args.input)?;
    let mut records = log.records();
    // A log that cannot be read at all has no preview.
    let first = records.next().transpose().map_err(Error::from)?;
    let records = first.map(Ok).into_iter().chain(records);
    let (mut output, mut previewed) = (Output::open(None)?.marked(Some(CommandMarks::TEXT)), None);
    output.write_with(|out| {
        previewed = Some(write_preview(records, &mapping, args.records, out)?);
        Ok(())
    })?;
    output.finish()?;
    let is_wrong = previewed.is_some_and(|it| it.unreadable > 0);
    let is_usable = previewed.is_some_and(|it| it.events > 0);
    if !is_usable {
        note("error: nothing of the log is usable: no record became an event");
    }
    Ok(exit(is_wrong, is_usable))
}

/// Nothing to use is worse than nothing to complain about, and less bad than records that are errors.
fn exit(is_wrong: bool, is_usable: bool) -> RunOutcome {
    match (is_wrong, is_usable) {
        (true, _) => RunOutcome::Error,
        (false, false) => RunOutcome::Violations,
        (false, true) => RunOutcome::Clean,
    }
}

/// Compares the events of logs with those of a specification.
fn check(spec: &Path, logs: &[PathBuf], args: &MapArgs) -> CommandResult<RunOutcome> {
    let options = args.reading.any().then(|| args.reading.options()).transpose()?;
    let monitor = Monitor::open(spec, options.as_ref())?;
    let mapping = match &args.events {
        Some(path) => options::read_mapping(path)?,
        None => monitor.mapping()?.ok_or_else(|| {
            Failure::new("no mapping: add --events MAP.toml, or name a bundle that has one")
        })?,
    };
    let mapping = options::in_format(mapping, &args.input)?;
    let log = event_log(logs, mapping, &args.input)?;
    let memory = grouping_memory(args.memory);
    let found = check_log(log, monitor.alphabet(), memory).map_err(Error::from)?;
    let marks = match args.output_format {
        ReportFormat::Human => CommandMarks::TEXT,
        ReportFormat::Json => CommandMarks::JSON,
    };
    let mut output = Output::open(None)?.marked(Some(marks));
    output.write_with(|out| match args.output_format {
        ReportFormat::Human => found.write_human(WORDS, out),
        ReportFormat::Json => found.write_json(out),
    })?;
    output.finish()?;
    if !found.is_usable() {
        note("error: nothing of the log is usable: no record became an event of the specification");
    }
    if found.problems > 0 {
        let parts = counted(found.problems, "part");
        note(&format!("error: {parts} of the log cannot be used; `check` ends with an error, too"));
    }
    Ok(exit(found.problems > 0, found.is_usable()))
}

/// The event logs at some paths, `-` for standard input.
fn event_log(paths: &[PathBuf], mapping: Mapping, input: &InputArgs) -> CommandResult<EventLog> {
    let exclude = options::exclusions(&input.exclude)?;
    let files = InputFiles::list_without(paths, &exclude).map_err(Error::from)?;
    files.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let name = input.stdin_filename.as_deref().unwrap_or(STANDARD_INPUT);
    Ok(EventLog::of_files(mapping, files, name))
}
