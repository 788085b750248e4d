//! A preview of a mapping: the events that each rule makes of the records of a log, and the reasons for records without
//! events.

use crate::batches::RecordBatch;
use crate::error::EventError;
use crate::event_log::EventLog;
use crate::grouping::{EventBatch, EventStore, RunMerge};
use crate::input_files::InputFiles;
use crate::mapping::{
    Binding, Broken, Event, Events, Explained, MappedRecord, Mapping, MergedName, RuleId,
    SessionRef, Unmatched, WhyUnmatched,
};
use crate::record::{PatternMatch, Record};
use crate::relating::{SpanBuffer, each_span, keep_span};
use crate::replying::{KeptReply, each_reply, keep_reply};
use crate::stored_event::{StoredEvent, StoredKind, read, write};
use multitrace_formats::shorten::visible;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The records so far, as text and as counts.
struct Preview<'m> {
    mapping: &'m Mapping,
    /// How many records are shown of each rule and of each reason.
    most: u64,
    /// How many records of each kind there were: rules, and reasons with their fields.
    shown: Vec<(RuleOrReason, u64)>,
    records: u64,
    events: u64,
    bindings: u64,
    by_rule: BTreeMap<RuleId, u64>,
    dropped: BTreeMap<RuleId, u64>,
    unmatched: RecordExamples,
    /// Lines that no pattern matches, and those before the first that matches `start`.
    without_pattern: RecordExamples,
    before_start: RecordExamples,
    /// How many records each pattern won.
    pattern_wins: Vec<u64>,
    /// How many of them the leftmost match would give to another pattern.
    other_pattern: u64,
    repeated_spans: u64,
    broken: RecordExamples,
    errors: RecordExamples,
    buffer: Events,
    text: String,
    trace: SpanBuffer,
    /// The names of the files so far.
    files: Vec<String>,
    /// With roles, the events that are shown, and the records that bind roles, by session.
    of_roles: EventBatch,
}

/// A rule or a reason. The first records of each are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleOrReason {
    By(RuleId),
    Dropped(RuleId),
    Unmatched(WhyUnmatched),
    Broken(RuleId, Broken),
}

/// Records that make no events, perhaps by mistake: some of them, and how many.
#[derive(Default)]
struct RecordExamples {
    count: u64,
    examples: Vec<String>,
}

/// About how many bytes of spans a preview keeps in memory, and on disk beyond.
const SPAN_MEMORY: usize = 256 << 20;

/// How many examples of a kind the summary shows: with all kinds they still fit a screen.
const EXAMPLES: usize = 5;

/// How many names that renames make of several the summary shows of each kind.
const MERGED: usize = 20;

/// Counts of a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Previewed {
    /// Records that cannot be read.
    pub unreadable: u64,
    /// Events that the others became.
    pub events: u64,
}

/// Writes the events of the first `most` records of each rule, and of each reason why records make no
/// events, in the order of the input; then how many records each rule matched.
///
/// # Errors
/// When `out` takes no more.
pub fn write_preview(
    batches: impl Iterator<Item = Result<RecordBatch, EventError>>,
    mapping: &Mapping,
    most: u64,
    out: &mut dyn Write,
) -> io::Result<Previewed> {
    let mut preview = Preview::new(mapping, most);
    let mut spans = EventBatch::by_session();
    let (mut store, mut of_roles) = (EventStore::new(SPAN_MEMORY), EventStore::new(SPAN_MEMORY));
    for batch in batches {
        match batch {
            Ok(batch) => preview.add(&batch, &mut spans),
            Err(error) => preview.add_error(&error),
        }
        store.add(&std::mem::replace(&mut spans, EventBatch::by_session()))?;
        of_roles.add(&std::mem::replace(&mut preview.of_roles, EventBatch::by_session()))?;
        out.write_all(harmless(&std::mem::take(&mut preview.text)).as_bytes())?;
    }
    for group in RunMerge::new(store.into_runs()?)? {
        let group = group?;
        if let Some(relations) = mapping.relations() {
            let repeated = each_span(mapping, relations, &group, |file, record| {
                preview.add_record(file, record)
            });
            preview.repeated_spans += repeated.count;
        }
        if let Some(replies) = mapping.replies() {
            let in_order = |_| false;
            each_reply(mapping, (replies, &in_order), &group, |_, file, record| {
                preview.add_record(file, record)
            });
        }
        out.write_all(harmless(&std::mem::take(&mut preview.text)).as_bytes())?;
    }
    of_roles.add(&preview.of_roles)?;
    write_roles(mapping, of_roles, out)?;
    out.write_all(harmless(&preview.summary()).as_bytes())?;
    Ok(Previewed { unreadable: preview.errors.count, events: preview.events })
}

