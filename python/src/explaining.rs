//! One session explained, for Python.

use crate::errors::unfit;
use crate::words::WORDS;
use multitrace::{ExplainedSession, Monitor};
use multitrace_reports::outputs::Paint;
use multitrace_reports::outputs::explain::{
    CodeMeaning, Layout, write_code, write_human, write_json,
};
use multitrace_reports::pictures::SvgOptions;
use multitrace_reports::pictures::space_time::{
    space_time_mermaid, space_time_shiviz, space_time_svg, space_time_text,
};
use pyo3::prelude::*;

/// The meaning of a code and what to do, as text.
#[pyfunction]
pub(crate) fn explain_code(py: Python<'_>, code: &str) -> PyResult<String> {
    let meaning = CodeMeaning::of_name(code, WORDS).map_err(|error| unfit(py, error))?;
    let mut text = Vec::new();
    write_code(&meaning, Layout { width: 100, paint: Paint::PLAIN }, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// One session explained.
#[pyclass(frozen, module = "multitrace")]
pub(crate) struct Explanation {
    pub(crate) session: ExplainedSession,
    pub(crate) monitor: Monitor,
    /// Events shown around each one that is wrong.
    pub(crate) context: usize,
}

#[pymethods]
impl Explanation {
    /// The verdict.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.session.checked.verdict.name()
    }

    /// As text for people, in lines of this width.
    fn text(&self, width: usize) -> PyResult<String> {
        let (explained, layout) = (self.session.explained(), Layout { width, paint: Paint::PLAIN });
        let mut text = Vec::new();
        write_human(&explained, self.monitor.alphabet(), layout, &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// As the JSON of `multitrace explain --output-format json`.
    fn json(&self) -> PyResult<String> {
        let mut text = Vec::new();
        write_json(&self.session.explained(), self.monitor.alphabet(), &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// As a picture: `svg`, `mermaid`, `shiviz`, or `text` in lines of this width.
    fn picture(&self, format: &str, width: usize) -> String {
        let pairs = self.monitor.message_pairs();
        let picture = self.session.space_time(&self.monitor, &pairs, self.context);
        match format {
            "mermaid" => space_time_mermaid(&picture),
            "shiviz" => space_time_shiviz(&picture),
            "text" => space_time_text(&picture, width, Paint::PLAIN),
            _ => space_time_svg(&picture, SvgOptions::default()),
        }
    }
}
