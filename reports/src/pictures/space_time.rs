//! One explained session as a space-time diagram: a lane for each location, the events down the page,
//! and an arrow from each emission to its receptions.

mod cut;
mod event;
mod layout;
mod links;
mod mermaid;
mod notes;
mod order;
pub(crate) mod scene;
mod shiviz;
mod story;
mod subject;
#[cfg(test)]
mod tests;

use crate::paint::Paint;
use crate::pictures::metrics::Metrics;
use crate::pictures::svg::SvgOptions;
use crate::pictures::{grid, svg};
use multitrace_formats::remedy::Words;
use story::Story;

pub use scene::Scene;
pub use subject::{Cut, SpaceTime};

/// The most characters of a line of notes in an SVG.
const NOTE_WIDTH: usize = 90;

impl Scene {
    /// As SVG, in the words of a front end: the same bytes each time.
    pub fn svg(&self, words: Words, options: SvgOptions) -> String {
        svg::write(&layout::draw(self, words, &Metrics::PIXELS, NOTE_WIDTH), options)
    }
}

/// The session as SVG: the same bytes each time.
pub fn space_time_svg(session: &SpaceTime<'_>, options: SvgOptions) -> String {
    Scene::new(session).svg(session.words, options)
}

/// The session for a terminal of `width` cells. Names are cut until it fits; a picture that still does not fit is cut
/// off at the right.
pub fn space_time_text(session: &SpaceTime<'_>, width: usize, paint: Paint) -> String {
    let (scene, words) = (Scene::new(session), session.words);
    let notes = width.saturating_sub(4).max(20);
    let drawn = |name| layout::draw(&scene, words, &Metrics { name, ..Metrics::CELLS }, notes);
    grid::write(&grid::fitting(drawn, width), width, paint)
}

/// The session as a sequence diagram of Mermaid. A message stands where it is received, and a finding in a note.
pub fn space_time_mermaid(session: &SpaceTime<'_>) -> String {
    mermaid::write(session, &Story::new(session))
}

/// The session for ShiViz: a line for each event, with its host, vector clock and text. Its regular
/// expression is `^(?<host>\S+) (?<clock>\{.*?\}) (?<event>.*)$`.
pub fn space_time_shiviz(session: &SpaceTime<'_>) -> String {
    shiviz::write(&Story::new(session))
}
