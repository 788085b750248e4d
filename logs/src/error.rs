//! Errors of event inputs.

use crate::record::RecordPlace;
use multitrace_formats::problem::{remedy_of, shown};
use multitrace_formats::source::{Diagnostic, Source, SourceError, Span};
use std::fmt::{self, Write as _};

/// One thing that is wrong with an event input: a record, or the input from there on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventError {
    /// In a text, whose line can be shown.
    Text(SourceError),
    /// In an input without lines.
    Binary {
        /// The name of the input.
        file: String,
        /// Which record; `None` for the whole input.
        place: Option<RecordPlace>,
        /// The message of the decoder.
        message: String,
        /// The remedy; `None` if the message says it.
        help: Option<String>,
    },
}

impl EventError {
    /// An error at some bytes of a line.
    pub(crate) fn at(file: &str, number: u64, text: &str, error: Diagnostic) -> EventError {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        EventError::Text(SourceError::new(Source::at_line(file, text, number), error))
    }

    /// An error at some bytes of a record, which may stand beside others on its line.
    pub(crate) fn of_record(
        file: &str,
        place: RecordPlace,
        text: &str,
        mut error: Diagnostic,
    ) -> EventError {
        if place.item > 1 {
            let _ = write!(error.message, " (record {} of its line)", place.item);
        }
        EventError::at(file, place.number, text, error)
    }

    /// An error of a record whose text cannot be shown, or of the whole input, and the remedy.
    pub(crate) fn without_text(
        file: &str,
        place: Option<RecordPlace>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> EventError {
        let (file, message, help) = (file.to_owned(), message.into(), Some(help.into()));
        EventError::Binary { file, place, message, help }
    }

    /// The input cannot be read on from a place.
    pub(crate) fn unreadable(
        file: &str,
        place: Option<RecordPlace>,
        error: &std::io::Error,
    ) -> EventError {
        let message = format!("cannot read on: {error}");
        let help = remedy_of(error).map(str::to_owned);
        EventError::Binary { file: file.to_owned(), place, message, help }
    }

    /// The name of the input.
    pub fn file(&self) -> &str {
        match self {
            EventError::Text(error) => error.file().name(),
            EventError::Binary { file, .. } => file,
        }
    }

    /// The line or the row of a table, from 1; `None` for errors of the whole input.
    pub fn line(&self) -> Option<usize> {
        match self {
            EventError::Text(error) => Some(error.file().position(start(error)).line),
            EventError::Binary { place, .. } => {
                place.as_ref().and_then(|place| usize::try_from(place.number).ok())
            }
        }
    }

    /// The place of an error whose text cannot be shown.
    pub(crate) fn place(&self) -> Option<RecordPlace> {
        match self {
            EventError::Text(_) => None,
            EventError::Binary { place, .. } => *place,
        }
    }

    /// The column in characters, from 1; `None` if no text can be shown.
    pub fn column(&self) -> Option<usize> {
        match self {
            EventError::Text(error) => Some(error.file().position(start(error)).column),
            EventError::Binary { .. } => None,
        }
    }

    /// The error without its place.
    pub fn message(&self) -> &str {
        match self {
            EventError::Text(error) => {
                error.diagnostics().first().map_or("", |first| first.message.as_str())
            }
            EventError::Binary { message, .. } => message,
        }
    }
}

fn start(error: &SourceError) -> usize {
    error.diagnostics().first().map_or(Span::default(), |first| first.span).start
}

impl From<SourceError> for EventError {
    fn from(error: SourceError) -> EventError {
        EventError::Text(error)
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventError::Text(error) => error.fmt(f),
            EventError::Binary { file, place, message, help } => {
                let place = place.map_or_else(String::new, |place| format!(", {place}"));
                f.write_str(&shown(message, &format!("{file}{place}"), help.as_deref()))
            }
        }
    }
}

impl std::error::Error for EventError {}
