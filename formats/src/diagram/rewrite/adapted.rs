//! A diagram as far as a notation can say it.

use super::colors::translated;
use super::lives::Lives;
use super::losses::{Loss, Losses};
use super::{mermaid, page, plantuml};
use crate::diagram::model::{
    Arrow, Diagram, Directive, End, Fragment, FragmentOperand, FragmentOperator, Head, Looks, Mark,
    MarkKind, Message, Note, Participant, ParticipantBox, ParticipantId, Side, Sign, Statement,
};
use crate::diagram::{Notation, Numbering};
use crate::source::Span;
use std::collections::HashSet;

/// The diagram, and the constructs lost from it.
pub(super) struct Adapted {
    pub(super) diagram: Diagram,
    pub(super) losses: Losses,
}

/// The colour of groups that have none.
const GROUP_COLOR: &str = "rgb(240, 240, 240)";

/// The diagram as far as the other notation can say it.
pub(super) fn adapted(diagram: Diagram, from: Notation, to: Notation) -> Adapted {
    let Diagram { name, title, title_looks, participants, boxes, body, .. } = named(diagram, to);
    let count = participants.len() as u32;
    let mut adapter =
        Adapter { from, to, count, losses: Losses::default(), numbers: Default::default() };
    let participants: Vec<Participant> =
        participants.into_iter().map(|it| adapter.participant(it)).collect();
    let mut body = adapter.body(body);
    if to == Notation::Mermaid {
        Lives::new(&participants, &boxes).keep_allowed(&mut body, &mut adapter.losses);
    }
    let boxes = adapter.boxes(boxes);
    let title_looks = adapter.looks(title_looks);
    let title = title.map(|it| adapter.text(it)).filter(|it| !it.is_empty());
    if to == Notation::Mermaid && !name.is_empty() {
        adapter.losses.add(Loss::Name);
    }
    let name = if to == Notation::Mermaid { String::new() } else { name };
    let diagram =
        Diagram { name, title, title_looks, participants, boxes, body, ..Diagram::default() };
    Adapted { diagram, losses: adapter.losses }
}

/// In Mermaid, the name of a diagram without a title is its title.
fn named(mut diagram: Diagram, to: Notation) -> Diagram {
    if to == Notation::Mermaid && diagram.title.is_none() {
        diagram.title = diagram.heading();
        diagram.name.clear();
    }
    diagram
}

struct Adapter {
    from: Notation,
    to: Notation,
    /// How many participants there are.
    count: u32,
    losses: Losses,
    /// The numbers of messages as they are, and as they are written.
    numbers: [Numbering; 2],
}

impl Adapter {
    fn changes_notation(&self) -> bool {
        self.from != self.to
    }

    /// A text without the blanks that no notation keeps.
    fn text(&self, text: String) -> String {
        match self.to {
            Notation::Mermaid => text.trim().to_owned(),
            Notation::PlantUml => {
                let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
                lines.join("\n").trim().to_owned()
            }
        }
    }

    /// The looks that the notation keeps.
    fn looks(&mut self, looks: Looks) -> Looks {
        if !self.changes_notation() {
            return looks;
        }
        let is_note = looks.within.ends_with("note");
        let in_row = ["/", "&"].contains(&looks.before.as_str());
        let is_wrapping = looks.before.ends_with("wrap:");
        let is_anchor = !in_row && !is_wrapping && !looks.before.is_empty();
        let is_styled = !is_note && !looks.within.is_empty() || is_anchor;
        for (loss, is_lost) in [
            (Loss::Parallel, in_row),
            (Loss::Wrapping, is_wrapping),
            (Loss::Shape, is_note),
            (Loss::Color, is_styled || !looks.behind.is_empty()),
            (Loss::Marks, !looks.text.is_empty()),
        ] {
            if is_lost {
                self.losses.add(loss);
            }
        }
        Looks::default()
    }

    /// The looks of an arrow that the notation keeps: both have halves of heads.
    fn arrow_looks(&mut self, mut looks: Looks) -> Looks {
        if !self.changes_notation() {
            return looks;
        }
        let (style, half, slant) = plantuml::arrow_parts(&looks.within);
        let half = half.to_owned();
        looks.within = format!("{style}{slant}");
        Looks { within: half, ..self.looks(looks) }
    }

