//! `multitrace learn`: from sessions to a diagram that accepts them.

use crate::args::{ApplyChoice, GlobalArgs, LearnArgs, grouping_memory};
use crate::diff::compared;
use crate::failure::{CommandResult, Failure, note, show, show_notes, show_problems};
use crate::options;
use crate::output::{Output, ReadInputs, print, print_file, reject_inputs};
use crate::words::WORDS;
use multitrace::{
    Amendment, ChangedPlace, ConvertTo, Deviation, Error, Lacking, LearnOptions, Learnt,
    RunOutcome, SpecPath, Written, learn,
};
use multitrace_formats::shorten::push_line;
use multitrace_formats::source::quote;
use multitrace_formats::spec::SpecFormat;
use multitrace_logs::is_stdin;
use multitrace_reports::text::{counted, first_of};
use std::path::{Path, PathBuf};

/// The most inputs that the header names.
const SHOWN_INPUTS: usize = 5;

pub(crate) fn run(args: &LearnArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    reject_other_notation(args)?;
    options::reject_contradiction(args.to, args.output.as_deref())?;
    let to = match (args.to, &args.output) {
        (Some(to), _) => to,
        (None, Some(out)) if args.against.is_none() => ConvertTo::of_path(out)?,
        (None, _) => ConvertTo::Markdown,
    };
    if args.max_arrows.is_some() && !matches!(to, ConvertTo::Markdown | ConvertTo::PlantUml) {
        let message = "--max-arrows writes several diagrams, which only Markdown (.md) and PlantUML (.puml) files hold";
        return Err(Failure::new(message));
    }
    let given = (&args.inputs[..], &args.input);
    let mapping = options::given_or_proposed(&args.logs.events, given, global)?;
    let has_mapping = mapping.is_some();
    let inputs = options::inputs_of(mapping, &args.input, &args.inputs)?;
    reject_own(args)?;
    let learnt = learn(inputs, learn_options(args))?;
    show_problems(&learnt.problems);
    show_notes(&learnt.notes);
    if learnt.skipped > 0 {
        note(&format!("note: {}", learnt.skipped_text()));
    }
    if learnt.sessions == 0 {
        return Ok(without_sessions(args, has_mapping, &learnt));
    }
    if learnt.evidence.arrows == 0 && !learnt.outliers.is_empty() {
        note("error: every session is left out; --min-support and --outliers say how many may be");
        return Ok(RunOutcome::NothingChecked);
    }
    if let Some(path) = &args.against {
        return against(path, args, &learnt);
    }
    let notes = write(&learnt, to, args)?;
    if !global.quiet {
        notes.iter().for_each(|text| note(&format!("note: {text}")));
        note(&summary(&learnt));
        if args.logs.events.is_none() && has_mapping {
            show(&next_commands(args));
        }
    }
    Ok(if learnt.problems.count() == 0 { RunOutcome::Clean } else { RunOutcome::Error })
}

/// Says that there is nothing to learn from, and why a log may have been read as sessions.
fn without_sessions(args: &LearnArgs, has_mapping: bool, learnt: &Learnt) -> RunOutcome {
    note("error: there is no session to learn from");
    let is_read_once = |it: &PathBuf| is_stdin(it) || it.exists() && !it.is_file() && !it.is_dir();
    if !has_mapping && args.inputs.iter().any(is_read_once) {
        note(
            "note: without --events, standard input and pipes are read as sessions; `multitrace map --init` proposes a \
             mapping for a log",
        );
    }
    let is_wrong = learnt.problems.count() > 0;
    if is_wrong { RunOutcome::Error } else { RunOutcome::NothingChecked }
}

/// Writes the diagram; the notes on what its notation cannot say.
fn write(learnt: &Learnt, to: ConvertTo, args: &LearnArgs) -> CommandResult<Vec<String>> {
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
    Ok(converted.notes)
}

fn learn_options(args: &LearnArgs) -> LearnOptions {
    LearnOptions {
        outliers: (!args.all).then_some(args.outliers / 100.0),
        min_support: args.min_support,
        most_arrows: args.max_arrows.map(|it| it as usize),
        memory: grouping_memory(args.logs.memory),
        threads: None,
    }
}

/// How the log is checked from then on, where the mapping was proposed.
fn next_commands(args: &LearnArgs) -> String {
    let spec = match args.output.as_deref().filter(|out| !is_stdin(out)) {
        Some(out) => options::shown_path(out),
        None => "SPEC.md".to_owned(),
    };
    let logs = options::shown_paths(&args.inputs);
    format!(
        "from then on:\n  multitrace map --init {logs} > map.toml\n  multitrace check {spec} {logs} --events map.toml"
    )
}

/// Compares the sessions with a specification, or writes it with differences accepted.
fn against(path: &Path, args: &LearnArgs, learnt: &Learnt) -> CommandResult<RunOutcome> {
    let written = Written::open(path)?;
    let differences = learnt.deviations(&written)?;
    let name = path.display().to_string();
    if let Some(choice) = &args.apply {
        return apply((&written, &name), &chosen(choice, &differences)?, args, learnt);
    }
    let count: u64 = differences.iter().map(|it| it.count).sum();
    let mut text = String::new();
    let sessions = counted(learnt.sessions, "session");
    match count {
        0 => push_line(&mut text, format_args!("{name} accepts all {sessions}")),
        _ => push_line(&mut text, format_args!("{name} does not accept {count} of {sessions}")),
    }
    for (number, difference) in (1..).zip(&differences) {
        text += &described(number, difference);
    }
    text += &never_taken(&written, learnt)?;
    let monitors = [written.monitor, learnt.spec().compile(&learnt.compile_options())?.monitor];
    let names = [name, "the learnt diagram".to_owned()];
    print(&format!("{text}\n{}", compared(&monitors, &names)?))?;
    Ok(match (learnt.problems.count(), &differences[..]) {
        (0, []) => RunOutcome::Clean,
        (0, _) => RunOutcome::Violations,
        _ => RunOutcome::Error,
    })
}

