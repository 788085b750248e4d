//! Messages: how wide they are, and their shapes.

use crate::pictures::columns::Need;
use crate::pictures::diagram::extent::Extent;
use crate::pictures::diagram::rows::Arrow;
use crate::pictures::drawing::{Anchor, DotKind, Drawing, Stroke, Type, at};
use crate::pictures::metrics::Metrics;

impl Arrow {
    fn length(&self, metrics: &Metrics) -> i32 {
        (metrics.width)(&self.label.shown) + metrics.arrow
    }

    /// Whether it goes back to where it comes from.
    fn is_turn(&self) -> bool {
        self.origin.is_some_and(|origin| self.targets == [origin])
    }

    /// The columns that the text stands between, if it stands between columns.
    fn sides(&self) -> Option<(usize, usize)> {
        let origin = self.origin.filter(|_| !self.is_turn())?;
        let right = self.targets.iter().find(|&&it| it > origin).map(|&it| (origin, it));
        right.or_else(|| self.targets.last().map(|&it| (it, origin)))
    }

    pub(crate) fn need(&self, metrics: &Metrics) -> Option<Need> {
        let (from, to) = self.sides()?;
        Some(Need { from, to, distance: self.length(metrics) })
    }

    pub(crate) fn extent(&self, metrics: &Metrics) -> Extent {
        let columns = || self.origin.iter().chain(&self.targets).copied();
        let (low, high) = (columns().min().unwrap_or(1), columns().max().unwrap_or(1));
        let extent = Extent::new(low, high);
        match (self.origin, &self.targets[..]) {
            (None, _) => Extent { left: self.length(metrics), ..extent },
            (_, []) => Extent { right: self.length(metrics), ..extent },
            _ if self.is_turn() => {
                let text = (metrics.width)(&self.label.shown);
                Extent { right: metrics.turn_width + metrics.pad + 1 + text, ..extent }
            }
            _ => extent,
        }
    }

    fn stroke(&self) -> Stroke {
        if self.is_synchronous { Stroke::Double } else { Stroke::Plain }
    }

    /// The height of its row.
    pub(crate) fn height(&self, metrics: &Metrics) -> i32 {
        let turn = if self.is_turn() { metrics.turn_height } else { 0 };
        metrics.above + turn + metrics.below
    }

    pub(crate) fn draw(&self, top: i32, x: &[i32], metrics: &Metrics, drawing: &mut Drawing) {
        let y = top + metrics.above;
        match (self.origin, &self.targets[..]) {
            (Some(origin), _) if self.is_turn() => self.draw_turn(x[origin], y, metrics, drawing),
            (Some(origin), []) => self.draw_lost(x[origin], y, metrics, drawing),
            (None, targets) => {
                let first = x[targets.first().copied().unwrap_or(1)];
                let start = first - self.length(metrics);
                drawing.dot(at(start, y), DotKind::Filled, self.tone);
                self.draw_text((start + first) / 2, y, metrics, drawing);
                self.draw_heads(start, y, x, drawing);
            }
            (Some(origin), targets) => {
                if targets.len() > 1 {
                    drawing.dot(at(x[origin], y), DotKind::Filled, self.tone);
                }
                self.draw_heads(x[origin], y, x, drawing);
                let (from, to) = self.sides().unwrap_or((origin, origin));
                self.draw_text((x[from] + x[to]) / 2, y, metrics, drawing);
            }
        }
    }

    /// To either side, from column to column, with a head at each.
    fn draw_heads(&self, start: i32, y: i32, x: &[i32], drawing: &mut Drawing) {
        let ends = || self.targets.iter().map(|&target| x[target]);
        let (mut left, mut right) = (start, start);
        for end in ends().rev().filter(|&end| end < start) {
            drawing.arrow(at(left, y), at(end, y), self.stroke(), self.tone);
            left = end;
        }
        for end in ends().filter(|&end| end >= start) {
            drawing.arrow(at(right, y), at(end, y), self.stroke(), self.tone);
            right = end;
        }
    }

    fn draw_lost(&self, x: i32, y: i32, metrics: &Metrics, drawing: &mut Drawing) {
        let end = x + self.length(metrics);
        drawing.arrow(at(x, y), at(end - metrics.dot, y), self.stroke(), self.tone);
        drawing.dot(at(end, y), DotKind::Hollow, self.tone);
        self.draw_text((x + end) / 2, y, metrics, drawing);
    }

    fn draw_turn(&self, x: i32, y: i32, metrics: &Metrics, drawing: &mut Drawing) {
        let (side, end) = (x + metrics.turn_width, y + metrics.turn_height);
        drawing.line(at(x, y), at(side, y), self.stroke(), self.tone);
        drawing.line(at(side, y), at(side, end), self.stroke(), self.tone);
        drawing.arrow(at(side, end), at(x, end), self.stroke(), self.tone);
        let middle = y + (end - y + metrics.baseline) / 2;
        let place = at(side + metrics.pad / 2 + 1, middle.min(end));
        drawing.text((place, Anchor::Start), self.label.clone(), Type::Plain, self.tone);
    }

    fn draw_text(&self, middle: i32, y: i32, metrics: &Metrics, drawing: &mut Drawing) {
        let place = (at(middle, y - metrics.rise), Anchor::Middle);
        drawing.text(place, self.label.clone(), Type::Message, self.tone);
    }
}
