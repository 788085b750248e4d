//! How large things are, in pixels or in cells of a terminal.

use crate::pictures::measure::{FONT_SIZE, cells, pixels};

/// Distances. Each is between the edges it names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metrics {
    /// The width of a text.
    pub(crate) width: fn(&str) -> i32,
    /// The most characters of a name.
    pub(crate) name: usize,
    /// Around the picture.
    pub(crate) margin: i32,
    /// From the top of a line of text to the next.
    pub(crate) line: i32,
    /// From the top of a line of text to the place of its text.
    pub(crate) baseline: i32,
    /// The height of the head of a lifeline.
    pub(crate) head: i32,
    /// From the side of a box to its text.
    pub(crate) pad: i32,
    /// Between neighbours.
    pub(crate) gap: i32,
    /// From the top of a row to its arrow.
    pub(crate) above: i32,
    /// From the arrow to the next row.
    pub(crate) below: i32,
    /// From the text of an arrow down to the arrow.
    pub(crate) rise: i32,
    /// The length of an arrow beyond that of its text.
    pub(crate) arrow: i32,
    /// The width of an arrow to oneself.
    pub(crate) turn_width: i32,
    /// Its height.
    pub(crate) turn_height: i32,
    /// Above a frame.
    pub(crate) lead: i32,
    /// From the top of a frame to its content.
    pub(crate) tab: i32,
    /// From the top of a frame to the text of its tab.
    pub(crate) tab_baseline: i32,
    /// From the side of a frame to its content.
    pub(crate) inset: i32,
    /// From a line between lanes to the next row.
    pub(crate) lane: i32,
    /// From the content of a frame to its end.
    pub(crate) foot: i32,
    /// From the end of a frame to the next row.
    pub(crate) trail: i32,
    /// Half of a dot.
    pub(crate) dot: i32,
    /// From this height on, heads stand below the lifelines too.
    pub(crate) tall: i32,
    /// Whether texts of tabs stand on the frame.
    pub(crate) has_tab_box: bool,
}

impl Metrics {
    /// Of an SVG.
    pub(crate) const PIXELS: Metrics = Metrics {
        width: pixels,
        name: 60,
        margin: 12,
        line: 18,
        baseline: FONT_SIZE,
        head: 30,
        pad: 10,
        gap: 12,
        above: 28,
        below: 8,
        rise: 6,
        arrow: 28,
        turn_width: 28,
        turn_height: 16,
        lead: 10,
        tab: 22,
        tab_baseline: 15,
        inset: 10,
        lane: 2,
        foot: 8,
        trail: 6,
        dot: 4,
        tall: 900,
        has_tab_box: true,
    };

    /// Of a terminal.
    pub(crate) const CELLS: Metrics = Metrics {
        width: cells,
        name: 40,
        margin: 0,
        line: 1,
        baseline: 0,
        head: 2,
        pad: 2,
        gap: 2,
        above: 0,
        below: 1,
        rise: 0,
        arrow: 7,
        turn_width: 3,
        turn_height: 1,
        lead: 0,
        tab: 1,
        tab_baseline: 0,
        inset: 2,
        lane: 1,
        foot: 0,
        trail: 1,
        dot: 0,
        tall: 45,
        has_tab_box: false,
    };
}
