//! Records by partitions, in memory up to a limit, then in temporary files.

use super::block::{
    Block, BlockRecord, EventBatch, NamePlace, NameRef, PARTITIONS, blocks, no_blocks,
    partition_of, read_block, written_records,
};
use super::merge::RunMerge;
use super::runs::SortedRun;
use super::spill::spill_file;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};

/// Once partitions are on disk, one is written when it holds this much. All of them together then hold
/// 16 MiB at most, and a write is large enough for a disk that has to seek.
const WRITE_BYTES: usize = 1 << 18;

/// How often a partition is split again at most. Each level divides it by 64, so the fourth is only
/// reached by hashes that collide; one session cannot be split at all.
const DEEPEST: u32 = 4;

/// Which share of the memory the events may fill before they are written to disk: sorting a partition
/// into a run takes its size again, and vectors that grow may be half empty.
const HELD_SHARE: usize = 4;

/// Which share of the memory one partition on disk may have when it is sorted: several threads sort at
/// once, and each holds the partition and its run.
const SORTED_SHARE: u64 = 16;

/// All events, until the last one is read.
#[derive(Debug)]
pub(crate) struct EventStore {
    partitions: Vec<Partition>,
    /// Which bits of the hash choose the partition.
    level: u32,
    /// The number of the next event.
    number: u64,
    /// Bytes of all partitions in memory.
    held: usize,
    /// The most bytes the run may use.
    memory: usize,
    /// Whether all records were added in the order of their numbers.
    is_ordered: bool,
    /// The bytes of records that are on disk.
    spilled: u64,
}

/// Records of some sessions, in blocks: the number they count from, their length, their bytes.
#[derive(Debug, Default)]
struct Partition {
    held: Vec<u8>,
    file: Option<File>,
    bytes: u64,
}

impl EventStore {
    /// An empty store that uses about `memory` bytes.
    pub(crate) fn new(memory: usize) -> EventStore {
        EventStore::at_level(memory, 0)
    }

    fn at_level(memory: usize, level: u32) -> EventStore {
        let partitions = (0..PARTITIONS).map(|_| Partition::default()).collect();
        EventStore { partitions, level, number: 0, held: 0, memory, is_ordered: true, spilled: 0 }
    }

