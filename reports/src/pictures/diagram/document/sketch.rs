//! The items drawn of a diagram, over columns: that of the first participant is 1.

use super::marks::Marks;
use super::style::{Style, wrapped, wrapped_at_words};
use crate::paint::Tone;
use crate::pictures::diagram::subject::{Diagram, Document};
use crate::pictures::measure::Label;
use crate::pictures::overlay::Mark;
use multitrace_formats::diagram::Numbering;
use multitrace_formats::diagram::model::{
    self, Directive, DirectivePlace, End, Fragment, FragmentOperator, Life, Looks, MarkKind,
    Message, Note, ParticipantId, Side, Statement,
};
use std::mem;

pub(super) enum Item {
    Arrow(Arrow),
    Card(Card),
    Open {
        tab: Label,
        tone: Tone,
        guard: (Vec<Label>, Tone),
    },
    Lane {
        guard: Vec<Label>,
        tone: Tone,
    },
    Close,
    /// A text across all lifelines.
    Rule {
        lines: Vec<Label>,
        is_delay: bool,
    },
    Life(Life, usize),
}

pub(super) struct Arrow {
    /// The edges of the picture are columns; `None` for a place near the other end.
    pub(super) from: Option<usize>,
    pub(super) to: Option<usize>,
    pub(super) reach: Reach,
    pub(super) lines: Vec<Label>,
    pub(super) arrow: model::Arrow,
    pub(super) tone: Tone,
    /// Whether its receiver is active from now on, and its sender no longer.
    pub(super) starts: bool,
    pub(super) ends: bool,
}

/// Which lifelines an arrow is between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Lifelines,
    /// One of its ends is outside, at the left of the other one.
    Left,
    Right,
}

/// A note, or a reference.
pub(super) struct Card {
    pub(super) columns: (usize, usize),
    pub(super) side: Side,
    pub(super) lines: Vec<Label>,
    pub(super) is_reference: bool,
    pub(super) tone: Tone,
}

pub(super) struct Sketch {
    pub(super) items: Vec<Item>,
    pub(super) messages: usize,
    /// Those that are not drawn, since there are too many.
    pub(super) omitted: usize,
}

impl Sketch {
    pub(super) fn new(
        subject: &Diagram<'_>,
        document: Document<'_>,
        marks: &Marks<'_>,
        style: &Style,
    ) -> Sketch {
        let mut maker = Maker {
            marks,
            style,
            count: document.diagram.participants.len(),
            most: subject.rows,
            numbering: Numbering::default(),
            last: None,
            sketch: Sketch { items: Vec::new(), messages: 0, omitted: 0 },
        };
        maker.body(&document.diagram.body);
        maker.sketch
    }
}

struct Maker<'a> {
    marks: &'a Marks<'a>,
    style: &'a Style,
    count: usize,
    most: usize,
    numbering: Numbering,
    /// The left and the right end of the last message.
    last: Option<(usize, usize)>,
    sketch: Sketch,
}

fn column(id: ParticipantId) -> usize {
    id.index() + 1
}

fn reach(message: &Message) -> Reach {
    let outside = [message.from, message.to].into_iter().find_map(|it| match it {
        End::Outside { is_left, .. } => Some(is_left),
        End::Participant(_) => None,
    });
    outside.map_or(Reach::Lifelines, |is_left| if is_left { Reach::Left } else { Reach::Right })
}

/// Two texts, with a blank between them.
fn joined(text: &str, other: &str) -> String {
    let gap = if text.is_empty() || other.is_empty() { "" } else { " " };
    format!("{text}{gap}{other}")
}

/// A text with the note of its mark.
fn noted(text: &str, mark: &Mark) -> String {
    let note = if mark.note.is_empty() { String::new() } else { format!("[{}]", mark.note) };
    joined(text, &note)
}

/// Directives as UML writes constraints.
fn in_braces(said: &[&str]) -> String {
    if said.is_empty() { String::new() } else { format!("{{{}}}", said.join(", ")) }
}

