//! Errors that end a run or a compilation. An error in a part of the input does not; that is an
//! [`InputProblem`](multitrace_formats::problem::InputProblem).

use multitrace_compiler::LimitExceeded;
use multitrace_formats::bundle::{BundleError, Unsupported};
use multitrace_formats::hif::{self, OpenError};
use multitrace_formats::locations::GroupError;
use multitrace_formats::problem::{InputProblem, ProblemPlace};
use multitrace_formats::remedy::Remedy;
use multitrace_formats::source::SourceError;
use multitrace_formats::spec::UnknownExtension;
use multitrace_logs::{EventError, LogError};
use multitrace_reports::gate::TooManyPlaces;
use multitrace_reports::local_files::LineError;
use multitrace_reports::run_report::MissingShards;
use multitrace_runtime::NoEngine;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Why something cannot be done. Its `Display` names the place and the remedy, which
/// [`Words`](multitrace_formats::remedy::Words) spell for people.
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
        /// The error of the system.
        error: std::io::Error,
    },
    /// Event logs cannot be grouped.
    #[error("{0}")]
    Log(LogError),
    /// The engine that was asked for is not available for this specification.
    #[error("{0}")]
    NoEngine(#[from] NoEngine),
    /// A bundle cannot be loaded.
    #[error("{}{error}", before(name))]
    Bundle {
        /// The file, if it is one.
        name: Option<String>,
        /// The error in it.
        error: BundleError,
    },
    /// The extension of a file tells no format of specifications.
    #[error("{0}")]
    Extension(#[from] UnknownExtension),
    /// Locations and lifelines, or letters, do not fit.
    #[error("{0}")]
    Locations(#[from] GroupError),
    /// A file of sessions or a text is malformed.
    #[error("{0}")]
    File(#[from] FileError),
    /// A specification lacks a part that is needed.
    #[error("{0}")]
    Lacking(#[from] Lacking),
    /// Options contradict each other, or the inputs.
    #[error("{0}")]
    Options(#[from] Contradiction),
    /// A run is to have more threads than a run may have.
    #[error("‹threads={given}› is too many; a run has at most {most}")]
    Threads {
        /// How many.
        given: usize,
        /// How many it may have.
        most: usize,
    },
    /// Parts of a report do not make one.
    #[error("{0}")]
    Parts(#[from] PartsError),
    /// A file of a location is wrong.
    #[error("{name}: {error}")]
    LocalFile {
        /// The file.
        name: String,
        /// The error in it.
        error: LineError,
    },
    /// A run cannot be a part of another one.
    #[error("{0}")]
    NoPart(#[from] NoPart),
    /// A specification takes more than compiling may take, and leaves nothing to check on.
    #[error("{spec}: its terms alone take {limit}; allow more by ‹limit_memory›")]
    TooLarge {
        /// The name of the specification.
        spec: String,
        /// The limit that was reached.
        limit: LimitExceeded,
    },
    /// The open choices of a specification cannot be written out.
    #[error("{spec}: {error}")]
    Open {
        /// The name of the specification, or the place in it.
        spec: String,
        /// Why.
        error: OpenError,
    },
    /// A bundle cannot be compared with its specification.
    #[error("the bundle cannot be verified: {0}")]
    Unverifiable(#[from] Unverifiable),
    /// A trace cannot happen.
    #[error("‹after›: {0}")]
    After(#[from] AfterError),
    /// The observer of a run ended it.
    #[error("the run was stopped")]
    Stopped,
}

fn before(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |name| format!("{name}: "))
}

/// Why a file of sessions or a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Its bytes are not text.
    #[error("{name}:{line}: not UTF-8 text; convert the file to UTF-8")]
    NoText {
        /// The file.
        name: String,
        /// The first line that is not an id.
        line: usize,
    },
    /// Nothing tells its format.
    #[error(
        "{}: neither the extension nor the first bytes tell a format of sessions; known are .htf and \
         .jsonl, and ‹input_format› names one; event logs take ‹events=MAP.toml› (‹map_init› \
         proposes a mapping)", .0.display()
    )]
    UnknownFormat(PathBuf),
    /// The headers of two sessions say different locations.
    #[error(
        "{first} and {second} disagree on the location of {lifeline}; write the same headers in all \
         .htf files, or say the locations with ‹locations=\"a,b;c\"›"
    )]
    Headers {
        /// The place of the first header.
        first: String,
        /// The place of the other one.
        second: String,
        /// The lifeline.
        lifeline: String,
    },
}

/// A part that a specification lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Lacking {
    /// It has no automaton.
    #[error("{spec}: it has no automaton: {why}")]
    Automaton {
        /// The name of the specification.
        spec: String,
        /// The construct that prevents it.
        why: Unsupported,
    },
    /// A location has no table of this kind.
    #[error("{location} has no {what}; ‹compile› says why")]
    Table {
        /// The location.
        location: String,
        /// The kind of table.
        what: &'static str,
    },
    /// An automaton has no terms.
    #[error("{0}: an automaton has no terms to explore; give an interaction")]
    Terms(String),
    /// The bundle has no text.
    #[error("the bundle has no text of its specification to show coverage on")]
    Text,
    /// The letters of an automaton have no locations.
    #[error(
        "{0}: an automaton needs its letters assigned to locations: ‹locations=\"left=a,b;right=c\"›"
    )]
    Locations(String),
    /// The letters of an automaton have no lifelines.
    #[error(
        "{0}: the letters of an automaton have no lifelines and messages; convert it to Timbuk"
    )]
    Lifelines(String),
    /// Its text would nest too deep.
    #[error(
        "{0}: as .hif, its operators would nest deeper than {most} levels; use smaller bounds or fewer \
         breaks", most = hif::MAX_NESTING
    )]
    Levels(String),
}

