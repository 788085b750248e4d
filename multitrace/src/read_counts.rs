//! Counts of records and files of a run, for the remarks of its report.

use multitrace_formats::record_counts::{RecordCounts, RecordDetails};

/// Counts of the records and files that were read.
#[derive(Debug, Default)]
pub(crate) struct ReadCounts {
    pub(crate) counts: Option<RecordCounts>,
    pub(crate) details: RecordDetails,
    /// Files without a session, beside those of event logs.
    pub(crate) empty_files: u64,
}

impl ReadCounts {
    /// Adds the counts of another part of the input.
    pub(crate) fn add(&mut self, part: &ReadCounts) {
        if let Some(more) = &part.counts {
            self.counts.get_or_insert_default().add(more);
        }
        self.empty_files += part.empty_files;
    }
}
