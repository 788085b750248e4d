//! Interactions as sequence diagrams.

mod arrows;
mod document;
mod extent;
mod extents;
mod frame;
mod heads;
mod layout;
mod rows;
mod subject;
#[cfg(test)]
mod tests;

use crate::paint::Paint;
use crate::pictures::drawing::Drawing;
use crate::pictures::grid;
use crate::pictures::metrics::Metrics;
use crate::pictures::svg::{Picture, SvgOptions};

pub use subject::{Diagram, Document, MOST_ROWS};

/// The diagram as SVG: the same bytes each time.
///
/// ```
/// use multitrace_formats::{hif, source::Source};
/// use multitrace_interaction::Locations;
/// use multitrace_reports::pictures::SvgOptions;
/// use multitrace_reports::pictures::diagram::{Diagram, MOST_ROWS, diagram_svg};
/// use multitrace_reports::pictures::overlay::Overlay;
/// let spec = hif::parse(&Source::new("a.hif", "a -- hello -> b"), None).expect("an interaction");
/// let diagram = Diagram {
///     interaction: &spec.interaction,
///     signature: &spec.signature,
///     locations: &Locations::discrete(&spec.signature),
///     labels: &[],
///     title: "greeting",
///     overlay: &Overlay::default(),
///     document: None,
///     rows: MOST_ROWS,
/// };
/// let svg = diagram_svg(&diagram, SvgOptions::default());
/// assert!(svg.starts_with("<svg") && svg.contains(">hello</text>"));
/// ```
///
/// # Panics
/// When interaction, signature and locations do not belong together.
pub fn diagram_svg(diagram: &Diagram<'_>, options: SvgOptions) -> String {
    diagram_picture(diagram).svg(options)
}

/// The diagram as a picture that can stand beside others.
///
/// # Panics
/// When interaction, signature and locations do not belong together.
pub fn diagram_picture(diagram: &Diagram<'_>) -> Picture {
    Picture(match diagram.document {
        Some(document) => document::drawing(diagram, document),
        None => layout::draw(diagram, &Metrics::PIXELS),
    })
}

/// The diagram as shapes, for a picture that holds it.
pub(crate) fn drawing(diagram: &Diagram<'_>, metrics: &Metrics) -> Drawing {
    layout::draw(diagram, metrics)
}

/// The diagram for a terminal of `width` cells. Names are cut until it fits, or wrapped if they are those of a
/// document; a picture that still does not fit is cut off at the right.
///
/// # Panics
/// When interaction, signature and locations do not belong together.
pub fn diagram_text(diagram: &Diagram<'_>, width: usize, paint: Paint) -> String {
    if let Some(document) = diagram.document {
        // A drawing takes one more cell than it is wide.
        let cells = document::cells(diagram, document, width.saturating_sub(1));
        return grid::write(&cells, width, paint);
    }
    let drawn = |name| layout::draw(diagram, &Metrics { name, ..Metrics::CELLS });
    grid::write(&grid::fitting(drawn, width), width, paint)
}
