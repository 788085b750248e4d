//! How wide texts are, and texts short enough to be shown.

use multitrace_formats::shorten::{shorten, visible};
use unicode_width::UnicodeWidthChar;

/// The most characters of a text that is too long to be shown whole, where it is shown beside.
const MOST_FULL: usize = 2_000;

/// A text fit to be shown on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) shown: String,
    /// The whole text, if it is longer than the part shown.
    pub(crate) full: Option<String>,
}

impl Label {
    /// The text, or its first characters, at most `most` with a mark for the missing ones.
    pub(crate) fn new(text: &str, most: usize) -> Label {
        let text = visible(text);
        if text.chars().nth(most).is_none() {
            return Label { shown: text.into_owned(), full: None };
        }
        let start: String = text.chars().take(most.saturating_sub(1)).collect();
        Label { shown: start + "…", full: Some(shorten(&text, MOST_FULL).into_owned()) }
    }

    /// The label with something short behind it.
    #[must_use]
    pub(crate) fn followed_by(mut self, text: &str) -> Label {
        self.shown.push_str(text);
        self
    }
}

/// A text in lines of at most `most` characters, broken at blanks where that is possible.
pub(crate) fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if used > 0 && used + length > most {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        for char in word.chars() {
            if used == most && char != ' ' {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(char);
            used += 1;
        }
    }
    lines.extend(Some(line).filter(|line| !line.is_empty()));
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

impl From<String> for Label {
    fn from(text: String) -> Label {
        Label { shown: text, full: None }
    }
}

/// The width of a text in cells of a terminal, its characters one by one.
pub(crate) fn cells(text: &str) -> i32 {
    let width: usize = text.chars().filter_map(UnicodeWidthChar::width).sum();
    i32::try_from(width).unwrap_or(i32::MAX / 4)
}

/// The size of texts in pixels.
pub(crate) const FONT_SIZE: i32 = 13;

/// The width of a text in pixels, rounded up. Fonts differ, so this is that of a wide one (DejaVu Sans).
pub(crate) fn pixels(text: &str) -> i32 {
    let hundredths: i32 = text.chars().map(advance).sum();
    (hundredths * FONT_SIZE + 99) / 100
}

/// The width of a character in hundredths of the size of the font.
fn advance(char: char) -> i32 {
    match char {
        'i' | 'j' | 'l' | '\'' | '|' => 34,
        ' ' | '.' | ',' | ':' | ';' | '!' | '(' | ')' | '[' | ']' | '/' | '\\' | '-' | 'f'
        | 't' | 'r' | 'I' => 42,
        '"' | 's' | 'c' | 'z' | 'k' | 'v' | 'x' | 'y' | '?' | '*' | '_' | 'J' => 60,
        'm' | 'M' | 'W' | '@' | '%' | '…' => 102,
        'w' | '!'..='/' | '<' | '>' | '=' | '~' | '^' => 84,
        'A'..='Z' => 79,
        'a'..='z' | '0'..='9' => 65,
        _ => match char.width() {
            Some(0) | None => 0,
            Some(1) => 80,
            Some(_) => 106,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_their_whole_beside() {
        let label = Label::new("a\u{1b}bcdef", 4);
        assert_eq!(label.shown, "a\\u…");
        assert_eq!(label.full.as_deref(), Some("a\\u{1b}bcdef"));
        assert_eq!(Label::new("abcd", 4), Label::from("abcd".to_owned()));
        assert_eq!(Label::new("ab", 2).followed_by("!").shown, "ab!");
    }

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(lines("seq(a, bc, def)", 7), ["seq(a,", "bc,", "def)"]);
        assert_eq!(lines("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert!(lines("", 3).is_empty());
    }

    #[test]
    fn widths() {
        assert_eq!((pixels(""), cells("")), (0, 0));
        assert_eq!(cells("漢字"), 4);
        assert!(pixels("WWW") > 2 * pixels("iii"));
        assert!(pixels("漢字") > pixels("ab"));
    }
}
