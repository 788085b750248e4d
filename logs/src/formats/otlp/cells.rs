//! The asked-for values of the records of a request that is read in place, before they are handed out: behind the request,
//! since a resource may follow its spans, and an error costs the whole request.

use super::fields::{AskedFields, LogField, OtlpField, SpanField, hex, kind};
use crate::formats::log_format::Each;
use crate::record::{RecordPlace, Values};
use std::borrow::Cow;

/// How deep lists and tables of attributes may be nested.
pub(super) const MOST_NESTED: u32 = 16;

/// The value of an asked-for field.
#[derive(Clone, Debug, Default)]
pub(super) enum Cell<'t> {
    /// Not met.
    #[default]
    Open,
    /// Met without a value.
    Empty,
    Text(Cow<'t, str>),
    /// Bytes, whose value is their text in hex.
    Hex(&'t [u8]),
}

impl<'t> Cell<'t> {
    /// An empty text means that there is no value.
    pub(super) fn of_text(text: Cow<'t, str>) -> Cell<'t> {
        if text.is_empty() { Cell::Empty } else { Cell::Text(text) }
    }
}

/// The values of the records of one request.
pub(super) struct RequestCells<'t, 'a> {
    pub(super) asked: &'a AskedFields,
    /// Record by record, a cell for each asked-for field.
    cells: Vec<Cell<'t>>,
    /// The cells of a record that says nothing.
    blank: Vec<Cell<'t>>,
    /// Those of a record that is read, reused from record to record.
    open: Vec<Cell<'t>>,
    groups: Vec<ResourceRecords<'t>>,
}

/// The records of one resource.
struct ResourceRecords<'t> {
    /// Where its cells end.
    end: usize,
    /// A cell for each asked-for field.
    resource: Vec<Cell<'t>>,
}

impl<'t, 'a> RequestCells<'t, 'a> {
    pub(super) fn new(asked: &'a AskedFields) -> RequestCells<'t, 'a> {
        let (cells, blank, open) = (Vec::new(), Vec::new(), Vec::new());
        RequestCells { asked, cells, blank, open, groups: Vec::new() }
    }

    /// Says whether the records are spans or log records.
    pub(super) fn begin(&mut self, is_log: bool) {
        let mut cells = self.open_cells();
        let signal = if is_log { "log" } else { "span" };
        self.set(&mut cells, |it| *it == OtlpField::Signal, signal);
        if !is_log {
            let code = SpanField::status(0);
            self.set(&mut cells, |it| *it == OtlpField::OfSpan(SpanField::Kind), kind(0));
            self.set(&mut cells, |it| *it == OtlpField::OfSpan(SpanField::StatusCode), code);
        }
        self.blank = cells;
    }

    /// The cells of a record that says nothing yet.
    pub(super) fn begin_record(&mut self) -> Vec<Cell<'t>> {
        let mut cells = std::mem::take(&mut self.open);
        cells.clone_from(&self.blank);
        cells
    }

    pub(super) fn end_record(&mut self, mut cells: Vec<Cell<'t>>) {
        self.cells.append(&mut cells);
        self.open = cells;
    }

    /// Ends the records of a resource.
    pub(super) fn end_group(&mut self, resource: Vec<Cell<'t>>) {
        self.groups.push(ResourceRecords { end: self.cells.len(), resource });
    }

    pub(super) fn open_cells(&self) -> Vec<Cell<'t>> {
        vec![Cell::Open; self.asked.0.len()]
    }

    pub(super) fn asks_for(&self, wanted: &OtlpField) -> bool {
        self.asked.0.iter().any(|(_, field)| field == wanted)
    }

    /// Sets the cells of a field of spans or of log records, and of the one that both have.
    pub(super) fn set_field(&self, cells: &mut [Cell<'t>], field: &OtlpField, value: &Cell<'t>) {
        self.put(cells, |it| it == field || is_shared(it, field), value);
    }

    fn set(
        &self,
        cells: &mut [Cell<'t>],
        is_meant: impl Fn(&OtlpField) -> bool,
        text: &'static str,
    ) {
        self.put(cells, is_meant, &Cell::of_text(text.into()));
    }

    pub(super) fn put(
        &self,
        cells: &mut [Cell<'t>],
        is_meant: impl Fn(&OtlpField) -> bool,
        value: &Cell<'t>,
    ) {
        for (cell, _) in cells.iter_mut().zip(&self.asked.0).filter(|(_, (_, it))| is_meant(it)) {
            *cell = value.clone();
        }
    }

    /// Sets the cells of an attribute; `None` if it was met before. `key_of` gives the key that a field asks for here.
    pub(super) fn set_attribute(
        &self,
        cells: &mut [Cell<'t>],
        key_of: impl Fn(&OtlpField) -> Option<&String>,
        (key, value): (&[u8], &Cell<'t>),
    ) -> Option<()> {
        for (cell, (_, field)) in cells.iter_mut().zip(&self.asked.0) {
            if key_of(field).is_some_and(|it| it.as_bytes() == key) {
                if !matches!(cell, Cell::Open) {
                    return None;
                }
                *cell = value.clone();
            }
        }
        Some(())
    }

    /// Calls a function with each record, numbered behind that of a place, and returns the last number.
    pub(super) fn hand_out(&self, place: RecordPlace, each: &mut Each<'_>) -> u32 {
        let (mut values, width) = (Values::default(), self.asked.0.len());
        let (mut start, mut item) = (0, place.item);
        for group in &self.groups {
            for cells in self.cells[start..group.end].chunks(width.max(1)) {
                item = item.saturating_add(1);
                values.reset(width);
                for ((field, asked), (own, of_resource)) in
                    self.asked.0.iter().zip(cells.iter().zip(&group.resource))
                {
                    let cell =
                        if matches!(asked, OtlpField::Resource(_)) { of_resource } else { own };
                    match cell {
                        Cell::Text(text) => values.set_text(*field, text),
                        Cell::Hex(bytes) => values.set_with(*field, |text| {
                            hex(bytes, text);
                            true
                        }),
                        Cell::Open | Cell::Empty => {}
                    }
                }
                each(Ok(&values.record("", place.item(item))));
            }
            start = group.end;
        }
        item
    }
}

/// The key of an attribute of a resource.
pub(super) fn resource_key(field: &OtlpField) -> Option<&String> {
    match field {
        OtlpField::Resource(key) => Some(key),
        _ => None,
    }
}

/// Whether a field is the id of spans and log records alike, and the other one is that id of one of both.
fn is_shared(field: &OtlpField, of_one: &OtlpField) -> bool {
    match of_one {
        OtlpField::OfSpan(SpanField::TraceId) | OtlpField::OfLog(LogField::TraceId) => {
            *field == OtlpField::TraceId
        }
        OtlpField::OfSpan(SpanField::Id) | OtlpField::OfLog(LogField::SpanId) => {
            *field == OtlpField::SpanId
        }
        _ => false,
    }
}

/// The records that two readers of one request make, to compare them.
#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use crate::field::{FieldId, FieldPath, Fields};
    use crate::record::Record;

    pub(in super::super) type Records = Vec<Vec<Option<String>>>;

    pub(in super::super) const ASKED: [&str; 21] = [
        "signal",
        "trace_id",
        "span_id",
        "span.trace_id",
        "span.id",
        "span.parent_id",
        "span.name",
        "span.kind",
        "span.start",
        "span.end",
        "span.status.code",
        "span.status.message",
        "log.time",
        "log.observed_time",
        "log.severity",
        "log.severity_number",
        "log.body",
        "log.event_name",
        "attributes.a",
        "attributes.b.c",
        "resource.service.name",
    ];

    pub(in super::super) fn asked(names: &[&str]) -> (AskedFields, usize) {
        let mut fields = Fields::default();
        for name in names {
            fields.add(FieldPath::parse(name).expect("a path"));
        }
        (AskedFields::new(&fields), fields.len())
    }

    pub(in super::super) fn records(count: usize, read: impl FnOnce(&mut Each<'_>)) -> Records {
        let mut records = Records::new();
        read(&mut |record| {
            let ids = (0..count).map(FieldId::at);
            let values =
                |record: &Record<'_>| ids.map(|id| record.get(id).map(str::to_owned)).collect();
            records.push(record.map_or_else(|_| Vec::new(), values));
        });
        records
    }
}
