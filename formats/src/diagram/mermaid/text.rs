//! Texts of messages, notes and labels as a person reads them.

use super::entities::{ENTITY_END, ENTITY_START, character};
use super::scan::{is_space, is_word, run, starts_with, trim};

/// A text without white space around it and without Mermaid's `wrap:` or `nowrap:` in front.
pub(super) fn unwrapped(text: &str) -> &str {
    parts(text).1
}

/// The `wrap:` or `nowrap:` in front of a text; may be empty.
pub(super) fn wrapping(text: &str) -> String {
    parts(text).0.to_owned()
}

fn parts(text: &str) -> (&str, &str) {
    let text = trim(text);
    let rest = text.strip_prefix(':').unwrap_or(text);
    let found = ["wrap:", "nowrap:"].into_iter().find(|it| rest.starts_with(it));
    found.map_or(("", text), |it| (it, trim(&rest[it.len()..])))
}

/// The text as it was written, where entities are marked.
pub(super) fn written(text: &str) -> String {
    text.replace(ENTITY_START, "#").replace(ENTITY_END, ";")
}

/// The text as it is drawn: `<br>` ends a line, entities are characters.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', ENTITY_START]) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[special(rest, &mut shown)..];
    }
    shown.push_str(rest);
    written(&shown)
}

/// Adds the text drawn for the `<` or the entity at the start of a text. Returns how long it is.
fn special(text: &str, shown: &mut String) -> usize {
    if let Some(length) = line_break(text) {
        shown.push('\n');
        return length;
    }
    if let Some((length, character)) = entity(text) {
        shown.push(character);
        return length;
    }
    shown.push_str(&text[..1]);
    1
}

/// The length of `<br>`, `<br/>` or `<br />`, in whatever case.
fn line_break(text: &str) -> Option<usize> {
    if !starts_with(text, 0, "<br") {
        return None;
    }
    let end = run(text, 3, is_space);
    let rest = &text[end..];
    let closing = ["/>", ">"].into_iter().find(|&closing| rest.starts_with(closing))?;
    Some(end + closing.len())
}

/// The character of a marked entity, and the length of the entity.
fn entity(text: &str) -> Option<(usize, char)> {
    let rest = text.strip_prefix(ENTITY_START)?;
    let end = run(rest, 0, is_word);
    let name = rest[end..].starts_with(ENTITY_END).then(|| &rest[..end])?;
    Some((end + 2, character(name)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrap_is_no_part_of_a_text() {
        let texts = [" wrap: a ", ":nowrap:a", "a", "wrap", "WRAP: a", "wrap:", "::wrap: a"];
        assert_eq!(texts.map(unwrapped), ["a", "a", "a", "wrap", "WRAP: a", "", "::wrap: a"]);
        assert_eq!(texts.map(wrapping), ["wrap:", "nowrap:", "", "", "", "wrap:", ""]);
    }

    #[test]
    fn line_breaks_and_entities_are_drawn() {
        assert_eq!(shown("a<br>b<BR/>c<br  />d<brx><b>"), "a\nb\nc\nd<brx><b>");
        assert_eq!(shown("\u{1}35\u{2}\u{1}quot\u{2}\u{1}infin\u{2}"), "#\"∞");
        assert_eq!(shown("\u{1}lt\u{2}br\u{1}gt\u{2}"), "<br>");
        assert_eq!(shown("\u{1}nope\u{2} \u{1}0\u{2} <"), "#nope; #0; <");
    }
}
