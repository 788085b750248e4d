//! Inputs as lines of sessions: those that a check would judge, without a specification.

use crate::chunk::Chunk;
use crate::chunks::{Chunks, Grouping};
use crate::error::{Error, stop};
use crate::input_remarks::input_notes;
use crate::inputs::Inputs;
use crate::run::DEFAULT_MEMORY;
use crate::selecting::{SampleSize, SessionFilter};
use crate::session_stream::{ReadSession, SessionPlaces, SessionReader, UnreadSession, for_each};
use indexmap::IndexSet;
use multitrace_formats::locations;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::selection::Selection;
use multitrace_formats::sessions::{event_fields, print_json_line_with};
use multitrace_formats::workers::in_pool;
use multitrace_interaction::{Alphabet, ForeignTrace, Id, LetterId, Session, names};
use multitrace_runtime::Gaps;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Remarks on sessions that were written.
#[derive(Debug)]
pub struct WrittenSessions {
    /// The ids that were asked for and did not occur.
    pub missing: Vec<String>,
    /// Remarks on the inputs: records that no rule matches, files that were left out.
    pub notes: Vec<String>,
}

/// Which sessions are written, and how.
#[derive(Debug)]
pub struct WriteOptions {
    /// Which sessions. Shards by files are not for this.
    pub filter: SessionFilter,
    /// Which lifelines share a clock, as for specifications; each has its own without it.
    pub locations: Option<String>,
    /// For event logs: sessions are grouped in about this much memory, in bytes.
    pub memory: usize,
    /// Lifelines, messages and sessions get other names, and events have no places.
    pub anonymise: bool,
}

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions {
            filter: SessionFilter::default(),
            locations: None,
            memory: DEFAULT_MEMORY,
            anonymise: false,
        }
    }
}

#[doc(hidden)]
impl Inputs {
    /// Calls a function with each session as a line of JSON, in the order of the input, and with each problem of the
    /// input. Such lines have the verdicts of these inputs against any specification whose lifelines have the same
    /// clocks. A session with a problem has a line without events, which is inconclusive.
    ///
    /// # Errors
    /// When the inputs cannot be grouped or drawn from, and [`Error::Stopped`] when the function breaks.
    ///
    /// ```
    /// use multitrace::{Inputs, WriteOptions};
    /// use std::ops::ControlFlow;
    /// let lines = br#"{"session":"call 7","traces":{"phone":["phone!ring"],"desk":["desk?ring"]}}"#;
    /// let options = WriteOptions { anonymise: true, ..WriteOptions::default() };
    /// let mut written = Vec::new();
    /// Inputs::reader("memory", &lines[..]).each_line(options, &mut |line| {
    ///     written.extend(line);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(written, [r#"{"session":"1","traces":{"a":["a!m1"],"b":["b?m1"]}}"#]);
    /// # Ok::<(), multitrace::Error>(())
    /// ```
    pub fn each_line(
        self,
        options: WriteOptions,
        each: &mut (dyn FnMut(Result<String, InputProblem>) -> ControlFlow<()> + Send),
    ) -> Result<WrittenSessions, Error> {
        let files = self.notes().to_vec();
        let WriteOptions { filter, locations, memory, anonymise } = options;
        let alphabet = alphabet(locations.as_deref())?;
        let sample = match filter.sample {
            Some(SampleSize::Count(count)) if self.are_events() => Some((count, filter.seed)),
            _ => None,
        };
        let selection = Arc::new(filter.selection(&self, &alphabet)?);
        let reader = SessionReader::new(&alphabet, self.assembler());
        let names = anonymise.then(NewNames::default);
        let mut lines =
            Lines { reader: &reader, alphabet: &alphabet, selection: &selection, names };
        let grouping = Grouping {
            alphabet: &alphabet,
            selection: Arc::clone(&selection),
            in_order: false,
            memory,
            sample,
        };
        let read = in_pool(0, || {
            let (mut chunks, mut read) =
                Chunks::open(self.source, grouping, &mut |problems, _| {
                    stop(problems.into_iter().try_for_each(|problem| each(Err(problem))))
                })?;
            loop {
                let current = chunks.next(1)?;
                if current.is_empty() {
                    chunks.add_to(&mut read);
                    return Ok::<_, Error>(read);
                }
                stop(current.iter().try_for_each(|chunk| lines.of_chunk(chunk, each)))?;
            }
        })?;
        let missing = selection.only.iter().flat_map(|only| only.missing());
        let missing = missing.map(str::to_owned).collect();
        Ok(WrittenSessions { missing, notes: input_notes(&read, &files) })
    }
}

