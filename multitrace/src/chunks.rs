//! The chunks of all inputs of a run, whatever they are.

use crate::error::Error;
use crate::inputs::{Chunk, SessionFiles};
use multitrace_formats::record_counts::RecordCounts;
use multitrace_interaction::Session;
use multitrace_logs::{EventItem, EventSessions};
use std::collections::VecDeque;

/// Sessions in memory that are handed out at once: enough to outweigh waking the threads.
const MEMORY_CHUNK: usize = 256;

/// Where chunks come from.
pub(crate) enum Chunks {
    Files(SessionFiles),
    Memory(VecDeque<Session>),
    Events(EventSessions),
}

impl Chunks {
    /// The next chunks for some threads; empty at the end. Called on a thread pool.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub(crate) fn next(&mut self, threads: usize) -> Result<Vec<Chunk>, Error> {
        match self {
            Chunks::Files(files) => Ok(files.next_chunks(threads)),
            Chunks::Memory(sessions) => {
                let most = sessions.len().min(threads * MEMORY_CHUNK);
                let mut taken: VecDeque<Session> = sessions.drain(..most).collect();
                let mut chunks = Vec::new();
                while !taken.is_empty() {
                    let size = taken.len().min(MEMORY_CHUNK);
                    chunks.push(Chunk::Memory(taken.drain(..size).collect()));
                }
                Ok(chunks)
            }
            Chunks::Events(events) => {
                Ok(events.next_batch(threads)?.into_iter().map(Chunk::from).collect())
            }
        }
    }

    /// What became of the records of event logs that are read while sessions are handed out.
    pub(crate) fn counts(&self) -> Option<RecordCounts> {
        match self {
            Chunks::Events(events) => events.counts(),
            Chunks::Files(_) | Chunks::Memory(_) => None,
        }
    }
}

impl From<EventItem> for Chunk {
    fn from(item: EventItem) -> Chunk {
        match item {
            EventItem::Sessions { sessions, cut } => Chunk::Grouped { sessions, cut },
            EventItem::Problems(problems) => Chunk::Problems(problems),
        }
    }
}
