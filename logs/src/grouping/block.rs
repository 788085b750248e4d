//! Records of events as bytes: the number of the event, its session, and its content.

// Idea: the name of a session is far longer than the rest of a record, and many records of a batch share
// it. A block holds a name where it is new; later records refer to it. A format that numbers its values
// finds the reference without the name (`session_numbers`), so that a name is hashed once a block and
// not once an event. Where finding it would need a table of names, records repeat theirs.
//
// A record is: its number less that of the record before it, 0 and a name or the reference of a name
// (counted from 1 in the block), and its content. Most of these numbers need one byte.

use std::io::{self, Read};
use std::num::NonZeroU32;

/// How many bits of the hash choose a partition at a time. 64 partitions keep the temporary files, two
/// for each, below the 256 files a process may have open on macOS, and a partition small beside the
/// memory.
pub(super) const PARTITION_BITS: u32 = 6;
/// How many partitions there are.
pub(super) const PARTITIONS: usize = 1 << PARTITION_BITS;

/// The events of some records, by partitions. Threads make these batches; the store takes them in the
/// order of the input.
#[derive(Debug, Default)]
pub(crate) struct EventBatch {
    /// Their numbers count from the beginning of the batch. A batch of one partition has its events in
    /// order.
    pub(super) partitions: Vec<Block>,
    /// How many numbers were given out.
    pub(super) events: u32,
}

/// Where the name of a session stands in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamePlace {
    pub(super) partition: u8,
    pub(super) name: NonZeroU32,
}

impl EventBatch {
    /// A batch for a store.
    pub(crate) fn by_session() -> EventBatch {
        EventBatch { partitions: no_blocks(), events: 0 }
    }

    /// A batch that keeps the order of its events.
    pub(crate) fn in_order() -> EventBatch {
        EventBatch { partitions: vec![Block::default()], events: 0 }
    }

    /// The records of a batch in order.
    pub(crate) fn only_partition(&self) -> &[u8] {
        self.partitions.first().map_or(&[], |block| &block.bytes)
    }

    /// Adds an event after the others: its session, and its content, which `write` appends. Returns where
    /// the name now stands.
    pub(crate) fn add(&mut self, session: &[u8], write: impl FnOnce(&mut Vec<u8>)) -> NamePlace {
        let partition = partition_of(session, 0) % self.partitions.len();
        let number = u64::from(self.events);
        self.events += 1;
        let name = self.partitions[partition].add(number, session, write);
        NamePlace { partition: partition as u8, name }
    }

    /// Adds an event of a session whose name stands in this batch.
    #[inline]
    pub(crate) fn add_again(&mut self, place: NamePlace, write: impl FnOnce(&mut Vec<u8>)) {
        let number = u64::from(self.events);
        self.events += 1;
        self.partitions[usize::from(place.partition)].add_again(number, place.name, write);
    }

    /// Adds an event to another batch of the same records; this one skips its number.
    pub(crate) fn add_beside(
        &mut self,
        other: &mut EventBatch,
        session: &[u8],
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        other.events = self.events;
        other.add(session, write);
        self.events = other.events;
    }

    /// How many events it has.
    pub(crate) fn len(&self) -> u64 {
        u64::from(self.events)
    }
}

/// Records one after another.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// The number of the last record.
    before: u64,
    /// How many names it holds.
    names: u32,
}

/// An empty block for each partition.
pub(super) fn no_blocks() -> Vec<Block> {
    vec![Block::default(); PARTITIONS]
}

impl Block {
    /// Appends a record with the name of its session, and returns the reference of the name. Numbers never
    /// fall.
    pub(super) fn add(
        &mut self,
        number: u64,
        session: &[u8],
        write: impl FnOnce(&mut Vec<u8>),
    ) -> NonZeroU32 {
        self.put_number(number);
        self.bytes.push(0);
        put_bytes(&mut self.bytes, session);
        put_content(&mut self.bytes, write);
        let name = NonZeroU32::MIN.saturating_add(self.names);
        self.names += 1;
        name
    }

    /// Appends a record of a session whose name the block holds.
    #[inline]
    pub(super) fn add_again(
        &mut self,
        number: u64,
        name: NonZeroU32,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        self.put_number(number);
        put_number(&mut self.bytes, u64::from(name.get()));
        put_content(&mut self.bytes, write);
    }

    #[inline]
    fn put_number(&mut self, number: u64) {
        put_number(&mut self.bytes, number - self.before);
        self.before = number;
    }
}

/// Appends a content and its length.
#[inline]
fn put_content(bytes: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    // The length goes before the content and is known after it. Most need one byte.
    let start = bytes.len();
    bytes.push(0);
    write(bytes);
    let length = bytes.len() - start - 1;
    match u8::try_from(length) {
        Ok(length @ 0..0x80) => bytes[start] = length,
        _ => {
            let mut number = Vec::new();
            put_number(&mut number, length as u64);
            bytes.splice(start..=start, number);
        }
    }
}

