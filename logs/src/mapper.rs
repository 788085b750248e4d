//! Records to events, on any thread.

use crate::assemble::{known_letter, write_action};
use crate::batches::RecordBatch;
use crate::error::EventError;
use crate::field::FieldId;
use crate::format::PatternsWin;
use crate::grouping::EventBatch;
use crate::mapping::{
    Binding, Broken, Event, Events, Explained, MappedRecord, Mapping, OrderKey, RuleId,
    SessionMark, Unmatched, WhyUnmatched,
};
use crate::record::{PatternMatch, Record, RecordPlace};
use crate::record_problem::record_problem;
use crate::record_tally::RecordTally;
use crate::stored_event::{StoredEvent, StoredKind, write};
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace};
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::selection::Selection;
use multitrace_formats::workers::guarded;
use multitrace_interaction::Alphabet;
use std::sync::Arc;

/// What events are made with. Shared by all threads.
pub(crate) struct Mapper {
    pub(crate) mapping: Mapping,
    pub(crate) alphabet: Alphabet,
    pub(crate) selection: Arc<Selection>,
    pub(crate) files: Arc<[Arc<str>]>,
    /// Whether events keep their order, because those of a session follow one another.
    pub(crate) in_order: bool,
    /// Whether what became of the records is counted by rule and reason.
    pub(crate) tallies: bool,
}

/// What a batch of records gave.
pub(crate) struct MappedBatch {
    pub(crate) events: EventBatch,
    pub(crate) counts: RecordCounts,
    /// How many records each pattern of plain text won.
    pub(crate) pattern_wins: Vec<u64>,
    /// What is wrong with the input.
    pub(crate) problems: Vec<InputProblem>,
    /// Whether its last record is broken.
    pub(crate) ends_broken: bool,
    /// The records by rule and reason, if the mapper counts them.
    pub(crate) tally: Option<Box<RecordTally>>,
}

/// What a thread keeps from batch to batch.
#[derive(Default)]
pub(crate) struct MappingBuffers {
    events: Events,
    text: String,
}

impl Mapper {
    /// The events of some records of a file.
    pub(crate) fn batch(
        &self,
        file: u32,
        records: &RecordBatch,
        buffers: &mut MappingBuffers,
    ) -> MappedBatch {
        let mapped = guarded(buffers, |buffers| self.map_all(file, records, buffers));
        mapped.unwrap_or_else(|panicked| {
            let mut batch = self.empty_batch();
            let message = format!("{panicked}; please report this");
            self.add_panic(file, message, &mut batch);
            batch
        })
    }

    fn map_all(
        &self,
        file: u32,
        records: &RecordBatch,
        buffers: &mut MappingBuffers,
    ) -> MappedBatch {
        let mut batch = self.empty_batch();
        records.for_each(|record| {
            batch.ends_broken = record.is_err();
            match record {
                Ok(record) => self.map(file, record, buffers, &mut batch),
                Err(error) => {
                    batch.counts.records += 1;
                    self.add_error(&error, ProblemKind::Malformed, &mut batch);
                }
            }
        });
        batch
    }

    /// A batch that only says why the input cannot be read on.
    pub(crate) fn failed(&self, error: &EventError) -> MappedBatch {
        let mut batch = self.empty_batch();
        self.add_error(error, ProblemKind::Unreadable, &mut batch);
        batch
    }

    pub(crate) fn empty_batch(&self) -> MappedBatch {
        let events = if self.in_order { EventBatch::in_order() } else { EventBatch::by_session() };
        MappedBatch {
            events,
            counts: RecordCounts::default(),
            pattern_wins: vec![0; self.mapping.input().patterns.len()],
            problems: Vec::new(),
            ends_broken: false,
            tally: self.tallies.then(Box::default),
        }
    }

    /// Maps a record, and adds what it makes.
    fn map(
        &self,
        file: u32,
        record: &Record<'_>,
        buffers: &mut MappingBuffers,
        batch: &mut MappedBatch,
    ) {
        let MappingBuffers { events, text } = buffers;
        events.clear();
        batch.counts.records += 1;
        self.count_pattern(record, batch);
        let mapped = self.mapping.map(record, events);
        if let Some(tally) = &mut batch.tally {
            let file = self.files.get(file as usize).map_or("", |file| &**file);
            tally.add((&self.mapping, file), record, (&mapped, events));
        }
        match mapped {
            MappedRecord::Mapped { .. } => batch.counts.mapped += 1,
            MappedRecord::Dropped { .. } => batch.counts.dropped += 1,
            MappedRecord::Unmatched => self.add_unmatched(file, record, batch),
            MappedRecord::Broken { rule, why } => self.add_broken(file, record, rule, &why, batch),
        }
        for binding in events.bindings() {
            let Binding { role, session, value, order, place, .. } = binding;
            let kind = StoredKind::Binding { role, value };
            self.add_other((session, file, place), order, kind, batch);
        }
        for SessionMark { filter, session, order, place } in events.marks() {
            self.add_other((session, file, place), order, StoredKind::Mark(filter), batch);
        }
        for event in events.iter() {
            self.add(file, &event, text, batch);
        }
    }

