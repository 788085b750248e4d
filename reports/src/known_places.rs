//! The places of a kind of findings, by their fingerprints.

// Idea: a run may have a million kinds, and most of them have one place. The smallest tree has room for eleven, so the
// first place is kept outside of it.
//
// Invariant: the first place has the least fingerprint; without it there is no other one.

use crate::fingerprint::Fingerprint;
use std::collections::BTreeMap;

/// A place of a kind of findings: the event before it in its log, or one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownPlace {
    /// The finding and the event before it, in one line.
    pub title: String,
    /// How many findings it has, one a session.
    pub count: u64,
}

/// Places in the order of their fingerprints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownPlaces {
    first: Option<(Fingerprint, KnownPlace)>,
    others: BTreeMap<Fingerprint, KnownPlace>,
}

impl KnownPlaces {
    /// The place with a fingerprint.
    pub fn get_mut(&mut self, key: &Fingerprint) -> Option<&mut KnownPlace> {
        match &mut self.first {
            Some((first, place)) if first == key => Some(place),
            _ => self.others.get_mut(key),
        }
    }

    /// Adds a place, in place of one with the same fingerprint.
    pub fn insert(&mut self, key: Fingerprint, place: KnownPlace) {
        match &mut self.first {
            None => self.first = Some((key, place)),
            Some(first) if key == first.0 => first.1 = place,
            Some(first) if key < first.0 => {
                let (key, place) = std::mem::replace(first, (key, place));
                self.others.insert(key, place);
            }
            Some(_) => drop(self.others.insert(key, place)),
        }
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.others.len() + usize::from(self.first.is_some())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The places, by their fingerprints.
    pub fn iter(&self) -> impl Iterator<Item = (&Fingerprint, &KnownPlace)> {
        self.first.iter().map(|(key, place)| (key, place)).chain(&self.others)
    }

    /// The fingerprints of the places.
    pub fn keys(&self) -> impl Iterator<Item = &Fingerprint> {
        self.iter().map(|(key, _)| key)
    }
}

impl FromIterator<(Fingerprint, KnownPlace)> for KnownPlaces {
    fn from_iter<I: IntoIterator<Item = (Fingerprint, KnownPlace)>>(places: I) -> KnownPlaces {
        let mut all = KnownPlaces::default();
        places.into_iter().for_each(|(key, place)| all.insert(key, place));
        all
    }
}

impl IntoIterator for KnownPlaces {
    type Item = (Fingerprint, KnownPlace);
    type IntoIter = std::iter::Chain<
        std::option::IntoIter<(Fingerprint, KnownPlace)>,
        std::collections::btree_map::IntoIter<Fingerprint, KnownPlace>,
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::Code;

    #[test]
    fn places_are_in_the_order_of_their_fingerprints_however_they_came() {
        let key = |event| Fingerprint::new(Code::UnknownLocation, &[("a", Some(event))]);
        let place = |count| KnownPlace { title: "t".to_owned(), count };
        let mut keys = ["e", "f", "g", "h"].map(key);
        for _ in 0..keys.len() {
            keys.rotate_left(1);
            let all: KnownPlaces = keys.iter().map(|key| (*key, place(1))).collect();
            let all: KnownPlaces = all.into_iter().chain(keys.map(|key| (key, place(2)))).collect();
            let tree: BTreeMap<Fingerprint, KnownPlace> = keys.map(|key| (key, place(2))).into();
            assert!(all.iter().eq(&tree) && all.len() == tree.len() && !all.is_empty());
            let mut all = all;
            assert!(keys.iter().all(|key| all.get_mut(key).is_some_and(|it| it.count == 2)));
            assert_eq!(all.get_mut(&key("another")), None);
        }
    }
}
