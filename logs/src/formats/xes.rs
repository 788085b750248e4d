//! Event logs in XES (IEEE 1849). The input is cut by traces. Fields are the attributes of events,
//! `concept:name`, and after `trace.` those of traces, `trace.concept:name`; attributes inside of
//! attributes are not read. A trace without events is a record that has the fields of the trace alone.

use super::context::InputContext;
use super::frames::{Frame, Framer, count_lines};
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::records::{FrameParser, not_utf8};
use super::twice::{KEEP_ONE, stands_twice};
use crate::error::EventError;
use crate::field::{FieldId, FieldPath, Fields, PathStep, flat};
use crate::record::{LineCounter, RecordPlace, Values};
use memchr::{memchr, memmem};
use multitrace_formats::source::{Diagnostic, Span, quote};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::io::{self, Read};

/// An input that fails at its end unless the log was closed: traces that were cut off there leave no sign.
struct WholeLog<R> {
    reader: R,
    ending: Ending,
}

impl<R: Read> Read for WholeLog<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.ending.add(&buffer[..read]);
        if read == 0 && !buffer.is_empty() && !self.ending.closes_log() {
            return Err(io::Error::other(
                "not XES: the log is not closed by </log>; is the file cut off?",
            ));
        }
        Ok(read)
    }
}

/// The end of an input so far, without its comments.
#[derive(Default)]
struct Ending {
    /// The last bytes; of a comment that is open, its beginning and what may begin its end.
    tail: Vec<u8>,
    /// Whether there was anything but blanks.
    has_content: bool,
}

/// How many last bytes are kept: more than the closing tag, or a log without traces in one tag.
const TAIL: usize = 4096;
const COMMENT: &[u8] = b"<!--";
const COMMENT_END: &[u8] = b"-->";

impl Ending {
    fn add(&mut self, bytes: &[u8]) {
        self.has_content |= !bytes.trim_ascii().is_empty();
        let mut all = std::mem::take(&mut self.tail);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        while let Some(begin) = memmem::find(rest, COMMENT) {
            self.tail.extend_from_slice(&rest[..begin]);
            let comment = &rest[begin + COMMENT.len()..];
            let Some(end) = memmem::find(comment, COMMENT_END) else {
                self.tail.extend_from_slice(COMMENT);
                rest = &comment[comment.len().saturating_sub(COMMENT_END.len() - 1)..];
                break;
            };
            rest = &comment[end + COMMENT_END.len()..];
        }
        self.tail.extend_from_slice(rest);
        // One blank is as good as many, which would hide the tag before them.
        let shown = self.tail.trim_ascii_end().len();
        self.tail.truncate(shown + 1);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
    }

    /// Whether the last tag closes a log, or there is nothing but blanks.
    fn closes_log(&self) -> bool {
        let end = self.tail.trim_ascii_end();
        let tag = &end[memchr::memrchr(b'<', end).unwrap_or(end.len())..];
        let Some(inside) = tag.strip_prefix(b"<").and_then(|tag| tag.strip_suffix(b">")) else {
            return !self.has_content;
        };
        let is_whole = inside.starts_with(b"/") || inside.ends_with(b"/");
        let inside = inside.strip_prefix(b"/").unwrap_or(inside);
        let name =
            inside.split(|it| it.is_ascii_whitespace() || *it == b'/').next().unwrap_or(inside);
        // The name may have a prefix of a namespace.
        is_whole && name.rsplit(|it| *it == b':').next() == Some(b"log")
    }
}

pub(crate) struct Xes;

impl LogFormat for Xes {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        // Lines of syslog begin with a number in such brackets.
        let is_xml = head
            .text()
            .strip_prefix('<')
            .is_some_and(|it| !it.starts_with(|c: char| c.is_ascii_digit()));
        let is_log = is_xml && head.text().contains("<log");
        is_log.then_some(Sign::Magic).or_else(|| head.has_extension(&["xes"]))
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let parser = Attributes::new(&opening.context.fields);
        let reader = Box::new(WholeLog { reader: opening.reader, ending: Ending::default() });
        Opening { reader, ..opening }.parsed(Traces::default(), parser)
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        Ok(Proposal::Traces)
    }
}

const TRACE: &[u8] = b"trace";

/// Traces, by their closing tags, with or without a prefix of a namespace.
#[derive(Clone, Debug, Default)]
struct Traces(Tag);

/// How much of a closing tag or of a comment was just read.
#[derive(Clone, Copy, Debug, Default)]
enum Tag {
    #[default]
    Outside,
    Less,
    /// How many bytes of the name were read, after its prefix.
    Name(usize),
    OtherName,
    Space,
    /// How many bytes of `!--` were read.
    Mark(usize),
    /// Inside of a comment, behind this many of two hyphens. Tags in it are text.
    Comment(usize),
}

