//! How wide each row and frame is, and how far apart that keeps the columns.

use crate::pictures::columns::Need;
use crate::pictures::diagram::extent::Extent;
use crate::pictures::diagram::rows::{Row, Rows};
use crate::pictures::measure::Label;
use crate::pictures::metrics::Metrics;

/// The extents of rows, and what they need.
#[derive(Debug, Default)]
pub(crate) struct Extents {
    /// Per row; of a frame, at its first row.
    pub(crate) of: Vec<Option<Extent>>,
    pub(crate) needs: Vec<Need>,
}

/// A frame whose end is not yet reached.
struct OpenFrame {
    row: usize,
    extent: Option<Extent>,
    /// The widest of its texts.
    text: i32,
}

impl Extents {
    pub(crate) fn new(rows: &Rows, metrics: &Metrics) -> Extents {
        let mut extents = Extents { of: vec![None; rows.rows.len()], needs: Vec::new() };
        let mut open: Vec<OpenFrame> = Vec::new();
        for (at, row) in rows.rows.iter().enumerate() {
            match row {
                Row::Open { region, label, .. } => {
                    let text = (metrics.width)(&label.shown) + 4 * metrics.pad;
                    open.push(OpenFrame { row: at, extent: *region, text });
                }
                Row::Lane { guard, .. } => {
                    let text = (metrics.width)(&guard.shown) + 2 * metrics.pad;
                    open.iter_mut().rev().take(1).for_each(|it| it.text = it.text.max(text));
                }
                Row::Close => extents.close(&mut open, metrics),
                Row::Arrow(arrow) => {
                    extents.needs.extend(arrow.need(metrics));
                    extents.add(at, arrow.extent(metrics), &mut open, metrics);
                }
                Row::Step { lines, extent, .. } => {
                    let extent = extents.of_step(lines, *extent, metrics);
                    extents.add(at, extent, &mut open, metrics);
                }
            }
        }
        extents
    }

    fn close(&mut self, open: &mut Vec<OpenFrame>, metrics: &Metrics) {
        let Some(frame) = open.pop() else { return };
        let mut extent = frame.extent.unwrap_or(Extent::new(1, 1));
        extent.left = extent.left.max(metrics.inset) + metrics.inset;
        extent.right = extent.right.max(metrics.inset) + metrics.inset;
        let extent = self.wide_enough(extent, frame.text);
        self.add(frame.row, extent, open, metrics);
    }

    /// The texts of a step stand in the middle of its box.
    fn of_step(&mut self, lines: &[Label], extent: Extent, metrics: &Metrics) -> Extent {
        let widest = lines.iter().map(|line| (metrics.width)(&line.shown)).max().unwrap_or(0);
        let pad = metrics.pad;
        if extent.low == extent.high {
            let half = (widest + 1) / 2 + pad;
            return Extent { left: half, right: half, ..extent };
        }
        self.wide_enough(Extent { left: 2 * pad, right: 2 * pad, ..extent }, widest + 2 * pad)
    }

    /// Makes room for a text within an extent.
    fn wide_enough(&mut self, extent: Extent, text: i32) -> Extent {
        let Extent { low, high, left, right } = extent;
        if low == high {
            return Extent { right: right.max(text - left), ..extent };
        }
        self.needs.push(Need { from: low, to: high, distance: text - left - right });
        extent
    }

    fn add(&mut self, row: usize, extent: Extent, open: &mut [OpenFrame], metrics: &Metrics) {
        let Extent { low, high, left, right } = extent;
        self.needs.push(Need { from: low - 1, to: low, distance: left + metrics.gap });
        self.needs.push(Need { from: high, to: high + 1, distance: right + metrics.gap });
        self.of[row] = Some(extent);
        if let Some(frame) = open.last_mut() {
            frame.extent = Some(frame.extent.map_or(extent, |it| it.include(extent)));
        }
    }
}
