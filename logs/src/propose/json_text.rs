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

/// How `kubectl logs --prefix` begins a line.
const POD: &str = "[pod/";
/// The field of the name that a platform writes before each line.
const CONTAINER: &str = "container";

const WHY_NAMED: &str = "The name of a container stands before each line, which ends with JSON.";
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
    let before = Before::of(&split);
    let heads: Vec<&str> = split.iter().map(|(head, _)| before.rest(head)).collect();
    let (time, skipped) = time_group(&heads);
    let has_words = before.is_none() || heads.iter().any(|head| has_more(head));
    // The words before an object have no brace; those before a list may have brackets.
    let (head, json) = match are_lists {
        true => (".*?", r"\[\s*\d+\s*,.*\]"),
        false => (r"[^{]*?", r"\{.*\}"),
    };
    let head = if has_words { format!(r"\s*(?<{HEAD}>{head})") } else { String::new() };
    let named = before.group();
    let behind = if named.is_empty() || has_words || !time.is_empty() { r"\s*" } else { "" };
    let pattern = format!(r"^{named}{skipped}{time}{head}{behind}(?<{PAYLOAD}>{json})\s*$");
    let mut names: Vec<String> = Vec::new();
    names.extend((!named.is_empty()).then(|| CONTAINER.to_owned()));
    names.extend((before == Before::Brackets).then(|| "pod".to_owned()));
    names.extend((!time.is_empty()).then(|| "time".to_owned()));
    names.extend(has_words.then(|| HEAD.to_owned()));
    if are_lists {
        names.extend((0..4).map(|at| format!("{PAYLOAD}|json[{at}]")));
    } else {
        let all: Vec<&str> = split.iter().map(|(_, json)| *json).collect();
        let fields = object_fields(&all.join("\n"));
        names.extend(fields.iter().map(|field| format!("{PAYLOAD}|json.{field}")));
    }
    let regex = expand_pattern(&[], &pattern)?;
    let why = if named.is_empty() { WHY } else { WHY_NAMED };
    of.by_pattern(file, (pattern, regex, why), &names).ok()
}

/// The name that a platform writes at the beginning of each line of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    /// `web-1  | `, as `docker compose logs` does.
    Bar,
    /// `[pod/web-7d9f/web] `, as `kubectl logs --prefix` does.
    Brackets,
}

impl Before {
    /// That of all these lines, each split before its JSON.
    fn of(split: &[(&str, &str)]) -> Before {
        let fits = |it: &Before| split.iter().all(|(head, _)| it.end(head).is_some());
        [Before::Bar, Before::Brackets].into_iter().find(fits).unwrap_or(Before::Nothing)
    }

    fn is_none(self) -> bool {
        self == Before::Nothing
    }

    /// Where it ends in the text before JSON.
    fn end(self, head: &str) -> Option<usize> {
        let name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
        match self {
            Before::Nothing => None,
            Before::Bar => {
                head.find('|').filter(|at| name(head[..*at].trim_end())).map(|at| at + 1)
            }
            Before::Brackets => {
                let inside = head.strip_prefix(POD)?;
                let end = inside.find(']')?;
                let parts = inside[..end].split_once('/');
                parts
                    .is_some_and(|(pod, own)| name(pod) && name(own))
                    .then_some(POD.len() + end + 1)
            }
        }
    }

    /// What stands behind it.
    fn rest(self, head: &str) -> &str {
        self.end(head).map_or(head, |end| &head[end..])
    }

    /// Its group in a pattern.
    fn group(self) -> String {
        match self {
            Before::Nothing => String::new(),
            Before::Bar => format!(r"(?<{CONTAINER}>[^\s|]+)\s*\|\s*"),
            Before::Brackets => {
                format!(r"\[pod/(?<pod>[^/\]\s]+)/(?<{CONTAINER}>[^\]\s]+)\]\s*")
            }
        }
    }
}

/// Whether words stand in the text before JSON, behind a time.
fn has_more(head: &str) -> bool {
    let tokens = Tokenizer::new().tokens(head, 2);
    let count = tokens.iter().filter(|token| !matches!(token.kind, TokenType::Time(_))).count();
    count > 0
}

/// The group of the time at the beginning of all lines, and the signs before it.
fn time_group(heads: &[&str]) -> (String, &'static str) {
    let tokenizer = Tokenizer::new();
    let mut kinds = heads.iter().map(|head| tokenizer.tokens(head, 1).first().map(|it| it.kind));
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
        let is_call = || {
            let inside = json[1..].trim_start();
            let behind = inside.trim_start_matches(|c: char| c.is_ascii_digit());
            behind.len() < inside.len() && behind.trim_start().starts_with(',')
        };
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
        for none in ["{\"a\":1}", "at [x] {y}", "list [\"a\"]", "a {\"b\":1} c", "info: web[14]"] {
            assert_eq!(split(none), None, "{none}");
        }
        assert_eq!(marks(["a --> ", "b <-- "].into_iter()), Some(["-->", "<--"]));
        assert_eq!(marks(["a --> ", "b "].into_iter()), None);
    }
}
