//! Automata as graphs.

use multitrace_interaction::{Id, LetterId, Nfa, StateId, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// An automaton to draw: any [`Nfa`](multitrace_interaction::Nfa), the verifier of a location, or a part of
/// either.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// How many states there are.
    pub states: usize,
    /// The labels of the states; a state without a label, or with an empty one, shows its number.
    pub labels: Vec<String>,
    /// Those in which a run begins.
    pub initial: Vec<StateId>,
    /// Those in which a run may end.
    pub finals: Vec<StateId>,
    /// The transitions, each with its letter.
    pub transitions: Vec<Transition>,
    /// The transitions that the picture is about, by their place in the list; the others stand behind
    /// them. `None` if it is about all.
    pub part: Option<BTreeSet<usize>>,
    /// A text for each transition, which stands beside its letter. A shorter list leaves the last ones without.
    pub notes: Vec<String>,
}

/// The text on an edge, and whether the picture is about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EdgeText {
    /// Letters, each with the note of its transition.
    pub(crate) letters: Vec<(LetterId, String)>,
    pub(crate) is_in_part: bool,
}

impl Graph {
    /// The graph of an automaton.
    pub fn of_nfa(nfa: &Nfa) -> Graph {
        Graph {
            states: nfa.state_count(),
            initial: nfa.initial().to_vec(),
            finals: nfa.finals().collect(),
            transitions: nfa.transitions().to_vec(),
            ..Graph::default()
        }
    }

    /// The label of a state, or its number.
    pub(crate) fn label(&self, state: StateId) -> String {
        let label = self.labels.get(state.index()).filter(|it| !it.is_empty());
        label.cloned().unwrap_or_else(|| state.index().to_string())
    }

    /// Whether the picture is about a transition.
    pub(crate) fn is_in_part(&self, transition: usize) -> bool {
        self.part.as_ref().is_none_or(|part| part.contains(&transition))
    }

    /// The states that the picture is about: those where a run begins, and the ends of its transitions.
    pub(crate) fn states_in_part(&self) -> BTreeSet<StateId> {
        let part = self.transitions.iter().enumerate().filter(|(at, _)| self.is_in_part(*at));
        part.flat_map(|(_, it)| [it.from, it.to]).chain(self.initial.iter().copied()).collect()
    }
}

/// The texts of the edges from a state to another: one edge for the transitions that the picture is about, and one for
/// the rest.
pub(crate) fn edges(
    graph: &Graph,
    is_shown: impl Fn(StateId) -> bool,
) -> BTreeMap<(StateId, StateId, bool), EdgeText> {
    let mut edges: BTreeMap<(StateId, StateId, bool), EdgeText> = BTreeMap::new();
    for (at, it) in graph.transitions.iter().enumerate() {
        if !is_shown(it.from) || !is_shown(it.to) {
            continue;
        }
        let is_in_part = graph.is_in_part(at);
        let text = edges.entry((it.from, it.to, !is_in_part)).or_default();
        text.is_in_part = is_in_part;
        text.letters.push((it.letter, graph.notes.get(at).cloned().unwrap_or_default()));
    }
    edges
}
