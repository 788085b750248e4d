//! Units of work when tables are made, on automata whose count is known: one for every state and every transition that
//! is looked at, and one for every 1,024 bits of a set that is made.

use crate::automata::nfa;
use multitrace_compiler::{Limits, look_ahead, project};
use multitrace_interaction::{Id, LetterId, Nfa};

fn letters(count: usize) -> Vec<LetterId> {
    (0..count).map(LetterId::new).collect()
}

fn limits(work: usize) -> Limits {
    Limits { work: work as u64, ..Limits::default() }
}

/// A row of states, each of these letters leading from one to the next.
fn chain(steps: usize, letters: usize) -> Nfa {
    let edges = (0..steps).flat_map(|at| (0..letters).map(move |letter| (at, letter, at + 1)));
    nfa(steps + 1, [0], [steps], edges)
}

/// The verifier needs exactly this much work, without its part for slices.
fn verifier_takes(nfa: &Nfa, own: usize, work: usize) {
    let own = letters(own);
    assert!(project(nfa, &own, &limits(work)).is_ok(), "{work} is too little");
    assert!(project(nfa, &own, &limits(work - 1)).is_err(), "{work} is too much");
}

/// The look-ahead needs exactly this much work, with all its parts.
fn look_ahead_takes(nfa: &Nfa, own: usize, work: usize) {
    let own = letters(own);
    let made = look_ahead(nfa, &own, &limits(work)).expect("it fits");
    assert!(made.open_end.is_some(), "{work} is too little");
    let less = look_ahead(nfa, &own, &limits(work - 1));
    assert!(less.is_err() || less.is_ok_and(|it| it.open_end.is_none()), "{work} is too much");
}

#[test]
fn a_verifier_looks_at_every_state_and_transition_of_a_chain_twice() {
    for steps in [4, 500, 2_047] {
        let bits = steps + 1 + steps;
        verifier_takes(&chain(steps, 1), 1, 2 * bits + (steps + 1) * (bits / 1_024));
    }
}

#[test]
fn a_verifier_closes_states_once_that_several_letters_lead_to() {
    for steps in [4, 1_024] {
        let bits = steps + 1 + 2 * steps;
        let first = 2 * bits + (steps + 1) * (bits / 1_024);
        let again = steps * (1 + 2 * steps / 1_024);
        verifier_takes(&chain(steps, 2), 2, first + again);
    }
}

/// From one state two letters lead to as many others.
fn fan(targets: usize) -> Nfa {
    let edges = (1..=targets).flat_map(|to| [(0, 0, to), (0, 1, to)]);
    nfa(targets + 1, [0], 1..=targets, edges)
}

#[test]
fn a_verifier_keeps_closures_of_up_to_eight_states() {
    // The first state, from which all begin, is looked at for its closure and for its letters; so are the others.
    let once = |targets: usize| 2 * (1 + 2 * targets) + 2 * targets;
    verifier_takes(&fan(8), 2, once(8) + 1);
    verifier_takes(&fan(9), 2, once(9) + 9);
}

/// Closures are kept as long as they take less than 16 MiB, at 64 bytes and a bit for each transition.
#[test]
fn a_verifier_keeps_closures_up_to_a_number_of_bytes() {
    const STEPS: usize = 520;
    // With these, a closure takes 32 KiB, so 512 of them are kept.
    let transitions = (32_768 - 64) * 8;
    let others = transitions - 2 * STEPS;
    let first_other = STEPS + 1;
    let width = 512;
    let edges = (0..STEPS).flat_map(|at| [(at, 0, at + 1), (at, 1, at + 1)]);
    let beside = (0..others).map(|it| (first_other + it / width, 2, first_other + it % width));
    let nfa = nfa(first_other + width, [0], [STEPS], edges.chain(beside));
    assert_eq!(nfa.transitions().len(), transitions);
    let bits = (nfa.state_count() + transitions) / 1_024;
    let first = 2 * (STEPS + 1 + 2 * STEPS) + (STEPS + 1) * bits;
    // The closure of the first state is kept, too.
    let kept = 511 * (1 + transitions / 1_024);
    let not_kept = (STEPS - 511 - 1) * (1 + 2 + bits) + 1 + bits;
    verifier_takes(&nfa, 2, first + kept + not_kept);
}

/// One transition, beside states that nothing leads to: open ends may be in any of them.
fn beside(states: usize) -> Nfa {
    nfa(states, [0], [1], [(0, 0, 1)])
}

#[test]
fn a_look_ahead_looks_at_states_once_for_each_of_its_parts() {
    for states in [2, 3_000] {
        let bits = states / 1_024;
        // The end and the transition into it, for its set and for its letters; so the beginning.
        let complete = 2 + bits + 2 + 1 + bits + 1;
        let open = states + 1;
        // All sets are closed once more for logs that have not begun.
        let unbegun = 2 + 1 + states + 1;
        look_ahead_takes(&beside(states), 1, complete + open + unbegun);
    }
}

/// From as many states, two letters lead to the last one.
fn funnel(sources: usize) -> Nfa {
    let edges = (0..sources).flat_map(|from| [(from, 0, sources), (from, 1, sources)]);
    nfa(sources + 1, 0..sources, [sources], edges)
}

#[test]
fn a_look_ahead_keeps_sets_of_up_to_eight_states() {
    let once = |sources: usize| {
        let end = 1 + 2 * sources;
        let complete = end + end + sources + sources;
        let open = sources + end;
        let unbegun = end + sources + (sources + end);
        complete + open + unbegun
    };
    look_ahead_takes(&funnel(8), 2, once(8));
    // The second letter asks again, for the end and for open ends; so does the first one for these.
    look_ahead_takes(&funnel(9), 2, once(9) + 3 * 9);
}

/// Sets of open ends may take more work than there is, while the rest of the table does not.
#[test]
fn open_ends_over_the_work_leave_the_rest_of_a_look_ahead() {
    let (steps, own) = (50, letters(1));
    let complete = 2 * (steps + 1 + steps);
    // The states before each of them, and the transitions between.
    let unbegun: usize = (0..=steps).map(|it| 1 + it).sum();
    let of = |work| look_ahead(&chain(steps, 1), &own, &limits(work));
    let whole = of(1_000_000).expect("it fits");
    let table = of(complete + unbegun).expect("the rest fits");
    assert_eq!((table.open_end, table.at_end), (None, whole.at_end));
    assert_eq!(table.next, whole.next[..steps + 1]);
    assert!(of(complete + unbegun - 1).is_err());
}
