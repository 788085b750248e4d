//! Facts of a diagram that its interaction does not have, by the places that both have.

use super::local_order::Occurrence;
use super::written::WrittenSpec;
use multitrace_formats::diagram::model::{
    Diagram, End, Fragment, FragmentOperator, Message, Statement,
};
use multitrace_formats::source::Span;
use multitrace_interaction::LifelineId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Words that a participant is called by who is a person: people see and hear more than the messages to them.
const PEOPLE: [&str; 4] = ["customer", "human", "person", "user"];
/// The keywords of frames whose arrows are drawn beside each other, in PlantUML and in Mermaid.
const BESIDE: [&str; 2] = ["par2", "par_over"];
/// The directives that choose some of the parts of `par`.
const CHOOSING: [&str; 2] = ["any", "quorum"];

/// Facts of a diagram. An interaction in text has none of them.
#[derive(Default)]
pub(super) struct Drawn<'a> {
    /// Arrows with heads at both ends, and where they start.
    two_headed: FxHashMap<Span, End>,
    /// Where the options of critical frames begin.
    options: FxHashSet<Span>,
    /// Frames whose arrows are drawn beside each other.
    beside: Vec<Span>,
    /// Frames where a directive chooses some of the parts.
    chosen: Vec<Span>,
    /// By where they start.
    branches: Vec<Branch>,
    people: FxHashSet<String>,
    diagram: Option<&'a Diagram>,
}

/// An operand of a frame.
struct Branch {
    frame: Span,
    /// From its keyword on.
    span: Span,
    has_text: bool,
    has_note: bool,
}

impl<'a> Drawn<'a> {
    pub(super) fn new(spec: &WrittenSpec<'a>) -> Drawn<'a> {
        let Some(diagram) = spec.diagram else { return Drawn::default() };
        let people = diagram.participants.iter().filter(|it| {
            let last_word = |text: &str| {
                // The second user is a user, too.
                let text = text.trim_end_matches(|c: char| !c.is_alphabetic());
                let word = text.rsplit(|c: char| !c.is_alphanumeric()).next();
                PEOPLE.contains(&&*word.unwrap_or_default().to_lowercase())
            };
            it.kind == "actor" || last_word(&it.id) || last_word(&it.label)
        });
        let people = people.map(|it| it.id.clone()).collect();
        let mut drawn = Drawn { people, diagram: Some(diagram), ..Drawn::default() };
        drawn.read(&diagram.body);
        // Lines that a loop of PlantUML repeats have one place.
        drawn.branches.sort_by_key(|it| it.span.start);
        drawn
    }

    fn read(&mut self, body: &[Statement]) {
        let mut is_chosen = false;
        for statement in body {
            match statement {
                Statement::Message(Message { arrow, span, from, .. })
                    if arrow.is_bidirectional() =>
                {
                    self.two_headed.insert(*span, *from);
                }
                Statement::Fragment(fragment) => self.read_frame(fragment, is_chosen),
                Statement::Directive(directive) => {
                    let word = directive.text.split_whitespace().next().unwrap_or_default();
                    is_chosen |= CHOOSING.contains(&word);
                    continue;
                }
                Statement::Mark(_) => continue,
                _ => {}
            }
            is_chosen = false;
        }
    }

    fn read_frame(&mut self, fragment: &Fragment, is_chosen: bool) {
        let Fragment { operator, operands, span } = fragment;
        if is_chosen {
            self.chosen.push(*span);
        }
        if operands.iter().take(1).any(|it| BESIDE.contains(&it.looks.within.as_str())) {
            self.beside.push(*span);
        }
        if *operator == FragmentOperator::Critical {
            self.options.extend(operands.iter().skip(1).map(|it| it.header));
        }
        for (at, operand) in operands.iter().enumerate() {
            let end = operands.get(at + 1).map_or(span.end, |next| next.header.start);
            let is_note =
                |it: &Statement| matches!(it, Statement::Note(_) | Statement::Reference(_));
            self.branches.push(Branch {
                frame: *span,
                span: Span::new(operand.header.start, end),
                has_text: !operand.text.is_empty(),
                has_note: operand.body.iter().any(is_note),
            });
            self.read(&operand.body);
        }
    }

    /// Whether it is the start of an arrow with two heads that is drawn to its lifeline.
    pub(super) fn is_way_back(&self, spec: &WrittenSpec<'_>, occurrence: Occurrence) -> bool {
        let start = self.two_headed.get(&spec.span(occurrence.node));
        start.is_some_and(|start| {
            let participant = start.participant().zip(self.diagram);
            let from = participant.and_then(|(it, diagram)| diagram.participants.get(it.index()));
            from.is_some_and(|from| from.id != spec.lifeline(occurrence.action.lifeline))
        })
    }

    pub(super) fn has_two_heads(&self, place: Span) -> bool {
        self.two_headed.contains_key(&place)
    }

    /// Whether the alternatives at a place are the options of a critical frame.
    pub(super) fn is_option(&self, place: Span) -> bool {
        self.options.contains(&place)
    }

    pub(super) fn is_person(&self, spec: &WrittenSpec<'_>, lifeline: LifelineId) -> bool {
        self.people.contains(spec.lifeline(lifeline))
    }

    pub(super) fn is_beside_others(&self, place: Span) -> bool {
        self.beside.iter().any(|frame| is_in(place, *frame))
    }

    /// Whether a directive chooses between these two.
    pub(super) fn are_chosen(&self, places: [Span; 2]) -> bool {
        self.chosen.iter().any(|frame| places.iter().all(|it| is_in(*it, *frame)))
    }

    /// Whether a frame is not closed around this place.
    pub(super) fn is_unclosed(&self, place: Span) -> bool {
        let unclosed = self.diagram.map_or(&[][..], |diagram| &diagram.unclosed);
        unclosed.iter().any(|frame| frame.start < place.start)
    }

    /// Whether a part of the frame at a place has a note, so that it says something.
    pub(super) fn has_note(&self, frame: Span) -> bool {
        self.branches_from(frame.start).any(|it| it.has_note && is_in(it.span, frame))
    }

    /// Whether an alternative of the frame has a condition or a note.
    pub(super) fn is_explained(&self, frame: Span, alternative: Span) -> bool {
        let last = self.branches.partition_point(|it| it.span.start <= alternative.end);
        // The one around it is mostly among the last ones before its end.
        let near = self.branches[..last].iter().rev().take_while(|it| frame.start <= it.span.start);
        let mut explained = near.filter(|it| it.has_text || it.has_note);
        explained.any(|it| is_in(alternative, it.span) || alternative == it.frame)
    }

    /// The branches that start at a place or behind it.
    fn branches_from(&self, place: usize) -> impl Iterator<Item = &Branch> {
        self.branches[self.branches.partition_point(|it| it.span.start < place)..].iter()
    }

    /// Whether there is a diagram at all.
    pub(super) fn is_some(&self) -> bool {
        self.diagram.is_some()
    }
}

fn is_in(place: Span, frame: Span) -> bool {
    frame.start <= place.start && place.start < frame.end
}
