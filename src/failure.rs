//! Failures that end a command early: a message for standard error, and exit code 2.

use crate::painting;
use crate::words::WORDS;
use multitrace::{Error, RunOutcome};
use multitrace_formats::source::SourceError;
use std::io::Write;
use std::path::Path;

/// Bad usage, specification, bundle or input; or the consumer of the output went away.
#[derive(Debug)]
pub(crate) enum Failure {
    /// To be shown.
    Message(String),
    /// clap shows it: an error of usage, or the help.
    Usage(clap::Error),
    /// Nobody reads the output any more. The command ends without a message, with the code it has:
    /// 0, since nothing was wrong so far.
    BrokenPipe,
    /// The same before all of the input was read, so that something may be wrong with the rest.
    Unread,
}

/// How programs end that write to a closed pipe: 128 + SIGPIPE.
const UNREAD: u8 = 141;

pub(crate) type CommandResult<T> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(message: impl std::fmt::Display) -> Failure {
        Failure::Message(format!("error: {message}"))
    }

    /// Errors of a text bring their own rendering, with snippets.
    pub(crate) fn source(error: SourceError) -> Failure {
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

    /// Tells people, and returns the exit code.
    pub(crate) fn tell(self) -> u8 {
        match self {
            Failure::Message(message) => note(&message),
            Failure::BrokenPipe => return RunOutcome::Clean.exit_code(),
            Failure::Unread => return UNREAD,
            Failure::Usage(error) => {
                let code = u8::try_from(error.exit_code()).unwrap_or(RunOutcome::Error.exit_code());
                if error.use_stderr() {
                    // clap prints arguments as they were given.
                    note(error.render().to_string().trim_end());
                    return code;
                }
                return match error.print() {
                    Err(failed) if failed.kind() != std::io::ErrorKind::BrokenPipe => {
                        note(&format!("error: cannot write the output: {failed}"));
                        RunOutcome::Error.exit_code()
                    }
                    _ => code,
                };
            }
        }
        RunOutcome::Error.exit_code()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        if error.is_rendered() { Failure::Message(error.to_string()) } else { Failure::new(error) }
    }
}

/// Prints a message on standard error, in the words of the command line. When that is closed, nobody can be told.
pub(crate) fn note(text: &str) {
    let text = WORDS.text(text);
    let _ = writeln!(std::io::stderr(), "{}", painting::message(&text));
}
