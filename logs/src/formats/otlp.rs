//! Spans and log records of OpenTelemetry (OTLP 1), as JSON and as protobuf: one request, or several
//! as the collector's file exporter writes them.

mod fields;
mod json;
mod json_messages;
mod messages;
mod proto;
mod quick;

pub(crate) use json::OtlpJson;
pub(crate) use proto::OtlpProto;
