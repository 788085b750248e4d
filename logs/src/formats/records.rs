//! The records of frames: inputs of text, whose records lie one after another.

// All formats of text go through here: a `FrameSource` cuts the input with the `Framer` of the
// format, and a `FrameBatch` finds the records of one frame again with a fresh framer, since only
// the end of the last one is known. UTF-8 is checked once a frame; only a frame that fails is
// checked record by record, so that a bad byte costs its own record. `Values` are reused from
// record to record, so parsing allocates per frame.

use super::context::InputContext;
use super::frames::{Fault, Frame, Framer, Frames, count_lines};
use super::input::{InputReader, RAISE, unreadable, without_mark};
use super::log_format::{Batch, BatchSource, Each, NextBatch, Opened, Opening};
use crate::error::EventError;
use crate::record::{LineCounter, RecordPlace, Values};
use multitrace_formats::source::{Diagnostic, Span};
use std::sync::Arc;

/// A parser of the records of a frame.
pub(crate) trait FrameParser: Send + Sync + 'static {
    /// Calls a function for every record of a frame without faults.
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>);

    /// Whether a part that the framer finds may hold several records, so that their numbers on a line are known only when
    /// they are read.
    const COUNTS_RECORDS: bool = false;

    /// Whether a byte may stand before a record.
    fn is_between(byte: u8) -> bool {
        byte.is_ascii_whitespace()
    }
}

/// An input of frames that are all parsed alike.
pub(crate) struct FrameSource<'r, F, P> {
    frames: Frames<InputReader<'r>, F>,
    parser: Arc<P>,
    context: Arc<InputContext>,
    /// The records of the line on which the last frame ended, if the parser counts them.
    on_line: LineCounter,
}

impl<'r, F: Framer, P: FrameParser> FrameSource<'r, F, P> {
    pub(crate) fn new(
        frames: Frames<InputReader<'r>, F>,
        parser: P,
        context: &Arc<InputContext>,
    ) -> FrameSource<'r, F, P> {
        let (parser, context) = (Arc::new(parser), Arc::clone(context));
        FrameSource { frames, parser, context, on_line: LineCounter::default() }
    }
}

impl<'r> Opening<'r, '_> {
    /// The frames of a text.
    pub(crate) fn frames<F: Framer>(
        self,
        framer: F,
    ) -> Result<Frames<InputReader<'r>, F>, EventError> {
        let reader = without_mark(&self.context.file, self.reader)?;
        Ok(Frames::new(reader, framer, self.options.batch_bytes, self.context.max_bytes))
    }

    /// A text whose frames are all parsed alike.
    pub(crate) fn parsed<F: Framer + Send + 'r>(
        self,
        framer: F,
        parser: impl FrameParser,
    ) -> Opened<'r> {
        let context = self.context;
        Ok(Box::new(FrameSource::new(self.frames(framer)?, parser, context)))
    }
}

impl<F: Framer + Send, P: FrameParser> BatchSource for FrameSource<'_, F, P> {
    fn next_batch(&mut self) -> NextBatch {
        let mut frame = next_frame(&mut self.frames, &self.context)?;
        if let Some(frame) = frame.as_mut().filter(|_| P::COUNTS_RECORDS) {
            self.count(frame);
        }
        Ok(frame.map(|frame| FrameBatch::boxed(frame, &self.parser)))
    }
}

impl<F: Framer, P: FrameParser> FrameSource<'_, F, P> {
    /// Sets how many records of its first line come before a frame. A frame is read for this only if another part stands
    /// behind it on its last line.
    fn count(&mut self, frame: &mut Frame) {
        frame.before = self.on_line.before(frame.line);
        if frame.fault.is_some() || !self.frames.is_inside_line(P::is_between) {
            return;
        }
        let mut last = None;
        self.parser.each(&self.context, frame, &mut |record| {
            let place = record.map_or_else(|error| error.place(), |it| Some(it.place()));
            last = place.or(last);
        });
        if let Some(RecordPlace { number, item, .. }) = last {
            self.on_line = LineCounter::behind(number, item.max(1));
        }
    }
}

/// The next frame of an input; `None` at the end.
pub(crate) fn next_frame<F: Framer>(
    frames: &mut Frames<InputReader<'_>, F>,
    context: &InputContext,
) -> Result<Option<Frame>, EventError> {
    frames.next().map_err(|error| unreadable(&context.file, frames.line(), &error))
}

/// A frame, and its parser.
pub(crate) struct FrameBatch<P> {
    frame: Frame,
    parser: Arc<P>,
}

impl<P: FrameParser> FrameBatch<P> {
    pub(crate) fn boxed(frame: Frame, parser: &Arc<P>) -> Box<dyn Batch> {
        Box::new(FrameBatch { frame, parser: Arc::clone(parser) })
    }
}

impl<P: FrameParser> Batch for FrameBatch<P> {
    fn for_each(&self, context: &InputContext, each: &mut Each<'_>) {
        let FrameBatch { frame, parser } = self;
        match frame.fault {
            None => parser.each(context, frame, each),
            Some(Fault::TooLong(_)) => {
                let (line, bytes) = start_of(frame, P::is_between);
                each(Err(too_long(context, line, bytes)));
            }
            Some(Fault::CutOff(why)) => {
                let (line, bytes) = start_of(frame, P::is_between);
                each(Err(at_start(context, line, bytes, why, "is the file cut off?")));
            }
        }
    }
}

