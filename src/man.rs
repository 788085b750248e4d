//! `multitrace man`: writes the man pages from the definitions of the command line.

use crate::args::ManArgs;
use crate::command_line::command;
use crate::failure::{CommandResult, Failure};
use crate::output::print_file;
use multitrace::RunOutcome;

pub(crate) fn run(args: &ManArgs) -> CommandResult<RunOutcome> {
    match &args.output_dir {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
            let command = command().disable_help_subcommand(true);
            clap_mangen::generate_to(command, folder)
                .map_err(|error| Failure::io(folder, &error))?;
        }
        None => {
            let mut page = Vec::new();
            let written = clap_mangen::Man::new(command()).render(&mut page);
            written.map_err(|error| Failure::output(&error))?;
            print_file(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(RunOutcome::Clean)
}
