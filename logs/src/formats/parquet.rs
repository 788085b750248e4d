//! Parquet: the input is cut by row groups, which any thread decodes.

use super::columns::{Columns, TableRows, have_same_names, listed};
use super::contain::contained;
use super::context::InputContext;
use super::input::{IS_CUT_OFF, unnamed_bytes, unreadable, whole};
use super::log_format::{
    Batch, BatchSource, Each, Head, LogFormat, NextBatch, Opened, Opening, Proposal, Sign,
};
use super::parquet_claims::{FILE_END, check_footer, filter_length, footer_length, struct_length};
use super::signs;
use super::table_columns::{TableKind, check_columns};
use crate::error::EventError;
use crate::format::InputOptions;
use crate::record::RecordPlace;
use arrow_schema::{DataType, Field, FieldRef, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Encoding, PageType};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// How many rows are decoded at once: enough to spread the cost of a call to the decoder, few enough
/// that the arrays of some columns fit a cache.
const ROWS: usize = 4096;

/// The first bytes of a file.
const MAGIC: &[u8] = b"PAR1";

pub(crate) struct Parquet;

impl LogFormat for Parquet {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        signs::of_parquet(head)
    }

    /// The table of contents is at the end of a file, so a stream is read whole.
    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let Opening { reader, context, options } = opening;
        let bytes = whole(&context.file, reader, options.max_record_bytes)?;
        Ok(Box::new(RowGroups::new(TableBytes::Memory(bytes.into()), context)?))
    }

    fn is_seekable(&self, first_bytes: &[u8]) -> bool {
        first_bytes.starts_with(MAGIC)
    }

    fn open_file(
        &self,
        file: File,
        context: &Arc<InputContext>,
        _options: &InputOptions,
    ) -> Opened<'static> {
        let length = file.metadata().map_err(|error| unreadable(&context.file, 1, &error))?.len();
        let bytes = TableBytes::File(Arc::new(Mutex::new(file)), length);
        Ok(Box::new(RowGroups::new(bytes, context)?))
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        Ok(Proposal::Columns)
    }

    fn columns(&self, file: &str, bytes: &[u8]) -> Result<Vec<(String, String)>, EventError> {
        let bytes = Bytes::copy_from_slice(bytes);
        let metadata = load(&bytes).map_err(|error| not_parquet(file, &error))?;
        Ok(listed(metadata.schema()))
    }
}

