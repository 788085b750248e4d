//! Kinds of records that no rule matches, each with its count and its first place.

// Idea: a kind is the text of a record without the words that have digits in them, since these differ from record to
// record. Its key is a hash of that text, so that nothing is copied of a kind that is known. If there are more kinds
// than are kept, those with the smallest keys stay: the same ones in whatever order and parts records are counted.

use crate::place::Place;
use serde::Serialize;
use std::collections::BTreeMap;

/// The most kinds that are kept: some hundred kilobytes, and far more than people read.
pub const MOST_KINDS: usize = 1000;
/// Characters of a kind that are kept: two lines of a terminal.
const MOST_SHOWN: usize = 160;
/// Words of records that speak of something wrong.
const ALARMS: [&str; 4] = ["exception", "error", "fatal", "panic"];
/// The mark for a word with a digit.
const VALUE: &str = "…";

/// Kinds of records, by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordKinds {
    kinds: BTreeMap<u64, RecordKind>,
}

/// One kind of records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordKind {
    /// The text that all of them have in common.
    pub like: String,
    /// How many there are.
    pub count: u64,
    /// The number of the input and of the record there, of the first one.
    #[serde(skip)]
    pub at: (u32, u64),
    /// The place of the first one.
    #[serde(flatten)]
    pub place: Place,
}

impl RecordKinds {
    /// Counts a record, by the texts that show its kind.
    pub fn add<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str> + Clone,
        at: (u32, u64),
        place: impl FnOnce() -> Place,
    ) {
        let key = key(texts.clone());
        if let Some(kind) = self.kinds.get_mut(&key) {
            kind.count += 1;
            if at < kind.at {
                (kind.at, kind.place) = (at, place());
            }
        } else if self.has_room(key) {
            let kind = RecordKind { like: like(texts), count: 1, at, place: place() };
            self.insert(key, kind);
        }
    }

    /// Adds the kinds of another part of the input.
    pub fn merge(&mut self, other: &RecordKinds) {
        other.iter().for_each(|(key, kind)| self.insert(key, kind.clone()));
    }

    /// Adds a kind by its key.
    pub fn insert(&mut self, key: u64, kind: RecordKind) {
        if let Some(known) = self.kinds.get_mut(&key) {
            known.count = known.count.saturating_add(kind.count);
            if kind.at < known.at {
                (known.at, known.place) = (kind.at, kind.place);
            }
        } else if self.has_room(key) {
            self.kinds.insert(key, kind);
            if self.kinds.len() > MOST_KINDS {
                self.kinds.pop_last();
            }
        }
    }

    /// Whether a new kind is among those that stay.
    fn has_room(&self, key: u64) -> bool {
        self.kinds.len() < MOST_KINDS || self.kinds.last_key_value().is_some_and(|it| key < *it.0)
    }

    /// The kinds with their keys.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &RecordKind)> {
        self.kinds.iter().map(|(key, kind)| (*key, kind))
    }

    /// The kinds: those that speak of something wrong first, since they are rare, then those with most records.
    pub fn by_count(&self) -> Vec<RecordKind> {
        let mut kinds: Vec<RecordKind> = self.kinds.values().cloned().collect();
        kinds.sort_by(|a, b| (b.count, a.at, &a.like).cmp(&(a.count, b.at, &b.like)));
        kinds.sort_by_key(|kind| {
            let like = kind.like.to_ascii_lowercase();
            !ALARMS.iter().any(|word| like.contains(word))
        });
        kinds
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.kinds.clear();
    }
}

/// FNV-1a, which is the same on every machine: parts of a run are merged by it.
fn key<'t>(texts: impl Iterator<Item = &'t str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    each_piece(texts, |piece| {
        for byte in piece.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    });
    hash
}

fn like<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut shown = String::new();
    let mut room = MOST_SHOWN;
    each_piece(texts, |piece| {
        shown.extend(piece.chars().take(room));
        room = room.saturating_sub(piece.chars().count());
    });
    if room == 0 {
        shown.push_str(" …");
    }
    shown.trim_end().to_owned()
}

/// The words of some texts and the characters between them, with [`VALUE`] for words that have a digit.
fn each_piece<'t>(texts: impl Iterator<Item = &'t str>, mut each: impl FnMut(&str)) {
    for text in texts {
        let mut rest = text;
        while !rest.is_empty() {
            let is_word = |byte: &u8| {
                byte.is_ascii_alphanumeric() || b"-._:/+".contains(byte) || *byte >= 0x80
            };
            let word = rest.bytes().position(|byte| !is_word(&byte)).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(word);
            let has_digit = piece.bytes().any(|byte| byte.is_ascii_digit());
            each(if has_digit { VALUE } else { piece });
            let gap = after.bytes().position(|byte| is_word(&byte)).unwrap_or(after.len());
            let (piece, after) = after.split_at(gap);
            each(piece);
            rest = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(kinds: &mut RecordKinds, text: &str, number: u64) {
        let place = || Place::new("log", Some(number as usize));
        kinds.add([text].into_iter(), (0, number), place);
    }

    #[test]
    fn records_that_differ_in_values_are_one_kind() {
        let mut kinds = RecordKinds::default();
        for (number, text) in (1..).zip(["beat 17 of node-1 ok", "start", "beat 18 of node-2 ok"]) {
            add(&mut kinds, text, number);
        }
        let shown: Vec<(String, u64, Option<usize>)> =
            kinds.by_count().into_iter().map(|it| (it.like, it.count, it.place.line)).collect();
        let beat = ("beat … of … ok".to_owned(), 2, Some(1));
        assert_eq!(shown, [beat, ("start".to_owned(), 1, Some(2))]);
    }

    /// Which kinds stay, and their counts, do not depend on how records come in parts.
    #[test]
    fn parts_are_the_whole_beyond_the_limit() {
        let word = |number: u64| number.to_string().bytes().map(|it| (it + 49) as char).collect();
        let texts: Vec<String> = (0..3 * MOST_KINDS as u64).map(|it| word(it % 1700)).collect();
        let (mut whole, mut parts) =
            (RecordKinds::default(), [(); 3].map(|()| RecordKinds::default()));
        for (number, text) in (0..).zip(&texts) {
            add(&mut whole, text, number);
            add(&mut parts[number as usize / MOST_KINDS], text, number);
        }
        let [mut first, second, third] = parts;
        first.merge(&third);
        first.merge(&second);
        assert_eq!(first, whole);
        assert_eq!(whole.by_count().len(), MOST_KINDS);
    }
}
