//! `multitrace explain`: one session in full.

use crate::args::{ExplainArgs, ExplainFormat, GlobalArgs, Operands};
use crate::failure::{CommandResult, Failure, note, show_notes, show_problems};
use crate::options;
use crate::output::Output;
use crate::painting::paint;
use crate::words::WORDS;
use multitrace::{
    Error, ExplainOptions, ExplainedSession, Inputs, Monitor, Problems, RunOutcome, is_stream,
};
use multitrace_formats::shorten::CommandMarks;
use multitrace_reports::outputs::Paint;
use multitrace_reports::outputs::explain::{
    CodeMeaning, Layout, write_code, write_code_json, write_human, write_json,
};
use multitrace_reports::pictures::SvgOptions;
use multitrace_reports::pictures::space_time::{
    space_time_mermaid, space_time_shiviz, space_time_svg, space_time_text,
};
use multitrace_reports::timeline::Window;
use std::ops::ControlFlow;
use std::path::PathBuf;

pub(crate) fn run(args: &ExplainArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    if let Some(code) = code(args)? {
        return explain_code(code, args, global);
    }
    let Some(session) = &args.session else {
        return Err(Failure::new(
            "--session ID says which session to explain; `multitrace explain MT103` explains a code",
        ));
    };
    let (spec, paths) = options::operands(&args.operands)?;
    let headers_of = options::sessions(&args.events, paths);
    let monitor =
        options::monitor(spec, &args.checking.options, &args.input, headers_of, global.quiet)?;
    let inputs = || options::inputs(&args.events, &args.input, &monitor, paths);
    let (config, _) = options::check(&args.checking, true, &monitor)?;
    let memory = args.events.memory();
    let options =
        ExplainOptions { config, memory, threads: None, window: window(args), words: WORDS };
    let explain =
        |session: &str| explain_session(&monitor, inputs()?, session, options, (args, global));
    let (found, errors) = explain(session)?;
    if found > 0 || errors > 0 {
        return Ok(outcome(session, found, errors));
    }
    match &near_ids(session, paths, inputs, memory)?[..] {
        [only] => {
            note(&format!("note: no session is called {session:?}, but {only:?} begins so"));
            let (found, errors) = explain(only)?;
            Ok(outcome(only, found, errors))
        }
        ids => {
            note_near(ids);
            Ok(outcome(session, 0, 0))
        }
    }
}

/// How many ids are shown that begin as the one that was asked for.
const SHOWN_IDS: usize = 10;

/// Ids that begin as one that did not occur, since people copy the beginnings of ids. A stream cannot be read again.
pub(crate) fn near_ids(
    id: &str,
    paths: &[PathBuf],
    inputs: impl FnOnce() -> CommandResult<Inputs>,
    memory: usize,
) -> CommandResult<Vec<String>> {
    if paths.iter().any(|path| is_stream(path)) {
        return Ok(Vec::new());
    }
    Ok(inputs()?.ids_that_begin(id, memory, SHOWN_IDS + 1)?)
}

pub(crate) fn note_near(ids: &[String]) {
    ids.iter().take(SHOWN_IDS).for_each(|id| note(&format!("note: {id:?} begins so")));
    if ids.len() > SHOWN_IDS {
        note("note: others begin so, too");
    }
}

fn outcome(session: &str, found: u64, errors: u64) -> RunOutcome {
    match (found, errors) {
        (_, 1..) => RunOutcome::Error,
        (0, 0) => {
            note(&format!("error: no session is called {session:?}"));
            RunOutcome::NothingChecked
        }
        _ => RunOutcome::Clean,
    }
}

