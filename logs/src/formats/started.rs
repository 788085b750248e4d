//! Records of plain text over several lines: each begins with a line that matches `start`.

// A record ends where the next one starts, so its end is known only after the next line. One thread
// cuts the input into frames of whole lines, searches each from the back for the last line that
// starts a record, and carries the text from there on to the next frame. That is one short search a frame
// in logs of short records, and one search a line inside of a record longer than a frame. The threads
// that parse find the starts in a frame again.
//
// Invariant: a frame begins with a line that starts a record, unless no such line came before it.
// After a record that is too long, the lines up to the next start belong to it and are left out.

use super::context::InputContext;
use super::frames::{Fault, Frame, Frames, Lines, SHOWN_BYTES, count_lines};
use super::input::InputReader;
use super::log_format::{BatchSource, Each, NextBatch};
use super::patterns::Patterns;
use super::records::{FrameBatch, FrameParser, next_frame, one, text_of, trim_end};
use crate::error::EventError;
use crate::record::{RecordPlace, Values};
use memchr::{memchr, memrchr};
use regex_automata::meta::Regex;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

/// The patterns of records, and that of their first lines.
pub(crate) struct StartedRecords {
    pub(crate) patterns: Patterns,
    pub(crate) start: Regex,
}

/// An input of such records.
pub(crate) struct StartedSource<'r> {
    frames: Frames<InputReader<'r>, Lines>,
    parser: Arc<StartedRecords>,
    context: Arc<InputContext>,
    /// The last record that has started, which may go on.
    open: Option<Frame>,
    /// Whether the lines up to the next start belong to a record that is too long.
    is_skipping: bool,
    /// The frames that are whole.
    ready: VecDeque<Frame>,
    /// Why the input cannot be read on, reported after the records before it.
    failure: Option<EventError>,
    is_over: bool,
}

impl<'r> StartedSource<'r> {
    pub(crate) fn new(
        frames: Frames<InputReader<'r>, Lines>,
        parser: StartedRecords,
        context: &Arc<InputContext>,
    ) -> StartedSource<'r> {
        StartedSource {
            frames,
            parser: Arc::new(parser),
            context: Arc::clone(context),
            open: None,
            is_skipping: false,
            ready: VecDeque::new(),
            failure: None,
            is_over: false,
        }
    }

    fn read_on(&mut self) {
        match next_frame(&mut self.frames, &self.context) {
            Ok(Some(frame)) if frame.fault.is_some() => self.take_long_line(frame),
            Ok(Some(frame)) => self.take_lines(frame),
            end => {
                self.failure = end.err();
                self.is_over = true;
                self.ready.extend(self.open.take());
            }
        }
    }

    fn take_lines(&mut self, mut frame: Frame) {
        if self.is_skipping {
            let Some(start) = self.parser.next_start(&frame.bytes) else { return };
            frame.line += count_lines(&frame.bytes[..start]);
            frame.bytes.drain(..start);
            self.is_skipping = false;
        }
        match (self.parser.last_start(&frame.bytes), self.open.take()) {
            (None, None) => self.ready.push_back(frame),
            (None, Some(mut open)) => {
                open.bytes.append(&mut frame.bytes);
                self.keep_open(open);
            }
            (Some(start), open) => {
                let rest = frame.bytes.split_off(start);
                let line = frame.line + count_lines(&frame.bytes);
                self.hand_out(open, frame);
                self.open = Some(Frame { line, before: 0, bytes: rest, fault: None });
            }
        }
    }

    /// Hands out the record that was open, and the lines behind it.
    fn hand_out(&mut self, open: Option<Frame>, mut lines: Frame) {
        let whole = match open {
            Some(mut open) => {
                open.bytes.append(&mut lines.bytes);
                open
            }
            None => lines,
        };
        if !whole.bytes.is_empty() {
            self.ready.push_back(whole);
        }
    }

    /// A record that goes on, unless it is too long by now.
    fn keep_open(&mut self, open: Frame) {
        if open.bytes.len() > self.context.max_bytes {
            self.ready.push_back(self.too_long(open));
            self.is_skipping = true;
        } else {
            self.open = Some(open);
        }
    }

    /// Only the start is kept to be shown.
    fn too_long(&self, mut frame: Frame) -> Frame {
        frame.bytes.truncate(SHOWN_BYTES);
        Frame { fault: Some(Fault::TooLong(self.context.max_bytes)), ..frame }
    }

    /// A line that is longer than a record may be; only its beginning is known.
    fn take_long_line(&mut self, frame: Frame) {
        let is_start = self.parser.start.is_match(&frame.bytes);
        match self.open.take() {
            Some(open) if is_start => self.ready.extend([open, frame]),
            Some(open) => self.ready.push_back(self.too_long(open)),
            None if self.is_skipping && !is_start => {}
            None => {
                self.ready.push_back(frame);
                self.is_skipping = is_start;
                return;
            }
        }
        self.is_skipping = true;
    }
}

impl BatchSource for StartedSource<'_> {
    fn next_batch(&mut self) -> NextBatch {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(FrameBatch::boxed(frame, &self.parser)));
            }
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.is_over {
                return Ok(None);
            }
            self.read_on();
        }
    }
}

