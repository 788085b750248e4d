//! Rows of CSV and TSV (RFC 4180): cells in quotes may hold delimiters and line ends, a quote in
//! them is doubled. The first row names the columns.

use super::field::{FieldId, Fields};
use super::record::Values;
use memchr::memchr;
use multitrace_formats::source::{Diagnostic, Span, quote};
use std::ops::Range;

/// Which columns are asked for.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    columns: Vec<String>,
    /// Columns with the field each is, by column.
    asked: Vec<(usize, FieldId)>,
}

/// A cell: its text as written, without quotes around it.
struct Cell {
    range: Range<usize>,
    /// Whether it has doubled quotes.
    is_escaped: bool,
}

impl Header {
    /// Reads the first row.
    pub(crate) fn new(row: &str, delimiter: u8, fields: &Fields) -> Result<Header, Diagnostic> {
        let mut columns: Vec<String> = Vec::new();
        each_cell(row, delimiter, |cell| {
            let name = &row[cell.range.clone()];
            let name = if cell.is_escaped { name.replace("\"\"", "\"") } else { name.to_owned() };
            if columns.contains(&name) {
                let message = format!("two columns are called {}", quote(&name));
                let error = Diagnostic::new(Span::from(cell.range), message, "second time");
                return Err(error.with_help("rename one of them"));
            }
            columns.push(name);
            Ok(())
        })?;
        let column = |name: &str| columns.iter().position(|column| column == name);
        let found = fields.iter().filter_map(|(field, path)| {
            column(path.text()).or_else(|| column(&path.flat_name())).map(|at| (at, field))
        });
        let mut asked: Vec<_> = found.collect();
        asked.sort_unstable();
        Ok(Header { columns, asked })
    }

    /// No columns at all.
    pub(crate) fn empty() -> Header {
        Header { columns: Vec::new(), asked: Vec::new() }
    }

    /// The names of the columns, in order.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Reads the asked-for cells of a row.
    pub(crate) fn read(
        &self,
        row: &str,
        delimiter: u8,
        values: &mut Values,
    ) -> Result<(), Diagnostic> {
        let (mut column, mut next) = (0, 0);
        each_cell(row, delimiter, |cell| {
            while let Some(&(asked, field)) = self.asked.get(next)
                && asked == column
            {
                set(values, field, row, &cell);
                next += 1;
            }
            column += 1;
            Ok(())
        })?;
        if column == self.columns.len() { Ok(()) } else { Err(self.wrong_count(column, row)) }
    }

    fn wrong_count(&self, count: usize, row: &str) -> Diagnostic {
        let message = format!("{count} cells in a table of {} columns", self.columns.len());
        Diagnostic::new(Span::new(0, row.len()), message, "").with_help(
            "every row has as many cells as the first; a cell with the delimiter in it needs quotes",
        )
    }
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
