//! Trimming: only states on a path from an initial to a final state remain.

use fixedbitset::FixedBitSet;
use multitrace_interaction::{Id, Nfa, StateId, Transition};

/// The automaton without states that no accepting path visits. The order of states is kept.
pub fn trim(nfa: &Nfa) -> Nfa {
    let forward = closure(nfa.state_count(), nfa.initial(), |state, visit| {
        nfa.outgoing(state).iter().for_each(|t| visit(t.to));
    });
    let sources = sources(nfa);
    let finals: Vec<_> = nfa.finals().collect();
    let mut useful = closure(nfa.state_count(), &finals, |state, visit| {
        sources[state.index()].iter().for_each(|&from| visit(from));
    });
    useful.intersect_with(&forward);
    restrict(nfa, &useful)
}

/// The states reachable from `roots` by `edges`.
fn closure(
    states: usize,
    roots: &[StateId],
    mut edges: impl FnMut(StateId, &mut dyn FnMut(StateId)),
) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(states);
    let mut todo = Vec::new();
    let mut visit = |state: StateId, todo: &mut Vec<StateId>| {
        if !seen.put(state.index()) {
            todo.push(state);
        }
    };
    roots.iter().for_each(|&root| visit(root, &mut todo));
    while let Some(state) = todo.pop() {
        edges(state, &mut |next| visit(next, &mut todo));
    }
    seen
}

/// Per state, the sources of the transitions that lead to it.
pub(crate) fn sources(nfa: &Nfa) -> Vec<Vec<StateId>> {
    let mut sources = vec![Vec::new(); nfa.state_count()];
    for transition in nfa.transitions() {
        sources[transition.to.index()].push(transition.from);
    }
    sources
}

/// The automaton of the kept states, renumbered in order.
fn restrict(nfa: &Nfa, kept: &FixedBitSet) -> Nfa {
    let mut rank = vec![None; nfa.state_count()];
    for (new, old) in kept.ones().enumerate() {
        rank[old] = Some(StateId::new(new));
    }
    let renamed = |state: StateId| rank[state.index()];
    let transitions = nfa.transitions().iter().filter_map(|t| {
        Some(Transition { from: renamed(t.from)?, letter: t.letter, to: renamed(t.to)? })
    });
    let initial = nfa.initial().iter().filter_map(|&state| renamed(state));
    let finals = nfa.finals().filter_map(renamed);
    Nfa::new(kept.count_ones(..), initial, finals, transitions.collect())
        .unwrap_or_else(|_| unreachable!("renamed states are in range"))
}
