//! The parts of a mapping, for those who count the records of each part.

use super::definition::Mapping;
use super::ids::RuleId;
use crate::field::FieldId;
use crate::record::{PatternMatch, Record};
use multitrace_formats::source::quote;

impl Mapping {
    /// Its filters that drop records, its roles and its rules, in this order. `[[keep]]` is not among
    /// them: it selects records, and does nothing with them.
    pub(crate) fn rule_ids(&self) -> impl Iterator<Item = RuleId> {
        let drops = (0..).zip(&self.drop).map(|(index, _)| RuleId::Drop(index));
        let roles = (0..).zip(&self.roles).map(|(index, _)| RuleId::Role(index));
        let rules = (0..).zip(&self.rules).map(|(index, _)| RuleId::Rule(index));
        drops.chain(roles).chain(rules)
    }

    /// The texts that show the kind of a record that no rule matches: its line in plain text, else the fields that
    /// conditions test.
    pub(crate) fn looks<'r>(
        &'r self,
        record: &'r Record<'_>,
    ) -> impl Iterator<Item = &'r str> + Clone {
        let is_text = record.patterns() != PatternMatch::NotAsked;
        let line = is_text.then(|| record.text()).into_iter();
        let tested: &[FieldId] = if is_text { &[] } else { &self.tested };
        let fields = tested.iter().flat_map(|field| {
            let [value, end] = record.get(*field).map_or(["(none)", " "], |value| [value, " "]);
            [self.fields.path(*field).text(), "=", value, end]
        });
        line.chain(fields)
    }

    /// The fields of a record that the mapping asks for, in words.
    pub(crate) fn values(&self, record: &Record<'_>) -> String {
        let values = record.iter(&self.fields);
        let values: Vec<String> =
            values.map(|(path, value)| format!("{path}={}", quote(value))).collect();
        values.join("  ")
    }
}
