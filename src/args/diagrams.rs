//! How diagrams are read.

use clap::Args;
use multitrace_formats::diagram::DiagramOptions;

/// How diagrams are read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Diagrams")]
pub(crate) struct DiagramArgs {
    /// How diagrams are read that do not say so themselves: self=local|send-receive,
    /// boxes=frames|locations, messages=label|first-word|call|/REGEX/, loops=weak|strict|…|2..5,
    /// allow=MT601,…
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub(crate) diagrams: Vec<DiagramOptions>,
}

impl DiagramArgs {
    /// Whether anything was given.
    pub(crate) fn any(&self) -> bool {
        !self.diagrams.is_empty()
    }

    pub(crate) fn options(&self) -> DiagramOptions {
        let mut all = DiagramOptions::default();
        self.diagrams.iter().for_each(|given| all.extend(given.clone()));
        all
    }
}
