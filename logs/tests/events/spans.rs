//! Formats of spans, and event logs in XES.

use super::common::{Row, map, mapping, read, read_with, values};
use multitrace_logs::{Format, InputOptions};

const ZIPKIN: &str = r#"[
  {"traceId":"t1","id":"2","parentId":"1","kind":"CLIENT","name":"get","timestamp":10,"duration":5,
   "localEndpoint":{"serviceName":"front","ipv4":"10.0.0.1"},"remoteEndpoint":{"serviceName":"back"},
   "tags":{"http.path":"/a\"b"}},
  {"traceId":"t1","id":"3","kind":"SERVER","name":"get","timestamp":11,
   "localEndpoint":{"serviceName":"back"}},
  {"traceId":"t1","id":"4","name":"work","timestamp":11,"localEndpoint":{"serviceName":"back"}}
]"#;

#[test]
fn zipkin_spans_have_the_fields_of_spans() {
    let paths = [
        "span.trace_id",
        "span.id",
        "span.parent_id",
        "span.kind",
        "span.name",
        "span.start",
        "span.end",
        "resource.service.name",
        "peer.service.name",
        "attributes.http.path",
        "localEndpoint.ipv4",
    ];
    assert_eq!(
        values(ZIPKIN.as_bytes(), Format::Zipkin, &paths),
        [
            ["t1", "2", "1", "client", "get", "10", "15", "front", "back", "/a\"b", "10.0.0.1"],
            ["t1", "3", "-", "server", "get", "11", "-", "back", "-", "-", "-"],
            ["t1", "4", "-", "none", "work", "11", "-", "back", "-", "-", "-"],
        ]
    );
}

#[test]
fn spans_make_events_without_saying_more() {
    let mapping = mapping("[spans]\n");
    assert_eq!(
        map(&mapping, ZIPKIN.as_bytes(), Format::Zipkin),
        ["t1 front!get", "t1 back?get", "unmatched"]
    );
    let input = OTLP.as_bytes();
    assert_eq!(
        map(&mapping, input, Format::OtlpJson),
        ["0aff front!get", "unmatched", "0aff back?get",]
    );
}

const OTLP: &str = r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"front"}}]},"scopeSpans":[{"scope":{"name":"x"},"spans":[{"traceId":"0aff","spanId":"01","parentSpanId":"","name":"get","kind":3,"startTimeUnixNano":"1661273974730641486","endTimeUnixNano":1661273974730641487,"attributes":[{"key":"n","value":{"intValue":"7"}},{"key":"ok","value":{"boolValue":true}},{"key":"list","value":{"arrayValue":{"values":[{"doubleValue":1.5},{"stringValue":"x"}]}}}],"status":{"code":2}}]}]}]}
{"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[{"timeUnixNano":"5","severityNumber":9,"severityText":"INFO","body":{"stringValue":"hello"},"attributes":[{"key":"who","value":{"stringValue":"me"}}],"traceId":"0AFF"}]}]}]}
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"back"}}]},"scopeSpans":[{"spans":[{"traceId":"0aff","name":"get","kind":"SPAN_KIND_SERVER","startTimeUnixNano":"8"}]}]}]}
"#;

const OTLP_PATHS: [&str; 10] = [
    "signal",
    "trace_id",
    "span.kind",
    "span.name",
    "span.start",
    "resource.service.name",
    "attributes.n",
    "attributes.list",
    "log.body",
    "log.time",
];

