//! Mappings for Python: proposed by the first records of some data, explained by its records, and compared with a specification.

use crate::lines::LIST;
use crate::source::{NoInput, Prepared, PreparedContent, Source};
use crate::table::{Batches, TABLE, unread};
use crate::waiting::{Shared, wait_for};
use crate::words::WORDS;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Schema};
use multitrace::{Error, ExplainOptions, Monitor};
use multitrace_formats::shorten::visible;
use multitrace_logs::{InputFiles, check_log, propose, propose_files, write_preview};
use pyo3::prelude::*;
use std::io::{self, Cursor, Write};

/// How many rows of a table are looked at: as many records as of other inputs.
const ROWS: usize = 1000;

/// The text of a mapping for the events of a source, with notes on its files as comments.
#[pyfunction]
pub(crate) fn propose_mapping(py: Python<'_>, source: &Source) -> PyResult<String> {
    let source = source.prepare(py)?;
    let text = wait_for(py, &Shared::default(), None, || proposal(source))?;
    Ok(WORDS.text(&text.map_err(|error| error.exception(py))?).into_owned())
}

/// The events of the first records by each rule of a mapping, and of each reason for records without events, as text.
#[pyfunction]
pub(crate) fn explain_mapping(py: Python<'_>, source: &Source, most: u64) -> PyResult<String> {
    let (source, shared) = (source.prepare(py)?, Shared::default());
    let text = wait_for(py, &shared, None, || {
        let log = source.event_log()?;
        let mapping = log.mapping().clone();
        let records = log.records().take_while(|_| !shared.is_cancelled());
        in_text(|out| write_preview(records, &mapping, most, out).map(|_| ()))
    })?;
    text.map_err(|error| error.exception(py))
}

/// How the events of a source compare with those of a specification, as text or as JSON.
pub(crate) fn check_mapping(
    py: Python<'_>,
    source: &Source,
    monitor: &Monitor,
    (memory, is_json): (Option<usize>, bool),
) -> PyResult<String> {
    let source = source.prepare(py)?;
    let memory = memory.unwrap_or(ExplainOptions::new(monitor).memory);
    let text = wait_for(py, &Shared::default(), None, || {
        let found = check_log(source.event_log()?, monitor.alphabet(), memory);
        let found = found.map_err(Error::from)?;
        in_text(|out| if is_json { found.write_json(out) } else { found.write_human(WORDS, out) })
    })?;
    text.map_err(|error| error.exception(py))
}

/// What a function writes.
fn in_text(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<String, NoInput> {
    let mut text = Vec::new();
    write(&mut text).map_err(|error| NoInput::Message(error.to_string()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn proposal(source: Prepared) -> Result<String, NoInput> {
    let files = match source.what {
        PreparedContent::Files(files) => files,
        PreparedContent::Lines(lines) => {
            return Ok(propose(LIST, Cursor::new(lines.bytes)).map_err(Error::from)?);
        }
        PreparedContent::Table(schema, tables) => {
            let rows = first_rows(&schema, tables);
            let rows = rows.map_err(|error| NoInput::Message(unread(&error)))?;
            let text = propose(TABLE, Cursor::new(rows)).map_err(Error::from)?;
            // Other tables, such as files of Parquet, fit, too.
            return Ok(text.replace("format = \"arrow-ipc\"\n", ""));
        }
    };
    let listed = InputFiles::list_without(&files.paths, &files.exclude).map_err(Error::from)?;
    let (text, notes) = propose_files(&listed.files, None).map_err(Error::from)?;
    let notes = files.notes.iter().chain(&listed.notes).chain(&notes);
    let notes: String = notes.map(|note| format!("# {}\n", visible(note))).collect();
    Ok(notes + &text)
}

/// The first rows of tables, as a stream of Arrow.
fn first_rows(schema: &Schema, tables: Batches) -> Result<Vec<u8>, ArrowError> {
    let mut writer = StreamWriter::try_new(Vec::new(), schema)?;
    let mut left = ROWS;
    for table in tables {
        let table = table?;
        let rows = table.num_rows().min(left);
        writer.write(&table.slice(0, rows))?;
        left -= rows;
        if left == 0 {
            break;
        }
    }
    writer.finish()?;
    writer.into_inner()
}
