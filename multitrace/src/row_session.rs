//! Sessions of rows of a table that are read when their turn comes: only the first problems need a text.

use multitrace_formats::problem::InputProblem;
use multitrace_formats::sessions::{RowLog, resolve_rows, row_problem};
use multitrace_interaction::{Alphabet, Session};
use std::sync::Arc;

/// The table of some rows.
#[derive(Debug)]
pub(crate) struct RowTable {
    /// Its name in messages.
    pub(crate) name: String,
    /// The names that give its texts their meaning.
    pub(crate) alphabet: Alphabet,
}

/// A session of rows that are not read yet.
#[derive(Debug)]
pub(crate) struct RowSession {
    pub(crate) table: Arc<RowTable>,
    /// The id of the session, if it has one.
    pub(crate) id: Option<String>,
    pub(crate) rows: SessionRows,
}

/// The rows of a session.
#[derive(Debug)]
pub(crate) enum SessionRows {
    /// Its logs as texts.
    Texts(Vec<RowLog>),
    /// A row lacks a value, and the session is not checked.
    Null(NullValue),
}

/// A null where a row needs a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NullValue {
    /// The number of the row, from 1.
    pub(crate) row: usize,
    /// The value, in words.
    pub(crate) of: &'static str,
}

impl RowSession {
    /// Reads the session.
    ///
    /// # Errors
    /// When its rows are wrong.
    pub(crate) fn read(&self) -> Result<Session, InputProblem> {
        let RowTable { name, alphabet } = &*self.table;
        match &self.rows {
            SessionRows::Texts(logs) => {
                let id = self.id.as_deref().unwrap_or_default();
                resolve_rows(name, id, logs, alphabet)
            }
            SessionRows::Null(NullValue { row, of }) => {
                let help = (*of == "actions").then_some("a log without events has an empty list");
                Err(row_problem(name, *row, &format!("{of} is null"), help))
            }
        }
    }
}
