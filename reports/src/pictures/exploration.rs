//! Explorations: as SVG, with the diagram that remains at every node, and in the language of Graphviz.

mod card;
mod dot;
mod layout;
mod place;
mod subject;
#[cfg(test)]
mod tests;

use crate::pictures::metrics::Metrics;
use crate::pictures::svg::{self, SvgOptions};

pub use dot::exploration_dot;
pub use subject::{ExplorationPicture, MOST_NODES};

/// An exploration as SVG, from the top down: nodes in layers by their depth, each a box with the diagram
/// that remains. Two borders mean that a trace may end there. The same bytes each time.
///
/// # Panics
/// When exploration, signature and locations do not belong together.
pub fn exploration_svg(picture: &ExplorationPicture<'_>, options: SvgOptions) -> String {
    svg::write(&layout::draw(picture, &Metrics::PIXELS), options)
}
