//! The places where an action of a term can come first at its location, whatever the other locations do. If a log
//! begins with an action whose places are all free, a search need not try any other move than that action.
//!
//! One-unambiguous actions (paper 003 sec. 5.1, def. 11) have one place. That is not enough: in
//! `strict(alt(l1!b, o), l2!a)` the action `l2!a` has one place, but doing it first gives up `l1!b`: the multi-trace
//! (`l1!b`, `l2!a`) is accepted and would be lost. The same holds for strict and head-first loops, where `l2!a` begins
//! a repetition after others at `l1`. So no place may lie behind a strict order. Nor is one place needed: where there
//! are several, doing the action at each of them loses nothing.
//!
//! Claim: if all places of `a` are free, `t` is a global trace that the term accepts, and `a` is its first action at
//! its location, then `t` with `a` moved to the front is accepted, and one of the derivatives by `a` accepts the rest.
//! By induction over the operators above the place that `t` uses:
//! - `alt`: `t` is of that branch.
//! - `par`, and the left side of any order: nothing need come before.
//! - right of a concurrent region, repetitions of a loop with one: an action before `a` in that order would be at the
//!   lifeline of `a`, so `t` has nothing there, and pruning keeps the rest.
//! - right of a strict order, later repetitions of a strict loop, if nothing without an action at the location of `a`
//!   can come before but the empty trace: then `t` has nothing before it there either.
//! - later repetitions of a head-first loop, if none but the empty one is without an action at the lifeline of `a`: one
//!   that came before would do it before `a`. An action at another lifeline of the location would not be enough, since
//!   the repetition need only have begun.
//!
//! No other action of `t` changes its place, so the claim holds for the prefixes of global traces, too.

use crate::action::Action;
use crate::id::{RegionId, TermId};
use crate::idset::LifelineSet;
use crate::term::{LoopTerm, Term, TermStore, with_stack};

/// The action in question, and where it is logged.
struct Sought {
    action: Action,
    /// The lifelines of its location.
    location: RegionId,
}

/// The places where an action can come first at its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstPlaces {
    /// It has no place.
    None,
    /// One, and it is free: the action is one-unambiguous.
    One,
    /// Several, all of them free.
    Several,
    /// One or more, and at least one is not free: it is behind a strict order, or in a step of several actions.
    Behind,
}

impl FirstPlaces {
    /// Whether the action has places, and all are free.
    pub fn are_free(self) -> bool {
        matches!(self, FirstPlaces::One | FirstPlaces::Several)
    }

    fn and(self, other: FirstPlaces) -> FirstPlaces {
        match (self, other) {
            (FirstPlaces::None, places) | (places, FirstPlaces::None) => places,
            (FirstPlaces::Behind, _) | (_, FirstPlaces::Behind) => FirstPlaces::Behind,
            _ => FirstPlaces::Several,
        }
    }

    /// The same places, if these are behind a strict order.
    fn behind(self) -> FirstPlaces {
        if self == FirstPlaces::None { FirstPlaces::None } else { FirstPlaces::Behind }
    }
}

impl TermStore {
    /// The places where an action that is logged at these lifelines can come first among them.
    ///
    /// # Panics
    /// If the id is not of this store.
    pub fn first_places(
        &mut self,
        term: TermId,
        action: Action,
        location: &LifelineSet,
    ) -> FirstPlaces {
        let location = self.region(location.clone());
        self.places(term, &Sought { action, location })
    }

    fn places(&mut self, term: TermId, sought: &Sought) -> FirstPlaces {
        if !self.lifelines(term).contains(sought.action.lifeline) {
            return FirstPlaces::None;
        }
        self.effort.spend(1);
        if self.effort.is_over() {
            return FirstPlaces::Behind;
        }
        with_stack(|| self.places_below(term, sought))
    }

    fn places_below(&mut self, term: TermId, sought: &Sought) -> FirstPlaces {
        match self.term(term).clone() {
            Term::Empty => FirstPlaces::None,
            Term::Step(step) => {
                let actions = self.step_of(step).actions();
                let own = |a: &&Action| self.region_set(sought.location).contains(a.lifeline);
                match actions.iter().find(own) {
                    Some(first) if *first != sought.action => FirstPlaces::None,
                    Some(_) if actions.len() == 1 => FirstPlaces::One,
                    Some(_) => FirstPlaces::Behind,
                    None => FirstPlaces::None,
                }
            }
            Term::Strict(a, b) => {
                let after = self.places_after(a, b, sought);
                self.places(a, sought).and(after)
            }
            Term::CoReg(region, a, b) => {
                let ordered: LifelineSet = [sought.action.lifeline].into_iter().collect();
                let ordered = ordered.difference(self.region_set(region));
                let ordered = self.region(ordered);
                let behind = self.places_behind(a, b, ordered, sought);
                self.places(a, sought).and(behind)
            }
            Term::Par(parts) | Term::Alt(parts) => parts
                .iter()
                .fold(FirstPlaces::None, |all, &part| all.and(self.places(part, sought))),
            Term::Loop(LoopTerm::Strict, body) => {
                let places = self.places(body, sought);
                if self.may_precede(body, sought.location) { places.behind() } else { places }
            }
            Term::Loop(LoopTerm::HeadFirst, body) => {
                // Actions of earlier repetitions at other lifelines of the location may come later.
                let lifeline = self.region([sought.action.lifeline].into_iter().collect());
                let places = self.places(body, sought);
                if self.may_precede(body, lifeline) { places.behind() } else { places }
            }
            Term::Loop(LoopTerm::CoReg(_) | LoopTerm::Parallel, body) => self.places(body, sought),
        }
    }

    /// The places in `b` when all of `a` comes before it.
    fn places_after(&mut self, a: TermId, b: TermId, sought: &Sought) -> FirstPlaces {
        let places = self.places_behind(a, b, sought.location, sought);
        if self.may_precede(a, sought.location) { places.behind() } else { places }
    }

    /// Whether a term accepts a trace that has actions, and none at these lifelines.
    fn may_precede(&mut self, term: TermId, location: RegionId) -> bool {
        self.prune(term, location).is_some_and(|rest| rest != Self::EMPTY)
    }

    /// The places in `b` that count when `a`, before it, does nothing at some lifelines.
    fn places_behind(
        &mut self,
        a: TermId,
        b: TermId,
        avoid: RegionId,
        sought: &Sought,
    ) -> FirstPlaces {
        match self.prune(a, avoid) {
            Some(_) => self.places(b, sought),
            None => FirstPlaces::None,
        }
    }
}
