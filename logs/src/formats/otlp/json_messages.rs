//! OTLP as JSON: names in camel case (or as in protobuf), ids in hex (or in base64, as in the JSON of protobuf), long
//! integers as texts or numbers, kinds as numbers or names.

use super::fields::any;
use super::messages::{self, AnyValue, Entry, KeyValue, ResourceGroup, Value};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use multitrace_formats::source::quote;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny};
use std::collections::BTreeMap;

/// A request of spans or of log records, in the form that protobuf is read into.
pub(super) struct JsonRequest(pub(super) messages::Request);

impl<'de> Deserialize<'de> for JsonRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonRequest, D::Error> {
        let raw = RawRequest::deserialize(deserializer)?;
        let wrapped = [raw.trace, raw.result].into_iter().flatten().map(|request| *request);
        let inner: Vec<JsonRequest> = wrapped.chain(raw.data.unwrap_or_default()).collect();
        let is_empty = raw.spans.is_none() && raw.logs.is_none() && raw.metrics.is_none();
        if is_empty && inner.is_empty() {
            let message = "neither `resourceSpans` nor `resourceLogs`: this is not OTLP";
            return Err(D::Error::custom(message));
        }
        if let Some(other) = raw.others.keys().next() {
            let message =
                format!("unknown field {}, which may hold spans or log records", quote(other));
            return Err(D::Error::custom(message));
        }
        let (spans, logs) = (raw.spans.unwrap_or_default(), raw.logs.unwrap_or_default());
        let spans_twice = spans.iter().any(|it| !it.scopes.is_empty() && !it.libraries.is_empty());
        let logs_twice = logs.iter().any(|it| !it.scopes.is_empty() && !it.libraries.is_empty());
        if spans_twice || logs_twice {
            let message = "a resource has spans or log records by scopes and by libraries, which are mostly the same";
            return Err(D::Error::custom(message));
        }
        let (spans, logs) = (spans.into_iter(), logs.into_iter());
        let groups = spans.map(group_of_spans).chain(logs.map(group_of_logs));
        let groups = groups.chain(inner.into_iter().flat_map(|request| request.0.groups));
        Ok(JsonRequest(messages::Request { groups: groups.collect() }))
    }
}

// A list of another name holds records that would not be read: no level above spans and records has unknown fields.
// Names before OTLP 0.15, of instrumentation libraries, are known.

#[derive(Deserialize)]
struct RawRequest {
    /// Tempo's first API calls them batches.
    #[serde(rename = "resourceSpans", alias = "resource_spans", alias = "batches")]
    spans: Option<Vec<SpanGroup>>,
    #[serde(rename = "resourceLogs", alias = "resource_logs")]
    logs: Option<Vec<LogGroup>>,
    /// Metrics make no events: they are skipped.
    #[serde(rename = "resourceMetrics", alias = "resource_metrics")]
    metrics: Option<IgnoredAny>,
    /// The object that Tempo's second API puts around a request.
    trace: Option<Box<JsonRequest>>,
    /// The object that Jaeger's third API puts around a request.
    result: Option<Box<JsonRequest>>,
    /// Its statistics and its message stand beside it, which hold no spans.
    #[serde(default, rename = "metrics")]
    _statistics: IgnoredAny,
    #[serde(default, rename = "message")]
    _message: IgnoredAny,
    #[serde(default, rename = "status", deserialize_with = "whole")]
    _status: (),
    /// The list that pages and scripts put around requests.
    data: Option<Vec<JsonRequest>>,
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

/// The status of an answer of Tempo, which has the whole trace.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    match Loose::deserialize(deserializer)? {
        Loose::Unsigned(0) => Ok(()),
        Loose::Text(text) if text == "COMPLETE" => Ok(()),
        _ => Err(D::Error::custom("Tempo did not send the whole trace, as its `status` says")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpanGroup {
    #[serde(default, deserialize_with = "or_default")]
    resource: Resource,
    #[serde(default, rename = "schemaUrl", alias = "schema_url")]
    _schema: IgnoredAny,
    #[serde(
        default,
        rename = "scopeSpans",
        alias = "scope_spans",
        deserialize_with = "or_default"
    )]
    scopes: Vec<SpanScope>,
    #[serde(
        default,
        rename = "instrumentationLibrarySpans",
        alias = "instrumentation_library_spans",
        deserialize_with = "or_default"
    )]
    libraries: Vec<SpanScope>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LogGroup {
    #[serde(default, deserialize_with = "or_default")]
    resource: Resource,
    #[serde(default, rename = "schemaUrl", alias = "schema_url")]
    _schema: IgnoredAny,
    #[serde(default, rename = "scopeLogs", alias = "scope_logs", deserialize_with = "or_default")]
    scopes: Vec<LogScope>,
    #[serde(
        default,
        rename = "instrumentationLibraryLogs",
        alias = "instrumentation_library_logs",
        deserialize_with = "or_default"
    )]
    libraries: Vec<LogScope>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Resource {
    #[serde(deserialize_with = "or_default")]
    attributes: Vec<Pair>,
    #[serde(
        rename = "droppedAttributesCount",
        alias = "dropped_attributes_count",
        deserialize_with = "or_default"
    )]
    dropped: Integer,
    #[serde(rename = "entityRefs", alias = "entity_refs")]
    _entities: IgnoredAny,
}

