//! Inputs as batches of records: cut by one thread, parsed by any.

use super::compressed::{decompress, peek};
use super::csv::Header;
use super::error::EventError;
use super::field::Fields;
use super::format::{Format, InputOptions};
use super::frames::{Fault, Frame, Framer, Frames, Lines, Objects, Rows, count_lines};
use super::json::{self, PathTree};
use super::logfmt::Keys;
use super::record::{Place, Record, Values};
use super::text::Patterns;
use crate::source::{Diagnostic, Span};
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

/// The records of an input, in batches.
///
/// ```
/// use multitrace_formats::events::{FieldPath, Fields, Format, InputOptions, RecordBatches};
/// let mut fields = Fields::default();
/// let name = fields.add(FieldPath::parse("event.name").expect("a path"));
/// let input = br#"{"event":{"name":"hello"}}"#;
/// let options = InputOptions::default();
/// let batches = RecordBatches::new("log", &input[..], Format::JsonLines, &options, &fields)?;
/// let mut names = Vec::new();
/// for batch in batches {
///     batch?.for_each(|record| {
///         names.extend(record.expect("a record").get(name).map(str::to_owned));
///     });
/// }
/// assert_eq!(names, ["hello"]);
/// # Ok::<(), multitrace_formats::events::EventError>(())
/// ```
pub struct RecordBatches<'r> {
    plan: Arc<Plan>,
    fields: Fields,
    input: Input<'r>,
}

/// How the records of an input are read; what all batches share.
struct Plan {
    file: String,
    fields: usize,
    max_bytes: usize,
    parser: Parser,
}

enum Parser {
    Json(PathTree),
    /// The same, but of objects that are not lines.
    Objects(PathTree),
    Logfmt(Keys),
    Text(Patterns),
    Csv(u8),
}

type Reader<'r> = Box<dyn Read + Send + 'r>;

enum Input<'r> {
    Lines(Frames<Reader<'r>, Lines>),
    Objects(Frames<Reader<'r>, Objects>),
    Rows {
        frames: Frames<Reader<'r>, Rows>,
        header: Option<Arc<Header>>,
    },
    /// After an error behind which there is nothing to read.
    Ended,
}

/// Some records of an input, not parsed yet.
pub struct RecordBatch {
    plan: Arc<Plan>,
    body: Body,
}

enum Body {
    Frame(Frame),
    Rows(Frame, Arc<Header>),
}

impl<'r> RecordBatches<'r> {
    /// The records of a reader, with these fields; `file` is what errors call it.
    ///
    /// # Errors
    /// When the input cannot be read, when it is UTF-16, and when the options do not fit: text
    /// without patterns, patterns that are no regular expressions.
    pub fn new(
        file: &str,
        reader: impl Read + Send + 'r,
        format: Format,
        options: &InputOptions,
        fields: &Fields,
    ) -> Result<RecordBatches<'r>, EventError> {
        let parser = parser(file, format, options, fields)?;
        let reader = without_mark(file, Box::new(reader))?;
        let max_bytes = options.max_record_bytes.min(1 << 30);
        let size = options.batch_bytes;
        let input = match &parser {
            Parser::Objects(_) => {
                Input::Objects(Frames::new(reader, Objects::default(), size, max_bytes))
            }
            Parser::Json(_) | Parser::Logfmt(_) | Parser::Text(_) => {
                Input::Lines(Frames::new(reader, Lines, size, max_bytes))
            }
            Parser::Csv(delimiter) => {
                let frames = Frames::new(reader, Rows::new(*delimiter), size, max_bytes);
                Input::Rows { frames, header: None }
            }
        };
        let plan = Plan { file: file.to_owned(), fields: fields.len(), max_bytes, parser };
        Ok(RecordBatches { plan: Arc::new(plan), fields: fields.clone(), input })
    }

    /// The records of a reader that may be compressed and whose format may have to be guessed.
    ///
    /// # Errors
    /// When nothing tells the format; and those of [`RecordBatches::new`].
    pub fn detect(
        file: &str,
        reader: impl Read + Send + 'r,
        options: &InputOptions,
        fields: &Fields,
    ) -> Result<RecordBatches<'r>, EventError> {
        let (format, reader) = detect(file, reader, options)?;
        RecordBatches::new(file, reader, format, options, fields)
    }

    fn next_body(&mut self) -> Result<Option<Body>, EventError> {
        let frame = match &mut self.input {
            Input::Lines(frames) => frames.next().map_err(|e| (frames.line(), e)),
            Input::Objects(frames) => frames.next().map_err(|e| (frames.line(), e)),
            Input::Rows { .. } => return self.next_rows(),
            Input::Ended => Ok(None),
        };
        let frame = frame.map_err(|(line, error)| unreadable(&self.plan.file, line, &error))?;
        Ok(frame.map(Body::Frame))
    }

    fn next_rows(&mut self) -> Result<Option<Body>, EventError> {
        let Input::Rows { frames, header } = &mut self.input else { return Ok(None) };
        let frame = frames.next().map_err(|e| unreadable(&self.plan.file, frames.line(), &e))?;
        let Some(mut frame) = frame else { return Ok(None) };
        let Parser::Csv(delimiter) = self.plan.parser else { return Ok(None) };
        if header.is_none() {
            *header = take_header(&self.plan.file, &mut frame, delimiter, &self.fields)?;
        }
        // Without a header there were blank lines only.
        let header = header.clone().unwrap_or_else(|| Arc::new(Header::empty()));
        Ok(Some(Body::Rows(frame, header)))
    }

    /// The names of the columns of a table, once the first batch was read.
    pub fn columns(&self) -> Option<&[String]> {
        match &self.input {
            Input::Rows { header: Some(header), .. } => Some(header.columns()),
            _ => None,
        }
    }
}

