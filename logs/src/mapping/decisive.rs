//! Which fields of a record decide its events, and which only their session and order.

// Idea: the action that a mapping makes of a record depends on the values that conditions test and that actions are
// named after. There are few different ones in a log, so the result is found by them
// (`mapping_memo`). The session and the order of an event differ from record to record; they are read
// from their fields each time.
//
// Invariant: two records with the same key are dropped by the same filters, match the same rule, and
// make the same action of it, unless one of them lacks its session or order, or its table lacks a column that is tested.

use super::condition::{Condition, Test};
use super::definition::Mapping;
use super::ids::RuleId;
use super::order::OrderKey;
use super::rule::{ActionTemplate, RuleKind};
use super::template::Template;
use crate::field::FieldId;
use crate::record::Record;
use std::collections::BTreeSet;

/// The fields that decide the result of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecisiveFields {
    /// Those whose values count.
    values: Vec<FieldId>,
    /// Those that a record has or lacks; their values do not count.
    present: Vec<FieldId>,
}

/// How many bits the number of a value has in a [`NumberKey`].
const NUMBER_BITS: u32 = 16;

/// The numbers of the decisive values of a record, in one word.
pub(crate) type NumberKey = u64;

impl DecisiveFields {
    /// The key of a record whose values have numbers, small enough and few enough for a word.
    #[inline]
    pub(crate) fn number_key(&self, record: &Record<'_>) -> Option<NumberKey> {
        if self.values.len() + self.present.len() > (NumberKey::BITS / NUMBER_BITS) as usize {
            return None;
        }
        let mut key = 0;
        for field in &self.values {
            let number = record.number(*field).filter(|number| *number < 1 << NUMBER_BITS)?;
            key = key << NUMBER_BITS | NumberKey::from(number);
        }
        for field in &self.present {
            key = key << NUMBER_BITS | NumberKey::from(record.get(*field).is_some());
        }
        Some(key)
    }

    /// Writes the values that decide the result of a record.
    pub(crate) fn write_key(&self, record: &Record<'_>, key: &mut Vec<u8>) {
        key.clear();
        for field in &self.values {
            let text = record.get(*field);
            // No text is as long. A list and a text with its JSON differ.
            let mark = if record.has_parts(*field) { 1 << 31 } else { 0 };
            let length = text.map_or(u32::MAX, |text| text.len() as u32 | mark);
            key.extend_from_slice(&length.to_le_bytes());
            key.extend_from_slice(text.unwrap_or_default().as_bytes());
        }
        for field in &self.present {
            key.push(u8::from(record.get(*field).is_some()));
        }
    }
}

impl Mapping {
    /// The fields that decide the result of a record; `None` if its session says more than its name,
    /// or other records tell it.
    pub(crate) fn decisive_fields(&self) -> Option<DecisiveFields> {
        let others_tell = self.has_joins() || self.maps_late();
        if self.has_roles() || self.has_session_filters() || others_tell {
            return None;
        }
        let (mut values, mut present) = (BTreeSet::new(), BTreeSet::new());
        let filters = self.keep.iter().chain(&self.drop).map(|filter| &filter.when);
        let conditions = filters.chain(self.rules.iter().map(|rule| &rule.when));
        for (field, test) in conditions.flat_map(Condition::tests) {
            if test.is_of_presence() {
                present.insert(field);
            } else {
                values.insert(field);
                values.extend(test.compared());
            }
        }
        for rule in &self.rules {
            let RuleKind::Actions(actions) = &rule.then else { continue };
            values.extend(actions.iter().flat_map(ActionTemplate::named_after));
        }
        let present = present.into_iter().filter(|field| !values.contains(field)).collect();
        Some(DecisiveFields { values: values.into_iter().collect(), present })
    }

    /// The only event that a rule makes; `None` if it makes another number of events.
    #[inline]
    pub(crate) fn only_event(&self, rule: RuleId) -> Option<OnlyEvent<'_>> {
        let RuleId::Rule(index) = rule else { return None };
        match &self.rules.get(index as usize)?.then {
            RuleKind::Actions(actions) => match actions.as_slice() {
                [action] => Some(OnlyEvent { mapping: self, action }),
                _ => None,
            },
            RuleKind::Drop => None,
        }
    }
}

