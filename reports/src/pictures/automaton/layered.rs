//! An automaton in layers.
//
// A state stands in the layer of its distance from the initial states, so an edge goes to the next layer or
// to one before it, and never further. The text of an edge is a node of its own between the layers: no two
// texts overlap.

use crate::pictures::automaton::graph::{EdgeText, Graph, edges};
use crate::pictures::drawing::{Anchor, BoxKind, Drawing, Point, Stroke, Tone, Type, at};
use crate::pictures::measure::Label;
use crate::pictures::metrics::Metrics;
use multitrace_interaction::{LetterId, StateId};
use std::collections::BTreeMap;

/// The most characters of a title.
const TITLE: usize = 120;
/// The most letters of an edge that are shown.
const MOST_LETTERS: usize = 4;
/// The space between a text and its edge.
const GAP: i32 = 6;

/// A state, or the text of an edge.
struct Node {
    layer: usize,
    text: Label,
    /// The nodes of the layer before that lead to it.
    before: Vec<usize>,
    place: Point,
    half: i32,
    /// The sides of its column.
    column: (i32, i32),
}

/// An edge by its nodes: from a state over a text to a state.
struct Edge {
    from: usize,
    text: usize,
    to: usize,
    /// Whether the picture is about it.
    is_in_part: bool,
}

#[derive(Default)]
struct Layers {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The node of a state.
    of_state: BTreeMap<StateId, usize>,
}

pub(crate) fn draw<'a>(
    graph: &Graph,
    name: &dyn Fn(LetterId) -> &'a str,
    title: &str,
    most: usize,
    metrics: &Metrics,
) -> Drawing {
    let mut layers = Layers::default();
    let left_out = layers.add_states(graph, most, metrics);
    layers.add_edges(graph, name, metrics);
    let title = Label::new(title, TITLE);
    let top = metrics.margin + 2 * metrics.line;
    let (width, mut height) = layers.place(top, metrics);
    let mut drawing = Drawing { title: title.shown.clone(), ..Drawing::default() };
    drawing.description = format!(
        "An automaton of {} states and {} transitions",
        graph.states,
        graph.transitions.len()
    );
    layers.draw(graph, &mut height, metrics, &mut drawing);
    let place = |y| (at(metrics.margin, y + metrics.baseline), Anchor::Start);
    drawing.text(place(metrics.margin), title, Type::Bold, Tone::Plain);
    if left_out > 0 {
        let text = format!("… and {left_out} more states");
        drawing.text(place(height), text, Type::Italic, Tone::Plain);
    }
    drawing.width = width.max(drawing.end_of_texts(metrics.width)) + metrics.margin;
    drawing.height = height + metrics.line + metrics.margin;
    drawing
}

impl Layers {
    /// Adds the states by their distance. How many are left out.
    fn add_states(&mut self, graph: &Graph, most: usize, metrics: &Metrics) -> usize {
        let edges = edges(graph, |_| true);
        let mut queue: Vec<(StateId, usize)> = graph.initial.iter().map(|&it| (it, 0)).collect();
        let mut next = 0;
        while let Some(&(state, layer)) = queue.get(next) {
            next += 1;
            if self.of_state.contains_key(&state) || self.nodes.len() >= most {
                continue;
            }
            self.of_state.insert(state, self.nodes.len());
            self.add_node(layer, Label::new(&graph.label(state), metrics.name), Vec::new());
            let after = edges
                .range((state, StateId::ZERO, false)..)
                .take_while(|((from, ..), _)| *from == state);
            queue.extend(after.map(|((_, to, _), _)| (*to, layer + 2)));
        }
        graph.states - self.of_state.len()
    }

    fn add_node(&mut self, layer: usize, text: Label, before: Vec<usize>) {
        self.nodes.push(Node { layer, text, before, place: at(0, 0), half: 0, column: (0, 0) });
    }

