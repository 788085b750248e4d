//! The small-step semantics: pruning and derivatives of terms (paper 000 defs. 4 and 5, with a
//! step of several actions in the place of an action).

use crate::id::{RegionId, StepId, TermId};
use crate::idset::LifelineSet;
use crate::term::{Derivative, ENTRY_BYTES, LoopTerm, Term, TermStore, with_stack};
use std::sync::Arc;

impl TermStore {
    /// The term that accepts exactly the traces of `term` without an action at `avoid`; `None` if
    /// every trace has one.
    pub fn prune(&mut self, term: TermId, avoid: RegionId) -> Option<TermId> {
        if self.lifelines(term).is_disjoint(self.region_set(avoid)) {
            return Some(term);
        }
        if let Some(&known) = self.pruned.get(&(term, avoid)) {
            return known;
        }
        self.effort.spend(1);
        if self.effort.is_over() {
            return Some(term);
        }
        let pruned = with_stack(|| self.prune_operator(term, avoid));
        if !self.effort.is_over() {
            self.effort.keep(size_of::<((TermId, RegionId), Option<TermId>)>() + ENTRY_BYTES);
            self.pruned.insert((term, avoid), pruned);
        }
        pruned
    }

    /// Prunes a term that shares a lifeline with `avoid`.
    fn prune_operator(&mut self, term: TermId, avoid: RegionId) -> Option<TermId> {
        match self.term(term).clone() {
            Term::Empty => Some(term),
            Term::Step(_) => None,
            Term::Strict(a, b) => {
                let (a, b) = (self.prune(a, avoid)?, self.prune(b, avoid)?);
                Some(self.strict(a, b))
            }
            Term::CoReg(region, a, b) => {
                let (a, b) = (self.prune(a, avoid)?, self.prune(b, avoid)?);
                Some(self.co_reg(region, a, b))
            }
            Term::Par(parts) => {
                let parts = parts.iter().map(|&part| self.prune(part, avoid));
                let parts: Vec<TermId> = parts.collect::<Option<_>>()?;
                Some(self.par(&parts))
            }
            Term::Alt(parts) => {
                let parts: Vec<TermId> =
                    parts.iter().filter_map(|&part| self.prune(part, avoid)).collect();
                (!parts.is_empty()).then(|| self.alt(&parts))
            }
            Term::Loop(kind, body) => match self.prune(body, avoid) {
                Some(body) if self.counts_loops && matches!(self.term(body), Term::Loop(..)) => {
                    Some(self.add(Term::Loop(kind, body)))
                }
                Some(body) => Some(self.repeat(kind, body)),
                None => Some(Self::EMPTY),
            },
        }
    }

    /// Everything a term can do next, sorted, without repetition.
    pub fn derivatives(&mut self, term: TermId) -> Arc<[Derivative]> {
        self.derivatives_at(term, None)
    }

    /// The derivatives by steps at some lifelines; by all steps without such lifelines. Operands that
    /// do nothing there are left alone, so that one location of many costs little.
    pub(crate) fn derivatives_at(
        &mut self,
        term: TermId,
        at: Option<RegionId>,
    ) -> Arc<[Derivative]> {
        if let Some(known) = self.derived.get(&(term, at)) {
            return Arc::clone(known);
        }
        if self.effort.is_over() || !self.acts_at(term, at) {
            return Arc::new([]);
        }
        let mut found = with_stack(|| self.derive(term, at));
        self.effort.spend(found.len());
        found.sort_unstable();
        let counted = self.counts_loops;
        found.dedup_by_key(|it| (it.step, it.residual, if counted { it.loops } else { 0 }));
        let found: Arc<[Derivative]> = found.into();
        if !self.effort.is_over() {
            self.effort.keep(2 * ENTRY_BYTES + size_of_val(&*found));
            self.derived.insert((term, at), Arc::clone(&found));
        }
        found
    }

    fn acts_at(&self, term: TermId, at: Option<RegionId>) -> bool {
        at.is_none_or(|at| !self.lifelines(term).is_disjoint(self.region_set(at)))
    }

    fn derive(&mut self, term: TermId, at: Option<RegionId>) -> Vec<Derivative> {
        match self.term(term).clone() {
            Term::Empty => Vec::new(),
            Term::Step(step) => vec![Derivative { step, residual: Self::EMPTY, loops: 0 }],
            Term::Strict(a, b) => self.derive_strict(a, b, at),
            Term::CoReg(region, a, b) => self.derive_co_reg(region, a, b, at),
            Term::Par(parts) => self.derive_par(&parts, at),
            Term::Alt(parts) => {
                parts.iter().flat_map(|&part| self.derivatives_at(part, at).to_vec()).collect()
            }
            Term::Loop(kind, body) => self.derive_loop(term, kind, body, at),
        }
    }

    fn derive_strict(&mut self, a: TermId, b: TermId, at: Option<RegionId>) -> Vec<Derivative> {
        let mut found = Vec::new();
        for &Derivative { step, residual, loops } in &*self.derivatives_at(a, at) {
            found.push(Derivative { step, residual: self.strict(residual, b), loops });
        }
        if self.is_nullable(a) {
            found.extend_from_slice(&self.derivatives_at(b, at));
        }
        found
    }

    fn derive_co_reg(
        &mut self,
        region: RegionId,
        a: TermId,
        b: TermId,
        at: Option<RegionId>,
    ) -> Vec<Derivative> {
        let mut found = Vec::new();
        for &Derivative { step, residual, loops } in &*self.derivatives_at(a, at) {
            let residual = self.co_reg(region, residual, b);
            found.push(Derivative { step, residual, loops });
        }
        for &Derivative { step, residual, loops } in &*self.derivatives_at(b, at) {
            let avoid = self.ordered_lifelines(step, region);
            if let Some(before) = self.prune(a, avoid) {
                let residual = self.co_reg(region, before, residual);
                found.push(Derivative { step, residual, loops });
            }
        }
        found
    }

