//! Words for counts, and words of shell commands.

/// `1 session`, `2 sessions`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The name of a verdict as options and texts for people spell it; JSON has `weak_pass`.
pub(crate) fn for_people(verdict: &str) -> &str {
    if verdict == "weak_pass" { "weak-pass" } else { verdict }
}

/// The first of some things, and how many more of them there are.
pub fn first_of(first: &[String], count: u64) -> String {
    match count.saturating_sub(first.len() as u64) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// A word of a shell command; plain words as they are.
pub fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_of_a_command() {
        assert_eq!(quoted("a/b.jsonl"), "a/b.jsonl");
        assert_eq!(quoted("it's; rm"), "'it'\\''s; rm'");
        assert_eq!(quoted(""), "''");
    }
}
