//! Old and new sessions compared, for Python.

use crate::errors::{exception, problem};
use crate::learning::nothing;
use crate::source::{NoInput, Source};
use crate::waiting::{Shared, wait_for};
use crate::words::WORDS;
use multitrace::{Change, CompareOptions, Comparison as Found};
use multitrace_reports::pictures::{SvgOptions, beside};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::num::NonZeroUsize;

/// How sessions are compared, by its names in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct CompareArguments {
    /// In percent.
    chance: f64,
    memory: Option<usize>,
    threads: Option<usize>,
}

/// The changes from old sessions to new ones.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Comparison(Found);

/// Compares all sessions of two sources.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    old: &Source,
    new: &Source,
    options: CompareArguments,
) -> PyResult<Comparison> {
    let (old, new) = (old.prepare(py)?, new.prepare(py)?);
    let CompareArguments { chance, memory, threads } = options;
    let memory = memory.unwrap_or(CompareOptions::default().memory);
    let threads = threads.and_then(NonZeroUsize::new);
    let options = CompareOptions { chance: chance / 100.0, memory, threads };
    let shared = Shared::default();
    let found = wait_for(py, &shared, None, || -> Result<Found, NoInput> {
        let nothing = nothing()?;
        let (old, new) = (old.inputs(&nothing, &shared)?, new.inputs(&nothing, &shared)?);
        Ok(multitrace::compare(old, new, options)?)
    })?;
    found.map(Comparison).map_err(|error| error.exception(py))
}

#[pymethods]
impl Comparison {
    #[getter]
    fn sessions(&self) -> [u64; 2] {
        self.0.sessions
    }

    #[getter]
    fn skipped(&self) -> [u64; 2] {
        self.0.skipped
    }

    #[getter]
    fn tested(&self) -> usize {
        self.0.tested
    }

    #[getter]
    fn has_new_or_gone(&self) -> bool {
        self.0.has_new_or_gone()
    }

    /// Changes beyond chance, each as its fields.
    #[getter]
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.0.changes.iter().map(|it| fields(py, it)).collect()
    }

    /// Behaviours of only one side that chance may explain, each as its fields.
    #[getter]
    fn uncertain<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.0.uncertain.iter().map(|it| fields(py, it)).collect()
    }

    /// Remarks on the inputs.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.iter().flatten().map(|it| WORDS.text(it).into_owned()).collect()
    }

    /// The diagrams that are learnt from both sides beside each other, with the changes marked, as SVG.
    fn svg(&self, py: Python<'_>, background: bool) -> PyResult<String> {
        let names = ["old", "new"].map(str::to_owned);
        let pictures = py.detach(|| self.0.pictures(&names));
        let pictures = pictures.map_err(|error| exception(py, &error))?;
        let options = SvgOptions { has_background: background, ..SvgOptions::default() };
        Ok(beside("", &pictures).svg(options))
    }

    /// How many problems of inputs there are.
    #[getter]
    fn error_count(&self) -> u64 {
        self.0.problems.count()
    }

    /// The first problems of inputs, each with its text and places.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyList>)>> {
        self.0.problems.first().iter().map(|it| problem(py, it)).collect()
    }
}

fn fields<'py>(py: Python<'py>, change: &Change) -> PyResult<Bound<'py, PyDict>> {
    let Change { kind, title, shown, counts: [old, new], p, ids: [of_old, of_new], .. } = change;
    let all = PyDict::new(py);
    all.set_item("change", kind.name())?;
    all.set_item("title", title)?;
    all.set_item("shown", shown)?;
    all.set_item("old", old)?;
    all.set_item("new", new)?;
    all.set_item("p", p)?;
    all.set_item("old_sessions", of_old)?;
    all.set_item("new_sessions", of_new)?;
    Ok(all)
}
