//! Dicts as lines of JSON in which each value has the text that a column of its type has.

// Records of dicts are read from JSON. `json` of Python would write `1e+22` where a column has `1e22`, and
// `0.10000000149011612` for a `float32` that is 0.1, so the lines are written here. Values that are neither texts nor
// numbers of Python are converted by a function of Python, and what it returns is written.

use crate::errors::unfit;
use arrow_schema::DataType;
use multitrace::Mapping;
use multitrace_logs::{PathStep, unfit_session};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::collections::HashMap;

/// The name of a list in messages.
pub(crate) const LIST: &str = "the list";

/// How deep values may stand in one another: `serde_json`, which reads the lines, takes no deeper ones.
const MOST_NESTED: usize = 127;

/// Lines of JSON, one for each dict.
#[pyclass(module = "multitrace")]
pub(crate) struct Lines {
    convert: Py<PyAny>,
    count: usize,
    bytes: Vec<u8>,
    floats: FloatPlaces,
}

impl Lines {
    /// The lines, and where floats are.
    pub(crate) fn take(&mut self) -> (Vec<u8>, FloatPlaces) {
        (std::mem::take(&mut self.bytes), std::mem::take(&mut self.floats))
    }
}

/// Where dicts have floats, by keys, with `[]` for any item of a list; and the number of the first dict with one there.
#[derive(Clone, Default)]
pub(crate) struct FloatPlaces(HashMap<Vec<String>, usize>);

impl FloatPlaces {
    /// The error for the first float that names sessions: by a mapping, or by the key `session`.
    pub(crate) fn refusal(&self, mapping: Option<&Mapping>) -> Option<String> {
        let session = || vec![vec![PathStep::Key("session".to_owned())]];
        let paths = mapping.map_or_else(session, Mapping::session_paths);
        let found = paths.iter().find_map(|steps| {
            let place: Vec<String> = steps.iter().filter_map(place_of).collect();
            let number = self.0.get(&place)?;
            Some((place.join(".").replace(".[]", "[]"), *number))
        });
        let ((place, number), (what, help)) = (found?, unfit_session(&DataType::Float64)?);
        Some(format!("{LIST}, item {number}: `{place}`, which names sessions, has {what}; {help}"))
    }
}

fn place_of(step: &PathStep) -> Option<String> {
    match step {
        PathStep::Key(key) => Some(key.clone()),
        PathStep::Json => None,
        _ => Some(ITEM.to_owned()),
    }
}

/// Any item of a list, in places.
const ITEM: &str = "[]";

#[pymethods]
impl Lines {
    /// `convert` makes a text, a number, a list, a dict or nothing of any other value.
    #[new]
    fn new(convert: Py<PyAny>) -> Lines {
        Lines { convert, count: 0, bytes: Vec::new(), floats: FloatPlaces::default() }
    }

    /// Adds a dict.
    fn add(&mut self, item: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = item.py();
        self.count += 1;
        let mut writer = Writer::new(self.convert.bind(py), &mut self.bytes);
        writer.floats = Some((&mut self.floats, self.count));
        let written = writer.object(item, MOST_NESTED - 1);
        let place = writer.path.first().map(|key| format!(", {key}")).unwrap_or_default();
        written.map_err(|error| {
            let is_told = error.is_instance_of::<PyTypeError>(py)
                || error.is_instance_of::<PyValueError>(py)
                || error.is_instance_of::<PyOverflowError>(py);
            let reason = error.value(py).to_string();
            match is_told {
                true => unfit(py, format!("{LIST}, item {}{place}: {reason}", self.count)),
                false => error,
            }
        })?;
        self.bytes.push(b'\n');
        Ok(())
    }
}

/// The text that a value has in a column, nothing for a missing one; values with parts are written in JSON.
#[pyfunction]
pub(crate) fn value_text(
    value: &Bound<'_, PyAny>,
    convert: &Bound<'_, PyAny>,
) -> PyResult<Option<String>> {
    let mut bytes = Vec::new();
    Writer::new(convert, &mut bytes).value(value, MOST_NESTED)?;
    Ok(match &bytes[..] {
        b"null" => None,
        [b'"', ..] => Some(
            serde_json::from_slice(&bytes)
                .map_err(|error| PyValueError::new_err(error.to_string()))?,
        ),
        _ => Some(String::from_utf8_lossy(&bytes).into_owned()),
    })
}