/// Writes the names that roles give to the lifelines of the sessions whose events were shown: a check judges these names.
fn write_roles(mapping: &Mapping, store: EventStore, out: &mut dyn Write) -> io::Result<()> {
    let log = EventLog::of_files(mapping.clone(), InputFiles::default(), "");
    let assembler = log.assembler();
    for group in RunMerge::new(store.into_runs()?)? {
        let group = group?;
        if !group.records().any(|(_, content)| read(content).kind.is_event()) {
            continue;
        }
        let session = group.session();
        let text = match assembler.machines(&group) {
            Ok(names) if names.is_empty() => format!("in session {session}, nobody has a role"),
            Ok(names) => {
                let names: Vec<String> =
                    names.iter().map(|(name, machine)| format!("{machine} is {name}")).collect();
                format!("in session {session}, {}", names.join(", "))
            }
            Err(error) => error.problem.to_string(),
        };
        out.write_all(harmless(&text).as_bytes())?;
    }
    Ok(())
}

/// Lines without control characters, which logs may hold and terminals obey.
fn harmless(text: &str) -> String {
    text.lines().map(|line| visible(line).into_owned() + "\n").collect()
}

impl<'m> Preview<'m> {
    fn new(mapping: &'m Mapping, most: u64) -> Preview<'m> {
        // A rule that takes no record is shown, too: its condition may be wrong.
        let none_yet = |is_of_kind: fn(&RuleId) -> bool| {
            mapping.rule_ids().filter(is_of_kind).map(|rule| (rule, 0)).collect()
        };
        Preview {
            mapping,
            most,
            shown: Vec::new(),
            records: 0,
            events: 0,
            bindings: 0,
            by_rule: none_yet(|it| matches!(it, RuleId::Rule(_))),
            dropped: none_yet(|it| matches!(it, RuleId::Drop(_))),
            unmatched: RecordExamples::default(),
            without_pattern: RecordExamples::default(),
            before_start: RecordExamples::default(),
            pattern_wins: vec![0; mapping.input().patterns.len()],
            other_pattern: 0,
            repeated_spans: 0,
            broken: RecordExamples::default(),
            errors: RecordExamples::default(),
            buffer: Events::default(),
            text: String::new(),
            trace: SpanBuffer::default(),
            files: Vec::new(),
            of_roles: EventBatch::by_session(),
        }
    }

    /// Adds records. Spans that ask fields of one another wait until all of them are known.
    fn add(&mut self, batch: &RecordBatch, spans: &mut EventBatch) {
        if self.files.last().is_none_or(|last| last != batch.file()) {
            self.files.push(batch.file().to_owned());
        }
        let file = (self.files.len() - 1) as u32;
        batch.for_each(|record| match record {
            Ok(record) if keep_span(self.mapping, (file, record), &mut self.trace, spans) => {}
            Ok(record) => {
                let put = |key: &[u8], stored: &StoredEvent<'_>| {
                    _ = spans.add(key, |bytes| write(stored, bytes));
                };
                let kept = keep_reply(self.mapping, (file, record), &mut self.trace, put);
                if kept != KeptReply::Response {
                    self.add_record(file, record);
                }
            }
            Err(error) => self.add_error(&error),
        });
    }

    fn add_error(&mut self, error: &EventError) {
        self.errors.add(|| error.to_string());
    }

    fn add_record(&mut self, file: u32, record: &Record<'_>) {
        self.buffer.clear();
        let mapped = self.mapping.map(record, &mut self.buffer);
        self.records += 1;
        self.events += self.buffer.len() as u64;
        self.bindings += self.buffer.bindings().len() as u64;
        self.count_pattern(record);
        let kind = match mapped {
            MappedRecord::Mapped { rule } => {
                *self.by_rule.entry(rule).or_default() += 1;
                RuleOrReason::By(rule)
            }
            MappedRecord::Dropped { by } => {
                *self.dropped.entry(by).or_default() += 1;
                RuleOrReason::Dropped(by)
            }
            MappedRecord::Unmatched => self.add_unmatched(file, record),
            MappedRecord::Broken { rule, why } => {
                let (by, of_file) = (self.by(rule), self.of_file(file));
                let text = || self.mapping.explain(&why, record).message;
                self.broken.add(|| format!("{of_file}{}: {by}: {}", record.place(), text()));
                RuleOrReason::Broken(rule, why)
            }
        };
        let shown = entry(&mut self.shown, kind);
        *shown += 1;
        let is_shown = *shown <= self.most;
        if is_shown {
            self.show(file, record, kind);
        }
        if self.mapping.has_roles() {
            self.keep_names(file, is_shown);
        }
    }

