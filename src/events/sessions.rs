//! Event logs as a stream of sessions, in the order of their first events.

use super::draw::Drawn;
use super::encode::{self, Written};
use super::read::{Part, Problem, Reader};
use crate::failure::{Failure, Outcome};
use crate::grouping::{Grouped, Merge, Store, records};
use crate::inputs::Input;
use multitrace_formats::report::InputCounts;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

/// About so many bytes of sessions are handed out at once.
pub(super) const CHUNK_BYTES: usize = 1 << 16;

/// Events that are all read before the first session is handed out.
pub(crate) struct Collector {
    reader: Reader,
    store: Store,
    counts: InputCounts,
}

impl Collector {
    /// Uses about so many bytes of memory, and disk for the rest.
    pub(crate) fn new(reader: Reader, memory: usize) -> Collector {
        Collector { reader, store: Store::new(memory), counts: InputCounts::default() }
    }

    /// Reads on; what is wrong with the input there. `None` when all is read.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(crate) fn read(&mut self) -> Outcome<Option<Vec<Problem>>> {
        let parts = self.reader.next_parts();
        if parts.is_empty() {
            return Ok(None);
        }
        let mut problems = Vec::new();
        for part in parts {
            self.counts.add(&part.counts);
            self.store.add(&part.batch).map_err(|error| temporary(&error))?;
            problems.extend(part.problems);
        }
        Ok(Some(problems))
    }

    /// How many records have been read.
    pub(crate) fn records(&self) -> u64 {
        self.counts.records
    }

    /// All sessions, and what became of the records.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub(crate) fn finish(self) -> Outcome<(EventSessions, InputCounts)> {
        let counts = InputCounts { spilled_bytes: self.store.spilled(), ..self.counts };
        let merge = self.store.into_runs().and_then(Merge::new);
        let merge = merge.map_err(|error| temporary(&error))?;
        Ok((EventSessions::Merged { merge, cut: counts.cut_off > 0 }, counts))
    }
}

fn temporary(error: &io::Error) -> Failure {
    let folder = std::env::temp_dir();
    // EMFILE and ENFILE have no kind of their own.
    let remedy = match error.raw_os_error() {
        Some(23 | 24) => {
            "raise --memory, or the number of files a process may have open (ulimit -n)"
        }
        _ => "set TMPDIR to a folder with room, or raise --memory",
    };
    Failure::new(format!("cannot use a temporary file in {}: {error}; {remedy}", folder.display()))
}

/// Sessions with all their events.
pub(crate) enum EventSessions {
    /// Of events that have been collected. When a file was cut off, any session may be cut.
    Merged { merge: Merge, cut: bool },
    /// Of events that come session by session.
    Streamed(Box<Streamed>),
    /// A sample of those.
    Drawn(Drawn),
}

impl EventSessions {
    /// The next sessions for some threads; empty at the end. Called on a thread pool.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub(crate) fn next_batch(&mut self, threads: usize) -> Outcome<Vec<Input>> {
        match self {
            EventSessions::Streamed(streamed) => streamed.next_batch(),
            EventSessions::Drawn(drawn) => Ok(drawn.next_batch(threads)),
            EventSessions::Merged { merge, cut } => {
                let mut batch = Vec::new();
                while batch.len() < threads * 4
                    && let Some(sessions) = next_chunk(merge)?
                {
                    batch.push(Input::Sessions { sessions, cut: *cut });
                }
                Ok(batch)
            }
        }
    }

    /// What became of the records, where they are read while sessions are handed out.
    pub(crate) fn counts(&self) -> Option<InputCounts> {
        match self {
            EventSessions::Streamed(streamed) => Some(streamed.counts),
            EventSessions::Drawn(drawn) => Some(drawn.counts()),
            EventSessions::Merged { .. } => None,
        }
    }
}

