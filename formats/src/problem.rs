//! Problems of the inputs of a run: one type, whatever the input is.

use crate::place::Place;
use crate::shorten::{shorten, visible};
use crate::source::{Diagnostic, SourceError};
use serde::{Deserialize, Serialize};

/// The longest pattern of a message, in characters.
const MOST_OF_A_PATTERN: usize = 160;

/// Something in an input that cannot be read or understood. The rest of the input is still checked.
///
/// Its `Display` is the message for people: the place, the lines around it and a remedy, which
/// [`Words`](crate::remedy::Words) spell. It starts with `error: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputProblem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The places, at least one, for reports that programs read.
    pub places: Vec<ProblemPlace>,
    /// How many further problems of its pattern it stands for, all behind it.
    pub further: u64,
    text: String,
}

/// The kinds of problems that an input has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The input is malformed.
    Malformed,
    /// The input cannot be read.
    Unreadable,
    /// The tool itself broke down. Other sessions are not affected.
    Internal,
}

/// One place of a problem, with its message. They are ordered by file, line, column and message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProblemPlace {
    /// The file as it was named.
    pub file: String,
    /// The line, from 1, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in characters, from 1, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The problem.
    pub message: String,
}

/// An error as people see it where no line can be shown: one line each for the message, the place and the remedy.
pub fn shown(message: &str, place: &str, help: Option<&str>) -> String {
    let help = help.map_or_else(String::new, |help| format!("\n  = help: {}", visible(help)));
    format!("error: {}\n --> {}{help}", visible(message), visible(place))
}

impl InputProblem {
    /// A problem at one place, with the text that people see.
    pub fn new(kind: ProblemKind, place: ProblemPlace, text: String) -> InputProblem {
        InputProblem { kind, places: vec![place], further: 0, text }
    }

    /// A problem of another run, by its places and the text that people see.
    pub fn again(places: Vec<ProblemPlace>, text: String) -> InputProblem {
        InputProblem { kind: ProblemKind::Malformed, places, further: 0, text }
    }

    /// How many problems it stands for.
    pub fn count(&self) -> u64 {
        self.further.saturating_add(1)
    }

    /// The message of its first place without quoted names and numbers.
    pub fn pattern(&self) -> String {
        let message = self.places.first().map_or("", |place| place.message.as_str());
        let text = ['`', '"'].into_iter().fold(message.to_owned(), |text, mark| {
            let pieces = text.split(mark).enumerate();
            let pieces: Vec<&str> =
                pieces.map(|(at, piece)| if at % 2 == 0 { piece } else { "…" }).collect();
            pieces.join(mark.encode_utf8(&mut [0; 4]))
        });
        let mut pattern = String::with_capacity(text.len());
        for letter in text.chars() {
            match letter.is_ascii_digit() {
                true if pattern.ends_with('…') => {}
                true => pattern.push('…'),
                false => pattern.push(letter),
            }
        }
        shorten(&pattern, MOST_OF_A_PATTERN).into_owned()
    }

    /// A problem at one place, whose text is a line.
    pub fn in_a_line(kind: ProblemKind, place: ProblemPlace, text: &str) -> InputProblem {
        InputProblem::new(kind, place, format!("error: {}", visible(text)))
    }

    /// A file that cannot be read.
    pub fn unreadable(file: &str, error: &std::io::Error) -> InputProblem {
        let message = error.to_string();
        let help = remedy_of(error).map_or_else(String::new, |it| format!("\n  = help: {it}"));
        let text = format!("error: {}{help}", visible(&format!("{file}: {message}")));
        let place = ProblemPlace { file: file.to_owned(), line: None, column: None, message };
        InputProblem::new(ProblemKind::Unreadable, place, text)
    }

    /// A panic while a session was checked.
    pub fn internal(place: Option<Place>, message: String) -> InputProblem {
        let shown = place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
        let text = format!("{shown}{message}; please report this");
        let (file, line) = place.map_or_else(Default::default, |it| (it.file.to_string(), it.line));
        let place = ProblemPlace { file, line, column: None, message };
        InputProblem::in_a_line(ProblemKind::Internal, place, &text)
    }
}

/// The remedy for a file that cannot be read; `None` for errors of our own, whose texts say it.
pub fn remedy_of(error: &std::io::Error) -> Option<&'static str> {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::Other => None,
        ErrorKind::NotFound => Some(
            "was it removed while others were read, or is it a link to nothing? mend the link, or leave it out of its \
             folder by ‹exclude=NAME›",
        ),
        ErrorKind::PermissionDenied => Some(
            "let the user of this run read it, or leave it out of its folder by ‹exclude=NAME›",
        ),
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput => {
            Some("is it cut off, damaged, or still being written? give it again as a whole")
        }
        _ => Some("give a file that can be read, or leave it out of its folder by ‹exclude=NAME›"),
    }
}

impl std::fmt::Display for InputProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for InputProblem {}

/// Errors of a text, each at its own place.
impl From<&SourceError> for InputProblem {
    fn from(error: &SourceError) -> InputProblem {
        let source = error.file();
        let place = |diagnostic: &Diagnostic| {
            let position = source.position(diagnostic.span.start);
            ProblemPlace {
                file: source.name().to_owned(),
                line: Some(position.line),
                column: Some(position.column),
                message: diagnostic.message.clone(),
            }
        };
        InputProblem {
            kind: ProblemKind::Malformed,
            places: error.diagnostics().iter().map(place).collect(),
            further: 0,
            text: error.to_string(),
        }
    }
}