/// Reads the records of a frame one by one. Blank lines are skipped.
pub(crate) fn each_record(
    context: &InputContext,
    frame: &Frame,
    framer: impl Framer,
    each: &mut Each<'_>,
    read: impl FnMut(&str, &mut Values) -> Result<(), Diagnostic>,
) {
    each_record_but(|_| false, (context, frame), framer, each, read);
}

/// The same without those that are not records in this format.
pub(crate) fn each_record_but(
    is_other: impl Fn(&[u8]) -> bool,
    of: (&InputContext, &Frame),
    framer: impl Framer,
    each: &mut Each<'_>,
    mut read: impl FnMut(&str, &mut Values) -> Result<(), Diagnostic>,
) {
    let mut values = Values::default();
    each_text(is_other, of, framer, each, |line, text, each| {
        one(of.0, (RecordPlace::line(line), text), &mut values, each, &mut read);
    });
}

/// Calls a function with the text of each record of a frame, and the line on which it begins.
pub(crate) fn each_text(
    is_other: impl Fn(&[u8]) -> bool,
    (context, frame): (&InputContext, &Frame),
    mut framer: impl Framer,
    each: &mut Each<'_>,
    mut read: impl FnMut(u64, &str, &mut Each<'_>),
) {
    let whole = std::str::from_utf8(&frame.bytes).ok();
    let (mut start, mut line) = (0, frame.line);
    while start < frame.bytes.len() {
        let end = framer.first_end(&frame.bytes[start..]);
        let end = end.map_or(frame.bytes.len(), |end| start + end);
        let bytes = trim_end(&frame.bytes[start..end]);
        // Zeros may stand in place of the end of the line and of records behind it.
        let is_skipped = is_other(bytes) && memchr::memchr(0, bytes).is_none();
        if !bytes.trim_ascii().is_empty() && !is_skipped {
            let text = whole.map(|text| &text[start..start + bytes.len()]);
            match text_of(context, line, bytes, text) {
                Ok(text) => read(line, text, each),
                Err(error) => each(Err(error)),
            }
        }
        line += framer.line_ends(&frame.bytes[start..end]);
        start = end;
    }
}

/// Reads one record, which begins on a line.
pub(crate) fn one(
    context: &InputContext,
    (place, text): (RecordPlace, &str),
    values: &mut Values,
    each: &mut Each<'_>,
    mut read: impl FnMut(&str, &mut Values) -> Result<(), Diagnostic>,
) {
    values.reset(context.fields.len());
    match read(text, values) {
        Ok(()) => each(Ok(&values.record(text, place))),
        Err(error) => each(Err(EventError::of_record(&context.file, place, text, error))),
    }
}

/// Reads several records of a line.
pub(crate) fn each_part(
    context: &InputContext,
    (place, parts): (RecordPlace, &[&str]),
    values: &mut Values,
    each: &mut Each<'_>,
    mut read: impl FnMut(&str, &mut Values) -> Result<(), Diagnostic>,
) {
    for (item, part) in (1..).zip(parts) {
        one(context, (place.item(item), part), values, each, &mut read);
    }
}

/// The text of a record, unless it is too long or no text.
pub(crate) fn text_of<'a>(
    context: &InputContext,
    line: u64,
    bytes: &'a [u8],
    known: Option<&'a str>,
) -> Result<&'a str, EventError> {
    if bytes.len() > context.max_bytes {
        return Err(too_long(context, line, bytes));
    }
    if memchr::memchr(0, bytes).is_some() {
        let help = "is the file cut off, or not a text?";
        return Err(at_start(context, line, bytes, "there are NUL bytes in the line", help));
    }
    match known {
        Some(text) => Ok(text),
        None => {
            let text = std::str::from_utf8(bytes);
            text.map_err(|error| not_utf8(&context.file, line, bytes, &error))
        }
    }
}

/// A line without its end.
pub(crate) fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

pub(crate) fn not_utf8(
    file: &str,
    line: u64,
    bytes: &[u8],
    error: &std::str::Utf8Error,
) -> EventError {
    let start = error.valid_up_to();
    let text = String::from_utf8_lossy(bytes);
    let span = Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8());
    let error = Diagnostic::new(span, "not UTF-8", "this is not a character");
    EventError::at(file, line, &text, error.with_help("convert the file to UTF-8"))
}

/// Only the start of the record is kept to be shown.
fn too_long(context: &InputContext, line: u64, bytes: &[u8]) -> EventError {
    let message = format!("the record is longer than {} bytes", context.max_bytes);
    let help = format!(
        "{RAISE}, look for a missing line end or quote, or read the parts of a long JSON document by `records`"
    );
    at_start(context, line, bytes, &message, &help)
}

/// How much of a faulty record errors show: about the width of a screen.
pub(super) const SHOWN_BYTES: usize = 100;

pub(super) fn at_start(
    context: &InputContext,
    line: u64,
    bytes: &[u8],
    message: &str,
    help: &str,
) -> EventError {
    let start = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let text = String::from_utf8_lossy(&start[..start.len().min(SHOWN_BYTES)]);
    let error = Diagnostic::new(Span::default(), message, "starts here");
    EventError::at(&context.file, line, &text, error.with_help(help))
}

/// The only record of a frame, without the text before it, and its line.
fn start_of(frame: &Frame, is_between: impl Fn(u8) -> bool) -> (u64, &[u8]) {
    let blank = frame.bytes.iter().take_while(|byte| is_between(**byte)).count();
    let (blank, bytes) = frame.bytes.split_at(blank);
    (frame.line + count_lines(blank), bytes)
}
