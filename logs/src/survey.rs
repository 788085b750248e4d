//! The fields of the first records of an input, and their values.

use crate::batches::{RecordBatches, detect};
use crate::error::EventError;
use crate::field::{FieldPath, Fields};
use crate::format::{Format, InputOptions};
use crate::formats::{
    self, InputReader, MAX_RECORDS, Nested, Proposal, has_length, nested, pair_signs, reject_utf16,
};
use crate::mapping::OrderKey;
use std::collections::BTreeSet;
use std::io::Read;

/// A field and its values in the first records, in their order.
#[derive(Clone, Debug)]
pub(crate) struct FieldSample {
    pub(crate) path: String,
    /// `None` for a record without it.
    pub(crate) values: Vec<Option<String>>,
}

/// The first records of an input.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) format: Format,
    /// The source of a proposal for a mapping.
    pub(crate) proposal: Proposal,
    pub(crate) samples: Vec<FieldSample>,
    pub(crate) records: usize,
    /// The columns of a table with their types, if its format says them.
    pub(crate) columns: Vec<(String, String)>,
    /// The start of the input; nothing for tables in binary formats.
    pub(crate) lines: String,
    /// Whether that is all of it.
    pub(crate) is_whole: bool,
    /// Where the records stand in documents.
    pub(crate) documents: Option<String>,
    /// The list in each of these whose elements are the records.
    pub(crate) for_each: Option<String>,
    /// Whether rows of a table have the names of its columns again; these are left out of the records.
    pub(crate) has_names_again: bool,
    /// The pattern of lines of text, and why it is proposed.
    pub(crate) pattern: Option<(String, &'static str)>,
    /// How many of the first records cannot be read, and the first problem.
    pub(crate) unreadable: Option<(usize, String)>,
    /// The fields of texts that are opened since most of them are JSON, and how many texts of each field are not.
    pub(crate) without_json: Vec<(String, usize)>,
    /// The error of an input that cannot be read as the table that its name or its lines promise.
    pub(crate) broken: Option<EventError>,
    /// The fields by which documents say that they lack records.
    pub(crate) incomplete: Vec<&'static str>,
    /// The files that are looked at.
    pub(crate) files: LookedAt,
}

/// The names of the files that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookedAt {
    One,
    /// Each has a stem of its own.
    Stems,
    /// Folders have files of the same stems.
    Folders,
}

impl LookedAt {
    /// The value of `session` where no field has one: the name of the file or of its folder, unless its lifelines have files of
    /// their own.
    pub(crate) fn session(self, has_lifeline: bool) -> &'static str {
        match self {
            LookedAt::Folders => "{ field = \"@file\", match = '([^/]+)/[^/]+$' }",
            LookedAt::Stems if has_lifeline => "\"@stem\"",
            LookedAt::Stems | LookedAt::One => "{ text = \"run\" }",
        }
    }
}

/// How many columns a table with blanks between its cells has: sentences have fewer words before they differ.
const LEAST_COLUMNS: usize = 4;
/// How many of them have numbers or times.
const LEAST_VALUES: usize = 2;

/// How much of the input is looked at: ten thousand lines of four hundred bytes.
pub(crate) const HEAD_BYTES: u64 = 4 << 20;

