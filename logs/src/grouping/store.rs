//! Where records wait: by parts, in memory up to a limit, then in temporary files.

use super::block::{Batch, PARTS, Record, part_of, put_bytes, put_number, records};
use super::runs::Run;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};

/// Parts that are on disk are written when so many bytes of one have come together.
const WRITE_BYTES: usize = 1 << 18;

/// Parts are told apart again at most so often.
const DEEPEST: u32 = 4;

/// All events of a run, until the last one is read.
#[derive(Debug)]
pub struct Store {
    parts: Vec<Part>,
    /// Which bits of the hash tell the parts apart.
    level: u32,
    /// The number of the next event.
    number: u64,
    /// Bytes of all parts in memory.
    held: usize,
    /// The most bytes the run may use.
    memory: usize,
    /// The bytes of records that are on disk.
    spilled: u64,
}

/// Records of some sessions, in blocks: the number they count from, their length, their bytes.
#[derive(Debug, Default)]
pub(crate) struct Part {
    held: Vec<u8>,
    file: Option<File>,
    bytes: u64,
}

impl Store {
    /// An empty store; a run uses about so many bytes and not many more.
    pub fn new(memory: usize) -> Store {
        Store::at_level(memory, 0)
    }

    fn at_level(memory: usize, level: u32) -> Store {
        let parts = (0..PARTS).map(|_| Part::default()).collect();
        Store { parts, level, number: 0, held: 0, memory, spilled: 0 }
    }

    /// Adds the next batch of the input.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub fn add(&mut self, batch: &Batch) -> io::Result<()> {
        for (part, bytes) in batch.parts.iter().enumerate() {
            if !bytes.is_empty() {
                self.add_block(part, self.number, bytes)?;
            }
        }
        self.number += u64::from(batch.events);
        Ok(())
    }

    /// How many bytes it had to put on disk.
    pub fn spilled(&self) -> u64 {
        self.spilled
    }

    fn add_block(&mut self, part: usize, base: u64, bytes: &[u8]) -> io::Result<()> {
        let part = &mut self.parts[part];
        let before = part.held.len();
        part.held.extend(base.to_le_bytes());
        part.held.extend((bytes.len() as u64).to_le_bytes());
        part.held.extend_from_slice(bytes);
        let added = part.held.len() - before;
        part.bytes += added as u64;
        self.held += added;
        if self.spilled > 0 && part.held.len() >= WRITE_BYTES {
            let written = part.write()?;
            self.count_written(written);
        } else if self.held > self.memory / 4 {
            // Sorting a part into a run takes its size again, and vectors may be half empty.
            let written = self.parts.iter_mut().map(Part::write).sum::<io::Result<usize>>()?;
            self.count_written(written);
        }
        Ok(())
    }

    fn count_written(&mut self, bytes: usize) {
        self.held -= bytes;
        self.spilled += bytes as u64;
    }

    /// Sorts all parts into runs.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub fn into_runs(self) -> io::Result<Vec<Run>> {
        let (memory, level, in_memory) = (self.memory, self.level, self.spilled == 0);
        let sort = |part: Part| -> io::Result<Vec<Run>> {
            // A part that is far too large is told apart further, as far as its hash goes.
            if part.bytes > memory as u64 / 16 && part.file.is_some() && level < DEEPEST {
                return split(part, memory, level + 1)?.into_runs();
            }
            Ok(if part.bytes == 0 {
                Vec::new()
            } else {
                vec![Run::sort(&part.read()?, in_memory)?]
            })
        };
        let runs: Vec<io::Result<Vec<Run>>> = self.parts.into_par_iter().map(sort).collect();
        Ok(runs.into_iter().collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// Tells the sessions of a part apart.
fn split(mut part: Part, memory: usize, level: u32) -> io::Result<Store> {
    let mut store = Store::at_level(memory, level);
    let held = std::mem::take(&mut part.held);
    if let Some(mut file) = part.file.take() {
        file.rewind()?;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        while let Some((base, block)) = read_block(&mut reader)? {
            distribute(&mut store, base, &block)?;
        }
    }
    for (base, block) in blocks(&held) {
        distribute(&mut store, base, block)?;
    }
    Ok(store)
}

fn distribute(store: &mut Store, base: u64, block: &[u8]) -> io::Result<()> {
    let mut parts = vec![Vec::new(); PARTS];
    for Record { number, session, content } in records(base, block) {
        let part = &mut parts[part_of(session, store.level)];
        put_number(part, number - base);
        put_bytes(part, session);
        part.extend((content.len() as u32).to_le_bytes());
        part.extend_from_slice(content);
    }
    let parts = parts.iter().enumerate().filter(|(_, bytes)| !bytes.is_empty());
    for (part, bytes) in parts {
        store.add_block(part, base, bytes)?;
    }
    Ok(())
}

impl Part {
    /// Puts what is in memory on disk; how many bytes.
    fn write(&mut self) -> io::Result<usize> {
        if self.held.is_empty() {
            return Ok(0);
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.write_all(&self.held)?;
        Ok(std::mem::take(&mut self.held).len())
    }

    /// All its blocks.
    fn read(self) -> io::Result<Vec<u8>> {
        let Some(mut file) = self.file else { return Ok(self.held) };
        let mut bytes = Vec::with_capacity(self.bytes as usize);
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        bytes.extend(self.held);
        Ok(bytes)
    }
}

/// The blocks of a part: the number they count from, and their records.
pub(crate) fn blocks(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
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

fn read_block(reader: &mut impl Read) -> io::Result<Option<(u64, Vec<u8>)>> {
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
