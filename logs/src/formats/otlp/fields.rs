//! The fields of spans and log records by name.

use super::messages::{AnyValue, Entry, KeyValue, LogRecord, Request, ResourceGroup, Span, Value};
use crate::error::EventError;
use crate::field::{FieldId, FieldPath, Fields, PathStep, flat};
use crate::formats::log_format::Each;
use crate::formats::twice::{KEEP_ONE, differs};
use crate::record::{RecordPlace, Values};
use std::fmt::Write;

/// The asked-for fields of spans and log records.
#[derive(Clone, Debug)]
pub(super) struct AskedFields(pub(super) Vec<(FieldId, OtlpField)>);

impl AskedFields {
    pub(super) fn new(fields: &Fields) -> AskedFields {
        AskedFields(fields.iter().map(|(field, path)| (field, OtlpField::new(path))).collect())
    }

    /// Calls a function for every span and log record of a request, numbered behind that of a place, and returns the last
    /// number. An attribute that is asked for and stands twice, with different values, is an error of its record.
    pub(super) fn each_record(
        &self,
        file: &str,
        (request, place): (&Request, RecordPlace),
        each: &mut Each<'_>,
    ) -> u32 {
        let mut values = Values::default();
        let mut item = place.item;
        for group in &request.groups {
            for entry in &group.entries {
                item = item.saturating_add(1);
                if let Some(key) = self.twice(&group.resource, entry) {
                    let place = Some(place.item(item));
                    each(Err(EventError::without_text(file, place, differs(key), KEEP_ONE)));
                    continue;
                }
                values.reset(self.0.len());
                for (field, asked) in &self.0 {
                    values.set_with(*field, |text| asked.write(&group.resource, entry, text));
                    if asked.is_dropped(group, entry) && !values.is_set(*field) {
                        values.set_dropped(*field);
                    }
                }
                each(Ok(&values.record("", place.item(item))));
            }
        }
        item
    }

    /// The first key that is asked for and stands twice, with different values.
    fn twice(&self, resource: &[KeyValue], entry: &Entry) -> Option<&str> {
        let own = match entry {
            Entry::Span(span) => &span.attributes,
            Entry::Log(log) => &log.attributes,
        };
        self.0.iter().find_map(|(_, field)| {
            let (key, attributes) = match field {
                OtlpField::Attribute(key) => (key, own.as_slice()),
                OtlpField::Resource(key) => (key, resource),
                _ => return None,
            };
            let mut found = attributes.iter().filter(|attribute| attribute.key == *key);
            let first = found.next()?;
            found.any(|other| other != first).then_some(key.as_str())
        })
    }
}

