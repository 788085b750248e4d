//! Fields that are made of other fields: what stands in the JSON of a text, and the parts that a pattern finds.

// Idea: readers of formats know nothing of them. They are made of each record when it was read, and stand beside
// its values. A mapping without such fields pays nothing.

use crate::field::{FieldId, Fields, Step};
use crate::formats::{PathTree, read_value};
use crate::mapping::Template;
use crate::record::{Record, RecordPlace, Values};
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Fields that are made of others.
#[derive(Clone, Debug)]
pub(crate) enum DerivedFields {
    /// The values at these paths in the JSON that a field holds.
    Json(FieldId, PathTree),
    /// The groups of the first pattern that matches a field, by the pattern.
    Match(FieldId, Regex, Vec<Vec<(usize, FieldId)>>),
    /// The text of a template.
    Text(Template, FieldId),
}

impl DerivedFields {
    pub(crate) fn json(from: FieldId, steps: &[Step], field: FieldId) -> DerivedFields {
        let mut tree = PathTree::default();
        tree.add(steps, field);
        DerivedFields::Json(from, tree)
    }

    /// The fields that they are made of.
    pub(crate) fn from(&self) -> impl Iterator<Item = FieldId> {
        let (one, template) = match self {
            DerivedFields::Json(from, _) | DerivedFields::Match(from, ..) => (Some(*from), None),
            DerivedFields::Text(template, _) => (None, Some(template)),
        };
        let templates = template.into_iter().flat_map(Template::alternatives);
        one.into_iter().chain(templates.flat_map(Template::fields))
    }

    /// Whether it makes a field.
    pub(crate) fn makes(&self, field: FieldId) -> bool {
        match self {
            DerivedFields::Json(_, tree) => tree.has(field),
            DerivedFields::Match(_, _, groups) => {
                groups.iter().flatten().any(|(_, it)| *it == field)
            }
            DerivedFields::Text(_, it) => *it == field,
        }
    }

    /// The paths that it reads in the JSON of a field, if it does that.
    pub(crate) fn json_of(&mut self, field: FieldId) -> Option<&mut PathTree> {
        match self {
            DerivedFields::Json(from, tree) if *from == field => Some(tree),
            _ => None,
        }
    }
}

/// The list of which each element makes a record of its own, and the fields of the element.
#[derive(Clone, Debug)]
pub(crate) struct EachFields {
    list: FieldId,
    element: PathTree,
}

/// How many records one may be. A number says how often, and lists are shorter than that.
const MOST_EACH: usize = 100_000;

impl EachFields {
    pub(crate) fn of(list: FieldId) -> EachFields {
        EachFields { list, element: PathTree::default() }
    }

    pub(crate) fn add(&mut self, steps: &[Step], field: FieldId) {
        self.element.add(steps, field);
    }

    pub(crate) fn has(&self, field: FieldId) -> bool {
        self.element.has(field)
    }
}

/// The elements of a value: those of a list, as many as a number says, or one.
fn elements(text: &str) -> Result<Vec<Cow<'_, str>>, usize> {
    if let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(text) {
        return Ok(list.into_iter().map(|raw| Cow::Borrowed(raw.get())).collect());
    }
    match text.parse::<usize>() {
        Ok(count) if count > MOST_EACH => Err(count),
        Ok(count) => Ok((1..=count).map(|it| Cow::Owned(it.to_string())).collect()),
        Err(_) => Ok(vec![Cow::Borrowed(text)]),
    }
}

/// The fields of a record that are made of others. Reused from record to record.
#[derive(Debug, Default)]
pub(crate) struct DerivedValues {
    values: Values,
    /// The values in the JSON of one text.
    json: Values,
    text: String,
    /// The captures of each derivation that has patterns.
    captures: Vec<Option<Captures>>,
}

impl DerivedValues {
    /// Calls a function with a record and the fields that are made of its others; where each element of a list makes a
    /// record, once for each. A record without the list, or with an empty one, is one record.
    ///
    /// # Errors
    /// The number, where one says that there are too many.
    pub(crate) fn each(
        &mut self,
        fields: &Fields,
        record: &Record<'_>,
        each: &mut dyn FnMut(&Record<'_>),
    ) -> Result<(), usize> {
        self.values.reset(fields.len());
        self.fill(fields.derived(), fields.len(), record);
        let Some(EachFields { list, element: tree }) = fields.each() else {
            each(&record.with_derived(self));
            return Ok(());
        };
        let list = record.with_derived(self).get(*list).map(str::to_owned);
        let elements = list.as_deref().map(elements).transpose()?.unwrap_or_default();
        if elements.is_empty() {
            each(&record.with_derived(self));
        }
        for element in elements {
            self.values.reset(fields.len());
            // An element that is no JSON is a text.
            let is_json = serde_json::from_str::<&RawValue>(&element).is_ok();
            let quoted = if is_json {
                element
            } else {
                serde_json::Value::from(&*element).to_string().into()
            };
            self.read_json(tree, fields.len(), &quoted);
            self.fill(fields.derived(), fields.len(), record);
            each(&record.with_derived(self));
        }
        Ok(())
    }

    /// Makes the fields of a record.
    fn fill(&mut self, derived: &[DerivedFields], fields: usize, record: &Record<'_>) {
        self.captures.resize(derived.len(), None);
        for (index, derived) in derived.iter().enumerate() {
            let mut text = std::mem::take(&mut self.text);
            text.clear();
            let is_there = {
                let record = record.with_derived(self);
                match derived {
                    DerivedFields::Text(template, _) => template.write(&record, &mut text).is_ok(),
                    DerivedFields::Json(from, _) | DerivedFields::Match(from, ..) => {
                        let value = record.get(*from);
                        text.push_str(value.unwrap_or_default());
                        value.is_some()
                    }
                }
            };
            if is_there {
                self.make(index, derived, fields, &text);
            }
            self.text = text;
        }
    }

    /// Makes the fields of a text.
    fn make(&mut self, index: usize, derived: &DerivedFields, fields: usize, text: &str) {
        match derived {
            DerivedFields::Text(_, field) => self.values.set_text(*field, text),
            DerivedFields::Json(_, tree) => self.read_json(tree, fields, text),
            DerivedFields::Match(_, regex, groups) => {
                let DerivedValues { values, captures, .. } = self;
                let captures = captures[index].get_or_insert_with(|| regex.create_captures());
                regex.captures(text, captures);
                let Some(pattern) = captures.pattern() else { return };
                for (group, field) in &groups[pattern.as_usize()] {
                    if let Some(span) = captures.get_group(*group) {
                        values.set_text(*field, &text[span.range()]);
                    }
                }
            }
        }
    }

    /// Reads fields of JSON. A text that is no JSON has none of them.
    fn read_json(&mut self, tree: &PathTree, fields: usize, text: &str) {
        let DerivedValues { values, json, .. } = self;
        json.reset(fields);
        if read_value(text, tree, json).is_ok() {
            let inside = json.record(text, RecordPlace::line(0));
            tree.each_field(&mut |field| {
                if let Some(value) = inside.get(field) {
                    values.set_text(field, value);
                }
            });
        }
    }

    /// The value of a field, if it is one of these and the record has it.
    #[inline]
    pub(crate) fn get(&self, field: FieldId) -> Option<&str> {
        self.values.copied(field)
    }
}
