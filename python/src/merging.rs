//! Partial reports, for Python: parts of a run that merge to the report of the whole.

use crate::check_options::{DemandOptions, baseline, group_order, tolerance};
use crate::errors::{exception, unfit};
use crate::report::Report;
use crate::words::WORDS;
use multitrace::{FinishOptions, PartialReport};
use multitrace_logs::{Exclusions, InputFiles};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::HashSet;
use std::path::PathBuf;

/// The files that paths stand for: files, those in folders, and those that match patterns.
#[pyfunction]
pub(crate) fn list_files(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Vec<PathBuf>> {
    let listed = py.detach(|| InputFiles::list(&paths));
    let listed = listed.map_err(|error| exception(py, &error.into()))?;
    Ok(listed.files.into_iter().map(|file| file.path).collect())
}

/// The numbers of the files that are read of those elsewhere that a folder or pattern stands for, and remarks on the others.
#[pyfunction]
pub(crate) fn kept_files(
    py: Python<'_>,
    top: PathBuf,
    paths: Vec<PathBuf>,
    is_folder: bool,
    exclude: Vec<String>,
) -> PyResult<(Vec<usize>, Vec<String>)> {
    let exclude = Exclusions::parse(&exclude).map_err(|error| exception(py, &error.into()))?;
    let listed = InputFiles::elsewhere(&top, paths.clone(), is_folder, &exclude);
    let kept: HashSet<&PathBuf> = listed.files.iter().map(|file| &file.path).collect();
    let numbers = (0..paths.len()).filter(|&at| kept.contains(&paths[at]));
    let notes = listed.notes.iter().map(|note| WORDS.text(note).into_owned());
    Ok((numbers.collect(), notes.collect()))
}

/// The options that apply when parts are merged, by their names in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct MergeOptions {
    baseline: Option<(String, String)>,
    max_failures: Option<String>,
    order_groups: String,
    min_coverage: Option<f64>,
    allow_missing: bool,
    demands: DemandOptions,
}

/// Parts of a run while they are merged.
#[pyclass(module = "multitrace")]
#[derive(Default)]
pub(crate) struct Merging {
    all: Option<PartialReport>,
}

#[pymethods]
impl Merging {
    #[new]
    fn new() -> Merging {
        Merging::default()
    }

    /// Adds a part; `name` is its name in errors.
    fn add(&mut self, py: Python<'_>, name: &str, bytes: &[u8]) -> PyResult<()> {
        let wrong = |error: String| unfit(py, format!("{name}: {error}"));
        let part = py.detach(|| PartialReport::from_bytes(bytes));
        let part = part.map_err(|error| wrong(error.to_string()))?;
        match &mut self.all {
            None => self.all = Some(part),
            Some(all) => {
                py.detach(|| all.merge(part)).map_err(|error| wrong(error.to_string()))?;
            }
        }
        Ok(())
    }

    /// Adds a problem of a stream, which the checks of its sessions have not seen.
    fn add_problem(&mut self, py: Python<'_>, message: String) -> PyResult<()> {
        let all = self.all.take().ok_or_else(|| unfit(py, NOTHING))?;
        self.all = Some(all.with_problem("the stream", message));
        Ok(())
    }

    /// All that was merged as one part, packed.
    fn part<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let all = self.all.as_ref().ok_or_else(|| unfit(py, NOTHING))?;
        let bytes = py.detach(|| all.to_packed()).map_err(|error| unfit(py, error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The report of all that was merged.
    fn report(&mut self, py: Python<'_>, options: MergeOptions) -> PyResult<Report> {
        let options = FinishOptions {
            baseline: baseline(py, options.baseline.as_ref())?,
            tolerance: tolerance(py, options.max_failures.as_deref())?,
            order: group_order(py, &options.order_groups)?,
            min_coverage: options.min_coverage,
            words: WORDS,
            allow_missing: options.allow_missing,
            is_part: false,
            demands: options.demands.demands(py)?,
        };
        let all = self.all.take().ok_or_else(|| unfit(py, NOTHING))?;
        let (merged, problems) = (Some(all.clone()), all.problems().collect());
        let found = py.detach(|| all.finish(options)).map_err(|error| exception(py, &error))?;
        Ok(Report { found, sessions: None, problems, merged })
    }
}

const NOTHING: &str = "there is nothing to merge: no part was given";
