//! Interactions as sequence diagrams.

mod arrows;
mod extent;
mod extents;
mod heads;
mod layout;
mod rows;
mod subject;
#[cfg(test)]
mod tests;

use crate::outputs::Paint;
use crate::pictures::metrics::Metrics;
use crate::pictures::svg::SvgOptions;
use crate::pictures::{grid, svg};

pub use subject::{Diagram, MOST_ROWS};

/// The diagram as SVG: the same bytes each time.
///
/// # Panics
/// When interaction, signature and locations do not belong together.
pub fn diagram_svg(diagram: &Diagram<'_>, options: SvgOptions) -> String {
    svg::write(&layout::draw(diagram, &Metrics::PIXELS), options)
}

/// The diagram for a terminal of `width` cells. Names are cut until it fits; what still does not is cut
/// off at the right.
///
/// # Panics
/// When interaction, signature and locations do not belong together.
pub fn diagram_text(diagram: &Diagram<'_>, width: usize, paint: Paint) -> String {
    let drawn = |name| layout::draw(diagram, &Metrics { name, ..Metrics::CELLS });
    grid::write(&grid::fitting(drawn, width), width, paint)
}
