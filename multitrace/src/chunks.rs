//! The chunks of all inputs of a run, whatever they are.

use crate::chunk::Chunk;
use crate::error::Error;
use crate::inputs::InputSource;
use crate::memory_session::MemorySession;
use crate::read_counts::ReadCounts;
use crate::session_files::SessionFiles;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::selection::Selection;
use multitrace_interaction::Alphabet;
use multitrace_logs::{Collected, Collector, Drawn, EventItem, EventLog, EventSessions, Streamed};
use std::collections::VecDeque;
use std::sync::Arc;

/// Sessions in memory that are handed out at once: enough to outweigh waking the threads.
const MEMORY_CHUNK: usize = 256;

/// Where chunks come from.
pub(crate) enum Chunks {
    Files(Box<SessionFiles>),
    /// Those that are left, and how many there were before them.
    Memory(VecDeque<MemorySession>, u64),
    Events(Box<EventSessions>),
}

/// How event logs are grouped into sessions.
pub(crate) struct Grouping<'a> {
    pub(crate) alphabet: &'a Alphabet,
    pub(crate) selection: Arc<Selection>,
    /// The events of each session follow one another.
    pub(crate) in_order: bool,
    /// About how many bytes of memory to use.
    pub(crate) memory: usize,
    /// How many sessions to draw, and the seed.
    pub(crate) sample: Option<(usize, u64)>,
}

/// Takes the problems of event logs while they are collected, and the number of records read.
pub(crate) type Collecting<'c> = dyn FnMut(Vec<InputProblem>, u64) -> Result<(), Error> + 'c;

impl Chunks {
    /// Opens the inputs. Unless the events of each session follow one another, all event logs are
    /// read first. Called on a thread pool. Also returns the counts of records that were read so far.
    ///
    /// # Errors
    /// When event logs cannot be grouped, and those of `collecting`.
    pub(crate) fn open(
        source: InputSource,
        grouping: Grouping<'_>,
        collecting: &mut Collecting<'_>,
    ) -> Result<(Chunks, ReadCounts), Error> {
        match source {
            InputSource::Files(files) => Ok((Chunks::Files(files), ReadCounts::default())),
            InputSource::Memory(sessions) => {
                Ok((Chunks::Memory(sessions, 0), ReadCounts::default()))
            }
            InputSource::Events(log) => {
                let sample = grouping.sample;
                let (sessions, read) = sessions(*log, grouping, collecting)?;
                let sessions = match sample {
                    None => sessions,
                    Some(sample) => {
                        EventSessions::Drawn(Box::new(Drawn::new(sessions, sample, read.counts)?))
                    }
                };
                Ok((Chunks::Events(Box::new(sessions)), read))
            }
        }
    }

    /// The next chunks for some threads; empty at the end. Called on a thread pool.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub(crate) fn next(&mut self, threads: usize) -> Result<Vec<Chunk>, Error> {
        match self {
            Chunks::Files(files) => Ok(files.next_chunks(threads)),
            Chunks::Memory(sessions, before) => {
                let most = sessions.len().min(threads * MEMORY_CHUNK);
                let mut taken: VecDeque<MemorySession> = sessions.drain(..most).collect();
                let mut chunks = Vec::new();
                while !taken.is_empty() {
                    let size = taken.len().min(MEMORY_CHUNK);
                    let sessions = taken.drain(..size).collect();
                    chunks.push(Chunk::Memory { before: *before, sessions });
                    *before += size as u64;
                }
                Ok(chunks)
            }
            Chunks::Events(events) => {
                Ok(events.next_batch(threads)?.into_iter().map(Chunk::from).collect())
            }
        }
    }

    /// Adds the counts since [`Chunks::open`] to those of the opening.
    pub(crate) fn add_to(&self, read: &mut ReadCounts) {
        match self {
            Chunks::Events(events) => {
                read.counts = events.counts().or(read.counts);
                if let Some(details) = events.details() {
                    read.details = details.clone();
                }
            }
            Chunks::Files(files) => read.empty_files += files.empty(),
            Chunks::Memory(..) => {}
        }
    }
}

impl From<EventItem> for Chunk {
    fn from(item: EventItem) -> Chunk {
        match item {
            EventItem::Sessions { sessions, cut, left_out } => {
                Chunk::Grouped { sessions, cut, left_out }
            }
            EventItem::Problems(problems) => Chunk::Problems(problems),
        }
    }
}

fn sessions(
    log: EventLog,
    grouping: Grouping<'_>,
    collecting: &mut Collecting<'_>,
) -> Result<(EventSessions, ReadCounts), Error> {
    let Grouping { alphabet, selection, in_order, memory, .. } = grouping;
    let reader = log.reader(alphabet, selection, in_order);
    if in_order {
        return Ok((
            EventSessions::Streamed(Box::new(Streamed::new(reader)?)),
            ReadCounts::default(),
        ));
    }
    let mut collector = Collector::new(reader, memory);
    while let Some(problems) = collector.read()? {
        collecting(problems, collector.records())?;
    }
    let records = collector.records();
    let Collected { sessions, counts, problems, details } = collector.finish()?;
    collecting(problems, records)?;
    Ok((
        EventSessions::Merged(sessions),
        ReadCounts { counts: Some(counts), details, empty_files: 0 },
    ))
}
