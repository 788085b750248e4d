//! OTLP as protobuf: one request, or several with their lengths.

use super::fields::AskedFields;
use super::messages::{Entry, KeyValue, LogRecord, Request, ResourceGroup, Span};
use super::proto_in_place;
use crate::error::EventError;
use crate::format::Format;
use crate::formats::context::InputContext;
use crate::formats::input::{InputReader, RAISE};
use crate::formats::log_format::{
    Batch, BatchSource, Each, Head, LogFormat, NextBatch, Opened, Opening, Proposal, Sign,
};
use crate::formats::spans;
use crate::formats::twice::{KEEP_ONE, Seen, TWICE};
use crate::record::RecordPlace;
use prost::Message;
use prost::bytes::Bytes;
use prost::encoding::{DecodeContext, decode_key, decode_varint, skip_field};
use std::io::{self, Read};
use std::sync::Arc;

pub(crate) struct OtlpProto;

impl LogFormat for OtlpProto {
    /// Field 1 of a request, or the first byte of a length.
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let is_request = matches!(head.bytes().first(), Some(0 | 0x0a));
        head.has_extension(&["pb", "binpb", "otlp"]).filter(|_| is_request)
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let Opening { reader, context, .. } = opening;
        Ok(Box::new(RequestSource {
            requests: Requests::new(reader, context.max_bytes),
            asked: Arc::new(AskedFields::new(&context.fields)),
            context: Arc::clone(context),
        }))
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        Ok(spans::proposal(Format::OtlpProto))
    }
}

const HELP: &str = "is the file cut off, or in another format? [input] format = \"…\" names it";

/// An input that is cut by requests.
struct RequestSource<'r> {
    requests: Requests<InputReader<'r>>,
    asked: Arc<AskedFields>,
    context: Arc<InputContext>,
}

impl BatchSource for RequestSource<'_> {
    fn next_batch(&mut self) -> NextBatch {
        let file = &self.context.file;
        let unreadable = |error: io::Error| EventError::unreadable(file, None, &error);
        let Some((number, request)) = self.requests.next().map_err(unreadable)? else {
            return Ok(None);
        };
        let place = RecordPlace::row(number);
        let wrong = |(why, help): Why| EventError::without_text(file, Some(place), why, help);
        let bytes = request.map_err(wrong)?;
        Ok(Some(Box::new(RequestBatch { place, bytes, asked: Arc::clone(&self.asked) })))
    }
}

/// One request.
struct RequestBatch {
    place: RecordPlace,
    bytes: Vec<u8>,
    asked: Arc<AskedFields>,
}

impl Batch for RequestBatch {
    fn for_each(&self, context: &InputContext, each: &mut Each<'_>) {
        if proto_in_place::each_record(&self.asked, &self.bytes, self.place, each).is_some() {
            return;
        }
        match read(&self.bytes) {
            Ok(request) => {
                self.asked.each_record(&context.file, (&request, self.place), each);
            }
            Err((why, help)) => {
                each(Err(EventError::without_text(&context.file, Some(self.place), why, help)))
            }
        }
    }
}

/// A request of spans or of log records, which have the same field numbers. The bytes of an entry show
/// its kind.
#[derive(Clone, PartialEq, Message)]
struct RawRequest {
    #[prost(message, repeated, tag = "1")]
    groups: Vec<RawGroup>,
}

#[derive(Clone, PartialEq, Message)]
struct RawGroup {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scopes: Vec<RawScope>,
    #[prost(string, tag = "3")]
    schema_url: String,
    /// Before OTLP 0.15: the lists of instrumentation libraries.
    #[prost(message, repeated, tag = "1000")]
    libraries: Vec<RawScope>,
}