/// The only event that a rule makes, as far as the decisive fields do not fix it.
#[derive(Clone, Copy)]
pub(crate) struct OnlyEvent<'m> {
    mapping: &'m Mapping,
    action: &'m ActionTemplate,
}

impl OnlyEvent<'_> {
    /// Whether it has an order.
    #[inline]
    pub(crate) fn has_order(&self) -> bool {
        self.action.order.is_some()
    }

    /// That order, for a record; `None` if the record lacks something. Leaves nothing of use in `text`.
    pub(crate) fn order(&self, record: &Record<'_>, text: &mut String) -> Option<OrderKey> {
        text.clear();
        self.mapping.order_key(self.action.order, record, text).ok()?
    }

    /// The field that names its session, if one field does.
    #[inline]
    pub(crate) fn session_field(&self) -> Option<FieldId> {
        self.action.session.as_field()
    }

    /// Its session; `None` if the record lacks something, or has an object or a list there. It may be written into `text`.
    #[inline]
    pub(crate) fn session<'t>(&self, record: &Record<'t>, text: &'t mut String) -> Option<&'t str> {
        if self.action.session.fields().any(|field| record.has_parts(field)) {
            return None;
        }
        let session = match self.session_field() {
            Some(field) => record.get(field)?,
            None => {
                text.clear();
                self.action.session.write(record, text).ok()?;
                text.as_str()
            }
        };
        (!session.is_empty()).then_some(session)
    }
}

impl Mapping {
    /// Whether the lifeline or the direction of a response depends on its request.
    pub(crate) fn places_by_request(&self) -> bool {
        let Some(replies) = &self.replies else { return false };
        let of_request = |field: FieldId| replies.is_of_request(field);
        let by_request = |action: &ActionTemplate| {
            let mut lifeline = action.lifeline.alternatives().flat_map(Template::fields);
            action.direction.fields().into_iter().any(of_request) || lifeline.any(of_request)
        };
        self.rules.iter().any(|rule| {
            let mut tested = rule.when.tests();
            tested.any(|(field, test)| {
                of_request(field) || test.compared().into_iter().any(of_request)
            }) || matches!(&rule.then, RuleKind::Actions(actions) if actions.iter().any(by_request))
        })
    }
}

impl Mapping {
    /// The same, whose fields know those of records whose values conditions test.
    pub(super) fn with_tested_fields(mut self) -> Mapping {
        let filters = self.keep.iter().chain(&self.drop).map(|filter| &filter.when);
        let filters = filters.chain(self.session_filters.iter().map(|filter| &filter.when));
        let conditions = filters.chain(self.rules.iter().map(|rule| &rule.when));
        let tests =
            conditions.flat_map(Condition::tests).filter(|(_, test)| !test.is_of_presence());
        let tested = tests.flat_map(|(field, test)| test.compared().into_iter().chain([field]));
        let tested: BTreeSet<FieldId> = tested.collect();
        let own = tested.into_iter().filter_map(|field| {
            let from = self.fields.made_of(field)?;
            let is_own = !from.iter().any(|it| self.is_relation(*it));
            is_own.then_some((field, from))
        });
        let own = own.collect();
        self.fields.set_tested(own);
        self
    }
}

impl Condition {
    pub(super) fn tests(&self) -> impl Iterator<Item = (FieldId, &Test)> {
        self.any.iter().flatten().map(|(field, test)| (*field, test))
    }
}

impl ActionTemplate {
    /// The fields that an action has its name and location from.
    fn named_after(&self) -> impl Iterator<Item = FieldId> {
        let direction = self.direction.fields();
        let templates = self.location.iter().chain([&self.lifeline, &self.message]);
        let templates = templates.flat_map(Template::alternatives);
        templates.flat_map(Template::fields).chain(direction)
    }
}
