//! What a mapping says of requests and responses.

use super::MappingReader;
use super::parts::EventParts;
use crate::field::{FieldId, FieldPath};
use crate::mapping::condition::{Condition, Test};
use crate::mapping::replies::{REQUEST, Replies};
use crate::mapping::template::Template;
use crate::mapping::tree::Tree;
use multitrace_formats::source::Span;

const HELP: &str = "write reply-to = { request = \"id\", response = \"id\" }: the fields with the id in requests and in responses";

impl MappingReader<'_> {
    /// `reply-to` of `[event]`. The message of events names responses, too, unless it does so itself.
    pub(super) fn replies(
        &mut self,
        event: Option<Tree<'_, '_>>,
        defaults: &mut EventParts,
    ) -> Option<Replies> {
        let node = event?.get("reply-to")?;
        let tree = node.tree();
        let tree = self.take(tree)?;
        tree.only(&["request", "response", "message", "failed"], &mut self.errors);
        let request = self.needed(tree, "request", HELP).and_then(|node| self.field(node));
        let response = self.needed(tree, "response", HELP).and_then(|node| self.field(node));
        let message = match tree.get("message") {
            Some(node) => self.value(node),
            None => defaults.message.clone(),
        };
        let Some(message) = message else {
            let help = "write message = \"FIELD\" in [event], or in reply-to: what requests have and responses have not";
            self.errors.push(node.error("which field names requests?", help));
            return None;
        };
        let own: Vec<Template> = message
            .each_way()
            .filter(|way| !way.fields().any(|it| self.is_of_request(it)))
            .collect();
        let names_responses = message.each_way().count() > own.len();
        let message = Template::first_of(own)?;
        let failed = match tree.get("failed") {
            None => {
                let error = self.path("error", node.span)?;
                Condition { any: vec![vec![(error, Test::Exists(true))]] }
            }
            Some(node) => {
                let tree = self.take(node.tree())?;
                Condition { any: vec![self.tests(tree)] }
            }
        };
        let reply = self.path("reply", node.span)?;
        let mut fields = Vec::new();
        if !names_responses && defaults.message.is_some() {
            let mut ways: Vec<Template> = message.each_way().collect();
            for way in message.each_way() {
                let way = way.with_fields(|field| self.of_request(field, node.span, &mut fields));
                ways.push(way.followed_by(" ").and_field(reply));
            }
            ways.push(Template::text("unasked ").and_field(reply));
            defaults.message = Template::first_of(ways);
        }
        let session = defaults.session.clone();
        let session = session.filter(|it| {
            !it.alternatives().flat_map(Template::fields).any(|field| self.is_of_request(field))
        });
        Some(Replies {
            session,
            message,
            request: request?,
            response: response?,
            failed,
            reply,
            fields,
        })
    }

    fn is_of_request(&self, field: FieldId) -> bool {
        self.fields.path(field).text().starts_with(REQUEST)
    }

    /// The field of a request.
    fn of_request(
        &mut self,
        field: FieldId,
        span: Span,
        fields: &mut Vec<(FieldId, FieldId)>,
    ) -> FieldId {
        let text = format!("{REQUEST}{}", self.fields.path(field));
        let path = FieldPath::parse(&text).ok().filter(|_| self.fields.is_read(field));
        let asked = match path {
            Some(path) => self.fields.add(path),
            None => self.fields.add_made(text),
        };
        self.field_places.resize(self.fields.len(), span);
        fields.push((asked, field));
        asked
    }
}
