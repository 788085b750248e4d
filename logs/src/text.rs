//! Lines of plain text, by regular expressions with named groups. All patterns are searched for at
//! once; the one that matches furthest left counts, and of several there the first.

use super::field::{FieldId, Fields};
use super::record::Values;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::util::primitives::PatternID;

/// The field that is the whole line, unless a group is called so.
pub(crate) const LINE: &str = "line";
/// The field that is the number of the pattern, from 1, unless a group is called so.
pub(crate) const PATTERN: &str = "pattern";

/// The patterns, and which groups are asked for.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    regex: Regex,
    /// Per pattern the asked-for groups.
    groups: Vec<Vec<(usize, FieldId)>>,
    line: Option<FieldId>,
    pattern: Option<FieldId>,
}

/// A pattern that is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pattern {}: {message}", index + 1)]
pub struct BadPattern {
    /// Which one, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Patterns {
    pub(crate) fn new(patterns: &[String], fields: &Fields) -> Result<Patterns, BadPattern> {
        let regex = Regex::new_many(patterns).map_err(|error| BadPattern {
            index: error.pattern().map_or(0, |pattern| pattern.as_usize()),
            message: regex_message(&error),
        })?;
        let info = regex.group_info();
        let group = |pattern: usize, name: &str| info.to_index(PatternID::new(pattern).ok()?, name);
        let groups = (0..patterns.len()).map(|pattern| {
            let asked = fields
                .iter()
                .filter_map(|(field, path)| Some((group(pattern, &path.flat_name())?, field)));
            asked.collect()
        });
        let groups: Vec<Vec<_>> = groups.collect();
        let is_group = |field| groups.iter().flatten().any(|&(_, other)| other == field);
        let named = |name: &str| {
            let mut found = fields.iter().filter(|(_, path)| path.text() == name);
            found.next().map(|(field, _)| field).filter(|&field| !is_group(field))
        };
        let (line, pattern) = (named(LINE), named(PATTERN));
        Ok(Patterns { regex, groups, line, pattern })
    }

    /// Room for the groups of one match.
    pub(crate) fn captures(&self) -> Captures {
        self.regex.create_captures()
    }

    /// Reads the asked-for groups of a line. A line that no pattern matches has the field `line`
    /// and no other.
    pub(crate) fn read(&self, line: &str, captures: &mut Captures, values: &mut Values) {
        if let Some(field) = self.line {
            values.set_input(field, 0..line.len());
        }
        self.regex.captures(line, captures);
        let Some(pattern) = captures.pattern() else { return };
        for &(group, field) in &self.groups[pattern.as_usize()] {
            if let Some(span) = captures.get_group(group) {
                values.set_input(field, span.range());
            }
        }
        if let Some(field) = self.pattern {
            values.set_text(field, &(pattern.as_usize() + 1).to_string());
        }
    }
}

/// What is wrong with a regular expression, on one line.
pub(crate) fn regex_message(error: &regex_automata::meta::BuildError) -> String {
    let text = match error.syntax_error() {
        Some(syntax) => syntax.to_string(),
        None => error.to_string(),
    };
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or(&text);
    last.trim().trim_start_matches("error: ").to_owned()
}
