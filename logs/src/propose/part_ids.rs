//! Sessions that only a part of a text names: `4BX7Z1: from=<a@b>`, `closed session 0x1`.

use super::values::{comment, field_text};
use crate::survey::{FieldSample, Survey};
use regex_automata::meta::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// Ids in texts: before a colon, as mail servers write those of their queues, behind the word, the connection of a client at the
/// beginning, as balancers of load write it, others in brackets at the beginning, and that of a trace in the header of the W3C.
const PATTERNS: [&str; 5] = [
    r"^(\w*\d\w*): ",
    r"(?i)\b(?:session(?:[ _]?id)?|[sr]id)\W{1,3}(\w*\d\w*)",
    r"^(\d{1,3}(?:\.\d{1,3}){3}:\d+) ",
    r"^\[([\w-]*\d[\w-]*)\] ",
    r"^00-([0-9a-f]{32})-[0-9a-f]{16}-",
];

/// Names before ids: those that end with `id`, and those of pieces of work.
const NAMED: &str = r"\b(\w*(?:[_-]id|[a-z]I[dD])|[iI][dD]|order|job|task|request|trace|transaction|workflow)[ :=#]{1,3}[\w-]*\d";
/// An id behind its name.
const BEHIND_NAME: &str = r"[ :=#]{1,3}([\w-]*\d[\w-]*)";
/// How many of these names are looked at.
const MOST_NAMES: usize = 8;

/// One record in this many must have an id that others have, too, as in text.
const LEAST_SHARE: usize = 3;

/// How many ids are shown.
const SHOWN: usize = 3;

/// A part of a field that may be the session.
pub(super) struct PartId<'s> {
    sample: &'s FieldSample,
    pattern: String,
    /// In how many records each id is.
    ids: BTreeMap<&'s str, usize>,
}

impl Survey {
    /// The part of a text that most records share with others.
    pub(super) fn part_id(&self) -> Option<PartId<'_>> {
        let names = self.names_of_ids().into_iter().take(MOST_NAMES);
        let named = names.map(|name| format!(r"\b{name}{BEHIND_NAME}"));
        let patterns = PATTERNS.iter().map(|text| (*text).to_owned()).chain(named);
        let regexes = patterns.filter_map(|text| Some((Regex::new(&text).ok()?, text)));
        let regexes: Vec<(Regex, String)> = regexes.collect();
        let all = self.samples.iter().flat_map(|sample| {
            regexes.iter().map(move |(regex, pattern)| PartId::new(sample, pattern, regex))
        });
        let is_likely =
            |part: &PartId<'_>| part.ids.len() > 2 && part.repeated() * LEAST_SHARE >= self.records;
        all.filter(is_likely).max_by_key(PartId::repeated)
    }
}

impl Survey {
    /// The names that stand before ids in texts.
    fn names_of_ids(&self) -> BTreeSet<&str> {
        let Ok(regex) = Regex::new(NAMED) else { return BTreeSet::new() };
        let (mut names, mut captures) = (BTreeSet::new(), regex.create_captures());
        let texts = self.samples.iter().flat_map(FieldSample::present);
        for text in texts.filter(|text| is_text(text)) {
            regex.captures(text, &mut captures);
            names.extend(captures.get_group(1).map(|span| &text[span.range()]));
        }
        names
    }
}

/// Whether a value may have parts: words, or the header of a trace.
fn is_text(value: &str) -> bool {
    value.contains(' ') || value.starts_with("00-")
}

impl<'s> PartId<'s> {
    fn new(sample: &'s FieldSample, pattern: &str, regex: &Regex) -> PartId<'s> {
        let (mut ids, mut captures) = (BTreeMap::new(), regex.create_captures());
        for value in sample.present().filter(|value| is_text(value)) {
            regex.captures(value, &mut captures);
            if let Some(span) = captures.get_group(1) {
                *ids.entry(&value[span.range()]).or_default() += 1;
            }
        }
        PartId { sample, pattern: pattern.to_owned(), ids }
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
