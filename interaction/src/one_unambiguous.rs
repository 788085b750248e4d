//! One-unambiguous actions: those that a location can do next in one way only, whatever the other
//! locations do (paper 003 sec. 5.1). If a log begins with such an action and the term can do it, a
//! search need not try any other move.
//!
//! The paper's definition 11 is not enough for that. In `strict(alt(l1!b, o), l2!a)` the action
//! `l2!a` has one place, but doing it first gives up `l1!b`: the multi-trace (`l1!b`, `l2!a`) is
//! accepted and would be lost. The same holds for strict and head-first loops, where `l2!a` begins
//! a repetition after others at `l1`. So the place must also not lie behind a strict order. Then,
//! if `t` is accepted and `a` is its first action at its location, `a` followed by the rest of
//! `t` is accepted, too, by induction over the operators above the place:
//! - `alt`: `t` is of that branch, or the action had a second place.
//! - `par`, and the left side of any order: nothing need come before.
//! - right of a concurrent region, repetitions of a loop with one: what comes before `a` in that
//!   order would be at the location of `a`, so `t` has nothing there, and pruning keeps the rest.

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
enum FirstPlaces {
    None,
    One,
    /// More than one, or one behind a strict order or inside a step of several actions.
    Ambiguous,
}

impl FirstPlaces {
    fn and(self, other: FirstPlaces) -> FirstPlaces {
        match (self, other) {
            (FirstPlaces::None, places) | (places, FirstPlaces::None) => places,
            _ => FirstPlaces::Ambiguous,
        }
    }

    /// The same places, made unfit: they are behind a strict order.
    fn hampered(self) -> FirstPlaces {
        if self == FirstPlaces::None { FirstPlaces::None } else { FirstPlaces::Ambiguous }
    }
}

impl TermStore {
    /// Whether an action logged at these lifelines is one-unambiguous in a term: it has one place
    /// where it can come first at its location (paper 003 def. 11), and no strict order is before
    /// that place. If the term can do such an action, then the traces it accepts with the action
    /// first at its location are the action followed by what remains.
    ///
    /// # Panics
    /// If the id is not of this store.
    pub fn is_one_unambiguous(
        &mut self,
        term: TermId,
        action: Action,
        location: &LifelineSet,
    ) -> bool {
        let location = self.region(location.clone());
        self.places(term, &Sought { action, location }) == FirstPlaces::One
    }

    fn places(&mut self, term: TermId, sought: &Sought) -> FirstPlaces {
        if !self.lifelines(term).contains(sought.action.lifeline) {
            return FirstPlaces::None;
        }
        self.effort.spend(1);
        if self.effort.is_over() {
            return FirstPlaces::Ambiguous;
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
                    Some(_) => FirstPlaces::Ambiguous,
                    None => FirstPlaces::None,
                }
            }
            Term::Strict(a, b) => {
                let behind = self.places_behind(a, b, sought.location, sought).hampered();
                self.places(a, sought).and(behind)
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
            Term::Loop(LoopTerm::Strict | LoopTerm::HeadFirst, body) => {
                self.places(body, sought).hampered()
            }
            Term::Loop(LoopTerm::CoReg(_) | LoopTerm::Parallel, body) => self.places(body, sought),
        }
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
