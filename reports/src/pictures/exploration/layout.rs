//! From an exploration to shapes.
//
// A branch to the next layer is a line from box to box, with its action above the box it leads to. Any
// other branch, back to a node that is already there, is a note in the box it starts from: lines between
// distant layers would cross boxes.

use crate::pictures::drawing::{Anchor, Area, Drawing, Stroke, Tone, Type, at};
use crate::pictures::exploration::card::Card;
use crate::pictures::exploration::place::Forest;
use crate::pictures::exploration::subject::ExplorationPicture;
use crate::pictures::measure::Label;
use crate::pictures::metrics::Metrics;

/// The most characters of an action.
const ACTION: usize = 40;
/// From a layer down to the actions of the next one: room for slanted lines, and more for each of them.
const FALL: i32 = 40;
const FALL_OF_LINE: i32 = 3;
const MOST_FALL: i32 = 160;
/// From an action down to its box.
const DROP: i32 = 16;

/// A branch to the next layer.
struct Line {
    from: usize,
    to: usize,
    label: Label,
    width: i32,
}

pub(crate) fn draw(picture: &ExplorationPicture<'_>, metrics: &Metrics) -> Drawing {
    let mut drawing = Drawing::default();
    let top = draw_heading(picture, metrics, &mut drawing);
    let plan = Plan::new(picture, metrics, top);
    plan.draw_lines(metrics, &mut drawing);
    let areas = plan.areas();
    for (card, area) in plan.cards.into_iter().zip(&areas) {
        card.draw(area.from, metrics, &mut drawing);
    }
    let (right, bottom) = areas
        .iter()
        .fold((0, top), |(right, bottom), area| (right.max(area.to.x), bottom.max(area.to.y)));
    let labels = plan.label_ends.into_iter().max().unwrap_or(0);
    drawing.width = right.max(labels).max(drawing.end_of_texts(metrics.width)) + metrics.margin;
    drawing.height = bottom + metrics.margin;
    let nodes = picture.exploration.nodes.len();
    drawing.title = Label::new(picture.title, metrics.name * 2).shown;
    drawing.description = format!(
        "{nodes} interactions that remain, and {} steps",
        picture.exploration.branches.len()
    );
    drawing
}

/// Where it ends.
fn draw_heading(picture: &ExplorationPicture<'_>, metrics: &Metrics, drawing: &mut Drawing) -> i32 {
    let mut y = metrics.margin;
    let mut put = |text: &str, set: Type, tone: Tone| {
        let place = (at(metrics.margin, y + metrics.baseline), Anchor::Start);
        drawing.text(place, Label::new(text, metrics.name * 3), set, tone);
        y += metrics.line;
    };
    if !picture.title.is_empty() {
        put(picture.title, Type::Bold, Tone::Plain);
    }
    for (text, tone) in picture.remarks() {
        put(&text, Type::Plain, tone);
    }
    y + metrics.lead
}

/// Where everything stands.
pub(crate) struct Plan {
    cards: Vec<Card>,
    layers: Vec<usize>,
    lines: Vec<Line>,
    /// Per node, the lines that lead to it.
    incoming: Vec<Vec<usize>>,
    /// Per node, its middle.
    middles: Vec<i32>,
    /// Per layer, the tops of its boxes and the end of the highest one.
    levels: Vec<(i32, i32)>,
    /// Where the actions end that stand furthest to the right.
    label_ends: Vec<i32>,
}

impl Plan {
    pub(crate) fn new(picture: &ExplorationPicture<'_>, metrics: &Metrics, top: i32) -> Plan {
        let shown = picture.shown();
        let layers: Vec<usize> =
            picture.exploration.nodes[..shown].iter().map(|node| node.depth).collect();
        let (lines, mut notes) = lines(picture, &layers, metrics);
        let cards: Vec<Card> = (0..shown)
            .map(|id| Card::new(picture, id, std::mem::take(&mut notes[id]), metrics))
            .collect();
        let mut incoming = vec![Vec::new(); shown];
        lines.iter().enumerate().for_each(|(at, line)| incoming[line.to].push(at));
        let middles = middles(&cards, &layers, &lines, &incoming, metrics);
        // Fewer lines cross where actions stand in the order of the boxes that they come from.
        for incoming in &mut incoming {
            incoming.sort_by_key(|&line| middles[lines[line].from]);
        }
        let levels = levels(&cards, &layers, &lines, top, metrics);
        let mut plan =
            Plan { cards, layers, lines, incoming, middles, levels, label_ends: Vec::new() };
        plan.label_ends = plan.labels(metrics).into_iter().map(|(_, area)| area.to.x).collect();
        plan
    }

