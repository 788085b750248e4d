//! A sequence diagram as its text says it, Mermaid or PlantUML, before any meaning is given to it.
//!
//! All spans are in bytes of the whole text that was read, which may be a Markdown file around the
//! diagram.

use super::message_names::one_line;
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The most frames inside of each other. Their readers recurse for each; the number is an estimate, far beyond diagrams
/// that can be drawn.
pub const MAX_FRAMES: usize = 200;

/// A sequence diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// Behind PlantUML's `@startuml`: the name of the picture, or an id in parentheses; may be empty.
    pub name: String,
    /// The title, if the diagram has one.
    pub title: Option<String>,
    /// The looks of the title.
    pub title_looks: Looks,
    /// Its participants, in the order in which they are drawn.
    pub participants: Vec<Participant>,
    /// The boxes drawn around participants.
    pub boxes: Vec<ParticipantBox>,
    /// The statements, down the page.
    pub body: Vec<Statement>,
    /// Where frames open that the end of the diagram closes.
    pub unclosed: Vec<Span>,
    /// How many statements were skipped since they only concern the looks.
    pub styling_statements: usize,
}

impl Diagram {
    /// What the diagram is called: its title, or its name.
    pub fn heading(&self) -> Option<String> {
        let name =
            Some(self.name.trim_matches('"')).filter(|it| !it.is_empty() && !it.starts_with('('));
        self.title.clone().or_else(|| name.map(str::to_owned))
    }

    /// The places of the arrows to oneself.
    pub fn own_arrows(&self) -> BTreeSet<Span> {
        let own = messages(&self.body).filter(|it| it.from == it.to);
        own.map(|it| it.span).collect()
    }

    /// The labels by which participants may be called: each on one line, of one participant alone, and not the name of
    /// another one.
    pub(super) fn labels(&self) -> BTreeMap<String, &Participant> {
        let mut labels: BTreeMap<String, Option<&Participant>> = BTreeMap::new();
        for participant in &self.participants {
            let known = labels.entry(one_line(&participant.label));
            known.and_modify(|it| *it = None).or_insert(Some(participant));
        }
        self.participants.iter().for_each(|it| _ = labels.remove(&it.id));
        labels.remove("");
        labels.into_iter().filter_map(|(label, it)| Some((label, it?))).collect()
    }
}

/// Index of a [`Participant`] in [`Diagram::participants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParticipantId(pub u32);

impl ParticipantId {
    /// Its place in [`Diagram::participants`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A participant: a lifeline of the interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The name of the participant in messages.
    pub id: String,
    /// The label drawn at its head.
    pub label: String,
    /// The kind it is declared as, in lower case: `participant`, `actor`, `database` …
    pub kind: String,
    /// The looks of its head.
    pub looks: Looks,
    /// Where it is declared, or first used.
    pub span: Span,
}

/// A box around participants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParticipantBox {
    /// The text at its head; may be empty.
    pub label: String,
    /// Its participants.
    pub members: Vec<ParticipantId>,
    /// Its colour.
    pub looks: Looks,
    /// The line that opens it.
    pub span: Span,
}

/// One thing that a diagram says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// An arrow.
    Message(Message),
    /// A note over or beside participants.
    Note(Note),
    /// A frame with operands.
    Fragment(Fragment),
    /// A reference to another diagram (PlantUML's `ref over`).
    Reference(Note),
    /// `multitrace: …` in a comment.
    Directive(Directive),
    /// A mark that readers see and no events depend on.
    Mark(Mark),
}

impl Statement {
    /// The whole statement.
    pub fn span(&self) -> Span {
        match self {
            Statement::Message(message) => message.span,
            Statement::Note(note) | Statement::Reference(note) => note.span,
            Statement::Fragment(fragment) => fragment.span,
            Statement::Directive(directive) => directive.span,
            Statement::Mark(mark) => mark.span,
        }
    }

