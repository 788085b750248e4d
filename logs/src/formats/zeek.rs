//! Logs of Zeek, which are rows of cells with tabs between them. Lines that begin with `#` name the cells, also again
//! in the middle of a stream.

// The thread that cuts the input reads the lines with `#`, and cuts there: the rows of a batch have
// one header. Zeek writes a `#` at the start of a row as `\x23`.

use super::context::InputContext;
use super::field_names::{FieldNames, quoted};
use super::frames::{Frame, Frames, Lines, count_lines};
use super::input::InputReader;
use super::log_format::{
    BatchSource, Each, Head, LogFormat, NextBatch, Opened, Opening, Proposal, Sign,
};
use super::records::{FrameBatch, FrameParser, each_record, next_frame, text_of, trim_end};
use crate::error::EventError;
use crate::field::{FieldId, Fields};
use crate::record::{TableColumns, Values};
use memchr::{memchr, memchr_iter};
use multitrace_formats::source::{Diagnostic, Span, quote};
use std::ops::Range;
use std::sync::Arc;

pub(crate) struct Zeek;

/// The field that is the name of the log, unless a column has this name. Zeek calls it so in JSON.
const PATH: &str = "_path";

impl LogFormat for Zeek {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        // Files that were cut into parts begin with any setting.
        let mut settings = head.lines().iter().take_while(|line| line.starts_with('#'));
        let mut names = || settings.any(|line| line.starts_with("#fields\t"));
        (head.text().starts_with("#separator ") || names()).then_some(Sign::Magic)
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let (header, context) = (ZeekHeader::default(), Arc::clone(opening.context));
        let frames = opening.frames(Lines)?;
        Ok(Box::new(ZeekSource { frames, frame: None, header, parser: None, context }))
    }

    fn proposal(&self, _file: &str, head: &str) -> Result<Proposal, EventError> {
        let (mut header, mut names) = (ZeekHeader::default(), FieldNames::default());
        for line in head.lines().filter(|line| line.starts_with('#')) {
            // Settings before an error still count.
            let _ = header.read(line);
            header.columns.iter().for_each(|column| names.add(quoted(column)));
        }
        names.add(PATH.to_owned());
        Ok(Proposal::Fields { names: names.into_vec(), delimiter: None })
    }
}

/// The settings in the lines with `#` so far.
#[derive(Clone, Debug)]
struct ZeekHeader {
    separator: u8,
    unset: String,
    empty: String,
    path: Option<String>,
    columns: Vec<String>,
    /// Whether a line says when Zeek opened the log, and none yet when it closed it.
    is_open: bool,
}

/// Settings that do not say how rows are read: types and the separator of sets are kept as they are written.
const KEPT: [&str; 2] = ["types", "set_separator"];
/// Why rows may be missing.
const NOT_CLOSED: &str = "the log was opened with #open, and no #close ends it";
const CUT_OFF: &str =
    "is the file cut off, or still being written? if its end was filtered out, take out #open, too";

/// The settings of Zeek unless configured otherwise.
impl Default for ZeekHeader {
    fn default() -> ZeekHeader {
        ZeekHeader {
            separator: b'\t',
            unset: "-".to_owned(),
            empty: "(empty)".to_owned(),
            path: None,
            columns: Vec::new(),
            is_open: false,
        }
    }
}

