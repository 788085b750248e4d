//! The command line with defaults from `multitrace.toml`. Options of the file that were not given
//! are added to the command line, which is then read again. So the same rules check all values, and
//! those that were given win.

use crate::args::{Cli, Command, ConfigArgs, Operands, OutputArgs, OutputChoice, ReadingArgs};
use crate::command_line::{command, warn_of_misspelt_variables};
use crate::config_file::{self, Config, ConfiguredOutput, Setting, Value};
use crate::failure::{CommandResult, Failure, show_notes};
use crate::git;
use crate::options::is_spec;
use crate::output::{keep_config_file, reject_twice};
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, FromArgMatches};
use multitrace::OutputFormat;
use multitrace_formats::bundle::is_bundle_path;
use multitrace_formats::diagram::DiagramOptions;
use multitrace_formats::source::{Diagnostic, Source, SourceError, Span};
use multitrace_reports::text::quoted;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const FILE_NAME: &str = "multitrace.toml";
/// The option that holds for every command that reads diagrams, so that all understand them alike. A given option wins
/// key by key.
const OF_DIAGRAMS: &str = "diagrams";
/// Options whose values are paths: relative ones are meant from the folder of the file.
const PATHS: [&str; 7] = [
    "baseline",
    "events",
    "write-baseline",
    "only-sessions",
    "signature",
    "output-file",
    "coverage-file",
];

/// Reads the command line.
pub(crate) fn command_line(given: &[OsString]) -> CommandResult<Cli> {
    let matches = command().try_get_matches_from(given).map_err(Failure::Usage)?;
    warn_of_misspelt_variables();
    let mut cli = from(&matches)?;
    let given_to_diff = match &cli.command {
        Command::Diff(args) => args.reading.clone(),
        _ => ReadingArgs::default(),
    };
    if let Command::Diff(args) = &mut cli.command {
        args.given = given_to_diff.clone();
    }
    let mut of_environment = of_environment(&matches);
    // Reports have it among their notes.
    if !matches!(cli.command, Command::Check(_) | Command::Merge(_) | Command::Combine(_)) {
        show_notes(of_environment.take().as_slice());
    }
    let name = matches.subcommand_name().unwrap_or_default();
    let Some(file) = find(&cli.command, name)? else {
        cli.global.notes.extend(of_environment);
        return Ok(cli);
    };
    let options = matches.subcommand_matches(name).unwrap_or(&matches);
    let path = file;
    let file = File::read(&path)?;
    let mut arguments = file.arguments(name, options);
    if names_bundle(&cli.command, &file) {
        // A bundle was compiled from a diagram that is read no more.
        arguments.retain(|(argument, _)| !is_of_diagrams(argument));
    }
    let all = spliced(given, arguments.iter().map(|(argument, _)| argument));
    let mut cli = match command().try_get_matches_from(all) {
        Ok(matches) => from(&matches)?,
        Err(error) => return Err(file.blame(given, &arguments, &error)),
    };
    if let Command::Check(args) = &cli.command {
        file.check_shard(&args.output, &arguments)?;
    }
    keep_config_file(path);
    if let Command::Diff(args) = &mut cli.command {
        args.given = given_to_diff;
    }
    let operands = match &mut cli.command {
        Command::Check(args) => file.operands(&mut args.operands),
        Command::Explain(args) => file.operands(&mut args.operands),
        _ => Vec::new(),
    };
    cli.global.notes.extend(of_environment.into_iter().chain(file.note(&operands, &arguments)));
    Ok(cli)
}

/// Which options are set by variables of the environment, but for those that change no result.
fn of_environment(matches: &ArgMatches) -> Option<String> {
    const OTHERS: [&str; 4] = ["color", "quiet", "jobs", "memory"];
    let (name, options) = matches.subcommand()?;
    let all = command();
    let is_set = |argument: &&clap::Arg| {
        let id = argument.get_id().as_str();
        let source = options.try_contains_id(id).ok().and_then(|_| options.value_source(id));
        // A flag that is turned off is as it was.
        let is_flag = matches!(argument.get_action(), ArgAction::SetTrue);
        source == Some(ValueSource::EnvVariable) && (!is_flag || options.get_flag(id))
    };
    let set = all.find_subcommand(name)?.get_arguments().filter(is_set);
    let names: Vec<String> = set
        .filter_map(clap::Arg::get_long)
        .filter(|name| !OTHERS.contains(name))
        .map(|name| format!("--{name}"))
        .collect();
    let listed = names.join(", ");
    (!names.is_empty()).then(|| format!("variables of the environment (MULTITRACE_…) set {listed}"))
}

