//! Automata as graphs.

use multitrace_interaction::{LetterId, Nfa, StateId, Transition};
use std::collections::BTreeMap;

/// An automaton that is no [`Nfa`](multitrace_interaction::Nfa), such as the verifier of one location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// How many states there are.
    pub states: usize,
    /// Those in which a run begins.
    pub initial: Vec<StateId>,
    /// Those in which a run may end.
    pub finals: Vec<StateId>,
    /// What is read from one to another.
    pub transitions: Vec<Transition>,
}

impl Graph {
    /// The graph of an automaton.
    pub fn of_nfa(nfa: &Nfa) -> Graph {
        Graph {
            states: nfa.state_count(),
            initial: nfa.initial().to_vec(),
            finals: nfa.finals().collect(),
            transitions: nfa.transitions().to_vec(),
        }
    }
}

/// The letters from a state to another.
pub(crate) fn edges(
    graph: &Graph,
    is_shown: impl Fn(StateId) -> bool,
) -> BTreeMap<(StateId, StateId), Vec<LetterId>> {
    let mut edges: BTreeMap<(StateId, StateId), Vec<LetterId>> = BTreeMap::new();
    for it in graph.transitions.iter().filter(|it| is_shown(it.from) && is_shown(it.to)) {
        edges.entry((it.from, it.to)).or_default().push(it.letter);
    }
    edges
}
