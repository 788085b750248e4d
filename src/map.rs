//! `multitrace map`: mappings of event logs, proposed and explained.

mod explain;

use crate::Exit;
use crate::args::MapArgs;
use crate::failure::{Failure, Outcome};
use crate::load;
use crate::output::print;
use multitrace_formats::events::{Mapping, RecordBatches, propose};
use std::fs::File;
use std::path::Path;

pub(crate) fn run(args: &MapArgs) -> Outcome<Exit> {
    match (&args.init, &args.explain, &args.events) {
        (Some(path), _, _) => init(path),
        (None, Some(path), Some(mapping)) => {
            explain::run(path, &read_mapping(mapping)?, args.records)
        }
        // The command line asks for one of them.
        _ => Err(Failure::new("either --init, or --explain with --events".to_owned())),
    }
}

fn init(path: &Path) -> Outcome<Exit> {
    let proposal = match open(path)? {
        (name, None) => propose(&name, std::io::stdin()),
        (name, Some(file)) => propose(&name, file),
    };
    print(&proposal.map_err(|error| Failure::event(&error))?)?;
    Ok(Exit::Clean)
}

/// Reads a mapping.
pub(crate) fn read_mapping(path: &Path) -> Outcome<Mapping> {
    let source = load::text(path, load::read(path)?)?;
    Mapping::parse(&source).map_err(Failure::source)
}

/// The records of an event log, by its path, `-` for standard input.
pub(crate) fn records(path: &Path, mapping: &Mapping) -> Outcome<RecordBatches<'static>> {
    let (input, fields) = (mapping.input(), mapping.fields());
    let batches = match open(path)? {
        (name, None) => RecordBatches::detect(&name, std::io::stdin(), input, fields),
        (name, Some(file)) => RecordBatches::from_file(&name, file, input, fields),
    };
    batches.map_err(|error| Failure::event(&error))
}

/// What an event log is called, and its file unless it is standard input.
fn open(path: &Path) -> Outcome<(String, Option<File>)> {
    if path.as_os_str() == "-" {
        return Ok(("standard input".to_owned(), None));
    }
    let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
    Ok((path.display().to_string(), Some(file)))
}
