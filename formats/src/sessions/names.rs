//! A fixed set of names and their places in it, looked up by bytes.

use crate::json_cursor::ShortText;

/// Names by hash, in a table at most a quarter full.
// Idea: most names are short. Those are hashed and compared as one number, which takes no loop, so
// that the processor need not guess how long each name is.
#[derive(Debug)]
pub(super) struct NameTable {
    /// The place of a name plus one; 0 if the slot is free.
    slots: Vec<u32>,
    names: Vec<Box<[u8]>>,
    /// Per name, the name as a short text; [`ShortText::NONE`] if it is long, or cannot stand in a string as it is.
    short: Vec<ShortText>,
}

impl NameTable {
    /// Of names that are all different.
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> NameTable {
        let names: Vec<Box<[u8]>> = names.map(|name| name.as_bytes().into()).collect();
        let stands = |name: &[u8]| name.iter().all(|&it| it != b'\\' && it >= 0x20);
        let short = |name: &[u8]| ShortText::new(name).filter(|_| stands(name));
        let short: Vec<ShortText> =
            names.iter().map(|name| short(name).unwrap_or(ShortText::NONE)).collect();
        let mut slots = vec![0; (4 * names.len()).next_power_of_two()];
        for (place, name) in (1..).zip(&names) {
            let hash = ShortText::new(name).map_or_else(|| hash(name), hash_short);
            let mut slot = hash & (slots.len() - 1);
            while slots[slot] != 0 {
                slot = (slot + 1) & (slots.len() - 1);
            }
            slots[slot] = place;
        }
        NameTable { slots, names, short }
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The place of a name.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        match ShortText::new(name) {
            Some(short) => self.find_short(short),
            None => self.find_from(hash(name), |place| *self.names[place] == *name),
        }
    }

    /// The place of a short name.
    #[inline]
    pub(super) fn find_short(&self, name: ShortText) -> Option<usize> {
        self.find_from(hash_short(name), |place| self.short[place] == name)
    }

    #[inline]
    fn find_from(&self, hash: usize, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        let mut slot = hash & (self.slots.len() - 1);
        loop {
            let place = self.slots[slot].checked_sub(1)? as usize;
            if is_it(place) {
                return Some(place);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

/// Hashes eight bytes at a time. Names are those of a specification, so nobody gains by making them
/// collide.
fn hash(name: &[u8]) -> usize {
    let (words, rest) = name.as_chunks::<8>();
    // The last eight bytes once more, instead of a loop over the rest.
    let last = name.last_chunk::<8>().filter(|_| !rest.is_empty());
    let mix = |state: u64, word: &[u8; 8]| mix(state.rotate_left(23) ^ u64::from_le_bytes(*word));
    words.iter().chain(last).fold(name.len() as u64, mix) as usize
}

/// Hashes a short name at once.
#[inline]
fn hash_short(name: ShortText) -> usize {
    let word = name.word();
    mix(word as u64 ^ ((word >> 64) as u64).rotate_left(23)) as usize
}

/// Every bit of the result depends on bits of every byte: names often differ in their last letter alone.
#[inline]
fn mix(word: u64) -> u64 {
    const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(word) * FACTOR;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        let names: Vec<String> =
            (0..500).map(|n| format!("client_{n}!message_{}", n % 7)).collect();
        let short: Vec<String> = (0..99).map(|n| format!("{n}")).collect();
        // Up to the longest short text, and beyond.
        let growing: Vec<String> = (0..40).map(|n| "x".repeat(n)).collect();
        let all: Vec<&str> =
            names.iter().chain(&short).chain(&growing).map(String::as_str).collect();
        let table = NameTable::new(all.iter().copied());
        assert_eq!(table.len(), all.len());
        for (place, name) in all.iter().enumerate() {
            assert_eq!(table.find(name.as_bytes()), Some(place));
        }
        for other in [
            "\0",
            "x\0",
            "y",
            "xxxxxxxxxxxxxxy",
            "xxxxxxxxxxxxxxxxy",
            "100",
            "client_0!message_1",
            "client_500!message_3",
        ] {
            assert_eq!(table.find(other.as_bytes()), None);
        }
        assert_eq!(NameTable::new(std::iter::empty()).find(b"x"), None);
    }

    #[test]
    fn names_that_differ_in_their_last_letter_alone_are_spread() {
        for prefix in ["c?ok", "client!", "client!order", "client!place_order"] {
            let names: Vec<String> = (0..64).map(|n| format!("{prefix}{n:02}")).collect();
            let table = NameTable::new(names.iter().map(String::as_str));
            let home = |name: &String| {
                let hash = ShortText::new(name.as_bytes())
                    .map_or_else(|| hash(name.as_bytes()), hash_short);
                hash & (table.slots.len() - 1)
            };
            let homes: std::collections::BTreeSet<usize> = names.iter().map(home).collect();
            assert!(homes.len() > 48, "{prefix}: {}", homes.len());
        }
    }
}
