//! The statements of a diagram, line by line. After an error the next line is read, so that several
//! errors are reported.

mod frames;
mod messages;
mod notes;

use super::activation::Activations;
use super::creole::{plain, plain_lines, text_looks};
use super::line::SourceLine;
use super::names::{code_or_quoted, looks, skip_looks, strip_any, strip_word};
use super::open_frames::Frames;
use super::participants::{Participants, declaration, label_of_lines, not_a_declaration};
use super::styling::{self, Extent, is_end_of};
use super::{arrow, names::Name};
use crate::diagram::model::{
    Diagram, Directive, End, Life, Looks, Mark, MarkKind, ParticipantId, Statement,
};
use crate::diagram::renumber;
use crate::source::{Diagnostic, Diagnostics, Span};

/// Reads the lines of a diagram.
pub(super) fn parse(lines: &[SourceLine], diagnostics: &mut Diagnostics) -> Diagram {
    let mut parser = Parser {
        lines,
        next: 0,
        title: None,
        title_looks: Looks::default(),
        participants: Participants::default(),
        frames: Frames::default(),
        activations: Activations::new(),
        styling_statements: 0,
        diagnostics,
    };
    while let Some(line) = parser.take() {
        let errors = parser.diagnostics.count();
        parser.statement(line);
        line.add_place(errors, parser.diagnostics);
    }
    parser.finish()
}

