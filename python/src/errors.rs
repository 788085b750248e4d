//! Errors of the library as exceptions, with their places.

use crate::words::WORDS;
use multitrace_formats::problem::{InputProblem, ProblemPlace};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::io;
use std::path::Path;

/// The exception for an error of the library.
pub(crate) fn exception(py: Python<'_>, error: &multitrace::Error) -> PyErr {
    raise(py, "MultitraceError", &error.to_string(), &error.places())
}

/// The exception for an error in an argument.
pub(crate) fn unfit(py: Python<'_>, message: impl std::fmt::Display) -> PyErr {
    raise(py, "MultitraceError", &message.to_string(), &[])
}

/// The exception that Python itself raises for a file: with its number, its message and the name of the file.
pub(crate) fn of_file(path: &Path, error: &io::Error) -> PyErr {
    let text = error.to_string();
    let Some(code) = error.raw_os_error() else { return PyOSError::new_err(text) };
    let message = text.strip_suffix(&format!(" (os error {code})")).unwrap_or(&text).to_owned();
    let path = path.as_os_str().to_owned();
    if cfg!(windows) {
        // Python finds the number of POSIX by that of Windows.
        return PyOSError::new_err((0, message, path, code));
    }
    PyOSError::new_err((code, message, path))
}

/// An exception of `multitrace._errors`, made of its message and its places.
fn raise(py: Python<'_>, class: &str, message: &str, places: &[ProblemPlace]) -> PyErr {
    let message = WORDS.text(message.strip_prefix("error: ").unwrap_or(message));
    let made = || {
        let class = py.import("multitrace._errors")?.getattr(class)?;
        class.call1((&*message, place_list(py, places)?))
    };
    made().map_or_else(|error| error, PyErr::from_value)
}

/// Places as tuples of file, line, column and message.
pub(crate) fn place_list<'py>(
    py: Python<'py>,
    places: &[ProblemPlace],
) -> PyResult<Bound<'py, PyList>> {
    let place = |it: &ProblemPlace| {
        let [file, message] = [&it.file, &it.message].map(|text| WORDS.text(text).into_owned());
        (file, it.line, it.column, message)
    };
    PyList::new(py, places.iter().map(place))
}

/// A problem of an input as its text and its places.
pub(crate) fn problem<'py>(
    py: Python<'py>,
    problem: &InputProblem,
) -> PyResult<(String, Bound<'py, PyList>)> {
    let text = problem.to_string();
    let text = WORDS.text(text.strip_prefix("error: ").unwrap_or(&text)).into_owned();
    Ok((text, place_list(py, &problem.places)?))
}
