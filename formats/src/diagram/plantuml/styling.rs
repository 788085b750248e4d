//! Statements that only concern the looks.

use super::creole::plain;
use super::names::{starts_with_ignoring_case, strip_any, strip_word};
use crate::diagram::model::MarkKind;

/// Statements of one line, by their first words.
const LINES: [&str; 32] = [
    "autonumber",
    "autonewpage",
    "hide",
    "show",
    "scale",
    "rotate",
    "skin",
    "skinparam",
    "skinparamlocked",
    "newpage",
    "@newpage",
    "ignore",
    "footbox",
    "minwidth",
    "url",
    "left to right",
    "top to bottom",
    "allowmixing",
    "allow_mixing",
    "listsprite",
    "listsprites",
    "set",
    "page",
    "mainframe",
    "caption",
    "!pragma",
    "!theme",
    "!option",
    "sprite",
    "dpi",
    "pragma",
    "!transformation",
];
/// Statements that stand on one line or on several, up to `end` and their word.
const HEADINGS: [&str; 2] = ["header", "footer"];
/// Where a heading may stand.
const SIDES: [&str; 3] = ["left", "right", "center"];

/// The lines that a statement about looks takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Its own line.
    Line,
    /// The lines up to the one that ends it.
    Block(Ending),
}

/// The text that ends a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// `end` and this word.
    Word(&'static str),
    /// The brace that closes the one on the first line.
    Brace,
    /// This text, anywhere in a line.
    Text(&'static str),
}

/// The statement about looks that starts with this line.
pub(super) fn statement(line: &str) -> Option<Extent> {
    if starts_with_ignoring_case(line, "<style>") {
        let text = "</style>";
        return Some(if line.contains(text) {
            Extent::Line
        } else {
            Extent::Block(Ending::Text(text))
        });
    }
    if is_gap(line) || is_divider(line) || is_delay(line) || is_anchors(line) {
        return Some(Extent::Line);
    }
    if let Some(rest) = strip_word(line, "legend") {
        let is_line = rest.trim_start().starts_with(':');
        return Some(if is_line { Extent::Line } else { Extent::Block(Ending::Word("legend")) });
    }
    let after_side = strip_any(line, &SIDES).map_or(line, |(_, rest)| rest.trim_start());
    if let Some((index, rest)) = strip_any(after_side, &HEADINGS) {
        let is_block = rest.trim().is_empty();
        let block = Extent::Block(Ending::Word(HEADINGS[index]));
        return Some(if is_block { block } else { Extent::Line });
    }
    let (index, rest) = strip_any(line, &LINES)?;
    Some(match LINES[index] {
        "sprite" => sprite(rest),
        "skinparam" | "!transformation" if rest.trim_end().ends_with('{') => {
            Extent::Block(Ending::Brace)
        }
        "hide" | "show" | "left to right" | "top to bottom" | "set" | "page" | "url"
            if rest.trim_start().starts_with('-') =>
        {
            return None;
        }
        _ => Extent::Line,
    })
}

/// The mark that a statement about looks shows.
pub(super) fn mark(text: String) -> MarkKind {
    if is_divider(&text) {
        MarkKind::Divider(plain(text.trim_matches('=').trim()))
    } else if is_delay(&text) {
        MarkKind::Delay(plain(text.trim_matches(['.', '…']).trim()))
    } else if let Some(rest) = strip_word(&text, "autonumber") {
        MarkKind::AutoNumber { text: rest.trim().to_owned(), counts_hidden: false }
    } else {
        MarkKind::Looks(text)
    }
}

/// A picture: a grid in braces, an SVG text, or a file.
fn sprite(rest: &str) -> Extent {
    if rest.trim_end().ends_with('{') {
        Extent::Block(Ending::Brace)
    } else if rest.contains("<svg") && !rest.contains("</svg>") {
        Extent::Block(Ending::Text("</svg>"))
    } else {
        Extent::Line
    }
}

/// `|||` or `||45||`.
fn is_gap(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("||") else { return false };
    let digits = rest.trim_start_matches('|').trim_end_matches('|');
    rest.len() > digits.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `== text ==`.
fn is_divider(line: &str) -> bool {
    line.len() >= 4 && line.starts_with("==") && line.ends_with("==")
}

/// `...`, `… text …`.
fn is_delay(line: &str) -> bool {
    let mark = |text: &str| text == "..." || text == "…";
    if mark(line) {
        return true;
    }
    let starts = line.starts_with("...") || line.starts_with('…');
    starts && line.len() > 3 && (line.ends_with("...") || line.ends_with('…'))
}

/// `{start} <-> {end} : text`.
pub(super) fn is_anchors(line: &str) -> bool {
    let rest = line.strip_prefix('{').and_then(|inner| inner.split_once('}'));
    rest.is_some_and(|(_, rest)| rest.trim_start().starts_with("<->"))
}

impl Ending {
    /// Whether this line ends the block; `open` counts the braces that are open.
    pub(super) fn is_at(self, line: &str, open: &mut usize) -> bool {
        match self {
            Ending::Word(word) => is_end_of(line, word),
            Ending::Text(text) => line.contains(text),
            Ending::Brace => {
                if line.ends_with('{') {
                    *open += 1;
                } else if line.ends_with('}') {
                    *open -= 1;
                }
                *open == 0
            }
        }
    }

    /// The remedy for a block that is not ended.
    pub(super) fn help(self) -> String {
        match self {
            Ending::Word(word) => format!("add `end {word}`"),
            Ending::Text(text) => format!("add `{text}`"),
            Ending::Brace => "add `}`".to_owned(),
        }
    }
}

/// `end word` or `endword`.
pub(super) fn is_end_of(line: &str, word: &str) -> bool {
    let line = line.trim();
    let Some(rest) = line.get(..3).filter(|end| end.eq_ignore_ascii_case("end")) else {
        return false;
    };
    line[rest.len()..].trim_start().eq_ignore_ascii_case(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        for line in [
            "skinparam x y",
            "hide footbox",
            "autonumber 1 \"<b>\"",
            "|||",
            "||45||",
            "== a ==",
            "...",
            "... 5 minutes ...",
            "…",
            "newpage",
            "scale 1.2",
            "left to right direction",
            "!theme plain",
            "{a} <-> {b} : t",
            "left footer x",
            "header y",
            "<style> a </style>",
            "Caption x",
            "sprite $x jar:a",
            "ignore newpage",
            "====",
            "legend : x",
        ] {
            assert_eq!(statement(line), Some(Extent::Line), "{line}");
        }
        for line in ["A -> B", "class X", "....x", "||", "===", "hidex", "end legend", ""] {
            assert_eq!(statement(line), None, "{line}");
        }
    }

    #[test]
    fn blocks() {
        for (line, ending) in [
            ("skinparam x {", Ending::Brace),
            ("sprite $a [1x1/16] {", Ending::Brace),
            ("sprite a <svg x>", Ending::Text("</svg>")),
            ("<style>", Ending::Text("</style>")),
            ("legend top left", Ending::Word("legend")),
            ("footer", Ending::Word("footer")),
        ] {
            assert_eq!(statement(line), Some(Extent::Block(ending)), "{line}");
        }
        assert!(is_end_of(" End Legend", "legend") && is_end_of("endlegend", "legend"));
    }
}
