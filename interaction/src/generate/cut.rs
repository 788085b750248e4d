//! Prefixes and slices of multi-traces, by the places where each local trace is cut (paper 000
//! def. 2).

use super::change::Change;
use super::dice::Dice;
use crate::id::{Id, LocationId};
use crate::trace::MultiTrace;
use std::ops::Range;

/// How local traces are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// At their ends.
    Prefix,
    /// At both sides.
    Slice,
}

impl Cut {
    /// How many parts a local trace of this length has, by place; all empty parts count as one.
    fn count(self, length: usize) -> usize {
        match self {
            Cut::Prefix => length + 1,
            Cut::Slice => length * (length + 1) / 2 + 1,
        }
    }

    /// A part by its rank, the empty one first.
    fn part(self, length: usize, rank: usize) -> Range<usize> {
        match (self, rank) {
            (Cut::Prefix, _) => 0..rank,
            (Cut::Slice, 0) => 0..0,
            (Cut::Slice, _) => {
                let (mut from, mut rest) = (0, rank - 1);
                while rest >= length - from {
                    rest -= length - from;
                    from += 1;
                }
                from..from + rest + 1
            }
        }
    }

    /// A random part: each local trace is cut independently, all of its parts equally likely.
    pub(super) fn random(self, trace: &MultiTrace, dice: &mut Dice) -> (MultiTrace, Vec<Change>) {
        let ranks =
            trace.iter().map(|local| dice.below(self.count(local.len()))).collect::<Vec<_>>();
        self.apply(trace, &ranks)
    }

    fn apply(self, trace: &MultiTrace, ranks: &[usize]) -> (MultiTrace, Vec<Change>) {
        let (mut cut, mut did) = (MultiTrace::new(), Vec::new());
        for (index, (local, &rank)) in trace.iter().zip(ranks).enumerate() {
            let kept = self.part(local.len(), rank);
            if kept.len() < local.len() {
                let location = LocationId::new(index);
                let (before, after) = (local[..kept.start].to_vec(), local[kept.end..].to_vec());
                did.push(Change::Cut { location, before, after });
            }
            cut.push(local[kept].to_vec());
        }
        (cut, did)
    }

    /// Every part.
    pub(super) fn all(self, trace: MultiTrace) -> AllCuts {
        let ranks = vec![0; trace.len()];
        AllCuts { cut: self, trace, ranks: Some(ranks) }
    }
}

/// Every part of a multi-trace, by place: parts at different places may be equal.
#[derive(Clone, Debug)]
pub(super) struct AllCuts {
    cut: Cut,
    trace: MultiTrace,
    /// The ranks of the next part.
    ranks: Option<Vec<usize>>,
}

impl AllCuts {
    /// The next ranks; the last location counts fastest.
    fn advance(&self, mut ranks: Vec<usize>) -> Option<Vec<usize>> {
        let count = |at: usize| self.cut.count(self.trace[at].len());
        let at = (0..ranks.len()).rev().find(|&at| ranks[at] + 1 < count(at))?;
        ranks[at] += 1;
        ranks[at + 1..].fill(0);
        Some(ranks)
    }
}

impl Iterator for AllCuts {
    type Item = (MultiTrace, Vec<Change>);

    fn next(&mut self) -> Option<Self::Item> {
        let ranks = self.ranks.take()?;
        let part = self.cut.apply(&self.trace, &ranks);
        self.ranks = self.advance(ranks);
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::LetterId;
    use std::collections::BTreeSet;

    fn trace(lengths: &[usize]) -> MultiTrace {
        lengths.iter().map(|&length| (0..length).map(LetterId::new).collect()).collect()
    }

    #[test]
    fn parts_are_all_factors_once() {
        for (cut, lengths, count) in [
            (Cut::Prefix, &[2, 0, 3][..], 3 * 4),
            (Cut::Slice, &[2, 3], 4 * 7),
            (Cut::Slice, &[0], 1),
            (Cut::Slice, &[], 1),
        ] {
            let parts: Vec<MultiTrace> = cut.all(trace(lengths)).map(|(part, _)| part).collect();
            assert_eq!(parts.len(), count);
            assert_eq!(parts.iter().collect::<BTreeSet<_>>().len(), count, "letters differ");
            for part in parts {
                for (kept, all) in part.iter().zip(trace(lengths)) {
                    let from = kept.first().map_or(0, |letter| letter.index());
                    assert_eq!(kept[..], all[from..from + kept.len()]);
                    assert!(cut == Cut::Slice || from == 0);
                }
            }
        }
    }

    #[test]
    fn random_parts_are_all_parts_in_the_end() {
        let mut dice = Dice::new(3, 0);
        let original = trace(&[2, 1]);
        let mut seen = BTreeSet::new();
        for _ in 0..500 {
            let (mut part, did) = Cut::Slice.random(&original, &mut dice);
            seen.insert(part.clone());
            did.iter().rev().for_each(|change| change.undo(&mut part));
            assert_eq!(part, original);
        }
        assert_eq!(seen.len(), 4 * 2);
    }
}