/// The metadata in the footer of a file.
fn load(bytes: &(impl ChunkReader + 'static)) -> Result<ArrowReaderMetadata, String> {
    let end = bytes.len().saturating_sub(FILE_END);
    let behind = |error: parquet::errors::ParquetError| error.to_string();
    let magic = bytes.get_bytes(0, MAGIC.len()).map_err(behind)?;
    if *magic != MAGIC[..] {
        return Err("it does not begin with PAR1".to_owned());
    }
    let length = footer_length(&bytes.get_bytes(end, FILE_END as usize).map_err(behind)?);
    // The decoder reports a missing part.
    if let Some(start) = end.checked_sub(length) {
        check_footer(&bytes.get_bytes(start, length as usize).map_err(behind)?)?;
    }
    let metadata = contained(|| ArrowReaderMetadata::load(bytes, ArrowReaderOptions::new()))?;
    check_parts(bytes, end.saturating_sub(length), metadata.metadata().row_groups())?;
    Ok(metadata)
}

/// The longest part beside columns that is read to know its length.
const MOST_BETWEEN: u64 = 1 << 20;

/// Checks that the footer, which begins at `footer`, names all that stands in a file: other row groups would not be read.
/// Zeros may stand anywhere, as writers align row groups; behind a column its description, as some write it.
fn check_parts(
    bytes: &impl ChunkReader,
    footer: u64,
    groups: &[RowGroupMetaData],
) -> Result<(), String> {
    let columns = groups.iter().flat_map(|group| group.columns());
    let mut parts = Vec::new();
    for column in columns {
        parts.extend(parts_of(column, bytes, footer)?);
    }
    parts.push((footer, footer));
    parts.sort_unstable();
    let mut at = MAGIC.len() as u64;
    for (start, end) in parts {
        if end > footer {
            return Err(format!(
                "a part of it ends at byte {end}, and its footer begins at {footer}"
            ));
        }
        if start > at {
            check_between(bytes, at, start)?;
        }
        at = at.max(end);
    }
    Ok(())
}

/// Where the parts of a column begin and end that the footer names.
fn parts_of(
    column: &ColumnChunkMetaData,
    bytes: &impl ChunkReader,
    footer: u64,
) -> Result<Vec<(u64, u64)>, String> {
    let part = |start: Option<i64>, length: Option<i32>| {
        let (start, length) = (u64::try_from(start?).ok()?, u64::try_from(length?).ok()?);
        Some((start, start.saturating_add(length)))
    };
    let (start, length) = contained(|| Ok::<_, String>(column.byte_range()))?;
    let filter = match (column.bloom_filter_offset(), column.bloom_filter_length()) {
        (Some(start), None) => {
            let start = u64::try_from(start).map_err(|error| error.to_string())?;
            let header = head(bytes, start, footer)?;
            Some((start, start.saturating_add(filter_length(&header)? as u64)))
        }
        (start, length) => part(start, length),
    };
    let indexes = [
        part(column.column_index_offset(), column.column_index_length()),
        part(column.offset_index_offset(), column.offset_index_length()),
    ];
    Ok([(start, start.saturating_add(length))]
        .into_iter()
        .chain(filter)
        .chain(indexes.into_iter().flatten())
        .collect())
}

/// The bytes from a place on, as far as they are looked into.
fn head(bytes: &impl ChunkReader, start: u64, end: u64) -> Result<Bytes, String> {
    let length = end.saturating_sub(start).min(MOST_BETWEEN) as usize;
    bytes.get_bytes(start, length).map_err(|error| error.to_string())
}

/// Checks bytes that the footer does not name.
fn check_between(bytes: &impl ChunkReader, mut start: u64, end: u64) -> Result<(), String> {
    let first = start;
    let part = head(bytes, start, end)?;
    if part.first().is_some_and(|byte| *byte != 0) {
        start += struct_length(&part).unwrap_or(0) as u64;
    }
    while start < end {
        let part = head(bytes, start, end)?;
        if part.iter().any(|byte| *byte != 0) {
            return Err(unnamed_bytes(first));
        }
        start += part.len() as u64;
    }
    Ok(())
}

fn not_parquet(file: &str, error: &str) -> EventError {
    EventError::without_text(file, None, format!("not Parquet: {error}"), IS_CUT_OFF)
}

/// The same table with asked-for texts as numbers of names, where the file holds them so. A name is then
/// decoded once a row group.
fn numbered(metadata: ArrowReaderMetadata, columns: &Columns) -> ArrowReaderMetadata {
    let asked = columns.roots(metadata.schema());
    let column = |(at, field): (usize, &FieldRef)| {
        let is_text =
            matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let is_numbered = is_text
            && asked.contains(&at)
            && metadata.metadata().row_groups().iter().all(|group| has_names(group, field.name()));
        if !is_numbered {
            return FieldRef::clone(field);
        }
        let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        Arc::new(Field::new(field.name(), kind, field.is_nullable()))
    };
    let fields: Vec<FieldRef> = metadata.schema().fields().iter().enumerate().map(column).collect();
    if fields == metadata.schema().fields()[..] {
        return metadata;
    }
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
    let numbered =
        contained(|| ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options));
    numbered.unwrap_or(metadata)
}

/// Whether all values of a column are numbers of names, as far as the file says.
fn has_names(group: &RowGroupMetaData, name: &str) -> bool {
    let is_it =
        |chunk: &&ColumnChunkMetaData| matches!(chunk.column_path().parts(), [it] if it == name);
    group.columns().iter().find(is_it).is_some_and(|chunk| {
        chunk.dictionary_page_offset().is_some() && data_encodings(chunk).all(is_number)
    })
}

fn is_number(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY)
}

/// How the values of a column are written; nothing if the file does not say it.
fn data_encodings(chunk: &ColumnChunkMetaData) -> impl Iterator<Item = Encoding> {
    let known = chunk.page_encoding_stats_mask().into_iter().flat_map(|mask| mask.encodings());
    let pages = chunk.page_encoding_stats().into_iter().flatten();
    let data = pages.filter(|page| page.page_type != PageType::DICTIONARY_PAGE);
    known.chain(data.map(|page| page.encoding))
}

/// Where the bytes of a table are.
#[derive(Clone)]
enum TableBytes {
    Memory(Bytes),
    /// A file; several threads read it at different places.
    File(Arc<Mutex<File>>, u64),
}

/// The row groups of an input.
struct RowGroups {
    bytes: TableBytes,
    metadata: ArrowReaderMetadata,
    columns: Arc<Columns>,
    next: usize,
    row: u64,
}

/// One row group.
struct RowGroup {
    bytes: TableBytes,
    metadata: ArrowReaderMetadata,
    columns: Arc<Columns>,
    index: usize,
    first: u64,
}

impl RowGroups {
    fn new(bytes: TableBytes, context: &InputContext) -> Result<RowGroups, EventError> {
        let metadata = load(&bytes).map_err(|error| not_parquet(&context.file, &error))?;
        check_rows(&metadata, bytes.len(), &context.file)?;
        check_columns(metadata.schema(), TableKind::File, None, context)?;
        let columns = Columns::new(&context.fields, metadata.schema());
        let metadata = numbered(metadata, &columns);
        Ok(RowGroups { bytes, metadata, columns: Arc::new(columns), next: 0, row: 1 })
    }
}

