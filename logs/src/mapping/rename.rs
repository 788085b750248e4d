//! New names for lifelines and messages: exact ones, and parts that match a pattern.

use regex_automata::PatternID;
use regex_automata::meta::Regex;
use regex_automata::util::interpolate;
use std::collections::HashMap;

/// Renaming rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renames {
    pub(crate) exact: HashMap<String, String>,
    /// The first that matches counts, unless every one does; all of its matches are replaced.
    pub(crate) patterns: Vec<(Regex, String)>,
    /// Whether every pattern counts, one after the other.
    pub(crate) every: bool,
    /// Whether characters that names of specifications do not have become `_`.
    pub(crate) clean: bool,
}

/// New names that were found before.
pub(crate) type KnownNames = HashMap<String, String>;

/// How many new names a thread remembers: more than a system has pods and messages, and a bound for
/// logs that invent names.
const MAX_KNOWN: usize = 1 << 12;

impl Renames {
    /// Gives the end of a text, from `start` on, its new name.
    pub(crate) fn apply(&self, text: &mut String, start: usize, known: &mut KnownNames) {
        if self.exact.is_empty() && self.patterns.is_empty() && !self.clean {
            return;
        }
        let name = &text[start..];
        if let Some(new) = known.get(name) {
            text.truncate(start);
            text.push_str(new);
            return;
        }
        let new = self.renamed(name);
        if known.len() < MAX_KNOWN {
            known.insert(name.to_owned(), new.clone());
        }
        text.truncate(start);
        text.push_str(&new);
    }

    fn renamed(&self, name: &str) -> String {
        let new = match self.exact.get(name) {
            Some(exact) => exact.clone(),
            None if self.every => self
                .patterns
                .iter()
                .fold(name.to_owned(), |name, (p, new)| replaced(p, new, &name).unwrap_or(name)),
            None => {
                let first = self.patterns.iter().find_map(|(p, new)| replaced(p, new, name));
                first.unwrap_or_else(|| name.to_owned())
            }
        };
        if self.clean { cleaned(&new) } else { new }
    }
}

/// A name that several names of the log got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MergedName {
    pub(crate) name: String,
    /// How many names became it.
    pub(crate) count: usize,
    /// Two of them.
    pub(crate) examples: [String; 2],
}

/// The names that several names became, those of most first; and whether there were more names than are
/// remembered.
pub(crate) fn merged(known: &KnownNames) -> (Vec<MergedName>, bool) {
    let mut pairs: Vec<(&String, &String)> = known.iter().map(|(old, new)| (new, old)).collect();
    pairs.sort_unstable();
    let groups = pairs.chunk_by(|one, other| one.0 == other.0);
    let merged = groups.filter_map(|group| match group {
        [(name, one), (_, other), ..] => Some(MergedName {
            name: (*name).clone(),
            count: group.len(),
            examples: [(*one).clone(), (*other).clone()],
        }),
        _ => None,
    });
    let mut merged: Vec<MergedName> = merged.collect();
    merged.sort_by_key(|it| std::cmp::Reverse(it.count));
    (merged, known.len() >= MAX_KNOWN)
}

/// A group that a new name refers to, `$name` or `${name}`, and that the pattern does not have.
pub(crate) fn unknown_group(pattern: &Regex, new: &str) -> Option<String> {
    let known = |name: &str| {
        let by_number = name.parse::<usize>().is_ok_and(|it| it < pattern.captures_len());
        by_number || pattern.group_info().to_index(PatternID::ZERO, name).is_some()
    };
    let mut rest = new;
    while let Some(at) = rest.find('$') {
        let after = &rest[at + 1..];
        let (name, length) = match after.strip_prefix('{') {
            _ if after.starts_with('$') => ("", 1),
            Some(inside) => {
                inside.find('}').map_or((after, after.len()), |end| (&inside[..end], end + 2))
            }
            None => {
                let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
                let end = after.find(|char| !is_part(char)).unwrap_or(after.len());
                (&after[..end], end)
            }
        };
        if !name.is_empty() && !known(name) {
            return Some(name.to_owned());
        }
        rest = &after[length..];
    }
    None
}

/// The name with all matches replaced; `None` if the pattern does not match.
fn replaced(pattern: &Regex, new: &str, name: &str) -> Option<String> {
    let (mut text, mut end) = (String::new(), 0);
    for captures in pattern.captures_iter(name) {
        let whole = captures.get_match()?;
        text.push_str(&name[end..whole.start()]);
        let group = |index: usize, text: &mut String| {
            if let Some(span) = captures.get_group(index) {
                text.push_str(&name[span.range()]);
            }
        };
        let info = pattern.group_info();
        let index = |group: &str| info.to_index(whole.pattern(), group);
        interpolate::string(new, group, index, &mut text);
        end = whole.end();
    }
    let is_match = end > 0 || pattern.is_match(name);
    is_match.then(|| text + &name[end..])
}

/// Letters, digits and underscores, the first not a digit: names as specifications have them.
fn cleaned(name: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut clean: String = name.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
    if clean.starts_with(|c: char| c.is_ascii_digit()) {
        clean.insert(0, '_');
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_win_then_the_first_pattern() {
        let regex = |text| Regex::new(text).expect("a pattern");
        let renames = Renames {
            exact: HashMap::from([("b-1".to_owned(), "boss".to_owned())]),
            patterns: vec![
                (regex(r"-[0-9a-f]+-\w{5}$"), String::new()),
                (regex(r"(?<word>\w)-(\d)"), "${word}$2".to_owned()),
            ],
            every: false,
            clean: true,
        };
        let every = Renames { every: true, clean: false, ..renames.clone() };
        assert_eq!(every.renamed("a-1-0f-abcde"), "a1");
        assert_eq!(every.renamed("b-1"), "boss");
        assert_eq!(renames.renamed("b-1"), "boss");
        assert_eq!(renames.renamed("frontend-579b9bff58-t2dbm"), "frontend");
        assert_eq!(renames.renamed("a-1 b-2"), "a1_b2");
        assert_eq!(renames.renamed("1é"), "_1_");
    }

    #[test]
    fn names_that_become_one_are_counted() {
        let known =
            [("a-1", "a"), ("a-2", "a"), ("b", "b"), ("a", "a"), ("c-1", "c"), ("c-2", "c")];
        let known = known.map(|(old, new)| (old.to_owned(), new.to_owned()));
        let (merged, is_cut) = merged(&KnownNames::from(known));
        let shown = |it: &MergedName| (it.name.clone(), it.count, it.examples.join(" "));
        let shown: Vec<_> = merged.iter().map(shown).collect();
        let expected = [("a", 3, "a a-1"), ("c", 2, "c-1 c-2")];
        assert_eq!(shown, expected.map(|(name, n, two)| (name.to_owned(), n, two.to_owned())));
        assert!(!is_cut);
    }

    #[test]
    fn groups_that_a_pattern_lacks_are_found() {
        let pattern = Regex::new(r"(\d)(?<word>\w)").expect("a pattern");
        for known in ["$1", "${1}_OK", "$word", "${word}s", "$$1_", "", "$", "5$", "$0-$2"] {
            assert_eq!(unknown_group(&pattern, known), None, "{known}");
        }
        for (new, unknown) in
            [("$1_", "1_"), ("a${3}", "3"), ("$1 $words", "words"), ("a${1", "{1")]
        {
            assert_eq!(unknown_group(&pattern, new).as_deref(), Some(unknown), "{new}");
        }
    }
}
