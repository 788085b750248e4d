//! From the script of an interaction to shapes.

use crate::pictures::columns;
use crate::pictures::diagram::extent::Extent;
use crate::pictures::diagram::frame::Frame;
use crate::pictures::diagram::heads::Heads;
use crate::pictures::diagram::rows::{Row, Rows};
use crate::pictures::diagram::subject::Diagram;
use crate::pictures::drawing::{Anchor, BoxKind, Drawing, Tone, Type, at};
use crate::pictures::measure::Label;
use crate::pictures::metrics::Metrics;
use crate::pictures::script::Script;

/// Draws an interaction.
pub(crate) fn draw(diagram: &Diagram<'_>, metrics: &Metrics) -> Drawing {
    let name = |lifeline| diagram.label(lifeline);
    let script = Script::new(diagram.interaction, diagram.overlay, &name, diagram.rows);
    let heads = Heads::new(diagram, metrics);
    let rows = Rows::new(&script, &heads, diagram.signature, metrics);
    let mut extents = rows.extents(metrics);
    extents.needs.extend(heads.needs(metrics));
    let x = columns::place(heads.count(), metrics.margin, &mut extents.needs);
    let title = Label::new(diagram.title, metrics.name * 2);
    let top = metrics.margin + if title.shown.is_empty() { 0 } else { metrics.line + metrics.lead };
    let mut pen = Pen {
        metrics,
        x: &x,
        y: heads.end(top, metrics),
        open: Vec::new(),
        drawing: Drawing::default(),
    };
    for (row, extent) in rows.rows.iter().zip(&extents.of) {
        pen.draw(row, *extent);
    }
    pen.draw_omitted(script.omitted);
    pen.finish(&heads, top, title, describe(diagram, &script))
}

fn describe(diagram: &Diagram<'_>, script: &Script) -> String {
    let lifelines = diagram.signature.lifelines().len();
    format!("A sequence diagram of {lifelines} lifelines and {} messages", script.messages)
}

struct Pen<'a> {
    metrics: &'a Metrics,
    x: &'a [i32],
    y: i32,
    open: Vec<Frame>,
    drawing: Drawing,
}

impl Pen<'_> {
    fn draw(&mut self, row: &Row, extent: Extent) {
        match row {
            Row::Open { label, tone, .. } => {
                self.open_frame(label, *tone, extent);
            }
            Row::Lane { guard, is_first, tone } => self.begin_lane(guard, *is_first, *tone),
            Row::Close => self.close(),
            Row::Arrow(arrow) => {
                arrow.draw(self.y, self.x, self.metrics, &mut self.drawing);
                self.y += arrow.height(self.metrics);
            }
            Row::Step { lines, tone, .. } => self.draw_step(lines, extent, *tone),
        }
    }

    fn sides(&self, extent: Extent) -> (i32, i32) {
        (self.x[extent.low] - extent.left, self.x[extent.high] + extent.right)
    }

    fn open_frame(&mut self, label: &Label, tone: Tone, extent: Extent) {
        let top = self.y + self.metrics.lead;
        self.y = top + self.metrics.tab;
        self.open.push(Frame::new((top, self.y), extent, (label, tone)));
    }

    fn begin_lane(&mut self, guard: &Label, is_first: bool, tone: Tone) {
        let Some(frame) = self.open.last_mut() else { return };
        if !is_first {
            self.y = frame.begin_lane(frame.lane_end(self.y, self.metrics), self.metrics);
        }
        let extent = frame.extent;
        self.draw_guard(guard, extent, tone);
    }

    fn draw_guard(&mut self, guard: &Label, extent: Extent, tone: Tone) {
        if guard.shown.is_empty() {
            return;
        }
        let left = self.sides(extent).0 + self.metrics.pad;
        let place = at(left, self.y + self.metrics.baseline);
        self.drawing.text((place, Anchor::Start), guard.clone(), Type::Italic, tone);
        self.y += self.metrics.line;
    }

    fn close(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        let (sides, bottom) = (self.sides(frame.extent), frame.lane_end(self.y, self.metrics));
        frame.draw(sides, bottom, self.metrics, &mut self.drawing);
        self.y = bottom + self.metrics.trail;
    }

    fn draw_step(&mut self, lines: &[Label], extent: Extent, tone: Tone) {
        let metrics = self.metrics;
        let (left, right) = self.sides(extent);
        let top = self.y + metrics.lead;
        let first = top + metrics.foot / 2 + i32::from(!metrics.has_tab_box);
        let end = first + metrics.line * lines.len() as i32 + metrics.foot / 2;
        self.drawing.rectangle(at(left, top), at(right, end), BoxKind::Solid, tone);
        for (number, line) in (0..).zip(lines) {
            let y = first + metrics.line * number + metrics.baseline;
            let place = (at((left + right) / 2, y), Anchor::Middle);
            self.drawing.text(place, line.clone(), Type::Plain, tone);
        }
        self.y = end + metrics.trail;
    }

    fn draw_omitted(&mut self, omitted: usize) {
        if omitted == 0 {
            return;
        }
        let text = format!("… and {omitted} more");
        let place = at(self.x[0] + self.metrics.pad, self.y + self.metrics.baseline);
        self.drawing.text((place, Anchor::Start), text, Type::Italic, Tone::Plain);
        self.y += self.metrics.line;
    }

    /// Draws the lifelines behind all else, and the title.
    fn finish(self, heads: &Heads, top: i32, title: Label, description: String) -> Drawing {
        let Pen { metrics, x, y, mut drawing, .. } = self;
        let bottom = y + metrics.foot;
        let mut all = Drawing { description, ..Drawing::default() };
        heads.draw((top, bottom), x, metrics, &mut all);
        all.shapes.append(&mut drawing.shapes);
        let last = x.last().copied().unwrap_or(0);
        all.height = bottom + heads.foot(bottom, metrics) + metrics.foot + metrics.margin;
        all.title.clone_from(&title.shown);
        if !title.shown.is_empty() {
            let place = at(metrics.margin, metrics.margin + metrics.baseline);
            all.text((place, Anchor::Start), title, Type::Bold, Tone::Plain);
        }
        all.width = last.max(all.end_of_texts(metrics.width)) + metrics.margin;
        all
    }
}
