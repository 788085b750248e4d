//! A mapping tried on the beginning of a log: whether it reads the records there.

use crate::batches::RecordBatches;
use crate::format::Format;
use crate::mapping::{Events, MappedRecord, Mapping, ReplyRole};
use crate::record::Record;
use crate::survey::Survey;
use multitrace_formats::source::Source;

/// Of ten records that a mapping should read, how many it must read: a log may have a broken line.
const LEAST_OF_TEN: usize = 9;

/// Whether a mapping makes events of nearly all records that are for it.
pub(super) fn reads(text: &str, survey: &Survey) -> bool {
    let Ok(mapping) = Mapping::parse(&Source::new("proposal", text)) else { return false };
    let options = mapping.input();
    let format = options.format.unwrap_or(survey.format);
    let lines = survey.lines.as_bytes();
    let Ok(batches) = RecordBatches::new("log", lines, format, options, mapping.fields()) else {
        return false;
    };
    let (mut events, mut read, mut not_read) = (Events::default(), 0, 0);
    for batch in batches {
        // The beginning of a long log ends within a document.
        let Ok(batch) = batch else {
            not_read += usize::from(survey.is_whole);
            break;
        };
        batch.for_each(|record| {
            events.clear();
            let Ok(record) = record else {
                not_read += 1;
                return;
            };
            // The names of responses are known when all requests are.
            let role = mapping.replies().and_then(|replies| replies.role(record));
            if role == Some(ReplyRole::Response) && record.patterns().is_read() {
                read += 1;
                return;
            }
            match mapping.map(record, &mut events) {
                MappedRecord::Mapped { .. } => read += events.iter().len().min(1),
                MappedRecord::Dropped { .. } => {}
                MappedRecord::Unmatched => {
                    not_read += usize::from(format == Format::Text && may_be_message(record));
                }
                MappedRecord::Broken { .. } => not_read += 1,
            }
        });
    }
    read > 0 && read * 10 >= (read + not_read) * LEAST_OF_TEN
}

/// Whether a line of text that no pattern matches may hold a message: it has an object or a list of JSON.
fn may_be_message(record: &Record<'_>) -> bool {
    let text = record.text().trim_end();
    text.contains("\"jsonrpc\"") || text.ends_with(']') && text.contains("[2,")
}
