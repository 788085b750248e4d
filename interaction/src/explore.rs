//! Terms as the states of an automaton: each distinct normalised derivative is one state.
//!
//! A step of several actions becomes a chain of transitions through states of its own, so letters
//! are single actions and the step stays uninterrupted. The compiler explores to the end, which
//! gives a finite automaton or hits a limit; the runtime explores on demand, which always works.

use crate::action::{Action, Step};
use crate::effort::WorkLimit;
use crate::first_places::FirstPlaces;
use crate::id::{Id, LetterId, LocationId, RegionId, StateId, StepId, TermId};
use crate::idset::LifelineSet;
use crate::location::Locations;
use crate::nfa::Transition;
use crate::persistent::PersistentLocations;
use crate::term::{Derivative, TermStore};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The term and the progress in a step that a state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// This term is left.
    Term(TermId),
    /// This many actions of the step have happened; after it this term is left.
    Inside(StepId, u32, TermId),
}

/// An automaton over terms, as far as it has been explored.
///
/// ```
/// use multitrace_interaction::{Interaction, Node, TermAutomaton, TermStore};
/// let mut store = TermStore::new();
/// let nothing = Interaction::new(vec![Node::Empty]).expect("a tree");
/// let term = store.intern(&nothing).root();
/// let mut automaton = TermAutomaton::new(store, [], None);
/// let state = automaton.state(term);
/// assert!(automaton.is_final(state));
/// assert!(automaton.transitions(state).is_empty());
/// ```
#[derive(Debug)]
pub struct TermAutomaton {
    store: TermStore,
    letters: FxHashMap<Action, LetterId>,
    states: IndexSet<Key, FxBuildHasher>,
    persistent: Option<(Locations, PersistentLocations)>,
}

impl TermAutomaton {
    /// The automaton of the terms of a store, whose actions are these letters. With `persistent`, a
    /// term that has a persistent location is explored by the actions of that location only: fewer
    /// interleavings, the same multi-traces over these locations.
    pub fn new(
        store: TermStore,
        letters: impl IntoIterator<Item = (Action, LetterId)>,
        persistent: Option<&Locations>,
    ) -> TermAutomaton {
        TermAutomaton {
            store,
            letters: letters.into_iter().collect(),
            states: IndexSet::default(),
            persistent: persistent
                .map(|locations| (locations.clone(), PersistentLocations::new(locations))),
        }
    }

    /// The state where this term is left.
    pub fn state(&mut self, term: TermId) -> StateId {
        StateId::new(self.states.insert_full(Key::Term(term)).0)
    }

    /// How many states were found so far.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// The terms.
    pub fn store(&self) -> &TermStore {
        &self.store
    }

    /// Does some work under a limit, see [`TermStore::within`].
    pub fn within<R>(
        &mut self,
        limit: &mut WorkLimit,
        work: impl FnOnce(&mut TermAutomaton) -> R,
    ) -> Option<R> {
        self.store.effort.begin(limit);
        let result = work(self);
        self.store.effort.end(limit).then_some(result)
    }

    /// The terms, without the automaton.
    pub fn into_store(self) -> TermStore {
        self.store
    }

    /// The term that is left in a state; inside a step, after it.
    ///
    /// # Panics
    /// If the state is not of this automaton.
    pub fn term(&self, state: StateId) -> TermId {
        match self.states[state.index()] {
            Key::Term(term) | Key::Inside(_, _, term) => term,
        }
    }

    /// Whether a state lies between steps, not inside one.
    ///
    /// # Panics
    /// If the state is not of this automaton.
    pub fn is_between_steps(&self, state: StateId) -> bool {
        matches!(self.states[state.index()], Key::Term(_))
    }

    /// Whether a trace may end in a state.
    ///
    /// # Panics
    /// If the state is not of this automaton.
    pub fn is_final(&self, state: StateId) -> bool {
        match self.states[state.index()] {
            Key::Term(term) => self.store.is_nullable(term),
            Key::Inside(..) => false,
        }
    }

    /// The transitions that start in a state, sorted by letter and target, without repetition.
    /// New states are numbered in the order of the term's derivatives.
    ///
    /// # Panics
    /// If the state is not of this automaton, or an action has no letter.
    pub fn transitions(&mut self, state: StateId) -> Vec<Transition> {
        without_loops(self.transitions_with_loops(state))
    }

    /// The same for the actions of all locations, even if one is persistent.
    ///
    /// # Panics
    /// As [`TermAutomaton::transitions`].
    pub fn all_transitions(&mut self, state: StateId) -> Vec<Transition> {
        without_loops(self.transitions_at(state, None))
    }

    /// The transitions of [`TermAutomaton::transitions`], each with the number of nested loops that
    /// it begins a repetition of, see [`Derivative`]. A step counts where it begins.
    ///
    /// # Panics
    /// As [`TermAutomaton::transitions`].
    pub fn transitions_with_loops(&mut self, state: StateId) -> Vec<(Transition, u32)> {
        let only = match self.states[state.index()] {
            Key::Term(term) => self.chosen_location(term),
            Key::Inside(..) => None,
        };
        self.transitions_at(state, only)
    }

