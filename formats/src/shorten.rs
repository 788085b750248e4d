//! Texts of unknown length and content, made fit to be shown: cut where they are too long, and
//! with control characters written out, both visibly.

use std::borrow::Cow;

/// The text, or its first characters and how many there are.
///
/// ```
/// use multitrace_formats::shorten::shorten;
/// assert_eq!(shorten("abcdef", 6), "abcdef");
/// assert_eq!(shorten("abcdefg", 3), "abc… (7 characters)");
/// ```
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            Cow::Owned(format!("{}… ({} characters)", &text[..end], text.chars().count()))
        }
    }
}

/// The text with every control character written as in `\u{1b}`, so that it stays on its line and
/// does nothing to a terminal.
///
/// ```
/// use multitrace_formats::shorten::visible;
/// assert_eq!(visible("a\u{1b}[1m\n"), "a\\u{1b}[1m\\n");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if is_hidden(char) {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    Cow::Owned(shown)
}

/// Control characters, what changes the direction of writing, and what XML cannot hold.
fn is_hidden(char: char) -> bool {
    let directs = matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks = matches!(char, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    char.is_control() || directs || breaks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shown_texts_are_bounded_and_harmless(text in "\\PC*|.*", most in 0usize..20) {
            let short = shorten(&text, most);
            prop_assert!(short.chars().count() <= most + 40);
            prop_assert!(short == text || short.contains('…'));
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(is_hidden));
            prop_assert_eq!(visible(&shown), shown.as_ref());
        }
    }
}
