//! The command line tool `multitrace`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(multitrace_cli::run(std::env::args_os()))
}
