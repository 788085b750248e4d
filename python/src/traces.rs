//! Tables of local traces as sessions: the columns `session`, `location` and `actions`. A row has a
//! list of actions, or one of them; rows of one session may stand anywhere.

use crate::table::Batches;
use crate::waiting::Shared;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use indexmap::IndexMap;
use multitrace::{Monitor, Session, SessionBuilder};
use std::sync::Arc;

const REMEDY: &str = "a table has the columns session, location and actions, where actions is a list of texts \
                      or one text; one with an event a row takes events=, a mapping (docs/events.md)";

/// The sessions of the tables, in the order of their first rows.
///
/// # Errors
/// When a column is missing or of another type, or a value is null.
pub(crate) fn sessions_of(
    schema: &Schema,
    tables: Batches,
    monitor: &Monitor,
    shared: &Shared,
) -> Result<Vec<Session>, String> {
    let position = |name: &str| {
        let found = schema.index_of(name).ok();
        found.ok_or_else(|| {
            let fields = schema.fields().iter().map(|field| field.name().as_str());
            let names: Vec<&str> = fields.collect();
            format!("the table has no column {name:?}, but {}; {REMEDY}", names.join(", "))
        })
    };
    let columns = [position("session")?, position("location")?, position("actions")?];
    let mut sessions: IndexMap<String, SessionBuilder> = IndexMap::new();
    let mut first_row = 0;
    for table in tables {
        if shared.is_cancelled() {
            return Ok(Vec::new());
        }
        let table = table.map_err(|error| format!("the table cannot be read on: {error}"))?;
        let rows = Rows::new(&table, columns)?;
        for row in 0..table.num_rows() {
            if row % 4096 == 0 && shared.is_cancelled() {
                return Ok(Vec::new());
            }
            rows.add(row, monitor, &mut sessions)
                .map_err(|what| format!("row {} of the table: {what}", first_row + row + 1))?;
        }
        first_row += table.num_rows();
    }
    Ok(sessions.into_values().map(SessionBuilder::build).collect())
}

/// The rows of a table as texts.
struct Rows {
    sessions: StringArray,
    locations: StringArray,
    actions: Actions,
}

enum Actions {
    One(StringArray),
    Lists(ListArray, StringArray),
}

impl Rows {
    fn new(table: &RecordBatch, [session, location, actions]: [usize; 3]) -> Result<Rows, String> {
        let actions = table.column(actions);
        Ok(Rows {
            sessions: texts(table.column(session), "session")?,
            locations: texts(table.column(location), "location")?,
            actions: match actions.data_type() {
                kind if is_list(kind) => {
                    let lists = as_type(actions, &list_of_texts(), "actions")?;
                    let lists = lists.as_list::<i32>().clone();
                    let values = lists.values().as_string().clone();
                    Actions::Lists(lists, values)
                }
                _ => Actions::One(texts(actions, "actions")?),
            },
        })
    }

    fn add(
        &self,
        row: usize,
        monitor: &Monitor,
        sessions: &mut IndexMap<String, SessionBuilder>,
    ) -> Result<(), String> {
        let session = value(&self.sessions, row, "session")?;
        let location = value(&self.locations, row, "location")?;
        if !sessions.contains_key(session) {
            sessions.insert(session.to_owned(), monitor.session(session));
        }
        let Some(builder) = sessions.get_mut(session) else { return Ok(()) };
        match &self.actions {
            Actions::One(actions) => builder.add(location, value(actions, row, "actions")?),
            Actions::Lists(lists, _) if lists.is_null(row) => {
                return Err("actions is null; a log without events has an empty list".to_owned());
            }
            Actions::Lists(lists, actions) => {
                let offsets = lists.value_offsets();
                for at in offsets[row] as usize..offsets[row + 1] as usize {
                    builder.add(location, value(actions, at, "an action")?);
                }
            }
        }
        Ok(())
    }
}

fn value<'a>(texts: &'a StringArray, row: usize, what: &str) -> Result<&'a str, String> {
    if texts.is_null(row) { Err(format!("{what} is null")) } else { Ok(texts.value(row)) }
}

fn is_list(kind: &DataType) -> bool {
    use DataType::{FixedSizeList, LargeList, LargeListView, List, ListView};
    matches!(kind, List(_) | LargeList(_) | FixedSizeList(..) | ListView(_) | LargeListView(_))
}

fn list_of_texts() -> DataType {
    DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)))
}

fn texts(array: &ArrayRef, name: &str) -> Result<StringArray, String> {
    Ok(as_type(array, &DataType::Utf8, name)?.as_string().clone())
}

fn as_type(array: &ArrayRef, kind: &DataType, name: &str) -> Result<ArrayRef, String> {
    let wrong = |error: String| format!("the column {name:?} of the table: {error}; {REMEDY}");
    cast(array, kind).map_err(|error| wrong(error.to_string()))
}
