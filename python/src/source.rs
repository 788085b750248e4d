//! Inputs of a check: files, lines in memory, or tables, as Python gives them.

use crate::errors::{exception, unfit};
use crate::lines::{FloatPlaces, LIST, Lines};
use crate::table::{Batches, TABLE, batches};
use crate::traces::{COLUMNS, log_rows};
use crate::waiting::Shared;
use arrow_schema::{Schema, SchemaRef};
use multitrace::{FileOptions, Inputs, Mapping, Monitor};
use multitrace_formats::place::STANDARD_INPUT;
use multitrace_formats::source::Source as Text;
use multitrace_logs::{EventLog, Exclusions, Format, InputFiles};
use pyo3::prelude::*;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

/// Sessions or event logs to check, and the mapping that makes sessions of events. It can be read as often as the
/// files, lines or table it was made of.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Source {
    what: SourceContent,
    /// The mapping of event logs: its name in messages, and its text.
    events: Option<(String, String)>,
}

/// Files, folders and patterns.
#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) paths: Vec<PathBuf>,
    /// The files that are not read of folders and patterns.
    pub(crate) exclude: Exclusions,
    /// Remarks on files elsewhere that these are copies of.
    pub(crate) notes: Vec<String>,
}

/// JSON objects, one a line, of a list of dicts.
#[derive(Clone)]
pub(crate) struct ListLines {
    pub(crate) bytes: Arc<[u8]>,
    floats: Arc<FloatPlaces>,
}

enum SourceContent {
    Files(Files),
    /// JSON objects, one a line.
    Lines(ListLines),
    /// A value that speaks the PyCapsule protocol of Arrow.
    Table(Py<PyAny>),
}

#[pymethods]
impl Source {
    /// Files, folders and patterns.
    #[staticmethod]
    #[pyo3(signature = (paths, events, exclude, notes))]
    fn files(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        events: Option<(String, String)>,
        exclude: Vec<String>,
        notes: Vec<String>,
    ) -> PyResult<Source> {
        let exclude = Exclusions::parse(&exclude).map_err(|error| exception(py, &error.into()))?;
        Ok(Source { what: SourceContent::Files(Files { paths, exclude, notes }), events })
    }

    /// A list of dicts, whose lines are taken.
    #[staticmethod]
    #[pyo3(signature = (lines, events = None))]
    fn lines(mut lines: PyRefMut<'_, Lines>, events: Option<(String, String)>) -> Source {
        let (bytes, floats) = lines.take();
        let lines = ListLines { bytes: bytes.into(), floats: floats.into() };
        Source { what: SourceContent::Lines(lines), events }
    }

    /// A table, or a stream of tables.
    #[staticmethod]
    #[pyo3(signature = (table, events = None))]
    fn table(table: Py<PyAny>, events: Option<(String, String)>) -> Source {
        Source { what: SourceContent::Table(table), events }
    }
}

impl Source {
    /// The mapping of event logs: its name in messages, and its text.
    pub(crate) fn events(&self) -> Option<&(String, String)> {
        self.events.as_ref()
    }

    /// The inputs, to be read without the lock of the interpreter.
    pub(crate) fn prepare(&self, py: Python<'_>) -> PyResult<Prepared> {
        let what = match &self.what {
            SourceContent::Files(files) => PreparedContent::Files(files.clone()),
            SourceContent::Lines(lines) => PreparedContent::Lines(lines.clone()),
            SourceContent::Table(table) => {
                let (schema, batches) = batches(table.bind(py))?;
                PreparedContent::Table(schema, batches)
            }
        };
        Ok(Prepared { what, events: self.events.clone() })
    }
}

/// A source that can be read once.
pub(crate) struct Prepared {
    pub(crate) what: PreparedContent,
    events: Option<(String, String)>,
}

pub(crate) enum PreparedContent {
    Files(Files),
    Lines(ListLines),
    Table(SchemaRef, Batches),
}

/// Why a source is not an input.
pub(crate) enum NoInput {
    Library(multitrace::Error),
    Message(String),
}

impl NoInput {
    pub(crate) fn exception(&self, py: Python<'_>) -> PyErr {
        match self {
            NoInput::Library(error) => exception(py, error),
            NoInput::Message(message) => unfit(py, message),
        }
    }
}

impl From<multitrace::Error> for NoInput {
    fn from(error: multitrace::Error) -> NoInput {
        NoInput::Library(error)
    }
}

impl ListLines {
    fn refuse_floats(&self, mapping: Option<&Mapping>) -> Result<(), NoInput> {
        self.floats.refusal(mapping).map_or(Ok(()), |message| Err(NoInput::Message(message)))
    }
}

