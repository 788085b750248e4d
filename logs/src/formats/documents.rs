//! Records inside of JSON documents: the elements of lists that `records` names, such as `data[].spans[]`, and the values of
//! objects, such as `events.*`.

// Idea: one thread walks the document with a stack of its open objects and lists, compares keys with the paths to
// the records, and takes each record as bytes; brackets and quotes alone say where a value ends. Of the objects around
// the records it keeps the values that the mapping asks for (`^.trace`), as they are written, and of the others it checks that
// they are JSON, up to a size. Any thread parses the
// records afterwards (`document_records`).
//
// Fields around a record may follow it. Records are handed out when the open objects around them are known as
// far as they are asked for, or closed; until then they are kept.
//
// Cost: the walk reads each byte once. In memory are the records of a batch, one record, and the kept values; where
// those stand behind the records, all records before them, and at most `max-record` bytes.

mod errors;

use super::context::InputContext;
use super::document_records::{DocumentRecords, Known, RecordAt, RecordPaths};
use super::document_signs::{Count, FoundSign, SignKind};
use super::frames::{Framer, count_lines};
use super::input::{InputReader, RAISE, unreadable, without_mark};
use super::log_format::{BatchSource, NextBatch, Opened, Opening};
use super::objects::Objects;
use super::pages::{HELP, Pages};
use super::twice::Seen;
use super::value_end::ValueEnd;
use crate::error::EventError;
use crate::record::{LineCounter, RecordPlace};
use memchr::memchr;
use serde::de::IgnoredAny;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

/// Longer values beside records are not held in memory to be checked.
const MOST_CHECKED: usize = 1 << 20;
/// How many keys of one object are remembered: their hashes take about 75 MB then.
const MOST_REMEMBERED: usize = 4_000_000;
/// Opens an input whose records stand in documents.
pub(crate) fn open<'r>(opening: Opening<'r, '_>) -> Opened<'r> {
    let Opening { reader, context, options } = opening;
    let paths = RecordPaths::new(&options.records, &context.fields);
    let paths = paths.with_signs(&options.incomplete, SignKind::Incomplete);
    let paths = paths.with_signs(&options.next_page, SignKind::NextPage);
    let paths = paths.with_signs(&options.page_counts, SignKind::Pages);
    let paths = Arc::new(paths.with_signs(&options.counts, SignKind::Count));
    let input = Bytes {
        reader: without_mark(&context.file, reader)?,
        chunk_bytes: options.batch_bytes.max(1),
        buffer: Vec::new(),
        at: 0,
        line: 1,
        is_over: false,
    };
    Ok(Box::new(Documents {
        input,
        lists: 0,
        is_behind_comma: false,
        documents: 0,
        began: 0,
        without: Without::default(),
        incomplete: None,
        next_page: None,
        page_count: None,
        pages: Pages::default(),
        paths,
        context: Arc::clone(context),
        batch_bytes: options.batch_bytes.max(1),
        open: Vec::new(),
        key: Vec::new(),
        records: DocumentRecords::default(),
        on_line: LineCounter::default(),
        failure: None,
        is_over: false,
    }))
}

/// The bytes of an input, as far as they were read and are needed.
struct Bytes<'r> {
    reader: InputReader<'r>,
    chunk_bytes: usize,
    buffer: Vec<u8>,
    at: usize,
    /// The line at `at`.
    line: u64,
    is_over: bool,
}

impl Bytes<'_> {
    /// Where the next element of a list begins if it is an object, and how many lines end before it.
    fn behind_comma(&self) -> Option<(usize, u64)> {
        let (mut lines, mut has_comma) = (0, false);
        for (index, byte) in self.buffer[self.at..].iter().enumerate() {
            match byte {
                b'\n' => lines += 1,
                b' ' | b'\t' | b'\r' => {}
                b',' if !has_comma => has_comma = true,
                b'{' if has_comma => return Some((self.at + index, lines)),
                _ => return None,
            }
        }
        None
    }
}

