//! JSON: objects in lists, or one after another.

use super::context::InputContext;
use super::documents;
use super::frames::Frame;
use super::json_fields::{self, object_fields};
use super::log_format::{Each, Head, LogFormat, Opened, Opening, Proposal, Sign};
use super::objects::{self, Objects, each_object};
use super::path_tree::PathTree;
use super::records::{FrameParser, one};
use crate::error::EventError;
use crate::record::Values;

pub(crate) struct Json;

impl LogFormat for Json {
    /// JSON Lines show the same sign, and come first.
    fn recognise(&self, head: &Head<'_>) -> Option<Sign> {
        let syntax = head.is_json().then_some(Sign::Syntax);
        syntax.or_else(|| head.has_extension(&["json"]))
    }

    fn open<'r>(&self, opening: Opening<'r, '_>) -> Opened<'r> {
        if !opening.options.records.is_empty() {
            return documents::open(opening);
        }
        let parser = ObjectParser(PathTree::new(&opening.context.fields));
        opening.parsed(Objects::default(), parser)
    }

    fn proposal(&self, _file: &str, head: &str) -> Result<Proposal, EventError> {
        Ok(Proposal::Fields { names: object_fields(head), delimiter: None })
    }
}

struct ObjectParser(PathTree);

impl FrameParser for ObjectParser {
    fn each(&self, context: &InputContext, frame: &Frame, each: &mut Each<'_>) {
        let mut values = Values::default();
        each_object(context, frame, each, |place, text, each| {
            one(context, (place, text), &mut values, each, |text, values| {
                json_fields::read(text, &self.0, values)
            });
        });
    }

    fn is_between(byte: u8) -> bool {
        objects::is_between(byte)
    }
}