#[doc(hidden)]
impl Inputs {
    /// The ids of sessions that begin so, each once, at most `most`, in the order of the input.
    ///
    /// # Errors
    /// When the inputs cannot be grouped.
    pub fn ids_that_begin(
        self,
        start: &str,
        memory: usize,
        most: usize,
    ) -> Result<Vec<String>, Error> {
        let alphabet = Alphabet::default();
        let reader = SessionReader::new(&alphabet, self.assembler());
        let grouping = Grouping {
            alphabet: &alphabet,
            selection: Arc::default(),
            in_order: false,
            memory,
            sample: None,
        };
        let (mut ids, mut session) = (IndexSet::new(), Session::default());
        in_pool(0, || {
            // Problems were told when the session was looked for.
            let (mut chunks, _) = Chunks::open(self.source, grouping, &mut |_, _| Ok(()))?;
            loop {
                let current = chunks.next(1)?;
                if current.is_empty() || ids.len() >= most {
                    return Ok::<_, Error>(());
                }
                for chunk in &current {
                    let _ = for_each(chunk, |item| {
                        let id = item.ok().and_then(|unread| match unread.id() {
                            Some(id) => Some(id.into_owned()),
                            None => {
                                reader.read(&unread, &mut session).ok().map(|_| session.id.clone())
                            }
                        });
                        ids.extend(id.filter(|id| id.starts_with(start)));
                        ControlFlow::Continue(())
                    });
                }
            }
        })?;
        ids.truncate(most);
        Ok(ids.into_iter().collect())
    }
}

/// Lifelines at their locations, and no letters.
fn alphabet(text: Option<&str>) -> Result<Alphabet, Error> {
    let mut alphabet = Alphabet::default();
    for group in text.map(locations::parse).transpose().map_err(Error::Source)?.unwrap_or_default()
    {
        if let Some(location) = alphabet.add_location(&group.location_name()) {
            group.members.iter().for_each(|it| _ = alphabet.add_lifeline(it, location));
        }
    }
    Ok(alphabet)
}

/// Makes lines of sessions.
struct Lines<'l> {
    reader: &'l SessionReader,
    alphabet: &'l Alphabet,
    selection: &'l Selection,
    names: Option<NewNames>,
}

