//! Persistent and leading locations of a term: locations whose next actions can be explored alone.
//!
//! When ℓ is persistent in a term, every multi-trace it accepts is accepted by an interleaving
//! that begins with an action at ℓ. Exploring only those keeps the multi-traces and drops global
//! traces. A term with a persistent location is not nullable.
//!
//! When ℓ is leading in a term, this holds for the multi-traces that have an action at ℓ. Exploring those, and the term
//! without actions at ℓ beside them, keeps the multi-traces, too. Every persistent location is leading.

use crate::id::{Id, LifelineId, LocationId, TermId};
use crate::idset::LocationSet;
use crate::location::Locations;
use crate::term::{ENTRY_BYTES, LoopTerm, Term, TermStore, with_stack};
use rustc_hash::FxHashMap;

/// Computes persistent locations, and remembers those of every term it has seen.
#[derive(Debug)]
pub struct PersistentLocations {
    locations: Locations,
    known: FxHashMap<TermId, LocationSet>,
    known_leading: FxHashMap<TermId, LocationSet>,
    /// The bytes that the remembered sets take.
    bytes: usize,
}

impl PersistentLocations {
    /// A computation for terms over these locations.
    pub fn new(locations: &Locations) -> Self {
        PersistentLocations {
            locations: locations.clone(),
            known: FxHashMap::default(),
            known_leading: FxHashMap::default(),
            bytes: 0,
        }
    }

    /// The persistent locations of a term.
    pub fn of(&mut self, store: &TermStore, term: TermId) -> LocationSet {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let found = with_stack(|| self.of_operator(store, term));
        self.count_bytes(&found);
        self.known.insert(term, found.clone());
        found
    }

    /// The leading locations of a term.
    pub fn leading(&mut self, store: &TermStore, term: TermId) -> LocationSet {
        if let Some(known) = self.known_leading.get(&term) {
            return known.clone();
        }
        let found = with_stack(|| self.leading_of_operator(store, term));
        self.count_bytes(&found);
        self.known_leading.insert(term, found.clone());
        found
    }

    fn count_bytes(&mut self, found: &LocationSet) {
        self.bytes += size_of::<(TermId, LocationSet)>() + ENTRY_BYTES + found.heap_bytes();
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

    fn leading_of_operator(&mut self, store: &TermStore, term: TermId) -> LocationSet {
        let all: LocationSet = self.locations.iter().collect();
        let used = self.locations.of_set(store.lifelines(term));
        // The first action of all is at the only location that acts.
        if used.len() < 2 {
            return all;
        }
        match store.term(term) {
            Term::Empty => all,
            Term::Step(_) => all.difference(&used),
            Term::Alt(parts) | Term::Par(parts) => {
                parts.iter().fold(all, |all, &part| all.intersection(&self.leading(store, part)))
            }
            Term::Strict(a, b) => {
                let in_b = self.locations.of_set(store.lifelines(*b));
                self.leading(store, *a).difference(&in_b).union(&self.of(store, *a))
            }
            Term::CoReg(_, a, b) => {
                let both = self.leading(store, *a).intersection(&self.leading(store, *b));
                both.union(&self.of(store, term))
            }
            Term::Loop(LoopTerm::CoReg(_) | LoopTerm::Parallel, body) => self.leading(store, *body),
            // Only the first repetition can come first.
            Term::Loop(LoopTerm::Strict, body) => {
                all.difference(&used).union(&self.of(store, *body))
            }
            Term::Loop(LoopTerm::HeadFirst, _) => all.difference(&used),
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
