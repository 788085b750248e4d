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
use crate::record::RecordPlace;

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
        let quick = |line, bytes: &[u8], each: &mut Each<'_>| {
            json_in_place::each_record(
                &self.0,
                (bytes, context.max_bytes),
                RecordPlace::line(line),
                each,
            )
        };
        each_object_but(quick, (context, frame), each, |place, text, each| {
            match serde_json::from_str::<JsonRequest>(text) {
                Ok(request) => {
                    let request = (&request.0, RecordPlace::line(place.number));
                    self.0.each_record(&context.file, request, each);
                }
                Err(error) => {
                    let error = not_json(text, &error);
                    each(Err(EventError::at(&context.file, place.number, text, error)));
                }
            }
        });
    }

    fn is_between(byte: u8) -> bool {
        objects::is_between(byte)
    }
}