impl RawGroup {
    /// The texts beside spans and log records.
    fn names(&self) -> impl Iterator<Item = &str> {
        let scopes = self.scopes.iter().chain(&self.libraries);
        let names = scopes.flat_map(|scope| {
            let library = scope.library.iter().flat_map(|it| [&it.name, &it.version]);
            library.chain([&scope.schema_url])
        });
        names.chain([&self.schema_url]).map(String::as_str)
    }
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "2")]
    dropped_attributes: u32,
    #[prost(message, repeated, tag = "3")]
    entities: Vec<EntityRef>,
}

#[derive(Clone, PartialEq, Message)]
struct EntityRef {
    #[prost(string, tag = "1")]
    schema_url: String,
    #[prost(string, tag = "2")]
    kind: String,
    #[prost(string, repeated, tag = "3")]
    id_keys: Vec<String>,
    #[prost(string, repeated, tag = "4")]
    description_keys: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct RawScope {
    #[prost(message, optional, tag = "1")]
    library: Option<Library>,
    #[prost(bytes = "bytes", repeated, tag = "2")]
    entries: Vec<Bytes>,
    #[prost(string, tag = "3")]
    schema_url: String,
}

/// The library that made the spans or log records of a scope.
#[derive(Clone, PartialEq, Message)]
struct Library {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "4")]
    dropped_attributes: u32,
}

/// Reads a request of spans or of log records.
pub(super) fn read(bytes: &[u8]) -> Result<Request, Why> {
    let not_otlp = |error: prost::DecodeError| (format!("not OTLP: {error}"), HELP);
    let raw = RawRequest::decode(bytes).map_err(not_otlp)?;
    if let Some((message, number)) = unknown_field(bytes).map_err(not_otlp)? {
        let why = format!(
            "{message} has the unknown field {number}, which may hold spans or log records"
        );
        return Err((why, "is the file in another format? else leave that field out"));
    }
    if raw.groups.iter().flat_map(RawGroup::names).any(|name| !proto_in_place::is_name(name)) {
        let why = "a name of a scope or an address of a schema is not a text, and may hold spans or log records";
        return Err((why.to_owned(), "is the file in another format? else leave it out"));
    }
    let mut request = Request::default();
    for group in raw.groups {
        if !group.scopes.is_empty() && !group.libraries.is_empty() {
            let why = "a resource has spans or log records by scopes (field 2) and by libraries (field 1000)";
            return Err((why.to_owned(), "keep one of both, which are mostly the same"));
        }
        let mut entries = Vec::new();
        let scopes = group.scopes.into_iter().chain(group.libraries);
        for bytes in scopes.flat_map(|scope| scope.entries) {
            let entry = entry(&bytes).map_err(not_otlp)?;
            entries.push(entry.map_err(|why| (why, KEEP_ONE))?);
        }
        let Resource { attributes: resource, dropped_attributes, .. } =
            group.resource.unwrap_or_default();
        request.groups.push(ResourceGroup {
            resource,
            dropped: dropped_attributes.into(),
            entries,
        });
    }
    Ok(request)
}

/// A message around or beside spans and log records: its name, and its fields, each with the message in it that is looked
/// into.
struct Level {
    name: &'static str,
    fields: &'static [(u32, Option<&'static Level>)],
}

static REQUEST: Level = Level { name: "the request", fields: &[(1, Some(&GROUP))] };
static GROUP: Level = Level {
    name: "a resource",
    fields: &[(1, Some(&RESOURCE)), (2, Some(&SCOPE)), (3, None), (1000, Some(&SCOPE))],
};
static RESOURCE: Level = Level {
    name: "the description of a resource",
    fields: &[(1, None), (2, None), (3, Some(&ENTITY))],
};
static ENTITY: Level = Level {
    name: "an entity of a resource",
    fields: &[(1, None), (2, None), (3, None), (4, None)],
};
static SCOPE: Level =
    Level { name: "a scope", fields: &[(1, Some(&LIBRARY)), (2, None), (3, None)] };
static LIBRARY: Level = Level {
    name: "the description of a scope",
    fields: &[(1, None), (2, None), (3, None), (4, None)],
};

