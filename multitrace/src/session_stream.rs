//! The one stream of sessions: every input as sessions that have not been read yet, or as problems.
//!
//! A session is lazy in its traces. Its id and the text of its traces are known before they are
//! read, so that a session that is not selected costs nothing, and the verdict of one that was
//! there before is found by its text.

// Whoever checks, explains or selects sessions walks this stream. So a line that one of them cannot
// read is a problem with the same text for all of them.

use crate::chunk::{Chunk, HtfFile};
use crate::memory_session::MemorySession;
use multitrace_formats::place::{EventOrder, Place, Places};
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace};
use multitrace_formats::sessions::{
    LineParts, LinePlaces, LineRemarks, QuickReader, RawLine, id_of_path, parse_htf_session,
    parse_line_with_remarks, split,
};
use multitrace_formats::source::Source;
use multitrace_interaction::{Alphabet, Failure, Session};
use multitrace_logs::{AssembledPlaces, Assembler, Grouped, Mapping};
use multitrace_reports::position::Position;
use multitrace_runtime::Gaps;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Reads sessions of one specification. Shared by all threads.
pub(crate) struct SessionReader {
    alphabet: Alphabet,
    quick: QuickReader,
    /// Puts sessions of event logs together.
    assembler: Option<Assembler>,
}

/// A session whose traces have not been read.
#[derive(Clone, Copy)]
pub(crate) enum UnreadSession<'a> {
    Line { file: &'a Arc<str>, input: u32, line: RawLine<'a>, parts: Option<LineParts<'a>> },
    Htf(&'a HtfFile),
    Memory { session: &'a MemorySession, number: u64 },
    Grouped { session: &'a Grouped, cut: bool },
}

/// A session that was read.
pub(crate) struct ReadSession<'a> {
    pub(crate) places: SessionPlaces<'a>,
    pub(crate) gaps: Gaps,
    /// Something is wrong with the session, and it is checked without its events.
    pub(crate) problem: Option<InputProblem>,
    /// Whether the text of its traces identifies its content: it has only names of the specification.
    pub(crate) has_content: bool,
    /// Why it fails, if that is known and its letters are not.
    pub(crate) failure: Option<Failure>,
}

/// The places of a session and of its events.
pub(crate) enum SessionPlaces<'a> {
    /// Where the session was read, for it and all its events. It is made when somebody asks: most
    /// sessions pass, and a count of references that all threads change costs more than it looks.
    Read(UnreadSession<'a>),
    /// The places in the line of the session. Few lines have some, and every session would be as large as they are.
    Line(Box<LinePlaces<'a>>),
    /// One place for the session and all its events, if it has one.
    Session(Option<Place>),
    /// A place for each event.
    Events(AssembledPlaces<'a>),
}

impl Places for SessionPlaces<'_> {
    fn session(&self) -> Option<Place> {
        match self {
            SessionPlaces::Read(unread) => unread.place(),
            SessionPlaces::Session(place) => place.clone(),
            SessionPlaces::Line(line) => line.session(),
            SessionPlaces::Events(events) => events.session(),
        }
    }

    fn event(&self, location: usize, index: usize) -> Option<Place> {
        self.of_events()?.event(location, index)
    }

    fn is_line(&self, location: usize, index: usize) -> bool {
        self.of_events().is_some_and(|events| events.is_line(location, index))
    }

    fn order(&self, location: usize, index: usize) -> Option<EventOrder> {
        self.of_events()?.order(location, index)
    }

    fn machine(&self, lifeline: &str) -> Option<&str> {
        self.of_events()?.machine(lifeline)
    }
}

impl SessionPlaces<'_> {
    /// Those of single events.
    fn of_events(&self) -> Option<&dyn Places> {
        match self {
            SessionPlaces::Read(_) | SessionPlaces::Session(_) => None,
            SessionPlaces::Line(line) => Some(&**line),
            SessionPlaces::Events(events) => Some(events),
        }
    }
}

/// Calls a function for each session of a chunk, or problem of it, in order, until it breaks.
pub(crate) fn for_each<'a>(
    chunk: &'a Chunk,
    mut each: impl FnMut(Result<UnreadSession<'a>, &'a InputProblem>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match chunk {
        Chunk::Lines { file, input, lines } => lines.lines().try_for_each(|line| {
            let parts = if line.is_too_long() { None } else { split(line.bytes) };
            each(Ok(UnreadSession::Line { file, input: *input, line, parts }))
        }),
        Chunk::Htf(file) => each(Ok(UnreadSession::Htf(file))),
        Chunk::Memory { before, sessions } => (*before..)
            .zip(sessions)
            .try_for_each(|(number, session)| each(Ok(UnreadSession::Memory { session, number }))),
        Chunk::Grouped { sessions, cut, .. } => sessions
            .iter()
            .try_for_each(|session| each(Ok(UnreadSession::Grouped { session, cut: *cut }))),
        Chunk::Problems(problems) => problems.iter().try_for_each(|problem| each(Err(problem))),
    }
}

impl<'a> UnreadSession<'a> {
    /// The id of the session, if it is known before the session is read.
    pub(crate) fn id(&self) -> Option<Cow<'a, str>> {
        match self {
            UnreadSession::Line { parts, .. } => parts.map(|parts| Cow::Borrowed(parts.id)),
            UnreadSession::Htf(file) => Some(Cow::Owned(id_of_path(&file.name))),
            UnreadSession::Memory { session, .. } => session.id().map(Cow::Borrowed),
            UnreadSession::Grouped { session, .. } => Some(Cow::Owned(session.session())),
        }
    }

    /// The text of its traces, if sessions with the same text are the same session under another id.
    pub(crate) fn content(&self) -> Option<LineParts<'a>> {
        match self {
            UnreadSession::Line { parts, .. } => {
                parts.filter(|parts| parts.remarks == LineRemarks::default())
            }
            _ => None,
        }
    }

    /// Sessions with the same key are the same session under another id.
    pub(crate) fn key(&self) -> Option<&'a [u8]> {
        match self {
            UnreadSession::Memory { session: MemorySession::Combined(all, number), .. } => {
                Some(all.key(*number))
            }
            _ => self.content().map(|parts| parts.traces),
        }
    }

    /// Where it stands, if that is known before the session is read.
    pub(crate) fn place(&self) -> Option<Place> {
        match self {
            UnreadSession::Line { file, line, .. } => {
                Some(Place::new(Arc::clone(file), Some(line.number)))
            }
            UnreadSession::Htf(file) => Some(Place::new(file.name.display().to_string(), None)),
            UnreadSession::Memory { .. } | UnreadSession::Grouped { .. } => None,
        }
    }
}