    /// The looks of a frame that the notation keeps: both have a `par` whose parts stand beside each other.
    fn frame_looks(&mut self, mut looks: Looks) -> Looks {
        if !self.changes_notation() {
            return looks;
        }
        let word = std::mem::take(&mut looks.within);
        let within = match (word.as_str(), self.to) {
            ("par2", Notation::Mermaid) => "par_over",
            ("par_over", Notation::PlantUml) => "par2",
            _ => "",
        };
        Looks { within: within.to_owned(), ..self.looks(looks) }
    }

    /// A colour of a box or a group in the other notation.
    fn color(&mut self, color: &str) -> String {
        let found = translated(color, self.to);
        if found.is_none() && !color.is_empty() {
            self.losses.add(Loss::Color);
        }
        found.unwrap_or_default()
    }

    fn participant(&mut self, mut participant: Participant) -> Participant {
        participant.looks = self.looks(std::mem::take(&mut participant.looks));
        participant.label = self.text(participant.label);
        if !page::can_have_label(self.to, &participant) {
            let label = page::label_of_name(self.to, &participant.id);
            if label != participant.label {
                self.losses.add(Loss::Label);
            }
            participant.label = label;
        }
        if !page::can_be_of_kind(self.to, &participant) {
            self.losses.add(Loss::Kind);
            participant.kind = "participant".to_owned();
        }
        participant
    }

    /// The boxes in the order of their participants; in Mermaid only those that hold neighbours.
    fn boxes(&mut self, boxes: Vec<ParticipantBox>) -> Vec<ParticipantBox> {
        let mut kept: Vec<ParticipantBox> = Vec::new();
        let mut taken = HashSet::new();
        for mut each in boxes {
            each.label = self.text(each.label);
            each.members.sort_unstable();
            each.members.dedup();
            let is_row = each.members.windows(2).all(|it| it[0].0 + 1 == it[1].0);
            let is_free = each.members.iter().all(|it| !taken.contains(it));
            if each.members.is_empty() || !is_row || !is_free {
                self.losses.add(Loss::Box);
                continue;
            }
            taken.extend(each.members.iter().copied());
            if self.changes_notation() {
                let behind = self.color(&each.looks.behind);
                each.looks.behind.clear();
                each.looks = Looks { behind, ..self.looks(each.looks) };
            }
            if self.to == Notation::Mermaid && !mermaid::can_have_color(&each) {
                self.losses.add(Loss::Color);
                each.looks.behind.clear();
            }
            kept.push(each);
        }
        kept.sort_by_key(|it| it.members.first().copied());
        kept
    }

    fn body(&mut self, body: Vec<Statement>) -> Vec<Statement> {
        let mut all = Vec::with_capacity(body.len());
        for statement in body {
            self.add(statement, &mut all);
        }
        all
    }

    fn add(&mut self, statement: Statement, all: &mut Vec<Statement>) {
        match statement {
            Statement::Message(message) => self.message(message, all),
            Statement::Fragment(fragment) => self.fragment(fragment, all),
            Statement::Note(note) => {
                let note = self.note(note, all);
                all.extend(note.map(Statement::Note));
            }
            Statement::Reference(note) if self.to == Notation::Mermaid => {
                self.losses.add(Loss::Reference);
                let note = Note { text: format!("ref: {}", note.text), ..note };
                let note = self.note(note, all);
                all.extend(note.map(Statement::Note));
            }
            Statement::Reference(mut note) => {
                note.looks = self.looks(note.looks);
                note.text = self.text(note.text);
                all.push(Statement::Reference(note));
            }
            Statement::Mark(mut mark) => {
                mark.looks = self.looks(mark.looks);
                self.mark(mark, all);
            }
            Statement::Directive(directive) => all.push(Statement::Directive(directive)),
        }
    }

