//! A table that Python reads through the Arrow PyCapsule interface.

use crate::errors::unfit;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch, RecordBatchIterator};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use multitrace_logs::{ALL_COLUMNS, error_of_maker};
use pyo3::exceptions::{PyException, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::sync::Arc;

/// A table of Arrow, as batches of rows. Whatever reads Arrow takes it without a copy.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { schema, batches }
    }

    /// The values of a column of texts.
    pub(crate) fn texts<'t>(&'t self, column: &'t str) -> impl Iterator<Item = &'t str> {
        let texts = |batch: &'t RecordBatch| batch.column_by_name(column)?.as_string_opt::<i32>();
        self.batches.iter().filter_map(texts).flatten().flatten()
    }
}

#[pymethods]
impl Table {
    /// The rows as a stream of Arrow. `requested_schema` is only a wish, which is not met.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches: Vec<_> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The columns and their types, for Arrow.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema)
            .map_err(|error| PyTypeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The first rows as a list of dicts.
    fn to_dicts<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for batch in &self.batches {
            let columns = columns(&self.schema, batch.columns());
            for row in 0..batch.num_rows().min(count - rows.len()) {
                rows.append(dict(py, &columns, row)?)?;
            }
        }
        Ok(rows)
    }
}

type Columns<'a> = Vec<(&'a str, &'a dyn Array)>;

fn columns<'a>(schema: &'a Schema, arrays: &'a [Arc<dyn Array>]) -> Columns<'a> {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    names.zip(arrays.iter().map(AsRef::as_ref)).collect()
}

fn dict<'py>(py: Python<'py>, columns: &Columns<'_>, row: usize) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, array) in columns {
        dict.set_item(name, value(py, *array, row)?)?;
    }
    Ok(dict)
}

/// A value of the types that tables of this module have.
fn value<'py>(py: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).into_pyobject(py)?.into_any(),
        DataType::Int64 => {
            array.as_primitive::<Int64Type>().value(row).into_pyobject(py)?.into_any()
        }
        DataType::Struct(fields) => {
            let array = array.as_struct();
            let names = fields.iter().map(|field| field.name().as_str());
            let columns = names.zip(array.columns().iter().map(AsRef::as_ref)).collect();
            dict(py, &columns, row)?.into_any()
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            let items = (0..items.len()).map(|at| value(py, &items, at));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        other => return Err(PyTypeError::new_err(format!("no value of Python for {other}"))),
    })
}

/// The tables of a value that speaks the PyCapsule protocol: a stream of tables, or one of them.
pub(crate) fn batches(value: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Batches)> {
    let py = value.py();
    if value.hasattr("__arrow_c_stream__")? {
        let reader = RecordBatchStreamReader::from_pyarrow_bound(value).map_err(|error| {
            if is_own(&error, py) { not_read(value, &error) } else { no_arrow(py, error) }
        })?;
        let schema = with_all_columns(value, arrow_array::RecordBatchReader::schema(&reader))?;
        let own = Arc::clone(&schema);
        let rows = move |batch: Result<RecordBatch, ArrowError>| {
            batch.and_then(|it| it.with_schema(Arc::clone(&own))).map_err(without_interface)
        };
        return Ok((schema, Box::new(reader.map(rows))));
    }
    let batch = RecordBatch::from_pyarrow_bound(value).map_err(|_| no_table(py))?;
    Ok((batch.schema(), Box::new(std::iter::once(Ok(batch)))))
}

/// The schema of a value that gives some of its columns, with the names of all.
fn with_all_columns(value: &Bound<'_, PyAny>, schema: SchemaRef) -> PyResult<SchemaRef> {
    let all = value.getattr_opt("all_columns")?.and_then(|all| all.extract::<String>().ok());
    let Some(all) = all else { return Ok(schema) };
    let mut schema = Schema::clone(&schema);
    schema.metadata.insert(ALL_COLUMNS.to_owned(), all);
    Ok(Arc::new(schema))
}

/// The error of whatever makes a table, without the words of the interface between, which has its text alone.
fn without_interface(error: ArrowError) -> ArrowError {
    let ArrowError::CDataInterface(text) = &error else { return error };
    let Some((_, told)) = text.split_once("Producer error: ") else { return error };
    let told = match told.rsplit_once("Traceback (most recent call last):\n") {
        // The lines of code have blanks before them, and the exception follows.
        Some((_, trace)) => {
            trace.lines().skip_while(|line| line.starts_with(' ')).collect::<Vec<_>>().join("\n")
        }
        None => told.strip_prefix("External error: ").unwrap_or(told).to_owned(),
    };
    ArrowError::ExternalError(told.into())
}

/// What an error of a table says.
pub(crate) fn unread(error: &ArrowError) -> String {
    format!("{TABLE} cannot be read on: {}", error_of_maker(error))
}

/// Whether the conversion itself failed, and not the maker of the table.
fn is_own(error: &PyErr, py: Python<'_>) -> bool {
    error.is_instance_of::<PyValueError>(py) && error.to_string().contains("C Data interface")
}

/// pyarrow, which converts frames of pandas, refuses columns with values of several types.
fn no_arrow(py: Python<'_>, error: PyErr) -> PyErr {
    let is_told = error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyOverflowError>(py);
    if !is_told {
        return not_begun(py, error);
    }
    let parts = error.value(py).getattr("args").and_then(|args| args.extract::<Vec<String>>());
    let reason = parts.map_or_else(|_| error.to_string(), |parts| parts.join("; "));
    unfit(
        py,
        format!(
            "the table has no form in Arrow: {reason}; give each column one type, as in frame[NAME] = \
             frame[NAME].astype(\"string\"), or of dicts and lists frame[NAME].map(json.dumps): a part of them is \
             `NAME|json.key` then"
        ),
    )
}

/// Libraries raise errors of their own where a query fails at its start: the first one is the cause of ours.
fn not_begun(py: Python<'_>, error: PyErr) -> PyErr {
    let is_own = |class: &str| {
        let class = py.import("multitrace._errors").and_then(|it| it.getattr(class));
        class.is_ok_and(|class| error.matches(py, class).unwrap_or(false))
    };
    if is_own("MultitraceError") || !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let made = unfit(py, format!("{TABLE} cannot be read: {}", error.to_string().trim()));
    made.set_cause(py, Some(error));
    made
}

/// A single column, or a table with a type that is not read.
fn not_read(value: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
    let py = value.py();
    let is_table = ["columns", "column_names", "schema"]
        .into_iter()
        .any(|it| value.hasattr(it).unwrap_or(false));
    match is_table {
        true => unfit(
            py,
            format!(
                "a column has a type that is not read: {error}; leave it out, or make texts of it"
            ),
        ),
        false => no_table(py),
    }
}

fn no_table(py: Python<'_>) -> PyErr {
    unfit(
        py,
        "this is not a table: give one with named columns, such as a DataFrame, not a single column",
    )
}

/// Tables with the same columns, one after another.
pub(crate) type Batches = multitrace_logs::ArrowBatches<'static>;

/// The name of tables in messages.
pub(crate) const TABLE: &str = "the table";