impl Tag {
    fn after(self, byte: u8) -> Tag {
        match (self, byte) {
            (Tag::Comment(2), b'>') => Tag::Outside,
            (Tag::Comment(hyphens), b'-') => Tag::Comment((hyphens + 1).min(2)),
            (Tag::Comment(_), _) => Tag::Comment(0),
            (Tag::Less, b'!') => Tag::Mark(1),
            (Tag::Mark(1), b'-') => Tag::Mark(2),
            (Tag::Mark(2), b'-') => Tag::Comment(0),
            (_, b'<') => Tag::Less,
            (Tag::Less, b'/') | (Tag::Name(_) | Tag::OtherName, b':') => Tag::Name(0),
            (Tag::Name(read), byte) if TRACE.get(read) == Some(&byte) => Tag::Name(read + 1),
            (Tag::Name(read), byte) if read == TRACE.len() && byte.is_ascii_whitespace() => {
                Tag::Space
            }
            (Tag::Space, byte) if byte.is_ascii_whitespace() => Tag::Space,
            (Tag::Name(_) | Tag::OtherName, byte)
                if !byte.is_ascii_whitespace() && byte != b'>' =>
            {
                Tag::OtherName
            }
            _ => Tag::Outside,
        }
    }

    /// Whether a closing bracket ends a trace.
    fn is_whole(self) -> bool {
        matches!(self, Tag::Space) || matches!(self, Tag::Name(read) if read == TRACE.len())
    }
}

impl Framer for Traces {
    fn first_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            if matches!(self.0, Tag::Outside) {
                at += memchr(b'<', &bytes[at..])?;
            }
            let is_end = self.0.is_whole() && bytes[at] == b'>';
            self.0 = self.0.after(bytes[at]);
            at += 1;
            if is_end {
                return Some(at);
            }
        }
        None
    }
}

/// The asked-for attributes.
#[derive(Clone, Debug)]
struct Attributes(Vec<(FieldId, Attribute)>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Attribute {
    Event(String),
    Trace(String),
}

impl Attributes {
    fn new(fields: &Fields) -> Attributes {
        Attributes(fields.iter().map(|(field, path)| (field, attribute(path))).collect())
    }

    /// The events of a trace, which is read to its end.
    fn emit(&self, context: &InputContext, walk: &mut TraceWalk, each: &mut Each<'_>) {
        if walk.events.is_empty() {
            let place = walk.on_line.next_place(walk.began);
            walk.events.push((place, Pairs::new()));
        }
        let wrong = |(pairs, key): (&Pairs, &str), place| {
            let mut found = pairs.iter().filter(|(other, _)| other == key);
            let (message, help) = match (found.next()?, found.next()) {
                (_, Some(_)) => (stands_twice(key), KEEP_ONE),
                ((_, None), None) => (
                    format!("the attribute {} has no `value`", quote(key)),
                    "write its value, or leave it out of the record",
                ),
                ((_, Some(_)), None) => return None,
            };
            Some(EventError::without_text(&context.file, Some(place), message, help))
        };
        let began = RecordPlace::line(walk.began);
        let mut of_trace = self.0.iter().filter_map(|(_, it)| it.key_of_trace());
        if let Some(error) = of_trace.find_map(|key| wrong((&walk.trace, key), began)) {
            each(Err(error));
            walk.events.clear();
        }
        let of_trace: Vec<Option<&str>> = self.0.iter().map(|(_, it)| it.of_trace(walk)).collect();
        let mut values = Values::default();
        for (place, attributes) in &walk.events {
            let mut own = self.0.iter().filter_map(|(_, it)| it.key_of_event());
            if let Some(error) = own.find_map(|key| wrong((attributes, key), *place)) {
                each(Err(error));
                continue;
            }
            values.reset(context.fields.len());
            for ((field, attribute), known) in self.0.iter().zip(&of_trace) {
                let value = match attribute {
                    Attribute::Event(key) => value_of(attributes, key),
                    Attribute::Trace(_) => *known,
                };
                if let Some(value) = value {
                    values.set_text(*field, value);
                }
            }
            each(Ok(&values.record("", *place)));
        }
        let TraceWalk { line, counted, on_line, .. } = *walk;
        *walk = TraceWalk { line, counted, on_line, ..TraceWalk::default() };
    }
}

impl Attribute {
    fn key_of_event(&self) -> Option<&str> {
        if let Attribute::Event(key) = self { Some(key) } else { None }
    }

    fn key_of_trace(&self) -> Option<&str> {
        if let Attribute::Trace(key) = self { Some(key) } else { None }
    }

    /// Its value, if it is one of the trace.
    fn of_trace<'w>(&self, walk: &'w TraceWalk) -> Option<&'w str> {
        value_of(&walk.trace, self.key_of_trace()?)
    }
}

