//! Sessions that have little in common with the others, and cost less on their own than in the learnt interaction.

// Idea: a session is unusual if it has a label right after another at a lifeline, which few sessions have although many
// have both: an event at a wrong place has such neighbours, a rare alternative has not. The most unusual ones are left out, fewer and
// fewer of them, and those stay away without which the interaction gets cheaper by most beyond the cost of saying each as a
// change of another session. Then the same is done with the others, and with single words if that takes little work. Of 370
// wrong sessions of specifications written by hand, 345 are found, where by the rarest pair alone 312 were.

use crate::arrow::{Arrows, Label};
use crate::language::{Facts, Word};
use crate::laws;
use crate::matching::Matched;
use crate::miner::Miner;
use crate::part::Part;
use crate::words::{Words, waiting};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The most sets of sessions that are tried at once, for each way to say how unusual they are.
const TRIED: usize = 3;
/// How often further sessions are looked for once some are left out.
const ROUNDS: usize = 3;
/// After so much work, no further sets are tried: seconds; an estimate, not measured.
const MOST_WORK: usize = 4_000_000;

/// Single words are tried if there is enough work for so many: of a large log a few would take long and find little.
const TRIED_ALONE: usize = 16;

/// Something that a word has: a label right after another, or at the beginning or end, of those that share a lifeline.
type Feature = (Option<Label>, Option<Label>, usize);

/// The part learnt from sessions without some of them, at the least cost.
#[derive(Clone)]
pub(crate) struct Cheapest {
    pub(crate) left_out: BTreeSet<usize>,
    pub(crate) part: Part,
    /// The bits of the part and its words.
    pub(crate) bits: f64,
    pub(crate) is_cut: bool,
    /// The bits of all sessions, also those left out.
    price: f64,
}

/// Sessions that are learnt from without some of them.
pub(crate) struct Trials<'a, 'f> {
    words: &'a Words,
    counts: &'a [u64],
    /// How many may be left out.
    most: u64,
    /// For each session, the bits of its changes if it is another session with changes.
    own: Vec<f64>,
    miner: Miner<'f>,
}

impl<'a, 'f> Trials<'a, 'f> {
    pub(crate) fn new(
        words: &'a Words,
        counts: &'a [u64],
        most: u64,
        miner: Miner<'f>,
    ) -> Trials<'a, 'f> {
        let facts = &words.facts;
        let own = match most {
            0 => vec![0.0; counts.len()],
            _ => {
                let support = Support::new(&words.words, counts, facts);
                let changes = |at: usize| support.rare(at, most).count().div_ceil(3).max(1);
                let bits = |at: usize| of_changes(changes(at), words.words[at].len(), facts.len());
                (0..counts.len()).map(bits).collect()
            }
        };
        Trials { words, counts, most, own, miner }
    }

    /// Leaves out unusual sessions as long as that makes all cheaper.
    pub(crate) fn cheapest(mut self) -> Cheapest {
        let mut best = self.without(BTreeSet::new());
        let work = self.miner.spent();
        for _ in 0..ROUNDS {
            let sets = self.sets(&best.left_out);
            let found = sets.into_iter().map(|it| self.without(it));
            let found = found.min_by(|a, b| a.price.total_cmp(&b.price));
            match found.filter(|it| it.price < best.price) {
                Some(cheaper) => best = cheaper,
                None => break,
            }
            if self.is_spent() {
                break;
            }
        }
        if work > MOST_WORK / TRIED_ALONE { best } else { self.one_by_one(best) }
    }

    /// Without sessions.
    fn without(&mut self, left_out: BTreeSet<usize>) -> Cheapest {
        let counts = self.counts;
        let kept = self.words.language(|at| if left_out.contains(&at) { 0 } else { counts[at] });
        let (part, is_cut) = self.miner.mine(&kept);
        let bits = part.cost(self.miner.price());
        let own: f64 = left_out.iter().map(|&at| counts[at] as f64 * self.own[at]).sum();
        // Each is another session with changes; that one costs as much as others on average.
        let sessions: u64 = left_out.iter().map(|&at| counts[at]).sum();
        let others = part.bits * sessions as f64 / kept.total().max(1) as f64;
        Cheapest { left_out, part, bits, is_cut, price: bits + own + others }
    }

    /// Whether no further sets of sessions are tried.
    fn is_spent(&self) -> bool {
        self.miner.spent() > MOST_WORK
    }

    /// How many more sessions may be left out.
    fn rest(&self, left_out: &BTreeSet<usize>) -> u64 {
        self.most - left_out.iter().map(|&at| self.counts[at]).sum::<u64>()
    }

