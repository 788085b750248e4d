//! The messages of OTLP, as far as they matter here, and their protobuf form. Field numbers are
//! those of opentelemetry-proto 1.

use prost::Message;
use prost::bytes::Bytes;
use std::io::{self, Read};

/// A request, read: spans and log records by their resources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) groups: Vec<Group>,
}

/// What comes from one resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) resource: Vec<KeyValue>,
    pub(crate) entries: Vec<Entry>,
}

/// A span or a log record.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Span(Span),
    Log(Log),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Span {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(crate) name: String,
    #[prost(int32, tag = "6")]
    pub(crate) kind: i32,
    #[prost(fixed64, tag = "7")]
    pub(crate) start: u64,
    #[prost(fixed64, tag = "8")]
    pub(crate) end: u64,
    #[prost(message, repeated, tag = "9")]
    pub(crate) attributes: Vec<KeyValue>,
    #[prost(message, optional, tag = "15")]
    pub(crate) status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Status {
    #[prost(string, tag = "2")]
    pub(crate) message: String,
    #[prost(int32, tag = "3")]
    pub(crate) code: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Log {
    #[prost(fixed64, tag = "1")]
    pub(crate) time: u64,
    #[prost(int32, tag = "2")]
    pub(crate) severity_number: i32,
    #[prost(string, tag = "3")]
    pub(crate) severity: String,
    #[prost(message, optional, tag = "5")]
    pub(crate) body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    pub(crate) attributes: Vec<KeyValue>,
    #[prost(bytes = "vec", tag = "9")]
    pub(crate) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    pub(crate) span_id: Vec<u8>,
    #[prost(fixed64, tag = "11")]
    pub(crate) observed_time: u64,
    #[prost(string, tag = "12")]
    pub(crate) event_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct AnyValue {
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub(crate) value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Value {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Flag(bool),
    #[prost(int64, tag = "3")]
    Integer(i64),
    #[prost(double, tag = "4")]
    Number(f64),
    #[prost(message, tag = "5")]
    List(ValueList),
    #[prost(message, tag = "6")]
    Table(KeyValueList),
    #[prost(bytes = "vec", tag = "7")]
    Bytes(Vec<u8>),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValueList {
    #[prost(message, repeated, tag = "1")]
    pub(crate) values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct KeyValueList {
    #[prost(message, repeated, tag = "1")]
    pub(crate) values: Vec<KeyValue>,
}

/// A request of either kind: their field numbers are the same. What the entries are shows in their
/// own bytes.
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
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct RawScope {
    #[prost(bytes = "bytes", repeated, tag = "2")]
    entries: Vec<Bytes>,
}

/// Reads a request of spans or of log records.
pub(super) fn read(bytes: &[u8]) -> Result<Request, String> {
    let not_otlp = |error: prost::DecodeError| format!("not OTLP: {error}");
    let raw = RawRequest::decode(bytes).map_err(not_otlp)?;
    let mut request = Request::default();
    for group in raw.groups {
        let mut entries = Vec::new();
        for bytes in group.scopes.into_iter().flat_map(|scope| scope.entries) {
            entries.push(entry(&bytes).map_err(not_otlp)?);
        }
        let resource = group.resource.unwrap_or_default().attributes;
        request.groups.push(Group { resource, entries });
    }
    Ok(request)
}

/// A span has its trace id, which is bytes, as field 1; log records have a number there, or begin
/// with a later field.
fn entry(bytes: &Bytes) -> Result<Entry, prost::DecodeError> {
    const TRACE_ID: u8 = 1 << 3 | 2;
    if bytes.first() == Some(&TRACE_ID) {
        Span::decode(bytes.clone()).map(Entry::Span)
    } else {
        Log::decode(bytes.clone()).map(Entry::Log)
    }
}

/// The requests of a file: several with their lengths in four bytes, the highest first, as the
/// collector's file exporter writes them; or a single one.
#[derive(Debug)]
pub(crate) struct Requests<R> {
    reader: R,
    max_bytes: usize,
    number: u64,
    is_single: bool,
    ended: bool,
}

/// A request with its number; or why it cannot be read.
type Numbered = (u64, Result<Vec<u8>, String>);

impl<R: Read> Requests<R> {
    pub(crate) fn new(reader: R, max_bytes: usize) -> Requests<R> {
        Requests { reader, max_bytes, number: 0, is_single: false, ended: false }
    }

    /// The next request with its number, from 1; `None` at the end. A request that is too long, or
    /// cut off, is the last item, with the reason.
    pub(crate) fn next(&mut self) -> io::Result<Option<Numbered>> {
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
        let cut_off = "the input ends inside of a request; is the file cut off?";
        let Ok(length) = <[u8; 4]>::try_from(head) else {
            self.ended = true;
            return Ok(Some((self.number, Err(cut_off.to_owned()))));
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
            return Ok(Some((self.number, Err(cut_off.to_owned()))));
        }
        Ok(Some((self.number, Ok(bytes))))
    }

    fn too_long(&self) -> String {
        format!(
            "the request is longer than {} bytes; raise `max-record` in [input]",
            self.max_bytes
        )
    }
}