impl Lines<'_> {
    fn of_chunk(
        &mut self,
        chunk: &Chunk,
        each: &mut dyn FnMut(Result<String, InputProblem>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for_each(chunk, |item| match item {
            Err(problem) => each(Err(problem.clone())),
            Ok(unread) => self.of_session(&unread, each),
        })
    }

    fn of_session(
        &mut self,
        unread: &UnreadSession<'_>,
        each: &mut dyn FnMut(Result<String, InputProblem>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (mut session, selection) = (Session::default(), self.selection);
        // Events were selected by their session when they were read.
        let is_selected = |id: &str| self.reader.selects_events() || selection.has(id);
        let id = unread.id();
        if id.as_ref().is_some_and(|id| !is_selected(id)) {
            return ControlFlow::Continue(());
        }
        match self.reader.read(unread, &mut session) {
            Err(problem) => each(Err(problem)),
            Ok(_) if id.is_none() && !is_selected(&session.id) => ControlFlow::Continue(()),
            Ok(mut read) => {
                if let SessionPlaces::Events(places) = &read.places {
                    read.problem = read.problem.or(places.unordered(&session));
                }
                if let Some(problem) = read.problem.take() {
                    session = Session { id: session.id, ..Session::default() };
                    session.trace.resize(self.alphabet.locations().len(), Vec::new());
                    read.gaps = Gaps::Events;
                    each(Err(problem))?;
                }
                each(Ok(self.line(&session, &read)))
            }
        }
    }

    fn line(&mut self, session: &Session, read: &ReadSession<'_>) -> String {
        let gaps = read.gaps.name().map(|name| format!("\"{name}\""));
        let mut fields: Vec<_> = gaps.iter().map(|gaps| ("gaps", gaps.as_str())).collect();
        if let Some(names) = &mut self.names {
            let renamed = names.renamed(session, self.alphabet);
            return print_json_line_with(&renamed, &Alphabet::default(), &fields);
        }
        let more = event_fields(session, self.alphabet, &read.places);
        fields.extend(more.iter().map(|(name, text)| (*name, text.as_str())));
        print_json_line_with(session, self.alphabet, &fields)
    }
}

/// Names for those of a log: letters for lifelines, numbers for messages and sessions, by their first places.
#[derive(Default)]
struct NewNames {
    lifelines: HashMap<String, usize>,
    messages: HashMap<String, usize>,
    sessions: HashMap<String, usize>,
}

/// The number of a name, from 0.
fn number(names: &mut HashMap<String, usize>, name: &str) -> usize {
    let next = names.len();
    *names.entry(name.to_owned()).or_insert(next)
}

/// `a` to `z`, then `aa` and so on.
fn letters(mut number: usize) -> String {
    let mut text = String::new();
    loop {
        text.insert(0, char::from(b'a' + (number % 26) as u8));
        match (number / 26).checked_sub(1) {
            Some(rest) => number = rest,
            None => return text,
        }
    }
}

impl NewNames {
    fn lifeline(&mut self, name: &str) -> String {
        letters(number(&mut self.lifelines, name))
    }

    fn event(&mut self, text: &str) -> String {
        match names::split_action(text) {
            Some((lifeline, kind, message)) => {
                let lifeline = self.lifeline(&lifeline);
                let message = number(&mut self.messages, message) + 1;
                names::action_text(&lifeline, kind, &format!("m{message}"))
            }
            None => format!("m{}", number(&mut self.messages, text) + 1),
        }
    }

    fn location(&mut self, name: &str) -> String {
        let lifelines = names::split(name, ',').map(|it| self.lifeline(&names::name_of(it)));
        lifelines.collect::<Vec<_>>().join(",")
    }

    /// The session with other names, all of its logs those of locations that nobody knows.
    fn renamed(&mut self, session: &Session, alphabet: &Alphabet) -> Session {
        let text = |location: usize, index, &letter: &LetterId| match letter {
            LetterId::UNKNOWN => session.unknown_text(location, index).unwrap_or_default(),
            _ => alphabet.letter_name(letter),
        };
        let mut foreign = Vec::new();
        for (location, trace) in alphabet.locations().zip(&session.trace) {
            let events = trace.iter().enumerate();
            let events =
                events.map(|(at, it)| self.event(text(location.index(), at, it))).collect();
            foreign.push(ForeignTrace {
                location: self.location(alphabet.location_name(location)),
                events,
            });
        }
        for ForeignTrace { location, events } in &session.foreign {
            let events = events.iter().map(|it| self.event(it)).collect();
            foreign.push(ForeignTrace { location: self.location(location), events });
        }
        let id = (number(&mut self.sessions, &session.id) + 1).to_string();
        Session { id, foreign, ..Session::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifelines_have_letters() {
        let all: Vec<String> = [0, 25, 26, 51, 52, 701, 702].map(letters).to_vec();
        assert_eq!(all, ["a", "z", "aa", "az", "ba", "zz", "aaa"]);
    }
}
