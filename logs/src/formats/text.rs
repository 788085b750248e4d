//! Plain text, by regular expressions with named groups. Without `start` a line is a record, else all
//! lines from one that matches it.

use super::context::InputContext;
use super::frames::{Frame, Lines};
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::patterns::Patterns;
use super::records::{FrameParser, each_record};
use super::started::{StartedRecords, StartedSource};
use crate::error::EventError;
use crate::format::InputOptions;
use crate::pattern_list::regex_message;
use regex_automata::meta::Regex;

pub(crate) struct Text;

impl LogFormat for Text {
    /// Plain text is never guessed: it needs patterns.
    fn recognise(&self, _head: &Head<'_>) -> Option<Sign> {
        None
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        let Opening { context, options, .. } = opening;
        let patterns = patterns(context, options)?;
        let Some(start) = &options.start else {
            return opening.parsed(Lines, patterns);
        };
        let start =
            Regex::new(start).map_err(|error| no_pattern(context, regex_message(&error)))?;
        let frames = opening.frames(Lines)?;
        Ok(Box::new(StartedSource::new(frames, StartedRecords { patterns, start }, context)))
    }

    fn proposal(&self, _file: &str, _head: &str) -> Result<Proposal, EventError> {
        Ok(Proposal::Lines)
    }
}

fn patterns(context: &InputContext, options: &InputOptions) -> Result<Patterns, EventError> {
    if options.patterns.is_empty() {
        let help = "list regular expressions with named groups in [input] patterns";
        return Err(EventError::without_text(
            &context.file,
            None,
            "plain text without patterns",
            help,
        ));
    }
    let compiled = options.compiled.get(&options.patterns, options.patterns_win);
    let compiled = compiled.map_err(|error| no_pattern(context, error.to_string()))?;
    Ok(Patterns::new(compiled, &context.fields))
}

fn no_pattern(context: &InputContext, why: String) -> EventError {
    EventError::without_text(&context.file, None, why, "correct `patterns` or `start` in [input]")
}

impl FrameParser for Patterns {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let mut search = self.search();
        each_record(context, frame, Lines, each, |line, values| {
            self.read(line, &mut search, values);
            Ok(())
        });
    }
}
