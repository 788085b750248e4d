//! JSON Lines in chunks of whole lines, so that many lines can be read and parsed at once.

use crate::problem::remedy_of;
use crate::source::{Diagnostic, Source, SourceError, Span};
use std::io::{self, BufRead};
use std::sync::{Arc, Mutex, PoisonError};

/// The longest line that is read, in bytes: 1 GiB, since a line is held in memory.
pub const MAX_LINE_BYTES: usize = 1 << 30;

/// Some lines of a file.
#[derive(Debug)]
pub struct LineChunk {
    /// The number of the first line in the file, from 1.
    pub first: usize,
    /// Their bytes are the first ones of it.
    buffer: Vec<u8>,
    /// How many bytes they have.
    filled: usize,
    max_bytes: usize,
    spares: Spares,
}

/// Buffers of chunks that were dropped, to be filled again. A new one would be filled with zeros first.
#[derive(Clone, Debug, Default)]
struct Spares(Arc<Mutex<Vec<Vec<u8>>>>);

impl Spares {
    fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps a buffer, unless a long line has made it large.
    fn keep(&self, buffer: Vec<u8>) {
        const LARGE: usize = 1 << 20;
        if buffer.len() <= LARGE {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        }
    }
}

impl Drop for LineChunk {
    fn drop(&mut self) {
        self.spares.keep(std::mem::take(&mut self.buffer));
    }
}

/// A line as it is in the file, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawLine<'a> {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its bytes.
    pub bytes: &'a [u8],
    max_bytes: usize,
}

/// The lines of a reader, in chunks.
///
/// ```
/// use multitrace_formats::sessions::LineChunks;
/// let mut numbers = Vec::new();
/// for chunk in LineChunks::new("log.jsonl", "{}\n\n{ }".as_bytes()) {
///     numbers.extend(chunk.expect("readable").lines().map(|line| line.number));
/// }
/// assert_eq!(numbers, [1, 3]);
/// ```
#[derive(Debug)]
pub struct LineChunks<R> {
    name: String,
    reader: R,
    /// How many lines have been handed out.
    number: usize,
    /// The beginning of the line after those.
    carry: Vec<u8>,
    chunk_bytes: usize,
    max_bytes: usize,
    ended: bool,
    /// The error of the reader, until it is reported.
    failure: Option<io::Error>,
    spares: Spares,
}

impl<R: BufRead> LineChunks<R> {
    /// The lines of a reader; `name` is its name in errors.
    pub fn new(name: impl Into<String>, reader: R) -> LineChunks<R> {
        LineChunks {
            name: name.into(),
            reader,
            number: 0,
            carry: Vec::new(),
            chunk_bytes: 1 << 18,
            max_bytes: MAX_LINE_BYTES,
            ended: false,
            failure: None,
            spares: Spares::default(),
        }
    }

    /// The same with other bounds: about the bytes of a chunk, instead of 256 KiB, and the bytes
    /// of a line, instead of [`MAX_LINE_BYTES`].
    #[must_use]
    pub fn with_bounds(self, chunk_bytes: usize, max_bytes: usize) -> LineChunks<R> {
        LineChunks { chunk_bytes: chunk_bytes.max(1), max_bytes, ..self }
    }

    /// The name errors give the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next whole lines, at least one; `None` at the end. Lines before a failure of the reader
    /// are handed out, too.
    fn read_chunk(&mut self) -> Option<LineChunk> {
        let mut buffer = self.spares.take();
        let mut filled = self.carry.len();
        buffer.resize(buffer.len().max(filled), 0);
        buffer[..filled].copy_from_slice(&self.carry);
        self.carry.clear();
        loop {
            let searched = filled;
            let most = searched + self.chunk_bytes;
            buffer.resize(buffer.len().max(most), 0);
            filled += self.fill(&mut buffer[searched..most]);
            let end = memchr::memrchr(b'\n', &buffer[searched..filled]);
            if let Some(end) = end {
                let end = searched + end + 1;
                self.carry.extend_from_slice(&buffer[end..filled]);
                return Some(self.hand_out(buffer, end));
            }
            if self.ended {
                let whole = self.failure.is_none() && filled > 0;
                return whole.then(|| self.hand_out(buffer, filled));
            }
            if filled > self.max_bytes {
                // Enough to see that it is too long.
                filled = self.max_bytes.saturating_add(1);
                self.failure = self.reader.skip_until(b'\n').err();
                self.ended = self.failure.is_some();
                return Some(self.hand_out(buffer, filled));
            }
        }
    }

    /// Reads until the space is full or the reader ends or fails; how many bytes that is.
    fn fill(&mut self, space: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < space.len() && !self.ended {
            match self.reader.read(&mut space[filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => (self.ended, self.failure) = (true, Some(error)),
            }
        }
        filled
    }

    fn hand_out(&mut self, buffer: Vec<u8>, filled: usize) -> LineChunk {
        let first = self.number + 1;
        let bytes = &buffer[..filled];
        let ends = memchr::memchr_iter(b'\n', bytes).count();
        self.number += ends + usize::from(bytes.last() != Some(&b'\n'));
        LineChunk { first, buffer, filled, max_bytes: self.max_bytes, spares: self.spares.clone() }
    }

    fn unreadable(&self, error: &io::Error) -> SourceError {
        let message = format!("cannot read on: {error}");
        let source = Source::at_line(self.name.as_str(), "", self.number + 1);
        let told = Diagnostic::new(Span::default(), message, "");
        let told = match remedy_of(error) {
            Some(remedy) => told.with_help(remedy),
            None => told,
        };
        SourceError::new(source, told)
    }
}

impl<R: BufRead> Iterator for LineChunks<R> {
    type Item = Result<LineChunk, SourceError>;