    /// Adds the next batch of the input.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(crate) fn add(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.add_blocks(self.number, &batch.partitions)?;
        self.number += u64::from(batch.events);
        Ok(())
    }

    /// Adds a batch whose events have numbers of another store.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(crate) fn add_beside(&mut self, other: &EventStore, batch: &EventBatch) -> io::Result<()> {
        self.number = other.number;
        self.add(batch)
    }

    /// Adds one event with its number among all events of the run.
    ///
    /// # Errors
    /// When a temporary file cannot be written.
    pub(crate) fn add_record(
        &mut self,
        number: u64,
        session: &[u8],
        content: &[u8],
    ) -> io::Result<()> {
        self.is_ordered = false;
        let mut block = Block::default();
        block.add(0, session, |bytes| bytes.extend_from_slice(content));
        self.add_block(partition_of(session, self.level), number, &block.bytes)
    }

    /// How many bytes it had to put on disk.
    pub(crate) fn spilled(&self) -> u64 {
        self.spilled
    }

    fn add_blocks(&mut self, base: u64, blocks: &[Block]) -> io::Result<()> {
        for (partition, block) in blocks.iter().enumerate() {
            if !block.bytes.is_empty() {
                self.add_block(partition, base, &block.bytes)?;
            }
        }
        Ok(())
    }

    fn add_block(&mut self, partition: usize, base: u64, bytes: &[u8]) -> io::Result<()> {
        let partition = &mut self.partitions[partition];
        let before = partition.held.len();
        partition.held.extend(base.to_le_bytes());
        partition.held.extend((bytes.len() as u64).to_le_bytes());
        partition.held.extend_from_slice(bytes);
        let added = partition.held.len() - before;
        partition.bytes += added as u64;
        self.held += added;
        if self.spilled > 0 && partition.held.len() >= WRITE_BYTES {
            let written = partition.write()?;
            self.count_written(written);
        } else if self.held > self.memory / HELD_SHARE {
            let written =
                self.partitions.iter_mut().map(Partition::write).sum::<io::Result<usize>>()?;
            self.count_written(written);
        }
        Ok(())
    }

    fn count_written(&mut self, bytes: usize) {
        self.held -= bytes;
        self.spilled += bytes as u64;
    }

    /// Sorts all partitions into runs, in memory if no event had to be put on disk.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub(crate) fn into_runs(self) -> io::Result<Vec<SortedRun>> {
        let in_memory = self.spilled == 0;
        self.sorted(in_memory)
    }

    fn sorted(self, in_memory: bool) -> io::Result<Vec<SortedRun>> {
        let EventStore { memory, level, is_ordered, .. } = self;
        let is_large = |partition: &Partition| {
            let is_beyond = partition.bytes > memory as u64 / SORTED_SHARE;
            is_beyond && partition.file.is_some() && level < DEEPEST
        };
        let sort = |partition: Partition| -> io::Result<Option<SortedRun>> {
            let of = match (partition.bytes, is_ordered) {
                (0, _) => return Ok(None),
                (_, true) => SortedRun::of_ordered,
                (_, false) => SortedRun::sort,
            };
            of(&partition.read()?, in_memory).map(Some)
        };
        let (large, small): (Vec<_>, Vec<_>) = self.partitions.into_iter().partition(is_large);
        let sorted: io::Result<Vec<_>> = small.into_par_iter().map(sort).collect();
        let mut runs: Vec<SortedRun> = sorted?.into_iter().flatten().collect();
        // One after another, since the parts of one may take the memory of all; and each is one run again, since a process may
        // have few files open.
        for partition in large {
            let parts = split(partition, memory, level + 1)?;
            let parts = EventStore { is_ordered, ..parts }.sorted(in_memory)?;
            runs.push(RunMerge::new(parts)?.into_run()?);
        }
        Ok(runs)
    }
}

/// The buffer of a partition that is split; few are split at once.
const SPLIT_BYTES: usize = 1 << 20;

/// The sessions of a partition, by further bits of their hashes.
fn split(mut partition: Partition, memory: usize, level: u32) -> io::Result<EventStore> {
    let mut store = EventStore::at_level(memory, level);
    let held = std::mem::take(&mut partition.held);
    if let Some(mut file) = partition.file.take() {
        file.rewind()?;
        let mut reader = BufReader::with_capacity(SPLIT_BYTES, file);
        while let Some((base, block)) = read_block(&mut reader)? {
            distribute(&mut store, base, &block)?;
        }
    }
    for (base, block) in blocks(&held) {
        distribute(&mut store, base, block)?;
    }
    Ok(store)
}

fn distribute(store: &mut EventStore, base: u64, block: &[u8]) -> io::Result<()> {
    let (mut blocks, mut places): (_, Vec<NamePlace>) = (no_blocks(), Vec::new());
    for BlockRecord { number, session, content } in written_records(base, block) {
        let (number, write) =
            (number - base, |bytes: &mut Vec<u8>| bytes.extend_from_slice(content));
        match session {
            NameRef::New(name) => {
                let partition = partition_of(name, store.level);
                let name = blocks[partition].add(number, name, write);
                places.push(NamePlace { partition: partition as u8, name });
            }
            NameRef::Before(name) => {
                let Some(place) = places.get(name) else { continue };
                blocks[usize::from(place.partition)].add_again(number, place.name, write);
            }
        }
    }
    store.add_blocks(base, &blocks)
}

impl Partition {
    /// Writes the records in memory to disk, and returns how many bytes.
    fn write(&mut self) -> io::Result<usize> {
        if self.held.is_empty() {
            return Ok(0);
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(spill_file()?),
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
