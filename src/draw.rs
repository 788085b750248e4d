//! `multitrace draw`: a specification, or the automaton of one, as a picture.

use crate::args::{DrawArgs, DrawFormat, DrawWhat, GlobalArgs};
use crate::exit::Exit;
use crate::explain::terminal_width;
use crate::failure::{CommandResult, Failure};
use crate::options;
use crate::output::write_beside;
use crate::painting::paint;
use multitrace::interaction::Signature;
use multitrace::reports::pictures::SvgOptions;
use multitrace::reports::pictures::automaton::{self, Graph};
use multitrace::reports::pictures::diagram::{Diagram, MOST_ROWS, diagram_svg, diagram_text};
use multitrace::reports::pictures::overlay::Overlay;
use multitrace::{CompileOptions, Monitor, ReadInteraction, Spec};

/// The most states of an automaton that are drawn: more cannot be read.
const MOST_STATES: usize = 2_000;

pub(crate) fn run(args: &DrawArgs, global: &GlobalArgs) -> CommandResult<Exit> {
    let format = format(args)?;
    let options = options::reading(args.locations.as_ref(), &args.diagrams);
    let text = match args.what {
        DrawWhat::Diagram => diagram(args, format, &options, global)?,
        DrawWhat::Nfa => {
            // A bundle takes no options.
            let options = (args.locations.is_some() || args.diagrams.any()).then_some(options);
            nfa(&Monitor::open(&args.spec, options.as_ref())?, args, format)?
        }
    };
    write_beside(args.output.as_deref(), &args.spec, &text)?;
    Ok(Exit::Clean)
}

/// As it was asked for, or as the extension of the output says.
fn format(args: &DrawArgs) -> CommandResult<DrawFormat> {
    if let Some(format) = args.output_format {
        return Ok(format);
    }
    let Some(output) = &args.output else { return Ok(DrawFormat::Text) };
    match output.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(DrawFormat::Svg),
        Some("txt") => Ok(DrawFormat::Text),
        Some("dot" | "gv") => Ok(DrawFormat::Dot),
        _ => Err(Failure::new(format!(
            "{}: no picture by its extension; known are .svg, .txt and .dot, or say it with \
             --output-format",
            output.display()
        ))),
    }
}

fn diagram(
    args: &DrawArgs,
    format: DrawFormat,
    options: &CompileOptions,
    global: &GlobalArgs,
) -> CommandResult<String> {
    let spec = Spec::read(&args.spec)?;
    let Some(read) = spec.interaction(options)? else {
        return Err(Failure::new(format!(
            "{}: an automaton is drawn with --what nfa",
            args.spec.display()
        )));
    };
    let ReadInteraction { parsed, drawing, locations, .. } = &read;
    let labels = labels(&read, &parsed.signature);
    let title = drawing.as_ref().and_then(|drawing| drawing.title.clone()).unwrap_or_default();
    let overlay = Overlay::default();
    let diagram = Diagram {
        interaction: &parsed.interaction,
        signature: &parsed.signature,
        locations,
        labels: &labels,
        title: &title,
        overlay: &overlay,
        rows: MOST_ROWS,
    };
    match format {
        DrawFormat::Svg => Ok(diagram_svg(&diagram, svg(args))),
        DrawFormat::Text => {
            let paint = paint(global.color, args.output.is_none());
            Ok(diagram_text(&diagram, terminal_width(), paint))
        }
        DrawFormat::Dot => Err(Failure::new("DOT is for automata: add --what nfa")),
    }
}

/// What is drawn at the heads: the labels of a diagram.
pub(crate) fn labels(read: &ReadInteraction, signature: &Signature) -> Vec<String> {
    let label = |name: &str| {
        let drawing = read.drawing.as_ref()?;
        drawing.lifelines.iter().find(|it| it.id == name).map(|it| it.label.replace('\n', " "))
    };
    let names = signature.lifelines().map(|it| signature.lifeline_name(it));
    names.map(|name| label(name).unwrap_or_default()).collect()
}

fn svg(args: &DrawArgs) -> SvgOptions {
    SvgOptions { has_background: args.background, ..SvgOptions::default() }
}

fn nfa(monitor: &Monitor, args: &DrawArgs, format: DrawFormat) -> CommandResult<String> {
    let (automaton, bundle) = (monitor.automaton()?, monitor.bundle());
    let title = &bundle.provenance.spec_name;
    let name = |letter| bundle.alphabet.letter_name(letter);
    match format {
        DrawFormat::Dot => {
            Ok(automaton::nfa_dot(&automaton.full, &bundle.alphabet, title, MOST_STATES))
        }
        DrawFormat::Svg => {
            let graph = Graph::of_nfa(&automaton.full);
            Ok(automaton::svg(&graph, &name, title, MOST_STATES, svg(args)))
        }
        DrawFormat::Text => Err(Failure::new(
            "an automaton is drawn as SVG or DOT: name an output, -o nfa.svg, or --output-format dot",
        )),
    }
}