    /// Keeps the records that bind roles, and the events that are shown.
    fn keep_names(&mut self, file: u32, is_shown: bool) {
        let Preview { buffer, of_roles, .. } = self;
        for binding in buffer.bindings() {
            let Binding { role, session, value, order, place, .. } = binding;
            let SessionRef::Named(name) = session else { continue };
            let stored =
                StoredEvent { file, place, order, kind: StoredKind::Binding { role, value } };
            of_roles.add(name.as_bytes(), |bytes| write(&stored, bytes));
        }
        for event in buffer.iter().filter(|_| is_shown) {
            let Event { location, lifeline, kind, message, order, place, session } = event;
            let SessionRef::Named(name) = session else { continue };
            let kind = StoredKind::Event { location, lifeline, kind, message };
            let stored = StoredEvent { file, place, order, kind };
            of_roles.add(name.as_bytes(), |bytes| write(&stored, bytes));
        }
    }

    /// The name of a file before the place of a record, but for the first file: there may be no other one.
    fn of_file(&self, file: u32) -> String {
        let name = self.files.get(file as usize).filter(|_| file > 0);
        name.map_or_else(String::new, |name| format!("{name}, "))
    }

    /// Counts which pattern a record went to.
    fn count_pattern(&mut self, record: &Record<'_>) {
        let PatternMatch::By { pattern, is_moved } = record.patterns() else { return };
        if let Some(won) = self.pattern_wins.get_mut(pattern as usize) {
            *won += 1;
        }
        self.other_pattern += u64::from(is_moved);
    }

    /// Counts a record that no rule matches.
    fn add_unmatched(&mut self, file: u32, record: &Record<'_>) -> RuleOrReason {
        let why = self.mapping.why_unmatched(record);
        let text = self.unmatched_text(why, record);
        let of_file = self.of_file(file);
        let list = match why {
            WhyUnmatched::Rule | WhyUnmatched::Column { .. } => &mut self.unmatched,
            WhyUnmatched::Pattern => &mut self.without_pattern,
            WhyUnmatched::BeforeStart => &mut self.before_start,
        };
        list.add(|| match why {
            WhyUnmatched::Column { .. } => {
                format!("{of_file}{}\n{text}", self.mapping.describe(record))
            }
            _ => format!("{of_file}{}", self.mapping.describe(record)),
        });
        RuleOrReason::Unmatched(why)
    }

    fn unmatched_text(&self, why: WhyUnmatched, record: &Record<'_>) -> String {
        match why {
            WhyUnmatched::Rule => "no rule matches".to_owned(),
            WhyUnmatched::Pattern => "no pattern matches".to_owned(),
            WhyUnmatched::BeforeStart => "before the first line that matches `start`".to_owned(),
            WhyUnmatched::Column { .. } => {
                let (message, help) = self.mapping.explain_unmatched(why, record);
                format!("no rule matches: {message}; {help}")
            }
        }
    }

    fn by(&self, rule: RuleId) -> String {
        format!("{} (line {})", self.mapping.rule_name(rule), self.mapping.rule_line(rule))
    }

    fn why(&self, record: &Record<'_>, kind: RuleOrReason) -> String {
        match kind {
            RuleOrReason::By(rule) => format!("by {}", self.by(rule)),
            RuleOrReason::Dropped(by) => format!("dropped by {}", self.by(by)),
            RuleOrReason::Unmatched(why) => self.unmatched_text(why, record),
            RuleOrReason::Broken(rule, why) => {
                let Explained { message, help, .. } = self.mapping.explain(&why, record);
                format!("{} cannot be applied: {message}; {help}", self.by(rule))
            }
        }
    }

    /// Writing into a text cannot fail.
    fn show(&mut self, file: u32, record: &Record<'_>, kind: RuleOrReason) {
        let (why, of_file) = (self.why(record, kind), self.of_file(file));
        let text = &mut self.text;
        let _ = writeln!(text, "{of_file}{}", self.mapping.describe(record));
        for event in self.buffer.iter() {
            let order = event.order.map_or(String::new(), |order| format!(", order {order}"));
            let session = self.mapping.session_name(event.session);
            let at = event.location.map_or(String::new(), |at| format!(", logged at {at}"));
            let line = format!("  {event}  in session {session}{order}{at}");
            let _ = writeln!(text, "{}", visible(&line));
        }
        for binding in self.buffer.bindings() {
            let role = self.mapping.role_name(binding.role);
            let session = self.mapping.session_name(binding.session);
            let line = format!("  {role} is {}  in session {session}", binding.value);
            let _ = writeln!(text, "{}", visible(&line));
        }
        let _ = writeln!(text, "  {}", visible(&why));
    }

