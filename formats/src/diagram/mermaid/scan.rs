//! Characters as the patterns of Mermaid class them, and steps through a text.

/// Whether JavaScript takes a character for white space, in patterns and when it trims.
pub(super) fn is_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// Whether a character may be in an identifier of JavaScript's patterns: `\w`.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The text without white space around it, as JavaScript trims.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Where the run of characters of a class that starts here ends.
pub(super) fn run(text: &str, start: usize, class: impl Fn(char) -> bool) -> usize {
    text[start..].find(|c| !class(c)).map_or(text.len(), |at| start + at)
}

/// Where the line of this place ends: at its `\n`, or at the end of the text.
pub(super) fn line_end(text: &str, start: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |at| start + at)
}

/// Whether a text continues with a word, in whatever case, at this place.
pub(super) fn starts_with(text: &str, start: usize, word: &str) -> bool {
    let found = text.as_bytes().get(start..start + word.len());
    found.is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether the word that ends here ends there: no letter, digit or `_` follows.
pub(super) fn is_word_end(text: &str, at: usize) -> bool {
    !text[at..].starts_with(is_word)
}

/// Whether white space, `as` and white space follow.
pub(super) fn as_follows(text: &str, at: usize) -> bool {
    let word = run(text, at, is_space);
    word > at && starts_with(text, word, "as") && text[word + 2..].starts_with(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_that_of_javascript() {
        assert!(is_space('\u{feff}') && is_space('\u{a0}') && is_space('\u{b}'));
        assert!(!is_space('\u{85}') && !is_space('\u{200b}'));
        assert_eq!(trim("\u{feff} a b\u{2028}"), "a b");
    }

    #[test]
    fn looking_ahead_for_an_alias() {
        assert!(as_follows("A  AS B", 1) && as_follows("A\nas\nB", 1));
        assert!(!as_follows("A as", 1) && !as_follows("Aas B", 1) && !as_follows("A assert", 1));
    }
}
