//! What is checked: files, lines in memory, or tables, as Python gives them.

use crate::errors::{exception, unfit};
use crate::table::batches;
use crate::traces::sessions_of;
use multitrace::formats::source::Source as Text;
use multitrace::logs::Format;
use multitrace::{FileOptions, Inputs, Mapping, Monitor};
use pyo3::prelude::*;
use std::io::Cursor;
use std::path::PathBuf;

/// What messages call tables.
const TABLE: &str = "the table";
/// What messages call a list.
const LIST: &str = "the list";

/// Sessions or event logs to check, and the mapping that makes sessions of events. It can be read as
/// often as what it was made of.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Source {
    what: What,
    /// The mapping of event logs: what messages call it, and its text.
    events: Option<(String, String)>,
}

enum What {
    Files(Vec<PathBuf>),
    /// JSON objects, one a line.
    Lines(Vec<u8>),
    /// A value that speaks the PyCapsule protocol of Arrow.
    Table(Py<PyAny>),
}

#[pymethods]
impl Source {
    /// Files, folders and patterns.
    #[staticmethod]
    #[pyo3(signature = (paths, events = None))]
    fn files(paths: Vec<PathBuf>, events: Option<(String, String)>) -> Source {
        Source { what: What::Files(paths), events }
    }

    /// JSON objects, one a line.
    #[staticmethod]
    #[pyo3(signature = (lines, events = None))]
    fn lines(lines: Vec<u8>, events: Option<(String, String)>) -> Source {
        Source { what: What::Lines(lines), events }
    }

    /// A table, or a stream of tables.
    #[staticmethod]
    #[pyo3(signature = (table, events = None))]
    fn table(table: Py<PyAny>, events: Option<(String, String)>) -> Source {
        Source { what: What::Table(table), events }
    }
}

impl Source {
    /// The same as inputs of a run.
    pub(crate) fn inputs(&self, py: Python<'_>, monitor: &Monitor) -> PyResult<Inputs> {
        let mapping = self.mapping(monitor).map_err(|error| exception(py, &error))?;
        match (&self.what, mapping) {
            (What::Files(paths), None) => Inputs::files_with(paths, &FileOptions::default()),
            (What::Files(paths), Some(mapping)) => Inputs::event_logs(paths, mapping),
            (What::Lines(lines), None) => Ok(Inputs::reader(LIST, Cursor::new(lines.clone()))),
            (What::Lines(lines), Some(mapping)) => {
                let mapping = mapping.with_format(Format::JsonLines);
                Ok(Inputs::event_reader(LIST, Cursor::new(lines.clone()), mapping))
            }
            (What::Table(table), mapping) => {
                let (schema, batches) = batches(table.bind(py))?;
                return match mapping {
                    Some(mapping) => Ok(Inputs::event_tables(TABLE, batches, mapping)),
                    None => sessions_of(&schema, batches, monitor)
                        .map(Inputs::sessions)
                        .map_err(|message| unfit(py, message)),
                };
            }
        }
        .map_err(|error| exception(py, &error))
    }

    /// The mapping that was given, else that of the bundle. A table of traces needs none.
    fn mapping(&self, monitor: &Monitor) -> Result<Option<Mapping>, multitrace::Error> {
        match &self.events {
            Some((name, text)) if !text.is_empty() => {
                Ok(Some(Mapping::parse(&Text::new(name.as_str(), text.as_str()))?))
            }
            // An empty text says that there is none.
            Some(_) => Ok(None),
            None => monitor.mapping(),
        }
    }
}
