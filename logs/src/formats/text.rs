//! Lines of plain text, by regular expressions with named groups.

// All patterns are one automaton, so a line is searched once however many there are. The pattern that
// matches furthest left counts; if several match there, the first. Groups are ranges of the line.

use super::context::InputContext;
use super::frames::{Frame, Frames, Lines};
use super::input::{InputReader, without_mark};
use super::log_format::{Each, Head, LogFormat, Opened, Proposal, Sign};
use super::records::{FrameParser, FrameSource, each_record};
use crate::error::EventError;
use crate::field::{FieldId, Fields};
use crate::format::InputOptions;
use crate::record::Values;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::util::primitives::PatternID;
use std::sync::Arc;

pub(crate) struct Text;

impl LogFormat for Text {
    /// Plain text is never guessed: it needs patterns.
    fn recognise(&self, _head: &Head<'_>) -> Option<Sign> {
        None
    }

    fn open<'r>(
        &self,
        reader: InputReader<'r>,
        context: &Arc<InputContext>,
        options: &InputOptions,
    ) -> Opened<'r> {
        let patterns = patterns(context, options)?;
        let reader = without_mark(&context.file, reader)?;
        let frames = Frames::new(reader, Lines, options.batch_bytes, context.max_bytes);
        Ok(Box::new(FrameSource::new(frames, patterns, context)))
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        Ok(Proposal::Lines)
    }
}

fn patterns(context: &InputContext, options: &InputOptions) -> Result<Patterns, EventError> {
    if options.patterns.is_empty() {
        let error = EventError::of(&context.file, None, "plain text without patterns");
        let help = "list regular expressions with named groups in [input] patterns";
        return Err(error.with_help(help));
    }
    let patterns = Patterns::new(&options.patterns, &context.fields);
    patterns.map_err(|error| EventError::of(&context.file, None, error.to_string()))
}

impl FrameParser for Patterns {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let mut captures = self.captures();
        each_record(context, frame, Lines, each, |line, values| {
            self.read(line, &mut captures, values);
            Ok(())
        });
    }
}

/// The field that is the whole line, unless a group has this name.
const LINE: &str = "line";
/// The field that is the number of the pattern, from 1, unless a group has this name.
const PATTERN: &str = "pattern";

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
    fn captures(&self) -> Captures {
        self.regex.create_captures()
    }

    /// Reads the asked-for groups of a line. A line that no pattern matches has the field `line`
    /// and no other.
    fn read(&self, line: &str, captures: &mut Captures, values: &mut Values) {
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
