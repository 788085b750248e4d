//! Sessions as they are observed, without a specification.

// No name is known, so every log is one of a location that the specification does not have, and comes as texts. Most
// sessions repeat others: a text of traces is read once, and found by its bytes from then on.

use super::naming::Renaming;
use crate::chunk::Chunk;
use crate::chunks::{Chunks, Grouping};
use crate::error::Error;
use crate::input_remarks::input_notes;
use crate::inputs::Inputs;
use crate::problems::Problems;
use crate::session_stream::{SessionPlaces, SessionReader, UnreadSession, for_each};
use indexmap::IndexMap;
use multitrace_formats::place::Place;
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace};
use multitrace_formats::selection::Selection;
use multitrace_formats::sessions::LineParts;
use multitrace_interaction::{Action, Alphabet, ForeignTrace, Id, Session, Signature, names};
use multitrace_learn::Observations;
use multitrace_runtime::Gaps;
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The most ids of equal sessions that are kept.
const MOST_IDS: usize = 5;
/// The most bytes of texts that are known again: a tenth of a gigabyte with their places. Later texts are read each
/// time.
const MOST_KNOWN_BYTES: usize = 64 << 20;

/// Sessions as they are observed.
#[derive(Default)]
pub(crate) struct Observed {
    pub(crate) observations: Observations,
    /// The ids of the first sessions of each kind.
    pub(crate) ids: Vec<Vec<String>>,
    /// Lifelines whose events are in one log, where several are.
    pub(crate) locations: Vec<Vec<String>>,
    /// How many sessions are not among them, since they are not known as a whole.
    pub(crate) skipped: u64,
    /// Problems of inputs that could not be read.
    pub(crate) problems: Problems,
    /// Remarks on the input, as texts with names of options.
    pub(crate) notes: Vec<String>,
}

#[derive(Default)]
struct Observer {
    signature: Signature,
    sessions: IndexMap<Vec<Vec<Action>>, Occurrences>,
    known: KnownTexts,
    /// Per lifeline, the first one of those whose events are in its log.
    shared: Vec<usize>,
    skipped: u64,
    problems: Problems,
}

/// How many sessions are equal, and the ids of the first ones.
#[derive(Default)]
struct Occurrences {
    count: u64,
    ids: Vec<String>,
}

impl Occurrences {
    fn add(&mut self, id: &str) {
        self.count += 1;
        if self.ids.len() < MOST_IDS {
            self.ids.push(id.to_owned());
        }
    }

    fn extend(&mut self, later: Occurrences) {
        self.count += later.count;
        let room = MOST_IDS - self.ids.len();
        self.ids.extend(later.ids.into_iter().take(room));
    }
}

/// Texts of traces that were read before, with the numbers of their sessions.
#[derive(Default)]
struct KnownTexts {
    numbers: HashMap<Box<[u8]>, usize>,
    bytes: usize,
}

impl KnownTexts {
    fn insert(&mut self, text: &[u8], number: usize) {
        if self.bytes + text.len() <= MOST_KNOWN_BYTES {
            self.bytes += text.len();
            self.numbers.insert(text.into(), number);
        }
    }
}

/// The sessions of a chunk: found on any thread, and added in the order of chunks.
#[derive(Default)]
struct Found<'c> {
    /// Sessions that were known before.
    known: IndexMap<usize, Occurrences>,
    new: Vec<NewSession>,
    /// The texts of new sessions, with their numbers among those.
    texts: IndexMap<&'c [u8], usize>,
    problems: Problems,
}

struct NewSession {
    logs: Vec<ForeignTrace>,
    /// Whether all its events are known, and their order.
    is_whole: bool,
    occurrences: Occurrences,
}

/// Whether a log must name the lifelines of its events, as `check` asks; `compare` never checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    Checked,
    Any,
}

