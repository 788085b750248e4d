//! Parquet: the input is cut by row groups, which any thread decodes.

use super::columns::{Columns, Table};
use super::contain::contained;
use super::error::EventError;
use super::field::Fields;
use super::plan::Each;
use super::record::RecordPlace;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// How many rows are decoded at once.
const ROWS: usize = 4096;

/// Where the bytes of a table are.
#[derive(Clone)]
pub(crate) enum Store {
    Memory(Bytes),
    /// A file; several threads read it at different places.
    File(Arc<Mutex<File>>, u64),
}

/// The row groups of an input.
pub(crate) struct Groups {
    store: Store,
    metadata: ArrowReaderMetadata,
    next: usize,
    row: u64,
}

/// One row group.
pub(crate) struct Group {
    store: Store,
    metadata: ArrowReaderMetadata,
    index: usize,
    first: u64,
}

impl Groups {
    pub(crate) fn new(file: &str, store: Store) -> Result<Groups, EventError> {
        let load = || ArrowReaderMetadata::load(&store, ArrowReaderOptions::new());
        let metadata = contained(load);
        let metadata = metadata.map_err(|error| {
            EventError::of(file, None, format!("not Parquet: {error}"))
                .with_help("is the file cut off?")
        })?;
        Ok(Groups { store, metadata, next: 0, row: 1 })
    }

    pub(crate) fn next(&mut self) -> Option<Group> {
        let group = self.metadata.metadata().row_groups().get(self.next)?;
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        let group = Group {
            store: self.store.clone(),
            metadata: self.metadata.clone(),
            index: self.next,
            first: self.row,
        };
        self.next += 1;
        self.row = self.row.saturating_add(rows);
        Some(group)
    }
}

impl Group {
    /// Calls a function for every row.
    pub(crate) fn each(&self, file: &str, fields: &Fields, columns: &Columns, each: &mut Each<'_>) {
        let mut first = self.first;
        let read = self.read(columns, |rows| {
            let count = rows.num_rows() as u64;
            columns.each(file, fields, &Table { rows, first }, each);
            first += count;
        });
        if let Err(error) = read {
            let place = Some(RecordPlace::row(first));
            each(Err(EventError::of(file, place, format!("cannot read on: {error}"))));
        }
    }

    fn read(
        &self,
        columns: &Columns,
        mut take: impl FnMut(arrow_array::RecordBatch),
    ) -> Result<(), String> {
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(
            self.store.clone(),
            self.metadata.clone(),
        );
        let roots = columns.roots(builder.schema());
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let builder = builder.with_row_groups(vec![self.index]).with_projection(mask);
        let mut reader = contained(|| builder.with_batch_size(ROWS).build())?;
        while let Some(rows) = contained(|| reader.next().transpose())? {
            take(rows);
        }
        Ok(())
    }
}

impl Length for Store {
    fn len(&self) -> u64 {
        match self {
            Store::Memory(bytes) => bytes.len() as u64,
            Store::File(_, length) => *length,
        }
    }
}

impl ChunkReader for Store {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            Store::Memory(bytes) => Box::new(std::io::Cursor::new(tail(bytes, start))),
            Store::File(file, _) => Box::new(BufReader::new(At { file: Arc::clone(file), start })),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        if self.len().saturating_sub(start) < length as u64 {
            return Err(parquet::errors::ParquetError::EOF("the file is too short".to_owned()));
        }
        let mut bytes = Vec::with_capacity(length);
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        Ok(bytes.into())
    }
}

fn tail(bytes: &Bytes, start: u64) -> Bytes {
    let start = usize::try_from(start).unwrap_or(usize::MAX).min(bytes.len());
    bytes.slice(start..)
}

/// A file from some place on, whatever others read of it.
struct At {
    file: Arc<Mutex<File>>,
    start: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.start))?;
        let read = file.read(buffer)?;
        self.start += read as u64;
        Ok(read)
    }
}