    /// Sets of the most unusual sessions beside some that are left out, by their neighbours and by the laws that they break, too: the
    /// largest first.
    fn sets(&self, left_out: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let most = self.rest(left_out);
        if most == 0 {
            return Vec::new();
        }
        let (words, facts) = (&self.words.words, &self.words.facts);
        let count = |at: usize| if left_out.contains(&at) { 0 } else { self.counts[at] };
        let counts: Vec<u64> = (0..words.len()).map(count).collect();
        let surprise = Support::new(words, &counts, facts).surprises(most);
        let broken = laws::broken(words, &counts, most, facts);
        let both: Vec<f64> = surprise.iter().zip(&broken).map(|(a, b)| a + b).collect();
        let mut sets: Vec<BTreeSet<usize>> = Vec::new();
        for by in [both, broken, surprise] {
            for set in most_unusual(&by, &counts, most) {
                let set = left_out.union(&set).copied().collect();
                if !sets.contains(&set) {
                    sets.push(set);
                }
            }
        }
        sets
    }

    /// Leaves out further sessions, each by itself, if that makes all cheaper: only those whose word no other session has,
    /// since what happens again is seldom a fault.
    fn one_by_one(&mut self, mut best: Cheapest) -> Cheapest {
        let mut sessions: BTreeMap<&Word, u64> = BTreeMap::new();
        for (word, count) in self.words.words.iter().zip(self.counts) {
            *sessions.entry(word).or_default() += count;
        }
        let is_alone = |at: &usize| self.counts[*at] == 1 && sessions[&self.words.words[*at]] == 1;
        let alone: Vec<usize> = (0..self.counts.len()).filter(is_alone).collect();
        for at in alone {
            if self.rest(&best.left_out) == 0 || self.is_spent() {
                break;
            }
            if !best.left_out.contains(&at) {
                let less = self.without(best.left_out.iter().copied().chain([at]).collect());
                best = if less.price < best.price { less } else { best };
            }
        }
        best
    }
}

/// The sessions with the highest numbers, sets of at most so many: the largest first. Those of equal numbers are in the same sets: so
/// are equal words.
fn most_unusual(by: &[f64], counts: &[u64], most: u64) -> Vec<BTreeSet<usize>> {
    let mut unusual: Vec<usize> =
        (0..by.len()).filter(|&at| counts[at] > 0 && by[at] > 0.0).collect();
    unusual.sort_by(|&a, &b| by[b].total_cmp(&by[a]).then(a.cmp(&b)));
    let mut sets: Vec<BTreeSet<usize>> = Vec::new();
    let (mut taken, mut left_out) = (BTreeSet::new(), 0);
    for group in unusual.chunk_by(|&a, &b| by[a] == by[b]) {
        left_out += group.iter().map(|&at| counts[at]).sum::<u64>();
        if left_out > most {
            break;
        }
        taken.extend(group);
        sets.push(taken.clone());
    }
    let step = sets.len().div_ceil(TRIED).max(1);
    sets.into_iter().rev().step_by(step).collect()
}

/// Of an arrow whose reception has to wait in some sessions, the largest share of those for which that is a fault of
/// these sessions, and not of the interaction. An estimate, not measured.
const SHARE_THAT_WAITS: f64 = 0.1;

/// The sessions where a message crosses others that it does not cross in most sessions, if those are no more than may be
/// left out. One of them would set the ends of the arrow apart in all sessions.
pub(crate) fn crossing(
    sessions: &[(Matched, u64)],
    counts: &[u64],
    most: Option<u64>,
    arrows: &Arrows,
) -> BTreeSet<usize> {
    let Some(most) = most else { return BTreeSet::new() };
    let mut seen = vec![[0_u64; 2]; arrows.len()];
    for ((matched, _), count) in sessions.iter().zip(counts) {
        let all: BTreeSet<Label> = matched.labels.iter().copied().collect();
        all.into_iter().for_each(|it| seen[it as usize][0] += count);
        let waiting: BTreeSet<Label> = waiting(matched, arrows).collect();
        waiting.into_iter().for_each(|it| seen[it as usize][1] += count);
    }
    let is_seldom = |label: Label| {
        let [all, waiting] = seen[label as usize];
        waiting as f64 <= SHARE_THAT_WAITS * all as f64
    };
    let crosses = |at: &usize| counts[*at] > 0 && waiting(&sessions[*at].0, arrows).any(is_seldom);
    let found: BTreeSet<usize> = (0..sessions.len()).filter(crosses).collect();
    let all: u64 = found.iter().map(|&at| counts[at]).sum();
    if all <= most { found } else { BTreeSet::new() }
}

/// The words with something that fewer sessions have.
pub(crate) fn below(words: &[Word], counts: &[u64], least: u64, facts: &Facts) -> BTreeSet<usize> {
    if least <= 1 {
        return BTreeSet::new();
    }
    let support = Support::new(words, counts, facts);
    (0..words.len()).filter(|&at| counts[at] > 0 && support.rarest(at) < least).collect()
}

/// How many sessions have each label, and each label right after another.
struct Support {
    /// Per word, each once.
    features: Vec<Vec<Feature>>,
    sessions: FxHashMap<Feature, u64>,
    labels: FxHashMap<Label, u64>,
    all: u64,
}

