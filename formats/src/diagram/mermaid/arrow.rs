//! The arrows of Mermaid.

use crate::diagram::model::{Arrow, Head, Looks, Sign};

/// How an arrow is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    is_dotted: bool,
    head: Head,
    is_bidirectional: bool,
    is_reversed: bool,
    /// Half a head, as PlantUML writes it: `\` above the line, `/` below it, thin if doubled.
    half: &'static str,
}

impl Drawn {
    const fn new(is_dotted: bool, head: Head) -> Drawn {
        Drawn { is_dotted, head, is_bidirectional: false, is_reversed: false, half: "" }
    }

    const fn half(is_dotted: bool, half: &'static str) -> Drawn {
        Drawn { half, ..Drawn::new(is_dotted, Head::Open) }
    }

    const fn reversed(is_dotted: bool, half: &'static str) -> Drawn {
        Drawn { is_reversed: true, ..Drawn::half(is_dotted, half) }
    }

    /// What the arrow of the model does not say.
    pub(super) fn looks(self) -> Looks {
        Looks { within: self.half.to_owned(), ..Looks::default() }
    }

    /// The arrow of the model, with circles at these ends.
    pub(super) fn arrow(self, circles: [bool; 2]) -> Arrow {
        let Drawn { is_dotted, head, is_bidirectional, is_reversed, .. } = self;
        let tail = is_bidirectional.then_some(head);
        let signs = circles.map(|it| it.then_some(Sign::Circle));
        Arrow { is_dotted, head, tail, is_reversed, signs }
    }
}

/// A full arrow.
const SOLID: Drawn = Drawn::new(false, Head::Filled);
const DOTTED: Drawn = Drawn::new(true, Head::Filled);

/// The arrows in the order in which Mermaid tries them: the first that fits counts.
pub(super) const ARROWS: [(&str, Drawn); 26] = [
    ("->>", SOLID),
    ("<<->>", Drawn { is_bidirectional: true, ..SOLID }),
    ("-->>", DOTTED),
    ("<<-->>", Drawn { is_bidirectional: true, ..DOTTED }),
    ("->", Drawn::new(false, Head::None)),
    ("-->", Drawn::new(true, Head::None)),
    ("-x", Drawn::new(false, Head::Cross)),
    ("--x", Drawn::new(true, Head::Cross)),
    ("-)", Drawn::new(false, Head::Open)),
    ("--)", Drawn::new(true, Head::Open)),
    (r"--|\", Drawn::half(true, r"\")),
    ("--|/", Drawn::half(true, "/")),
    (r"--\\", Drawn::half(true, r"\\")),
    ("--//", Drawn::half(true, "//")),
    ("/|--", Drawn::reversed(true, r"\")),
    (r"\|--", Drawn::reversed(true, "/")),
    ("//--", Drawn::reversed(true, r"\\")),
    (r"\\--", Drawn::reversed(true, "//")),
    (r"-|\", Drawn::half(false, r"\")),
    ("-|/", Drawn::half(false, "/")),
    (r"-\\", Drawn::half(false, r"\\")),
    ("-//", Drawn::half(false, "//")),
    ("/|-", Drawn::reversed(false, r"\")),
    (r"\|-", Drawn::reversed(false, "/")),
    ("//-", Drawn::reversed(false, r"\\")),
    (r"\\-", Drawn::reversed(false, "//")),
];

/// The arrows and signs that end the name of a participant where an arrow may follow.
const ENDS_OF_NAME: [&str; 16] = [
    "-x", "--x", "-)", "--)", r"-|\", r"-\", "-/", "-//", "-|/", "/|-", r"\|-", "//-", r"\\-",
    r"--|\", "--", "()",
];

/// The arrow at the start of a text, and its length.
pub(super) fn arrow_at(text: &str, at: usize) -> Option<(usize, Drawn)> {
    let found = ARROWS.iter().find(|(sign, _)| super::scan::starts_with(text, at, sign));
    found.map(|&(sign, drawn)| (sign.len(), drawn))
}

/// Whether the name of a participant ends here.
pub(super) fn ends_name(text: &str, at: usize) -> bool {
    ENDS_OF_NAME.iter().any(|sign| super::scan::starts_with(text, at, sign))
}