/// Unpacks an input and tells its format.
pub(crate) fn detect<'r>(
    file: &str,
    reader: impl Read + Send + 'r,
    options: &InputOptions,
) -> Result<(Format, Reader<'r>), EventError> {
    let unreadable = |error| unreadable(file, 1, &error);
    let reader = decompress(reader).map_err(unreadable)?;
    let (head, reader) = peek(reader, HEAD_BYTES).map_err(unreadable)?;
    let guess = || {
        if head.is_empty() { Some(Format::JsonLines) } else { Format::guess(file, &head) }
    };
    let format = options.format.or_else(guess).ok_or_else(|| {
        let error = EventError::of(file, None, "the format of the input is not known");
        error.with_help(
            "name it: [input] format = \"…\"; plain text also needs `patterns` (docs/events.md)",
        )
    })?;
    Ok((format, reader))
}

/// How many bytes are looked at to tell the format.
const HEAD_BYTES: usize = 1 << 16;

impl Iterator for RecordBatches<'_> {
    type Item = Result<RecordBatch, EventError>;

    /// The next batch. When the input cannot be read on, that error is the last item; what is
    /// wrong with a single record is told by [`RecordBatch::for_each`].
    fn next(&mut self) -> Option<Self::Item> {
        let body = self.next_body();
        if !matches!(body, Ok(Some(_))) {
            self.input = Input::Ended;
        }
        let batch = |body| RecordBatch { plan: Arc::clone(&self.plan), body };
        body.map(|body| body.map(batch)).transpose()
    }
}

