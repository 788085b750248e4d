//! `multitrace fmt`: interactions laid out in one way.

use crate::args::FmtArgs;
use crate::failure::{CommandResult, Failure, note};
use crate::output::{Output, print_file};
use multitrace::{RunOutcome, is_stream, read_or_stdin, text_of};
use multitrace_formats::hif;
use multitrace_formats::spec::SpecFormat;
use std::path::Path;

pub(crate) fn run(args: &FmtArgs) -> CommandResult<RunOutcome> {
    let mut exit = RunOutcome::Clean;
    for path in &args.files {
        match format(path, args.check) {
            Ok(true) => {}
            Ok(false) => exit = worse(exit, RunOutcome::Violations),
            // The other files are laid out all the same.
            Err(failure) => {
                failure.tell();
                exit = RunOutcome::Error;
            }
        }
    }
    Ok(exit)
}

fn worse(one: RunOutcome, other: RunOutcome) -> RunOutcome {
    if one == RunOutcome::Error { one } else { other }
}

/// Lays out a file; false if it only should be.
fn format(path: &Path, is_check: bool) -> CommandResult<bool> {
    let is_stream = is_stream(path);
    if !is_stream && SpecFormat::of_path(path) != Ok(SpecFormat::Hif) {
        return Err(Failure::new(format!(
            "{}: only interactions are laid out, files with the extension .hif",
            path.display()
        )));
    }
    let source = text_of(path, read_or_stdin(path)?)?;
    let formatted = hif::format(&source).map_err(Failure::source)?;
    let is_same = formatted == source.text();
    if is_check {
        if !is_same {
            note(&format!("{}: `multitrace fmt` would change its layout", source.name()));
        }
        return Ok(is_same);
    }
    if is_stream {
        print_file(&formatted)?;
    } else if !is_same {
        let mut output = Output::open(Some(path))?;
        output.write(formatted.as_bytes())?;
        output.finish()?;
    }
    Ok(true)
}