    fn message(&mut self, mut message: Message, all: &mut Vec<Statement>) {
        message.looks = self.arrow_looks(message.looks);
        message.text = self.text(message.text);
        self.numbers.iter_mut().for_each(|it| _ = it.number());
        match self.to {
            Notation::Mermaid => self.message_of_mermaid(&mut message, all),
            Notation::PlantUml => self.message_of_plantuml(&mut message),
        }
        all.push(Statement::Message(message));
    }

    fn message_of_mermaid(&mut self, message: &mut Message, all: &mut Vec<Statement>) {
        if std::mem::take(&mut message.is_parallel) {
            self.losses.add(Loss::Parallel);
        }
        let own = match (message.from, message.to) {
            (End::Participant(from), End::Outside { .. }) => Some(("local", from)),
            (End::Outside { .. }, End::Participant(to)) if message.arrow.head == Head::Cross => {
                Some(("ignore", to))
            }
            (End::Outside { .. }, End::Participant(to)) => Some(("received", to)),
            _ => None,
        };
        if let Some((word, own)) = own {
            self.losses.add(Loss::Edge);
            (message.from, message.to) = (End::Participant(own), End::Participant(own));
            if message.arrow.head == Head::Cross {
                message.arrow.head = Head::Filled;
            }
            let directive = Directive { text: word.to_owned(), span: Span::default() };
            all.push(Statement::Directive(directive));
        }
        if message.arrow.signs[0].take_if(|it| *it == Sign::Cross).is_some() {
            self.losses.add(Loss::Sign);
        }
        let Arrow { head, tail, .. } = message.arrow;
        let lacks_half = tail.is_some() || head != Head::Open;
        let lost_half = lacks_half && !std::mem::take(&mut message.looks.within).is_empty();
        let usual = Some(Head::Filled);
        if tail.is_some() && (Some(head), tail) != (usual, usual) || lost_half {
            self.losses.add(Loss::Head);
        }
        if tail.is_some() {
            (message.arrow.head, message.arrow.tail) = (Head::Filled, usual);
        }
    }

    fn message_of_plantuml(&mut self, message: &mut Message) {
        if std::mem::take(&mut message.arrow.is_reversed) {
            std::mem::swap(&mut message.from, &mut message.to);
            message.arrow.signs.reverse();
        }
        let is_cross = message.arrow.head == Head::Cross;
        if is_cross && message.arrow.signs[1].take().is_some() {
            self.losses.add(Loss::Sign);
        }
        if message.arrow.head == Head::None {
            self.losses.add(Loss::Head);
            message.arrow.head = Head::Filled;
        }
    }

    /// Mermaid's notes are at one participant or over two.
    fn note(&mut self, mut note: Note, before: &[Statement]) -> Option<Note> {
        note.looks = self.looks(note.looks);
        note.text = self.text(note.text);
        if self.to == Notation::PlantUml {
            return Some(note);
        }
        if note.over.is_empty() {
            note.over = match (note.side, ends_of_last(before)) {
                (Side::Left, Some((first, _))) => vec![first],
                (Side::Right, Some((_, last))) => vec![last],
                _ => self.everybody()?,
            };
        }
        let is_over_more = note.over.len() > 2 || (self.changes_notation() && note.over.len() > 1);
        if note.side != Side::Over && note.over.len() > 1 {
            note.side = Side::Over;
        }
        if is_over_more {
            note.over = ends(note.over.iter().copied())?;
        }
        Some(note)
    }

    /// The first and the last participant.
    fn everybody(&self) -> Option<Vec<ParticipantId>> {
        ends((0..self.count).map(ParticipantId))
    }

    fn fragment(&mut self, fragment: Fragment, all: &mut Vec<Statement>) {
        let Fragment { mut operator, operands, span } = fragment;
        let is_group = operator == FragmentOperator::Group && operands.len() == 1;
        let mut operands: Vec<FragmentOperand> =
            operands.into_iter().map(|it| self.operand(it, is_group)).collect();
        if self.to == Notation::Mermaid {
            if operator == FragmentOperator::Opt && operands.len() > 1 {
                self.losses.add(Loss::OptElse);
                operator = FragmentOperator::Alt;
            }
            if operator == FragmentOperator::Group && operands.len() > 1 {
                self.losses.add(Loss::GroupElse);
                operator = FragmentOperator::Alt;
            }
            if operator == FragmentOperator::Group {
                operands.iter_mut().for_each(|it| self.title_as_note(it));
            }
        }
        all.push(Statement::Fragment(Fragment { operator, operands, span }));
    }

