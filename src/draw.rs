//! `multitrace draw`: a specification, its automata, and the parts that sessions took, as pictures.

use crate::args::{DrawArgs, DrawFormat, DrawWhat, GlobalArgs};
use crate::check::tell_notes;
use crate::explain::{note_if_cut, terminal_width};
use crate::failure::{CommandResult, Failure, show_problems};
use crate::options;
use crate::output::write_beside;
use crate::painting::paint;
use crate::progress::Messages;
use crate::words::WORDS;
use multitrace::{
    CheckConfig, Detail, Error, ExplainOptions, ExplainedSession, Inputs, Monitor, NamedGraph,
    Problems, ReadInteraction, RunOptions, RunOutcome, Spec,
};
use multitrace_formats::bundle::is_bundle_path;
use multitrace_formats::shorten::CommandMarks;
use multitrace_interaction::{LocationId, Locations, Observation, Session, Signature};
use multitrace_reports::pictures::automaton;
use multitrace_reports::pictures::diagram::{
    Diagram, Document, MOST_ROWS, diagram_svg, diagram_text,
};
use multitrace_reports::pictures::overlay::Overlay;
use multitrace_reports::pictures::{Colors, SvgOptions};
use multitrace_reports::timeline::Window;
use std::ops::ControlFlow;

/// The most columns of a picture in a file of text: about a hundred lifelines.
const FILE_WIDTH: usize = 4_000;
/// The most states of an automaton that are drawn: more cannot be read.
const MOST_STATES_OF_FILE: usize = 2_000;

pub(crate) fn run(args: &DrawArgs, global: &GlobalArgs) -> CommandResult<RunOutcome> {
    let format = format(args)?;
    reject_what_means_nothing(args, format)?;
    options::reject_stdin_twice(&args.spec, &args.inputs)?;
    let picture = match args.what {
        DrawWhat::Diagram => diagram(args, format, global)?,
        _ => automata(args, format, global)?,
    };
    let read = options::read_files(&args.inputs, &args.events);
    let marks = match format {
        DrawFormat::Text => Some(CommandMarks::TEXT),
        // Graphviz reads the characters of XML in texts, too.
        DrawFormat::Svg | DrawFormat::Dot => Some(CommandMarks::XML),
        DrawFormat::Png => None,
    };
    write_beside(args.output.as_deref(), &args.spec, &read, (&picture, marks))?;
    Ok(RunOutcome::Clean)
}

/// As it was asked for, or as the extension of the output says.
fn format(args: &DrawArgs) -> CommandResult<DrawFormat> {
    if let Some(format) = args.output_format {
        return Ok(format);
    }
    let Some(output) = &args.output else { return Ok(DrawFormat::Text) };
    match output.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(DrawFormat::Svg),
        Some("png") => Ok(DrawFormat::Png),
        Some("txt") => Ok(DrawFormat::Text),
        Some("dot" | "gv") => Ok(DrawFormat::Dot),
        _ => Err(Failure::new(format!(
            "{}: no picture by its extension; known are .svg, .png, .txt and .dot, or say it with \
             --output-format",
            output.display()
        ))),
    }
}

/// Options that would have no effect.
fn reject_what_means_nothing(args: &DrawArgs, format: DrawFormat) -> CommandResult<()> {
    let is_diagram = args.what == DrawWhat::Diagram;
    let has_session = is_diagram || args.what == DrawWhat::Areas;
    let message = match () {
        () if is_diagram && format == DrawFormat::Dot => "DOT is for automata: add --what nfa",
        () if !is_diagram && format == DrawFormat::Text => {
            "an automaton is drawn as SVG or DOT: name an output, -o nfa.svg, or --output-format dot"
        }
        () if !is_diagram && args.coverage => "--coverage is marked in the diagram, without --what",
        () if !has_session && args.explain.is_some() => {
            "--explain is for the diagram and for --what areas"
        }
        () if !args.inputs.is_empty() && !args.coverage && args.explain.is_none() => {
            "inputs are for --coverage, which marks the parts that they take, and --explain ID, which marks a \
             session of them"
        }
        () if args.inputs.is_empty()
            && (args.observe.is_some() || args.events.events.is_some()) =>
        {
            "--observe and --events say how inputs are read; name inputs, with --coverage or --explain ID"
        }
        () if args.location.is_some() && matches!(args.what, DrawWhat::Diagram | DrawWhat::Nfa) => {
            "--location is for --what local, areas and look-ahead"
        }
        () => return Ok(()),
    };
    Err(Failure::new(message))
}