/// A field, resolved once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OtlpField {
    Signal,
    TraceId,
    SpanId,
    OfSpan(SpanField),
    OfLog(LogField),
    Attribute(String),
    Resource(String),
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanField {
    TraceId,
    Id,
    ParentId,
    Name,
    Kind,
    Start,
    End,
    StatusCode,
    StatusMessage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogField {
    TraceId,
    SpanId,
    Time,
    ObservedTime,
    Severity,
    SeverityNumber,
    Body,
    EventName,
}

impl From<SpanField> for OtlpField {
    fn from(field: SpanField) -> OtlpField {
        OtlpField::OfSpan(field)
    }
}

impl From<LogField> for OtlpField {
    fn from(field: LogField) -> OtlpField {
        OtlpField::OfLog(field)
    }
}

impl OtlpField {
    fn new(path: &FieldPath) -> OtlpField {
        if let [PathStep::Key(first), key @ ..] = path.steps()
            && !key.is_empty()
        {
            match first.as_str() {
                "attributes" => return OtlpField::Attribute(flat(key)),
                "resource" => return OtlpField::Resource(flat(key)),
                _ => {}
            }
        }
        match path.flat_name().as_str() {
            "signal" => OtlpField::Signal,
            "trace_id" => OtlpField::TraceId,
            "span_id" => OtlpField::SpanId,
            "span.trace_id" => OtlpField::OfSpan(SpanField::TraceId),
            "span.id" | "span.span_id" => OtlpField::OfSpan(SpanField::Id),
            "span.parent_id" => OtlpField::OfSpan(SpanField::ParentId),
            "span.name" => OtlpField::OfSpan(SpanField::Name),
            "span.kind" => OtlpField::OfSpan(SpanField::Kind),
            "span.start" => OtlpField::OfSpan(SpanField::Start),
            "span.end" => OtlpField::OfSpan(SpanField::End),
            "span.status.code" => OtlpField::OfSpan(SpanField::StatusCode),
            "span.status.message" => OtlpField::OfSpan(SpanField::StatusMessage),
            "log.trace_id" => OtlpField::OfLog(LogField::TraceId),
            "log.span_id" => OtlpField::OfLog(LogField::SpanId),
            "log.time" => OtlpField::OfLog(LogField::Time),
            "log.observed_time" => OtlpField::OfLog(LogField::ObservedTime),
            "log.severity" => OtlpField::OfLog(LogField::Severity),
            "log.severity_number" => OtlpField::OfLog(LogField::SeverityNumber),
            "log.body" => OtlpField::OfLog(LogField::Body),
            "log.event_name" => OtlpField::OfLog(LogField::EventName),
            _ => OtlpField::Unknown,
        }
    }

    /// The key of an attribute of a span or a log record.
    pub(super) fn attribute(&self) -> Option<&String> {
        match self {
            OtlpField::Attribute(key) => Some(key),
            _ => None,
        }
    }

    /// Whether the field may be one of those that the exporter left out.
    fn is_dropped(&self, group: &ResourceGroup, entry: &Entry) -> bool {
        match (self, entry) {
            (OtlpField::Attribute(_), Entry::Span(span)) => span.dropped > 0,
            (OtlpField::Attribute(_), Entry::Log(log)) => log.dropped > 0,
            (OtlpField::Resource(_), _) => group.dropped > 0,
            _ => false,
        }
    }

    /// Writes the value of the field; returns whether the entry has it.
    fn write(&self, resource: &[KeyValue], entry: &Entry, text: &mut String) -> bool {
        match (self, entry) {
            (OtlpField::Signal, Entry::Span(_)) => put("span", text),
            (OtlpField::Signal, Entry::Log(_)) => put("log", text),
            (OtlpField::TraceId, Entry::Span(span)) => hex(&span.trace_id, text),
            (OtlpField::TraceId, Entry::Log(log)) => hex(&log.trace_id, text),
            (OtlpField::SpanId, Entry::Span(span)) => hex(&span.span_id, text),
            (OtlpField::SpanId, Entry::Log(log)) => hex(&log.span_id, text),
            (OtlpField::OfSpan(field), Entry::Span(span)) => field.write(span, text),
            (OtlpField::OfLog(field), Entry::Log(log)) => field.write(log, text),
            (OtlpField::Attribute(key), Entry::Span(span)) => {
                attribute(&span.attributes, key, text)
            }
            (OtlpField::Attribute(key), Entry::Log(log)) => attribute(&log.attributes, key, text),
            (OtlpField::Resource(key), _) => attribute(resource, key, text),
            (OtlpField::OfSpan(_) | OtlpField::OfLog(_) | OtlpField::Unknown, _) => false,
        }
    }
}

impl SpanField {
    /// The name of the code of a status.
    pub(super) fn status(code: i32) -> &'static str {
        match code {
            1 => "ok",
            2 => "error",
            _ => "unset",
        }
    }

    fn write(self, span: &Span, text: &mut String) -> bool {
        let status = span.status.as_ref();
        match self {
            SpanField::TraceId => hex(&span.trace_id, text),
            SpanField::Id => hex(&span.span_id, text),
            SpanField::ParentId => hex(&span.parent_span_id, text),
            SpanField::Name => put(&span.name, text),
            SpanField::Kind => put(kind(span.kind), text),
            SpanField::Start => number(span.start, text),
            SpanField::End => number(span.end, text),
            SpanField::StatusCode => {
                put(SpanField::status(status.map_or(0, |status| status.code)), text)
            }
            SpanField::StatusMessage => status.is_some_and(|status| put(&status.message, text)),
        }
    }
}

