//! Records to events, on any thread.

use crate::assemble::{known_letter, write_action};
use crate::batch_problems::BatchProblems;
use crate::batches::RecordBatch;
use crate::error::EventError;
use crate::field::FieldId;
use crate::file_trends::{FileTrends, LastEvents};
use crate::grouping::{EventBatch, Grouped};
use crate::mapping::{
    Binding, Broken, Event, Events, Explained, MappedRecord, Mapping, OnlyEvent, RuleId,
    SessionLink, SessionMark, SessionRef, Ties, Unmatched, WhyUnmatched,
};
use crate::mapping_memo::{MappingMemo, Remembered};
use crate::pattern_list::PatternsWin;
use crate::propose::time_column;
use crate::record::{PatternMatch, Record};
use crate::record_problem::{LateProblems, record_problem};
use crate::record_tally::RecordTally;
use crate::relating::{SpanBuffer, each_span, keep_span};
use crate::replying::{KeptReply, each_reply, keep_reply};
use crate::session_key::SessionKey;
use crate::session_numbers::{SessionNumber, SessionNumbers};
use crate::stored_event::{StoredEvent, StoredKind, write};
use multitrace_formats::place::Place;
use multitrace_formats::problem::{InputProblem, ProblemKind, ProblemPlace, shown};
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::record_kinds::RecordKinds;
use multitrace_formats::selection::Selection;
use multitrace_formats::workers::guarded;
use multitrace_interaction::Alphabet;
use std::sync::Arc;

/// The mapping, the alphabet and the selection that make events. Shared by all threads.
pub(crate) struct Mapper {
    pub(crate) mapping: Mapping,
    pub(crate) alphabet: Alphabet,
    pub(crate) selection: Arc<Selection>,
    pub(crate) files: Arc<[Arc<str>]>,
    /// For problems of records that are mapped late.
    pub(crate) late: Arc<LateProblems>,
    pub(crate) trends: Arc<FileTrends>,
    /// Whether events keep their order, because those of a session follow one another.
    pub(crate) in_order: bool,
    /// Whether records are counted by rule and reason.
    pub(crate) tallies: bool,
    /// Whether events of one order are taken as their file has them.
    pub(crate) follows_files: bool,
}

/// The events and problems of a batch of records.
pub(crate) struct MappedBatch {
    pub(crate) events: EventBatch,
    /// Spans that are mapped once all of their trace are known, by trace.
    pub(crate) spans: EventBatch,
    /// For records that are mapped late and come at their own places: from which event of the batch on they have which
    /// number among all events.
    pub(crate) numbers: Vec<(u64, u64)>,
    /// Events whose sessions other records tell, and those records, by id.
    pub(crate) waiting: EventBatch,
    pub(crate) counts: RecordCounts,
    /// How many records each pattern of plain text won.
    pub(crate) pattern_wins: Vec<u64>,
    /// The kinds of records that no rule matches.
    pub(crate) unmatched: RecordKinds,
    /// A column that looks like the order of the records, if the mapping has none.
    pub(crate) unused_order: Option<String>,
    /// The first span that repeats another one.
    pub(crate) repeated_span: Option<((u32, u64), Place)>,
    /// Problems of the input.
    pub(crate) problems: BatchProblems,
    /// Whether its last record is broken.
    pub(crate) ends_broken: bool,
    /// The records by rule and reason, if the mapper counts them.
    pub(crate) tally: Option<Box<RecordTally>>,
}

