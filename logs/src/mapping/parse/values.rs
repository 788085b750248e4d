//! Fields, and values that are made of them.

use super::MappingReader;
use crate::field::{DerivedFields, FieldId, FieldPath};
use crate::mapping::template::Template;
use crate::mapping::tree::TomlValue;
use multitrace_formats::source::{Diagnostic, Span};

impl MappingReader<'_> {
    /// The name of a field, a template, `{ text = "…" }`, `{ field = "…", match = '…' }`, or a list of them: a
    /// record takes the first for which it has all fields.
    pub(super) fn value(&mut self, node: TomlValue<'_, '_>) -> Option<Template> {
        self.value_of(node, "value")
    }

    /// The value of a part of an event; a group of `match` may have the name of the part.
    pub(super) fn value_of(&mut self, node: TomlValue<'_, '_>, part: &str) -> Option<Template> {
        let Ok(list) = node.list() else { return self.one_value(node, part) };
        if list.is_empty() {
            let help = "write [\"{peer.service}\", \"{name}\"]: the first whose fields a record has counts";
            self.errors.push(node.error("the list is empty", help));
        }
        let templates: Option<Vec<Template>> =
            list.into_iter().map(|node| self.one_value(node, part)).collect();
        templates.and_then(Template::first_of)
    }

    fn one_value(&mut self, node: TomlValue<'_, '_>, part: &str) -> Option<Template> {
        if let Ok(tree) = node.tree() {
            if tree.get("match").is_some() || tree.get("field").is_some() {
                tree.only(&["field", "match"], &mut self.errors);
                return self.matched(tree, part).map(Template::field);
            }
            tree.only(&["text"], &mut self.errors);
            let text = self.needed(tree, "text", "write { text = \"run\" }")?;
            return self.take(text.text()).map(Template::text);
        }
        let text = self.take(node.text())?;
        if text.contains('{') {
            return self.template(node, text);
        }
        self.field(node).map(Template::field)
    }

    pub(super) fn template(&mut self, node: TomlValue<'_, '_>, text: &str) -> Option<Template> {
        let template = Template::parse(text, &mut self.fields);
        self.field_places.resize(self.fields.len(), node.span);
        let help = "a field stands in braces, \"{src}-{dst}\"; {{ and }} mean braces";
        self.take(template.map_err(|error| node.error(error.to_string(), help)))
    }

    /// A field by its name; or one that is made of others, as values are.
    pub(super) fn field(&mut self, node: TomlValue<'_, '_>) -> Option<FieldId> {
        if node.list().is_ok() || node.tree().is_ok() {
            let template = self.value(node)?;
            if let Some(field) = template.as_field() {
                return Some(field);
            }
            let first = template.fields().next();
            let text = first.map_or(String::new(), |field| self.fields.path(field).to_string());
            let made = self.made(text, node.span);
            self.fields.derive(DerivedFields::Text(template.texts(), made));
            return Some(made);
        }
        let text = self.take(node.text())?;
        self.path(text, node.span)
    }

    pub(super) fn path(&mut self, text: &str, span: Span) -> Option<FieldId> {
        let path = FieldPath::parse(text).map_err(|error| {
            let help = "fields are a, a.b or a[0]; keys with dots stand in quotes, '\"a.b\".c'";
            Diagnostic::new(span, error.to_string(), "").with_help(help)
        });
        let field = self.take(path).map(|path| self.fields.add(path));
        self.field_places.resize(self.fields.len(), span);
        field
    }
}
