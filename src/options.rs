//! From arguments to the options of the library.

use crate::args::{
    CheckingArgs, CompileOptionArgs, EventArgs, GlobalArgs, InputArgs, InputFormat, Operands,
    Paper, ShownWarnings, WarningArgs,
};
use crate::failure::{CommandResult, Failure, note, show};
use crate::progress::watch_compiling;
use multitrace::{
    CheckConfig, CompileOptions, ConvertTo, Error, FileOptions, Inputs, Mapping, Monitor,
    Observation, SpecFormat, SpecPath, is_stream, read_text,
};
use multitrace_compiler::CompileProgress;
use multitrace_formats::bundle::is_bundle_path;
use multitrace_formats::sessions::SessionFormat;
use multitrace_formats::shorten::{visible, visible_lines};
use multitrace_formats::source::Source;
use multitrace_formats::warning::Warnings;
use multitrace_interaction::Engine;
use multitrace_interaction::Signature;
use multitrace_logs::{Exclusions, Format, InputFiles, is_stdin, propose_files};
use multitrace_reports::text::quoted;
use multitrace_runtime::{Budget, Comparison, States};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The specification and the inputs of a check.
pub(crate) fn operands(operands: &Operands) -> CommandResult<(&Path, &[PathBuf])> {
    let Some(spec) = &operands.spec else {
        return Err(Failure::new(
            "no specification: name a bundle or a specification, or set `spec` in multitrace.toml",
        ));
    };
    if operands.inputs.is_empty() {
        return Err(Failure::new(
            "no input: name files or folders of sessions, or - for standard input",
        ));
    }
    let is_spec_later = || operands.inputs.iter().find(|input| is_spec(input));
    if !is_spec(spec)
        && !is_stream(spec)
        && let Some(later) = is_spec_later()
    {
        return Err(Failure::new(format!(
            "{later}: the specification comes first, and then the inputs: {later} {spec}",
            later = later.display(),
            spec = spec.display()
        )));
    }
    reject_stdin_twice(spec, &operands.inputs)?;
    Ok((spec, &operands.inputs))
}

/// Standard input can be read once.
pub(crate) fn reject_stdin_twice(spec: &Path, inputs: &[PathBuf]) -> CommandResult<()> {
    if is_stdin(spec) && inputs.iter().any(|input| is_stdin(input)) {
        return Err(Failure::new(
            "standard input cannot be both the specification and an input; name a file for one of them",
        ));
    }
    Ok(())
}

/// Whether a path names a bundle or a specification.
pub(crate) fn is_spec(path: &Path) -> bool {
    let path = SpecPath::of(path).file;
    is_bundle_path(&path) || SpecFormat::of_path(&path).is_ok()
}

/// How to compile.
pub(crate) fn compile(
    args: &CompileOptionArgs,
    observe: Observation,
) -> CommandResult<CompileOptions> {
    Ok(CompileOptions {
        observation: observe,
        limit_states: args.limit_states,
        limit_local_states: args.limit_local_states,
        limit_memory: args.limit_memory.map(|it| usize::try_from(it.0).unwrap_or(usize::MAX)),
        limit_time: args.limit_time.map(Into::into),
        without: args.paper.as_ref().map_or_else(Vec::new, |paper| paper.without.clone()),
        ..args.reading.options()?
    })
}

/// How to compile, where no sessions are decided.
pub(crate) fn only_compile(
    args: &CompileOptionArgs,
    observe: Observation,
) -> CommandResult<CompileOptions> {
    if args.paper.as_ref().is_some_and(Paper::is_about_sessions) {
        return Err(Failure::new(
            "--paper: nothing but `without` matters where no sessions are decided; leave the other keys out",
        ));
    }
    compile(args, observe)
}

/// The bundle in a file, or its specification, compiled. Without `--locations`, the headers of `.htf`
/// files among the inputs say which lifelines of a specification share a clock.
pub(crate) fn monitor(
    path: &Path,
    args: &CompileOptionArgs,
    input: &InputArgs,
    headers_of: &[PathBuf],
    quiet: bool,
) -> CommandResult<Monitor> {
    let options = args.any().then(|| compile(args, Observation::Complete)).transpose()?;
    let located = |signature: &Signature| located(input, headers_of, signature);
    let open = |progress: &Arc<CompileProgress>| {
        Monitor::open_with_locations(path, options.as_ref(), progress, located)
    };
    Ok(watch_compiling(path, quiet, open)?)
}

