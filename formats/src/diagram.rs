//! Sequence diagrams in the notations that people draw them in: Mermaid and PlantUML.
//!
//! A parser of each notation fills one [`model`]; its meaning is defined once, in `meaning.rs`: order down
//! the page is weak sequencing, an arrow is an emission before a reception, frames are operators.
//! Comments that begin with `multitrace:` add meaning that the drawing does not have.

mod directives;
mod markdown;
mod meaning;
pub mod mermaid;
mod message_names;
pub mod model;
mod notes;
mod numbering;
mod options;
pub mod plantuml;
mod print;
mod references;
mod renumber;
mod rewrite;

pub use markdown::{DiagramText, in_markdown, in_plantuml, whole};
pub(crate) use markdown::{is_mermaid_sequence as is_mermaid, other_kind};
pub use meaning::UNLABELLED;
pub use message_names::{BadMessageNames, MessageNames};
pub use numbering::Numbering;
pub use options::{BadDiagramOptions, DiagramOptions};
pub use plantuml::{Include, IncludeError};
pub use print::{
    FrameTexts, PrintOptions, PrintedDiagram, label_form, lifeline_form, markdown_of,
    message_lines, plain_name, print, printed,
};
pub use references::{Chosen, WholeDiagram, around, parse_whole};
pub(crate) use references::{main_diagram, slug};
pub use rewrite::{Rewritten, rewrite};

use crate::hif::ParsedSpec;
use crate::locations::LocationGroup;
use crate::source::{Diagnostics, Source, SourceError};
use crate::warning::Warning;
use model::{Diagram, End, FragmentOperand, Message, Statement};

/// The notation of a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notation {
    /// Mermaid's `sequenceDiagram`.
    Mermaid,
    /// PlantUML.
    PlantUml,
}

impl Notation {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Notation::Mermaid => "Mermaid",
            Notation::PlantUml => "PlantUML",
        }
    }
}

/// A diagram, and its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadDiagram {
    /// The interaction.
    pub parsed: ParsedSpec,
    /// The diagram.
    pub drawing: Drawing,
}

/// The parts of a diagram beside its interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The title: its own, or else the heading above it.
    pub title: Option<String>,
    /// Its participants, in the order in which they are drawn.
    pub lifelines: Vec<DiagramLifeline>,
    /// Its arrows, down the page.
    pub messages: Vec<DiagramMessage>,
    /// The lifelines that share a clock; those that it does not name have their own.
    pub locations: Vec<LocationGroup>,
    /// The places that have several readings, each with the one chosen.
    pub remarks: Vec<Warning>,
    /// All of it.
    pub model: Box<Diagram>,
}

/// A participant of a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramLifeline {
    /// The name of the lifeline in messages.
    pub id: String,
    /// The label drawn at its head.
    pub label: String,
}

/// An arrow of a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramMessage {
    /// Where it starts; `None` for the outside.
    pub from: Option<String>,
    /// Where it ends; `None` for the outside.
    pub to: Option<String>,
    /// Its text.
    pub label: String,
}

/// Reads a diagram of a text, with those that it refers to.
///
/// # Errors
/// All errors of the diagram, and of the directives in its comments.
///
/// ```
/// use multitrace_formats::diagram::{DiagramOptions, IncludeError, in_markdown, read};
/// use multitrace_formats::{hif, source::Source};
/// let text = "# Login\n```mermaid\nsequenceDiagram\n user->>shop: log in\n```\n";
/// let source = Source::new("SPEC.md", text);
/// let found = &in_markdown(text)[0];
/// let no_files = |_: &str| Err(IncludeError::NoFolder);
/// let read = read(&source, found, &DiagramOptions::default(), &no_files).expect("a diagram");
/// assert_eq!(
///     hif::print(&read.parsed.interaction, &read.parsed.signature),
///     "user -- \"log in\" -> shop\n",
/// );
/// ```
pub fn read<'t>(
    source: &Source,
    chosen: impl Into<Chosen<'t>>,
    options: &DiagramOptions,
    include: &Include<'_>,
) -> Result<ReadDiagram, SourceError> {
    let text = source.spec_text();
    let read = text.and_then(|text| read_text(text, chosen.into(), options, include));
    read.map_err(|errors| errors.of(source.clone()))
}

fn read_text(
    text: &str,
    chosen: Chosen<'_>,
    options: &DiagramOptions,
    include: &Include<'_>,
) -> Result<ReadDiagram, Diagnostics> {
    let diagram = parse_whole(text, chosen, include)?.diagram;
    let meant = meaning::meaning(text, &diagram, options)?;
    let lifelines = diagram.participants.iter();
    let lifelines = lifelines
        .map(|it| DiagramLifeline { id: it.id.clone(), label: it.label.clone() })
        .collect();
    let mut messages = Vec::new();
    add_messages(&diagram, &diagram.body, &mut messages);
    let title = diagram.heading().or_else(|| chosen.text().heading.clone());
    let meaning::Meant { parsed, locations, remarks } = meant;
    let drawing =
        Drawing { title, lifelines, messages, locations, remarks, model: Box::new(diagram) };
    Ok(ReadDiagram { parsed, drawing })
}

/// Reads the statements of a diagram, without their meaning; references to other diagrams stay.
///
/// # Errors
/// All errors of the diagram.
pub fn parse(
    text: &str,
    found: &DiagramText,
    include: &Include<'_>,
) -> Result<Diagram, Diagnostics> {
    found.check()?;
    match found.notation {
        Notation::Mermaid => mermaid::parse(text, found.range.clone()),
        Notation::PlantUml => plantuml::parse(text, found.range.clone(), include),
    }
}

fn add_messages(diagram: &Diagram, body: &[Statement], messages: &mut Vec<DiagramMessage>) {
    for statement in body {
        match statement {
            Statement::Message(message) => messages.push(DiagramMessage::new(diagram, message)),
            Statement::Fragment(fragment) => {
                let operands = fragment.operands.iter();
                operands.for_each(|it: &FragmentOperand| add_messages(diagram, &it.body, messages));
            }
            Statement::Note(_)
            | Statement::Reference(_)
            | Statement::Directive(_)
            | Statement::Mark(_) => {}
        }
    }
}

impl DiagramMessage {
    fn new(diagram: &Diagram, message: &Message) -> DiagramMessage {
        let name =
            |end: End| diagram.participants.get(end.participant()?.index()).map(|it| it.id.clone());
        let label = message.text.clone();
        DiagramMessage { from: name(message.from), to: name(message.to), label }
    }
}
