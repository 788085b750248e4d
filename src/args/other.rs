//! The arguments of `inspect`, `completions` and `man`.

use super::ReportFormat;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Show the content of a bundle
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace inspect shop.mtb
  multitrace inspect shop.mtb --verify
  multitrace inspect shop.mtb --export dot | dot -Tsvg > nfa.svg")]
pub(crate) struct InspectArgs {
    /// The bundle (.mtb)
    pub(crate) bundle: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: ReportFormat,
    /// Print its automaton instead
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "output_format")]
    pub(crate) export: Option<ExportFormat>,
    /// Compile the specification in it again, with its options, and compare: exit code 1 if this version
    /// gives another bundle, 2 if that cannot be told
    #[arg(long, conflicts_with = "export")]
    pub(crate) verify: bool,
    /// With --verify: the mapping in it must be the one of this file
    #[arg(long, value_name = "MAP.toml", requires = "verify")]
    pub(crate) events: Option<PathBuf>,
}

/// A format of automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// As `convert` writes it, for tools on automata
    Timbuk,
    /// For Graphviz
    Dot,
    /// One JSON object: states, letters, transitions, and the automaton of each location (its verifier) with its
    /// sets of paths (areas)
    Json,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  multitrace completions bash > ~/.local/share/bash-completion/completions/multitrace"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the man pages
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace man | man -l -                            the page of the tool
  multitrace man --output-dir ~/.local/share/man/man1  one page for the tool and one for each command")]
pub(crate) struct ManArgs {
    /// Write all pages into this folder [default: the page of the tool on standard output]
    #[arg(long, value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
}