fn diagram(args: &DrawArgs, format: DrawFormat, global: &GlobalArgs) -> CommandResult<Vec<u8>> {
    if !args.inputs.is_empty() || is_bundle_path(&args.spec) {
        return marked_diagram(args, format, global);
    }
    let options = options::only_compile(&args.options, Observation::Complete)?;
    let Some(read) = Spec::read(&args.spec)?.interaction(&options)? else {
        return Err(Failure::new(format!(
            "{}: an automaton is drawn with --what nfa",
            args.spec.display()
        )));
    };
    let diagram = Diagram {
        interaction: &read.parsed.interaction,
        signature: &read.parsed.signature,
        locations: &read.locations,
        labels: &labels(&read, &read.parsed.signature),
        title: &title(&read),
        overlay: &Overlay::default(),
        document: document(&read),
        rows: MOST_ROWS,
    };
    drawn(&diagram, args, format, global)
}

/// The diagram of a bundle or of a specification, with marks for the parts that sessions took.
fn marked_diagram(
    args: &DrawArgs,
    format: DrawFormat,
    global: &GlobalArgs,
) -> CommandResult<Vec<u8>> {
    let monitor = monitor(args, global)?;
    let (Some((signature, interaction)), Some(locations)) =
        (monitor.interaction(), monitor.locations())
    else {
        return Err(Failure::new(format!(
            "{}: an automaton is drawn with --what nfa",
            args.spec.display()
        )));
    };
    let overlay = match &args.explain {
        Some(id) => {
            let session = session(args, id, &monitor)?;
            let (log, findings) = (&session.explanation, &session.findings);
            Overlay::of_session(interaction, signature, log, findings)
        }
        None if args.coverage => coverage(args, &monitor)?,
        None => Overlay::default(),
    };
    let read = read_again(args)?;
    let labels = read.as_ref().map_or_else(Vec::new, |read| labels(read, signature));
    let of_bundle = if read.is_none() { monitor.document() } else { None };
    let title_of_bundle = || of_bundle.as_ref()?.0.title.clone();
    let title = read.as_ref().map_or_else(|| title_of_bundle().unwrap_or_default(), title);
    let locations: &Locations = &locations;
    let rows = MOST_ROWS;
    let title = &title;
    let (labels, overlay) = (&labels, &overlay);
    let of_bundle = of_bundle.as_ref().map(|it| Document { diagram: &it.0, spans: it.1 });
    let document = read.as_ref().and_then(document).or(of_bundle);
    let diagram =
        Diagram { interaction, signature, locations, labels, title, overlay, document, rows };
    drawn(&diagram, args, format, global)
}

/// The drawing of a specification; `None` for a bundle.
fn read_again(args: &DrawArgs) -> CommandResult<Option<ReadInteraction>> {
    if is_bundle_path(&args.spec) || multitrace::is_stream(&args.spec) {
        return Ok(None);
    }
    let options = options::only_compile(&args.options, Observation::Complete)?;
    Ok(Spec::read(&args.spec)?.interaction(&options)?)
}

/// The diagram as it is drawn in the specification.
fn document(read: &ReadInteraction) -> Option<Document<'_>> {
    let drawing = read.drawing.as_ref()?;
    Some(Document { diagram: &drawing.model, spans: &read.parsed.spans })
}

fn title(read: &ReadInteraction) -> String {
    read.drawing.as_ref().and_then(|drawing| drawing.title.clone()).unwrap_or_default()
}

/// The labels drawn at the heads: those of a diagram.
pub(crate) fn labels(read: &ReadInteraction, signature: &Signature) -> Vec<String> {
    let label = |name: &str| {
        let drawing = read.drawing.as_ref()?;
        drawing.lifelines.iter().find(|it| it.id == name).map(|it| it.label.replace('\n', " "))
    };
    let names = signature.lifelines().map(|it| signature.lifeline_name(it));
    names.map(|name| label(name).unwrap_or_default()).collect()
}

fn drawn(
    diagram: &Diagram<'_>,
    args: &DrawArgs,
    format: DrawFormat,
    global: &GlobalArgs,
) -> CommandResult<Vec<u8>> {
    if format == DrawFormat::Text {
        let paint = paint(global.color, args.output.is_none());
        // A file is as wide as it must be.
        let width = if args.output.is_some() { FILE_WIDTH } else { terminal_width() };
        let text = diagram_text(diagram, width, paint);
        if !global.quiet {
            note_if_cut(&text, width);
        }
        return Ok(text.into_bytes());
    }
    picture(&diagram_svg(diagram, svg(args, format)), format)
}

/// An SVG as it was asked for.
fn picture(svg: &str, format: DrawFormat) -> CommandResult<Vec<u8>> {
    match format {
        DrawFormat::Png => png(svg),
        _ => Ok(svg.as_bytes().to_vec()),
    }
}

#[cfg(feature = "png")]
fn png(svg: &str) -> CommandResult<Vec<u8>> {
    multitrace_reports::pictures::png(svg).map_err(|error| Failure::new(error.to_string()))
}

#[cfg(not(feature = "png"))]
fn png(_svg: &str) -> CommandResult<Vec<u8>> {
    Err(Failure::new(
        "this build has no PNG: build it with --features png, or write SVG, which browsers show and convert",
    ))
}

