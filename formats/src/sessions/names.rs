//! A fixed set of names and their places in it, looked up by bytes.

/// Names by hash, in a table at most a quarter full.
#[derive(Debug)]
pub(super) struct NameTable {
    /// The place of a name plus one; 0 if the slot is free.
    slots: Vec<u32>,
    names: Vec<Box<[u8]>>,
}

impl NameTable {
    /// Of names that are all different.
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> NameTable {
        let names: Vec<Box<[u8]>> = names.map(|name| name.as_bytes().into()).collect();
        let mut slots = vec![0; (4 * names.len()).next_power_of_two()];
        for (place, name) in (1..).zip(&names) {
            let mut slot = hash(name) & (slots.len() - 1);
            while slots[slot] != 0 {
                slot = (slot + 1) & (slots.len() - 1);
            }
            slots[slot] = place;
        }
        NameTable { slots, names }
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The place of a name.
    #[inline]
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        let mut slot = hash(name) & (self.slots.len() - 1);
        loop {
            let place = self.slots[slot].checked_sub(1)? as usize;
            if *self.names[place] == *name {
                return Some(place);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

/// Hashes eight bytes at a time. Names are those of a specification, so nobody gains by making them
/// collide.
#[inline]
fn hash(name: &[u8]) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = name.as_chunks::<8>();
    let rest = rest.iter().fold(name.len() as u64, |word, &byte| word << 8 | u64::from(byte));
    let mix = |state: u64, word: u64| (state.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let mixed =
        words.iter().fold(mix(0, rest), |state, word| mix(state, u64::from_le_bytes(*word)));
    (mixed ^ mixed >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        let names: Vec<String> =
            (0..500).map(|n| format!("client_{n}!message_{}", n % 7)).collect();
        let short: Vec<String> = (0..99).map(|n| format!("{n}")).collect();
        let all: Vec<&str> = names.iter().chain(&short).map(String::as_str).collect();
        let table = NameTable::new(all.iter().copied());
        assert_eq!(table.len(), all.len());
        for (place, name) in all.iter().enumerate() {
            assert_eq!(table.find(name.as_bytes()), Some(place));
        }
        for other in ["", "100", "client_0!message_1", "client_500!message_3"] {
            assert_eq!(table.find(other.as_bytes()), None);
        }
        assert_eq!(NameTable::new(std::iter::empty()).find(b"x"), None);
    }
}
