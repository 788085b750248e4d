//! `multitrace convert`: a specification in another notation.

use crate::args::{ConvertArgs, GlobalArgs};
use crate::failure::{CommandResult, Failure, note};
use crate::options;
use crate::output::{print_file, write_beside};
use multitrace::{ConvertTo, RunOutcome, Spec};
use multitrace_logs::is_stdin;
use std::path::Path;

pub(crate) fn run(args: &ConvertArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    options::reject_contradiction(args.to, args.output.as_deref())?;
    let to = match (args.to, &args.output) {
        (Some(to), _) => to,
        (None, Some(out)) => ConvertTo::of_path(out)?,
        (None, None) => {
            return Err(Failure::new(
                "name the notation to convert to: -o OUT.mmd, or --to hif|mermaid|plantuml|markdown|timbuk",
            ));
        }
    };
    let options = args.reading.options()?;
    let converted = Spec::read(&args.spec)?.convert(to, &options)?;
    if !global.quiet {
        converted.notes.iter().for_each(|text| note(&format!("note: {text}")));
    }
    let signature: Vec<&Path> = args.reading.signature.as_deref().into_iter().collect();
    match args.output.as_deref().filter(|out| !is_stdin(out)) {
        None => print_file(&converted.text)?,
        out => write_beside(out, &args.spec, &signature, (converted.text.as_bytes(), None))?,
    }
    Ok(RunOutcome::Clean)
}