/// The parts of a specification that no session takes, of those that pass; nothing if there are none, and for a bundle without
/// the text of its specification.
fn never_taken(written: &Written, learnt: &Learnt) -> CommandResult<String> {
    let covered = match learnt.coverage(written) {
        Err(Error::Lacking(Lacking::Text)) => return Ok(String::new()),
        covered => covered?,
    };
    let mut never = Vec::new();
    // Memory takes everything.
    let _ = covered.write_never_taken(WORDS, &mut never);
    Ok(match String::from_utf8_lossy(&never) {
        never if never.is_empty() => String::new(),
        never => format!("\n{}; {never}", covered.title()),
    })
}

/// A difference with its number, and the lines that change if it is accepted.
fn described(number: usize, difference: &Deviation) -> String {
    let Deviation { count, finding, change, renames, advice, .. } = difference;
    let finding = if finding.is_empty() { String::new() } else { format!(": {finding}") };
    let (count, named) = (counted(*count, "session"), difference.named());
    let mut text = String::new();
    push_line(&mut text, format_args!("  {number}: {count}{finding} (as {named})"));
    for (old, new) in renames {
        let [old, new] = [old, new].map(|it| quote(it));
        push_line(&mut text, format_args!("     to accept it: {old} is called {new}"));
    }
    match change {
        Err(why) => push_line(&mut text, format_args!("     cannot be accepted: {why}")),
        Ok(places) => {
            for ChangedPlace { line, lines } in places {
                text += &format!("     to accept it, from line {line} on:\n");
                for (is_new, line) in lines {
                    let mark = if *is_new { '+' } else { ' ' };
                    push_line(&mut text, format!("     {mark} {line}").trim_end());
                }
            }
        }
    }
    if let Some(advice) = advice {
        push_line(&mut text, format_args!("     note: {advice}"));
    }
    text
}

/// The differences that are to be accepted, with their numbers.
fn chosen<'d>(
    choice: &ApplyChoice,
    differences: &'d [Deviation],
) -> CommandResult<Vec<(usize, &'d Deviation)>> {
    let ApplyChoice::Numbers(numbers) = choice else {
        return Ok((1..).zip(differences).collect());
    };
    let of = |&number: &usize| {
        let found = number.checked_sub(1).and_then(|at| differences.get(at));
        let known = match differences.len() {
            0 => "there is no difference".to_owned(),
            1 => "the only difference is 1".to_owned(),
            all => format!("differences are 1 to {all}"),
        };
        let missing = || Failure::new(format!("--apply {number}: {known}"));
        Ok((number, found.ok_or_else(missing)?))
    };
    numbers.iter().map(of).collect()
}

/// Writes a specification with some of its differences accepted.
fn apply(
    (written, name): (&Written, &str),
    chosen: &[(usize, &Deviation)],
    args: &LearnArgs,
    learnt: &Learnt,
) -> CommandResult<RunOutcome> {
    let differences: Vec<&Deviation> = chosen.iter().map(|it| it.1).collect();
    let reasons = differences.iter().filter_map(|it| it.change.as_ref().err());
    if let Some(why) = reasons.copied().find(|it| it.is_of_specification()) {
        return Err(Failure::new(format!("--apply cannot change {name}: {why}")));
    }
    let Some(Amendment { text, failing, ids }) = learnt.accepted(written, &differences)? else {
        return Err(Failure::new(format!(
            "{name} is a bundle; --apply changes the text of a diagram"
        )));
    };
    for (number, difference) in chosen {
        if let Err(why) = difference.change
            && failing > 0
        {
            let named = difference.named();
            note(&format!("note: difference {number} cannot be accepted (as {named}): {why}"));
        }
    }
    let count: u64 = differences.iter().map(|it| it.count).sum::<u64>() - failing;
    let accepted = differences.iter().filter(|it| it.change.is_ok()).count();
    let differences = counted(accepted as u64, "difference");
    let mut summary =
        format!("{name} with {differences} accepted: {} more pass", counted(count, "session"));
    if failing > 0 {
        let (sessions, named) = (counted(failing, "session"), first_of(&ids, failing));
        summary += &format!(", and {sessions} still do not (as {named})");
    }
    note(&summary);
    let out = args.output.as_deref().filter(|out| !is_stdin(out));
    let mut output = Output::open(out)?;
    output.write(text.as_bytes())?;
    output.finish()?;
    Ok(match (learnt.problems.count(), failing == 0) {
        (0, true) => RunOutcome::Clean,
        (0, false) => RunOutcome::Violations,
        _ => RunOutcome::Error,
    })
}

/// A specification that is compared with is written in its own notation, and only if differences are accepted.
fn reject_other_notation(args: &LearnArgs) -> CommandResult<()> {
    let (Some(spec), Some(out)) = (&args.against, &args.output) else { return Ok(()) };
    if args.apply.is_none() {
        return Err(Failure::new(
            "--against writes nothing; --apply all -o OUT writes the diagram with the differences accepted",
        ));
    }
    let format = |path: &Path| SpecFormat::of_path(&SpecPath::of(path).file).ok();
    if !is_stdin(out) && !is_stdin(spec) && format(spec) != format(out) {
        let (spec, out) = (spec.display(), out.display());
        let message = format!(
            "--apply keeps the notation of {spec}, and {out} has the extension of another one"
        );
        return Err(Failure::new(message));
    }
    Ok(())
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
