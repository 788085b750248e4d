//! One part after the other, by the order of labels that share a lifeline.

use crate::arrow::Label;
use crate::bits::shared;
use crate::components::components;
use crate::language::{Facts, Language, MOST_COUNTED};
use crate::order::{Before, closed, order};
use crate::split::Split;
use fixedbitset::FixedBitSet;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;

/// The split by the order of labels.
pub(crate) enum Found {
    /// Labels are in no order.
    Nothing,
    /// The parts have nothing to do with one another.
    Independent(Split),
    /// Whether a part is there depends on others: a sequence of all of them says too little.
    Dependent(Option<Split>),
}

/// The language as parts one after the other. Parts whose presence or number of events tell of one another stay
/// together; `price` is the bits that a dependence must be worth.
pub(crate) fn cut(language: &Language, facts: &Facts, price: f64) -> Found {
    let groups = groups(language, facts);
    if groups.len() < 2 {
        return Found::Nothing;
    }
    let columns = columns(language, &groups, facts);
    let kinds = kinds(language, &groups, facts);
    let weights: Vec<u64> = language.words().iter().map(|(_, count)| *count).collect();
    let spans = spans([&columns, &kinds], &weights, price);
    let project = |groups: &[FixedBitSet]| language.project(facts, &union(groups));
    if spans.len() > 1 {
        return Found::Independent(Split::seq(
            spans.iter().map(|&(start, end)| project(&groups[start..=end])).collect(),
        ));
    }
    let runs = runs(&columns);
    let parts = || runs.iter().map(|&(start, end)| project(&groups[start..=end])).collect();
    Found::Dependent((runs.len() > 1).then(|| Split::seq(parts())))
}

fn union(groups: &[FixedBitSet]) -> FixedBitSet {
    let mut all = FixedBitSet::new();
    groups.iter().for_each(|it| all.union_with(it));
    all
}

/// Labels in groups, the groups in a row: labels that come before one another stay together, so do labels that exclude
/// one another.
fn groups(language: &Language, facts: &Facts) -> Vec<FixedBitSet> {
    let labels = language.labels();
    let before = closed(&order(language, facts).any, &labels);
    let together = together(language, facts.len());
    let mut neighbours = vec![FixedBitSet::with_capacity(facts.len()); facts.len()];
    for a in labels.ones() {
        for b in labels.ones().filter(|&b| b > a) {
            let (there, back) = (before[b].contains(a), before[a].contains(b));
            if there && back || !there && !back && !together[a].contains(b) {
                neighbours[a].insert(b);
                neighbours[b].insert(a);
            }
        }
    }
    let mut groups = components(&labels, facts, |label| neighbours[label as usize].clone());
    loop {
        match in_a_row(language, &groups, &before, facts) {
            Ok(order) => return order.into_iter().map(|at| groups[at].clone()).collect(),
            Err((a, b)) => {
                let other = groups.remove(b);
                groups[a].union_with(&other);
            }
        }
    }
}

/// For each label, those that are in a word with it.
fn together(language: &Language, size: usize) -> Before {
    let mut together = vec![FixedBitSet::with_capacity(size); size];
    for (word, _) in language.words() {
        let mut own = FixedBitSet::with_capacity(size);
        own.extend(word.iter().map(|&it| it as usize));
        own.ones().for_each(|it| together[it].union_with(&own));
    }
    together
}

/// The order of groups in which each comes after those before it, or two that must be one. Where several may come next,
/// one that is there in the same words as the last one, so that groups that depend on one another stand together.
fn in_a_row(
    language: &Language,
    groups: &[FixedBitSet],
    before: &Before,
    facts: &Facts,
) -> Result<Vec<usize>, (usize, usize)> {
    let all = || 0..groups.len();
    let earlier = earlier(groups, before);
    for a in all() {
        if let Some(b) = earlier[a].ones().find(|&b| earlier[b].contains(a)) {
            return Err((a.min(b), a.max(b)));
        }
    }
    let rank = |at: usize| {
        let ranks = groups[at].ones().map(|it| facts.rank(it as u32));
        ranks.min().unwrap_or_default()
    };
    let ranks: Vec<usize> = all().map(rank).collect();
    let presences: Vec<Vec<u8>> =
        columns(language, groups, facts).iter().map(|it| presence(it)).collect();
    // How many groups each still waits for.
    let mut waits: Vec<usize> = earlier.iter().map(|it| it.count_ones(..)).collect();
    let (mut left, mut order) = (FixedBitSet::with_capacity(groups.len()), Vec::new());
    left.insert_range(..);
    while order.len() < groups.len() {
        let ready = left.ones().filter(|&at| waits[at] == 0);
        let last = order.last().map(|&at: &usize| &presences[at]);
        let key = |at: usize| (last.is_some_and(|it| *it != presences[at]), ranks[at]);
        let Some(next) = ready.min_by_key(|&at| key(at)) else {
            let mut two = left.ones();
            return Err((two.next().unwrap_or(0), two.next().unwrap_or(1)));
        };
        left.remove(next);
        left.ones().filter(|&at| earlier[at].contains(next)).for_each(|at| waits[at] -= 1);
        order.push(next);
    }
    Ok(order)
}

