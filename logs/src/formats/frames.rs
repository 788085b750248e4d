//! Text inputs cut into frames of whole records.

// This half of reading is sequential, so it only looks for where records end.
//
// Idea: read a chunk, find the end of the last record in it, hand out everything up to there, and
// carry the rest to the next chunk. For lines that is one search from the back of the chunk; framers
// with state (quotes, brackets, tags) read every byte once.
//
// Invariant: a framer has read all bytes before `carry` ends, and each of them once; so `next` gives it only the bytes
// filled last. After a record that is too long, the framer has also read the bytes that follow it in the chunk, and
// `ready` remembers where the last record ends there.
//
// Cost: one copy of the carried bytes, at most one record a chunk.

use memchr::{memchr, memchr_iter, memrchr};
use std::io::{self, Read};

/// Finds where records end in a stream of bytes.
pub(crate) trait Framer {
    /// Reads on in the stream up to the end of the next record, and returns where that is in `bytes`;
    /// `None` if the record goes on behind them.
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize>;

    /// Reads all of `bytes`, and returns where the last record ends in it.
    fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut last = None;
        let mut from = 0;
        while let Some(end) = self.first_end(&bytes[from..]) {
            from += end;
            last = Some(from);
        }
        last
    }

    /// How many lines a record ends, which has its own end.
    fn line_ends(&self, record: &[u8]) -> u64 {
        count_lines(record)
    }

    /// How many records began on the line on which the last whole one ended, if lines may hold several.
    fn before_next(&self) -> u32 {
        0
    }

    /// The error if the stream ends here.
    fn cut_off(&self) -> Option<&'static str> {
        None
    }
}

/// Records that are lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines;

impl Framer for Lines {
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        memchr(b'\n', bytes).map(|at| at + 1)
    }

    fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        memrchr(b'\n', bytes).map(|at| at + 1)
    }

    fn line_ends(&self, record: &[u8]) -> u64 {
        u64::from(record.ends_with(b"\n"))
    }
}

/// Some whole records of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The number of its first line, from 1.
    pub(crate) line: u64,
    /// How many records before it began on that line.
    pub(crate) before: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) fault: Option<Fault>,
}

/// The fault of the last record of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is longer than this; only its start is kept.
    TooLong(usize),
    /// The input ends inside of it.
    CutOff(&'static str),
}

/// The frames of a reader.
#[derive(Debug)]
pub(crate) struct Frames<R, F> {
    reader: R,
    framer: F,
    line: u64,
    /// How many records before the next one began on its line.
    before: u32,
    /// The beginning of the next record.
    carry: Vec<u8>,
    /// Where the last whole record ends in the carried bytes.
    ready: Option<usize>,
    chunk_bytes: usize,
    max_bytes: usize,
    ended: bool,
    /// Whether a cut at the end of the input was reported.
    is_told: bool,
    /// Why the reader failed, until that is reported.
    failure: Option<io::Error>,
}

/// How much of a record that is too long is kept, for the message: more than it shows, since blanks
/// before the record are left out.
pub(crate) const SHOWN_BYTES: usize = 200;

impl<R: Read, F: Framer> Frames<R, F> {
    pub(crate) fn new(reader: R, framer: F, chunk_bytes: usize, max_bytes: usize) -> Frames<R, F> {
        Frames {
            reader,
            framer,
            line: 1,
            before: 0,
            carry: Vec::new(),
            ready: None,
            chunk_bytes: chunk_bytes.max(1),
            max_bytes,
            ended: false,
            is_told: false,
            failure: None,
        }
    }

    /// The line on which the next frame starts.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Whether a record may follow on the line on which the last frame ended.
    pub(crate) fn is_inside_line(&self, is_between: impl Fn(u8) -> bool) -> bool {
        let next = self.carry.iter().find(|byte| **byte == b'\n' || !is_between(**byte));
        next.map_or(!self.ended, |byte| *byte != b'\n')
    }

    /// The next records, at least one; `None` at the end. Records before a failure of the reader
    /// are handed out, too.
    pub(crate) fn next(&mut self) -> io::Result<Option<Frame>> {
        let mut bytes = std::mem::take(&mut self.carry);
        if let Some(end) = self.ready.take() {
            self.carry = bytes.split_off(end);
            return Ok(Some(self.frame(bytes, None)));
        }
        while !self.ended {
            let from = bytes.len();
            self.fill(&mut bytes);
            if let Some(end) = self.framer.last_end(&bytes[from..]) {
                self.carry = bytes.split_off(from + end);
                return Ok(Some(self.frame(bytes, None)));
            }
            if bytes.len() > self.max_bytes {
                return Ok(Some(self.skip_record(bytes)));
            }
        }
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let fault = self.framer.cut_off().map(Fault::CutOff).filter(|_| !self.is_told);
        self.is_told = true;
        if bytes.is_empty() && fault.is_none() {
            return Ok(None);
        }
        Ok(Some(self.frame(bytes, fault)))
    }

    /// Reads about a chunk.
    fn fill(&mut self, bytes: &mut Vec<u8>) {
        let wanted = bytes.len() + self.chunk_bytes;
        bytes.reserve(self.chunk_bytes);
        let mut part = self.reader.by_ref().take(self.chunk_bytes as u64);
        self.failure = part.read_to_end(bytes).err();
        self.ended = bytes.len() < wanted || self.failure.is_some();
    }

    /// Reads to the end of a record and keeps its start only.
    fn skip_record(&mut self, mut bytes: Vec<u8>) -> Frame {
        let mut lines = count_lines(&bytes);
        bytes.truncate(SHOWN_BYTES);
        while !self.ended {
            let mut part = Vec::new();
            self.fill(&mut part);
            if let Some(end) = self.framer.first_end(&part) {
                self.carry = part.split_off(end);
                lines += count_lines(&part);
                self.ready = self.framer.last_end(&self.carry);
                break;
            }
            lines += count_lines(&part);
        }
        let fault = Some(Fault::TooLong(self.max_bytes));
        let frame = Frame { line: self.line, before: self.before, bytes, fault };
        self.line += lines;
        self.before = 0;
        frame
    }

    fn frame(&mut self, bytes: Vec<u8>, fault: Option<Fault>) -> Frame {
        let (line, before) = (self.line, self.before);
        self.line += count_lines(&bytes);
        self.before = self.framer.before_next();
        Frame { line, before, bytes, fault }
    }
}

/// How many line ends there are.
pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}