    /// Whether it is something else than a comment, a directive or a mark.
    pub(super) fn is_meant(&self) -> bool {
        !matches!(self, Statement::Directive(_) | Statement::Mark(_))
    }
}

/// Looks that no picture of this tool shows, as the notation of the diagram writes them. Another notation loses them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Before the statement: an anchor `{start}`, the `/` of a note in the row of the one before, the `&` of a frame; before
    /// a text of Mermaid `wrap:` or `nowrap:`.
    pub before: String,
    /// In it: the keyword of a note of another shape or of a frame such as `par2`, or of an arrow to the right its style
    /// `[#red]`, half a head, as PlantUML writes it, behind a comma the half where the arrow starts, and its slant `(10)`.
    pub within: String,
    /// Behind its names: a colour, links and stereotypes.
    pub behind: String,
    /// Its text as it was written, if that has marks such as `**bold**`; else empty.
    pub text: String,
}

/// A statement that changes no meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The kind of mark.
    pub kind: MarkKind,
    /// The colour of an activation.
    pub looks: Looks,
    /// The whole statement.
    pub span: Span,
}

/// The kind of a [`Mark`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A line across the diagram, with a text (PlantUML's `== text ==`).
    Divider(String),
    /// Time passes, with a text (PlantUML's `... text ...`).
    Delay(String),
    /// A comment: its text, trimmed.
    Comment(String),
    /// `autonumber`.
    AutoNumber {
        /// The text after it.
        text: String,
        /// Whether messages that show no number count, too, as in Mermaid.
        counts_hidden: bool,
    },
    /// A participant starts or stops to be active, or to exist.
    Life(Life, ParticipantId),
    /// A statement about the looks as it is written, which only its own notation knows.
    Looks(String),
}

/// A change in the life of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// `activate`; behind the message that activates.
    Activate,
    /// `deactivate`; behind the message that deactivates.
    Deactivate,
    /// `create`; before the message that creates.
    Create,
    /// `destroy`; behind the message that destroys.
    Destroy,
}

/// An arrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Where it starts.
    pub from: End,
    /// Where it ends.
    pub to: End,
    /// Its text, with entities decoded and line breaks as spaces or `\n`, otherwise as written.
    pub text: String,
    /// Where the text stands; empty, at the end of the arrow, if there is no text.
    pub text_span: Span,
    /// How it is drawn.
    pub arrow: Arrow,
    /// Whether it is parallel to the statement before it (PlantUML's `&`).
    pub is_parallel: bool,
    /// Its further looks.
    pub looks: Looks,
    /// The whole statement.
    pub span: Span,
}

impl Message {
    /// Sender and receiver, without the outside.
    pub(super) fn participants(&self) -> impl Iterator<Item = ParticipantId> {
        [self.from, self.to].into_iter().filter_map(End::participant)
    }
}

/// An end of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A participant.
    Participant(ParticipantId),
    /// No participant.
    Outside {
        /// Whether it is drawn at the left.
        is_left: bool,
        /// Whether it is near the participant at the other end, and not at the edge of the diagram.
        is_near: bool,
    },
}

impl End {
    /// The participant, unless it is outside.
    pub fn participant(self) -> Option<ParticipantId> {
        match self {
            End::Participant(participant) => Some(participant),
            End::Outside { .. } => None,
        }
    }
}

/// The features of an arrow that may change its meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrow {
    /// Its line is dashed.
    pub is_dotted: bool,
    /// The head where it ends.
    pub head: Head,
    /// The head where it starts, if it has one at both ends.
    pub tail: Option<Head>,
    /// Its head is drawn where it starts (Mermaid's `/|-`, `\|-`, `//-`, `\\-`).
    pub is_reversed: bool,
    /// Signs without an agreed meaning, where it starts and where it ends (PlantUML's `o`, and `x` at the tail;
    /// Mermaid's `()`).
    pub signs: [Option<Sign>; 2],
}

impl Arrow {
    /// Whether it has heads at both ends.
    pub fn is_bidirectional(self) -> bool {
        self.tail.is_some()
    }

