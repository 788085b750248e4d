//! Pieces that many statements share: names of participants, quoted texts, colours, links.

/// The characters that may stand around a name in quotes.
const QUOTES: [char; 3] = ['"', '“', '”'];

/// A name of a participant as it stands in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name<'t> {
    /// The name in messages.
    pub(super) id: &'t str,
    /// The label drawn at its head, if the statement has one.
    pub(super) label: Option<&'t str>,
}

/// Whether a name without quotes may have this character.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '@')
}

/// A name without quotes at the start of a text, and the text after it.
pub(super) fn code(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c| !is_name_char(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// A text in quotes at the start of a text, without them, and the text after it.
pub(super) fn quoted(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix(QUOTES)?;
    let (found, rest) = inner.split_once(QUOTES)?;
    (!found.is_empty()).then_some((found, rest))
}

/// A name with or without quotes, and the text after it.
pub(super) fn code_or_quoted(text: &str) -> Option<(&str, &str)> {
    quoted(text).or_else(|| code(text))
}

/// `code`, `"text"`, `"text" as code` or `code as "text"`, and the text after it.
pub(super) fn name(text: &str) -> Option<(Name<'_>, &str)> {
    if let Some((label, rest)) = quoted(text) {
        return Some(match after_as(rest, true).and_then(code) {
            Some((id, rest)) => (Name { id, label: Some(label) }, rest),
            None => (Name { id: label, label: None }, rest),
        });
    }
    let (id, rest) = code(text)?;
    Some(match after_as(rest, false).and_then(quoted) {
        Some((label, rest)) => (Name { id, label: Some(label) }, rest),
        None => (Name { id, label: None }, rest),
    })
}

/// The text after `as`.
pub(super) fn after_as(text: &str, is_after_quotes: bool) -> Option<&str> {
    let start = text.trim_start();
    let rest = strip_word(start, "as").or_else(|| {
        let rest = start.strip_prefix("as")?;
        rest.starts_with(QUOTES).then_some(rest)
    })?;
    (is_after_quotes || start.len() < text.len()).then(|| rest.trim_start())
}

/// Whether a text starts with another one, in upper or lower case.
pub(super) fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}

/// The text after this word, in any case, if the text starts with it and it ends there.
pub(super) fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (start.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

/// The text after the first of these words that the text starts with, and the place of the word in the list.
pub(super) fn strip_any<'t>(text: &'t str, words: &[&str]) -> Option<(usize, &'t str)> {
    let mut found = words.iter().enumerate();
    found.find_map(|(index, word)| strip_word(text, word).map(|rest| (index, rest)))
}

/// The text after a colour `#red`, a link `[[…]]` or a stereotype `<<…>>`, any number of them.
pub(super) fn skip_looks(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(after) = skip_look(rest) {
        rest = after.trim_start();
    }
    rest
}

/// The same, with the skipped text before it.
pub(super) fn looks(text: &str) -> (&str, &str) {
    let rest = skip_looks(text);
    (text[..text.len() - rest.len()].trim(), rest)
}

fn skip_look(text: &str) -> Option<&str> {
    if let Some(colour) = text.strip_prefix('#') {
        let end = colour.find(|c: char| c.is_whitespace() || c == ':' || c == '[');
        return Some(&colour[end.unwrap_or(colour.len())..]);
    }
    if let Some(link) = text.strip_prefix("[[") {
        return link.split_once("]]").map(|(_, rest)| rest.trim_start_matches(']'));
    }
    let stereotype = text.strip_prefix("<<")?;
    stereotype.split_once(">>").map(|(_, rest)| rest)
}

/// Names with commas between them, and the text after them.
pub(super) fn list(text: &str) -> Option<(Vec<&str>, &str)> {
    let (first, mut rest) = code_or_quoted(text.trim_start())?;
    let mut names = vec![first];
    while let Some(after) = rest.trim_start().strip_prefix(',') {
        let (name, after) = code_or_quoted(after.trim_start())?;
        names.push(name);
        rest = after;
    }
    Some((names, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let named = |id, label| Name { id, label };
        for (text, expected, rest) in [
            ("a.b -> c", named("a.b", None), " -> c"),
            ("\"Long X\" as L -> B", named("L", Some("Long X")), " -> B"),
            ("L as \"Long X\" -> B", named("L", Some("Long X")), " -> B"),
            ("\"Long X\"->B", named("Long X", None), "->B"),
            ("“A b” as Q", named("Q", Some("A b")), ""),
            ("as -> b", named("as", None), " -> b"),
            ("é2", named("é2", None), ""),
        ] {
            assert_eq!(name(text), Some((expected, rest)), "{text}");
        }
        assert_eq!(name("->"), None);
        assert_eq!(name("\"open"), None);
    }

    #[test]
    fn looks_are_skipped() {
        assert_eq!(skip_looks(" #red <<x>> [[http://a b]] : text"), ": text");
        assert_eq!(skip_looks("text #red"), "text #red");
    }

    #[test]
    fn lists_of_names() {
        assert_eq!(list("A, \"B c\" ,D : x"), Some((vec!["A", "B c", "D"], " : x")));
        assert_eq!(list("A, : x"), None);
    }
}