/// Looks at the first records of an input of this format, which is guessed if nobody said it. An input in no known format
/// counts as plain text.
pub(crate) fn survey<'r>(
    file: &str,
    reader: impl Read + Send + 'r,
    said: Option<Format>,
) -> Result<Survey, EventError> {
    let (bytes, reader) = head(file, reader, HEAD_BYTES)?;
    #[cfg(not(feature = "columnar"))]
    drop(reader);
    let text = String::from_utf8_lossy(whole_lines(&bytes, HEAD_BYTES));
    // A sign of its own stands before each object of a sequence.
    let text = match text.starts_with(SEPARATOR) {
        true => text.replace(SEPARATOR, " ").into(),
        false => text,
    };
    let (format, proposal) = match said {
        Some(format) => (format, formats::of(format).proposal(file, without_mark(&text))?),
        None => proposal(file, &bytes, &text)?,
    };
    let text = without_mark(&text);
    let mut survey = Survey {
        format,
        proposal,
        samples: Vec::new(),
        records: 0,
        columns: Vec::new(),
        lines: text.to_owned(),
        is_whole: (bytes.len() as u64) < HEAD_BYTES,
        documents: None,
        for_each: None,
        has_names_again: false,
        pattern: None,
        unreadable: None,
        without_json: Vec::new(),
        broken: None,
        incomplete: Vec::new(),
        files: LookedAt::One,
    };
    match &survey.proposal {
        Proposal::Whole(_) | Proposal::Traces => {}
        Proposal::Lines | Proposal::Pairs { .. } | Proposal::Fields { .. } => {
            reject_utf16(file, &bytes)?;
            survey.take_text(file, text)?;
        }
        #[cfg(feature = "columnar")]
        Proposal::Columns => {
            let bytes = rest_of(file, bytes, reader)?;
            survey.lines.clear();
            survey.columns = formats::of(format).columns(file, &bytes)?;
            let names: Vec<String> = survey.columns.iter().map(|(path, _)| path.clone()).collect();
            let input = (format, &InputOptions::default());
            survey.take(sample(file, &bytes, input, &fields(&names))?);
            survey.take_inside(file, &bytes, (input, names))?;
        }
    }
    Ok(survey)
}

