//! How wide each item is.

use super::sketch::{Card, Item};
use super::style::Style;
use crate::pictures::diagram::extent::Extent;
use crate::pictures::diagram::extents::Extents;
use multitrace_formats::diagram::model::Side;

/// The width of the first line of a frame, which holds its keyword and its condition.
pub(super) fn first_line(tab: i32, guard: i32, style: &Style) -> i32 {
    let pad = style.metrics.pad;
    tab + guard + if tab > 0 { 2 * pad } else { 0 } + if guard > 0 { 2 * pad } else { 0 }
}

pub(super) fn extents<'a>(items: &[Item], style: &'a Style) -> Extents<'a> {
    let mut extents = Extents::new(items.len(), &style.metrics, true);
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Open { tab, guard: (guard, _), .. } => {
                let tab = (style.metrics.width)(&tab.shown);
                // Where there is little room, the further lines count by themselves.
                let beside =
                    if style.room.is_some() { &guard[..guard.len().min(1)] } else { guard };
                let below = style.width(&guard[beside.len()..]) + 2 * style.metrics.pad;
                let first = first_line(tab, style.width(beside), style);
                extents.open(at, None, first.max(below));
            }
            Item::Lane { guard, .. } => {
                extents.add_text(style.width(guard) + 2 * style.metrics.pad);
            }
            Item::Close => extents.close(),
            Item::Arrow(arrow) => {
                extents.needs.extend(arrow.need(style));
                extents.add(at, arrow.extent(style));
            }
            Item::Card(card) => {
                let extent = of_card(card, style, &mut extents);
                extents.add(at, extent);
            }
            Item::Rule { .. } | Item::Life(..) => {}
        }
    }
    extents
}

fn of_card(card: &Card, style: &Style, extents: &mut Extents<'_>) -> Extent {
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
            extents.wide_enough(extent, width)
        }
    }
}
