//! How the records of an input are parsed: the half of reading that any thread can do.

use super::columns::{Columns, Table};
use super::csv::Header;
use super::error::EventError;
use super::field::{FieldId, FieldPath, Fields};
use super::format::{Format, InputOptions};
use super::frames::{Fault, Frame, Framer, Lines, Objects, Rows, count_lines};
use super::json::{self, PathTree};
use super::logfmt::Keys;
use super::otlp::Asked;
use super::parquet::Group;
use super::record::{Record, RecordPlace, Values};
use super::text::Patterns;
use super::xes::Attributes;
use super::zipkin::Spans;
use multitrace_formats::source::{Diagnostic, Span};

/// Asked-for fields that tell of the file: `@file` is its name as it was given, `@stem` that without
/// folders, endings of packed files, and one more ending.
pub(crate) fn of_file(name: &str, fields: &Fields) -> Vec<(FieldId, String)> {
    let value = |path: &FieldPath| match path.text() {
        "@file" => Some(name.to_owned()),
        "@stem" => Some(stem(name).to_owned()),
        _ => None,
    };
    fields.iter().filter_map(|(field, path)| Some((field, value(path)?))).collect()
}

/// ```text
/// logs/node-1.log.gz   node-1
/// ```
fn stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let unpacked = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(name);
    match unpacked.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => unpacked,
    }
}

/// How the records of an input are read; what all batches share.
pub(crate) struct Plan {
    pub(crate) file: String,
    pub(crate) fields: Fields,
    /// The asked-for fields that are the same in all records.
    pub(crate) of_file: Vec<(FieldId, String)>,
    pub(crate) max_bytes: usize,
    pub(crate) parser: Parser,
}

/// What reads a record, by what one is.
pub(crate) enum Parser {
    Json(PathTree),
    /// The same, but of objects that are not lines.
    Objects(PathTree),
    Logfmt(Keys),
    Text(Patterns),
    Csv(u8),
    Zipkin(Spans),
    OtlpJson(Asked),
    OtlpProto(Asked),
    Xes(Attributes),
    Columns(Columns),
}

/// Records that are not parsed yet.
pub(crate) enum Body {
    Frame(Frame),
    Rows(Frame, std::sync::Arc<Header>),
    Request(u64, Vec<u8>),
    Table(Table),
    Group(Group),
}

/// What takes the records.
pub(crate) type Each<'e> = dyn FnMut(Result<&Record<'_>, EventError>) + 'e;

impl Parser {
    pub(crate) fn new(
        file: &str,
        format: Format,
        options: &InputOptions,
        fields: &Fields,
    ) -> Result<Parser, EventError> {
        Ok(match format {
            Format::JsonLines => Parser::Json(PathTree::new(fields)),
            Format::Json => Parser::Objects(PathTree::new(fields)),
            Format::Csv => Parser::Csv(options.delimiter.unwrap_or(b',')),
            Format::Tsv => Parser::Csv(options.delimiter.unwrap_or(b'\t')),
            Format::Logfmt => Parser::Logfmt(Keys::new(fields)),
            Format::Zipkin => Parser::Zipkin(Spans::new(fields)),
            Format::OtlpJson => Parser::OtlpJson(Asked::new(fields)),
            Format::OtlpProto => Parser::OtlpProto(Asked::new(fields)),
            Format::Xes => Parser::Xes(Attributes::new(fields)),
            Format::Parquet | Format::ArrowIpc => Parser::Columns(Columns::new(fields)),
            Format::Text => Parser::Text(patterns(file, options, fields)?),
        })
    }

    /// Whether objects are cut out of the input, with what stands between them.
    fn is_of_objects(&self) -> bool {
        matches!(self, Parser::Objects(_) | Parser::Zipkin(_) | Parser::OtlpJson(_))
    }
}

fn patterns(file: &str, options: &InputOptions, fields: &Fields) -> Result<Patterns, EventError> {
    if options.patterns.is_empty() {
        let error = EventError::of(file, None, "plain text without patterns");
        let help = "list regular expressions with named groups in [input] patterns";
        return Err(error.with_help(help));
    }
    let patterns = Patterns::new(&options.patterns, fields);
    patterns.map_err(|error| EventError::of(file, None, error.to_string()))
}

