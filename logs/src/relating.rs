//! Spans of a trace, each with the fields that it asks of the others.

// Idea: the spans of a trace are brought together as the events of a session are, as their fields and
// not as events. Then each is looked at beside the others, and mapped.
//
// Cost: one more grouping, on disk beyond the memory; a trace at a time is in memory. Finding the
// related spans is linear in the spans of the trace: a span looks at those with its id, its parent's
// id, or itself as their parent.

use crate::field::FieldId;
use crate::grouping::{EventBatch, Grouped, put_bytes, put_number, take_bytes, take_number};
use crate::mapping::{CallEnd, Mapping, OrderKey, Relation, Relations};
use crate::record::{Record, RecordPlace, Values};
use crate::stored_event::{StoredEvent, StoredKind, read, write};
use std::collections::HashMap;

/// What is reused from span to span.
#[derive(Debug, Default)]
pub(crate) struct SpanBuffer {
    trace: String,
    fields: Vec<u8>,
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

/// Writes the fields of a record.
fn write_fields(mapping: &Mapping, record: &Record<'_>, bytes: &mut Vec<u8>) {
    for (field, _) in mapping.fields().iter() {
        if let Some(value) = record.get(field) {
            put_number(bytes, field.index() as u64);
            put_bytes(bytes, value.as_bytes());
        }
    }
}

/// A span of a trace.
struct Span<'g> {
    file: u32,
    place: RecordPlace,
    /// By the index of their field.
    values: Vec<Option<&'g str>>,
    end: Option<CallEnd>,
    start: Option<OrderKey>,
}

/// The spans of a trace by what relates them, in the order of their starts.
struct Trace<'g> {
    spans: Vec<Span<'g>>,
    by_id: HashMap<&'g str, Vec<usize>>,
    by_parent: HashMap<&'g str, Vec<usize>>,
}

/// Calls a function with each span of a trace, in the order of the input: the number of its file, and
/// its record with the fields of other spans.
pub(crate) fn each_span(
    mapping: &Mapping,
    relations: &Relations,
    group: &Grouped,
    mut each: impl FnMut(u32, &Record<'_>),
) {
    let mut values = Values::default();
    let trace = Trace::of(mapping, relations, group, &mut values);
    for (index, span) in trace.spans.iter().enumerate() {
        span.fill(&mut values);
        for (field, relation, theirs) in &relations.fields {
            let other = trace.related(relations, index, *relation);
            let text = other.and_then(|other| trace.spans[other].get(*theirs));
            // A field of that name in the record itself counts first.
            if let Some(text) = text.filter(|_| !values.is_set(*field)) {
                values.set_text(*field, text);
            }
        }
        each(span.file, &values.record("", span.place));
    }
}

impl<'g> Trace<'g> {
    fn of(
        mapping: &Mapping,
        relations: &Relations,
        group: &'g Grouped,
        values: &mut Values,
    ) -> Trace<'g> {
        let count = mapping.fields().len();
        let mut spans: Vec<Span<'g>> =
            group.records().filter_map(|(_, content)| Span::read(content, count)).collect();
        for span in &mut spans {
            span.end = Relations::end(span.get(relations.kind));
            span.fill(values);
            span.start = mapping.start_of(relations, &values.record("", span.place));
        }
        let mut by_start: Vec<usize> = (0..spans.len()).collect();
        by_start.sort_by_key(|index| (spans[*index].start, *index));
        let by = |field: FieldId| {
            let mut by: HashMap<&'g str, Vec<usize>> = HashMap::new();
            for &index in &by_start {
                if let Some(value) = spans[index].get(field) {
                    by.entry(value).or_default().push(index);
                }
            }
            by
        };
        let (by_id, by_parent) = (by(relations.id), by(relations.parent));
        Trace { spans, by_id, by_parent }
    }

    /// The span that has a relation to one of them.
    fn related(&self, relations: &Relations, of: usize, relation: Relation) -> Option<usize> {
        let span = &self.spans[of];
        if relation == Relation::Parent {
            return self.parent(relations, of, |_| true);
        }
        match (relation, span.end?) {
            (Relation::Caller, CallEnd::Caller) | (Relation::Callee, CallEnd::Callee) => Some(of),
            (_, CallEnd::Caller) => {
                let is_callee = |other: &Span<'_>| other.end == Some(CallEnd::Callee);
                let id = span.get(relations.id)?;
                let shared = self.first(&self.by_id, id, of, is_callee);
                shared.or_else(|| self.first(&self.by_parent, id, of, is_callee))
            }
            (_, CallEnd::Callee) => {
                let is_caller = |other: &Span<'_>| other.end == Some(CallEnd::Caller);
                let id = span.get(relations.id);
                let shared = id.and_then(|id| self.first(&self.by_id, id, of, is_caller));
                shared.or_else(|| self.parent(relations, of, is_caller))
            }
        }
    }

    fn parent(
        &self,
        relations: &Relations,
        of: usize,
        is_it: impl Fn(&Span<'_>) -> bool,
    ) -> Option<usize> {
        let id = self.spans[of].get(relations.parent)?;
        self.first(&self.by_id, id, of, is_it)
    }

    /// The first other span of a list, by its start.
    fn first(
        &self,
        by: &HashMap<&'g str, Vec<usize>>,
        key: &str,
        of: usize,
        is_it: impl Fn(&Span<'_>) -> bool,
    ) -> Option<usize> {
        let mut list = by.get(key)?.iter().copied();
        list.find(|&other| other != of && is_it(&self.spans[other]))
    }
}

impl<'g> Span<'g> {
    fn read(content: &'g [u8], fields: usize) -> Option<Span<'g>> {
        let StoredEvent { file, place, kind: StoredKind::Span(mut rest), .. } = read(content)
        else {
            return None;
        };
        let mut values = vec![None; fields];
        while !rest.is_empty() {
            let field = take_number(&mut rest) as usize;
            let value = std::str::from_utf8(take_bytes(&mut rest)).unwrap_or_default();
            if let Some(slot) = values.get_mut(field) {
                *slot = Some(value);
            }
        }
        Some(Span { file, place, values, end: None, start: None })
    }

    fn get(&self, field: FieldId) -> Option<&'g str> {
        self.values.get(field.index()).copied().flatten()
    }

    fn fill(&self, values: &mut Values) {
        values.reset(self.values.len());
        for (index, value) in self.values.iter().enumerate() {
            if let Some(value) = value {
                values.set_text(FieldId::at(index), value);
            }
        }
    }
}
