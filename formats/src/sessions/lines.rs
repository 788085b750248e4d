//! The lines of a JSON Lines file, one by one.

use crate::source::{Diagnostic, Source, SourceError, Span};
use std::io::{self, BufRead, Read};

/// The longest line that is read, in bytes.
pub const MAX_LINE_BYTES: u64 = 1 << 30;

/// A line that is not blank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLine {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its text, without its end.
    pub text: String,
}

/// The lines of a reader that are not blank, in order.
///
/// A line that cannot be read is an error, and reading goes on after it; only when the reader
/// itself fails is that error the last item.
///
/// ```
/// use multitrace_formats::sessions::JsonLines;
/// let lines = JsonLines::new("log.jsonl", "{}\n\n{ }".as_bytes());
/// let numbers: Vec<usize> = lines.map(|line| line.expect("readable").number).collect();
/// assert_eq!(numbers, [1, 3]);
/// ```
#[derive(Debug)]
pub struct JsonLines<R> {
    name: String,
    reader: R,
    /// How many lines have been read.
    number: usize,
    max_bytes: u64,
    failed: bool,
}

impl<R: BufRead> JsonLines<R> {
    /// The lines of a reader; `name` is what errors call it.
    pub fn new(name: impl Into<String>, reader: R) -> JsonLines<R> {
        JsonLines { name: name.into(), reader, number: 0, max_bytes: MAX_LINE_BYTES, failed: false }
    }

    /// The same with another bound than [`MAX_LINE_BYTES`].
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: u64) -> JsonLines<R> {
        JsonLines { max_bytes, ..self }
    }

    /// The name errors give the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next line, blank or not, without its end; `None` at the end of the reader.
    fn read_line(&mut self) -> io::Result<Option<Result<String, SourceError>>> {
        let mut bytes = Vec::new();
        let limit = self.max_bytes.saturating_add(1);
        if self.reader.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let is_whole = bytes.pop_if(|byte| *byte == b'\n').is_some();
        if !is_whole && bytes.len() as u64 > self.max_bytes {
            self.reader.skip_until(b'\n')?;
            return Ok(Some(Err(self.too_long(&bytes))));
        }
        bytes.pop_if(|byte| *byte == b'\r');
        Ok(Some(self.decode(bytes)))
    }

    fn decode(&self, bytes: Vec<u8>) -> Result<String, SourceError> {
        match String::from_utf8(bytes) {
            // Some editors put a byte order mark first; it is not part of the text.
            Ok(text) if self.number == 1 && text.starts_with('\u{feff}') => {
                Ok(text.trim_start_matches('\u{feff}').to_owned())
            }
            Ok(text) => Ok(text),
            Err(error) => {
                let start = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let span = Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8());
                let error = Diagnostic::new(span, "not UTF-8", "this is no character");
                Err(self.error(text, error.with_help("convert the file to UTF-8")))
            }
        }
    }

    /// Only the start of the line is kept to be shown.
    fn too_long(&self, bytes: &[u8]) -> SourceError {
        let start = &bytes[..bytes.len().min(100)];
        let message = format!("the line is longer than {} bytes", self.max_bytes);
        let error = Diagnostic::new(Span::default(), message, "starts here");
        let help = "each session is a line of its own; split the session, or the file into lines";
        self.error(String::from_utf8_lossy(start).into_owned(), error.with_help(help))
    }

    fn unreadable(&self, error: &io::Error) -> SourceError {
        let message = format!("cannot read on: {error}");
        let source = Source::at_line(self.name.as_str(), "", self.number + 1);
        SourceError::new(source, Diagnostic::new(Span::default(), message, ""))
    }

    fn error(&self, text: String, diagnostic: Diagnostic) -> SourceError {
        SourceError::new(Source::at_line(self.name.as_str(), text, self.number), diagnostic)
    }
}

impl<R: BufRead> Iterator for JsonLines<R> {
    type Item = Result<RawLine, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            match self.read_line() {
                Ok(None) => return None,
                Ok(Some(Ok(text))) if text.trim().is_empty() => {}
                Ok(Some(line)) => {
                    return Some(line.map(|text| RawLine { number: self.number, text }));
                }
                Err(error) => {
                    self.failed = true;
                    return Some(Err(self.unreadable(&error)));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], max_bytes: u64) -> Vec<Result<(usize, String), String>> {
        let lines = JsonLines::new("f", bytes).with_max_bytes(max_bytes);
        let flat = |e: SourceError| e.lines().collect::<Vec<_>>().join("|");
        lines.map(|line| line.map(|l| (l.number, l.text)).map_err(flat)).collect()
    }

    #[test]
    fn blank_lines_ends_and_marks_are_not_text() {
        let lines = read("\u{feff}a\r\n \t\n\nb\n".as_bytes(), 99);
        assert_eq!(lines, [Ok((1, "a".to_owned())), Ok((4, "b".to_owned()))]);
        assert_eq!(read(b"", 99), []);
    }

    #[test]
    fn a_long_line_is_an_error_and_the_next_is_read() {
        let lines = read(b"aaaa\naaaaa\nb", 4);
        let long = Err("f:2:1: the line is longer than 4 bytes".to_owned());
        assert_eq!(lines, [Ok((1, "aaaa".to_owned())), long, Ok((3, "b".to_owned()))]);
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
        let mut lines = JsonLines::new("f", io::BufReader::new(Broken));
        let error = lines.next().expect("an item").expect_err("an error");
        assert_eq!(error.lines().collect::<Vec<_>>(), ["f:1:1: cannot read on: unplugged"]);
        assert!(lines.next().is_none());
    }
}
