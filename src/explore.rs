//! `multitrace explore`: the executions of a specification, and how it explains a session.

use crate::args::{ExploreArgs, ExploreFormat, GlobalArgs};
use crate::draw::labels;
use crate::explain::terminal_width;
use crate::failure::{CommandResult, Failure, note, show};
use crate::options;
use crate::output::write_beside;
use crate::painting::paint;
use multitrace::{CompileOptions, ExploreOptions, Monitor, RunOutcome, Spec, explore};
use multitrace_formats::bundle::is_bundle_path;
use multitrace_formats::shorten::CommandMarks;
use multitrace_interaction::names::{name_of, split};
use multitrace_interaction::{Interaction, LifelineSet, Locations, Signature};
use multitrace_reports::exploration::Exploration;
use multitrace_reports::outputs::explain::Layout;
use multitrace_reports::outputs::exploration::{write_exploration, write_exploration_json};
use multitrace_reports::pictures::SvgOptions;
use multitrace_reports::pictures::exploration::{
    ExplorationPicture, exploration_dot, exploration_svg,
};
use std::ops::ControlFlow;
use std::sync::Arc;

pub(crate) fn run(args: &ExploreArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let format = format(args)?;
    let (subject, explorations, exit) = match &args.session {
        None => tree(args)?,
        Some(session) => analysis(args, session)?,
    };
    let is_picture = matches!(format, ExploreFormat::Svg | ExploreFormat::Dot);
    let most = if is_picture { 1 } else { explorations.len() };
    if explorations.len() > most {
        note("note: several sessions have this name; the picture shows the first");
    }
    let text = |exploration| written(exploration, &subject, format, (args, global));
    let text: String = explorations.iter().take(most).map(text).collect();
    if !explorations.is_empty() {
        let read = options::read_files(&args.inputs, &args.events);
        let marks = match format {
            ExploreFormat::Text => Some(CommandMarks::TEXT),
            ExploreFormat::Json => Some(CommandMarks::JSON),
            // Graphviz reads the characters of XML in texts, too.
            ExploreFormat::Svg | ExploreFormat::Dot => Some(CommandMarks::XML),
        };
        write_beside(args.output.as_deref(), &args.spec, &read, (text.as_bytes(), marks))?;
    }
    Ok(exit)
}

/// As it was asked for, or as the extension of the output says.
fn format(args: &ExploreArgs) -> CommandResult<ExploreFormat> {
    if let Some(format) = args.output_format {
        return Ok(format);
    }
    let Some(output) = &args.output else { return Ok(ExploreFormat::Text) };
    match output.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(ExploreFormat::Svg),
        Some("dot" | "gv") => Ok(ExploreFormat::Dot),
        Some("json") => Ok(ExploreFormat::Json),
        Some("txt") => Ok(ExploreFormat::Text),
        _ => Err(Failure::new(format!(
            "{}: no format by its extension; known are .svg, .dot, .json and .txt, or say it with \
             --output-format",
            output.display()
        ))),
    }
}

/// The interaction that is explored.
struct Subject {
    signature: Signature,
    interaction: Interaction,
    locations: Locations,
    labels: Vec<String>,
    title: String,
}

type Explored = (Subject, Vec<Exploration>, RunOutcome);

/// The execution tree.
fn tree(args: &ExploreArgs) -> CommandResult<Explored> {
    let subject = if is_bundle_path(&args.spec) {
        Subject::of_monitor(&Monitor::open(&args.spec, reading(args)?.as_ref())?)?
    } else {
        Subject::of_spec(args)?
    };
    let options = ExploreOptions::default();
    let options = ExploreOptions {
        depth: Some(args.extent.depth.unwrap_or(ExploreOptions::DEPTH)),
        merge: args.extent.merge,
        ..extent(args, options, &subject.signature)?
    };
    let after = args.after.as_deref().unwrap_or_default();
    let found = explore(&subject.signature, &subject.interaction, after, &options)?;
    Ok((subject, vec![found], RunOutcome::Clean))
}

/// The analysis graphs of the sessions of an id.
fn analysis(args: &ExploreArgs, session: &str) -> CommandResult<Explored> {
    options::reject_stdin_twice(&args.spec, &args.inputs)?;
    let monitor = monitor(args)?;
    let subject = Subject::of_monitor(&monitor)?;
    let inputs = options::inputs(&args.events, &args.input, &monitor, &args.inputs)?;
    let options = extent(args, ExploreOptions::of_session(), &subject.signature)?;
    let options = ExploreOptions { depth: args.extent.depth, first: args.extent.first, ..options };
    let (mut found, mut exit) = (Vec::new(), RunOutcome::Clean);
    monitor.explore_sessions(inputs, session, args.events.memory(), &options, &mut |item| {
        match item {
            Ok(exploration) => found.push(exploration),
            Err(problem) => {
                // An input that cannot be read may hold the session.
                exit = RunOutcome::Error;
                show(&format!("{problem}"));
            }
        }
        ControlFlow::Continue(())
    })?;
    if exit == RunOutcome::Clean && found.is_empty() {
        note(&format!("error: no session is called {session:?}"));
        exit = RunOutcome::NothingChecked;
    }
    Ok((subject, found, exit))
}

