//! Rows of CSV and TSV (RFC 4180): cells in quotes may hold delimiters and line ends, a quote in
//! them is doubled. The first row names the columns.

// The quick path: outside of quotes a search for quotes and line ends skips whole cells, and inside of
// them one for quotes, so rows are cut at the speed of `memchr`. A row is parsed up to its end even if
// the asked-for columns come first, since the number of cells is checked. Cells are ranges of the row;
// only doubled quotes cost a copy.

use super::context::InputContext;
use super::field_names::{FieldNames, quoted};
use super::frames::{Frame, Framer, Frames, count_lines};
use super::input::InputReader;
use super::log_format::{
    BatchSource, Each, Head, LogFormat, NextBatch, Opened, Opening, Proposal, Sign,
};
use super::logfmt::is_delimited;
use super::records::{FrameBatch, FrameParser, each_record, next_frame, text_of, trim_end};
use crate::error::EventError;
use crate::field::{FieldId, Fields};
use crate::record::{TableColumns, Values};
use memchr::{memchr, memchr_iter, memchr2};
use multitrace_formats::source::{Diagnostic, Span, quote};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

/// Values separated by a character, with a row of names.
pub(crate) struct SeparatedValues {
    delimiter: u8,
    extension: &'static str,
    /// The sign of the format that the first lines give if they have the same number of delimiters.
    sign: Sign,
    /// The delimiters that may stand in place of the usual one.
    others: &'static [u8],
}

pub(crate) static CSV: SeparatedValues =
    SeparatedValues { delimiter: b',', extension: "csv", sign: Sign::Commas, others: b";|\t" };

pub(crate) static TSV: SeparatedValues =
    SeparatedValues { delimiter: b'\t', extension: "tsv", sign: Sign::Tabs, others: b"" };

impl LogFormat for SeparatedValues {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let count = |line: &&str| count(line, self.delimiter);
        let mut counts = head.lines().iter().map(count);
        let is_table = head.lines().len() > 1
            && counts.next().is_some_and(|first| first > 0 && counts.all(|it| it == first))
            && !self.are_pairs(head)
            && !head.lines().first().is_some_and(|line| begins_with_time(line));
        head.has_extension(&[self.extension]).or_else(|| is_table.then_some(self.sign))
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let delimiter = opening.options.delimiter.unwrap_or(self.delimiter);
        let lines_are_text = opening.options.multi_line_cells;
        let context = Arc::clone(opening.context);
        let frames = opening.frames(Rows::new(delimiter))?;
        Ok(Box::new(RowSource {
            frames,
            delimiter,
            lines_are_text,
            parser: None,
            alone: None,
            context,
        }))
    }

    fn proposal(&self, _file: &str, head: &str) -> Result<Proposal, EventError> {
        let mut rows = head.lines().filter(|line| !line.trim().is_empty());
        let row = rows.next().unwrap_or("");
        let (row, delimiter) = match named_delimiter(row) {
            Some(named) => {
                (rows.next().unwrap_or(""), Some(named).filter(|it| *it != self.delimiter))
            }
            None => (row, other_delimiter(row, self)),
        };
        let header = Header::new(row, delimiter.unwrap_or(self.delimiter), &Fields::default());
        let mut names = FieldNames::default();
        for column in header.iter().flat_map(|header| &header.table.names) {
            names.add(quoted(column));
        }
        Ok(Proposal::Fields { names: names.into_vec(), delimiter })
    }
}

/// Whether a line begins as `10:00:00,123 …` does. The first row of a table has names.
fn begins_with_time(line: &str) -> bool {
    let digits = |range: Range<usize>| {
        line.as_bytes().get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let time = digits(0..2) && digits(3..5) && line.as_bytes().get(2) == Some(&b':');
    let date = digits(0..4) && digits(5..7) && matches!(line.as_bytes().get(4), Some(b'-' | b'/'));
    time || date || line.starts_with('[')
}

impl SeparatedValues {
    /// Whether all lines are pairs, as in `a=1,b=2` and LTSV.
    fn are_pairs(&self, head: &Head<'_>) -> bool {
        let between = char::from(self.delimiter).to_string();
        let within = if self.delimiter == b'\t' { &["=", ":"][..] } else { &["="] };
        let fit = |within: &&str| head.lines().iter().all(|it| is_delimited(it, &between, within));
        within.iter().any(fit)
    }
}

/// The delimiter that the first line of a file names, as spreadsheets write it: `sep=;`.
fn named_delimiter(line: &str) -> Option<u8> {
    let line = line.trim_end_matches(['\r', '\n']).trim_matches('"');
    match line.split_at_checked(4)? {
        (name, sign) if name.eq_ignore_ascii_case("sep=") && sign.is_ascii() => {
            Some(*sign.as_bytes().first()?).filter(|_| sign.len() == 1)
        }
        _ => None,
    }
}

/// The delimiter of a row that does not have the usual one.
fn other_delimiter(row: &str, usual: &SeparatedValues) -> Option<u8> {
    if count(row, usual.delimiter) > 0 {
        return None;
    }
    let others = usual.others.iter().copied();
    others.max_by_key(|&byte| count(row, byte)).filter(|&byte| count(row, byte) > 0)
}

fn count(row: &str, delimiter: u8) -> usize {
    row.bytes().filter(|&byte| byte == delimiter).count()
}

/// Rows; the first names the columns.
struct RowSource<'r> {
    frames: Frames<InputReader<'r>, Rows>,
    delimiter: u8,
    /// Whether lines of a cell that may be rows are text all the same, as the mapping says.
    lines_are_text: bool,
    /// Once the first row was read.
    parser: Option<Arc<RowParser>>,
    /// The error if there is no other row.
    alone: Option<EventError>,
    context: Arc<InputContext>,
}

