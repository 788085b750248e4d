//! The command line tool: the only place with clap, printing and exit codes.

mod args;
mod check;
mod compile;
mod config;
mod events;
mod explain;
mod failure;
mod gate;
mod generate;
mod grouping;
mod inputs;
mod inspect;
mod load;
mod map;
mod output;
mod progress;
mod reports;
mod select;
mod worker;

use args::{Cli, Command};
use clap::CommandFactory;
use failure::{Failure, Outcome};
use std::process::ExitCode;

/// How a run ended; the exit codes are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Clean = 0,
    Violations = 1,
    Error = 2,
    NothingChecked = 3,
}

fn main() -> ExitCode {
    let exit = config::command_line().and_then(run).unwrap_or_else(|failure| {
        if let Failure::Message(message) = failure {
            output::note(&message);
        }
        Exit::Error
    });
    ExitCode::from(exit as u8)
}

fn run(cli: Cli) -> Outcome<Exit> {
    match cli.command {
        Command::Compile(args) => compile::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Map(args) => map::run(&args),
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "multitrace", &mut script);
            output::print(&String::from_utf8_lossy(&script))?;
            Ok(Exit::Clean)
        }
    }
}
