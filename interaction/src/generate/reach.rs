//! How many events a term can still do, and how many repetitions of loops they begin.
//!
//! The operators only order the events of their operands, and strict order is always allowed. So
//! the pairs (events, repetitions) of the traces a term accepts are the sums of those of its
//! operands, whatever the operator, and are known without any trace. A walk that keeps to them
//! never runs into a dead end.

/// How far to count.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountBounds {
    /// The most events.
    pub(super) events: usize,
    /// The most repetitions.
    pub(super) loops: usize,
    /// Whether more repetitions count as the most, instead of being out of bounds.
    pub(super) open: bool,
}

/// A set of numbers of events, as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EventCounts(Box<[u64]>);

/// A set of pairs (events, repetitions): one row per number of repetitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reach(Box<[EventCounts]>);

impl CountBounds {
    /// The repetitions of two parts together; `None` if out of bounds.
    pub(super) fn add(self, a: usize, b: usize) -> Option<usize> {
        let sum = a + b;
        if sum <= self.loops { Some(sum) } else { self.open.then_some(self.loops) }
    }

    /// How many bits a set of pairs takes.
    pub(super) fn size(self) -> usize {
        (self.events + 1).saturating_mul(self.loops + 1)
    }

    pub(super) fn none(self) -> Reach {
        let words = self.events / 64 + 1;
        Reach(vec![EventCounts(vec![0; words].into()); self.loops + 1].into())
    }

    /// This many events, no repetition.
    pub(super) fn events(self, count: usize) -> Reach {
        let mut reach = self.none();
        if count <= self.events {
            reach.0[0].insert(count);
        }
        reach
    }

    /// The sums of one pair of each.
    pub(super) fn sum(self, a: &Reach, b: &Reach) -> Reach {
        let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let mut sum = self.none();
        for (loops, row) in few.0.iter().enumerate() {
            for events in row.iter() {
                self.add_shifted(&mut sum, many, events, loops);
            }
        }
        sum
    }

    pub(super) fn union(self, a: &Reach, b: &Reach) -> Reach {
        let mut union = a.clone();
        self.add_shifted(&mut union, b, 0, 0);
        union
    }

    /// The pairs of any number of repetitions that have events.
    pub(super) fn closure(self, body: &Reach) -> Reach {
        let mut body = body.clone();
        for row in &mut body.0 {
            row.remove_zero();
        }
        let mut all = self.events(0);
        // Every repetition has an event, so it adds pairs with more events only.
        for events in 0..=self.events {
            for loops in 0..=self.loops {
                if all.0[loops].contains(events)
                    && let Some(begun) = self.add(loops, 1)
                {
                    self.add_shifted(&mut all, &body, events, begun);
                }
            }
        }
        all
    }

    fn add_shifted(self, to: &mut Reach, from: &Reach, events: usize, loops: usize) {
        for (own, row) in from.0.iter().enumerate() {
            if let Some(sum) = self.add(loops, own) {
                to.0[sum].add_shifted(row, events, self.events);
            }
        }
    }
}

impl Reach {
    fn len(&self) -> usize {
        self.0
            .iter()
            .map(|row| row.0.iter().map(|word| word.count_ones() as usize).sum::<usize>())
            .sum()
    }

    /// The numbers of repetitions that go with a number of events.
    pub(super) fn loops(&self, events: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len()).filter(move |&loops| self.0[loops].contains(events))
    }
}

impl EventCounts {
    fn insert(&mut self, events: usize) {
        self.0[events / 64] |= 1 << (events % 64);
    }

    fn remove_zero(&mut self) {
        self.0[0] &= !1;
    }

    fn contains(&self, events: usize) -> bool {
        self.0.get(events / 64).is_some_and(|word| word >> (events % 64) & 1 == 1)
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        self.0
            .iter()
            .enumerate()
            .flat_map(move |(at, &word)| bits(word).map(move |bit| at * 64 + bit))
    }

    /// Adds the numbers of another row, each increased by `by`, up to a largest one.
    fn add_shifted(&mut self, other: &EventCounts, by: usize, most: usize) {
        let (words, bits) = (by / 64, by % 64);
        for at in words..self.0.len() {
            let low = other.0[at - words] << bits;
            let carry = match at.checked_sub(words + 1) {
                Some(below) if bits > 0 => other.0[below] >> (64 - bits),
                _ => 0,
            };
            self.0[at] |= low | carry;
        }
        if let Some(last) = self.0.last_mut() {
            *last &= u64::MAX >> (63 - most % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn pairs(reach: &Reach, frame: CountBounds) -> BTreeSet<(usize, usize)> {
        let all = (0..=frame.events).flat_map(|e| reach.loops(e).map(move |l| (e, l)));
        all.collect()
    }

    #[test]
    fn sums_are_those_of_pairs() {
        let frame = CountBounds { events: 130, loops: 2, open: false };
        let some = |pairs: &[(usize, usize)]| {
            let mut reach = frame.none();
            for &(events, loops) in pairs {
                reach.0[loops].insert(events);
            }
            reach
        };
        let (a, b) = (some(&[(0, 0), (63, 1), (64, 2)]), some(&[(1, 0), (66, 1), (130, 0)]));
        let expected = [(1, 0), (64, 1), (65, 2), (66, 1), (129, 2), (130, 0)];
        assert_eq!(pairs(&frame.sum(&a, &b), frame), expected.into());
        assert_eq!(frame.sum(&a, &b), frame.sum(&b, &a));
    }

    #[test]
    fn a_size_is_the_number_of_pairs() {
        for (events, loops) in [(0, 0), (0, 3), (4, 0), (70, 3)] {
            let frame = CountBounds { events, loops, open: false };
            let mut all = frame.none();
            all.0.iter_mut().for_each(|row| (0..=events).for_each(|count| row.insert(count)));
            assert_eq!(frame.size(), pairs(&all, frame).len());
        }
    }

    #[test]
    fn closures_count_their_repetitions() {
        let frame = CountBounds { events: 70, loops: 3, open: false };
        let body = frame.union(&frame.events(0), &frame.events(23));
        assert_eq!(pairs(&frame.closure(&body), frame), [(0, 0), (23, 1), (46, 2), (69, 3)].into());
        let open = CountBounds { loops: 1, open: true, ..frame };
        let body = open.events(23);
        assert_eq!(pairs(&open.closure(&body), open), [(0, 0), (23, 1), (46, 1), (69, 1)].into());
    }
}