    fn add_unmatched(&self, file: u32, record: &Record<'_>, batch: &mut MappedBatch) {
        let why = self.mapping.why_unmatched(record);
        let counts = &mut batch.counts;
        counts.unmatched += 1;
        counts.ignored += u64::from(self.mapping.unmatched() == Unmatched::Ignore);
        match why {
            WhyUnmatched::Rule => {}
            WhyUnmatched::Direction(_) => counts.unlisted_direction += 1,
            WhyUnmatched::Pattern => counts.without_pattern += 1,
            WhyUnmatched::BeforeStart => counts.before_start += 1,
            WhyUnmatched::Column { .. } => counts.without_column += 1,
        }
        if self.mapping.unmatched() == Unmatched::Error {
            let (message, help) = self.mapping.explain_unmatched(why, record);
            let field = if let WhyUnmatched::Direction(field) = why { Some(field) } else { None };
            self.add_record_problem((file, record), field, (&message, &help), batch);
        }
    }

    /// Counts which pattern a record went to.
    fn count_pattern(&self, record: &Record<'_>, batch: &mut MappedBatch) {
        let PatternMatch::By { pattern, is_moved } = record.patterns() else { return };
        if let Some(won) = batch.pattern_wins.get_mut(pattern as usize) {
            *won += 1;
        }
        let is_told = self.mapping.input().patterns_win == PatternsWin::FirstByDefault;
        batch.counts.other_pattern += u64::from(is_moved && is_told);
    }

    fn add_broken(
        &self,
        file: u32,
        record: &Record<'_>,
        rule: RuleId,
        why: &Broken,
        batch: &mut MappedBatch,
    ) {
        let Explained { message, help, field } = self.mapping.explain(why, record);
        let (name, place) =
            (self.mapping.rule_name(rule), self.mapping.place_of(rule, why, record));
        let message = format!("{message}; {name} needs it ({place})");
        self.add_record_problem((file, record), field, (&message, &help), batch);
        self.mapping.each_session(rule, record, |session| {
            self.add_other((session, file, record.place()), None, StoredKind::Lost, batch);
        });
    }

    fn add(&self, file: u32, event: &Event<'_>, text: &mut String, batch: &mut MappedBatch) {
        if !self.selects(event.session) {
            batch.counts.not_selected += 1;
            return;
        }
        let Event { session, location, lifeline, kind, message, order, place } = *event;
        let known = if self.mapping.has_roles() {
            None
        } else {
            write_action(lifeline, kind, message, text);
            known_letter((location, lifeline), (text, message), &self.alphabet)
        };
        let kind = match known {
            Some(letter) => StoredKind::Known(letter),
            None => StoredKind::Event { location, lifeline, kind, message },
        };
        batch.counts.events += 1;
        batch.events.add(session, |bytes| write(&StoredEvent { file, place, order, kind }, bytes));
    }

    /// Whether a session is selected. The parts of one that gaps end have other names, and are
    /// selected when they are known.
    fn selects(&self, session: &str) -> bool {
        self.mapping.gap().is_some() || self.selection.has(session)
    }

    /// Adds a record that makes no event but belongs to a session.
    fn add_other(
        &self,
        (session, file, place): (&str, u32, RecordPlace),
        order: Option<OrderKey>,
        kind: StoredKind<'_>,
        batch: &mut MappedBatch,
    ) {
        if self.selects(session) {
            let stored = StoredEvent { file, place, order, kind };
            batch.events.add(session, |bytes| write(&stored, bytes));
        }
    }

    fn add_error(&self, error: &EventError, kind: ProblemKind, batch: &mut MappedBatch) {
        let place = ProblemPlace {
            file: error.file().to_owned(),
            line: error.line(),
            column: error.column(),
            message: error.message().to_owned(),
        };
        batch.problems.push(InputProblem::new(kind, place, error.to_string()));
    }

    /// Adds what is wrong with a record. A tally counts such records by their reason.
    fn add_record_problem(
        &self,
        (file, record): (u32, &Record<'_>),
        field: Option<FieldId>,
        what: (&str, &str),
        batch: &mut MappedBatch,
    ) {
        if !self.tallies {
            batch.problems.push(record_problem(self.file(file), record, field, what));
        }
    }

    fn file(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |file| &**file)
    }

    /// A batch of a file was the death of its thread.
    fn add_panic(&self, file: u32, message: String, batch: &mut MappedBatch) {
        let file = self.file(file).to_owned();
        let text = format!("error: {message}\n --> {file}");
        let place = ProblemPlace { file, line: None, column: None, message };
        batch.problems.push(InputProblem::new(ProblemKind::Internal, place, text));
    }
}
