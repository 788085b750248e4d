//! The command line as clap knows it, with a variable of the environment for every option.

use crate::args::Cli;
use crate::failure::note;
use crate::logging;
use clap::{Arg, Command, CommandFactory};
use multitrace_formats::suggest::did_you_mean;

/// The whole command line. Every option `--some-option` can be set by `MULTITRACE_SOME_OPTION`.
pub(crate) fn command() -> Command {
    let mut command = Cli::command()
        .mut_args(with_variable)
        .mut_subcommands(|command| command.mut_args(with_variable));
    command.build();
    command
}

fn with_variable(argument: Arg) -> Arg {
    let Some(variable) = argument.get_long().map(variable) else { return argument };
    if !argument.get_action().takes_values() {
        let argument = argument.env(&variable).hide_env(true);
        return argument.value_parser(move |text: &str| flag(&variable, text));
    }
    match std::env::var(&variable) {
        // A format that other commands have is not meant for this one.
        Ok(value) if variable == FORMAT && !takes(&argument, &value) => argument,
        _ => argument.env(variable).hide_env(true),
    }
}

/// Whether the text of a variable turns a flag on.
fn flag(variable: &str, text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "y" | "on" | "t" => Ok(true),
        "0" | "false" | "no" | "n" | "off" | "f" | "" => Ok(false),
        _ => Err(format!("{variable} is neither 1 nor 0")),
    }
}

const FORMAT: &str = "MULTITRACE_OUTPUT_FORMAT";

/// Whether a command has a format, or no command has it, so that it is an error.
fn takes(argument: &Arg, value: &str) -> bool {
    let known = argument.get_possible_values();
    let is_ours = known.iter().any(|it| it.matches(value, false));
    is_ours || multitrace::OutputFormat::of_name(value).is_none()
}

fn variable(option: &str) -> String {
    format!("MULTITRACE_{}", option.replace('-', "_").to_uppercase())
}

/// Warns of variables of the environment that are nearly those of an option. Others may belong to other programs.
pub(crate) fn warn_of_misspelt_variables() {
    let set = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let ours: Vec<String> = set.filter(|name| name.starts_with("MULTITRACE_")).collect();
    if ours.is_empty() {
        return;
    }
    let command = Cli::command();
    let options = command.get_subcommands().flat_map(Command::get_arguments);
    let options = options.chain(command.get_arguments()).filter_map(Arg::get_long);
    let known: Vec<String> = options.map(variable).chain([logging::VARIABLE.to_owned()]).collect();
    for name in ours.into_iter().filter(|name| !known.contains(name)) {
        if let Some(hint) = did_you_mean(&name, known.iter().map(String::as_str)) {
            note(&format!("warning: no option reads the variable {name}; {hint}"));
        }
    }
}
