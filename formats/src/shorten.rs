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

/// Adds a line to a text; nothing in it begins another one.
pub fn push_line(text: &mut String, line: impl std::fmt::Display) {
    text.push_str(&visible(&line.to_string()));
    text.push('\n');
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
    escaped(text, changes_text, json_escape)
}

/// A character as strings of JSON escape it.
///
/// ```
/// use multitrace_formats::shorten::json_escape;
/// assert_eq!(json_escape('\u{9b}') + &json_escape('\u{e0041}'), r"\u009b\udb40\udc41");
/// ```
pub fn json_escape(char: char) -> String {
    char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// The text without the marks that programs which read the log of a job take for commands, as [`CommandMarks`] knows them.
///
/// ```
/// use multitrace_formats::shorten::without_commands;
/// assert_eq!(without_commands(" ::a ::b ##[x]"), r" :\u{3a}a ::b ##\u{5b}x]");
/// ```
pub fn without_commands(text: &str) -> String {
    String::from_utf8_lossy(&{ CommandMarks::TEXT }.without(text.as_bytes())).into_owned()
}

/// JSON that says the same without such commands anywhere: both stand in strings alone.
///
/// ```
/// use multitrace_formats::shorten::json_without_commands;
/// assert_eq!(json_without_commands("[\"a::b\"]"), "[\"a:\\u003ab\"]");
/// ```
pub fn json_without_commands(text: &str) -> String {
    text.replace("::", r":\u003a").replace("##", r"#\u0023")
}

/// Where a text stands that is written piece by piece without commands: `::` at the beginning of a line, which GitHub reads,
/// and anywhere `##[` of its older runners and of Azure, and `##vso[` of Azure.
#[derive(Clone, Copy, Debug)]
pub struct CommandMarks {
    /// The spellings of `:` and `[` in marks.
    spelled: [&'static [u8]; 2],
    begun: Begun,
    /// The last bytes of the line.
    last: [u8; 5],
}

/// The beginning of a line, as far as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    Blank,
    Colon,
    Text,
}

impl CommandMarks {
    /// The beginning of a text for people, who read `\u{3a}`.
    pub const TEXT: CommandMarks = CommandMarks::new([br"\u{3a}", br"\u{5b}"]);
    /// The beginning of JSON, which says the same then.
    pub const JSON: CommandMarks = CommandMarks::new([br"\u003a", br"\u005b"]);
    /// The beginning of a diagram of Mermaid, which says the same then.
    pub const MERMAID: CommandMarks = CommandMarks::new([b"#58;", b"#91;"]);
    /// The beginning of XML or a page, which say the same then.
    pub const XML: CommandMarks = CommandMarks::new([b"&#58;", b"&#91;"]);

    const fn new(spelled: [&'static [u8]; 2]) -> CommandMarks {
        CommandMarks { spelled, begun: Begun::Blank, last: [0; 5] }
    }

    /// The next bytes of the text, with the last character of each mark spelled in another way.
    pub fn without(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut written = Vec::with_capacity(bytes.len() + 8);
        for &byte in bytes {
            let is_command = self.last.ends_with(b"##") || self.last == *b"##vso";
            match byte {
                b':' if self.begun == Begun::Colon => written.extend_from_slice(self.spelled[0]),
                b'[' if is_command => written.extend_from_slice(self.spelled[1]),
                byte => written.push(byte),
            }
            self.begun = match (self.begun, byte) {
                (_, b'\n') => Begun::Blank,
                (Begun::Blank, b':') => Begun::Colon,
                // The platforms take blanks away before they look, also blanks of Unicode.
                (Begun::Blank, byte) if byte.is_ascii_whitespace() || !byte.is_ascii() => {
                    Begun::Blank
                }
                _ => Begun::Text,
            };
            self.last.rotate_left(1);
            self.last[4] = byte;
        }
        written
    }
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

/// Whether a character that JSON allows in strings changes how the text around it is shown, or is not seen at all, so that
/// two names look alike: DEL and the control characters of Latin-1, ends of lines and paragraphs, marks of direction, and those
/// that Unicode calls ignorable by default. The 16 variation selectors of emoji are left: texts hold them in good faith.
pub fn changes_text(char: char) -> bool {
    matches!(
        char,
        '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
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
        fn json_says_the_same(text in "[:#\u{9b}\u{202e}\u{e0041}a\\n]*|.*") {
            let json = serde_json::to_string(&text).expect("JSON");
            let shown = visible_json(&json);
            let shown = json_without_commands(&shown);
            prop_assert!(!shown.contains(changes_text) && !shown.contains("::") && !shown.contains("##"));
            prop_assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), text);
        }

        #[test]
        fn no_command_is_left(text in "[:#a\\[vso \u{3000}\n]*", at in 0usize..9) {
            let shown = without_commands(&text);
            prop_assert!(!shown.lines().any(|line| line.trim_start().starts_with("::")), "{shown}");
            prop_assert!(!shown.contains("##[") && !shown.contains("##vso["), "{shown}");
            prop_assert_eq!(shown.replace(r"\u{3a}", ":").replace(r"\u{5b}", "["), &*text);
            let (mut marks, at) = (CommandMarks::TEXT, at.min(text.len()));
            let parts = [&text.as_bytes()[..at], &text.as_bytes()[at..]];
            prop_assert_eq!(parts.map(|part| marks.without(part)).concat(), shown.as_bytes());
        }
    }
}