/// Whether a byte may stand between objects.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']')
}

/// A line without its end.
pub(crate) fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

pub(crate) fn not_utf8(
    file: &str,
    line: u64,
    bytes: &[u8],
    error: &std::str::Utf8Error,
) -> EventError {
    let start = error.valid_up_to();
    let text = String::from_utf8_lossy(bytes);
    let span = Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8());
    let error = Diagnostic::new(span, "not UTF-8", "this is no character");
    EventError::at(file, line, &text, error.with_help("convert the file to UTF-8"))
}

impl Plan {
    /// Parses the records of a batch.
    pub(crate) fn each(&self, body: &Body, each: &mut Each<'_>) {
        if self.of_file.is_empty() {
            return self.each_of_body(body, each);
        }
        self.each_of_body(body, &mut |record| match record {
            Ok(record) => each(Ok(&record.in_file(&self.of_file))),
            Err(error) => each(Err(error)),
        });
    }

    fn each_of_body(&self, body: &Body, each: &mut Each<'_>) {
        match (body, &self.parser) {
            (Body::Frame(frame), _) => self.each_of_frame(frame, None, each),
            (Body::Rows(frame, header), _) => self.each_of_frame(frame, Some(header), each),
            (Body::Request(number, bytes), Parser::OtlpProto(asked)) => {
                let place = RecordPlace::row(*number);
                let read = asked.read_proto(bytes, place, &mut |record| each(Ok(record)));
                if let Err(error) = read {
                    each(Err(EventError::of(&self.file, Some(place), error)));
                }
            }
            (Body::Table(table), Parser::Columns(columns)) => {
                columns.each(&self.file, &self.fields, table, each);
            }
            (Body::Group(group), Parser::Columns(columns)) => {
                group.each(&self.file, &self.fields, columns, each);
            }
            // Inputs make only bodies that their parser reads.
            (Body::Request(..) | Body::Table(_) | Body::Group(_), _) => {}
        }
    }

    fn each_of_frame(&self, frame: &Frame, header: Option<&Header>, each: &mut Each<'_>) {
        if let Some(Fault::TooLong(_)) = frame.fault {
            let (line, bytes) = self.start_of(frame);
            return each(Err(self.too_long(line, bytes)));
        }
        if let Some(Fault::CutOff(why)) = frame.fault {
            return each(Err(self.cut_off(frame, why)));
        }
        let mut values = Values::default();
        match &self.parser {
            Parser::Csv(delimiter) => {
                let Some(header) = header else { return };
                self.each_record(frame, Rows::new(*delimiter), each, |row, values| {
                    header.read(row, *delimiter, values)
                });
            }
            Parser::Json(tree) => {
                self.each_record(frame, Lines, each, |line, values| json::read(line, tree, values));
            }
            Parser::Logfmt(keys) => {
                self.each_record(frame, Lines, each, |line, values| keys.read(line, values));
            }
            Parser::Text(patterns) => {
                let mut captures = patterns.captures();
                self.each_record(frame, Lines, each, |line, values| {
                    patterns.read(line, &mut captures, values);
                    Ok(())
                });
            }
            Parser::Objects(tree) => self.each_object(frame, each, |line, text, each| {
                self.one(line, text, &mut values, each, |text, values| {
                    json::read(text, tree, values)
                });
            }),
            Parser::Zipkin(spans) => {
                let mut raw = Values::default();
                self.each_object(frame, each, |line, text, each| {
                    self.one(line, text, &mut values, each, |text, values| {
                        spans.read(text, &mut raw, values)
                    });
                });
            }
            Parser::OtlpJson(asked) => self.each_object(frame, each, |line, text, each| {
                let place = RecordPlace::line(line);
                let read = asked.read_json(text, place, &mut |record| each(Ok(record)));
                if let Err(error) = read {
                    let error = json::not_json(text, &error);
                    each(Err(EventError::at(&self.file, line, text, error)));
                }
            }),
            Parser::Xes(attributes) => {
                attributes.each(&self.file, &self.fields, frame, each);
            }
            Parser::OtlpProto(_) | Parser::Columns(_) => {}
        }
    }

