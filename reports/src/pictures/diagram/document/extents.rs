//! How wide each item is, and how far apart that keeps the columns.

use super::sketch::{Card, Item};
use super::style::Style;
use crate::pictures::columns::Need;
use crate::pictures::diagram::extent::Extent;
use multitrace_formats::diagram::model::Side;

pub(super) struct Extents {
    /// Per item; of a frame, at its first one.
    pub(super) of: Vec<Extent>,
    pub(super) needs: Vec<Need>,
}

/// A frame whose end is not yet reached.
struct OpenFrame {
    item: usize,
    extent: Option<Extent>,
    /// The widest of its texts.
    text: i32,
}

/// The width of the first line of a frame, which holds its keyword and its condition.
pub(super) fn first_line(tab: i32, guard: i32, style: &Style) -> i32 {
    let pad = style.metrics.pad;
    tab + guard + if tab > 0 { 2 * pad } else { 0 } + if guard > 0 { 2 * pad } else { 0 }
}

impl Extents {
    pub(super) fn new(items: &[Item], style: &Style) -> Extents {
        let mut extents = Extents { of: vec![Extent::new(1, 1); items.len()], needs: Vec::new() };
        let mut open: Vec<OpenFrame> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Open { tab, guard: (guard, _), .. } => {
                    let tab = (style.metrics.width)(&tab.shown);
                    let text = first_line(tab, style.width(guard), style);
                    open.push(OpenFrame { item: at, extent: None, text });
                }
                Item::Lane { guard, .. } => {
                    let text = style.width(guard) + 2 * style.metrics.pad;
                    open.iter_mut().rev().take(1).for_each(|it| it.text = it.text.max(text));
                }
                Item::Close => extents.close(&mut open, style),
                Item::Arrow(arrow) => {
                    extents.needs.extend(arrow.need(style));
                    extents.add(at, arrow.extent(style), &mut open, style);
                }
                Item::Card(card) => {
                    let extent = extents.of_card(card, style);
                    extents.add(at, extent, &mut open, style);
                }
                Item::Rule { .. } | Item::Life(..) => {}
            }
        }
        extents
    }

    fn close(&mut self, open: &mut Vec<OpenFrame>, style: &Style) {
        let Some(frame) = open.pop() else { return };
        let inset = style.metrics.inset;
        let mut extent = frame.extent.unwrap_or(Extent::new(1, 1));
        extent.left = extent.left.max(inset) + inset;
        extent.right = extent.right.max(inset) + inset;
        let extent = self.wide_enough(extent, frame.text);
        self.add(frame.item, extent, open, style);
    }

    fn of_card(&mut self, card: &Card, style: &Style) -> Extent {
        let (pad, gap) = (style.metrics.pad, style.metrics.gap);
        let width = style.width(&card.lines) + 2 * pad;
        let (low, high) = card.columns;
        if style.room.is_some() {
            return Extent::new(low, high);
        }
        match card.side {
            Side::Left => Extent { left: width + gap, ..Extent::new(low, low) },
            Side::Right => Extent { right: width + gap, ..Extent::new(high, high) },
            Side::Over if low == high => {
                let half = (width + 1) / 2;
                Extent { left: half, right: half, ..Extent::new(low, high) }
            }
            Side::Over => {
                let side = 2 * pad;
                let extent = Extent { left: side, right: side, ..Extent::new(low, high) };
                self.wide_enough(extent, width)
            }
        }
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

    fn add(&mut self, item: usize, extent: Extent, open: &mut [OpenFrame], style: &Style) {
        let Extent { low, high, left, right } = extent;
        let gap = style.metrics.gap;
        let edge = |side: i32| if side > 0 { side + gap } else { 0 };
        self.needs.push(Need { from: low - 1, to: low, distance: edge(left) });
        self.needs.push(Need { from: high, to: high + 1, distance: edge(right) });
        self.of[item] = extent;
        if let Some(frame) = open.last_mut() {
            frame.extent = Some(frame.extent.map_or(extent, |it| it.include(extent)));
        }
    }
}
