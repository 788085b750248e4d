//! Temporary files.

use std::fs::File;
use std::io;

/// A file without a name, so that nothing is left of it however the process ends.
#[cfg(not(target_family = "wasm"))]
pub(super) fn spill_file() -> io::Result<File> {
    tempfile::tempfile()
}

/// A browser has no files.
#[cfg(target_family = "wasm")]
pub(super) fn spill_file() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