impl Survey {
    /// Takes the records of a text.
    fn take_text(&mut self, file: &str, text: &str) -> Result<(), EventError> {
        let format = self.format;
        match self.proposal.clone() {
            Proposal::Pairs { names, signs } => {
                let options = InputOptions { pairs: signs, ..InputOptions::default() };
                self.take(sample_readable(file, text.as_bytes(), (format, &options), &names)?);
            }
            Proposal::Fields { names, delimiter } => {
                let options = InputOptions { delimiter, ..InputOptions::default() };
                let is_json = matches!(format, Format::Json | Format::JsonLines);
                match nested(text).filter(|_| is_json) {
                    Some(nested) => self.take_nested(file, nested, options)?,
                    None => self.take_fields(file, text, ((format, &options), names))?,
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the fields of records that follow one another.
    fn take_fields(
        &mut self,
        file: &str,
        text: &str,
        (input, names): ((Format, &InputOptions), Vec<String>),
    ) -> Result<(), EventError> {
        match sample_readable(file, text.as_bytes(), input, &names) {
            Ok(sampled) => {
                self.take(sampled);
                self.take_inside(file, text.as_bytes(), (input, names))?;
            }
            // A table without names of columns may be read otherwise.
            Err(error) if is_table(input.0) => self.broken = Some(error),
            Err(error) => return Err(error),
        }
        if is_table(input.0) {
            self.leave_out_names();
        }
        Ok(())
    }

    /// Takes the records that stand in a list of each document.
    fn take_nested(
        &mut self,
        file: &str,
        nested: Nested,
        mut options: InputOptions,
    ) -> Result<(), EventError> {
        let Nested { text, path, names, rows } = nested;
        if rows.is_none() {
            options.records = FieldPath::parse(&path).into_iter().collect();
        }
        let input = (Format::Json, &options);
        self.take(sample(file, text.as_bytes(), input, &fields(&names))?);
        self.take_inside(file, text.as_bytes(), (input, names))?;
        self.incomplete = incomplete(&self.lines, &path);
        (self.format, self.documents, self.for_each) = (Format::Json, Some(path), rows);
        Ok(())
    }
}

/// The sign before each object of a sequence (RFC 7464).
const SEPARATOR: char = '\u{1e}';

fn is_table(format: Format) -> bool {
    matches!(format, Format::Csv | Format::Tsv)
}

/// The fields by which documents with records at this path say that they lack some.
fn incomplete(text: &str, path: &str) -> Vec<&'static str> {
    // Searches of Splunk, and streams of Loki.
    const SIGNS: [(&str, &str, &[&str]); 2] = [
        ("results[]", "\"preview\"", &["preview"]),
        ("data.result[]", "\"resultType\"", &["warnings", "status = error"]),
    ];
    let found = SIGNS.iter().find(|(of, word, _)| *of == path && text.contains(word));
    found.map_or(Vec::new(), |(.., signs)| signs.to_vec())
}

/// Whether lines with `key=value` in them begin as text does: `10:00:00 INFO lock=L1 req=7`.
fn is_text_with_pairs(format: Format, file: &str, text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let word = first.split_whitespace().next().unwrap_or("");
    format == Format::Logfmt && !word.contains('=') && !file.contains(".logfmt")
}

/// Without the mark of the order of bytes.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The format of an input that begins with these bytes and this text, and how its fields are proposed.
fn proposal(file: &str, bytes: &[u8], text: &str) -> Result<(Format, Proposal), EventError> {
    let format = Format::guess(file, bytes).unwrap_or(Format::Text);
    let is_text = is_text_with_pairs(format, file, text) || is_text_with_names(format, text);
    let format = if is_text { Format::Text } else { format };
    let text = without_mark(text);
    let may_be_pairs = matches!(format, Format::Text | Format::Csv | Format::Tsv | Format::Logfmt);
    let are_pairs = may_be_pairs && pair_signs(text).is_some();
    let format = if are_pairs { Format::Logfmt } else { format };
    let names = if format == Format::Text { names_of_columns(text) } else { None };
    match names {
        Some(names) => Ok((Format::Csv, Proposal::Fields { names, delimiter: Some(b' ') })),
        None => Ok((format, formats::of(format).proposal(file, text)?)),
    }
}

/// The names of the columns of a table with one blank between cells: its first line has names, and columns have numbers or times.
fn names_of_columns(text: &str) -> Option<Vec<String>> {
    let rows = text.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECORDS);
    let rows: Vec<Vec<&str>> = rows.map(|line| line.trim_end().split(' ').collect()).collect();
    let (first, others) = rows.split_first().filter(|(_, others)| !others.is_empty())?;
    let is_name = |cell: &&str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        cell.starts_with(|c: char| c.is_ascii_alphabetic()) && cell.chars().all(is_part)
    };
    let are_names =
        first.iter().all(is_name) && first.iter().collect::<BTreeSet<_>>().len() == first.len();
    if first.len() < LEAST_COLUMNS
        || !are_names
        || others.iter().any(|row| row.len() != first.len())
    {
        return None;
    }
    let are_values = |at: &usize| {
        let cells = || others.iter().map(|row| row[*at]).filter(|cell| *cell != "-");
        cells().next().is_some() && cells().all(|cell| OrderKey::parse(cell).is_some())
    };
    let is_table = (0..first.len()).filter(are_values).count() >= LEAST_VALUES;
    is_table.then(|| first.iter().map(|name| (*name).to_owned()).collect())
}

/// Whether lines that may be of syslog name no program: a time and a word stand before any text.
fn is_text_with_names(format: Format, text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECORDS);
    let lines: Vec<&str> = lines.collect();
    let has_program =
        |line: &&&str| line.starts_with('<') || has_length(line) || line.contains(": ");
    format == Format::Syslog && lines.iter().filter(has_program).count() * 2 < lines.len()
}

/// The first bytes of an input, unpacked.
fn head<'r>(
    file: &str,
    reader: impl Read + Send + 'r,
    most: u64,
) -> Result<(Vec<u8>, InputReader<'r>), EventError> {
    let text = InputOptions { format: Some(Format::Text), ..InputOptions::default() };
    // The first bytes tell the format, so they are read before it is guessed.
    let (_, mut reader) = detect(file, reader, &text)?;
    let mut head = Vec::new();
    let read = reader.by_ref().take(most).read_to_end(&mut head);
    read.map_err(|error| EventError::unreadable(file, None, &error))?;
    Ok((head, reader))
}

