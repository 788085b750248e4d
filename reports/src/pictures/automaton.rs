//! Automata: as SVG, and in the language of Graphviz.

mod graph;
mod layered;

use crate::pictures::drawing::Drawing;
use crate::pictures::measure::Label;
use crate::pictures::metrics::Metrics;
use crate::pictures::svg::{self, Picture, SvgOptions};
use graph::{EdgeText, edges};
use multitrace_interaction::{Id, LetterId, StateId};

pub use graph::Graph;

/// The most characters of a letter.
const NAME: usize = 60;
/// The most letters of an edge that are shown.
const MOST_LETTERS: usize = 8;

/// An automaton as SVG, from left to right: states in layers by the number of letters that it takes to get
/// there, with the letters of an edge between the layers. Arrows back are dashed. It shows at most `most`
/// states that can be reached, and is meant for small automata; Graphviz draws larger ones better.
pub fn svg<'a>(
    graph: &Graph,
    name: &dyn Fn(LetterId) -> &'a str,
    title: &str,
    most: usize,
    options: SvgOptions,
) -> String {
    picture(graph, name, title, most).svg(options)
}

/// The same as a picture that can stand beside others.
pub fn picture<'a>(
    graph: &Graph,
    name: &dyn Fn(LetterId) -> &'a str,
    title: &str,
    most: usize,
) -> Picture {
    Picture(layered::draw(graph, name, title, most, &Metrics::PIXELS))
}

/// Several automata in one picture, one below the other, each with its title.
pub fn svg_of_all<'a, 'g>(
    graphs: impl IntoIterator<Item = (&'g str, &'g Graph)>,
    name: &dyn Fn(LetterId) -> &'a str,
    most: usize,
    options: SvgOptions,
) -> String {
    let mut all = Drawing::default();
    for (title, graph) in graphs {
        all.stack(layered::draw(graph, name, title, most, &Metrics::PIXELS));
    }
    svg::write(&all, options)
}

/// An automaton as DOT: one edge from a state to another, with all their letters, whose names `name` gives. Final states
/// have two borders. Of more than `most` states the first are drawn, and the others counted.
///
/// ```
/// use multitrace_interaction::{Id, LetterId, StateId, Transition};
/// use multitrace_reports::pictures::automaton::{Graph, dot};
/// let (from, to) = (StateId::ZERO, StateId::new(1));
/// let transitions = vec![Transition { from, letter: LetterId::ZERO, to }];
/// let (initial, finals) = (vec![from], vec![to]);
/// let graph = Graph { states: 2, initial, finals, transitions, ..Graph::default() };
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
    for state in (0..shown).map(StateId::new).filter(|it| graph.labels.get(it.index()).is_some()) {
        let label = quoted(&graph.label(state));
        out.push_str(&format!("  {} [label={label}];\n", state.index()));
    }
    for ((from, to, _), edge) in edges(graph, is_shown) {
        let label = letters_text(&edge, name);
        let style = if edge.is_in_part { "" } else { ", color=gray, fontcolor=gray" };
        out.push_str(&format!("  {} -> {} [label={label}{style}];\n", from.index(), to.index()));
    }
    if graph.states > shown {
        let more = graph.states - shown;
        out.push_str(&format!("  more [shape=plaintext, label=\"… and {more} more states\"];\n"));
    }
    out + "}\n"
}

fn letters_text<'a>(edge: &EdgeText, name: &dyn Fn(LetterId) -> &'a str) -> String {
    let first = edge.letters.iter().take(MOST_LETTERS);
    let mut texts: Vec<String> =
        first.map(|(letter, note)| escaped(&format!("{}{note}", name(*letter)))).collect();
    let more = edge.letters.len() - texts.len();
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
    use crate::pictures::checks::{check_layout, check_svg};
    use crate::pictures::measure::pixels;
    use multitrace_interaction::{Alphabet, Nfa, Transition};
    use proptest::prelude::*;

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
        let dot = dot(&Graph::of_nfa(&nfa), &|letter| alphabet.letter_name(letter), "t", 2);
        assert_eq!(dot, expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_graph_can_be_drawn(
            states in 1usize..9,
            edges in proptest::collection::vec((0usize..9, 0usize..4, 0usize..9), 0..30),
            most in 1usize..10,
            part in proptest::option::of(proptest::collection::btree_set(0usize..30, 0..9)),
        ) {
            let names = ["a!m", "<b>?n", "a very long letter that goes on and on and on and on and on", ""];
            let state = |at: usize| StateId::new(at % states);
            let transitions = edges
                .into_iter()
                .map(|(from, letter, to)| Transition { from: state(from), letter: LetterId::new(letter), to: state(to) })
                .collect();
            let labels = vec!["{0, 1}".to_owned()];
            let (initial, finals) = (vec![state(0)], vec![state(1)]);
            let graph = Graph { states, initial, finals, transitions, labels, part, ..Graph::default() };
            let name = |letter: LetterId| names[letter.index()];
            let drawing = layered::draw(&graph, &name, "t", most, &Metrics::PIXELS);
            check_layout(&drawing, pixels, Metrics::PIXELS.line);
            check_svg(&svg(&graph, &name, "t", most, SvgOptions::default()));
        }
    }
}