impl SessionReader {
    /// For sessions over an alphabet; the assembler is for event logs.
    pub(crate) fn new(alphabet: &Alphabet, assembler: Option<Assembler>) -> SessionReader {
        SessionReader { alphabet: alphabet.clone(), quick: QuickReader::new(alphabet), assembler }
    }

    /// Whether events were selected by their session before, when they were read.
    pub(crate) fn selects_events(&self) -> bool {
        self.assembler.as_ref().is_some_and(Assembler::names_sessions)
    }

    /// Reads the traces of a line of the usual form; false if the line has another form.
    pub(crate) fn read_usual_form(&self, parts: LineParts<'_>, session: &mut Session) -> bool {
        if !self.quick.read_traces(parts.traces, session) {
            return false;
        }
        parts.id.clone_into(&mut session.id);
        true
    }

    /// The mapping of event logs.
    pub(crate) fn mapping(&self) -> Option<&Mapping> {
        self.assembler.as_ref().map(Assembler::mapping)
    }

    /// Whether sessions of other shards were left out before, when their events were read.
    pub(crate) fn reads_events(&self) -> bool {
        self.assembler.is_some()
    }

    /// Where a session stands in the input.
    pub(crate) fn position(&self, unread: &UnreadSession<'_>) -> Position {
        match unread {
            UnreadSession::Line { file, input, line, .. } => Position {
                input: *input,
                name: Some(Arc::clone(file)),
                number: line.number as u64,
                item: 0,
            },
            UnreadSession::Htf(file) => {
                let name = Some(file.name.display().to_string().into());
                Position { input: file.input, name, number: 0, item: 0 }
            }
            UnreadSession::Memory { number, .. } => {
                Position { number: *number, ..Position::default() }
            }
            UnreadSession::Grouped { session, .. } => {
                let place = self.assembler.as_ref().map(|assembler| assembler.position(session));
                let (input, name, number, item) = place.unwrap_or_default();
                Position { input, name, number, item }
            }
        }
    }

