//! The tokens of a diagram.

use super::arrow::Drawn;
use crate::diagram::model::FragmentOperator;
use std::ops::Range;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A line end, `;`, or the end of the text.
    NewLine,
    /// `sequenceDiagram`.
    Header,
    /// `participant` or `actor`.
    Participant,
    Create,
    Destroy,
    As,
    Box,
    /// The keyword of a frame.
    Open(FragmentOperator),
    /// `else`, `and` or `option`, with the frame that it belongs in.
    Section(FragmentOperator),
    End,
    /// `left of` or `right of`.
    Beside,
    Over,
    Note,
    /// `links`, `link`, `properties` or `details`.
    Details,
    Activate,
    Deactivate,
    /// `title` with its text.
    Title,
    /// `accTitle:` or `accDescr:`.
    Accessible,
    /// The text that follows `accTitle:` or `accDescr:`, or stands between the braces of `accDescr`.
    AccessibleText,
    AccessibleBlock,
    AutoNumber,
    Off,
    Number,
    Comma,
    Plus,
    Minus,
    /// `()`.
    Central,
    /// The name of a participant.
    Name,
    Arrow(Drawn),
    /// `:` and the text of a message or a note.
    Text,
    /// The text behind a keyword up to the end of the line.
    Rest,
    /// `@{`.
    OpenOptions,
    Options,
    CloseOptions,
    /// A character that Mermaid skips where a statement may start.
    Stray,
    /// A character that no pattern takes.
    Unknown,
}

impl TokenKind {
    /// Whether it is a word that cannot be the name of a participant.
    pub(super) fn is_keyword(self) -> bool {
        use TokenKind as K;
        matches!(
            self,
            K::Header
                | K::Participant
                | K::Create
                | K::Destroy
                | K::Box
                | K::Open(_)
                | K::Section(_)
                | K::End
                | K::Beside
                | K::Over
                | K::Note
                | K::Details
                | K::Activate
                | K::Deactivate
                | K::AutoNumber
                | K::Off
        )
    }
}

/// A token, and where it stands in the edited text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) range: Range<usize>,
}

/// The keyword of a `par` whose parts stand beside each other.
pub(super) const PAR_OVER: &str = "par_over";

/// The keywords where a statement may start. Only whole words are keywords, in upper or lower case.
pub(super) const KEYWORDS: [(&str, TokenKind); 32] = [
    ("box", TokenKind::Box),
    ("participant", TokenKind::Participant),
    ("actor", TokenKind::Participant),
    ("create", TokenKind::Create),
    ("destroy", TokenKind::Destroy),
    ("loop", TokenKind::Open(FragmentOperator::Loop)),
    ("rect", TokenKind::Open(FragmentOperator::Group)),
    ("opt", TokenKind::Open(FragmentOperator::Opt)),
    ("alt", TokenKind::Open(FragmentOperator::Alt)),
    ("else", TokenKind::Section(FragmentOperator::Alt)),
    ("par", TokenKind::Open(FragmentOperator::Par)),
    (PAR_OVER, TokenKind::Open(FragmentOperator::Par)),
    ("and", TokenKind::Section(FragmentOperator::Par)),
    ("critical", TokenKind::Open(FragmentOperator::Critical)),
    ("option", TokenKind::Section(FragmentOperator::Critical)),
    ("break", TokenKind::Open(FragmentOperator::Break)),
    ("end", TokenKind::End),
    ("left of", TokenKind::Beside),
    ("right of", TokenKind::Beside),
    ("links", TokenKind::Details),
    ("link", TokenKind::Details),
    ("properties", TokenKind::Details),
    ("details", TokenKind::Details),
    ("over", TokenKind::Over),
    ("note", TokenKind::Note),
    ("activate", TokenKind::Activate),
    ("deactivate", TokenKind::Deactivate),
    ("sequenceDiagram", TokenKind::Header),
    ("autonumber", TokenKind::AutoNumber),
    ("off", TokenKind::Off),
    ("accTitle", TokenKind::Accessible),
    ("accDescr", TokenKind::Accessible),
];