impl BatchSource for RowGroups {
    fn next_batch(&mut self) -> NextBatch {
        let Some(group) = self.metadata.metadata().row_groups().get(self.next) else {
            return Ok(None);
        };
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        let group = RowGroup {
            bytes: self.bytes.clone(),
            metadata: self.metadata.clone(),
            columns: Arc::clone(&self.columns),
            index: self.next,
            first: self.row,
        };
        self.next += 1;
        self.row = self.row.saturating_add(rows);
        Ok(Some(Box::new(group)))
    }
}

impl Batch for RowGroup {
    fn for_each(&self, context: &InputContext, each: &mut Each<'_>) {
        let mut first = self.first;
        let (mut names, mut before) = (0, None::<arrow_array::RecordBatch>);
        let read = self.read(|rows| {
            let count = rows.num_rows() as u64;
            names += u32::from(before.take().is_some_and(|it| !have_same_names(&it, &rows)));
            // The names of these rows stay where they are until they are compared.
            before = Some(rows.clone());
            self.columns.each(context, &TableRows { rows, first, names: Some(names) }, each);
            first += count;
        });
        let read = read.and_then(|()| self.has_all(first - self.first));
        if let Err(error) = read {
            let place = Some(RecordPlace::row(first));
            let message = format!("cannot read on: {error}");
            each(Err(EventError::without_text(&context.file, place, message, IS_CUT_OFF)));
        }
    }
}

/// Repeated values take next to no bytes for a row, so that a few bytes could claim more rows than anybody can wait for. So a
/// file of more than `MOST_BARE` rows must have a byte for every `ROWS_PER_BYTE` rows.
const MOST_BARE: u64 = 1 << 20;
const ROWS_PER_BYTE: u64 = 4_096;

fn check_rows(metadata: &ArrowReaderMetadata, bytes: u64, file: &str) -> Result<(), EventError> {
    let groups = metadata.metadata().row_groups().iter();
    let rows = groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(0));
    let rows = rows.fold(0, u64::saturating_add);
    if rows <= MOST_BARE || rows / ROWS_PER_BYTE <= bytes {
        return Ok(());
    }
    let claim = format!("it says it has {rows} rows, and has {bytes} bytes");
    let help = format!(
        "more than {ROWS_PER_BYTE} rows a byte are not read; if it is not damaged, write files of at most {MOST_BARE} rows"
    );
    Err(EventError::without_text(file, None, claim, help))
}

impl RowGroup {
    /// How many rows the footer says the group has.
    fn rows(&self) -> i64 {
        self.metadata.metadata().row_group(self.index).num_rows()
    }

    /// The decoder takes pages that end too early for the end of the group.
    fn has_all(&self, rows: u64) -> Result<(), String> {
        let all = self.rows();
        if u64::try_from(all) == Ok(rows) {
            return Ok(());
        }
        let more = if u64::try_from(all).is_ok_and(|all| rows > all) { " or more" } else { "" };
        Err(format!("the table is damaged: a group of {all} rows has {rows}{more}"))
    }

    /// Decodes the asked-for columns, some rows at a time.
    fn read(&self, mut take: impl FnMut(arrow_array::RecordBatch)) -> Result<(), String> {
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(
            self.bytes.clone(),
            self.metadata.clone(),
        );
        let roots = self.columns.roots(builder.schema());
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let builder = builder.with_row_groups(vec![self.index]).with_projection(mask);
        // Pages may say that they have any number of rows.
        let most = usize::try_from(self.rows()).unwrap_or(0).saturating_add(1);
        let mut reader = contained(|| builder.with_batch_size(ROWS).with_limit(most).build())?;
        while let Some(rows) = contained(|| reader.next().transpose())? {
            take(rows);
        }
        Ok(())
    }
}

impl Length for TableBytes {
    fn len(&self) -> u64 {
        match self {
            TableBytes::Memory(bytes) => bytes.len() as u64,
            TableBytes::File(_, length) => *length,
        }
    }
}

impl ChunkReader for TableBytes {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            TableBytes::Memory(bytes) => {
                Box::new(NoFurther(std::io::Cursor::new(tail(bytes, start))))
            }
            TableBytes::File(file, _) => {
                let from = FileFrom { file: Arc::clone(file), start };
                Box::new(NoFurther(BufReader::new(from)))
            }
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

/// Bytes whose end is an error: a table has its footer there, so nothing sound reads so far. The decoder
/// skips lists by their length alone, and a damaged length would have it skip nothing for minutes.
struct NoFurther<R>(R);

impl<R: Read> Read for NoFurther<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer) {
            Ok(0) if !buffer.is_empty() => Err(ErrorKind::UnexpectedEof.into()),
            read => read,
        }
    }
}

/// A file from some place on, though other threads read it at other places.
struct FileFrom {
    file: Arc<Mutex<File>>,
    start: u64,
}

impl Read for FileFrom {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.start))?;
        let read = file.read(buffer)?;
        self.start += read as u64;
        Ok(read)
    }
}
