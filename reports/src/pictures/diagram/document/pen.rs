//! Draws items down the page.

use super::arrows::Course;
use super::extents::first_line;
use super::heads::Heads;
use super::sketch::{Arrow, Card, Item, Reach, Sketch};
use super::style::{Style, wrapped};
use crate::pictures::diagram::extent::Extent;
use crate::pictures::diagram::extents::Extents;
use crate::pictures::diagram::frame::Frame;
use crate::pictures::diagram::subject::Diagram;
use crate::pictures::drawing::{
    Anchor, BoxKind, DotKind, Drawing, Point, Shape, Stroke, Tone, Type, at,
};
use crate::pictures::measure::Label;
use multitrace_formats::diagram::model::{Life, Side};
use std::collections::BTreeMap;

/// Half of the width of an activation in pixels.
const BAR: i32 = 5;

pub(super) fn draw(
    subject: &Diagram<'_>,
    (heads, sketch): (&Heads, &Sketch),
    extents: &Extents<'_>,
    x: &[i32],
    style: &Style,
) -> Drawing {
    let metrics = &style.metrics;
    let title = wrapped(subject.title, style.title);
    let texts = [(&title[..], Type::Bold), (heads.undrawn(), Type::Plain)];
    let room = (title.len() + heads.undrawn().len()) as i32 * metrics.line;
    let top = metrics.margin + room + if room == 0 { 0 } else { metrics.lead };
    let mut pen = Pen {
        style,
        x,
        y: heads.end(top, style) + metrics.line / 2 + 1,
        last: heads.end(top, style),
        frames: Vec::new(),
        active: vec![Vec::new(); x.len()],
        ends: BTreeMap::new(),
        bars: Drawing::default(),
        drawing: Drawing::default(),
    };
    for (item, extent) in sketch.items.iter().zip(&extents.of) {
        pen.item(item, *extent);
    }
    pen.omitted(sketch.omitted);
    let description = format!(
        "A sequence diagram of {} lifelines and {} messages",
        heads.count() - 2,
        sketch.messages
    );
    let mut drawing = pen.finish(heads, top, texts);
    let title: Vec<&str> = title.iter().map(|it| it.shown.as_str()).collect();
    drawing.title = title.join(" ");
    drawing.description = description;
    drawing
}

/// A frame whose end is not yet drawn.
struct OpenFrame {
    frame: Frame,
    /// The line beside the keyword.
    guard: Option<(Label, Tone)>,
}

struct Pen<'a> {
    style: &'a Style,
    x: &'a [i32],
    y: i32,
    /// The height of the last arrow.
    last: i32,
    frames: Vec<OpenFrame>,
    /// By column, where its activations began.
    active: Vec<Vec<i32>>,
    /// Where lifelines end that are destroyed.
    ends: BTreeMap<usize, i32>,
    bars: Drawing,
    drawing: Drawing,
}

