//! A set of words that is emptied at no cost.
//
// Idea: every slot carries the epoch in which its word was added, and counts only while that is the
// current epoch. Emptying the set is one addition.
//
// Invariant: the current epoch is at least 1 and fresh slots have epoch 0. Fewer than half of the
// slots hold words of the current epoch, so probing ends.

/// A hash set of words, with linear probing.
#[derive(Debug)]
pub(crate) struct EpochSet {
    /// Words with the epoch they were added in; a power of two of them, or none.
    slots: Vec<(u64, u32)>,
    /// Never 0, which is the epoch of fresh slots.
    epoch: u32,
    len: usize,
}

impl Default for EpochSet {
    fn default() -> EpochSet {
        EpochSet { slots: Vec::new(), epoch: 1, len: 0 }
    }
}

/// The slots of a set that holds its first word: 4 KB, enough for a session of 18 events, which
/// records hardly a node.
const FEWEST_SLOTS: usize = 256;
/// A set with more slots than this frees them when it is emptied: 1 MB. More would keep the memory
/// of one hard session in every worker; less would allocate again for each of several in a row.
const MOST_SLOTS_KEPT: usize = 1 << 16;

impl EpochSet {
    /// Empties the set.
    pub(crate) fn clear(&mut self) {
        if self.slots.len() > MOST_SLOTS_KEPT || self.epoch == u32::MAX {
            *self = EpochSet::default();
        }
        self.epoch += 1;
        self.len = 0;
    }

    /// Adds a word, and says whether it is new.
    pub(crate) fn insert(&mut self, word: u64) -> bool {
        if self.len * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = spread(word) & mask;
        loop {
            let (there, epoch) = self.slots[slot];
            if epoch != self.epoch {
                self.slots[slot] = (word, self.epoch);
                self.len += 1;
                return true;
            }
            if there == word {
                return false;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(FEWEST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        self.len = 0;
        for (word, epoch) in old {
            if epoch == self.epoch {
                self.insert(word);
            }
        }
    }
}

/// Words of neighbouring nodes differ in few bits; this spreads them over all.
fn spread(word: u64) -> usize {
    let product = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product ^ (product >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn is_a_set(rounds in prop::collection::vec(prop::collection::vec(0_u64..2_000, 0..900), 1..6)) {
            let mut set = EpochSet::default();
            for round in rounds {
                set.clear();
                let mut plain = BTreeSet::new();
                for word in round {
                    let word = word << 40 | word;
                    prop_assert_eq!(set.insert(word), plain.insert(word));
                }
            }
        }
    }

    #[test]
    fn a_large_set_is_freed() {
        let mut set = EpochSet::default();
        set.clear();
        assert!((0..100_000).all(|word| set.insert(word)));
        set.clear();
        assert_eq!(set.slots.capacity(), 0);
        assert!(set.insert(5));
        assert!(!set.insert(5));
    }
}