/// The buffers that a thread keeps from batch to batch.
#[derive(Default)]
pub(crate) struct MappingBuffers {
    events: Events,
    text: String,
    key: SessionKey,
    link: SessionKey,
    span: SpanBuffer,
    memo: Option<MappingMemo>,
    last: LastEvents,
    numbers: SessionNumbers,
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
        mapped.unwrap_or_else(|panicked| self.panicked(file, &panicked))
    }

    fn map_all(
        &self,
        file: u32,
        records: &RecordBatch,
        buffers: &mut MappingBuffers,
    ) -> MappedBatch {
        let mut batch = self.empty_batch();
        buffers.memo.get_or_insert_with(|| MappingMemo::new(&self.mapping)).begin_batch();
        buffers.numbers.begin_batch();
        let mut looks_for_order = !self.mapping.has_order();
        records.for_each(|record| {
            batch.ends_broken = record.is_err();
            if looks_for_order && let Ok(record) = &record {
                looks_for_order = false;
                batch.unused_order = self.unread_order(record);
            }
            match record {
                Ok(record) => self.map(file, record, buffers, &mut batch),
                Err(error) => {
                    batch.counts.records += 1;
                    self.add_error(&error, ProblemKind::Malformed, &mut batch);
                }
            }
        });
        buffers.last.end(&self.trends);
        batch
    }

    /// The column of a record's table that is called like an order or has times, and that the mapping does not read.
    fn unread_order(&self, record: &Record<'_>) -> Option<String> {
        let is_read = |name: &String| {
            self.mapping.fields().iter().any(|(_, path)| path.column_names().contains(name))
        };
        let columns = record.columns()?.iter().filter(|name| !is_read(name));
        time_column(columns, |name| record.is_time(name)).cloned()
    }

    /// A batch that only says why the input cannot be read on.
    pub(crate) fn failed(&self, error: &EventError) -> MappedBatch {
        let mut batch = self.empty_batch();
        self.add_error(error, ProblemKind::Unreadable, &mut batch);
        batch
    }

    pub(crate) fn empty_batch(&self) -> MappedBatch {
        let (events, waiting) = match (self.in_order, self.mapping.has_joins()) {
            (true, _) => (EventBatch::in_order(), EventBatch::default()),
            (false, false) => (EventBatch::by_session(), EventBatch::default()),
            (false, true) => (EventBatch::by_session(), EventBatch::by_session()),
        };
        MappedBatch {
            events,
            spans: match self.mapping.maps_late() {
                true => EventBatch::by_session(),
                false => EventBatch::default(),
            },
            numbers: Vec::new(),
            waiting,
            counts: RecordCounts::default(),
            pattern_wins: vec![0; self.mapping.input().patterns.len()],
            unmatched: RecordKinds::default(),
            unused_order: None,
            repeated_span: None,
            problems: BatchProblems::default(),
            ends_broken: false,
            tally: self.tallies.then(Box::default),
        }
    }

    /// Counts a record, and maps it or keeps it.
    fn map(
        &self,
        file: u32,
        record: &Record<'_>,
        buffers: &mut MappingBuffers,
        batch: &mut MappedBatch,
    ) {
        batch.counts.records += 1;
        let is_without_list = self.mapping.fields().each().is_some() && !record.is_element();
        batch.counts.without_list += u64::from(is_without_list);
        self.count_pattern(record, batch);
        // Later, nobody knows which columns the table of a record has.
        let waits = self.mapping.maps_late() && record.lacks_values();
        if waits && self.mapping.undecided(record).is_some() {
            return self.map_now(file, record, buffers, batch);
        }
        let relates = self.mapping.relations().is_some();
        if relates && keep_span(&self.mapping, (file, record), &mut buffers.span, &mut batch.spans)
        {
            return;
        }
        let MappingBuffers { span, .. } = buffers;
        let kept = keep_reply(&self.mapping, (file, record), span, |key, stored| {
            batch.events.add_beside(&mut batch.spans, key, |bytes| write(stored, bytes));
        });
        if kept == KeptReply::Response {
            return;
        }
        if self.tallies || !self.map_again(file, record, buffers, batch) {
            self.map_now(file, record, buffers, batch);
        }
    }

    /// Maps the spans of some traces.
    pub(crate) fn related(&self, traces: &[Grouped], buffers: &mut MappingBuffers) -> MappedBatch {
        let mapped = guarded(buffers, |buffers| {
            let mut batch = self.empty_batch();
            if let Some(replies) = self.mapping.replies() {
                batch.events = EventBatch::in_order();
                for group in traces {
                    // With `any`, the order of lines tells nothing about records of equal times.
                    let is_any = self.mapping.ties() == Ties::Any;
                    let falls = |file| is_any || self.trends.falls(file);
                    let replies = (replies, &falls as &dyn Fn(u32) -> bool);
                    let counts =
                        each_reply(&self.mapping, replies, group, |number, file, record| {
                            batch.numbers.push((batch.events.len(), number));
                            self.map_now(file, record, buffers, &mut batch);
                        });
                    batch.counts.unanswered += counts.unanswered;
                    batch.counts.unasked += counts.unasked;
                }
                // Files are judged without responses, which ask for it.
                buffers.last = LastEvents::default();
                return batch;
            }
            for trace in traces {
                let Some(relations) = self.mapping.relations() else { break };
                let repeated = each_span(&self.mapping, relations, trace, |file, record| {
                    self.map_now(file, record, buffers, &mut batch);
                });
                batch.counts.repeated_spans += repeated.count;
                let first = repeated
                    .first
                    .map(|(file, place)| ((file, place.number), place.in_file(self.file(file))));
                batch.repeated_span = batch.repeated_span.into_iter().chain(first).min();
            }
            buffers.last.end(&self.trends);
            batch
        });
        mapped.unwrap_or_else(|panicked| self.panicked(0, &panicked))
    }

    /// A batch that only says that mapping it panicked.
    fn panicked(&self, file: u32, panicked: &impl std::fmt::Display) -> MappedBatch {
        let mut batch = self.empty_batch();
        let message = format!("{panicked}; please report this");
        self.add_panic(file, message, &mut batch);
        batch
    }

    /// Maps a record, and adds its events.
    fn map_now(
        &self,
        file: u32,
        record: &Record<'_>,
        buffers: &mut MappingBuffers,
        batch: &mut MappedBatch,
    ) {
        let MappingBuffers { events, text, key, link, memo, last, numbers, .. } = buffers;
        events.clear();
        let mapped = self.mapping.map(record, events);
        if let Some(memo) = memo {
            memo.insert(record, &mapped, || match events.iter().len() {
                1 => events.iter().next().map(|event| self.kind(&event, text)),
                _ => None,
            });
        }
        if let Some(tally) = &mut batch.tally {
            let file = self.files.get(file as usize).map_or("", |file| &**file);
            tally.add((&self.mapping, file), record, (&mapped, events));
        }
        match mapped {
            MappedRecord::Mapped { .. } => batch.counts.mapped += 1,
            MappedRecord::Dropped { by } => add_dropped(by, &mut batch.counts),
            MappedRecord::Unmatched => self.add_unmatched((file, record), key, batch),
            MappedRecord::Broken { rule, why } => {
                self.add_broken((file, record), rule, &why, key, batch);
            }
        }
        self.add_relations((file, record), events, (link, key), batch);
        let number = match mapped {
            MappedRecord::Mapped { rule } => {
                self.mapping.only_event(rule).and_then(|only| session_number(only, record))
            }
            _ => None,
        };
        for event in events.iter() {
            let Event { session, place, order, .. } = event;
            let stored = StoredEvent { file, place, order, kind: self.kind(&event, text) };
            self.see_order(number, session, &stored, last);
            match session {
                SessionRef::Named(name) => {
                    if !store_again(number, &stored, numbers, batch) {
                        self.store(name, number, &stored, numbers, batch);
                    }
                }
                SessionRef::Joined { .. } => {
                    batch.counts.events += 1;
                    batch.put(session, &stored, key);
                }
            }
        }
    }

    /// Adds the facts of a record on sessions beside its events: who has which role, which filters it meets, and
    /// which ids belong together.
    fn add_relations(
        &self,
        (file, record): (u32, &Record<'_>),
        events: &Events,
        (link, key): (&mut SessionKey, &mut SessionKey),
        batch: &mut MappedBatch,
    ) {
        for binding in events.bindings() {
            let Binding { role, session, value, order, place, .. } = binding;
            let stored =
                StoredEvent { file, place, order, kind: StoredKind::Binding { role, value } };
            self.add_other(session, &stored, key, batch);
        }
        for SessionMark { filter, session, order, place } in events.marks() {
            let stored = StoredEvent { file, place, order, kind: StoredKind::Mark(filter) };
            self.add_other(session, &stored, key, batch);
        }
        for SessionLink { from: (join, id), to } in events.links() {
            let (place, kind) = (record.place(), StoredKind::Link(link.set(to)));
            let stored = StoredEvent { file, place, order: None, kind };
            self.add_other(SessionRef::Joined { join, id }, &stored, key, batch);
        }
    }

    /// The line of a record that is mapped after the others of its trace; empty for all other records.
    fn late_line(&self, file: u32, record: &Record<'_>) -> String {
        if record.text().is_empty() && !self.tallies && self.mapping.maps_late() {
            return self.late.line(file, record.place()).unwrap_or_default();
        }
        String::new()
    }

    fn add_unmatched(
        &self,
        (file, record): (u32, &Record<'_>),
        key: &mut SessionKey,
        batch: &mut MappedBatch,
    ) {
        let why = self.mapping.why_unmatched(record);
        let counts = &mut batch.counts;
        counts.unmatched += 1;
        counts.ignored += u64::from(self.mapping.unmatched() == Unmatched::Ignore);
        match why {
            WhyUnmatched::Rule => {}
            WhyUnmatched::Pattern => counts.without_pattern += 1,
            WhyUnmatched::BeforeStart => counts.before_start += 1,
            WhyUnmatched::Column { .. } => counts.without_column += 1,
        }
        if self.mapping.unmatched() != Unmatched::Ignore {
            let place = record.place();
            batch.unmatched.add(self.mapping.looks(record), (file, place.number), || {
                place.in_file(self.file(file))
            });
        }
        let undecided = self.mapping.undecided(record);
        let is_error = match self.mapping.unmatched() {
            Unmatched::Error => true,
            Unmatched::Count => {
                self.mapping.fits_no_table(record)
                    || undecided.is_some()
                    || self.mapping.is_span_of_no_kind(record)
            }
            // A record that a filter would keep is not ignored.
            Unmatched::Ignore => undecided.is_some(),
        };
        if let Some((_, rule)) = undecided {
            self.add_lost((file, record), rule, key, batch);
        }
        if is_error {
            let line = self.late_line(file, record);
            let record = &record.or_of_line(&line);
            let (message, help) = self.mapping.explain_unmatched(why, record);
            self.add_record_problem((file, record), None, (&message, &help), batch);
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
        (file, record): (u32, &Record<'_>),
        rule: RuleId,
        why: &Broken,
        key: &mut SessionKey,
        batch: &mut MappedBatch,
    ) {
        let line = self.late_line(file, record);
        let record = &record.or_of_line(&line);
        let Explained { message, help, field } = self.mapping.explain(why, record);
        let (name, place) =
            (self.mapping.rule_name(rule), self.mapping.place_of(rule, why, record));
        let message = format!("{message}; {name} needs it ({place})");
        let help = self.mapping.explain_endless(rule, record).unwrap_or(help);
        self.add_record_problem((file, record), field, (&message, &help), batch);
        self.add_lost((file, record), rule, key, batch);
    }

    /// Marks the sessions that miss a record, which a rule or filter cannot judge.
    fn add_lost(
        &self,
        (file, record): (u32, &Record<'_>),
        rule: RuleId,
        key: &mut SessionKey,
        batch: &mut MappedBatch,
    ) {
        let place = record.place();
        let stored = StoredEvent { file, place, order: None, kind: StoredKind::Lost };
        self.mapping.each_session(rule, record, |session| {
            self.add_other(session, &stored, key, batch);
        });
    }

    /// Maps a record like one that was there before; false if there was none. Most records go this way, so
    /// that it is apart from the general one.
    #[inline(never)]
    fn map_again(
        &self,
        file: u32,
        record: &Record<'_>,
        buffers: &mut MappingBuffers,
        batch: &mut MappedBatch,
    ) -> bool {
        let MappingBuffers { memo: Some(memo), text, last, numbers, key, .. } = buffers else {
            return false;
        };
        match memo.find(record) {
            None => return false,
            Some(Remembered::Dropped(by)) => add_dropped(by, &mut batch.counts),
            Some(Remembered::Unmatched) => self.add_unmatched((file, record), key, batch),
            Some(Remembered::Event(rule, kind)) => {
                let Some(only) = self.mapping.only_event(rule) else { return false };
                let mut stored = StoredEvent { file, place: record.place(), order: None, kind };
                if only.has_order() {
                    match only.order(record, text) {
                        None => return false,
                        order => stored.order = order,
                    }
                }
                let number = session_number(only, record);
                if stored.order.is_some() {
                    let session =
                        if number.is_some() { Some("") } else { only.session(record, text) };
                    let Some(session) = session else { return false };
                    self.see_order(number, SessionRef::Named(session), &stored, last);
                }
                if !store_again(number, &stored, numbers, batch) {
                    let Some(session) = only.session(record, text) else { return false };
                    self.store(session, number, &stored, numbers, batch);
                }
                batch.counts.mapped += 1;
            }
        }
        true
    }

    /// Compares the order of an event with those before it, if the mapping takes events of one order as their file has
    /// them. A session with a number is known by it. Responses that wait for their requests come when files were judged.
    #[inline]
    fn see_order(
        &self,
        number: Option<SessionNumber>,
        session: SessionRef<'_>,
        stored: &StoredEvent<'_>,
        last: &mut LastEvents,
    ) {
        if stored.order.is_some() && self.follows_files {
            let named = number.is_none().then_some(session);
            last.add((number, named), stored, &self.alphabet);
        }
    }

    /// The stored form of an event.
    fn kind<'e>(&self, event: &Event<'e>, text: &mut String) -> StoredKind<'e> {
        let Event { location, lifeline, kind, message, .. } = *event;
        let known = if self.mapping.has_roles() {
            None
        } else {
            write_action(lifeline, kind, message, text);
            known_letter((location, lifeline), (text, message), &self.alphabet)
        };
        match known {
            Some(letter) => StoredKind::Known(letter),
            None => StoredKind::Event { location, lifeline, kind, message },
        }
    }

    /// Adds an event to a session with this name, and number if it has one, if the session is selected.
    fn store(
        &self,
        session: &str,
        number: Option<SessionNumber>,
        stored: &StoredEvent<'_>,
        numbers: &mut SessionNumbers,
        batch: &mut MappedBatch,
    ) {
        if !self.is_here(session) {
            return;
        }
        if !self.selects(SessionRef::Named(session)) {
            batch.counts.not_selected += 1;
            return;
        }
        batch.counts.events += 1;
        let place = batch.events.add(session.as_bytes(), |bytes| write(stored, bytes));
        if let Some(number) = number {
            numbers.insert(number, place);
        }
    }

    /// Whether a session is selected, or may be once it is known. The parts of one that gaps end have
    /// other names, and are selected when they are known.
    #[inline]
    pub(crate) fn selects(&self, session: SessionRef<'_>) -> bool {
        match session {
            SessionRef::Joined { .. } => true,
            SessionRef::Named(name) => self.mapping.gap().is_some() || self.selection.has(name),
        }
    }

    /// Whether a session belongs to the shard that is checked, whatever gaps make of its name. Those of
    /// other shards are dropped later where the end of one session is the beginning of the next.
    #[inline]
    pub(crate) fn is_here(&self, session: &str) -> bool {
        self.in_order || self.selection.in_shard(session)
    }

    /// Whether records that wait for a session, or for an id that tells it, are kept.
    fn keeps(&self, session: SessionRef<'_>) -> bool {
        let is_here = match session {
            SessionRef::Named(name) => self.is_here(name),
            SessionRef::Joined { .. } => true,
        };
        is_here && self.selects(session)
    }

    /// Adds a record that makes no event but belongs to a session.
    fn add_other(
        &self,
        session: SessionRef<'_>,
        stored: &StoredEvent<'_>,
        key: &mut SessionKey,
        batch: &mut MappedBatch,
    ) {
        if self.keeps(session) {
            batch.put(session, stored, key);
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

    /// Adds the problem of a record. A tally has such records by their reason, and counts them.
    fn add_record_problem(
        &self,
        (file, record): (u32, &Record<'_>),
        field: Option<FieldId>,
        what: (&str, &str),
        batch: &mut MappedBatch,
    ) {
        match &mut batch.tally {
            Some(tally) => tally.problems += 1,
            None => batch.problems.push(record_problem(self.file(file), record, field, what)),
        }
    }

    /// The name of a file.
    pub(crate) fn file(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |file| &**file)
    }

    /// Mapping a batch of a file panicked.
    fn add_panic(&self, file: u32, message: String, batch: &mut MappedBatch) {
        let file = self.file(file).to_owned();
        let text = shown(&message, &file, None);
        let place = ProblemPlace { file, line: None, column: None, message };
        batch.problems.push(InputProblem::new(ProblemKind::Internal, place, text));
    }
}

/// Counts a record that a filter left out.
fn add_dropped(by: RuleId, counts: &mut RecordCounts) {
    counts.dropped += 1;
    counts.not_kept += u64::from(by == RuleId::Keep);
}

/// The number of the session of an event, if the record has one.
#[inline]
fn session_number(only: OnlyEvent<'_>, record: &Record<'_>) -> Option<SessionNumber> {
    SessionNumber::read(only.session_field()?, record)
}

/// Adds an event to a session that the batch has, found by its number; false if it was not found.
// As a call, the event would be put into memory for it first.
#[inline(always)]
fn store_again(
    number: Option<SessionNumber>,
    stored: &StoredEvent<'_>,
    numbers: &SessionNumbers,
    batch: &mut MappedBatch,
) -> bool {
    let Some(place) = number.and_then(|number| numbers.find(number)) else { return false };
    batch.counts.events += 1;
    batch.events.add_again(place, |bytes| write(stored, bytes));
    true
}

impl MappedBatch {
    /// Adds a record to its session, or to the id that tells it.
    #[inline]
    fn put(&mut self, session: SessionRef<'_>, stored: &StoredEvent<'_>, key: &mut SessionKey) {
        let write = |bytes: &mut Vec<u8>| write(stored, bytes);
        match session {
            SessionRef::Named(name) => _ = self.events.add(name.as_bytes(), write),
            SessionRef::Joined { .. } => {
                self.events.add_beside(&mut self.waiting, key.set(session), write);
            }
        }
    }
}

#[cfg(test)]
mod tests;
