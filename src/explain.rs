//! `multitrace explain`: one session in full.

use crate::args::{ExplainArgs, ReportFormat};
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure, note};
use crate::options;
use crate::output::Output;
use crate::painting::paint;
use multitrace::reports::outputs::explain::{Explained, write_human, write_json};
use multitrace::{Error, ExplainedSession, Monitor};
use std::ops::ControlFlow;

pub(crate) fn run(args: &ExplainArgs) -> CommandResult<Exit> {
    let (spec, paths) = options::operands(&args.operands)?;
    let monitor = options::monitor(spec, &args.checking.options)?;
    let inputs = options::inputs(&args.events, &monitor, paths)?;
    let (config, _) = options::check(&args.checking, true, &monitor)?;
    let mut output = Output::open(None)?;
    let (mut found, mut errors, mut failure) = (0_u64, 0_u64, None);
    let mut each = |item| {
        match item {
            Ok(session) => {
                found += 1;
                failure = write(&session, &monitor, args, &mut output).err();
            }
            Err(problem) => {
                // An input that cannot be read may hold the session.
                errors += 1;
                note(&format!("{problem}"));
            }
        }
        if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let ended = monitor.explain(inputs, &args.session, config, args.events.memory(), &mut each);
    match ended {
        Err(Error::Stopped) => return Err(failure.unwrap_or(Failure::BrokenPipe)),
        other => other?,
    }
    output.finish()?;
    if errors > 0 {
        return Ok(Exit::Error);
    }
    if found == 0 {
        note(&format!("error: no session is called {:?}", args.session));
        return Ok(Exit::NothingChecked);
    }
    Ok(Exit::Clean)
}

fn write(
    session: &ExplainedSession,
    monitor: &Monitor,
    args: &ExplainArgs,
    output: &mut Output,
) -> CommandResult<()> {
    let alphabet = monitor.alphabet();
    let explained = Explained {
        verdict: &session.checked.verdict,
        explanation: session.explanation.clone(),
        witness: session.checked.witness.as_ref(),
        engine: session.engine,
    };
    let paint = paint(args.color, true);
    output.write_with(|out| match args.output_format {
        ReportFormat::Json => write_json(&explained, alphabet, out),
        ReportFormat::Human => write_human(&explained, alphabet, paint, out),
    })
}