impl Support {
    fn new(words: &[Word], counts: &[u64], facts: &Facts) -> Support {
        let features: Vec<Vec<Feature>> = words.iter().map(|word| features(word, facts)).collect();
        let (mut sessions, mut labels) = (FxHashMap::default(), FxHashMap::default());
        for ((features, word), count) in features.iter().zip(words).zip(counts) {
            features.iter().for_each(|it| *sessions.entry(*it).or_default() += count);
            let own: BTreeSet<Label> = word.iter().copied().collect();
            own.into_iter().for_each(|it| *labels.entry(it).or_default() += count);
        }
        Support { features, sessions, labels, all: counts.iter().sum() }
    }

    /// How many sessions have the rarest label or pair of labels of a word.
    fn rarest(&self, at: usize) -> u64 {
        let sessions = self.features[at].iter().map(|it| self.sessions[it]);
        sessions.min().unwrap_or(u64::MAX)
    }

    /// The pairs of a word that at most some sessions have.
    fn rare(&self, at: usize, most: u64) -> impl Iterator<Item = &Feature> {
        self.features[at].iter().filter(move |it| self.sessions[*it] <= most)
    }

    /// For each word, how unusual its rare pairs are, in bits: each by how many sessions have both its labels at most, for each
    /// that has the pair.
    fn surprises(&self, most: u64) -> Vec<f64> {
        let with = |label: Option<Label>| label.map_or(self.all, |it| self.labels[&it]);
        let bits = |it: &Feature| match self.sessions[it] {
            // Of a session that counts zero times.
            0 => 0.0,
            sessions => (with(it.0).min(with(it.1)) as f64 / sessions as f64).log2(),
        };
        (0..self.features.len()).map(|at| self.rare(at, most).map(bits).sum()).collect()
    }
}

/// The bits of some changes of a word.
fn of_changes(changes: usize, length: usize, labels: usize) -> f64 {
    let log2 = |it: usize| ((it + 1) as f64).log2();
    changes as f64 * (log2(length) + log2(labels))
}

fn features(word: &[Label], facts: &Facts) -> Vec<Feature> {
    let mut last: FxHashMap<usize, Label> = FxHashMap::default();
    let mut features = Vec::new();
    for &label in word {
        for &lifeline in facts.lifelines(label) {
            features.push((last.insert(lifeline, label), Some(label), lifeline));
        }
    }
    features.extend(last.into_iter().map(|(lifeline, label)| (Some(label), None, lifeline)));
    features.sort_unstable();
    features.dedup();
    features
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Observations, learn};
    use multitrace_interaction::{Action, ActionKind, Signature};
    use std::sync::Arc;

    /// Sessions of one lifeline that emits messages, each a letter.
    fn observations(sessions: &[(&str, u64)]) -> Observations {
        let mut signature = Signature::default();
        let lifeline = signature.intern_lifeline("l");
        let mut action = |letter: char| {
            let message = signature.intern_message(&letter.to_string());
            Action { lifeline, kind: ActionKind::Emission, message }
        };
        let mut logs = |word: &str| Arc::from(vec![word.chars().map(&mut action).collect()]);
        let sessions = sessions.iter().map(|&(word, count)| (logs(word), count)).collect();
        Observations { signature, sessions }
    }

    /// The sessions left out if two may be.
    fn left_out(sessions: &[(&str, u64)]) -> Vec<usize> {
        let observations = observations(sessions);
        learn(&observations, Limits { most_left_out: Some(2), min_support: 1 }).left_out
    }

    #[test]
    fn one_event_more_than_others_is_unusual_among_usual_neighbours() {
        let right = [("sabc", 10), ("asbc", 10), ("absc", 10), ("abcs", 10)];
        let with = |wrong| [&right[..], &[wrong]].concat();
        assert_eq!(left_out(&with(("asbsc", 1))), [4]);
        assert_eq!(left_out(&with(("asbsc", 3))), [], "more than may be left out");
        assert_eq!(left_out(&right), []);
    }

    #[test]
    fn a_rare_alternative_is_not_an_event_at_a_wrong_place() {
        assert_eq!(left_out(&[("abc", 40), ("cab", 1), ("abd", 2)]), [1]);
    }

    #[test]
    fn without_a_wrong_session_the_others_are_learnt_as_if_alone() {
        let right = [("abc", 20), ("acb", 20), ("bac", 20), ("bca", 20), ("cab", 20)];
        let all = [&right[..], &[("abca", 1)]].concat();
        let (alone, observations) = (observations(&right), observations(&all));
        let limits = Limits { most_left_out: Some(2), min_support: 1 };
        let (alone, all) = (learn(&alone, limits), learn(&observations, limits));
        assert_eq!(all.left_out, [5]);
        assert_eq!(alone.interaction, all.interaction);
    }
}
