//! Random sessions of a specification: accepted ones, with a few changes.

use crate::specification::{Specification, States};
use multitrace_interaction::{LetterId, MultiTrace, Session};
use proptest::prelude::*;
use proptest::sample::Index;

/// How a session is made, for any specification.
#[derive(Clone, Debug)]
pub struct Draw {
    walk: Vec<Index>,
    changes: Vec<(Change, Index, Index, Index)>,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Insert,
    Remove,
    Truncate,
    Behead,
    Empty,
}

pub fn any_draw() -> impl Strategy<Value = Draw> {
    use Change::*;
    let change = proptest::sample::select(vec![Insert, Remove, Truncate, Truncate, Behead, Empty]);
    let index = any::<Index>;
    let changes = proptest::collection::vec((change, index(), index(), index()), 0..=3);
    let walk = proptest::collection::vec(index(), 0..=7);
    (walk, changes).prop_map(|(walk, changes)| Draw { walk, changes })
}

impl Draw {
    pub fn session(&self, specification: &Specification) -> Session {
        Session { trace: self.trace(specification), ..Session::default() }
    }

    pub fn trace(&self, specification: &Specification) -> MultiTrace {
        let mut trace = vec![Vec::new(); specification.locations()];
        for letter in self.word(specification) {
            trace[specification.location_of(letter)].push(letter);
        }
        for change in &self.changes {
            apply(change, &mut trace, specification);
        }
        trace
    }

    /// Logs of several accepted traces, one of each location: each is possible, and all together often are not.
    pub fn mixed(draws: &[Draw; 3], specification: &Specification) -> Session {
        let own = |(location, draw): (usize, &Draw)| {
            let word = draw.word(specification).into_iter();
            word.filter(|letter| specification.location_of(*letter) == location).collect()
        };
        let trace = draws.iter().take(specification.locations()).enumerate().map(own).collect();
        Session { trace, ..Session::default() }
    }

    /// A walk, and from its end the shortest way to a final state.
    pub fn word(&self, specification: &Specification) -> Vec<LetterId> {
        let initial: Vec<usize> = specification.initial().into_iter().collect();
        let mut state = self.walk.first().map_or(initial[0], |index| *index.get(&initial));
        let mut word = Vec::new();
        for index in &self.walk {
            let row: Vec<_> = specification.outgoing(state).collect();
            if row.is_empty() {
                break;
            }
            let (letter, to) = *index.get(&row);
            word.push(letter);
            state = to;
        }
        while !specification.is_final(state) {
            let distance = |state: usize| steps_to_final(specification, state);
            let next = specification.outgoing(state).min_by_key(|(_, to)| distance(*to));
            let (letter, to) = next.expect("every state leads to a final one");
            word.push(letter);
            state = to;
        }
        word
    }
}

fn steps_to_final(specification: &Specification, state: usize) -> usize {
    let mut states = States::from([state]);
    for steps in 0.. {
        if states.iter().any(|it| specification.is_final(*it)) {
            return steps;
        }
        states = states.iter().flat_map(|it| specification.outgoing(*it)).map(|it| it.1).collect();
    }
    unreachable!("every state leads to a final one")
}

fn apply(
    (change, location, at, letter): &(Change, Index, Index, Index),
    trace: &mut MultiTrace,
    specification: &Specification,
) {
    let location = location.index(trace.len());
    let log = &mut trace[location];
    let own = specification.alphabet.letters_by_location();
    match change {
        Change::Insert if own[location].is_empty() => {}
        Change::Insert => log.insert(at.index(log.len() + 1), *letter.get(&own[location])),
        Change::Remove if log.is_empty() => {}
        Change::Remove => {
            log.remove(at.index(log.len()));
        }
        Change::Truncate => log.truncate(at.index(log.len() + 1)),
        Change::Behead => {
            log.drain(..at.index(log.len() + 1));
        }
        Change::Empty => log.clear(),
    }
}
