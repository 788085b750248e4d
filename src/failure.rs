//! Failures that end a command early: a message for standard error, and exit code 2.

use crate::painting;
use crate::words::WORDS;
use clap::error::ContextValue;
use multitrace::{Error, Problems, RunOutcome};
use multitrace_formats::shorten::visible;
use multitrace_formats::source::SourceError;
use multitrace_reports::first_errors::SHOWN_PROBLEMS;
use multitrace_reports::text::counted;
use std::io::Write;
use std::path::Path;

/// Bad usage, specification, bundle or input; or the consumer of the output went away.
#[derive(Debug)]
pub(crate) enum Failure {
    /// To be shown; quoted texts in it are [on one line](visible).
    Message(String),
    /// clap shows it: an error of usage, or the help.
    Usage(clap::Error),
    /// Nobody reads the output any more, before all was done: something may be wrong with the rest. The command ends without
    /// a message.
    BrokenPipe,
}

/// How programs end that write to a closed pipe: 128 + SIGPIPE.
const UNREAD: u8 = 141;

pub(crate) type CommandResult<T> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(message: impl std::fmt::Display) -> Failure {
        Failure::Message(format!("error: {}", visible(&message.to_string())))
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
            Failure::Message(message) => show(&message),
            Failure::BrokenPipe => return UNREAD,
            Failure::Usage(mut error) => {
                quote_arguments(&mut error);
                let code = u8::try_from(error.exit_code()).unwrap_or(RunOutcome::Error.exit_code());
                if error.use_stderr() {
                    show(error.render().to_string().trim_end());
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
        match error {
            // One line for each of several problems.
            Error::Locations(error) => Failure::Message(format!("error: {error}")),
            error if error.is_rendered() => Failure::Message(error.to_string()),
            error => Failure::new(error),
        }
    }
}

/// Keeps arguments, which clap prints as they were given, on one line.
fn quote_arguments(error: &mut clap::Error) {
    let shown = |text: &String| visible(text).into_owned();
    let quoted = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(shown(text)))),
        ContextValue::Strings(texts) => {
            Some((kind, ContextValue::Strings(texts.iter().map(shown).collect())))
        }
        ContextValue::StyledStrs(texts) => {
            let texts = texts.iter().map(|text| shown(&text.to_string()).into());
            Some((kind, ContextValue::StyledStrs(texts.collect())))
        }
        _ => None,
    });
    for (kind, value) in quoted.collect::<Vec<_>>() {
        error.insert(kind, value);
    }
}

/// Prints a message of one line, whatever is in it.
pub(crate) fn note(line: &str) {
    show(&visible(line));
}

/// Prints a message on standard error, in the words of the command line: lines, in which quoted texts begin no further
/// ones. When that is closed, nobody can be told.
pub(crate) fn show(text: &str) {
    let text = WORDS.text(text);
    let _ = writeln!(std::io::stderr(), "{}", painting::message(&text));
}

/// Prints remarks on inputs, of quiet runs, too: they are not progress.
pub(crate) fn show_notes(notes: &[String]) {
    notes.iter().for_each(|text| note(&format!("note: {}", WORDS.text(text))));
}

/// Prints the first problems of inputs, and how many more there are.
pub(crate) fn show_problems(problems: &Problems) {
    let first = problems.first().iter().take(SHOWN_PROBLEMS as usize);
    first.for_each(|problem| show(&problem.to_string()));
    if let Some(more) = problems.count().checked_sub(SHOWN_PROBLEMS).filter(|&it| it > 0) {
        note(&format!("error: {} more like these", counted(more, "problem")));
    }
}
