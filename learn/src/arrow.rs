//! Arrows: a message with the lifeline that emits it and those that receive it.

use indexmap::IndexSet;
use multitrace_interaction::{LifelineId, MessageId};

/// A message that passes between lifelines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Arrow {
    /// The emitter; `None` if no log has the emission.
    pub(crate) sender: Option<LifelineId>,
    /// The message that is passed.
    pub(crate) message: MessageId,
    /// The receivers, in order; empty if no log has a reception.
    pub(crate) receivers: Vec<LifelineId>,
    /// The whole arrow, if this is one end of one whose ends stand apart.
    pub(crate) end_of: Option<Label>,
}

impl Arrow {
    /// Whether it is an emission or a reception alone.
    pub(crate) fn is_one_ended(&self) -> bool {
        self.sender.is_none() || self.receivers.is_empty()
    }

    /// The lifelines whose logs have an event of it.
    pub(crate) fn lifelines(&self) -> impl Iterator<Item = LifelineId> + '_ {
        self.sender.into_iter().chain(self.receivers.iter().copied())
    }
}

/// The most arrows whose order is looked at, which takes the cube of their number: a second; an estimate, not measured.
pub(crate) const MOST_ARROWS: usize = 3_000;

/// The number of an arrow among all [`Arrows`], or of a role that an arrow plays.
pub(crate) type Label = u32;

/// All arrows that sessions have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrows(IndexSet<Arrow>);

impl Arrows {
    pub(crate) fn intern(&mut self, arrow: Arrow) -> Label {
        u32::try_from(self.0.insert_full(arrow).0).expect("fewer arrows than 2^32")
    }

    pub(crate) fn arrow(&self, label: Label) -> &Arrow {
        &self.0[label as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
