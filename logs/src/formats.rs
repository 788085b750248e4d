//! The formats of event logs, one file each, behind one trait.

mod access_log;
#[cfg(feature = "columnar")]
mod arrow;
#[cfg(feature = "columnar")]
mod arrow_claims;
#[cfg(feature = "columnar")]
mod column_parts;
#[cfg(feature = "columnar")]
mod columns;
#[cfg(feature = "columnar")]
mod contain;
mod context;
mod csv;
mod document_records;
mod document_signs;
mod documents;
mod field_names;
mod frames;
mod input;
mod json;
mod json_fields;
mod json_lines;
mod line_cursor;
mod line_shapes;
mod log_format;
mod logcat;
mod logfmt;
mod nested;
#[cfg(not(feature = "columnar"))]
mod not_built;
mod objects;
mod otlp;
mod pages;
#[cfg(feature = "columnar")]
mod parquet;
#[cfg(feature = "columnar")]
mod parquet_claims;
mod path_tree;
mod patterns;
mod quick_json;
mod records;
mod signs;
mod spans;
mod started;
mod syslog;
#[cfg(feature = "columnar")]
mod table_columns;
mod text;
#[cfg(feature = "columnar")]
mod text_numbers;
mod twice;
mod value_end;
#[cfg(feature = "columnar")]
mod value_text;
mod xes;
mod zeek;
mod zipkin;

use crate::format::Format;
use log_format::{Head, LogFormat, Sign};

#[cfg(feature = "columnar")]
pub(crate) use arrow::in_memory;
#[cfg(feature = "columnar")]
pub use arrow::{ArrowBatches, error_of_maker};
#[cfg(feature = "columnar")]
pub use columns::ALL_COLUMNS;
pub(crate) use context::{InputContext, is_of_file};
pub(crate) use document_records::{after_documents, around, is_inside};
pub(crate) use field_names::{MAX_RECORDS, of_list};
pub(crate) use input::{InputReader, reject_utf16, unreadable};
pub(crate) use json_fields::{is_damaged, object_fields, read_value};
pub(crate) use log_format::{Batch, BatchSource, Each, Opening, Proposal};
pub(crate) use logfmt::{pair_names, pair_signs};
pub(crate) use nested::{Nested, nested};
pub(crate) use pages::Pages;
pub(crate) use path_tree::PathTree;
pub(crate) use spans::NO_KIND;
pub(crate) use syslog::has_length;
#[cfg(feature = "columnar")]
pub use table_columns::unfit_session;
#[cfg(feature = "columnar")]
pub use value_text::column_texts;

/// The reader of a format. The only place that knows all of them.
pub(crate) fn of(format: Format) -> &'static dyn LogFormat {
    match format {
        Format::JsonLines => &json_lines::JsonLines,
        Format::Json => &json::Json,
        Format::Csv => &csv::CSV,
        Format::Tsv => &csv::TSV,
        Format::Logfmt => &logfmt::Logfmt,
        Format::Text => &text::Text,
        #[cfg(feature = "columnar")]
        Format::Parquet => &parquet::Parquet,
        #[cfg(not(feature = "columnar"))]
        Format::Parquet => &not_built::PARQUET,
        #[cfg(feature = "columnar")]
        Format::ArrowIpc => &arrow::ArrowIpc,
        #[cfg(not(feature = "columnar"))]
        Format::ArrowIpc => &not_built::ARROW_IPC,
        Format::OtlpJson => &otlp::OtlpJson,
        Format::OtlpProto => &otlp::OtlpProto,
        Format::Zipkin => &zipkin::Zipkin,
        Format::Xes => &xes::Xes,
        Format::Zeek => &zeek::Zeek,
        Format::Syslog => &syslog::Syslog,
        Format::AccessLog => &access_log::AccessLog,
        Format::Logcat => &logcat::Logcat,
    }
}

impl Format {
    /// The format of an input, by its first bytes (some thousand, not compressed) and, if they
    /// do not decide, by the extension of its name. Plain text is never guessed: it needs patterns.
    ///
    /// ```
    /// use multitrace_logs::Format;
    /// assert_eq!(Format::guess("log", br#"{"a":1}"#), Some(Format::JsonLines));
    /// assert_eq!(Format::guess("log.csv.gz", b"a,b\n1,2\n"), Some(Format::Csv));
    /// assert_eq!(Format::guess("log", b"hello"), None);
    /// ```
    pub fn guess(name: &str, first_bytes: &[u8]) -> Option<Format> {
        strongest(&Head::new(name, first_bytes))
    }

    /// The format whose marks an input begins with, if it is another one, in which nothing of it can be read. Plain text may
    /// begin with anything.
    pub(crate) fn other_marked(self, first_bytes: &[u8]) -> Option<Format> {
        let head = Head::new("", first_bytes);
        let is_marked = |it: &Format| of(*it).recognise(&head) == Some(Sign::Magic);
        let marked = Format::all().find(is_marked)?;
        (self != Format::Text && self != marked).then_some(marked)
    }
}

/// The format with the strongest sign; if several are equal, the first in the order of their names.
fn strongest(head: &Head<'_>) -> Option<Format> {
    let mut best: Option<(Sign, Format)> = None;
    for format in Format::all() {
        let Some(sign) = of(format).recognise(head) else { continue };
        if best.is_none_or(|(strongest, _)| sign > strongest) {
            best = Some((sign, format));
        }
    }
    match best {
        Some((Sign::Magic, format)) => Some(format),
        best => head.named_format(best.map(|(_, format)| format)),
    }
}

impl Head<'_> {
    /// The format that the name says, unless the bytes tell one of that kind: a damaged first line makes no other format
    /// of a file.
    fn named_format(&self, told: Option<Format>) -> Option<Format> {
        use Format::{Csv, Json, JsonLines, OtlpJson, Tsv, Zipkin};
        let kinds: [(&[&str], &[Format]); 4] = [
            (&["jsonl", "ndjson"], &[JsonLines, Json, OtlpJson, Zipkin]),
            (&["json"], &[Json, JsonLines, OtlpJson, Zipkin]),
            (&["csv"], &[Csv, Tsv]),
            (&["tsv"], &[Tsv, Csv]),
        ];
        let kind = kinds.iter().find(|(names, _)| self.has_extension(names).is_some());
        match kind {
            Some((_, formats)) if !told.is_some_and(|it| formats.contains(&it)) => {
                formats.first().copied()
            }
            _ => told,
        }
    }
}

/// The format that can read a file with these first bytes at the places where it needs it.
pub(crate) fn of_seekable(first_bytes: &[u8]) -> Option<Format> {
    Format::all().find(|format| of(*format).is_seekable(first_bytes))
}
