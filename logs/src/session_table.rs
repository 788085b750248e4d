//! Sessions as a Parquet table with a row for each event, for whoever asks a table of them.

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use multitrace_interaction::{ActionKind, names};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use serde_json::Value;
use std::io;
use std::mem::take;
use std::sync::Arc;

/// The columns; all are texts but `index`.
const COLUMNS: [&str; 8] =
    ["session", "log", "index", "event", "lifeline", "direction", "message", "place"];
const INDEX: usize = 2;
/// A batch of rows is written when it has as many.
const ROWS: usize = 8 * 1024;

/// Writes sessions into a table.
#[derive(Debug)]
pub struct SessionTable {
    /// Into memory, which is emptied as it is filled.
    writer: ArrowWriter<Vec<u8>>,
    texts: [StringBuilder; COLUMNS.len()],
    indices: Int64Builder,
    rows: usize,
}

impl SessionTable {
    /// An empty table.
    ///
    /// # Errors
    /// When the table cannot be begun.
    pub fn new() -> io::Result<SessionTable> {
        let writer = ArrowWriter::try_new(Vec::new(), schema(), None).map_err(parquet_error)?;
        let texts = std::array::from_fn(|_| StringBuilder::new());
        Ok(SessionTable { writer, texts, indices: Int64Builder::new(), rows: 0 })
    }

    /// Adds a session, a line of JSON: a row for each event, and for each log without events one whose event is null. A
    /// session with gaps has one more row, which belongs to no log and has no event. Returns the next bytes of the file.
    ///
    /// # Errors
    /// When the line is not that of a session.
    pub fn add(&mut self, line: &str) -> io::Result<Vec<u8>> {
        let session: Value = serde_json::from_str(line)?;
        let id = session["session"].as_str().unwrap_or_default();
        for (log, events) in session["traces"].as_object().into_iter().flatten() {
            let events = events.as_array().map(Vec::as_slice).unwrap_or_default();
            if events.is_empty() {
                self.row(id, log, None, None);
            }
            for (index, event) in events.iter().enumerate() {
                let place = session["places"][log][index].as_str();
                self.row(id, log, event.as_str().map(|it| (index, it)), place);
            }
        }
        if let Some(gaps) = session["gaps"].as_str() {
            self.row(id, "", Some((0, &format!("gaps: {gaps}"))), None);
        }
        if self.rows >= ROWS {
            self.write_batch().map_err(parquet_error)?;
        }
        Ok(take(self.writer.inner_mut()))
    }

    /// The last bytes of the file.
    ///
    /// # Errors
    /// When the table cannot be ended.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        self.write_batch().map_err(parquet_error)?;
        self.writer.into_inner().map_err(parquet_error)
    }

    fn row(&mut self, id: &str, log: &str, event: Option<(usize, &str)>, place: Option<&str>) {
        let text = event.map(|(_, text)| text);
        let parts = text.and_then(names::split_action);
        let (lifeline, kind, message) = match &parts {
            Some((lifeline, kind, message)) => (Some(&**lifeline), Some(*kind), Some(*message)),
            None => (None, None, text),
        };
        let direction = kind.map(|it| if it == ActionKind::Emission { "!" } else { "?" });
        let row = [Some(id), Some(log), None, text, lifeline, direction, message, place];
        self.texts.iter_mut().zip(row).for_each(|(column, value)| column.append_option(value));
        self.indices.append_option(event.map(|(index, _)| index as i64));
        self.rows += 1;
    }

    fn write_batch(&mut self) -> Result<(), ParquetError> {
        let mut columns: Vec<ArrayRef> =
            self.texts.iter_mut().map(|it| Arc::new(it.finish()) as ArrayRef).collect();
        columns[INDEX] = Arc::new(self.indices.finish());
        self.rows = 0;
        let batch = RecordBatch::try_new(schema(), columns);
        self.writer.write(&batch.map_err(|error: ArrowError| ParquetError::from(error))?)
    }
}

fn schema() -> Arc<Schema> {
    let of = |(at, name): (usize, &&str)| {
        let kind = if at == INDEX { DataType::Int64 } else { DataType::Utf8 };
        Field::new(*name, kind, at > 1)
    };
    Arc::new(Schema::new(COLUMNS.iter().enumerate().map(of).collect::<Vec<_>>()))
}

fn parquet_error(error: ParquetError) -> io::Error {
    io::Error::other(error)
}
