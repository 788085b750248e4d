//! Event logs as a stream of sessions, in the order of their first events.

use super::draw::Drawn;
use super::event_reader::{EventReader, Part};
use super::stored_event::{self as encode, StoredEvent};
use crate::grouping::{Grouped, Merge, Store, records};
use crate::log_error::LogError;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::record_counts::RecordCounts;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// About so many bytes of sessions are handed out at once.
pub(crate) const CHUNK_BYTES: usize = 1 << 16;

/// Events that are all read before the first session is handed out.
pub struct Collector {
    reader: EventReader,
    store: Store,
    counts: RecordCounts,
}

impl Collector {
    /// Uses about so many bytes of memory, and disk for the rest.
    pub fn new(reader: EventReader, memory: usize) -> Collector {
        Collector { reader, store: Store::new(memory), counts: RecordCounts::default() }
    }

    /// Reads on; what is wrong with the input there. `None` when all is read.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn read(&mut self) -> Result<Option<Vec<InputProblem>>, LogError> {
        let parts = self.reader.next_parts();
        if parts.is_empty() {
            return Ok(None);
        }
        let mut problems = Vec::new();
        for part in parts {
            self.counts.add(&part.counts);
            self.store.add(&part.batch).map_err(|error| LogError::temporary(error))?;
            problems.extend(part.problems);
        }
        Ok(Some(problems))
    }

    /// How many records have been read.
    pub fn records(&self) -> u64 {
        self.counts.records
    }

    /// All sessions, and what became of the records.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub fn finish(self) -> Result<(EventSessions, RecordCounts), LogError> {
        let counts = RecordCounts { spilled_bytes: self.store.spilled(), ..self.counts };
        let merge = self.store.into_runs().and_then(Merge::new);
        let merge = merge.map_err(|error| LogError::temporary(error))?;
        Ok((EventSessions::Merged { merge, cut: counts.cut_off > 0 }, counts))
    }
}

/// Some sessions of event logs, or what is wrong with the input.
#[derive(Debug)]
pub enum EventItem {
    /// Sessions with all their events.
    Sessions {
        /// The sessions, in the order of their first events.
        sessions: Vec<Grouped>,
        /// Whether some of their events may be missing because a file was cut off.
        cut: bool,
    },
    /// What is wrong with the event logs.
    Problems(Vec<InputProblem>),
}

/// Sessions with all their events.
pub enum EventSessions {
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
    pub fn next_batch(&mut self, threads: usize) -> Result<Vec<EventItem>, LogError> {
        match self {
            EventSessions::Streamed(streamed) => streamed.next_batch(),
            EventSessions::Drawn(drawn) => Ok(drawn.next_batch(threads)),
            EventSessions::Merged { merge, cut } => {
                let mut batch = Vec::new();
                while batch.len() < threads * 4
                    && let Some(sessions) = next_chunk(merge)?
                {
                    batch.push(EventItem::Sessions { sessions, cut: *cut });
                }
                Ok(batch)
            }
        }
    }

    /// What became of the records, where they are read while sessions are handed out.
    pub fn counts(&self) -> Option<RecordCounts> {
        match self {
            EventSessions::Streamed(streamed) => Some(streamed.counts),
            EventSessions::Drawn(drawn) => Some(drawn.counts()),
            EventSessions::Merged { .. } => None,
        }
    }
}

fn next_chunk(merge: &mut Merge) -> Result<Option<Vec<Grouped>>, LogError> {
    let (mut chunk, mut size) = (Vec::new(), 0);
    while size < CHUNK_BYTES
        && let Some(session) = merge.next()
    {
        let session = session.map_err(|error| LogError::temporary(error))?;
        size += session.size();
        chunk.push(session);
    }
    Ok((!chunk.is_empty()).then_some(chunk))
}

/// Sessions whose events follow one another. The last one read need not be complete.
pub struct Streamed {
    reader: EventReader,
    counts: RecordCounts,
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
    pub fn new(reader: EventReader) -> Streamed {
        Streamed {
            reader,
            counts: RecordCounts::default(),
            number: 0,
            open: None,
            over: HashSet::new(),
            ended: false,
        }
    }

    /// Fails when a session goes on after another one has begun.
    fn next_batch(&mut self) -> Result<Vec<EventItem>, LogError> {
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
    fn add(&mut self, part: Part, batch: &mut Vec<EventItem>) -> Result<(), LogError> {
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
            batch.push(EventItem::Problems(part.problems));
        }
        batch.extend(over);
        Ok(())
    }

    /// Begins a session with an event. Fails when it was over: its verdict was that of a part.
    fn begin(&mut self, session: &[u8], event: &[u8]) -> Result<(), LogError> {
        self.open = Some(Open { session: session.to_owned(), records: Vec::new(), cut: false });
        let mut hasher = DefaultHasher::new();
        session.hash(&mut hasher);
        let is_new = self.over.len() >= MOST_REMEMBERED || self.over.insert(hasher.finish());
        if is_new {
            return Ok(());
        }
        let StoredEvent { file, place, .. } = encode::read(event);
        let file = self.reader.mapper.files.get(file as usize).map_or("", |file| &**file);
        let session = String::from_utf8_lossy(session);
        let session = session.into_owned();
        Err(LogError::Interleaved { file: file.to_owned(), place, session })
    }
}

impl Open {
    /// Adds the session to those before it.
    fn close(self, over: &mut Vec<EventItem>) {
        let records = self.records.iter().map(|(number, content)| (*number, &**content));
        let session = Grouped::new(&self.session, records);
        match over.last_mut() {
            Some(EventItem::Sessions { sessions, cut }) if *cut == self.cut => {
                sessions.push(session)
            }
            _ => over.push(EventItem::Sessions { sessions: vec![session], cut: self.cut }),
        }
    }
}
