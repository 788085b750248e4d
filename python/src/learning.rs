//! Specifications learnt from sessions, for Python.

use crate::bundle::Bundle;
use crate::errors::{exception, problem, unfit};
use crate::source::{NoInput, Source};
use crate::waiting::{Shared, wait_for};
use crate::words::WORDS;
use multitrace::{
    CompileOptions, ConvertTo, Evidence, Lack, LearnOptions, Learnt as Found, Monitor, Outlier,
    Spec, SpecFormat,
};
use multitrace_formats::bundle::EventMapping;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::num::NonZeroUsize;
use std::path::Path;

/// How a specification is learnt, by its names in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LearnArguments {
    /// In percent; `None` keeps all.
    outliers: Option<f64>,
    min_support: u64,
    most_arrows: Option<usize>,
    memory: Option<usize>,
    threads: Option<usize>,
}

/// A specification that was learnt.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Learnt {
    found: Found,
    /// The mapping that made sessions: its name in messages, and its text.
    events: Option<(String, String)>,
}

/// Learns a specification from all sessions of a source.
#[pyfunction]
pub(crate) fn learn(py: Python<'_>, source: &Source, options: LearnArguments) -> PyResult<Learnt> {
    let events = source.events().cloned();
    let source = source.prepare(py)?;
    let LearnArguments { outliers, min_support, most_arrows, memory, threads } = options;
    let options = LearnOptions {
        outliers: outliers.map(|it| it / 100.0),
        min_support,
        most_arrows,
        memory: memory.unwrap_or(LearnOptions::default().memory),
        threads: threads.and_then(NonZeroUsize::new),
    };
    let shared = Shared::default();
    let found = wait_for(py, &shared, None, || -> Result<Found, NoInput> {
        Ok(multitrace::learn(source.inputs(&nothing()?, &shared)?, options)?)
    })?;
    let found = found.map_err(|error| error.exception(py))?;
    Ok(Learnt { found, events })
}

/// Rows of logs are read by a specification; this one knows no name.
pub(crate) fn nothing() -> Result<Monitor, multitrace::Error> {
    let nothing = Spec::parse("nothing", "o", SpecFormat::Hif);
    Ok(nothing.compile(&CompileOptions::default())?.monitor)
}

#[pymethods]
impl Learnt {
    /// The specification in the notation of an extension of files; `logs` names the inputs it was learnt from.
    fn spec(&self, py: Python<'_>, format: &str, logs: &str) -> PyResult<String> {
        let to = ConvertTo::of_path(Path::new(&format!("spec.{format}")));
        let written = to.and_then(|to| py.detach(|| self.found.write(to, logs)));
        Ok(written.map_err(|error| exception(py, &error))?.text)
    }

    /// The specification compiled, with the mapping of its events.
    fn bundle(&self, py: Python<'_>) -> PyResult<Bundle> {
        let options = self.found.compile_options();
        let shared = Shared::compiling(&options.progress);
        let compiled = wait_for(py, &shared, None, || {
            let spec = self.found.spec();
            match self.events.as_ref().filter(|(_, text)| !text.is_empty()) {
                None => spec.compile(&options),
                Some((name, text)) => {
                    let events = EventMapping { name: name.clone(), text: text.clone() };
                    spec.compile_with_events(&options, events)
                }
            }
        })?;
        let compiled = compiled.map_err(|error| exception(py, &error))?;
        Ok(Bundle::of(compiled.monitor))
    }

    #[getter]
    fn sessions(&self) -> u64 {
        self.found.sessions
    }

    #[getter]
    fn skipped(&self) -> u64 {
        self.found.skipped
    }

    /// Sessions that it does not accept, each kind as its fields.
    #[getter]
    #[expect(clippy::type_complexity, reason = "the fields of a class of Python")]
    fn outliers(
        &self,
    ) -> Vec<(u64, Vec<String>, Option<String>, Option<u64>, Option<&'static str>)> {
        let lack = |lack: Lack| match lack {
            Lack::Logs => "logs",
            Lack::Events => "events",
        };
        let of = |it: &Outlier| {
            (it.count, it.ids.clone(), it.finding.clone(), it.distance, it.lack.map(lack))
        };
        self.found.outliers.iter().map(of).collect()
    }

    /// The evidence for it, by name.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Evidence { variants, arrows, held_out, is_cut, weak_places, sample, beyond, .. } =
            &self.found.evidence;
        let Evidence { has_too_many_arrows, ambiguous, .. } = &self.found.evidence;
        let all = PyDict::new(py);
        all.set_item("variants", variants)?;
        all.set_item("arrows", arrows)?;
        all.set_item("held_out", held_out)?;
        all.set_item("weak_places", weak_places)?;
        all.set_item("ambiguous", ambiguous.to_vec())?;
        all.set_item("sample", sample)?;
        all.set_item("has_too_many_arrows", has_too_many_arrows)?;
        all.set_item("beyond", beyond)?;
        all.set_item("is_cut", is_cut)?;
        Ok(all)
    }

    /// Remarks on the inputs.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.found.notes.iter().map(|it| WORDS.text(it).into_owned()).collect()
    }

    /// How many problems of inputs there are.
    #[getter]
    fn error_count(&self) -> u64 {
        self.found.problems.count()
    }

    /// The first problems of inputs, each with its text and places.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyList>)>> {
        self.found.problems.first().iter().map(|it| problem(py, it)).collect()
    }

    /// Raises an exception if there is nothing to learn from, or nothing is left.
    fn raise_if_empty(&self, py: Python<'_>) -> PyResult<()> {
        match (self.found.sessions, self.found.evidence.arrows) {
            (0, _) => Err(unfit(py, "there is no session to learn from")),
            (_, 0) if !self.found.outliers.is_empty() => Err(unfit(
                py,
                "every session is left out; min_support and outliers say how many may be",
            )),
            _ => Ok(()),
        }
    }
}
