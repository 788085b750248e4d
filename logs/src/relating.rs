//! Spans of a trace, each with the fields that it asks of the others.

// Idea: the spans of a trace are brought together as the events of a session are, as their fields and
// not as events. Then each is looked at beside the others, and mapped.
//
// Of several spans that fit, the one that began first counts. Where others began with it, only what they agree on is
// known: the order of a file tells nothing of what happened at two lifelines.
//
// A span whose id and other fields are those of an earlier one was most likely exported twice. It is counted, and left out
// only if the mapping says so.
//
// Cost: one more grouping, on disk beyond the memory; a trace at a time is in memory. Finding a related
// span takes one look at the first two with an id, or with a parent: one of them is another span.

use crate::cycles::turn;
use crate::field::FieldId;
use crate::grouping::{EventBatch, Grouped, put_bytes, put_number, take_bytes, take_number};
use crate::mapping::{CallEnd, Mapping, OrderKey, Relation, Relations};
use crate::record::{Record, RecordPlace, Values};
use crate::stored_event::{StoredEvent, StoredKind, read, write};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// Buffers that are reused from span to span.
#[derive(Debug, Default)]
pub(crate) struct SpanBuffer {
    pub(crate) trace: String,
    pub(crate) fields: Vec<u8>,
}

/// Keeps a span of a file until all of its trace are known, and returns whether it did. Other records
/// are not kept, nor spans that ask nothing of others.
pub(crate) fn keep_span(
    mapping: &Mapping,
    (file, record): (u32, &Record<'_>),
    SpanBuffer { trace, fields }: &mut SpanBuffer,
    spans: &mut EventBatch,
) -> bool {
    let Some(relations) = mapping.relations() else { return false };
    if !mapping.may_be_span(relations, record) || !relations.write_trace(record, trace) {
        return false;
    }
    fields.clear();
    write_fields(mapping, record, fields);
    let (place, kind) = (record.place(), StoredKind::Span(fields));
    let stored = StoredEvent { file, place, order: None, kind };
    spans.add(trace.as_bytes(), |bytes| write(&stored, bytes));
    true
}

/// Writes the fields of a record, also those in damaged JSON.
pub(crate) fn write_fields(mapping: &Mapping, record: &Record<'_>, bytes: &mut Vec<u8>) {
    for (field, _) in mapping.fields().iter() {
        let number = field.index() as u64 * 2;
        if let Some(value) = record.get(field) {
            put_number(bytes, number);
            put_bytes(bytes, value.as_bytes());
        } else if record.is_damaged(field) {
            put_number(bytes, number | 1);
        }
    }
}

/// A record as its fields.
pub(crate) struct StoredFields<'g> {
    pub(crate) file: u32,
    pub(crate) place: RecordPlace,
    /// By the index of their field.
    values: Vec<StoredValue<'g>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum StoredValue<'g> {
    Absent,
    Text(&'g str),
    /// In JSON that cannot be used.
    Damaged,
}

/// A span of a trace.
struct Span<'g> {
    fields: StoredFields<'g>,
    end: Option<CallEnd>,
    start: Option<OrderKey>,
}

/// The spans of a trace by the ids that relate them.
struct Trace<'g> {
    spans: Vec<Span<'g>>,
    repeated: RepeatedSpans,
    by_id: HashMap<&'g str, FirstSpans>,
    by_parent: HashMap<&'g str, FirstSpans>,
}

/// The spans of a trace that repeat an earlier one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RepeatedSpans {
    pub(crate) count: u64,
    /// The number of the file of the first one, and its place there.
    pub(crate) first: Option<(u32, RecordPlace)>,
}

/// The first spans of some, by their starts.
#[derive(Clone, Copy, Default)]
struct FirstSpans {
    any: FirstTwo,
    callers: FirstTwo,
    callees: FirstTwo,
}

/// The first two spans of some: one of them is not the span that asks.
#[derive(Clone, Copy, Default)]
struct FirstTwo {
    spans: [Option<usize>; 2],
    /// In which fields others that began with the first one differ from it.
    differing: FieldSet,
}

/// Fields of other records that a mapping asks for, by their places among them; those from the 64th on are one.
#[derive(Clone, Copy, Default)]
pub(crate) struct FieldSet(u64);

impl FieldSet {
    fn add(&mut self, place: usize) {
        self.0 |= 1 << place.min(63);
    }

    pub(crate) fn has(self, place: usize) -> bool {
        self.0 & 1 << place.min(63) != 0
    }

    /// Adds the fields in which two records differ.
    pub(crate) fn add_differing(
        &mut self,
        (one, other): (&StoredFields<'_>, &StoredFields<'_>),
        asked: impl Iterator<Item = FieldId>,
    ) {
        for (place, field) in asked.enumerate() {
            if one.values.get(field.index()) != other.values.get(field.index()) {
                self.add(place);
            }
        }
    }
}