/// Reads all sessions.
pub(crate) fn observe(inputs: Inputs, memory: usize, naming: Naming) -> Result<Observed, Error> {
    let alphabet = Alphabet::default();
    let reader = SessionReader::new(&alphabet, inputs.assembler());
    let selection = Arc::new(Selection::default());
    let grouping =
        Grouping { alphabet: &alphabet, selection, in_order: false, memory, sample: None };
    let (mut observer, files) = (Observer::default(), inputs.notes().to_vec());
    let (mut chunks, mut read) = Chunks::open(inputs.source, grouping, &mut |problems, _| {
        observer.problems.extend(problems);
        Ok(())
    })?;
    loop {
        let current = chunks.next(rayon::current_num_threads())?;
        if current.is_empty() {
            chunks.add_to(&mut read);
            return Ok(observer.finish(input_notes(&read, &files)));
        }
        let known = &observer.known;
        let found = current.par_iter().map(|chunk| Found::of(chunk, (&reader, naming), known));
        let found: Vec<Found<'_>> = found.collect();
        found.into_iter().for_each(|it| observer.add(it));
    }
}

impl<'c> Found<'c> {
    fn of(chunk: &'c Chunk, reader: (&SessionReader, Naming), known: &KnownTexts) -> Found<'c> {
        let mut found = Found::default();
        let _ = for_each(chunk, |item| {
            match item {
                Ok(unread) => found.session(unread, reader, known),
                Err(problem) => found.problems.push(problem.clone()),
            }
            ControlFlow::Continue(())
        });
        found
    }

    fn session(
        &mut self,
        unread: UnreadSession<'c>,
        reader: (&SessionReader, Naming),
        known: &KnownTexts,
    ) {
        let Some(LineParts { id, traces, .. }) = unread.content() else {
            self.read(unread, reader);
            return;
        };
        if let Some(&number) = known.numbers.get(traces) {
            self.known.entry(number).or_default().add(id);
        } else if let Some(&number) = self.texts.get(traces) {
            self.new[number].occurrences.add(id);
        } else if let Some(number) = self.read(unread, reader) {
            self.texts.insert(traces, number);
        }
    }

    /// Reads a new session; its number if nothing is wrong with it.
    fn read(
        &mut self,
        unread: UnreadSession<'c>,
        (reader, naming): (&SessionReader, Naming),
    ) -> Option<usize> {
        let mut session = Session::default();
        let mut read = match reader.read(&unread, &mut session) {
            Ok(read) => read,
            Err(problem) => {
                self.problems.push(problem);
                return None;
            }
        };
        // An order that the log does not tell makes no structure.
        if let SessionPlaces::Events(places) = &read.places {
            read.problem = read.problem.or(places.unordered(&session));
        } else if naming == Naming::Checked {
            let unnamed = || unnamed(&session.foreign, unread.place());
            read.problem = read.problem.or_else(unnamed);
        }
        let is_whole = matches!(read.gaps, Gaps::None | Gaps::Locations) && read.problem.is_none();
        self.problems.extend(read.problem);
        let mut occurrences = Occurrences::default();
        occurrences.add(&session.id);
        self.new.push(NewSession { logs: session.foreign, is_whole, occurrences });
        is_whole.then(|| self.new.len() - 1)
    }
}

/// The first event whose lifeline does not name its log, as a problem.
fn unnamed(logs: &[ForeignTrace], place: Option<Place>) -> Option<InputProblem> {
    let is_unnamed = |log: &ForeignTrace, event: &str| {
        let lifeline = names::split_action(event).map(|it| it.0);
        let mut named = names::split(&log.location, ',');
        lifeline.is_some_and(|it| !named.any(|name| names::name_of(name) == it))
    };
    let found = |log: &ForeignTrace| {
        let event = log.events.iter().find(|event| is_unnamed(log, event))?;
        Some(format!("{event} is logged at {}, which does not name its lifeline", log.location))
    };
    // A header for all lifelines names none.
    let is_header =
        |log: &&ForeignTrace| !log.location.is_empty() && !log.location.starts_with('#');
    let message = logs.iter().filter(is_header).find_map(found)?;
    let text = place.as_ref().map_or_else(String::new, |it| format!("{it}: ")) + &message;
    let (file, line) = place.map_or_else(Default::default, |it| (it.file.to_string(), it.line));
    let place = ProblemPlace { file, line, column: None, message };
    Some(InputProblem::in_a_line(ProblemKind::Malformed, place, &text))
}

impl Observer {
    fn add(&mut self, found: Found<'_>) {
        self.problems.append(found.problems);
        for (number, occurrences) in found.known {
            self.sessions[number].extend(occurrences);
        }
        let numbers: Vec<Option<usize>> =
            found.new.into_iter().map(|it| self.session(it)).collect();
        for (text, at) in found.texts {
            numbers[at].into_iter().for_each(|number| self.known.insert(text, number));
        }
    }

