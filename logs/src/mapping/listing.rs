//! What a mapping consists of, for those who count what each part of it does.

use super::definition::Mapping;
use super::ids::RuleId;
use crate::field::{FieldId, FieldPath};
use crate::format::Format;
use crate::record::Record;
use multitrace_formats::source::quote;

impl Mapping {
    /// Its filters that drop records, its roles and its rules, in this order. `[[keep]]` is not among
    /// them: it says what is left, not what happens.
    pub(crate) fn rule_ids(&self) -> impl Iterator<Item = RuleId> {
        let drops = (0..).zip(&self.drop).map(|(index, _)| RuleId::Drop(index));
        let roles = (0..).zip(&self.roles).map(|(index, _)| RuleId::Role(index));
        let rules = (0..).zip(&self.rules).map(|(index, _)| RuleId::Rule(index));
        drops.chain(roles).chain(rules)
    }

    /// Asks plain text for the number of the pattern that matched. `None` for other formats, and
    /// where a pattern has a group of that name.
    pub(crate) fn ask_for_pattern(&mut self) -> Option<FieldId> {
        let is_text = self.input.format == Some(Format::Text);
        let is_group = |pattern: &String| pattern.contains("<pattern>");
        if !is_text || self.input.patterns.iter().any(is_group) {
            return None;
        }
        Some(self.fields.add(FieldPath::parse("pattern").ok()?))
    }

    /// The field that is the number of the pattern, if [`Mapping::ask_for_pattern`] or the mapping
    /// itself asks for it.
    pub(crate) fn pattern_field(&self) -> Option<FieldId> {
        if self.input.format != Some(Format::Text) {
            return None;
        }
        self.fields.iter().find(|(_, path)| path.text() == "pattern").map(|(field, _)| field)
    }

    /// The fields of a record that the mapping asks for, in words.
    pub(crate) fn values(&self, record: &Record<'_>) -> String {
        let values = record.iter(&self.fields);
        let values: Vec<String> =
            values.map(|(path, value)| format!("{path}={}", quote(value))).collect();
        values.join("  ")
    }
}
