//! Arrow: tables in memory, and IPC, whose streams are read batch by batch, and files whole.

use super::arrow_claims::{CheckedStream, check_file};
use super::columns::{Columns, TableRows, listed};
use super::contain::contained;
use super::context::InputContext;
use super::input::{IS_CUT_OFF, InputReader, whole};
use super::log_format::{
    Batch, BatchSource, Each, Head, LogFormat, NextBatch, Opened, Opening, Proposal, Sign,
};
use super::signs;
use super::table_columns::{TableKind, check_columns};
use crate::error::EventError;
use crate::record::RecordPlace;
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use std::io::{BufReader, Cursor, Read};
use std::sync::Arc;

pub(crate) struct ArrowIpc;

impl LogFormat for ArrowIpc {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        signs::of_arrow_ipc(head)
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let Opening { reader, context, options } = opening;
        let batches = batches(&context.file, reader, options.max_record_bytes)?;
        Ok(of_tables(batches, TableKind::File, context))
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        Ok(Proposal::Columns)
    }

    fn columns(&self, file: &str, bytes: &[u8]) -> Result<Vec<(String, String)>, EventError> {
        let reader: InputReader<'_> = Box::new(Cursor::new(bytes));
        let mut tables = batches(file, reader, bytes.len())?;
        let first =
            contained(|| tables.next().transpose()).map_err(|error| cut_off(file, None, &error))?;
        Ok(first.map_or_else(Vec::new, |rows| listed(&rows.schema())))
    }
}

/// Tables with the same columns, one after another.
pub type ArrowBatches<'r> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'r>;

/// The records of tables in memory.
pub(crate) fn in_memory<'r>(
    batches: ArrowBatches<'r>,
    context: &Arc<InputContext>,
) -> Box<dyn BatchSource + 'r> {
    of_tables(batches, TableKind::InMemory, context)
}

fn of_tables<'r>(
    batches: ArrowBatches<'r>,
    kind: TableKind,
    context: &Arc<InputContext>,
) -> Box<dyn BatchSource + 'r> {
    let context = Arc::clone(context);
    Box::new(TableSource { batches, kind, rest: None, columns: None, row: 1, context })
}

/// How many rows one thread takes at once. With a quarter of it two threads took some 5 % more of the processor, measured by
/// hand.
const ROWS: usize = 16_384;

/// The remedy where a table is made while it is read.
const MAKER_FAILS: &str =
    "whatever makes the table fails; read it alone to see where, and mend that";

/// The error of whatever makes a table, as it is.
#[must_use]
pub fn error_of_maker(error: &ArrowError) -> String {
    match error {
        ArrowError::ExternalError(error) => error.to_string(),
        other => other.to_string(),
    }
}

fn cut_off(file: &str, place: Option<RecordPlace>, error: &str) -> EventError {
    EventError::without_text(file, place, format!("cannot read on: {error}"), IS_CUT_OFF)
}

/// The tables of an input, which has a magic if it is a file and no stream.
fn batches<'r>(
    file: &str,
    mut reader: InputReader<'r>,
    most: usize,
) -> Result<ArrowBatches<'r>, EventError> {
    let not_arrow = |error: String| {
        EventError::without_text(file, None, format!("not Arrow IPC: {error}"), IS_CUT_OFF)
    };
    let mut head = Vec::new();
    let read = reader.by_ref().take(6).read_to_end(&mut head);
    read.map_err(|error| not_arrow(error.to_string()))?;
    let is_file = head == b"ARROW1";
    let reader: InputReader<'r> = Box::new(Cursor::new(head).chain(reader));
    if is_file {
        let bytes = whole(file, reader, most)?;
        contained(|| check_file(&bytes)).map_err(not_arrow)?;
        let bytes = Cursor::new(bytes);
        let tables = contained(|| FileReader::try_new(bytes, None)).map_err(not_arrow)?;
        return Ok(Box::new(tables));
    }
    let reader = CheckedStream::new(BufReader::new(reader));
    Ok(Box::new(contained(|| StreamReader::try_new(reader, None)).map_err(not_arrow)?))
}

/// The tables of an input, in order, in parts for the threads.
struct TableSource<'r> {
    batches: ArrowBatches<'r>,
    kind: TableKind,
    /// The rows that are left of the last table.
    rest: Option<RecordBatch>,
    /// Those of the last table, with its schema.
    columns: Option<(SchemaRef, Arc<Columns>)>,
    row: u64,
    context: Arc<InputContext>,
}

impl TableSource<'_> {
    /// The next part of a table that has rows.
    fn next_rows(&mut self) -> Result<Option<RecordBatch>, EventError> {
        loop {
            let table = match self.rest.take() {
                Some(rest) => rest,
                None => match self.next_table()? {
                    Some(table) => table,
                    None => return Ok(None),
                },
            };
            let rows = table.num_rows();
            if rows > ROWS {
                self.rest = Some(table.slice(ROWS, rows - ROWS));
                return Ok(Some(table.slice(0, ROWS)));
            }
            if rows > 0 {
                return Ok(Some(table));
            }
        }
    }

    /// The asked-for columns of a table. Tables that somebody gives one after another may have different ones.
    fn columns(&mut self, schema: &SchemaRef) -> Result<Arc<Columns>, EventError> {
        let known = self.columns.as_ref().filter(|(known, _)| known == schema);
        if let Some((_, columns)) = known {
            return Ok(Arc::clone(columns));
        }
        let place = self.columns.as_ref().map(|_| RecordPlace::row(self.row));
        check_columns(schema, self.kind, place, &self.context)?;
        let columns = Arc::new(Columns::new(&self.context.fields, schema));
        self.columns = Some((SchemaRef::clone(schema), Arc::clone(&columns)));
        Ok(columns)
    }

    fn next_table(&mut self) -> Result<Option<RecordBatch>, EventError> {
        let (file, place) = (&self.context.file, Some(RecordPlace::row(self.row)));
        let next =
            contained(|| self.batches.next().transpose().map_err(|error| error_of_maker(&error)));
        next.map_err(|error| match self.kind {
            TableKind::File => cut_off(file, place, &error),
            TableKind::InMemory => {
                let message = format!("cannot read on: {error}");
                EventError::without_text(file, place, message, MAKER_FAILS)
            }
        })
    }
}

impl BatchSource for TableSource<'_> {
    fn next_batch(&mut self) -> NextBatch {
        let Some(rows) = self.next_rows()? else { return Ok(None) };
        let columns = self.columns(rows.schema_ref())?;
        let rows = TableRows { first: self.row, rows, names: None };
        self.row += rows.rows.num_rows() as u64;
        Ok(Some(Box::new(TableBatch { columns, rows })))
    }
}

/// One table.
struct TableBatch {
    rows: TableRows,
    columns: Arc<Columns>,
}

impl Batch for TableBatch {
    fn for_each(&self, context: &InputContext, each: &mut Each<'_>) {
        self.columns.each(context, &self.rows, each);
    }
}
