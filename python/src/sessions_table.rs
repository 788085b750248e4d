//! Verdicts as a table: one row a session.

use arrow_array::builder::{ArrayBuilder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use multitrace::interaction::Repair;
use multitrace::reports::finding::listed;
use multitrace::{Finding, Place, SessionRow, SessionRows, Verdict};
use std::any::Any;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// The columns: `session`, `verdict`, `findings`, `distance`, `place`, `fingerprint`.
pub(crate) static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        Field::new("session", DataType::Utf8, false),
        Field::new("verdict", DataType::Utf8, false),
        Field::new(
            "findings",
            DataType::List(item(DataType::Struct(FINDING_FIELDS.clone()))),
            false,
        ),
        Field::new("distance", DataType::Int64, true),
        Field::new("place", DataType::Struct(PLACE_FIELDS.clone()), true),
        Field::new("fingerprint", DataType::Utf8, true),
    ]))
});

fn item(kind: DataType) -> FieldRef {
    Arc::new(Field::new("item", kind, true))
}

static FINDING_FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    Fields::from(vec![
        Field::new("code", DataType::Utf8, true),
        Field::new("location", DataType::Utf8, true),
        Field::new("index", DataType::Int64, true),
        Field::new("event", DataType::Utf8, true),
        Field::new("expected", DataType::List(item(DataType::Utf8)), true),
        Field::new("fingerprint", DataType::Utf8, true),
    ])
});

static PLACE_FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    Fields::from(vec![
        Field::new("file", DataType::Utf8, true),
        Field::new("line", DataType::Int64, true),
    ])
});

/// The rows of some sessions while they are made. Most sessions pass, and their rows differ in the name only: one row stands for
/// all of them until the table is made.
#[derive(Debug)]
pub(crate) struct RowBuilders {
    session: StringBuilder,
    /// Per session, its row among the different ones.
    row: Vec<u32>,
    different: DifferentRows,
}

/// The row of all sessions that pass, and those of the others, without their names.
#[derive(Debug)]
struct DifferentRows {
    count: u32,
    verdict: StringBuilder,
    findings: ListBuilder<StructBuilder>,
    distance: Int64Builder,
    place: StructBuilder,
    fingerprint: StringBuilder,
}

impl Default for RowBuilders {
    fn default() -> RowBuilders {
        let mut different = DifferentRows::default();
        different.add(&Verdict::Pass, &[], None, None);
        RowBuilders { session: texts(), row: Vec::with_capacity(ROOM), different }
    }
}

impl Default for DifferentRows {
    fn default() -> DifferentRows {
        DifferentRows {
            count: 0,
            verdict: texts(),
            findings: ListBuilder::with_capacity(
                StructBuilder::from_fields(FINDING_FIELDS.clone(), ROOM),
                ROOM,
            ),
            distance: Int64Builder::with_capacity(ROOM),
            place: StructBuilder::from_fields(PLACE_FIELDS.clone(), ROOM),
            fingerprint: texts(),
        }
    }
}

/// Room for about as many rows as are made at once, so that builders seldom grow; the usual room would be for a
/// thousand.
const ROOM: usize = 128;

fn texts() -> StringBuilder {
    StringBuilder::with_capacity(ROOM, 16 * ROOM)
}

impl SessionRows for RowBuilders {
    fn add(&mut self, row: &SessionRow<'_>) {
        self.session.append_value(row.session);
        let SessionRow { verdict, findings, repair, place, .. } = *row;
        let is_usual =
            *verdict == Verdict::Pass && findings.is_empty() && repair.is_none() && place.is_none();
        let row = if is_usual { 0 } else { self.different.add(verdict, findings, repair, place) };
        self.row.push(row);
    }

    fn finish(self: Box<RowBuilders>) -> Box<dyn Any + Send> {
        Box::new(self.into_table())
    }
}

