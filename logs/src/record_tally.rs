//! Counts of records: by rule, and by reason where they made no events.

use crate::mapping::{Broken, Events, Explained, MappedRecord, Mapping, RuleId};
use crate::record::Record;
use multitrace_formats::shorten::visible;
use std::collections::BTreeMap;

/// Counts of the records of a part of the input.
#[derive(Debug, Default)]
pub(crate) struct RecordTally {
    /// Records by the rule or filter that took them, and by the role that they bind.
    pub(crate) rules: BTreeMap<RuleId, u64>,
    pub(crate) unmatched: Occurrences,
    /// By rule and reason, in the order of the input. There are few: rules times their fields.
    pub(crate) broken: Vec<((RuleId, Broken), Occurrences)>,
    /// Events with a value of an order field.
    pub(crate) ordered: u64,
    /// Events without one.
    pub(crate) unordered: Occurrences,
    /// Records that are a problem of the input where sessions are checked.
    pub(crate) problems: u64,
}

/// How often something happened, and where it did first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occurrences {
    pub(crate) count: u64,
    pub(crate) example: Option<String>,
}

impl Occurrences {
    pub(crate) fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        if self.example.is_none() {
            self.example = Some(example());
        }
    }

    pub(crate) fn merge(&mut self, later: Occurrences) {
        self.count += later.count;
        self.example = self.example.take().or(later.example);
    }
}

impl RecordTally {
    /// Counts a record of a file, and the events that it made.
    pub(crate) fn add(
        &mut self,
        (mapping, file): (&Mapping, &str),
        record: &Record<'_>,
        (mapped, events): (&MappedRecord, &Events),
    ) {
        match *mapped {
            MappedRecord::Mapped { rule } | MappedRecord::Dropped { by: rule } => {
                *self.rules.entry(rule).or_default() += 1;
            }
            MappedRecord::Unmatched => self.unmatched.add(|| shown(mapping, file, record)),
            MappedRecord::Broken { rule, why } => {
                let reason = mapping.explain(&why, record);
                let of_reason = entry(&mut self.broken, (rule, why));
                let Explained { message, help, .. } = reason;
                of_reason.add(|| format!("{message}: {}\n{help}", shown(mapping, file, record)));
            }
        }
        for binding in events.bindings() {
            let role = RuleId::Role(binding.role.index() as u32);
            *self.rules.entry(role).or_default() += 1;
        }
        for event in events.iter() {
            match event.order {
                Some(_) => self.ordered += 1,
                None => self.unordered.add(|| shown(mapping, file, record)),
            }
        }
    }

    /// Adds the counts of the records after these.
    pub(crate) fn merge(&mut self, later: RecordTally) {
        for (rule, count) in later.rules {
            *self.rules.entry(rule).or_default() += count;
        }
        self.unmatched.merge(later.unmatched);
        for (key, occurrences) in later.broken {
            entry(&mut self.broken, key).merge(occurrences);
        }
        self.ordered += later.ordered;
        self.problems += later.problems;
        self.unordered.merge(later.unordered);
    }
}

fn entry(
    broken: &mut Vec<((RuleId, Broken), Occurrences)>,
    key: (RuleId, Broken),
) -> &mut Occurrences {
    let known = broken.iter().position(|(other, _)| *other == key);
    let index = known.unwrap_or_else(|| {
        broken.push((key, Occurrences::default()));
        broken.len() - 1
    });
    &mut broken[index].1
}

/// A record with its place and the fields that the mapping asks for.
fn shown(mapping: &Mapping, file: &str, record: &Record<'_>) -> String {
    let place = record.place().in_file(visible(file));
    format!("{place}  {}", mapping.values(record))
}
