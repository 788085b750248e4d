//! Values of TOML.

/// A text in TOML.
pub(crate) fn toml_text(text: &str) -> String {
    if !text.contains('\'') && !text.chars().any(char::is_control) {
        let quote = if text.contains(['"', '\\']) { '\'' } else { '"' };
        return format!("{quote}{text}{quote}");
    }
    // JSON's escapes are TOML's.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}
