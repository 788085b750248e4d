//! Arguments of `check` and `explain` for facts that names of inputs do not tell.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use multitrace_formats::sessions::SessionFormat;
use multitrace_logs::Format;
use std::path::PathBuf;

/// How inputs are read, beside their names.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Inputs")]
pub(crate) struct InputArgs {
    /// The format of all inputs: json-lines or htf for sessions; for event logs one of docs/events.md,
    /// in place of the mapping's [default: by extension, then by the first bytes]
    #[arg(long, value_parser = input_formats(), value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) input_format: Option<InputFormat>,
    /// The name of standard input in messages and reports; the extension tells its format
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<String>,
    /// Files of folders and patterns that are not read: names such as '*.tmp', or paths from the folder; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
}

/// A name among those of the formats of sessions and of event logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputFormat {
    pub(crate) name: String,
    /// The same for sessions.
    pub(crate) sessions: Option<SessionFormat>,
    /// The same for event logs.
    pub(crate) events: Option<Format>,
}

fn input_formats() -> impl TypedValueParser<Value = InputFormat> {
    let sessions = SessionFormat::ALL.map(SessionFormat::name);
    let events = Format::names().filter(move |name| !sessions.contains(name));
    PossibleValuesParser::new(sessions.into_iter().chain(events)).map(|name| InputFormat {
        sessions: SessionFormat::named(&name),
        events: Format::named(&name),
        name,
    })
}

/// The specification and the inputs of a check. A configuration file may name either.
#[derive(Clone, Debug, Args)]
pub(crate) struct Operands {
    /// A bundle (.mtb), or a specification (.hif, .mmd, .puml, .md, .timbuk) to compile in memory; - for
    /// standard input
    pub(crate) spec: Option<PathBuf>,
    /// Sessions: .htf and .jsonl files, packed or not, folders of them, patterns, or - for standard
    /// input; or event logs, see --events
    pub(crate) inputs: Vec<PathBuf>,
}
