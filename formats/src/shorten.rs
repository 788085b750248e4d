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
    escaped(text, is_hidden, |char| char.escape_default().to_string())
}

/// Lines with every control character but tabs and their ends written as [`visible`] writes it.
///
/// ```
/// use multitrace_formats::shorten::visible_lines;
/// assert_eq!(visible_lines("a\u{9b}1m\n\tb\n"), "a\\u{9b}1m\n\tb\n");
/// ```
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    let is_hidden = |char| is_hidden(char) && !matches!(char, '\n' | '\t');
    escaped(text, is_hidden, |char| char.escape_default().to_string())
}

/// Equal JSON, in which hidden characters of strings are escaped. Outside strings JSON has only ends of lines.
///
/// ```
/// use multitrace_formats::shorten::visible_json;
/// assert_eq!(visible_json("{\"a\": \"\u{9b}1m\"}\n"), "{\"a\": \"\\u009b1m\"}\n");
/// ```
pub fn visible_json(text: &str) -> Cow<'_, str> {
    escaped(text, changes_text, |char| format!("\\u{:04x}", u32::from(char)))
}

/// The text without the marks that programs which read the log of a job take for commands: `::` of GitHub, and `##[` of
/// GitHub's older runners and of Azure, wherever they stand.
///
/// ```
/// use multitrace_formats::shorten::without_commands;
/// assert_eq!(without_commands("a::b ##[x]"), r"a:\u{3a}b #\u{23}[x]");
/// ```
pub fn without_commands(text: &str) -> Cow<'_, str> {
    replace_second(text, r"\u{3a}", r"\u{23}")
}

/// JSON that says the same without such commands: both stand in strings alone.
///
/// ```
/// use multitrace_formats::shorten::json_without_commands;
/// assert_eq!(json_without_commands("[\"a::b\"]"), "[\"a:\\u003ab\"]");
/// ```
pub fn json_without_commands(text: &str) -> Cow<'_, str> {
    replace_second(text, r"\u003a", r"\u0023")
}

fn replace_second<'t>(text: &'t str, colon: &str, hash: &str) -> Cow<'t, str> {
    if !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    // `:::` has two of them.
    let (mut shown, mut before) = (String::with_capacity(text.len() + 8), None);
    for char in text.chars() {
        match char {
            ':' if before == Some(':') => shown.push_str(colon),
            '#' if before == Some('#') => shown.push_str(hash),
            char => shown.push(char),
        }
        before = Some(char);
    }
    Cow::Owned(shown)
}

fn escaped(
    text: &str,
    is_hidden: impl Fn(char) -> bool,
    spell: impl Fn(char) -> String,
) -> Cow<'_, str> {
    if !text.chars().any(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match is_hidden(char) {
            true => shown.push_str(&spell(char)),
            false => shown.push(char),
        }
    }
    Cow::Owned(shown)
}

/// Control characters, characters that change the direction of writing, and those that XML cannot hold.
fn is_hidden(char: char) -> bool {
    char.is_control() || changes_text(char) || matches!(char, '\u{fffe}' | '\u{ffff}')
}

/// Whether a character that JSON allows in strings changes how the text around it is shown: DEL and the control characters
/// of Latin-1, ends of lines and paragraphs, marks of direction and of joining, and the byte order mark.
pub fn changes_text(char: char) -> bool {
    matches!(
        char,
        '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
    )
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
            let lines = visible_lines(&text);
            prop_assert_eq!(visible(&text).replace("\\n", "\n").replace("\\t", "\t"),
                lines.replace("\\n", "\n").replace("\\t", "\t"));
        }

        #[test]
        fn json_says_the_same(text in "[:#\u{9b}\u{202e}a\\n]*|.*") {
            let json = serde_json::to_string(&text).expect("JSON");
            let shown = visible_json(&json);
            let shown = json_without_commands(&shown);
            prop_assert!(!shown.contains(changes_text) && !shown.contains("::") && !shown.contains("##"));
            prop_assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), text);
        }

        #[test]
        fn no_command_is_left(text in "[:#a]*") {
            let shown = without_commands(&text);
            prop_assert!(!shown.contains("::") && !shown.contains("##"));
        }
    }
}
