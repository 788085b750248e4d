//! Event logs in which the events of a session follow one another.

use crate::event_item::{EventItem, SessionsLeftOut};
use crate::event_reader::EventReader;
use crate::grouping::{Grouped, records};
use crate::log_error::LogError;
use crate::mapper::MappedBatch;
use crate::session_rules::SessionRules;
use crate::stored_event::{StoredEvent, read};
use multitrace_formats::record_counts::{RecordCounts, RecordDetails};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Sessions whose events follow one another. The last one that was read may go on.
#[derive(Debug)]
pub struct Streamed {
    reader: EventReader,
    rules: Option<SessionRules>,
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
    ///
    /// # Errors
    /// When the mapping asks for all events first.
    pub fn new(reader: EventReader) -> Result<Streamed, LogError> {
        let mapping = &reader.mapper.mapping;
        let needs_all = match (mapping.has_joins(), mapping.relations(), mapping.replies()) {
            (true, ..) => Some("[[join]]"),
            (false, Some(_), _) => Some("fields of other spans"),
            (false, None, Some(_)) => Some("reply-to"),
            (false, None, None) => None,
        };
        if let Some(what) = needs_all {
            let map = mapping.source().name().to_owned();
            return Err(LogError::NotInOrder { map, what });
        }
        Ok(Streamed {
            rules: SessionRules::from_mapping(&reader.mapper.mapping),
            reader,
            counts: RecordCounts::default(),
            number: 0,
            open: None,
            over: HashSet::new(),
            ended: false,
        })
    }

    pub(crate) fn counts(&self) -> RecordCounts {
        self.counts
    }

    /// Patterns that won and records that no rule matches, so far.
    pub(crate) fn details(&self) -> &RecordDetails {
        self.reader.details()
    }

    /// Ends the open session. One of another shard is dropped only now: it has ended the session before.
    fn close(&mut self, over: &mut Vec<EventItem>) {
        let Some(open) = self.open.take() else { return };
        if self.reader.mapper.selection.in_shard(&String::from_utf8_lossy(&open.session)) {
            open.close(self.rules, over);
            return;
        }
        let events = open.records.iter().filter(|(_, content)| read(content).kind.is_event());
        self.counts.events -= events.count() as u64;
    }

    /// Fails when a session goes on after another one has begun.
    pub(crate) fn next_batch(&mut self) -> Result<Vec<EventItem>, LogError> {
        let mut batch = Vec::new();
        while batch.is_empty() && !self.ended {
            let batches = self.reader.next_batches();
            if batches.is_empty() {
                self.ended = true;
                self.counts.unused_patterns = self.reader.details().unused_patterns();
                self.close(&mut batch);
                batch.extend(self.reader.newest_first().map(EventItem::Problems));
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
                self.close(&mut over);
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
            batch.push(EventItem::Problems(mapped.problems.into_vec()));
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
    fn close(self, rules: Option<SessionRules>, over: &mut Vec<EventItem>) {
        let records = self.records.iter().map(|(number, content)| (*number, &**content));
        let session = Grouped::new(&self.session, records);
        let of_this =
            |item: &EventItem| matches!(item, EventItem::Sessions { cut, .. } if *cut == self.cut);
        if !over.last().is_some_and(of_this) {
            let left_out = SessionsLeftOut::NONE;
            over.push(EventItem::Sessions { sessions: Vec::new(), cut: self.cut, left_out });
        }
        if let Some(EventItem::Sessions { sessions, left_out, .. }) = over.last_mut() {
            match rules {
                None => sessions.push(session),
                Some(rules) => rules.apply(session, sessions, left_out),
            }
        }
    }
}