    /// The same for the actions of all locations, even if one is persistent.
    ///
    /// # Panics
    /// As [`TermAutomaton::transitions`].
    pub fn all_transitions_with_loops(&mut self, state: StateId) -> Vec<(Transition, u32)> {
        self.transitions_at(state, None)
    }

    /// The transitions that start in a state; with a persistent location those by its actions.
    fn transitions_at(
        &mut self,
        state: StateId,
        only: Option<LocationId>,
    ) -> Vec<(Transition, u32)> {
        let mut found = Vec::new();
        match self.states[state.index()] {
            Key::Term(term) => {
                let at = only.map(|only| self.region_of(only));
                for &Derivative { step, residual, loops } in &*self.store.derivatives_at(term, at) {
                    if self.is_followed(step, only) {
                        found.push((self.connect(state, step, 0, residual), loops));
                    }
                }
            }
            Key::Inside(step, done, residual) => {
                found.push((self.connect(state, step, done, residual), 0));
            }
        }
        found.sort_unstable();
        found.dedup_by_key(|(transition, _)| *transition);
        found
    }

    /// Inside a step, how many of its actions are left; 0 between steps.
    ///
    /// # Panics
    /// If the state is not of this automaton.
    pub fn rest_of_step(&self, state: StateId) -> usize {
        match self.states[state.index()] {
            Key::Term(_) => 0,
            Key::Inside(step, done, _) => self.store.step_of(step).actions().len() - done as usize,
        }
    }

    /// The places where an action that is logged at these lifelines can come first among them, see
    /// [`TermStore::first_places`]. Inside a step there is no choice, and so no free place.
    ///
    /// # Panics
    /// If the state is not of this automaton.
    pub fn first_places(
        &mut self,
        state: StateId,
        action: Action,
        at: &LifelineSet,
    ) -> FirstPlaces {
        match self.states[state.index()] {
            Key::Term(term) => self.store.first_places(term, action, at),
            Key::Inside(..) => FirstPlaces::Behind,
        }
    }

    /// The state that is left when some lifelines are removed (papers 002 and 003).
    ///
    /// # Panics
    /// If the state is not of this automaton.
    pub fn forget(&mut self, state: StateId, removed: &LifelineSet) -> StateId {
        let key = match self.states[state.index()] {
            Key::Term(term) => Key::Term(self.store.remove_lifelines(term, removed)),
            Key::Inside(step, done, residual) => {
                let residual = self.store.remove_lifelines(residual, removed);
                let left = self.store.step_of(step).actions()[done as usize..].iter().copied();
                let left = left.filter(|action| !removed.contains(action.lifeline));
                match Step::new(left.collect::<Vec<_>>()) {
                    Some(step) => Key::Inside(self.store.intern_step(step), 0, residual),
                    None => Key::Term(residual),
                }
            }
        };
        StateId::new(self.states.insert_full(key).0)
    }

    /// These lifelines as a region of the terms.
    pub fn region(&mut self, lifelines: LifelineSet) -> RegionId {
        self.store.region(lifelines)
    }

    /// The state that is left when the lifelines of a region are removed, as [`TermAutomaton::forget`].
    ///
    /// # Panics
    /// If the state is not of this automaton, or the region not of its terms.
    pub fn forget_region(&mut self, state: StateId, removed: RegionId) -> StateId {
        let removed = self.store.region_set(removed).clone();
        self.forget(state, &removed)
    }

    /// The transition that reads action `done` of the step.
    fn connect(&mut self, from: StateId, step: StepId, done: u32, residual: TermId) -> Transition {
        let actions = self.store.step_of(step).actions();
        let letter = self.letters[&actions[done as usize]];
        let last = done as usize + 1 == actions.len();
        let key = if last { Key::Term(residual) } else { Key::Inside(step, done + 1, residual) };
        let to = StateId::new(self.states.insert_full(key).0);
        Transition { from, letter, to }
    }

    /// The persistent location to follow alone, if any; the first one, for determinism.
    fn chosen_location(&mut self, term: TermId) -> Option<LocationId> {
        let (_, persistent) = self.persistent.as_mut()?;
        let before = persistent.bytes();
        let chosen = persistent.of(&self.store, term).iter().next();
        self.store.effort.keep(persistent.bytes() - before);
        chosen
    }

    fn region_of(&mut self, location: LocationId) -> RegionId {
        let (locations, _) = self.persistent.as_ref().expect("a location was chosen");
        let lifelines = locations.lifelines(location).iter().copied().collect();
        self.store.region(lifelines)
    }

    /// Steps of several actions never begin at a persistent location, see `persistent.rs`.
    fn is_followed(&self, step: StepId, only: Option<LocationId>) -> bool {
        let (Some(only), Some((locations, _))) = (only, &self.persistent) else { return true };
        let step = self.store.step_of(step);
        step.actions().iter().all(|action| locations.of(action.lifeline) == only)
    }
}

fn without_loops(found: Vec<(Transition, u32)>) -> Vec<Transition> {
    found.into_iter().map(|(transition, _)| transition).collect()
}
