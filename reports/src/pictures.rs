//! Pictures: interactions as sequence diagrams, sessions as space-time diagrams.
//!
//! * [`diagram`]: an interaction, as SVG or as text for a terminal;
//! * [`overlay`]: what is marked in it, such as how often each part was taken.
//
// A picture is made in two steps. A layout turns what is drawn into shapes at whole coordinates; its
// `Metrics` are pixels or cells of a terminal. Then `svg` or `grid` writes the shapes. So both
// show the same, and neither knows what an interaction is.

#[cfg(test)]
mod checks;
mod columns;
pub mod diagram;
mod drawing;
mod grid;
mod measure;
pub mod overlay;
mod passings;
mod script;
mod svg;

pub use drawing::Tone;
