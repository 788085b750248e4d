//! A session that Python feeds event by event.

use crate::errors::{exception, unfit};
use crate::words::WORDS;
use multitrace::{CheckConfig, Finding, Monitor, OnlineSession as Fed};
use pyo3::prelude::*;
use self_cell::self_cell;

self_cell!(
    /// A session with the monitor that it points into.
    struct Owned {
        owner: Monitor,
        #[not_covariant]
        dependent: Fed,
    }
);

/// A session that is fed event by event.
#[pyclass(module = "multitrace")]
pub(crate) struct OnlineSession {
    /// `None` once it is over.
    fed: Option<Owned>,
}

impl OnlineSession {
    pub(crate) fn new(monitor: Monitor, id: &str, config: CheckConfig) -> OnlineSession {
        OnlineSession { fed: Some(Owned::new(monitor, |monitor| monitor.online(id, config))) }
    }

    fn fed(&mut self, py: Python<'_>) -> PyResult<&mut Owned> {
        self.fed.as_mut().ok_or_else(|| unfit(py, "the session is over; begin another one"))
    }
}

/// A finding as its code, location, index, event, expected events, title, and the keys of its kind and its place.
type FindingParts = (
    &'static str,
    Option<String>,
    Option<usize>,
    Option<String>,
    Vec<String>,
    String,
    String,
    String,
);

fn parts(finding: &Finding) -> FindingParts {
    let title = WORDS.text(&finding.title()).into_owned();
    let (kind, place) = (finding.kind.to_string(), finding.place.to_string());
    let Finding { code, location, index, event, expected, .. } = finding.clone();
    (code.name(), location, index, event, expected, title, kind, place)
}

#[pymethods]
impl OnlineSession {
    /// Adds an event to the log of a lifeline or location. Returns the finding if it is unknown or
    /// impossible where it stands, or if no continuation can be accepted from it on.
    fn push(
        &mut self,
        py: Python<'_>,
        location: &str,
        action: &str,
    ) -> PyResult<Option<FindingParts>> {
        let found = self.fed(py)?.with_dependent_mut(|_, fed| fed.push(location, action));
        Ok(found.as_ref().map(parts))
    }

    /// The events that are possible next at a lifeline or location, sorted.
    fn possible(&mut self, py: Python<'_>, location: &str) -> PyResult<Vec<String>> {
        Ok(self.fed(py)?.with_dependent(|_, fed| fed.possible(location)))
    }

    /// Ends the session and decides it: the name of its verdict, and its findings.
    fn finish(&mut self, py: Python<'_>) -> PyResult<(&'static str, Vec<FindingParts>)> {
        self.fed(py)?;
        let Some(fed) = self.fed.take() else { return Err(unfit(py, "the session is over")) };
        let decided = py.detach(|| fed.with_dependent(|_, fed| fed.decide()));
        let decided = decided.map_err(|error| exception(py, &error))?;
        Ok((decided.verdict.name(), decided.findings.iter().map(parts).collect()))
    }
}