/// The first field above spans and log records that is not one of OTLP, with the name of its level. The types of the fields
/// are known to be right.
fn unknown_field(bytes: &[u8]) -> Result<Option<(&'static str, u32)>, prost::DecodeError> {
    let mut open = vec![(bytes, &REQUEST)];
    while let Some((mut rest, level)) = open.pop() {
        while !rest.is_empty() {
            let (number, wire_type) = decode_key(&mut rest)?;
            let Some((_, inside)) = level.fields.iter().find(|(known, _)| *known == number) else {
                return Ok(Some((level.name, number)));
            };
            let before = rest;
            skip_field(wire_type, number, &mut rest, DecodeContext::default())?;
            if let Some(inside) = inside {
                let mut field = &before[..before.len() - rest.len()];
                decode_varint(&mut field)?;
                open.push((field, *inside));
            }
        }
    }
    Ok(None)
}

/// A span has its trace id, which is bytes, as field 1; log records have a number there, or begin
/// with a later field.
fn entry(bytes: &Bytes) -> Result<Result<Entry, String>, prost::DecodeError> {
    const TRACE_ID: u8 = 1 << 3 | 2;
    let is_span = bytes.first() == Some(&TRACE_ID);
    let entry = match is_span {
        true => Entry::Span(Span::decode(bytes.clone())?),
        false => Entry::Log(LogRecord::decode(bytes.clone())?),
    };
    let twice = field_twice(bytes, if is_span { &SPAN } else { &LOG_RECORD })?;
    Ok(twice.map_or(Ok(entry), Err))
}

/// A message of a span or a log record: the fields that it has once, and those with messages that are looked into.
struct Part {
    name: &'static str,
    once: &'static [u32],
    inside: &'static [(u32, &'static Part)],
}

static SPAN: Part =
    Part { name: "a span", once: &[1, 2, 4, 5, 6, 7, 8, 15], inside: &[(9, &PAIR), (15, &STATUS)] };
static LOG_RECORD: Part = Part {
    name: "a log record",
    once: &[1, 2, 3, 5, 9, 10, 11, 12],
    inside: &[(5, &VALUE), (6, &PAIR)],
};
static STATUS: Part = Part { name: "a status", once: &[2, 3], inside: &[] };
static PAIR: Part = Part { name: "an attribute", once: &[1, 2], inside: &[(2, &VALUE)] };
/// Of its fields, which are the types that a value may have, there is one: they count as one field.
static VALUE: Part = Part { name: "a value", once: &[], inside: &[(5, &LIST), (6, &TABLE)] };
static LIST: Part = Part { name: "", once: &[], inside: &[(1, &VALUE)] };
static TABLE: Part = Part { name: "", once: &[], inside: &[(1, &PAIR)] };

/// That a field stands twice where it may stand once. The types of the fields are known to be right.
fn field_twice(bytes: &[u8], part: &'static Part) -> Result<Option<String>, prost::DecodeError> {
    let mut open = vec![(bytes, part)];
    while let Some((mut rest, part)) = open.pop() {
        let mut seen = Seen::default();
        while !rest.is_empty() {
            let (number, wire_type) = decode_key(&mut rest)?;
            let before = rest;
            skip_field(wire_type, number, &mut rest, DecodeContext::default())?;
            let once = match std::ptr::eq(part, &VALUE) {
                true => (1..=7).contains(&number).then_some(0),
                false => part.once.contains(&number).then_some(number),
            };
            if once.is_some_and(|it| seen.first(it).is_none()) {
                return Ok(Some(format!("field {number} of {} {TWICE}", part.name)));
            }
            if let Some((_, inside)) = part.inside.iter().find(|(known, _)| *known == number) {
                let mut field = &before[..before.len() - rest.len()];
                decode_varint(&mut field)?;
                open.push((field, *inside));
            }
        }
    }
    Ok(None)
}

