//! Texts of diagrams that look like more than a comment.

/// Words that a note of an action often begins with. A note that begins with another one is taken for a
/// comment, so a missing word costs a warning, no more.
const VERBS: [&str; 40] = [
    "abort",
    "add",
    "apply",
    "cache",
    "calculate",
    "check",
    "close",
    "commit",
    "compute",
    "create",
    "decode",
    "delete",
    "encode",
    "execute",
    "generate",
    "handle",
    "hash",
    "insert",
    "load",
    "lock",
    "log",
    "open",
    "parse",
    "persist",
    "process",
    "read",
    "release",
    "remove",
    "reserve",
    "restart",
    "rollback",
    "run",
    "save",
    "sign",
    "start",
    "stop",
    "store",
    "update",
    "validate",
    "write",
];
/// A note of more words explains something, and is no action.
const MOST_WORDS: usize = 5;

/// Whether a note looks like something that is done: a call, or a few words that begin with a verb.
pub(super) fn is_like_action(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some(first) = words.first() else { return false };
    if words.len() > MOST_WORDS {
        return false;
    }
    let first = first.to_lowercase();
    let verb = first.trim_end_matches(|c: char| !c.is_alphanumeric());
    is_call(text) || VERBS.iter().any(|it| verb == *it || verb == format!("{it}s"))
}

/// `name(…)` and nothing else.
fn is_call(text: &str) -> bool {
    let Some((name, _)) = text.split_once('(') else { return false };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    text.ends_with(')') && !name.is_empty() && name.chars().all(is_name)
}

/// Whether the text of a loop looks like a number of repetitions.
pub(super) fn is_like_bound(text: &str) -> bool {
    const COUNTS: [&str; 9] =
        ["once", "twice", "thrice", "times", "retries", "attempts", "iterations", "rounds", "most"];
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        let word = word.to_lowercase();
        word.chars().all(|c| c.is_ascii_digit()) || COUNTS.contains(&&*word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_distinguished_from_comments() {
        for text in ["Validate order", "save()", "db.insert(x, y)", "stores the key", "Log: done"] {
            assert!(is_like_action(text), "{text}");
        }
        for text in
            ["", "All good", "The client may retry", "Check that the log is empty before", "(x)"]
        {
            assert!(!is_like_action(text), "{text}");
        }
    }

    #[test]
    fn bounds_are_distinguished_from_conditions() {
        for text in ["3 times", "[1..3]", "at most twice", "for i in 1..n", "2"] {
            assert!(is_like_bound(text), "{text}");
        }
        for text in ["", "until done", "every minute", "for each item", "v2ray"] {
            assert!(!is_like_bound(text), "{text}");
        }
    }
}