/// The whole input: the columns of a table stand at its end.
#[cfg(feature = "columnar")]
fn rest_of(file: &str, mut bytes: Vec<u8>, reader: InputReader<'_>) -> Result<Vec<u8>, EventError> {
    let most = InputOptions::default().max_record_bytes;
    let read = reader.take((most - bytes.len()) as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| EventError::unreadable(file, None, &error))?;
    if bytes.len() > most {
        let message = format!("larger than {} MiB", most >> 20);
        return Err(EventError::without_text(
            file,
            None,
            message,
            "propose a mapping from a part of the table",
        ));
    }
    Ok(bytes)
}

/// Unpacks the first bytes of an input, up to a line end: not more than `most`. Also tells whether these are all of it.
pub(crate) fn beginning(
    file: &str,
    reader: impl Read + Send,
    most: u64,
) -> Result<(Vec<u8>, bool), EventError> {
    let (bytes, _) = head(file, reader, most)?;
    Ok((whole_lines(&bytes, most).to_vec(), (bytes.len() as u64) < most))
}

/// The start of an input. It ends with a line if the input goes on behind these `most` bytes.
fn whole_lines(head: &[u8], most: u64) -> &[u8] {
    if (head.len() as u64) < most {
        return head;
    }
    let end = head.iter().rposition(|&byte| byte == b'\n').map_or(head.len(), |at| at + 1);
    &head[..end]
}

/// The first records: values of their fields, their number, and the first error.
struct Sampled {
    samples: Vec<FieldSample>,
    records: usize,
    unreadable: Option<(usize, String)>,
}

