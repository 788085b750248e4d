//! A learnt interaction, and the evidence for it.

use crate::problems::Problems;
use multitrace_interaction::Signature;
use multitrace_learn::{Lack, Observations};
use multitrace_reports::text::first_of;

/// Into how many parts sessions are divided to see how a specification does on those it was not learnt from.
pub(super) const FOLDS: usize = 5;
/// Of more different sessions only the first part is tried: 800 sessions or more tell a share of 98 % to half a percent (its
/// standard error), and the others would take four times as long.
pub(super) const MANY: usize = 4_000;
/// Fewer sessions are not divided.
pub(super) const LEAST_PARTED: u64 = 2 * FOLDS as u64;

/// A specification that was learnt.
#[derive(Debug)]
pub struct Learnt {
    pub(super) signature: Signature,
    pub(super) learnt: multitrace_learn::Learnt,
    /// The sessions it was learnt from, with the ids of the first of equal sessions.
    pub(super) observations: Observations,
    pub(super) ids: Vec<Vec<String>>,
    /// Lifelines whose events are in one log.
    pub(super) locations: Vec<Vec<String>>,
    pub(super) most_arrows: Option<usize>,
    /// How many sessions there were.
    pub sessions: u64,
    /// How many sessions there were beside them that are not known as a whole: they have gaps, an event that is not an
    /// action, or no order.
    pub skipped: u64,
    /// Sessions that the specification does not accept.
    pub outliers: Vec<Outlier>,
    /// The evidence for it.
    pub evidence: Evidence,
    /// Problems of inputs that could not be read.
    pub problems: Problems,
    /// Remarks on the inputs: records that no rule matches, files that were left out.
    pub notes: Vec<String>,
}

/// Equal sessions that the specification does not accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlier {
    /// How many there are.
    pub count: u64,
    /// The ids of the first of them.
    pub ids: Vec<String>,
    /// Their finding for the specification, as a sentence; of many kinds, the first hundred have one.
    pub finding: Option<String>,
    /// The fewest events to insert and delete that make them accepted, if that is known.
    pub distance: Option<u64>,
    /// The part that they lack, if they lack one: such sessions are never learnt from.
    pub lack: Option<Lack>,
}

impl Outlier {
    /// The ids of the first of them, and how many more there are.
    pub fn named(&self) -> String {
        first_of(&self.ids, self.count)
    }
}

/// The evidence for a learnt specification.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// How many different orders of messages the sessions have.
    pub variants: usize,
    /// How many messages the specification has.
    pub arrows: usize,
    /// How many different sessions it was learnt from, if not from all; all are checked.
    pub sample: Option<usize>,
    /// Whether the sample is one of sessions with few arrows, since all together have too many.
    pub has_too_many_arrows: bool,
    /// How many sessions are left out although they should pass, since as many as there may be have become
    /// alternatives of their own.
    pub beyond: u64,
    /// Of the sessions that it accepts, the share that a specification learnt from the other ones accepts, if there are
    /// enough.
    pub held_out: Option<f64>,
    /// Whether there was too much to look at in all ways: a smaller specification may do, and none is learnt from parts.
    pub is_cut: bool,
    /// Messages with several possible receivers or senders, and in how many sessions.
    pub ambiguous: Vec<(String, u64)>,
    /// How many alternatives fewer than 5 sessions took.
    pub weak_places: usize,
}

/// Why sessions are skipped, in words.
pub const WHY_SKIPPED: &str =
    "an event that is not `lifeline!message` or `lifeline?message`, gaps, or no order";

/// An alternative that fewer sessions took stands on little.
pub(super) const FEW: u64 = 5;
