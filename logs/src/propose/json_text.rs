//! Lines of text that end with JSON: a time, some words, and an object or a list.

use super::token::{TokenType, Tokenizer};
use crate::formats::object_fields;
use crate::mapping::expand_pattern;
use crate::survey::Survey;
use serde::de::IgnoredAny;

/// How many of ten lines must end with JSON: the others are notes of the program.
const LEAST_OF_TEN: usize = 5;
/// How many brackets of a line are looked at: more stand inside of its JSON.
const MOST_BRACKETS: usize = 8;
/// How many lines are looked at.
const MOST_LINES: usize = 1000;

/// The field of the JSON, and that of the words before it.
const PAYLOAD: &str = "payload";
pub(super) const HEAD: &str = "head";

const WHY: &str = "Text that ends with JSON: head is the text before it.";

/// Marks of one direction and of the other, as programs write them before JSON.
const MARKS: &[[&str; 2]] = &[
    ["-->", "<--"],
    ["->", "<-"],
    [">>", "<<"],
    ["=>", "<="],
    ["send", "rec"],
    ["Send", "Rec"],
    ["sent", "received"],
    ["Sent", "Received"],
    ["out", "in"],
    ["OUT", "IN"],
    ["from server", "from client"],
    ["request", "response"],
    ["Request", "Response"],
];

/// The survey of such a log by a pattern, with the fields of the JSON; `None` for other texts.
pub(super) fn survey(file: &str, of: &Survey) -> Option<Survey> {
    let lines = of.lines.lines().filter(|line| !line.trim().is_empty()).take(MOST_LINES);
    let lines: Vec<&str> = lines.collect();
    let split: Vec<(&str, &str)> = lines.iter().filter_map(|line| split(line)).collect();
    if split.is_empty() || split.len() * 10 < lines.len() * LEAST_OF_TEN {
        return None;
    }
    let are_lists = split.iter().all(|(_, json)| json.starts_with('['));
    if !are_lists && split.iter().any(|(_, json)| json.starts_with('[')) {
        return None;
    }
    let (time, skipped) = time_group(&split);
    // The words before an object have no brace; those before a list may have brackets.
    let (head, json) = match are_lists {
        true => (".*?", r"\[\s*\d+\s*,.*\]"),
        false => (r"[^{]*?", r"\{.*\}"),
    };
    let pattern = format!(r"^{skipped}{time}\s*(?<{HEAD}>{head})\s*(?<{PAYLOAD}>{json})\s*$");
    let mut names: Vec<String> = Vec::new();
    names.extend((!time.is_empty()).then(|| "time".to_owned()));
    names.push(HEAD.to_owned());
    if are_lists {
        names.extend((0..4).map(|at| format!("{PAYLOAD}|json[{at}]")));
    } else {
        let all: Vec<&str> = split.iter().map(|(_, json)| *json).collect();
        let fields = object_fields(&all.join("\n"));
        names.extend(fields.iter().map(|field| format!("{PAYLOAD}|json.{field}")));
    }
    let regex = expand_pattern(&[], &pattern)?;
    of.by_pattern(file, (pattern, regex, WHY), &names).ok()
}

/// The group of the time at the beginning of all lines, and the signs before it.
fn time_group(split: &[(&str, &str)]) -> (String, &'static str) {
    let tokenizer = Tokenizer::new();
    let mut kinds =
        split.iter().map(|(head, _)| tokenizer.tokens(head, 1).first().map(|it| it.kind));
    match kinds.next().flatten() {
        Some(kind @ TokenType::Time(_)) if kinds.all(|other| other == Some(kind)) => {
            (kind.group("time"), r"\W*?")
        }
        _ => (String::new(), ""),
    }
}

/// The text before the JSON at the end of a line, and the JSON.
fn split(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let starts = line.match_indices(['{', '[']).map(|(at, _)| at).take(MOST_BRACKETS);
    let mut found = starts.map(|at| line.split_at(at)).filter(|(head, json)| {
        let is_list = json.starts_with('[');
        let is_call = || json[1..].trim_start().starts_with(|c: char| c.is_ascii_digit());
        !head.trim().is_empty()
            && (!is_list || is_call())
            && serde_json::from_str::<IgnoredAny>(json).is_ok()
    });
    found.next()
}

/// The marks that tell one direction from the other in the words before JSON: some lines have the one, all others the other.
pub(super) fn marks<'v>(heads: impl Iterator<Item = &'v str> + Clone) -> Option<[&'static str; 2]> {
    let fits = |[one, other]: &&[&str; 2]| {
        let is_either = |head: &str| head.contains(one) != head.contains(other);
        heads.clone().all(is_either)
            && heads.clone().any(|head| head.contains(one))
            && heads.clone().any(|head| head.contains(other))
    };
    MARKS.iter().find(fits).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_before_its_json() {
        assert_eq!(
            split("12:00 [info] --> {\"a\":[1]} "),
            Some(("12:00 [info] --> ", "{\"a\":[1]}"))
        );
        assert_eq!(split("cp << [2, \"a\"]"), Some(("cp << ", "[2, \"a\"]")));
        for none in ["{\"a\":1}", "at [x] {y}", "list [\"a\"]", "a {\"b\":1} c"] {
            assert_eq!(split(none), None, "{none}");
        }
        assert_eq!(marks(["a --> ", "b <-- "].into_iter()), Some(["-->", "<--"]));
        assert_eq!(marks(["a --> ", "b "].into_iter()), None);
    }
}