fn value_of<'p>(pairs: &'p Pairs, key: &str) -> Option<&'p str> {
    pairs.iter().find(|(other, _)| other == key)?.1.as_deref()
}

impl FrameParser for Attributes {
    const COUNTS_RECORDS: bool = true;

    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let text = match std::str::from_utf8(&frame.bytes) {
            Ok(text) => text,
            Err(error) => {
                let error = not_utf8(&context.file, frame.line, &frame.bytes, &error);
                return each(Err(error));
            }
        };
        // Zeros may stand in place of events: all before them is read, and the rest is an error.
        let (text, rest) = text.split_at(memchr(0, text.as_bytes()).unwrap_or(text.len()));
        let mut reader = Reader::from_str(text);
        // The opening tag of the log is in the first frame, its closing tag in the last.
        reader.config_mut().allow_unmatched_ends = true;
        let on_line = LineCounter::behind(frame.line, frame.before);
        let mut walk = TraceWalk { line: frame.line, on_line, ..TraceWalk::default() };
        let read = walk.each_trace(&mut reader, text, |walk| {
            self.emit(context, walk, each);
        });
        if !rest.is_empty() {
            return each(Err(not_xes(
                &context.file,
                frame,
                text,
                text.len(),
                "there are NUL bytes",
            )));
        }
        if let Err(why) = read {
            // The parser names no place of an error that is not its own.
            let position = match reader.error_position() {
                0 => reader.buffer_position().saturating_sub(1),
                position => position,
            };
            let position = usize::try_from(position).unwrap_or(0);
            each(Err(not_xes(&context.file, frame, text, position.min(text.len()), &why)));
        }
    }
}

fn attribute(path: &FieldPath) -> Attribute {
    match path.steps() {
        [PathStep::Key(first), rest @ ..] if first == "trace" && !rest.is_empty() => {
            Attribute::Trace(flat(rest))
        }
        _ => Attribute::Event(path.flat_name()),
    }
}

fn not_xes(file: &str, frame: &Frame, text: &str, position: usize, why: &str) -> EventError {
    let before = &text.as_bytes()[..position];
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let line = frame.line + count_lines(before);
    let shown = text.get(start..).and_then(|text| text.lines().next()).unwrap_or("");
    let span = Span::new(position - start, position - start + 1);
    let error = Diagnostic::new(span, format!("not XES: {why}"), "");
    EventError::at(file, line, shown, error.with_help("is the file cut off, or not XES?"))
}

/// The elements of XES that are attributes, and those that are settings of a log. An element of another name may hold events.
const ATTRIBUTES: [&str; 9] =
    ["string", "date", "int", "float", "boolean", "id", "list", "container", "values"];
const SETTINGS: [&str; 3] = ["extension", "global", "classifier"];

/// Whether the name of an entity is one of XML, or the number of a character.
fn is_of_xml(name: &str) -> bool {
    name.starts_with('#') || matches!(name, "lt" | "gt" | "amp" | "apos" | "quot")
}

const TEXT: &str = "a text between elements, which may hold events";

/// Attributes by their keys; those that hold others may have no value of their own.
type Pairs = Vec<(String, Option<String>)>;

/// Where in a trace the reader is.
#[derive(Default)]
struct TraceWalk {
    line: u64,
    on_line: LineCounter,
    /// The line on which the trace begins.
    began: u64,
    /// The bytes whose lines are counted.
    counted: usize,
    /// The names of the elements that are open, from the trace on.
    open: Vec<String>,
    trace: Pairs,
    events: Vec<(RecordPlace, Pairs)>,
    is_whole: bool,
}

impl TraceWalk {
    /// Reads a text to its end, and calls a function for every trace that is whole.
    fn each_trace(
        &mut self,
        reader: &mut Reader<&[u8]>,
        text: &str,
        mut each: impl FnMut(&mut TraceWalk),
    ) -> Result<(), String> {
        loop {
            let event = reader.read_event().map_err(|error| error.to_string())?;
            if matches!(event, Event::Eof) {
                return self.at_end();
            }
            let position = usize::try_from(reader.buffer_position()).unwrap_or(0);
            self.take(&event, text, position)?;
            if self.is_whole {
                each(self);
            }
        }
    }