impl BatchSource for RowSource<'_> {
    fn next_batch(&mut self) -> NextBatch {
        let Some(mut frame) = next_frame(&mut self.frames, &self.context)? else {
            return self.alone.take().map_or(Ok(None), Err);
        };
        let delimiter = self.delimiter;
        if self.parser.is_none()
            && let Some((mut header, alone)) = take_header(&mut frame, delimiter, &self.context)?
        {
            header.lines_are_text = self.lines_are_text;
            self.parser = Some(Arc::new(RowParser { header, delimiter }));
            self.alone = alone;
        }
        if !frame.bytes.trim_ascii().is_empty() {
            self.alone = None;
        }
        // Without a header there were blank lines only.
        let blank = || Arc::new(RowParser { header: Header::default(), delimiter });
        let parser = self.parser.clone().unwrap_or_else(blank);
        Ok(Some(FrameBatch::boxed(frame, &parser)))
    }
}

struct RowParser {
    header: Header,
    delimiter: u8,
}

impl FrameParser for RowParser {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let RowParser { header, delimiter } = self;
        let each: &mut Each<'_> = &mut |record| match record {
            Ok(record) => each(Ok(&record.in_table(&header.table))),
            Err(error) => each(Err(error)),
        };
        each_record(context, frame, Rows::new(*delimiter), each, |row, values| {
            header.read(row, *delimiter, values)
        });
    }
}

/// Reads the first row of a frame that is not blank and takes it off. Also returns the error if there is no other row.
fn take_header(
    frame: &mut Frame,
    delimiter: u8,
    context: &InputContext,
) -> Result<Option<(Header, Option<EventError>)>, EventError> {
    let file = &context.file;
    while !frame.bytes.is_empty() {
        let (line, row) = take_row(frame, delimiter);
        let row = trim_end(&row);
        if row.trim_ascii().is_empty() {
            continue;
        }
        let text = text_of(context, line, row, None)?;
        let at = |error| EventError::at(file, line, text, error);
        if let Some(named) = named_delimiter(text) {
            if named == delimiter {
                continue;
            }
            let message = "the first line says that another character stands between cells";
            let help = format!("write delimiter = {:?} in [input]", char::from(named).to_string());
            let error = Diagnostic::new(Span::new(0, text.len()), message, "");
            return Err(at(error.with_help(help)));
        }
        let header = Header::new(text, delimiter, &context.fields).map_err(at)?;
        let stray = || at(stray_quote(text, "are one name, give that column another one"));
        if header.are_rows(text, delimiter) {
            return Err(stray());
        }
        let is_asked = !header.asked.is_empty() || context.fields.iter().next().is_none();
        // Without a row behind it, nothing says that the row of names has the right number of columns.
        let alone = match memchr(b'\n', row) {
            Some(_) => Some(stray()),
            None => (!is_asked).then(|| at(no_table(text))),
        };
        return Ok(Some((header, alone)));
    }
    Ok(None)
}

/// The error for a file of one row of names, if the mapping uses no such column: it may be another kind of file.
fn no_table(row: &str) -> Diagnostic {
    let message = "the table has no row, and no column that the mapping asks for";
    let error = Diagnostic::new(Span::new(0, row.len()), message, "");
    error.with_help("is it another file, or a page with an error? leave it out, or name its columns in the mapping")
}

/// Takes off the first row, with its line.
fn take_row(frame: &mut Frame, delimiter: u8) -> (u64, Vec<u8>) {
    let end = Rows::new(delimiter).first_end(&frame.bytes).unwrap_or(frame.bytes.len());
    let rest = frame.bytes.split_off(end);
    let row = std::mem::replace(&mut frame.bytes, rest);
    let line = frame.line;
    frame.line += count_lines(&row);
    (line, row)
}

