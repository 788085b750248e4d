//! OTLP as JSON: requests one after another.

use super::fields::AskedFields;
use super::json_in_place;
use super::json_messages::JsonRequest;
use crate::error::EventError;
use crate::format::Format;
use crate::formats::context::InputContext;
use crate::formats::frames::Frame;
use crate::formats::json_fields::not_json;
use crate::formats::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use crate::formats::objects::{self, Objects, each_object_but};
use crate::formats::records::FrameParser;
use crate::formats::spans;
use crate::record::{LineCounter, RecordPlace};
use std::cell::Cell;

pub(crate) struct OtlpJson;

impl LogFormat for OtlpJson {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let keys = [
            "resourceSpans",
            "resourceLogs",
            "resource_spans",
            "scopeSpans",
            "instrumentationLibrarySpans",
        ];
        keys.iter().any(|key| head.has_key(key)).then_some(Sign::Keys)
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let parser = RequestParser(AskedFields::new(&opening.context.fields));
        opening.parsed(Objects::default(), parser)
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        Ok(spans::proposal(Format::OtlpJson))
    }
}

struct RequestParser(AskedFields);

impl FrameParser for RequestParser {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let on_line = Cell::new(LineCounter::behind(frame.line, frame.before));
        let place_on = |line| RecordPlace::line(line).item(on_line.get().before(line));
        let counted = |line, last| on_line.set(LineCounter::behind(line, last));
        let quick = |line, bytes: &[u8], each: &mut Each<'_>| {
            let bytes = (bytes, context.max_bytes);
            let (end, last) = json_in_place::each_record(&self.0, bytes, place_on(line), each)?;
            counted(line, last);
            Some(end)
        };
        each_object_but(quick, (context, frame), each, |place, text, each| {
            match serde_json::from_str::<JsonRequest>(text) {
                Ok(request) => {
                    let request = (&request.0, place_on(place.number));
                    counted(place.number, self.0.each_record(&context.file, request, each));
                }
                Err(error) => {
                    let error = not_json(text, &error);
                    each(Err(EventError::at(&context.file, place.number, text, error)));
                }
            }
        });
    }

    const COUNTS_RECORDS: bool = true;

    fn is_between(byte: u8) -> bool {
        objects::is_between(byte)
    }
}
