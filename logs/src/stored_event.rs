//! An event as bytes, until its session is complete.

// Most events are known actions without an order field. They are one word each, if all of it fits, so
// that neither writing nor reading has to look for the ends of numbers.

use crate::grouping::{put_bytes, put_number, take, take_bytes, take_number};
use crate::mapping::{OrderKey, RoleId, SessionFilterId};
use crate::record::{RecordPlace, Unit};
use multitrace_interaction::{ActionKind, Id, LetterId};

/// One event, or another record that belongs to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredEvent<'a> {
    /// The file, by its position among the inputs.
    pub(crate) file: u32,
    /// Where it stands there.
    pub(crate) place: RecordPlace,
    pub(crate) order: Option<OrderKey>,
    pub(crate) kind: StoredKind<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredKind<'a> {
    /// An action of the specification, at its own location.
    Known(LetterId),
    /// Any other event; with roles, every event.
    Event { location: Option<&'a str>, lifeline: &'a str, kind: ActionKind, message: &'a str },
    /// A record that may bind a role.
    Binding { role: RoleId, value: &'a str },
    /// A record that a filter of sessions matches.
    Mark(SessionFilterId),
    /// A record that says to which session the id it is stored under belongs: a key, for which see
    /// `session_key`.
    Link(&'a [u8]),
    /// A span that is mapped beside others: its fields, for which see `relating`.
    Span(&'a [u8]),
    /// A record that could not be used.
    Lost,
}

impl StoredKind<'_> {
    /// Whether it is an emission or a reception.
    pub(crate) fn is_event(&self) -> bool {
        matches!(self, StoredKind::Known(_) | StoredKind::Event { .. })
    }
}

const KNOWN: u8 = 0;
const EVENT: u8 = 1;
const BINDING: u8 = 2;
const LOST: u8 = 3;
const KEEP: u8 = 4;
const DROP: u8 = 5;
const LINK: u8 = 6;
const SPAN: u8 = 7;
const KINDS: u8 = 7;
const ROW: u8 = 8;
const ORDERED: u8 = 16;
const LOCATED: u8 = 32;
const RECEPTION: u8 = 64;
/// The event is a [`PackedEvent`].
const PACKED: u8 = 128;

/// In a packed event: it is record 1 of its line.
const FIRST: u8 = 16;
/// In a packed event: its place is the line, and in the lower bits which record it is there.
const COUNTED: u8 = 32;
/// How many these lower bits are.
const COUNT_BITS: u32 = 20;

/// A known action without an order field: its flags (8 bits), its letter (16), its file (8), and its place (32).
struct PackedEvent;

impl PackedEvent {
    const BYTES: usize = 8;

    /// The event as a word, if it fits.
    #[inline]
    fn pack(event: &StoredEvent<'_>) -> Option<u64> {
        let StoredEvent { file, place, order: None, kind: StoredKind::Known(letter) } = event
        else {
            return None;
        };
        let letter = u16::try_from(letter.index()).ok()?;
        let (file, number) = (u8::try_from(*file).ok()?, u32::try_from(place.number).ok()?);
        let (place_flag, number) = match place.item {
            0 => (0, number),
            1 => (FIRST, number),
            item if number >> (u32::BITS - COUNT_BITS) == 0 && item >> COUNT_BITS == 0 => {
                (COUNTED, number << COUNT_BITS | item)
            }
            _ => return None,
        };
        let flags = PACKED | place_flag | if place.unit == Unit::Row { ROW } else { 0 };
        let word = u64::from(flags) | u64::from(letter) << 8 | u64::from(file) << 24;
        Some(word | u64::from(number) << 32)
    }

    /// The word of an event that is packed.
    #[inline]
    fn word(bytes: &[u8]) -> Option<u64> {
        let word =
            bytes.first_chunk::<{ PackedEvent::BYTES }>().filter(|it| it[0] & PACKED != 0)?;
        Some(u64::from_le_bytes(*word))
    }

    #[inline]
    fn letter(word: u64) -> LetterId {
        LetterId::new(usize::from((word >> 8) as u16))
    }

    /// The event that [`PackedEvent::pack`] made a word of.
    fn read(word: u64) -> StoredEvent<'static> {
        let (flags, number) = (word as u8, (word >> 32) as u32);
        let unit = if flags & ROW == 0 { Unit::Line } else { Unit::Row };
        let (number, item) = match flags & (FIRST | COUNTED) {
            0 => (number, 0),
            FIRST => (number, 1),
            _ => (number >> COUNT_BITS, number & ((1 << COUNT_BITS) - 1)),
        };
        StoredEvent {
            file: u32::from((word >> 24) as u8),
            place: RecordPlace { number: number.into(), item, unit },
            order: None,
            kind: StoredKind::Known(PackedEvent::letter(word)),
        }
    }
}

#[inline]
pub(crate) fn write(event: &StoredEvent<'_>, bytes: &mut Vec<u8>) {
    match PackedEvent::pack(event) {
        Some(word) => bytes.extend_from_slice(&word.to_le_bytes()),
        None => write_any(event, bytes),
    }
}

/// Apart, since few events come here.
#[inline(never)]
fn write_any(event: &StoredEvent<'_>, bytes: &mut Vec<u8>) {
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let kind = match event.kind {
        StoredKind::Known(_) => KNOWN,
        StoredKind::Event { location, kind, .. } => {
            let received = kind == ActionKind::Reception;
            EVENT | flag(location.is_some(), LOCATED) | flag(received, RECEPTION)
        }
        StoredKind::Binding { .. } => BINDING,
        StoredKind::Mark(SessionFilterId::Keep) => KEEP,
        StoredKind::Mark(SessionFilterId::Drop) => DROP,
        StoredKind::Link(_) => LINK,
        StoredKind::Span(_) => SPAN,
        StoredKind::Lost => LOST,
    };
    let StoredEvent { file, place, order, kind: stored } = event;
    let unit = flag(place.unit == Unit::Row, ROW);
    bytes.push(kind | unit | flag(order.is_some(), ORDERED));
    match stored {
        StoredKind::Known(letter) => put_number(bytes, letter.index() as u64),
        StoredKind::Event { location, lifeline, message, .. } => {
            location.iter().for_each(|location| put_bytes(bytes, location.as_bytes()));
            put_bytes(bytes, lifeline.as_bytes());
            put_bytes(bytes, message.as_bytes());
        }
        StoredKind::Binding { role, value } => {
            put_number(bytes, role.index() as u64);
            put_bytes(bytes, value.as_bytes());
        }
        StoredKind::Link(content) | StoredKind::Span(content) => put_bytes(bytes, content),
        StoredKind::Mark(_) | StoredKind::Lost => {}
    }
    put_number(bytes, u64::from(*file));
    put_number(bytes, place.number);
    put_number(bytes, u64::from(place.item));
    if let Some(order) = order {
        order.put_bytes(bytes);
    }
}

/// The letter of an action of the specification that has no order field; `None` for other events, and for
/// those that do not fit a word.
#[inline]
pub(crate) fn read_unordered_letter(bytes: &[u8]) -> Option<LetterId> {
    PackedEvent::word(bytes).map(PackedEvent::letter)
}

/// Reads an event that `write` wrote.
pub(crate) fn read(mut bytes: &[u8]) -> StoredEvent<'_> {
    if let Some(word) = PackedEvent::word(bytes) {
        return PackedEvent::read(word);
    }
    let rest = &mut bytes;
    let flags = take(rest, 1).first().copied().unwrap_or_default();
    let kind = match flags & KINDS {
        KNOWN => StoredKind::Known(LetterId::new(take_number(rest) as usize)),
        EVENT => StoredKind::Event {
            location: (flags & LOCATED != 0).then(|| take_text(rest)),
            kind: match flags & RECEPTION {
                0 => ActionKind::Emission,
                _ => ActionKind::Reception,
            },
            lifeline: take_text(rest),
            message: take_text(rest),
        },
        LOST => StoredKind::Lost,
        LINK => StoredKind::Link(take_bytes(rest)),
        SPAN => StoredKind::Span(take_bytes(rest)),
        KEEP => StoredKind::Mark(SessionFilterId::Keep),
        DROP => StoredKind::Mark(SessionFilterId::Drop),
        _ => StoredKind::Binding {
            role: RoleId::new(take_number(rest) as u32),
            value: take_text(rest),
        },
    };
    let file = take_number(rest) as u32;
    let unit = if flags & ROW == 0 { Unit::Line } else { Unit::Row };
    let place = RecordPlace { number: take_number(rest), item: take_number(rest) as u32, unit };
    let order = if flags & ORDERED == 0 { None } else { OrderKey::take(rest) };
    StoredEvent { file, place, order, kind }
}

