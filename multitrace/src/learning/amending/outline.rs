//! The statements of a diagram with the lines that belong to each.

use super::share_marks::Share;
use crate::monitor::Monitor;
use multitrace_formats::diagram::model::{Diagram, Life, Mark, MarkKind, Side, Statement};
use multitrace_formats::source::Span;
use multitrace_interaction::{ActionKind, Node};
use std::collections::{BTreeMap, BTreeSet};

/// Events, each with its lifeline and its message.
pub(super) type Events = BTreeSet<(String, ActionKind, String)>;

/// A statement: the body it stands in, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) body: usize,
    pub(super) item: usize,
}

/// A statement that means something.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The statement alone.
    statement: Span,
    /// With the directives before it, and the notes and marks behind it.
    pub(super) whole: Span,
    /// The texts of its arrows, if it is not a frame.
    pub(super) labels: Vec<Span>,
    /// The participant that it creates, and where the text says so.
    pub(super) creates: Option<(String, Span)>,
}

/// The diagram, or an operand of a frame.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// The frame.
    pub(super) parent: Option<Place>,
    pub(super) items: Vec<Item>,
    /// The line above it, if it is an operand.
    pub(super) header: Option<Span>,
}

/// All bodies, each before those in its frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline(pub(super) Vec<Body>);

impl Outline {
    pub(super) fn new(diagram: &Diagram) -> Outline {
        let mut outline = Outline::default();
        outline.add(None, None, (diagram, &diagram.body));
        outline
    }

    fn add(
        &mut self,
        parent: Option<Place>,
        header: Option<Span>,
        (diagram, statements): (&Diagram, &[Statement]),
    ) {
        let body = self.0.len();
        self.0.push(Body { parent, items: items(diagram, statements), header });
        for statement in statements {
            let Statement::Fragment(frame) = statement else { continue };
            let items = &self.0[body].items;
            let Some(item) = items.iter().position(|it| covers(it.whole, frame.span)) else {
                continue;
            };
            for operand in &frame.operands {
                let statements = (diagram, &*operand.body);
                self.add(Some(Place { body, item }), Some(operand.header), statements);
            }
        }
    }

    /// The innermost statement around a place of the text.
    pub(super) fn place(&self, span: Span) -> Option<Place> {
        let found = self.0.iter().enumerate().flat_map(|(body, it)| {
            let items = it.items.iter().enumerate();
            items.map(move |(item, of)| (of.statement, Place { body, item }))
        });
        let around = found.filter(|(statement, _)| covers(*statement, span));
        around.min_by_key(|(statement, _)| statement.end - statement.start).map(|it| it.1)
    }

    /// A statement, and the frames around it, from the inside.
    pub(super) fn ancestors(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        std::iter::successors(Some(place), |it| self.0[it.body].parent)
    }

    /// The operands whose label waits for a number of sessions, from the top.
    pub(super) fn waiting(&self, text: &str) -> Vec<(usize, Share)> {
        let bodies = self.0.iter().enumerate().filter_map(|(body, it)| {
            let line = text[it.header?.start..].lines().next()?;
            Some((body, Share::of_header(line)?))
        });
        bodies.collect()
    }

    /// By statement, the events of it and of all in it.
    pub(super) fn events(&self, monitor: &Monitor) -> BTreeMap<Place, Events> {
        let mut events: BTreeMap<Place, Events> = BTreeMap::new();
        let Some((signature, interaction)) = &monitor.bundle().source else { return events };
        for (node, span) in interaction.nodes().iter().zip(&monitor.bundle().text.spans) {
            let (Node::Step(step), Some(place)) = (node, self.place(*span)) else { continue };
            for action in step.actions() {
                let lifeline = signature.lifeline_name(action.lifeline).to_owned();
                let message = signature.message_name(action.message).to_owned();
                let event = (lifeline, action.kind, message);
                for place in self.ancestors(place) {
                    events.entry(place).or_default().insert(event.clone());
                }
            }
        }
        events
    }
}

fn covers(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn items(diagram: &Diagram, statements: &[Statement]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    // The first of the statements that belong to the next one, and whether they make an action of a note.
    let (mut start, mut is_local, mut creates) = (None, false, None);
    for statement in statements {
        let span = statement.span();
        let is_note = matches!(statement, Statement::Note(_) | Statement::Reference(_));
        match statement {
            Statement::Directive(directive) if is_for_next(&directive.text) => {
                start = start.or(Some(span));
                is_local |= directive.text.starts_with("local");
            }
            Statement::Mark(Mark { kind: MarkKind::Life(Life::Create, participant), .. }) => {
                start = start.or(Some(span));
                creates = Some((diagram.participants[participant.index()].id.clone(), span));
            }
            Statement::Message(message) if message.is_parallel && !items.is_empty() => {
                extend(&mut items, span, Some(message.text_span));
            }
            _ if is_note && is_local
                || matches!(statement, Statement::Message(_) | Statement::Fragment(_)) =>
            {
                let whole = start.take().map_or(span, |start| start.to(span));
                let labels = match statement {
                    Statement::Message(message) => vec![message.text_span],
                    _ => Vec::new(),
                };
                items.push(Item { statement: span, whole, labels, creates: creates.take() });
                is_local = false;
            }
            // PlantUML puts it at the arrow above.
            Statement::Note(note) if note.over.is_empty() && note.side != Side::Over => {
                extend(&mut items, span, None);
            }
            Statement::Mark(mark) if matches!(mark.kind, MarkKind::Life(..)) => {
                extend(&mut items, span, None);
            }
            _ => {}
        }
    }
    items
}

/// Lets a statement belong to the one before it, as a part of it if it is an arrow.
fn extend(items: &mut [Item], span: Span, label: Option<Span>) {
    if let Some(last) = items.last_mut() {
        last.whole = last.whole.to(span);
        if let Some(label) = label {
            last.statement = last.statement.to(span);
            last.labels.push(label);
        }
    }
}

/// Whether a directive is about the statement below it, and not about the whole diagram.
fn is_for_next(text: &str) -> bool {
    const WORDS: [&str; 13] = [
        "loop",
        "strict",
        "coregion",
        "local",
        "received",
        "synchronous",
        "may be lost",
        "may be repeated",
        "any",
        "quorum",
        "for",
        "not logged",
        "ignore",
    ];
    WORDS.iter().any(|word| text.strip_prefix(word).is_some_and(|rest| !rest.starts_with('-')))
}
