//! JSON Lines: an object a line, or a list of objects, as batches of JSON-RPC are.

use super::context::InputContext;
use super::documents;
use super::frames::{Frame, Lines};
use super::json_fields::{object_fields, read_fully};
use super::line_shapes::LineShapes;
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::path_tree::PathTree;
use super::records::{FrameParser, each_text, one};
use crate::error::EventError;
use crate::record::{RecordPlace, Values};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

pub(crate) struct JsonLines;

impl LogFormat for JsonLines {
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let is_lines = head.text().starts_with('{') && is_line(head.text());
        let named = head.has_extension(&["jsonl", "ndjson"]);
        // Only the first line may be damaged.
        let is_lines = is_lines || named.is_some() && are_lines_behind_first(head.lines());
        let syntax = is_lines.then_some(Sign::Syntax);
        syntax.or(named)
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

/// Whether each line behind the first one is an object. The last of several need not be: the head may end inside of it.
fn are_lines_behind_first(lines: &[&str]) -> bool {
    let whole = match lines {
        [] | [_] => return false,
        [_, only] => std::slice::from_ref(only),
        [_, whole @ .., _] => whole,
    };
    let is_object =
        |line: &&str| line.starts_with('{') && serde_json::from_str::<IgnoredAny>(line).is_ok();
    whole.iter().all(is_object)
}

struct LineParser(PathTree);

impl FrameParser for LineParser {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let LineParser(tree) = self;
        let mut shapes = LineShapes::default();
        let mut values = Values::default();
        let mut read = |line: &str, values: &mut Values| {
            values.set_json();
            if shapes.read(line, tree, values) {
                return Ok(());
            }
            values.clear();
            read_fully(line, tree, values)
        };
        each_text(
            |_| false,
            (context, frame),
            Lines,
            each,
            |line, text, each| {
                let place = RecordPlace::line(line);
                match objects_of_list(text) {
                    None => one(context, (place, text), &mut values, each, &mut read),
                    Some(objects) => {
                        for (item, object) in (1..).zip(objects) {
                            let object = (place.item(item), object.get());
                            one(context, object, &mut values, each, &mut read);
                        }
                    }
                }
            },
        );
    }
}

/// The objects of a line that is a list of nothing else.
fn objects_of_list(text: &str) -> Option<Vec<&RawValue>> {
    if !text.starts_with('[') {
        return None;
    }
    let all: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let is_object = |value: &&RawValue| value.get().starts_with('{');
    (!all.is_empty() && all.iter().all(is_object)).then_some(all)
}
