//! JSON Lines: an object a line.

use super::context::InputContext;
use super::frames::{Frame, Frames, Lines};
use super::input::{InputReader, without_mark};
use super::json_fields::{self, object_fields};
use super::log_format::{Each, Head, LogFormat, Opened, Proposal, Sign};
use super::path_tree::PathTree;
use super::records::{FrameParser, FrameSource, each_record};
use crate::error::EventError;
use crate::format::InputOptions;
use serde::de::IgnoredAny;
use std::sync::Arc;

pub(crate) struct JsonLines;

impl LogFormat for JsonLines {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let is_lines = head.text().starts_with('{') && is_line(head.text());
        let syntax = is_lines.then_some(Sign::Syntax);
        syntax.or_else(|| head.has_extension(&["jsonl", "ndjson"]))
    }

    fn open<'r>(
        &self,
        reader: InputReader<'r>,
        context: &Arc<InputContext>,
        options: &InputOptions,
    ) -> Opened<'r> {
        let reader = without_mark(&context.file, reader)?;
        let frames = Frames::new(reader, Lines, options.batch_bytes, context.max_bytes);
        let parser = LineParser(PathTree::new(&context.fields));
        Ok(Box::new(FrameSource::new(frames, parser, context)))
    }

    fn proposal(&self, _file: &str, head: &str) -> Result<Proposal, EventError> {
        Ok(Proposal::Fields { names: object_fields(head), delimiter: None })
    }
}

/// Whether the first line is JSON, or all that is known of the input is a part of it.
fn is_line(text: &str) -> bool {
    let first = text.lines().next().unwrap_or("");
    text.len() == first.len() || serde_json::from_str::<IgnoredAny>(first).is_ok()
}

struct LineParser(PathTree);

impl FrameParser for LineParser {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let LineParser(tree) = self;
        each_record(context, frame, Lines, each, |line, values| {
            json_fields::read(line, tree, values)
        });
    }
}
