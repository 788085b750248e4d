//! Spans of Zipkin v2. The fields of spans have the same names as in OTLP; any other path is one
//! into the JSON of the span, `localEndpoint.ipv4`.

use super::field::{FieldId, FieldPath, Fields, Step, flat};
use super::json::{self, PathTree};
use super::record::{RecordPlace, Values};
use multitrace_formats::source::Diagnostic;

/// Where the asked-for fields come from.
#[derive(Clone, Debug)]
pub(crate) struct Spans {
    /// Paths into the JSON.
    tree: PathTree,
    paths: usize,
    sources: Vec<(FieldId, From)>,
}

#[derive(Clone, Copy, Debug)]
enum From {
    Path(FieldId),
    /// In lower case; without one it is an internal span.
    Kind(FieldId),
    /// The sum of both.
    End(FieldId, FieldId),
}

impl Spans {
    pub(crate) fn new(fields: &Fields) -> Spans {
        let mut inner = Fields::default();
        let sources = fields.iter().map(|(field, path)| (field, source(path, &mut inner)));
        let sources = sources.collect();
        Spans { tree: PathTree::new(&inner), paths: inner.len(), sources }
    }

    /// Reads a span; `raw` is room to work in.
    pub(crate) fn read(
        &self,
        text: &str,
        raw: &mut Values,
        values: &mut Values,
    ) -> Result<(), Diagnostic> {
        raw.reset(self.paths);
        json::read(text, &self.tree, raw)?;
        let record = raw.record(text, RecordPlace::line(0));
        for &(field, from) in &self.sources {
            match from {
                From::Path(path) => {
                    if let Some(text) = record.get(path) {
                        values.set_text(field, text);
                    }
                }
                From::Kind(path) => {
                    let kind = record.get(path).unwrap_or("internal");
                    values.set_text(field, &kind.to_ascii_lowercase());
                }
                From::End(start, duration) => {
                    let number = |field| record.get(field)?.parse::<u64>().ok();
                    let start = number(start);
                    let end = start.and_then(|start| start.checked_add(number(duration)?));
                    if let Some(end) = end {
                        values.set_text(field, &end.to_string());
                    }
                }
            }
        }
        Ok(())
    }
}

fn source(path: &FieldPath, inner: &mut Fields) -> From {
    let mut add = |text: &str| inner.add(FieldPath::parse(text).expect("a path"));
    match path.flat_name().as_str() {
        "span.trace_id" => return From::Path(add("traceId")),
        "span.id" | "span.span_id" => return From::Path(add("id")),
        "span.parent_id" => return From::Path(add("parentId")),
        "span.name" => return From::Path(add("name")),
        "span.kind" => return From::Kind(add("kind")),
        "span.start" => return From::Path(add("timestamp")),
        "span.end" => return From::End(add("timestamp"), add("duration")),
        "resource.service.name" => return From::Path(add("localEndpoint.serviceName")),
        "peer.service.name" => return From::Path(add("remoteEndpoint.serviceName")),
        _ => {}
    }
    match path.steps() {
        [Step::Key(first), key @ ..] if first == "attributes" && !key.is_empty() => {
            let key = flat(key).replace('\\', "\\\\").replace('"', "\\\"");
            From::Path(add(&format!("tags.\"{key}\"")))
        }
        _ => From::Path(inner.add(path.clone())),
    }
}