impl LogField {
    fn write(self, log: &LogRecord, text: &mut String) -> bool {
        match self {
            LogField::TraceId => hex(&log.trace_id, text),
            LogField::SpanId => hex(&log.span_id, text),
            LogField::Time => number(log.time, text),
            LogField::ObservedTime => number(log.observed_time, text),
            LogField::Severity => put(&log.severity, text),
            LogField::SeverityNumber => number(log.severity_number, text),
            LogField::Body => log.body.as_ref().is_some_and(|body| any(body, text)),
            LogField::EventName => put(&log.event_name, text),
        }
    }
}

/// In protobuf an empty text means that there is no value.
fn put(value: &str, text: &mut String) -> bool {
    text.push_str(value);
    !value.is_empty()
}

/// Writing into a text cannot fail. A zero means that there is no value.
fn number(value: impl Into<i128>, text: &mut String) -> bool {
    let value = value.into();
    let _ = write!(text, "{value}");
    value != 0
}

pub(super) fn kind(kind: i32) -> &'static str {
    match kind {
        1 => "internal",
        2 => "server",
        3 => "client",
        4 => "producer",
        5 => "consumer",
        _ => "unspecified",
    }
}

pub(super) fn hex(bytes: &[u8], text: &mut String) -> bool {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)].into());
        text.push(DIGITS[usize::from(byte & 15)].into());
    }
    !bytes.is_empty()
}

fn attribute(attributes: &[KeyValue], key: &str, text: &mut String) -> bool {
    let found = attributes.iter().find(|attribute| attribute.key == key);
    let value = found.and_then(|attribute| attribute.value.as_ref());
    value.is_some_and(|value| any(value, text))
}

/// Texts, numbers and truth values as they are; bytes in hex; the others as JSON.
pub(super) fn any(value: &AnyValue, text: &mut String) -> bool {
    match &value.value {
        None => return false,
        Some(Value::Text(value)) => text.push_str(value),
        Some(Value::Bytes(bytes)) => {
            hex(bytes, text);
        }
        Some(value) => json(value, text),
    }
    true
}

/// Writes a value as JSON. A table keeps a key that stands twice, so that its reader can refuse it.
fn json(value: &Value, text: &mut String) {
    let inner = |value: Option<&AnyValue>, text: &mut String| match value {
        Some(AnyValue { value: Some(value) }) => json(value, text),
        _ => text.push_str("null"),
    };
    let scalar: serde_json::Value = match value {
        Value::Text(text) => text.as_str().into(),
        Value::Flag(flag) => (*flag).into(),
        Value::Integer(number) => (*number).into(),
        Value::Number(number) => (*number).into(),
        Value::Bytes(bytes) => {
            let mut text = String::new();
            hex(bytes, &mut text);
            text.into()
        }
        Value::List(list) => {
            separated('[', &list.values, text, |value, text| inner(Some(value), text));
            return text.push(']');
        }
        Value::Table(table) => {
            // Tables with the same pairs have the same text.
            let mut pairs: Vec<&KeyValue> = table.values.iter().collect();
            pairs.sort_by_key(|pair| &pair.key);
            separated('{', &pairs, text, |pair, text| {
                let _ = write!(text, "{}:", serde_json::Value::from(pair.key.as_str()));
                inner(pair.value.as_ref(), text);
            });
            return text.push('}');
        }
    };
    let _ = write!(text, "{scalar}");
}

/// Writes values behind a bracket, with commas between.
fn separated<T>(open: char, values: &[T], text: &mut String, put: impl Fn(&T, &mut String)) {
    text.push(open);
    for (at, value) in values.iter().enumerate() {
        text.push_str(if at > 0 { "," } else { "" });
        put(value, text);
    }
}