/// The library that made the spans or log records. Nothing of it is read, and nothing else may be in it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scope {
    #[serde(default, rename = "name")]
    _name: IgnoredAny,
    #[serde(default, rename = "version")]
    _version: IgnoredAny,
    #[serde(default, rename = "attributes")]
    _attributes: IgnoredAny,
    #[serde(default, rename = "droppedAttributesCount", alias = "dropped_attributes_count")]
    _dropped: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpanScope {
    #[serde(
        default,
        rename = "scope",
        alias = "instrumentationLibrary",
        alias = "instrumentation_library"
    )]
    _scope: Option<Scope>,
    #[serde(default, rename = "schemaUrl", alias = "schema_url")]
    _schema: IgnoredAny,
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LogScope {
    #[serde(
        default,
        rename = "scope",
        alias = "instrumentationLibrary",
        alias = "instrumentation_library"
    )]
    _scope: Option<Scope>,
    #[serde(default, rename = "schemaUrl", alias = "schema_url")]
    _schema: IgnoredAny,
    #[serde(default, rename = "logRecords", alias = "log_records", alias = "logs")]
    logs: Vec<LogRecord>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Span {
    #[serde(alias = "trace_id", deserialize_with = "id")]
    trace_id: Vec<u8>,
    #[serde(alias = "span_id", deserialize_with = "id")]
    span_id: Vec<u8>,
    #[serde(alias = "parent_span_id", deserialize_with = "id")]
    parent_span_id: Vec<u8>,
    #[serde(deserialize_with = "or_default")]
    name: String,
    #[serde(deserialize_with = "or_default")]
    kind: EnumNumber,
    #[serde(alias = "start_time_unix_nano", deserialize_with = "or_default")]
    start_time_unix_nano: Integer,
    #[serde(alias = "end_time_unix_nano", deserialize_with = "or_default")]
    end_time_unix_nano: Integer,
    #[serde(deserialize_with = "or_default")]
    attributes: Vec<Pair>,
    #[serde(alias = "dropped_attributes_count", deserialize_with = "or_default")]
    dropped_attributes_count: Integer,
    #[serde(deserialize_with = "or_default")]
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    #[serde(deserialize_with = "or_default")]
    message: String,
    #[serde(deserialize_with = "or_default")]
    code: EnumNumber,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LogRecord {
    #[serde(alias = "time_unix_nano", deserialize_with = "or_default")]
    time_unix_nano: Integer,
    #[serde(alias = "observed_time_unix_nano", deserialize_with = "or_default")]
    observed_time_unix_nano: Integer,
    #[serde(alias = "severity_number", deserialize_with = "or_default")]
    severity_number: EnumNumber,
    #[serde(alias = "severity_text", deserialize_with = "or_default")]
    severity_text: String,
    body: Option<Any>,
    #[serde(deserialize_with = "or_default")]
    attributes: Vec<Pair>,
    #[serde(alias = "dropped_attributes_count", deserialize_with = "or_default")]
    dropped_attributes_count: Integer,
    #[serde(alias = "trace_id", deserialize_with = "id")]
    trace_id: Vec<u8>,
    #[serde(alias = "span_id", deserialize_with = "id")]
    span_id: Vec<u8>,
    #[serde(alias = "event_name", deserialize_with = "or_default")]
    event_name: String,
}

#[derive(Deserialize)]
struct Pair {
    key: String,
    value: Option<Any>,
}

/// A value of an attribute, of one type.
#[derive(Deserialize)]
#[serde(try_from = "AnyFields")]
struct Any(Option<Value>);

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AnyFields {
    #[serde(alias = "string_value")]
    string_value: Option<String>,
    #[serde(alias = "bool_value")]
    bool_value: Option<bool>,
    #[serde(alias = "int_value")]
    int_value: Option<Signed>,
    #[serde(alias = "double_value")]
    double_value: Option<f64>,
    #[serde(alias = "array_value")]
    array_value: Option<List>,
    #[serde(alias = "kvlist_value")]
    kvlist_value: Option<PairList>,
    /// In base64, and kept so.
    #[serde(alias = "bytes_value")]
    bytes_value: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct List {
    values: Vec<Any>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PairList {
    values: Vec<Pair>,
}

/// A number, or a text of one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Loose {
    Unsigned(u64),
    Signed(i64),
    Text(String),
}

#[derive(Default)]
struct Integer(u64);

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Integer, D::Error> {
        let number = match Loose::deserialize(deserializer)? {
            Loose::Unsigned(number) => Some(number),
            Loose::Signed(_) => None,
            Loose::Text(text) => text.parse().ok(),
        };
        number.map(Integer).ok_or_else(|| D::Error::custom("expected a number from 0"))
    }
}

struct Signed(i64);

impl<'de> Deserialize<'de> for Signed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Signed, D::Error> {
        let number = match Loose::deserialize(deserializer)? {
            Loose::Unsigned(number) => number.try_into().ok(),
            Loose::Signed(number) => Some(number),
            Loose::Text(text) => text.parse().ok(),
        };
        number.map(Signed).ok_or_else(|| D::Error::custom("expected an integer"))
    }
}