impl Survey {
    /// The same lines, read by a pattern of text with these fields, and why; `regex` is the pattern without fragments.
    pub(crate) fn by_pattern(
        &self,
        file: &str,
        (pattern, regex, why): (String, String, &'static str),
        names: &[String],
    ) -> Result<Survey, EventError> {
        let options = InputOptions { patterns: vec![regex], ..InputOptions::default() };
        let mut survey = Survey {
            format: Format::Text,
            proposal: Proposal::Lines,
            samples: Vec::new(),
            records: 0,
            columns: Vec::new(),
            lines: self.lines.clone(),
            is_whole: self.is_whole,
            documents: None,
            for_each: None,
            has_names_again: false,
            pattern: Some((pattern, why)),
            unreadable: None,
            without_json: Vec::new(),
            broken: None,
            incomplete: Vec::new(),
            files: self.files,
        };
        let input = (Format::Text, &options);
        survey.take(sample(file, self.lines.as_bytes(), input, &fields(names))?);
        Ok(survey)
    }

    /// Leaves out rows that have the names of the columns, as where several tables were put together.
    fn leave_out_names(&mut self) {
        let samples = &self.samples;
        let is_name = |at: usize| {
            let is_own = |it: &FieldSample| {
                let name = FieldPath::parse(&it.path).ok().map(|path| path.flat_name());
                name.is_some() && it.values[at] == name
            };
            !samples.is_empty() && samples.iter().all(is_own)
        };
        let again: Vec<bool> = (0..self.records).map(is_name).collect();
        for sample in &mut self.samples {
            let mut again = again.iter();
            sample.values.retain(|_| again.next() != Some(&true));
        }
        let count = again.iter().filter(|is_name| **is_name).count();
        self.records -= count;
        self.has_names_again = count > 0;
    }

    /// Takes the fields of objects that stand in texts instead of these texts.
    fn take_inside(
        &mut self,
        file: &str,
        bytes: &[u8],
        (input, names): ((Format, &InputOptions), Vec<String>),
    ) -> Result<(), EventError> {
        let is_object = |value: &str| {
            value.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok()
        };
        let others = |sample: &FieldSample| sample.present().filter(|it| !is_object(it)).count();
        let has_objects = |sample: &&FieldSample| {
            // Calls of JSON-RPC are known by their own words.
            others(sample) * 2 < sample.present().count()
                && !sample.present().any(|value| value.contains("\"jsonrpc\""))
        };
        let texts: Vec<&FieldSample> = self.samples.iter().filter(has_objects).collect();
        let without_json = texts.iter().map(|it| (it.path.clone(), others(it)));
        let without_json = without_json.filter(|(_, count)| *count > 0).collect();
        let inside = texts.iter().flat_map(|sample| {
            let objects: Vec<&str> = sample.present().filter(|it| is_object(it)).collect();
            let fields = formats::object_fields(&objects.join("\n"));
            fields.into_iter().map(|field| format!("{}|json.{field}", sample.path))
        });
        let inside: Vec<String> = inside.collect();
        if inside.is_empty() {
            return Ok(());
        }
        let is_other = |name: &String| texts.iter().all(|sample| sample.path != *name);
        let names: Vec<String> = names.into_iter().filter(is_other).chain(inside).collect();
        let sampled = sample_readable(file, bytes, input, &names)?;
        self.take(sampled);
        self.without_json = without_json;
        Ok(())
    }

    fn take(&mut self, sampled: Sampled) {
        let Sampled { samples, records, unreadable } = sampled;
        (self.samples, self.records, self.unreadable) = (samples, records, unreadable);
    }
}

fn fields(names: &[String]) -> Fields {
    let mut fields = Fields::default();
    for path in names.iter().filter_map(|name| FieldPath::parse(name).ok()) {
        fields.add(path);
    }
    // Names of fields of the log are not made of themselves.
    let _ = fields.resolve_derived();
    fields
}

/// The same without the fields for which no record can be read, such as one that stands twice in each.
fn sample_readable(
    file: &str,
    head: &[u8],
    input: (Format, &InputOptions),
    names: &[String],
) -> Result<Sampled, EventError> {
    let sampled = sample(file, head, input, &fields(names))?;
    if sampled.records > 0 || sampled.unreadable.is_none() {
        return Ok(sampled);
    }
    let mut readable = names.to_vec();
    readable.retain(|name| {
        let alone = sample(file, head, input, &fields(std::slice::from_ref(name)));
        alone.is_ok_and(|it| it.records > 0)
    });
    match readable.is_empty() {
        true => Ok(sampled),
        false => sample(file, head, input, &fields(&readable)),
    }
}

fn sample(
    file: &str,
    head: &[u8],
    (format, options): (Format, &InputOptions),
    fields: &Fields,
) -> Result<Sampled, EventError> {
    let new =
        |(_, path): (_, &FieldPath)| FieldSample { path: path.text().to_owned(), values: vec![] };
    let mut samples: Vec<FieldSample> = fields.iter().map(new).collect();
    let (mut records, mut unreadable) = (0, None);
    for batch in RecordBatches::new(file, head, format, options, fields)? {
        batch?.for_each(|record| {
            let record = match record {
                Ok(record) => record,
                Err(error) => {
                    unreadable.get_or_insert_with(|| (0, error.to_string())).0 += 1;
                    return;
                }
            };
            // Lines that no pattern matches have none of the fields.
            if records < MAX_RECORDS && record.patterns().is_read() {
                records += 1;
                for ((field, _), sample) in fields.iter().zip(&mut samples) {
                    sample.values.push(record.get(field).map(str::to_owned));
                }
            }
        });
    }
    // A text whose parts are asked for is told by these.
    let parts: Vec<String> = samples.iter().map(|it| it.path.clone()).collect();
    let is_whole = |sample: &FieldSample| {
        let start = format!("{}|json", sample.path);
        parts.iter().any(|part| part.starts_with(&start))
    };
    samples.retain(|sample| !is_whole(sample));
    Ok(Sampled { samples, records, unreadable })
}

impl FieldSample {
    /// The values of the records that have the field.
    pub(crate) fn present(&self) -> impl Iterator<Item = &str> {
        self.values.iter().flatten().map(String::as_str)
    }

    /// The values without repetitions, in order.
    pub(crate) fn distinct(&self) -> BTreeSet<&str> {
        self.present().collect()
    }
}
