//! `multitrace local`: the logs of one location in, its part out.

use crate::args::{GlobalArgs, LocalArgs};
use crate::failure::{CommandResult, note, show_notes, show_problems};
use crate::options;
use crate::output::{Output, ReadInputs, reject_inputs};
use crate::progress::Messages;
use multitrace::{LocalMonitor, LocalOptions, RunOutcome, read_or_stdin};
use multitrace_reports::text::counted;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &LocalArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let messages = Messages::new(global.quiet);
    options::reject_stdin_twice(&args.bundle, &args.inputs)?;
    let local = LocalMonitor::load(&args.bundle)?;
    let inputs = options::inputs(&args.events, &args.input, local.monitor(), &args.inputs)?;
    let exclude = options::exclusions(&args.input.exclude)?;
    let others = [Some(&args.bundle), args.events.events.as_ref(), args.answer.as_ref()];
    let files = args.inputs.iter().chain(others.into_iter().flatten()).map(PathBuf::as_path);
    let files: Vec<&Path> = files.collect();
    let read = ReadInputs { files: &files, spec: None, exclude: &exclude };
    reject_inputs([args.output.as_path()].into_iter(), &read)?;
    let mut output = Output::open(Some(&args.output))?;
    let threads = args.jobs.map(usize::from).and_then(NonZeroUsize::new);
    let options = LocalOptions { memory: args.events.memory(), threads };
    let file = match &args.answer {
        None => local.part(inputs, &options)?,
        Some(request) => local.answer(inputs, &read_or_stdin(request)?, &options)?,
    };
    show_problems(&file.problems);
    show_notes(&file.notes);
    let Some(bytes) = file.bytes else {
        note("error: nothing is written, so that no session is judged without these events");
        return Ok(RunOutcome::Error);
    };
    output.write(&bytes)?;
    output.finish()?;
    let (location, logs) = (local.location(), counted(file.words as u64, "different log"));
    let (sessions, size) = (counted(file.sessions, "session"), counted(bytes.len() as u64, "byte"));
    messages.note(&match args.answer {
        None => format!("{location}: {sessions} with {logs} in {size}"),
        Some(_) => format!("{location}: the events of {logs} in {size}"),
    });
    let is_empty = if args.answer.is_some() { file.words == 0 } else { file.sessions == 0 };
    Ok(if is_empty { RunOutcome::NothingChecked } else { RunOutcome::Clean })
}
