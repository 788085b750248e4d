//! The results of a check, for Python.

use crate::errors::{exception, problem, unfit};
use crate::sessions_table::{SCHEMA, SessionBlock};
use crate::table::Table;
use crate::words::WORDS;
use multitrace::{PartialReport, Report as Found};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::suggest::closest;
use multitrace_reports::outputs::{OutputFormat, Paint};
use multitrace_reports::pictures::{SvgOptions, overlay::Overlay};
use multitrace_reports::run_report::RunReport;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// The rows of sessions, and their table once someone has asked for it.
pub(crate) struct ReportRows {
    /// Empty once the table is made.
    blocks: Mutex<Vec<SessionBlock>>,
    table: PyOnceLock<Py<Table>>,
}

impl ReportRows {
    pub(crate) fn new(blocks: Vec<SessionBlock>) -> ReportRows {
        ReportRows { blocks: Mutex::new(blocks), table: PyOnceLock::new() }
    }

    fn table(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        let make = || {
            let tables = py.detach(|| {
                let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::take(&mut *blocks).iter().map(SessionBlock::table).collect()
            });
            Py::new(py, Table::new(Arc::clone(&SCHEMA), tables))
        };
        Ok(self.table.get_or_try_init(py, make)?.clone_ref(py))
    }
}

/// The results of a check.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Report {
    pub(crate) found: Found,
    pub(crate) sessions: Option<ReportRows>,
    pub(crate) problems: Vec<InputProblem>,
    /// All parts as one, if this is the report of parts.
    pub(crate) merged: Option<PartialReport>,
}

#[pymethods]
impl Report {
    /// How the run ended: `clean`, `violations`, `error` or `nothing_checked`.
    #[getter]
    fn outcome(&self) -> &'static str {
        self.found.outcome().name()
    }

    /// The exit code of the command line for this outcome.
    #[getter]
    fn exit_code(&self) -> u8 {
        self.found.exit_code()
    }

    /// How many parts of the inputs could not be checked.
    #[getter]
    fn error_count(&self) -> u64 {
        self.found.summary().errors
    }

    /// One row a session, unless the check was asked to leave them out.
    #[getter]
    fn sessions(&self, py: Python<'_>) -> PyResult<Option<Py<Table>>> {
        self.sessions.as_ref().map(|rows| rows.table(py)).transpose()
    }

    /// The name of a session that this one may stand for.
    fn closest_session(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        let Some(rows) = &self.sessions else { return Ok(None) };
        let table = rows.table(py)?;
        Ok(closest(name, table.get().texts("session")).map(str::to_owned))
    }

    /// Problems of the inputs: each as its text, and its places.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let problems = self.problems.iter().map(|it| problem(py, it));
        PyList::new(py, problems.collect::<PyResult<Vec<_>>>()?)
    }

    /// Notes on the run for people, beside its findings.
    #[getter]
    fn notes(&self) -> Vec<String> {
        let shards = self.found.run().missing_shards.as_ref().map(ToString::to_string);
        let input = self.found.run().input_remarks().map(|it| it.message);
        let run = shards.into_iter().chain(input).chain(self.found.notes());
        let notes = run.chain(self.found.why_nothing());
        notes.map(|note| WORDS.text(&note).into_owned()).collect()
    }

    /// The report in one of the formats of the command line.
    fn render<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, PyBytes>> {
        let instead = |it| match it {
            OutputFormat::JsonLines => Some("Report.sessions has the sessions"),
            OutputFormat::Partial => Some("Report.partial() gives a part"),
            _ => None,
        };
        if let Some(instead) = OutputFormat::of_name(format).and_then(instead) {
            return Err(unfit(py, format!("{format:?} is not a format of reports: {instead}")));
        }
        let has_text = |it: &OutputFormat| instead(*it).is_none();
        let Some(known) = OutputFormat::of_name(format).filter(has_text) else {
            let names = OutputFormat::ALL.into_iter().filter(has_text);
            let names: Vec<&str> = names.map(OutputFormat::name).collect();
            let message =
                format!("{format:?} is not a format of reports; known are {}", names.join(", "));
            return Err(unfit(py, message));
        };
        let mut text = Vec::new();
        py.detach(|| self.found.write(known, &mut text))?;
        Ok(PyBytes::new(py, &text))
    }

    /// The report for people without the errors of the input, which Python tells with their remedies.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let run = RunReport { errors_apart: true, ..self.found.run().clone() };
        let mut text = Vec::new();
        py.detach(|| OutputFormat::Human.write(&run, Paint::PLAIN, &mut text))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The results as a part of a larger run, packed, if the check was asked for it.
    fn part<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let part = match &self.merged {
            Some(merged) => Cow::Borrowed(merged),
            None => Cow::Owned(self.found.partial().map_err(|error| exception(py, &error))?),
        };
        let bytes = py.detach(|| part.to_packed()).map_err(|error| unfit(py, error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The kinds of findings that fail the run, as the text of a baseline.
    fn baseline(&self, py: Python<'_>) -> PyResult<String> {
        let baseline = self.found.baseline().map_err(|error| unfit(py, error))?;
        Ok(baseline.print())
    }

    /// The coverage in the format of LCOV, if it was asked for.
    fn lcov(&self) -> PyResult<Option<String>> {
        let Some(coverage) = self.found.coverage() else { return Ok(None) };
        let mut text = Vec::new();
        coverage.write_lcov(&mut text)?;
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }

    /// The specification as SVG, with marks for findings and coverage.
    fn svg(&self) -> String {
        let overlay = self.found.overlay().cloned().unwrap_or_default();
        let found = self.found.groups().iter().map(|it| (&it.group.finding, it.group.count));
        let overlay: Overlay = match self.found.monitor().interaction() {
            Some((signature, interaction)) => overlay.with_findings(interaction, signature, found),
            None => overlay,
        };
        self.found.monitor().picture(&overlay, SvgOptions::default())
    }
}
