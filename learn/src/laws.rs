//! Laws that nearly all words obey: how often they have a label, how many more of one than of another, which comes first,
//! which exclude each other, and which other arrows an event belongs to.

// Idea: an event at a wrong place may have usual neighbours; but it is one more of its kind than of others, comes before
// what it comes after elsewhere, stands beside what belongs to another alternative, or has its other end at another lifeline.
// Cost: the squares of the lengths of words.

use crate::arrow::Label;
use crate::language::{Facts, Word};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The least share of words that obey a law, of those that have both labels: as for events that lack their other end. An
/// estimate, not measured.
const SHARE: f64 = 0.9;
/// The squares of the lengths of all words together, beyond which no laws are looked for: a second; an estimate, not measured.
const MOST_PAIRS: usize = 20_000_000;

/// Not a label, but the end of a word.
const END: Label = Label::MAX;

/// What the words with two labels have in common.
#[derive(Default)]
struct Pair {
    words: u64,
    /// By how much oftener the first label comes than the second: in how many words.
    differences: BTreeMap<isize, u64>,
    /// How many words have the first label before the second of the same number, and the other way.
    before: [u64; 2],
}

/// Two labels of a word.
struct Relation {
    labels: (Label, Label),
    difference: isize,
    before: [bool; 2],
}

/// For each word, how unusual it is to break the laws that it breaks, in bits; only laws that at most some words break.
pub(crate) fn broken(words: &[Word], counts: &[u64], most: u64, facts: &Facts) -> Vec<f64> {
    let counted = || words.iter().zip(counts).filter(|(_, count)| **count > 0);
    if facts.are_too_many()
        || counted().map(|(word, _)| word.len() * word.len()).sum::<usize>() > MOST_PAIRS
    {
        return vec![0.0; words.len()];
    }
    let mut pairs: FxHashMap<(Label, Label), Pair> = FxHashMap::default();
    for (word, &count) in counted() {
        for relation in relations(word, facts) {
            let pair = pairs.entry(relation.labels).or_default();
            pair.words += count;
            *pair.differences.entry(relation.difference).or_default() += count;
            (0..2).filter(|&at| relation.before[at]).for_each(|at| pair.before[at] += count);
        }
    }
    let all: u64 = counts.iter().sum();
    let laws = Laws { pairs, all, most };
    let (implied, other_ends) = (laws.implied(), laws.other_ends(facts));
    let of = |(word, count): (&Word, &u64)| match count {
        0 => 0.0,
        _ => {
            let labels: BTreeSet<Label> = word.iter().copied().chain([END]).collect();
            let lacks = labels.iter().flat_map(|it| implied.get(it).into_iter().flatten());
            let lacks = lacks.filter(|(label, _)| !labels.contains(label)).map(|(_, bits)| bits);
            let ends = labels.iter().filter_map(|it| other_ends.get(it));
            let pairs = relations(word, facts).map(|it| laws.of_pair(&it));
            pairs.sum::<f64>() + lacks.sum::<f64>() + ends.sum::<f64>()
        }
    };
    words.iter().zip(counts).map(of).collect()
}

/// What the words with each two labels have in common.
struct Laws {
    pairs: FxHashMap<(Label, Label), Pair>,
    /// How many words there are.
    all: u64,
    /// How many words may break a law.
    most: u64,
}

impl Laws {
    /// How many words have a label.
    fn with(&self, label: Label) -> u64 {
        if label == END { self.all } else { self.pairs[&(END, label)].words }
    }

    /// The bits of the laws on two labels of a word that it breaks.
    fn of_pair(&self, relation: &Relation) -> f64 {
        let (pair, (a, b)) = (&self.pairs[&relation.labels], relation.labels);
        let by_chance = self.with(a) as f64 * self.with(b) as f64 / self.all as f64;
        pair.broken(relation, self.most) + self.bits(pair.words, by_chance)
    }

    /// The bits of breaking a law that so few words break, of those to which it applies.
    fn bits(&self, breaking: u64, of: f64) -> f64 {
        let is_law = (1..=self.most).contains(&breaking) && breaking as f64 <= (1.0 - SHARE) * of;
        if is_law { (of / breaking as f64).log2() } else { 0.0 }
    }

    /// For each label, those that nearly all words with it have, too, and the bits of lacking one.
    fn implied(&self) -> BTreeMap<Label, Vec<(Label, f64)>> {
        let mut implied: BTreeMap<Label, Vec<(Label, f64)>> = BTreeMap::new();
        #[allow(clippy::iter_over_hash_type, reason = "each list is sorted below")]
        for (&(a, b), pair) in &self.pairs {
            for (label, other) in [(a, b), (b, a)] {
                let bits = self.bits(self.with(label) - pair.words, self.with(label) as f64);
                if bits > 0.0 {
                    implied.entry(label).or_default().push((other, bits));
                }
            }
        }
        implied.values_mut().for_each(|all| all.sort_by_key(|(label, _)| *label));
        implied
    }

