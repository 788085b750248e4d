//! The tool in a process of its own: this program, told to be the tool by its first argument.

use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::time::Instant;

const TOOL: &str = "--tool";
/// The file that the tool writes to what it took, if it is to.
const COST: &str = "MULTITRACE_LAB_COST";
/// How many of the system's ticks are a second.
const TICKS: f64 = 100.0;

/// What a run of the tool took.
pub struct Cost {
    pub seconds: f64,
    /// Seconds of all processors together.
    pub processor: f64,
    pub peak_bytes: f64,
}

/// The command that runs the tool, to be given its arguments.
pub fn tool() -> Command {
    let mut tool = Command::new(path());
    tool.arg(TOOL);
    tool
}

/// Runs the tool, which must end well. `None` if the system does not say what it took: Linux does.
pub fn cost(arguments: &[&str]) -> Option<Cost> {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let start = Instant::now();
    let output = tool().args(arguments).env(COST, file.path()).output().expect("the tool runs");
    let seconds = start.elapsed().as_secs_f64();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(file.path()).expect("the file");
    let (processor, peak) = text.split_once(' ')?;
    Some(Cost { seconds, processor: processor.parse().ok()?, peak_bytes: peak.parse().ok()? })
}

/// The seconds of processors and the most bytes of this process until now.
fn own_cost() -> Option<String> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may have blanks.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    let seconds = ticks.sum::<Result<f64, _>>().ok()? / TICKS;
    Some(format!("{seconds} {}", multitrace::peak_bytes()?))
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
    let code = multitrace_cli::run(arguments);
    if let Some(file) = std::env::var_os(COST) {
        std::fs::write(file, own_cost().unwrap_or_default()).expect("room for the file");
    }
    Some(ExitCode::from(code))
}

fn path() -> std::path::PathBuf {
    std::env::current_exe().expect("this program has a path")
}
