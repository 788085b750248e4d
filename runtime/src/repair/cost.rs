//! What a repair costs: three numbers, the first of which counts most (DESIGN, section "Blame").

/// How many edits there are, how often they contradict the evidence, how many of them delete an event:
/// compared in this order, added one by one.
//
// Twenty bits for the second and the third number: a session would need a million edits to spill over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Cost(u64);

/// The bits of each of the last two numbers.
const BITS: u32 = 20;

impl Cost {
    /// Nothing is changed.
    pub(crate) const ZERO: Cost = Cost(0);

    /// More than any repair costs: 65,536 edits. Sums of this many do not wrap but stay at the largest number.
    pub(crate) const UNREACHABLE: Cost = Cost(1 << 56);

    /// So many edits, contradictions and deletions.
    pub(crate) fn new(edits: u64, contradictions: u64, deletions: u64) -> Cost {
        Cost(edits << (2 * BITS) | contradictions << BITS | deletions)
    }

    /// How many edits there are.
    pub(crate) fn edits(self) -> u64 {
        self.0 >> (2 * BITS)
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
