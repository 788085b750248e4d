//! The corpus: specifications and traces that are not part of this repository.

use std::path::PathBuf;

/// The folder of the corpus, `../shared/corpus` or `$MULTITRACE_CORPUS`. Without it, says so on
/// standard error, and the caller has nothing to test.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus");
    let path = std::env::var_os("MULTITRACE_CORPUS").map_or_else(|| beside.into(), PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no corpus at {} (set MULTITRACE_CORPUS)", path.display());
    None
}

/// Whether tests on the corpus take all of it, with `MULTITRACE_FULL=1`, instead of a sample.
pub fn full() -> bool {
    std::env::var_os("MULTITRACE_FULL").is_some_and(|value| value == "1")
}