fn otlp_values() -> [[&'static str; 10]; 3] {
    [
        [
            "span",
            "0aff",
            "client",
            "get",
            "1661273974730641486",
            "front",
            "7",
            "[1.5,\"x\"]",
            "-",
            "-",
        ],
        ["log", "0aff", "-", "-", "-", "-", "-", "-", "hello", "5"],
        ["span", "0aff", "server", "get", "8", "back", "-", "-", "-", "-"],
    ]
}

#[test]
fn otlp_json_has_spans_and_logs() {
    assert_eq!(values(OTLP.as_bytes(), Format::OtlpJson, &OTLP_PATHS), otlp_values());
    let places: Vec<_> = read(OTLP.as_bytes(), Format::OtlpJson, &["signal"]);
    let places: Vec<_> = places.into_iter().map(|row| row.expect("a record").0).collect();
    assert_eq!(places, ["line 1, record 1", "line 2, record 1", "line 3, record 1"]);
    let wrong = read(
        b"{\"data\":[]}\n{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"xy\"}]}]}]}",
        Format::OtlpJson,
        &[],
    );
    assert_eq!(
        wrong,
        [
            Err("1: neither `resourceSpans` nor `resourceLogs`: this is not OTLP".to_owned()),
            Err("2: an id that is neither in hex nor in base64".to_owned()),
        ]
    );
}

/// As in the JSON of protobuf; also without attributes that are asked for.
#[test]
fn null_is_the_value_of_a_field_that_is_absent() {
    let span = |more: &str| {
        let text = format!(
            "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{{\"key\":\"service.name\",\"value\":{{\"stringValue\":\"x\"}}}}]}},\
             \"scopeSpans\":[{{\"scope\":null,\"spans\":[{{\"traceId\":\"0a\"{more}}}]}}]}}]}}"
        );
        let asked =
            ["span.name", "span.kind", "span.status.code", "resource.service.name", "attributes.n"];
        values(text.as_bytes(), Format::OtlpJson, &asked)
    };
    let null = ",\"name\":null,\"kind\":null,\"attributes\":null,\"status\":null,\"events\":null,\"parentSpanId\":null";
    assert_eq!(span(null), span(""));
    assert_eq!(span(",\"status\":{\"code\":null,\"message\":null}"), span(""));
    assert_eq!(span(",\"name\":\"get\",\"attributes\":null")[0][0], "get");
}

/// However the input is cut into batches, and whichever reader takes them.
#[test]
fn records_of_requests_on_one_line_have_numbers_of_their_own() {
    let spans = |names: &str, more: &str| {
        let spans: Vec<String> = names.chars().map(|it| format!("{{\"name\":\"{it}\"}}")).collect();
        format!(
            "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{}]}}]}}]{more}}}",
            spans.join(",")
        )
    };
    let other = ",\"trace\":null";
    let text = format!(
        "{}{} {}\n{}, {}{}\n {}",
        spans("ab", ""),
        spans("c", other),
        spans("d", ""),
        spans("e", ""),
        "{\"other\":1}",
        spans("f", "\n"),
        spans("g", ""),
    );
    let rows = read(text.as_bytes(), Format::OtlpJson, &["span.name"]);
    let found: Vec<String> = rows
        .into_iter()
        .map(|row| match row {
            Ok((place, values)) => format!("{place}: {}", values[0].as_deref().unwrap_or("-")),
            Err(error) => error,
        })
        .collect();
    assert_eq!(
        found,
        [
            "line 1, record 1: a",
            "line 1, record 2: b",
            "line 1, record 3: c",
            "line 1, record 4: d",
            "line 2, record 1: e",
            "2: neither `resourceSpans` nor `resourceLogs`: this is not OTLP",
            "line 2, record 2: f",
            "line 4, record 1: g",
        ]
    );
}

#[test]
fn events_of_xes_on_one_line_have_numbers_of_their_own() {
    let event = |name: &str| format!("<event><string key=\"n\" value=\"{name}\"/></event>");
    let (a, b, c, d) = (event("a"), event("b"), event("c"), event("d"));
    let text = format!(
        "<log><trace>{a}\n{b}{c}</trace><trace/> <trace>{d}</trace>\n<trace>{a}</trace></log>"
    );
    let rows = read(text.as_bytes(), Format::Xes, &["n"]);
    let found: Vec<String> = rows
        .into_iter()
        .map(|row| {
            row.map(|(place, values)| format!("{place}: {}", values[0].as_deref().unwrap_or("-")))
        })
        .collect::<Result<_, _>>()
        .expect("records");
    assert_eq!(
        found,
        [
            "line 1: a",
            "line 2: b",
            "line 2, record 2: c",
            "line 2, record 3: -",
            "line 2, record 4: d",
            "line 3: a"
        ]
    );
}

/// A field of a protobuf message with its length.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).expect("short");
    assert!(length < 128 && number < 16);
    [&[number << 3 | 2, length], bytes].concat()
}

