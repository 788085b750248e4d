//! The cost of a repair (DESIGN, section "Blame": repair).

/// Three numbers: edits, edits that contradict the evidence, and deletions. Costs compare by edits, then by
/// contradictions, then by deletions, and add number by number.
//
// One word holds them. A sum on the way of a search is at most twice the worst repair of the session, and one
// contradiction more for each location, so that the limits below leave room before one number spills into the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Cost(u64);

/// The bits of each of the last two numbers.
const BITS: u32 = 18;

/// In sessions whose worst repair has this many edits or more only edits are weighed.
pub(crate) const MOST_WEIGHED: u64 = 1 << 16;

/// Sessions whose worst repair has this many edits or more are not searched: a repair has a bound only.
pub(crate) const MOST_SEARCHED: u64 = 1 << 26;

impl Cost {
    /// Nothing is changed.
    pub(crate) const ZERO: Cost = Cost(0);

    /// Of states from which nothing is accepted. No repair costs more; sums stay at the largest number.
    pub(crate) const UNREACHABLE: Cost = Cost(MOST_SEARCHED << (2 * BITS));

    /// So many edits, contradictions and deletions.
    pub(crate) fn new(edits: u64, contradictions: u64, deletions: u64) -> Cost {
        Cost(edits << (2 * BITS) | contradictions << BITS | deletions)
    }

    /// How many edits there are.
    pub(crate) fn edits(self) -> u64 {
        self.0 >> (2 * BITS)
    }

    /// The cost of this many.
    pub(crate) fn times(self, count: u32) -> Cost {
        Cost(self.0 * u64::from(count))
    }

    /// The difference to a smaller cost.
    pub(crate) fn minus(self, smaller: Cost) -> Cost {
        Cost(self.0 - smaller.0)
    }

    /// The next larger cost.
    pub(crate) fn next(self) -> Cost {
        Cost(self.0.saturating_add(1))
    }

    /// The three numbers as one, for hashing.
    pub(crate) fn word(self) -> u64 {
        self.0
    }
}

/// The place of an event in its log, which decides the costs of edits there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Zone {
    /// Before the first impossible event, where every edit contradicts the evidence.
    Before,
    /// It is the first impossible event, and to keep it contradicts the evidence.
    Accused,
    /// Anywhere else.
    Other,
    /// Anywhere in a session that is too large to weigh more than the number of edits.
    Unweighed,
}

impl Zone {
    /// The cost of inserting an event there.
    pub(crate) fn insertion(self) -> Cost {
        Cost::new(1, u64::from(self == Zone::Before), 0)
    }

    /// The cost of deleting the event there.
    pub(crate) fn deletion(self) -> Cost {
        self.insertion() + Cost::new(0, 0, u64::from(self != Zone::Unweighed))
    }

    /// The cost of keeping the event there.
    pub(crate) fn reading(self) -> Cost {
        Cost::new(0, u64::from(self == Zone::Accused), 0)
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    #[inline]
    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::ZERO, |sum, cost| sum + cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_counts_most() {
        let ordered = [
            Cost::ZERO,
            Cost::new(1, 0, 0),
            Cost::new(1, 0, 1),
            Cost::new(1, 1, 0),
            Cost::new(2, 0, 0),
            Cost::UNREACHABLE,
        ];
        assert!(ordered.is_sorted());
        assert_eq!(Cost::new(1, 2, 3) + Cost::new(1, 0, 1), Cost::new(2, 2, 4));
        assert_eq!(Cost::new(2, 2, 4).minus(Cost::new(1, 0, 1)), Cost::new(1, 2, 3));
        assert_eq!(Cost::new(7, 9, 9).edits(), 7);
        assert_eq!((0..1000).map(|_| Cost::UNREACHABLE).sum::<Cost>(), Cost(u64::MAX));
    }
}