    /// Adds a session; its number among those that are different, unless it is skipped.
    fn session(&mut self, session: NewSession) -> Option<usize> {
        let NewSession { logs, is_whole, occurrences } = session;
        let logs = logs.iter().map(|log| self.log(log)).collect();
        let logs: Option<Vec<Vec<Action>>> = logs;
        let Some(mut logs) = logs.filter(|_| is_whole) else {
            self.skipped += occurrences.count;
            return None;
        };
        logs.retain(|log| !log.is_empty());
        logs.sort_unstable();
        let entry = self.sessions.entry(logs);
        let number = entry.index();
        entry.or_default().extend(occurrences);
        Some(number)
    }

    /// The events of a log; `None` if one is not an action. The lifelines that name the log have it, whether or not they
    /// have an event, and so do those of its events.
    fn log(&mut self, log: &ForeignTrace) -> Option<Vec<Action>> {
        let signature = &mut self.signature;
        let named = names::split(&log.location, ',');
        let mut own: Vec<usize> =
            named.map(|name| signature.intern_lifeline(&names::name_of(name)).index()).collect();
        let action = |text: &String| {
            let (lifeline, kind, message) = names::split_action(text)?;
            let lifeline = signature.intern_lifeline(&lifeline);
            own.push(lifeline.index());
            let is_named = !message.is_empty();
            is_named.then(|| Action { lifeline, kind, message: signature.intern_message(message) })
        };
        let actions: Option<Vec<Action>> = log.events.iter().map(action).collect();
        self.shared.resize_with(self.signature.lifelines().len(), || usize::MAX);
        own.windows(2).for_each(|pair| self.share(pair[0], pair[1]));
        actions
    }

    fn share(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        if a != b {
            self.shared[a.max(b)] = a.min(b);
        }
    }

    fn first(&self, mut lifeline: usize) -> usize {
        while self.shared[lifeline] != usize::MAX {
            lifeline = self.shared[lifeline];
        }
        lifeline
    }

    fn finish(self, notes: Vec<String>) -> Observed {
        let mut groups: IndexMap<usize, Vec<String>> = IndexMap::new();
        for lifeline in self.signature.lifelines() {
            let name = self.signature.lifeline_name(lifeline).to_owned();
            groups.entry(self.first(lifeline.index())).or_default().push(name);
        }
        let locations = groups.into_values().filter(|group| group.len() > 1).collect();
        let mut renaming = Renaming::sorted(&self.signature);
        let renamed = self
            .sessions
            .into_iter()
            .map(|(logs, Occurrences { count, ids })| (renaming.logs(logs), count, ids));
        let mut renamed: Vec<_> = renamed.collect();
        renamed.sort_unstable();
        let (sessions, ids) =
            renamed.into_iter().map(|(logs, count, ids)| ((logs, count), ids)).unzip();
        let observations = Observations { signature: renaming.new, sessions };
        let (skipped, problems) = (self.skipped, self.problems);
        Observed { observations, ids, locations, skipped, problems, notes }
    }
}
