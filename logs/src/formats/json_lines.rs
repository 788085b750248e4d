//! JSON Lines: an object a line.

use super::context::InputContext;
use super::documents;
use super::frames::{Frame, Lines};
use super::json_fields::{object_fields, read_fully};
use super::line_shapes::LineShapes;
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::path_tree::PathTree;
use super::records::{FrameParser, each_record};
use crate::error::EventError;
use serde::de::IgnoredAny;

pub(crate) struct JsonLines;

impl LogFormat for JsonLines {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let is_lines = head.text().starts_with('{') && is_line(head.text());
        let syntax = is_lines.then_some(Sign::Syntax);
        syntax.or_else(|| head.has_extension(&["jsonl", "ndjson"]))
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        if !opening.options.records.is_empty() {
            return documents::open(opening);
        }
        let parser = LineParser(PathTree::new(&opening.context.fields));
        opening.parsed(Lines, parser)
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
        let mut shapes = LineShapes::default();
        each_record(context, frame, Lines, each, |line, values| {
            if shapes.read(line, tree, values) {
                return Ok(());
            }
            values.clear();
            read_fully(line, tree, values)
        });
    }
}
