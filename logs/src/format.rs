//! The names of formats, and how an input is read.

use crate::field::FieldPath;
use crate::pattern_list::{CompiledPatterns, PatternsWin};

/// A format of event logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
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
    /// Logs of Zeek in tables.
    Zeek,
    /// Lines of syslog.
    Syslog,
    /// Access logs of web servers.
    AccessLog,
    /// Logs of Android's logcat.
    Logcat,
}

/// The names of the formats in mappings, in the order in which messages list them. If an input shows
/// equal signs of two formats, the first counts.
const NAMES: [(Format, &str); 16] = [
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
    (Format::Zeek, "zeek"),
    (Format::Syslog, "syslog"),
    (Format::AccessLog, "access-log"),
    (Format::Logcat, "logcat"),
];

impl Format {
    /// Its name in mappings.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
    }

    /// The format with this name.
    pub fn named(name: &str) -> Option<Format> {
        NAMES.iter().find(|(_, other)| *other == name).map(|(format, _)| *format)
    }

    /// The names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(_, name)| *name)
    }

    /// All formats, in the order of their names.
    pub(crate) fn all() -> impl Iterator<Item = Format> {
        NAMES.iter().map(|(format, _)| *format)
    }
}

/// A value of a document by which its source says that it did not send all records, or how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteSign {
    /// The path to the value, from the beginning of the document: `meta.status`.
    pub path: FieldPath,
    /// The value; without it, each but null, false, no, none, 0, and an empty text, list or object.
    pub value: Option<String>,
}

/// The signs between keys and values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairSigns {
    /// The text between pairs, not empty.
    pub between: String,
    /// The text between a key and its value, not empty.
    pub within: String,
}

/// How an input is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputOptions {
    /// The format; `None` to guess it.
    pub format: Option<Format>,
    /// Where the records stand in JSON documents, `data[].spans[]`; none if the documents are the records.
    pub records: Vec<FieldPath>,
    /// The signs in documents that records are missing.
    pub incomplete: Vec<IncompleteSign>,
    /// Where objects say how many elements the lists of records in them have.
    pub counts: Vec<IncompleteSign>,
    /// Where documents say how many pages there are.
    pub page_counts: Vec<IncompleteSign>,
    /// The signs in documents that another page follows.
    pub next_page: Vec<IncompleteSign>,
    /// The delimiter of cells in CSV, in place of a comma: one ASCII character.
    pub delimiter: Option<u8>,
    /// Whether the lines of a cell of CSV are text, although each may be a row.
    pub multi_line_cells: bool,
    /// The signs of pairs in lines of logfmt; `None` for `key=value` with blanks between.
    pub pairs: Option<PairSigns>,
    /// The patterns of plain text.
    pub patterns: Vec<String>,
    /// Which pattern counts if several match.
    pub patterns_win: PatternsWin,
    /// The patterns, once they are compiled.
    pub compiled: CompiledPatterns,
    /// The pattern of the first line of a record of plain text; `None` if every line is a record.
    pub start: Option<String>,
    /// The longest record, in bytes, at most 1 GiB; a longer one is an error of that record. Also
    /// the largest input of the formats that are read whole.
    pub max_record_bytes: usize,
    /// About how many bytes a batch has.
    pub batch_bytes: usize,
}

/// The longest record by default: 64 MiB, beyond records that loggers and exporters write in one piece (gRPC
/// stops at 4 MiB), and small enough that a missing line end does not fill the memory.
const MAX_RECORD_BYTES: usize = 64 << 20;

/// The bytes of a batch by default: some hundred records or more, so that handing a batch to a thread
/// costs little beside parsing it, and small enough for the second level of a processor's cache.
const BATCH_BYTES: usize = 256 << 10;

impl Default for InputOptions {
    fn default() -> InputOptions {
        InputOptions {
            format: None,
            records: Vec::new(),
            incomplete: Vec::new(),
            counts: Vec::new(),
            page_counts: Vec::new(),
            next_page: Vec::new(),
            delimiter: None,
            multi_line_cells: false,
            pairs: None,
            patterns: Vec::new(),
            patterns_win: PatternsWin::default(),
            compiled: CompiledPatterns::default(),
            start: None,
            max_record_bytes: MAX_RECORD_BYTES,
            batch_bytes: BATCH_BYTES,
        }
    }
}