impl Pen<'_> {
    fn item(&mut self, item: &Item, extent: Extent) {
        match item {
            Item::Arrow(arrow) => self.arrow(arrow),
            Item::Card(card) => self.card(card, extent),
            Item::Open { tab, tone, guard: (guard, of_guard) } => {
                self.open((tab, *tone), (guard, *of_guard), extent);
            }
            Item::Lane { guard, tone } => self.lane(guard, *tone),
            Item::Close => self.close(),
            Item::Rule { lines, is_delay } => self.rule(lines, *is_delay),
            Item::Life(life, column) => self.life(*life, *column),
        }
    }

    fn sides(&self, extent: Extent) -> (i32, i32) {
        (self.x[extent.low] - extent.left, self.x[extent.high] + extent.right)
    }

    /// The edge of a lifeline that an arrow meets on its left or right side.
    fn edge(&self, column: usize, is_right: bool) -> i32 {
        let level = self.active[column].len() as i32;
        let bar = if self.style.is_fine() { BAR } else { 0 };
        match (level, is_right) {
            (0, _) => self.x[column],
            (level, true) => self.x[column] + bar * level,
            (_, false) => self.x[column] - bar,
        }
    }

    fn arrow(&mut self, arrow: &Arrow) {
        let style = self.style;
        let y = self.y + arrow.above(style);
        let is_right = match (arrow.from, arrow.to) {
            (Some(from), Some(to)) => to > from,
            (from, _) => from.is_none() == (arrow.reach == Reach::Left),
        };
        let start_of =
            |pen: &Pen<'_>| arrow.from.map(|it| pen.edge(it, is_right || arrow.is_turn()));
        let start = start_of(self);
        if let (true, Some(to)) = (arrow.starts, arrow.to) {
            let down = if arrow.is_turn() { style.metrics.turn_height } else { 0 };
            self.active[to].push(y + down);
        }
        let end = arrow.to.map(|it| self.edge(it, !is_right || arrow.is_turn()));
        let extent = arrow.extent(style);
        let (left, right) = self.sides(extent);
        let near = if arrow.reach == Reach::Left { left } else { right };
        let (start, end) = (start.unwrap_or(near), end.unwrap_or(near));
        let last = self.x.last().copied().unwrap_or(0);
        // The text of an arrow to the edge stays inside of frames around it.
        let text = match arrow.reach {
            Reach::Left if extent.left > 0 => (left, start.max(end)),
            Reach::Right if extent.right > 0 => (start.min(end), right),
            _ => (start, end),
        };
        let middle = (text.0 + text.1) / 2;
        arrow.draw(Course { start, end, y, middle, last }, style, &mut self.drawing);
        self.last = y + if arrow.is_turn() { style.metrics.turn_height } else { 0 };
        if let (true, Some(from)) = (arrow.ends, arrow.from) {
            self.deactivate(from, self.last);
        }
        self.y = y + arrow.below(style);
    }

    fn deactivate(&mut self, column: usize, y: i32) {
        let Some(start) = self.active[column].pop() else { return };
        if !self.style.is_fine() {
            return;
        }
        let level = self.active[column].len() as i32;
        let x = self.x[column] + level * BAR;
        let (from, to) = (at(x - BAR, start), at(x + BAR, y.max(start + 6)));
        self.bars.rectangle(from, to, BoxKind::Bar, Tone::Plain);
    }

    fn life(&mut self, life: Life, column: usize) {
        match life {
            Life::Activate => self.active[column].push(self.last),
            Life::Deactivate => self.deactivate(column, self.last),
            Life::Create => {}
            Life::Destroy => {
                let y = self.last;
                while !self.active[column].is_empty() {
                    self.deactivate(column, y);
                }
                self.drawing.dot(at(self.x[column], y), DotKind::Cross, Tone::Plain);
                self.ends.insert(column, y);
            }
        }
    }

    fn card(&mut self, card: &Card, extent: Extent) {
        let (metrics, style) = (&self.style.metrics, self.style);
        let (mut left, mut right) = self.sides(extent);
        let width = style.width(&card.lines) + 2 * metrics.pad;
        match (card.side, style.room) {
            (side, Some(room)) => {
                let middle = i32::midpoint(left, right);
                let start = match side {
                    Side::Left => left - width - 1,
                    Side::Right => right + 1,
                    Side::Over => (middle - width / 2).min(left - 1),
                };
                let end = if side == Side::Over { right + 1 } else { 0 };
                let most = self.x.last().copied().unwrap_or(0).max(room) - width - 1;
                left = start.min(most).max(0);
                right = (left + width).max(end);
            }
            (Side::Left, None) => right = left + width,
            (Side::Right, None) => left = right - width,
            (Side::Over, None) => {}
        }
        let top = self.y + metrics.lead.max(i32::from(!style.is_fine()) - 1);
        let tab = if card.is_reference && style.is_fine() { metrics.tab - 4 } else { 0 };
        let first = top + tab + metrics.foot / 2 + i32::from(!style.is_fine());
        let end = first + metrics.line * card.lines.len().max(1) as i32 + metrics.foot / 2;
        let kind = if card.is_reference { BoxKind::Solid } else { BoxKind::Note };
        self.drawing.rectangle(at(left, top), at(right, end), kind, card.tone);
        if card.is_reference {
            self.reference(at(left, top), card.tone);
        }
        for (number, line) in (0..).zip(&card.lines) {
            let y = first + metrics.line * number + metrics.baseline;
            // The lines begin below each other, and stand in the middle together.
            let start = i32::midpoint(left, right) - style.width(&card.lines) / 2;
            let place = (at(start, y), Anchor::Start);
            self.drawing.text(place, line.clone(), Type::Plain, card.tone);
        }
        self.y = end + metrics.trail;
    }

    /// The corner of a reference.
    fn reference(&mut self, corner: Point, tone: Tone) {
        let metrics = &self.style.metrics;
        let word = Label::from("ref".to_owned());
        if metrics.has_tab_box {
            let width = (metrics.width)(&word.shown) + 2 * metrics.pad;
            let end = at(corner.x + width, corner.y + metrics.tab - 4);
            self.drawing.rectangle(corner, end, BoxKind::Tab, tone);
        }
        let place = at(corner.x + metrics.pad, corner.y + metrics.tab_baseline - metrics.dot / 4);
        self.drawing.text((place, Anchor::Start), word, Type::Bold, tone);
    }

    fn open(
        &mut self,
        (tab, tone): (&Label, Tone),
        (guard, of_guard): (&[Label], Tone),
        extent: Extent,
    ) {
        let metrics = &self.style.metrics;
        let top = self.y + metrics.lead;
        let has_line = !tab.shown.is_empty() || !guard.is_empty();
        self.y = top + if has_line { metrics.tab } else { metrics.tab / 2 + metrics.tab % 2 };
        let (first, rest) = match guard.split_first() {
            Some((first, rest)) if first.shown.is_empty() => (None, rest),
            Some((first, rest)) => (Some((first.clone(), of_guard)), rest),
            None => (None, guard),
        };
        let frame = Frame::new((top, self.y), extent, (tab, tone));
        self.frames.push(OpenFrame { frame, guard: first });
        self.guard(rest, of_guard);
    }

    fn lane(&mut self, guard: &[Label], tone: Tone) {
        let metrics = &self.style.metrics;
        let Some(OpenFrame { frame, .. }) = self.frames.last_mut() else { return };
        self.y = frame.begin_lane(frame.lane_end(self.y, metrics), metrics);
        self.guard(guard, tone);
    }

    fn guard(&mut self, lines: &[Label], tone: Tone) {
        let metrics = &self.style.metrics;
        let Some(OpenFrame { frame, .. }) = self.frames.last() else { return };
        let left = self.sides(frame.extent).0 + metrics.pad;
        for line in lines {
            let place = at(left, self.y + metrics.baseline);
            self.drawing.text((place, Anchor::Start), line.clone(), Type::Italic, tone);
            self.y += metrics.line;
        }
    }

    fn close(&mut self) {
        let Some(OpenFrame { frame, guard }) = self.frames.pop() else { return };
        let ((left, right), metrics) = (self.sides(frame.extent), &self.style.metrics);
        let (bottom, drawing) = (frame.lane_end(self.y, metrics), &mut self.drawing);
        frame.draw((left, right), bottom, metrics, drawing);
        if let Some((guard, tone)) = guard {
            let beside = left + metrics.pad + first_line(frame.tab_width(metrics), 0, self.style);
            let set = if metrics.has_tab_box { Type::Italic } else { Type::Bold };
            let x = if metrics.has_tab_box { beside } else { beside - 2 * metrics.pad + 1 };
            let place = at(x.max(left + metrics.pad), frame.baseline(metrics));
            drawing.text((place, Anchor::Start), guard, set, tone);
        }
        self.y = bottom + metrics.trail;
    }

    fn rule(&mut self, lines: &[Label], is_delay: bool) {
        let (metrics, style) = (&self.style.metrics, self.style);
        let (left, right) = (self.x[0], self.x.last().copied().unwrap_or(0));
        let middle = i32::midpoint(left, right);
        let height = metrics.line * lines.len().max(1) as i32;
        let top = self.y + metrics.lead;
        let bottom = top + height + metrics.foot;
        let tone = if is_delay { Tone::Soft } else { Tone::Plain };
        if !is_delay {
            let y = top + (height + metrics.foot) / 2 - i32::from(!style.is_fine()) * height / 2;
            self.drawing.line(at(left, y), at(right, y), Stroke::Double, tone);
            if style.is_fine() && !lines.is_empty() {
                let half = style.width(lines) / 2 + metrics.pad;
                let (from, to) = (at(middle - half, top), at(middle + half, bottom));
                self.drawing.rectangle(from, to, BoxKind::Solid, tone);
            }
        }
        let set = if is_delay { Type::Italic } else { Type::Bold };
        for (number, line) in (0..).zip(lines) {
            let y = top + metrics.foot / 2 + metrics.line * number + metrics.baseline;
            self.drawing.text((at(middle, y), Anchor::Middle), line.clone(), set, tone);
        }
        self.y = bottom + metrics.trail;
    }

    fn omitted(&mut self, omitted: usize) {
        if omitted == 0 {
            return;
        }
        let text = format!("… and {omitted} more");
        let place = at(self.x[0] + self.style.metrics.pad, self.y + self.style.metrics.baseline);
        self.drawing.text((place, Anchor::Start), text, Type::Italic, Tone::Plain);
        self.y += self.style.metrics.line;
    }

    /// Draws the lifelines behind all else, and the texts above them.
    fn finish(mut self, heads: &Heads, top: i32, texts: [(&[Label], Type); 2]) -> Drawing {
        for column in 0..self.active.len() {
            while !self.active[column].is_empty() {
                self.deactivate(column, self.y);
            }
        }
        let Pen { style, x, y, mut drawing, bars, ends, .. } = self;
        let metrics = &style.metrics;
        let bottom = y + metrics.foot;
        let mut all = Drawing::default();
        heads.draw((top, bottom), &ends, x, style, &mut all);
        // Outer ones end last, and are below inner ones.
        all.shapes.extend(bars.shapes.into_iter().rev());
        all.shapes.append(&mut drawing.shapes);
        let lines = texts.iter().flat_map(|(lines, set)| lines.iter().map(move |it| (it, *set)));
        for (number, (line, set)) in (0..).zip(lines) {
            let y = metrics.margin + metrics.line * number + metrics.baseline;
            let place = (at(metrics.margin, y), Anchor::Start);
            all.text(place, line.clone(), set, Tone::Plain);
        }
        all.height = bottom + heads.foot(bottom, style) + metrics.foot + metrics.margin;
        let last = x.last().copied().unwrap_or(0);
        let boxes = all.shapes.iter().filter_map(|it| match it {
            Shape::Box { area, .. } => Some(area.to.x),
            _ => None,
        });
        let last = last.max(boxes.max().unwrap_or(0));
        all.width = last.max(all.end_of_texts(metrics.width)) + metrics.margin;
        all
    }
}
