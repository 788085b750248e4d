//! Pictures: interactions as sequence diagrams, sessions as space-time diagrams, automata as graphs.
//!
//! * [`diagram`]: an interaction, as SVG or as text for a terminal;
//! * [`space_time`]: a session that was explained, as SVG, as text, as Mermaid and for ShiViz;
//! * [`automaton`]: an automaton, as SVG and DOT;
//! * [`exploration`]: an execution tree or the analysis graph of a session, as SVG and DOT;
//! * [`overlay`]: marks in it, such as how often each part was taken.
//
// A picture is made in two steps. A layout turns a subject into shapes at whole coordinates; its
// `Metrics` are pixels or cells of a terminal. Then `svg` or `grid` writes the shapes. So both
// show the same, and neither knows interactions.

pub mod automaton;
#[cfg(test)]
mod checks;
mod columns;
pub mod diagram;
mod drawing;
pub mod exploration;
mod gallery;
mod grid;
mod measure;
mod message_pairs;
mod metrics;
pub mod overlay;
#[cfg(feature = "png")]
mod png;
mod script;
pub mod space_time;
mod svg;

pub use drawing::Tone;
pub use gallery::{beside, gallery};
pub use message_pairs::MessagePairs;
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use svg::{Colors, Picture, SvgOptions, style_sheet};
