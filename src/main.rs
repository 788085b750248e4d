//! The command line tool `multitrace`.

use std::process::ExitCode;

fn main() -> ExitCode {
    multitrace_cli::end_on_interrupt();
    ExitCode::from(multitrace_cli::run(std::env::args_os()))
}