/// Only text was written.
fn take_text<'a>(bytes: &mut &'a [u8]) -> &'a str {
    std::str::from_utf8(take_bytes(bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_kind() -> impl Strategy<Value = (u8, String, String, Option<String>, bool, u32)> {
        (0_u8..8, ".*", ".*", prop::option::of(".*"), any::<bool>(), 0_u32..1_000_000)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            file in prop_oneof![0_u32..300, any::<u32>()],
            (number, item, row) in
                (
                    prop_oneof![0_u64..5_000, any::<u32>().prop_map(u64::from), any::<u64>()],
                    prop_oneof![0_u32..3, 0_u32..2_000_000, any::<u32>()],
                    any::<bool>(),
                ),
            order in prop::option::of(-1_000_000_000_000_i64..1_000_000_000_000),
            (kind, one, two, three, received, id) in any_kind(),
        ) {
            let unit = if row { Unit::Row } else { Unit::Line };
            let kinds = [ActionKind::Emission, ActionKind::Reception];
            let stored = match kind {
                0 => StoredKind::Known(LetterId::new(id as usize)),
                1 => StoredKind::Event {
                    location: three.as_deref(),
                    lifeline: &one,
                    kind: kinds[usize::from(received)],
                    message: &two,
                },
                2 => StoredKind::Binding { role: RoleId::new(id), value: &one },
                3 => StoredKind::Mark(SessionFilterId::Keep),
                4 => StoredKind::Mark(SessionFilterId::Drop),
                5 => StoredKind::Link(one.as_bytes()),
                6 => StoredKind::Span(one.as_bytes()),
                _ => StoredKind::Lost,
            };
            let order = order.and_then(|order| OrderKey::parse(&order.to_string()));
            let written = StoredEvent { file, place: RecordPlace { number, item, unit }, order, kind: stored };
            let mut bytes = Vec::new();
            write(&written, &mut bytes);
            prop_assert_eq!(read(&bytes), written);
            if let Some(letter) = read_unordered_letter(&bytes) {
                prop_assert_eq!((StoredKind::Known(letter), None), (stored, order));
            }
        }
    }
}