    /// Whether a sign without an agreed meaning stands at an end.
    pub fn is_decorated(self) -> bool {
        self.signs != [None, None]
    }
}

/// A sign at an end of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A circle.
    Circle,
    /// A cross.
    Cross,
}

/// The head of an arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Head {
    /// A full head.
    #[default]
    Filled,
    /// A thin or half head.
    Open,
    /// No head at all: a line.
    None,
    /// A cross: the message is lost before it reaches its end.
    Cross,
}

/// A text beside the messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Whom it is at; empty if it is at the arrow before it, or at the whole diagram.
    pub over: Vec<ParticipantId>,
    /// On which side of them.
    pub side: Side,
    /// Its text, lines separated by `\n`.
    pub text: String,
    /// Its further looks.
    pub looks: Looks,
    /// The whole statement.
    pub span: Span,
}

/// Where a note stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Over the lifelines.
    #[default]
    Over,
    /// To their left.
    Left,
    /// To their right.
    Right,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The kind of frame.
    pub operator: FragmentOperator,
    /// Its operands, at least one.
    pub operands: Vec<FragmentOperand>,
    /// From its keyword to the end of its `end`.
    pub span: Span,
}

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentOperator {
    /// `alt … else …`.
    Alt,
    /// `opt`.
    Opt,
    /// `loop`.
    Loop,
    /// `par … and …`, Mermaid's `par_over`, PlantUML's `par2`.
    Par,
    /// `critical … option …`.
    Critical,
    /// `break`.
    Break,
    /// `rect`, `group`, `partition`: a frame that only groups.
    Group,
}

impl FragmentOperator {
    /// The word that opens the frame; Mermaid says `rect` for `group`.
    pub fn keyword(self) -> &'static str {
        match self {
            FragmentOperator::Alt => "alt",
            FragmentOperator::Opt => "opt",
            FragmentOperator::Loop => "loop",
            FragmentOperator::Par => "par",
            FragmentOperator::Critical => "critical",
            FragmentOperator::Break => "break",
            FragmentOperator::Group => "group",
        }
    }
}

/// One operand of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentOperand {
    /// The text beside its keyword: a condition, a bound, a title; may be empty.
    pub text: String,
    /// The colour behind it as it is written; may be empty.
    pub color: String,
    /// The looks of the text.
    pub looks: Looks,
    /// The line of its keyword.
    pub header: Span,
    /// The statements in it.
    pub body: Vec<Statement>,
}

/// A comment for this tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The text after `multitrace:`, trimmed.
    pub text: String,
    /// Where that text stands.
    pub span: Span,
}

/// Where a picture shows a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectivePlace {
    /// At the next statement.
    Next,
    /// At its own place, over all lifelines.
    Here,
    /// Nowhere as words: it is about names, boxes or warnings.
    Elsewhere,
}

impl Directive {
    /// Where a picture shows it.
    pub fn place(&self) -> DirectivePlace {
        match self.text.split_whitespace().next().unwrap_or_default() {
            "locations" | "boxes" | "message" | "messages" | "self" | "allow" => {
                DirectivePlace::Elsewhere
            }
            "only" | "never" | "loops" | "anything" => DirectivePlace::Here,
            _ if self.text.ends_with(" all") => DirectivePlace::Here,
            _ => DirectivePlace::Next,
        }
    }
}

/// The arrows of some statements, down the page.
pub(super) fn messages(body: &[Statement]) -> Box<dyn Iterator<Item = &Message> + '_> {
    Box::new(body.iter().flat_map(|statement| match statement {
        Statement::Message(message) => Box::new(std::iter::once(message)),
        Statement::Fragment(fragment) => {
            Box::new(fragment.operands.iter().flat_map(|it| messages(&it.body)))
                as Box<dyn Iterator<Item = &Message>>
        }
        Statement::Note(_)
        | Statement::Reference(_)
        | Statement::Directive(_)
        | Statement::Mark(_) => Box::new(std::iter::empty()),
    }))
}
