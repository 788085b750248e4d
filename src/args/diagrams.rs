//! How diagrams are read.

use clap::Args;
use multitrace::CompileOptions;
use multitrace_formats::diagram::DiagramOptions;

/// How diagrams are read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct DiagramArgs {
    /// How diagrams are read that do not say so themselves: self=local|send-receive,
    /// boxes=frames|locations, messages=label|first-word|call|/REGEX/, loops=weak|strict|…|2..5,
    /// allow=MT601,…
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub(crate) diagrams: Vec<DiagramOptions>,
    /// Do not judge messages that the specification does not mention, at these lifelines or at all of them
    #[arg(long, value_name = "all|LIFELINES")]
    pub(crate) unjudged: Option<String>,
    /// Events that are not in the log: all of a lifeline, an emission, all receptions: "a, b!m, c?*"
    #[arg(long, value_name = "EVENTS")]
    pub(crate) unlogged: Option<String>,
}

impl DiagramArgs {
    /// Whether anything was given.
    pub(crate) fn any(&self) -> bool {
        !self.diagrams.is_empty() || self.unjudged.is_some() || self.unlogged.is_some()
    }

    /// The options of the library.
    pub(crate) fn options(&self) -> CompileOptions {
        let mut diagrams = DiagramOptions::default();
        self.diagrams.iter().for_each(|given| diagrams.extend(given.clone()));
        CompileOptions {
            diagrams,
            unjudged: self.unjudged.clone(),
            unlogged: self.unlogged.clone(),
            ..CompileOptions::default()
        }
    }
}
