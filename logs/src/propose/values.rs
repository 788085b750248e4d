//! Values of TOML.

/// A field as the value of a key that also takes templates: where its path has braces, it stands in
/// braces itself, for it would be read as a template otherwise.
pub(super) fn field_text(path: &str) -> String {
    if path.contains('{') { toml_text(&format!("{{{path}}}")) } else { toml_text(path) }
}

/// A text in TOML. One with the marks of commands for platforms has escapes, so that they can be spelled.
pub(crate) fn toml_text(text: &str) -> String {
    if !text.contains('\'') && !text.contains("##") && !text.chars().any(char::is_control) {
        let quote = if text.contains(['"', '\\']) { '\'' } else { '"' };
        return format!("{quote}{text}{quote}");
    }
    // JSON's escapes are TOML's.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A list of texts; of one, the text.
pub(super) fn list(values: &[&str]) -> String {
    let texts: Vec<String> = values.iter().map(|value| toml_text(value)).collect();
    if texts.len() == 1 { texts.concat() } else { format!("[{}]", texts.join(", ")) }
}

/// A line as part of a comment.
pub(super) fn comment(line: &str) -> String {
    cut(line.trim_end(), 110)
}

/// The first characters of a text, as part of a comment, with a mark where it goes on.
pub(super) fn cut(text: &str, most: usize) -> String {
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = chars.by_ref().take(most).collect();
    short.extend(chars.next().map(|_| '…'));
    short
}
