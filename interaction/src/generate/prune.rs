//! Pruning that keeps every loop, so that repetitions can be counted.
//!
//! What is left of a loop's body may be a loop. The rule `LoopLoop` makes one of the two, which
//! keeps the traces, and loses a repetition: in `loopW(alt(a, loopW(b)))` without a, as before,
//! b stands in two loops. So here such a loop stays as it is.

use crate::id::{RegionId, TermId};
use crate::term::{LoopTerm, Term, TermStore, with_stack};
use rustc_hash::FxHashMap;

/// Prunes terms of one store, and remembers the results.
#[derive(Debug, Default)]
pub(super) struct Pruning {
    known: FxHashMap<(TermId, RegionId), Option<TermId>>,
}

impl Pruning {
    /// As [`TermStore::prune`], with every loop kept.
    pub(super) fn prune(
        &mut self,
        store: &mut TermStore,
        term: TermId,
        avoid: RegionId,
    ) -> Option<TermId> {
        if store.lifelines(term).is_disjoint(store.region_set(avoid)) {
            return Some(term);
        }
        if let Some(&known) = self.known.get(&(term, avoid)) {
            return known;
        }
        let pruned = with_stack(|| self.prune_operator(store, term, avoid));
        self.known.insert((term, avoid), pruned);
        pruned
    }

    /// Prunes a term that shares a lifeline with `avoid`.
    fn prune_operator(
        &mut self,
        store: &mut TermStore,
        term: TermId,
        avoid: RegionId,
    ) -> Option<TermId> {
        match store.term(term).clone() {
            Term::Empty => Some(term),
            Term::Step(_) => None,
            Term::Strict(a, b) => {
                let (a, b) = (self.prune(store, a, avoid)?, self.prune(store, b, avoid)?);
                Some(store.strict(a, b))
            }
            Term::CoReg(region, a, b) => {
                let (a, b) = (self.prune(store, a, avoid)?, self.prune(store, b, avoid)?);
                Some(store.co_reg(region, a, b))
            }
            Term::Par(parts) => {
                let parts = parts.iter().map(|&part| self.prune(store, part, avoid));
                let parts: Vec<TermId> = parts.collect::<Option<_>>()?;
                Some(store.par(&parts))
            }
            Term::Alt(parts) => {
                let parts = parts.iter().filter_map(|&part| self.prune(store, part, avoid));
                let parts: Vec<TermId> = parts.collect();
                (!parts.is_empty()).then(|| store.alt(&parts))
            }
            Term::Loop(kind, body) => Some(match self.prune(store, body, avoid) {
                Some(body) => repeat(store, kind, body),
                None => TermStore::EMPTY,
            }),
        }
    }
}

/// As [`TermStore::repeat`], but a loop of a loop stays one.
fn repeat(store: &mut TermStore, kind: LoopTerm, body: TermId) -> TermId {
    match store.term(body) {
        Term::Loop(..) => store.add(Term::Loop(kind, body)),
        _ => store.repeat(kind, body),
    }
}