/// Whether a value has itself in it, or more values in one another than are read; pyarrow would overflow the stack.
#[pyfunction]
pub(crate) fn is_too_deep(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    is_deeper(value, MOST_NESTED)
}

fn is_deeper(value: &Bound<'_, PyAny>, most: usize) -> PyResult<bool> {
    let items: Vec<Bound<'_, PyAny>> = if let Ok(dict) = value.cast::<PyDict>() {
        dict.values().iter().collect()
    } else if let Ok(list) = value.cast::<PyList>() {
        list.iter().collect()
    } else if let Ok(tuple) = value.cast::<PyTuple>() {
        tuple.iter().collect()
    } else {
        return Ok(false);
    };
    let Some(most) = most.checked_sub(1) else { return Ok(true) };
    for item in items {
        if is_deeper(&item, most)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A step to a value in a dict.
enum Step<'py> {
    Key(Bound<'py, PyAny>),
    Item,
}

impl std::fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Key(key) => f.write_str(&key.repr().map(|it| it.to_string()).unwrap_or_default()),
            Step::Item => f.write_str(ITEM),
        }
    }
}

struct Writer<'w, 'py> {
    convert: &'w Bound<'py, PyAny>,
    out: &'w mut Vec<u8>,
    /// The way to the value that is being written.
    path: Vec<Step<'py>>,
    /// Where floats are noted, and the number of the dict.
    floats: Option<(&'w mut FloatPlaces, usize)>,
}

impl<'w, 'py> Writer<'w, 'py> {
    fn new(convert: &'w Bound<'py, PyAny>, out: &'w mut Vec<u8>) -> Writer<'w, 'py> {
        Writer { convert, out, path: Vec::new(), floats: None }
    }

    /// Writes a value in which others stand in one another `left` times at most.
    fn value(&mut self, value: &Bound<'py, PyAny>, left: usize) -> PyResult<()> {
        if value.is_none() {
            self.out.extend(b"null");
        } else if let Ok(text) = value.cast::<PyString>() {
            self.text(text)?;
        } else if let Ok(is) = value.cast::<PyBool>() {
            self.truth(is.is_true());
        } else if value.is_instance_of::<PyInt>() {
            self.integer(value)?;
        } else if let Ok(float) = value.cast::<PyFloat>() {
            self.float(float.value(), ryu::Buffer::new().format(float.value()))?;
        } else {
            let left = left.checked_sub(1).ok_or_else(|| PyValueError::new_err(TOO_DEEP))?;
            if let Ok(dict) = value.cast::<PyDict>() {
                self.object(dict, left)?;
            } else if let Ok(list) = value.cast::<PyList>() {
                self.items(list.iter(), left)?;
            } else if let Ok(tuple) = value.cast::<PyTuple>() {
                self.items(tuple.iter(), left)?;
            } else {
                self.other(value, left)?;
            }
        }
        Ok(())
    }