/// The locations that headers of `.htf` files say.
pub(crate) fn located(
    input: &InputArgs,
    headers_of: &[PathBuf],
    signature: &Signature,
) -> Result<Option<String>, Error> {
    // Their problems are reported when they are opened.
    let format = input.input_format.as_ref().and_then(|format| format.sessions);
    let exclude = Exclusions::parse(&input.exclude).map_err(Error::from)?;
    let options = FileOptions { format, stdin_name: input.stdin_filename.clone(), exclude };
    let Ok(inputs) = Inputs::files_with(headers_of, &options) else { return Ok(None) };
    inputs.locations_in_headers(signature)
}

/// The inputs that are sessions whatever is in a bundle: those of a specification without a mapping.
pub(crate) fn sessions<'a>(args: &EventArgs, paths: &'a [PathBuf]) -> &'a [PathBuf] {
    if args.events.is_some() { &[] } else { paths }
}

/// The files that are read beside a specification: inputs and their mapping.
pub(crate) fn read_files<'a>(inputs: &'a [PathBuf], events: &'a EventArgs) -> Vec<&'a Path> {
    inputs.iter().chain(&events.events).map(PathBuf::as_path).collect()
}

/// Shows the warnings of a specification, as errors if none are accepted.
pub(crate) fn warn(warnings: &Warnings, args: WarningArgs) -> CommandResult<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    if args.deny_warnings {
        return Err(Failure::Message(warnings.as_errors()));
    }
    match args.warnings {
        ShownWarnings::All => show(&warnings.all()),
        ShownWarnings::First => show(&format!(
            "{warnings}\n  = help: --warnings all shows each with its lines; `multitrace explain CODE` says \
             what to do"
        )),
    }
    Ok(())
}