/// A diagram while it is read.
struct Parser<'a> {
    lines: &'a [SourceLine],
    next: usize,
    title: Option<String>,
    title_looks: Looks,
    participants: Participants,
    frames: Frames,
    activations: Activations,
    styling_statements: usize,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    /// The next line that says something. Comments are kept on the way.
    fn take(&mut self) -> Option<&'a SourceLine> {
        let lines = self.lines;
        while let Some(line) = lines.get(self.next) {
            self.next += 1;
            match line.comment() {
                Some(text) => self.keep_comment(line, text),
                None if line.text.trim().is_empty() => {}
                None => return Some(line),
            }
        }
        None
    }

    fn keep_comment(&mut self, line: &SourceLine, text: &str) {
        if let Some(text) = line.directive() {
            let directive = Directive { text: text.to_owned(), span: line.span_of(text) };
            self.frames.push(Statement::Directive(directive));
        } else {
            self.mark(MarkKind::Comment(text.to_owned()), line.span());
        }
    }

    fn mark(&mut self, kind: MarkKind, span: Span) {
        self.mark_with(kind, Looks::default(), span);
    }

    fn mark_with(&mut self, kind: MarkKind, looks: Looks, span: Span) {
        self.frames.push(Statement::Mark(Mark { kind, looks, span }));
    }

    /// Marks a change of life of the participant at an end of a message.
    fn life_of(&mut self, life: Life, end: End, span: Span) {
        if let Some(participant) = end.participant() {
            self.mark(MarkKind::Life(life, participant), span);
        }
    }

    /// The lines up to the one that ends a block, and that one; `None` if no line ends it.
    fn block(
        &mut self,
        mut is_end: impl FnMut(&str) -> bool,
    ) -> Option<(Vec<SourceLine>, &'a SourceLine)> {
        let (lines, start) = (self.lines, self.next);
        let found = lines[start..].iter().position(|line| is_end(line.text.trim()))?;
        let end = start + found;
        let mut inner = Vec::with_capacity(found);
        for line in &lines[start..end] {
            match line.comment() {
                Some(text) => self.keep_comment(line, text),
                None => inner.push(line.clone()),
            }
        }
        self.next = end + 1;
        Some((inner, &lines[end]))
    }

    /// A block that is not ended: nothing after it can be read.
    fn not_ended(&mut self, line: &SourceLine, help: String) {
        self.next = self.lines.len();
        let diagnostic = Diagnostic::new(line.span(), "a block that is not ended", "starts here");
        self.diagnostics.push(diagnostic.with_help(help));
    }

    fn error(&mut self, span: Span, message: &str, label: &str, help: &str) {
        self.diagnostics.push(Diagnostic::new(span, message, label).with_help(help));
    }

    /// The participant of this name.
    fn participant(&mut self, name: Name<'_>, line: &SourceLine) -> Option<ParticipantId> {
        let span = line.span_of(name.id);
        let found = self.participants.get(name, span);
        if found.is_none() {
            let help = "draw a part of the diagram as one of its own";
            self.error(span, "too many participants", "this one exceeds the limit", help);
        }
        found
    }

    fn named(&mut self, id: &str, line: &SourceLine) -> Option<ParticipantId> {
        self.participant(Name { id, label: None }, line)
    }

    fn statement(&mut self, line: &'a SourceLine) {
        let text = line.text.trim();
        let is_read = (styling::is_anchors(text) && self.styling(line, text))
            || self.activation(line, text)
            || self.declaration(line, text)
            || self.message(line, text)
            || self.note(line, text)
            || self.reference(line, text)
            || self.participant_box(line, text)
            || self.frame(line, text)
            || self.return_(line, text)
            || self.title(line, text)
            || self.styling(line, text);
        if !is_read {
            self.unknown(line, text);
        }
    }

    /// `activate A`, `deactivate A`, `deactivate`, `destroy A`, `create A`, `A++`, `autoactivate on`.
    fn activation(&mut self, line: &SourceLine, text: &str) -> bool {
        if let Some(rest) = strip_word(text, "autoactivate") {
            self.activations.is_automatic = !rest.trim().eq_ignore_ascii_case("off");
            return true;
        }
        let (word, name, rest) = match strip_any(text, &LIVES) {
            Some((1, "")) => return self.short_deactivation(line),
            Some((word, rest)) if rest.starts_with([' ', '\t']) => {
                match code_or_quoted(rest.trim_start()) {
                    Some((name, rest)) => (word, name, rest),
                    None => return false,
                }
            }
            Some(_) => return false,
            None => match short_activation(text) {
                Some(short) => short,
                None => return false,
            },
        };
        let (behind, rest) = looks(rest);
        if !rest.is_empty() {
            return false;
        }
        let Some(id) = self.named(name, line) else { return true };
        self.life((word, behind), id, line);
        true
    }

    /// Adds the change of life that a word of [`LIVES`] stands for.
    fn life(&mut self, (word, looks): (usize, &str), id: ParticipantId, line: &SourceLine) {
        let is_start = self.activations.is_start();
        if is_start && word == 0 {
            self.activations.from_start.insert(id);
        } else if is_start && word < 3 && !self.activations.from_start.contains(&id) {
            let help = "activate the participant before";
            self.error(line.span(), "nothing to deactivate", "nobody is active here", help);
        }
        let life = match word {
            0 => Life::Activate,
            1 => Life::Deactivate,
            2 => Life::Destroy,
            _ => Life::Create,
        };
        match life {
            Life::Activate => self.activations.activate(),
            Life::Deactivate => self.activations.deactivate(),
            Life::Destroy => {}
            Life::Create => self.activations.created = Some(id),
        }
        let looks = Looks { behind: looks.to_owned(), ..Looks::default() };
        self.mark_with(MarkKind::Life(life, id), looks, line.span());
    }

    fn short_deactivation(&mut self, line: &SourceLine) -> bool {
        if !self.activations.is_waiting() {
            let help = "say whom to deactivate, or activate somebody before";
            self.error(line.span(), "nothing to deactivate", "nobody is active here", help);
        }
        if let Some(call) = self.activations.answered() {
            self.life_of(Life::Deactivate, call.to, line.span());
        }
        self.activations.deactivate();
        true
    }

    fn declaration(&mut self, line: &'a SourceLine, text: &str) -> bool {
        let declared = match declaration(text) {
            None => return false,
            Some(Ok(declared)) => declared,
            Some(Err(_)) if arrow::parse(text).is_some() => return false,
            Some(Err(rest)) => {
                self.diagnostics.push(not_a_declaration(line, rest));
                return true;
            }
        };
        let mut label = None;
        if declared.has_label_lines {
            match self.block(|line| line == "]") {
                Some((lines, _)) => label = Some(label_of_lines(&lines)),
                None => self.not_ended(line, "add `]`".to_owned()),
            }
        }
        let id = self.participants.declare(&declared, label, line.span());
        if declared.is_created {
            self.activations.created = id;
            id.into_iter().for_each(|id| self.mark(MarkKind::Life(Life::Create, id), line.span()));
        }
        true
    }

    /// `box "title" #colour` and `end box`.
    fn participant_box(&mut self, line: &SourceLine, text: &str) -> bool {
        if is_end_of(text, "box") {
            if !self.participants.close_box() {
                self.error(line.span(), "`end box` without a box", "no box is open", "remove it");
            }
            return true;
        }
        match strip_word(text, "box") {
            Some(rest) => self.participants.open_box(rest, line.span()),
            None => return false,
        }
        true
    }

    /// `title text`, or lines up to `end title`.
    fn title(&mut self, line: &SourceLine, text: &str) -> bool {
        let Some(rest) = strip_word(text, "title") else { return false };
        let rest = rest.trim_start().trim_start_matches(':').trim();
        if !rest.is_empty() {
            self.set_title(rest, plain(rest));
            return true;
        }
        match self.block(|line| is_end_of(line, "title")) {
            Some((lines, _)) => {
                let lines: Vec<&str> = lines.iter().map(|line| line.text.trim()).collect();
                self.set_title(lines.join("\n").trim(), plain_lines(lines.iter().copied()));
            }
            None => self.not_ended(line, "add `end title`".to_owned()),
        }
        true
    }

    fn set_title(&mut self, marked: &str, title: String) {
        self.title_looks = text_looks(marked, &title);
        self.title = Some(title);
    }

    fn styling(&mut self, line: &SourceLine, text: &str) -> bool {
        let Some(extent) = styling::statement(text) else { return false };
        self.styling_statements += 1;
        let mut looks = text.to_owned();
        if let Extent::Block(ending) = extent {
            let mut open = 1;
            match self.block(|line| ending.is_at(line, &mut open)) {
                Some((lines, end)) => {
                    let lines = lines.iter().map(|it| it.text.as_str());
                    lines
                        .chain([end.text.as_str()])
                        .for_each(|it| looks = format!("{looks}\n{it}"));
                }
                None => self.not_ended(line, ending.help()),
            }
        }
        self.mark(styling::mark(looks), line.span());
        true
    }

    fn unknown(&mut self, line: &SourceLine, text: &str) {
        let message = "not a statement of a sequence diagram";
        let help = if strip_any(text, &OTHER_DIAGRAMS).is_some() {
            "only sequence diagrams are read: this line belongs to another kind of diagram"
        } else if strip_word(text, "and").is_some() {
            "write `else` between the parts of `par`"
        } else {
            "see https://plantuml.com/sequence-diagram; a comment starts with `'`"
        };
        self.error(line.span(), message, "this line", help);
    }

    fn finish(self) -> Diagram {
        let Parser { title, title_looks, participants, mut frames, styling_statements, .. } = self;
        let unclosed = frames.close_all();
        let mut body = frames.body();
        let (participants, boxes, places) = participants.finish();
        renumber::statements(&mut body, &places);
        Diagram {
            name: String::new(),
            title,
            title_looks,
            participants,
            boxes,
            body,
            unclosed,
            styling_statements,
        }
    }
}

/// Words before a participant that say when it lives.
const LIVES: [&str; 4] = ["activate", "deactivate", "destroy", "create"];
/// Words that statements of other kinds of diagrams start with.
const OTHER_DIAGRAMS: [&str; 24] = [
    "class",
    "abstract",
    "interface",
    "enum",
    "annotation",
    "package",
    "namespace",
    "object",
    "map",
    "state",
    "usecase",
    "component",
    "node",
    "cloud",
    "folder",
    "frame",
    "rectangle",
    "start",
    "stop",
    "if",
    "while",
    "repeat",
    "fork",
    "clock",
];

/// `A++` or `A--`, with the place of its meaning among the words.
fn short_activation(text: &str) -> Option<(usize, &str, &str)> {
    let (name, rest) = super::names::code(text)?;
    let rest = rest.trim_start();
    let (word, rest) = match (rest.strip_prefix("++"), rest.strip_prefix("--")) {
        (Some(rest), _) => (0, rest),
        (_, Some(rest)) => (1, rest),
        _ => return None,
    };
    let ends = rest.is_empty() || rest.starts_with([' ', '\t', '#']);
    (ends && skip_looks(rest).is_empty()).then_some((word, name, rest))
}
