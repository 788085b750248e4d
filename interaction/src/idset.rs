//! Sets of ids as bit sets. Two sets with the same members are equal whatever their capacity.

use crate::id::{Id, LifelineId, LocationId};
use fixedbitset::FixedBitSet;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A set of ids of one kind.
///
/// ```
/// use multitrace_interaction::{Id, LifelineId, LifelineSet};
/// let set: LifelineSet = [2, 0].into_iter().map(LifelineId::new).collect();
/// assert!(set.contains(LifelineId::new(2)));
/// assert_eq!(set.len(), 2);
/// ```
pub struct IdSet<I> {
    bits: FixedBitSet,
    kind: PhantomData<I>,
}

/// A set of lifelines.
pub type LifelineSet = IdSet<LifelineId>;
/// A set of locations.
pub type LocationSet = IdSet<LocationId>;

impl<I: Id> IdSet<I> {
    /// The empty set.
    pub fn new() -> Self {
        IdSet { bits: FixedBitSet::new(), kind: PhantomData }
    }

    /// Adds a member, and says whether it is new.
    pub fn insert(&mut self, id: I) -> bool {
        self.bits.grow(id.index() + 1);
        !self.bits.put(id.index())
    }

    /// Whether `id` is a member.
    pub fn contains(&self, id: I) -> bool {
        self.bits.contains(id.index())
    }

    /// The members in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.bits.ones().map(I::new)
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.bits.count_ones(..)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.bits.is_clear()
    }

    /// Adds the members of another set.
    pub fn extend(&mut self, other: &Self) {
        self.bits.union_with(&other.bits);
    }

    /// Members of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.bits.union_with(&other.bits);
        all
    }

    /// Members of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut shared = self.clone();
        shared.bits.intersect_with(&other.bits);
        shared
    }

    /// Members of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut own = self.clone();
        own.bits.difference_with(&other.bits);
        own
    }

    /// Whether the sets share no member.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.bits.is_disjoint(&other.bits)
    }

    /// The bits of the members, a word at a time, without the empty words at the end, which depend on the capacity.
    fn words(&self) -> &[usize] {
        let words = self.bits.as_slice();
        let end = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        &words[..end]
    }

    /// Whether every member of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.bits.is_subset(&other.bits)
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        let mut set = IdSet::new();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        IdSet::new()
    }
}

impl<I> Clone for IdSet<I> {
    fn clone(&self) -> Self {
        IdSet { bits: self.bits.clone(), kind: PhantomData }
    }
}

impl<I: Id> PartialEq for IdSet<I> {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl<I: Id> Eq for IdSet<I> {}

impl<I: Id> Hash for IdSet<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

impl<I: Id> std::fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.bits.ones()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxBuildHasher;
    use std::hash::BuildHasher;

    fn set(ids: &[usize]) -> LifelineSet {
        ids.iter().map(|&i| LifelineId::new(i)).collect()
    }

    #[test]
    fn equality_ignores_capacity() {
        let grown = set(&[1, 500]).intersection(&set(&[1, 2]));
        let mut shrunk = set(&[1, 500]);
        shrunk = shrunk.difference(&set(&[500]));
        assert_eq!(grown, set(&[1]));
        assert_eq!(shrunk, grown);
        let hashes = FxBuildHasher;
        assert_eq!(hashes.hash_one(&shrunk), hashes.hash_one(&grown));
        assert_ne!(grown, set(&[2]));
    }

    #[test]
    fn set_operations() {
        assert_eq!(set(&[0, 2]).union(&set(&[1])), set(&[0, 1, 2]));
        assert_eq!(set(&[0, 2]).difference(&set(&[2, 9])), set(&[0]));
        assert!(set(&[0, 200]).is_disjoint(&set(&[1])));
        assert!(set(&[0]).is_subset(&set(&[0, 300])));
        assert!(!set(&[0, 300]).is_subset(&set(&[0])));
    }
}
