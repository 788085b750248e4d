//! Whether the columns of a table are those that a mapping needs. One error says more than one for each row.

use super::column_parts::{ColumnPart, innermost, is_flat_and_nested, kind_below, part, root};
use super::columns::all_names;
use super::context::InputContext;
use crate::error::EventError;
use crate::field::{FieldId, Fields, NeededField, RuleNeeds};
use crate::record::RecordPlace;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use multitrace_formats::source::quote;
use multitrace_formats::suggest::closest;

/// How many columns a message lists: about a line.
const SHOWN_COLUMNS: usize = 10;

/// Which inputs a table belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableKind {
    /// A table in memory, which is meant to have events.
    InMemory,
    /// A file, beside which there may be others with the events.
    File,
}

/// Fails for a table, which begins at `place`, whose rows cannot become events.
pub(crate) fn check_columns(
    schema: &SchemaRef,
    kind: TableKind,
    place: Option<RecordPlace>,
    context: &InputContext,
) -> Result<(), EventError> {
    let rows = RecordBatch::new_empty(SchemaRef::clone(schema));
    let wrong = repeated(&rows, context)
        .or_else(|| misled(&rows, context))
        .or_else(|| bad_session(&rows, context))
        .or_else(|| bad_name(&rows, context))
        .or_else(|| missing(&rows, kind, context).map(|needed| no_column(&rows, needed, context)));
    let error = |(message, help)| EventError::without_text(&context.file, place, message, help);
    wrong.map_or(Ok(()), |wrong| Err(error(wrong)))
}

/// A fault of a table, and the remedy.
type WrongTable = (String, String);

/// A column, or a part of a structure, that is asked for and stands twice.
fn repeated(rows: &RecordBatch, context: &InputContext) -> Option<WrongTable> {
    let columns = rows.schema_ref().fields();
    let is_repeated = |name: &String| columns.iter().filter(|it| it.name() == name).count() > 1;
    let name = context.fields.iter().find_map(|(_, path)| {
        let (at, _) = root(path, rows.schema_ref())?;
        let column = Some(columns.get(at)?.name().clone()).filter(is_repeated);
        let both =
            || Some(path.flat_name()).filter(|_| is_flat_and_nested(path, rows.schema_ref()));
        column.or_else(both).or_else(|| part(path, rows)?.repeated)
    })?;
    let message = format!("the table has several columns {}", quote(&name));
    Some((message, "leave one of them, or rename it".to_owned()))
}

/// A path into a value by steps that its type does not have: the part would be absent in every row.
fn misled(rows: &RecordBatch, context: &InputContext) -> Option<WrongTable> {
    let asked = context.fields.iter().filter(|(field, _)| context.fields.is_read(*field));
    let mut misfits = asked.filter_map(|(_, path)| Some((path, part(path, rows)?.misfit(path)?)));
    let (path, (what, help)) = misfits.next()?;
    Some((format!("{} leads into {what}", quote(path.text())), help))
}

/// A value that names sessions although its text does not tell them apart: a float, or one with parts.
fn bad_session(rows: &RecordBatch, context: &InputContext) -> Option<WrongTable> {
    let fields = &context.fields;
    let mut bad = fields.table_needs().sessions.iter().flat_map(|&session| {
        let is_all = fields.is_read(session);
        let kinds = kinds_of(session, rows, fields).into_iter();
        kinds.filter_map(move |(field, kind)| {
            // Parts of values with parts may name sessions.
            let unfit = unfit_session(&kind).filter(|_| is_all || innermost(&kind).is_floating());
            unfit.map(|unfit| (fields.path(field).text(), unfit))
        })
    });
    let (name, (what, help)) = bad.next()?;
    let message = format!("the column {}, which names sessions, has {what}", quote(name));
    Some((message, help.to_owned()))
}

/// A value with parts that names other parts of events: all of its JSON would be the name.
fn bad_name(rows: &RecordBatch, context: &InputContext) -> Option<WrongTable> {
    let mut names = context.fields.table_needs().names.iter();
    names.find_map(|(field, named)| {
        let path = context.fields.path(*field);
        let part = part(path, rows).filter(ColumnPart::is_whole)?;
        let (kind, help) = part.with_parts(path)?;
        let name = quote(path.text());
        Some((format!("the column {name}, which names {named}s, is {kind}"), help))
    })
}

/// Why values of a type do not name sessions, and the remedy.
pub fn unfit_session(kind: &DataType) -> Option<(&'static str, &'static str)> {
    if innermost(kind).is_floating() {
        return Some((
            "floats, in which different numbers may be equal",
            "make it one of integers or texts: pandas makes floats of integers with missing values, and \
             df.convert_dtypes() undoes that",
        ));
    }
    let help = "name a part of them, as in `column.part`";
    kind.is_nested().then_some(("values with parts", help))
}

/// The types of a field: that of its column, or those of the values that it is made of.
fn kinds_of(field: FieldId, rows: &RecordBatch, fields: &Fields) -> Vec<(FieldId, DataType)> {
    let Some(sources) = fields.sources_of(field) else {
        let part = part(fields.path(field), rows).filter(ColumnPart::is_whole);
        return part.map(|part| (field, part.field.data_type().clone())).into_iter().collect();
    };
    let inside = sources.into_iter().flat_map(|(from, steps)| {
        let kinds = kinds_of(from, rows, fields).into_iter();
        kinds.filter_map(move |(from, kind)| match steps.is_empty() {
            true => Some((from, kind)),
            false => Some((field, kind_below(&kind, &steps)?)),
        })
    });
    inside.collect()
}

/// A column without which there are no events, or only errors.
fn missing<'c>(
    rows: &RecordBatch,
    kind: TableKind,
    context: &'c InputContext,
) -> Option<&'c NeededField> {
    let needs = context.fields.table_needs();
    let lacks = |needed: &&NeededField| !has(needed.field, rows, context);
    let lacking = |rule: &'c RuleNeeds| rule.tested.iter().chain(&rule.read).find(lacks);
    let first = lacking(needs.rules.first()?)?;
    if needs.rules.iter().any(|rule| lacking(rule).is_none()) {
        return None;
    }
    // Rows of a file that no rule is made for, or that are left out, are not errors.
    let can_hold = |rule: &RuleNeeds| !rule.tested.iter().any(|needed| lacks(&needed));
    let are_errors = !needs.leaves_rows_out && needs.rules.iter().any(can_hold);
    (kind == TableKind::InMemory || are_errors).then_some(first)
}

fn has(field: FieldId, rows: &RecordBatch, context: &InputContext) -> bool {
    let is_of_file = context.of_file.iter().any(|(other, _)| *other == field);
    is_of_file || part(context.fields.path(field), rows).is_some_and(|part| part.is_whole())
}

fn no_column(rows: &RecordBatch, needed: &NeededField, context: &InputContext) -> WrongTable {
    let path = context.fields.path(needed.field);
    let column = path.text();
    let message = format!("the table has no column {}, which {} needs", quote(column), needed.by);
    let names = all_names(rows.schema_ref());
    let close = closest(column, names.iter().map(String::as_str));
    let close = close.map_or_else(String::new, |it| format!("did you mean {}? ", quote(it)));
    let shown = names.iter().take(SHOWN_COLUMNS).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > SHOWN_COLUMNS { ", …" } else { "" };
    let help = match names.is_empty() {
        true => "it has no columns".to_owned(),
        false => format!("{close}its columns are {shown}{more}"),
    };
    (message, help)
}
