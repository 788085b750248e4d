//! Event logs that are read to their end before sessions come out.

use crate::event_reader::EventReader;
use crate::event_sessions::{EventSessions, MergedSessions};
use crate::grouping::{EventStore, RunMerge};
use crate::log_error::LogError;
use crate::session_rules::SessionRules;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::record_counts::RecordCounts;

/// Events that are all read before the first session is handed out.
#[derive(Debug)]
pub struct Collector {
    reader: EventReader,
    store: EventStore,
    counts: RecordCounts,
}

impl Collector {
    /// Uses about `memory` bytes, and disk for the rest.
    pub fn new(reader: EventReader, memory: usize) -> Collector {
        Collector { reader, store: EventStore::new(memory), counts: RecordCounts::default() }
    }

    /// Reads on, and returns what is wrong with that part of the input; `None` at the end.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn read(&mut self) -> Result<Option<Vec<InputProblem>>, LogError> {
        let batches = self.reader.next_batches();
        if batches.is_empty() {
            return Ok(None);
        }
        let mut problems = Vec::new();
        for batch in batches {
            self.counts.add(&batch.counts);
            self.store.add(&batch.events).map_err(LogError::temporary)?;
            problems.extend(batch.problems);
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
        let counts = RecordCounts {
            spilled_bytes: self.store.spilled(),
            unused_patterns: self.reader.unused_patterns(),
            ..self.counts
        };
        let rules = SessionRules::of(&self.reader.mapper.mapping);
        let merge = self.store.into_runs().and_then(RunMerge::new);
        let merge = merge.map_err(LogError::temporary)?;
        let merged = MergedSessions::new(merge, rules, counts.cut_off > 0);
        Ok((EventSessions::Merged(merged), counts))
    }
}