/// A span that another one asks, and the fields that are unknown because other spans fit as well.
struct Related {
    span: usize,
    unknown: FieldSet,
}

impl FirstSpans {
    /// Adds the next span by its start. `mark` adds the fields in which it differs from another one that began with it.
    fn add(&mut self, index: usize, end: Option<CallEnd>, mark: impl Fn(usize, &mut FieldSet)) {
        let of_end = match end {
            None => None,
            Some(CallEnd::Caller) => Some(&mut self.callers),
            Some(CallEnd::Callee) => Some(&mut self.callees),
        };
        for list in of_end.into_iter().chain([&mut self.any]) {
            if let Some(first) = list.spans[0] {
                mark(first, &mut list.differing);
            }
            if let Some(room) = list.spans.iter_mut().find(|it| it.is_none()) {
                *room = Some(index);
            }
        }
    }

    /// The first one of an end that is not this span.
    fn other(&self, than: usize, end: Option<CallEnd>) -> Option<Related> {
        let list = match end {
            None => self.any,
            Some(CallEnd::Caller) => self.callers,
            Some(CallEnd::Callee) => self.callees,
        };
        // The parent of a span that names itself is the other one, from which it may differ.
        let has_asker = list.spans.contains(&Some(than));
        let unknown = if has_asker { FieldSet::default() } else { list.differing };
        let span = list.spans.into_iter().flatten().find(|index| *index != than)?;
        Some(Related { span, unknown })
    }
}

