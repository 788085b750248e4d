//! `multitrace learn`: from sessions to a diagram that accepts them.

use crate::args::{GlobalArgs, LearnArgs};
use crate::failure::{CommandResult, note};
use crate::options;
use crate::output::{Output, ReadInputs, reject_inputs};
use multitrace::{ConvertTo, LearnOptions, RunOutcome, learn};
use multitrace_reports::text::counted;
use std::path::Path;

/// The most problems of inputs that are shown.
const SHOWN_PROBLEMS: usize = 5;

pub(crate) fn run(args: &LearnArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let to = match (args.to, &args.output) {
        (Some(to), _) => to,
        (None, Some(out)) => ConvertTo::of_path(out)?,
        (None, None) => ConvertTo::Markdown,
    };
    let mapping = args.events.as_deref().map(options::read_mapping).transpose()?;
    let inputs = options::inputs_of(mapping, &args.input, &args.inputs)?;
    if !global.quiet {
        inputs.notes().iter().for_each(|text| note(&format!("note: {text}")));
    }
    reject_own(args)?;
    let usual = LearnOptions::default();
    let memory =
        args.memory.map_or(usual.memory, |it| it.as_u64().try_into().unwrap_or(usize::MAX));
    let outliers = (!args.all).then_some(args.outliers / 100.0);
    let learnt = learn(inputs, LearnOptions { outliers, memory, ..usual })?;
    let shown = learnt.problems.iter().take(SHOWN_PROBLEMS);
    shown.for_each(|problem| note(&format!("{problem}")));
    if let Some(more) = learnt.problems.len().checked_sub(SHOWN_PROBLEMS).filter(|&it| it > 0) {
        note(&format!("and {more} more problems"));
    }
    if learnt.sessions == 0 {
        note("error: there is no session to learn from");
        let is_wrong = !learnt.problems.is_empty();
        return Ok(if is_wrong { RunOutcome::Error } else { RunOutcome::NothingChecked });
    }
    let names: Vec<String> = args.inputs.iter().map(|it| it.display().to_string()).collect();
    let converted = learnt.write(to, &names.join(", "))?;
    let mut output = Output::open(args.output.as_deref())?;
    output.write(converted.text.as_bytes())?;
    output.finish()?;
    if !global.quiet {
        note(&summary(&learnt));
    }
    Ok(if learnt.problems.is_empty() { RunOutcome::Clean } else { RunOutcome::Error })
}

/// What is written is never an input.
fn reject_own(args: &LearnArgs) -> CommandResult<()> {
    let files: Vec<&Path> = args.inputs.iter().chain(&args.events).map(|it| it.as_path()).collect();
    let exclude = options::exclusions(&args.input.exclude)?;
    let read = ReadInputs { files: &files, spec: None, exclude: &exclude };
    reject_inputs(args.output.as_deref().into_iter(), &read)
}

fn summary(learnt: &multitrace::Learnt) -> String {
    let left_out: u64 = learnt.outliers.iter().map(|it| it.count).sum();
    let mut text = format!(
        "learnt {} from {}",
        counted(learnt.evidence.arrows as u64, "arrow"),
        counted(learnt.sessions, "session"),
    );
    if left_out > 0 {
        text += &format!("; {} left out", counted(left_out, "session"));
    }
    if let Some(share) = learnt.evidence.held_out {
        text += &format!("; {:.1} % of unseen sessions pass", 100.0 * share);
    }
    text
}