/// A number, or the name of one that ends in a word: `SPAN_KIND_CLIENT`, `SEVERITY_NUMBER_INFO`.
#[derive(Default)]
struct EnumNumber(i32);

impl<'de> Deserialize<'de> for EnumNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EnumNumber, D::Error> {
        let text = match Loose::deserialize(deserializer)? {
            Loose::Unsigned(number) => return Ok(EnumNumber(number.try_into().unwrap_or(0))),
            Loose::Signed(_) => return Ok(EnumNumber(0)),
            Loose::Text(text) => text,
        };
        Ok(EnumNumber(kind_of(&text)))
    }
}

/// The number of a kind by its name, or of a text of a number; 0 for any other.
pub(super) fn kind_of(text: &str) -> i32 {
    let severities = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"];
    if let Some(severity) = text.strip_prefix("SEVERITY_NUMBER_") {
        let name = severity.trim_end_matches(|c: char| c.is_ascii_digit());
        let step: i32 = severity[name.len()..].parse().unwrap_or(1);
        let found = (0..).zip(severities).find(|(_, other)| *other == name);
        return found.map_or(0, |(at, _)| at * 4 + step);
    }
    match text.rsplit('_').next() {
        Some("INTERNAL" | "OK") => 1,
        Some("SERVER" | "ERROR") => 2,
        Some("CLIENT") => 3,
        Some("PRODUCER") => 4,
        Some("CONSUMER") => 5,
        _ => text.parse().unwrap_or(0),
    }
}