/// Explains all sessions of an id; how many there were, and how many problems of the input.
fn explain_session(
    monitor: &Monitor,
    inputs: Inputs,
    session: &str,
    options: ExplainOptions,
    (args, global): (&ExplainArgs, &GlobalArgs),
) -> CommandResult<(u64, u64)> {
    let marks = match args.output_format {
        ExplainFormat::Human | ExplainFormat::Picture | ExplainFormat::Shiviz => {
            Some(CommandMarks::TEXT)
        }
        ExplainFormat::Json => Some(CommandMarks::JSON),
        ExplainFormat::Svg => Some(CommandMarks::XML),
        ExplainFormat::Mermaid => Some(CommandMarks::MERMAID),
    };
    let mut output = Output::open(None)?.marked(marks);
    let (mut found, mut problems, mut failure) = (0_u64, Problems::default(), None);
    let mut each = |item| {
        match item {
            Ok(session) => {
                found += 1;
                failure = write(&session, monitor, args, global, &mut output).err();
            }
            // An input that cannot be read may hold the session.
            Err(problem) => problems.push(problem),
        }
        if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let ended = monitor.explain(inputs, session, options, &mut each);
    show_problems(&problems);
    let notes = match ended {
        Err(Error::Stopped) => return Err(failure.unwrap_or(Failure::BrokenPipe)),
        other => other?,
    };
    output.finish()?;
    show_notes(&notes);
    Ok((found, problems.count()))
}

/// The code to explain, if the only operand is one.
fn code(args: &ExplainArgs) -> CommandResult<Option<CodeMeaning>> {
    let Operands { spec: Some(spec), inputs } = &args.operands else { return Ok(None) };
    let Some(name) = spec.to_str().filter(|name| is_code(name)) else { return Ok(None) };
    if !inputs.is_empty() || args.session.is_some() || spec.exists() {
        return Ok(None);
    }
    CodeMeaning::of_name(name, WORDS).map(Some).map_err(Failure::new)
}

fn is_code(name: &str) -> bool {
    let digits = name.get(2..).unwrap_or("");
    let start = name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("MT"));
    start && digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn explain_code(
    code: CodeMeaning,
    args: &ExplainArgs,
    global: &GlobalArgs,
) -> CommandResult<RunOutcome> {
    if !is_text(args.output_format) {
        return Err(Failure::new(format!(
            "{}: a code has no picture; leave out --output-format, or use --output-format json",
            code.name
        )));
    }
    let mut output = Output::open(None)?;
    output.write_with(|out| match args.output_format {
        ExplainFormat::Json => write_code_json(&code, out),
        _ => write_code(&code, layout(paint(global.color, true)), out),
    })?;
    output.finish()?;
    Ok(RunOutcome::Clean)
}

fn is_text(format: ExplainFormat) -> bool {
    matches!(format, ExplainFormat::Human | ExplainFormat::Json)
}

/// Which events are shown.
fn window(args: &ExplainArgs) -> Window {
    // Pictures are cut on their own.
    if args.full || !is_text(args.output_format) {
        Window::Full
    } else {
        Window::Around(args.context)
    }
}

/// The width of a line where standard output is not a terminal and COLUMNS does not say.
const USUAL_WIDTH: usize = 100;
/// No line is laid out narrower: less would leave no room for the columns.
const LEAST_WIDTH: usize = 40;

/// The layout for the terminal.
fn layout(paint: Paint) -> Layout {
    Layout { width: terminal_width(), paint }
}

/// Tells that a picture for the terminal is cut at its right edge.
pub(crate) fn note_if_cut(picture: &str, width: usize) {
    // With colours, lines are longer than they are shown.
    let is_cut = |line: &str| {
        line.trim_end_matches("\u{1b}[0m").ends_with('…') && line.chars().count() >= width
    };
    if picture.lines().any(is_cut) {
        note(&format!(
            "note: the picture is cut after {width} columns; draw it as SVG, or set COLUMNS"
        ));
    }
}

/// Cells of a line of the terminal.
pub(crate) fn terminal_width() -> usize {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.or_else(columns).unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH)
}

fn write(
    session: &ExplainedSession,
    monitor: &Monitor,
    args: &ExplainArgs,
    global: &GlobalArgs,
    output: &mut Output,
) -> CommandResult<()> {
    let alphabet = monitor.alphabet();
    let explained = session.explained();
    let layout = layout(paint(global.color, true));
    match args.output_format {
        ExplainFormat::Json => output.write_with(|out| write_json(&explained, alphabet, out)),
        ExplainFormat::Human => {
            output.write_with(|out| write_human(&explained, alphabet, layout, out))
        }
        picture => {
            let drawn = drawn(picture, session, monitor, (args, layout));
            if picture == ExplainFormat::Picture && !global.quiet {
                note_if_cut(&drawn, layout.width);
            }
            output.write(drawn.as_bytes())
        }
    }
}

/// A session as a space-time diagram.
fn drawn(
    format: ExplainFormat,
    session: &ExplainedSession,
    monitor: &Monitor,
    (args, layout): (&ExplainArgs, Layout),
) -> String {
    let pairs = monitor.message_pairs();
    let context = if args.full { usize::MAX } else { args.context };
    let picture = session.space_time(monitor, &pairs, context);
    match format {
        ExplainFormat::Svg => space_time_svg(&picture, SvgOptions::default()),
        ExplainFormat::Mermaid => space_time_mermaid(&picture),
        ExplainFormat::Shiviz => space_time_shiviz(&picture),
        ExplainFormat::Picture | ExplainFormat::Human | ExplainFormat::Json => {
            space_time_text(&picture, layout.width, layout.paint)
        }
    }
}
