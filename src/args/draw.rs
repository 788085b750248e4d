//! What `draw` takes.

use super::DiagramArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Draw a specification, or its automaton
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace draw SPEC.md#login                      in the terminal
  multitrace draw shop.hif -o shop.svg               for a page; light and dark
  multitrace draw shop.mtb --what nfa -o shop.dot    the automaton, for Graphviz")]
pub(crate) struct DrawArgs {
    /// The specification (.hif, .mmd, .puml, .md), for an automaton also .timbuk and bundles (.mtb); - for
    /// standard input
    pub(crate) spec: PathBuf,
    /// Where to write; the extension says the format: .svg, .txt, .dot [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The format [default: as the extension of OUT says, else text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<DrawFormat>,
    /// What to draw
    #[arg(long, value_enum, default_value = "diagram", value_name = "WHAT")]
    pub(crate) what: DrawWhat,
    /// Fill the background of SVG, for viewers that have none
    #[arg(long)]
    pub(crate) background: bool,
    /// Which lifelines share a clock: "a,b;c" [default: the boxes of the diagram, else each has its own]
    #[arg(long, value_name = "GROUPS")]
    pub(crate) locations: Option<String>,
    #[command(flatten)]
    pub(crate) diagrams: DiagramArgs,
}

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawFormat {
    /// For pages
    Svg,
    /// For a terminal
    Text,
    /// For Graphviz, automata only
    Dot,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawWhat {
    /// The sequence diagram
    Diagram,
    /// The automaton
    Nfa,
}
