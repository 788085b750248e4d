//! Verdicts as a table: one row a session.

use crate::words::WORDS;
use arrow_array::builder::{ArrayBuilder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use multitrace::{Finding, SessionRow, SessionRows, Verdict};
use multitrace_formats::place::Place;
use multitrace_reports::finding::listed;
use multitrace_reports::groups::Fingerprint;
use multitrace_reports::repair_view::RepairView;
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

/// The columns after the name.
static WITHOUT_NAMES: LazyLock<SchemaRef> =
    LazyLock::new(|| Arc::new(Schema::new(Fields::from(&SCHEMA.fields()[1..]))));

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
        Field::new("kind", DataType::Utf8, true),
        Field::new("place", DataType::Utf8, true),
        Field::new("other", DataType::Utf8, true),
        Field::new("after", DataType::Utf8, true),
        Field::new("consequences", DataType::Int64, true),
        Field::new("sentence", DataType::Utf8, true),
    ])
});

static PLACE_FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    Fields::from(vec![
        Field::new("file", DataType::Utf8, true),
        Field::new("line", DataType::Int64, true),
    ])
});

/// The rows of some sessions while they are made. Most sessions pass, and their rows differ in the name only: one row
/// stands for all of them until the table is made.
#[derive(Debug)]
pub(crate) struct RowBuilders {
    session: StringBuilder,
    /// Per session, its row: [`PASSING`], or its place among the others, from 1.
    row: Vec<u32>,
    others: Option<OtherRows>,
}

/// The row of all sessions that pass.
const PASSING: u32 = 0;

/// Rows of sessions that do not just pass, without their names.
#[derive(Debug)]
struct OtherRows {
    count: u32,
    verdict: StringBuilder,
    findings: ListBuilder<StructBuilder>,
    distance: Int64Builder,
    place: StructBuilder,
    fingerprint: StringBuilder,
}

impl Default for RowBuilders {
    fn default() -> RowBuilders {
        RowBuilders { session: texts(), row: Vec::with_capacity(ROOM), others: None }
    }
}

impl Default for OtherRows {
    fn default() -> OtherRows {
        OtherRows {
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
        let row = if is_usual {
            PASSING
        } else {
            self.others.get_or_insert_default().add(verdict, findings, repair, place)
        };
        self.row.push(row);
    }

    fn finish(self: Box<RowBuilders>) -> Box<dyn Any + Send> {
        Box::new(self.into_piece())
    }
}

impl OtherRows {
    /// Adds a row, and returns how many there are.
    fn add(
        &mut self,
        verdict: &Verdict,
        findings: &[Finding],
        repair: Option<&RepairView>,
        place: Option<&Place>,
    ) -> u32 {
        self.verdict.append_value(verdict.name());
        // Those that session lines of the command line have, too.
        listed(findings).for_each(|(_, it)| add_finding(self.findings.values(), it));
        self.findings.append(true);
        self.distance.append_option(repair.map(|it| it.distance as i64));
        add_place(&mut self.place, place);
        match findings.first() {
            Some(main) => append_fingerprint(&mut self.fingerprint, main.kind),
            None => self.fingerprint.append_null(),
        }
        self.count += 1;
        self.count
    }

    fn into_table(mut self) -> RecordBatch {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.verdict.finish()),
            Arc::new(self.findings.finish()),
            Arc::new(self.distance.finish()),
            Arc::new(self.place.finish()),
            Arc::new(self.fingerprint.finish()),
        ];
        made(RecordBatch::try_new(Arc::clone(&WITHOUT_NAMES), columns))
    }
}

/// The rows of sessions that were decided together.
#[derive(Debug)]
pub(crate) struct SessionPiece {
    session: StringArray,
    row: Vec<u32>,
    others: Option<RecordBatch>,
}

impl RowBuilders {
    fn into_piece(mut self) -> SessionPiece {
        let others = self.others.map(OtherRows::into_table);
        SessionPiece { session: self.session.finish(), row: self.row, others }
    }
}

impl SessionPiece {
    /// The rows that a run hands on, if its options ask for [`RowBuilders`].
    pub(crate) fn of_run(rows: Box<dyn Any + Send>) -> SessionPiece {
        match rows.downcast::<SessionPiece>() {
            Ok(piece) => *piece,
            Err(_) => unreachable!("the rows that the options asked for"),
        }
    }
}

