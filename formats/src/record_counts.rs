//! What became of the records of event logs.

use serde::Serialize;

/// How many records event logs have, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecordCounts {
    /// Records read.
    pub records: u64,
    /// Records that made events.
    pub mapped: u64,
    /// Events made, of sessions that were selected.
    pub events: u64,
    /// Records left out by filters.
    pub dropped: u64,
    /// Records that no rule matches.
    pub unmatched: u64,
    /// Events of sessions that were not selected.
    pub not_selected: u64,
    /// Files that were cut off: their last record is broken, or reading them failed.
    pub cut_off: u64,
    /// Bytes of events that were put on disk for a while.
    pub spilled_bytes: u64,
}

impl RecordCounts {
    /// Adds the counts of another part of the input.
    pub fn add(&mut self, part: &RecordCounts) {
        self.records += part.records;
        self.mapped += part.mapped;
        self.events += part.events;
        self.dropped += part.dropped;
        self.unmatched += part.unmatched;
        self.not_selected += part.not_selected;
        self.cut_off += part.cut_off;
        self.spilled_bytes += part.spilled_bytes;
    }
}