/// Options that contradict each other, or the inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Contradiction {
    /// A bundle is compiled already.
    #[error("{0}: a bundle is compiled already; give these options to ‹compile›")]
    Compiled(String),
    /// A number of sessions of a part says nothing of the whole.
    #[error(
        "a number of sessions cannot be drawn for a partial report; give a rate, as in ‹sample=1%›"
    )]
    CountOfPart,
    /// A run that stops has not seen its part.
    #[error(
        "a run that stops at a number of violations is not a part of another; leave ‹max_failures› out, \
         and give a rate to ‹merge›"
    )]
    PartThatStops,
    /// A number of sessions of a shard says nothing of the whole.
    #[error("a number of sessions cannot be drawn from a shard; give a rate, as in ‹sample=1%›")]
    CountOfShard,
    /// A stream cannot be read twice.
    #[error(
        "‹sample=N› reads the input twice, and a stream can be read once; give a rate, as in ‹sample=1%›"
    )]
    CountOfStream,
}

/// Why a report is not part of a larger one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPart {
    /// The run did not keep the values that a part needs.
    #[error("the run did not ask for a partial report: ‹ask_for_part›")]
    NotAsked,
    /// The run did not see its part of the input.
    #[error("a run that stops at a number of violations is not a part of another; ‹rate_to_merge›")]
    Stopped,
    /// It has more kinds of findings than are counted.
    #[error("{0}")]
    TooManyPlaces(#[from] TooManyPlaces),
}

/// Why parts do not make a report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// Shards are missing.
    #[error("{0}; name their parts too, or add ‹allow_missing› for the report without them")]
    Missing(MissingShards),
    /// No part has coverage.
    #[error("the parts have no coverage; check them with ‹coverage›")]
    NoCoverage,
    /// The bundle in them is damaged.
    #[error("the bundle in the parts: {0}")]
    Bundle(#[from] BundleError),
    /// They fail on a name that is not a verdict.
    #[error("the parts fail on {0:?}, which is not a verdict")]
    NoVerdict(String),
    /// They name another specification than the bundle in them has.
    #[error("the parts are of {named}, and the bundle in them of {found}; check the parts anew")]
    OtherSpecification {
        /// The specification that they name.
        named: String,
        /// That of the bundle.
        found: String,
    },
    /// They name another observation mode than the bundle in them has.
    #[error(
        "the parts have the observation mode {named}, and the bundle in them {found}; check the parts anew"
    )]
    OtherMode {
        /// The mode that they name.
        named: String,
        /// That of the bundle.
        found: &'static str,
    },
    /// They name a location that the bundle does not have.
    #[error(
        "the parts say that {0:?} has logged something, which is not a location of the bundle in them; check the parts anew"
    )]
    NoLocation(String),
    /// They were checked by an engine that is unknown.
    #[error("the parts were checked by {0:?}, which is not an engine")]
    UnknownEngine(String),
    /// Events of this many different logs are needed.
    #[error(
        "the events of {0} different logs are needed; let their locations answer the requests, and combine the answers, too"
    )]
    Letters(usize),
}

/// Why a bundle cannot be compared with its specification.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unverifiable {
    /// Another version compiled it.
    #[error(
        "multitrace {made_by} made it, and this is {this}; verify it with that version, or compile \
         the specification again", this = env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// That version.
        made_by: String,
    },
    /// It holds no text.
    #[error("it has no specification")]
    NoText,
    /// Its text is wrong, or includes files.
    #[error("the specification in it cannot be compiled alone: {0}")]
    Alone(Box<Error>),
    /// A limit on time ended its compilation.
    #[error("‹limit_time› ended its compiling, so no two runs need agree")]
    TimedOut,
    /// The limit on time ended the second compilation.
    #[error("‹limit_time› ended compiling again")]
    TimedOutAgain,
}

/// Why nothing remains after a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AfterError {
    /// An action is not one of the specification.
    #[error("{action:?} is not an action of the specification; its actions are {known}")]
    Unknown {
        /// The text of the action.
        action: String,
        /// The first actions of the specification.
        known: String,
    },
    /// The trace takes too long.
    #[error("it takes too much work to follow this trace")]
    TooMuchWork,
    /// An action cannot happen where it stands.
    #[error("{action} cannot happen {before}; {could}")]
    Impossible {
        /// The action.
        action: String,
        /// The actions before it.
        before: String,
        /// The actions that are possible instead.
        could: String,
    },
    /// The trace ends inside a step.
    #[error("the trace ends inside a step; {could}")]
    InsideStep {
        /// The actions with which the step can go on.
        could: String,
    },
}

/// Whether a path looks like `HEAD~1:SPEC.md`. A letter is a drive of Windows.
fn is_of_revision(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.split_once(':').is_some_and(|(revision, file)| {
        revision.len() > 1
            && !revision.starts_with(['/', '.', '-'])
            && !file.is_empty()
            && !file.starts_with("//")
    })
}

impl Error {
    pub(crate) fn io(path: &Path, error: std::io::Error) -> Error {
        let error = match error.kind() {
            std::io::ErrorKind::NotFound if is_of_revision(path) => std::io::Error::new(
                error.kind(),
                format!(
                    "{error}; for the file as a revision of git has it, {}",
                    Remedy::Revision.to(path.display())
                ),
            ),
            _ => error,
        };
        Error::Io { path: path.to_owned(), error }
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

/// The error of a run that is asked to end.
pub(crate) fn stop(flow: ControlFlow<()>) -> Result<(), Error> {
    if flow.is_break() { Err(Error::Stopped) } else { Ok(()) }
}
