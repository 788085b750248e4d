//! Sessions out of rows of a table, each with events of one location of one session. Rows of one session may
//! stand anywhere.

// Nearly all rows are logs of whole locations of the specification with events of them. Such events become letters at
// once, without a copy of their texts. Whatever else a row has concerns its session as a whole, such as a lifeline
// that another row names, too; the logs of such a session are kept as texts and get their meaning when all rows are
// read, by the function that gives lines of JSON theirs. So a session has the same verdict in both forms.

use crate::inputs::Inputs;
use crate::memory_session::MemorySession;
use crate::monitor::Monitor;
use crate::row_session::{NullValue, RowSession, RowTable, SessionRows};
use indexmap::IndexMap;
use multitrace_formats::sessions::RowLog;
use multitrace_interaction::{Alphabet, Id, LocationId, Session};
use std::sync::Arc;

/// The kind of actions in a row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowActions {
    /// One action. Rows are in the order of events, so that a lifeline stands for its location.
    One,
    /// The log of a location, or a part of it. The order of events in different logs is not known.
    Log,
}

/// Sessions that are put together row by row.
///
/// ```
/// use multitrace::{CompileOptions, Inputs, LogRows, RowActions, RunOptions, Spec, SpecFormat};
/// let spec = Spec::parse("ping.hif", "a -- ping -> b", SpecFormat::Hif);
/// let monitor = spec.compile(&CompileOptions::default())?.monitor;
/// let mut rows = LogRows::new(&monitor, "the table", RowActions::Log);
/// rows.add(Some("s1"), Some("a"), Some([Some("a!ping")]));
/// rows.add(Some("s1"), Some("b"), Some([Some("b?ping")]));
/// rows.add(Some("s2"), None, Some([Some("a!ping")]));
/// let report = monitor.run(Inputs::log_rows(rows), RunOptions::new(&monitor), &mut ())?;
/// assert_eq!((report.summary().pass, report.summary().errors), (1, 1));
/// # Ok::<(), multitrace::Error>(())
/// ```
#[derive(Debug)]
pub struct LogRows {
    monitor: Monitor,
    /// The name of the table in messages.
    name: String,
    actions: RowActions,
    /// Per location, whether it has one lifeline alone.
    is_single: Vec<bool>,
    sessions: IndexMap<String, Gathered>,
    /// The rows that name no session.
    nameless: Vec<usize>,
    /// How many rows there were.
    rows: usize,
}

/// The rows of a session so far.
#[derive(Debug)]
struct Gathered {
    first_row: usize,
    logs: Logs,
}

#[derive(Debug)]
enum Logs {
    /// Events of the specification at their locations.
    Letters(Session),
    /// Anything else.
    Texts(Vec<RowLog>),
    /// The first value that a row lacks; the session is not checked.
    Null(NullValue),
}

#[doc(hidden)]
impl Inputs {
    /// Sessions out of the rows of a table in memory.
    pub fn log_rows(rows: LogRows) -> Inputs {
        Inputs::in_memory(rows.finish().into())
    }
}

impl LogRows {
    /// No rows; `name` is that of the table in messages.
    pub fn new(monitor: &Monitor, name: &str, actions: RowActions) -> LogRows {
        let mut lifelines = vec![0; monitor.alphabet().locations().len()];
        for (_, location) in monitor.alphabet().lifelines() {
            lifelines[location.index()] += 1;
        }
        LogRows {
            monitor: monitor.clone(),
            name: name.to_owned(),
            actions,
            is_single: lifelines.into_iter().map(|count| count == 1).collect(),
            sessions: IndexMap::new(),
            nameless: Vec::new(),
            rows: 0,
        }
    }

