//! Linearisation: weak and concurrent order replaced by strict order where no location can tell.
//!
//! The result accepts fewer global traces and the same multi-traces: its projections onto the
//! locations are those of the original (property tests compare it with the denotations). Two
//! operands under a concurrent operator that share two locations stay as they are, because the
//! order across locations is observable there: `par(seq(l1!a, l2!b), strict(l2!d, l1!c))` accepts
//! `l1!c l1!a` with `l2!b l2!d`, and would not if the `seq` were strict.

use crate::action::Action;
use crate::blocks::{blocks, groups};
use crate::id::{Id, LifelineId, LocationId, TermId};
use crate::idset::LocationSet;
use crate::location::Locations;
use crate::term::{LoopTerm, Term, TermStore, with_stack};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;

/// A linearised term, and the terms that its subterms come from.
#[derive(Clone, Debug)]
pub struct Linearized {
    /// The term to make an automaton of.
    pub term: TermId,
    /// The terms that linearising has made, each with the term it was made from.
    pub origins: IndexMap<TermId, TermId, FxBuildHasher>,
}

impl TermStore {
    /// Replaces weak and concurrent order by strict order wherever no location can tell.
    pub fn linearize(&mut self, term: TermId, locations: &Locations) -> Linearized {
        let mut pass = Pass {
            store: self,
            locations,
            done: FxHashMap::default(),
            actions: FxHashMap::default(),
        };
        let result = pass.rewrite(term);
        let mut origins = IndexMap::default();
        let mut done: Vec<_> = pass.done.into_iter().collect();
        done.sort_unstable();
        for (before, after) in done {
            origins.entry(after).or_insert(before);
        }
        Linearized { term: result, origins }
    }
}

impl TermStore {
    /// Whether concurrent order in the term never involves two locations at once: the operands of
    /// a concurrent operator share at most one, the body of a concurrent loop uses at most one.
    ///
    /// Then lifeline removal is exact for whole locations. Strict order, choice and strict loops
    /// commute with projections. Operands x and y of a concurrent operator order each other only
    /// at the one location c they share. Take any interleaving of the rests of x and y: it
    /// fixes the order at c (if c is left), x and y fix theirs, and the actions removed are
    /// ordered with respect to the other operand only through c; so they can be put back. If c
    /// itself is removed, the operands are independent, and x before y is one possible order.
    pub fn concurrency_is_local(&self, term: TermId, locations: &Locations) -> bool {
        let mut seen = IndexSet::<TermId, FxBuildHasher>::from_iter([term]);
        let mut next = 0;
        while let Some(&term) = seen.get_index(next) {
            next += 1;
            if !self.is_local_operator(term, locations) {
                return false;
            }
            match self.term(term) {
                Term::Empty | Term::Step(_) => {}
                Term::Strict(a, b) | Term::CoReg(_, a, b) => seen.extend([*a, *b]),
                Term::Par(parts) | Term::Alt(parts) => seen.extend(parts.iter().copied()),
                Term::Loop(_, body) => seen.extend([*body]),
            }
        }
        true
    }

    fn is_local_operator(&self, term: TermId, locations: &Locations) -> bool {
        let of = |term: TermId| locations.of_set(self.lifelines(term));
        match self.term(term) {
            Term::Empty | Term::Step(_) | Term::Strict(..) | Term::Alt(_) => true,
            Term::Loop(LoopTerm::Strict, _) => true,
            Term::Loop(_, body) => of(*body).len() <= 1,
            Term::CoReg(_, a, b) => of(*a).intersection(&of(*b)).len() <= 1,
            Term::Par(parts) => {
                let mut before = LocationSet::new();
                parts.iter().all(|&part| {
                    let own = of(part);
                    let shared = own.intersection(&before).len();
                    before = before.union(&own);
                    shared <= 1
                })
            }
        }
    }
}

struct Pass<'a> {
    store: &'a mut TermStore,
    locations: &'a Locations,
    done: FxHashMap<TermId, TermId>,
    actions: FxHashMap<TermId, BTreeSet<Action>>,
}

