//! The rules that `[spans]` stands for.

use super::MappingReader;
use crate::field::FieldId;
use crate::mapping::event_parts::EventParts;
use crate::mapping::order_fields::OrderField;
use crate::mapping::relations::Relations;
use crate::mapping::rule::{Named, RuleKind};
use crate::mapping::span_rules::{KINDS, SpanKinds, SpanRules};
use crate::mapping::template::Template;
use crate::mapping::tree::{TomlValue, Tree};

/// A field whose values are the words of tracers.
fn with_words(field: FieldId) -> (FieldId, SpanKinds) {
    (field, SpanKinds(KINDS.map(SpanKinds::words)))
}

const SPANS: &[&str] = &[
    "session", "location", "lifeline", "message", "kind", "start", "end", "returns", "id",
    "parent", "repeated",
];

impl MappingReader<'_> {
    /// The rules `[spans]` stands for.
    pub(super) fn spans(
        &mut self,
        tree: Tree<'_, '_>,
        defaults: &EventParts,
    ) -> Option<(Vec<Named<RuleKind>>, Relations)> {
        tree.only(SPANS, &mut self.errors);
        let own = self.parts_of(tree, &["session", "location", "lifeline", "message"]);
        let [id, parent] =
            [("id", "span.id"), ("parent", "span.parent_id")].map(|(key, default)| {
                match tree.get(key) {
                    Some(node) => self.field(node),
                    None => self.path(default, tree.span),
                }
            });
        let kind = match tree.get("kind") {
            Some(node) => self.kind(node),
            None => self.path("span.kind", tree.span).map(with_words),
        };
        let moments = ["start", "end"].map(|key| match tree.get(key) {
            Some(node) => self.order(node),
            None => self.path(&format!("span.{key}"), tree.span).map(|field| {
                let (value, place) = (Template::field(field), tree.span);
                self.orders.add([OrderField { value, format: None, plus: None, place }])
            }),
        });
        let [start, end] = moments;
        let ((kind, kinds), start, end) = (kind?, start?, end?);
        let mut default = |path: &str| self.path(path, tree.span).map(Template::field);
        // Where spans have no such field, the session of [event] is theirs, too.
        let session = own.session.or_else(|| {
            Template::first_of(
                default("span.trace_id").into_iter().chain(defaults.session.clone()).collect(),
            )
        });
        let lifeline = own.lifeline.or_else(|| default("resource.service.name"));
        let message = own.message.or_else(|| default("span.name"));
        let (session, lifeline, message) = (session?, lifeline?, message?);
        let returns = tree.get("returns").and_then(|node| self.returns(node, &message));
        let line = self.source.position(tree.span.start).line;
        let location = own.location;
        let trace = session.clone();
        let rules = SpanRules {
            kind,
            kinds: kinds.clone(),
            start,
            end,
            session,
            location,
            lifeline,
            message,
            returns,
            line,
        };
        let drops_repeated = tree.get("repeated").is_some_and(|node| self.drops_repeated(node));
        let (id, parent, fields) = (id?, parent?, Vec::new());
        let relations = Relations { trace, id, parent, kind, kinds, start, drops_repeated, fields };
        Some((rules.rules(), relations))
    }

    /// Whether spans that repeat an earlier one are left out.
    fn drops_repeated(&mut self, node: TomlValue<'_, '_>) -> bool {
        let name = node.value.as_str();
        if !matches!(name, Some("keep" | "drop")) {
            let help = "write \"keep\", or \"drop\" for spans that are alike in all fields";
            self.errors.push(node.error("this is not \"keep\" or \"drop\"", help));
        }
        name == Some("drop")
    }

    /// The field with the kind of a span, and the values that mean each kind.
    fn kind(&mut self, node: TomlValue<'_, '_>) -> Option<(FieldId, SpanKinds)> {
        let Ok(tree) = node.tree() else { return self.field(node).map(with_words) };
        if KINDS.iter().all(|kind| tree.get(kind).is_none()) {
            return self.field(node).map(with_words);
        }
        tree.only(&[&["field"][..], &KINDS].concat(), &mut self.errors);
        let help = "write kind = { field = \"type\", client = \"Exit\", server = \"Entry\" }";
        let field = self.needed(tree, "field", help).and_then(|node| self.field(node));
        let tests = KINDS.map(|kind| match tree.get(kind) {
            Some(node) => self.test(node),
            None => Some(SpanKinds::words(kind)),
        });
        let [Some(client), Some(server), Some(producer), Some(consumer), Some(internal)] = tests
        else {
            return None;
        };
        Some((field?, SpanKinds([client, server, producer, consumer, internal])))
    }

    /// The message of returns; `true` stands for that of the call with `_return` after it.
    fn returns(&mut self, node: TomlValue<'_, '_>, message: &Template) -> Option<Template> {
        match node.value.as_bool() {
            Some(false) => None,
            Some(true) => Some(message.clone().followed_by("_return")),
            None => self.value(node),
        }
    }
}
