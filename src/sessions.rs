//! `multitrace sessions`: the sessions that a check would judge, as lines.

use crate::args::{SessionsArgs, grouping_memory};
use crate::explain::{near_ids, note_near};
use crate::failure::{CommandResult, Failure, note, show, show_notes};
use crate::options;
use crate::output::{Output, ReadInputs, reject_inputs};
use crate::words::WORDS;
use multitrace::{EVENT_LOGS, RunOutcome, SessionFilter, WriteOptions, WrittenSessions};
use multitrace_formats::selection::IdList;
use multitrace_formats::shorten::{CommandMarks, visible_json};
use multitrace_reports::first_errors::SHOWN_PROBLEMS;
use multitrace_reports::text::counted;
use std::ops::ControlFlow;
use std::path::Path;

pub(crate) fn run(args: &SessionsArgs) -> CommandResult<RunOutcome> {
    let mapping = args.events.as_deref().map(options::read_mapping).transpose()?;
    let open = || options::inputs_of(mapping.clone(), &args.input, &args.inputs);
    let inputs = open()?;
    let exclude = options::exclusions(&args.input.exclude)?;
    let files: Vec<&Path> =
        args.inputs.iter().chain(&args.events).map(std::path::PathBuf::as_path).collect();
    let read = ReadInputs { files: &files, spec: None, exclude: &exclude };
    reject_inputs(args.output.as_deref().into_iter(), &read)?;
    let mut sink = Sink::open(args.output.as_deref())?;
    let (mut sessions, mut problems, mut failure) = (0_u64, 0_u64, None);
    let options = options_of(args);
    let memory = options.memory;
    let written = inputs.each_line(options, &mut |line| {
        match line {
            Ok(line) => {
                sessions += 1;
                failure = sink.write(&line).err();
            }
            Err(problem) => {
                problems += 1;
                if problems <= SHOWN_PROBLEMS {
                    show(&problem.to_string());
                }
            }
        }
        if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let WrittenSessions { missing, notes } = match (failure, written) {
        (Some(Failure::BrokenPipe), _) if problems > 0 => return Ok(RunOutcome::Error),
        (Some(failure), _) => return Err(failure),
        (None, written) => written?,
    };
    let finished = sink.finish();
    if !matches!(finished, Err(Failure::BrokenPipe)) {
        finished?;
    }
    show_notes(&notes);
    if problems > SHOWN_PROBLEMS {
        note(&format!("error: {} more like these", counted(problems - SHOWN_PROBLEMS, "problem")));
    }
    if sessions == 0 && problems == 0 && missing.is_empty() {
        note(
            "error: the inputs hold no session; `multitrace map --explain` says what becomes of each record",
        );
    }
    if sessions == 0 && problems > 0 && args.events.is_none() {
        note(&format!("note: {}", WORDS.text(EVENT_LOGS)));
    }
    // One more reading is enough.
    if let [id] = &missing[..] {
        note_near(&near_ids(id, &args.inputs, open, memory)?);
    }
    missing.iter().for_each(|id| note(&format!("error: no session {id:?}")));
    Ok(match (problems > 0 || !missing.is_empty(), sessions) {
        (true, _) => RunOutcome::Error,
        (false, 0) => RunOutcome::NothingChecked,
        (false, _) => RunOutcome::Clean,
    })
}

/// Where sessions go.
enum Sink {
    Lines(Output),
    #[cfg(feature = "columnar")]
    Table(Output, Box<multitrace_logs::SessionTable>),
}

impl Sink {
    /// A table where the file is called so, and lines elsewhere.
    fn open(path: Option<&Path>) -> CommandResult<Sink> {
        let is_table = path.and_then(Path::extension).is_some_and(|it| it == "parquet");
        #[cfg(feature = "columnar")]
        if is_table {
            let table = multitrace_logs::SessionTable::new();
            let table = table.map_err(|error| Failure::output(&error))?;
            return Ok(Sink::Table(Output::open(path)?, Box::new(table)));
        }
        #[cfg(not(feature = "columnar"))]
        if is_table {
            return Err(Failure::new(
                "this build of multitrace cannot write Parquet; install a release or the wheel, or build with: cargo \
                 build --release --features columnar",
            ));
        }
        Ok(Sink::Lines(Output::open(path)?.marked(Some(CommandMarks::JSON))))
    }

    fn write(&mut self, line: &str) -> CommandResult<()> {
        match self {
            Sink::Lines(output) => output.write(format!("{}\n", visible_json(line)).as_bytes()),
            #[cfg(feature = "columnar")]
            Sink::Table(output, table) => {
                let bytes = table.add(line).map_err(|error| Failure::output(&error))?;
                output.write(&bytes)
            }
        }
    }

    fn finish(self) -> CommandResult<()> {
        match self {
            Sink::Lines(output) => output.finish(),
            #[cfg(feature = "columnar")]
            Sink::Table(mut output, table) => {
                let bytes = table.finish().map_err(|error| Failure::output(&error))?;
                output.write(&bytes)?;
                output.finish()
            }
        }
    }
}

fn options_of(args: &SessionsArgs) -> WriteOptions {
    let only = (!args.session.is_empty()).then(|| IdList::of(args.session.iter().cloned()));
    WriteOptions {
        filter: SessionFilter { only, sample: args.sample, seed: args.seed, shard: None },
        locations: args.locations.clone(),
        memory: grouping_memory(args.memory),
        anonymise: args.anonymise,
    }
}