/// Which columns are asked for.
#[derive(Clone, Debug, Default)]
struct Header {
    table: TableColumns,
    /// The asked-for columns with their fields, by column.
    asked: Vec<(usize, FieldId)>,
    /// Whether lines of a cell that may be rows are text all the same.
    lines_are_text: bool,
}

/// A cell: its text as written, without quotes around it.
struct Cell {
    range: Range<usize>,
    /// Whether it has doubled quotes.
    is_escaped: bool,
}

impl Header {
    /// Reads the first row.
    fn new(row: &str, delimiter: u8, fields: &Fields) -> Result<Header, Diagnostic> {
        let mut columns: Vec<String> = Vec::new();
        let mut known: HashMap<Cow<'_, str>, usize> = HashMap::new();
        each_cell(row, delimiter, |cell| {
            let name = name(row, &cell);
            columns.push(name.clone().into_owned());
            match known.entry(name) {
                Entry::Occupied(first) => Err(twice(first.key(), cell.range)),
                Entry::Vacant(free) => {
                    free.insert(columns.len() - 1);
                    Ok(())
                }
            }
        })?;
        let column = |name: &str| known.get(name).copied();
        let found = fields.iter().filter_map(|(field, path)| {
            column(path.text()).or_else(|| column(&path.flat_name())).map(|at| (at, field))
        });
        let mut asked: Vec<_> = found.collect();
        asked.sort_unstable();
        Ok(Header { table: TableColumns::new(columns, fields), asked, lines_are_text: false })
    }

    /// Reads the asked-for cells of a row.
    fn read(&self, row: &str, delimiter: u8, values: &mut Values) -> Result<(), Diagnostic> {
        let (mut column, mut next, mut has_quotes) = (0, 0, false);
        each_cell(row, delimiter, |cell| {
            while let Some(&(asked, field)) = self.asked.get(next)
                && asked == column
            {
                set(values, field, row, &cell);
                next += 1;
            }
            column += 1;
            has_quotes |= cell.range.start > 0 && row.as_bytes()[cell.range.start - 1] == b'"';
            Ok(())
        })?;
        match column == self.table.names.len() {
            true if has_quotes && self.are_rows(row, delimiter) => {
                Err(stray_quote(row, TEXT_OF_A_CELL))
            }
            true => Ok(()),
            false => Err(self.wrong_count(column, row)),
        }
    }

    /// Whether each line of a row may be a row of its own, so that stray quotes took those between into a cell. Lines of a
    /// text may look the same, which the mapping then says. Blank lines may stand between rows.
    fn are_rows(&self, row: &str, delimiter: u8) -> bool {
        let mut lines = row.lines().filter(|line| !line.trim_ascii().is_empty());
        !self.lines_are_text
            && memchr(b'\n', row.as_bytes()).is_some()
            && lines.all(|line| self.may_be_row(line.as_bytes(), delimiter))
    }

    /// Whether a line has the delimiters of a row, whatever quotes are added to it: more of them stand in a cell with quotes.
    fn may_be_row(&self, line: &[u8], delimiter: u8) -> bool {
        let cells = memchr_iter(delimiter, line).count() + 1;
        match cells.cmp(&self.table.names.len()) {
            Ordering::Less => false,
            Ordering::Equal => true,
            Ordering::Greater => memchr_iter(b'"', line).nth(1).is_some(),
        }
    }

    fn wrong_count(&self, count: usize, row: &str) -> Diagnostic {
        let message = format!("{count} cells in a table of {} columns", self.table.names.len());
        Diagnostic::new(Span::new(0, row.len()), message, "").with_help(
            "every row has as many cells as the first; a cell with the delimiter in it needs quotes",
        )
    }
}

/// The error of a row of several lines, where each line may be a row of its own.
fn stray_quote(row: &str, otherwise: &str) -> Diagnostic {
    let message = format!(
        "quotes make one row of {} lines, each of which may be a row",
        row.lines().filter(|line| !line.trim_ascii().is_empty()).count()
    );
    let error = Diagnostic::new(Span::new(0, row.len()), message, "");
    error.with_help(format!(
        "does a cell begin with a quote that is not closed? a quote inside of quotes is doubled: \"\"; if these lines {otherwise}"
    ))
}

const TEXT_OF_A_CELL: &str = "are the text of a cell, write multi-line-cells = true in [input]";

/// The name in a cell of the first row.
fn name<'r>(row: &'r str, cell: &Cell) -> Cow<'r, str> {
    let text = &row[cell.range.clone()];
    if cell.is_escaped { Cow::Owned(text.replace("\"\"", "\"")) } else { Cow::Borrowed(text) }
}

