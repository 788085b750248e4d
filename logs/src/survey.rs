//! What fields the first records of an input have, and with which values.

use super::batches::{RecordBatches, detect, without_mark};
use super::csv::Header;
use super::error::EventError;
use super::field::{FieldPath, Fields};
use super::format::{Format, InputOptions};
use super::logfmt;
use serde_json::{Deserializer, Value};
use std::collections::BTreeSet;
use std::io::{self, Read};

/// A field and its values in the first records, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) path: String,
    /// `None` where a record does not have it.
    pub(crate) values: Vec<Option<String>>,
}

/// The first records of an input.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) format: Format,
    pub(crate) samples: Vec<Sample>,
    pub(crate) records: usize,
    /// The first lines of what is plain text.
    pub(crate) lines: Vec<String>,
    /// What stands between the cells of CSV, where that is no comma.
    pub(crate) delimiter: Option<u8>,
}

/// How much of the input is looked at.
const HEAD_BYTES: u64 = 1 << 20;
const MAX_RECORDS: usize = 1000;
/// The most fields that are looked at.
const MAX_FIELDS: usize = 500;
/// How deep fields are looked for in objects.
const MAX_DEPTH: usize = 8;

/// Looks at the first records. What no format fits is taken for plain text.
pub(crate) fn survey<'r>(file: &str, reader: impl Read + Send + 'r) -> Result<Survey, EventError> {
    let text = InputOptions { format: Some(Format::Text), ..InputOptions::default() };
    // The first bytes tell the format, so they are read before it is guessed.
    let (_, mut reader) = detect(file, reader, &text)?;
    let mut head = Vec::new();
    let read = reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head);
    read.map_err(|error| EventError::of(file, None, format!("cannot read: {error}")))?;
    let format = Format::guess(file, &head).unwrap_or(Format::Text);
    let is_table = matches!(format, Format::Parquet | Format::ArrowIpc | Format::OtlpProto);
    if is_table || matches!(format, Format::OtlpJson | Format::Zipkin | Format::Xes) {
        let (samples, lines) = (Vec::new(), Vec::new());
        return Ok(Survey { format, samples, records: 0, lines, delimiter: None });
    }
    if head.len() as u64 == HEAD_BYTES {
        let end = head.iter().rposition(|&byte| byte == b'\n').map_or(head.len(), |at| at + 1);
        head.truncate(end);
    }
    let mut text = Vec::new();
    let read = without_mark(file, Box::new(io::Cursor::new(head)))?.read_to_end(&mut text);
    read.map_err(|error| EventError::of(file, None, format!("cannot read: {error}")))?;
    let head = &*String::from_utf8_lossy(&text);
    let lines = head.lines().filter(|line| !line.trim().is_empty()).take(3);
    let lines = lines.map(str::to_owned).collect();
    let delimiter = if format == Format::Csv { other_delimiter(head) } else { None };
    let fields = fields(format, delimiter, head);
    let (samples, records) = sample(file, head, (format, delimiter), &fields)?;
    Ok(Survey { format, samples, records, lines, delimiter })
}

/// What stands between the cells of CSV, when the first row has no comma.
fn other_delimiter(head: &str) -> Option<u8> {
    let row = first_row(head);
    let others = [b';', b'|', b'\t'].into_iter();
    if row.contains(',') {
        None
    } else {
        others.max_by_key(|&byte| cells(row, byte)).filter(|&byte| cells(row, byte) > 1)
    }
}

fn cells(row: &str, delimiter: u8) -> usize {
    row.bytes().filter(|&byte| byte == delimiter).count() + 1
}

fn first_row(head: &str) -> &str {
    head.lines().find(|line| !line.trim().is_empty()).unwrap_or("")
}

fn fields(format: Format, delimiter: Option<u8>, head: &str) -> Fields {
    let mut names = Vec::new();
    match format {
        Format::JsonLines | Format::Json => json_fields(head, &mut names),
        Format::Csv | Format::Tsv => {
            let usual = if format == Format::Csv { b',' } else { b'\t' };
            let delimiter = delimiter.unwrap_or(usual);
            if let Ok(header) = Header::new(first_row(head), delimiter, &Fields::default()) {
                names.extend(header.columns().iter().map(|column| quoted(column)));
            }
        }
        Format::Logfmt => {
            for line in head.lines().take(MAX_RECORDS) {
                let _ = logfmt::each_pair(line, |key, _| {
                    add(quoted(&line[key]), &mut names);
                    Ok(())
                });
            }
        }
        _ => {}
    }
    let mut fields = Fields::default();
    for path in names.iter().take(MAX_FIELDS).filter_map(|name| FieldPath::parse(name).ok()) {
        fields.add(path);
    }
    fields
}

fn add(name: String, names: &mut Vec<String>) {
    if names.len() < MAX_FIELDS && !names.contains(&name) {
        names.push(name);
    }
}

/// A key as part of a path.
fn quoted(key: &str) -> String {
    let is_plain = !key.is_empty() && !key.contains(['.', '[', ']', '"', '{', '}']);
    if is_plain {
        return key.to_owned();
    }
    format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""))
}

fn json_fields(head: &str, names: &mut Vec<String>) {
    for value in Deserializer::from_str(head).into_iter::<Value>().take(MAX_RECORDS) {
        match value {
            Ok(Value::Array(items)) => {
                items.iter().for_each(|item| collect(item, "", MAX_DEPTH, names));
            }
            Ok(value) => collect(&value, "", MAX_DEPTH, names),
            Err(_) => return,
        }
    }
}

/// The paths of the values in an object that are no objects themselves.
fn collect(value: &Value, before: &str, depth: usize, names: &mut Vec<String>) {
    let Some(object) = value.as_object().filter(|_| depth > 0) else { return };
    for (key, value) in object {
        let key = quoted(key);
        let path = if before.is_empty() { key } else { format!("{before}.{key}") };
        match value {
            Value::Object(_) => collect(value, &path, depth - 1, names),
            Value::Array(_) | Value::Null => {}
            _ => add(path, names),
        }
    }
}

fn sample(
    file: &str,
    head: &str,
    (format, delimiter): (Format, Option<u8>),
    fields: &Fields,
) -> Result<(Vec<Sample>, usize), EventError> {
    let new = |(_, path): (_, &FieldPath)| Sample { path: path.text().to_owned(), values: vec![] };
    let mut samples: Vec<Sample> = fields.iter().map(new).collect();
    let mut records = 0;
    if samples.is_empty() {
        return Ok((samples, records));
    }
    let options = InputOptions { delimiter, ..InputOptions::default() };
    for batch in RecordBatches::new(file, head.as_bytes(), format, &options, fields)? {
        batch?.for_each(|record| {
            let Ok(record) = record else { return };
            if records < MAX_RECORDS {
                records += 1;
                for ((field, _), sample) in fields.iter().zip(&mut samples) {
                    sample.values.push(record.get(field).map(str::to_owned));
                }
            }
        });
    }
    Ok((samples, records))
}

impl Sample {
    /// The values there are.
    pub(crate) fn present(&self) -> impl Iterator<Item = &str> {
        self.values.iter().flatten().map(String::as_str)
    }

    /// The values without repetitions, in order.
    pub(crate) fn distinct(&self) -> BTreeSet<&str> {
        self.present().collect()
    }
}
