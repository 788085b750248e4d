//! Runs: sessions with all their events, in the order of their first events.

use super::block::{Record, put_bytes, put_number, records};
use super::store::blocks;
use indexmap::IndexMap;
use std::fs::File;
use std::io::{self, Seek, Write};

/// Sessions one after another: the number of the first event, the length of what follows, and that:
/// the name of the session, and its records.
#[derive(Debug)]
pub enum Run {
    Memory(Vec<u8>),
    File(File),
}

/// A record in a chain of those of its session.
struct Link<'a> {
    record: Record<'a>,
    next: Option<u32>,
}

/// The first and the last record of a session.
struct Chain {
    first: u32,
    last: u32,
}

impl Run {
    /// The run of a part. Its records are in the order of their numbers.
    pub(crate) fn sort(part: &[u8], in_memory: bool) -> io::Result<Run> {
        let mut links: Vec<Link<'_>> = Vec::new();
        let mut sessions: IndexMap<&[u8], Chain> = IndexMap::new();
        for record in blocks(part).flat_map(|(base, block)| records(base, block)) {
            let place = links.len() as u32;
            links.push(Link { record, next: None });
            let fresh = || Chain { first: place, last: place };
            let chain = sessions.entry(record.session).or_insert_with(fresh);
            if chain.last != place {
                links[chain.last as usize].next = Some(place);
                chain.last = place;
            }
        }
        let mut out = Writer::new(in_memory)?;
        let mut body = Vec::new();
        for (session, chain) in &sessions {
            body.clear();
            put_bytes(&mut body, session);
            write_chain(&links, chain, &mut body);
            let first = links[chain.first as usize].record.number;
            out.session(first, &body)?;
        }
        out.finish()
    }
}

fn write_chain(links: &[Link<'_>], chain: &Chain, body: &mut Vec<u8>) {
    let (mut place, mut before) = (Some(chain.first), 0);
    while let Some(link) = place.and_then(|place| links.get(place as usize)) {
        put_number(body, link.record.number - before);
        put_bytes(body, link.record.content);
        before = link.record.number;
        place = link.next;
    }
}

/// Where a run is written.
enum Writer {
    Memory(Vec<u8>),
    File(io::BufWriter<File>),
}

impl Writer {
    fn new(in_memory: bool) -> io::Result<Writer> {
        Ok(match in_memory {
            true => Writer::Memory(Vec::new()),
            false => Writer::File(io::BufWriter::with_capacity(1 << 18, tempfile::tempfile()?)),
        })
    }

    fn session(&mut self, first: u64, body: &[u8]) -> io::Result<()> {
        let out: &mut dyn Write = match self {
            Writer::Memory(bytes) => bytes,
            Writer::File(file) => file,
        };
        out.write_all(&first.to_le_bytes())?;
        out.write_all(&(body.len() as u64).to_le_bytes())?;
        out.write_all(body)
    }

    fn finish(self) -> io::Result<Run> {
        Ok(match self {
            Writer::Memory(bytes) => Run::Memory(bytes),
            Writer::File(writer) => {
                let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.rewind()?;
                Run::File(file)
            }
        })
    }
}