impl Maker<'_> {
    fn is_full(&self) -> bool {
        self.sketch.items.len() >= self.most
    }

    fn body(&mut self, body: &[Statement]) {
        // The directives of the next statement.
        let mut said: Vec<&str> = Vec::new();
        let mut rest = body;
        while let Some((statement, after)) = rest.split_first() {
            rest = after;
            match statement {
                Statement::Directive(directive) => match directive.place() {
                    DirectivePlace::Next => said.push(&directive.text),
                    DirectivePlace::Here => self.constraint(directive),
                    DirectivePlace::Elsewhere => {}
                },
                Statement::Mark(mark) if !self.is_full() => self.mark(&mark.kind),
                Statement::Mark(_) => {}
                Statement::Message(message) => {
                    rest = self.message(message, &in_braces(&mem::take(&mut said)), rest);
                }
                Statement::Fragment(fragment) => self.fragment(fragment, &mem::take(&mut said)),
                Statement::Note(note) => self.card(note, &in_braces(&mem::take(&mut said)), false),
                Statement::Reference(note) => {
                    self.card(note, &in_braces(&mem::take(&mut said)), true);
                }
            }
        }
    }

    /// A directive over all lifelines.
    fn constraint(&mut self, directive: &Directive) {
        let (text, side) = (in_braces(&[&directive.text]), Side::Over);
        let looks = Looks::default();
        let note = Note { over: Vec::new(), side, text, looks, span: directive.span };
        self.card(&note, "", false);
    }

    /// Adds a message. Returns the statements behind it and its activations.
    fn message<'s>(
        &mut self,
        message: &Message,
        said: &str,
        mut rest: &'s [Statement],
    ) -> &'s [Statement] {
        let (from, to) = (self.end(message.from), self.end(message.to));
        let (mut starts, mut ends) = (false, false);
        while let [Statement::Mark(mark), after @ ..] = rest {
            match mark.kind {
                MarkKind::Life(Life::Activate, who) if Some(column(who)) == to => starts = true,
                MarkKind::Life(Life::Deactivate, who) if Some(column(who)) == from => ends = true,
                // They are not drawn.
                MarkKind::Comment(_) | MarkKind::Looks(_) => {}
                _ => break,
            }
            rest = after;
        }
        self.sketch.messages += 1;
        if self.is_full() {
            self.sketch.omitted += 1;
            return rest;
        }
        let mark = self.marks.of(message.span);
        let mut text = noted(&joined(&message.text, said), &mark);
        if let Some(number) = self.numbering.number() {
            text = format!("{number} {text}");
        }
        let text = text.trim_end();
        let lines = match self.style.room {
            None => wrapped_at_words(text, self.style.text),
            Some(_) => wrapped(text, self.style.text),
        };
        let own = [message.from, message.to].map(|it| it.participant().map(column));
        let [low, high] = [own[0].or(own[1]), own[1].or(own[0])];
        self.last = low.min(high).zip(low.max(high));
        let reach = reach(message);
        let (arrow, tone) = (message.arrow, mark.tone);
        let item = Arrow { from, to, reach, lines, arrow, tone, starts, ends };
        self.sketch.items.push(Item::Arrow(item));
        rest
    }

    /// The column of an end.
    fn end(&self, end: End) -> Option<usize> {
        match end {
            End::Participant(id) => Some(column(id)),
            End::Outside { is_near: true, .. } => None,
            End::Outside { is_left, .. } => Some(if is_left { 0 } else { self.count + 1 }),
        }
    }

    fn card(&mut self, note: &Note, said: &str, is_reference: bool) {
        if self.is_full() {
            return;
        }
        let mark = self.marks.with_text(self.marks.of(note.span), note.span);
        let all = (1, self.count.max(1));
        let columns = note.over.iter().copied().map(column);
        let columns = match (columns.clone().min().zip(columns.max()), note.side) {
            (Some(columns), _) => columns,
            (None, Side::Over) => all,
            (None, _) => self.last.unwrap_or(all),
        };
        let lines = wrapped(&noted(&joined(&note.text, said), &mark), self.style.note());
        let card = Card { columns, side: note.side, lines, is_reference, tone: mark.tone };
        self.sketch.items.push(Item::Card(card));
    }

    fn fragment(&mut self, fragment: &Fragment, said: &[&str]) {
        let is_drawn = !self.is_full();
        let mut mark = self.marks.of(fragment.span);
        // The choices of a bounded loop are between numbers of repetitions.
        let is_loop = fragment.operator == FragmentOperator::Loop;
        let skipped =
            self.marks.skipped(fragment.span).filter(|it| !is_loop && !it.note.is_empty());
        if let Some(skipped) = skipped {
            mark.add(&Mark::new(skipped.tone, format!("skipped: {}", skipped.note)));
        }
        for (at, operand) in fragment.operands.iter().enumerate() {
            let next = fragment.operands.get(at + 1);
            let end = next.map_or(fragment.span.end, |it| it.header.start);
            let mut own = match is_loop {
                true => Mark::default(),
                false => self.marks.operand(fragment.span, (operand.header.start, end)),
            };
            let is_title = fragment.operator == FragmentOperator::Group && at == 0;
            let text = if is_title { &mut mark } else { &mut own };
            *text = self.marks.with_text(mem::take(text), operand.header);
            let condition = match operand.text.as_str() {
                text if text.is_empty() || is_title => String::new(),
                text if text.starts_with('[') => text.to_owned(),
                text => format!("[{text}]"),
            };
            let said: Vec<&str> = match at {
                0 => said.iter().map(|it| it.strip_prefix("loop ").unwrap_or(it)).collect(),
                _ => Vec::new(),
            };
            let condition = joined(&condition, &in_braces(&said));
            let mut guard = wrapped(&noted(&condition, &own), self.style.guard);
            if is_drawn && at == 0 {
                // A group has its title as its keyword.
                let word = match is_title {
                    true => operand.text.replace('\n', " "),
                    false => fragment.operator.keyword().to_owned(),
                };
                let most = if self.style.room.is_some() { self.style.guard } else { usize::MAX };
                let mut lines = wrapped(&noted(&word, &mark), most).into_iter();
                let tab = lines.next().unwrap_or_default();
                if lines.len() > 0 {
                    // Nothing stands beside the first line.
                    guard.splice(0..0, std::iter::once(Label::default()).chain(lines));
                }
                let guard = (guard, own.tone);
                self.sketch.items.push(Item::Open { tab, tone: mark.tone, guard });
            } else if is_drawn {
                self.sketch.items.push(Item::Lane { guard, tone: own.tone });
            }
            self.body(&operand.body);
        }
        if is_drawn {
            self.sketch.items.push(Item::Close);
        }
    }

    fn mark(&mut self, kind: &MarkKind) {
        let rule = |text: &str, is_delay| {
            let lines = wrapped(text, self.style.guard);
            Item::Rule { lines, is_delay }
        };
        let item = match kind {
            MarkKind::Divider(text) => rule(text, false),
            MarkKind::Delay(text) => rule(text, true),
            MarkKind::Life(Life::Create, _) | MarkKind::Comment(_) | MarkKind::Looks(_) => return,
            MarkKind::Life(life, who) => Item::Life(*life, column(*who)),
            MarkKind::AutoNumber { text, counts_hidden } => {
                return self.numbering.follow(text, *counts_hidden);
            }
        };
        self.sketch.items.push(item);
    }
}