    /// When the reader fails, that error is the last item.
    fn next(&mut self) -> Option<Self::Item> {
        let is_over = self.ended && self.carry.is_empty();
        let chunk = if is_over { None } else { self.read_chunk() };
        chunk.map(Ok).or_else(|| {
            let error = self.failure.take()?;
            Some(Err(self.unreadable(&error)))
        })
    }
}

impl LineChunk {
    /// The lines that are not blank, in order.
    pub fn lines(&self) -> impl Iterator<Item = RawLine<'_>> {
        let lines = (self.first..).zip(whole_lines(&self.buffer[..self.filled]));
        let lines = lines.map(|(number, bytes)| (number, without_marks(number, bytes)));
        let lines = lines.filter(|(_, bytes)| !bytes.trim_ascii().is_empty());
        lines.map(|(number, bytes)| RawLine { number, bytes, max_bytes: self.max_bytes })
    }

    /// About how many bytes it holds.
    pub fn size(&self) -> usize {
        self.filled
    }
}

/// The lines of some bytes, with their ends.
fn whole_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

/// The bytes of a line without its end and, in the first one, without the byte order mark that some
/// editors put there.
fn without_marks(number: usize, bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    match number {
        1 => bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes),
        _ => bytes,
    }
}

impl<'a> RawLine<'a> {
    /// Whether the line is longer than lines may be.
    pub fn is_too_long(&self) -> bool {
        self.bytes.len() > self.max_bytes
    }

    /// The text of the line; `name` is that of the file in errors.
    ///
    /// # Errors
    /// When the line is too long, or not UTF-8.
    pub fn text(&self, name: &str) -> Result<&'a str, SourceError> {
        if self.is_too_long() {
            return Err(self.too_long(name));
        }
        std::str::from_utf8(self.bytes).map_err(|error| {
            let start = error.valid_up_to();
            let text = String::from_utf8_lossy(self.bytes).into_owned();
            let span = Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8());
            let error = Diagnostic::new(span, "not UTF-8", "this is not a character");
            self.error(name, text, error.with_help("convert the file to UTF-8"))
        })
    }

    /// Only the start of the line is kept to be shown.
    fn too_long(&self, name: &str) -> SourceError {
        let start = &self.bytes[..self.bytes.len().min(100)];
        let message = format!("the line is longer than {} bytes", self.max_bytes);
        let error = Diagnostic::new(Span::default(), message, "starts here");
        let help = "each session is a line of its own; split the session, or the file into lines";
        self.error(name, String::from_utf8_lossy(start).into_owned(), error.with_help(help))
    }

    fn error(&self, name: &str, text: String, diagnostic: Diagnostic) -> SourceError {
        SourceError::new(Source::at_line(name, text, self.number), diagnostic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    type Lines = Vec<Result<(usize, String), String>>;

    fn read_by(bytes: &[u8], chunk_bytes: usize, max_bytes: usize) -> Lines {
        let flat = |e: SourceError| e.lines().collect::<Vec<_>>().join("|");
        let mut all = Vec::new();
        for chunk in LineChunks::new("f", bytes).with_bounds(chunk_bytes, max_bytes) {
            match chunk {
                Ok(chunk) => all.extend(chunk.lines().map(|line| {
                    line.text("f").map(|text| (line.number, text.to_owned())).map_err(flat)
                })),
                Err(error) => all.push(Err(flat(error))),
            }
        }
        all
    }

    /// The same lines whatever the size of chunks.
    fn read(bytes: &[u8], max_bytes: usize) -> Lines {
        let lines = read_by(bytes, 1 << 18, max_bytes);
        for chunk_bytes in 1..20 {
            assert_eq!(read_by(bytes, chunk_bytes, max_bytes), lines, "chunks of {chunk_bytes}");
        }
        lines
    }

    #[test]
    fn blank_lines_ends_and_marks_are_not_text() {
        let lines = read("\u{feff}a\r\n \t\n\nb\n".as_bytes(), 99);
        assert_eq!(lines, [Ok((1, "a".to_owned())), Ok((4, "b".to_owned()))]);
        assert_eq!(read(b"", 99), []);
        assert_eq!(read(b"\n\n", 99), []);
    }

    #[test]
    fn a_long_line_is_an_error_and_the_next_is_read() {
        let lines = read(b"aaaa\naaaaa\nb", 4);
        let long = Err("f:2:1: the line is longer than 4 bytes".to_owned());
        assert_eq!(lines, [Ok((1, "aaaa".to_owned())), long, Ok((3, "b".to_owned()))]);
        let lines = read(b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nb\nccccccc", 4);
        assert_eq!(lines[1], Ok((2, "b".to_owned())));
        assert_eq!(lines[2], Err("f:3:1: the line is longer than 4 bytes".to_owned()));
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error_at_their_place() {
        let lines = read(b"a\n\xc3\xa9\xff\xffb\nc", 99);
        assert_eq!(lines[1], Err("f:2:2: not UTF-8".to_owned()));
        assert_eq!(lines[2], Ok((3, "c".to_owned())));
    }

    #[test]
    fn a_failing_reader_ends_with_its_error() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("unplugged"))
            }
        }
        let reader = io::BufReader::new(b"a\nb\npart".chain(Broken));
        let mut chunks = LineChunks::new("f", reader);
        let chunk = chunks.next().expect("an item").expect("whole lines");
        assert_eq!(chunk.lines().count(), 2);
        let error = chunks.next().expect("an item").expect_err("an error");
        assert_eq!(error.lines().collect::<Vec<_>>(), ["f:3:1: cannot read on: unplugged"]);
        assert!(chunks.next().is_none());
    }
}
