//! The fields that a table must have, so that a rule can make events of its rows.

use super::condition::{Condition, Test};
use super::definition::Mapping;
use super::mapped::EventPart;
use super::rule::{ActionTemplate, Direction, Named, RuleKind};
use super::template::Template;
use crate::field::{FieldId, NeededField, RuleNeeds, TableNeeds};

impl Mapping {
    /// The same, whose fields know those that tables must have.
    pub(super) fn with_table_needs(mut self) -> Mapping {
        let needs = self.table_needs();
        self.fields.set_table_needs(needs);
        self
    }

    /// The fields that each rule needs in any case; of several that may do, none.
    fn table_needs(&self) -> TableNeeds {
        // The fields of related records come from other records.
        let rules = match self.maps_late() {
            true => Vec::new(),
            false => self.rules.iter().filter_map(|rule| self.rule_needs(rule)).collect(),
        };
        let leaves_rows_out = !self.keep.is_empty() || !self.drop.is_empty();
        let joins = self.joins.iter().flat_map(|join| [&join.then.id, &join.then.session]);
        let sessions = self.session_templates().chain(joins).flat_map(Template::alternatives);
        let sessions = sessions.flat_map(Template::fields).collect();
        TableNeeds { rules, sessions, names: self.names_of_events(), leaves_rows_out }
    }

    /// The fields that name lifelines, locations and messages.
    fn names_of_events(&self) -> Vec<(FieldId, &'static str)> {
        let actions = self.rules.iter().flat_map(|rule| match &rule.then {
            RuleKind::Actions(actions) => actions.as_slice(),
            RuleKind::Drop => &[],
        });
        let templates = actions.flat_map(|action| {
            let location = action.location.iter().map(|it| (it, EventPart::Location));
            let named =
                [(&action.lifeline, EventPart::Lifeline), (&action.message, EventPart::Message)];
            location.chain(named)
        });
        let fields = templates.flat_map(|(template, part)| {
            template
                .alternatives()
                .flat_map(Template::fields)
                .map(move |field| (field, part.name()))
        });
        fields.filter(|(field, _)| self.fields.is_read(*field)).collect()
    }

    fn rule_needs(&self, rule: &Named<RuleKind>) -> Option<RuleNeeds> {
        let RuleKind::Actions(actions) = &rule.then else { return None };
        let needed = |field: FieldId| NeededField {
            field,
            by: format!("{} of the mapping ({})", rule.name, self.field_place(field)),
        };
        // A field that is made of columns is not a column.
        let is_read = |field: &FieldId| self.fields.is_read(*field);
        let tested = needed_by(&rule.when).filter(is_read).map(needed).collect();
        let read = actions.iter().flat_map(|action| self.read_by(action));
        let read = read.filter(is_read).map(needed).collect();
        Some(RuleNeeds { tested, read })
    }

    fn read_by(&self, action: &ActionTemplate) -> Vec<FieldId> {
        let ActionTemplate { session, location, lifeline, direction, message, order } = action;
        let session = Some(session).filter(|_| !self.has_joins());
        let templates =
            session.into_iter().chain([lifeline]).chain(location.as_ref()).chain([message]);
        let mut fields: Vec<FieldId> = templates.flat_map(needed_for).collect();
        if let Direction::Field { field, .. } = direction {
            fields.push(*field);
        }
        if let Some(order) = order {
            fields.extend(order.fields().filter_map(|id| self.orders.field(id)));
        }
        fields
    }
}

/// The fields without which a condition does not hold.
fn needed_by(when: &Condition) -> impl Iterator<Item = FieldId> {
    let tests: &[(FieldId, Test)] = match &*when.any {
        [tests] => tests,
        _ => &[],
    };
    tests.iter().filter(|(_, test)| test.needs_value()).map(|(field, _)| *field)
}

/// The fields without which a template has no text.
fn needed_for(template: &Template) -> impl Iterator<Item = FieldId> {
    let is_only = template.alternatives().count() == 1;
    template.fields().filter(move |_| is_only)
}
