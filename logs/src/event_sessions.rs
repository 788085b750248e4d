//! Event logs as a stream of sessions, in the order of their first events.

use crate::draw::{Drawn, SessionDraw};
use crate::event_item::{CHUNK_BYTES, EventItem, SessionsLeftOut};
use crate::grouping::{Grouped, RunMerge};
use crate::log_error::LogError;
use crate::session_rules::SessionRules;
use crate::streamed::Streamed;
use multitrace_formats::record_counts::{RecordCounts, RecordDetails};

/// How many chunks are handed out at once per thread: several, since some take longer than others.
const CHUNKS_PER_THREAD: usize = 4;

/// Sessions with all their events.
#[derive(Debug)]
pub enum EventSessions {
    /// Of events that have been collected.
    Merged(MergedSessions),
    /// Of events that come session by session.
    Streamed(Box<Streamed>),
    /// A sample of those.
    Drawn(Box<Drawn>),
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
            EventSessions::Merged(merged) => merged.next_batch(threads),
        }
    }

    /// Patterns that won and records that no rule matches; `None` for sessions whose events were all read before.
    pub fn details(&self) -> Option<&RecordDetails> {
        match self {
            EventSessions::Streamed(streamed) => Some(streamed.details()),
            EventSessions::Drawn(drawn) => drawn.details(),
            EventSessions::Merged(_) => None,
        }
    }

    /// Counts of the records; `None` for sessions whose events were all read before.
    pub fn counts(&self) -> Option<RecordCounts> {
        match self {
            EventSessions::Streamed(streamed) => Some(streamed.counts()),
            EventSessions::Drawn(drawn) => Some(drawn.counts()),
            EventSessions::Merged(_) => None,
        }
    }
}

/// Sessions of events that have been collected.
#[derive(Debug)]
pub struct MergedSessions {
    merge: RunMerge,
    rules: Option<SessionRules>,
    /// Whether a file was cut off: then any session may be cut.
    cut: bool,
}

impl MergedSessions {
    pub(crate) fn new(merge: RunMerge, rules: Option<SessionRules>, cut: bool) -> MergedSessions {
        MergedSessions { merge, rules, cut }
    }

    fn next_batch(&mut self, threads: usize) -> Result<Vec<EventItem>, LogError> {
        let mut batch = Vec::new();
        while batch.len() < threads * CHUNKS_PER_THREAD
            && let Some((sessions, left_out)) = next_chunk(&mut self.merge, self.rules)?
        {
            batch.push(EventItem::Sessions { sessions, cut: self.cut, left_out });
        }
        Ok(batch)
    }
}

/// The next sessions, and those that were left out among them; `None` at the end.
fn next_chunk(
    merge: &mut RunMerge,
    rules: Option<SessionRules>,
) -> Result<Option<(Vec<Grouped>, SessionsLeftOut)>, LogError> {
    let (mut chunk, mut size, mut left_out) = (Vec::new(), 0, SessionsLeftOut::NONE);
    while size < CHUNK_BYTES
        && let Some(session) = merge.next()
    {
        let session = session.map_err(LogError::temporary)?;
        size += session.size();
        match rules {
            None => chunk.push(session),
            Some(rules) => rules.apply(session, &mut chunk, &mut left_out),
        }
    }
    Ok((size > 0).then_some((chunk, left_out)))
}

impl Drawn {
    /// Draws `count` sessions by a seed. `counts` are those of the records; without them, the sessions count at their
    /// end. Called on a thread pool.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub fn new(
        mut from: EventSessions,
        (count, seed): (usize, u64),
        counts: Option<RecordCounts>,
    ) -> Result<Drawn, LogError> {
        let mut draw = SessionDraw::new(count, seed);
        loop {
            let batch = from.next_batch(rayon::current_num_threads())?;
            if batch.is_empty() {
                break;
            }
            batch.into_iter().for_each(|item| draw.add(item));
        }
        let details = from.details().cloned();
        Ok(draw.finish(counts.or(from.counts()).unwrap_or_default(), details))
    }
}
