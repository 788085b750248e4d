//! Interaction to automaton: every distinct normalised derivative of a term is one state.
//!
//! A step of several actions becomes a chain of transitions through states of its own, so letters
//! are single actions and the step stays uninterrupted.

use crate::limits::{LimitExceeded, Limits};
use indexmap::IndexSet;
use multitrace_interaction::{
    Action, Derivative, Id, LetterId, LocationId, Locations, Nfa, PersistentLocations, StateId,
    StepId, TermId, TermStore, Transition,
};
use rustc_hash::FxBuildHasher;

/// What a state of the automaton stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// This term is left.
    Term(TermId),
    /// This many actions of the step have happened; after it this term is left.
    Inside(StepId, u32, TermId),
}

/// The automaton of a term. With `persistent`, only the actions of one persistent location are
/// followed where a term has one: fewer interleavings, the same multi-traces over these locations.
///
/// # Errors
/// When there would be more than `limits.states` states, or terms that keep growing.
pub fn synthesize(
    store: &mut TermStore,
    term: TermId,
    letter_of: &dyn Fn(Action) -> LetterId,
    persistent: Option<&Locations>,
    limits: &Limits,
) -> Result<Nfa, LimitExceeded> {
    let mut pass = Pass {
        store,
        letter_of,
        states: IndexSet::default(),
        transitions: Vec::new(),
        persistent: persistent.map(|locations| (locations, PersistentLocations::new(locations))),
    };
    pass.states.insert(Key::Term(term));
    // Small specifications may grow by more than their own size says.
    let heaviest = pass.store.weight(term).saturating_add(16).saturating_mul(limits.growth);
    let mut next = 0;
    while next < pass.states.len() {
        if pass.states.len() > limits.states {
            return Err(LimitExceeded::Count { limit: limits.states, what: "states" });
        }
        if pass.weight(next) > heaviest {
            return Err(LimitExceeded::Growth(limits.growth));
        }
        pass.expand(next);
        next += 1;
    }
    Ok(pass.finish())
}

struct Pass<'a> {
    store: &'a mut TermStore,
    letter_of: &'a dyn Fn(Action) -> LetterId,
    states: IndexSet<Key, FxBuildHasher>,
    transitions: Vec<Transition>,
    persistent: Option<(&'a Locations, PersistentLocations<'a>)>,
}

impl Pass<'_> {
    fn weight(&self, state: usize) -> u32 {
        match self.states[state] {
            Key::Term(term) | Key::Inside(_, _, term) => self.store.weight(term),
        }
    }

    fn expand(&mut self, state: usize) {
        match self.states[state] {
            Key::Term(term) => {
                let only = self.chosen_location(term);
                for &Derivative { step, residual } in &*self.store.derivatives(term) {
                    if self.is_followed(step, only) {
                        self.connect(state, step, 0, residual);
                    }
                }
            }
            Key::Inside(step, done, residual) => self.connect(state, step, done, residual),
        }
    }

    /// Adds the transition that reads action `done` of the step.
    fn connect(&mut self, from: usize, step: StepId, done: u32, residual: TermId) {
        let actions = self.store.step_of(step).actions();
        let letter = (self.letter_of)(actions[done as usize]);
        let last = done as usize + 1 == actions.len();
        let key = if last { Key::Term(residual) } else { Key::Inside(step, done + 1, residual) };
        let to = self.states.insert_full(key).0;
        self.transitions.push(Transition {
            from: StateId::new(from),
            letter,
            to: StateId::new(to),
        });
    }

    /// The persistent location to follow alone, if any; the first one, for determinism.
    fn chosen_location(&mut self, term: TermId) -> Option<LocationId> {
        let (_, persistent) = self.persistent.as_mut()?;
        persistent.of(self.store, term).iter().next()
    }

    /// Steps of several actions never begin at a persistent location, see `persistent.rs`.
    fn is_followed(&self, step: StepId, only: Option<LocationId>) -> bool {
        let (Some(only), Some((locations, _))) = (only, &self.persistent) else { return true };
        let step = self.store.step_of(step);
        step.actions().iter().all(|action| locations.of(action.lifeline) == only)
    }

    fn finish(self) -> Nfa {
        let store = self.store;
        let finals = self.states.iter().enumerate().filter(|(_, key)| match key {
            Key::Term(term) => store.is_nullable(*term),
            Key::Inside(..) => false,
        });
        let finals: Vec<_> = finals.map(|(index, _)| StateId::new(index)).collect();
        Nfa::new(self.states.len(), [StateId::new(0)], finals, self.transitions)
            .unwrap_or_else(|_| unreachable!("every transition joins states of the list"))
    }
}
