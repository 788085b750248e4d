//! Faults: each thing that went wrong, once. A fault is a connected component of the edits of a repair
//! under "directly after" (DESIGN, section "Blame"): its root came first, the rest are consequences.

use crate::id::{LetterId, LocationId};

/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// The kind of fault, as its root says it.
    pub kind: FaultKind,
    /// Its edits, by their ranks in [`Repair::edits`](crate::Repair::edits), in the order of the accepted trace: the
    /// root first.
    pub edits: Vec<usize>,
    /// The other edit of a moved event, unless nobody observed the place where it should be; or the event in whose place
    /// another one came.
    pub other: Option<usize>,
    /// The other end of a message that was lost or not sent, if it is logged: location and index.
    pub end: Option<(LocationId, usize)>,
    /// Of a message that was lost or not sent and whose other end is not logged, the locations that can have it.
    pub peers: Vec<LocationId>,
    /// Per edit, the last event before it that is kept at its location.
    pub after: Vec<Option<LetterId>>,
    /// Where a location stopped before the event of the root, the other events that were possible there.
    pub possible: Vec<LetterId>,
    /// Whether a moved event came too late; else too early.
    pub late: bool,
    /// Whether the event of the root is kept earlier in its log, too; or, if it should not be there and its message has no
    /// other end, anywhere in it.
    pub again: bool,
    /// The edits that depend on the root and say more than that a location stopped, by their ranks: events that should not
    /// be there, that are missing before others, or whose other ends are logged.
    pub telling: Vec<usize>,
    /// The fault that a stop comes after, by its rank among the faults: callers give up after an error.
    pub under: Option<usize>,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// An event of a location that the specification does not know.
    UnknownLocation,
    /// An event that the specification does not know.
    Unknown,
    /// An event came too early or too late.
    Moved,
    /// An event came in place of another one.
    Replaced,
    /// A message was sent and not received.
    Lost,
    /// A message was received and never sent.
    NotSent,
    /// A message was sent and received that should not be.
    Extra,
    /// The same, of a message that was there before.
    Repeated,
    /// An event should not be there.
    Unexpected,
    /// An event is missing, and its location goes on behind it.
    Missing,
    /// A location stopped before an event.
    Stopped,
}

impl Fault {
    /// The edit that came first, by its rank in [`Repair::edits`](crate::Repair::edits).
    ///
    /// # Panics
    /// If the fault has no edits.
    pub fn root(&self) -> usize {
        self.edits[0]
    }

    /// Its edits, each with the last event that is kept before it at its location.
    pub fn edits_with_kept(&self) -> impl Iterator<Item = (usize, Option<LetterId>)> + '_ {
        self.edits.iter().copied().zip(self.after.iter().copied())
    }

    /// The last event that is kept before one of its edits, at the location of that.
    pub fn kept_before(&self, rank: usize) -> Option<LetterId> {
        let at = self.edits.iter().position(|&it| it == rank)?;
        self.after[at]
    }
}
