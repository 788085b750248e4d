//! The arguments of `learn`.

use super::InputArgs;
use super::coverage::percent;
use super::events::EventLogArgs;
use super::named::conversions;
use clap::Args;
use multitrace::ConvertTo;
use std::path::PathBuf;

/// Which differences are accepted.
#[derive(Clone, Debug)]
pub(crate) enum ApplyChoice {
    All,
    Numbers(Vec<usize>),
}

fn apply_choice(text: &str) -> Result<ApplyChoice, String> {
    let wrong = |_| format!("{text:?} is neither `all` nor numbers of differences, as 1,3");
    match text {
        "all" => Ok(ApplyChoice::All),
        _ => {
            let numbers = text.split(',').map(|it| it.trim().parse());
            numbers.collect::<Result<_, _>>().map(ApplyChoice::Numbers).map_err(wrong)
        }
    }
}

/// Learn a diagram from sessions, and check it against them
#[derive(Debug, Args)]
#[command(after_help = "\
The diagram is compiled, and every session is checked against it: each one passes, or is listed as left out.

Examples:
  multitrace learn sessions.jsonl -o SPEC.md                 a Mermaid diagram, with its evidence
  multitrace learn logs/ --events map.toml -o shop.hif       out of event logs, as an interaction
  multitrace check SPEC.md sessions.jsonl                    from then on
  multitrace learn sessions.jsonl --against SPEC.md          differences between sessions and a diagram
  multitrace learn … --against SPEC.md --apply 1,3 -o SPEC.md   the diagram, such that it accepts the differences 1 and 3

Without --events, a mapping is proposed for files that are not sessions, as `map --init` does.

Exit codes: 0 learnt, 1 with --against: it does not accept a session, or a difference cannot be accepted, 2 bad usage or an input that cannot be read, 3 there is no session.")]
pub(crate) struct LearnArgs {
    /// Sessions: .htf and .jsonl files, packed or not, folders of them, patterns, or - for standard
    /// input; or event logs, see --events
    #[arg(required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Where to write; the extension says the notation: .md, .mmd, .puml, .hif [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The notation [default: as the extension of OUT says, else markdown]
    #[arg(long, value_parser = conversions(), value_name = "NOTATION")]
    pub(crate) to: Option<ConvertTo>,
    /// Compare with this specification instead: the sessions that it does not accept, with the change of a diagram that accepts
    /// them, and an example that either accepts alone
    #[arg(long, value_name = "SPEC", conflicts_with = "to")]
    pub(crate) against: Option<PathBuf>,
    /// Write SPEC such that it accepts the differences of these numbers, as 1,3, or all that can be accepted
    #[arg(long, value_name = "NUMBERS|all", requires = "against", value_parser = apply_choice)]
    pub(crate) apply: Option<ApplyChoice>,
    /// The most sessions that may be left out, since they say little of the others; those with a missing log or end of
    /// a log are left out in any case
    #[arg(long, value_name = "SHARE%", value_parser = percent, default_value = "5%")]
    pub(crate) outliers: f64,
    /// Leave out sessions, too, that have a message, or one right after another at a lifeline, that fewer sessions have
    #[arg(long, value_name = "SESSIONS", default_value_t = 1)]
    pub(crate) min_support: u64,
    /// Write a diagram of more arrows as several in one file, which refer to one another; 30 arrows are a screen
    #[arg(long, value_name = "ARROWS", conflicts_with = "against", value_parser = clap::value_parser!(u32).range(4..))]
    pub(crate) max_arrows: Option<u32>,
    /// Leave no session out
    #[arg(long, conflicts_with_all = ["outliers", "min_support"])]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) logs: EventLogArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
}
