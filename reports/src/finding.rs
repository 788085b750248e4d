//! What is wrong with one session.

use crate::codes::Code;
use crate::groups::Fingerprint;
use multitrace_interaction::{Alphabet, Cause, Verdict};

/// One thing that is wrong with a session, or the reason why it is not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What kind of finding it is.
    pub code: Code,
    /// The location, if the finding is about one.
    pub location: Option<String>,
    /// The index of the event in its local trace, from 0; the length of the trace if it ended too
    /// early.
    pub index: Option<usize>,
    /// The event; `None` if the trace ended too early or the finding is about no single event.
    pub event: Option<String>,
    /// The events that were possible there, sorted.
    pub expected: Vec<String>,
    /// The key that is the same in every run.
    pub fingerprint: Option<Fingerprint>,
}

impl Finding {
    /// The findings of a verdict: none for a pass.
    pub fn of(verdict: &Verdict, alphabet: &Alphabet) -> Vec<Finding> {
        let Some(code) = Code::of(verdict, alphabet) else { return Vec::new() };
        let fingerprint = Fingerprint::of(verdict, alphabet);
        let mut finding = Finding {
            code,
            location: None,
            index: None,
            event: None,
            expected: Vec::new(),
            fingerprint,
        };
        if let Verdict::Fail(Cause::Local(failure)) = verdict {
            finding.location = Some(failure.location.clone());
            finding.index = Some(failure.index);
            finding.event.clone_from(&failure.event);
            finding.expected.clone_from(&failure.expected);
        }
        vec![finding]
    }
}

/// One line for people: the code, what it means, the location and the event.
impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.code.name(), self.code.title())?;
        if let Some(location) = &self.location {
            write!(f, ": {location}")?;
        }
        if let (Some(index), Some(event)) = (self.index, &self.event) {
            // People count from 1.
            write!(f, ", event {}, {event}", index + 1)?;
        }
        match self.expected.is_empty() {
            true => Ok(()),
            false => write!(f, "; possible there: {}", self.expected.join(", ")),
        }
    }
}
