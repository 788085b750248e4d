//! Spans of Zipkin v2. The fields of spans have the same names as in OTLP; any other path leads
//! into the JSON of the span, `localEndpoint.ipv4`.

use super::context::InputContext;
use super::frames::Frame;
use super::json_fields;
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::objects::{self, Objects, each_object};
use super::path_tree::PathTree;
use super::records::{FrameParser, one};
use super::spans;
use crate::error::EventError;
use crate::field::{FieldId, FieldPath, Fields, PathStep, flat};
use crate::format::Format;
use crate::record::{Record, RecordPlace, Values};
use multitrace_formats::source::{Diagnostic, Span};

pub(crate) struct Zipkin;

impl LogFormat for Zipkin {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let is_span = head.has_key("traceId") && head.has_key("localEndpoint");
        is_span.then_some(Sign::Keys)
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let parser = Spans::new(&opening.context.fields);
        opening.parsed(Objects::default(), parser)
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        Ok(spans::proposal(Format::Zipkin))
    }
}

/// Where the asked-for fields come from.
#[derive(Clone, Debug)]
struct Spans {
    /// Paths into the JSON.
    tree: PathTree,
    paths: usize,
    /// The trace id that every span has.
    trace: FieldId,
    sources: Vec<(FieldId, ValueSource)>,
}

#[derive(Clone, Copy, Debug)]
enum ValueSource {
    Path(FieldId),
    /// In lower case; `none` without one, which internal spans mostly lack.
    Kind(FieldId),
    /// The sum of both.
    End(FieldId, FieldId),
}

impl Spans {
    fn new(fields: &Fields) -> Spans {
        let mut inner = Fields::default();
        let trace = inner.add(FieldPath::parse("traceId").expect("a path"));
        let sources = fields.iter().map(|(field, path)| (field, source(path, &mut inner)));
        let sources = sources.collect();
        Spans { tree: PathTree::new(&inner), paths: inner.len(), trace, sources }
    }

    /// Reads a span; `raw` is room to work in.
    fn read(&self, text: &str, raw: &mut Values, values: &mut Values) -> Result<(), Diagnostic> {
        raw.reset(self.paths);
        json_fields::read(text, &self.tree, raw)?;
        let record = raw.record(text, RecordPlace::line(0));
        if record.get(self.trace).is_none() {
            let message = "it has no field `traceId`, so this is not a span of Zipkin";
            let error = Diagnostic::new(Span::new(0, 1), message, "");
            return Err(error.with_help(
                "leave it out, or name the format of the file: [input] format = \"…\"",
            ));
        }
        for &(field, from) in &self.sources {
            match from {
                ValueSource::Path(path) => {
                    if let Some(text) = record.get(path) {
                        values.set_text(field, text);
                    }
                }
                ValueSource::Kind(path) => {
                    let kind = record.get(path).unwrap_or(spans::NO_KIND);
                    values.set_text(field, &kind.to_ascii_lowercase());
                }
                ValueSource::End(start, duration) => {
                    if let Some(end) = end(&record, start, duration) {
                        values.set_text(field, &end.to_string());
                    }
                }
            }
        }
        Ok(())
    }
}

fn end(record: &Record<'_>, start: FieldId, duration: FieldId) -> Option<u64> {
    let number = |field| record.get(field)?.parse::<u64>().ok();
    number(start)?.checked_add(number(duration)?)
}

impl FrameParser for Spans {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let (mut values, mut raw) = (Values::default(), Values::default());
        each_object(context, frame, each, |place, text, each| {
            one(context, (place, text), &mut values, each, |text, values| {
                self.read(text, &mut raw, values)
            });
        });
    }

    fn is_between(byte: u8) -> bool {
        objects::is_between(byte)
    }
}

fn source(path: &FieldPath, inner: &mut Fields) -> ValueSource {
    let mut add = |text: &str| inner.add(FieldPath::parse(text).expect("a path"));
    match path.flat_name().as_str() {
        "span.trace_id" => return ValueSource::Path(add("traceId")),
        "span.id" | "span.span_id" => return ValueSource::Path(add("id")),
        "span.parent_id" => return ValueSource::Path(add("parentId")),
        "span.name" => return ValueSource::Path(add("name")),
        "span.kind" => return ValueSource::Kind(add("kind")),
        "span.start" => return ValueSource::Path(add("timestamp")),
        "span.end" => return ValueSource::End(add("timestamp"), add("duration")),
        "resource.service.name" => return ValueSource::Path(add("localEndpoint.serviceName")),
        "peer.service.name" => return ValueSource::Path(add("remoteEndpoint.serviceName")),
        _ => {}
    }
    match path.steps() {
        [PathStep::Key(first), key @ ..] if first == "attributes" && !key.is_empty() => {
            let key = flat(key).replace('\\', "\\\\").replace('"', "\\\"");
            ValueSource::Path(add(&format!("tags.\"{key}\"")))
        }
        _ => ValueSource::Path(inner.add(path.clone())),
    }
}
