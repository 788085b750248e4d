//! The tool in a process of its own: this program, told to be the tool by its first argument.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

const TOOL: &str = "--tool";

/// The command that runs the tool, to be given its arguments.
pub fn tool() -> Command {
    let mut tool = Command::new(path());
    tool.arg(TOOL);
    tool
}

/// The command that runs the tool within another program, such as a simulator.
pub fn tool_under(mut program: Command) -> Command {
    program.arg(path()).arg(TOOL);
    program
}

/// Runs the tool, if this process is to be it.
pub fn run_as_tool() -> Option<ExitCode> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1)? != TOOL {
        return None;
    }
    arguments.remove(1);
    Some(ExitCode::from(multitrace_cli::run(arguments)))
}

fn path() -> std::path::PathBuf {
    std::env::current_exe().expect("this program has a path")
}
