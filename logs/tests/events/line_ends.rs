//! Lines may end as they do on Windows: every format of text gives the same records and errors, at the same places.

use super::common::{Row, options, read_with};
use multitrace_logs::{Format, InputOptions};

/// A log of each format that is text, with a record that cannot be read where the format has such, and its fields.
const LOGS: [(Format, &str, &[&str]); 13] = [
    (
        Format::JsonLines,
        "{\"a\":\"x\"}\n\n{\"a\":\n{\"a\":1} x\n{\"a\":\"y\", \"b\":\"\\n\"}\n",
        &["a", "b"],
    ),
    (Format::Json, "[{\"a\":\n\"x\"},\n\n{\"a\":\"y\",\n \"b\" 2}]\n", &["a", "b"]),
    (Format::Csv, "a,b\nx,1\n\ny,\"2\"\nz\n\"u\"x,3\nv,\n", &["a", "b"]),
    (Format::Tsv, "a\tb\nx\t1\n\ny\t2\nz\nv\t\n", &["a", "b"]),
    (Format::Logfmt, "a=x b=1\na=\"y z\"\n\na=\"open\nb= a=u\nb\n", &["a", "b"]),
    (Format::Text, "one 1\ntwo\n\nthree 3\n", &["word", "number"]),
    (
        Format::OtlpJson,
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[\n{\"traceId\":\"0aff\",\"name\":\"get\"},\n\
         {\"traceId\":\"0b\",\"name\":\"put\"}\n]}]}]}\n{\"a\":1}\n",
        &["trace_id", "span.name"],
    ),
    (
        Format::Zipkin,
        "[\n{\"traceId\":\"1\",\"id\":\"2\",\n\"name\":\"get\"},\n{\"traceId\":\"1\" 3}\n]\n",
        &["traceId", "name"],
    ),
    (
        Format::Xes,
        "<?xml version=\"1.0\"?>\n<log>\n<trace>\n<string key=\"concept:name\"\n value=\"t\"/>\n<event>\n\
         <string key=\"concept:name\" value=\"get\"/>\n</event>\n<event>\n</event>\n</trace>\n<trace>\n<event>\n</trace>\n</log>\n",
        &["concept:name", "trace.concept:name"],
    ),
    (
        Format::Zeek,
        "#separator \\x09\n#path\tconn\n#fields\tts\tnote\n1.5\tx\n2\n3\t-\n#close\t2024\n",
        &["ts", "note", "_path"],
    ),
    (
        Format::Syslog,
        "<34>Oct 11 22:14:15 host su[231]: 'su root' failed\n<192>1 - - - - - -\n\
         <165>1 2003-10-11T22:14:15.003Z host app 77 ID47 - An event\nMar  1 02:04:05 host kernel: up\n",
        &["severity", "host", "message"],
    ),
    (
        Format::AccessLog,
        "10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 23\nno line\n\
         10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /b HTTP/1.0\" 404 - \"-\" \"curl\"\n",
        &["path", "status", "agent"],
    ),
    (
        Format::Logcat,
        "--------- beginning of main\n03-17 16:13:38.811  1702  2395 D Tag: a: b\nX/Tag( 17): bye\nE/Tag( 17): bye\n",
        &["pid", "tag", "message"],
    ),
];

/// Its records and errors, in batches of any size.
fn rows(text: &str, format: Format, paths: &[&str]) -> Vec<Row> {
    let patterns = match format {
        Format::Text => {
            vec!["^(?<word>\\w+) (?<number>\\d+)$".to_owned(), "^(?<word>\\w+)$".to_owned()]
        }
        _ => Vec::new(),
    };
    let with = |options: InputOptions| {
        let options = InputOptions { patterns: patterns.clone(), ..options };
        read_with(text.as_bytes(), format, &options, paths)
    };
    let rows = with(InputOptions::default());
    for size in [1, 2, 7, 50] {
        assert_eq!(with(options(size)), rows, "{} in batches of {size}", format.name());
    }
    rows
}

#[test]
fn logs_with_line_ends_of_windows_give_the_same_records() {
    for (format, text, paths) in LOGS {
        let expected = rows(text, format, paths);
        let values = expected.iter().flatten().flat_map(|(_, values)| values);
        assert!(values.flatten().count() > 0, "{}: {expected:?}", format.name());
        assert_eq!(rows(&text.replace('\n', "\r\n"), format, paths), expected, "{}", format.name());
        let name = format!("log.{}", format.name());
        assert_eq!(
            Format::guess(&name, text.replace('\n', "\r\n").as_bytes()),
            Format::guess(&name, text.as_bytes()),
            "{}",
            format.name()
        );
    }
}

#[test]
fn every_format_of_text_is_tried() {
    let binary = ["parquet", "arrow-ipc", "otlp-proto"];
    let tried: Vec<&str> = LOGS.iter().map(|(format, ..)| format.name()).collect();
    let others: Vec<&str> = Format::names().filter(|name| !tried.contains(name)).collect();
    assert_eq!(others, binary);
}