impl StartedRecords {
    fn is_start(&self, line: &[u8]) -> bool {
        self.start.is_match(trim_end(line))
    }

    /// Where the first line begins that starts a record.
    fn next_start(&self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            let end = line_end(bytes, at);
            if self.is_start(&bytes[at..end]) {
                return Some(at);
            }
            at = end;
        }
        None
    }

    /// Where the next record begins, behind the first line of one: at the next start, or at a line that looks like one that
    /// is damaged.
    fn next_record(&self, shape: &[u8], rest: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < rest.len() {
            let end = line_end(rest, at);
            if self.is_start(&rest[at..end]) || is_like(shape, &rest[at..end]) {
                return Some(at);
            }
            at = end;
        }
        None
    }

    /// Where the last line begins that starts a record.
    fn last_start(&self, bytes: &[u8]) -> Option<usize> {
        let mut end = bytes.len();
        while end > 0 {
            let start = memrchr(b'\n', &bytes[..end - 1]).map_or(0, |at| at + 1);
            if self.is_start(&bytes[start..end]) {
                return Some(start);
            }
            end = start;
        }
        None
    }
}

impl FrameParser for StartedRecords {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let whole = std::str::from_utf8(&frame.bytes).ok();
        let (mut values, mut search) = (Values::default(), self.patterns.search());
        let (mut at, mut line, mut is_started, mut shape) = (0, frame.line, false, 0..0);
        while at < frame.bytes.len() {
            let first = line_end(&frame.bytes, at);
            let start = self.start.find(trim_end(&frame.bytes[at..first])).map(|it| it.end());
            let is_start = start.is_some();
            is_started |= is_start;
            shape = start.map_or(shape, |end| at..at + end);
            let next = match is_started {
                true => self.next_record(&frame.bytes[shape.clone()], &frame.bytes[first..]),
                false => Some(0),
            };
            let end = next.map_or(frame.bytes.len(), |next| first + next);
            let bytes = without_line_ends(&frame.bytes[at..end]);
            if !bytes.trim_ascii().is_empty() {
                let text = whole.map(|text| &text[at..at + bytes.len()]);
                match text_of(context, line, bytes, text).map(joined) {
                    Ok(text) => one(
                        context,
                        (RecordPlace::line(line), &text),
                        &mut values,
                        each,
                        |text, values| {
                            match is_start {
                                true => self.patterns.read(text, &mut search, values),
                                false => self.patterns.read_before_start(text, values),
                            }
                            Ok(())
                        },
                    ),
                    Err(error) => each(Err(error)),
                }
            }
            line += count_lines(&frame.bytes[at..end]);
            at = end;
        }
    }
}

/// The kinds of characters that times are made of.
fn kind(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => b'0',
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => b'a',
        other => other,
    }
}

/// How many characters of a start are compared, at most.
const MOST_COMPARED: usize = 64;

/// The kinds of the first characters of a text, and how many there are.
fn kinds<const MOST: usize>(text: &[u8]) -> ([u8; MOST], usize) {
    let mut found = [0; MOST];
    let firsts = text.iter().filter(|byte| !matches!(byte, 0x80..0xc0));
    let length = found.iter_mut().zip(firsts).map(|(place, byte)| *place = kind(*byte)).count();
    (found, length)
}

/// Whether a line that starts no record begins nearly like one that does: of four characters one may be of another kind, lost or
/// added, those lost or added at one place. Lines behind a start mostly begin with several blanks, or with other characters.
fn is_like(start: &[u8], line: &[u8]) -> bool {
    const LEAST: usize = 5;
    const LEAST_DIGITS: usize = 2;
    if line.iter().take(2).all(u8::is_ascii_whitespace) {
        return false;
    }
    let (start, length) = kinds::<MOST_COMPARED>(start);
    let start = &start[..length];
    let digits = start.iter().filter(|kind| **kind == b'0').count();
    if length < LEAST || digits < LEAST_DIGITS {
        return false;
    }
    let (line, length) = kinds::<{ MOST_COMPARED + MOST_COMPARED / 4 }>(line);
    let line = &line[..length];
    let same = start.iter().zip(line).take_while(|(one, other)| one == other).count();
    let most = start.len() / 4;
    (0..=most).flat_map(|moved| [(moved, 0), (0, moved)]).any(|(lost, added)| {
        let rests = (start.get(same + lost..), line.get(same + added..));
        let (Some(rest), Some(other)) = rests else { return false };
        let others = rest.iter().zip(other).filter(|(one, other)| one != other).count();
        rest.len() <= other.len() && lost + added + others <= most
    })
}

/// Where the line ends that begins at a place.
fn line_end(bytes: &[u8], start: usize) -> usize {
    memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at + 1)
}

/// A record without the line ends and blank lines behind it.
fn without_line_ends(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'));
    &bytes[..end.map_or(0, |end| end + 1)]
}

/// The lines of a record with `\n` between them, whatever the file has there.
fn joined(text: &str) -> Cow<'_, str> {
    match memchr(b'\r', text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace("\r\n", "\n")),
        None => Cow::Borrowed(text),
    }
}