/// The rows of some thousand sessions. They become a table only when someone asks for it: most who check look at groups
/// and counts.
#[derive(Debug)]
pub(crate) struct SessionBlock {
    session: StringArray,
    /// Per session, its row among the different ones.
    row: UInt32Array,
    /// The columns after `session`; the first row is that of all sessions that pass.
    different: RecordBatch,
}

impl SessionBlock {
    pub(crate) fn table(&self) -> RecordBatch {
        let of_all = self.different.columns().iter().map(|column| take(column, &self.row, None));
        let session: ArrayRef = Arc::new(self.session.clone());
        let columns: Result<Vec<_>, _> = std::iter::once(Ok(session)).chain(of_all).collect();
        made(columns.and_then(|columns| RecordBatch::try_new(Arc::clone(&SCHEMA), columns)))
    }
}

fn made(table: Result<RecordBatch, ArrowError>) -> RecordBatch {
    match table {
        Ok(table) => table,
        Err(error) => {
            unreachable!("columns of the schema, far below the limit of texts: {error}")
        }
    }
}

/// How many sessions become one block: enough that a block costs little, few enough that it is small.
const SESSIONS: usize = 1 << 14;

/// How many pieces become one block, however few their sessions are.
const PIECES: usize = 1 << 10;

/// Puts the pieces that threads have made together to blocks.
#[derive(Debug)]
pub(crate) struct SessionBlocks {
    session: StringBuilder,
    row: Vec<u32>,
    /// The row of all sessions that pass, and then those of the others.
    different: Vec<RecordBatch>,
    different_count: u32,
    pieces: usize,
}

impl Default for SessionBlocks {
    fn default() -> SessionBlocks {
        let mut passing = OtherRows::default();
        let different_count = passing.add(&Verdict::Pass, &[], None, None);
        SessionBlocks {
            session: StringBuilder::new(),
            row: Vec::new(),
            different: vec![passing.into_table()],
            different_count,
            pieces: 0,
        }
    }
}

impl SessionBlocks {
    /// Adds a piece. Returns a block when there is enough for one.
    pub(crate) fn add(&mut self, piece: SessionPiece) -> Option<SessionBlock> {
        if let Err(error) = self.session.append_array(&piece.session) {
            unreachable!("names of some thousand sessions: {error}");
        }
        // Places among the others of a piece begin with 1; here they follow those of the pieces before.
        let before = self.different_count - 1;
        let row = |row: u32| if row == PASSING { PASSING } else { before + row };
        self.row.extend(piece.row.into_iter().map(row));
        if let Some(others) = piece.others {
            self.different_count += others.num_rows() as u32;
            self.different.push(others);
        }
        self.pieces += 1;
        let is_full = self.row.len() >= SESSIONS || self.pieces >= PIECES;
        is_full.then(|| self.take()).flatten()
    }

    /// The rows that are left; `None` without any.
    pub(crate) fn take(&mut self) -> Option<SessionBlock> {
        let SessionBlocks { mut session, row, different, .. } = std::mem::take(self);
        let session = session.finish();
        let different = made(concat_batches(&WITHOUT_NAMES, &different));
        (!row.is_empty()).then(|| SessionBlock { session, row: row.into(), different })
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
    append_fingerprint(field::<StringBuilder>(findings, 5), finding.kind);
    append_fingerprint(field::<StringBuilder>(findings, 6), finding.place);
    let fault = finding.fault.as_ref();
    let texts =
        [(7, fault.and_then(|it| it.other.as_ref())), (8, fault.and_then(|it| it.after.as_ref()))];
    for (column, text) in texts {
        field::<StringBuilder>(findings, column).append_option(text);
    }
    let consequences = fault.map(|it| it.consequences as i64);
    field::<Int64Builder>(findings, 9).append_option(consequences);
    field::<StringBuilder>(findings, 10).append_value(WORDS.text(&finding.title()));
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
fn append_fingerprint(column: &mut StringBuilder, key: Fingerprint) {
    match write!(column, "{key}") {
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
