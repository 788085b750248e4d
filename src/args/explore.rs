//! The arguments of `explore`.

use super::named::strategies;
use super::{EventArgs, InputArgs, ReadingArgs};
use clap::{Args, ValueEnum};
use multitrace::Strategy;
use std::path::PathBuf;

/// Follow a specification step by step, or see how it explains a session
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace explore shop.hif                             three steps from the start
  multitrace explore shop.hif --after 'a!order.b?order' --depth 1    the events that can come next
  multitrace explore shop.hif --merge -o shop.svg         a picture; equal states are one node
  multitrace explore shop.hif log.jsonl --session s1 -o s1.svg    how a session is explained

Exit codes: 0 explored, 2 bad usage, specification or input, 3 no session has this name.")]
pub(crate) struct ExploreArgs {
    /// The specification (.hif, .mmd, .puml, .md), or a bundle (.mtb) of one; - for standard input
    pub(crate) spec: PathBuf,
    /// The inputs with the session, as for `explain`
    #[arg(requires = "session")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Show how this session is explained: the rest of the specification and of the logs after each
    /// event, in every order of events that is possible
    #[arg(long, value_name = "ID", allow_hyphen_values = true, requires = "inputs")]
    pub(crate) session: Option<String>,
    /// Begin after these actions, "a!m.b?m"
    #[arg(long, value_name = "TRACE", conflicts_with = "session")]
    pub(crate) after: Option<String>,
    /// Where to write; the extension says the format: .svg, .dot, .json, .txt [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The format [default: as the extension of OUT says, else text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<ExploreFormat>,
    /// Fill the background of SVG, for viewers that have none
    #[arg(long)]
    pub(crate) background: bool,
    #[command(flatten)]
    pub(crate) extent: ExtentArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
}

/// The part that is explored, and how far.
#[derive(Debug, Args)]
#[command(next_help_heading = "Extent")]
pub(crate) struct ExtentArgs {
    /// The most steps from the start [default: 3; with --session, no limit]
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,
    /// The most nodes
    #[arg(long, value_name = "N", default_value_t = 200,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub(crate) most_nodes: usize,
    /// The most repetitions of loops that begin along a path; those of nested loops add up
    #[arg(long, value_name = "N")]
    pub(crate) max_loops: Option<u32>,
    /// Which steps to follow first; it matters where the nodes do not suffice
    #[arg(long, value_parser = strategies(), default_value = "bfs", value_name = "STRATEGY")]
    pub(crate) strategy: Strategy,
    /// Follow only the events of these lifelines: "a,b"
    #[arg(long, value_name = "LIFELINES")]
    pub(crate) only: Option<String>,
    /// Make nodes with the same rest one node, a graph in place of a tree; so it is with --session
    #[arg(long)]
    pub(crate) merge: bool,
    /// Stop when one way to explain the session is found; best with --strategy dfs
    #[arg(long, requires = "session")]
    pub(crate) first: bool,
}

/// A format of explorations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExploreFormat {
    /// For a terminal
    Text,
    /// For pages, with a diagram at each node
    Svg,
    /// For Graphviz
    Dot,
    /// One JSON object
    Json,
}