fn parser(
    file: &str,
    format: Format,
    options: &InputOptions,
    fields: &Fields,
) -> Result<Parser, EventError> {
    match format {
        Format::JsonLines => Ok(Parser::Json(PathTree::new(fields))),
        Format::Json => Ok(Parser::Objects(PathTree::new(fields))),
        Format::Csv => Ok(Parser::Csv(options.delimiter.unwrap_or(b','))),
        Format::Tsv => Ok(Parser::Csv(options.delimiter.unwrap_or(b'\t'))),
        Format::Logfmt => Ok(Parser::Logfmt(Keys::new(fields))),
        Format::Text if options.patterns.is_empty() => {
            let error = EventError::of(file, None, "plain text without patterns");
            Err(error.with_help("list regular expressions with named groups in [input] patterns"))
        }
        Format::Text => {
            let patterns = Patterns::new(&options.patterns, fields);
            patterns.map(Parser::Text).map_err(|e| EventError::of(file, None, e.to_string()))
        }
        format => Err(EventError::of(file, None, format!("{} is not readable yet", format.name()))),
    }
}

/// The reader behind a byte order mark.
fn without_mark<'r>(file: &str, mut reader: Reader<'r>) -> Result<Reader<'r>, EventError> {
    let mut head = Vec::new();
    let read = reader.by_ref().take(3).read_to_end(&mut head);
    read.map_err(|error| unreadable(file, 1, &error))?;
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        let error = EventError::of(file, None, "the input is UTF-16");
        return Err(error.with_help("convert it: iconv -f UTF-16 -t UTF-8"));
    }
    if head == "\u{feff}".as_bytes() {
        head.clear();
    }
    Ok(Box::new(io::Cursor::new(head).chain(reader)))
}

fn unreadable(file: &str, line: u64, error: &io::Error) -> EventError {
    EventError::of(file, Some(Place::line(line)), format!("cannot read on: {error}"))
}

/// Reads the first row of a frame that is not blank and takes it off.
fn take_header(
    file: &str,
    frame: &mut Frame,
    delimiter: u8,
    fields: &Fields,
) -> Result<Option<Arc<Header>>, EventError> {
    while !frame.bytes.is_empty() {
        let end = Rows::new(delimiter).first_end(&frame.bytes).unwrap_or(frame.bytes.len());
        let rest = frame.bytes.split_off(end);
        let row = std::mem::replace(&mut frame.bytes, rest);
        let line = frame.line;
        frame.line += count_lines(&row);
        let row = trim_end(&row);
        if row.trim_ascii().is_empty() {
            continue;
        }
        let text = std::str::from_utf8(row).map_err(|error| not_utf8(file, line, row, &error))?;
        let header = Header::new(text, delimiter, fields);
        return header
            .map(|header| Some(Arc::new(header)))
            .map_err(|error| EventError::at(file, line, text, error));
    }
    Ok(None)
}

/// Whether a byte may stand between objects.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']')
}

/// A line without its end.
fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn not_utf8(file: &str, line: u64, bytes: &[u8], error: &std::str::Utf8Error) -> EventError {
    let start = error.valid_up_to();
    let text = String::from_utf8_lossy(bytes);
    let span = Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8());
    let error = Diagnostic::new(span, "not UTF-8", "this is no character");
    EventError::at(file, line, &text, error.with_help("convert the file to UTF-8"))
}

impl RecordBatch {
    /// Calls a function for every record of the batch, in order, and for what is wrong with those
    /// that cannot be read.
    pub fn for_each(&self, mut each: impl FnMut(Result<&Record<'_>, EventError>)) {
        match &self.body {
            Body::Frame(frame) => self.plan.each_of_frame(frame, None, &mut each),
            Body::Rows(frame, header) => self.plan.each_of_frame(frame, Some(header), &mut each),
        }
    }

    /// About how many bytes it holds.
    pub fn size(&self) -> usize {
        match &self.body {
            Body::Frame(frame) | Body::Rows(frame, _) => frame.bytes.len(),
        }
    }
}

type Each<'e> = dyn FnMut(Result<&Record<'_>, EventError>) + 'e;

