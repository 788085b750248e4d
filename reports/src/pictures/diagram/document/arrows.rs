//! Arrows: how wide they are, and their shapes.

use super::sketch::{Arrow, Reach};
use super::style::Style;
use crate::pictures::columns::Need;
use crate::pictures::diagram::extent::Extent;
use crate::pictures::drawing::{Anchor, DotKind, Drawing, Point, Stroke, Tone, Type, at};
use multitrace_formats::diagram::model::{Head, Sign};

/// Where an arrow is drawn.
#[derive(Clone, Copy)]
pub(super) struct Course {
    pub(super) start: i32,
    pub(super) end: i32,
    pub(super) y: i32,
    /// The middle of the text above it.
    pub(super) middle: i32,
    /// The right edge of the picture.
    pub(super) last: i32,
}

impl Arrow {
    pub(super) fn is_turn(&self) -> bool {
        self.from.is_some() && self.from == self.to
    }

    /// Whether its text stands on the line itself, as terminals have it.
    fn is_on_line(&self, style: &Style) -> bool {
        !style.is_fine() && style.room.is_none() && self.lines.len() < 2
    }

    fn length(&self, style: &Style) -> i32 {
        if style.room.is_some() { 6 } else { style.width(&self.lines) + style.metrics.arrow }
    }

    pub(super) fn need(&self, style: &Style) -> Option<Need> {
        let (from, to) = (self.from?, self.to?);
        let distance = self.length(style);
        (from != to).then(|| Need { from: from.min(to), to: from.max(to), distance })
    }

    pub(super) fn extent(&self, style: &Style) -> Extent {
        let columns = [self.from, self.to].into_iter().flatten();
        let (low, high) = (columns.clone().min().unwrap_or(1), columns.max().unwrap_or(1));
        let metrics = &style.metrics;
        let is_near = self.from.is_none() || self.to.is_none();
        match self.reach {
            Reach::Left if is_near => Extent { left: self.length(style), ..Extent::new(low, high) },
            Reach::Right if is_near => {
                Extent { right: self.length(style), ..Extent::new(low, high) }
            }
            // Between the edge and the first lifeline beside it there is nothing else that makes room.
            Reach::Left => {
                let left = if high == 1 { self.length(style) } else { 0 };
                Extent { left, ..Extent::new(1, high) }
            }
            Reach::Right => {
                let right = if low + 1 == high { self.length(style) } else { 0 };
                Extent { right, ..Extent::new(low, high - 1) }
            }
            Reach::Lifelines if self.is_turn() => {
                let text =
                    if style.room.is_some() { 0 } else { metrics.pad + style.width(&self.lines) };
                Extent { right: metrics.turn_width + 1 + text, ..Extent::new(low, high) }
            }
            Reach::Lifelines => Extent::new(low, high),
        }
    }

    /// From the top of its row to its line.
    pub(super) fn above(&self, style: &Style) -> i32 {
        let (metrics, count) = (&style.metrics, self.lines.len() as i32);
        match style.is_fine() {
            true if self.is_turn() => metrics.above / 2,
            true => metrics.above + (count - 1) * metrics.line,
            false if self.is_on_line(style) => 0,
            false if self.is_turn() && style.room.is_none() => 0,
            false => count,
        }
    }

    /// From its line to the next row.
    pub(super) fn below(&self, style: &Style) -> i32 {
        let metrics = &style.metrics;
        if !self.is_turn() {
            return metrics.below;
        }
        let text = if style.room.is_some() { 0 } else { self.lines.len() as i32 * metrics.line };
        metrics.turn_height.max(text - i32::from(!style.is_fine())) + metrics.below
    }

    pub(super) fn draw(&self, course: Course, style: &Style, drawing: &mut Drawing) {
        if self.is_turn() {
            return self.draw_turn(course, style, drawing);
        }
        let Course { start, end, y, middle, .. } = course;
        let way = if end >= start { 1 } else { -1 };
        self.shaft(at(start, y), at(end, y), way, style, drawing);
        if self.from.is_none() {
            drawing.dot(at(start, y), DotKind::Filled, self.tone);
        }
        self.sign(0, at(start, y), -way, style, drawing);
        self.sign(1, at(end, y), way, style, drawing);
        if self.is_on_line(style) {
            if let Some(label) = self.lines.first() {
                let place = (at(middle, y), Anchor::Middle);
                drawing.text(place, label.clone(), Type::Message, self.tone);
            }
            return;
        }
        self.draw_lines(course, style, drawing);
    }

