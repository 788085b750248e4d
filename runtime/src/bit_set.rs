//! Sets of small numbers as words of bits, the form of the rows of bundles.

use multitrace_formats::bundle::{WORD_BITS, Word};

/// A set of numbers below a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BitSet {
    words: Vec<Word>,
}

impl BitSet {
    /// An empty set of numbers below `bound`.
    pub(crate) fn new(bound: usize) -> BitSet {
        BitSet { words: vec![0; bound.div_ceil(WORD_BITS)] }
    }

    /// All numbers below `bound`.
    pub(crate) fn full(bound: usize) -> BitSet {
        let mut words = vec![Word::MAX; bound.div_ceil(WORD_BITS)];
        if let Some(last) = words.last_mut() {
            *last >>= (WORD_BITS - bound % WORD_BITS) % WORD_BITS;
        }
        BitSet { words }
    }

    /// The words, of [`WORD_BITS`] numbers each.
    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }

    /// Whether a number is in the set.
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words[number / WORD_BITS] >> (number % WORD_BITS) & 1 == 1
    }

    /// Adds a number, and says whether it is new.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (&mut self.words[number / WORD_BITS], 1 << (number % WORD_BITS));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes a number.
    pub(crate) fn remove(&mut self, number: usize) {
        self.words[number / WORD_BITS] &= !(1 << (number % WORD_BITS));
    }

    /// Becomes an empty set of numbers below `bound`, in the same memory.
    pub(crate) fn begin(&mut self, bound: usize) {
        self.words.clear();
        self.words.resize(bound.div_ceil(WORD_BITS), 0);
    }

    /// Removes all numbers.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds the members of another set.
    pub(crate) fn add(&mut self, other: &[Word]) {
        self.words.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
    }

    /// Removes the members that are not in another set.
    pub(crate) fn keep(&mut self, other: &[Word]) {
        self.words.iter_mut().zip(other).for_each(|(word, other)| *word &= other);
    }

    /// The numbers, in order.
    pub(crate) fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        ones(&self.words)
    }
}

/// The numbers of a set given as words of any size, in order.
pub(crate) fn ones<W: Copy + Into<u64>>(words: &[W]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let set = |word: u64| (word != 0).then_some(word);
        let rest = std::iter::successors(set(word.into()), move |word| set(word & (word - 1)));
        rest.map(move |word| index * size_of::<W>() * 8 + word.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_set() {
        for bound in [1, 63, 64, 65, 200] {
            assert!(BitSet::full(bound).ones().eq(0..bound), "{bound}");
            let mut set = BitSet::new(bound);
            let odd: Vec<usize> = (0..bound).filter(|n| n % 3 == 1).collect();
            assert!(odd.iter().all(|&n| set.insert(n) && !set.insert(n) && set.contains(n)));
            assert!(set.ones().eq(odd.iter().copied()));
            let mut all = BitSet::full(bound);
            all.keep(set.words());
            assert_eq!(all, set);
            odd.iter().for_each(|&n| set.remove(n));
            assert_eq!(set, BitSet::new(bound));
            set.add(all.words());
            assert_eq!(set, all);
            set.clear();
            assert_eq!(set.ones().count(), 0);
            for other in [bound + 70, bound] {
                set.begin(other);
                assert_eq!(set, BitSet::new(other));
                set.insert(bound - 1);
            }
        }
        assert_eq!(BitSet::full(0).ones().count(), 0);
    }
}
