//! Verdicts as a table: one row a session.

use arrow_array::RecordBatch;
use arrow_array::builder::{ArrayBuilder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use multitrace::reports::finding::listed;
use multitrace::{Finding, Place, SessionVerdict};
use std::sync::{Arc, LazyLock};

/// The rows of one batch: enough that a batch costs little, few enough to grow no large arrays.
const ROWS: usize = 1 << 14;

/// The columns: `session`, `verdict`, `findings`, `distance`, `place`, `fingerprint`.
pub(crate) static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        Field::new("session", DataType::Utf8, false),
        Field::new("verdict", DataType::Utf8, false),
        Field::new("findings", DataType::List(item(DataType::Struct(finding_fields()))), false),
        Field::new("distance", DataType::Int64, true),
        Field::new("place", DataType::Struct(place_fields()), true),
        Field::new("fingerprint", DataType::Utf8, true),
    ]))
});

fn item(kind: DataType) -> FieldRef {
    Arc::new(Field::new("item", kind, true))
}

fn finding_fields() -> Fields {
    Fields::from(vec![
        Field::new("code", DataType::Utf8, true),
        Field::new("location", DataType::Utf8, true),
        Field::new("index", DataType::Int64, true),
        Field::new("event", DataType::Utf8, true),
        Field::new("expected", DataType::List(item(DataType::Utf8)), true),
        Field::new("fingerprint", DataType::Utf8, true),
    ])
}

fn place_fields() -> Fields {
    Fields::from(vec![
        Field::new("file", DataType::Utf8, true),
        Field::new("line", DataType::Int64, true),
    ])
}

/// Verdicts while they come.
#[derive(Debug)]
pub(crate) struct SessionsTable {
    session: StringBuilder,
    verdict: StringBuilder,
    findings: ListBuilder<StructBuilder>,
    distance: Int64Builder,
    place: StructBuilder,
    fingerprint: StringBuilder,
    batches: Vec<RecordBatch>,
}

impl Default for SessionsTable {
    fn default() -> SessionsTable {
        SessionsTable {
            session: StringBuilder::new(),
            verdict: StringBuilder::new(),
            findings: ListBuilder::new(StructBuilder::from_fields(finding_fields(), 0)),
            distance: Int64Builder::new(),
            place: StructBuilder::from_fields(place_fields(), 0),
            fingerprint: StringBuilder::new(),
            batches: Vec::new(),
        }
    }
}

impl SessionsTable {
    /// Adds a session.
    pub(crate) fn add(&mut self, verdict: &SessionVerdict) {
        self.session.append_value(&verdict.session);
        self.verdict.append_value(verdict.verdict.name());
        // Those that session lines of the command line have, too.
        listed(&verdict.findings).for_each(|(_, it)| add_finding(self.findings.values(), it));
        self.findings.append(true);
        self.distance.append_option(verdict.repair.as_ref().map(|it| it.distance as i64));
        add_place(&mut self.place, verdict.place.as_ref());
        let main = verdict.findings.first().map(|it| it.fingerprint.to_string());
        self.fingerprint.append_option(main);
        if self.session.len() >= ROWS {
            self.end_batch();
        }
    }

    /// All rows since the last call.
    pub(crate) fn take(&mut self) -> Vec<RecordBatch> {
        if !self.session.is_empty() {
            self.end_batch();
        }
        std::mem::take(&mut self.batches)
    }

    /// The batches that are full.
    pub(crate) fn take_full(&mut self) -> Vec<RecordBatch> {
        std::mem::take(&mut self.batches)
    }

    fn end_batch(&mut self) {
        let batch = RecordBatch::try_new(
            Arc::clone(&SCHEMA),
            vec![
                Arc::new(self.session.finish()),
                Arc::new(self.verdict.finish()),
                Arc::new(self.findings.finish()),
                Arc::new(self.distance.finish()),
                Arc::new(self.place.finish()),
                Arc::new(self.fingerprint.finish()),
            ],
        );
        match batch {
            Ok(batch) => self.batches.push(batch),
            Err(error) => {
                unreachable!("columns of one length and the types of the schema: {error}")
            }
        }
    }
}

fn add_finding(findings: &mut StructBuilder, finding: &Finding) {
    let texts = [
        (0, Some(finding.code.name())),
        (1, finding.location.as_deref()),
        (3, finding.event.as_deref()),
    ];
    for (column, text) in texts {
        field::<StringBuilder>(findings, column).append_option(text);
    }
    field::<StringBuilder>(findings, 5).append_value(finding.fingerprint.to_string());
    let index = finding.index.map(|index| index as i64);
    field::<Int64Builder>(findings, 2).append_option(index);
    let expected = field::<ListBuilder<Box<dyn ArrayBuilder>>>(findings, 4);
    if let Some(names) = expected.values().as_any_mut().downcast_mut::<StringBuilder>() {
        finding.expected.iter().for_each(|name| names.append_value(name));
    }
    expected.append(true);
    findings.append(true);
}

fn add_place(places: &mut StructBuilder, place: Option<&Place>) {
    field::<StringBuilder>(places, 0).append_option(place.map(|it| &*it.file));
    let line = place.and_then(|it| it.line).map(|line| line as i64);
    field::<Int64Builder>(places, 1).append_option(line);
    places.append(place.is_some());
}

/// The builder of a column, whose type the schema says.
fn field<B: ArrayBuilder>(builder: &mut StructBuilder, column: usize) -> &mut B {
    match builder.field_builder(column) {
        Some(column) => column,
        None => unreachable!("a builder of the type that the schema names"),
    }
}