/// How the specification is read; `None` if no option says it, as bundles need it.
fn reading(args: &ExploreArgs) -> CommandResult<Option<CompileOptions>> {
    Ok(args.reading.any().then(|| args.reading.options()).transpose()?)
}

/// The monitor that sessions are read with. Terms do the rest, so no automaton is made.
fn monitor(args: &ExploreArgs) -> CommandResult<Monitor> {
    if is_bundle_path(&args.spec) {
        return Ok(Monitor::open(&args.spec, reading(args)?.as_ref())?);
    }
    let quick = CompileOptions {
        limit_states: Some(1),
        limit_local_states: Some(1),
        ..args.reading.options()?
    };
    let headers_of = options::sessions(&args.events, &args.inputs);
    let located = |signature: &Signature| options::located(&args.input, headers_of, signature);
    Ok(Monitor::open_with_locations(&args.spec, Some(&quick), &Arc::default(), located)?)
}

fn extent(
    args: &ExploreArgs,
    usual: ExploreOptions,
    signature: &Signature,
) -> CommandResult<ExploreOptions> {
    Ok(ExploreOptions {
        strategy: args.extent.strategy,
        nodes: args.extent.most_nodes,
        loops: args.extent.max_loops,
        only: args.extent.only.as_deref().map(|names| lifelines(names, signature)).transpose()?,
        ..usual
    })
}

fn lifelines(names: &str, signature: &Signature) -> CommandResult<LifelineSet> {
    let known = || signature.lifelines().map(|it| signature.lifeline_name(it));
    let lifeline = |piece| {
        let name = name_of(piece);
        signature.lifeline(&name).ok_or_else(|| {
            let known: Vec<&str> = known().collect();
            Failure::new(format!(
                "--only: {name:?} is not a lifeline of the specification; its lifelines are {}",
                known.join(", ")
            ))
        })
    };
    split(names, ',').map(lifeline).collect()
}

impl Subject {
    fn of_spec(args: &ExploreArgs) -> CommandResult<Subject> {
        let options = args.reading.options()?;
        let Some(read) = Spec::read(&args.spec)?.interaction(&options)? else {
            return Err(automaton(args.spec.display()));
        };
        let labels = labels(&read, &read.parsed.signature);
        let title = read.drawing.as_ref().and_then(|drawing| drawing.title.clone());
        Ok(Subject {
            labels,
            title: title.unwrap_or_default(),
            signature: read.parsed.signature,
            interaction: read.parsed.interaction,
            locations: read.locations,
        })
    }

    fn of_monitor(monitor: &Monitor) -> CommandResult<Subject> {
        let name = &monitor.bundle().provenance.spec_name;
        let Some(((signature, interaction), locations)) =
            monitor.interaction().zip(monitor.locations())
        else {
            return Err(automaton(name));
        };
        let (signature, interaction) = (signature.clone(), interaction.clone());
        Ok(Subject { signature, interaction, locations, labels: Vec::new(), title: String::new() })
    }
}

fn automaton(name: impl std::fmt::Display) -> Failure {
    Failure::new(format!(
        "{name}: an automaton has no terms to explore; `multitrace draw --what nfa` draws it"
    ))
}

fn written(
    exploration: &Exploration,
    subject: &Subject,
    format: ExploreFormat,
    (args, global): (&ExploreArgs, &GlobalArgs),
) -> String {
    let picture = ExplorationPicture {
        exploration,
        signature: &subject.signature,
        locations: &subject.locations,
        labels: &subject.labels,
        title: &subject.title,
    };
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = match format {
        ExploreFormat::Svg => {
            let options = SvgOptions { has_background: args.background, ..SvgOptions::default() };
            return exploration_svg(&picture, options);
        }
        ExploreFormat::Dot => return exploration_dot(&picture),
        ExploreFormat::Json => write_exploration_json(exploration, &mut bytes),
        ExploreFormat::Text => {
            let paint = paint(global.color, args.output.is_none());
            let layout = Layout { width: terminal_width(), paint };
            write_exploration(exploration, layout, &mut bytes)
        }
    };
    String::from_utf8_lossy(&bytes).into_owned()
}
