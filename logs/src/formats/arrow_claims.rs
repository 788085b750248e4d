//! The sizes that Arrow IPC claims for its parts, compared with those that are there.

// The decoder makes room for a body, and for each buffer that is packed, by numbers in the input, before it
// reads on. A failed allocation ends the process, and nothing can contain that. So messages are read here
// first: a body as far as there are bytes, and its buffers by the sizes that they say they unpack to.

use super::input::unnamed_bytes;
use arrow_ipc::{Block, Message, RecordBatch, root_as_footer, root_as_message};
use std::io::{self, Read};

/// The most bytes that the buffers of a table may unpack to: as much as a record may have. Writers cut
/// tables into far smaller ones.
const MOST_UNPACKED: i64 = 1 << 30;
/// Columns without values take no bytes for a row, so that a few bytes could claim more rows than anybody can wait for. So a table
/// of more rows than this must have a bit for each row.
const MOST_BARE: i64 = 1 << 20;
/// Stands before the length of a message, but not in the oldest streams.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// The claimed size of a buffer that is not packed although its table is.
const NOT_PACKED: i64 = -1;
/// The length of the footer and the magic behind it.
const FILE_END: usize = 10;

/// A claim of an input about itself, or the error in it.
type Claimed<T> = Result<T, String>;

fn claim(number: impl TryInto<usize>) -> Claimed<usize> {
    number.try_into().map_err(|_| "a size that is negative".to_owned())
}

/// A message, whose bytes must be aligned: callers copy them to memory of their own.
fn message(metadata: &[u8]) -> Claimed<Message<'_>> {
    root_as_message(metadata).map_err(|error| error.to_string())
}

/// Checks the sizes in a message against its body.
fn check(message: &Message<'_>, body: &[u8]) -> Claimed<()> {
    let dictionary = message.header_as_dictionary_batch().and_then(|it| it.data());
    let table = message.header_as_record_batch().or(dictionary);
    table.map_or(Ok(()), |table| check_table(&table, body))
}

fn check_table(table: &RecordBatch<'_>, body: &[u8]) -> Claimed<()> {
    let unpacked = if table.compression().is_some() { unpacked(table, body)? } else { 0 };
    let bytes = unpacked.max(body.len() as i64);
    if table.length() <= MOST_BARE || table.length() / 8 <= bytes {
        return Ok(());
    }
    Err(format!(
        "a table that says it has {} rows, and has {bytes} bytes; a column with values takes a bit for each row; is it damaged?",
        table.length()
    ))
}

/// How many bytes the buffers of a packed table say they unpack to.
fn unpacked(table: &RecordBatch<'_>, body: &[u8]) -> Claimed<i64> {
    let mut all = 0_i64;
    for buffer in table.buffers().iter().flatten() {
        let (start, length) = (claim(buffer.offset())?, claim(buffer.length())?);
        let bytes = body.get(start..).and_then(|rest| rest.get(..length));
        let bytes = bytes.ok_or("a buffer behind the end of its table")?;
        let Some(said) = bytes.first_chunk() else { continue };
        let said = i64::from_le_bytes(*said);
        all = all.saturating_add(if said == NOT_PACKED { 0 } else { said.max(0) });
    }
    match all <= MOST_UNPACKED {
        true => Ok(all),
        false => Err(format!(
            "a table that says it unpacks to {all} bytes, and at most {MOST_UNPACKED} are read; write \
             smaller tables"
        )),
    }
}

/// The length of the magic at the beginning of a file.
const MAGIC: usize = 6;

/// Before a part of a file stand fewer zeros than this: the widest alignment that writers use.
const ALIGNMENT: usize = 64;

/// Checks the tables of a file, which its footer names. Nothing else stands in the file: other tables would not be read.
pub(crate) fn check_file(file: &[u8]) -> Claimed<()> {
    let cut = "the footer is not there";
    let end = file.len().checked_sub(FILE_END).ok_or(cut)?;
    let length = file[end..].first_chunk().copied().map_or(0, i32::from_le_bytes);
    let start = end.checked_sub(claim(length)?).ok_or(cut)?;
    let footer = file[start..end].to_vec();
    let named = root_as_footer(&footer).map_err(|error| error.to_string())?;
    let blocks = named.dictionaries().into_iter().chain(named.recordBatches());
    let mut blocks: Vec<&Block> = blocks.flat_map(|list| list.iter()).collect();
    blocks.sort_by_key(|block| block.offset());
    // Some writers put the message of the schema there without its length, about as long as the schema is in the footer.
    let first = blocks.first().map_or(start, |block| claim(block.offset()).unwrap_or(start));
    let bare = file.get(MAGIC + 2..first).filter(|it| it.len() <= footer.len());
    let is_bare = bare.is_some_and(is_schema);
    let mut at = if is_bare { first } else { behind_schema(&file[..start])? };
    for block in blocks {
        let (from, end) = check_block(block, file)?;
        if !is_padding(file.get(at..from)) {
            return Err(unnamed_bytes(at as u64));
        }
        at = end;
    }
    let rest = file.get(at..start).unwrap_or_default();
    // The end of a stream stands before the footer.
    let zeros = rest.strip_prefix(&CONTINUATION).unwrap_or(rest);
    if is_padding(Some(zeros)) { Ok(()) } else { Err(unnamed_bytes(at as u64)) }
}

