//! Event logs in which the events of a session follow one another.

use crate::event_item::EventItem;
use crate::event_reader::EventReader;
use crate::grouping::{Grouped, records};
use crate::log_error::LogError;
use crate::mapper::MappedBatch;
use crate::stored_event::{StoredEvent, read};
use multitrace_formats::record_counts::RecordCounts;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Sessions whose events follow one another. The last one that was read may go on.
#[derive(Debug)]
pub struct Streamed {
    reader: EventReader,
    counts: RecordCounts,
    /// How many events have been read.
    number: u64,
    open: Option<OpenSession>,
    /// Hashes of sessions that are over, to notice if one goes on.
    over: HashSet<u64>,
    ended: bool,
}

/// How many sessions that are over are remembered. Their hashes take about 75 MB then, nine bytes each
/// in a table that doubles. A session that goes on after more of them is not noticed.
const MOST_REMEMBERED: usize = 4_000_000;

/// A session that may go on.
#[derive(Debug)]
struct OpenSession {
    session: Vec<u8>,
    records: Vec<(u64, Vec<u8>)>,
    /// Whether a file was cut off since it began.
    cut: bool,
}

impl Streamed {
    /// Reads on when sessions are asked for.
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

    pub(crate) fn counts(&self) -> RecordCounts {
        self.counts
    }

    /// Fails when a session goes on after another one has begun.
    pub(crate) fn next_batch(&mut self) -> Result<Vec<EventItem>, LogError> {
        let mut batch = Vec::new();
        while batch.is_empty() && !self.ended {
            let batches = self.reader.next_batches();
            if batches.is_empty() {
                self.ended = true;
                self.counts.unused_patterns = self.reader.unused_patterns();
                self.open.take().into_iter().for_each(|open| open.close(&mut batch));
            }
            for mapped in batches {
                self.add(mapped, &mut batch)?;
            }
        }
        Ok(batch)
    }

    /// Adds the sessions that end in a batch.
    fn add(&mut self, mapped: MappedBatch, batch: &mut Vec<EventItem>) -> Result<(), LogError> {
        self.counts.add(&mapped.counts);
        let mut over = Vec::new();
        for record in records(self.number, mapped.events.only_partition()) {
            let goes_on = self.open.as_ref().is_some_and(|open| open.session == record.session);
            if !goes_on {
                self.open.take().into_iter().for_each(|open| open.close(&mut over));
                self.begin(record.session, record.content)?;
            }
            if let Some(open) = &mut self.open {
                open.records.push((record.number, record.content.to_vec()));
            }
        }
        self.number += mapped.events.len();
        if let Some(open) = &mut self.open {
            open.cut |= mapped.counts.cut_off > 0;
        }
        if !mapped.problems.is_empty() {
            batch.push(EventItem::Problems(mapped.problems));
        }
        batch.extend(over);
        Ok(())
    }

    /// Begins a session with an event. Fails if the session had ended: its verdict missed
    /// this event.
    fn begin(&mut self, session: &[u8], event: &[u8]) -> Result<(), LogError> {
        self.open =
            Some(OpenSession { session: session.to_owned(), records: Vec::new(), cut: false });
        let mut hasher = DefaultHasher::new();
        session.hash(&mut hasher);
        let is_new = self.over.len() >= MOST_REMEMBERED || self.over.insert(hasher.finish());
        if is_new {
            return Ok(());
        }
        let StoredEvent { file, place, .. } = read(event);
        let file = self.reader.mapper.files.get(file as usize).map_or("", |file| &**file);
        let session = String::from_utf8_lossy(session);
        let session = session.into_owned();
        Err(LogError::Interleaved { file: file.to_owned(), place, session })
    }
}

impl OpenSession {
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
