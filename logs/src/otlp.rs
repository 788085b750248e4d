//! Spans and log records of OpenTelemetry (OTLP 1), as JSON and as protobuf: one request, or several
//! as the collector's file exporter writes them.

mod fields;
mod json;
mod proto;

use super::field::{FieldId, Fields};
use super::record::{Record, RecordPlace, Values};
use fields::OtlpField;
pub(crate) use proto::Requests;

/// What of spans and log records is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked(Vec<(FieldId, OtlpField)>);

impl Asked {
    pub(crate) fn new(fields: &Fields) -> Asked {
        Asked(fields.iter().map(|(field, path)| (field, OtlpField::new(path))).collect())
    }

    /// The records of a request in JSON.
    pub(crate) fn read_json(
        &self,
        text: &str,
        place: RecordPlace,
        each: &mut dyn FnMut(&Record<'_>),
    ) -> Result<(), serde_json::Error> {
        let request: json::Request = serde_json::from_str(text)?;
        self.each_record(&request.0, place, each);
        Ok(())
    }

    /// The records of a request in protobuf; fails with what is wrong with it.
    pub(crate) fn read_proto(
        &self,
        bytes: &[u8],
        place: RecordPlace,
        each: &mut dyn FnMut(&Record<'_>),
    ) -> Result<(), String> {
        let request = proto::read(bytes)?;
        self.each_record(&request, place, each);
        Ok(())
    }

    fn each_record(
        &self,
        request: &proto::Request,
        place: RecordPlace,
        each: &mut dyn FnMut(&Record<'_>),
    ) {
        let mut values = Values::default();
        let mut item: u32 = 0;
        for group in &request.groups {
            for entry in &group.entries {
                item = item.saturating_add(1);
                values.reset(self.0.len());
                for (field, asked) in &self.0 {
                    values.set_with(*field, |text| asked.write(&group.resource, entry, text));
                }
                each(&values.record("", place.item(item)));
            }
        }
    }
}
