//! Interrupts: a run that is asked to end removes its unfinished outputs, prints its counts so far, and ends with 128 +
//! the number of the signal, whatever it is doing.

use crate::failure::note;
use multitrace_reports::summary::Summary;
use multitrace_reports::text::counted;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The counts of the run so far.
static PROGRESS: Mutex<Option<(Summary, u64)>> = Mutex::new(None);

/// Files and folders under temporary names, to be removed when the process is asked to end.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a file or a folder that is removed when the process is asked to end, from its first moment on.
pub(crate) fn remembered<T, E>(
    make: impl FnOnce() -> Result<T, E>,
    path: impl FnOnce(&T) -> &Path,
) -> Result<T, E> {
    let mut temporary = locked(&TEMPORARY);
    let made = make()?;
    temporary.insert(path(&made).to_owned());
    Ok(made)
}

/// A file that stays.
pub(crate) fn forget(path: &Path) {
    locked(&TEMPORARY).remove(path);
}

/// Sets the counts of the run so far, and how many sessions violate the specification.
pub(crate) fn progress(summary: &Summary, violations: u64) {
    *locked(&PROGRESS) = Some((*summary, violations));
}

/// Ends the process when it is interrupted. Without handlers an interrupted run leaves files behind; the
/// run goes on without them.
#[cfg(unix)]
pub(crate) fn end_on_interrupt() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
        return;
    };
    // Without a thread for it, an interrupt ends the process as the system does.
    let handle = signals.handle();
    let waiting = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            end(128 + signal);
        }
    });
    if waiting.is_err() {
        handle.close();
    }
}

#[cfg(not(unix))]
pub(crate) fn end_on_interrupt() {
    // Windows has no signal numbers; 130 is the code of Ctrl-C elsewhere.
    drop(ctrlc::set_handler(|| end(130)));
}

#[allow(clippy::exit, reason = "nothing else ends the threads that are at work")]
fn end(code: i32) {
    // No other file is made until the end.
    let temporary = locked(&TEMPORARY);
    for path in temporary.iter() {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
    if let Some((summary, violations)) = &*locked(&PROGRESS) {
        note(&partial(summary, *violations));
    }
    std::process::exit(code);
}

/// A partial summary in one line.
fn partial(summary: &Summary, violations: u64) -> String {
    let Summary { pass, weak_pass, fail, inconclusive, errors, .. } = summary;
    format!(
        "interrupted after {}: {pass} pass, {weak_pass} weak-pass, {fail} fail, {inconclusive} \
         inconclusive, {}, {}",
        counted(summary.sessions, "session"),
        counted(*errors, "error"),
        counted(violations, "violation"),
    )
}
