//! Tables of Arrow arrays, as Parquet and Arrow IPC hold them: columns by name, parts of nested ones
//! by path ([`column_parts`](super::column_parts)). A null is an absent value. Numbers, truth values and texts are written as usual;
//! times are in RFC 3339 (in UTC, or without an offset where the column has no time zone); bytes are in hex;
//! lists and other nested values are in JSON ([`value_text`](super::value_text)).

use super::column_parts::{ColumnPart, part, root};
use super::contain::contained;
use super::context::InputContext;
use super::field_names::quoted;
use super::log_format::Each;
use super::text_numbers::{TextArray, TextNumbers};
use super::twice::{KEEP_ONE, stands_twice};
use super::value_text::{TextWriter, text_writer};
use crate::error::EventError;
use crate::field::{FieldId, FieldPath, Fields};
use crate::record::{NameColumn, Names, RecordPlace, RowValues, TableColumns, has_column};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, FieldRef, Fields as ArrowFields, Schema, SchemaRef};

/// The key, in the metadata of a schema, of the names of all columns, one a line. The schema itself may have only those
/// that are read.
pub const ALL_COLUMNS: &str = "multitrace.columns";

/// The asked-for columns of a table.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    asked: Vec<(FieldId, FieldPath)>,
    /// The names of all its columns, for messages.
    table: TableColumns,
}

/// Some rows of a table.
pub(crate) struct TableRows {
    pub(crate) rows: RecordBatch,
    /// The number of the first row, from 1.
    pub(crate) first: u64,
    /// Which names the numbers in its columns mean, counted from the beginning of a batch. `None` if the rows
    /// are a batch of their own, so that their texts can be given numbers.
    pub(crate) names: Option<u32>,
}

impl Columns {
    pub(crate) fn new(fields: &Fields, schema: &SchemaRef) -> Columns {
        let asked = fields.iter().map(|(field, path)| (field, path.clone())).collect();
        let mut names = all_names(schema);
        // Parts of maps and lists have no names but in paths.
        let rows = RecordBatch::new_empty(SchemaRef::clone(schema));
        for (_, path) in fields.iter() {
            if !has_column(&names, path) && part(path, &rows).is_some_and(|it| it.is_whole()) {
                names.push(path.text().to_owned());
            }
        }
        let are_times = |field: &&FieldRef| matches!(field.data_type(), DataType::Timestamp(..));
        let times = schema.fields().iter().filter(are_times).map(|it| it.name().clone());
        let mut table = TableColumns::new(names, fields);
        table.times.extend(times);
        Columns { asked, table }
    }

    /// Positions of the columns, at the top of a schema, in which asked-for values are.
    pub(crate) fn roots(&self, schema: &Schema) -> Vec<usize> {
        let found = self.asked.iter().filter_map(|(_, path)| root(path, schema).map(|(at, _)| at));
        found.collect()
    }

    /// Calls a function for every row.
    pub(crate) fn each(&self, context: &InputContext, table: &TableRows, each: &mut Each<'_>) {
        let parts = contained(|| Ok::<_, String>(self.parts(&table.rows)));
        let shown = parts.and_then(|parts| self.each_row(&parts, context, table, each));
        if let Err(error) = shown {
            each(Err(not_shown(&context.file, table.first, &error)));
        }
    }

    /// Calls a function for every row of these arrays.
    fn each_row(
        &self,
        parts: &[(FieldId, ColumnPart)],
        context: &InputContext,
        table: &TableRows,
        each: &mut Each<'_>,
    ) -> Result<(), String> {
        let numbered = numbered(parts, table);
        let mut columns = Vec::new();
        for ((field, part), numbers) in parts.iter().zip(&numbered) {
            let texts = match numbers {
                Some(numbers) => Texts::Named(numbers.column()),
                None => contained(|| Texts::new(part))?,
            };
            columns.push(Column { field: *field, nulls: part.nulls.as_ref(), texts });
        }
        let mut values = RowValues::default();
        values.reset(context.fields.len());
        values.set_names(table.names.unwrap_or_default());
        let (once, others): (Vec<&Column<'_>>, Vec<&Column<'_>>) =
            columns.iter().partition(|column| column.is_set_once());
        once.iter().try_for_each(|column| column.write(0, &mut values))?;
        let doubled: Vec<_> = parts.iter().filter(|(_, part)| !part.twice.is_empty()).collect();
        for row in 0..table.rows.num_rows() {
            // Each of the others sets its value, or removes that of the row before.
            values.begin_row(row);
            let written = others.iter().try_for_each(|column| column.write(row, &mut values));
            let number = table.first + row as u64;
            let is_doubled =
                |(_, part): &&&(FieldId, ColumnPart)| part.twice.binary_search(&row).is_ok();
            if let Some((field, _)) = doubled.iter().find(is_doubled) {
                let path = context.fields.path(*field).text();
                each(Err(twice_in_row(&context.file, number, path)));
                continue;
            }
            match written {
                Ok(()) => {
                    each(Ok(&values.record("", RecordPlace::row(number)).in_table(&self.table)))
                }
                Err(error) => each(Err(not_shown(&context.file, number, &error))),
            }
        }
        Ok(())
    }

    /// The columns of asked-for values, or the parts of columns.
    fn parts(&self, rows: &RecordBatch) -> Vec<(FieldId, ColumnPart)> {
        let found = self.asked.iter().filter_map(|(field, path)| Some((*field, part(path, rows)?)));
        found.filter(|(_, part)| part.is_whole()).collect()
    }
}

