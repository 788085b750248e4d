//! Tables of Arrow arrays, as Parquet and Arrow IPC hold them: columns by name, parts of nested ones
//! by path. A null is an absent value. Numbers, truth values and texts are written as usual;
//! times are in RFC 3339 (in UTC, or without an offset where the column has no time zone); bytes are in hex;
//! lists and other nested values are as Arrow displays them ([`value_text`](super::value_text)).

use super::contain::contained;
use super::context::InputContext;
use super::field_names::quoted;
use super::log_format::Each;
use super::value_text::{TextWriter, text_writer};
use crate::error::EventError;
use crate::field::{FieldId, FieldPath, Fields, Step};
use crate::record::{RecordPlace, Values};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Fields as ArrowFields, Schema};

/// The asked-for columns.
#[derive(Clone, Debug)]
pub(crate) struct Columns(Vec<(FieldId, FieldPath)>);

/// Some rows of a table.
pub(crate) struct TableRows {
    pub(crate) rows: RecordBatch,
    /// The number of the first row, from 1.
    pub(crate) first: u64,
}

impl Columns {
    pub(crate) fn new(fields: &Fields) -> Columns {
        Columns(fields.iter().map(|(field, path)| (field, path.clone())).collect())
    }

    /// Positions of the columns, at the top of a schema, in which asked-for values are.
    pub(crate) fn roots(&self, schema: &Schema) -> Vec<usize> {
        let found = self.0.iter().filter_map(|(_, path)| root(path, schema).map(|(at, _)| at));
        found.collect()
    }

    /// Calls a function for every row.
    pub(crate) fn each(&self, context: &InputContext, table: &TableRows, each: &mut Each<'_>) {
        let chains = contained(|| Ok::<_, String>(self.chains(&table.rows)));
        let shown = chains.and_then(|chains| each_row(&chains, context, table, each));
        if let Err(error) = shown {
            each(Err(not_shown(&context.file, table.first, &error)));
        }
    }

    /// Per asked-for value the arrays down to it.
    fn chains(&self, rows: &RecordBatch) -> Vec<(FieldId, Vec<ArrayRef>)> {
        let found = self.0.iter().map(|(field, path)| Some((*field, chain(path, rows)?)));
        found.flatten().collect()
    }
}

fn not_shown(file: &str, row: u64, error: &str) -> EventError {
    EventError::of(file, Some(RecordPlace::row(row)), format!("a value cannot be shown: {error}"))
}

/// An asked-for value: the arrays down to it, and what writes it.
struct Column<'c> {
    field: FieldId,
    chain: &'c [ArrayRef],
    writer: TextWriter<'c>,
}

fn each_row(
    chains: &[(FieldId, Vec<ArrayRef>)],
    context: &InputContext,
    table: &TableRows,
    each: &mut Each<'_>,
) -> Result<(), String> {
    let mut columns = Vec::new();
    for (field, chain) in chains {
        let Some(last) = chain.last() else { continue };
        let writer = contained(|| text_writer(last.as_ref()))?;
        columns.push(Column { field: *field, chain, writer });
    }
    let mut values = Values::default();
    for row in 0..table.rows.num_rows() {
        values.reset(context.fields.len());
        let written = columns.iter().try_for_each(|column| column.write(row, &mut values));
        let number = table.first + row as u64;
        match written {
            Ok(()) => each(Ok(&values.record("", RecordPlace::row(number)))),
            Err(error) => each(Err(not_shown(&context.file, number, &error))),
        }
    }
    Ok(())
}

impl Column<'_> {
    /// Sets the value of a row, unless it is null.
    fn write(&self, row: usize, values: &mut Values) -> Result<(), String> {
        let mut written = Ok(());
        if self.chain.iter().all(|array| !array.is_null(row)) {
            values.set_with(self.field, |text| {
                written = contained(|| (self.writer)(row, text));
                written.is_ok()
            });
        }
        written
    }
}

/// The column a path begins with, and the steps below it. A column may be called like the whole
/// path, with its dots.
fn root<'p>(path: &'p FieldPath, schema: &Schema) -> Option<(usize, &'p [Step])> {
    let flat = schema.index_of(path.text()).or_else(|_| schema.index_of(&path.flat_name()));
    if let Ok(index) = flat {
        return Some((index, &[]));
    }
    let [Step::Key(first), rest @ ..] = path.steps() else { return None };
    Some((schema.index_of(first).ok()?, rest))
}

/// The arrays from a column down to the asked-for part; the value is null where any of them is.
fn chain(path: &FieldPath, rows: &RecordBatch) -> Option<Vec<ArrayRef>> {
    let (index, steps) = root(path, rows.schema_ref())?;
    let mut chain = vec![ArrayRef::clone(rows.columns().get(index)?)];
    for step in steps {
        let Step::Key(key) = step else { return None };
        let parent = chain.last()?.as_struct_opt()?;
        let child = ArrayRef::clone(parent.column_by_name(key)?);
        chain.push(child);
    }
    Some(chain)
}

/// The columns of a table by path, parts of structures too, with their types.
pub(crate) fn listed(schema: &Schema) -> Vec<(String, String)> {
    let mut columns = Vec::new();
    add_columns("", schema.fields(), &mut columns);
    columns
}

fn add_columns(before: &str, fields: &ArrowFields, columns: &mut Vec<(String, String)>) {
    for field in fields {
        let path = format!("{before}{}", quoted(field.name()));
        match field.data_type() {
            DataType::Struct(inner) => add_columns(&format!("{path}."), inner, columns),
            kind => columns.push((path, kind.to_string())),
        }
    }
}
