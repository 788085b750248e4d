//! Ids that belong together, and the sessions of all of them.

use crate::record::RecordPlace;
use indexmap::{IndexMap, IndexSet};

/// Where a record was read, and its number among all events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadAt {
    pub(crate) number: u64,
    pub(crate) file: u32,
    pub(crate) place: RecordPlace,
}

/// Ids joined to chains: a forest whose roots have the sessions (union-find).
#[derive(Debug, Default)]
pub(crate) struct Chains {
    ids: IndexSet<Vec<u8>>,
    /// The id above each, or itself.
    parents: Vec<usize>,
    /// The sessions of each id, and where the first record that says so was read. Once closed, those of
    /// a chain are at its root.
    sessions: Vec<IndexMap<Vec<u8>, ReadAt>>,
}

impl Chains {
    /// Adds an id with those it belongs together with, and its sessions.
    pub(crate) fn add(
        &mut self,
        id: &[u8],
        neighbours: &IndexSet<&[u8]>,
        sessions: &IndexMap<Vec<u8>, ReadAt>,
    ) {
        let id = self.number(id);
        for neighbour in neighbours {
            let (one, other) = (self.number(neighbour), self.root(id));
            let root = self.root(one);
            self.parents[root] = other;
        }
        self.sessions[id].extend(sessions.iter().map(|(session, at)| (session.clone(), *at)));
    }

    fn number(&mut self, id: &[u8]) -> usize {
        if let Some(number) = self.ids.get_index_of(id) {
            return number;
        }
        self.parents.push(self.parents.len());
        self.sessions.push(IndexMap::new());
        self.ids.insert_full(id.to_vec()).0
    }

    /// The root of a chain; halves the way to it.
    fn root(&mut self, mut id: usize) -> usize {
        while self.parents[id] != id {
            self.parents[id] = self.parents[self.parents[id]];
            id = self.parents[id];
        }
        id
    }

    /// Brings the sessions of each chain together, in the order of the input.
    pub(crate) fn close(&mut self) {
        for id in 0..self.parents.len() {
            let root = self.root(id);
            if root != id {
                for (session, at) in std::mem::take(&mut self.sessions[id]) {
                    let known = self.sessions[root].entry(session).or_insert(at);
                    *known = if at.number < known.number { at } else { *known };
                }
            }
            self.parents[id] = root;
        }
        for sessions in &mut self.sessions {
            sessions.sort_by_key(|_, at| at.number);
        }
    }

    /// The sessions of the chain of an id, once closed.
    pub(crate) fn sessions_of(&self, id: &[u8]) -> &IndexMap<Vec<u8>, ReadAt> {
        let id = self.ids.get_index_of(id).unwrap_or_default();
        &self.sessions[self.parents[id]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: u64) -> ReadAt {
        ReadAt { number, file: 0, place: RecordPlace::line(number) }
    }

    #[test]
    fn a_session_of_several_ids_was_read_where_it_came_first() {
        let mut chains = Chains::default();
        for (id, neighbour, sessions) in [
            ("a", "b", [("late", 7), ("both", 5)]),
            ("b", "c", [("both", 3), ("early", 1)]),
            ("c", "a", [("both", 9), ("last", 8)]),
        ] {
            let neighbours = [neighbour.as_bytes()].into_iter().collect();
            let sessions = sessions.map(|(name, number)| (name.as_bytes().to_vec(), at(number)));
            chains.add(id.as_bytes(), &neighbours, &sessions.into_iter().collect());
        }
        chains.close();
        for id in ["a", "b", "c"] {
            let sessions = chains.sessions_of(id.as_bytes()).iter();
            let read: Vec<_> = sessions.map(|(name, at)| (name.as_slice(), at.number)).collect();
            let expected: [(&[u8], u64); 4] =
                [(b"early", 1), (b"both", 3), (b"late", 7), (b"last", 8)];
            assert_eq!(read, expected);
        }
    }
}
