//! The words of the names of fields.

use crate::field::{FieldPath, PathStep};

/// The words of a name, in lower case.
pub(super) fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let starts = c.is_ascii_uppercase() && was_lower;
        if (starts || !c.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("never empty").extend(c.to_lowercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    words
}

/// The words of a path; of one into JSON that stands in a text, those inside of it: `id` of `line|json.id`.
pub(super) fn path_words(path: &str) -> Vec<String> {
    let path = path.rsplit_once("|json.").map_or(path, |(_, inside)| inside);
    FieldPath::parse(path).map_or_else(|_| Vec::new(), |path| split_words(&path.flat_name()))
}

/// The words of the last key of a path: `startTime` of `span.startTime`.
pub(super) fn key_words(path: &str) -> Vec<String> {
    let Ok(path) = FieldPath::parse(path) else { return Vec::new() };
    let last = path.steps().iter().rev().find_map(|step| match step {
        PathStep::Key(key) => Some(key.as_str()),
        _ => None,
    });
    last.map_or_else(Vec::new, split_words)
}

/// Whether a path begins or ends with this word: `event.name` and `lastName` with `name`.
pub(super) fn is_called(path: &str, word: &str) -> bool {
    // The names of process mining are meant as they are: a case has a `concept:name`, too.
    if word.contains(':') {
        return path == word;
    }
    are_called(&path_words(path), word)
}

/// The same for its last key: `_source.duration` is not called `source`.
pub(super) fn key_is_called(path: &str, word: &str) -> bool {
    if word.contains(':') {
        return path == word;
    }
    are_called(&key_words(path), word)
}

/// Whether the whole path or its last key is called so.
pub(super) fn path_or_key_is_called(path: &str, word: &str) -> bool {
    is_called(path, word) || key_is_called(path, word)
}

fn are_called(words: &[String], word: &str) -> bool {
    let wanted = split_words(word);
    words.starts_with(&wanted) || words.ends_with(&wanted) || words.concat() == wanted.concat()
}

/// Whether a path names something by this word: `session`, `session.id`, `clientSession`, and not `session_state`.
pub(super) fn is_id_of(path: &str, word: &str) -> bool {
    if word.contains(':') {
        return path == word;
    }
    let words = path_words(path);
    let is_number = |word: &&String| ["id", "uuid", "key", "no"].contains(&word.as_str());
    let end = &words[..words.len() - usize::from(words.last().is_some_and(|it| is_number(&it)))];
    let wanted = split_words(word);
    if word == "id" {
        return words == wanted;
    }
    words.ends_with(&wanted) || end.ends_with(&wanted) || words.concat() == wanted.concat()
}

/// Whether one of these words is in a list.
pub(super) fn has_word(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}
