//! The arguments of `explain`.

use super::{CheckingArgs, ConfigArgs, EventArgs, InputArgs, Operands};
use clap::{Args, ValueEnum};

/// Explain one session (its faults, their places, the events expected there) or a code such as MT103
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  multitrace explain mqtt.hif sessions.jsonl --session s1
  multitrace explain MT103                                 the meaning of a code

Sessions of that name are explained one after the other. The exit code is 0 if a session has this
name, 2 on errors, and 3 if no session has it.")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) operands: Operands,
    /// The session to explain
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) session: Option<String>,
    /// How many events to show before and after each one that is wrong; short sessions are whole
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) context: usize,
    /// Show all events (pictures: at most 2,000)
    #[arg(long, conflicts_with = "context")]
    pub(crate) full: bool,
    /// How to print it
    #[arg(long, value_enum, default_value = "human", value_name = "FORMAT")]
    pub(crate) output_format: ExplainFormat,
    #[command(flatten)]
    pub(crate) checking: CheckingArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
}

/// How a session is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// For reading
    Human,
    /// One JSON object
    Json,
    /// A picture for the terminal: one lane a location, arrows between the two ends of a message
    Picture,
    /// The same as SVG
    Svg,
    /// The same as a Mermaid diagram
    Mermaid,
    /// A log with vector clocks, for ShiViz
    Shiviz,
}
