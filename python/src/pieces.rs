//! A table of Arrow whose pieces Python gives one after another.

use crate::table::{Batches, batches};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator};
use std::sync::Arc;

/// Tables of the same columns as one table; each is made when those before it are read.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Pieces {
    empty: Py<PyAny>,
    pieces: Py<PyAny>,
}

#[pymethods]
impl Pieces {
    /// `empty` has the columns, and no rows.
    #[new]
    fn new(empty: Py<PyAny>, pieces: Py<PyAny>) -> Pieces {
        Pieces { empty, pieces }
    }

    /// The rows as a stream of Arrow. `requested_schema` is only a wish, which is not met.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let (schema, _) = batches(self.empty.bind(py))?;
        let pieces = self.pieces.bind(py).try_iter()?.unbind();
        let rows = Rows { schema, pieces, piece: None };
        PyCapsule::new_with_value(
            py,
            FFI_ArrowArrayStream::new(Box::new(rows)),
            c"arrow_array_stream",
        )
    }
}

/// The rows of all pieces.
struct Rows {
    schema: SchemaRef,
    pieces: Py<PyIterator>,
    piece: Option<Batches>,
}

impl Rows {
    fn next_piece(&self) -> Option<PyResult<Batches>> {
        Python::attach(|py| {
            let piece = self.pieces.bind(py).clone().next()?;
            Some(piece.and_then(|piece| Ok(batches(&piece)?.1)))
        })
    }

    /// A batch whose columns are those that were promised: whoever reads the stream trusts them.
    fn checked(&self, batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(Arc::clone(&self.schema), batch.columns().to_vec())
    }
}

impl Iterator for Rows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.piece.as_mut().and_then(Iterator::next) {
                return Some(batch.and_then(|batch| self.checked(batch)));
            }
            match self.next_piece()? {
                Ok(piece) => self.piece = Some(piece),
                Err(error) => return Some(Err(ArrowError::ExternalError(Box::new(error)))),
            }
        }
    }
}

impl RecordBatchReader for Rows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
