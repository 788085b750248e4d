//! Sets of ids as bit sets. Two sets with the same members are equal whatever their capacity.

use crate::id::{Id, LifelineId, LocationId};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A set of ids of one kind: the words of a bit set from the first that is used on, so that a set of the last of many ids is
/// small.
///
/// ```
/// use multitrace_interaction::{Id, LifelineId, LifelineSet};
/// let set: LifelineSet = [2, 0].into_iter().map(LifelineId::new).collect();
/// assert!(set.contains(LifelineId::new(2)));
/// assert_eq!(set.len(), 2);
/// ```
pub struct IdSet<I> {
    /// How many words are left out in front.
    start: usize,
    words: SmallVec<[usize; 2]>,
    kind: PhantomData<I>,
}

/// A set of lifelines.
pub type LifelineSet = IdSet<LifelineId>;
/// A set of locations.
pub type LocationSet = IdSet<LocationId>;

const BITS: usize = usize::BITS as usize;

impl<I: Id> IdSet<I> {
    /// The empty set.
    pub fn new() -> Self {
        IdSet { start: 0, words: SmallVec::new(), kind: PhantomData }
    }

    /// Adds a member, and says whether it is new.
    pub fn insert(&mut self, id: I) -> bool {
        let (word, bit) = (id.index() / BITS, 1 << (id.index() % BITS));
        self.cover(word, word + 1);
        let word = &mut self.words[word - self.start];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Makes room for the words from one on to before another.
    fn cover(&mut self, start: usize, end: usize) {
        if self.words.is_empty() {
            self.start = start;
        }
        if start < self.start {
            self.words.insert_many(0, std::iter::repeat_n(0, self.start - start));
            self.start = start;
        }
        if self.end() < end {
            self.words.resize(end - self.start, 0);
        }
    }

    /// The number of words that its members span, which is the cost of a look at all of them.
    pub(crate) fn width(&self) -> usize {
        self.words.len()
    }

    fn end(&self) -> usize {
        self.start + self.words.len()
    }

    /// The words of both sets where both have some, each with its place in this set.
    fn common<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
        let (start, end) = (self.start.max(other.start), self.end().min(other.end()));
        (start..end)
            .map(|at| (at - self.start, self.words[at - self.start], other.words[at - other.start]))
    }

    /// Whether `id` is a member.
    pub fn contains(&self, id: I) -> bool {
        let word = (id.index() / BITS).checked_sub(self.start);
        let word = word.and_then(|word| self.words.get(word));
        word.is_some_and(|word| word >> (id.index() % BITS) & 1 == 1)
    }

    /// The members in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        let bits = move |(at, &word): (usize, &usize)| {
            let rest = |&word: &usize| Some(word & (word - 1)).filter(|&rest| rest != 0);
            let words = std::iter::successors(Some(word).filter(|&word| word != 0), rest);
            words.map(move |word| (self.start + at) * BITS + word.trailing_zeros() as usize)
        };
        self.words.iter().enumerate().flat_map(bits).map(I::new)
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Adds the members of another set.
    pub fn extend(&mut self, other: &Self) {
        if other.words.is_empty() {
            return;
        }
        self.cover(other.start, other.end());
        let own = self.words[other.start - self.start..].iter_mut();
        own.zip(&other.words).for_each(|(own, other)| *own |= other);
    }

    /// Members of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.extend(other);
        all
    }

    /// Members of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let start = self.start.max(other.start);
        let words = self.common(other).map(|(_, own, other)| own & other).collect();
        IdSet { start, words, kind: PhantomData }
    }

    /// Members of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut own = self.clone();
        self.common(other).for_each(|(at, word, other)| own.words[at] = word & !other);
        own
    }

    /// Whether the sets share no member.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.common(other).all(|(_, own, other)| own & other == 0)
    }

    /// The words that are not zero, and those between them, with the place of the first.
    fn trimmed(&self) -> (usize, &[usize]) {
        let is_used = |&word: &usize| word != 0;
        let Some(first) = self.words.iter().position(is_used) else { return (0, &[]) };
        let last = self.words.iter().rposition(is_used).unwrap_or(first);
        (self.start + first, &self.words[first..=last])
    }

    /// Whether every member of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        let (start, words) = self.trimmed();
        let of_other = |at: usize| at.checked_sub(other.start).and_then(|at| other.words.get(at));
        let mut all = words.iter().enumerate();
        all.all(|(at, word)| word & !of_other(start + at).copied().unwrap_or(0) == 0)
    }

    /// The bytes that the set takes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        if self.words.spilled() { self.words.capacity() * size_of::<usize>() } else { 0 }
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
        IdSet { start: self.start, words: self.words.clone(), kind: PhantomData }
    }
}

impl<I: Id> PartialEq for IdSet<I> {
    fn eq(&self, other: &Self) -> bool {
        let ((start, words), (other_start, other_words)) = (self.trimmed(), other.trimmed());
        // Word by word: a call that compares memory takes longer than most sets do, which are one word.
        start == other_start && words.iter().eq(other_words)
    }
}

impl<I: Id> Eq for IdSet<I> {}

impl<I: Id> Hash for IdSet<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (start, words) = self.trimmed();
        words.iter().for_each(|&word| state.write_usize(word));
        // Nothing for sets of few ids, which are most.
        if start > 0 {
            start.hash(state);
        }
    }
}

impl<I: Id> std::fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter().map(Id::index)).finish()
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
        assert_ne!(set(&[1]), set(&[65]));
    }

    #[test]
    fn a_set_of_the_last_of_many_ids_is_small() {
        let last = set(&[99_999]);
        assert!(last.heap_bytes() <= 64 && last.contains(LifelineId::new(99_999)));
        let mut wide = last.clone();
        assert!(wide.insert(LifelineId::new(3)) && !wide.insert(LifelineId::new(3)));
        assert_eq!(wide.iter().map(Id::index).collect::<Vec<_>>(), [3, 99_999]);
        assert!(!last.contains(LifelineId::new(3)) && !last.contains(LifelineId::new(1 << 20)));
    }

    #[test]
    fn operations_are_those_of_sets_wherever_words_begin_and_end() {
        use std::collections::BTreeSet;
        let lists: [&[usize]; 7] =
            [&[], &[0], &[63, 64], &[200], &[64, 130, 200], &[1, 500], &[130]];
        for (a, b) in lists.iter().flat_map(|a| lists.iter().map(move |b| (*a, *b))) {
            let naive = |ids: &[usize]| ids.iter().copied().collect::<BTreeSet<_>>();
            let members = |set: LifelineSet| set.iter().map(Id::index).collect::<BTreeSet<_>>();
            let (x, y, p, q) = (set(a), set(b), naive(a), naive(b));
            assert_eq!(members(x.union(&y)), &p | &q);
            assert_eq!(members(x.intersection(&y)), &p & &q);
            assert_eq!(members(x.difference(&y)), &p - &q);
            assert_eq!(x.is_disjoint(&y), p.is_disjoint(&q));
            assert_eq!(x.is_subset(&y), p.is_subset(&q), "{a:?} {b:?}");
            assert_eq!(x == y, p == q);
            assert_eq!((x.len(), x.is_empty()), (p.len(), p.is_empty()));
        }
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