    fn add_edges<'a>(
        &mut self,
        graph: &Graph,
        name: &dyn Fn(LetterId) -> &'a str,
        metrics: &Metrics,
    ) {
        let is_shown = |state: StateId| self.of_state.contains_key(&state);
        for ((from, to, _), edge) in edges(graph, is_shown) {
            let (from, to) = (self.of_state[&from], self.of_state[&to]);
            let layer = self.nodes[from].layer + 1;
            let text = self.nodes.len();
            self.add_node(layer, letters_label(&edge, name, metrics), vec![from]);
            if self.nodes[to].layer == layer + 1 {
                self.nodes[to].before.push(text);
            }
            self.edges.push(Edge { from, text, to, is_in_part: edge.is_in_part });
        }
    }

    /// The nodes by layer.
    fn by_layer(&self) -> Vec<Vec<usize>> {
        let count = self.nodes.iter().map(|node| node.layer + 1).max().unwrap_or(0);
        let mut layers = vec![Vec::new(); count];
        for (at, node) in self.nodes.iter().enumerate() {
            layers[node.layer].push(at);
        }
        layers
    }

    /// Places the nodes, those of a layer in the order of the nodes before them. Width and height.
    fn place(&mut self, top: i32, metrics: &Metrics) -> (i32, i32) {
        let step = metrics.head + metrics.lead;
        let layers = self.by_layer();
        let most = layers.iter().map(Vec::len).max().unwrap_or(0) as i32;
        let mut x = metrics.margin + 2 * metrics.arrow;
        for mut layer in layers {
            layer.sort_by_key(|&at| self.middle_before(at));
            let width = |at: &usize| (metrics.width)(&self.nodes[*at].text.shown);
            let half = layer.iter().map(width).max().unwrap_or(0) / 2 + metrics.pad;
            let top = top + (most - layer.len() as i32) * step / 2;
            for (rank, at) in (0..).zip(layer) {
                let node = &mut self.nodes[at];
                node.place = Point { x: x + half, y: top + rank * step + metrics.head / 2 };
                node.half = (metrics.width)(&node.text.shown) / 2 + GAP;
                node.column = (x, x + 2 * half);
            }
            x += 2 * half + metrics.arrow;
        }
        (x, top + most * step)
    }

    fn middle_before(&self, at: usize) -> i32 {
        let before = &self.nodes[at].before;
        let sum: i32 = before.iter().map(|&it| self.nodes[it].place.y).sum();
        sum / (before.len() as i32).max(1)
    }

    /// Draws edges, then the boxes and texts that hide them. `bottom` is the end of the nodes, and becomes that of all.
    fn draw(&self, graph: &Graph, bottom: &mut i32, metrics: &Metrics, drawing: &mut Drawing) {
        let (forward, back): (Vec<&Edge>, Vec<&Edge>) = self
            .edges
            .iter()
            .partition(|edge| self.nodes[edge.to].layer > self.nodes[edge.text].layer);
        for (rank, edge) in (0..).zip(back) {
            self.draw_back(edge, (rank, *bottom), metrics, drawing);
            *bottom += GAP;
        }
        forward.into_iter().for_each(|edge| self.draw_forward(edge, metrics, drawing));
        self.edges.iter().for_each(|edge| self.draw_text(edge, metrics, drawing));
        let in_part = graph.states_in_part();
        for (&state, &node) in &self.of_state {
            let tone = if in_part.contains(&state) { Tone::Plain } else { Tone::Soft };
            self.draw_state((node, tone), graph.finals.contains(&state), metrics, drawing);
            if graph.initial.contains(&state) {
                let Point { x, y } = self.nodes[node].place;
                let end = x - self.nodes[node].side(metrics);
                drawing.arrow(at(end - metrics.arrow, y), at(end, y), Stroke::Plain, Tone::Plain);
            }
        }
    }

    fn draw_state(
        &self,
        (node, tone): (usize, Tone),
        is_final: bool,
        metrics: &Metrics,
        drawing: &mut Drawing,
    ) {
        let Node { place: Point { x, y }, text, .. } = &self.nodes[node];
        let half = self.nodes[node].side(metrics);
        let corner =
            |by: i32, sign: i32| at(x + sign * (half - by), y + sign * (metrics.head / 2 - by));
        drawing.rectangle(corner(0, -1), corner(0, 1), BoxKind::Solid, tone);
        if is_final {
            drawing.rectangle(corner(3, -1), corner(3, 1), BoxKind::Frame, tone);
        }
        let place = (at(*x, y - metrics.line / 2 + metrics.baseline), Anchor::Middle);
        drawing.text(place, text.clone(), Type::Plain, tone);
    }

    /// From the text of an edge to a state of the next layer.
    fn draw_forward(&self, edge: &Edge, metrics: &Metrics, drawing: &mut Drawing) {
        let (text, to) = (&self.nodes[edge.text], &self.nodes[edge.to]);
        let start = at(text.place.x + text.half, text.place.y);
        let end = at(to.place.x - to.side(metrics), to.place.y);
        drawing.arrow(start, end, edge.stroke(), edge.tone());
    }

    /// From the text of an edge down beside its column to a level of its own, and from there up beside the
    /// column of a state and into its side. Neighbours are some pixels apart.
    fn draw_back(
        &self,
        edge: &Edge,
        (rank, level): (i32, i32),
        metrics: &Metrics,
        drawing: &mut Drawing,
    ) {
        let (text, to) = (&self.nodes[edge.text], &self.nodes[edge.to]);
        let down = text.column.1 + (rank % 5) * 4;
        let up = to.column.0 - metrics.arrow / 2 - (rank % 5) * 4;
        let entry = to.place.y + (rank % 3 + 1) * metrics.head / 8;
        let tone = if edge.is_in_part { Tone::Accent } else { Tone::Soft };
        let corners = [
            at(text.place.x + text.half, text.place.y),
            at(down, text.place.y),
            at(down, level),
            at(up, level),
            at(up, entry),
        ];
        for pair in corners.windows(2) {
            drawing.line(pair[0], pair[1], Stroke::Dashed, tone);
        }
        let end = at(to.place.x - to.side(metrics), entry);
        drawing.arrow(corners[4], end, Stroke::Dashed, tone);
    }

    /// The text of an edge, and the line to it.
    fn draw_text(&self, edge: &Edge, metrics: &Metrics, drawing: &mut Drawing) {
        let (from, text) = (&self.nodes[edge.from], &self.nodes[edge.text]);
        let Point { x, y } = text.place;
        let start = at(from.place.x + from.side(metrics), from.place.y);
        drawing.line(start, at(x - text.half, y), edge.stroke(), edge.tone());
        let place = (at(x, y - metrics.line / 2 + metrics.baseline), Anchor::Middle);
        drawing.text(place, text.text.clone(), Type::Message, edge.tone());
    }
}

impl Edge {
    fn tone(&self) -> Tone {
        if self.is_in_part { Tone::Plain } else { Tone::Soft }
    }

    fn stroke(&self) -> Stroke {
        if self.is_in_part { Stroke::Plain } else { Stroke::Dashed }
    }
}

impl Node {
    /// Half of the width of a state.
    fn side(&self, metrics: &Metrics) -> i32 {
        self.half.max(metrics.head / 2)
    }
}

fn letters_label<'a>(
    edge: &EdgeText,
    name: &dyn Fn(LetterId) -> &'a str,
    metrics: &Metrics,
) -> Label {
    let text = |(letter, note): &(LetterId, String)| format!("{}{note}", name(*letter));
    let first: Vec<String> = edge.letters.iter().take(MOST_LETTERS).map(text).collect();
    let more = match edge.letters.len() - first.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Label::new(&first.join(", "), metrics.name).followed_by(&more)
}
