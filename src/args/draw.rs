//! The arguments of `draw`.

use super::named::observations;
use super::{CompileOptionArgs, EventArgs, InputArgs};
use clap::{Args, ValueEnum};
use multitrace::Observation;
use std::path::PathBuf;

/// Draw a specification, its automata, or the parts that sessions took
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace draw SPEC.md#login                      in the terminal
  multitrace draw shop.hif -o shop.svg               for a page; light and dark
  multitrace draw shop.hif logs/ --coverage -o taken.svg     the parts that passing sessions took
  multitrace draw shop.hif logs/ --explain s17       explained events, and faults, of a session
  multitrace draw shop.mtb --what nfa -o shop.dot    the automaton, for Graphviz
  multitrace draw shop.mtb logs/ --what areas --explain s17 -o areas.svg")]
pub(crate) struct DrawArgs {
    /// The specification (.hif, .mmd, .puml, .md) or a bundle (.mtb), for automata also .timbuk; - for
    /// standard input
    pub(crate) spec: PathBuf,
    /// Sessions or event logs, for --coverage and --explain
    pub(crate) inputs: Vec<PathBuf>,
    /// Where to write; the extension says the format: .svg, .png, .txt, .dot [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The format [default: as the extension of OUT says, else text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<DrawFormat>,
    /// The picture to draw
    #[arg(long, value_enum, default_value = "diagram", value_name = "WHAT")]
    pub(crate) what: DrawWhat,
    /// Mark the parts that the passing sessions of the inputs took
    #[arg(long, requires = "inputs")]
    pub(crate) coverage: bool,
    /// Mark a session of the inputs: its explained events, and its faults
    #[arg(
        long,
        requires = "inputs",
        conflicts_with = "coverage",
        value_name = "ID",
        allow_hyphen_values = true
    )]
    pub(crate) explain: Option<String>,
    /// Draw only this location; for --what local, areas and look-ahead
    #[arg(long, value_name = "NAME")]
    pub(crate) location: Option<String>,
    /// Fill the background of SVG, for viewers that have none
    #[arg(long)]
    pub(crate) background: bool,
    /// The observation mode: which parts of logs may be missing [default: as the bundle says, else complete]
    #[arg(long, value_parser = observations())]
    pub(crate) observe: Option<Observation>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) options: CompileOptionArgs,
}

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawFormat {
    /// For pages
    Svg,
    /// For where SVG is not shown; only in a build with the feature `png`
    Png,
    /// For a terminal, diagrams only
    Text,
    /// For Graphviz, automata only
    Dot,
}

/// The kinds of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawWhat {
    /// The sequence diagram
    Diagram,
    /// The automaton
    Nfa,
    /// The automaton of each location, which accepts its logs
    Local,
    /// Each location's automaton, with the sets of paths of the global one (areas) that its logs can belong to; with
    /// --explain those of a session
    Areas,
    /// The logs that each location can still have, from their ends (look-ahead)
    LookAhead,
}