/// The arguments as types, with formats and files paired.
fn from(matches: &ArgMatches) -> CommandResult<Cli> {
    let mut cli = Cli::from_arg_matches(matches).map_err(Failure::Usage)?;
    if let (Command::Merge(args), Some(options)) =
        (&mut cli.command, matches.subcommand_matches("merge"))
    {
        args.output.pairs = pairs(&args.output, options)?;
        let others = [&args.tolerance.write_baseline, &args.coverage_file];
        check_places(&args.output, others)?;
    }
    if let (Command::Combine(args), Some(options)) =
        (&mut cli.command, matches.subcommand_matches("combine"))
    {
        args.output.pairs = pairs(&args.output, options)?;
        check_places(&args.output, [&args.gate.tolerance.write_baseline, &None])?;
    }
    if let (Command::Check(args), Some(options)) =
        (&mut cli.command, matches.subcommand_matches("check"))
    {
        args.output.pairs = pairs(&args.output, options)?;
        args.explain_options = explain_options(options);
        let others = [&args.gate.tolerance.write_baseline, &args.coverage.coverage_file];
        check_places(&args.output, others)?;
    }
    Ok(cli)
}

/// The options of a check that `explain` has, too, as they were given: with them it decides alike.
fn explain_options(given: &ArgMatches) -> String {
    const OTHERS: [&str; 8] = [
        "config",
        "no-config",
        "output-format",
        "color",
        "quiet",
        "memory",
        "stdin-filename",
        "help",
    ];
    let all = command();
    let explain = all.find_subcommand("explain").map(clap::Command::get_arguments);
    let mut text = String::new();
    for argument in explain.into_iter().flatten() {
        let (id, Some(name)) = (argument.get_id().as_str(), argument.get_long()) else { continue };
        if OTHERS.contains(&name) || !is_given(given, id) {
            continue;
        }
        if !argument.get_action().takes_values() {
            text.push_str(&format!(" --{name}"));
            continue;
        }
        let values = given.get_raw(id).into_iter().flatten();
        let mut values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
        if argument.get_value_delimiter().is_some() {
            values = vec![values.join(",").into()];
        }
        values.iter().for_each(|it| text.push_str(&format!(" --{name} {}", quoted(it))));
    }
    text
}

/// No two results may go to one place.
fn check_places(output: &OutputArgs, others: [&Option<PathBuf>; 2]) -> CommandResult<()> {
    let stdout = Path::new("-");
    let reports = output.pairs.iter().map(|pair| pair.file.as_deref().unwrap_or(stdout));
    let others = others.into_iter().flatten().map(PathBuf::as_path);
    reject_twice(&reports.chain(others).collect::<Vec<&Path>>())
}

/// Whether every specification of a command is a bundle.
fn names_bundle(command: &Command, file: &File) -> bool {
    let of_operands = |operands: &Operands| {
        let configured = || file.config.spec.as_ref().map(PathBuf::from);
        let given = operands.spec.clone().filter(|path| is_spec(path));
        given.or_else(configured).is_some_and(|path| is_bundle_path(&path))
    };
    match command {
        Command::Check(args) => of_operands(&args.operands),
        Command::Explain(args) => of_operands(&args.operands),
        Command::Diff(args) => is_bundle_path(&args.old) && is_bundle_path(&args.new),
        Command::Generate(args) => args.spec.as_deref().is_some_and(is_bundle_path),
        Command::Draw(args) => is_bundle_path(&args.spec),
        Command::Explore(args) => is_bundle_path(&args.spec),
        Command::Map(args) => args.check.first().is_some_and(|spec| is_bundle_path(spec)),
        _ => false,
    }
}

