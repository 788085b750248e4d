//! The marks of an interaction, by the places of the statements that its nodes come from.

use crate::paint::Tone;
use crate::pictures::diagram::subject::{Diagram, Document};
use crate::pictures::overlay::Mark;
use multitrace_formats::source::Span;
use multitrace_interaction::{Id, Interaction, NodeId};
use std::collections::{BTreeMap, HashMap};

/// The marks by places: of messages and frames, and of the parts inside of frames.
pub(super) struct Marks<'a> {
    of: BTreeMap<Span, Mark>,
    /// By frame, the places of operands with their marks.
    inside: BTreeMap<Span, Vec<(Span, Mark)>>,
    texts: &'a BTreeMap<Span, Mark>,
}

impl<'a> Marks<'a> {
    pub(super) fn new(subject: &Diagram<'a>, document: Document<'_>) -> Marks<'a> {
        let (overlay, spans) = (subject.overlay, document.spans);
        let span_of = |id: NodeId| spans.get(id.index()).copied().unwrap_or_default();
        let mut all: BTreeMap<Span, Vec<&Mark>> = BTreeMap::new();
        for (node, mark) in &overlay.nodes {
            all.entry(span_of(*node)).or_default().push(mark);
        }
        let of = all.into_iter().map(|(span, marks)| (span, together(&marks))).collect();
        let parents = parents(subject.interaction);
        let mut operands: BTreeMap<(Span, Span), Vec<&Mark>> = BTreeMap::new();
        for (node, mark) in &overlay.operands {
            let frame = parents.get(node).map_or_else(Span::default, |it| span_of(*it));
            operands.entry((frame, span_of(*node))).or_default().push(mark);
        }
        let mut inside: BTreeMap<Span, Vec<(Span, Mark)>> = BTreeMap::new();
        for ((frame, place), marks) in operands {
            inside.entry(frame).or_default().push((place, together(&marks)));
        }
        Marks { of, inside, texts: &overlay.texts }
    }

    /// The mark of a message or a frame.
    pub(super) fn of(&self, span: Span) -> Mark {
        self.of.get(&span).cloned().unwrap_or_default()
    }

    /// The mark with that of a note or of a condition at this place.
    pub(super) fn with_text(&self, mut mark: Mark, place: Span) -> Mark {
        self.texts.get(&place).into_iter().for_each(|it| mark.add(it));
        mark
    }

    /// The mark of the operand between these places.
    pub(super) fn operand(&self, frame: Span, (start, end): (usize, usize)) -> Mark {
        let inside = self.inside.get(&frame).into_iter().flatten();
        let mut inside = inside.filter(|(it, _)| *it != frame && (start..end).contains(&it.start));
        inside.next().map(|(_, mark)| mark.clone()).unwrap_or_default()
    }

    /// The mark of leaving a frame out.
    pub(super) fn skipped(&self, frame: Span) -> Option<&Mark> {
        let inside = self.inside.get(&frame)?;
        inside.iter().find(|(it, _)| *it == frame).map(|(_, mark)| mark)
    }
}

fn parents(interaction: &Interaction) -> HashMap<NodeId, NodeId> {
    let nodes = interaction.nodes().iter().enumerate();
    nodes.flat_map(|(at, node)| node.children().map(move |it| (it, NodeId::new(at)))).collect()
}

/// The marks of the nodes of one statement. A bounded loop has copies of its body, each inside of the one
/// before, so that the highest count says how many sessions took the statement; a copy that was never taken
/// does not count where another one was. Of other copies the count is a lower bound.
fn together(marks: &[&Mark]) -> Mark {
    let count = |mark: &Mark| mark.note.parse::<u64>().ok();
    let taken = marks.iter().filter_map(|it| count(it)).max().unwrap_or(0);
    let mut all = Mark::default();
    if taken > 0 {
        all.add(&Mark::new(Tone::Good, taken.to_string()));
    }
    for mark in marks {
        let is_told = taken > 0 && mark.tone == Tone::Doubtful;
        if count(mark).is_none() && !is_told {
            all.add(mark);
        }
    }
    all
}
