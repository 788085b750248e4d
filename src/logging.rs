//! Traces of the tool at work, for those who maintain it: `MULTITRACE_LOG=debug` writes a line for each stage that was
//! asked to decide a session.

use crate::failure::{CommandResult, Failure, note};
use log::LevelFilter;

/// The variable that names the level.
pub(crate) const VARIABLE: &str = "MULTITRACE_LOG";

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

/// Writes traces of the level that `MULTITRACE_LOG` names, if it is set.
pub(crate) fn start() -> CommandResult<()> {
    let Some(level) = std::env::var_os(VARIABLE).filter(|it| !it.is_empty()) else { return Ok(()) };
    let level = level.to_str().and_then(|it| it.parse().ok()).ok_or_else(|| {
        let levels: Vec<String> =
            LevelFilter::iter().map(|it| it.as_str().to_ascii_lowercase()).collect();
        Failure::new(format!("{VARIABLE}: {level:?} is not a level: {}", levels.join(", ")))
    })?;
    // A program that embeds the tool may have a logger of its own.
    if log::set_logger(&Stderr).is_ok() {
        log::set_max_level(level);
    }
    Ok(())
}
