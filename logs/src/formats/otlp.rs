//! Spans and log records of OpenTelemetry (OTLP 1), as JSON and as protobuf: one request, or several
//! as the collector's file exporter writes them.

mod cells;
mod fields;
mod json;
mod json_in_place;
mod json_messages;
mod messages;
mod proto;
mod proto_in_place;

pub(crate) use json::OtlpJson;
pub(crate) use proto::OtlpProto;
