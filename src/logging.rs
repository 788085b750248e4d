//! Traces of the tool at work, for those who maintain it: `MULTITRACE_LOG=debug` writes a line for each stage that was
//! asked to decide a session.

use crate::failure::note;

struct Stderr;

impl log::Log for Stderr {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        note(&format!("{}: {}", record.level(), record.args()));
    }

    fn flush(&self) {}
}

/// Writes traces of the level that `MULTITRACE_LOG` names, if it names one.
pub(crate) fn start() {
    let level = std::env::var("MULTITRACE_LOG").ok().and_then(|level| level.parse().ok());
    // A program that embeds the tool may have a logger of its own.
    if let Some(level) = level
        && log::set_logger(&Stderr).is_ok()
    {
        log::set_max_level(level);
    }
}