fn is_of_diagrams(argument: &OsString) -> bool {
    let text = argument.to_string_lossy();
    let name = text.trim_start_matches("--").split('=').next().unwrap_or_default();
    name == OF_DIAGRAMS
}

/// The path of the configuration, if there is one to read: for every command that reads diagrams.
fn find(given: &Command, name: &str) -> CommandResult<Option<PathBuf>> {
    let all = command();
    let reads_diagrams =
        all.find_subcommand(name).is_some_and(|it| options(it).iter().any(|it| it == OF_DIAGRAMS));
    match given {
        Command::Check(args) => find_by(&args.config),
        Command::Explain(args) => find_by(&args.config),
        Command::Generate(args) if args.interactions.interactions.is_some() => Ok(None),
        Command::Map(args) if args.check.is_empty() => Ok(None),
        _ if reads_diagrams => find_here(),
        _ => Ok(None),
    }
}

fn find_by(ConfigArgs { config, no_config }: &ConfigArgs) -> CommandResult<Option<PathBuf>> {
    if *no_config || config.is_some() {
        return Ok(config.clone());
    }
    find_here()
}

/// The settings for all diagrams in the configuration that a revision of git has: in the working directory, or in the next
/// folder above that has one, up to the root of the repository.
pub(crate) fn diagrams_of_revision(revision: &str) -> CommandResult<Vec<DiagramOptions>> {
    let here = std::env::current_dir();
    let here = here.map_err(|error| Failure::new(format!("no working directory: {error}")))?;
    for above in 0..=depth(&here) {
        let name = format!("{revision}:./{}{FILE_NAME}", "../".repeat(above));
        if let Ok(bytes) = git::show(&name)? {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return diagrams_in(Source::new(name, text));
        }
    }
    Ok(Vec::new())
}

fn diagrams_in(source: Source) -> CommandResult<Vec<DiagramOptions>> {
    let settings = parsed(&source)?.settings;
    let of_diagrams = settings.into_iter().filter(|it| it.key == OF_DIAGRAMS);
    let read = |setting: Setting| match &setting.value {
        Value::One(text) => text.parse().map_err(|error| {
            let diagnostic = Diagnostic::new(setting.span, format!("{error}"), "");
            Failure::source(SourceError::new(source.clone(), diagnostic))
        }),
        _ => Ok(DiagramOptions::default()),
    };
    of_diagrams.map(read).collect()
}

/// How many folders the root of the repository is above this one.
fn depth(here: &Path) -> usize {
    here.ancestors().position(|folder| folder.join(".git").exists()).unwrap_or(0)
}

/// The configuration of a text; its names are those of the options of `check`.
fn parsed(source: &Source) -> CommandResult<Config> {
    let all = command();
    let check = all.find_subcommand("check").map(options).unwrap_or_default();
    let known: Vec<&str> = check.iter().map(String::as_str).collect();
    config_file::parse(source, &known).map_err(Failure::source)
}

/// The configuration in the working directory, or in the next folder above that has one, up to the root of the
/// repository: folders above may be anybody's.
fn find_here() -> CommandResult<Option<PathBuf>> {
    let here = std::env::current_dir();
    let here = here.map_err(|error| Failure::new(format!("no working directory: {error}")))?;
    // In the working directory it is named as the user would name it.
    let folders = here.ancestors().take(depth(&here) + 1);
    let mut paths = folders.map(|folder| folder.join(FILE_NAME));
    // A link that leads nowhere may stand for demands on the input.
    let Some(found) = paths.find(|path| path.symlink_metadata().is_ok()) else { return Ok(None) };
    let path = found.strip_prefix(&here).unwrap_or(&found);
    if !path.is_file() {
        let name = quoted(&path.to_string_lossy());
        let message = format!(
            "{name}: no file that can be read, so that its defaults are not known; \
                               correct it, or take it away"
        );
        return Err(Failure::new(message));
    }
    Ok(Some(path.to_owned()))
}

struct File {
    folder: PathBuf,
    source: Source,
    config: Config,
}

/// An argument and the place in the file that it comes from.
type Argument = (OsString, Span);