fn text_pair(key: &str, value: &[u8]) -> Vec<u8> {
    [field(1, key.as_bytes()), field(2, value)].concat()
}

/// A request with a resource and one entry.
fn request(service: &str, entry: &[u8]) -> Vec<u8> {
    let resource = field(1, &text_pair("service.name", &field(1, service.as_bytes())));
    let scope = field(2, entry);
    field(1, &[field(1, &resource), field(2, &scope)].concat())
}

fn span_bytes() -> Vec<u8> {
    let start = [&[7 << 3 | 1][..], &8_u64.to_le_bytes()].concat();
    let number = text_pair("n", &[3 << 3, 7]);
    [field(1, &[0x0a, 0xff]), field(5, b"get"), vec![6 << 3, 2], start, field(9, &number)].concat()
}

#[test]
fn otlp_protobuf_is_a_request_or_several_with_their_lengths() {
    let log = [&[1 << 3 | 1][..], &5_u64.to_le_bytes(), &field(5, &field(1, b"hello"))].concat();
    let (span, log) = (request("back", &span_bytes()), request("front", &log));
    let paths = ["signal", "trace_id", "span.kind", "span.start", "attributes.n", "log.body"];
    let row = ["span", "0aff", "server", "8", "7", "-"];
    assert_eq!(values(&span, Format::OtlpProto, &paths), [row]);
    let sized = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
    let two = [sized(&span), sized(&log)].concat();
    assert_eq!(
        values(&two, Format::OtlpProto, &paths),
        [row, ["log", "-", "-", "-", "-", "hello"]]
    );
    let cut = read(&two[..two.len() - 1], Format::OtlpProto, &["signal"]);
    assert!(cut[0].is_ok());
    assert!(matches!(&cut[1], Err(error) if error.contains("cut off")), "{cut:?}");
    assert!(
        matches!(&read(&span[..20], Format::OtlpProto, &[])[0], Err(e) if e.contains("not OTLP"))
    );
}

#[test]
fn runs_of_empty_otlp_requests_are_refused() {
    let span = request("back", &span_bytes());
    let sized = [&(span.len() as u32).to_be_bytes()[..], &span].concat();
    let with_zeros = |bytes: usize| [&*sized, &vec![0; bytes], &sized].concat();
    let some = read(&with_zeros(4 * 1024), Format::OtlpProto, &[]);
    let places = |rows: &[Row]| rows.iter().flatten().map(|it| it.0.clone()).collect::<Vec<_>>();
    assert_eq!(places(&some), ["row 1, record 1", "row 1026, record 1"]);
    let at_end = read(&[&*sized, &[0; 8]].concat(), Format::OtlpProto, &[]);
    assert!(matches!(&at_end[..], [Ok(_), Err(e)] if e.contains("ends with empty requests")));
    let many = read(&with_zeros(1 << 20), Format::OtlpProto, &[]);
    assert_eq!(many.len(), 2);
    let error = many[1].as_ref().expect_err("zeros");
    assert!(
        error.starts_with("1026: 1024 empty requests before this one, from request 2 on"),
        "{error}"
    );
}

const XES: &str = r#"<?xml version="1.0"?>
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <global scope="event"><string key="concept:name" value="none"/></global>
  <trace>
    <string key="concept:name" value="case 1 &amp; more"/>
    <event>
      <string key="concept:name" value="register"><string key="inner" value="x"/></string>
      <date key="time:timestamp" value="2024-05-01T12:00:00+02:00"/>
    </event>
    <event><string key="concept:name" value="decide"/><int key="n" value="7"/></event>
  </trace>
  <trace><event/><list key="all"><int key="n" value="8"/></list></trace>
</log>
"#;

