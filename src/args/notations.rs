//! The arguments of `read`, `convert` and `fmt`.

use super::named::conversions;
use super::{ReadingArgs, RecordFormat};
use clap::Args;
use multitrace::ConvertTo;
use std::path::PathBuf;

/// Show how a specification is understood
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace read SPEC.md                                 all diagrams of a Markdown file
  multitrace read SPEC.md#login                           one of them, by the heading above it
  multitrace read login.puml --output-format json-lines
  multitrace read --check --deny-warnings specs/*.hif     only errors and warnings")]
pub(crate) struct ReadArgs {
    /// The specifications (.hif, .mmd, .puml, .md); - for standard input
    #[arg(required = true, value_name = "SPEC")]
    pub(crate) specs: Vec<PathBuf>,
    /// Show errors and warnings alone
    #[arg(long, conflicts_with = "output_format")]
    pub(crate) check: bool,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// How to print it
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: RecordFormat,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Write a specification in another notation
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace convert shop.hif -o shop.mmd              an interaction as a Mermaid diagram
  multitrace convert SPEC.md#login --to hif            a diagram in the form that HIBOU reads
  multitrace convert shop.hif -o shop.timbuk           its automaton

A construct that the notation lacks is an error, with its place.")]
pub(crate) struct ConvertArgs {
    /// The specification (.hif, .mmd, .puml, .md, .timbuk); - for standard input
    pub(crate) spec: PathBuf,
    /// Where to write; the extension says the notation [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The notation [default: as the extension of OUT says]
    #[arg(long, value_parser = conversions(), value_name = "NOTATION")]
    pub(crate) to: Option<ConvertTo>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// Lay out interactions (.hif) in one way; comments stay
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace fmt specs/*.hif              in place
  multitrace fmt --check specs/*.hif      exit code 1 if a file would change

Exit codes: 0 laid out, 1 with --check: a file would change, 2 bad usage or a file with errors.")]
pub(crate) struct FmtArgs {
    /// The files; - for standard input, which is written to standard output
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write nothing; name the files that would change, and end with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
}