/// The texts of columns that can be given numbers.
fn numbered<'c>(
    parts: &'c [(FieldId, ColumnPart)],
    table: &TableRows,
) -> Vec<Option<TextNumbers<'c>>> {
    let numbers = |(_, part): &'c (FieldId, ColumnPart)| {
        let values = Some(&part.values).filter(|_| table.names.is_none())?;
        TextNumbers::new(TextArray::new(values.as_ref())?)
    };
    parts.iter().map(numbers).collect()
}

fn not_shown(file: &str, row: u64, error: &str) -> EventError {
    let message = format!("a value cannot be shown: {error}");
    let help = "is the file damaged? or write the column as text, a number or a time";
    EventError::without_text(file, Some(RecordPlace::row(row)), message, help)
}

fn twice_in_row(file: &str, row: u64, path: &str) -> EventError {
    EventError::without_text(file, Some(RecordPlace::row(row)), stands_twice(path), KEEP_ONE)
}

/// An asked-for value: where it is null, and where its text comes from.
struct Column<'c> {
    field: FieldId,
    nulls: Option<&'c NullBuffer>,
    texts: Texts<'c>,
}

/// Where the texts of a column come from.
enum Texts<'c> {
    Array(TextArray<'c>),
    /// Names by number.
    Named(NameColumn<'c>),
    /// Values that are not texts themselves.
    Written(TextWriter<'c>),
}

impl<'c> Texts<'c> {
    fn new(part: &'c ColumnPart) -> Result<Texts<'c>, ArrowError> {
        let array = part.values.as_ref();
        if let Some(texts) = TextArray::new(array) {
            return Ok(Texts::Array(texts));
        }
        Ok(match named(array) {
            Some((numbers, names)) => Texts::Named(NameColumn { numbers: numbers.values(), names }),
            None => Texts::Written(text_writer(&part.field, array)?),
        })
    }

    /// Sets the value of a row that is not null.
    #[inline]
    fn set<'t>(
        &'t self,
        field: FieldId,
        row: usize,
        values: &mut RowValues<'t>,
    ) -> Result<(), String> {
        match *self {
            Texts::Array(ref texts) => values.set_borrowed(field, texts.value(row)),
            Texts::Named(ref column) => values.set_named(field, column),
            Texts::Written(ref writer) => return write(writer, field, row, values),
        }
        Ok(())
    }
}

fn write(
    writer: &TextWriter<'_>,
    field: FieldId,
    row: usize,
    values: &mut RowValues<'_>,
) -> Result<(), String> {
    let mut written = Ok(());
    values.set_with(field, |text| {
        written = contained(|| writer(row, text));
        written.is_ok()
    });
    written
}

/// The numbers of names, and the names, if all of them are texts.
fn named(array: &dyn Array) -> Option<(&Int32Array, &StringArray)> {
    let array = array.as_dictionary_opt::<Int32Type>()?;
    let names = array.values().as_string_opt::<i32>()?;
    (names.null_count() == 0).then_some((array.keys(), names))
}

impl Names for StringArray {
    fn name(&self, number: usize) -> &str {
        self.value(number)
    }
}

impl Column<'_> {
    /// Whether a value set for one row holds for all: a value of a column of names is found by the row.
    fn is_set_once(&self) -> bool {
        self.nulls.is_none() && matches!(self.texts, Texts::Named(_))
    }

    /// Sets the value of a row, unless it is null.
    #[inline]
    fn write<'t>(&'t self, row: usize, values: &mut RowValues<'t>) -> Result<(), String> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            values.remove(self.field);
            return Ok(());
        }
        self.texts.set(self.field, row, values)
    }
}

/// Whether the numbers in two tables of one schema mean the same names.
pub(crate) fn have_same_names(one: &RecordBatch, other: &RecordBatch) -> bool {
    let is_same = |(one, other): (&ArrayRef, &ArrayRef)| match (named(one), named(other)) {
        (Some((_, one)), Some((_, other))) => {
            one.len() == other.len()
                && one.values().ptr_eq(other.values())
                && one.offsets().ptr_eq(other.offsets())
        }
        // Parts of nested columns may have names, too, which are not looked for.
        (None, None) => !one.data_type().is_nested(),
        _ => false,
    };
    one.columns().iter().zip(other.columns()).all(is_same)
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

/// The names of all columns of a table, of structures and of their parts, and those of columns that are not read.
pub(crate) fn all_names(schema: &Schema) -> Vec<String> {
    let mut names = Vec::new();
    add_names("", schema.fields(), &mut names);
    let all = schema.metadata().get(ALL_COLUMNS).map_or("", String::as_str);
    names.extend(all.lines().filter(|name| schema.index_of(name).is_err()).map(str::to_owned));
    names
}

/// The names of all columns, of structures and of their parts.
pub(crate) fn add_names(before: &str, fields: &ArrowFields, names: &mut Vec<String>) {
    for field in fields {
        let path = format!("{before}{}", quoted(field.name()));
        if let DataType::Struct(inner) = field.data_type() {
            add_names(&format!("{path}."), inner, names);
        }
        // As in other tables, a column is called as the table calls it.
        names.push(if before.is_empty() { field.name().clone() } else { path });
    }
}
