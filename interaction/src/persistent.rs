//! Persistent locations of a term: locations whose next actions can be explored alone.
//!
//! When ℓ is persistent in a term, every multi-trace it accepts is accepted by an interleaving
//! that begins with an action at ℓ. Exploring only those keeps the multi-traces and drops global
//! traces. A term with a persistent location is not nullable.

use crate::id::{Id, LifelineId, LocationId, TermId};
use crate::idset::LocationSet;
use crate::location::Locations;
use crate::term::{ENTRY_BYTES, Term, TermStore, with_stack};
use rustc_hash::FxHashMap;

/// Computes persistent locations, and remembers those of every term it has seen.
#[derive(Debug)]
pub struct PersistentLocations {
    locations: Locations,
    known: FxHashMap<TermId, LocationSet>,
    /// The bytes that the remembered sets take.
    bytes: usize,
}

impl PersistentLocations {
    /// A computation for terms over these locations.
    pub fn new(locations: &Locations) -> Self {
        PersistentLocations { locations: locations.clone(), known: FxHashMap::default(), bytes: 0 }
    }

    /// The persistent locations of a term.
    pub fn of(&mut self, store: &TermStore, term: TermId) -> LocationSet {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let found = with_stack(|| self.of_operator(store, term));
        self.bytes += size_of::<(TermId, LocationSet)>() + ENTRY_BYTES + found.heap_bytes();
        self.known.insert(term, found.clone());
        found
    }

    /// About how many bytes are remembered.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn of_operator(&mut self, store: &TermStore, term: TermId) -> LocationSet {
        match store.term(term) {
            Term::Empty | Term::Loop(..) => LocationSet::new(),
            Term::Step(step) => match store.step_of(*step).as_single() {
                Some(action) => [self.locations.of(action.lifeline)].into_iter().collect(),
                None => LocationSet::new(),
            },
            Term::Alt(parts) => {
                let first = self.of(store, parts[0]);
                parts[1..].iter().fold(first, |all, &part| all.intersection(&self.of(store, part)))
            }
            Term::Strict(a, _) => {
                if store.is_nullable(*a) {
                    LocationSet::new()
                } else {
                    self.of(store, *a)
                }
            }
            Term::Par(parts) => self.of_par(store, parts),
            Term::CoReg(TermStore::NO_LIFELINES, a, b) => self.of_seq(store, *a, *b),
            Term::CoReg(_, a, b) => {
                let of_a = self.of(store, *a);
                of_a.difference(&self.locations.of_set(store.lifelines(*b)))
            }
        }
    }

    /// Persistent in one operand, and in every other one that uses the location at all.
    fn of_par(&mut self, store: &TermStore, parts: &[TermId]) -> LocationSet {
        let mut persistent = vec![0_usize; self.locations.len()];
        let mut used = persistent.clone();
        for &part in parts {
            // A location that is persistent in an operand is used there.
            self.of(store, part).iter().for_each(|location| persistent[location.index()] += 1);
            let own = self.locations.of_set(store.lifelines(part));
            own.iter().for_each(|location| used[location.index()] += 1);
        }
        let everywhere = |it: &LocationId| {
            persistent[it.index()] > 0 && persistent[it.index()] == used[it.index()]
        };
        self.locations.iter().filter(everywhere).collect()
    }

    fn of_seq(&mut self, store: &TermStore, a: TermId, b: TermId) -> LocationSet {
        let (of_a, of_b) = (self.of(store, a), self.of(store, b));
        let in_a = self.locations.of_set(store.lifelines(a));
        let in_b = self.locations.of_set(store.lifelines(b));
        let is_used = |lifeline: LifelineId| {
            store.lifelines(a).contains(lifeline) || store.lifelines(b).contains(lifeline)
        };
        let one_lifeline = |location: LocationId| {
            self.locations.lifelines(location).iter().filter(|&&it| is_used(it)).count() == 1
        };
        let both = of_a.iter().filter(|&location| one_lifeline(location)).collect();
        of_a.difference(&in_b).union(&of_b.difference(&in_a)).union(&both)
    }
}