    fn object(&mut self, dict: &Bound<'py, PyDict>, left: usize) -> PyResult<()> {
        self.out.push(b'{');
        for (number, (key, value)) in dict.iter().enumerate() {
            self.out.extend(if number > 0 { &b", "[..] } else { b"" });
            self.path.push(Step::Key(key.clone()));
            self.key(&key)?;
            self.out.extend(b": ");
            self.value(&value, left)?;
            self.path.pop();
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Keys are texts; others have the texts of their values.
    fn key(&mut self, key: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Ok(text) = key.cast::<PyString>() {
            return self.text(text);
        }
        let start = self.out.len();
        Writer::new(self.convert, self.out).value(key, MOST_NESTED)?;
        match self.out[start] {
            b'"' => {}
            b'{' | b'[' => return Err(PyTypeError::new_err("a key has parts; make it a text")),
            _ => {
                self.out.insert(start, b'"');
                self.out.push(b'"');
            }
        }
        Ok(())
    }

    fn items(
        &mut self,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
        left: usize,
    ) -> PyResult<()> {
        self.out.push(b'[');
        self.path.push(Step::Item);
        for (number, item) in items.enumerate() {
            self.out.extend(if number > 0 { &b", "[..] } else { b"" });
            self.value(&item, left)?;
        }
        self.path.pop();
        self.out.push(b']');
        Ok(())
    }

    fn text(&mut self, text: &Bound<'py, PyString>) -> PyResult<()> {
        let Ok(text) = text.to_str() else {
            let shown = text.repr()?;
            return Err(PyValueError::new_err(format!("{shown} is not a text in Unicode")));
        };
        self.quoted(text);
        Ok(())
    }

    fn quoted(&mut self, text: &str) {
        self.out.push(b'"');
        let mut rest = text.as_bytes();
        while let Some(at) = rest.iter().position(|it| *it < b' ' || matches!(it, b'"' | b'\\')) {
            self.out.extend(&rest[..at]);
            match rest[at] {
                8 => self.out.extend(b"\\b"),
                12 => self.out.extend(b"\\f"),
                b'\n' => self.out.extend(b"\\n"),
                b'\r' => self.out.extend(b"\\r"),
                b'\t' => self.out.extend(b"\\t"),
                sign @ (b'"' | b'\\') => self.out.extend([b'\\', sign]),
                sign => self.out.extend(format!("\\u{sign:04x}").bytes()),
            }
            rest = &rest[at + 1..];
        }
        self.out.extend(rest);
        self.out.push(b'"');
    }

    /// A session is named by a text or a number in JSON, so the name is the text that a column of truth values has.
    fn truth(&mut self, is_true: bool) {
        let text = if is_true { "true" } else { "false" };
        let names_session =
            matches!(&self.path[..], [Step::Key(key)] if key.eq("session").unwrap_or_default());
        match names_session {
            true => self.quoted(text),
            false => self.out.extend(text.bytes()),
        }
    }

    /// A subclass, as of an enumeration, may have another text.
    fn integer(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Ok(number) = value.extract::<i64>() {
            self.out.extend(number.to_string().bytes());
            return Ok(());
        }
        let digits = value.py().get_type::<PyInt>().call_method1("__repr__", (value,))?;
        self.out.extend(digits.extract::<String>()?.bytes());
        Ok(())
    }

    /// JSON has no infinite numbers.
    fn float(&mut self, value: f64, text: &str) -> PyResult<()> {
        if value.is_nan() {
            self.out.extend(b"null");
            return Ok(());
        }
        if value.is_finite() {
            self.out.extend(text.bytes());
        } else {
            self.quoted(text);
        }
        self.note_float()
    }

    fn note_float(&mut self) -> PyResult<()> {
        let Some((floats, number)) = &mut self.floats else { return Ok(()) };
        let step = |step: &Step<'py>| match step {
            Step::Key(key) => Ok(key.str()?.to_string()),
            Step::Item => Ok(ITEM.to_owned()),
        };
        let place = self.path.iter().map(step).collect::<PyResult<Vec<String>>>()?;
        floats.0.entry(place).or_insert(*number);
        Ok(())
    }

    /// A value of another library.
    fn other(&mut self, value: &Bound<'py, PyAny>, left: usize) -> PyResult<()> {
        match value.get_type().name()?.to_str()? {
            "float32" | "float16" => {
                let float = value.extract::<f64>()?;
                self.float(float, ryu::Buffer::new().format(float as f32))
            }
            "Decimal" => self.decimal(value),
            _ => {
                let converted = self.convert.call1((value,))?;
                self.value(&converted, left)
            }
        }
    }

    /// Without an exponent, as decimals of columns are.
    fn decimal(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        if !value.call_method0("is_finite")?.is_truthy()? {
            let is_nan = value.call_method0("is_nan")?.is_truthy()?;
            let float = if is_nan { f64::NAN } else { value.extract::<f64>()? };
            return self.float(float, ryu::Buffer::new().format(float));
        }
        let digits = value.call_method1("__format__", ("f",))?.extract::<String>()?;
        let is_zero = value.call_method0("is_zero")?.is_truthy()?;
        self.out.extend(digits.trim_start_matches(|sign| is_zero && sign == '-').bytes());
        Ok(())
    }
}

const TOO_DEEP: &str = "a value contains itself, or too many others in one another";
