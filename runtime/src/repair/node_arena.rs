//! The nodes of a search, each once, with the cheapest way to it.
//
// Idea: nodes are words of a fixed number, one after another in the order of discovery. An open
// table of their numbers finds a node by its words; slots carry the epoch of the search that filled
// them, so that a new search begins at no cost.
//
// Invariant: fewer than half of the slots are of the current epoch, so probing ends.
//
// Cost: one probe or two a look-up; no allocation once warm.

use crate::repair::cost::Cost;
use multitrace_interaction::LetterId;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The predecessor of initial nodes.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// How a node was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// It is initial.
    Start,
    /// Deletes this number of events, then reads an event with this letter.
    Read(LetterId, u32),
    /// Deletes this number of events, then inserts this letter.
    Insert(LetterId, u32),
    /// By a transition that goes unobserved.
    Unobserved,
    /// By deleting the rest of a log.
    Skip(u32),
}

/// The way to a node, and its cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// The node before it.
    pub(crate) from: u32,
    pub(crate) by: Move,
    /// The cost of getting there.
    pub(crate) cost: Cost,
    /// How many events are passed.
    pub(crate) passed: u32,
}

/// All nodes of a search.
#[derive(Debug, Default)]
pub(crate) struct NodeArena {
    stride: usize,
    words: Vec<u64>,
    ways: Vec<Way>,
    /// Numbers of nodes with the epoch they were added in; a power of two of them, or none.
    slots: Vec<(u32, u32)>,
    epoch: u32,
}

/// The slots of an arena that holds its first node: 4 KB, enough for a session of 18 events.
const FEWEST_SLOTS: usize = 512;
/// An arena with more slots than this frees them when a search begins: 1 MB. More would keep the
/// memory of one hard session in every worker; less would allocate again for each of several in a
/// row.
const MOST_SLOTS_KEPT: usize = 1 << 17;

impl NodeArena {
    /// Forgets all nodes; new ones have this many words.
    pub(crate) fn begin(&mut self, stride: usize) {
        if self.slots.len() > MOST_SLOTS_KEPT || self.epoch == u32::MAX {
            *self = NodeArena::default();
        }
        self.stride = stride;
        self.epoch += 1;
        self.words.clear();
        self.ways.clear();
    }

    /// The words of a node.
    #[inline]
    pub(crate) fn words(&self, node: u32) -> &[u64] {
        &self.words[node as usize * self.stride..][..self.stride]
    }

    /// The way to a node.
    #[inline]
    pub(crate) fn way(&self, node: u32) -> &Way {
        &self.ways[node as usize]
    }

    /// The number of a node if it is new, or if this way to it is cheaper than the one that was
    /// known.
    pub(crate) fn offer(&mut self, words: &[u64], way: Way) -> Option<u32> {
        if self.ways.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(words) & mask;
        loop {
            let (node, epoch) = self.slots[slot];
            if epoch != self.epoch {
                let node = u32::try_from(self.ways.len()).expect("budgets are below 2^32 nodes");
                self.slots[slot] = (node, self.epoch);
                self.words.extend_from_slice(words);
                self.ways.push(way);
                return Some(node);
            }
            if self.words(node) == words {
                let known = &mut self.ways[node as usize];
                let is_cheaper = way.cost < known.cost;
                if is_cheaper {
                    *known = way;
                }
                return is_cheaper.then_some(node);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// About how many bytes the nodes take, with up to four slots for each. Memory kept from searches before does not
    /// count.
    pub(crate) fn bytes(&self) -> u64 {
        let slots = 4 * size_of::<(u32, u32)>();
        let node = self.stride * size_of::<u64>() + size_of::<Way>() + slots;
        (self.ways.len() * node) as u64
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(FEWEST_SLOTS);
        // The epoch of an arena that was begun is at least 1, that of these slots 0.
        self.slots = vec![(0, 0); size];
        for node in 0..self.ways.len() as u32 {
            let mut slot = hash(self.words(node)) & (size - 1);
            while self.slots[slot].1 == self.epoch {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = (node, self.epoch);
        }
    }
}

/// Words of neighbouring nodes differ in few bits; this spreads them over all.
fn hash(words: &[u64]) -> usize {
    let word = match *words {
        [word] => word,
        _ => {
            let mut hasher = FxHasher::default();
            words.iter().for_each(|&word| hasher.write_u64(word));
            hasher.finish()
        }
    };
    let product = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product ^ (product >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn way(cost: u64) -> Way {
        Way { from: NO_NODE, by: Move::Start, cost: Cost::new(cost, 0, 0), passed: 0 }
    }

    proptest! {
        #[test]
        fn keeps_the_cheapest_way(
            rounds in prop::collection::vec(prop::collection::vec((0_u64..900, 0_u64..5), 0..900), 1..5),
            stride in 1_usize..3,
        ) {
            let mut arena = NodeArena::default();
            for round in rounds {
                arena.begin(stride);
                let mut plain = BTreeMap::new();
                for (word, cost) in round {
                    let words = vec![word << 40 | word; stride];
                    let is_better = plain.get(&word).is_none_or(|&(_, known)| cost < known);
                    let node = arena.offer(&words, way(cost));
                    prop_assert_eq!(node.is_some(), is_better);
                    if let Some(node) = node {
                        let number = plain.get(&word).map_or(node, |&(number, _)| number);
                        prop_assert_eq!(node, number);
                        plain.insert(word, (node, cost));
                        prop_assert_eq!(arena.words(node), words);
                        prop_assert_eq!(arena.way(node).cost, Cost::new(cost, 0, 0));
                    }
                }
                prop_assert_eq!(arena.ways.len(), plain.len());
            }
        }
    }
}
