//! A bounded cache by content: sessions repeat, and equal ones have equal verdicts; records of event
//! logs repeat but for their sessions and times.

// Idea: keys are strings of bytes, stored one after another; a table of indexes finds them. Input
// whose sessions never repeat pays for look-ups and gains nothing, so the cache measures itself and
// rests while it rarely hits.
//
// Invariant: a value may be forgotten at any time, so nothing may depend on a hit.
//
// Cost: one hash of the key per look-up, and a copy of each new key.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// The most keys, and the most bytes of keys and of what values hold elsewhere; a full cache is emptied. Together they bound it
/// to about 20 MB a worker, and hold some 65,000 different sessions of 250 bytes.
const MOST_KEYS: usize = 1 << 16;
const MOST_BYTES: usize = 16 << 20;
/// Disables a cache that rarely hits, checked every `TRIAL` look-ups. A longer trial judges better
/// and reacts later.
const TRIAL: u32 = 1 << 13;
/// The cache rarely hits if fewer than one look-up in `USEFUL` finds its key: then hashing and
/// copying keys costs more than the hits save. Estimated, not measured.
const USEFUL: u32 = 16;
/// For how many trials a cache is disabled at first.
const REST: u32 = 8;
/// For how many trials it is disabled at most. Each trial that fails doubles the rest after it: where nothing ever
/// repeats, the cache then costs one trial in 65. A longer rest gains little more, and finds later repetitions later.
const MOST_REST: u32 = 64;

/// Values by keys that are strings of bytes. It is bounded, and may forget a value at any time.
#[derive(Debug)]
pub struct ContentCache<V> {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    /// All keys, one after another, and the end of each.
    keys: Vec<u8>,
    ends: Vec<usize>,
    values: Vec<V>,
    /// How many bytes the values hold elsewhere.
    held: usize,
    lookups: u32,
    hits: u32,
    /// For how many trials it is still disabled.
    resting: u32,
    /// For how many trials it is disabled next.
    rest: u32,
}

impl<V> Default for ContentCache<V> {
    fn default() -> Self {
        ContentCache {
            hasher: DefaultHashBuilder::default(),
            table: HashTable::new(),
            keys: Vec::new(),
            ends: Vec::new(),
            values: Vec::new(),
            held: 0,
            lookups: 0,
            hits: 0,
            resting: 0,
            rest: REST,
        }
    }
}

impl<V> ContentCache<V> {
    /// The value of a key, if it is remembered.
    pub fn find(&mut self, key: &[u8]) -> Option<&V> {
        self.find_first([key])
    }

    /// The value of the first of some keys that is remembered.
    pub fn find_first<const N: usize>(&mut self, of: [&[u8]; N]) -> Option<&V> {
        self.lookups += 1;
        if self.lookups >= TRIAL {
            self.judge();
        }
        if self.resting > 0 {
            return None;
        }
        let (keys, ends) = (&self.keys, &self.ends);
        let mut found = of.iter().map(|&key| {
            let is_it = |&index: &u32| key_at(keys, ends, index) == key;
            self.table.find(self.hasher.hash_one(key), is_it)
        });
        let index = found.find_map(|it| it)?;
        self.hits += 1;
        Some(&self.values[*index as usize])
    }

    /// Whether it is disabled for a while, since it rarely hits.
    pub fn is_resting(&self) -> bool {
        self.resting > 0
    }

    /// Remembers the value of a key that was not found, which holds some bytes elsewhere.
    pub fn insert(&mut self, key: &[u8], value: V, holds: usize) {
        if self.resting > 0 || key.len() + holds > MOST_BYTES / 16 {
            return;
        }
        let bytes = self.keys.len() + self.held + key.len() + holds;
        if self.values.len() >= MOST_KEYS || bytes > MOST_BYTES {
            self.clear();
        }
        self.held += holds;
        let index = self.values.len() as u32;
        self.keys.extend_from_slice(key);
        self.ends.push(self.keys.len());
        self.values.push(value);
        let (keys, ends, hasher) = (&self.keys, &self.ends, &self.hasher);
        let hash = |&index: &u32| hasher.hash_one(key_at(keys, ends, index));
        self.table.insert_unique(hasher.hash_one(key), index, hash);
    }

    /// After a trial: disables the cache if it rarely hit, and enables it after its rest.
    fn judge(&mut self) {
        let useful = self.hits >= self.lookups / USEFUL;
        (self.lookups, self.hits) = (0, 0);
        match self.resting {
            0 if useful => self.rest = REST,
            0 => {
                self.resting = self.rest;
                self.rest = MOST_REST.min(2 * self.rest);
                self.clear();
            }
            _ => self.resting -= 1,
        }
    }

    fn clear(&mut self) {
        self.table.clear();
        self.keys.clear();
        self.ends.clear();
        self.values.clear();
        self.held = 0;
    }
}

fn key_at<'a>(keys: &'a [u8], ends: &[usize], index: u32) -> &'a [u8] {
    let index = index as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &keys[start..ends[index]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks up and inserts; every value found must be that of its key.
    fn run(cache: &mut ContentCache<u64>, key: u64) -> bool {
        let bytes = key.to_le_bytes();
        let bytes = &bytes[..8 - key.leading_zeros() as usize / 8];
        if let Some(&value) = cache.find(bytes) {
            assert_eq!(value, key * 3);
            return true;
        }
        cache.insert(bytes, key * 3, 0);
        false
    }

    #[test]
    fn what_repeats_is_found() {
        let mut cache = ContentCache::default();
        let hits = (0..100_000).filter(|n| run(&mut cache, n % 1_000)).count();
        assert_eq!(hits, 99_000);
    }

    #[test]
    fn what_never_repeats_is_not_kept() {
        let mut cache = ContentCache::default();
        let hits = (0..1_000_000).filter(|&n| run(&mut cache, n)).count();
        assert_eq!(hits, 0);
        assert!(cache.values.len() <= TRIAL as usize);
        // And later repetitions are found again.
        let hits = (0..200_000).filter(|n| run(&mut cache, n % 10)).count();
        assert!(hits > 100_000, "{hits}");
    }

    #[test]
    fn it_is_bounded() {
        let mut cache = ContentCache::default();
        for n in 0..MOST_KEYS as u64 * 3 {
            run(&mut cache, n);
            run(&mut cache, n);
        }
        assert!(cache.values.len() <= MOST_KEYS && cache.keys.len() <= MOST_BYTES);
        // Values that hold much are few.
        (0..100_u8).for_each(|n| cache.insert(&[n, n], 0, MOST_BYTES / 20));
        assert!(cache.values.len() <= 20, "{}", cache.values.len());
        cache.insert(b"large", 0, MOST_BYTES);
        assert_eq!(cache.find(b"large"), None);
    }

    #[test]
    fn the_first_of_several_keys_is_found() {
        let mut cache = ContentCache::default();
        cache.insert(b"b", 2, 0);
        assert_eq!(cache.find_first([b"a", b"b"]), Some(&2));
        cache.insert(b"a", 1, 0);
        assert_eq!(cache.find_first([b"a", b"b"]), Some(&1));
        assert_eq!(cache.find_first([b"c", b"d"]), None);
    }
}