impl File {
    fn read(path: &Path) -> CommandResult<File> {
        let source = multitrace::read_text(path)?;
        let config = parsed(&source)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(File { folder, source, config })
    }

    /// The note of a report on the defaults that are used.
    fn note(&self, operands: &[&str], arguments: &[Argument]) -> Option<String> {
        let names = arguments.iter().map(|(argument, _)| argument.to_string_lossy().into_owned());
        let names = names.map(|it| it.split('=').next().unwrap_or_default().to_owned());
        let mut names: Vec<String> = names.collect();
        names.dedup();
        let operands = operands.iter().map(|&it| it.to_owned());
        let all: Vec<String> = operands.chain(names).collect();
        let listed = all.join(", ");
        (!all.is_empty()).then(|| format!("defaults come from {}: {listed}", self.source.name()))
    }

    /// The options of the file that the command has and that were not given.
    fn arguments(&self, name: &str, given: &ArgMatches) -> Vec<Argument> {
        let cli = command();
        let has = cli.find_subcommand(name).map(options).unwrap_or_default();
        let judges = matches!(name, "check" | "explain") || is_marked_drawing(name, given);
        let holds = |key: &str| judges || key == OF_DIAGRAMS;
        let settings = self.config.settings.iter().filter(|it| holds(&it.key));
        // Beside options on the command line, those of the environment would count no more.
        let is_free = |key: &str| !is_given(given, key) || is_merged(given, key);
        let free = settings.filter(|it| has.contains(&it.key) && is_free(&it.key));
        let mut arguments: Vec<Argument> =
            free.flat_map(|setting| self.of_setting(setting)).collect();
        if name == "check" && !is_given(given, "formats") && !is_given(given, "files") {
            arguments.extend(self.config.outputs.iter().flat_map(|it| self.of_output(it)));
        }
        arguments
    }

    fn of_setting(&self, setting: &Setting) -> Vec<Argument> {
        let Setting { key, value, span } = setting;
        let of = |value: &String| (format!("--{key}={}", self.value(key, value)).into(), *span);
        match value {
            Value::Flag(true) => vec![(format!("--{key}").into(), *span)],
            Value::Flag(false) => Vec::new(),
            Value::One(value) => vec![of(value)],
            Value::Many(values) => values.iter().map(of).collect(),
        }
    }

    fn of_output(&self, output: &ConfiguredOutput) -> Vec<Argument> {
        let format = format!("--output-format={}", output.format).into();
        let file = output.file.as_ref().map(|file| {
            let argument = format!("--output-file={}", self.value("output-file", file));
            (argument.into(), output.span)
        });
        std::iter::once((format, output.span)).chain(file).collect()
    }

    fn value(&self, key: &str, value: &str) -> String {
        if PATHS.contains(&key) { self.path(value).display().to_string() } else { value.to_owned() }
    }

    fn path(&self, path: &str) -> PathBuf {
        if path == "-" { path.into() } else { self.folder.join(path) }
    }

    /// Adds the specification and the inputs if they were not given. With a specification in the
    /// file, all arguments are inputs, unless the first one looks like a specification. Returns names of the added operands.
    fn operands(&self, operands: &mut Operands) -> Vec<&'static str> {
        let mut added = Vec::new();
        if let Some(spec) = &self.config.spec
            && !operands.spec.as_deref().is_some_and(is_spec)
        {
            operands.inputs.splice(0..0, operands.spec.take());
            operands.spec = Some(self.path(spec));
            added.push("the specification");
        }
        if operands.inputs.is_empty() && !self.config.inputs.is_empty() {
            added.push("inputs");
            operands.inputs = self.config.inputs.iter().map(|input| self.path(input)).collect();
        }
        added
    }

    /// Fails if the file names a shard and no output is a partial report. The file counts for every run, so most sessions would
    /// be left out unnoticed; of partial reports, `merge` demands all.
    fn check_shard(&self, output: &OutputArgs, arguments: &[Argument]) -> CommandResult<()> {
        let is_shard = |it: &&Argument| it.0.to_string_lossy().starts_with("--shard");
        let has_part = output.pairs.iter().any(|it| it.format == OutputFormat::Partial);
        let Some((_, span)) = arguments.iter().find(is_shard).filter(|_| !has_part) else {
            return Ok(());
        };
        let message = "a shard checks a part of the input, and no output is a partial report of it";
        let help = "give each run its shard on the command line, with --output-format partial, and make one report of \
                    all parts by `multitrace merge`";
        let diagnostic = Diagnostic::new(*span, message, "").with_help(help);
        Err(Failure::source(SourceError::new(self.source.clone(), diagnostic)))
    }

    /// The error of the first argument that is wrong, at its place in the file.
    fn blame(&self, given: &[OsString], arguments: &[Argument], error: &clap::Error) -> Failure {
        let fails = |(argument, _): &&Argument| {
            command().try_get_matches_from(spliced(given, [argument])).is_err()
        };
        let span = arguments.iter().find(fails).map_or_else(Span::default, |(_, span)| *span);
        let text = error.to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let diagnostic = Diagnostic::new(span, message, "")
            .with_help("`multitrace check --help` says which values there are");
        Failure::source(SourceError::new(self.source.clone(), diagnostic))
    }
}

