//! The groups of records of plain text that are asked for.

use crate::field::{FieldId, Fields};
use crate::pattern_list::Compiled;
use crate::record::{PatternMatch, Values};
use regex_automata::PatternSet;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::util::primitives::PatternID;
use std::sync::Arc;

/// The field that is the whole line, unless a group has this name.
const LINE: &str = "line";
/// The field that is the number of the pattern, from 1, unless a group has this name.
const PATTERN: &str = "pattern";

/// The patterns, and which groups are asked for.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    compiled: Arc<Compiled>,
    each: Vec<AskedGroups>,
    line: Option<FieldId>,
    pattern: Option<FieldId>,
}

/// The asked-for groups of a pattern.
#[derive(Clone, Debug)]
struct AskedGroups {
    /// Its number in the list, from 1.
    number: String,
    groups: Vec<(usize, FieldId)>,
}

/// The buffers of a thread that reads records by patterns. Reused from record to record.
#[derive(Debug)]
pub(crate) struct PatternSearch {
    found: PatternSet,
    /// The captures of each pattern.
    captures: Vec<Captures>,
}

impl Patterns {
    pub(crate) fn new(compiled: Arc<Compiled>, fields: &Fields) -> Patterns {
        let asked = |(index, regex): (usize, &Regex)| AskedGroups {
            number: (index + 1).to_string(),
            groups: groups(regex, fields),
        };
        let each: Vec<AskedGroups> = compiled.regexes().enumerate().map(asked).collect();
        let is_group = |field| each.iter().flat_map(|it| &it.groups).any(|it| it.1 == field);
        let named = |name: &str| {
            let mut found = fields.iter().filter(|(_, path)| path.text() == name);
            found.next().map(|(field, _)| field).filter(|&field| !is_group(field))
        };
        let (line, pattern) = (named(LINE), named(PATTERN));
        Patterns { compiled, each, line, pattern }
    }

    /// Room for the search of one thread.
    pub(crate) fn search(&self) -> PatternSearch {
        PatternSearch {
            found: PatternSet::new(self.each.len()),
            captures: self.compiled.regexes().map(Regex::create_captures).collect(),
        }
    }

    /// Reads the asked-for groups of a record. A record that no pattern matches has the field `line`
    /// and no other.
    pub(crate) fn read(&self, text: &str, search: &mut PatternSearch, values: &mut Values) {
        self.read_line(text, values);
        let PatternSearch { found, captures } = search;
        let Some((winner, leftmost)) = self.compiled.winner(text, found) else {
            return values.set_patterns(PatternMatch::Nowhere);
        };
        let captures = &mut captures[winner];
        self.compiled.regex(winner).captures(text, captures);
        if !captures.is_match() {
            return values.set_patterns(PatternMatch::Nowhere);
        }
        for &(group, field) in &self.each[winner].groups {
            if let Some(span) = captures.get_group(group) {
                values.set_input(field, span.range());
            }
        }
        if let Some(field) = self.pattern {
            values.set_text(field, &self.each[winner].number);
        }
        let is_moved = winner != leftmost;
        values.set_patterns(PatternMatch::By { pattern: winner as u32, is_moved });
    }

    /// Reads a line before the first one that matches `start`: it has the field `line` and no other.
    pub(crate) fn read_before_start(&self, text: &str, values: &mut Values) {
        self.read_line(text, values);
        values.set_patterns(PatternMatch::BeforeStart);
    }

    fn read_line(&self, text: &str, values: &mut Values) {
        if let Some(field) = self.line {
            values.set_input(field, 0..text.len());
        }
    }
}

/// The asked-for groups of a pattern, with their fields.
fn groups(regex: &Regex, fields: &Fields) -> Vec<(usize, FieldId)> {
    let group = |name: &str| regex.group_info().to_index(PatternID::ZERO, name);
    let asked = fields.iter().filter_map(|(field, path)| Some((group(&path.flat_name())?, field)));
    asked.collect()
}
