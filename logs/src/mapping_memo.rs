//! Results of mapping records before, by the values that decide them.

// Idea: in columns of names, records with equal values have equal numbers. Then a word of numbers stands
// for the values, and finds their result without their texts. Other records, and the first ones of
// each word, are found by a string of their values.
//
// Invariant: numbers mean something only within a batch, and there only as long as the names are the same.

use crate::mapping::{DecisiveFields, MappedRecord, Mapping, NumberKey, RuleId};
use crate::record::Record;
use crate::stored_event::StoredKind;
use multitrace_formats::content_cache::ContentCache;
use multitrace_interaction::{ActionKind, LetterId};

/// The results that a thread remembers of one mapping. Logs whose values seldom repeat are mapped record by record.
#[derive(Default)]
pub(crate) struct MappingMemo {
    /// `None` if nothing can be remembered.
    decisive: Option<DecisiveFields>,
    known: ContentCache<KnownRecord>,
    numbered: NumberedRecords,
    /// The key of the last record: the values that decide it.
    key: Vec<u8>,
}

/// A remembered result of mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KnownRecord {
    Dropped(RuleId),
    Unmatched,
    Event(RuleId, KnownEvent),
}

/// The only event of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KnownEvent {
    Letter(LetterId),
    Other { location: Option<String>, lifeline: String, kind: ActionKind, message: String },
}

/// The result for a record that was known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Remembered<'m> {
    Dropped(RuleId),
    Unmatched,
    /// The event of a rule; its session and its order are those of the record.
    Event(RuleId, StoredKind<'m>),
}

/// A table of this size holds the combinations of most logs; another one takes the place of an older one.
const NUMBERED: usize = 1 << 10;

/// The results for records of a batch, by the numbers of their values.
#[derive(Default)]
struct NumberedRecords {
    /// Which names of the batch the numbers mean.
    names: u32,
    /// By a hash of the key; empty until a record has numbers.
    table: Vec<Option<(NumberKey, KnownRecord)>>,
}

impl NumberedRecords {
    /// The result for the records of a key; computed by `find` if it is not in the table.
    #[inline]
    fn find_or(
        &mut self,
        (names, key): (u32, NumberKey),
        find: impl FnOnce() -> Option<KnownRecord>,
    ) -> Option<&KnownRecord> {
        // The table only has keys of the same names.
        if self.names != names || self.table.is_empty() {
            self.table.clear();
            self.table.resize_with(NUMBERED, || None);
            self.names = names;
        }
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - NUMBERED.ilog2());
        let place = &mut self.table[hash as usize];
        if place.as_ref().is_none_or(|(other, _)| *other != key) {
            *place = Some((key, find()?));
        }
        place.as_ref().map(|(_, known)| known)
    }
}

impl MappingMemo {
    /// For one mapping.
    pub(crate) fn new(mapping: &Mapping) -> MappingMemo {
        MappingMemo { decisive: mapping.decisive_fields(), ..MappingMemo::default() }
    }

    /// Forgets the numbers of the last batch.
    pub(crate) fn begin_batch(&mut self) {
        self.numbered.table.clear();
    }

    /// The result for a record, if one like it was there before.
    #[inline]
    pub(crate) fn find(&mut self, record: &Record<'_>) -> Option<Remembered<'_>> {
        let MappingMemo { decisive, known, numbered, key } = self;
        let decisive = decisive.as_ref().filter(|_| !record.lacks_values())?;
        let known = match decisive.number_key(record) {
            None => {
                decisive.write_key(record, key);
                known.find(key)?
            }
            Some(number) => numbered.find_or((record.names(), number), || {
                decisive.write_key(record, key);
                known.find(key).cloned()
            })?,
        };
        match known {
            KnownRecord::Dropped(by) => Some(Remembered::Dropped(*by)),
            KnownRecord::Unmatched => Some(Remembered::Unmatched),
            KnownRecord::Event(rule, event) => Some(Remembered::Event(*rule, event.kind())),
        }
    }

    /// Remembers the result of the record that was just not found. `only` is its only event.
    pub(crate) fn insert<'e>(
        &mut self,
        record: &Record<'_>,
        mapped: &MappedRecord,
        only: impl FnOnce() -> Option<StoredKind<'e>>,
    ) {
        // Another table may have the column.
        if self.decisive.is_none() || record.lacks_values() || self.known.is_resting() {
            return;
        }
        let known = match mapped {
            MappedRecord::Dropped { by } => Some(KnownRecord::Dropped(*by)),
            // Records that no pattern matches lack fields that others have.
            MappedRecord::Unmatched if record.patterns().is_read() => Some(KnownRecord::Unmatched),
            MappedRecord::Mapped { rule } => {
                only().and_then(KnownEvent::new).map(|event| KnownRecord::Event(*rule, event))
            }
            MappedRecord::Unmatched | MappedRecord::Broken { .. } => None,
        };
        if let Some(known) = known {
            self.known.insert(&self.key, known, 0);
        }
    }
}

impl KnownEvent {
    fn new(kind: StoredKind<'_>) -> Option<KnownEvent> {
        match kind {
            StoredKind::Known(letter) => Some(KnownEvent::Letter(letter)),
            StoredKind::Event { location, lifeline, kind, message } => Some(KnownEvent::Other {
                location: location.map(str::to_owned),
                lifeline: lifeline.to_owned(),
                kind,
                message: message.to_owned(),
            }),
            _ => None,
        }
    }

    fn kind(&self) -> StoredKind<'_> {
        match self {
            KnownEvent::Letter(letter) => StoredKind::Known(*letter),
            KnownEvent::Other { location, lifeline, kind, message } => {
                StoredKind::Event { location: location.as_deref(), lifeline, kind: *kind, message }
            }
        }
    }
}