fn is_schema(metadata: &[u8]) -> bool {
    // Numbers in a message are aligned from its beginning on.
    let metadata = metadata.to_vec();
    message(&metadata).is_ok_and(|it| it.header_as_schema().is_some())
}

fn is_padding(bytes: Option<&[u8]>) -> bool {
    bytes.is_some_and(|bytes| bytes.len() < ALIGNMENT && bytes.iter().all(|byte| *byte == 0))
}

/// Where the schema ends, which stands behind the magic.
fn behind_schema(file: &[u8]) -> Claimed<usize> {
    let rest = file.get(MAGIC..).ok_or("the schema is not there")?;
    let begin = |place: usize| is_padding(rest.get(..place - MAGIC));
    // A length may begin with a zero, so the padding is as long as an alignment.
    let starts = [64, 32, 16, 8].into_iter().filter(|place| begin(*place));
    for start in starts {
        let rest = &file[start..];
        let length = rest.strip_prefix(&CONTINUATION).unwrap_or(rest);
        let behind = file.len() - length.len() + 4;
        let Some(length) = length.first_chunk().copied().map(i32::from_le_bytes) else { continue };
        let Some(metadata) = file.get(behind..).and_then(|it| it.get(..claim(length).ok()?)) else {
            continue;
        };
        if is_schema(metadata) {
            return Ok(behind + metadata.len());
        }
    }
    Err("the schema does not stand behind the magic".to_owned())
}

/// Checks a table, and returns where it begins and ends.
fn check_block(block: &Block, file: &[u8]) -> Claimed<(usize, usize)> {
    let (start, metadata, body) =
        (claim(block.offset())?, claim(block.metaDataLength())?, claim(block.bodyLength())?);
    let end = metadata.checked_add(body).and_then(|length| start.checked_add(length));
    let end = end.ok_or("a table behind the end of the file")?;
    let block = file.get(start..end);
    let (metadata, body) = block.ok_or("a table behind the end of the file")?.split_at(metadata);
    let behind = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
    let metadata = metadata.get(behind..).ok_or("a message without a length")?.to_vec();
    check(&message(&metadata)?, body)?;
    Ok((start, end))
}

/// A stream whose messages are handed on once they are complete and checked.
pub(crate) struct CheckedStream<R> {
    reader: R,
    /// A message, and how much of it was handed on.
    message: Vec<u8>,
    taken: usize,
}

impl<R: Read> CheckedStream<R> {
    /// The same stream.
    pub(crate) fn new(reader: R) -> CheckedStream<R> {
        CheckedStream { reader, message: Vec::new(), taken: 0 }
    }

    /// Reads this many bytes behind those of the message, fewer at the end of the input.
    fn read_on(&mut self, count: usize) -> io::Result<bool> {
        let read = self.reader.by_ref().take(count as u64).read_to_end(&mut self.message)?;
        Ok(read == count)
    }

    fn length(&self) -> Claimed<usize> {
        let last = self.message.last_chunk().copied();
        claim(last.map_or(0, i32::from_le_bytes))
    }

    /// Reads the next message; a message that is cut off is handed on, so that the decoder reports it.
    fn read_message(&mut self) -> io::Result<()> {
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        self.message.clear();
        self.taken = 0;
        if !self.read_on(4)? && self.message.is_empty() {
            return Err(wrong("the stream has no end marker; is it cut off?".to_owned()));
        }
        if self.message.len() < 4 || self.message == CONTINUATION && !self.read_on(4)? {
            return Ok(());
        }
        let (start, length) = (self.message.len(), self.length().map_err(wrong)?);
        if length == 0 {
            return match self.reader.read(&mut [0])? {
                0 => Ok(()),
                _ => Err(wrong("there are bytes behind the end of the stream".to_owned())),
            };
        }
        if !self.read_on(length)? {
            return Ok(());
        }
        let metadata = self.message[start..].to_vec();
        let message = message(&metadata).map_err(wrong)?;
        let body = self.message.len();
        if self.read_on(claim(message.bodyLength()).map_err(wrong)?)? {
            return check(&message, &self.message[body..]).map_err(wrong);
        }
        Err(wrong("a message is cut off".to_owned()))
    }
}

impl<R: Read> Read for CheckedStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.message.len() {
            self.read_message()?;
        }
        let read = (&self.message[self.taken..]).read(buffer)?;
        self.taken += read;
        Ok(read)
    }
}
