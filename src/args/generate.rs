//! The arguments of `generate`.

use super::ReadingArgs;
use super::named::{GenerateKind, kinds, trace_parts};
use clap::{Args, ValueEnum};
use multitrace_interaction::generate::TracePart;
use std::path::PathBuf;

/// Generate sessions of a specification, right and wrong ones, or random specifications
#[derive(Debug, Args)]
#[command(after_help = "\
The same seed gives the same sessions. They are called after their kind and the number of the draw,
noise-17; draws that gave nothing new are left out. `of` in the field `made` names what a session
was made of: noise-17 of prefix-17, which --kind prefix --duplicates prints for the same seed.

Examples:
  multitrace generate mqtt.hif --kind accepted -n 1000 -o right.jsonl
  multitrace generate mqtt.mtb --kind noise -n 1000 --seed 7 | multitrace check mqtt.mtb - --observe prefix
  multitrace generate mqtt.hif --kind slice --all --exhaustive --max-loops 2 --output-format htf -o slices/
  multitrace generate protocol.timbuk --split 3 --kind central-error -n 100 --max-events 50
  multitrace generate --interactions 100 --lifelines 5 --messages 6 -o specs/")]
pub(crate) struct GenerateArgs {
    /// An interaction (.hif), a diagram (.mmd, .puml, .md), an automaton (.timbuk) or a bundle (.mtb); -
    /// for standard input
    #[arg(required_unless_present = "interactions")]
    pub(crate) spec: Option<PathBuf>,
    /// The kind of sessions to make
    #[arg(long, value_parser = kinds(), required_unless_present = "interactions")]
    pub(crate) kind: Option<GenerateKind>,
    /// How many sessions; with --all, from how many accepted ones [default: 10, with --exhaustive all]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) count: Option<usize>,
    /// Where random choices begin
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The fewest events of the accepted ones [default: 1, with --exhaustive 0]
    #[arg(long, value_name = "N")]
    pub(crate) min_events: Option<usize>,
    /// The most events of the accepted ones [default: 30, unless --max-loops bounds them]
    #[arg(long, value_name = "N")]
    pub(crate) max_events: Option<usize>,
    /// The fewest repetitions of loops in the accepted ones, all loops together [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) min_loops: Option<usize>,
    /// The most repetitions of loops in the accepted ones, all loops together
    #[arg(long, value_name = "N")]
    pub(crate) max_loops: Option<usize>,
    /// From all accepted ones within the bounds, the shortest first, in place of random ones
    #[arg(long)]
    pub(crate) exhaustive: bool,
    /// From all prefixes or slices of each accepted one, in place of one random one
    #[arg(long)]
    pub(crate) all: bool,
    /// The kind of sessions that noise and swaps are applied to [default: prefix]
    #[arg(long, value_parser = trace_parts(), value_name = "KIND")]
    pub(crate) of: Option<TracePart>,
    /// Keep sessions that were there before; takes constant memory
    #[arg(long)]
    pub(crate) duplicates: bool,
    /// Log the letters of an automaton at N locations, drawn at random by the seed
    #[arg(long, value_name = "N", conflicts_with = "locations",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) split: Option<u16>,
    /// Where to write: a file, or for htf and --interactions a new folder [default: standard output]
    #[arg(short, long, value_name = "FILE|DIR")]
    pub(crate) output: Option<PathBuf>,
    /// How to write sessions
    #[arg(long, value_enum, default_value = "json-lines", value_name = "FORMAT")]
    pub(crate) output_format: GenerateFormat,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) interactions: InteractionArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GenerateFormat {
    /// One JSON object a session
    JsonLines,
    /// One .htf file a session
    Htf,
}

/// The shape of random interactions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Random specifications")]
pub(crate) struct InteractionArgs {
    /// Write this many random interactions, i1.hif, i2.hif, …, and their signature.hsf
    #[arg(long, value_name = "N", requires = "output", conflicts_with_all = [
        "spec", "kind", "count", "min_events", "max_events", "min_loops", "max_loops", "exhaustive",
        "all", "of", "duplicates", "locations", "split", "signature", "output_format",
    ])]
    pub(crate) interactions: Option<usize>,
    /// How many lifelines they may use [default: 5]
    #[arg(long, value_name = "N", requires = "interactions",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) lifelines: Option<u16>,
    /// How many messages they may use [default: 6]
    #[arg(long, value_name = "N", requires = "interactions",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) messages: Option<u16>,
    /// The least depth of their normal form [default: 6]
    #[arg(long, value_name = "N", requires = "interactions",
          value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) min_depth: Option<u16>,
    /// The least number of symbols of their normal form [default: 20]
    #[arg(long, value_name = "N", requires = "interactions",
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) min_symbols: Option<u16>,
    /// The largest number of symbols [default: 60, or three times the least]
    #[arg(long, value_name = "N", requires = "interactions",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) max_symbols: Option<u16>,
}
