//! Whether the columns of a table are those that a mapping needs. One error says more than one for each row.

use super::columns::root;
use super::context::InputContext;
use crate::error::EventError;
use crate::field::{FieldId, NeededField, RuleNeeds};
use arrow_schema::Schema;
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

/// Fails for a table whose rows cannot become events.
pub(crate) fn check_columns(
    schema: &Schema,
    kind: TableKind,
    context: &InputContext,
) -> Result<(), EventError> {
    if let Some(name) = repeated(schema, context) {
        let message = format!("the table has several columns {}", quote(name));
        let help = "leave one of them, or rename it";
        return Err(EventError::without_text(&context.file, None, message, help));
    }
    match missing(schema, kind, context) {
        None => Ok(()),
        Some(needed) => Err(no_column(schema, needed, context)),
    }
}

/// A column that is asked for and stands twice.
fn repeated<'s>(schema: &'s Schema, context: &InputContext) -> Option<&'s str> {
    let asked = context.fields.iter().filter_map(|(_, path)| root(path, schema));
    let mut names = asked.map(|(at, _)| schema.field(at).name().as_str());
    names.find(|name| schema.fields().iter().filter(|field| field.name() == name).count() > 1)
}

/// A column without which there are no events, or only errors.
fn missing<'c>(
    schema: &Schema,
    kind: TableKind,
    context: &'c InputContext,
) -> Option<&'c NeededField> {
    let needs = context.fields.table_needs();
    let lacks = |needed: &&NeededField| !has(needed.field, schema, context);
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

fn has(field: FieldId, schema: &Schema, context: &InputContext) -> bool {
    let is_of_file = context.of_file.iter().any(|(other, _)| *other == field);
    is_of_file || root(context.fields.path(field), schema).is_some()
}

fn no_column(schema: &Schema, needed: &NeededField, context: &InputContext) -> EventError {
    let column = context.fields.path(needed.field).text();
    let message = format!("the table has no column {}, which {} needs", quote(column), needed.by);
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let close = closest(column, names.iter().copied());
    let close = close.map_or_else(String::new, |it| format!("did you mean {}? ", quote(it)));
    let shown = names.iter().take(SHOWN_COLUMNS).copied().collect::<Vec<_>>().join(", ");
    let more = if names.len() > SHOWN_COLUMNS { ", …" } else { "" };
    let help = match names.is_empty() {
        true => "it has no columns".to_owned(),
        false => format!("{close}its columns are {shown}{more}"),
    };
    EventError::without_text(&context.file, None, message, help)
}