impl ZeekHeader {
    /// Reads a line with `#`.
    fn read(&mut self, line: &str) -> Result<(), Diagnostic> {
        if let Some(written) = line.strip_prefix("#separator ") {
            // A new file begins.
            if self.is_open {
                return Err(whole(line, NOT_CLOSED.to_owned()).with_help(CUT_OFF));
            }
            *self = ZeekHeader { separator: separator(line, written)?, ..ZeekHeader::default() };
            return Ok(());
        }
        let mut cells = line[1..].split(char::from(self.separator));
        let (key, values) = (cells.next().unwrap_or(""), cells);
        let value = || values.clone().next().unwrap_or("").to_owned();
        match key {
            "fields" => self.columns = columns(line, values.map(str::to_owned))?,
            "types" if values.clone().count() != self.columns.len() => {
                let count = values.count();
                let message = format!("{count} types for {} fields", self.columns.len());
                return Err(whole(line, message).with_help("is the header damaged?"));
            }
            "unset_field" => self.unset = value(),
            "empty_field" => self.empty = value(),
            "path" => self.path = Some(value()),
            // Old versions write `#start` and `#end`.
            "open" | "start" => self.is_open = true,
            "close" | "end" => self.is_open = false,
            key if KEPT.contains(&key) => {}
            key => {
                let message = format!("{} is not a setting of Zeek", quote(&format!("#{key}")));
                let help =
                    "take the line out of the file; a # at the beginning of a row is written \\x23";
                return Err(whole(line, message).with_help(help));
            }
        }
        Ok(())
    }
}

fn whole(line: &str, message: String) -> Diagnostic {
    Diagnostic::new(Span::new(0, line.len()), message, "")
}

fn separator(line: &str, written: &str) -> Result<u8, Diagnostic> {
    let hex = written.strip_prefix("\\x").filter(|hex| hex.len() == 2);
    let code = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
    let plain = || match written.as_bytes() {
        [byte] => Some(*byte),
        _ => None,
    };
    code.or_else(plain).filter(u8::is_ascii).ok_or_else(|| {
        let message = format!("{} is not a separator", quote(written));
        whole(line, message).with_help("one ASCII character, as in `#separator \\x09`")
    })
}

fn columns(line: &str, names: impl Iterator<Item = String>) -> Result<Vec<String>, Diagnostic> {
    let mut columns: Vec<String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for name in names {
        if !known.insert(name.clone()) {
            let error = whole(line, format!("two columns are called {}", quote(&name)));
            return Err(error.with_help("is the header damaged?"));
        }
        columns.push(name);
    }
    Ok(columns)
}

/// Rows, cut where the header changes.
struct ZeekSource<'r> {
    frames: Frames<InputReader<'r>, Lines>,
    /// A frame that was not handed out yet.
    frame: Option<Frame>,
    header: ZeekHeader,
    /// The parser of rows, until the header changes.
    parser: Option<Arc<ZeekRows>>,
    context: Arc<InputContext>,
}

impl BatchSource for ZeekSource<'_> {
    fn next_batch(&mut self) -> NextBatch {
        loop {
            let next = match self.frame.take() {
                Some(frame) => Some(frame),
                None => next_frame(&mut self.frames, &self.context)?,
            };
            let Some(mut frame) = next else { return self.end() };
            self.take_header(&mut frame)?;
            if frame.bytes.is_empty() {
                continue;
            }
            if let Some(end) = rows_end(&frame.bytes) {
                let rest = frame.bytes.split_off(end);
                let line = frame.line + count_lines(&frame.bytes);
                self.frame =
                    Some(Frame { line, before: 0, bytes: rest, fault: frame.fault.take() });
            }
            let (header, fields) = (&self.header, &self.context.fields);
            let parser = self.parser.get_or_insert_with(|| Arc::new(ZeekRows::new(header, fields)));
            return Ok(Some(FrameBatch::boxed(frame, parser)));
        }
    }
}

impl ZeekSource<'_> {
    /// The end of the input, which must be that of a log.
    fn end(&mut self) -> NextBatch {
        if !std::mem::take(&mut self.header.is_open) {
            return Ok(None);
        }
        let error = Diagnostic::new(Span::new(0, 0), NOT_CLOSED.to_owned(), "").with_help(CUT_OFF);
        Err(EventError::at(&self.context.file, self.frames.line(), "", error))
    }

    /// Reads the lines with `#` at the start of a frame, and takes them off.
    fn take_header(&mut self, frame: &mut Frame) -> Result<(), EventError> {
        while frame.fault.is_none() && frame.bytes.first() == Some(&b'#') {
            let end = memchr(b'\n', &frame.bytes).map_or(frame.bytes.len(), |at| at + 1);
            let rest = frame.bytes.split_off(end);
            let (line, bytes) = (frame.line, std::mem::replace(&mut frame.bytes, rest));
            frame.line += 1;
            self.parser = None;
            let (file, bytes) = (&self.context.file, trim_end(&bytes));
            let text = text_of(&self.context, line, bytes, None)?;
            let read = self.header.read(text);
            read.map_err(|error| EventError::at(file, line, text, error))?;
        }
        Ok(())
    }
}

