//! Events as spans of OpenTelemetry in JSON, as an exporter writes them.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// How a mapping reads them.
pub const MAPPING: &str = r#"
[input]
format = "otlp-json"
[event]
session = "trace_id"
lifeline = "resource.service.name"
direction = { field = "span.kind", emission = "client", reception = "server" }
message = "span.name"
"#;

/// The spans of a request, of all its resources.
const SPANS: usize = 64;

/// An event: its session, location and direction, and its message.
pub type Event = [String; 4];

/// Writes events as requests, one a line, and returns how many bytes these are.
pub fn write(mut events: impl Iterator<Item = Event>, to: &Path) -> u64 {
    let mut file = BufWriter::new(File::create(to).expect("a file"));
    let (mut bytes, mut number) = (0, 0);
    loop {
        let spans: Vec<Event> = events.by_ref().take(SPANS).collect();
        if spans.is_empty() {
            break;
        }
        let line = format!("{}\n", request(&spans, &mut number));
        bytes += line.len() as u64;
        file.write_all(line.as_bytes()).expect("room for the log");
    }
    file.flush().expect("room for the log");
    bytes
}

fn request(events: &[Event], number: &mut u64) -> Value {
    let mut resources: Vec<(&str, Vec<Value>)> = Vec::new();
    for event in events {
        *number += 1;
        let span = span(event, *number);
        match resources.iter_mut().find(|(at, _)| *at == event[1]) {
            Some((_, spans)) => spans.push(span),
            None => resources.push((&event[1], vec![span])),
        }
    }
    let resource = |(at, spans): (&str, Vec<Value>)| {
        json!({
            "resource": {"attributes": [
                text("service.name", at), text("telemetry.sdk.language", "go"), text("host.name", "ip-10-0-0-1"),
            ]},
            "scopeSpans": [{"scope": {"name": "otelhttp", "version": "0.46.1"}, "spans": spans}],
        })
    };
    json!({"resourceSpans": resources.into_iter().map(resource).collect::<Vec<Value>>()})
}

fn span([session, _, direction, message]: &Event, number: u64) -> Value {
    // A session is called by a letter and its number.
    let trace: u64 =
        session.trim_start_matches(|it: char| !it.is_ascii_digit()).parse().unwrap_or(0);
    let time = 1_700_000_000_000_000_000 + number * 1_000;
    json!({
        "traceId": format!("{trace:032x}"),
        "spanId": format!("{number:016x}"),
        "parentSpanId": "",
        "flags": 257,
        "name": message,
        "kind": if direction == "send" { 3 } else { 2 },
        "startTimeUnixNano": time.to_string(),
        "endTimeUnixNano": (time + 500).to_string(),
        "attributes": [
            text("http.request.method", "GET"),
            text("url.full", &format!("http://frontend-proxy:8080/api/products/{number}?currencyCode=USD")),
            text("server.address", "frontend"),
            {"key": "server.port", "value": {"intValue": "8080"}},
            {"key": "http.response.status_code", "value": {"intValue": "200"}},
            text("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64)"),
        ],
        "status": {},
    })
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}
