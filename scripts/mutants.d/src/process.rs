//! Runs one test in a process of its own.

use crate::build::Binary;
use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Kibibytes of addresses: a mutant that allocates without end fails, and takes no other program along. Eight times what the
/// largest test needs.
const MEMORY: &str = "8000000";

/// The longest sleep between two looks at a process.
const SLEEP: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Passed,
    Failed,
    TimedOut,
}

/// Runs a test with a variable set, for as long as the limit.
pub fn run(
    binary: &Binary,
    test: &str,
    tree: &Path,
    variable: (&str, &OsStr),
    limit: Duration,
) -> Result<Ended> {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")])
        .arg(&binary.path)
        .args(["--exact", test])
        .current_dir(&binary.folder)
        .env("CARGO_MANIFEST_DIR", &binary.folder)
        // insta asks cargo for it otherwise.
        .env("INSTA_WORKSPACE_ROOT", tree)
        .env(variable.0, variable.1)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .with_context(|| format!("{} does not start", binary.path.display()))?;
    let status = wait(&mut child, limit)?;
    if !status.is_some_and(|it| it.success()) {
        kill(&mut child)?;
    }
    Ok(match status {
        None => Ended::TimedOut,
        Some(status) if status.success() => Ended::Passed,
        Some(_) => Ended::Failed,
    })
}

fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut sleep = Duration::from_millis(1);
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(sleep);
        sleep = (sleep * 2).min(SLEEP);
    }
    Ok(None)
}

/// Ends the process with all that it has started, which form a group.
fn kill(child: &mut Child) -> Result<()> {
    let group = format!("-{}", child.id());
    Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status()?;
    child.wait()?;
    Ok(())
}
