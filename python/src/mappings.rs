//! Mappings proposed by the first records of some data, for Python.

use crate::source::{LIST, NoInput, Prepared, PreparedContent, Source};
use crate::table::{Batches, TABLE};
use crate::waiting::{Shared, wait_for};
use crate::words::WORDS;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Schema};
use multitrace::Error;
use multitrace_formats::shorten::visible;
use multitrace_logs::{InputFiles, propose, propose_files};
use pyo3::prelude::*;
use std::io::Cursor;

/// How many rows of a table are looked at: as many records as of other inputs.
const ROWS: usize = 1000;

/// The text of a mapping for the events of a source, with notes on its files as comments.
#[pyfunction]
pub(crate) fn propose_mapping(py: Python<'_>, source: &Source) -> PyResult<String> {
    let source = source.prepare(py)?;
    let text = wait_for(py, &Shared::default(), None, || proposal(source))?;
    Ok(WORDS.text(&text.map_err(|error| error.exception(py))?).into_owned())
}

fn proposal(source: Prepared) -> Result<String, NoInput> {
    let files = match source.what {
        PreparedContent::Files(files) => files,
        PreparedContent::Lines(lines) => {
            return Ok(propose(LIST, Cursor::new(lines)).map_err(Error::from)?);
        }
        PreparedContent::Table(schema, tables) => {
            let rows = first_rows(&schema, tables);
            let rows = rows.map_err(|error| NoInput::Message(format!("{TABLE}: {error}")))?;
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