    /// Only groups have a colour in both notations.
    fn operand(&mut self, mut operand: FragmentOperand, is_group: bool) -> FragmentOperand {
        operand.looks = self.frame_looks(operand.looks);
        operand.text = self.text(operand.text);
        operand.body = self.body(operand.body);
        if self.changes_notation() {
            let color = self.color(&operand.color);
            if !is_group && !color.is_empty() {
                self.losses.add(Loss::Color);
            }
            operand.color = if is_group { color } else { String::new() };
        }
        operand
    }

    fn title_as_note(&mut self, operand: &mut FragmentOperand) {
        if operand.color.is_empty() {
            GROUP_COLOR.clone_into(&mut operand.color);
        }
        let text = std::mem::take(&mut operand.text);
        let mut inside = Vec::new();
        participants_in(&operand.body, &mut inside);
        let over = ends(inside.into_iter()).or_else(|| self.everybody());
        if let (false, Some(over)) = (text.is_empty(), over) {
            self.losses.add(Loss::GroupTitle);
            let note = Note {
                over,
                side: Side::Over,
                text,
                looks: Looks::default(),
                span: Span::default(),
            };
            operand.body.insert(0, Statement::Note(note));
        }
    }

    fn mark(&mut self, mark: Mark, all: &mut Vec<Statement>) {
        let Mark { kind, looks, span } = mark;
        let kind = match (kind, self.to) {
            (MarkKind::Divider(text) | MarkKind::Delay(text), Notation::Mermaid) => {
                self.losses.add(Loss::Divider);
                let (text, over) = (self.text(text), self.everybody());
                if let (false, Some(over)) = (text.is_empty(), over) {
                    let looks = Looks::default();
                    all.push(Statement::Note(Note { over, side: Side::Over, text, looks, span }));
                }
                return;
            }
            (MarkKind::Looks(text), _) if self.changes_notation() => {
                return self.losses.add(Loss::of_looks(&text));
            }
            (MarkKind::AutoNumber { text, .. }, to) if self.changes_notation() => {
                let text = self.numbering(&text);
                MarkKind::AutoNumber { text, counts_hidden: to == Notation::Mermaid }
            }
            (kind, _) => kind,
        };
        all.push(Statement::Mark(Mark { kind, looks, span }));
    }

    /// The text after `autonumber` by which messages keep their numbers.
    fn numbering(&mut self, text: &str) -> String {
        let [read, written] = &mut self.numbers;
        read.follow(text, self.from == Notation::Mermaid);
        let is_mermaid = self.to == Notation::Mermaid;
        let said = read.as_said_for(written, is_mermaid);
        if said.is_none() || read.has_format() {
            self.losses.add(Loss::Numbering);
        }
        let said = said.unwrap_or_default();
        written.follow(&said, is_mermaid);
        said
    }
}

/// The first and the last of some participants; one if they are the same.
fn ends(all: impl Iterator<Item = ParticipantId> + Clone) -> Option<Vec<ParticipantId>> {
    let (first, last) = (all.clone().min()?, all.max()?);
    Some(if first == last { vec![first] } else { vec![first, last] })
}

/// The left and the right end of the last message.
fn ends_of_last(before: &[Statement]) -> Option<(ParticipantId, ParticipantId)> {
    let message = before.iter().rev().find_map(|it| match it {
        Statement::Message(message) => Some(message),
        _ => None,
    })?;
    Some((message.participants().min()?, message.participants().max()?))
}

/// The participants of some statements.
fn participants_in(body: &[Statement], found: &mut Vec<ParticipantId>) {
    for statement in body {
        match statement {
            Statement::Message(message) => found.extend(message.participants()),
            Statement::Note(note) | Statement::Reference(note) => found.extend(&note.over),
            Statement::Fragment(fragment) => {
                fragment.operands.iter().for_each(|it| participants_in(&it.body, found));
            }
            Statement::Directive(_) | Statement::Mark(_) => {}
        }
    }
}