fn twice(name: &str, range: Range<usize>) -> Diagnostic {
    let message = format!("two columns are called {}", quote(name));
    let error = Diagnostic::new(Span::from(range), message, "second time");
    error.with_help("rename one of them")
}

fn set(values: &mut Values, field: FieldId, row: &str, cell: &Cell) {
    if cell.is_escaped {
        values.set_text(field, &row[cell.range.clone()].replace("\"\"", "\""));
    } else {
        values.set_input(field, cell.range.clone());
    }
}

/// Calls a function for every cell of a row.
fn each_cell(
    row: &str,
    delimiter: u8,
    mut each: impl FnMut(Cell) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let bytes = row.as_bytes();
    let mut at = 0;
    loop {
        let (cell, end) = match bytes.get(at) {
            Some(b'"') => quoted_cell(bytes, at, delimiter)?,
            _ => plain_cell(bytes, at, delimiter),
        };
        each(cell)?;
        if end == bytes.len() {
            return Ok(());
        }
        at = end + 1;
    }
}

/// A cell without quotes, and where the delimiter after it is.
fn plain_cell(bytes: &[u8], start: usize, delimiter: u8) -> (Cell, usize) {
    let end = memchr(delimiter, &bytes[start..]).map_or(bytes.len(), |at| start + at);
    (Cell { range: start..end, is_escaped: false }, end)
}

fn quoted_cell(bytes: &[u8], start: usize, delimiter: u8) -> Result<(Cell, usize), Diagnostic> {
    let (mut at, mut is_escaped) = (start + 1, false);
    loop {
        let Some(found) = memchr(b'"', &bytes[at..]) else {
            let error = Diagnostic::new(Span::new(start, start + 1), "a quote is not closed", "");
            return Err(error.with_help("a quote inside of quotes is doubled: \"\""));
        };
        at += found + 1;
        match bytes.get(at) {
            Some(b'"') => (at, is_escaped) = (at + 1, true),
            Some(&byte) if byte != delimiter => {
                let error =
                    Diagnostic::new(Span::new(at, at + 1), "text after a closing quote", "");
                return Err(error.with_help("a quote inside of quotes is doubled: \"\""));
            }
            _ => return Ok((Cell { range: start + 1..at - 1, is_escaped }, at)),
        }
    }
}

/// Rows of CSV: lines, where line ends inside of quotes do not count. A quote opens at the start of a
/// field.
#[derive(Clone, Debug)]
struct Rows {
    delimiter: u8,
    state: RowState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowState {
    FieldStart,
    Plain,
    Quoted,
    /// After a quote inside of quotes: the end, or the first half of a doubled one.
    AfterQuote,
}

impl Rows {
    fn new(delimiter: u8) -> Rows {
        Rows { delimiter, state: RowState::FieldStart }
    }

    fn outside(&self, byte: u8) -> RowState {
        if byte == self.delimiter || byte == b'\n' { RowState::FieldStart } else { RowState::Plain }
    }

    /// From a place outside of quotes to the next quote that opens, or the end of the row.
    fn plain(&mut self, bytes: &[u8], from: usize) -> Result<usize, Option<usize>> {
        let Some(found) = memchr2(b'"', b'\n', &bytes[from..]) else {
            self.state = bytes[from..].last().map_or(self.state, |&byte| self.outside(byte));
            return Err(None);
        };
        let at = from + found;
        if bytes[at] == b'\n' {
            self.state = RowState::FieldStart;
            return Err(Some(at + 1));
        }
        let before = if found == 0 { self.state } else { self.outside(bytes[at - 1]) };
        self.state =
            if before == RowState::FieldStart { RowState::Quoted } else { RowState::Plain };
        Ok(at + 1)
    }
}

impl Framer for Rows {
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            match self.state {
                RowState::FieldStart | RowState::Plain => match self.plain(bytes, at) {
                    Ok(next) => at = next,
                    Err(end) => return end,
                },
                RowState::Quoted => {
                    at += memchr(b'"', &bytes[at..])? + 1;
                    self.state = RowState::AfterQuote;
                }
                RowState::AfterQuote if bytes[at] == b'"' => {
                    self.state = RowState::Quoted;
                    at += 1;
                }
                RowState::AfterQuote => self.state = RowState::Plain,
            }
            // The byte after a closing quote may be a delimiter or the line end.
            if self.state == RowState::Plain && bytes.get(at) == Some(&self.delimiter) {
                self.state = RowState::FieldStart;
                at += 1;
            }
        }
        None
    }

    fn cut_off(&self) -> Option<&'static str> {
        (self.state == RowState::Quoted).then_some("a quote is not closed before the input ends")
    }
}