fn svg(args: &DrawArgs, format: DrawFormat) -> SvgOptions {
    let is_png = format == DrawFormat::Png;
    SvgOptions {
        has_background: args.background || is_png,
        colors: if is_png { Colors::Light } else { Colors::AsPreferred },
        in_page: false,
    }
}

fn monitor(args: &DrawArgs, global: &GlobalArgs) -> CommandResult<Monitor> {
    let headers_of = options::sessions(&args.events, &args.inputs);
    options::monitor(&args.spec, &args.options, &args.input, headers_of, global.quiet)
}

fn inputs(args: &DrawArgs, monitor: &Monitor) -> CommandResult<Inputs> {
    options::inputs(&args.events, &args.input, monitor, &args.inputs)
}

fn config(args: &DrawArgs, monitor: &Monitor) -> CheckConfig {
    let observation = args.observe.unwrap_or(monitor.config().observation);
    CheckConfig { observation, witness: true, ..monitor.config() }
}

/// The parts that the passing sessions of the inputs take.
fn coverage(args: &DrawArgs, monitor: &Monitor) -> CommandResult<Overlay> {
    let config = CheckConfig { witness: false, ..config(args, monitor) };
    let memory = args.events.memory();
    // Nobody looks at findings here, so none are explained.
    let detail = Detail::default();
    let options = RunOptions { config, detail, coverage: true, memory, ..RunOptions::new(monitor) };
    let report = monitor.run(inputs(args, monitor)?, options, &mut ())?;
    tell_notes(&report, &Messages::new(true), false);
    if report.summary().errors > 0 {
        return Err(Failure::new(format!(
            "{} of the input cannot be read; `multitrace check` says which",
            multitrace_reports::text::counted(report.summary().errors, "part")
        )));
    }
    report.overlay().cloned().ok_or_else(|| Failure::new("an automaton has no diagram to mark"))
}

/// The first session of this name.
fn session(args: &DrawArgs, id: &str, monitor: &Monitor) -> CommandResult<ExplainedSession> {
    let options = ExplainOptions {
        config: config(args, monitor),
        window: Window::Full,
        memory: args.events.memory(),
        words: WORDS,
        ..ExplainOptions::new(monitor)
    };
    let (mut found, mut problems) = (None, Problems::default());
    let ended = monitor.explain(inputs(args, monitor)?, id, options, &mut |item| match item {
        Ok(session) => {
            found = Some(session);
            ControlFlow::Break(())
        }
        Err(problem) => {
            problems.push(problem);
            ControlFlow::Continue(())
        }
    });
    show_problems(&problems);
    match (ended, found) {
        (Ok(_) | Err(Error::Stopped), Some(session)) => Ok(session),
        (Ok(_), None) => Err(Failure::new(format!("no session is called {id:?}"))),
        (Err(error), _) => Err(error.into()),
    }
}

/// The automata that were asked for, one below the other.
fn automata(args: &DrawArgs, format: DrawFormat, global: &GlobalArgs) -> CommandResult<Vec<u8>> {
    let monitor = monitor(args, global)?;
    let only = args.location.as_deref().map(|name| location(name, &monitor)).transpose()?;
    let graphs = match args.what {
        DrawWhat::Diagram | DrawWhat::Nfa => vec![monitor.nfa_graph()?],
        DrawWhat::Local => monitor.verifier_graphs(only)?,
        DrawWhat::LookAhead => monitor.look_ahead_graphs(only)?,
        DrawWhat::Areas => match &args.explain {
            None => monitor.area_graphs(only)?,
            Some(id) => session_areas(args, id, &monitor, only)?,
        },
    };
    let name = |letter| monitor.alphabet().letter_name(letter);
    if format == DrawFormat::Dot {
        let dot =
            |it: &NamedGraph| automaton::dot(&it.graph, &name, &it.title, MOST_STATES_OF_FILE);
        return Ok(graphs.iter().map(dot).collect::<String>().into_bytes());
    }
    let graphs = graphs.iter().map(|it| (it.title.as_str(), &it.graph));
    picture(&automaton::svg_of_all(graphs, &name, MOST_STATES_OF_FILE, svg(args, format)), format)
}

fn location(name: &str, monitor: &Monitor) -> CommandResult<LocationId> {
    let alphabet = monitor.alphabet();
    let found = alphabet.locations().find(|&it| alphabet.location_name(it) == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = alphabet.locations().map(|it| alphabet.location_name(it)).collect();
        Failure::new(format!("no location is called {name}; there are {}", names.join("; ")))
    })
}

fn session_areas(
    args: &DrawArgs,
    id: &str,
    monitor: &Monitor,
    only: Option<LocationId>,
) -> CommandResult<Vec<NamedGraph>> {
    let explained = session(args, id, monitor)?;
    let (logs, observation): (&Session, Observation) =
        (&explained.logs, config(args, monitor).observation);
    monitor.session_area_graphs(logs, observation, only)?.ok_or_else(|| {
        Failure::new(format!(
            "session {id:?} has no areas: a log alone is impossible; `multitrace explain` says which"
        ))
    })
}
