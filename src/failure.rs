//! What ends a command early: a message for standard error, and exit code 2.

use multitrace_formats::events::EventError;
use multitrace_formats::source::SourceError;
use std::path::Path;

/// Bad usage, specification, bundle or input; or the consumer of the output went away.
#[derive(Debug)]
pub(crate) enum Failure {
    /// To be shown.
    Message(String),
    /// Nobody reads the output any more: end without a word.
    BrokenPipe,
}

pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(message: String) -> Failure {
        Failure::Message(format!("error: {message}"))
    }

    /// Errors of a text bring their own rendering, with snippets.
    pub(crate) fn source(error: SourceError) -> Failure {
        Failure::Message(error.to_string())
    }

    /// An event log that cannot be read.
    pub(crate) fn event(error: &EventError) -> Failure {
        Failure::Message(error.to_string())
    }

    /// A file that cannot be read or written.
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Failure {
        Failure::new(format!("{}: {error}", path.display()))
    }

    /// Standard output that cannot be written.
    pub(crate) fn output(error: &std::io::Error) -> Failure {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure::BrokenPipe;
        }
        Failure::new(format!("cannot write the output: {error}"))
    }
}
