//! `multitrace map`: mappings of event logs, proposed and explained.

use crate::args::MapArgs;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::options;
use crate::output::{Output, print};
use multitrace::Error;
use multitrace::formats::place::STANDARD_INPUT;
use multitrace::logs::{Mapping, RecordBatches, propose, write_preview};
use std::fs::File;
use std::path::Path;

pub(crate) fn run(args: &MapArgs) -> CommandResult<Exit> {
    match (&args.init, &args.explain, &args.events) {
        (Some(path), _, _) => init(path),
        (None, Some(path), Some(mapping)) => {
            explain(path, &options::read_mapping(mapping)?, args.records)
        }
        // The command line asks for one of them.
        _ => Err(Failure::new("either --init, or --explain with --events")),
    }
}

fn init(path: &Path) -> CommandResult<Exit> {
    let proposal = match open(path)? {
        (name, None) => propose(&name, std::io::stdin()),
        (name, Some(file)) => propose(&name, file),
    };
    print(&proposal.map_err(Error::from)?)?;
    Ok(Exit::Clean)
}

fn explain(path: &Path, mapping: &Mapping, most: u64) -> CommandResult<Exit> {
    let batches = records(path, mapping)?;
    let (mut output, mut unreadable) = (Output::open(None)?, 0);
    output.write_with(|out| {
        unreadable = write_preview(batches, mapping, most, out)?;
        Ok(())
    })?;
    output.finish()?;
    Ok(if unreadable > 0 { Exit::Error } else { Exit::Clean })
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
    let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
    Ok((path.display().to_string(), Some(file)))
}
