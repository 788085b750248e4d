//! Arrow IPC: streams are read batch by batch, files are read whole.

use super::batches::{Reader, whole};
use super::columns::Table;
use super::contain::contained;
use super::error::EventError;
use super::record::RecordPlace;
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::ArrowError;
use std::io::{BufReader, Cursor, Read};

type Batches<'r> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'r>;

/// The batches of an input.
pub(crate) struct Tables<'r> {
    batches: Batches<'r>,
    row: u64,
}

impl<'r> Tables<'r> {
    pub(crate) fn new(
        file: &str,
        mut reader: Reader<'r>,
        most: usize,
    ) -> Result<Tables<'r>, EventError> {
        let not_arrow = |error: String| {
            EventError::of(file, None, format!("not Arrow IPC: {error}"))
                .with_help("is the file cut off?")
        };
        let mut head = Vec::new();
        let read = reader.by_ref().take(6).read_to_end(&mut head);
        read.map_err(|error| not_arrow(error.to_string()))?;
        let is_file = head == b"ARROW1";
        let reader: Reader<'r> = Box::new(Cursor::new(head).chain(reader));
        let batches: Batches<'r> = if is_file {
            let bytes = Cursor::new(whole(file, reader, most)?);
            Box::new(contained(|| FileReader::try_new(bytes, None)).map_err(not_arrow)?)
        } else {
            let reader = BufReader::new(reader);
            Box::new(contained(|| StreamReader::try_new(reader, None)).map_err(not_arrow)?)
        };
        Ok(Tables { batches, row: 1 })
    }

    pub(crate) fn next(&mut self, file: &str) -> Result<Option<Table>, EventError> {
        let place = Some(RecordPlace::row(self.row));
        let rows = contained(|| self.batches.next().transpose())
            .map_err(|error| EventError::of(file, place, format!("cannot read on: {error}")))?;
        let Some(rows) = rows else { return Ok(None) };
        let table = Table { first: self.row, rows };
        self.row += table.rows.num_rows() as u64;
        Ok(Some(table))
    }
}
