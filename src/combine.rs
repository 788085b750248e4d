//! `multitrace combine`: the parts of locations in, the report of all logs out, or requests for events.

use crate::args::{CombineArgs, GlobalArgs};
use crate::check::{Running, detail, gate, kept_baseline, reject_unknown};
use crate::failure::{CommandResult, Failure, show_notes};
use crate::options;
use crate::output::{Output, ReadInputs, reject_inputs};
use crate::progress::Messages;
use crate::words::WORDS;
use multitrace::{Combined, Error, Monitor, RunOptions, RunOutcome, read_or_stdin};
use multitrace_logs::InputFiles;
use multitrace_reports::text::counted;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(crate) fn run(args: &CombineArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let started = Instant::now();
    let messages = Messages::new(global.quiet);
    let monitor = Monitor::load(&args.bundle)?;
    reject_unknown(&args.gate.demands.require_location, &monitor)?;
    let exclude = options::exclusions(&args.exclude)?;
    let listed = InputFiles::list_without(&args.parts, &exclude).map_err(Error::from)?;
    let paths: Vec<PathBuf> = listed.files.into_iter().map(|file| file.path).collect();
    let read = paths.iter().chain([&args.bundle]).chain(kept_baseline(&args.gate.tolerance));
    let read: Vec<&Path> = read.map(PathBuf::as_path).collect();
    let reports = args.output.pairs.iter().filter_map(|pair| pair.file.as_deref());
    let outputs = reports.chain(args.gate.tolerance.write_baseline.as_deref());
    let read = ReadInputs { files: &read, spec: None, exclude: &exclude };
    reject_inputs(outputs, &read)?;
    let options = RunOptions {
        gate: gate(&args.gate)?,
        detail: detail(&args.output, &args.gate.tolerance),
        repair: args.repair,
        order: args.order_groups,
        threads: args.jobs.map(usize::from).and_then(NonZeroUsize::new),
        words: WORDS,
        started: Some(started),
        ..RunOptions::new(&monitor)
    };
    let file = |path: &PathBuf| Ok((path.display().to_string(), read_or_stdin(path)?));
    let files = paths.iter().map(file).collect::<CommandResult<Vec<_>>>()?;
    let combined = monitor.combine(&files, args.verdicts_only)?;
    drop(files);
    if combined.asked() > 0 {
        show_notes(&listed.notes);
        show_notes(&combined.silent_locations().collect::<Vec<_>>());
        return ask(args, &combined, (&read, &messages));
    }
    let gate = &args.gate;
    let running = Running { output: &args.output, gate, coverage_file: None, explain: None };
    let inputs = combined.into_inputs()?.with_notes(listed.notes);
    running.run(&monitor, (inputs, options), messages, global)
}

/// Writes the requests.
fn ask(
    args: &CombineArgs,
    combined: &Combined,
    (read, messages): (&ReadInputs<'_>, &Messages),
) -> CommandResult<RunOutcome> {
    let logs = counted(combined.asked() as u64, "different log");
    let Some(folder) = &args.ask else {
        return Err(Failure::new(format!(
            "the events of {logs} are needed: add --ask DIR, which writes a request for each location, and combine the \
             answers of `multitrace local … --answer REQUEST`, too"
        )));
    };
    let requests = combined.requests().iter();
    let requests: Vec<(PathBuf, &Vec<u8>)> =
        requests.map(|(name, bytes)| (folder.join(format!("{name}.request")), bytes)).collect();
    reject_inputs(requests.iter().map(|it| it.0.as_path()), read)?;
    std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
    for (path, request) in requests {
        let mut output = Output::open(Some(&path))?;
        output.write(request)?;
        output.finish()?;
        messages.note(&format!("wrote {}", path.display()));
    }
    messages.error(&format!(
        "note: nothing is decided yet: the events of {logs} are asked for; let each location answer by \
         `multitrace local … --answer REQUEST`, and combine the answers, too"
    ));
    Ok(RunOutcome::NothingChecked)
}
