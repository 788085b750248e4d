//! The counts of a run.

use multitrace_formats::record_counts::RecordCounts;
use multitrace_interaction::{Cause, Verdict};
use serde::Serialize;

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Sessions checked.
    pub sessions: u64,
    /// Events in them.
    pub events: u64,
    /// Sessions accepted as they are.
    pub pass: u64,
    /// Sessions accepted as parts.
    pub weak_pass: u64,
    /// Sessions not accepted.
    pub fail: u64,
    /// Sessions not decided.
    pub inconclusive: u64,
    /// The failures by cause.
    pub causes: CauseCounts,
    /// Inputs that could not be checked.
    pub errors: u64,
    /// Sessions that were read and not selected for checking. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_selected: u64,
    /// Whether the run ended at `--max-failures`, leaving later input unchecked.
    pub stopped: bool,
    /// How often the lazy automaton over terms outgrew its bound and was replaced. Left out of JSON
    /// if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub terms_replaced: u64,
    /// What became of the records of event logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<RecordCounts>,
    /// How long the run took.
    pub seconds: f64,
    /// The most memory the run held at once, in bytes, if the system says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Failures by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CauseCounts {
    /// A local trace alone is impossible.
    pub local: u64,
    /// The areas of the local traces do not meet.
    pub inter: u64,
    /// No interleaving is accepted.
    pub central: u64,
}

impl Summary {
    /// Adds the counts of a part of the run; whether it stopped and how long it took belong to the whole run.
    pub fn merge(&mut self, part: &Summary) {
        self.sessions += part.sessions;
        self.events += part.events;
        self.pass += part.pass;
        self.weak_pass += part.weak_pass;
        self.fail += part.fail;
        self.inconclusive += part.inconclusive;
        self.causes.local += part.causes.local;
        self.causes.inter += part.causes.inter;
        self.causes.central += part.causes.central;
        self.errors += part.errors;
        self.not_selected += part.not_selected;
    }

    /// Counts one session.
    pub fn add(&mut self, verdict: &Verdict, events: usize) {
        self.sessions += 1;
        self.events += events as u64;
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::WeakPass => self.weak_pass += 1,
            Verdict::Inconclusive(_) => self.inconclusive += 1,
            Verdict::Fail(cause) => {
                self.fail += 1;
                match cause {
                    Cause::Local(_) => self.causes.local += 1,
                    Cause::Inter(_) => self.causes.inter += 1,
                    Cause::Central(_) => self.causes.central += 1,
                }
            }
        }
    }
}
