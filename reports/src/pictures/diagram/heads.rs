//! The columns of a diagram: lifelines, those of one location beside each other.

use crate::pictures::columns::Need;
use crate::pictures::diagram::subject::Diagram;
use crate::pictures::drawing::{Anchor, BoxKind, Drawing, Stroke, Tone, Type, at};
use crate::pictures::measure::Label;
use crate::pictures::metrics::Metrics;
use multitrace_interaction::{Id, LifelineId};

/// The lifelines in the order of their columns. Column 0 is the left edge, the one after the last
/// lifeline the right edge.
#[derive(Debug)]
pub(crate) struct Heads {
    columns: Vec<usize>,
    /// From column 1 on.
    labels: Vec<Label>,
    boxes: Vec<LocationBox>,
}

/// Lifelines that one clock logs.
#[derive(Debug)]
struct LocationBox {
    first: usize,
    last: usize,
    label: Label,
}

impl Heads {
    pub(crate) fn new(diagram: &Diagram<'_>, metrics: &Metrics) -> Heads {
        let Diagram { signature, locations, .. } = diagram;
        let mut columns = vec![0; signature.lifelines().len()];
        let (mut labels, mut boxes) = (Vec::new(), Vec::new());
        for location in locations.iter() {
            let first = labels.len() + 1;
            for &lifeline in locations.lifelines(location) {
                labels.push(Label::new(&diagram.label(lifeline), metrics.name));
                columns[lifeline.index()] = labels.len();
            }
            if labels.len() > first {
                let label = Label::new(&locations.name(location, signature), metrics.name);
                boxes.push(LocationBox { first, last: labels.len(), label });
            }
        }
        Heads { columns, labels, boxes }
    }

    pub(crate) fn column(&self, lifeline: LifelineId) -> usize {
        self.columns[lifeline.index()]
    }

    /// How many columns there are, at least one beside the edges.
    pub(crate) fn count(&self) -> usize {
        self.labels.len().max(1) + 2
    }

    fn half(&self, column: usize, metrics: &Metrics) -> i32 {
        let label = self.labels.get(column.wrapping_sub(1));
        let width = label.map_or(0, |label| (metrics.width)(&label.shown));
        (width + 1) / 2 + metrics.pad
    }

    pub(crate) fn needs(&self, metrics: &Metrics) -> Vec<Need> {
        let mut needs = Vec::new();
        for column in 1..=self.labels.len() {
            let distance = self.half(column, metrics) + metrics.gap;
            needs.push(Need { from: column - 1, to: column, distance });
            needs.push(Need { from: column, to: column + 1, distance });
            let between = self.half(column, metrics) + self.half(column + 1, metrics) + metrics.gap;
            if column < self.labels.len() {
                needs.push(Need { from: column, to: column + 1, distance: between });
            }
        }
        self.boxes.iter().for_each(|it| self.add_needs_of_box(it, metrics, &mut needs));
        needs
    }

    /// A box is wider than its heads, and as wide as its label.
    fn add_needs_of_box(&self, it: &LocationBox, metrics: &Metrics, needs: &mut Vec<Need>) {
        let (left, right) = self.sides(it, metrics);
        let before = self.half(it.first - 1, metrics) + metrics.inset;
        let after = self.half(it.last + 1, metrics) + metrics.inset;
        let text = (metrics.width)(&it.label.shown) + 2 * metrics.pad;
        let gap = metrics.gap;
        needs.extend([
            Need { from: it.first - 1, to: it.first, distance: left + before + gap },
            Need { from: it.last, to: it.last + 1, distance: right + after + gap },
            Need { from: it.first, to: it.last, distance: text - left - right },
        ]);
    }

    /// How far a box goes beyond the columns of its first and last lifeline.
    fn sides(&self, it: &LocationBox, metrics: &Metrics) -> (i32, i32) {
        let side = |column| self.half(column, metrics) + metrics.inset;
        (side(it.first), side(it.last))
    }

    /// The height of the lines above the heads.
    fn lead(&self, metrics: &Metrics) -> i32 {
        if self.boxes.is_empty() { 0 } else { metrics.tab }
    }

    /// Where the rows begin.
    pub(crate) fn end(&self, top: i32, metrics: &Metrics) -> i32 {
        top + self.lead(metrics) + metrics.head + metrics.line / 2 + 1
    }

    /// The height of the heads below the lifelines, which only tall pictures have.
    pub(crate) fn foot(&self, bottom: i32, metrics: &Metrics) -> i32 {
        if bottom < metrics.tall { 0 } else { metrics.head }
    }

    /// Draws boxes, lifelines down to `bottom`, and heads.
    pub(crate) fn draw(
        &self,
        (top, bottom): (i32, i32),
        x: &[i32],
        metrics: &Metrics,
        drawing: &mut Drawing,
    ) {
        for it in &self.boxes {
            let (left, right) = self.sides(it, metrics);
            let (from, to) = (x[it.first] - left, x[it.last] + right);
            let bottom = bottom + self.foot(bottom, metrics) + metrics.foot;
            drawing.rectangle(at(from, top), at(to, bottom), BoxKind::Location, Tone::Accent);
            let place = at(from + metrics.pad, top + metrics.tab_baseline);
            drawing.text((place, Anchor::Start), it.label.clone(), Type::Plain, Tone::Accent);
        }
        let top = top + self.lead(metrics);
        for (column, label) in (1..).zip(&self.labels) {
            self.draw_head(column, label, (top, bottom), x, metrics, drawing);
        }
    }

    fn draw_head(
        &self,
        column: usize,
        label: &Label,
        (top, bottom): (i32, i32),
        x: &[i32],
        metrics: &Metrics,
        drawing: &mut Drawing,
    ) {
        let (x, half) = (x[column], self.half(column, metrics));
        drawing.line(at(x, top + metrics.head), at(x, bottom), Stroke::Plain, Tone::Soft);
        for top in [top, bottom] {
            if top == bottom && bottom < metrics.tall {
                continue;
            }
            let foot = top + metrics.head;
            drawing.rectangle(at(x - half, top), at(x + half, foot), BoxKind::Solid, Tone::Plain);
            let place = at(x, top + (metrics.head - metrics.line) / 2 + metrics.baseline + 1);
            drawing.text((place, Anchor::Middle), label.clone(), Type::Name, Tone::Plain);
        }
    }
}
