//! How specifications are read.

use clap::Args;
use multitrace::{CompileOptions, Error, read_signature};
use multitrace_formats::diagram::DiagramOptions;
use std::path::PathBuf;

/// How specifications are read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadingArgs {
    /// Which lifelines share a clock: "a,b;c" [default: as the diagram or the bundle says, else each has its
    /// own]; for an automaton, where its letters are logged: "left=a,b;right=c"
    #[arg(long, value_name = "GROUPS")]
    pub(crate) locations: Option<String>,
    /// A signature (.hsf): names it does not declare are errors [default: read off the spec]
    #[arg(long, value_name = "FILE.hsf")]
    pub(crate) signature: Option<PathBuf>,
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

impl ReadingArgs {
    /// Whether anything was given.
    pub(crate) fn any(&self) -> bool {
        let names = [&self.locations, &self.unjudged, &self.unlogged];
        names.iter().any(|it| it.is_some()) || self.signature.is_some() || !self.diagrams.is_empty()
    }

    /// The options of the library.
    pub(crate) fn options(&self) -> Result<CompileOptions, Error> {
        let mut diagrams = DiagramOptions::default();
        self.diagrams.iter().for_each(|given| diagrams.extend(given.clone()));
        Ok(CompileOptions {
            locations: self.locations.clone(),
            signature: self.signature.as_deref().map(read_signature).transpose()?,
            diagrams,
            unjudged: self.unjudged.clone(),
            unlogged: self.unlogged.clone(),
            ..CompileOptions::default()
        })
    }
}
