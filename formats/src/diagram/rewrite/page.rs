//! The lines of a diagram, in either notation.

use super::lives::suffix;
use super::mermaid;
use super::plantuml::{self, Place};
use super::texts::Texts;
use crate::diagram::Notation;
use crate::diagram::model::{
    Diagram, End, Fragment, FragmentOperator, Life, Looks, Mark, MarkKind, Message, Note,
    Participant, ParticipantBox, ParticipantId, Statement,
};
use crate::diagram::print::lifeline_form;
use std::collections::HashSet;

/// The text of a diagram; `raw` is the one it was read from, if its texts are kept.
pub(super) fn write(
    notation: Notation,
    diagram: &Diagram,
    texts: Texts,
    raw: Option<&str>,
) -> String {
    let form = |it: &Participant| lifeline_form(notation, &it.id).unwrap_or_else(|| it.id.clone());
    let mut created = HashSet::new();
    if notation == Notation::Mermaid {
        add_created(&diagram.body, &mut created);
    }
    let mut page = Page {
        notation,
        diagram,
        texts,
        raw: raw.filter(|_| texts == Texts::Kept),
        names: diagram.participants.iter().map(form).collect(),
        created,
        out: String::new(),
        depth: usize::from(notation == Notation::Mermaid),
    };
    let gap = if diagram.name.is_empty() || diagram.name.starts_with('(') { "" } else { " " };
    page.out.push_str(&match notation {
        Notation::Mermaid => format!("{}sequenceDiagram\n", front_matter(&diagram.body)),
        Notation::PlantUml => format!("@startuml{gap}{}\n", diagram.name),
    });
    if let Some(title) = &diagram.title {
        page.title(title);
    }
    let (first, rest) = diagram.body.split_at(before_participants(diagram));
    page.body(first);
    page.participants();
    page.body(rest);
    if notation == Notation::PlantUml {
        page.out.push_str("@enduml\n");
    }
    page.out
}

/// Whether a participant can have a label that is not its name.
pub(super) fn can_have_label(notation: Notation, participant: &Participant) -> bool {
    match notation {
        Notation::Mermaid => mermaid::is_word(&participant.id),
        Notation::PlantUml => plantuml::is_code(&participant.id),
    }
}

/// The label drawn for a name without one.
pub(super) fn label_of_name(notation: Notation, name: &str) -> String {
    match notation {
        Notation::Mermaid => name.to_owned(),
        Notation::PlantUml => plantuml::plain(name),
    }
}

/// Whether the notation has this kind of participant.
pub(super) fn can_be_of_kind(notation: Notation, participant: &Participant) -> bool {
    let Participant { id, kind, .. } = participant;
    ["participant", "actor"].contains(&kind.as_str())
        || match notation {
            Notation::Mermaid => mermaid::can_have_options(id, kind),
            Notation::PlantUml => plantuml::is_kind(kind),
        }
}

/// How many comments and the like stand before the first participant.
fn before_participants(diagram: &Diagram) -> usize {
    let first = diagram.participants.iter().map(|it| it.span.start).min().unwrap_or(0);
    let is_before = |it: &&Statement| {
        let is_life = matches!(it, Statement::Mark(Mark { kind: MarkKind::Life(..), .. }));
        !it.is_meant() && !is_life && it.span().start < first
    };
    diagram.body.iter().take_while(is_before).count()
}

fn add_created(body: &[Statement], created: &mut HashSet<ParticipantId>) {
    for statement in body {
        match statement {
            Statement::Mark(Mark { kind: MarkKind::Life(Life::Create, who), .. }) => {
                created.insert(*who);
            }
            Statement::Fragment(it) => {
                it.operands.iter().for_each(|it| add_created(&it.body, created));
            }
            _ => {}
        }
    }
}

