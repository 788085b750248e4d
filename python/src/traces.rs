//! Tables of local traces: the columns `session`, `location` and `actions`. A row has a list of actions, or one of
//! them; rows of one session may stand anywhere.

use crate::table::{Batches, TABLE, unread};
use crate::waiting::Shared;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ListArray, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use multitrace::{LogRows, Monitor, RowActions};
use multitrace_logs::{column_texts, unfit_session};
use std::sync::Arc;

const REMEDY: &str = "a table has the columns session, location and actions, where actions is a list of texts \
                      or one text; one with an event a row takes events=, a mapping, which multitrace.propose_mapping proposes";

/// The columns of a table of local traces.
pub(crate) const COLUMNS: [&str; 3] = ["session", "location", "actions"];

/// The rows of the tables.
///
/// # Errors
/// When a column is missing, stands twice or is of another type.
pub(crate) fn log_rows(
    schema: &Schema,
    tables: Batches,
    monitor: &Monitor,
    shared: &Shared,
) -> Result<LogRows, String> {
    let columns = COLUMNS.map(|name| position(schema, name));
    let [session, location, actions] = columns;
    let columns = [session?, location?, actions?];
    if let Some((what, help)) = unfit_session(schema.field(columns[0]).data_type()) {
        return Err(format!("the column \"session\" of the table has {what}; {help}"));
    }
    let has_lists = is_list(schema.field(columns[2]).data_type());
    let actions = if has_lists { RowActions::Log } else { RowActions::One };
    let mut rows = LogRows::new(monitor, TABLE, actions);
    for table in tables {
        let table = table.map_err(|error| unread(&error))?;
        let texts = Texts::new(&table, columns)?;
        for row in 0..table.num_rows() {
            if row % 4096 == 0 && shared.is_cancelled() {
                return Ok(rows);
            }
            texts.add(row, &mut rows);
        }
    }
    Ok(rows)
}

fn position(schema: &Schema, name: &str) -> Result<usize, String> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut found = (0..).zip(&names).filter(|(_, other)| **other == name);
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Ok(at),
        (Some(_), Some(_)) => {
            Err(format!("the table has several columns {name:?}; leave one of them, or rename it"))
        }
        (None, _) if names.is_empty() => Err(format!("the table has no columns; {REMEDY}")),
        (None, _) => {
            Err(format!("the table has no column {name:?}, but {}; {REMEDY}", names.join(", ")))
        }
    }
}

/// The rows of a table as texts.
struct Texts {
    sessions: StringArray,
    locations: StringArray,
    actions: Actions,
}

enum Actions {
    One(StringArray),
    Lists(ListArray, StringArray),
}

impl Texts {
    fn new(table: &RecordBatch, [session, location, actions]: [usize; 3]) -> Result<Texts, String> {
        let column = table.column(actions);
        Ok(Texts {
            sessions: texts(table, session)?,
            locations: texts(table, location)?,
            actions: match column.data_type() {
                kind if is_list(kind) => {
                    let lists = cast(column, &list_of_texts())
                        .map_err(|error| wrong_column("actions", &error))?;
                    let lists = lists.as_list::<i32>().clone();
                    let values = lists.values().as_string().clone();
                    Actions::Lists(lists, values)
                }
                _ => Actions::One(texts(table, actions)?),
            },
        })
    }

    fn add(&self, row: usize, rows: &mut LogRows) {
        let session = value(&self.sessions, row);
        let location = value(&self.locations, row);
        match &self.actions {
            Actions::One(actions) => {
                rows.add(session, location, value(actions, row).map(|action| [Some(action)]));
            }
            Actions::Lists(lists, actions) => {
                let offsets = lists.value_offsets();
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                let list = lists.is_valid(row).then(|| range.map(|at| value(actions, at)));
                rows.add(session, location, list);
            }
        }
    }
}

fn value(texts: &StringArray, row: usize) -> Option<&str> {
    texts.is_valid(row).then(|| texts.value(row))
}

fn is_list(kind: &DataType) -> bool {
    use DataType::{FixedSizeList, LargeList, LargeListView, List, ListView};
    matches!(kind, List(_) | LargeList(_) | FixedSizeList(..) | ListView(_) | LargeListView(_))
}

fn list_of_texts() -> DataType {
    DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)))
}

fn texts(table: &RecordBatch, column: usize) -> Result<StringArray, String> {
    let schema = table.schema_ref();
    let field = schema.field(column);
    column_texts(field, table.column(column)).map_err(|error| wrong_column(field.name(), &error))
}

fn wrong_column(name: &str, error: &ArrowError) -> String {
    format!("the column {name:?} of the table: {error}; {REMEDY}")
}
