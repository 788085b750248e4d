//! The patterns of plain text: which of them counts, and its groups.

// All patterns are one automaton, so a text is searched once however many there are. That search finds
// the leftmost match. It is the answer unless a pattern before it in the list matches further right,
// which only a pattern can that is not bound to the start of the text. Only then a second automaton
// says which patterns match at all, and the first of them is searched alone. So lists of patterns
// that begin with `^` cost one search a line, and how often the two rules differ is known for nothing.

use crate::field::{FieldId, Fields};
use crate::format::PatternsWin;
use crate::record::{PatternMatch, Values};
use regex_automata::meta::{BuildError, Regex};
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::captures::Captures;
use regex_automata::util::primitives::PatternID;
use regex_automata::{Input, MatchKind, PatternSet};

/// The field that is the whole line, unless a group has this name.
const LINE: &str = "line";
/// The field that is the number of the pattern, from 1, unless a group has this name.
const PATTERN: &str = "pattern";

/// The patterns, and which groups are asked for.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    regex: Regex,
    each: Vec<Pattern>,
    /// Says which patterns match anywhere, if the leftmost match may not be the answer.
    anywhere: Option<Regex>,
    line: Option<FieldId>,
    pattern: Option<FieldId>,
}

#[derive(Clone, Debug)]
struct Pattern {
    /// Its number in the list, from 1.
    number: String,
    /// The asked-for groups.
    groups: Vec<(usize, FieldId)>,
    /// The pattern by itself, if it may win although another one matches further left.
    alone: Option<Regex>,
}

/// What a thread needs to read records by patterns. Reused from record to record.
#[derive(Debug)]
pub(crate) struct PatternSearch {
    leftmost: Captures,
    found: PatternSet,
    /// The captures of patterns that are searched alone.
    alone: Vec<Option<Captures>>,
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

impl BadPattern {
    fn of(error: &BuildError) -> BadPattern {
        let index = error.pattern().map_or(0, |pattern| pattern.as_usize());
        BadPattern { index, message: regex_message(error) }
    }
}

impl Patterns {
    pub(crate) fn new(
        patterns: &[String],
        win: PatternsWin,
        fields: &Fields,
    ) -> Result<Patterns, BadPattern> {
        let regex = Regex::new_many(patterns).map_err(|error| BadPattern::of(&error))?;
        let mut each = Vec::new();
        for index in 0..patterns.len() {
            let groups = groups(&regex, index, fields);
            let may_be_moved = win != PatternsWin::Leftmost && may_be_later(index, patterns);
            let alone = may_be_moved.then(|| alone(index, &patterns[index])).transpose()?;
            each.push(Pattern { number: (index + 1).to_string(), groups, alone });
        }
        let is_group = |field| each.iter().flat_map(|it| &it.groups).any(|it| it.1 == field);
        let named = |name: &str| {
            let mut found = fields.iter().filter(|(_, path)| path.text() == name);
            found.next().map(|(field, _)| field).filter(|&field| !is_group(field))
        };
        let (line, pattern) = (named(LINE), named(PATTERN));
        let needs_all = each.iter().any(|pattern| pattern.alone.is_some());
        let anywhere = needs_all.then(|| of_all_matches(patterns)).transpose()?;
        Ok(Patterns { regex, each, anywhere, line, pattern })
    }

    /// Room for the search of one thread.
    pub(crate) fn search(&self) -> PatternSearch {
        PatternSearch {
            leftmost: self.regex.create_captures(),
            found: PatternSet::new(self.each.len()),
            alone: vec![None; self.each.len()],
        }
    }

    /// Reads the asked-for groups of a record. A record that no pattern matches has the field `line`
    /// and no other.
    pub(crate) fn read(&self, text: &str, search: &mut PatternSearch, values: &mut Values) {
        self.read_line(text, values);
        self.regex.captures(text, &mut search.leftmost);
        let Some(leftmost) = search.leftmost.pattern().map(|pattern| pattern.as_usize()) else {
            return values.set_patterns(PatternMatch::Nowhere);
        };
        let winner = self.winner(text, leftmost, search);
        let captures = match &self.each[winner].alone {
            Some(alone) if winner != leftmost => {
                let captures = search.alone[winner].get_or_insert_with(|| alone.create_captures());
                alone.captures(text, captures);
                &*captures
            }
            _ => &search.leftmost,
        };
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

    /// The pattern that counts, if the leftmost match is of this one.
    fn winner(&self, text: &str, leftmost: usize, search: &mut PatternSearch) -> usize {
        let may_differ = self.each[..leftmost].iter().any(|before| before.alone.is_some());
        let Some(anywhere) = self.anywhere.as_ref().filter(|_| may_differ) else {
            return leftmost;
        };
        search.found.clear();
        anywhere.which_overlapping_matches(&Input::new(text), &mut search.found);
        search.found.iter().next().map_or(leftmost, |first| first.as_usize())
    }
}

/// The asked-for groups of a pattern, with their fields.
fn groups(regex: &Regex, pattern: usize, fields: &Fields) -> Vec<(usize, FieldId)> {
    let Ok(pattern) = PatternID::new(pattern) else { return Vec::new() };
    let group = |name: &str| regex.group_info().to_index(pattern, name);
    let asked = fields.iter().filter_map(|(field, path)| Some((group(&path.flat_name())?, field)));
    asked.collect()
}

/// Whether a pattern can match further right than one behind it in the list.
fn may_be_later(index: usize, patterns: &[String]) -> bool {
    let is_bound = || NFA::new(&patterns[index]).is_ok_and(|nfa| nfa.is_always_start_anchored());
    index + 1 < patterns.len() && !is_bound()
}

fn alone(index: usize, pattern: &str) -> Result<Regex, BadPattern> {
    let regex = Regex::new(pattern);
    regex.map_err(|error| BadPattern { index, message: regex_message(&error) })
}

fn of_all_matches(patterns: &[String]) -> Result<Regex, BadPattern> {
    let config = Regex::config().match_kind(MatchKind::All);
    let regex = Regex::builder().configure(config).build_many(patterns);
    regex.map_err(|error| BadPattern::of(&error))
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