/// Where the first line with `#` begins behind some rows.
fn rows_end(bytes: &[u8]) -> Option<usize> {
    let mut marks = memchr_iter(b'#', bytes);
    marks.find(|&at| at > 0 && bytes[at - 1] == b'\n')
}

/// Reads the rows of one header.
struct ZeekRows {
    header: ZeekHeader,
    /// The asked-for columns with their fields, by column.
    asked: Vec<(usize, FieldId)>,
    path: Option<FieldId>,
    table: TableColumns,
}

impl ZeekRows {
    fn new(header: &ZeekHeader, fields: &Fields) -> ZeekRows {
        let column = |name: &str| header.columns.iter().position(|column| column == name);
        let found = fields.iter().filter_map(|(field, path)| {
            column(path.text()).or_else(|| column(&path.flat_name())).map(|at| (at, field))
        });
        let mut asked: Vec<_> = found.collect();
        asked.sort_unstable();
        let path = fields.iter().find(|(_, path)| path.text() == PATH).map(|(field, _)| field);
        let path = path.filter(|field| asked.iter().all(|(_, other)| other != field));
        let table = TableColumns::new(header.columns.clone(), fields);
        ZeekRows { header: header.clone(), asked, path, table }
    }

    fn read(&self, row: &str, values: &mut Values) -> Result<(), Diagnostic> {
        let (mut next, mut start, mut column) = (0, 0, 0);
        let ends = memchr_iter(self.header.separator, row.as_bytes()).chain([row.len()]);
        for end in ends {
            while let Some(&(_, field)) = self.asked.get(next).filter(|asked| asked.0 == column) {
                self.set(row, start..end, field, values);
                next += 1;
            }
            (start, column) = (end + 1, column + 1);
        }
        if column != self.header.columns.len() {
            return Err(self.wrong_count(row, column));
        }
        if let (Some(field), Some(path)) = (self.path, &self.header.path) {
            values.set_text(field, path);
        }
        Ok(())
    }

    fn set(&self, row: &str, range: Range<usize>, field: FieldId, values: &mut Values) {
        let text = &row[range.clone()];
        if text == self.header.unset {
            return;
        }
        match text {
            _ if text == self.header.empty => values.set_text(field, ""),
            _ if text.contains("\\x") => values.set_text(field, &unescape(text)),
            _ => values.set_input(field, range),
        }
    }

    fn wrong_count(&self, row: &str, cells: usize) -> Diagnostic {
        if self.header.columns.is_empty() {
            let help = "Zeek writes #separator and #fields above the rows; is the file cut off?";
            return whole(row, "a row before `#fields`".to_owned()).with_help(help);
        }
        let message = format!("{cells} cells in a log of {} fields", self.header.columns.len());
        whole(row, message).with_help("every row has a cell for each of #fields")
    }
}

impl FrameParser for ZeekRows {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let each: &mut Each<'_> = &mut |record| match record {
            Ok(record) => each(Ok(&record.in_table(&self.table))),
            Err(error) => each(Err(error)),
        };
        each_record(context, frame, Lines, each, |row, values| self.read(row, values));
    }
}

/// A text with its bytes `\x09` in place. A text that would not be UTF-8 then stays as it is written.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = rest.strip_prefix(b"\\x").and_then(|hex| hex.get(..2)).and_then(hex_byte);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &rest[4..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