/// An object or a list that is open.
struct Open {
    is_list: bool,
    /// Where it is on the way to records.
    node: usize,
    /// The values that are kept of an object. Where one object stands for a list of one, those of the list come first.
    known: Vec<Known>,
    /// Whether a comma must stand before the next element.
    has_some: bool,
    is_behind_comma: bool,
    /// The line on which it begins.
    line: u64,
    /// Whether an object has a list or a record on the way.
    is_reached: bool,
    /// The keys of an object on the way that were met.
    seen: Seen,
    /// Hashes of the other ones, of an object whose values are all on the way.
    others: HashSet<u64>,
    /// The elements of a list, or those of the lists in an object.
    elements: u64,
    /// How many of them there should be.
    count: Option<Count>,
}

impl Open {
    fn new(is_list: bool, node: usize, line: u64) -> Open {
        let (known, seen) = (Vec::new(), Seen::default());
        Open {
            is_list,
            node,
            known,
            has_some: false,
            is_behind_comma: false,
            line,
            is_reached: false,
            seen,
            others: HashSet::new(),
            elements: 0,
            count: None,
        }
    }

    /// Whether a key of an object whose values are all on the way was not met before, as far as keys are remembered.
    fn is_first(&mut self, key: &[u8]) -> bool {
        let mut hasher = DefaultHasher::new();
        hasher.write(key);
        self.others.len() >= MOST_REMEMBERED || self.others.insert(hasher.finish())
    }
}

/// The documents, and the elements of lists on the way to records, that have no list of records: how many, and the line
/// of the first.
#[derive(Default)]
struct Without {
    documents: Option<(u64, u64)>,
    elements: Option<(u64, u64)>,
}

fn count_one(counted: &mut Option<(u64, u64)>, line: u64) {
    let (count, first) = counted.unwrap_or((0, line));
    *counted = Some((count + 1, first));
}

struct Documents<'r> {
    input: Bytes<'r>,
    paths: Arc<RecordPaths>,
    /// How many lists around documents are open.
    lists: u32,
    /// Whether the last sign between documents is a comma.
    is_behind_comma: bool,
    /// How many documents there were, and the line on which the last one begins.
    documents: u64,
    began: u64,
    without: Without,
    /// Why the first document that says so itself is not whole, and its line.
    incomplete: Option<(u64, String)>,
    /// Why the document that is read is followed by another page, and the line that says so.
    next_page: Option<(u64, String)>,
    /// How many pages there are, as the document says that is read.
    page_count: Option<Count>,
    pages: Pages,
    context: Arc<InputContext>,
    batch_bytes: usize,
    open: Vec<Open>,
    /// The key of the last value on the way to records.
    key: Vec<u8>,
    /// The records that were found and not handed out.
    records: DocumentRecords,
    on_line: LineCounter,
    /// Why the input cannot be read on, reported after the records before it.
    failure: Option<EventError>,
    is_over: bool,
}

/// Why a walk ends.
type Walked<T> = Result<T, EventError>;

impl BatchSource for Documents<'_> {
    fn next_batch(&mut self) -> NextBatch {
        while !self.is_over && !self.is_full() {
            match self.step() {
                Ok(true) => {}
                Ok(false) => {
                    self.is_over = true;
                    self.failure = self.without_records().or_else(|| self.not_whole());
                }
                Err(error) => {
                    self.is_over = true;
                    self.failure = Some(error);
                }
            }
        }
        if !self.records.is_empty() {
            let open = self.open.iter_mut().flat_map(|it| &mut it.known);
            open.for_each(|known| known.hand_out(&mut self.records));
            return Ok(Some(mem::take(&mut self.records).into_batch(&self.paths)));
        }
        self.failure.take().map_or(Ok(None), Err)
    }

    fn pages(&mut self) -> Pages {
        mem::take(&mut self.pages)
    }
}

