//! `multitrace map`: mappings of event logs, proposed, explained, and compared with a specification.

use crate::args::{InputArgs, MapArgs, ReportFormat, grouping_memory};
use crate::failure::{CommandResult, Failure, note};
use crate::options;
use crate::output::{Output, print_file, print_mapping};
use crate::words::WORDS;
use multitrace::{Error, Monitor, RunOutcome};
use multitrace_formats::place::STANDARD_INPUT;
use multitrace_formats::shorten::CommandMarks;
use multitrace_logs::{
    EventLog, InputFiles, Mapping, RecordBatches, check_log, propose_files, write_preview,
};
use std::fs::File;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &MapArgs) -> CommandResult<RunOutcome> {
    let InputArgs { input_format, stdin_filename, exclude } = &args.input;
    if stdin_filename.is_some() && args.check.is_empty() {
        return Err(Failure::new("--stdin-filename is for --check"));
    }
    if input_format.is_some() && args.check.is_empty() && args.init.is_empty() {
        return Err(Failure::new("--input-format is for --check and --init"));
    }
    if !exclude.is_empty() && args.check.is_empty() && args.init.is_empty() {
        return Err(Failure::new("--exclude is for --check and --init"));
    }
    if let Some(name) = &args.preset {
        return preset(name);
    }
    if !args.init.is_empty() {
        return init(&args.init, &args.input);
    }
    match (&args.explain, args.check.split_first(), &args.events) {
        (Some(path), _, Some(mapping)) => {
            explain(path, &options::read_mapping(mapping)?, args.records)
        }
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

fn explain(path: &Path, mapping: &Mapping, most: u64) -> CommandResult<RunOutcome> {
    let batches = records(path, mapping)?;
    let (mut output, mut previewed) = (Output::open(None)?.marked(Some(CommandMarks::TEXT)), None);
    output.write_with(|out| {
        previewed = Some(write_preview(batches, mapping, most, out)?);
        Ok(())
    })?;
    output.finish()?;
    let unreadable = previewed.is_some_and(|it| it.unreadable > 0);
    let is_usable = previewed.is_some_and(|it| it.events > 0);
    if !is_usable {
        note("error: nothing of the log is usable: no record became an event");
    }
    Ok(exit(unreadable, is_usable))
}

/// Nothing to use is worse than nothing to complain about, and less bad than records that cannot be read.
fn exit(unreadable: bool, is_usable: bool) -> RunOutcome {
    match (unreadable, is_usable) {
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
    let exclude = options::exclusions(&args.input.exclude)?;
    let files = InputFiles::list_without(logs, &exclude).map_err(Error::from)?;
    files.notes.iter().for_each(|text| note(&format!("note: {text}")));
    let name = args.input.stdin_filename.as_deref().unwrap_or(STANDARD_INPUT);
    let log = EventLog::of_files(mapping, files, name);
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
    Ok(exit(found.unreadable.is_some(), found.is_usable()))
}

/// The records of an event log, by its path, `-` for standard input.
fn records(path: &Path, mapping: &Mapping) -> CommandResult<RecordBatches<'static>> {
    let (input, fields) = (mapping.input(), mapping.fields());
    let batches = match open(path)? {
        (name, None) => RecordBatches::detect(&name, std::io::stdin(), input, fields),
        (name, Some(file)) => RecordBatches::from_file(&name, file, input, fields),
    };
    Ok(batches.map_err(Error::from)?)
}

/// The name of an event log, and its file unless it is standard input.
fn open(path: &Path) -> CommandResult<(String, Option<File>)> {
    if path.as_os_str() == "-" {
        return Ok((STANDARD_INPUT.to_owned(), None));
    }
    if path.is_dir() {
        return Err(Failure::new(format!("{} is a folder; name one of its files", path.display())));
    }
    let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
    Ok((path.display().to_string(), Some(file)))
}
