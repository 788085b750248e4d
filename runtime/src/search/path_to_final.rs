//! How an automaton gets from a state to its end: the unobserved rest of a witness.

use crate::automaton::Automaton;
use multitrace_interaction::{LetterId, StateId, WitnessStep};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The steps of a shortest path from a state to a final one, all unobserved.
pub(crate) fn path_to_final<A: Automaton>(
    automaton: &A,
    from: StateId,
) -> impl Iterator<Item = WitnessStep> + use<A> {
    let letters = letters_to_final(automaton, from).into_iter();
    letters.map(|letter| WitnessStep { letter, observed: false })
}

fn letters_to_final<A: Automaton>(automaton: &A, from: StateId) -> Vec<LetterId> {
    let mut found_by: FxHashMap<StateId, (StateId, LetterId)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        if automaton.is_final(state) {
            return path(&found_by, from, state);
        }
        automaton.outgoing(state, &mut |transitions| {
            for transition in transitions {
                if transition.to != from && !found_by.contains_key(&transition.to) {
                    found_by.insert(transition.to, (state, transition.letter));
                    queue.push_back(transition.to);
                }
            }
        });
    }
    Vec::new()
}

fn path(
    found_by: &FxHashMap<StateId, (StateId, LetterId)>,
    from: StateId,
    to: StateId,
) -> Vec<LetterId> {
    let mut letters = Vec::new();
    let mut state = to;
    while state != from {
        let Some(&(before, letter)) = found_by.get(&state) else { break };
        letters.push(letter);
        state = before;
    }
    letters.reverse();
    letters
}
