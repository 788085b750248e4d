//! Sets that are joined: union-find with path halving. The least member stands for each set.

/// A partition of the numbers below some number.
#[derive(Debug)]
pub(crate) struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// Each number in a set of its own.
    pub(crate) fn new(count: usize) -> DisjointSets {
        DisjointSets((0..count).collect())
    }

    /// The least member of the set of a number.
    pub(crate) fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}
