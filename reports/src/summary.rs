//! The counts of a run.

use crate::codes::Code;
use crate::costs::Costs;
use crate::coverage::CoverageObject;
use crate::text::counted;
use multitrace_formats::record_counts::RecordCounts;
use multitrace_formats::record_kinds::RecordKind;
use multitrace_interaction::{Cause, Repair, Verdict};
use serde::{Serialize, Serializer, ser::SerializeStruct};

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
    /// The failures by their main cause.
    pub causes: CauseCounts,
    /// The repairs of failing sessions, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repairs: Option<RepairCounts>,
    /// Failing sessions that would be accepted if logs might end early: nothing but ends of logs is missing. Left out of
    /// JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub only_ends: u64,
    /// Those of them that lack whole logs only. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub only_logs: u64,
    /// Inputs that could not be checked.
    pub errors: u64,
    /// Accepted sessions whose event log was cut off. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub cut_off: u64,
    /// Sessions that pass, and not in the order of the input: the mapping says that some events are in no order. Left out of
    /// JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub reordered: u64,
    /// Sessions that were read and not selected for checking. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_selected: u64,
    /// Those of them that no `[[keep-session]]` asks for, and no `[[drop-session]]` refuses. Left out of JSON if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_kept: u64,
    /// Files and streams that hold no session, or one session without an event, beside files without a byte. Left out of
    /// JSON if zero. Those of event logs are counted with their records.
    #[serde(skip_serializing_if = "is_zero")]
    pub empty_files: u64,
    /// Whether the run ended at `--max-failures`, leaving later input unchecked.
    pub stopped: bool,
    /// How often the lazy automaton over terms outgrew its bound and was replaced. Left out of JSON
    /// if zero.
    #[serde(skip_serializing_if = "is_zero")]
    pub terms_replaced: u64,
    /// The counts of the records of event logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<RecordCounts>,
    /// How long the run took.
    pub seconds: f64,
    /// The most memory the run held at once, in bytes, if the system says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

/// A remark on the input as programs read it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NoteObject {
    pub(crate) code: Code,
    pub(crate) level: &'static str,
    pub(crate) message: String,
}

/// The counts of a run, with coverage, costs, remarks on the input and violations.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FullSummary<'a> {
    #[serde(flatten)]
    pub(crate) summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) coverage: Option<CoverageObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) costs: Option<&'a Costs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_coverage: Option<f64>,
    /// The remarks on the input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<NoteObject>,
    /// The kinds of records that no rule matches.
    #[serde(skip_serializing_if = "<[RecordKind]>::is_empty")]
    pub(crate) unmatched: &'a [RecordKind],
    /// Sessions that fail the run.
    pub(crate) violations: u64,
    /// Sessions that would, if the baseline had not all of their findings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) known: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How far failing sessions are from accepted ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairCounts {
    /// Sessions that were repaired.
    pub sessions: u64,
    /// The sum of their distances, in edits.
    pub total: u64,
    /// The largest of their distances, in edits.
    pub worst: u64,
    /// How many of the distances are lower bounds, since the search was cut.
    pub inexact: u64,
}

impl RepairCounts {
    /// Counts a repair.
    pub fn add(&mut self, repair: &Repair) {
        self.merge(&RepairCounts {
            sessions: 1,
            total: repair.distance,
            worst: repair.distance,
            inexact: u64::from(!repair.exact),
        });
    }

    fn merge(&mut self, other: &RepairCounts) {
        self.sessions += other.sessions;
        self.total += other.total;
        self.worst = self.worst.max(other.worst);
        self.inexact += other.inexact;
    }

    /// The mean distance, in edits; 0 if nothing was repaired.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.sessions.max(1) as f64
    }

    /// In one line, for people.
    pub(crate) fn text(&self) -> String {
        let least = match self.inexact {
            0 => String::new(),
            cut => format!("; lower bounds for {}", counted(cut, "session")),
        };
        format!(
            "edits to an accepted session: mean {:.2}, worst {}{least}",
            self.mean(),
            self.worst
        )
    }
}

impl Serialize for RepairCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("RepairCounts", 4)?;
        fields.serialize_field("sessions", &self.sessions)?;
        fields.serialize_field("mean_distance", &self.mean())?;
        fields.serialize_field("worst_distance", &self.worst)?;
        fields.serialize_field("inexact", &self.inexact)?;
        fields.end()
    }
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
        if let Some(repairs) = &part.repairs {
            self.repairs.get_or_insert_default().merge(repairs);
        }
        self.only_ends += part.only_ends;
        self.only_logs += part.only_logs;
        self.errors += part.errors;
        self.not_selected += part.not_selected;
        self.not_kept += part.not_kept;
        self.cut_off += part.cut_off;
        self.reordered += part.reordered;
        self.empty_files += part.empty_files;
    }

    /// Counts one session.
    pub fn add(&mut self, verdict: &Verdict, events: usize) {
        self.sessions += 1;
        self.events += events as u64;
        match verdict {
            Verdict::Pass => self.pass += 1,
            Verdict::WeakPass => self.weak_pass += 1,
            Verdict::Inconclusive(_) => self.inconclusive += 1,
            Verdict::Fail(failure) => {
                self.fail += 1;
                match failure.main() {
                    Cause::Local(_) => self.causes.local += 1,
                    Cause::Inter(_) => self.causes.inter += 1,
                    Cause::Central(_) => self.causes.central += 1,
                }
            }
        }
    }
}
