//! Runs: sessions with all their events, in the order of their first events.

use super::block::{
    Block, BlockRecord, NameRef, blocks, put_bytes, put_number, records, written_records,
};
use super::spill::spill_file;
use hashbrown::DefaultHashBuilder;
use indexmap::IndexMap;
use std::fs::File;
use std::io::{self, Seek, Write};

/// Sessions one after another. Each has the number of its first event, the length of its body, and the
/// body: the name of the session, and its records.
#[derive(Debug)]
pub(crate) enum SortedRun {
    Memory(Vec<u8>),
    File(File),
}

/// A record, and the next one of its session.
struct Link<'a> {
    number: u64,
    content: &'a [u8],
    next: Option<u32>,
}

/// The bytes of a record in a block, about: a known action has a word and four bytes before it, and some of
/// the records have a name.
const RECORD_BYTES: usize = 16;

/// The first and the last record of a session.
struct Chain {
    first: u32,
    last: u32,
}

impl SortedRun {
    /// The run of a partition whose records are in the order of their numbers.
    pub(crate) fn of_ordered(partition: &[u8], in_memory: bool) -> io::Result<SortedRun> {
        SortedRun::from_blocks(blocks(partition), partition.len(), in_memory)
    }

    /// The run of any partition.
    pub(crate) fn sort(partition: &[u8], in_memory: bool) -> io::Result<SortedRun> {
        let records = blocks(partition).flat_map(|(base, block)| records(base, block));
        let mut records: Vec<BlockRecord<'_>> = records.collect();
        records.sort_by_key(|record| record.number);
        let mut sorted = Block::default();
        for BlockRecord { number, session, content } in records {
            sorted.add(number, session, |bytes| bytes.extend_from_slice(content));
        }
        SortedRun::from_blocks(std::iter::once((0, &*sorted.bytes)), partition.len(), in_memory)
    }

    /// The run of blocks whose records are in the order of their numbers; `bytes` is about their length.
    fn from_blocks<'a>(
        blocks: impl Iterator<Item = (u64, &'a [u8])>,
        bytes: usize,
        in_memory: bool,
    ) -> io::Result<SortedRun> {
        let mut links: Vec<Link<'_>> = Vec::with_capacity(bytes / RECORD_BYTES);
        let mut sessions: IndexMap<&[u8], Chain, DefaultHashBuilder> = IndexMap::default();
        // The sessions of the names of a block, which are looked for once each.
        let mut named: Vec<usize> = Vec::new();
        for (base, block) in blocks {
            named.clear();
            for BlockRecord { number, session, content } in written_records(base, block) {
                let place = links.len() as u32;
                let session = match session {
                    NameRef::Before(name) => match named.get(name) {
                        Some(session) => *session,
                        None => continue,
                    },
                    NameRef::New(name) => {
                        let entry = sessions.entry(name);
                        named.push(entry.index());
                        entry.or_insert_with(|| Chain { first: place, last: place });
                        named[named.len() - 1]
                    }
                };
                links.push(Link { number, content, next: None });
                let chain = &mut sessions[session];
                if chain.last != place {
                    links[chain.last as usize].next = Some(place);
                    chain.last = place;
                }
            }
        }
        let mut out = RunWriter::new(in_memory, bytes)?;
        let mut body = Vec::new();
        for (session, chain) in &sessions {
            body.clear();
            put_bytes(&mut body, session);
            write_chain(&links, chain, &mut body);
            let first = links[chain.first as usize].number;
            out.session(first, &body)?;
        }
        out.finish()
    }
}

fn write_chain(links: &[Link<'_>], chain: &Chain, body: &mut Vec<u8>) {
    let (mut place, mut before) = (Some(chain.first), 0);
    while let Some(link) = place.and_then(|place| links.get(place as usize)) {
        put_number(body, link.number - before);
        match link.content.try_into() {
            Ok(word) => put_word(body, word),
            Err(_) => put_bytes(body, link.content),
        }
        before = link.number;
        place = link.next;
    }
}

/// Writes a content of one word, as most are: the same as [`put_bytes`], without looking for its length.
fn put_word(body: &mut Vec<u8>, word: &[u8; 8]) {
    let mut bytes = [word.len() as u8; 9];
    bytes[1..].copy_from_slice(word);
    body.extend_from_slice(&bytes);
}

/// The buffer of a run on disk. The threads sort one partition each, so a few of these are alive.
const WRITE_BYTES: usize = 1 << 18;

/// Where a run is written.
pub(super) enum RunWriter {
    Memory(Vec<u8>),
    File(io::BufWriter<File>),
}

impl RunWriter {
    fn new(in_memory: bool, bytes: usize) -> io::Result<RunWriter> {
        match in_memory {
            true => Ok(RunWriter::Memory(Vec::with_capacity(bytes))),
            false => RunWriter::on_disk(),
        }
    }

    pub(super) fn on_disk() -> io::Result<RunWriter> {
        Ok(RunWriter::File(io::BufWriter::with_capacity(WRITE_BYTES, spill_file()?)))
    }

    pub(super) fn session(&mut self, first: u64, body: &[u8]) -> io::Result<()> {
        let out: &mut dyn Write = match self {
            RunWriter::Memory(bytes) => bytes,
            RunWriter::File(file) => file,
        };
        out.write_all(&first.to_le_bytes())?;
        out.write_all(&(body.len() as u64).to_le_bytes())?;
        out.write_all(body)
    }

    pub(super) fn finish(self) -> io::Result<SortedRun> {
        Ok(match self {
            RunWriter::Memory(bytes) => SortedRun::Memory(bytes),
            RunWriter::File(writer) => {
                let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.rewind()?;
                SortedRun::File(file)
            }
        })
    }
}
