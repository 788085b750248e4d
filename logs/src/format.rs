//! Which formats there are, how they are told apart, and their options.

/// A format of event logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// JSON objects, one a line.
    JsonLines,
    /// JSON objects one after another, or in a list, over any number of lines.
    Json,
    /// Comma separated values with a row of names.
    Csv,
    /// The same separated by tabs.
    Tsv,
    /// `key=value` pairs, one record a line.
    Logfmt,
    /// Lines of text, read by patterns.
    Text,
    /// Parquet tables.
    Parquet,
    /// Arrow IPC, files and streams.
    ArrowIpc,
    /// OpenTelemetry spans and logs as JSON, one request or one a line.
    OtlpJson,
    /// OpenTelemetry spans and logs as protobuf, one request, or several with their lengths.
    OtlpProto,
    /// Zipkin v2 spans.
    Zipkin,
    /// Event logs in XES.
    Xes,
}

const NAMES: [(Format, &str); 12] = [
    (Format::JsonLines, "json-lines"),
    (Format::Json, "json"),
    (Format::Csv, "csv"),
    (Format::Tsv, "tsv"),
    (Format::Logfmt, "logfmt"),
    (Format::Text, "text"),
    (Format::Parquet, "parquet"),
    (Format::ArrowIpc, "arrow-ipc"),
    (Format::OtlpJson, "otlp-json"),
    (Format::OtlpProto, "otlp-proto"),
    (Format::Zipkin, "zipkin"),
    (Format::Xes, "xes"),
];

impl Format {
    /// What mappings call it.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Format> {
        NAMES.iter().find(|(_, other)| *other == name).map(|(format, _)| *format)
    }

    /// The names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(_, name)| *name)
    }

    /// The format of an input, by its first bytes (some thousand, not compressed) and, where these
    /// do not tell, by the extension of its name. Plain text is never guessed: it needs patterns.
    ///
    /// ```
    /// use multitrace_logs::Format;
    /// assert_eq!(Format::guess("log", br#"{"a":1}"#), Some(Format::JsonLines));
    /// assert_eq!(Format::guess("log.csv.gz", b"a,b\n1,2\n"), Some(Format::Csv));
    /// assert_eq!(Format::guess("log", b"hello"), None);
    /// ```
    pub fn guess(name: &str, first_bytes: &[u8]) -> Option<Format> {
        by_magic(first_bytes)
            .or_else(|| by_extension(name, first_bytes))
            .or_else(|| by_look(first_bytes))
    }
}

fn by_magic(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"PAR1") {
        return Some(Format::Parquet);
    }
    let is_stream = bytes.starts_with(&[0xff; 4]) && bytes.len() > 8;
    if bytes.starts_with(b"ARROW1") || is_stream {
        return Some(Format::ArrowIpc);
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('<') {
        return text.contains("<log").then_some(Format::Xes);
    }
    text.starts_with(['{', '[']).then(|| json_kind(text))
}

/// Which JSON it is.
fn json_kind(text: &str) -> Format {
    if ["\"resourceSpans\"", "\"resourceLogs\"", "\"resource_spans\""]
        .iter()
        .any(|k| text.contains(k))
    {
        return Format::OtlpJson;
    }
    if text.contains("\"traceId\"") && text.contains("\"localEndpoint\"") {
        return Format::Zipkin;
    }
    let first = text.lines().next().unwrap_or("");
    let is_line = serde_json::from_str::<serde::de::IgnoredAny>(first).is_ok();
    let is_cut = text.len() == first.len();
    if text.starts_with('{') && (is_line || is_cut) { Format::JsonLines } else { Format::Json }
}

fn by_extension(name: &str, bytes: &[u8]) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let name =
        [".gz", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "jsonl" | "ndjson" => Some(Format::JsonLines),
        "json" => Some(Format::Json),
        "csv" => Some(Format::Csv),
        "tsv" => Some(Format::Tsv),
        "logfmt" => Some(Format::Logfmt),
        "parquet" => Some(Format::Parquet),
        "arrow" | "arrows" | "feather" => Some(Format::ArrowIpc),
        "pb" | "binpb" | "otlp" => {
            matches!(bytes.first(), Some(0 | 0x0a)).then_some(Format::OtlpProto)
        }
        "xes" => Some(Format::Xes),
        _ => None,
    }
}

/// By the first lines: the same number of tabs or commas in all of them, or `key=value`.
fn by_look(bytes: &[u8]) -> Option<Format> {
    let text = std::str::from_utf8(bytes).ok().or_else(|| {
        let end = bytes.iter().rposition(|&byte| byte == b'\n')?;
        std::str::from_utf8(&bytes[..end]).ok()
    })?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(5).collect();
    let looks_logfmt = |line: &&str| line.split(' ').filter(|word| word.contains('=')).count() >= 2;
    if !lines.is_empty() && lines.iter().all(looks_logfmt) {
        return Some(Format::Logfmt);
    }
    let same = |delimiter: char| {
        let mut counts = lines.iter().map(|line| line.matches(delimiter).count());
        lines.len() > 1 && counts.next().is_some_and(|n| n > 0 && counts.all(|other| other == n))
    };
    if same('\t') {
        return Some(Format::Tsv);
    }
    same(',').then_some(Format::Csv)
}

/// How an input is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputOptions {
    /// The format, where it is not to be guessed.
    pub format: Option<Format>,
    /// What separates the cells of CSV, in place of a comma: one ASCII character.
    pub delimiter: Option<u8>,
    /// The patterns of plain text.
    pub patterns: Vec<String>,
    /// The longest record, in bytes, at most 1 GiB; a longer one is an error of that record. Also
    /// the largest input of the formats that are read whole.
    pub max_record_bytes: usize,
    /// About how many bytes a batch has.
    pub batch_bytes: usize,
}

impl Default for InputOptions {
    fn default() -> InputOptions {
        InputOptions {
            format: None,
            delimiter: None,
            patterns: Vec::new(),
            max_record_bytes: 64 << 20,
            batch_bytes: 256 << 10,
        }
    }
}
