//! Tables of Arrow arrays, as Parquet and Arrow IPC hold them: columns by name, parts of nested ones
//! by path. A null is an absent value. Numbers, truth values and texts are as they are written;
//! times are in RFC 3339 (in UTC, or without an offset where the column has no time zone); bytes are in hex;
//! lists and other nested values are as Arrow displays them.

use super::contain::contained;
use super::error::EventError;
use super::field::{FieldId, FieldPath, Fields, Step};
use super::plan::Each;
use super::record::{RecordPlace, Values};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Schema};

/// The asked-for columns.
#[derive(Clone, Debug)]
pub(crate) struct Columns(Vec<(FieldId, FieldPath)>);

/// Some rows of a table.
pub(crate) struct Table {
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
    pub(crate) fn each(&self, file: &str, fields: &Fields, table: &Table, each: &mut Each<'_>) {
        let chains = contained(|| Ok::<_, String>(self.chains(&table.rows)));
        let shown = chains.and_then(|chains| each_row(&chains, file, fields, table, each));
        if let Err(error) = shown {
            each(Err(not_shown(file, table.first, &error)));
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

fn each_row(
    chains: &[(FieldId, Vec<ArrayRef>)],
    file: &str,
    fields: &Fields,
    table: &Table,
    each: &mut Each<'_>,
) -> Result<(), String> {
    let options = FormatOptions::new();
    let mut columns = Vec::new();
    for (field, chain) in chains {
        let Some(last) = chain.last() else { continue };
        let formatter = contained(|| ArrayFormatter::try_new(last.as_ref(), &options))?;
        columns.push((*field, chain, formatter));
    }
    let mut values = Values::default();
    for row in 0..table.rows.num_rows() {
        values.reset(fields.len());
        let mut failure = None;
        for (field, chain, formatter) in &columns {
            if chain.iter().all(|array| !array.is_null(row)) {
                values.set_with(*field, |text| {
                    let written = contained(|| formatter.value(row).write(text));
                    failure = failure.take().or(written.err());
                    failure.is_none()
                });
            }
        }
        let number = table.first + row as u64;
        match failure {
            None => each(Ok(&values.record("", RecordPlace::row(number)))),
            Some(error) => each(Err(not_shown(file, number, &error))),
        }
    }
    Ok(())
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
    let last = chain.pop()?;
    chain.push(in_utc(last));
    Some(chain)
}

/// Times with a time zone are shown in UTC; others are as they are.
fn in_utc(array: ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
            arrow_cast::cast(&array, &utc).unwrap_or(array)
        }
        _ => array,
    }
}
