//! Names that differ by a slip of the keyboard.
//
// Idea: two names that one slip takes into each other have a common form with at most one letter
// left out of each. So names are kept under all these forms, and only those that share one are compared.
// Of names that differ in numbers only, `n1`, `n2`, …, one stands for all.
//
// Cost: the square of the length of a name, for each name; a form keeps a few names only.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Longer names are not compared; nobody types them by hand.
const MAX_LENGTH: usize = 64;
/// The most names kept under one form; names that are numbered share forms by the hundred.
const MAX_PER_FORM: usize = 16;

/// How much two names may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// Small or capital letters, or two neighbours interchanged.
    Strong,
    /// A letter too many, too few, or another one, inside.
    Inner,
    /// A letter too many or too few at the end.
    Ending,
}

/// Names by their forms.
pub(super) struct SimilarNames {
    names: Vec<Vec<char>>,
    /// How many names there are like each, numbers aside.
    alike: Vec<usize>,
    /// By the hash of a form. Two forms with one hash only cost a comparison.
    by_form: FxHashMap<u64, Vec<usize>>,
}

impl SimilarNames {
    pub(super) fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> SimilarNames {
        let names: Vec<Vec<char>> = names.into_iter().map(|name| name.chars().collect()).collect();
        let mut families: FxHashMap<Vec<char>, usize> = FxHashMap::default();
        names.iter().for_each(|name| *families.entry(without_numbers(name)).or_default() += 1);
        let alike = names.iter().map(|name| families[&without_numbers(name)]).collect();
        let mut by_form: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (index, name) in names.iter().enumerate() {
            if families.remove(&without_numbers(name)).is_none() {
                continue;
            }
            for form in forms(name) {
                let known = by_form.entry(form).or_default();
                if known.len() < MAX_PER_FORM && known.last() != Some(&index) {
                    known.push(index);
                }
            }
        }
        SimilarNames { names, alike, by_form }
    }

    /// The names that differ by a slip from the one of an index, in order, each once.
    pub(super) fn of(&self, index: usize) -> Vec<(usize, Likeness)> {
        let name = &self.names[index];
        if self.alike[index] > 1 {
            return Vec::new();
        }
        let forms = forms(name);
        let close = forms.iter().filter_map(|form| self.by_form.get(form)).flatten().copied();
        let mut close: Vec<usize> = close.filter(|&other| other != index).collect();
        close.sort_unstable();
        close.dedup();
        let likeness = |other: usize| Some((other, likeness(name, &self.names[other])?));
        close.into_iter().filter_map(likeness).collect()
    }
}

/// A name with a zero in the place of each number.
fn without_numbers(name: &[char]) -> Vec<char> {
    let mut kept = name.to_vec();
    kept.dedup_by(|next, before| next.is_ascii_digit() && before.is_ascii_digit());
    kept.iter().map(|c| if c.is_ascii_digit() { '0' } else { *c }).collect()
}

/// The hashes of a name in small letters, whole and with each one letter left out.
fn forms(name: &[char]) -> Vec<u64> {
    if name.len() > MAX_LENGTH {
        return Vec::new();
    }
    let whole: Vec<char> = name.iter().flat_map(|c| c.to_lowercase()).collect();
    let without = |left_out: usize| {
        let mut hasher = FxHasher::default();
        let kept = whole.iter().enumerate().filter(|&(at, _)| at != left_out);
        kept.for_each(|(_, c)| c.hash(&mut hasher));
        hasher.finish()
    };
    (0..=whole.len()).map(without).collect()
}

/// How two names differ, if by a slip. Names that differ in a number, in a single letter at the end, or
/// in the first letter are most likely meant: `node1` and `node2`, `ackA` and `ackB`, `lock` and
/// `block`.
fn likeness(a: &[char], b: &[char]) -> Option<Likeness> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let lower = |name: &[char]| name.iter().flat_map(|c| c.to_lowercase()).collect::<Vec<_>>();
    if lower(short) == lower(long) {
        return Some(Likeness::Strong);
    }
    let from = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let (left, right) = (&short[from..], &long[from..]);
    if let ([x, y, rest @ ..], [z, w, tail @ ..]) = (left, right)
        && (x, y, rest) == (w, z, tail)
        && long.len() >= 4
        && x.is_alphabetic()
        && y.is_alphabetic()
    {
        return Some(Likeness::Strong);
    }
    // Short names differ from each other by a letter anyway.
    if long.len() < 5 || from == 0 {
        return None;
    }
    match (left, right) {
        ([], [added]) => added.is_lowercase().then_some(Likeness::Ending),
        (_, [added, tail @ ..]) if left == tail => added.is_alphabetic().then_some(Likeness::Inner),
        ([x, rest @ ..], [y, tail @ ..]) if rest == tail && !tail.is_empty() => {
            (x.is_alphabetic() && y.is_alphabetic()).then_some(Likeness::Inner)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(a: &str, b: &str) -> Option<Likeness> {
        let names = SimilarNames::new([a, b]);
        names.of(0).first().map(|&(_, likeness)| likeness)
    }

    #[test]
    fn slips_are_seen() {
        assert_eq!(between("clinet", "client"), Some(Likeness::Strong));
        assert_eq!(between("Client", "client"), Some(Likeness::Strong));
        assert_eq!(between("clint", "client"), Some(Likeness::Inner));
        assert_eq!(between("cliemt", "client"), Some(Likeness::Inner));
        assert_eq!(between("orxer", "order"), Some(Likeness::Inner));
        assert_eq!(between("clients", "client"), Some(Likeness::Ending));
    }

    #[test]
    fn long_names_are_not_compared() {
        let of = |blanks: usize| {
            let name = |middle: &str| format!("{middle}{}", "x".repeat(blanks));
            between(&name("clint"), &name("client"))
        };
        assert_eq!(of(MAX_LENGTH - 6), Some(Likeness::Inner));
        assert_eq!(of(MAX_LENGTH), None);
    }

    #[test]
    fn numbered_names_are_no_slips_and_one_stands_for_all() {
        let names = SimilarNames::new(["nodes1", "nodes2", "node1"]);
        assert_eq!([0, 1, 2].map(|it| names.of(it)), [vec![], vec![], vec![(0, Likeness::Inner)]]);
    }

    #[test]
    fn what_is_meant_is_not() {
        for (a, b) in [
            ("node1", "node2"),
            ("node1", "node11"),
            ("nodeA", "nodeB"),
            ("ack", "nack"),
            ("lock", "block"),
            ("get", "set"),
            ("clientA", "client"),
            ("client", "server"),
            ("m", "n"),
            ("tx1a", "tx2a"),
            ("pods", "pots"),
            ("txab1", "tx1b1"),
        ] {
            assert_eq!(between(a, b), None, "{a} {b}");
        }
    }
}
