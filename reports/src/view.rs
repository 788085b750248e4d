//! Limits on the parts of a session that reports show, and lists of names cut to their first entries.

use crate::codes::Code;
use multitrace_formats::shorten::{shorten, visible};
use serde::{Deserialize, Serialize};

/// How much of a session is shown. The rest is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Events before and after each one that is wrong.
    pub context: usize,
    /// Locations; those that are to blame come first.
    pub locations: usize,
    /// Events that were expected, for each location.
    pub expected: usize,
    /// Findings of one log, the first ones.
    pub marks: usize,
    /// Characters of a name.
    pub characters: usize,
}

impl View {
    /// For one session among many: it fits a screen, and keeps a report of 1,000 groups small.
    pub const EXCERPT: View =
        View { context: 5, locations: 20, expected: 20, marks: 20, characters: 200 };
    /// For pictures, which are cut where they are drawn, but for errors of one log, which can be as many as its events.
    pub const DRAWN: View = View { context: usize::MAX, locations: usize::MAX, ..View::EXCERPT };
    /// Everything.
    pub const WHOLE: View = View {
        context: usize::MAX,
        locations: usize::MAX,
        expected: usize::MAX,
        marks: usize::MAX,
        characters: usize::MAX,
    };

    pub(crate) fn list(&self, names: &[String]) -> Expected {
        let shown = &names[..names.len().min(self.expected)];
        let events = shown.iter().map(|name| self.name(name)).collect();
        Expected { events, omitted: names.len() - shown.len() }
    }

    /// The first names, cut as the view shows them.
    pub(crate) fn names(&self, names: &[String]) -> Vec<String> {
        names.iter().take(self.expected).map(|name| self.name(name)).collect()
    }

    /// A sentence with some names in it, cut.
    pub fn sentence(&self, text: &str) -> String {
        shorten(text, self.characters.saturating_mul(3)).into_owned()
    }

    pub(crate) fn name(&self, name: &str) -> String {
        shorten(name, self.characters).into_owned()
    }
}

/// Names of events that were possible somewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The names, sorted.
    #[serde(rename = "expected")]
    pub events: Vec<String>,
    /// Names that are not shown.
    #[serde(default, rename = "expected_omitted", skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

impl Expected {
    /// The events that were possible where a finding is, as text. `is_event` says that the finding is an event; else it is
    /// the end of a log.
    pub(crate) fn text_at(&self, code: Code, is_event: bool) -> String {
        match code {
            Code::UnknownLocation => "the specification has no such location".to_owned(),
            _ if !self.events.is_empty() => self.text(is_event),
            // Behind the first impossible event of a log nothing is certain.
            Code::UnknownEvent => "unknown to the specification".to_owned(),
            Code::Lost => "nobody received it".to_owned(),
            Code::NotSent => "nobody sent it".to_owned(),
            Code::Moved | Code::Repeated | Code::Unexpected => "it should not be there".to_owned(),
            _ => self.text(is_event),
        }
    }

    /// The names in one line, for people. `is_blocked` says that another event stands in their
    /// place; else the log ends there.
    pub fn text(&self, is_blocked: bool) -> String {
        let more = match self.omitted {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = visible(&self.events.join(", ")).into_owned() + &more;
        match (self.events.is_empty(), is_blocked) {
            (true, _) => "nothing is possible there".to_owned(),
            (false, false) => format!("it could go on with {names}"),
            (false, true) => format!("possible there: {names}"),
        }
    }
}

pub(crate) fn is_zero(number: &usize) -> bool {
    *number == 0
}