impl Plan {
    fn each_of_frame(&self, frame: &Frame, header: Option<&Header>, each: &mut Each<'_>) {
        if let Some(Fault::TooLong(_)) = frame.fault {
            let (line, bytes) = self.start_of(frame);
            return each(Err(self.too_long(line, bytes)));
        }
        if let Some(Fault::CutOff(why)) = frame.fault {
            return each(Err(self.cut_off(frame, why)));
        }
        match (&self.parser, header) {
            (Parser::Csv(delimiter), Some(header)) => {
                let framer = Rows::new(*delimiter);
                self.each_record(frame, framer, each, |row, values| {
                    header.read(row, *delimiter, values)
                });
            }
            (Parser::Csv(_), None) => {}
            (Parser::Json(tree), _) => {
                self.each_record(frame, Lines, each, |line, values| json::read(line, tree, values));
            }
            (Parser::Objects(tree), _) => {
                self.each_object(frame, each, |text, values| json::read(text, tree, values));
            }
            (Parser::Logfmt(keys), _) => {
                self.each_record(frame, Lines, each, |line, values| keys.read(line, values));
            }
            (Parser::Text(patterns), _) => {
                let mut captures = patterns.captures();
                self.each_record(frame, Lines, each, |line, values| {
                    patterns.read(line, &mut captures, values);
                    Ok(())
                });
            }
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

    /// Reads the objects of a frame one by one. Between them are commas and brackets of lists.
    fn each_object(
        &self,
        frame: &Frame,
        each: &mut Each<'_>,
        mut read: impl FnMut(&str, &mut Values) -> Result<(), Diagnostic>,
    ) {
        let mut values = Values::default();
        let (mut rest, mut line) = (frame.bytes.as_slice(), frame.line);
        while !rest.is_empty() {
            let end = Objects::default().first_end(rest).unwrap_or(rest.len());
            let (bytes, after) = rest.split_at(end);
            let gap = bytes.iter().take_while(|byte| is_between(**byte)).count();
            let (gap, object) = bytes.split_at(gap);
            line += count_lines(gap);
            if !object.is_empty() {
                match self.text_of(line, object, None) {
                    Ok(text) => self.one(line, text, &mut values, each, &mut read),
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
        read: &mut impl FnMut(&str, &mut Values) -> Result<(), Diagnostic>,
    ) {
        values.reset(self.fields);
        match read(text, values) {
            Ok(()) => each(Ok(&values.record(text, Place::line(line)))),
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
            None => std::str::from_utf8(bytes)
                .map_err(|error| not_utf8(&self.file, line, bytes, &error)),
        }
    }

    /// Only the start of the record is kept to be shown.
    fn too_long(&self, line: u64, bytes: &[u8]) -> EventError {
        let start = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let text = String::from_utf8_lossy(&start[..start.len().min(100)]);
        let message = format!("the record is longer than {} bytes", self.max_bytes);
        let error = Diagnostic::new(Span::default(), message, "starts here");
        let help = "raise `max-record` in [input], or look for a missing line end or quote";
        EventError::at(&self.file, line, &text, error.with_help(help))
    }

    /// The only record of a frame, without what stands before it, and its line.
    fn start_of<'f>(&self, frame: &'f Frame) -> (u64, &'f [u8]) {
        let is_object = matches!(self.parser, Parser::Objects(_));
        let before = |byte: &&u8| byte.is_ascii_whitespace() || (is_object && is_between(**byte));
        let blank = frame.bytes.iter().take_while(before).count();
        let (blank, bytes) = frame.bytes.split_at(blank);
        (frame.line + count_lines(blank), bytes)
    }

    fn cut_off(&self, frame: &Frame, why: &str) -> EventError {
        let (line, bytes) = self.start_of(frame);
        let start = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let text = String::from_utf8_lossy(&start[..start.len().min(100)]);
        let error = Diagnostic::new(Span::default(), why, "starts here");
        EventError::at(&self.file, line, &text, error.with_help("is the file cut off?"))
    }
}

impl fmt::Debug for RecordBatches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordBatches").field("file", &self.plan.file).finish_non_exhaustive()
    }
}

impl fmt::Debug for RecordBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordBatch").field("file", &self.plan.file).finish_non_exhaustive()
    }
}
