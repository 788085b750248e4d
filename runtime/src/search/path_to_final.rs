//! How an automaton gets from a state to its end: the unobserved rest of a witness.

use crate::automaton::Automaton;
use multitrace_interaction::{LetterId, StateId, WitnessStep};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The steps of a path from a state to a final one, all unobserved: a shortest one on a compiled automaton. On terms,
/// which may be too many to look at all, the ones that leave the least come first. `None` if the time for the session
/// ended on terms before a path was found.
pub(crate) fn path_to_final<A: Automaton>(
    automaton: &A,
    from: StateId,
) -> Option<impl Iterator<Item = WitnessStep> + use<A>> {
    let letters = letters_to_final(automaton, from)?.into_iter();
    Some(letters.map(|letter| WitnessStep { letter, observed: false }))
}

fn letters_to_final<A: Automaton>(automaton: &A, from: StateId) -> Option<Vec<LetterId>> {
    let mut found_by: FxHashMap<StateId, (StateId, LetterId)> = FxHashMap::default();
    // The states of compiled automata weigh nothing, and come in the order in which they are found.
    let mut queue = BinaryHeap::from([(Reverse((0, 0)), from)]);
    while let Some((_, state)) = queue.pop() {
        if automaton.is_final(state) {
            return Some(path(&found_by, from, state));
        }
        for transition in &*automaton.outgoing(state).ok()? {
            if transition.to != from && !found_by.contains_key(&transition.to) {
                found_by.insert(transition.to, (state, transition.letter));
                let order = (automaton.weight(transition.to), found_by.len());
                queue.push((Reverse(order), transition.to));
            }
        }
    }
    None
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
