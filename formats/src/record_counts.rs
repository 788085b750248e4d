//! Counts of the records of event logs.

use crate::place::Place;
use crate::record_kinds::RecordKinds;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many records event logs have, and how many of them made events.
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
    /// Those of them that no `[[keep]]` matches. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_kept: u64,
    /// Records that no rule matches, or no pattern.
    pub unmatched: u64,
    /// Those of them that make no note, because the mapping says `unmatched = "ignore"`.
    #[serde(skip)]
    pub ignored: u64,
    /// Those of them that no pattern matches, in plain text. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub without_pattern: u64,
    /// Those of them that are lines before the first one that matches `start`. Left out of JSON if
    /// zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub before_start: u64,
    /// Those of them in tables without a column that a rule tests. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub without_column: u64,
    /// Records of plain text that the leftmost match would give to another pattern, unless the
    /// mapping says which pattern wins. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub other_pattern: u64,
    /// Patterns that won no record, once all are read. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub unused_patterns: u64,
    /// Events whose session another record tells. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub joined: u64,
    /// Events of no session: no record tells the session of their id. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub without_session: u64,
    /// Requests without a response (`reply-to`). Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub unanswered: u64,
    /// Responses without a request. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub unasked: u64,
    /// Records without the list that `for-each` names. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub without_list: u64,
    /// Spans that are those of an id once more, alike in all fields. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub repeated_spans: u64,
    /// Documents that say that another page follows. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub unfinished_pages: u64,
    /// Files with records that all were left out by filters. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped_files: u64,
    /// Files and streams that hold no record, beside files without a byte. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub empty_files: u64,
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
        let mut part = *part;
        for ((_, all), (_, more)) in self.fields().into_iter().zip(part.fields()) {
            *all = all.saturating_add(*more);
        }
    }

    /// All counts by their names.
    pub fn fields(&mut self) -> [(&'static str, &mut u64); 24] {
        [
            ("records", &mut self.records),
            ("mapped", &mut self.mapped),
            ("events", &mut self.events),
            ("dropped", &mut self.dropped),
            ("not_kept", &mut self.not_kept),
            ("unmatched", &mut self.unmatched),
            ("ignored", &mut self.ignored),
            ("without_pattern", &mut self.without_pattern),
            ("before_start", &mut self.before_start),
            ("without_column", &mut self.without_column),
            ("other_pattern", &mut self.other_pattern),
            ("unused_patterns", &mut self.unused_patterns),
            ("joined", &mut self.joined),
            ("without_session", &mut self.without_session),
            ("unanswered", &mut self.unanswered),
            ("unasked", &mut self.unasked),
            ("without_list", &mut self.without_list),
            ("repeated_spans", &mut self.repeated_spans),
            ("unfinished_pages", &mut self.unfinished_pages),
            ("dropped_files", &mut self.dropped_files),
            ("empty_files", &mut self.empty_files),
            ("not_selected", &mut self.not_selected),
            ("cut_off", &mut self.cut_off),
            ("spilled_bytes", &mut self.spilled_bytes),
        ]
    }

    /// All counts by their names, to be written.
    pub fn by_name(mut self) -> BTreeMap<String, u64> {
        self.fields().into_iter().map(|(name, count)| (name.to_owned(), *count)).collect()
    }

    /// The counts that [`RecordCounts::by_name`] gave.
    ///
    /// # Errors
    /// Those of [`set_counts`].
    pub fn of_names(values: &BTreeMap<String, u64>) -> Result<RecordCounts, CountsError> {
        let mut counts = RecordCounts::default();
        set_counts(counts.fields(), values)?;
        Ok(counts)
    }

    /// The counts of sessions alone. The others, of records and files, are the same in every part of an
    /// input that is parted by sessions.
    #[must_use]
    pub fn of_sessions(&self) -> RecordCounts {
        let RecordCounts { events, joined, not_selected, .. } = *self;
        RecordCounts { events, joined, not_selected, ..RecordCounts::default() }
    }
}

/// Counts of records beside [`RecordCounts`], for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordDetails {
    /// How many records each pattern of plain text won.
    pub pattern_wins: Vec<u64>,
    /// The kinds of records that no rule matches.
    pub unmatched: RecordKinds,
    /// The column of a table that looks like the order of its rows, of those the first by name, if the mapping has no order.
    pub unused_order: Option<String>,
    /// The first span that repeats another one: the numbers of its input and of its record there, and its place.
    pub repeated_span: Option<((u32, u64), Place)>,
}

impl RecordDetails {
    /// How many patterns of plain text won no record, if any pattern won one.
    pub fn unused_patterns(&self) -> u64 {
        let used = self.pattern_wins.iter().filter(|won| **won > 0).count();
        if used == 0 { 0 } else { (self.pattern_wins.len() - used) as u64 }
    }

    /// Adds the column of another part of the input that looks like an order.
    pub fn add_unused_order(&mut self, other: Option<&String>) {
        let own = self.unused_order.take();
        self.unused_order = own.into_iter().chain(other.cloned()).min();
    }

    /// Adds a span that repeats another one, in another part of the input.
    pub fn add_repeated_span(&mut self, other: Option<&((u32, u64), Place)>) {
        let own = self.repeated_span.take();
        self.repeated_span = own.into_iter().chain(other.cloned()).min();
    }

    /// Forgets all counts.
    pub fn clear(&mut self) {
        (self.unused_order, self.repeated_span) = (None, None);
        self.pattern_wins.fill(0);
        self.unmatched.clear();
    }
}

/// Counts that are not those of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountsError {
    /// There are more or fewer of them.
    #[error("{found} counts where there should be {expected}")]
    Number {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A name has no count.
    #[error("the count of {0:?} is missing")]
    Missing(&'static str),
}

/// Sets counts by their names.
///
/// # Errors
/// When there are more or fewer values, or one is of another name.
pub fn set_counts<const N: usize>(
    fields: [(&'static str, &mut u64); N],
    values: &BTreeMap<String, u64>,
) -> Result<(), CountsError> {
    if values.len() != N {
        return Err(CountsError::Number { found: values.len(), expected: N });
    }
    for (name, field) in fields {
        *field = *values.get(name).ok_or(CountsError::Missing(name))?;
    }
    Ok(())
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
