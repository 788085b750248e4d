//! Logs of one location, judged where they are, for Python.

use crate::errors::{exception, problem};
use crate::source::{NoInput, Source};
use crate::waiting::{Shared, wait_for};
use multitrace::{LocalFile, LocalMonitor, LocalOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::num::NonZeroUsize;

/// The file of a location, if there is one; how many problems its logs have, and the first of them.
type Written<'py> = (Option<Bound<'py, PyBytes>>, u64, Vec<(String, Bound<'py, PyList>)>);

/// The part of a location: of the bundle in these bytes, and of a source. With a request, the letters that it names.
#[pyfunction]
#[pyo3(signature = (bundle, source, request, memory, threads))]
pub(crate) fn local<'py>(
    py: Python<'py>,
    bundle: &[u8],
    source: &Source,
    request: Option<Vec<u8>>,
    memory: Option<usize>,
    threads: Option<usize>,
) -> PyResult<Written<'py>> {
    let source = source.prepare(py)?;
    let local = LocalMonitor::from_bytes(bundle).map_err(|error| exception(py, &error))?;
    let options = LocalOptions::default();
    let memory = memory.unwrap_or(options.memory);
    let options = LocalOptions { memory, threads: threads.and_then(NonZeroUsize::new) };
    let shared = Shared::default();
    let file = wait_for(py, &shared, None, || -> Result<LocalFile, NoInput> {
        let inputs = source.inputs(local.monitor(), &shared)?;
        Ok(match &request {
            None => local.part(inputs, &options)?,
            Some(request) => local.answer(inputs, request, &options)?,
        })
    })?;
    let file = file.map_err(|error| error.exception(py))?;
    let bytes = file.bytes.as_ref().map(|bytes| PyBytes::new(py, bytes));
    let problems =
        file.problems.first().iter().map(|it| problem(py, it)).collect::<PyResult<_>>()?;
    Ok((bytes, file.problems.count(), problems))
}
