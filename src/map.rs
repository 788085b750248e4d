//! `multitrace map`: mappings of event logs, proposed and explained.

mod explain;

use crate::Exit;
use crate::args::MapArgs;
use crate::failure::{Failure, Outcome};
use crate::load;
use crate::output::print;
use multitrace_formats::events::{Mapping, propose};
use std::fs::File;
use std::io::Read;
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
    let (name, reader) = open(path)?;
    let proposal = propose(&name, reader).map_err(|error| Failure::event(&error))?;
    print(&proposal)?;
    Ok(Exit::Clean)
}

/// Reads a mapping.
pub(crate) fn read_mapping(path: &Path) -> Outcome<Mapping> {
    let source = load::text(path, load::read(path)?)?;
    Mapping::parse(&source).map_err(Failure::source)
}

/// An event log by its path, or standard input, and what it is called.
pub(crate) fn open(path: &Path) -> Outcome<(String, Box<dyn Read + Send>)> {
    if path.as_os_str() == "-" {
        return Ok(("standard input".to_owned(), Box::new(std::io::stdin())));
    }
    let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
    Ok((path.display().to_string(), Box::new(file)))
}
