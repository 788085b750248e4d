//! What ends a run or a compilation. What is wrong with a part of the input does not; that is an
//! [`InputProblem`](crate::InputProblem).

use multitrace_formats::problem::{InputProblem, ProblemPlace};
use multitrace_formats::source::SourceError;
use multitrace_logs::{EventError, LogError};
use multitrace_runtime::NoEngine;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Why something cannot be done. Its `Display` names the place and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is wrong: a specification, a mapping, a baseline. The message shows the lines around
    /// each place and begins with `error: `.
    #[error("{0}")]
    Source(SourceError),
    /// An event log cannot be read. The message begins with `error: `.
    #[error("{0}")]
    Event(EventError),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Event logs cannot be grouped.
    #[error("{0}")]
    Log(LogError),
    /// The engine that was asked for is not available for this specification.
    #[error("{0}")]
    NoEngine(#[from] NoEngine),
    /// Options or files contradict each other, or a file is not what it should be.
    #[error("{0}")]
    Unfit(String),
    /// The observer of a run ended it.
    #[error("the run was stopped")]
    Stopped,
}

impl Error {
    pub(crate) fn io(path: &Path, error: std::io::Error) -> Error {
        Error::Io { path: path.to_owned(), error }
    }

    pub(crate) fn unfit(message: impl std::fmt::Display) -> Error {
        Error::Unfit(message.to_string())
    }

    /// Where it is wrong, as far as that is known: each place with its message.
    pub fn places(&self) -> Vec<ProblemPlace> {
        let whole = |file: String| {
            vec![ProblemPlace { file, line: None, column: None, message: self.to_string() }]
        };
        match self {
            Error::Source(error) | Error::Event(EventError::Text(error)) => {
                InputProblem::from(error).places
            }
            Error::Event(error) => whole(error.file().to_owned()),
            Error::Io { path, .. } => whole(path.display().to_string()),
            _ => Vec::new(),
        }
    }

    /// Whether the message begins with `error: ` because it shows lines of a text.
    pub fn is_rendered(&self) -> bool {
        matches!(self, Error::Source(_) | Error::Event(_) | Error::Log(LogError::Mapping(_)))
    }
}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Error {
        Error::Source(error)
    }
}

impl From<EventError> for Error {
    fn from(error: EventError) -> Error {
        Error::Event(error)
    }
}

impl From<LogError> for Error {
    fn from(error: LogError) -> Error {
        match error {
            LogError::Mapping(error) => Error::Source(error),
            LogError::Path { path, error } => Error::Io { path, error },
            other => Error::Log(other),
        }
    }
}

/// The error of a run that is told to end.
pub(crate) fn stop(flow: ControlFlow<()>) -> Result<(), Error> {
    if flow.is_break() { Err(Error::Stopped) } else { Ok(()) }
}