/// The value of an attribute as fields have it; `None` if the text is not a value.
pub(super) fn text_of_value(json: &str) -> Option<String> {
    let mut text = String::new();
    let Any(value) = serde_json::from_str(json).ok()?;
    any(&AnyValue { value }, &mut text).then_some(text)
}

/// A field, which has the value of one that is absent if it is null, as in the JSON of protobuf.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// Ids in hex, or in base64 as the first API of Tempo has them: only those end in `=`, as ids have 8 or 16 bytes.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    let bytes = match text.ends_with('=') {
        true => STANDARD.decode(&text).ok(),
        false => text.as_bytes().chunks(2).map(pair).collect(),
    };
    bytes.ok_or_else(|| D::Error::custom("an id that is neither in hex nor in base64"))
}

fn group_of_spans(group: SpanGroup) -> ResourceGroup {
    let scopes = group.scopes.into_iter().chain(group.libraries);
    let entries = scopes.flat_map(|scope| scope.spans).map(|span| {
        Entry::Span(messages::Span {
            trace_id: span.trace_id,
            span_id: span.span_id,
            parent_span_id: span.parent_span_id,
            name: span.name,
            kind: span.kind.0,
            start: span.start_time_unix_nano.0,
            end: span.end_time_unix_nano.0,
            attributes: pairs(span.attributes),
            dropped: u32::from(span.dropped_attributes_count.0 > 0),
            status: Some(messages::Status {
                message: span.status.message,
                code: span.status.code.0,
            }),
        })
    });
    let Resource { attributes, dropped, .. } = group.resource;
    ResourceGroup { entries: entries.collect(), resource: pairs(attributes), dropped: dropped.0 }
}

fn group_of_logs(group: LogGroup) -> ResourceGroup {
    let scopes = group.scopes.into_iter().chain(group.libraries);
    let entries = scopes.flat_map(|scope| scope.logs).map(|log| {
        Entry::Log(messages::LogRecord {
            time: log.time_unix_nano.0,
            severity_number: log.severity_number.0,
            severity: log.severity_text,
            body: log.body.map(|Any(value)| AnyValue { value }),
            attributes: pairs(log.attributes),
            dropped: u32::from(log.dropped_attributes_count.0 > 0),
            trace_id: log.trace_id,
            span_id: log.span_id,
            observed_time: log.observed_time_unix_nano.0,
            event_name: log.event_name,
        })
    });
    let Resource { attributes, dropped, .. } = group.resource;
    ResourceGroup { entries: entries.collect(), resource: pairs(attributes), dropped: dropped.0 }
}

fn pairs(pairs: Vec<Pair>) -> Vec<KeyValue> {
    let value = |Any(value)| AnyValue { value };
    let pair = |pair: Pair| KeyValue { key: pair.key, value: pair.value.map(value) };
    pairs.into_iter().map(pair).collect()
}

impl TryFrom<AnyFields> for Any {
    type Error = &'static str;

    fn try_from(any: AnyFields) -> Result<Any, &'static str> {
        let list = |List { values }| {
            let values = values.into_iter().map(|Any(value)| AnyValue { value }).collect();
            Value::List(messages::ValueList { values })
        };
        let table =
            |PairList { values }| Value::Table(messages::KeyValueList { values: pairs(values) });
        let mut values = [
            any.string_value.map(Value::Text),
            any.bytes_value.map(Value::Text),
            any.bool_value.map(Value::Flag),
            any.int_value.map(|number| Value::Integer(number.0)),
            any.double_value.map(Value::Number),
            any.array_value.map(list),
            any.kvlist_value.map(table),
        ]
        .into_iter()
        .flatten();
        let value = values.next();
        values.next().map_or(Ok(Any(value)), |_| Err("a value of an attribute has two types"))
    }
}