#[test]
fn xes_has_attributes_of_events_and_traces() {
    let paths = ["trace.concept:name", "concept:name", "time:timestamp", "n", "inner"];
    let row = |line: &str, cells: [&str; 5]| {
        let cell = |cell: &str| (cell != "-").then(|| cell.to_owned());
        Ok((line.to_owned(), cells.map(cell).to_vec()))
    };
    assert_eq!(
        read(XES.as_bytes(), Format::Xes, &paths),
        [
            row("line 6", ["case 1 & more", "register", "2024-05-01T12:00:00+02:00", "-", "-"]),
            row("line 10", ["case 1 & more", "decide", "-", "7", "-"]),
            row("line 12", ["-", "-", "-", "-", "-"]),
        ]
    );
}

#[test]
fn elements_of_xes_may_have_a_prefix() {
    let mut prefixed = XES.replace("xmlns=", "xmlns:x=");
    for name in ["log", "global", "trace", "event", "string", "date", "int"] {
        prefixed = prefixed.replace(&format!("<{name}"), &format!("<x:{name}"));
        prefixed = prefixed.replace(&format!("</{name}>"), &format!("</x:{name}\t>"));
    }
    let paths = ["trace.concept:name", "concept:name", "time:timestamp", "n"];
    for batch_bytes in [16, 64, 1 << 20] {
        let options = InputOptions { batch_bytes, ..InputOptions::default() };
        let read = |text: &str| read_with(text.as_bytes(), Format::Xes, &options, &paths);
        assert_eq!(read(&prefixed), read(XES));
    }
}

#[test]
fn xes_that_is_cut_off_is_told_and_the_traces_before_are_read() {
    let cut = XES.find("<trace><event/>").expect("there") + 10;
    let options = InputOptions { batch_bytes: 64, ..InputOptions::default() };
    let rows = read_with(&XES.as_bytes()[..cut], Format::Xes, &options, &["concept:name"]);
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(matches!(&rows[2], Err(error) if error.contains("not XES")), "{rows:?}");
}

/// Minutes, if the time grew with the square of the depth.
#[test]
fn deeply_nested_xes_is_read_in_time_that_grows_with_it() {
    const DEPTH: usize = 500_000;
    let whole = Ok(("line 1".to_owned(), Vec::new()));
    let nested = |name: &str, inside: &str| {
        let (opened, closed) =
            (format!("<{name} key='k'>").repeat(DEPTH), format!("</{name}>").repeat(DEPTH));
        let text = format!("<log><trace>{opened}<{inside}/>{closed}<event/></trace></log>");
        read_with(text.as_bytes(), Format::Xes, &InputOptions::default(), &[])
    };
    assert_eq!(nested("list", "int"), [whole]);
    let rows = nested("list", "event");
    assert_eq!(
        rows,
        [Err("1: not XES: an element `event` inside of `list`, which is not read".to_owned())]
    );
    // The first end of a trace is the end of all of them.
    let rows = nested("trace", "event");
    let [Err(inside), Err(outside)] = &rows[..] else { panic!("{rows:?}") };
    assert!(inside.contains("`trace` inside of `trace`") && outside.contains("outside of a trace"));
}

/// The same of the attributes of a trace, which all of its events have.
#[test]
fn attributes_of_a_trace_are_looked_up_once() {
    const NUMBER: usize = 20_000;
    let attributes = (0..NUMBER).map(|at| format!("<int key=\"k{at}\" value=\"{at}\"/>"));
    let (attributes, events) = (attributes.collect::<String>(), "<event/>".repeat(NUMBER));
    let text = format!("<log><trace>{attributes}{events}</trace></log>");
    let last = format!("trace.k{}", NUMBER - 1);
    let rows = read_with(text.as_bytes(), Format::Xes, &InputOptions::default(), &[&last]);
    assert_eq!(rows.len(), NUMBER);
    assert!(rows.iter().flatten().all(|(_, values)| values[0].as_deref() == Some("19999")));
}

