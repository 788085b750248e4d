//! How many sessions have which findings together: with that, the violations of a run can be counted
//! again for another baseline, which knows a session only if it has all of its findings.

use crate::finding::Finding;
use crate::gate::Gate;
use crate::groups::{Fingerprint, MAX_PLACES};
use std::collections::BTreeMap;

/// The most sets of places that are counted, as many as there are places.
pub const MAX_COMBINATIONS: usize = MAX_PLACES;

/// How many sessions that fail a run have each set of findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Combinations {
    /// By the name of the verdict and the fingerprints of places, which are sorted.
    counts: BTreeMap<(&'static str, Vec<Fingerprint>), u64>,
    /// Sessions with sets beyond [`MAX_COMBINATIONS`].
    uncounted: u64,
}

impl Combinations {
    /// Adds a session that fails the run if no baseline knows it.
    pub fn add(&mut self, verdict: &'static str, findings: &[Finding]) {
        let mut fingerprints: Vec<Fingerprint> =
            findings.iter().map(|finding| finding.place).collect();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        self.add_all(verdict, fingerprints, 1);
    }

    pub(crate) fn add_all(
        &mut self,
        verdict: &'static str,
        fingerprints: Vec<Fingerprint>,
        sessions: u64,
    ) {
        let key = (verdict, fingerprints);
        if let Some(count) = self.counts.get_mut(&key) {
            *count = count.saturating_add(sessions);
        } else if self.counts.len() < MAX_COMBINATIONS {
            self.counts.insert(key, sessions);
        } else {
            self.uncounted = self.uncounted.saturating_add(sessions);
        }
    }

    /// Adds those of another part of the input.
    pub fn merge(&mut self, other: Combinations) {
        self.uncounted = self.uncounted.saturating_add(other.uncounted);
        for ((verdict, fingerprints), sessions) in other.counts {
            self.add_all(verdict, fingerprints, sessions);
        }
    }

    /// Whether there were too many of them to count.
    pub fn are_too_many(&self) -> bool {
        self.uncounted > 0
    }

    /// How many sessions violate the specification, and how many would if the baseline had not all of
    /// their findings.
    pub fn judge(&self, gate: &Gate) -> (u64, u64) {
        let (mut violations, mut known) = (0_u64, 0_u64);
        for ((_, fingerprints), sessions) in &self.counts {
            let count = if gate.knows_set(fingerprints) { &mut known } else { &mut violations };
            *count = count.saturating_add(*sessions);
        }
        (violations.saturating_add(self.uncounted), known)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, &[Fingerprint], u64)> {
        self.counts.iter().map(|((verdict, set), sessions)| (*verdict, &set[..], *sessions))
    }
}
