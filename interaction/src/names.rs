//! Names of any characters inside texts: the lifelines and messages of actions, the lifelines of
//! locations. A name stands in quotes where it could be taken for something else.
//!
//! | text | is read as |
//! |---|---|
//! | `order-service!GET /cart` | `order-service` emits `GET /cart` |
//! | `"who?"!m` | `who?` emits `m` |
//! | `a,"b,c"` | the lifelines `a` and `b,c` |
//!
//! In quotes, `\"` is a quote, `\\` a backslash, and `\n`, `\r`, `\t` are line ends and tabs as elsewhere.

use crate::action::ActionKind;
use std::borrow::Cow;

/// The message that stands for any one that a specification does not have at a lifeline in a direction; and the
/// lifeline that stands for all that it does not have.
pub const ANY: &str = "*";

/// A name in quotes.
///
/// ```
/// use multitrace_interaction::names;
/// assert_eq!(names::quoted(r#"GET "/""#), r#""GET \"/\"""#);
/// ```
pub fn quoted(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    text.push('"');
    for c in name.chars() {
        match escape_of(c) {
            Some(escape) => text.extend(['\\', escape]),
            None => text.push(c),
        }
    }
    text.push('"');
    text
}

/// Where the quoted name ends that a text begins with, behind its last quote; `None` if the text
/// does not begin with one, or has an unknown escape.
pub fn quoted_end(text: &str) -> Option<usize> {
    let mut chars = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some(at + 2),
            '\\' => drop(chars.next().and_then(|(_, escape)| escaped_by(escape))?),
            _ => {}
        }
    }
    None
}

/// The name that a piece of a text stands for: the text inside its quotes, or else the piece itself,
/// without the blanks around it.
///
/// ```
/// use multitrace_interaction::names;
/// assert_eq!(names::name_of(" order-service "), "order-service");
/// assert_eq!(names::name_of(r#""a,b""#), "a,b");
/// ```
pub fn name_of(piece: &str) -> Cow<'_, str> {
    let piece = piece.trim();
    if quoted_end(piece) != Some(piece.len()) {
        return Cow::Borrowed(piece);
    }
    let inside = &piece[1..piece.len() - 1];
    if !inside.contains('\\') {
        return Cow::Borrowed(inside);
    }
    let mut chars = inside.chars();
    let mut name = String::with_capacity(inside.len());
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next().and_then(escaped_by) } else { None };
        name.push(escaped.unwrap_or(c));
    }
    Cow::Owned(name)
}

/// A lifeline as it stands in the texts of actions and locations: in quotes if it holds a mark, a
/// separator, a quote or a control character, or has blanks around it.
pub fn lifeline_text(name: &str) -> Cow<'_, str> {
    // `;` and `=` separate in lists of locations, so that one text does for all places.
    let is_special = |c: char| matches!(c, '!' | '?' | ',' | ';' | '=' | '"') || c.is_control();
    let is_plain = !name.is_empty() && !name.contains(is_special) && name.trim() == name;
    if is_plain { Cow::Borrowed(name) } else { Cow::Owned(quoted(name)) }
}

/// The text of a location: its lifelines, separated by commas.
pub fn location_text<'a>(lifelines: impl IntoIterator<Item = &'a str>) -> String {
    let texts: Vec<Cow<'_, str>> = lifelines.into_iter().map(lifeline_text).collect();
    texts.join(",")
}

/// The text of an action: `broker!publish`, `"who?"?GET /cart`. The message stands as it is.
pub fn action_text(lifeline: &str, kind: ActionKind, message: &str) -> String {
    let mut text = String::new();
    write_action(lifeline, kind, message, &mut text);
    text
}

/// Adds the text of an action to another text.
pub fn write_action(lifeline: &str, kind: ActionKind, message: &str, text: &mut String) {
    text.push_str(&lifeline_text(lifeline));
    text.push(kind.mark());
    text.push_str(message);
}

/// Where the mark of an action stands: the first `!` or `?` outside of quotes.
pub fn mark_of(text: &str) -> Option<usize> {
    let blanks = text.len() - text.trim_start().len();
    let start = blanks + quoted_end(&text[blanks..]).unwrap_or(0);
    text[start..].find(['!', '?']).map(|at| start + at)
}