    fn take(&mut self, event: &Event<'_>, text: &str, position: usize) -> Result<(), String> {
        let before = self.counted;
        self.counted = position.min(text.len()).max(before);
        let lines = count_lines(&text.as_bytes()[before..self.counted]);
        match event {
            Event::Start(element) => {
                self.start(element)?;
                if !self.open.is_empty() || element.local_name().as_ref() == "trace" {
                    if self.open.is_empty() {
                        self.began = self.line;
                    }
                    self.open.push(element.local_name().as_ref().to_owned());
                }
            }
            Event::Empty(element) => {
                self.start(element)?;
                if self.open.is_empty() && element.local_name().as_ref() == "trace" {
                    (self.began, self.is_whole) = (self.line, true);
                }
            }
            Event::GeneralRef(name) if !is_of_xml(name) => {
                let name: &str = name;
                return Err(format!("the entity `&{name};`, which may stand for events"));
            }
            Event::GeneralRef(_) => return Err(TEXT.to_owned()),
            Event::Text(text) if !text.trim_ascii().is_empty() => return Err(TEXT.to_owned()),
            Event::CData(text) if !text.trim_ascii().is_empty() => return Err(TEXT.to_owned()),
            Event::End(_) if !self.open.is_empty() => {
                self.open.pop();
                self.is_whole = self.open.is_empty();
            }
            _ => {}
        }
        self.line += lines;
        Ok(())
    }

    /// An element that begins: an event, or an attribute of one or of a trace.
    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        let name = element.local_name();
        if name.as_ref() != "event" && name.as_ref().eq_ignore_ascii_case("event") {
            return Err("an event in capitals, which XES does not have".to_owned());
        }
        match (self.open.as_slice(), name.as_ref()) {
            ([], "event") => {
                return Err("an event outside of a trace, which belongs to no session".to_owned());
            }
            ([_], "event") => {
                self.events.push((self.on_line.next_place(self.line), Pairs::new()));
            }
            ([.., open], name @ ("event" | "trace" | "log")) => {
                return Err(format!("an element `{name}` inside of `{open}`, which is not read"));
            }
            ([], "log" | "trace") => {}
            ([], name) if SETTINGS.contains(&name) => {}
            (_, name) if !ATTRIBUTES.contains(&name) => {
                return Err(format!("an element {}, which XES does not have there", quote(name)));
            }
            ([_], _) => self.trace.push(pair(element)?),
            ([_, event], _) if event == "event" => {
                if let Some((_, attributes)) = self.events.last_mut() {
                    attributes.push(pair(element)?);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn at_end(&self) -> Result<(), String> {
        if self.open.is_empty() { Ok(()) } else { Err("it ends inside of a trace".to_owned()) }
    }
}

/// Key and value of an attribute of XES.
fn pair(element: &BytesStart<'_>) -> Result<(String, Option<String>), String> {
    let (mut key, mut value) = (None, None);
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let text = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
        let text = || text.map(|text| text.into_owned()).map_err(|error| error.to_string());
        match attribute.key.as_ref() {
            "key" => key = Some(text()?),
            "value" => value = Some(text()?),
            _ => {}
        }
    }
    let name = element.local_name();
    let key = key.ok_or_else(|| format!("an element {} without a `key`", quote(name.as_ref())))?;
    Ok((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_in_comments_end_no_trace() {
        let text = "<trace><!-- </trace> - -- --></trace ><!----></x:trace><!-<trace></trace>";
        let (mut framer, mut from, mut ends) = (Traces::default(), 0, Vec::new());
        while let Some(end) = framer.first_end(&text.as_bytes()[from..]) {
            ends.push(&text[from..from + end]);
            from += end;
        }
        let [first, second, third] = ends.as_slice() else { panic!("{ends:?}") };
        assert!(first.ends_with("--></trace >") && second.ends_with("</x:trace>"), "{ends:?}");
        assert!(third.starts_with("<!-<trace>"), "{ends:?}");
    }

    /// In pieces of any size.
    fn closes(text: &str) -> bool {
        let mut all = [1, 3, 700, usize::MAX].map(|size| {
            let mut ending = Ending::default();
            text.as_bytes().chunks(size).for_each(|piece| ending.add(piece));
            ending.closes_log()
        });
        all.sort_unstable();
        assert_eq!(all[0], all[3], "{text}");
        all[0]
    }

    #[test]
    fn only_the_end_of_the_log_closes_it() {
        let (blanks, long) = (" \n".repeat(TAIL), "<log/> - ".repeat(TAIL));
        for whole in [
            "",
            "\n",
            &blanks,
            "</log>",
            "</log >\n",
            "</x:log>",
            "<log a='1'/>",
            "</log><!-- a --> <!---->",
            &format!("</log\n  >{blanks}"),
            &format!("<log><trace></trace></log><!--{long}-->\n"),
        ] {
            assert!(closes(whole), "{whole}");
        }
        let cut = [
            "<log>",
            "</trace>",
            "<string key='a'/>",
            "</trace><!-- a -->",
            "</log",
            "</catalog>",
            "</log><trace>",
            "<!-- of May -->",
            "\n<!----> <!-- <log></log> -->\n",
            "<?xml version='1.0'?>",
            "</log><!-- a",
            &format!("</trace>{blanks}"),
            &format!("<log><trace></trace><!--{long}-->"),
            &format!("<!--{long}-->"),
        ];
        for cut in cut {
            assert!(!closes(cut), "{cut}");
        }
    }
}
