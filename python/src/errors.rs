//! Errors of the library as exceptions, with their places.

use multitrace::{InputProblem, ProblemPlace};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// The exception for an error of the library.
pub(crate) fn exception(py: Python<'_>, error: &multitrace::Error) -> PyErr {
    raise(py, "MultitraceError", &error.to_string(), &error.places())
}

/// The exception for what is wrong with an argument.
pub(crate) fn unfit(py: Python<'_>, message: impl std::fmt::Display) -> PyErr {
    raise(py, "MultitraceError", &message.to_string(), &[])
}

/// An exception of `multitrace._errors`, made of its message and its places.
fn raise(py: Python<'_>, class: &str, message: &str, places: &[ProblemPlace]) -> PyErr {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let made = || {
        let class = py.import("multitrace._errors")?.getattr(class)?;
        class.call1((message, place_list(py, places)?))
    };
    made().map_or_else(|error| error, PyErr::from_value)
}

/// Places as tuples of file, line, column and message.
pub(crate) fn place_list<'py>(
    py: Python<'py>,
    places: &[ProblemPlace],
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, places.iter().map(|it| (&it.file, it.line, it.column, &it.message)))
}

/// A problem of an input as its text and its places.
pub(crate) fn problem<'py>(
    py: Python<'py>,
    problem: &InputProblem,
) -> PyResult<(String, Bound<'py, PyList>)> {
    let text = problem.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text).to_owned();
    Ok((text, place_list(py, &problem.places)?))
}
