//! Writes a diagram in a notation as its author drew it: texts, conditions, notes, boxes and comments stay.

// Idea: `adapted` turns the diagram into one that the notation can say, and lists the losses. `page` and
// the two notations write it. The text is then read again: it must give that very diagram, except for the
// places, and mean the same as the first one. If it does not, plainer forms of the texts are tried. If none
// is right, there is no text, and the caller prints the interaction.

mod adapted;
mod colors;
mod lives;
mod losses;
mod mermaid;
mod page;
mod plantuml;
mod texts;

use super::markdown::whole;
use super::model::{Diagram, Directive, Looks, Statement};
use super::print::is_same_meaning;
use super::{Chosen, DiagramOptions, Include, IncludeError, Notation, meaning, parse, parse_whole};
use crate::locations::LocationGroup;
use crate::source::{Diagnostics, Span};
use losses::Loss;
use multitrace_interaction::names;
use texts::Texts;

/// A diagram in another notation, or in its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// The constructs that the notation cannot write.
    pub losses: Vec<String>,
    /// Whether it means the same only if it is read with the options of the first one.
    pub needs_options: bool,
}

/// Writes a diagram of a text in a notation; `locations` replace its own.
/// `None` if each text would be another diagram when it is read.
///
/// # Errors
/// Those of reading the diagram.
pub fn rewrite<'t>(
    text: &str,
    chosen: impl Into<Chosen<'t>>,
    options: &DiagramOptions,
    include: &Include<'_>,
    (notation, locations): (Notation, Option<&[LocationGroup]>),
) -> Result<Option<Rewritten>, Diagnostics> {
    let chosen = chosen.into();
    let found = chosen.text();
    let mut diagram = parse_whole(text, chosen, include)?.diagram;
    if diagram.heading().is_none() {
        diagram.title.clone_from(&found.heading);
    }
    let mut meant = meaning::meaning(text, &diagram, options)?;
    if let Some(locations) = locations {
        place_locations(&mut diagram, locations);
        meant.locations = locations.to_vec();
    }
    let is_own = found.notation == notation;
    let adapted::Adapted { diagram, mut losses } =
        adapted::adapted(diagram, found.notation, notation);
    let raw = if is_own { Some(text) } else { None };
    for texts in [Texts::Kept, Texts::Marked, Texts::Numbered] {
        if texts == Texts::Kept && !is_own {
            continue;
        }
        let written = page::write(notation, &diagram, texts, raw);
        for (options, needs_options) in [(&DiagramOptions::default(), false), (options, true)] {
            let Some((again, read)) = read_again(notation, &written, options) else { continue };
            if same(&again, texts) == same(&diagram, texts) && is_same_meaning(&meant, &read) {
                if same(&diagram, texts) != same(&diagram, Texts::Kept) {
                    losses.add(Loss::Marks);
                }
                let losses = losses.words(notation);
                return Ok(Some(Rewritten { text: written, losses, needs_options }));
            }
        }
    }
    Ok(None)
}

fn read_again(
    notation: Notation,
    text: &str,
    options: &DiagramOptions,
) -> Option<(Diagram, meaning::Meant)> {
    let no_files = |_: &str| Err(IncludeError::NoFolder);
    let diagram = parse(text, &whole(text, notation), &no_files).ok()?;
    let meant = meaning::meaning(text, &diagram, options).ok()?;
    Some((diagram, meant))
}

/// Replaces the locations that the diagram has.
fn place_locations(diagram: &mut Diagram, locations: &[LocationGroup]) {
    diagram.body.retain(
        |it| !matches!(it, Statement::Directive(it) if it.text.trim_start().starts_with("locations")),
    );
    if locations.is_empty() {
        return;
    }
    let group = |it: &LocationGroup| names::location_text(it.members.iter().map(String::as_str));
    let groups: Vec<String> = locations.iter().map(group).collect();
    let text = format!("locations {}", groups.join(";"));
    diagram.body.insert(0, Statement::Directive(Directive { text, span: Span::default() }));
}

/// The diagram without places, and without the counts of frames and styles that no statement depends on. Texts
/// that are not kept have no marks.
fn same(diagram: &Diagram, texts: Texts) -> Diagram {
    let mut same = Diagram { unclosed: Vec::new(), styling_statements: 0, ..diagram.clone() };
    let clear = |looks: &mut Looks, span: &mut Span| {
        *span = Span::default();
        if texts != Texts::Kept {
            looks.text.clear();
        }
    };
    clear(&mut same.title_looks, &mut Span::default());
    same.participants.iter_mut().for_each(|it| clear(&mut it.looks, &mut it.span));
    same.boxes.iter_mut().for_each(|it| clear(&mut it.looks, &mut it.span));
    clear_all(&mut same.body, &clear);
    same
}

fn clear_all(body: &mut [Statement], clear: &impl Fn(&mut Looks, &mut Span)) {
    for statement in body {
        match statement {
            Statement::Message(it) => {
                it.text_span = Span::default();
                clear(&mut it.looks, &mut it.span);
            }
            Statement::Note(it) | Statement::Reference(it) => clear(&mut it.looks, &mut it.span),
            Statement::Directive(it) => it.span = Span::default(),
            Statement::Mark(it) => clear(&mut it.looks, &mut it.span),
            Statement::Fragment(it) => {
                it.span = Span::default();
                for operand in &mut it.operands {
                    clear(&mut operand.looks, &mut operand.header);
                    clear_all(&mut operand.body, clear);
                }
            }
        }
    }
}