#[test]
fn kinds_of_spans_are_numbers_or_names() {
    let kinds = ["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
    let expected = ["internal", "server", "client", "producer", "consumer"];
    for (number, (kind, expected)) in (1..).zip(kinds.into_iter().zip(expected)) {
        for written in
            [number.to_string(), format!("\"SPAN_KIND_{kind}\""), format!("\"{number}\"")]
        {
            let text = format!(
                "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{{\"traceId\":\"0a\",\"kind\":{written}}}]}}]}}]}}"
            );
            let kinds = values(text.as_bytes(), Format::OtlpJson, &["span.kind"]);
            assert_eq!(kinds, [[expected]], "{written}");
        }
    }
}

/// The end of a trace is found in pieces of the input, whatever is like it.
#[test]
fn a_trace_ends_with_its_closing_tag_alone() {
    let event =
        |name: &str| format!("<event><string key=\"concept:name\" value=\"{name}\"/></event>");
    let trace = |end: &str, name: &str| {
        format!(
            "<trace><!-- <traces></traces> a < b </trace> <tracex></tracex > -->{}{end}",
            event(name)
        )
    };
    let text = format!(
        "<log>{}{}{}{}</log>",
        trace("</trace>", "a"),
        trace("</trace >", "b"),
        trace("</trace \n\t>", "c"),
        trace("</trace>", "d"),
    );
    let names = values(text.as_bytes(), Format::Xes, &["concept:name"]);
    assert_eq!(names, [["a"], ["b"], ["c"], ["d"]]);
}

#[test]
fn what_looks_like_a_closing_tag_in_a_value_of_a_trace_ends_nothing() {
    let event =
        |name: &str| format!("<event><string key=\"concept:name\" value=\"{name}\"/></event>");
    let value = "<string key=\"x\" value=\":trace> x:trace >\"/>";
    let text = format!("<log><trace>{}{value}{}</trace></log>", event("a"), event("b"));
    assert_eq!(values(text.as_bytes(), Format::Xes, &["concept:name"]), [["a"], ["b"]]);
}

/// A request with the lists and wrappers of older senders and of Tempo.
#[test]
fn otlp_of_older_senders_and_of_tempo_is_read() {
    let span = r#"{"traceId":"0aff","spanId":"01","name":"get","kind":"SPAN_KIND_SERVER","startTimeUnixNano":"5"}"#;
    let resource =
        r#""resource":{"attributes":[{"key":"service.name","value":{"stringValue":"back"}}]}"#;
    let scope = format!(r#"{{{resource},"scopeSpans":[{{"scope":{{}},"spans":[{span}]}}]}}"#);
    let library = format!(
        r#"{{{resource},"instrumentationLibrarySpans":[{{"instrumentationLibrary":{{}},"spans":[{span}]}}]}}"#
    );
    let mapping = mapping("[spans]\n");
    for request in [
        format!(r#"{{"resourceSpans":[{library}]}}"#),
        format!(r#"{{"batches":[{scope}]}}"#),
        format!(r#"{{"batches":[{library}]}}"#),
        format!(r#"{{"trace":{{"resourceSpans":[{scope}]}}}}"#),
        format!(r#"{{"data":[{{"resourceSpans":[{scope}]}}]}}"#),
    ] {
        assert_eq!(Format::guess("log", request.as_bytes()), Some(Format::OtlpJson), "{request}");
        let made = map(&mapping, request.as_bytes(), Format::OtlpJson);
        assert_eq!(made, ["0aff back?get"], "{request}");
    }
    let logs = r#"{"resourceLogs":[{"instrumentationLibraryLogs":[{"logs":[{"traceId":"0aff","body":{"stringValue":"x"}}]}]}]}"#;
    assert_eq!(values(logs.as_bytes(), Format::OtlpJson, &["log.body"]), [["x"]]);
    let unknown = format!(r#"{{"data":[{{"resourceSpans":[{{"spanLists":[{span}]}}]}}]}}"#);
    assert!(read(unknown.as_bytes(), Format::OtlpJson, &["span.name"])[0].is_err());
}
