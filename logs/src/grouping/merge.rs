//! All runs as one: sessions in the order of their first events.

use super::block::{put_bytes, put_number, take_bytes, take_number};
use super::runs::{RunWriter, SortedRun};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::io::{self, BufReader, Cursor, Read};

/// One session with all its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouped {
    body: Vec<u8>,
}

impl Grouped {
    /// One session of some events, with their numbers.
    pub fn new<'a>(session: &[u8], records: impl Iterator<Item = (u64, &'a [u8])>) -> Grouped {
        let mut body = Vec::new();
        put_bytes(&mut body, session);
        let mut before = 0;
        for (number, content) in records {
            put_number(&mut body, number - before);
            put_bytes(&mut body, content);
            before = number;
        }
        Grouped { body }
    }

    /// Its name.
    pub fn session(&self) -> String {
        String::from_utf8_lossy(self.key()).into_owned()
    }

    /// The key that its records are grouped by.
    pub(crate) fn key(&self) -> &[u8] {
        take_bytes(&mut &*self.body)
    }

    /// Its events in the order of the input: their numbers and contents.
    pub fn records(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut rest = &*self.body;
        take_bytes(&mut rest);
        let mut number = 0;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            number += take_number(&mut rest);
            Some((number, take_bytes(&mut rest)))
        })
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        self.body.len()
    }
}

/// The buffers of all runs together: small beside the memory that a store may use, which is free again
/// when runs are merged.
const ALL_READ_BYTES: usize = 8 << 20;

/// The least and the largest buffer of one run: a page of memory, below which every read is a system
/// call, and a size beyond which larger reads save little.
const READ_BYTES: [usize; 2] = [1 << 12, 1 << 17];

/// The sessions of all runs.
pub(crate) struct RunMerge {
    runs: Vec<Box<dyn Read + Send>>,
    /// The next session of each run that has one: its first event, the run, its length.
    next: BinaryHeap<Reverse<(u64, usize, u64)>>,
}

impl RunMerge {
    /// Begins to merge.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub(crate) fn new(runs: Vec<SortedRun>) -> io::Result<RunMerge> {
        let [least, most] = READ_BYTES;
        let buffer = (ALL_READ_BYTES / runs.len().max(1)).clamp(least, most);
        let open = |run: SortedRun| -> Box<dyn Read + Send> {
            match run {
                SortedRun::Memory(bytes) => Box::new(Cursor::new(bytes)),
                SortedRun::File(file) => Box::new(BufReader::with_capacity(buffer, file)),
            }
        };
        let mut merge =
            RunMerge { runs: runs.into_iter().map(open).collect(), next: BinaryHeap::new() };
        for run in 0..merge.runs.len() {
            merge.look(run)?;
        }
        Ok(merge)
    }

    /// Reads the head of the next session of a run.
    fn look(&mut self, run: usize) -> io::Result<()> {
        let mut head = [0; 16];
        match self.runs[run].read_exact(&mut head) {
            Ok(()) => {
                let number =
                    |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap_or_default());
                self.next.push(Reverse((number(0), run, number(8))));
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The next sessions, until they have `bytes`; none at the end.
    ///
    /// # Errors
    /// When a temporary file cannot be read.
    pub(crate) fn chunk(&mut self, bytes: usize) -> io::Result<Vec<Grouped>> {
        let (mut chunk, mut size) = (Vec::new(), 0);
        while size < bytes
            && let Some(session) = self.read_next()?
        {
            size += session.size();
            chunk.push(session);
        }
        Ok(chunk)
    }

    /// All sessions as one run on disk.
    ///
    /// # Errors
    /// When a temporary file cannot be written or read.
    pub(crate) fn into_run(mut self) -> io::Result<SortedRun> {
        let mut out = RunWriter::on_disk()?;
        while let Some(session) = self.read_next()? {
            let first = session.records().next().map_or(0, |(number, _)| number);
            out.session(first, &session.body)?;
        }
        out.finish()
    }

    fn read_next(&mut self) -> io::Result<Option<Grouped>> {
        let Some(Reverse((_, run, length))) = self.next.pop() else { return Ok(None) };
        let mut body = vec![0; length as usize];
        self.runs[run].read_exact(&mut body)?;
        self.look(run)?;
        Ok(Some(Grouped { body }))
    }
}

impl fmt::Debug for RunMerge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunMerge").field("runs", &self.runs.len()).finish_non_exhaustive()
    }
}

impl Iterator for RunMerge {
    type Item = io::Result<Grouped>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_next().transpose()
    }
}