    /// The texts above the line.
    fn draw_lines(&self, course: Course, style: &Style, drawing: &mut Drawing) {
        let Course { start, end, y, middle, last } = course;
        let (metrics, count) = (&style.metrics, self.lines.len() as i32);
        // They begin below each other then, and stand in the middle together.
        let is_indented = self.lines.iter().any(|it| it.shown.starts_with(' '));
        let half = style.width(&self.lines) / 2;
        for (number, label) in (0..).zip(&self.lines) {
            let y = match style.is_fine() {
                true => y - metrics.rise - (count - 1 - number) * metrics.line,
                false => y - count + number,
            };
            let place = match style.room {
                None if is_indented => (at(middle - half, y), Anchor::Start),
                None => (at(middle, y), Anchor::Middle),
                Some(room) => {
                    let most = last.max(room) - (metrics.width)(&label.shown);
                    (at((start.min(end) + 2).min(most).max(0), y), Anchor::Start)
                }
            };
            drawing.text(place, label.clone(), Type::Message, self.tone);
        }
    }

    fn stroke(&self) -> Stroke {
        if self.arrow.is_dotted { Stroke::Dashed } else { Stroke::Plain }
    }

    /// The line with the signs at its ends.
    fn shaft(&self, from: Point, to: Point, way: i32, style: &Style, drawing: &mut Drawing) {
        let (stroke, tone) = (self.stroke(), self.tone);
        let (from, to, way) =
            if self.arrow.is_reversed { (to, from, -way) } else { (from, to, way) };
        match self.arrow.head {
            Head::Filled => drawing.arrow(from, to, stroke, tone),
            Head::None => drawing.line(from, to, stroke, tone),
            Head::Open if style.is_fine() => {
                drawing.line(from, to, stroke, tone);
                thin_head(to, way, tone, drawing);
            }
            Head::Open => drawing.arrow(from, to, stroke, tone),
            Head::Cross => {
                let back = if style.is_fine() { 8 } else { 1 };
                let tip = at(to.x - back * way, to.y);
                drawing.line(from, tip, stroke, tone);
                drawing.dot(tip, DotKind::Cross, tone);
            }
        }
        match self.arrow.tail {
            None => {}
            Some(Head::Open) if style.is_fine() => thin_head(from, -way, tone, drawing),
            // A second line would fill the gaps of a dashed one.
            Some(_) => drawing.head(from, -way, tone),
        }
        if self.to.is_none() && self.arrow.head != Head::Cross {
            drawing.dot(to, DotKind::Hollow, tone);
        }
    }

    /// The sign where it starts (0) or ends (1), at the end of a line that goes this way.
    fn sign(&self, end: usize, tip: Point, way: i32, style: &Style, drawing: &mut Drawing) {
        let (kind, back) = match self.arrow.signs[end] {
            None => return,
            Some(Sign::Circle) if style.is_fine() => (DotKind::Hollow, 0),
            Some(Sign::Circle) => (DotKind::Hollow, 1),
            Some(Sign::Cross) => (DotKind::Cross, if style.is_fine() { 8 } else { 1 }),
        };
        drawing.dot(at(tip.x - back * way, tip.y), kind, self.tone);
    }

    fn draw_turn(&self, course: Course, style: &Style, drawing: &mut Drawing) {
        let Course { start, end, y, .. } = course;
        let metrics = &style.metrics;
        let side = start.max(end) + metrics.turn_width;
        let foot = y + metrics.turn_height;
        drawing.line(at(start, y), at(side, y), self.stroke(), self.tone);
        drawing.line(at(side, y), at(side, foot), self.stroke(), self.tone);
        self.shaft(at(side, foot), at(end, foot), -1, style, drawing);
        self.sign(0, at(start, y), -1, style, drawing);
        self.sign(1, at(end, foot), -1, style, drawing);
        if style.room.is_some() {
            return self.draw_lines(Course { end: side, ..course }, style, drawing);
        }
        let first = if style.is_fine() { y + metrics.turn_height / 2 + 4 } else { y };
        let up = if style.is_fine() { (self.lines.len() as i32 - 1).min(1) * 6 } else { 0 };
        for (number, label) in (0..).zip(&self.lines) {
            let place = at(side + metrics.pad / 2 + 1, first - up + number * metrics.line);
            drawing.text((place, Anchor::Start), label.clone(), Type::Message, self.tone);
        }
    }
}

/// Two strokes at the tip of a line that goes this way.
fn thin_head(tip: Point, way: i32, tone: Tone, drawing: &mut Drawing) {
    for side in [-4, 4] {
        let back = at(tip.x - 9 * way, tip.y + side);
        drawing.line(tip, back, Stroke::Plain, tone);
    }
}
