//! The tokens of a diagram.

use super::arrow::Drawn;
use crate::diagram::model::FragmentOperator;
use std::ops::Range;

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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

impl Kind {
    /// Whether it is a word that cannot be the name of a participant.
    pub(super) fn is_keyword(self) -> bool {
        use Kind as K;
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
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

/// The keywords where a statement may start. Only whole words are keywords, in upper or lower case.
pub(super) const KEYWORDS: [(&str, Kind); 32] = [
    ("box", Kind::Box),
    ("participant", Kind::Participant),
    ("actor", Kind::Participant),
    ("create", Kind::Create),
    ("destroy", Kind::Destroy),
    ("loop", Kind::Open(FragmentOperator::Loop)),
    ("rect", Kind::Open(FragmentOperator::Group)),
    ("opt", Kind::Open(FragmentOperator::Opt)),
    ("alt", Kind::Open(FragmentOperator::Alt)),
    ("else", Kind::Section(FragmentOperator::Alt)),
    ("par", Kind::Open(FragmentOperator::Par)),
    ("par_over", Kind::Open(FragmentOperator::Par)),
    ("and", Kind::Section(FragmentOperator::Par)),
    ("critical", Kind::Open(FragmentOperator::Critical)),
    ("option", Kind::Section(FragmentOperator::Critical)),
    ("break", Kind::Open(FragmentOperator::Break)),
    ("end", Kind::End),
    ("left of", Kind::Beside),
    ("right of", Kind::Beside),
    ("links", Kind::Details),
    ("link", Kind::Details),
    ("properties", Kind::Details),
    ("details", Kind::Details),
    ("over", Kind::Over),
    ("note", Kind::Note),
    ("activate", Kind::Activate),
    ("deactivate", Kind::Deactivate),
    ("sequenceDiagram", Kind::Header),
    ("autonumber", Kind::AutoNumber),
    ("off", Kind::Off),
    ("accTitle", Kind::Accessible),
    ("accDescr", Kind::Accessible),
];