/// Shows the warnings of the specification of a check. Those of a bundle were shown when it was
/// compiled.
pub(crate) fn warn_of(
    monitor: &Monitor,
    path: &Path,
    args: WarningArgs,
    quiet: bool,
) -> CommandResult<()> {
    match monitor.warnings() {
        Some(warnings) if args.deny_warnings || !quiet => warn(warnings, args),
        None if args.deny_warnings => Err(Failure::new(format!(
            "{}: a bundle is compiled already; give --deny-warnings to `multitrace compile`",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// How to check, and the engine that does.
pub(crate) fn check(
    args: &CheckingArgs,
    witness: bool,
    monitor: &Monitor,
) -> CommandResult<(CheckConfig, Engine)> {
    let config = CheckConfig { witness, ..config(args, monitor)? };
    let engine = monitor.engine(&config)?;
    let paper = args.options.paper.as_ref();
    if engine == Engine::Nfa && paper.is_some_and(Paper::is_about_terms) {
        return Err(Failure::new(
            "--paper: method, reductions and look-ahead are for terms; add --engine term",
        ));
    }
    Ok((config, engine))
}

fn config(args: &CheckingArgs, monitor: &Monitor) -> CommandResult<CheckConfig> {
    Ok(CheckConfig {
        observation: args.observe.unwrap_or(monitor.config().observation),
        engine: args.engine,
        comparison: args
            .options
            .paper
            .as_ref()
            .map_or_else(Comparison::default, |it| it.comparison),
        budget: Budget {
            states: args.budget.budget_states.map_or(States::Scaled, States::Fixed),
            bytes: args.budget.budget_memory.as_u64(),
            time: args.budget.budget_time.map(Into::into),
        },
        ..CheckConfig::default()
    })
}

/// The inputs: event logs if there is a mapping, else sessions.
pub(crate) fn inputs(
    args: &EventArgs,
    input: &InputArgs,
    monitor: &Monitor,
    paths: &[PathBuf],
) -> CommandResult<Inputs> {
    let mapping = match &args.events {
        _ if args.no_events => None,
        Some(path) => Some(read_mapping(path)?),
        None => monitor.mapping()?,
    };
    inputs_of(mapping, input, paths)
}

/// The inputs: event logs if there is a mapping, else sessions.
pub(crate) fn inputs_of(
    mapping: Option<Mapping>,
    input: &InputArgs,
    paths: &[PathBuf],
) -> CommandResult<Inputs> {
    let exclude = exclusions(&input.exclude)?;
    let options = FileOptions { format: None, stdin_name: input.stdin_filename.clone(), exclude };
    let Some(mapping) = mapping else {
        let format = input.input_format.as_ref().map(session_format).transpose()?;
        let options = FileOptions { format, ..options };
        return Ok(Inputs::files_with(paths, &options)?);
    };
    Ok(Inputs::event_logs_with(paths, in_format(mapping, input)?, &options)?)
}

/// A mapping of the format that the command line names.
pub(crate) fn in_format(mapping: Mapping, input: &InputArgs) -> CommandResult<Mapping> {
    let format = event_format(input)?;
    Ok(match format {
        None => mapping,
        Some(format) => mapping.with_format(format),
    })
}

/// The format of event logs that the command line names.
pub(crate) fn event_format(input: &InputArgs) -> CommandResult<Option<Format>> {
    match &input.input_format {
        None => Ok(None),
        Some(InputFormat { events: Some(format), .. }) => Ok(Some(*format)),
        Some(InputFormat { name, .. }) => Err(Failure::new(format!(
            "--input-format {name} is a format of sessions, and the inputs are event logs; leave \
             out the mapping, or name a format of docs/events.md"
        ))),
    }
}

/// Files that are not read of folders and patterns.
pub(crate) fn exclusions(patterns: &[String]) -> CommandResult<Exclusions> {
    Ok(Exclusions::parse(patterns).map_err(Error::from)?)
}

fn session_format(format: &InputFormat) -> CommandResult<SessionFormat> {
    format.sessions.ok_or_else(|| {
        Failure::new(format!(
            "--input-format {} is a format of event logs, and the inputs are sessions; add --events \
             MAP.toml, or name json-lines or htf",
            format.name
        ))
    })
}

/// The mapping in a file.
pub(crate) fn read_mapping(path: &Path) -> CommandResult<Mapping> {
    Mapping::parse(&read_text(path)?).map_err(Failure::source)
}

/// The mapping in a file; without one, that proposed for the inputs, if they hold something and no sessions. Standard input
/// and pipes are read once, so nothing is proposed for them.
pub(crate) fn given_or_proposed(
    given: &Option<PathBuf>,
    (paths, input): (&[PathBuf], &InputArgs),
    global: &GlobalArgs,
) -> CommandResult<Option<Mapping>> {
    if let Some(path) = given {
        return read_mapping(path).map(Some);
    }
    if input.input_format.as_ref().is_some_and(|it| it.events.is_none()) {
        return Ok(None);
    }
    // Problems are reported when the input is read as sessions.
    let listed = InputFiles::list_without(paths, &exclusions(&input.exclude)?);
    let Ok(InputFiles { files, .. }) = listed else { return Ok(None) };
    if files.iter().any(|it| !it.path.is_file()) || files.iter().all(|it| is_blank(&it.path)) {
        return Ok(None);
    }
    // Sessions need no mapping.
    let Ok((text, notes)) = propose_files(&files, event_format(input)?) else { return Ok(None) };
    if !global.quiet {
        let text = visible_lines(&text);
        let paths = shown_paths(paths);
        show(&format!(
            "note: no mapping was given; this one is proposed (keep it with `multitrace map --init {paths}`):\n{text}"
        ));
        notes.iter().for_each(|text| note(&format!("note: {text}")));
    }
    Mapping::parse(&Source::new("the proposed mapping", text)).map(Some).map_err(Failure::source)
}

/// A path as a word of a command.
pub(crate) fn shown_path(path: &Path) -> String {
    visible(&quoted(&path.display().to_string())).into_owned()
}

/// Paths as words of a command.
pub(crate) fn shown_paths(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| shown_path(path)).collect::<Vec<_>>().join(" ")
}

/// Whether a file is empty or begins with many blanks. One that cannot be read is not.
fn is_blank(path: &Path) -> bool {
    const LOOKED_AT: u64 = 4_096;
    let mut beginning = Vec::new();
    let read = File::open(path).map(|file| file.take(LOOKED_AT).read_to_end(&mut beginning));
    matches!(read, Ok(Ok(_))) && beginning.trim_ascii().is_empty()
}

/// A notation that the command line names must be that of the file it names.
pub(crate) fn reject_contradiction(to: Option<ConvertTo>, out: Option<&Path>) -> CommandResult<()> {
    let (Some(to), Some(out)) = (to, out) else { return Ok(()) };
    match ConvertTo::of_path(out) {
        Ok(other) if other != to => Err(Failure::new(format!(
            "--to names another notation than the extension of {}: leave --to out, or write another file",
            out.display()
        ))),
        _ => Ok(()),
    }
}