    /// The boxes.
    pub(crate) fn areas(&self) -> Vec<Area> {
        let area = |(node, card): (usize, &Card)| {
            let (left, top) =
                (self.middles[node] - card.width / 2, self.levels[self.layers[node]].0);
            Area { from: at(left, top), to: at(left + card.width, top + card.height) }
        };
        self.cards.iter().enumerate().map(area).collect()
    }

    /// The actions: each line with the area of its text.
    pub(crate) fn labels(&self, metrics: &Metrics) -> Vec<(usize, Area)> {
        let mut labels = Vec::new();
        for (node, incoming) in self.incoming.iter().enumerate() {
            let bottom = self.levels[self.layers[node]].0 - DROP;
            let mut x = self.middles[node] - width_of(incoming, &self.lines, metrics) / 2;
            for &line in incoming {
                let to = x + self.lines[line].width;
                labels
                    .push((line, Area { from: at(x, bottom - metrics.line), to: at(to, bottom) }));
                x = to + metrics.gap;
            }
        }
        labels
    }

    fn draw_lines(&self, metrics: &Metrics, drawing: &mut Drawing) {
        let areas = self.areas();
        for (line, area) in self.labels(metrics) {
            let Line { from, to, label, .. } = &self.lines[line];
            let (start, end) = (areas[*from], areas[*to].from);
            let middle = (area.from.x + area.to.x) / 2;
            let (leave, level) = (self.middles[*from], self.levels[self.layers[*from]].1);
            let mut draw = |from, to| drawing.line(from, to, Stroke::Plain, Tone::Soft);
            if start.to.y < level {
                draw(at(leave, start.to.y), at(leave, level));
            }
            draw(at(leave, level), at(middle, area.from.y));
            // Several actions lead to different places of the box.
            drawing.arrow(at(middle, area.to.y), at(middle, end.y), Stroke::Plain, Tone::Soft);
            let place = (at(middle, area.from.y + metrics.baseline), Anchor::Middle);
            drawing.text(place, label.clone(), Type::Message, Tone::Plain);
        }
    }
}

/// The branches that are lines, and the notes of the others at the nodes they start from.
fn lines(
    picture: &ExplorationPicture<'_>,
    layers: &[usize],
    metrics: &Metrics,
) -> (Vec<Line>, Vec<Vec<String>>) {
    let mut lines = Vec::new();
    let mut notes = vec![Vec::new(); layers.len()];
    for branch in &picture.exploration.branches {
        let (from, to) = (branch.from, branch.to);
        if from >= layers.len() {
            continue;
        }
        if to < layers.len() && layers[to] == layers[from] + 1 {
            let label = Label::new(&branch.action, ACTION);
            let width = (metrics.width)(&label.shown);
            lines.push(Line { from, to, label, width });
        } else {
            notes[from].push(format!("{} → {to}", branch.action));
        }
    }
    (lines, notes)
}

/// The width of the actions above a box.
fn width_of(incoming: &[usize], lines: &[Line], metrics: &Metrics) -> i32 {
    let widths: i32 = incoming.iter().map(|&line| lines[line].width + metrics.gap).sum();
    (widths - metrics.gap).max(0)
}

fn middles(
    cards: &[Card],
    layers: &[usize],
    lines: &[Line],
    incoming: &[Vec<usize>],
    metrics: &Metrics,
) -> Vec<i32> {
    let mut children = vec![Vec::new(); cards.len()];
    let mut roots = Vec::new();
    for (node, incoming) in incoming.iter().enumerate() {
        match incoming.first() {
            Some(&line) => children[lines[line].from].push(node),
            None => roots.push(node),
        }
    }
    let width =
        |(card, incoming): (&Card, &Vec<usize>)| card.width.max(width_of(incoming, lines, metrics));
    let widths: Vec<i32> = cards.iter().zip(incoming).map(width).collect();
    let gap = 2 * metrics.gap;
    let forest = Forest { layers, children: &children, roots: &roots, widths: &widths, gap };
    forest.middles().into_iter().map(|middle| middle + metrics.margin).collect()
}

/// Per layer, the top of its boxes and the end of the highest one.
fn levels(
    cards: &[Card],
    layers: &[usize],
    lines: &[Line],
    top: i32,
    metrics: &Metrics,
) -> Vec<(i32, i32)> {
    // Per layer, its height and the room below it.
    let mut heights = vec![(0, FALL); layers.iter().max().map_or(0, |last| last + 1)];
    for (card, &layer) in cards.iter().zip(layers) {
        heights[layer].0 = card.height.max(heights[layer].0);
    }
    for line in lines {
        let fall = &mut heights[layers[line.from]].1;
        *fall = (*fall + FALL_OF_LINE).min(MOST_FALL);
    }
    let mut y = top;
    let level = |(height, fall)| {
        let level = (y, y + height);
        y = level.1 + fall + metrics.line + DROP;
        level
    };
    heights.into_iter().map(level).collect()
}
