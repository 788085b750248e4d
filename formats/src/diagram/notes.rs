//! Texts of diagrams that look like more than a comment.

use super::directives::{Bounds, bounds};
use super::model::{Note, ParticipantId, Statement};
use std::collections::BTreeSet;

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
/// A note of more words explains something, and is not an action.
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

/// How often a loop repeats whose text is nothing but a count: `3`, `3 times`, `3x`, `twice`, `1..11`, `[2..5]`,
/// `2..5 times`, `2 to 5 times`, `at most 3 times`.
pub(super) fn count(text: &str) -> Option<Bounds> {
    let text = text.trim().to_lowercase();
    let inside = |open, close| text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
    let inside = inside('[', ']').or_else(|| inside('(', ')'));
    // UML writes the bounds of a loop as `(1,3)`.
    if let Some((least, most)) = inside.and_then(|it| it.split_once(',')) {
        return count(&format!("{}..{}", least.trim(), most.trim()));
    }
    let text = inside.unwrap_or(&text).trim();
    let range = text.contains("..").then(|| without_unit(text)).flatten().unwrap_or(text);
    let open_ended = range.strip_suffix("..*").map(|least| format!("{least}.."));
    if let Some(bounds) = bounds(open_ended.as_deref().unwrap_or(range)) {
        return Some(bounds);
    }
    let limited = |words: &[&str]| words.iter().find_map(|words| text.strip_prefix(words));
    let most = limited(&["at most ", "up to ", "max ", "maximum "]);
    if let Some(most) = most.and_then(number_of_times) {
        return Some((0, Some(most)));
    }
    let least = limited(&["at least ", "min ", "minimum "]).and_then(number_of_times);
    let or_more = without_unit(text).unwrap_or(text).strip_suffix("or more").map(str::trim);
    let or_more = or_more.and_then(|it| it.parse().ok().or_else(|| spelt(it)));
    if let Some(least) = least.or(or_more) {
        return Some((least, None));
    }
    if let Some((least, most)) = text.split_once(" to ").or_else(|| text.split_once(['-', '–'])) {
        let bounds = (least.trim().parse().ok()?, number_of_times(most)?);
        let is_count = bounds.0 <= bounds.1 && most.trim().parse::<u32>().is_err();
        return is_count.then_some((bounds.0, Some(bounds.1)));
    }
    let exactly = number_of_times(limited(&["exactly ", "repeat "]).unwrap_or(text))?;
    Some((exactly, Some(exactly)))
}

/// `3`, `3 times`, `3x`, `x3`, `three times`, `once`
fn number_of_times(text: &str) -> Option<u32> {
    let text = text.trim();
    let alone = ["once", "twice", "thrice"].into_iter().zip(1..).find(|(word, _)| *word == text);
    let number = without_unit(text).or_else(|| text.strip_prefix(['x', '×']).map(str::trim));
    alone
        .map(|(_, count)| count)
        .or_else(|| number.and_then(spelt))
        .or_else(|| number.unwrap_or(text).parse().ok())
}

/// A number as a word.
fn spelt(word: &str) -> Option<u32> {
    const ONES: [&str; 11] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    ONES.into_iter().zip(0..).find(|(it, _)| *it == word).map(|(_, number)| number)
}

/// The text before `times`, or before a sign for it.
fn without_unit(text: &str) -> Option<&str> {
    let units = ["times", "time", "x", "×"];
    units.into_iter().find_map(|unit| text.strip_suffix(unit)).map(str::trim)
}

/// Whether the text of a loop looks like a number of repetitions: it has one, and that of no time.
pub(super) fn is_like_bound(text: &str) -> bool {
    const COUNTS: [&str; 12] = [
        "once", "twice", "thrice", "two", "three", "four", "five", "six", "seven", "eight", "nine",
        "ten",
    ];
    const TIMES: [&str; 11] =
        ["ms", "millisecond", "s", "sec", "second", "min", "minute", "h", "hour", "day", "week"];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let is_count = |word: &str| word.chars().all(char::is_numeric) || COUNTS.contains(&word);
    let is_time =
        |word: &str| TIMES.iter().any(|it| word.strip_suffix('s') == Some(it) || word == *it);
    let next = |at: usize| words.get(at + 1).is_some_and(|word| is_time(word));
    words.iter().enumerate().any(|(at, word)| is_count(word) && !next(at))
}

/// Whether a reference describes the arrow before it: it is over the same participants and has two words of its text, or
/// all of them.
pub(super) fn is_about(reference: &Note, before: &Statement) -> bool {
    let Statement::Message(message) = before else { return false };
    let ends: BTreeSet<ParticipantId> = message.participants().collect();
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (own, others) = (words(&message.text), words(&reference.text));
    let shared = own.intersection(&others).count();
    ends == reference.over.iter().copied().collect() && shared >= own.len().clamp(1, 2)
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
    fn counts_are_texts_of_nothing_else() {
        for (text, least, most) in [
            ("3", 3, Some(3)),
            ("3 times", 3, Some(3)),
            ("4x", 4, Some(4)),
            ("Three Times", 3, Some(3)),
            ("twice", 2, Some(2)),
            ("1..11", 1, Some(11)),
            ("[2..5]", 2, Some(5)),
            ("(1..*)", 1, None),
            ("0..", 0, None),
            ("2..5 times", 2, Some(5)),
            ("[1..* times]", 1, None),
            ("2 to 5 times", 2, Some(5)),
            ("2-5 times", 2, Some(5)),
            ("at most 3 times", 0, Some(3)),
            ("up to twice", 0, Some(2)),
            ("max 3x", 0, Some(3)),
            ("x3", 3, Some(3)),
            ("(1,3)", 1, Some(3)),
            ("[0, *]", 0, None),
            ("one or more times", 1, None),
            ("2 or more", 2, None),
            ("Min 2 times", 2, None),
            ("at least once", 1, None),
            ("exactly 2 times", 2, Some(2)),
        ] {
            assert_eq!(count(text), Some((least, most)), "{text}");
        }
        for text in [
            "",
            "times",
            "3 times a day",
            "for 3 rounds",
            "5..2",
            "1..n",
            "1..n times",
            "1,3",
            "(a,b)",
            "or more",
            "one or more items",
            "x",
            "xy",
            "2..5 times a day",
            "2-5",
            "1.5 times",
            "retry 3 times on error",
            "-3",
            "every 3 s",
            "99999999999 times",
        ] {
            assert_eq!(count(text), None, "{text}");
        }
    }

    #[test]
    fn bounds_are_distinguished_from_conditions() {
        for text in
            ["3 times", "[1..3]", "at most twice", "for i in 1..n", "2", "every 5 s, three times"]
        {
            assert!(is_like_bound(text), "{text}");
        }
        for text in [
            "",
            "until done",
            "every minute",
            "for each item",
            "v2ray",
            "X times for each transfer",
            "every 3 seconds",
            "retries",
        ] {
            assert!(!is_like_bound(text), "{text}");
        }
    }
}