    /// For each label, the bits of its events having other ends than they have in nearly all words.
    fn other_ends(&self, facts: &Facts) -> BTreeMap<Label, f64> {
        let labels = || self.pairs.keys().filter(|it| it.0 == END).map(|it| it.1);
        let mut with: FxHashMap<usize, u64> = FxHashMap::default();
        for label in labels() {
            for event in facts.events(label) {
                *with.entry(*event).or_default() += self.with(label);
            }
        }
        let bits = |label, event| self.bits(self.with(label), with[event] as f64);
        let of = |label| facts.events(label).iter().map(|event| bits(label, event)).sum();
        labels().map(|label| (label, of(label))).collect()
    }
}

impl Pair {
    /// The bits of the laws that a word breaks.
    fn broken(&self, relation: &Relation, most: u64) -> f64 {
        let bits = |obeying: u64, breaking: u64| {
            let is_law = obeying as f64 >= SHARE * self.words as f64 && breaking <= most;
            let is_law = is_law && breaking < obeying;
            if is_law { (obeying as f64 / breaking as f64).log2() } else { 0.0 }
        };
        let usual = self.differences.values().copied().max().unwrap_or(0);
        let difference = bits(usual, self.differences[&relation.difference]);
        let order = |at: usize| match relation.before[at] {
            true => bits(self.before[1 - at], self.before[at]),
            false => 0.0,
        };
        difference + order(0) + order(1)
    }
}

/// How the labels of a word relate to each other.
fn relations<'a>(word: &Word, facts: &'a Facts) -> impl Iterator<Item = Relation> + use<'a> {
    let mut places: BTreeMap<Label, Vec<usize>> = BTreeMap::new();
    word.iter().enumerate().for_each(|(at, &label)| places.entry(label).or_default().push(at));
    // Each word has one end, so that a label's difference from the end is how often the word has it, less one.
    let end = (END, vec![word.len()]);
    let places: Vec<(Label, Vec<usize>)> = [end].into_iter().chain(places).collect();
    let pairs = (0..places.len()).flat_map(|a| (0..a).map(move |b| (b, a)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    pairs.into_iter().map(move |(a, b)| {
        let ((first, of_first), (second, of_second)) = (&places[a], &places[b]);
        let mut before = [false; 2];
        if *first != END && *second != END && facts.dependent(*first).contains(*second as usize) {
            let each = of_first.iter().zip(of_second);
            each.for_each(|(one, other)| before[usize::from(one > other)] = true);
        }
        Relation {
            labels: (*first, *second),
            difference: of_first.len() as isize - of_second.len() as isize,
            before,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrow::{Arrow, Arrows};
    use multitrace_interaction::{Id, LifelineId, MessageId};

    /// For words of arrows from one lifeline, each of another message.
    fn bits(words: &[(&[Label], u64)], most: u64) -> Vec<f64> {
        bits_with(&[(0, &[]), (1, &[]), (2, &[])], words, most)
    }

    /// For words of such arrows: a message, and who receives it.
    fn bits_with(of: &[(usize, &[usize])], words: &[(&[Label], u64)], most: u64) -> Vec<f64> {
        let mut arrows = Arrows::default();
        for &(message, receivers) in of {
            arrows.intern(Arrow {
                sender: Some(LifelineId::new(0)),
                message: MessageId::new(message),
                receivers: receivers.iter().map(|&it| LifelineId::new(it)).collect(),
                end_of: None,
            });
        }
        let facts = Facts::new(&arrows, &[0.1, 0.2, 0.3]);
        let (words, counts): (Vec<Word>, Vec<u64>) =
            words.iter().map(|&(word, count)| (Word::from(word), count)).unzip();
        broken(&words, &counts, most, &facts)
    }

    #[test]
    fn a_law_is_what_nearly_all_words_obey() {
        let found = bits(&[(&[0, 1, 2], 64), (&[0, 2, 1], 1), (&[0, 1, 1, 2], 2)], 2);
        assert_eq!(found[0], 0.0);
        assert_eq!(found[1], 66_f64.log2(), "one order");
        assert_eq!(found[2], 3.0 * 32.5_f64.log2(), "a number, and two differences");
    }

    #[test]
    fn what_many_words_break_is_not_a_law() {
        assert_eq!(bits(&[(&[0, 1], 60), (&[1, 0], 40)], 50), [0.0, 0.0]);
        assert_eq!(
            bits(&[(&[0, 1], 95), (&[1, 0], 5)], 4),
            [0.0, 0.0],
            "more than may be left out"
        );
    }

    #[test]
    fn alternatives_exclude_each_other() {
        let found = bits(&[(&[0, 1], 60), (&[0, 2], 60), (&[0, 1, 2], 2)], 2);
        assert_eq!(found, [0.0, 0.0, (62.0 * 62.0 / 122.0 / 2.0_f64).log2()]);
    }

    #[test]
    fn a_word_lacks_what_comes_with_each_of_its_labels() {
        let found = bits(&[(&[0, 1, 2], 60), (&[0, 2], 2)], 2);
        assert_eq!(
            found,
            [0.0, 3.0 * 31_f64.log2()],
            "there is one in each, and one beside each other"
        );
    }

    #[test]
    fn an_event_has_the_other_end_that_it_has_elsewhere() {
        let found = bits_with(&[(0, &[1]), (0, &[]), (1, &[])], &[(&[0], 60), (&[1], 2)], 2);
        assert_eq!(
            found,
            [0.0, 2.0 * 31_f64.log2()],
            "another end, and the usual arrow is missing"
        );
    }
}
