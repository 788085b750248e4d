//! What a mapping consists of, for those who count what each part of it does.

use super::definition::Mapping;
use super::ids::RuleId;
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

    /// The fields of a record that the mapping asks for, in words.
    pub(crate) fn values(&self, record: &Record<'_>) -> String {
        let values = record.iter(&self.fields);
        let values: Vec<String> =
            values.map(|(path, value)| format!("{path}={}", quote(value))).collect();
        values.join("  ")
    }
}