impl Prepared {
    /// The same as event logs by the mapping that was given.
    pub(crate) fn event_log(self) -> Result<EventLog, NoInput> {
        let (name, text) = self.events.unwrap_or_default();
        let mapping = Mapping::parse(&Text::new(name, text)).map_err(multitrace::Error::from)?;
        Ok(match self.what {
            PreparedContent::Files(Files { paths, exclude, .. }) => {
                let files = InputFiles::list_without(&paths, &exclude);
                EventLog::of_files(mapping, files.map_err(multitrace::Error::from)?, STANDARD_INPUT)
            }
            PreparedContent::Lines(lines) => {
                lines.refuse_floats(Some(&mapping))?;
                let mapping = mapping.with_format(Format::JsonLines);
                EventLog::of_reader(mapping, LIST, Cursor::new(lines.bytes))
            }
            PreparedContent::Table(_, tables) => EventLog::of_tables(mapping, TABLE, tables),
        })
    }

    /// The same as inputs of a run; ends early when `shared` says that the work is cancelled.
    pub(crate) fn inputs(self, monitor: &Monitor, shared: &Shared) -> Result<Inputs, NoInput> {
        let is_given = self.events.is_some();
        let mapping = mapping(self.events.as_ref(), monitor)?;
        Ok(match (self.what, mapping) {
            (PreparedContent::Files(Files { paths, exclude, notes }), mapping) => {
                let options = FileOptions { exclude, ..FileOptions::default() };
                let inputs = match mapping {
                    None => Inputs::files_with(&paths, &options),
                    Some(mapping) => Inputs::event_logs_with(&paths, mapping, &options),
                };
                inputs?.with_notes(notes)
            }
            (PreparedContent::Lines(lines), None) => {
                lines.refuse_floats(None)?;
                Inputs::lines(LIST, lines.bytes)
            }
            (PreparedContent::Lines(lines), Some(mapping)) => {
                lines.refuse_floats(Some(&mapping))?;
                let mapping = mapping.with_format(Format::JsonLines);
                Inputs::event_reader(LIST, Cursor::new(lines.bytes), mapping)
            }
            (PreparedContent::Table(schema, tables), Some(mapping))
                if is_given || !has_sessions(&schema, &mapping) =>
            {
                Inputs::event_tables(TABLE, tables, mapping)
            }
            (PreparedContent::Table(schema, tables), _) => Inputs::log_rows(
                log_rows(&schema, tables, monitor, shared).map_err(NoInput::Message)?,
            ),
        })
    }
}

/// The columns that a mapping reads, those that nested paths begin with, whether it says the order of
/// events, and the fields that sessions are named by, a list for each way.
#[pyfunction]
pub(crate) fn mapping_fields(
    py: Python<'_>,
    events: (String, String),
) -> PyResult<(Vec<String>, bool, Vec<Vec<String>>)> {
    let mapping = Mapping::parse(&Text::new(events.0, events.1))
        .map_err(|error| exception(py, &error.into()))?;
    let columns = mapping.fields().iter().flat_map(|(_, path)| path.column_names());
    if mapping.has_joins() {
        return Err(unfit(
            py,
            "[[join]] needs all records before the first session; join the rows before, and name the \
             session in a column",
        ));
    }
    Ok((columns.collect(), mapping.has_order(), mapping.session_fields()))
}

/// The mapping that was given, else that of the bundle. An empty text turns the bundle's mapping off.
fn mapping(
    events: Option<&(String, String)>,
    monitor: &Monitor,
) -> Result<Option<Mapping>, multitrace::Error> {
    match events {
        Some((_, text)) if text.is_empty() => Ok(None),
        Some((name, text)) => Ok(Some(Mapping::parse(&Text::new(name.as_str(), text.as_str()))?)),
        None => monitor.mapping(),
    }
}

/// Whether a table has the columns of sessions, and nothing else that the mapping of a bundle reads.
fn has_sessions(schema: &Schema, mapping: &Mapping) -> bool {
    let has = |name: &str| schema.field_with_name(name).is_ok();
    let is_other = |name: &String| !COLUMNS.contains(&name.as_str());
    let mut paths = mapping.fields().iter().flat_map(|(_, path)| path.column_names());
    COLUMNS.iter().all(|name| has(name))
        && !paths.any(|name| is_other(&name) && has(&name))
        && mapping
            .fields()
            .iter()
            .any(|(_, path)| !path.column_names().iter().any(|name| has(name)))
}
