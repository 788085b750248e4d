//! JSON Lines: an object a line, or a list of objects, as batches of JSON-RPC are.

use super::context::InputContext;
use super::documents;
use super::frames::{Frame, Framer, Lines};
use super::json_fields::object_fields;
use super::line_shapes::LineShapes;
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::objects::Objects;
use super::path_tree::PathTree;
use super::records::{FrameParser, each_part, each_text};
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
        let (mut shapes, mut values) = (LineShapes::default(), Values::default());
        let mut read = |line: &str, values: &mut Values| {
            values.reset(context.fields.len());
            shapes.read_or_fully(line, tree, values)
        };
        let file = &context.file;
        each_text(
            |_| false,
            (context, frame),
            Lines,
            each,
            |line, text, each| {
                let place = RecordPlace::line(line);
                let objects = match objects_of_list(text) {
                    None => match read(text, &mut values) {
                        Ok(()) => return each(Ok(&values.record(text, place))),
                        Err(error) => objects_beside(text).ok_or(error),
                    },
                    Some(objects) => Ok(objects),
                };
                match objects {
                    Err(error) => each(Err(EventError::at(file, line, text, error))),
                    Ok(objects) => {
                        each_part(context, (place, &objects), &mut values, each, &mut read)
                    }
                }
            },
        );
    }
}

/// The objects of a line that holds several, with blanks or commas between; `None` if anything else stands there.
fn objects_beside(text: &str) -> Option<Vec<&str>> {
    let (mut objects, mut rest) = (Vec::new(), text.trim_start());
    while rest.starts_with('{') {
        let end = Objects::default().first_end(rest.as_bytes()).unwrap_or(rest.len());
        objects.push(&rest[..end]);
        let behind = rest[end..].trim_start();
        if behind.is_empty() {
            return (objects.len() > 1).then_some(objects);
        }
        rest = behind.strip_prefix(',').unwrap_or(behind).trim_start();
    }
    None
}

/// The objects of a line that is a list of nothing else.
fn objects_of_list(text: &str) -> Option<Vec<&str>> {
    if !text.starts_with('[') {
        return None;
    }
    let all: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let is_object = |value: &&RawValue| value.get().starts_with('{');
    let are_objects = !all.is_empty() && all.iter().all(is_object);
    are_objects.then(|| all.into_iter().map(RawValue::get).collect())
}