impl Documents<'_> {
    /// Whether there are enough records, and all fields that they ask of the objects around them are known.
    fn is_full(&self) -> bool {
        self.records.bytes() >= self.batch_bytes
            && self.open.iter().flat_map(|it| &it.known).all(Known::is_whole)
    }

    /// Reads on by one element or bracket; false at the end of the input.
    fn step(&mut self) -> Walked<bool> {
        if self.records.bytes() > self.context.max_bytes.max(self.batch_bytes) {
            return Err(self.too_late());
        }
        let Some(byte) = self.next_byte()? else {
            let is_whole = self.open.is_empty() && self.lists == 0 && !self.is_behind_comma;
            return if is_whole { Ok(false) } else { Err(self.cut_off()) };
        };
        let Some(open) = self.open.last_mut() else {
            return self.document(byte).map(|()| true);
        };
        match byte {
            b',' if open.has_some => {
                (open.has_some, open.is_behind_comma) = (false, true);
                self.input.at += 1;
                return Ok(true);
            }
            b']' | b'}' if (byte == b']') == open.is_list && !open.is_behind_comma => {
                self.input.at += 1;
                self.close();
                return Ok(true);
            }
            b']' | b'}' => return Err(self.unexpected(byte)),
            _ if open.has_some => return Err(self.unexpected(byte)),
            _ => (open.has_some, open.is_behind_comma) = (true, false),
        }
        open.elements += u64::from(open.is_list);
        let (node, is_list) = (open.node, open.is_list);
        if is_list {
            let element = self.paths.element(node);
            self.element(element, byte)?;
            if element.is_some_and(|element| self.paths.is_record_alone(element)) {
                self.records_like_the_last();
            }
            return Ok(true);
        }
        self.member(node, byte).map(|()| true)
    }

    /// Reads the elements of a list behind one that is a record, as long as they are objects that the buffer holds whole and the
    /// batch is not full. They have the same objects around them, so that a step for each would ask the same again.
    fn records_like_the_last(&mut self) {
        while self.records.bytes() < self.batch_bytes {
            let Some((from, lines)) = self.input.behind_comma() else { return };
            let mut objects = Objects::inside();
            let Some(length) = objects.first_end(&self.input.buffer[from + 1..]) else { return };
            let record = &self.input.buffer[from..from + 1 + length];
            let line = self.input.line + lines;
            self.records.add_like_the_last(self.on_line.next_item(line), record);
            self.input.line = line + if objects.has_lines() { count_lines(record) } else { 0 };
            self.input.at = from + record.len();
            if let Some(open) = self.open.last_mut() {
                open.elements += 1;
            }
        }
    }

    /// An element of a list, or a value of an object all of whose values are on the way to records.
    fn element(&mut self, node: Option<usize>, byte: u8) -> Walked<()> {
        if node.is_some_and(|node| !self.may_be(node, byte)) {
            let message = match self.open.last().is_none_or(|open| open.is_list) {
                true => "an element of this list is not an object, so that no record can be in it",
                false => "a value of this object is not an object, so that no record can be in it",
            };
            return Err(self.no_object(message));
        }
        if byte == b'n' && node.is_some_and(|node| self.paths.record(node).is_none()) {
            count_one(&mut self.without.elements, self.input.line);
        }
        self.value(node, byte)
    }

    /// A key of an object with its value.
    fn member(&mut self, node: usize, byte: u8) -> Walked<()> {
        let key = self.key(byte)?;
        if self.next_byte()? != Some(b':') {
            return Err(self.unexpected_here());
        }
        self.input.at += 1;
        let Some(first) = self.next_byte()? else { return Err(self.cut_off()) };
        let kept = self.paths.kept(node, &key);
        let has_sign = self.paths.has_sign(node, &key);
        match self.paths.below(node, &key) {
            Some(below) if kept.is_none() && !has_sign => {
                let is_value = self.paths.is_element(below);
                let is_first = |open: &mut Open| match is_value {
                    true => open.is_first(&key),
                    false => open.seen.first(below as u32).is_some(),
                };
                if self.open.last_mut().is_some_and(|open| !is_first(open)) {
                    return Err(self.twice_around(&key));
                }
                self.key = key;
                match is_value {
                    true => self.element(Some(below), first)?,
                    false => self.value(Some(below), first)?,
                }
            }
            below => {
                let range = self.skip(first, kept.is_some() || has_sign)?;
                if has_sign {
                    self.look_for_signs(node, &key, &range);
                }
                let known = self.open.last_mut().and_then(|open| open.known.last_mut());
                if let Some((kept, known)) = kept.zip(known)
                    && !known.set(kept, &self.input.buffer[range])
                {
                    return Err(self.twice_around(&key));
                }
                debug_assert!(below.is_none(), "a path asks for the list of records");
            }
        }
        Ok(())
    }

    /// Looks in the value at a key for signs that records are missing.
    fn look_for_signs(&mut self, node: usize, key: &[u8], value: &Range<usize>) {
        let (line, raw) = (self.input.line, &self.input.buffer[value.clone()]);
        let sign = |kind| self.paths.sign(node, (key, raw), kind);
        let incomplete = sign(SignKind::Incomplete).map(|it| (line, it.words));
        self.incomplete = self.incomplete.take().or(incomplete);
        if let Some(FoundSign { words, page }) = sign(SignKind::NextPage) {
            if let Some((field, value)) = page {
                let next = self.pages.next.entry(field.to_owned()).or_default();
                next.add(&value, &self.context.file, line);
            }
            self.next_page.get_or_insert((line, words));
        }
        let page_count = self.paths.count(node, (key, raw), (SignKind::Pages, line));
        self.page_count = self.page_count.take().or(page_count);
        if let Some(count) = self.paths.count(node, (key, raw), (SignKind::Count, line))
            && let Some(open) = self.open.last_mut()
            && open.count.as_ref().is_none_or(|other| other.wanted < count.wanted)
        {
            open.count = Some(count);
        }
    }

    /// A document, or the text between documents.
    fn document(&mut self, byte: u8) -> Walked<()> {
        match byte {
            b']' if self.lists == 0 => return Err(self.no_beginning("a `]` closes no list")),
            b',' if self.lists == 0 && self.documents == 0 => {
                return Err(self.no_beginning("the input begins with a comma"));
            }
            b',' if self.is_behind_comma => return Err(self.unexpected(byte)),
            // The sign of a sequence (RFC 7464).
            b'\x1e' if self.lists == 0 && !self.is_behind_comma => self.input.at += 1,
            b'[' | b']' | b',' => {
                self.input.at += 1;
                self.is_behind_comma = byte == b',';
                match byte {
                    b'[' => self.lists = self.lists.saturating_add(1),
                    b']' => self.lists -= 1,
                    _ => {}
                }
            }
            b'{' => {
                self.documents += 1;
                self.began = self.input.line;
                self.is_behind_comma = false;
                self.value(Some(RecordPaths::ROOT), byte)?;
            }
            _ => return Err(self.unexpected(byte)),
        }
        Ok(())
    }

    /// A value on the way to records, which begins with a byte; or any other.
    fn value(&mut self, node: Option<usize>, byte: u8) -> Walked<()> {
        let Some(mut node) = node else { return self.skip(byte, false).map(drop) };
        if self.paths.element(node).is_some() && !matches!(byte, b'[' | b'{' | b'n') {
            return self.instead_of_list(byte);
        }
        let mut known: Vec<Known> = self.known(node).into_iter().collect();
        let is_list = self.paths.element(node).is_some();
        // An API that found nothing, or failed, may send null in place of the list.
        if byte != b'n' && (is_list || self.paths.record(node).is_some()) {
            self.reach();
        }
        if byte == b'[' && is_list {
            self.input.at += 1;
            self.open.push(Open { known, ..Open::new(true, node, self.input.line) });
            return Ok(());
        }
        // One value may stand for a list of one.
        while let Some(element) = self.paths.element(node).filter(|_| byte == b'{') {
            node = element;
            known.extend(self.known(node));
            if let Some(open) = self.open.last_mut().filter(|open| !open.is_list) {
                open.elements += 1;
            }
        }
        if let Some(path) = self.paths.record(node) {
            return self.record(path, byte, known);
        }
        if byte == b'[' {
            return Err(self.no_object("a list stands where an object should be"));
        }
        if byte != b'{' {
            return self.skip(byte, false).map(drop);
        }
        self.input.at += 1;
        // An object without values is like an empty list.
        let is_reached = self.paths.has_values(node);
        self.open.push(Open { known, is_reached, ..Open::new(false, node, self.input.line) });
        Ok(())
    }

    /// The values to keep of an object on the way to records.
    fn known(&self, node: usize) -> Option<Known> {
        self.paths.keeps(node).then(|| Known::new(&self.paths, node, &self.key))
    }

    /// Notes that the object that is open has a list or a record on the way.
    fn reach(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.is_reached = true;
        }
    }

    /// A text, a number, or true or false, where a list should be. Only an empty text may stand for an empty list, as
    /// in documents converted from XML.
    fn instead_of_list(&mut self, byte: u8) -> Walked<()> {
        let line = self.input.line;
        let range = self.skip(byte, true)?;
        if self.input.buffer[range] == *b"\"\"" {
            self.reach();
            return Ok(());
        }
        let help = format!("do the `records` of [input] lead to the right list? {}", self.unread());
        Err(self.at_line(line, "a text or a number stands where a list should be", &help))
    }

    /// Whether a value that begins with a byte may be an element of a list on the way to records: an object, a list if the
    /// paths have a list of lists, a record of any kind, or null.
    fn may_be(&self, node: usize, byte: u8) -> bool {
        matches!(byte, b'{' | b'n')
            || byte == b'[' && self.paths.element(node).is_some()
            || self.paths.record(node).is_some()
    }

    /// A record; `known` is kept of itself.
    fn record(&mut self, path: usize, byte: u8, mut known: Vec<Known>) -> Walked<()> {
        let line = self.input.line;
        let range = self.skip(byte, true)?;
        let place = self.on_line.next_item(line);
        // Records of another path may never see the fields that this one asks for, nor wait for them.
        let is_asked = |known: &&mut Known| self.paths.asks(path, known.node());
        let around = self.open.iter_mut().flat_map(|open| &mut open.known).chain(&mut known);
        let around = around.filter(is_asked);
        self.records.add(RecordAt { path, place }, &self.input.buffer[range], around);
        known.into_iter().for_each(|known| known.close(&mut self.records));
        Ok(())
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if self.open.is_empty() {
            self.end_page();
        }
        if let Some(around) = self.open.last_mut().filter(|it| open.is_list && !it.is_list) {
            around.elements += open.elements;
        }
        if let Some(count) = open.count.filter(|count| count.wanted > open.elements) {
            self.add_short(count, open.elements);
        }
        open.known.into_iter().for_each(|known| known.close(&mut self.records));
        if open.is_list || open.is_reached {
            // A list within a list is the element that holds it; an object at a key holds the lists for the one around it.
            if !open.is_list && self.open.last().is_some_and(|around| !around.is_list) {
                self.reach();
            }
            return;
        }
        match self.open.last() {
            None => count_one(&mut self.without.documents, self.began),
            Some(_) if self.paths.is_element(open.node) => {
                count_one(&mut self.without.elements, open.line);
            }
            // The object around it may have another list.
            Some(_) => {}
        }
    }

    /// An object says that its lists are longer. It may be one of several answers that hold all together.
    fn add_short(&mut self, Count { wanted, text, line }: Count, held: u64) {
        self.pages.held += held;
        self.pages.wanted = self.pages.wanted.max(wanted);
        self.pages.short.get_or_insert_with(|| {
            let message = format!("{text}, and the list beside it has {held}: the document does not hold all of them");
            let help = "get the others, and give all of them together; or write incomplete = [] in [input] if the field means \
                        something else";
            let place = Some(RecordPlace::line(line));
            EventError::without_text(&self.context.file, place, message, help)
        });
    }

    /// Counts the document that ends as a page.
    fn end_page(&mut self) {
        if let Some(count) = self.page_count.take() {
            self.pages.add_counted(count, &self.context.file);
        }
        let Some((line, sign)) = self.next_page.take() else {
            self.pages.last += 1;
            return;
        };
        self.pages.unfinished += 1;
        self.pages.first.get_or_insert_with(|| {
            let place = Some(RecordPlace::line(line));
            let message = format!(
                "the document says that another page follows, and no input has the last page: {sign}"
            );
            EventError::without_text(&self.context.file, place, message, HELP)
        });
    }

    /// A key of an object, without its quotes.
    fn key(&mut self, byte: u8) -> Walked<Vec<u8>> {
        if byte != b'"' {
            return Err(self.unexpected(byte));
        }
        let range = self.skip(byte, true)?;
        let raw = &self.input.buffer[range];
        if raw.contains(&0) {
            return Err(self.has_nul());
        }
        if raw.contains(&b'\\') {
            let text = serde_json::from_slice::<String>(raw).map(String::into_bytes);
            return text.map_err(|_| self.unexpected(byte));
        }
        Ok(raw[1..raw.len() - 1].to_vec())
    }

    /// Goes behind a value that begins with a byte, and returns where it is in the buffer if it is kept.
    fn skip(&mut self, byte: u8, is_kept: bool) -> Walked<Range<usize>> {
        let most = if is_kept { self.context.max_bytes } else { usize::MAX };
        let (line, mut read, mut is_whole) = (self.input.line, 0, true);
        let mut end = ValueEnd::new(byte);
        loop {
            let from = self.input.at + read;
            if let Some(more) = end.first_end(&self.input.buffer[from..]) {
                let range = self.input.at..from + more;
                if !is_kept {
                    self.check(&range, is_whole)?;
                }
                if end.has_lines() {
                    self.input.line += count_lines(&self.input.buffer[range.clone()]);
                }
                self.input.at = range.end;
                return Ok(range);
            }
            read = self.input.buffer.len() - self.input.at;
            if read > most {
                let message = format!("the record is longer than {most} bytes");
                let help = format!("{RAISE}, or look for a missing quote or bracket");
                return Err(self.at_line(line, &message, &help));
            }
            if !is_kept && read > MOST_CHECKED {
                self.check(&(self.input.at..self.input.buffer.len()), false)?;
                self.input.line += count_lines(&self.input.buffer[self.input.at..]);
                self.input.at += read;
                (read, is_whole) = (0, false);
            }
            if !self.fill()? {
                if end.is_scalar() && !end.in_string() {
                    let range = self.input.at..self.input.buffer.len();
                    self.input.at = range.end;
                    return Ok(range);
                }
                return Err(self.cut_off());
            }
        }
    }

    /// That a value beside records is JSON, as far as it is in the buffer: behind a lost quote, records would look like text.
    fn check(&mut self, value: &Range<usize>, is_whole: bool) -> Walked<()> {
        let text = &self.input.buffer[value.clone()];
        match is_whole {
            _ if memchr(0, text).is_some() => Err(self.has_nul()),
            true if std::str::from_utf8(text).is_err() => {
                let help = format!("see the encoding of the file; {}", self.unread());
                Err(self.at_line(self.input.line, "not UTF-8 beside the records", &help))
            }
            true => match serde_json::from_slice::<IgnoredAny>(text) {
                Ok(IgnoredAny) => Ok(()),
                Err(error) => Err(self.no_json(value, &error)),
            },
            false => Ok(()),
        }
    }

    /// The next byte that is not white space.
    fn next_byte(&mut self) -> Walked<Option<u8>> {
        loop {
            let Bytes { buffer, at, line, .. } = &mut self.input;
            while let Some(byte) = buffer.get(*at) {
                match byte {
                    b'\n' => *line += 1,
                    b' ' | b'\t' | b'\r' => {}
                    byte => return Ok(Some(*byte)),
                }
                *at += 1;
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Reads about a chunk; false at the end. Text that was walked over is forgotten.
    fn fill(&mut self) -> Walked<bool> {
        let Bytes { reader, chunk_bytes, buffer, at, line, is_over } = &mut self.input;
        if *is_over {
            return Ok(false);
        }
        buffer.drain(..mem::take(at));
        // Twice as much for a long value, so that it is not moved for each chunk.
        let wanted = (*chunk_bytes).max(buffer.len());
        let read = reader.by_ref().take(wanted as u64).read_to_end(buffer);
        let read = read.map_err(|error| unreadable(&self.context.file, *line, &error))?;
        *is_over = read < wanted;
        Ok(read > 0)
    }
}
