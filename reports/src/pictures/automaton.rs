//! Automata as graphs in the language of Graphviz.

use crate::pictures::measure::Label;
use multitrace_interaction::{Alphabet, Id, LetterId, Nfa, StateId, Transition};
use std::collections::BTreeMap;

/// The most characters of a letter.
const NAME: usize = 60;
/// The most letters of an edge that are shown.
const MOST_LETTERS: usize = 8;

/// An automaton as DOT: one edge from a state to another, with all their letters. Final states have two
/// borders. Of more than `most` states the first are drawn, and the others counted.
///
/// # Panics
/// When the automaton is not over this alphabet.
pub fn nfa_dot(nfa: &Nfa, alphabet: &Alphabet, title: &str, most: usize) -> String {
    let graph = Graph {
        states: nfa.state_count(),
        initial: nfa.initial().to_vec(),
        finals: nfa.finals().collect(),
        transitions: nfa.transitions().to_vec(),
    };
    dot(&graph, &|letter| alphabet.letter_name(letter), title, most)
}

/// An automaton that is no [`Nfa`], such as the verifier of one location.
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

/// The same as [`nfa_dot`] for any automaton; `name` is what a letter is called.
///
/// ```
/// use multitrace_interaction::{Id, LetterId, StateId, Transition};
/// use multitrace_reports::pictures::automaton::{Graph, dot};
/// let (from, to) = (StateId::ZERO, StateId::new(1));
/// let transitions = vec![Transition { from, letter: LetterId::ZERO, to }];
/// let graph = Graph { states: 2, initial: vec![from], finals: vec![to], transitions };
/// assert!(dot(&graph, &|_| "a!m", "", 100).contains("0 -> 1 [label=\"a!m\"]"));
/// ```
pub fn dot<'a>(
    graph: &Graph,
    name: &dyn Fn(LetterId) -> &'a str,
    title: &str,
    most: usize,
) -> String {
    let shown = graph.states.min(most);
    let is_shown = |state: StateId| state.index() < shown;
    let mut out = "digraph {\n  rankdir=LR;\n  node [shape=circle];\n".to_owned();
    if !title.is_empty() {
        out.push_str(&format!("  label={};\n", quoted(title)));
    }
    for state in graph.initial.iter().filter(|&&it| is_shown(it)) {
        let state = state.index();
        out.push_str(&format!("  start{state} [shape=point];\n  start{state} -> {state};\n"));
    }
    for state in graph.finals.iter().filter(|&&it| is_shown(it)) {
        out.push_str(&format!("  {} [shape=doublecircle];\n", state.index()));
    }
    for ((from, to), letters) in edges(graph, is_shown) {
        let label = letters_text(&letters, name);
        out.push_str(&format!("  {} -> {} [label={label}];\n", from.index(), to.index()));
    }
    if graph.states > shown {
        let more = graph.states - shown;
        out.push_str(&format!("  more [shape=plaintext, label=\"… and {more} more states\"];\n"));
    }
    out + "}\n"
}

/// The letters from a state to another.
fn edges(
    graph: &Graph,
    is_shown: impl Fn(StateId) -> bool,
) -> BTreeMap<(StateId, StateId), Vec<LetterId>> {
    let mut edges: BTreeMap<(StateId, StateId), Vec<LetterId>> = BTreeMap::new();
    for it in graph.transitions.iter().filter(|it| is_shown(it.from) && is_shown(it.to)) {
        edges.entry((it.from, it.to)).or_default().push(it.letter);
    }
    edges
}

fn letters_text<'a>(letters: &[LetterId], name: &dyn Fn(LetterId) -> &'a str) -> String {
    let first = letters.iter().take(MOST_LETTERS);
    let mut texts: Vec<String> = first.map(|&it| escaped(name(it))).collect();
    let more = letters.len() - texts.len();
    if more > 0 {
        texts.push(format!("… and {more} more"));
    }
    format!("\"{}\"", texts.join("\\n"))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A text between quotes.
fn escaped(text: &str) -> String {
    Label::new(text, NAME).shown.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_have_all_their_letters() {
        let mut alphabet = Alphabet::default();
        let here = alphabet.add_location("l").expect("new");
        let letters = ["a", "b\"\\", "c\n"].map(|it| alphabet.add_letter(it, here).expect("new"));
        let state = StateId::new;
        let edge = |from, letter: usize, to| Transition {
            from: state(from),
            letter: letters[letter],
            to: state(to),
        };
        let transitions = vec![edge(0, 0, 1), edge(0, 1, 1), edge(1, 2, 1), edge(1, 0, 2)];
        let nfa = Nfa::new(3, [state(0)], [state(1)], transitions).expect("in range");
        let expected = "\
digraph {
  rankdir=LR;
  node [shape=circle];
  label=\"t\";
  start0 [shape=point];
  start0 -> 0;
  1 [shape=doublecircle];
  0 -> 1 [label=\"a\\nb\\\"\\\\\"];
  1 -> 1 [label=\"c\\\\n\"];
  more [shape=plaintext, label=\"… and 1 more states\"];
}
";
        assert_eq!(nfa_dot(&nfa, &alphabet, "t", 2), expected);
    }
}
