//! The tool as scripts run it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// How a run of the tool ended: its exit code, standard output and standard error.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

pub fn multitrace(args: &[&str]) -> Run {
    multitrace_with_input(args, "")
}

/// In a folder, with some variables of the environment set and those for colours not, and with no input.
pub fn multitrace_in(folder: Option<&Path>, args: &[&str], variables: &[(&str, &str)]) -> Run {
    run(&mut command(folder, args, variables), None)
}

pub fn multitrace_with_input(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    run(Command::new(env!("CARGO_BIN_EXE_multitrace")).args(args), Some(input.as_ref()))
}

/// In a folder, with some variables of the environment set and those for colours not.
pub fn command(folder: Option<&Path>, args: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_multitrace"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.envs(variables.iter().copied());
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    command
}

/// Runs a command, with its standard input closed if it has none.
pub fn run(command: &mut Command, input: Option<&[u8]>) -> Run {
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the tool starts");
    // The tool may end without reading, or write before it has read all.
    let feeder = input.map(|input| {
        let (mut pipe, input) = (child.stdin.take().expect("a pipe"), input.to_vec());
        std::thread::spawn(move || {
            let _ = pipe.write_all(&input);
        })
    });
    let output = child.wait_with_output().expect("the tool ends");
    feeder.into_iter().for_each(|it| it.join().expect("fed"));
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let code = output.status.code().expect("no signal");
    Run { code, out: text(output.stdout), err: text(output.stderr) }
}
