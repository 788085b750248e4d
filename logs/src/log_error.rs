//! Errors that end the reading of event logs. An error in a part of the input does not; that is an
//! [`InputProblem`](multitrace_formats::problem::InputProblem).

use crate::record::RecordPlace;
use multitrace_formats::problem::remedy_of;
use multitrace_formats::source::SourceError;
use std::io;
use std::path::{Path, PathBuf};

/// Why event logs cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The mapping is wrong.
    #[error("{0}")]
    Mapping(SourceError),
    /// A file or folder does not exist, or cannot be listed.
    #[error("{}: {error}{}", path.display(), remedy_of_path(.error))]
    Path {
        /// The path as it was given.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// A pattern among the inputs is wrong, or matches no file.
    #[error("{pattern}: {why}")]
    Pattern {
        /// The pattern as it was given.
        pattern: String,
        /// The error in it.
        why: String,
    },
    /// A temporary file cannot be written or read.
    #[error("cannot use a temporary file in {}: {error}; {}", temporary_folder().display(), remedy(.error))]
    Temporary {
        /// The error of the system.
        error: io::Error,
    },
    /// With events in the order of their sessions: a session goes on after another one has begun.
    #[error(
        "{file}, {place}: session {session:?} goes on after another one has begun; ‹ungrouped›"
    )]
    Interleaved {
        /// The file of the event.
        file: String,
        /// The event.
        place: RecordPlace,
        /// The session.
        session: String,
    },
    /// With events in the order of their sessions: the mapping needs records that come later.
    #[error("{map}: {what}: all records are read before the first session; ‹ungrouped›")]
    NotInOrder {
        /// The mapping.
        map: String,
        /// The feature that needs them.
        what: &'static str,
    },
}

impl LogError {
    pub(crate) fn path(path: &Path, error: io::Error) -> LogError {
        LogError::Path { path: path.to_owned(), error }
    }

    pub(crate) fn temporary(error: io::Error) -> LogError {
        LogError::Temporary { error }
    }
}

/// Where temporary files are.
#[cfg(not(target_family = "wasm"))]
fn temporary_folder() -> PathBuf {
    std::env::temp_dir()
}

/// A browser has no folders, and asking for one panics.
#[cfg(target_family = "wasm")]
fn temporary_folder() -> PathBuf {
    PathBuf::new()
}

/// Of a path that is there and may not be read; for others the error says enough.
fn remedy_of_path(error: &io::Error) -> String {
    let is_forbidden = error.kind() == io::ErrorKind::PermissionDenied;
    let remedy = remedy_of(error).filter(|_| is_forbidden);
    remedy.map_or_else(String::new, |it| format!("\n  = help: {it}"))
}

fn remedy(error: &io::Error) -> &'static str {
    // EMFILE and ENFILE have no kind of their own.
    match error.raw_os_error() {
        Some(23 | 24) => {
            "raise ‹memory›, or the number of files a process may have open (ulimit -n)"
        }
        _ => "set TMPDIR to a folder with room, or raise ‹memory›",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_may_not_be_read_has_a_remedy() {
        let told = |kind: io::ErrorKind| LogError::path(Path::new("logs"), kind.into()).to_string();
        assert!(told(io::ErrorKind::PermissionDenied).contains("\n  = help: let the user"));
        assert!(!told(io::ErrorKind::NotFound).contains('\n'));
    }
}