/// For each group, the others that have a label before one of its own.
fn earlier(groups: &[FixedBitSet], before: &Before) -> Vec<FixedBitSet> {
    let mut group_of = vec![usize::MAX; before.len()];
    for (at, group) in groups.iter().enumerate() {
        group.ones().for_each(|label| group_of[label] = at);
    }
    let of = |(at, group): (usize, &FixedBitSet)| {
        let mut earlier = FixedBitSet::with_capacity(groups.len());
        let labels = group.ones().flat_map(|label| before[label].ones());
        labels
            .filter(|&it| group_of[it] < groups.len())
            .for_each(|it| earlier.insert(group_of[it]));
        earlier.remove(at);
        earlier
    };
    groups.iter().enumerate().map(of).collect()
}

/// Per group, how many of its events each word has, up to a limit.
fn columns(language: &Language, groups: &[FixedBitSet], facts: &Facts) -> Vec<Vec<u8>> {
    language.columns(groups.iter().map(ones), facts)
}

fn ones(group: &FixedBitSet) -> impl Iterator<Item = Label> + '_ {
    group.ones().map(|it| it as Label)
}

/// For each group, a number for each word: which labels of the group the word has. The sets that most words have are told
/// apart, and all others are one.
fn kinds(language: &Language, groups: &[FixedBitSet], facts: &Facts) -> Vec<Vec<u8>> {
    let group_of = facts.group_of(groups.iter().map(ones));
    let mut sets: Vec<Sets> = groups.iter().map(|_| Sets::new()).collect();
    // A word without a label of the group has the first set, which is empty.
    let mut columns = vec![vec![0; language.words().len()]; groups.len()];
    for (row, (word, count)) in language.words().iter().enumerate() {
        let mut own: Vec<(usize, Label)> =
            word.iter().map(|&label| (group_of[label as usize], label)).collect();
        own.sort_unstable();
        own.dedup();
        for part in own.chunk_by(|a, b| a.0 == b.0) {
            let group = part[0].0;
            columns[group][row] = sets[group].number(part.iter().map(|it| it.1).collect());
        }
        for (sets, column) in sets.iter_mut().zip(&columns) {
            sets.add(column[row], *count);
        }
    }
    let told = |(sets, column): (&Sets, Vec<usize>)| {
        let kinds = sets.most_often();
        column.into_iter().map(|it| kinds[it]).collect()
    };
    sets.iter().zip(columns).map(told).collect()
}

/// Sets of labels, each with how many words have it.
struct Sets {
    numbers: IndexMap<Vec<Label>, u64, FxBuildHasher>,
}

impl Sets {
    fn new() -> Sets {
        Sets { numbers: [(Vec::new(), 0)].into_iter().collect() }
    }

    fn number(&mut self, set: Vec<Label>) -> usize {
        let entry = self.numbers.entry(set);
        let at = entry.index();
        entry.or_default();
        at
    }

    fn add(&mut self, number: usize, count: u64) {
        self.numbers[number] += count;
    }

    /// For each set, a number up to [`MOST_COUNTED`]: 0 for the one that most words have.
    fn most_often(&self) -> Vec<u8> {
        let mut order: Vec<(Reverse<u64>, &[Label], usize)> = self
            .numbers
            .iter()
            .enumerate()
            .map(|(at, (set, count))| (Reverse(*count), &set[..], at))
            .collect();
        order.sort_unstable();
        let mut kinds = vec![MOST_COUNTED; order.len()];
        (0..MOST_COUNTED).zip(order).for_each(|(kind, (.., at))| kinds[at] = kind);
        kinds
    }
}

/// In which words a part has an event.
fn presence(column: &[u8]) -> Vec<u8> {
    column.iter().map(|&it| it.min(1)).collect()
}

/// Whether a part is in each word once and for all, with as many events.
fn is_constant(column: &[u8]) -> bool {
    column.windows(2).all(|pair| pair[0] == pair[1])
}

/// Groups from the first to the last that depend on one another: by their presence, by how many events they have, or by
/// which ones.
fn spans([columns, kinds]: [&[Vec<u8>]; 2], weights: &[u64], price: f64) -> Vec<(usize, usize)> {
    let presences: Vec<Vec<u8>> = columns.iter().map(|it| presence(it)).collect();
    let depend = |a: usize, b: usize| {
        let is_same = !is_constant(&presences[a]) && presences[a] == presences[b];
        let tells = |of: &[Vec<u8>]| {
            !is_constant(&of[a]) && !is_constant(&of[b]) && shared(&of[a], &of[b], weights) > price
        };
        is_same || tells(&presences) || tells(columns) || tells(kinds)
    };
    let (mut spans, mut start) = (Vec::new(), 0);
    while start < columns.len() {
        let mut end = start;
        let mut at = start;
        while at <= end {
            let last = (at.max(end) + 1..columns.len()).rev().find(|&other| depend(at, other));
            end = last.unwrap_or(end);
            at += 1;
        }
        spans.push((start, end));
        start = end + 1;
    }
    spans
}

/// Groups from one to the last that is there in the same words, but not all of them.
fn runs(columns: &[Vec<u8>]) -> Vec<(usize, usize)> {
    let presences: Vec<Vec<u8>> = columns.iter().map(|it| presence(it)).collect();
    let (mut runs, mut start) = (Vec::new(), 0);
    while start < columns.len() {
        let is_whole = |end: usize| start == 0 && end == columns.len() - 1;
        let same = |&end: &usize| presences[end] == presences[start] && !is_whole(end);
        let end = match is_constant(&presences[start]) {
            true => start,
            false => (start + 1..columns.len()).rev().find(same).unwrap_or(start),
        };
        runs.push((start, end));
        start = end + 1;
    }
    runs
}