/// The requests of a file: several with their lengths in four bytes, the highest first, as the
/// collector's file exporter writes them; or a single one.
#[derive(Debug)]
struct Requests<R> {
    reader: R,
    max_bytes: usize,
    number: u64,
    /// How many empty requests came last.
    empty: u64,
    is_single: bool,
    ended: bool,
}

/// How many empty requests may follow one another. An exporter that has nothing to say writes none;
/// these are zeros of a file that was not written to its end, and each costs a read.
const MOST_EMPTY: u64 = 1024;

const EMPTY_AT_END: &str = "the input ends with empty requests, which no exporter writes";
const CUT_ZEROS_OFF: &str = "were the zeros never written over? cut them off";

/// A request with its number, or why it cannot be read.
type Numbered = (u64, Result<Vec<u8>, Why>);

/// The error of a request, and its remedy.
type Why = (String, &'static str);

impl<R: Read> Requests<R> {
    fn new(reader: R, max_bytes: usize) -> Requests<R> {
        Requests { reader, max_bytes, number: 0, empty: 0, is_single: false, ended: false }
    }

    /// The next request with its number, from 1; `None` at the end. A request that is too long, or
    /// cut off, or follows many empty ones, is the last item, with the reason.
    fn next(&mut self) -> io::Result<Option<Numbered>> {
        loop {
            let next = self.read_next()?;
            if next.is_none() && self.empty > 0 && !self.ended {
                self.ended = true;
                return Ok(Some((self.number, Err((EMPTY_AT_END.to_owned(), CUT_ZEROS_OFF)))));
            }
            let is_empty = matches!(&next, Some((_, Ok(bytes))) if bytes.is_empty());
            if !is_empty {
                self.empty = 0;
                return Ok(next);
            }
            self.empty += 1;
            if self.empty > MOST_EMPTY {
                self.ended = true;
                return Ok(Some((self.number, Err(self.too_many_empty()))));
            }
        }
    }

    fn read_next(&mut self) -> io::Result<Option<Numbered>> {
        if self.ended {
            return Ok(None);
        }
        let mut head = Vec::new();
        self.reader.by_ref().take(4).read_to_end(&mut head)?;
        if head.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        // Field 1 of a request; as a length it would be beyond all limits.
        self.is_single = self.number == 1 && head[0] != 0;
        if self.is_single {
            self.ended = true;
            let most = self.max_bytes as u64 + 1;
            self.reader.by_ref().take(most).read_to_end(&mut head)?;
            let is_short = head.len() <= self.max_bytes;
            let request = if is_short { Ok(head) } else { Err(self.too_long()) };
            return Ok(Some((self.number, request)));
        }
        self.sized(&head)
    }

    fn sized(&mut self, head: &[u8]) -> io::Result<Option<Numbered>> {
        let cut_off =
            || Err(("the input is cut off inside of a request".to_owned(), "give it as a whole"));
        let Ok(length) = <[u8; 4]>::try_from(head) else {
            self.ended = true;
            return Ok(Some((self.number, cut_off())));
        };
        let length = u32::from_be_bytes(length);
        if length as usize > self.max_bytes {
            self.ended = true;
            return Ok(Some((self.number, Err(self.too_long()))));
        }
        let mut bytes = Vec::new();
        self.reader.by_ref().take(u64::from(length)).read_to_end(&mut bytes)?;
        if bytes.len() < length as usize {
            self.ended = true;
            return Ok(Some((self.number, cut_off())));
        }
        Ok(Some((self.number, Ok(bytes))))
    }

    fn too_many_empty(&self) -> Why {
        let first = self.number - MOST_EMPTY;
        let why = format!("{MOST_EMPTY} empty requests before this one, from request {first} on");
        (why, CUT_ZEROS_OFF)
    }

    fn too_long(&self) -> Why {
        let why = format!("the request is longer than {} bytes", self.max_bytes);
        (why, RAISE)
    }
}
