//! A diagram as its author drew it: conditions, notes, dividers, activations and boxes stay, and loops are
//! drawn once. Marks lie on it, by the places of the nodes in the text.

// `sketch` turns the model into items over columns, with the marks of `marks`. `extents` says how wide
// they are, `columns` places the columns, and `pen` draws down the page. Texts are wrapped, never cut. A
// picture for a terminal that is too narrow for texts between its columns has them on lines of their own.

mod arrows;
mod extents;
mod heads;
mod marks;
mod pen;
mod sketch;
mod style;
#[cfg(test)]
mod tests;

use crate::pictures::diagram::subject::{Diagram, Document};
use crate::pictures::drawing::Drawing;
use crate::pictures::{columns, metrics::Metrics};
use style::Style;

/// The picture in pixels.
pub(crate) fn drawing(subject: &Diagram<'_>, document: Document<'_>) -> Drawing {
    draw(subject, document, &Style::PIXELS)
}

/// The picture in cells, at most `width` of them where that is possible.
pub(crate) fn cells(subject: &Diagram<'_>, document: Document<'_>, width: usize) -> Drawing {
    let mut drawing = Drawing::default();
    for style in Style::cells(width) {
        drawing = draw(subject, document, &style);
        if usize::try_from(drawing.width).is_ok_and(|it| it <= width) {
            break;
        }
    }
    drawing
}

fn draw(subject: &Diagram<'_>, document: Document<'_>, style: &Style) -> Drawing {
    let metrics: &Metrics = &style.metrics;
    let heads = heads::Heads::new(subject, document, style);
    let marks = marks::Marks::new(subject, document);
    let sketch = sketch::Sketch::new(subject, document, &marks, style);
    let mut extents = extents::extents(&sketch.items, style);
    extents.needs.extend(heads.needs(style));
    let x = columns::place(heads.count(), metrics.margin, &mut extents.needs);
    pen::draw(subject, (&heads, &sketch), &extents, &x, style)
}