/// Calls a function with each span of a trace, in the order of the input: the number of its file, and
/// its record with the fields of other spans. Returns the spans that repeat others; those are left out if the mapping says so.
pub(crate) fn each_span(
    mapping: &Mapping,
    relations: &Relations,
    group: &Grouped,
    mut each: impl FnMut(u32, &Record<'_>),
) -> RepeatedSpans {
    let mut values = Values::default();
    let trace = Trace::new(mapping, relations, group, &mut values);
    for (index, span) in trace.spans.iter().enumerate() {
        span.fields.fill(&mut values);
        for (place, (field, relation, theirs)) in relations.fields.iter().enumerate() {
            let Some(Related { span, unknown }) = trace.related(relations, index, *relation) else {
                continue;
            };
            let lender = &trace.spans[span].fields;
            lender.lend_unless(unknown.has(place), (*theirs, *field), &mut values);
        }
        each(span.fields.file, &values.record("", span.fields.place));
    }
    trace.repeated
}

/// Which spans have the id and all other fields of an earlier one. Fields that nobody knows are not alike.
fn repeated(spans: &[Span<'_>], id: FieldId) -> Vec<usize> {
    let mut by_id: HashMap<&str, &Span<'_>> = HashMap::new();
    let mut known: HashSet<&[StoredValue<'_>]> = HashSet::new();
    let mut repeated = Vec::new();
    for (index, span) in spans.iter().enumerate() {
        let fields = &span.fields;
        let Some(own) = fields.get(id) else { continue };
        match by_id.entry(own) {
            Entry::Vacant(new) => _ = new.insert(span),
            Entry::Occupied(first) => {
                known.insert(&first.get().fields.values);
                let is_known = !fields.values.contains(&StoredValue::Damaged);
                if !known.insert(&fields.values) && is_known {
                    repeated.push(index);
                }
            }
        }
    }
    repeated
}

impl<'g> Trace<'g> {
    fn new(
        mapping: &Mapping,
        relations: &Relations,
        group: &'g Grouped,
        values: &mut Values,
    ) -> Trace<'g> {
        let count = mapping.fields().len();
        let mut spans: Vec<Span<'g>> = group
            .records()
            .filter_map(|(_, content)| {
                let fields = StoredFields::read(content, count)?;
                Some(Span { fields, end: None, start: None })
            })
            .collect();
        let copies = repeated(&spans, relations.id);
        let first = copies.first().map(|index| &spans[*index].fields);
        let first = first.map(|fields| (fields.file, fields.place));
        let repeated = RepeatedSpans { count: copies.len() as u64, first };
        if relations.drops_repeated {
            let mut index = 0..;
            spans.retain(|_| index.next().is_some_and(|it| copies.binary_search(&it).is_err()));
        }
        for span in &mut spans {
            span.fields.fill(values);
            let record = values.record("", span.fields.place);
            span.end = relations.end(&record);
            span.start = mapping.start_of(relations, &record);
        }
        let starts = spans.iter().map(|span| (span.fields.file, span.start, ()));
        if mapping.has_partial_times() && turn(false, starts).is_some() {
            // Nothing but the order of the input tells which one began first.
            spans.iter_mut().for_each(|span| span.start = None);
        }
        let mut by_start: Vec<usize> = (0..spans.len()).collect();
        by_start.sort_by_key(|index| (spans[*index].start, *index));
        let by = |field: FieldId| {
            let mut by: HashMap<&'g str, FirstSpans> = HashMap::new();
            for &index in &by_start {
                if let Some(value) = spans[index].fields.get(field) {
                    let mark = |other: usize, differing: &mut FieldSet| {
                        spans[index].mark_differing(&spans[other], relations, differing);
                    };
                    by.entry(value).or_default().add(index, spans[index].end, mark);
                }
            }
            by
        };
        let (by_id, by_parent) = (by(relations.id), by(relations.parent));
        Trace { spans, repeated, by_id, by_parent }
    }

    /// The span that has a relation to one of them.
    fn related(&self, relations: &Relations, of: usize, relation: Relation) -> Option<Related> {
        let span = &self.spans[of];
        let by_id = |id, end| self.by_id.get(id)?.other(of, end);
        let parent = |end| by_id(span.fields.get(relations.parent)?, end);
        if relation == Relation::Parent {
            // Of two spans with one id, the one that is called is at the place of its children.
            return parent(Some(CallEnd::Callee)).or_else(|| parent(None));
        }
        match (relation, span.end?) {
            (Relation::Caller, CallEnd::Caller) | (Relation::Callee, CallEnd::Callee) => {
                Some(Related { span: of, unknown: FieldSet::default() })
            }
            (_, CallEnd::Caller) => {
                let (id, callee) = (span.fields.get(relations.id)?, Some(CallEnd::Callee));
                by_id(id, callee).or_else(|| self.by_parent.get(id)?.other(of, callee))
            }
            (_, CallEnd::Callee) => {
                let caller = Some(CallEnd::Caller);
                let shared = span.fields.get(relations.id).and_then(|id| by_id(id, caller));
                shared.or_else(|| parent(caller))
            }
        }
    }
}

impl Span<'_> {
    /// Adds the fields in which it differs from a span that began with it.
    fn mark_differing(&self, first: &Span<'_>, relations: &Relations, differing: &mut FieldSet) {
        let is_later = match (self.start, first.start) {
            // Numbers and times tell no order.
            (Some(one), Some(other)) => one != other && one.kinds() == other.kinds(),
            // Without starts, the order of one file counts.
            (None, None) => self.fields.file == first.fields.file,
            _ => false,
        };
        if is_later {
            return;
        }
        let asked = relations.fields.iter().map(|(_, _, theirs)| *theirs);
        differing.add_differing((&self.fields, &first.fields), asked);
    }
}

impl<'g> StoredFields<'g> {
    /// Reads a record that was kept as its fields.
    pub(crate) fn read(content: &'g [u8], fields: usize) -> Option<StoredFields<'g>> {
        let StoredEvent { file, place, kind: StoredKind::Span(mut rest), .. } = read(content)
        else {
            return None;
        };
        let mut values = vec![StoredValue::Absent; fields];
        while !rest.is_empty() {
            let number = take_number(&mut rest) as usize;
            let value = match number % 2 {
                0 => StoredValue::Text(
                    std::str::from_utf8(take_bytes(&mut rest)).unwrap_or_default(),
                ),
                _ => StoredValue::Damaged,
            };
            if let Some(slot) = values.get_mut(number / 2) {
                *slot = value;
            }
        }
        Some(StoredFields { file, place, values })
    }

    pub(crate) fn get(&self, field: FieldId) -> Option<&'g str> {
        match self.values.get(field.index())? {
            StoredValue::Text(text) => Some(text),
            StoredValue::Absent | StoredValue::Damaged => None,
        }
    }

    pub(crate) fn fill(&self, values: &mut Values) {
        values.reset(self.values.len());
        for field in (0..self.values.len()).map(FieldId::at) {
            self.lend(field, field, values);
        }
    }

    /// Gives a field to another record, or the mark that nobody knows it, since other records would give another value.
    pub(crate) fn lend_unless(
        &self,
        is_unknown: bool,
        (field, name): (FieldId, FieldId),
        values: &mut Values,
    ) {
        match is_unknown && !values.is_set(name) {
            true => values.set_ambiguous(name),
            false => self.lend(field, name, values),
        }
    }

    /// Gives a field to another record, which calls it otherwise. A field of that name in the record itself counts first.
    pub(crate) fn lend(&self, field: FieldId, name: FieldId, values: &mut Values) {
        if values.is_set(name) {
            return;
        }
        match self.values.get(field.index()) {
            Some(StoredValue::Text(text)) => values.set_text(name, text),
            Some(StoredValue::Damaged) => values.set_damaged(name),
            Some(StoredValue::Absent) | None => {}
        }
    }
}