/// One event out of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockRecord<'a, S = &'a [u8]> {
    /// Its place among all events of the run, from 0.
    pub(crate) number: u64,
    /// The name of the session, or where it stands.
    pub(crate) session: S,
    /// The bytes that the caller wrote.
    pub(crate) content: &'a [u8],
}

/// The name of a session as a record has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameRef<'a> {
    New(&'a [u8]),
    /// That of the new names before it which has this index.
    Before(usize),
}

/// The records of a block whose numbers count from `base`, as they are written.
pub(super) fn written_records(
    base: u64,
    bytes: &[u8],
) -> impl Iterator<Item = BlockRecord<'_, NameRef<'_>>> {
    let (mut rest, mut number) = (bytes, base);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        number += take_number(&mut rest);
        let session = match take_number(&mut rest) {
            0 => NameRef::New(take_bytes(&mut rest)),
            name => NameRef::Before(name as usize - 1),
        };
        Some(BlockRecord { number, session, content: take_bytes(&mut rest) })
    })
}

/// The records of a block whose numbers count from `base`.
pub(crate) fn records(base: u64, bytes: &[u8]) -> impl Iterator<Item = BlockRecord<'_>> {
    let mut names = Vec::new();
    written_records(base, bytes).map(move |BlockRecord { number, session, content }| {
        let session = match session {
            NameRef::New(name) => {
                names.push(name);
                name
            }
            NameRef::Before(name) => names.get(name).copied().unwrap_or_default(),
        };
        BlockRecord { number, session, content }
    })
}

/// The partition of a session; each level looks at other bits of its hash. The hash has no random
/// seed, so partitions are the same in every run.
pub(super) fn partition_of(session: &[u8], level: u32) -> usize {
    // FNV-1a by words, with more mixing, then a multiplication that spreads its bits to the top.
    let fold = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^ (hash >> 32)
    };
    let (words, rest) = session.as_chunks::<8>();
    let hash =
        words.iter().fold(session.len() as u64, |hash, word| fold(hash, u64::from_le_bytes(*word)));
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    let last = match (rest.first_chunk(), rest.last_chunk()) {
        // The halves overlap unless there are eight bytes, but the length is in the hash.
        (Some(first), Some(last)) => half(first) | half(last) << 32,
        _ => rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let spread = fold(hash, last).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (spread >> (u64::BITS - PARTITION_BITS * (level + 1))) as usize % PARTITIONS
}

/// Writes a number, seven bits a byte.
#[inline]
pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number that [`put_number`] wrote.
#[inline]
pub(crate) fn take_number(bytes: &mut &[u8]) -> u64 {
    // Most numbers are small.
    if let [byte @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return u64::from(*byte);
    }
    take_large_number(bytes)
}

fn take_large_number(bytes: &mut &[u8]) -> u64 {
    let low = |byte: &u8, place: u32| u64::from(byte & 0x7f) << (7 * place);
    match *bytes {
        [one, two @ 0..0x80, rest @ ..] => {
            *bytes = rest;
            low(one, 0) | low(two, 1)
        }
        [one, two, three @ 0..0x80, rest @ ..] => {
            *bytes = rest;
            low(one, 0) | low(two, 1) | low(three, 2)
        }
        _ => take_long_number(bytes),
    }
}

fn take_long_number(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while shift < u64::BITS
        && let Some((&byte, rest)) = bytes.split_first()
    {
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    number
}

/// Writes bytes and how many they are.
#[inline]
pub(crate) fn put_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    put_number(bytes, content.len() as u64);
    bytes.extend_from_slice(content);
}

/// Reads bytes that [`put_bytes`] wrote.
#[inline]
pub(crate) fn take_bytes<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = take_number(bytes) as usize;
    take(bytes, length)
}

#[inline]
pub(crate) fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(length.min(bytes.len()));
    *bytes = rest;
    taken
}

/// The blocks of a partition: the number they count from, and their records.
pub(super) fn blocks(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (head, after) = rest.split_at_checked(16)?;
        let (base, length) = head_of(head);
        let (block, after) = after.split_at_checked(length)?;
        rest = after;
        Some((base, block))
    })
}

fn head_of(head: &[u8]) -> (u64, usize) {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    (number(&head[..8]), number(&head[8..16]) as usize)
}

/// The next block of a file; `None` at its end.
pub(super) fn read_block(reader: &mut impl Read) -> io::Result<Option<(u64, Vec<u8>)>> {
    let mut head = [0; 16];
    if let Err(error) = reader.read_exact(&mut head) {
        let ended = error.kind() == io::ErrorKind::UnexpectedEof;
        return if ended { Ok(None) } else { Err(error) };
    }
    let (base, length) = head_of(&head);
    let mut block = vec![0; length];
    reader.read_exact(&mut block)?;
    Ok(Some((base, block)))
}
