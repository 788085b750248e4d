//! Inputs as batches of records: cut by one thread, parsed by any.

use super::arrow::Tables;
use super::compressed::{decompress, peek};
use super::csv::Header;
use super::error::EventError;
use super::field::Fields;
use super::format::{Format, InputOptions};
use super::frames::{Frame, Framer, Frames, Lines, Objects, Rows, count_lines};
use super::otlp::Requests;
use super::parquet::{Groups, Store};
use super::plan::{Body, Parser, Plan, not_utf8, of_file, trim_end};
use super::record::{Record, RecordPlace};
use super::xes::Traces;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex};

/// The records of an input, in batches.
///
/// ```
/// use multitrace_logs::{FieldPath, Fields, Format, InputOptions, RecordBatches};
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
/// # Ok::<(), multitrace_logs::EventError>(())
/// ```
pub struct RecordBatches<'r> {
    plan: Arc<Plan>,
    input: Input<'r>,
}

/// The bytes of an input.
pub(crate) type Reader<'r> = Box<dyn Read + Send + 'r>;

enum Input<'r> {
    Lines(Frames<Reader<'r>, Lines>),
    Objects(Frames<Reader<'r>, Objects>),
    Traces(Frames<Reader<'r>, Traces>),
    Rows {
        frames: Frames<Reader<'r>, Rows>,
        header: Option<Arc<Header>>,
    },
    Requests(Requests<Reader<'r>>),
    Groups(Groups),
    Tables(Tables<'r>),
    /// After an error behind which there is nothing to read.
    Ended,
}

/// Some records of an input, not parsed yet.
pub struct RecordBatch {
    plan: Arc<Plan>,
    body: Body,
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
        let parser = Parser::new(file, format, options, fields)?;
        let max_bytes = options.max_record_bytes.min(1 << 30);
        let input = Input::new(file, Box::new(reader), &parser, format, max_bytes, options)?;
        Ok(RecordBatches::of(file, fields, max_bytes, parser, input))
    }

    fn of(
        file: &str,
        fields: &Fields,
        max_bytes: usize,
        parser: Parser,
        input: Input<'r>,
    ) -> RecordBatches<'r> {
        let (fields, of_file) = (fields.clone(), of_file(file, fields));
        let plan = Plan { file: file.to_owned(), fields, of_file, max_bytes, parser };
        RecordBatches { plan: Arc::new(plan), input }
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

    /// The same for a file, of which Parquet is read where it is needed and not as a whole.
    ///
    /// # Errors
    /// Those of [`RecordBatches::detect`].
    pub fn from_file(
        name: &str,
        mut file: File,
        options: &InputOptions,
        fields: &Fields,
    ) -> Result<RecordBatches<'static>, EventError> {
        let at_start = |error| unreadable(name, 1, &error);
        let mut head = Vec::new();
        file.by_ref().take(4).read_to_end(&mut head).map_err(at_start)?;
        let is_table = head == b"PAR1" && options.format.is_none_or(|f| f == Format::Parquet);
        if !is_table {
            let whole = io::Cursor::new(head).chain(file);
            return RecordBatches::detect(name, whole, options, fields);
        }
        let length = file.metadata().map_err(at_start)?.len();
        let store = Store::File(Arc::new(Mutex::new(file)), length);
        let parser = Parser::new(name, Format::Parquet, options, fields)?;
        let input = Input::Groups(Groups::new(name, store)?);
        Ok(RecordBatches::of(name, fields, options.max_record_bytes, parser, input))
    }

    fn next_body(&mut self) -> Result<Option<Body>, EventError> {
        let file = &self.plan.file;
        let frame = match &mut self.input {
            Input::Lines(frames) => frames.next().map_err(|e| (frames.line(), e)),
            Input::Objects(frames) => frames.next().map_err(|e| (frames.line(), e)),
            Input::Traces(frames) => frames.next().map_err(|e| (frames.line(), e)),
            Input::Rows { .. } => return self.next_rows(),
            Input::Requests(requests) => return next_request(file, requests),
            Input::Groups(groups) => return Ok(groups.next().map(Body::Group)),
            Input::Tables(tables) => return tables.next(file).map(|t| t.map(Body::Table)),
            Input::Ended => Ok(None),
        };
        let frame = frame.map_err(|(line, error)| unreadable(file, line, &error))?;
        Ok(frame.map(Body::Frame))
    }

    fn next_rows(&mut self) -> Result<Option<Body>, EventError> {
        let Input::Rows { frames, header } = &mut self.input else { return Ok(None) };
        let frame = frames.next().map_err(|e| unreadable(&self.plan.file, frames.line(), &e))?;
        let Some(mut frame) = frame else { return Ok(None) };
        let Parser::Csv(delimiter) = self.plan.parser else { return Ok(None) };
        if header.is_none() {
            *header = take_header(&self.plan.file, &mut frame, delimiter, &self.plan.fields)?;
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

impl<'r> Input<'r> {
    fn new(
        file: &str,
        reader: Reader<'r>,
        parser: &Parser,
        format: Format,
        max_bytes: usize,
        options: &InputOptions,
    ) -> Result<Input<'r>, EventError> {
        match parser {
            Parser::OtlpProto(_) => return Ok(Input::Requests(Requests::new(reader, max_bytes))),
            Parser::Columns(_) if format == Format::Parquet => {
                let bytes = whole(file, reader, options.max_record_bytes)?;
                return Ok(Input::Groups(Groups::new(file, Store::Memory(bytes.into()))?));
            }
            Parser::Columns(_) => {
                return Ok(Input::Tables(Tables::new(file, reader, options.max_record_bytes)?));
            }
            _ => {}
        }
        let reader = without_mark(file, reader)?;
        let size = options.batch_bytes;
        Ok(match parser {
            Parser::Csv(delimiter) => {
                let frames = Frames::new(reader, Rows::new(*delimiter), size, max_bytes);
                Input::Rows { frames, header: None }
            }
            Parser::Xes(_) => {
                Input::Traces(Frames::new(reader, Traces::default(), size, max_bytes))
            }
            Parser::Objects(_) | Parser::Zipkin(_) | Parser::OtlpJson(_) => {
                Input::Objects(Frames::new(reader, Objects::default(), size, max_bytes))
            }
            _ => Input::Lines(Frames::new(reader, Lines, size, max_bytes)),
        })
    }
}

fn next_request(
    file: &str,
    requests: &mut Requests<Reader<'_>>,
) -> Result<Option<Body>, EventError> {
    let unreadable =
        |error: io::Error| EventError::of(file, None, format!("cannot read on: {error}"));
    let Some((number, request)) = requests.next().map_err(unreadable)? else { return Ok(None) };
    let place = Some(RecordPlace::row(number));
    let bytes = request.map_err(|why| EventError::of(file, place, why))?;
    Ok(Some(Body::Request(number, bytes)))
}

/// All bytes of an input, unless there are too many.
pub(crate) fn whole(file: &str, reader: Reader<'_>, most: usize) -> Result<Vec<u8>, EventError> {
    let mut bytes = Vec::new();
    let read = reader.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| EventError::of(file, None, format!("cannot read: {error}")))?;
    if bytes.len() > most {
        let message = format!("the input is longer than {most} bytes and has to be read whole");
        let help = "raise `max-record` in [input], or give the file itself, not packed";
        return Err(EventError::of(file, None, message).with_help(help));
    }
    Ok(bytes)
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
        if let Err(error) = reject_utf16(file, &head) {
            return error;
        }
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

/// The reader behind a byte order mark.
pub(super) fn without_mark<'r>(
    file: &str,
    mut reader: Reader<'r>,
) -> Result<Reader<'r>, EventError> {
    let mut head = Vec::new();
    let read = reader.by_ref().take(3).read_to_end(&mut head);
    read.map_err(|error| unreadable(file, 1, &error))?;
    reject_utf16(file, &head)?;
    if head == "\u{feff}".as_bytes() {
        head.clear();
    }
    Ok(Box::new(io::Cursor::new(head).chain(reader)))
}

fn reject_utf16(file: &str, head: &[u8]) -> Result<(), EventError> {
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        let error = EventError::of(file, None, "the input is UTF-16");
        return Err(error.with_help("convert it: iconv -f UTF-16 -t UTF-8"));
    }
    Ok(())
}

fn unreadable(file: &str, line: u64, error: &io::Error) -> EventError {
    EventError::of(file, Some(RecordPlace::line(line)), format!("cannot read on: {error}"))
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

impl RecordBatch {
    /// Calls a function for every record of the batch, in order, and for what is wrong with those
    /// that cannot be read.
    pub fn for_each(&self, mut each: impl FnMut(Result<&Record<'_>, EventError>)) {
        self.plan.each(&self.body, &mut each);
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
