//! Changes made to a multi-trace, so that they can be reported and undone.

use crate::id::{Id, LetterId, LocationId};
use crate::trace::{LocalTrace, MultiTrace};

/// One change of a local trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Events were cut off at its ends.
    Cut {
        /// The location.
        location: LocationId,
        /// The events cut off at the beginning.
        before: LocalTrace,
        /// The events cut off at the end.
        after: LocalTrace,
    },
    /// An event was inserted.
    Insert {
        /// The location.
        location: LocationId,
        /// The index of the event.
        index: usize,
        /// The event.
        letter: LetterId,
    },
    /// Two events changed places.
    Swap {
        /// The location.
        location: LocationId,
        /// The index of one.
        first: usize,
        /// The index of the other, a larger one.
        second: usize,
    },
    /// It was exchanged for the local trace of another multi-trace.
    Exchange {
        /// The location.
        location: LocationId,
        /// The local trace that was there before.
        replaced: LocalTrace,
    },
}

impl Change {
    /// Where it was made.
    pub fn location(&self) -> LocationId {
        match *self {
            Change::Cut { location, .. }
            | Change::Insert { location, .. }
            | Change::Swap { location, .. }
            | Change::Exchange { location, .. } => location,
        }
    }

    /// Makes the original of a changed multi-trace; several changes are undone last first.
    ///
    /// # Panics
    /// If the multi-trace is not the result of this change.
    pub fn undo(&self, trace: &mut MultiTrace) {
        let local = &mut trace[self.location().index()];
        match self {
            Change::Cut { before, after, .. } => {
                local.splice(..0, before.iter().copied());
                local.extend_from_slice(after);
            }
            Change::Insert { index, letter, .. } => {
                assert_eq!(local.remove(*index), *letter, "the inserted event");
            }
            Change::Swap { first, second, .. } => local.swap(*first, *second),
            Change::Exchange { replaced, .. } => local.clone_from(replaced),
        }
    }
}
