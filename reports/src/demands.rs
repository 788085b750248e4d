//! Demands of a run on its input, beside the verdicts of its sessions, and remarks of its report on the input.

use crate::codes::Code;
use crate::run_report::{Level, Remark};
use crate::summary::Summary;
use crate::text::counted;
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::record_kinds::RecordKind;
use multitrace_formats::remedy::Remedy;
use multitrace_formats::selection::{NoRate, Rate};
use multitrace_formats::shorten::{shorten, visible};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::str::FromStr;

/// How many kinds of records a remark shows: a few lines of a terminal.
const SHOWN_KINDS: usize = 5;

/// The demands of a run on its input. A run whose input does not meet them ends as one whose input cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demands {
    /// The most records of event logs that no rule matches; all of them hold.
    pub max_unmatched: Vec<MostUnmatched>,
    /// The least number of sessions.
    pub min_sessions: u64,
    /// The names of locations that must have logged something.
    pub locations: Vec<String>,
}

/// How many records may have no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MostUnmatched {
    /// This many.
    Count(u64),
    /// This share of all records.
    Rate(Rate),
}

impl MostUnmatched {
    fn allows(self, counts: &RecordCounts) -> bool {
        match self {
            MostUnmatched::Count(most) => counts.unmatched <= most,
            MostUnmatched::Rate(rate) => rate.allows(counts.unmatched, counts.records),
        }
    }
}

impl std::fmt::Display for MostUnmatched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MostUnmatched::Count(most) => write!(f, "{most}"),
            MostUnmatched::Rate(rate) => write!(f, "{rate}"),
        }
    }
}

/// A text that is neither a number nor a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMost {
    /// It has a percent sign.
    #[error(transparent)]
    NoRate(#[from] NoRate),
    /// It has none.
    #[error("neither a number nor a rate, as in 0.5%")]
    NoNumber,
}

impl FromStr for MostUnmatched {
    type Err = NoMost;

    fn from_str(text: &str) -> Result<MostUnmatched, NoMost> {
        match text.contains('%') {
            true => Ok(MostUnmatched::Rate(text.parse()?)),
            false => text.parse().map(MostUnmatched::Count).map_err(|_| NoMost::NoNumber),
        }
    }
}

impl TryFrom<String> for MostUnmatched {
    type Error = NoMost;

    fn try_from(text: String) -> Result<MostUnmatched, NoMost> {
        text.parse()
    }
}

impl From<MostUnmatched> for String {
    fn from(most: MostUnmatched) -> String {
        most.to_string()
    }
}

impl Demands {
    /// Whether nothing is demanded.
    pub fn is_empty(&self) -> bool {
        *self == Demands::default()
    }

    /// Adds other demands: all hold.
    pub fn add(&mut self, other: Demands) {
        self.min_sessions = self.min_sessions.max(other.min_sessions);
        self.max_unmatched.extend(other.max_unmatched);
        self.max_unmatched.sort_unstable();
        self.max_unmatched.dedup();
        let locations = other.locations.into_iter();
        let new: Vec<String> = locations.filter(|it| !self.locations.contains(it)).collect();
        self.locations.extend(new);
    }

    /// The demands that the input of a run that was not stopped does not meet. `missing` are the sessions of a list
    /// that did not occur, `logged` the locations that logged something.
    pub fn unmet(
        &self,
        summary: &Summary,
        missing: &[String],
        logged: &BTreeSet<String>,
    ) -> Vec<Remark> {
        let mut unmet = Vec::new();
        if let [first, ..] = missing {
            let (count, id) = (counted(missing.len() as u64, "session"), shorten(first, 100));
            unmet.push(format!(
                "{count} of ‹only_sessions› did not occur, first {id:?}; correct the list"
            ));
        }
        if summary.stopped {
            return unmet.into_iter().map(|it| remark(Code::Unmet, it)).collect();
        }
        if summary.sessions < self.min_sessions {
            let demanded = Remedy::MinSessions.to(self.min_sessions);
            let count = counted(summary.sessions, "session");
            unmet.push(format!("{count} checked; {demanded} demands more"));
        }
        for name in self.locations.iter().filter(|name| !logged.contains(*name)) {
            let demanded = Remedy::RequireLocation.to(visible(name));
            unmet.push(format!("no session has an event of {:?}; {demanded} demands one", &**name));
        }
        let most = self.max_unmatched.iter().zip(summary.input.iter().cycle());
        for (most, input) in most.filter(|(most, input)| !most.allows(input)) {
            let count = counted(input.unmatched, "record");
            let demanded = Remedy::MaxUnmatched.to(*most);
            let of = input.records;
            unmet.push(format!("no rule matched {count} of {of}; {demanded} allows fewer"));
        }
        unmet.into_iter().map(|it| remark(Code::Unmet, it)).collect()
    }
}

/// A remark on the input, with the level of its code.
pub fn remark(code: Code, message: String) -> Remark {
    let level = match code {
        Code::Unmet => Level::Error,
        Code::Unmatched => Level::Warning,
        _ => Level::Note,
    };
    Remark { code, level, message, sessions: 0 }
}

/// The kinds of records that no rule matches, with how many there are and where the first one is.
pub fn kinds_text(kinds: &[RecordKind], unmatched: u64) -> String {
    let shown = kinds.iter().take(SHOWN_KINDS);
    let told: u64 = shown.clone().map(|kind| kind.count).sum();
    let text = |kind: &RecordKind| {
        format!(
            "{} like {:?} ({})",
            kind.count,
            &*visible(&kind.like),
            visible(&kind.place.to_string())
        )
    };
    let mut texts: Vec<String> = shown.map(text).collect();
    if unmatched > told {
        texts.push(format!("{} of other kinds", unmatched - told));
    }
    texts.join(", ")
}
