//! `multitrace learn`: from sessions to a diagram that accepts them.

use crate::args::{GlobalArgs, LearnArgs, grouping_memory};
use crate::diff::compared;
use crate::failure::{CommandResult, Failure, note};
use crate::options;
use crate::output::{Output, ReadInputs, print, print_file, reject_inputs};
use multitrace::{ConvertTo, LearnOptions, Learnt, Mapping, Monitor, Outlier, RunOutcome, learn};
use multitrace_formats::problem::InputProblem;
use multitrace_formats::shorten::visible_lines;
use multitrace_formats::source::Source;
use multitrace_logs::{is_stdin, propose};
use multitrace_reports::text::{counted, first_of};
use std::fs::File;
use std::path::Path;

/// The most problems of inputs that are shown.
const SHOWN_PROBLEMS: usize = 5;
/// The most inputs that the header names.
const SHOWN_INPUTS: usize = 5;
/// The most kinds of sessions that are shown.
const SHOWN_SESSIONS: usize = 20;

pub(crate) fn run(args: &LearnArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let to = match (args.to, &args.output) {
        (Some(to), _) => to,
        (None, Some(out)) => ConvertTo::of_path(out)?,
        (None, None) => ConvertTo::Markdown,
    };
    let mapping = match &args.logs.events {
        Some(path) => Some(options::read_mapping(path)?),
        None => proposed(args, global)?,
    };
    let inputs = options::inputs_of(mapping, &args.input, &args.inputs)?;
    if !global.quiet {
        inputs.notes().iter().for_each(|text| note(&format!("note: {text}")));
    }
    reject_own(args)?;
    let memory = grouping_memory(args.logs.memory);
    let outliers = (!args.all).then_some(args.outliers / 100.0);
    let learnt = learn(inputs, LearnOptions { outliers, min_support: args.min_support, memory })?;
    show_problems(&learnt.problems);
    if learnt.skipped > 0 {
        note(&format!("note: {}", learnt.skipped_text()));
    }
    if learnt.sessions == 0 {
        note("error: there is no session to learn from");
        let is_wrong = !learnt.problems.is_empty();
        return Ok(if is_wrong { RunOutcome::Error } else { RunOutcome::NothingChecked });
    }
    if learnt.evidence.arrows == 0 && !learnt.outliers.is_empty() {
        note("error: every session is left out; --min-support and --outliers say how many may be");
        return Ok(RunOutcome::NothingChecked);
    }
    if let Some(path) = &args.against {
        return against(path, &learnt);
    }
    let names = args.inputs.iter().take(SHOWN_INPUTS).map(|it| it.display().to_string());
    let names = first_of(&names.collect::<Vec<_>>(), args.inputs.len() as u64);
    let converted = learnt.write(to, &names).inspect_err(|_| {
        note(
            "note: a name of the logs cannot be written in this notation; --to hif writes every name, and \
             [rename.lifelines] in a mapping gives others",
        );
    })?;
    match args.output.as_deref().filter(|out| !is_stdin(out)) {
        None => print_file(&converted.text)?,
        out => {
            let mut output = Output::open(out)?;
            output.write(converted.text.as_bytes())?;
            output.finish()?;
        }
    }
    if !global.quiet {
        converted.notes.iter().for_each(|text| note(&format!("note: {text}")));
        note(&summary(&learnt));
    }
    Ok(if learnt.problems.is_empty() { RunOutcome::Clean } else { RunOutcome::Error })
}

/// Prints the problems of inputs.
pub(crate) fn show_problems(problems: &[InputProblem]) {
    problems.iter().take(SHOWN_PROBLEMS).for_each(|problem| note(&format!("{problem}")));
    if let Some(more) = problems.len().checked_sub(SHOWN_PROBLEMS).filter(|&it| it > 0) {
        note(&format!("and {} more", counted(more as u64, "problem")));
    }
}

/// A mapping for the first input, if it holds no sessions.
fn proposed(args: &LearnArgs, global: &GlobalArgs) -> CommandResult<Option<Mapping>> {
    let Some(path) = args.inputs.first().filter(|path| !is_stdin(path) && path.is_file()) else {
        return Ok(None);
    };
    let file = File::open(path).map_err(|error| Failure::io(path, &error))?;
    // Sessions need no mapping, and problems are reported when the input is read as sessions.
    let Ok(text) = propose(&path.display().to_string(), file) else { return Ok(None) };
    if !global.quiet {
        note(&format!(
            "note: no mapping was given; this one is proposed (keep it with `multitrace map --init {}`):\n{}",
            path.display(),
            visible_lines(&text)
        ));
    }
    Ok(Some(Mapping::parse(&Source::new("the proposed mapping", text)).map_err(Failure::source)?))
}

/// Compares the sessions with a specification.
fn against(path: &Path, learnt: &Learnt) -> CommandResult<RunOutcome> {
    let written = Monitor::open(path, None)?;
    let rejected = learnt.rejected_by(&written)?;
    let name = path.display().to_string();
    let count: u64 = rejected.iter().map(|it| it.count).sum();
    let mut text =
        format!("{name} does not accept {count} of {}\n", counted(learnt.sessions, "session"));
    for outlier in rejected.iter().take(SHOWN_SESSIONS) {
        let Outlier { count, finding, .. } = outlier;
        let finding = finding.as_deref().unwrap_or("not looked at");
        text += &format!("  {count}: {finding} (as {})\n", outlier.named());
    }
    let more: u64 = rejected.iter().skip(SHOWN_SESSIONS).map(|it| it.count).sum();
    if more > 0 {
        text += &format!("  and {} more\n", counted(more, "session"));
    }
    let monitors = [written, learnt.spec().compile(&learnt.compile_options())?.monitor];
    let names = [name, "what sessions do".to_owned()];
    print(&format!("{text}\n{}", compared(&monitors, &names)?))?;
    Ok(match (&learnt.problems[..], &rejected[..]) {
        ([_, ..], _) => RunOutcome::Error,
        ([], [_, ..]) => RunOutcome::Violations,
        ([], []) => RunOutcome::Clean,
    })
}

/// A file that is written must not be an input.
fn reject_own(args: &LearnArgs) -> CommandResult<()> {
    let files: Vec<&Path> =
        args.inputs.iter().chain(&args.logs.events).map(|it| it.as_path()).collect();
    let exclude = options::exclusions(&args.input.exclude)?;
    let read = ReadInputs { files: &files, spec: None, exclude: &exclude };
    reject_inputs(args.output.as_deref().into_iter(), &read)
}

fn summary(learnt: &Learnt) -> String {
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
