//! Logs of Android's logcat, in its formats `threadtime`, `time` and `brief`.
//!
//! ```text
//! 03-17 16:13:38.811  1702  2395 D WindowManager: hello
//! 03-17 16:13:38.811 D/WindowManager( 1702): hello
//! D/WindowManager( 1702): hello
//! ```

use super::context::InputContext;
use super::frames::{Frame, Lines};
use super::line_cursor::{LineCursor, LineFields, LineValues};
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::records::{FrameParser, each_record_but};
use crate::error::EventError;
use multitrace_formats::source::Diagnostic;
use std::ops::Range;

pub(crate) struct Logcat;

/// The fields, in the order in which [`parse`] returns their values.
const NAMES: [&str; 7] = ["time", "uid", "pid", "tid", "level", "tag", "message"];

/// Lines between the logs of two buffers begin like these, before the name of a buffer; they are not records.
const DIVIDERS: [&[u8]; 2] = [b"--------- beginning of ", b"--------- switch to "];

fn is_divider(line: &[u8]) -> bool {
    let buffer = DIVIDERS.iter().find_map(|divider| line.strip_prefix(*divider));
    // A record may stand behind it, whose line was joined with that of the divider.
    buffer.is_some_and(|name| !name.trim_ascii().iter().any(u8::is_ascii_whitespace))
}

/// The letters of levels, from verbose to silent.
const LEVELS: &str = "VDIWEFAS";

impl LogFormat for Logcat {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let is_record = |line: &&&str| !is_divider(line.as_bytes());
        let mut records = head.lines().iter().filter(is_record).peekable();
        let is_any = records.peek().is_some();
        (is_any && records.all(|line| parse(line).is_ok())).then_some(Sign::Syntax)
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let parser = Entries(LineFields::new(NAMES, &opening.context.fields));
        opening.parsed(Lines, parser)
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        let names = NAMES.map(str::to_owned).to_vec();
        Ok(Proposal::Fields { names, delimiter: None })
    }
}

struct Entries(LineFields<{ NAMES.len() }>);

impl FrameParser for Entries {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        each_record_but(is_divider, (context, frame), Lines, each, |line, values| {
            self.0.set(parse(line)?, values);
            Ok(())
        });
    }
}

/// Where the values of a line are.
fn parse(line: &str) -> Result<LineValues<{ NAMES.len() }>, Diagnostic> {
    let mut cursor = LineCursor::new(line);
    read(&mut cursor).map_err(|error| {
        error.with_help(
            "known are the formats threadtime, time and brief of logcat; others are read by \
             `patterns`",
        )
    })
}

fn read(cursor: &mut LineCursor<'_>) -> Result<LineValues<{ NAMES.len() }>, Diagnostic> {
    let time = read_time(cursor);
    if time.is_some() {
        cursor.spaces();
    }
    match time {
        Some(time) if cursor.rest().starts_with(|c: char| c.is_ascii_digit()) => {
            let ([uid, pid, tid], level) = (read_ids(cursor)?, read_level(cursor)?);
            cursor.expect(" ", "a space")?;
            let tag = until_colon(cursor, ":")?;
            let message = Some(cursor.take_rest());
            Ok([Some(time), uid, pid, tid, Some(level), Some(tag), message])
        }
        time => {
            let level = read_level(cursor)?;
            cursor.expect("/", "`/` and a tag")?;
            let [tag, pid] = tag_and_pid(cursor)?;
            let message = Some(cursor.take_rest());
            Ok([time, None, Some(pid), None, Some(level), Some(tag), message])
        }
    }
}

/// Date and time, maybe with a year.
fn read_time(cursor: &mut LineCursor<'_>) -> Option<Range<usize>> {
    let start = cursor.at();
    cursor.shape("0000-00-00 00:00:00").or_else(|| cursor.shape("00-00 00:00:00"))?;
    if cursor.eat(".") {
        let fraction = cursor.rest().bytes().take_while(u8::is_ascii_digit).count();
        cursor.skip(fraction);
    }
    Some(start..cursor.at())
}

/// User, process and thread; the user may be left out.
fn read_ids(cursor: &mut LineCursor<'_>) -> Result<[Option<Range<usize>>; 3], Diagnostic> {
    let mut id = |what: &str| {
        let digits = cursor.digits(what)?;
        cursor.expect(" ", "a space")?;
        cursor.spaces();
        Ok(digits)
    };
    let (first, second) = (id("the id of the process")?, id("the id of the thread")?);
    match cursor.digits("") {
        Ok(third) => {
            cursor.spaces();
            Ok([Some(first), Some(second), Some(third)])
        }
        Err(_) => Ok([None, Some(first), Some(second)]),
    }
}

fn read_level(cursor: &mut LineCursor<'_>) -> Result<Range<usize>, Diagnostic> {
    match cursor.rest().chars().next() {
        Some(letter) if LEVELS.contains(letter) => Ok(cursor.skip(1)),
        _ => Err(cursor.expected("a level, one of V, D, I, W, E, F, A and S")),
    }
}

/// Reads up to a colon that ends the line or has a space behind it, and that. Blanks before it only
/// fill the column.
fn until_colon(cursor: &mut LineCursor<'_>, colon: &str) -> Result<Range<usize>, Diagnostic> {
    let rest = cursor.rest();
    let mut ends = rest.match_indices(colon).map(|(at, _)| at);
    let is_end = |at: &usize| matches!(rest.as_bytes().get(at + colon.len()), None | Some(b' '));
    let Some(length) = ends.find(is_end) else {
        return Err(cursor.expected(&format!("a tag with `{colon}` behind it")));
    };
    let range = cursor.skip(length);
    cursor.skip(colon.len());
    cursor.eat(" ");
    Ok(range.start..range.start + rest[..length].trim_end().len())
}

/// `TAG( 123):`, where the tag may have brackets, too.
fn tag_and_pid(cursor: &mut LineCursor<'_>) -> Result<[Range<usize>; 2], Diagnostic> {
    let before = cursor.clone();
    let whole = until_colon(cursor, "):")?;
    let text = &before.rest()[..whole.len()];
    let open = text.rfind('(').ok_or_else(|| before.expected("a tag and a process in brackets"))?;
    let pid = text[open + 1..].trim_start();
    if pid.is_empty() || !pid.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(before.expected("a tag and a process in brackets"));
    }
    let tag = whole.start..whole.start + text[..open].trim_end().len();
    Ok([tag, whole.end - pid.len()..whole.end])
}