struct Page<'d> {
    notation: Notation,
    diagram: &'d Diagram,
    texts: Texts,
    raw: Option<&'d str>,
    /// The participants as they stand in statements.
    names: Vec<String>,
    /// Those that are declared where they are created.
    created: HashSet<ParticipantId>,
    out: String,
    depth: usize,
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(&"    ".repeat(self.depth));
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn is_mermaid(&self) -> bool {
        self.notation == Notation::Mermaid
    }

    fn text(&self, text: &str) -> String {
        match self.notation {
            Notation::Mermaid => mermaid::text(text, self.texts),
            Notation::PlantUml => plantuml::text(text, self.texts),
        }
    }

    /// The text with its marks, where texts are kept.
    fn own_text<'l>(&self, looks: &'l Looks) -> Option<&'l str> {
        let is_kept = self.texts == Texts::Kept && !looks.text.is_empty();
        is_kept.then_some(looks.text.as_str())
    }

    /// A text in quotes of PlantUML, with its marks where texts are kept.
    fn quoted(&self, text: &str, looks: &Looks) -> String {
        match self.own_text(looks) {
            Some(own) => format!("\"{own}\""),
            None => plantuml::quoted(text, self.texts),
        }
    }

    fn name(&self, id: ParticipantId) -> &str {
        self.names.get(id.index()).map_or("", String::as_str)
    }

    fn names(&self, all: &[ParticipantId]) -> String {
        let names: Vec<&str> = all.iter().map(|it| self.name(*it)).collect();
        names.join(if self.is_mermaid() { "," } else { ", " })
    }

    fn title(&mut self, title: &str) {
        let sign = if self.is_mermaid() { "title: " } else { "title " };
        let diagram = self.diagram;
        match self.own_text(&diagram.title_looks) {
            Some(own) if own.contains('\n') => {
                self.line("title");
                own.split('\n').for_each(|it| self.line(it));
                self.line("end title");
            }
            Some(own) => self.line(&format!("{sign}{own}")),
            None => self.line(&format!("{sign}{}", self.text(title))),
        }
    }

    fn participants(&mut self) {
        let diagram = self.diagram;
        for (at, participant) in (0..).zip(&diagram.participants) {
            let id = ParticipantId(at);
            if self.created.contains(&id) {
                continue;
            }
            let of = |it: &&ParticipantBox| it.members.contains(&id);
            let around = diagram.boxes.iter().find(of);
            if let Some(around) = around.filter(|it| it.members.first() == Some(&id)) {
                let line = match self.notation {
                    Notation::Mermaid => {
                        let title = mermaid::wrapped(&around.looks, &self.text(&around.label));
                        mermaid::opened_box(&around.looks.behind, &title)
                    }
                    Notation::PlantUml if around.label.is_empty() => {
                        plantuml::opened_box("", &around.looks)
                    }
                    Notation::PlantUml => {
                        let title = self.quoted(&around.label, &around.looks);
                        plantuml::opened_box(&title, &around.looks)
                    }
                };
                self.line(&line);
                self.depth += 1;
            }
            let line = self.declaration(id, participant);
            self.line(&line);
            if around.is_some_and(|it| it.members.last() == Some(&id)) {
                self.depth -= 1;
                self.line(if self.is_mermaid() { "end" } else { "end box" });
            }
        }
    }

    fn declaration(&self, id: ParticipantId, participant: &Participant) -> String {
        let own = self.own_text(&participant.looks);
        let is_other = participant.label != label_of_name(self.notation, &participant.id)
            || own.is_some_and(|own| own != participant.id)
            || self.is_mermaid() && !participant.looks.before.is_empty();
        let has_label = can_have_label(self.notation, participant) && is_other;
        let label = has_label.then_some(participant.label.as_str());
        match self.notation {
            Notation::Mermaid => {
                let text =
                    |it| mermaid::wrapped(&participant.looks, &mermaid::text(it, self.texts));
                let label = label.map(text);
                mermaid::declaration(self.name(id), &participant.kind, label.as_deref())
            }
            Notation::PlantUml => {
                let Participant { kind, looks, .. } = participant;
                let label = label.map(|it| self.quoted(it, looks));
                plantuml::declaration(self.name(id), kind, label.as_deref(), looks)
            }
        }
    }

    fn body(&mut self, body: &[Statement]) {
        let mut at = 0;
        while let Some(statement) = body.get(at) {
            at += 1;
            match statement {
                Statement::Message(message) => at += self.message(message, &body[at..]),
                Statement::Note(note) => self.note(note),
                Statement::Reference(note) => {
                    let lines =
                        plantuml::reference(note, &self.names(&note.over), &self.note_text(note));
                    lines.iter().for_each(|it| self.line(it));
                }
                Statement::Fragment(fragment) => self.fragment(fragment),
                Statement::Directive(directive) => {
                    self.comment(&format!("multitrace: {}", directive.text));
                }
                Statement::Mark(mark) => self.mark(mark),
            }
        }
    }

    /// Writes a message with the statements behind it that belong to it. Returns how many those are.
    fn message(&mut self, message: &Message, rest: &[Statement]) -> usize {
        // Mermaid has circles in place of it.
        let has_sign = !self.is_mermaid() || !message.arrow.is_decorated();
        let sign = rest.first().filter(|_| has_sign).and_then(|it| suffix(message, it));
        let mut taken = usize::from(sign.is_some());
        if self.is_mermaid()
            && let Some(Statement::Mark(Mark { kind: MarkKind::Life(Life::Destroy, who), .. })) =
                rest.get(taken)
        {
            let line = format!("destroy {}", self.name(*who));
            self.line(&line);
            taken += 1;
        }
        let Message { from, to, arrow, .. } = message;
        let own = || self.own_text(&message.looks).map(str::to_owned);
        let text = self.kept_text(message).or_else(own);
        let text = text.unwrap_or_else(|| self.text(&message.text));
        let line = match self.notation {
            Notation::Mermaid => {
                let name = |end: &End| end.participant().map_or("", |it| self.name(it));
                let text = mermaid::wrapped(&message.looks, &text);
                let half = message.looks.within.as_str();
                mermaid::message((name(from), name(to)), (*arrow, half), sign, &text)
            }
            Notation::PlantUml => {
                let name = |end: &End| match end {
                    End::Participant(it) => Place::Named(self.name(*it)),
                    End::Outside { is_left, is_near } => {
                        Place::Outside { is_left: *is_left, is_near: *is_near }
                    }
                };
                let mut line = plantuml::message(
                    (name(from), name(to)),
                    (*arrow, &message.looks),
                    sign,
                    &text,
                );
                if message.is_parallel {
                    line.insert_str(0, "& ");
                }
                line
            }
        };
        self.line(&line);
        taken
    }

    /// The text of a message as it stands in the source, if it is read as this text.
    fn kept_text(&self, message: &Message) -> Option<String> {
        let span = message.text_span;
        let text = self.raw?.get(span.start..span.end)?;
        let is_read = match self.notation {
            Notation::Mermaid => mermaid::reads_as(text, &message.text),
            Notation::PlantUml => plantuml::reads_as(text, &message.text),
        };
        is_read.then(|| text.to_owned())
    }

    fn note(&mut self, note: &Note) {
        let over = self.names(&note.over);
        match self.notation {
            Notation::Mermaid => {
                let text = mermaid::wrapped(&note.looks, &self.text(&note.text));
                let line = mermaid::note(note.side, &over, &text);
                self.line(&line);
            }
            Notation::PlantUml => {
                let lines = plantuml::note(note, &over, &self.note_text(note));
                lines.iter().for_each(|it| self.line(it));
            }
        }
    }

    /// The text of a note in PlantUML; one of several lines has marks.
    fn note_text(&self, note: &Note) -> String {
        self.own_text(&note.looks).map_or_else(|| self.text(&note.text), str::to_owned)
    }

    fn fragment(&mut self, fragment: &Fragment) {
        for (at, operand) in fragment.operands.iter().enumerate() {
            let is_color = self.is_mermaid() && fragment.operator == FragmentOperator::Group;
            let Looks { before, within, .. } = &operand.looks;
            let keyword = match at {
                _ if !within.is_empty() => within,
                0 => keyword(fragment.operator, self.notation),
                _ => section(fragment.operator, self.notation),
            };
            let row = if before == "&" { "& " } else { "" };
            let line = if is_color {
                format!("{keyword} {}", operand.color)
            } else {
                let text = match self.notation {
                    Notation::Mermaid => {
                        let text = mermaid::text(&operand.text, self.texts);
                        mermaid::wrapped(&operand.looks, &text)
                    }
                    Notation::PlantUml => match self.own_text(&operand.looks) {
                        Some(own) => own.to_owned(),
                        None => plantuml::condition(&operand.text, self.texts),
                    },
                };
                let color = if operand.color.is_empty() { "" } else { " " };
                format!("{row}{keyword}{color}{} {text}", operand.color)
            };
            self.line(&line);
            self.depth += 1;
            self.body(&operand.body);
            self.depth -= 1;
        }
        self.line("end");
    }

    fn comment(&mut self, text: &str) {
        let sign = if self.is_mermaid() { "%%" } else { "'" };
        let line = format!("{sign} {text}");
        self.line(&line);
    }

    fn mark(&mut self, mark: &Mark) {
        let line = match &mark.kind {
            MarkKind::Comment(text) => return self.comment(text),
            MarkKind::Divider(text) if text.is_empty() => "====".to_owned(),
            MarkKind::Divider(text) => format!("== {} ==", self.text(text)),
            MarkKind::Delay(text) if text.is_empty() => "...".to_owned(),
            MarkKind::Delay(text) => format!("... {} ...", self.text(text)),
            MarkKind::AutoNumber { text, .. } => format!("autonumber {text}"),
            MarkKind::Looks(text) if is_front_matter(text) && self.is_mermaid() => return,
            MarkKind::Looks(text) => text.clone(),
            MarkKind::Life(Life::Create, who) if self.is_mermaid() => {
                let participant = &self.diagram.participants[who.index()];
                format!("create {}", self.declaration(*who, participant))
            }
            MarkKind::Life(life, who) => {
                format!("{} {} {}", word(*life), self.name(*who), mark.looks.behind)
            }
        };
        self.line(&line);
    }
}

fn is_front_matter(looks: &str) -> bool {
    looks.trim_start().starts_with("---")
}

/// The front matter of Mermaid, which stands before all else.
fn front_matter(body: &[Statement]) -> String {
    let found = body.iter().find_map(|it| match it {
        Statement::Mark(Mark { kind: MarkKind::Looks(text), .. }) => {
            is_front_matter(text).then_some(text)
        }
        _ => None,
    });
    found.map(|text| format!("{text}\n")).unwrap_or_default()
}

fn word(life: Life) -> &'static str {
    match life {
        Life::Activate => "activate",
        Life::Deactivate => "deactivate",
        Life::Create => "create",
        Life::Destroy => "destroy",
    }
}

fn keyword(operator: FragmentOperator, notation: Notation) -> &'static str {
    match (operator, notation) {
        (FragmentOperator::Group, Notation::Mermaid) => "rect",
        _ => operator.keyword(),
    }
}

/// The word that starts a further operand.
fn section(operator: FragmentOperator, notation: Notation) -> &'static str {
    match (operator, notation) {
        (FragmentOperator::Par, Notation::Mermaid) => "and",
        (FragmentOperator::Critical, Notation::Mermaid) => "option",
        _ => "else",
    }
}
