//! The command line tool as a function: the only place with clap, printing and exit codes. All decisions are those of
//! the library [`multitrace`].

mod args;
mod check;
mod combine;
mod command_line;
mod compare;
mod compile;
mod config;
mod config_file;
mod convert;
mod diff;
mod draw;
mod explain;
mod explore;
mod failure;
mod fmt;
mod generate;
mod git;
mod inspect;
mod interrupt;
mod learn;
mod local;
mod logging;
mod man;
mod map;
mod merge;
mod options;
mod output;
mod painting;
mod panics;
mod progress;
mod read;
mod reports;
mod sessions;
mod words;

use args::{Cli, Command};
use command_line::command;
use failure::CommandResult;
use multitrace::{OutputFormat, RunOutcome};
use std::ffi::OsString;

/// Runs the tool. The first argument is the name it was called by; the result is the exit code:
/// 0 clean, 1 violations, 2 bad usage, specification, bundle or input, 3 nothing was checked.
///
/// Results go to standard output, messages to standard error. The panic hook of the process is wrapped:
/// it still sees all panics but those that become errors of an input.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    panics::hide_contained();
    painting::write_for_platform(false);
    let given: Vec<OsString> = arguments.into_iter().collect();
    match logging::start().and_then(|()| config::command_line(&given)).and_then(dispatch) {
        Ok(outcome) => outcome.exit_code(),
        Err(failure) => failure.tell(),
    }
}

/// Makes an interrupt or a request to end remove unfinished outputs, print the counts so far, and end the process with
/// 128 + the number of the signal. For programs that are nothing but the tool; others handle signals themselves.
pub fn end_on_interrupt() {
    interrupt::end_on_interrupt();
}

fn dispatch(cli: Cli) -> CommandResult<RunOutcome> {
    let global = cli.global;
    painting::paint_messages(global.color);
    let formats = match &cli.command {
        Command::Check(args) => args.output.formats.as_slice(),
        Command::Merge(args) => &args.output.formats,
        Command::Combine(args) => &args.output.formats,
        _ => &[],
    };
    let is_for_platform =
        |it: &OutputFormat| matches!(it, OutputFormat::Github | OutputFormat::Gitlab);
    painting::write_for_platform(formats.iter().any(is_for_platform));
    match cli.command {
        Command::Compile(args) => compile::run(&args, &global),
        Command::Check(args) => check::run(&args, &global),
        Command::Merge(args) => merge::run(&args, &global),
        Command::Local(args) => local::run(&args, &global),
        Command::Combine(args) => combine::run(&args, &global),
        Command::Explain(args) => explain::run(&args, &global),
        Command::Diff(args) => diff::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Read(args) => read::run(&args, &global),
        Command::Convert(args) => convert::run(&args, &global),
        Command::Fmt(args) => fmt::run(&args),
        Command::Draw(args) => draw::run(&args, &global),
        Command::Explore(args) => explore::run(&args, &global),
        Command::Map(args) => map::run(&args),
        Command::Sessions(args) => sessions::run(&args),
        Command::Learn(args) => learn::run(&args, &global),
        Command::Compare(args) => compare::run(&args, &global),
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut command(), "multitrace", &mut script);
            output::print_file(&String::from_utf8_lossy(&script))?;
            Ok(RunOutcome::Clean)
        }
        Command::Man(args) => man::run(&args),
    }
}
