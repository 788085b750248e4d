//! Files as a revision of git has them.

use crate::failure::{CommandResult, Failure};
use std::process::Command;

/// The bytes that `git show` prints for `REVISION:PATH`, or why it shows none.
///
/// # Errors
/// When git cannot be started.
pub(crate) fn show(name: &str) -> CommandResult<Result<Vec<u8>, String>> {
    let shown = Command::new("git").args(["show", name]).output();
    let shown = shown.map_err(|error| Failure::new(format!("git show {name}: {error}")))?;
    if shown.status.success() {
        return Ok(Ok(shown.stdout));
    }
    let why = String::from_utf8_lossy(&shown.stderr);
    Ok(Err(why.lines().next().unwrap_or_default().to_owned()))
}
