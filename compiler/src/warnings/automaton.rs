//! Warnings of an automaton: transitions on no path from an initial to a final state (MT608).

use multitrace_formats::source::Span;
use multitrace_formats::timbuk::Timbuk;
use multitrace_formats::warning::{Warning, WarningCode};
use multitrace_interaction::{Id, StateId};

/// The warnings of an automaton with the places of its transitions.
pub fn automaton_warnings(automaton: &Timbuk, spans: &[Span]) -> Vec<Warning> {
    let states = automaton.states.len();
    let edges = || automaton.transitions.iter().map(|it| (it.from, it.to));
    let reached = reach(states, &automaton.initial, edges());
    let useful = reach(states, &automaton.finals, edges().map(|(from, to)| (to, from)));
    let dead = automaton.transitions.iter().zip(spans).filter(|(transition, _)| {
        !reached[transition.from.index()] || !useful[transition.to.index()]
    });
    let mut dead = dead.peekable();
    let Some(&(_, &span)) = dead.peek() else { return Vec::new() };
    let message = match dead.count() {
        1 => "a transition is on no path from an initial to a final state".to_owned(),
        count => format!("{count} transitions are on no path from an initial to a final state"),
    };
    vec![Warning::new(WarningCode::DeadPart, span, message, "the first of them")]
}

/// Which states are reached from some.
fn reach(
    states: usize,
    from: &[StateId],
    edges: impl Iterator<Item = (StateId, StateId)>,
) -> Vec<bool> {
    let mut next = vec![Vec::new(); states];
    edges.for_each(|(from, to)| next[from.index()].push(to));
    let (mut reached, mut todo) = (vec![false; states], from.to_vec());
    while let Some(state) = todo.pop() {
        if !std::mem::replace(&mut reached[state.index()], true) {
            todo.extend_from_slice(&next[state.index()]);
        }
    }
    reached
}
