//! Text inputs cut into frames of whole records: the half of reading that is sequential, so it
//! only looks for where records end.

use memchr::{memchr, memchr_iter, memchr2, memrchr};
use std::io::{self, Read};

/// Finds where records end in a stream of bytes.
pub(crate) trait Framer {
    /// Reads on in the stream up to the end of the next record, and says where that is in `bytes`;
    /// or to the end of `bytes`.
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize>;

    /// Reads all of `bytes`, and says where the last record ends in it.
    fn last_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut last = None;
        let mut from = 0;
        while let Some(end) = self.first_end(&bytes[from..]) {
            from += end;
            last = Some(from);
        }
        last
    }

    /// What is wrong when the stream ends here, where something is.
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
}

/// Rows of CSV: lines, but for line ends inside of quotes. A quote opens at the start of a field.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    delimiter: u8,
    state: RowState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowState {
    FieldStart,
    Plain,
    Quoted,
    /// After a quote inside of quotes: the end, or the first half of a doubled one.
    AfterQuote,
}

impl Rows {
    pub(crate) fn new(delimiter: u8) -> Rows {
        Rows { delimiter, state: RowState::FieldStart }
    }

    fn outside(&self, byte: u8) -> RowState {
        if byte == self.delimiter || byte == b'\n' { RowState::FieldStart } else { RowState::Plain }
    }

    /// From a place outside of quotes to the next quote that opens, or the end of the row.
    fn plain(&mut self, bytes: &[u8], from: usize) -> Result<usize, Option<usize>> {
        let Some(found) = memchr2(b'"', b'\n', &bytes[from..]) else {
            self.state = bytes[from..].last().map_or(self.state, |&byte| self.outside(byte));
            return Err(None);
        };
        let at = from + found;
        if bytes[at] == b'\n' {
            self.state = RowState::FieldStart;
            return Err(Some(at + 1));
        }
        let before = if found == 0 { self.state } else { self.outside(bytes[at - 1]) };
        self.state =
            if before == RowState::FieldStart { RowState::Quoted } else { RowState::Plain };
        Ok(at + 1)
    }
}

impl Framer for Rows {
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            match self.state {
                RowState::FieldStart | RowState::Plain => match self.plain(bytes, at) {
                    Ok(next) => at = next,
                    Err(end) => return end,
                },
                RowState::Quoted => {
                    at += memchr(b'"', &bytes[at..])? + 1;
                    self.state = RowState::AfterQuote;
                }
                RowState::AfterQuote if bytes[at] == b'"' => {
                    self.state = RowState::Quoted;
                    at += 1;
                }
                RowState::AfterQuote => self.state = RowState::Plain,
            }
            // The byte after a closing quote may be a delimiter or the line end.
            if self.state == RowState::Plain && bytes.get(at) == Some(&self.delimiter) {
                self.state = RowState::FieldStart;
                at += 1;
            }
        }
        None
    }

    fn cut_off(&self) -> Option<&'static str> {
        (self.state == RowState::Quoted).then_some("a quote is not closed before the input ends")
    }
}

/// JSON objects one after another, or in lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    /// Brackets of lists around the objects.
    lists: u32,
    /// Open brackets of the object that is being read, of whatever kind.
    depth: u32,
    in_string: bool,
    is_escaped: bool,
}

impl Objects {
    fn structural(&mut self, byte: u8) -> bool {
        match byte {
            b'"' => self.in_string = true,
            b'[' if self.depth == 0 => self.lists = self.lists.saturating_add(1),
            b']' if self.depth == 0 => self.lists = self.lists.saturating_sub(1),
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }

    /// Where the string ends that is open at `from`.
    fn string(&mut self, bytes: &[u8], mut from: usize) -> usize {
        if self.is_escaped && from < bytes.len() {
            self.is_escaped = false;
            from += 1;
        }
        while let Some(at) = memchr2(b'"', b'\\', &bytes[from..]) {
            let at = from + at;
            if bytes[at] == b'"' {
                self.in_string = false;
                return at + 1;
            }
            self.is_escaped = at + 1 == bytes.len();
            from = (at + 2).min(bytes.len());
        }
        bytes.len()
    }
}

impl Framer for Objects {
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            if self.in_string {
                at = self.string(bytes, at);
                continue;
            }
            at += 1;
            if self.structural(bytes[at - 1]) {
                return Some(at);
            }
        }
        None
    }

    fn cut_off(&self) -> Option<&'static str> {
        if self.depth > 0 || self.in_string {
            return Some("the input ends inside of an object");
        }
        (self.lists > 0).then_some("the input ends inside of a list")
    }
}

/// Some whole records of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The number of its first line, from 1.
    pub(crate) line: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) fault: Option<Fault>,
}

/// What is wrong with the last record of a frame.
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
    /// The beginning of the next record.
    carry: Vec<u8>,
    /// Where the last whole record ends in what is carried, if there is one.
    ready: Option<usize>,
    chunk_bytes: usize,
    max_bytes: usize,
    ended: bool,
    /// Whether it was told that the input is cut off, if it is.
    is_told: bool,
    /// Why the reader failed, until that is said.
    failure: Option<io::Error>,
}

/// How much of a record that is too long is kept to be shown.
const SHOWN_BYTES: usize = 200;

impl<R: Read, F: Framer> Frames<R, F> {
    pub(crate) fn new(reader: R, framer: F, chunk_bytes: usize, max_bytes: usize) -> Frames<R, F> {
        Frames {
            reader,
            framer,
            line: 1,
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
        let frame = Frame { line: self.line, bytes, fault: Some(Fault::TooLong(self.max_bytes)) };
        self.line += lines;
        frame
    }

    fn frame(&mut self, bytes: Vec<u8>, fault: Option<Fault>) -> Frame {
        let line = self.line;
        self.line += count_lines(&bytes);
        Frame { line, bytes, fault }
    }
}

/// How many line ends there are.
pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}
