//! Frames of diagrams: their lanes, and their shapes.

use crate::pictures::diagram::extent::Extent;
use crate::pictures::drawing::{Anchor, BoxKind, Drawing, Stroke, Tone, Type, at};
use crate::pictures::measure::Label;
use crate::pictures::metrics::Metrics;

/// A frame whose end is not yet drawn.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) extent: Extent,
    top: i32,
    tab: Label,
    tone: Tone,
    /// The lines between its lanes.
    lanes: Vec<i32>,
    /// Where its current lane begins.
    lane_top: i32,
}

impl Frame {
    /// From `top`, with its first lane at `lane_top`.
    pub(crate) fn new(
        (top, lane_top): (i32, i32),
        extent: Extent,
        (tab, tone): (&Label, Tone),
    ) -> Frame {
        Frame { extent, top, tab: tab.clone(), tone, lanes: Vec::new(), lane_top }
    }

    /// Where a lane ends whose last row ends at `y`. One without rows has some height all the same.
    pub(crate) fn lane_end(&self, y: i32, metrics: &Metrics) -> i32 {
        let least = if y == self.lane_top { metrics.line / 2 } else { 0 };
        y + least + metrics.foot
    }

    /// Begins another lane below `y`; where it begins.
    pub(crate) fn begin_lane(&mut self, y: i32, metrics: &Metrics) -> i32 {
        self.lanes.push(y);
        self.lane_top = y + metrics.lane;
        self.lane_top
    }

    /// The height of the text on its first line.
    pub(crate) fn baseline(&self, metrics: &Metrics) -> i32 {
        self.top + metrics.tab_baseline
    }

    /// The width of its keyword.
    pub(crate) fn tab_width(&self, metrics: &Metrics) -> i32 {
        (metrics.width)(&self.tab.shown)
    }

    /// Draws it down to `bottom`.
    pub(crate) fn draw(
        &self,
        (left, right): (i32, i32),
        bottom: i32,
        metrics: &Metrics,
        drawing: &mut Drawing,
    ) {
        // Messages stand out.
        let tone = if self.tone == Tone::Plain { Tone::Soft } else { self.tone };
        drawing.rectangle(at(left, self.top), at(right, bottom), BoxKind::Frame, tone);
        for &lane in &self.lanes {
            drawing.line(at(left, lane), at(right, lane), Stroke::Dashed, tone);
        }
        let tab = self.tab_width(metrics);
        if tab == 0 {
            return;
        }
        if metrics.has_tab_box {
            let corner = at(left + tab + 2 * metrics.pad, self.top + metrics.tab - 2);
            drawing.rectangle(at(left, self.top), corner, BoxKind::Tab, tone);
        }
        let place = (at(left + metrics.pad, self.baseline(metrics)), Anchor::Start);
        drawing.text(place, self.tab.clone(), Type::Bold, self.tone);
    }
}