    fn summary(&self) -> String {
        let mut text = String::new();
        let mut count = |number: u64, what: &str| {
            let _ = writeln!(text, "{number:>10}  {what}");
        };
        count(self.records, "records");
        count(self.events, "events");
        if self.bindings > 0 {
            count(self.bindings, "records that bind roles");
        }
        if self.repeated_spans > 0 {
            count(self.repeated_spans, "spans with the id and all fields of an earlier one");
        }
        for (rule, number) in &self.by_rule {
            count(*number, &format!("records by {}", self.by(*rule)));
        }
        for (rule, number) in &self.dropped {
            count(*number, &format!("records dropped by {}", self.by(*rule)));
        }
        self.write_unmatched(&mut text);
        self.write_patterns(&mut text);
        self.write_merged(&mut text);
        let mut count = |number: u64, what: &str, examples: &RecordExamples| {
            if number > 0 {
                let _ = writeln!(text, "{number:>10}  {what}");
                examples.list(&mut text);
            }
        };
        count(self.broken.count, "records to which their rule cannot be applied", &self.broken);
        count(self.errors.count, "records that cannot be read", &self.errors);
        text
    }
}

impl Preview<'_> {
    /// The records that no rule or pattern matches; without examples if the mapping ignores them.
    fn write_unmatched(&self, text: &mut String) {
        let is_ignored = self.mapping.unmatched() == Unmatched::Ignore;
        let lists = [
            (&self.unmatched, "records that no rule matches"),
            (&self.without_pattern, "lines that no pattern matches"),
            (&self.before_start, "lines before the first one that matches `start`"),
        ];
        for (index, (list, what)) in lists.into_iter().enumerate() {
            if index > 0 && list.count == 0 {
                continue;
            }
            let ignored = if is_ignored { ", ignored" } else { "" };
            let _ = writeln!(text, "{:>10}  {what}{ignored}", list.count);
            if !is_ignored {
                list.list(text);
            }
        }
    }

    /// The names that renames make of several names, which may be meant.
    fn write_merged(&self, text: &mut String) {
        for (what, merged, is_cut) in self.buffer.merged_names() {
            if merged.is_empty() {
                continue;
            }
            let _ =
                writeln!(text, "{:>10}  {what} that are several names in the log", merged.len());
            for MergedName { name, count, examples: [one, other] } in merged.iter().take(MERGED) {
                let _ = writeln!(text, "            {name}: {count} names, as {one} and {other}");
            }
            if let Some(more) = merged.len().checked_sub(MERGED).filter(|more| *more > 0) {
                let _ = writeln!(text, "            and {more} more");
            }
            if is_cut {
                let _ = writeln!(text, "            among the first names that are remembered");
            }
        }
    }

    /// How many records each pattern won, once one did.
    fn write_patterns(&self, text: &mut String) {
        if self.pattern_wins.iter().all(|won| *won == 0) {
            return;
        }
        for (number, won) in (1..).zip(&self.pattern_wins) {
            let never = match won {
                0 => ", which matches no line that an earlier one does not match",
                _ => "",
            };
            let _ = writeln!(text, "{won:>10}  records by pattern {number}{never}");
        }
        if self.other_pattern > 0 {
            let other = self.other_pattern;
            let _ = writeln!(
                text,
                "{other:>10}  records that `patterns-win = \"leftmost\"` gives to another pattern"
            );
        }
    }
}

fn entry(list: &mut Vec<(RuleOrReason, u64)>, kind: RuleOrReason) -> &mut u64 {
    let known = list.iter().position(|(other, _)| *other == kind);
    let index = known.unwrap_or_else(|| {
        list.push((kind, 0));
        list.len() - 1
    });
    &mut list[index].1
}

impl RecordExamples {
    fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(example());
        }
    }

    fn list(&self, text: &mut String) {
        for line in self.examples.iter().flat_map(|example| example.lines()) {
            let _ = writeln!(text, "            {line}");
        }
        if self.count > self.examples.len() as u64 {
            let _ = writeln!(text, "            …");
        }
    }
}
