//! Fields of other spans: those of the parent, and of the other end of a call.

use super::condition::Test;
use super::order_fields::OrderRule;
use super::span_rules::SpanKinds;
use super::template::Template;
use crate::field::{FieldId, FieldPath, Fields};
use crate::record::Record;

/// Whose fields a span may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The span that it names as its parent.
    Parent,
    /// The other end of the call.
    Peer,
    /// The end that calls, which may be the span itself.
    Caller,
    /// The end that is called, which may be the span itself.
    Callee,
}

/// How spans are related, and which fields they ask of one another.
#[derive(Clone, Debug)]
pub(crate) struct Relations {
    /// The value that spans of one trace share.
    pub(crate) trace: Template,
    pub(crate) id: FieldId,
    pub(crate) parent: FieldId,
    pub(super) kind: FieldId,
    pub(super) kinds: SpanKinds,
    /// When a span began; of several callees, the first counts.
    pub(super) start: OrderRule,
    /// Whether spans that repeat an earlier one are left out.
    pub(crate) drops_repeated: bool,
    /// A field as the mapping names it, whose it is, and its name there.
    pub(crate) fields: Vec<(FieldId, Relation, FieldId)>,
}

/// Which end of a call a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEnd {
    Caller,
    Callee,
}

impl Relation {
    /// The relation a path begins with, and the field that it asks for.
    fn parse(path: &FieldPath) -> Option<(Relation, FieldPath)> {
        let relations = [
            ("parent.", Relation::Parent),
            ("peer.", Relation::Peer),
            ("caller.", Relation::Caller),
            ("callee.", Relation::Callee),
        ];
        let (prefix, relation) = relations.iter().find(|(it, _)| path.text().starts_with(it))?;
        let field = FieldPath::parse(&path.text()[prefix.len()..]).ok()?;
        Some((*relation, field))
    }

    /// The fields of other spans among those that a mapping asks for.
    fn fields(fields: &mut Fields) -> Vec<(FieldId, Relation, FieldId)> {
        let asked: Vec<(FieldId, Relation, FieldPath)> = fields
            .iter()
            .filter_map(|(id, path)| {
                Relation::parse(path).map(|(relation, field)| (id, relation, field))
            })
            .collect();
        let add = |(id, relation, field)| (id, relation, fields.add(field));
        asked.into_iter().map(add).collect()
    }
}

impl Relations {
    /// Adds the fields of other spans that the mapping asks for; `None` if it asks nothing about other spans.
    pub(super) fn with_fields(self, fields: &mut Fields) -> Option<Relations> {
        let fields = Relation::fields(fields);
        (self.drops_repeated || !fields.is_empty()).then_some(Relations { fields, ..self })
    }

    /// Whether a field may be one of another span.
    pub(super) fn has(&self, field: FieldId) -> bool {
        self.fields.iter().any(|(asked, ..)| *asked == field)
    }

    /// Which end of a call a span is.
    pub(crate) fn end(&self, record: &Record<'_>) -> Option<CallEnd> {
        let [client, server, producer, consumer, _] = &self.kinds.0;
        let kind = record.get(self.kind);
        let is_one = |tests: [&Test; 2]| tests.iter().any(|it| it.holds(kind, record));
        match () {
            () if is_one([client, producer]) => Some(CallEnd::Caller),
            () if is_one([server, consumer]) => Some(CallEnd::Callee),
            () => None,
        }
    }

    /// Writes the trace of a span; false if the record does not say it.
    pub(crate) fn write_trace(&self, record: &Record<'_>, trace: &mut String) -> bool {
        trace.clear();
        self.trace.write(record, trace).is_ok() && !trace.is_empty()
    }
}