/// Whether an option was given, on the command line or in the environment.
fn is_given(matches: &ArgMatches, key: &str) -> bool {
    let id = key.replace('-', "_");
    let known = matches.try_contains_id(&id).is_ok();
    let given = [ValueSource::CommandLine, ValueSource::EnvVariable].map(Some);
    known && given.contains(&matches.value_source(&id))
}

/// Whether it is a drawing of how sessions are judged.
fn is_marked_drawing(name: &str, given: &ArgMatches) -> bool {
    name == "draw" && ["explain", "coverage"].iter().any(|it| is_given(given, it))
}

/// Whether an option of the command line wins key by key.
fn is_merged(matches: &ArgMatches, key: &str) -> bool {
    key == OF_DIAGRAMS && matches.value_source(key) == Some(ValueSource::CommandLine)
}

/// The options of a command that a configuration may have.
fn options(command: &clap::Command) -> Vec<String> {
    const OTHERS: [&str; 6] =
        ["config", "no-config", "help", "output-format", "output-file", "session"];
    let named = command.get_arguments().filter_map(|argument| argument.get_long());
    named.filter(|name| !OTHERS.contains(name)).map(str::to_owned).collect()
}

/// The command line with more options after the name of the command.
fn spliced<'a>(
    given: &'a [OsString],
    more: impl IntoIterator<Item = &'a OsString>,
) -> Vec<OsString> {
    let (command, rest) = given.split_at(given.len().min(2));
    command.iter().chain(more).chain(rest).cloned().collect()
}

/// Formats and files as pairs: in order when there are as many of one as of the other, else each
/// file belongs to the format before it. One format may have no file.
fn pairs(args: &OutputArgs, matches: &ArgMatches) -> CommandResult<Vec<OutputChoice>> {
    let OutputArgs { formats, files, .. } = args;
    let choice = |format, file| OutputChoice { format, file };
    if formats.is_empty() && files.len() <= 1 {
        return Ok(vec![choice(OutputFormat::Human, files.first().cloned())]);
    }
    if formats.len() == files.len() {
        let files = files.iter().cloned().map(Some);
        return Ok(formats.iter().copied().zip(files).map(|(a, b)| choice(a, b)).collect());
    }
    let places = |id| matches.indices_of(id).into_iter().flatten();
    let mut files = places("files").zip(files).peekable();
    let mut starts = places("formats").skip(1).chain([usize::MAX]);
    let mut pairs = Vec::new();
    for &format in formats {
        let end = starts.next().unwrap_or(usize::MAX);
        let file = files.next_if(|(place, _)| *place < end);
        pairs.push(choice(format, file.map(|(_, file)| file.clone())));
    }
    let without = pairs.iter().filter(|pair| pair.file.is_none()).count();
    if without > 1 || files.next().is_some() {
        return Err(Failure::new(
            "at most one --output-format may go without an --output-file after it; it goes to \
             standard output; and every --output-file needs a format of its own"
                .to_owned(),
        ));
    }
    Ok(pairs)
}