    /// Reads the records of a frame one by one. Blank lines are none.
    fn each_record(
        &self,
        frame: &Frame,
        mut framer: impl Framer,
        each: &mut Each<'_>,
        mut read: impl FnMut(&str, &mut Values) -> Result<(), Diagnostic>,
    ) {
        let whole = std::str::from_utf8(&frame.bytes).ok();
        let mut values = Values::default();
        let (mut start, mut line) = (0, frame.line);
        while start < frame.bytes.len() {
            let end = framer.first_end(&frame.bytes[start..]);
            let end = end.map_or(frame.bytes.len(), |end| start + end);
            let bytes = trim_end(&frame.bytes[start..end]);
            if !bytes.trim_ascii().is_empty() {
                let text = whole.map(|text| &text[start..start + bytes.len()]);
                match self.text_of(line, bytes, text) {
                    Ok(text) => self.one(line, text, &mut values, each, &mut read),
                    Err(error) => each(Err(error)),
                }
            }
            line += count_lines(&frame.bytes[start..end]);
            start = end;
        }
    }

    /// Finds the objects of a frame one by one. Between them are commas and brackets of lists.
    fn each_object(
        &self,
        frame: &Frame,
        each: &mut Each<'_>,
        mut read: impl FnMut(u64, &str, &mut Each<'_>),
    ) {
        let (mut rest, mut line) = (frame.bytes.as_slice(), frame.line);
        while !rest.is_empty() {
            let end = Objects::default().first_end(rest).unwrap_or(rest.len());
            let (bytes, after) = rest.split_at(end);
            let gap = bytes.iter().take_while(|byte| is_between(**byte)).count();
            let (gap, object) = bytes.split_at(gap);
            line += count_lines(gap);
            if !object.is_empty() {
                match self.text_of(line, object, None) {
                    Ok(text) => read(line, text, each),
                    Err(error) => each(Err(error)),
                }
            }
            line += count_lines(object);
            rest = after;
        }
    }

    /// Reads one record.
    fn one(
        &self,
        line: u64,
        text: &str,
        values: &mut Values,
        each: &mut Each<'_>,
        mut read: impl FnMut(&str, &mut Values) -> Result<(), Diagnostic>,
    ) {
        values.reset(self.fields.len());
        match read(text, values) {
            Ok(()) => each(Ok(&values.record(text, RecordPlace::line(line)))),
            Err(error) => each(Err(EventError::at(&self.file, line, text, error))),
        }
    }

    /// The text of a record, unless it is too long or no text.
    fn text_of<'a>(
        &self,
        line: u64,
        bytes: &'a [u8],
        known: Option<&'a str>,
    ) -> Result<&'a str, EventError> {
        if bytes.len() > self.max_bytes {
            return Err(self.too_long(line, bytes));
        }
        match known {
            Some(text) => Ok(text),
            None => {
                let text = std::str::from_utf8(bytes);
                text.map_err(|error| not_utf8(&self.file, line, bytes, &error))
            }
        }
    }

    /// Only the start of the record is kept to be shown.
    fn too_long(&self, line: u64, bytes: &[u8]) -> EventError {
        let message = format!("the record is longer than {} bytes", self.max_bytes);
        let help = "raise `max-record` in [input], or look for a missing line end or quote";
        self.at_start(line, bytes, &message, help)
    }

    fn cut_off(&self, frame: &Frame, why: &str) -> EventError {
        let (line, bytes) = self.start_of(frame);
        self.at_start(line, bytes, why, "is the file cut off?")
    }

    fn at_start(&self, line: u64, bytes: &[u8], message: &str, help: &str) -> EventError {
        let start = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let text = String::from_utf8_lossy(&start[..start.len().min(100)]);
        let error = Diagnostic::new(Span::default(), message, "starts here");
        EventError::at(&self.file, line, &text, error.with_help(help))
    }

    /// The only record of a frame, without what stands before it, and its line.
    fn start_of<'f>(&self, frame: &'f Frame) -> (u64, &'f [u8]) {
        let is_object = self.parser.is_of_objects();
        let before = |byte: &&u8| byte.is_ascii_whitespace() || (is_object && is_between(**byte));
        let blank = frame.bytes.iter().take_while(before).count();
        let (blank, bytes) = frame.bytes.split_at(blank);
        (frame.line + count_lines(blank), bytes)
    }
}
