//! Whether each session of one specification is one of the other, whatever the order of events at different locations.
//
// Idea: the product of an automaton with the subsets of another, as in `difference.rs`; but in each of its states a location
// may be chosen whose next event, if one comes, can come first of all: then only its events are followed, and beside them the
// case that none comes. So each session is followed in one order, and in which one is chosen as the other specification
// needs it.
//
// Invariant: a state is good if by one of its choices all that follow are good, and where a session may end, the other
// specification may end, too. Then each multi-trace from the state of the one is a multi-trace from a state of the set of the
// other, by induction on its events and on the locations that have not ended. A state is bad if all its choices lead to a
// bad one. All states are good until then: sessions are finite, so going round proves nothing wrong.
//
// Cost: as the product, for the choices that are tried.

use super::automata::{Automaton, Terms};
use super::difference::{Subsets, TooLarge};
use super::joint::Joint;
use multitrace_interaction::{LocationId, StateId};
use std::collections::{BTreeMap, BTreeSet};

/// The most members that all sets of states may have together. An estimate, not measured.
const MOST_MEMBERS: usize = 1_000_000;

/// A product of the terms of one specification with the subsets of those of another.
pub(super) struct Reordering<'a> {
    one: Terms<'a>,
    other: Subsets<Terms<'a>>,
    joint: &'a Joint,
    /// The index of the one.
    from: usize,
    ids: BTreeMap<(StateId, usize), usize>,
    states: Vec<ProductState>,
    most_states: usize,
}

/// A state of each specification: of the other one, all that can be.
struct ProductState {
    state: StateId,
    set: usize,
    /// The choices, the first of them last, and those that are left.
    choices: Option<Vec<Choice>>,
    /// The states that follow by the choice that counts.
    next: Vec<usize>,
    /// The states that this one follows.
    before: BTreeSet<usize>,
    is_bad: bool,
}

/// The events that a walk follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// All events that can be next, or the end.
    All,
    /// The next event of a location of the one specification, or none.
    Location(LocationId),
}

impl<'a> Reordering<'a> {
    pub(super) fn new(
        (one, other): (Terms<'a>, Terms<'a>),
        joint: &'a Joint,
        from: usize,
        most_states: usize,
    ) -> Reordering<'a> {
        let other = Subsets::new(other, MOST_MEMBERS);
        let (ids, states) = (BTreeMap::new(), Vec::new());
        Reordering { one, other, joint, from, ids, states, most_states }
    }

    /// Whether all sessions are proved to be sessions of the other specification.
    pub(super) fn proves(mut self) -> Result<bool, TooLarge> {
        let set = self.other.start()?;
        let Some(&one) = self.one.initial().first() else { return Ok(true) };
        let first = self.id((one, set))?;
        let mut todo = vec![first];
        while let Some(at) = todo.pop() {
            if !self.states[at].is_bad {
                self.choose(at, &mut todo)?;
            }
            if self.states[first].is_bad {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes the next choice of a state if it has none, or if a bad state follows by the one that it has. If no choice is left,
    /// the state is bad, and the states before it are looked at again.
    fn choose(&mut self, at: usize, todo: &mut Vec<usize>) -> Result<(), TooLarge> {
        let is_new = self.states[at].choices.is_none();
        if !is_new && self.states[at].next.iter().all(|&it| !self.states[it].is_bad) {
            return Ok(());
        }
        if is_new {
            self.states[at].choices = Some(self.choices(at).ok_or(TooLarge)?);
        }
        while let Some(choice) = self.states[at].choices.as_mut().and_then(Vec::pop) {
            let Some(next) = self.follow(at, choice)? else { continue };
            for &it in &next {
                self.states[it].before.insert(at);
                if self.states[it].choices.is_none() {
                    todo.push(it);
                }
            }
            self.states[at].next = next;
            return Ok(());
        }
        self.states[at].is_bad = true;
        todo.extend(std::mem::take(&mut self.states[at].before));
        Ok(())
    }

    /// The choices of a state in the order opposite to that in which they are tried: first locations that must act, then those
    /// that may, then all events.
    fn choices(&mut self, at: usize) -> Option<Vec<Choice>> {
        let state = self.states[at].state;
        let (mut may_act, mut must_act) = (vec![Choice::All], Vec::new());
        for location in self.one.leading(state)?.iter() {
            let is_needed = self.one.without(state, location)?.is_none();
            let choices = if is_needed { &mut must_act } else { &mut may_act };
            choices.push(Choice::Location(location));
        }
        may_act.append(&mut must_act);
        Some(may_act)
    }

    /// The states that follow by a choice; `None` if one of them is known to be bad.
    fn follow(&mut self, at: usize, choice: Choice) -> Result<Option<Vec<usize>>, TooLarge> {
        let ProductState { state, set, .. } = self.states[at];
        let (found, ended) = match choice {
            Choice::All => {
                if self.one.is_final(state) && !self.other.is_final(set) {
                    return Ok(None);
                }
                (self.one.transitions(state), None)
            }
            Choice::Location(location) => {
                let found = self.one.transitions_of(state, location);
                let left = self.one.without(state, location).ok_or(TooLarge)?;
                (found, left.map(|it| (it, location)))
            }
        };
        let mut next = Vec::new();
        for (letter, to) in found.ok_or(TooLarge)? {
            let set = self.other.step(set, letter)?;
            next.push((to, set));
        }
        if let Some((to, location)) = ended {
            let set = self.end(set, location)?;
            next.push((to, set));
        }
        if next.iter().any(|&(_, set)| self.other.states(set).is_empty()) {
            return Ok(None);
        }
        let next: Vec<usize> =
            next.into_iter().map(|it| self.id(it)).collect::<Result<_, TooLarge>>()?;
        Ok(next.iter().all(|&it| !self.states[it].is_bad).then_some(next))
    }

    /// The states of a set where a location of the one specification does not act any more.
    fn end(&mut self, set: usize, location: LocationId) -> Result<usize, TooLarge> {
        let joint = self.joint.joint_location(self.from, location);
        let Some(own) = joint.and_then(|it| self.joint.own_location(1 - self.from, it)) else {
            return Ok(set);
        };
        let states = self.other.states(set).clone().into_iter();
        let left = states.map(|it| self.other.automaton.without(it, own).ok_or(TooLarge));
        let left: Vec<_> = left.collect::<Result<_, _>>()?;
        self.other.id(left.into_iter().flatten().collect())
    }

    fn id(&mut self, (state, set): (StateId, usize)) -> Result<usize, TooLarge> {
        let next = self.states.len();
        let id = *self.ids.entry((state, set)).or_insert(next);
        if id == next {
            let (next, before) = (Vec::new(), BTreeSet::new());
            self.states.push(ProductState {
                state,
                set,
                choices: None,
                next,
                before,
                is_bad: false,
            });
        }
        if self.states.len() <= self.most_states { Ok(id) } else { Err(TooLarge) }
    }
}
