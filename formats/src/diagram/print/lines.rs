//! The lines of a diagram in each notation.

use crate::diagram::Notation;
use crate::diagram::directives::REFERENCE;

/// A line, with names as they are written.
pub(super) enum NotationLine<'a> {
    Directive(&'a str),
    /// A name, and the label at its head if that is another one.
    Participant(&'a str, Option<&'a str>),
    Title(&'a str),
    /// Another diagram: its first and last participant, and its title.
    Part([&'a str; 2], &'a str),
    /// From, to, text.
    Arrow(&'a str, &'a str, &'a str),
    Emission(&'a str, &'a str),
    Reception(&'a str, &'a str),
    /// A frame begins: its keyword, and the condition of its first operand.
    Open(&'static str, &'a str),
    /// The next operand begins: the keyword of its frame, and its condition.
    Section(&'static str, &'a str),
    Close,
}

/// A diagram while it is written.
pub(super) struct Writer {
    notation: Notation,
    /// Whether arrows to oneself are sent and received.
    sends_to_itself: bool,
    text: String,
    depth: usize,
}

impl Writer {
    /// A diagram in which a participant sends messages to itself, or not.
    pub(super) fn new(notation: Notation, sends_to_itself: bool) -> Writer {
        let (first, depth) = match notation {
            Notation::Mermaid => ("sequenceDiagram\n", 1),
            Notation::PlantUml => ("@startuml\n", 0),
        };
        let mut writer = Writer { notation, sends_to_itself, text: first.to_owned(), depth };
        writer.settings(sends_to_itself.then_some("self send-receive"));
        writer
    }

    /// A diagram that stands in another, with the settings of that one.
    pub(super) fn part(notation: Notation, sends_to_itself: bool) -> Writer {
        Writer { sends_to_itself, ..Writer::new(notation, false) }
    }

    /// Lines for the inside of any diagram.
    pub(super) fn inside(notation: Notation) -> Writer {
        Writer { notation, sends_to_itself: true, text: String::new(), depth: 0 }
    }

    /// The lines so far.
    pub(super) fn lines(&self) -> Vec<String> {
        self.text.lines().map(str::to_owned).collect()
    }

    /// Directives for the whole diagram.
    pub(super) fn settings<'a>(&mut self, settings: impl IntoIterator<Item = &'a str>) {
        settings.into_iter().for_each(|text| self.line(&NotationLine::Directive(text)));
    }

    pub(super) fn line(&mut self, line: &NotationLine<'_>) {
        // Mermaid has no edge.
        match (self.notation, line) {
            (Notation::Mermaid, NotationLine::Emission(..)) if self.sends_to_itself => {
                self.line(&NotationLine::Directive("local"));
            }
            (Notation::Mermaid, NotationLine::Reception(..)) => {
                self.line(&NotationLine::Directive("received"))
            }
            (Notation::Mermaid, NotationLine::Part(..)) => {
                self.line(&NotationLine::Directive(REFERENCE))
            }
            _ => {}
        }
        if matches!(line, NotationLine::Section(..) | NotationLine::Close) {
            self.depth = self.depth.saturating_sub(1);
        }
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(&match self.notation {
            Notation::Mermaid => mermaid(line),
            Notation::PlantUml => plantuml(line),
        });
        self.text.push('\n');
        if matches!(line, NotationLine::Section(..) | NotationLine::Open(..)) {
            self.depth += 1;
        }
    }

    pub(super) fn finish(mut self) -> String {
        if self.notation == Notation::PlantUml {
            self.text.push_str("@enduml\n");
        }
        self.text
    }
}

fn mermaid(line: &NotationLine<'_>) -> String {
    match *line {
        NotationLine::Directive(text) => format!("%% multitrace: {text}"),
        NotationLine::Participant(name, None) => format!("participant {name}"),
        NotationLine::Participant(name, Some(label)) => format!("participant {name} as {label}"),
        NotationLine::Title(text) => format!("title {text}"),
        NotationLine::Part([first, last], title) => format!("note over {first},{last}: {title}"),
        // The arrow would take a sign at the end of a name as its own.
        NotationLine::Arrow(from, to, text) if from.ends_with(char::is_alphanumeric) => {
            format!("{from}->>{to}: {text}")
        }
        NotationLine::Arrow(from, to, text) => format!("{from} ->> {to}: {text}"),
        NotationLine::Emission(at, text) | NotationLine::Reception(at, text) => {
            mermaid(&NotationLine::Arrow(at, at, text))
        }
        NotationLine::Open("group", _) => "rect rgb(240, 240, 240)".to_owned(),
        NotationLine::Open(keyword, text) => with_text(keyword, text),
        NotationLine::Section("par", text) => with_text("and", text),
        NotationLine::Section(_, text) => with_text("else", text),
        NotationLine::Close => "end".to_owned(),
    }
}

fn plantuml(line: &NotationLine<'_>) -> String {
    match *line {
        NotationLine::Directive(text) => format!("' multitrace: {text}"),
        NotationLine::Participant(name, None) => format!("participant {name}"),
        NotationLine::Participant(name, Some(label)) => {
            format!("participant \"{label}\" as {name}")
        }
        NotationLine::Title(text) => format!("title {text}"),
        NotationLine::Part([first, last], title) => format!("ref over {first}, {last} : {title}"),
        NotationLine::Arrow(from, to, text) => format!("{from} -> {to} : {text}"),
        NotationLine::Emission(at, text) => format!("{at} ->] : {text}"),
        NotationLine::Reception(at, text) => format!("[-> {at} : {text}"),
        NotationLine::Open(keyword, text) => with_text(keyword, text),
        NotationLine::Section(_, text) => with_text("else", text),
        NotationLine::Close => "end".to_owned(),
    }
}

fn with_text(keyword: &str, text: &str) -> String {
    if text.is_empty() { keyword.to_owned() } else { format!("{keyword} {text}") }
}
