//! Events written in every format that can be read, and the mappings that read them back.

use super::{Event, MAP};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::Write;
use std::sync::Arc;

/// A file name, the mapping for it, and its bytes.
pub(crate) type WrittenLog = (&'static str, String, Vec<u8>);

const PATTERN: &str = r#"'^\[(?P<session>[^\]]*)\] (?P<at>\w+) (?P<way>in|out) (?P<what>\w+)$'"#;

const XES_MAP: &str = r#"
[event]
session = "trace.concept:name"
lifeline = "org:resource"
direction = { field = "way", emission = "out", reception = "in" }
message = "concept:name"
"#;

fn way(is_emission: bool) -> &'static str {
    if is_emission { "out" } else { "in" }
}

/// The same events in all formats that this build reads.
pub(crate) fn in_all_formats(events: &[Event]) -> Vec<WrittenLog> {
    let map = || MAP.to_owned();
    let spans = "[spans]\n".to_owned();
    let otlp_map = "[spans]\nsession = \"attributes.session\"\n".to_owned();
    let text_map = format!("[input]\nformat = \"text\"\npatterns = [{PATTERN}]\n{MAP}");
    let logfmt_map = format!("[input]\nformat = \"logfmt\"\n{MAP}");
    let lines = json_lines(events);
    let zstd = zstd::encode_all(lines.as_bytes(), 1).expect("memory");
    let mut logs = vec![
        ("log.jsonl", map(), lines.clone().into_bytes()),
        ("log.jsonl.gz", map(), packed(&lines)),
        ("log.zst", map(), zstd),
        ("log.json", map(), json_array(&lines)),
        ("log.csv", map(), separated(events, ",").into_bytes()),
        ("log.tsv", map(), separated(events, "\t").into_bytes()),
        ("log.logfmt", logfmt_map, logfmt(events).into_bytes()),
        ("log.txt", text_map, text(events).into_bytes()),
        ("zipkin.json", spans, zipkin(events)),
        ("otlp.json", otlp_map, otlp(events)),
        ("log.xes", XES_MAP.to_owned(), xes(events)),
    ];
    if cfg!(feature = "columnar") {
        logs.push(("log.parquet", map(), parquet(events)));
        logs.push(("log.arrow", map(), arrow_file(events)));
        logs.push(("log.arrows", map(), arrow_stream(events)));
    }
    logs
}

pub(crate) fn json_lines(events: &[Event]) -> String {
    let line = |(session, at, emits, what): &Event| {
        let way = way(*emits);
        json!({ "session": session, "at": at, "way": way, "what": what }).to_string() + "\n"
    };
    events.iter().map(line).collect()
}

fn separated(events: &[Event], delimiter: &str) -> String {
    let row = |cells: [&str; 4]| cells.join(delimiter) + "\n";
    let line = |(session, at, out, what): &Event| row([session, at, way(*out), what]);
    row(["session", "at", "way", "what"]) + &events.iter().map(line).collect::<String>()
}

fn logfmt(events: &[Event]) -> String {
    let line = |(session, at, out, what): &Event| {
        format!("session={session} at={at} way={} what=\"{what}\"\n", way(*out))
    };
    events.iter().map(line).collect()
}

fn text(events: &[Event]) -> String {
    let line =
        |(session, at, out, what): &Event| format!("[{session}] {at} {} {what}\n", way(*out));
    events.iter().map(line).collect()
}

fn json_array(lines: &str) -> Vec<u8> {
    format!("[{}]", lines.trim_end().replace('\n', ",\n")).into_bytes()
}

pub(crate) fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

fn columns(events: &[Event]) -> RecordBatch {
    let column = |name: &'static str, of: fn(&Event) -> &str| {
        (name, Arc::new(StringArray::from_iter_values(events.iter().map(of))) as ArrayRef)
    };
    RecordBatch::try_from_iter([
        column("session", |event| &event.0),
        column("at", |event| &event.1),
        column("way", |event| way(event.2)),
        column("what", |event| &event.3),
    ])
    .expect("a table")
}

fn parquet(events: &[Event]) -> Vec<u8> {
    let rows = columns(events);
    let writer = parquet::arrow::ArrowWriter::try_new(Vec::new(), rows.schema(), None);
    let mut writer = writer.expect("a writer");
    writer.write(&rows).expect("written");
    writer.into_inner().expect("written")
}

fn arrow_file(events: &[Event]) -> Vec<u8> {
    let rows = columns(events);
    let writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &rows.schema());
    let mut writer = writer.expect("a writer");
    writer.write(&rows).expect("written");
    writer.into_inner().expect("written")
}

fn arrow_stream(events: &[Event]) -> Vec<u8> {
    let rows = columns(events);
    let writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &rows.schema());
    let mut writer = writer.expect("a writer");
    writer.write(&rows).expect("written");
    writer.into_inner().expect("written")
}

/// A span for each event; they begin one after the other.
fn zipkin(events: &[Event]) -> Vec<u8> {
    let span = |(number, (session, at, emits, what)): (usize, &Event)| {
        let kind = if *emits { "PRODUCER" } else { "CONSUMER" };
        json!({
            "traceId": session, "id": format!("{number:016x}"), "kind": kind, "name": what,
            "timestamp": 1_700_000_000_000_000_u64 + number as u64,
            "localEndpoint": { "serviceName": at },
        })
    };
    let spans: Vec<_> = events.iter().enumerate().map(span).collect();
    serde_json::Value::Array(spans).to_string().into_bytes()
}

fn otlp(events: &[Event]) -> Vec<u8> {
    let line = |(number, (session, at, emits, what)): (usize, &Event)| {
        let start = 1_700_000_000_000_000_000_u64 + number as u64;
        let service = json!({ "key": "service.name", "value": { "stringValue": at } });
        let session = json!([{ "key": "session", "value": { "stringValue": session } }]);
        let span = json!({
            "traceId": "0aff", "attributes": session, "spanId": format!("{number:016x}"), "name": what,
            "kind": if *emits { 4 } else { 5 }, "startTimeUnixNano": start.to_string(),
        });
        let spans = json!([{ "spans": [span] }]);
        let resource = json!({ "attributes": [service] });
        let spans = json!([{ "resource": resource, "scopeSpans": spans }]);
        json!({ "resourceSpans": spans }).to_string() + "\n"
    };
    events.iter().enumerate().map(line).collect::<String>().into_bytes()
}

/// Trace by trace, as XES has it.
fn xes(events: &[Event]) -> Vec<u8> {
    let mut sorted = events.to_vec();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let mut text = String::from("<?xml version=\"1.0\"?>\n<log>\n");
    for trace in sorted.chunk_by(|a, b| a.0 == b.0) {
        text += &format!("<trace><string key=\"concept:name\" value=\"{}\"/>\n", trace[0].0);
        for (_, at, emits, what) in trace {
            text += &format!(
                "<event><string key=\"org:resource\" value=\"{at}\"/><string key=\"way\" \
                 value=\"{}\"/><string key=\"concept:name\" value=\"{what}\"/></event>\n",
                way(*emits)
            );
        }
        text += "</trace>\n";
    }
    (text + "</log>\n").into_bytes()
}