impl DifferentRows {
    /// Adds a row, and returns its number.
    fn add(
        &mut self,
        verdict: &Verdict,
        findings: &[Finding],
        repair: Option<&Repair>,
        place: Option<&Place>,
    ) -> u32 {
        self.verdict.append_value(verdict.name());
        // Those that session lines of the command line have, too.
        listed(findings).for_each(|(_, it)| add_finding(self.findings.values(), it));
        self.findings.append(true);
        self.distance.append_option(repair.map(|it| it.distance as i64));
        add_place(&mut self.place, place);
        match findings.first() {
            Some(main) => append_fingerprint(&mut self.fingerprint, main),
            None => self.fingerprint.append_null(),
        }
        self.count += 1;
        self.count - 1
    }
}

/// How many sessions become one table: enough that a table costs little, few enough that it is small.
const SESSIONS: usize = 1 << 14;

/// How many pieces become one table, however few their sessions are.
const PIECES: usize = 1 << 10;

/// Puts the rows that threads have made together to larger tables.
#[derive(Debug, Default)]
pub(crate) struct SessionTables {
    /// What waits for more, and its sessions.
    pieces: Vec<RecordBatch>,
    sessions: usize,
}

impl SessionTables {
    /// Adds what [`RowBuilders`] has made. Returns a table when there is enough for one.
    pub(crate) fn add(&mut self, rows: Box<dyn Any + Send>) -> Option<RecordBatch> {
        let Ok(piece) = rows.downcast::<RecordBatch>() else {
            unreachable!("the rows that the options asked for")
        };
        if piece.num_rows() > 0 {
            self.sessions += piece.num_rows();
            self.pieces.push(*piece);
        }
        let is_full = self.sessions >= SESSIONS || self.pieces.len() >= PIECES;
        is_full.then(|| self.take()).flatten()
    }

    /// What is left, unless it is nothing.
    pub(crate) fn take(&mut self) -> Option<RecordBatch> {
        self.sessions = 0;
        match concat_batches(&SCHEMA, &std::mem::take(&mut self.pieces)) {
            Ok(table) => Some(table).filter(|table| table.num_rows() > 0),
            Err(error) => {
                unreachable!("tables of one schema, far below the limit of texts: {error}")
            }
        }
    }
}

impl RowBuilders {
    fn into_table(mut self) -> RecordBatch {
        let DifferentRows { verdict, findings, distance, place, fingerprint, .. } =
            &mut self.different;
        let different: [ArrayRef; 5] = [
            Arc::new(verdict.finish()),
            Arc::new(findings.finish()),
            Arc::new(distance.finish()),
            Arc::new(place.finish()),
            Arc::new(fingerprint.finish()),
        ];
        let rows = UInt32Array::from(self.row);
        let of_all = different.iter().map(|column| take(column, &rows, None));
        let session: ArrayRef = Arc::new(self.session.finish());
        let columns: Result<Vec<_>, _> = std::iter::once(Ok(session)).chain(of_all).collect();
        let table = columns.and_then(|columns| RecordBatch::try_new(Arc::clone(&SCHEMA), columns));
        match table {
            Ok(table) => table,
            Err(error) => {
                unreachable!("rows that are there, of the types of the schema: {error}")
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
    append_fingerprint(field::<StringBuilder>(findings, 5), finding);
    let index = finding.index.map(|index| index as i64);
    field::<Int64Builder>(findings, 2).append_option(index);
    let expected = field::<ListBuilder<Box<dyn ArrayBuilder>>>(findings, 4);
    if let Some(names) = expected.values().as_any_mut().downcast_mut::<StringBuilder>() {
        finding.expected.iter().for_each(|name| names.append_value(name));
    }
    expected.append(true);
    findings.append(true);
}

/// Written without a text of its own: there is one for each session that fails.
fn append_fingerprint(column: &mut StringBuilder, finding: &Finding) {
    match write!(column, "{}", finding.fingerprint) {
        Ok(()) => column.append_value(""),
        Err(error) => unreachable!("columns of texts take all that is written: {error}"),
    }
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