fn next_chunk(merge: &mut Merge) -> Outcome<Option<Vec<Grouped>>> {
    let (mut chunk, mut size) = (Vec::new(), 0);
    while size < CHUNK_BYTES
        && let Some(session) = merge.next()
    {
        let session = session.map_err(|error| temporary(&error))?;
        size += session.size();
        chunk.push(session);
    }
    Ok((!chunk.is_empty()).then_some(chunk))
}

/// Sessions whose events follow one another. The last one read need not be complete.
pub(crate) struct Streamed {
    reader: Reader,
    counts: InputCounts,
    /// How many events have been read.
    number: u64,
    open: Option<Open>,
    /// Hashes of sessions that are over, to see when one goes on after all.
    over: HashSet<u64>,
    ended: bool,
}

/// So many sessions that are over are remembered; the others are not seen to go on.
const MOST_REMEMBERED: usize = 4_000_000;

struct Open {
    session: Vec<u8>,
    records: Vec<(u64, Vec<u8>)>,
    /// Whether a file was cut off since it began.
    cut: bool,
}

impl Streamed {
    pub(crate) fn new(reader: Reader) -> Streamed {
        Streamed {
            reader,
            counts: InputCounts::default(),
            number: 0,
            open: None,
            over: HashSet::new(),
            ended: false,
        }
    }

    /// Fails when a session goes on after another one has begun.
    fn next_batch(&mut self) -> Outcome<Vec<Input>> {
        let mut batch = Vec::new();
        while batch.is_empty() && !self.ended {
            let parts = self.reader.next_parts();
            if parts.is_empty() {
                self.ended = true;
                self.open.take().into_iter().for_each(|open| open.close(&mut batch));
            }
            for part in parts {
                self.add(part, &mut batch)?;
            }
        }
        Ok(batch)
    }

    /// Adds the sessions that end in a part.
    fn add(&mut self, part: Part, batch: &mut Vec<Input>) -> Outcome<()> {
        self.counts.add(&part.counts);
        let mut over = Vec::new();
        for record in records(self.number, part.batch.only_part()) {
            let goes_on = self.open.as_ref().is_some_and(|open| open.session == record.session);
            if !goes_on {
                self.open.take().into_iter().for_each(|open| open.close(&mut over));
                self.begin(record.session, record.content)?;
            }
            if let Some(open) = &mut self.open {
                open.records.push((record.number, record.content.to_vec()));
            }
        }
        self.number += part.batch.len();
        if let Some(open) = &mut self.open {
            open.cut |= part.counts.cut_off > 0;
        }
        if !part.problems.is_empty() {
            batch.push(Input::Problems(part.problems));
        }
        batch.extend(over);
        Ok(())
    }

    /// Begins a session with an event. Fails when it was over: its verdict was that of a part.
    fn begin(&mut self, session: &[u8], event: &[u8]) -> Outcome<()> {
        self.open = Some(Open { session: session.to_owned(), records: Vec::new(), cut: false });
        let mut hasher = DefaultHasher::new();
        session.hash(&mut hasher);
        let is_new = self.over.len() >= MOST_REMEMBERED || self.over.insert(hasher.finish());
        if is_new {
            return Ok(());
        }
        let Written { file, place, .. } = encode::read(event);
        let file = self.reader.mapper.files.get(file as usize).map_or("", |file| &**file);
        let session = String::from_utf8_lossy(session);
        Err(Failure::new(format!(
            "{file}, {place}: session {session:?} goes on after another one has begun; leave out \
             --grouped"
        )))
    }
}

impl Open {
    /// Adds the session to those before it.
    fn close(self, over: &mut Vec<Input>) {
        let records = self.records.iter().map(|(number, content)| (*number, &**content));
        let session = Grouped::new(&self.session, records);
        match over.last_mut() {
            Some(Input::Sessions { sessions, cut }) if *cut == self.cut => sessions.push(session),
            _ => over.push(Input::Sessions { sessions: vec![session], cut: self.cut }),
        }
    }
}