    /// The lifelines of a step that a concurrent region leaves ordered.
    fn ordered_lifelines(&mut self, step: StepId, region: RegionId) -> RegionId {
        let lifelines = self.step_region(step);
        if region == Self::NO_LIFELINES {
            return lifelines;
        }
        let ordered = self.region_set(lifelines).difference(self.region_set(region));
        self.region(ordered)
    }

    fn derive_par(&mut self, parts: &[TermId], at: Option<RegionId>) -> Vec<Derivative> {
        let mut found = Vec::new();
        let mut rest = parts.to_vec();
        for (index, &part) in parts.iter().enumerate() {
            // Operands are sorted, and equal operands have equal derivatives: derive each only
            // once.
            if index > 0 && parts[index - 1] == part {
                continue;
            }
            if self.effort.is_over() {
                break;
            }
            for &Derivative { step, residual, loops } in &*self.derivatives_at(part, at) {
                rest[index] = residual;
                found.push(Derivative { step, residual: self.par(&rest), loops });
            }
            rest[index] = part;
        }
        found
    }

    fn derive_loop(
        &mut self,
        term: TermId,
        kind: LoopTerm,
        body: TermId,
        at: Option<RegionId>,
    ) -> Vec<Derivative> {
        let mut found = Vec::new();
        for &Derivative { step, residual, loops } in &*self.derivatives_at(body, at) {
            let residual = match kind {
                LoopTerm::Strict => self.strict(residual, term),
                LoopTerm::Parallel => self.par(&[residual, term]),
                LoopTerm::HeadFirst => self.seq(residual, term),
                LoopTerm::CoReg(region) => self.unroll_co_reg(region, step, residual, term),
            };
            found.push(Derivative { step, residual, loops: loops + 1 });
        }
        found
    }

    /// Orders three parts: the repetitions before the step, the one that takes it, those after it.
    fn unroll_co_reg(
        &mut self,
        region: RegionId,
        step: StepId,
        residual: TermId,
        term: TermId,
    ) -> TermId {
        let avoid = self.ordered_lifelines(step, region);
        let after = self.co_reg(region, residual, term);
        match self.prune(term, avoid) {
            Some(before) => self.co_reg(region, before, after),
            None => after,
        }
    }

    /// Forgets every action at a lifeline of `removed` (lifeline removal, papers 002 and 003).
    ///
    /// Every accepted trace without those actions is accepted by the result. The converse holds
    /// when one lifeline remains and no concurrent region covers it. It does not in general: in
    /// `seq(strict(l2!x, l1!h), strict(l1!g, l3!y))` the removed l1 puts x before y, and the
    /// result `seq(l2!x, l3!y)` does not.
    pub fn remove_lifelines(&mut self, term: TermId, removed: &LifelineSet) -> TermId {
        if self.lifelines(term).is_disjoint(removed) {
            return term;
        }
        let region = self.region(removed.clone());
        let mut memo = self.removed.remove(&region).unwrap_or_default();
        let result = self.remove(term, removed, &mut memo);
        self.removed.insert(region, memo);
        result
    }

    fn remove(
        &mut self,
        term: TermId,
        removed: &LifelineSet,
        memo: &mut rustc_hash::FxHashMap<TermId, TermId>,
    ) -> TermId {
        self.spend_on_sets(1);
        if self.lifelines(term).is_disjoint(removed) {
            return term;
        }
        if let Some(&known) = memo.get(&term) {
            return known;
        }
        if self.effort.is_over() {
            return term;
        }
        let result = with_stack(|| self.remove_operator(term, removed, memo));
        if !self.effort.is_over() {
            self.effort.keep(size_of::<(TermId, TermId)>() + ENTRY_BYTES);
            memo.insert(term, result);
        }
        result
    }

    fn remove_operator(
        &mut self,
        term: TermId,
        removed: &LifelineSet,
        memo: &mut rustc_hash::FxHashMap<TermId, TermId>,
    ) -> TermId {
        match self.term(term).clone() {
            Term::Empty => Self::EMPTY,
            Term::Step(step) => self.remove_from_step(step, removed),
            Term::Strict(a, b) => {
                let (a, b) = (self.remove(a, removed, memo), self.remove(b, removed, memo));
                self.strict(a, b)
            }
            Term::CoReg(region, a, b) => {
                let (a, b) = (self.remove(a, removed, memo), self.remove(b, removed, memo));
                self.co_reg(region, a, b)
            }
            Term::Par(parts) => {
                let parts: Vec<_> = parts.iter().map(|&p| self.remove(p, removed, memo)).collect();
                self.par(&parts)
            }
            Term::Alt(parts) => {
                let parts: Vec<_> = parts.iter().map(|&p| self.remove(p, removed, memo)).collect();
                self.alt(&parts)
            }
            Term::Loop(kind, body) => {
                let body = self.remove(body, removed, memo);
                // A repetition may begin with an action that is now removed, so the order in which
                // repetitions begin is unknown.
                let kind = match kind {
                    LoopTerm::HeadFirst => LoopTerm::CoReg(Self::NO_LIFELINES),
                    other => other,
                };
                self.repeat(kind, body)
            }
        }
    }

    fn remove_from_step(&mut self, step: StepId, removed: &LifelineSet) -> TermId {
        let actions = self.step_of(step).actions().iter().copied();
        let kept: Vec<_> = actions.filter(|action| !removed.contains(action.lifeline)).collect();
        match crate::action::Step::new(kept) {
            Some(step) => self.step(step),
            None => Self::EMPTY,
        }
    }
}