    /// Adds a row. A null is `None`: a problem of the session, or of the row if it is the session's name.
    pub fn add<'a>(
        &mut self,
        session: Option<&str>,
        location: Option<&str>,
        actions: Option<impl IntoIterator<Item = Option<&'a str>>>,
    ) {
        self.rows += 1;
        let row = self.rows;
        let Some(id) = session else {
            self.nameless.push(row);
            return;
        };
        if !self.sessions.contains_key(id) {
            let logs = Logs::Letters(self.monitor.session(id).build());
            self.sessions.insert(id.to_owned(), Gathered { first_row: row, logs });
        }
        let Some(gathered) = self.sessions.get_mut(id) else { return };
        match (location, actions) {
            (None, _) => gathered.set_null(row, "location"),
            (_, None) => gathered.set_null(row, "actions"),
            (Some(location), Some(actions)) => {
                let alphabet = self.monitor.alphabet();
                let names = Names { alphabet, actions: self.actions, is_single: &self.is_single };
                if !gathered.add(names, location, row, actions) {
                    gathered.set_null(row, "an action");
                }
            }
        }
    }

    /// The sessions in the order of their first rows.
    pub(crate) fn finish(self) -> Vec<MemorySession> {
        let LogRows { monitor, name, sessions, nameless, .. } = self;
        let has_nameless = !nameless.is_empty();
        let table = Arc::new(RowTable { name, alphabet: monitor.alphabet().clone() });
        let unread =
            |id, rows| MemorySession::Rows(RowSession { table: Arc::clone(&table), id, rows });
        let gathered = |(id, gathered): (String, Gathered)| {
            let session = match gathered.logs {
                Logs::Letters(session) => MemorySession::Read(session),
                Logs::Texts(logs) => unread(Some(id), SessionRows::Texts(logs)),
                Logs::Null(null) => unread(Some(id), SessionRows::Null(null)),
            };
            (gathered.first_row, session)
        };
        let mut all: Vec<_> = sessions.into_iter().map(gathered).collect();
        let null = |row| SessionRows::Null(NullValue { row, of: "session" });
        all.extend(nameless.into_iter().map(|row| (row, unread(None, null(row)))));
        if has_nameless {
            all.sort_by_key(|(row, _)| *row);
        }
        all.into_iter().map(|(_, session)| session).collect()
    }
}

/// The alphabet and the settings that give names of a table their meaning.
#[derive(Clone, Copy)]
struct Names<'m> {
    alphabet: &'m Alphabet,
    actions: RowActions,
    is_single: &'m [bool],
}

impl Names<'_> {
    /// The location that a row's name stands for as a whole.
    fn whole(self, name: &str) -> Option<LocationId> {
        let is_whole =
            |at: &LocationId| self.actions == RowActions::One || self.is_single[at.index()];
        let of_lifeline = self.alphabet.location_of_lifeline(name).filter(is_whole);
        of_lifeline.or_else(|| self.alphabet.location(name))
    }
}

impl Gathered {
    /// Adds the events of a row; false at a null among them.
    fn add<'a>(
        &mut self,
        names: Names<'_>,
        name: &str,
        row: usize,
        actions: impl IntoIterator<Item = Option<&'a str>>,
    ) -> bool {
        let (alphabet, location) = (names.alphabet, names.whole(name));
        let mut actions = actions.into_iter().peekable();
        if actions.peek().is_none() {
            // A log without events counts beside others of its lifelines, and where nobody knows it.
            match location {
                Some(at) if names.is_single[at.index()] => {}
                Some(at) => self.add_text(alphabet, (alphabet.location_name(at), row), None),
                None => self.add_text(alphabet, (name, row), None),
            }
        }
        let at = (name, location);
        actions.all(|action| action.map(|it| self.push(alphabet, at, row, it)).is_some())
    }

    fn push(
        &mut self,
        alphabet: &Alphabet,
        (name, location): (&str, Option<LocationId>),
        row: usize,
        action: &str,
    ) {
        if let (Logs::Letters(session), Some(location)) = (&mut self.logs, location) {
            let letter = alphabet.read_letter(action);
            if let Some(letter) = letter.filter(|it| alphabet.location_of(*it) == location) {
                session.trace[location.index()].push(letter);
                return;
            }
        }
        let name = location.map_or(name, |location| alphabet.location_name(location));
        self.add_text(alphabet, (name, row), Some(action));
    }

    /// Adds an event, or a log without one, as text, unless something is wrong already.
    fn add_text(&mut self, alphabet: &Alphabet, (name, row): (&str, usize), action: Option<&str>) {
        if let Logs::Letters(session) = &self.logs {
            self.logs = Logs::Texts(texts_of(session, self.first_row, alphabet));
        }
        let Logs::Texts(logs) = &mut self.logs else { return };
        let known = logs.iter().position(|log| log.location == name);
        let at = known.unwrap_or_else(|| {
            logs.push(RowLog { location: name.to_owned(), row, events: Vec::new() });
            logs.len() - 1
        });
        logs[at].events.extend(action.map(|action| (row, action.to_owned())));
    }

    /// The first null stays.
    fn set_null(&mut self, row: usize, of: &'static str) {
        if !matches!(self.logs, Logs::Null(_)) {
            self.logs = Logs::Null(NullValue { row, of });
        }
    }
}

/// The logs of a session as texts. Their rows are not known any more; nothing is wrong with them alone.
fn texts_of(session: &Session, row: usize, alphabet: &Alphabet) -> Vec<RowLog> {
    let logs = alphabet.locations().zip(&session.trace).filter(|(_, log)| !log.is_empty());
    logs.map(|(location, log)| {
        let events = log.iter().map(|&letter| (row, alphabet.letter_name(letter).to_owned()));
        let location = alphabet.location_name(location).to_owned();
        RowLog { location, row, events: events.collect() }
    })
    .collect()
}