impl Pass<'_> {
    fn rewrite(&mut self, term: TermId) -> TermId {
        if let Some(&known) = self.done.get(&term) {
            return known;
        }
        if self.store.effort.is_over() {
            return term;
        }
        let result = with_stack(|| self.rewrite_operator(term));
        self.done.insert(term, result);
        result
    }

    fn rewrite_operator(&mut self, term: TermId) -> TermId {
        match self.store.term(term).clone() {
            Term::Empty | Term::Step(_) => term,
            Term::Strict(a, b) => self.rewrite_strict(a, b),
            Term::Alt(parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| self.rewrite(part)).collect();
                self.store.alt(&parts)
            }
            Term::CoReg(TermStore::NO_LIFELINES, a, b) => self.rewrite_seq(term, a, b),
            Term::CoReg(region, a, b) => {
                if self.shared(a, b).len() > 1 {
                    return term;
                }
                let (a, b) = (self.rewrite(a), self.rewrite(b));
                self.store.co_reg(region, a, b)
            }
            Term::Par(parts) => self.rewrite_par(&parts),
            Term::Loop(kind, body) => self.rewrite_loop(term, kind, body),
        }
    }

    fn rewrite_strict(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = (self.rewrite(a), self.rewrite(b));
        self.store.strict(a, b)
    }

    fn rewrite_seq(&mut self, term: TermId, a: TermId, b: TermId) -> TermId {
        if self.aligned(a, b) {
            return self.rewrite_strict(a, b);
        }
        if self.shared(a, b).len() > 1 {
            return term;
        }
        let (a, b) = (self.rewrite(a), self.rewrite(b));
        self.store.seq(a, b)
    }

    /// Splits the operands where they share no location (strict order will do) and where they
    /// share a single one (each side can be rewritten alone).
    fn rewrite_par(&mut self, parts: &[TermId]) -> TermId {
        let mut rewritten = Vec::new();
        for group in self.groups_sharing(parts) {
            let blocks = self.blocks(&group);
            let blocks: Vec<_> = blocks.iter().map(|block| self.rewrite_block(block)).collect();
            rewritten.push(self.store.par(&blocks));
        }
        // From the last, so that nothing is associated again.
        let mut result = rewritten.pop().unwrap_or(TermStore::EMPTY);
        while let Some(group) = rewritten.pop()
            && !self.store.effort.is_over()
        {
            result = self.store.strict(group, result);
        }
        result
    }

    fn rewrite_block(&mut self, block: &[TermId]) -> TermId {
        match *block {
            [only] => self.rewrite(only),
            _ => self.store.par(block),
        }
    }

    /// Splits operands at single shared locations until no group splits.
    fn blocks(&self, parts: &[TermId]) -> Vec<Vec<TermId>> {
        let (uses, locations) = self.uses(parts);
        collect(parts, &blocks(&uses, locations))
    }

    /// The operands in groups that share no location, in the order of their first operands.
    fn groups_sharing(&self, parts: &[TermId]) -> Vec<Vec<TermId>> {
        let (uses, locations) = self.uses(parts);
        collect(parts, &groups(&uses, locations))
    }

    /// Per operand, the locations that it uses, numbered among themselves, and how many there are: few operands of a
    /// specification of many locations must not cost much.
    fn uses(&self, parts: &[TermId]) -> (Vec<Vec<usize>>, usize) {
        let mut numbers = IndexSet::<LocationId, FxBuildHasher>::default();
        let mut uses = Vec::with_capacity(parts.len());
        for &part in parts {
            let own = self.locations_of(part);
            uses.push(own.iter().map(|location| numbers.insert_full(location).0).collect());
        }
        (uses, numbers.len())
    }

    fn rewrite_loop(&mut self, term: TermId, kind: LoopTerm, body: TermId) -> TermId {
        let becomes = match kind {
            LoopTerm::Strict => LoopTerm::Strict,
            LoopTerm::CoReg(TermStore::NO_LIFELINES) if self.aligned(body, body) => {
                LoopTerm::Strict
            }
            LoopTerm::Parallel if self.one_action_per_location(body) => LoopTerm::Strict,
            LoopTerm::Parallel if self.locations_of(body).len() == 1 => LoopTerm::Parallel,
            _ => return term,
        };
        let body = self.rewrite(body);
        self.store.repeat(becomes, body)
    }

    fn locations_of(&self, term: TermId) -> LocationSet {
        self.locations.of_set(self.store.lifelines(term))
    }

    /// The locations that both use, found from the narrower one: in a `seq` of many messages the operand on the right has
    /// nearly all lifelines.
    fn shared(&self, a: TermId, b: TermId) -> LocationSet {
        let (in_a, in_b) = (self.store.lifelines(a), self.store.lifelines(b));
        let (few, many) = if in_a.width() < in_b.width() { (in_a, in_b) } else { (in_b, in_a) };
        let is_used = |location: &LocationId| {
            self.locations.lifelines(*location).iter().any(|&it| many.contains(it))
        };
        self.locations.of_set(few).iter().filter(is_used).collect()
    }

    /// In every location that both use, both together use exactly one lifeline: there, weak order
    /// is strict order.
    fn aligned(&self, a: TermId, b: TermId) -> bool {
        let (in_a, in_b) = (self.store.lifelines(a), self.store.lifelines(b));
        let is_used = |lifeline: LifelineId| in_a.contains(lifeline) || in_b.contains(lifeline);
        let used = |location: LocationId| {
            self.locations.lifelines(location).iter().filter(|&&it| is_used(it)).count()
        };
        self.shared(a, b).iter().all(|location| used(location) == 1)
    }

    /// Concurrent repetitions of one action look like repetitions in a row.
    fn one_action_per_location(&mut self, body: TermId) -> bool {
        let actions = self.actions_of(body).clone();
        let locations: BTreeSet<_> =
            actions.iter().map(|a| self.locations.of(a.lifeline).index()).collect();
        locations.len() == actions.len()
    }

    fn actions_of(&mut self, term: TermId) -> &BTreeSet<Action> {
        if !self.actions.contains_key(&term) {
            let found = with_stack(|| self.collect_actions(term));
            self.actions.insert(term, found);
        }
        &self.actions[&term]
    }

    fn collect_actions(&mut self, term: TermId) -> BTreeSet<Action> {
        match self.store.term(term).clone() {
            Term::Empty => BTreeSet::new(),
            Term::Step(step) => self.store.step_of(step).actions().iter().copied().collect(),
            Term::Loop(_, body) => self.actions_of(body).clone(),
            Term::Strict(a, b) | Term::CoReg(_, a, b) => {
                let left = self.actions_of(a).clone();
                left.union(self.actions_of(b)).copied().collect()
            }
            Term::Par(parts) | Term::Alt(parts) => {
                parts.iter().flat_map(|&part| self.actions_of(part).clone()).collect()
            }
        }
    }
}

/// Operands by the number of their group.
fn collect(parts: &[TermId], numbers: &[usize]) -> Vec<Vec<TermId>> {
    let mut groups = vec![Vec::new(); numbers.iter().max().map_or(0, |most| most + 1)];
    for (&part, &number) in parts.iter().zip(numbers) {
        groups[number].push(part);
    }
    groups
}
