//! How wide items and their frames are, and how far apart that keeps the columns.

use crate::pictures::columns::Need;
use crate::pictures::diagram::extent::Extent;
use crate::pictures::metrics::Metrics;

/// The extents of items, which are added in their order, and the distances that they need.
#[derive(Debug)]
pub(crate) struct Extents<'a> {
    /// Per item; of a frame, at its first one.
    pub(crate) of: Vec<Extent>,
    pub(crate) needs: Vec<Need>,
    metrics: &'a Metrics,
    /// Whether an item that ends at a column needs no gap to the next one.
    is_tight: bool,
    open: Vec<OpenFrame>,
}

/// A frame whose end is not yet reached.
#[derive(Debug)]
struct OpenFrame {
    item: usize,
    extent: Option<Extent>,
    /// The widest of its texts.
    text: i32,
}

impl Extents<'_> {
    pub(crate) fn new(items: usize, metrics: &Metrics, is_tight: bool) -> Extents<'_> {
        let of = vec![Extent::new(1, 1); items];
        Extents { of, needs: Vec::new(), metrics, is_tight, open: Vec::new() }
    }

    /// Opens a frame with a text on its first line; `extent` is the least that it has.
    pub(crate) fn open(&mut self, item: usize, extent: Option<Extent>, text: i32) {
        self.open.push(OpenFrame { item, extent, text });
    }

    /// Adds a text to the innermost frame.
    pub(crate) fn add_text(&mut self, text: i32) {
        if let Some(frame) = self.open.last_mut() {
            frame.text = frame.text.max(text);
        }
    }

    pub(crate) fn close(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        let inset = self.metrics.inset;
        let mut extent = frame.extent.unwrap_or(Extent::new(1, 1));
        extent.left = extent.left.max(inset) + inset;
        extent.right = extent.right.max(inset) + inset;
        let extent = self.wide_enough(extent, frame.text);
        self.add(frame.item, extent);
    }

    /// Makes room for a text within an extent.
    pub(crate) fn wide_enough(&mut self, extent: Extent, text: i32) -> Extent {
        let Extent { low, high, left, right } = extent;
        if low == high {
            return Extent { right: right.max(text - left), ..extent };
        }
        self.needs.push(Need { from: low, to: high, distance: text - left - right });
        extent
    }

    pub(crate) fn add(&mut self, item: usize, extent: Extent) {
        let Extent { low, high, left, right } = extent;
        let (gap, is_tight) = (self.metrics.gap, self.is_tight);
        let edge = |side: i32| if is_tight && side <= 0 { 0 } else { side + gap };
        self.needs.push(Need { from: low - 1, to: low, distance: edge(left) });
        self.needs.push(Need { from: high, to: high + 1, distance: edge(right) });
        self.of[item] = extent;
        if let Some(frame) = self.open.last_mut() {
            frame.extent = Some(frame.extent.map_or(extent, |it| it.include(extent)));
        }
    }
}
