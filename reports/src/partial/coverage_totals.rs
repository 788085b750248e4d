//! How many sessions took each part of a specification, as sums.

/// How many sessions took each part of a specification, by the numbers of the parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageTotals {
    /// How many passing sessions were followed.
    pub sessions: u64,
    /// How many were not.
    pub not_followed: u64,
    /// How many took each part or line. Missing entries are zero.
    pub taken: Vec<u64>,
    /// How many could have taken each part. Missing entries are zero.
    pub possible: Vec<u64>,
}

impl CoverageTotals {
    pub(super) fn merge(&mut self, other: &CoverageTotals) {
        self.sessions = self.sessions.saturating_add(other.sessions);
        self.not_followed = self.not_followed.saturating_add(other.not_followed);
        add_all(&mut self.taken, &other.taken);
        add_all(&mut self.possible, &other.possible);
    }
}

/// Adds lists of numbers one by one; missing entries are zero.
pub(super) fn add_all(all: &mut Vec<u64>, more: &[u64]) {
    if all.len() < more.len() {
        all.resize(more.len(), 0);
    }
    all.iter_mut().zip(more).for_each(|(all, more)| *all = all.saturating_add(*more));
}
