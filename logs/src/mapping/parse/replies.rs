//! Requests and responses in a mapping.

use super::MappingReader;
use crate::field::{FieldId, FieldPath};
use crate::mapping::condition::{Condition, Test};
use crate::mapping::event_parts::EventParts;
use crate::mapping::replies::{REQUEST, Replies};
use crate::mapping::template::Template;
use crate::mapping::tree::Tree;
use multitrace_formats::source::Span;

const HELP: &str = "write reply-to = { request = \"id\", response = \"id\" }: the fields with the id in requests and in responses";

/// The path of a field in the same object as another one; `None` at the top, and for quoted names.
fn beside(path: &str, name: &str) -> Option<String> {
    let (object, last) = path.rsplit_once('.')?;
    (!last.contains(['"', ']'])).then(|| format!("{object}.{name}"))
}

impl MappingReader<'_> {
    /// `reply-to` of `[event]`. Unless `message` names responses itself, they get the names of their requests.
    pub(super) fn replies(
        &mut self,
        event: Option<Tree<'_, '_>>,
        defaults: &mut EventParts,
    ) -> Option<Replies> {
        let node = event?.get("reply-to")?;
        let tree = self.take(node.tree())?;
        tree.only(&["request", "response", "message", "failed", "responses"], &mut self.errors);
        let request = self.needed(tree, "request", HELP).and_then(|node| self.field(node));
        let response = self.needed(tree, "response", HELP).and_then(|node| self.field(node));
        let has_many = self.has_many_responses(tree);
        let message = match tree.get("message") {
            Some(node) => self.value(node),
            None => defaults.message.clone(),
        };
        let (of_responses, own): (Vec<Template>, Vec<Template>) =
            message.iter().flat_map(Template::each_way).partition(|way| self.asks_request(way));
        let Some(message) = Template::first_of(own) else {
            let help = "write message = \"FIELD\" in [event], or in reply-to: a field that only requests have";
            self.errors.push(node.error("which field names requests?", help));
            return None;
        };
        let failed = match tree.get("failed") {
            None => self.has_error(response, node.span)?,
            Some(node) => self.condition(node),
        };
        let asks = Condition::has_all(message.alternatives().map(Template::fields));
        let reply = self.path("reply", node.span)?;
        let mut fields = Vec::new();
        let names_responses = !of_responses.is_empty()
            || (defaults.message.iter().flat_map(Template::each_way))
                .any(|way| self.asks_request(&way));
        if !names_responses && defaults.message.is_some() {
            let mut ways: Vec<Template> = message.each_way().collect();
            for way in message.each_way() {
                let way = way.with_fields(|field| self.of_request(field, node.span, &mut fields));
                ways.push(way.followed_by(" ").and_field(reply));
            }
            ways.push(Template::text("unasked ").and_field(reply));
            defaults.message = Template::first_of(ways);
        }
        let has_types =
            ![request, response].into_iter().flatten().any(|id| self.fields.is_part(id));
        let session = defaults.session.clone();
        let session = session.filter(|it| !it.alternatives().any(|way| self.asks_request(way)));
        Some(Replies {
            session,
            asks,
            request: request?,
            response: response?,
            has_types,
            failed,
            reply,
            has_many,
            line: self.source.position(node.span.start).line,
            fields,
        })
    }

    /// That a response has an error at the top or beside its id.
    fn has_error(&mut self, response: Option<FieldId>, span: Span) -> Option<Condition> {
        let beside = response.and_then(|id| beside(self.fields.path(id).text(), "error"));
        let paths = std::iter::once("error".to_owned()).chain(beside);
        let any = paths.map(|path| {
            let error = self.path(&path, span)?;
            Some(vec![(error, Test::Exists(true))])
        });
        Some(Condition { any: any.collect::<Option<_>>()? })
    }

    fn has_many_responses(&mut self, tree: Tree<'_, '_>) -> bool {
        let Some(node) = tree.get("responses") else { return false };
        match node.value.as_str() {
            Some("one") => false,
            Some("many") => true,
            _ => {
                let help =
                    "write responses = \"many\" if a request may have several, as in a stream";
                self.errors.push(node.error("expected \"one\" or \"many\"", help));
                false
            }
        }
    }

    /// Whether a way of a template has a field of the request.
    fn asks_request(&self, way: &Template) -> bool {
        way.fields().any(|field| self.fields.path(field).text().starts_with(REQUEST))
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
