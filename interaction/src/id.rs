//! Identifiers: one `u32` newtype per kind of thing, so that swapped ids do not compile.

/// A dense index that is a type of its own.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug {
    /// Makes the id with this index.
    ///
    /// # Panics
    /// If the index does not fit `u32`; callers bound their collections far below that.
    fn new(index: usize) -> Self;

    /// The index this id stands for.
    fn index(self) -> usize;
}

macro_rules! define_id {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The first id.
            pub const ZERO: $name = $name(0);
        }

        impl Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("more than u32::MAX items of one kind"))
            }

            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

define_id! {
    /// A lifeline of a [`Signature`](crate::Signature).
    LifelineId;
    /// A message of a [`Signature`](crate::Signature).
    MessageId;
    /// A location of [`Locations`](crate::Locations) or of an [`Alphabet`](crate::Alphabet).
    LocationId;
    /// A node of an [`Interaction`](crate::Interaction).
    NodeId;
    /// A hash-consed term of a [`TermStore`](crate::TermStore).
    TermId;
    /// A step interned in a [`TermStore`](crate::TermStore).
    StepId;
    /// A set of lifelines interned in a [`TermStore`](crate::TermStore).
    RegionId;
    /// A letter of an [`Alphabet`](crate::Alphabet).
    LetterId;
    /// A state of an [`Nfa`](crate::Nfa).
    StateId;
    /// A transition of an [`Nfa`](crate::Nfa), by its rank in the sorted transition list.
    TransitionId;
}

impl LetterId {
    /// The mark, in a local trace, of an event that is not a letter of the alphabet.
    pub const UNKNOWN: LetterId = LetterId(u32::MAX);
}
