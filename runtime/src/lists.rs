//! Lists of numbers, one for each key, side by side in memory that is kept.
//
// Idea: counting comes first, so that a list per key takes no allocation of its own.

use std::ops::Range;

/// A list of numbers for each key below some number.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Where the list of each key begins; and where the last one ends.
    first: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    /// Makes the lists of these pairs of a key below `keys` and an entry, the entries of each key in the order in which they
    /// come. The pairs are asked for twice.
    pub(crate) fn fill(&mut self, keys: usize, pairs: impl Iterator<Item = (usize, u32)> + Clone) {
        self.first.clear();
        self.first.resize(keys + 2, 0);
        // While entries are put down, place `key + 1` says where the next entry of the key goes.
        pairs.clone().for_each(|(key, _)| self.first[key + 2] += 1);
        (0..keys).for_each(|key| self.first[key + 2] += self.first[key + 1]);
        self.entries.clear();
        self.entries.resize(self.first[keys + 1] as usize, 0);
        for (key, entry) in pairs {
            let place = &mut self.first[key + 1];
            self.entries[*place as usize] = entry;
            *place += 1;
        }
        self.first.pop();
    }

    pub(crate) fn of(&self, key: usize) -> &[u32] {
        &self.entries[self.places_of(key)]
    }

    /// The numbers of the entries of a key, for [`Lists::entry`].
    pub(crate) fn places_of(&self, key: usize) -> Range<usize> {
        self.first[key] as usize..self.first[key + 1] as usize
    }

    pub(crate) fn entry(&self, place: usize) -> u32 {
        self.entries[place]
    }
}

/// Per name, its rank in their order.
pub(crate) fn ranks_of(names: &[&str]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&at| names[at]);
    let mut ranks = vec![0; names.len()];
    (0..).zip(order).for_each(|(rank, at)| ranks[at] = rank);
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_are_those_of_a_vector_per_key(
            pairs in proptest::collection::vec((0..6_usize, 0..6_u32), 0..30),
        ) {
            let mut naive = vec![Vec::new(); 6];
            pairs.iter().for_each(|&(key, entry)| naive[key].push(entry));
            let mut lists = Lists::default();
            // The lists that were there before do not count.
            lists.fill(3, [(2, 1), (0, 4)].into_iter());
            lists.fill(6, pairs.iter().copied());
            for (key, own) in naive.iter().enumerate() {
                prop_assert_eq!(lists.of(key), own);
            }
        }
    }
}
