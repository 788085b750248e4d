//! The box of a node: its number, the diagram that remains, the rests of the logs, and the steps that are not followed
//! from there.

use crate::exploration::{ExploredNode, PathEnd};
use crate::pictures::diagram::{self, Diagram};
use crate::pictures::drawing::{Anchor, BoxKind, Drawing, Point, Tone, Type, at};
use crate::pictures::exploration::subject::{ExplorationPicture, tone_of};
use crate::pictures::measure::{Label, lines};
use crate::pictures::metrics::Metrics;
use crate::pictures::overlay::Overlay;

/// The most pixels of the diagram of a node, each way: some screens.
const MOST_DIAGRAM: i32 = 1_600;
/// The most nodes of an interaction whose diagram is tried.
const MOST_OPERATORS: usize = 120;
/// The characters of a line of a term that stands in place of its diagram.
const TERM_LINE: usize = 44;
/// The most lines of such a term.
const TERM_LINES: usize = 8;
/// The most characters of other lines.
const NOTE: usize = 60;

/// A line or a diagram in a box, one below the other.
enum Part {
    Line { label: Label, set: Type, tone: Tone },
    Diagram(Drawing),
}

/// The box of a node.
pub(crate) struct Card {
    parts: Vec<Part>,
    tone: Tone,
    can_end: bool,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

impl Card {
    /// The card of a node; the notes are about branches that are not lines of the picture.
    pub(crate) fn new(
        picture: &ExplorationPicture<'_>,
        id: usize,
        notes: Vec<String>,
        metrics: &Metrics,
    ) -> Card {
        let node = &picture.exploration.nodes[id];
        let mut parts = vec![header(id, node), body(picture, node, metrics)];
        parts.extend(logs(picture, id));
        parts.extend(node.end.into_iter().flat_map(end));
        parts.extend(notes.iter().map(|note| line(note, Type::Plain, Tone::Accent)));
        parts.extend(cuts(node));
        let (width, height) = parts.iter().fold((0, 0), |(width, height), part| {
            let (w, h) = part.size(metrics);
            (width.max(w), height + h)
        });
        Card {
            parts,
            tone: node.end.map_or(Tone::Plain, tone_of),
            can_end: node.can_end,
            width: width + 2 * metrics.pad,
            height: height + 2 * metrics.pad,
        }
    }

    /// Draws it with its corner here.
    pub(crate) fn draw(self, Point { x, y }: Point, metrics: &Metrics, drawing: &mut Drawing) {
        let (right, bottom) = (x + self.width, y + self.height);
        drawing.rectangle(at(x, y), at(right, bottom), BoxKind::Frame, self.tone);
        if self.can_end {
            let (from, to) = (at(x + 3, y + 3), at(right - 3, bottom - 3));
            drawing.rectangle(from, to, BoxKind::Frame, self.tone);
        }
        let mut top = y + metrics.pad;
        for part in self.parts {
            let (width, height) = part.size(metrics);
            match part {
                Part::Line { label, set, tone } => {
                    let place = at(x + metrics.pad, top + metrics.baseline);
                    drawing.text((place, Anchor::Start), label, set, tone);
                }
                Part::Diagram(diagram) => {
                    drawing.insert(diagram, at(x + (self.width - width) / 2, top))
                }
            }
            top += height;
        }
    }
}

impl Part {
    fn size(&self, metrics: &Metrics) -> (i32, i32) {
        match self {
            Part::Line { label, .. } => ((metrics.width)(&label.shown), metrics.line),
            Part::Diagram(drawing) => (drawing.width, drawing.height),
        }
    }
}

fn line(text: &str, set: Type, tone: Tone) -> Part {
    Part::Line { label: Label::new(text, NOTE), set, tone }
}

fn header(id: usize, node: &ExploredNode) -> Part {
    match node.can_end {
        // Events of a session may remain.
        true if !node.logs.is_empty() => {
            line(&format!("{id} · the interaction can end"), Type::Bold, Tone::Good)
        }
        true => line(&format!("{id} · can end here"), Type::Bold, Tone::Good),
        false => line(&id.to_string(), Type::Bold, Tone::Plain),
    }
}

/// The diagram, or the term if it is too large.
fn body(picture: &ExplorationPicture<'_>, node: &ExploredNode, metrics: &Metrics) -> Part {
    let small = node.interaction.as_ref().filter(|it| it.nodes().len() <= MOST_OPERATORS);
    let drawn = small.filter(|it| it.actions().next().is_some()).map(|interaction| {
        let diagram = Diagram {
            interaction,
            signature: picture.signature,
            locations: picture.locations,
            labels: picture.labels,
            title: "",
            overlay: &Overlay::default(),
            document: None,
            rows: diagram::MOST_ROWS,
        };
        diagram::drawing(&diagram, &Metrics { margin: 6, name: 24, tall: i32::MAX, ..*metrics })
    });
    match drawn.filter(|it| it.width.max(it.height) <= MOST_DIAGRAM) {
        Some(drawing) => Part::Diagram(drawing),
        None if small.is_some_and(|it| it.actions().next().is_none()) => {
            line("nothing remains", Type::Italic, Tone::Soft)
        }
        None => Part::Diagram(term(&node.term, metrics)),
    }
}

/// A term as lines of text.
fn term(text: &str, metrics: &Metrics) -> Drawing {
    let label = Label::new(text, TERM_LINE * TERM_LINES);
    let mut drawing = Drawing::default();
    for (row, shown) in (0..).zip(lines(&label.shown, TERM_LINE)) {
        drawing.width = drawing.width.max((metrics.width)(&shown));
        drawing.height = (row + 1) * metrics.line;
        let place = at(0, row * metrics.line + metrics.baseline);
        let label = Label { shown, full: label.full.clone() };
        drawing.text((place, Anchor::Start), label, Type::Plain, Tone::Plain);
    }
    drawing
}

/// A line for the rest of each log.
fn logs(picture: &ExplorationPicture<'_>, node: usize) -> Vec<Part> {
    let log = |(name, events): (&str, String)| match events.is_empty() {
        true => line(&format!("{name}: all read"), Type::Plain, Tone::Soft),
        false => line(&format!("{name}: {events}"), Type::Plain, Tone::Plain),
    };
    picture.exploration.remaining(node).into_iter().map(log).collect()
}

/// The end in words, on two lines.
fn end(end: PathEnd) -> Vec<Part> {
    let tone = tone_of(end);
    let (verdict, reason) = end.describe().split_once(": ").unwrap_or((end.describe(), ""));
    vec![line(verdict, Type::Bold, tone), line(reason, Type::Plain, tone)]
}

fn cuts(node: &ExploredNode) -> Vec<Part> {
    let cut = |cut: &crate::exploration::Cut| {
        let actions = if cut.actions.is_empty() { "?".to_owned() } else { cut.actions.join(", ") };
        let reason = cut.reason.describe();
        let label = Label::new(&actions, NOTE / 2).followed_by(&format!(" ({reason})"));
        let shown = format!("… {}", label.shown);
        Part::Line { label: Label { shown, full: label.full }, set: Type::Italic, tone: Tone::Soft }
    };
    node.cuts.iter().map(cut).collect()
}