/// The lifeline, kind and message of an action; `None` if the text has no mark.
///
/// ```
/// use multitrace_interaction::{ActionKind, names};
/// let (lifeline, kind, message) = names::split_action("order-service?a?b!").expect("a mark");
/// assert_eq!((&*lifeline, kind, message), ("order-service", ActionKind::Reception, "a?b!"));
/// ```
pub fn split_action(text: &str) -> Option<(Cow<'_, str>, ActionKind, &str)> {
    let mark = mark_of(text)?;
    let is_emission = text.as_bytes()[mark] == b'!';
    let kind = if is_emission { ActionKind::Emission } else { ActionKind::Reception };
    Some((name_of(&text[..mark]), kind, &text[mark + 1..]))
}

/// The pieces between separators outside of quotes. A name may be quoted at the start of the text and
/// behind `,`, `;` and `=`.
///
/// ```
/// use multitrace_interaction::names;
/// assert_eq!(names::split(r#"a,"b,c""#, ',').collect::<Vec<_>>(), ["a", r#""b,c""#]);
/// ```
pub fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let piece = rest?;
        let Some(end) = separator_in(piece, separator) else { return rest.take() };
        rest = Some(&piece[end + separator.len_utf8()..]);
        Some(&piece[..end])
    })
}

/// Where the first separator outside of quotes stands.
fn separator_in(text: &str, separator: char) -> Option<usize> {
    let (mut at, mut may_open) = (0, true);
    while let Some(c) = text[at..].chars().next() {
        if c == separator {
            return Some(at);
        }
        let quoted = if may_open { quoted_end(&text[at..]) } else { None };
        may_open = matches!(c, ',' | ';' | '=') || may_open && c.is_whitespace();
        at += quoted.unwrap_or(c.len_utf8());
    }
    None
}

fn escape_of(c: char) -> Option<char> {
    match c {
        '"' | '\\' => Some(c),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        _ => None,
    }
}

fn escaped_by(escape: char) -> Option<char> {
    match escape {
        '"' | '\\' => Some(escape),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_count_where_a_name_begins() {
        let pieces = |text| split(text, ',').collect::<Vec<_>>();
        assert_eq!(pieces(r#"a, "b,c" ,d"e,f"g"#), ["a", r#" "b,c" "#, r#"d"e"#, r#"f"g"#]);
        assert_eq!(pieces(r#""open,a"#), [r#""open"#, "a"]);
        assert_eq!(pieces(""), [""]);
        assert_eq!(pieces("a,"), ["a", ""]);
        assert_eq!(split(r#""l;"="a;b";c"#, ';').collect::<Vec<_>>(), [r#""l;"="a;b""#, "c"]);
        assert_eq!(split(r#""l="=a"#, '=').collect::<Vec<_>>(), [r#""l=""#, "a"]);
    }

    #[test]
    fn the_first_mark_outside_of_quotes_ends_the_lifeline() {
        let of = |text| split_action(text).map(|(lifeline, _, m)| (lifeline.into_owned(), m));
        assert_eq!(of(r#" "a!b" ?m?"#), Some(("a!b".to_owned(), "m?")));
        assert_eq!(of(r#"say "a!b"!m"#), Some((r#"say "a"#.to_owned(), r#"b"!m"#)));
        assert_eq!(of(r#""a" b!m"#), Some((r#""a" b"#.to_owned(), "m")));
        assert_eq!(of(r#""a\x"!m"#), Some((r#""a\x""#.to_owned(), "m")));
        assert_eq!(of("a17"), None);
        assert_eq!(of(r#""a!b""#), None);
    }

    #[test]
    fn quotes_escape_what_would_break_a_line_or_a_column() {
        assert_eq!(lifeline_text("a\tb\nc\rd"), r#""a\tb\nc\rd""#);
        assert_eq!(lifeline_text(r#"a"b"#), r#""a\"b""#);
    }

    fn any_name() -> impl Strategy<Value = String> {
        prop_oneof![".{1,6}", r#"[a!?,;=" \\\n\t]{1,6}"#, "[a-z]{1,3}"]
    }

    proptest! {
        #[test]
        fn names_are_read_back(lifelines in prop::collection::vec(any_name(), 1..4), message in any_name()) {
            let text = location_text(lifelines.iter().map(String::as_str));
            let read: Vec<_> = split(&text, ',').map(name_of).collect();
            prop_assert_eq!(&read, &lifelines);
            let action = action_text(&lifelines[0], ActionKind::Reception, &message);
            let (lifeline, kind, read) = split_action(&action).expect("an action");
            prop_assert_eq!((&*lifeline, kind, read), (&*lifelines[0], ActionKind::Reception, &*message));
            let quoted = quoted(&message);
            prop_assert_eq!(quoted_end(&format!("{quoted}x")), Some(quoted.len()));
            prop_assert_eq!(name_of(&quoted), message);
        }
    }
}
