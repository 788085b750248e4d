//! How diagrams are read.

use clap::Args;
use multitrace_formats::diagram::{DiagramOptions, MessageNames};

/// How diagrams are read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Diagrams")]
pub(crate) struct DiagramArgs {
    /// How the texts on arrows name messages: label, first-word, call, or /REGEX/ [default: as a directive
    /// of the diagram says, else label]
    #[arg(long, value_name = "RULE")]
    pub(crate) messages: Option<MessageNames>,
    /// The participants of a box have a clock each
    #[arg(long)]
    pub(crate) no_boxes: bool,
}

impl DiagramArgs {
    /// Whether any of them was given.
    pub(crate) fn any(&self) -> bool {
        self.messages.is_some() || self.no_boxes
    }

    pub(crate) fn options(&self) -> DiagramOptions {
        DiagramOptions { messages: self.messages.clone(), boxes_are_locations: !self.no_boxes }
    }
}
