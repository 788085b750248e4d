//! Automata that the tests of several passes share.

use multitrace_interaction::{Id, LetterId, Nfa, StateId, Transition};

/// One location that logs `a a b a`, state by state.
pub(crate) fn chain() -> Nfa {
    let letters = [0, 0, 1, 0].map(LetterId::new);
    let transition = |(index, letter)| Transition {
        from: StateId::new(index),
        letter,
        to: StateId::new(index + 1),
    };
    let transitions = letters.into_iter().enumerate().map(transition).collect();
    Nfa::new(5, [StateId::new(0)], [StateId::new(4)], transitions).expect("five states")
}