    /// Reads a session.
    pub(crate) fn read<'a>(
        &'a self,
        unread: &UnreadSession<'a>,
        session: &mut Session,
    ) -> Result<ReadSession<'a>, InputProblem> {
        match unread {
            UnreadSession::Line { file, line, parts, .. } => {
                let usual = parts.filter(|&parts| self.read_usual_form(parts, session));
                let remarks = match usual {
                    Some(parts) => parts.remarks,
                    None => {
                        let text = line.text(file);
                        let parse =
                            |text| parse_line_with_remarks(file, line.number, text, &self.alphabet);
                        let (read, remarks) =
                            text.and_then(parse).map_err(|error| InputProblem::from(&error))?;
                        *session = read;
                        remarks
                    }
                };
                return self.with_remarks(unread, remarks, usual.is_some(), session);
            }
            UnreadSession::Htf(file) => *session = self.read_htf(file)?,
            UnreadSession::Memory { session: MemorySession::Read(given), .. } => {
                given.clone_into(session);
            }
            UnreadSession::Memory { session: MemorySession::Combined(all, number), .. } => {
                let (gaps, failure) = all.read(*number, session);
                let (places, failure) = (SessionPlaces::Read(*unread), failure.cloned());
                return Ok(ReadSession { places, gaps, problem: None, has_content: true, failure });
            }
            UnreadSession::Memory { session: MemorySession::Rows(rows), .. } => {
                *session = rows.read()?;
            }
            UnreadSession::Grouped { session: grouped, cut } => {
                return Ok(self.assemble(grouped, *cut, session));
            }
        }
        let places = SessionPlaces::Read(*unread);
        let gaps = Gaps::None;
        Ok(ReadSession { places, gaps, problem: None, has_content: false, failure: None })
    }

    /// A session of a line that says more than its logs.
    fn with_remarks<'a>(
        &'a self,
        unread: &UnreadSession<'a>,
        remarks: LineRemarks<'a>,
        has_content: bool,
        session: &Session,
    ) -> Result<ReadSession<'a>, InputProblem> {
        let gaps = match remarks.gaps {
            None => Gaps::None,
            Some(text) => gaps_of_line(text, unread.place())?,
        };
        let places = match remarks == (LineRemarks { gaps: remarks.gaps, ..LineRemarks::default() })
        {
            true => SessionPlaces::Read(*unread),
            false => {
                let places = LinePlaces::new(remarks, unread.place(), session, &self.alphabet);
                if let Some(message) = places.wrong_length(session) {
                    return Err(problem_of_line(message, unread.place()));
                }
                SessionPlaces::Line(Box::new(places))
            }
        };
        Ok(ReadSession { places, gaps, problem: None, has_content, failure: None })
    }

    fn read_htf(&self, file: &HtfFile) -> Result<Session, InputProblem> {
        let name = file.name.display().to_string();
        let bytes = file.read().map_err(|error| InputProblem::unreadable(&name, &error))?;
        // The replacement character is not part of the format, so its place is reported.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let session = parse_htf_session(&Source::new(name, text), &self.alphabet);
        session.map_err(|error| InputProblem::from(&error))
    }

    /// Puts a session of event logs together.
    fn assemble<'a>(
        &'a self,
        grouped: &'a Grouped,
        cut: bool,
        session: &mut Session,
    ) -> ReadSession<'a> {
        let Some(assembler) = &self.assembler else {
            unreachable!("event logs come with an assembler")
        };
        match assembler.assemble(grouped, &self.alphabet, session) {
            Ok(places) => {
                let gaps = Gaps::of(cut, places.is_damaged);
                let places = SessionPlaces::Events(places);
                ReadSession { places, gaps, problem: None, has_content: false, failure: None }
            }
            // Its order or its roles are unknown, so the session is checked without events.
            Err(error) => ReadSession {
                places: SessionPlaces::Session(error.place()),
                gaps: Gaps::Events,
                problem: Some(error.into()),
                has_content: false,
                failure: None,
            },
        }
    }
}

/// The part of a session that may be missing, by the field `gaps` of its line.
///
/// # Errors
/// When it is anything else.
fn gaps_of_line(text: &str, place: Option<Place>) -> Result<Gaps, InputProblem> {
    let name = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    name.and_then(Gaps::named).ok_or_else(|| {
        let message = format!("`gaps` is {text}, and not \"locations\", \"ends\" or \"events\"; leave it out if nothing is missing");
        problem_of_line(message, place)
    })
}

fn problem_of_line(message: String, place: Option<Place>) -> InputProblem {
    let (file, line) = place.map_or_else(Default::default, |it| (it.file.to_string(), it.line));
    let shown = line.map_or_else(String::new, |line| format!("{file}:{line}: "));
    let text = format!("{shown}{message}");
    let place = ProblemPlace { file, line, column: None, message };
    InputProblem::in_a_line(ProblemKind::Malformed, place, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_values_of_gaps_are_errors() {
        assert_eq!(gaps_of_line("\"ends\"", None), Ok(Gaps::Ends));
        for text in ["1", "\"none\"", "null", "\"Ends\"", "\""] {
            let error = gaps_of_line(text, None).expect_err("an error").to_string();
            assert!(error.starts_with(&format!("error: `gaps` is {text}")), "{error}");
        }
    }
}
