//! Sessions that only a part of a text names: `4BX7Z1: from=<a@b>`, `closed session 0x1`.

use super::values::{comment, field_text};
use crate::survey::{FieldSample, Survey};
use regex_automata::meta::Regex;
use std::collections::BTreeMap;

/// Ids in texts: before a colon, as mail servers write those of their queues, behind the word, the connection of a client at the
/// beginning, as balancers of load write it, and others in brackets at the beginning, or behind a name that ends with `id` or one of a
/// piece of work.
const PATTERNS: [&str; 5] = [
    r"^(\w*\d\w*): ",
    r"(?i)\b(?:session(?:[ _]?id)?|[sr]id)\W{1,3}(\w*\d\w*)",
    r"^(\d{1,3}(?:\.\d{1,3}){3}:\d+) ",
    r"^\[([\w-]*\d[\w-]*)\] ",
    r"\b(?:\w*(?:[_-]id|I[dD])|[iI][dD]|order|job|task|request|trace|transaction|workflow)[ :=#]{1,3}([\w-]*\d[\w-]*)",
];

/// One record in this many must have an id that others have, too, as in text.
const LEAST_SHARE: usize = 3;

/// How many ids are shown.
const SHOWN: usize = 3;

/// A part of a field that may be the session.
pub(super) struct PartId<'s> {
    sample: &'s FieldSample,
    pattern: &'static str,
    /// In how many records each id is.
    ids: BTreeMap<&'s str, usize>,
}

impl Survey {
    /// The part of a text that most records share with others.
    pub(super) fn part_id(&self) -> Option<PartId<'_>> {
        let regexes = PATTERNS.iter().filter_map(|text| Some((*text, Regex::new(text).ok()?)));
        let regexes: Vec<(&'static str, Regex)> = regexes.collect();
        let all = self.samples.iter().flat_map(|sample| {
            regexes.iter().map(move |(pattern, regex)| PartId::new(sample, pattern, regex))
        });
        let is_likely =
            |part: &PartId<'_>| part.ids.len() > 2 && part.repeated() * LEAST_SHARE >= self.records;
        all.filter(is_likely).max_by_key(PartId::repeated)
    }
}

impl<'s> PartId<'s> {
    fn new(sample: &'s FieldSample, pattern: &'static str, regex: &Regex) -> PartId<'s> {
        let (mut ids, mut captures) = (BTreeMap::new(), regex.create_captures());
        for value in sample.present().filter(|value| value.contains(' ')) {
            regex.captures(value, &mut captures);
            if let Some(span) = captures.get_group(1) {
                *ids.entry(&value[span.range()]).or_default() += 1;
            }
        }
        PartId { sample, pattern, ids }
    }

    /// How many records have an id that others have, too.
    fn repeated(&self) -> usize {
        self.ids.values().filter(|count| **count > 1).sum()
    }

    /// Its values.
    pub(super) fn why(&self, records: usize) -> String {
        let PartId { sample, ids, .. } = self;
        let some: Vec<String> = ids.keys().take(SHOWN).map(|id| comment(id)).collect();
        let (count, path) = (self.records(), &sample.path);
        let (different, some) = (ids.len(), some.join(", "));
        format!("a part of {path}: in {count} of {records} records, {different} different: {some}")
    }

    /// How many records have it.
    fn records(&self) -> usize {
        self.ids.values().sum()
    }

    /// The rule for the records that have no such id; `None` if all have one. `records` is the number of all.
    pub(super) fn remedy(&self, records: usize) -> String {
        let PartId { sample, pattern, .. } = self;
        match self.records() < records {
            true => format!(
                "# Records without it are left out by [[drop]] when = {{ {} = {{ not = '/{pattern}/' }} }}\n",
                sample.path
            ),
            false => String::new(),
        }
    }

    /// The value in a mapping.
    pub(super) fn value(&self) -> String {
        format!("{{ field = {}, match = '{}' }}", field_text(&self.sample.path), self.pattern)
    }
}
