//! Learns interactions from the logs of sessions. No I/O here.
//!
//! [`learn`] matches emissions with receptions, so that each session is a word of arrows, and takes the language of
//! these words apart, top down, in the way that takes the fewest bits to say.

// Key: interactions are read with weak order, so two words that differ by exchanging neighbours without a common
// lifeline are one multi-trace. Sessions are a language of Mazurkiewicz traces over arrows, and need no clock.

mod arrow;
mod bits;
mod build;
mod channels;
mod components;
mod cuts;
mod language;
mod laws;
mod matching;
mod miner;
mod observed;
mod order;
mod outliers;
mod part;
mod partial;
mod sample;
mod split;
mod tree;
mod words;

pub use build::Share;
pub use observed::{Observations, SessionLogs};
pub use partial::Lack;

use arrow::{Arrow, Arrows, MOST_ARROWS};
use channels::Channels;
use matching::{Matched, match_session};
use miner::Miner;
use multitrace_interaction::{Action, Interaction, MessageId, NodeId};
use outliers::{Cheapest, Trials};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use words::Words;

/// The interaction that was learnt, with its costs and the sessions it leaves out.
#[derive(Clone, Debug)]
pub struct Learnt {
    /// The interaction.
    pub interaction: Interaction,
    /// How often its alternatives are taken.
    pub shares: Vec<Share>,
    /// For the first part of those that come in any order, how many sessions have another order than most; 0 where no
    /// order can be seen.
    pub orders: Vec<(NodeId, u64)>,
    /// How many arrows it has.
    pub arrows: usize,
    /// How many of them are an emission or a reception alone.
    pub one_ended: usize,
    /// How many different words of arrows the sessions are.
    pub variants: usize,
    /// The cost of the interaction and the sessions, in bits.
    pub bits: f64,
    /// Messages that could have gone to another receiver or come from another sender, and in how many sessions.
    pub ambiguous: Vec<(MessageId, u64)>,
    /// The sessions that were not learnt from, by their numbers.
    pub left_out: Vec<usize>,
    /// The part that is missing of each session; such a session was not learnt from either.
    pub partial: Vec<Option<Lack>>,
    /// Whether there was too much to look at in all ways, so that a smaller interaction may do.
    pub is_cut: bool,
    /// How many different sessions it was learnt from, if not from all.
    pub sample: Option<usize>,
    /// Whether all sessions together have more arrows than are looked at.
    pub has_too_many_arrows: bool,
}

/// Which sessions need not be accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// How many sessions may be left out since they are rare, beside those that lack a part; `None` keeps
    /// both.
    pub most_left_out: Option<u64>,
    /// Sessions are left out, too, if they have a message, or one right after another at a lifeline, that fewer
    /// sessions have.
    pub min_support: u64,
}

/// Learns an interaction. Of too many different sessions, or of sessions with too many arrows, some are learnt from.
pub fn learn(observations: &Observations, limits: Limits) -> Learnt {
    let all = &observations.sessions;
    let mut taken = sample::sample(all);
    let mut sessions: Vec<&(SessionLogs, u64)> = taken.iter().map(|&at| &all[at]).collect();
    let mut arrows = Arrows::default();
    let mut matched = matched(&sessions, &mut arrows);
    let has_too_many_arrows = arrows.len() > MOST_ARROWS;
    if has_too_many_arrows {
        let of = |at: usize| matched[at].0.labels.iter().copied().collect();
        let few = sample::with_few_arrows(&sessions, of, MOST_ARROWS);
        taken = few.iter().map(|&at| taken[at]).collect();
        sessions = taken.iter().map(|&at| &all[at]).collect();
        arrows = Arrows::default();
        matched = self::matched(&sessions, &mut arrows);
    }
    let learnt = again(learn_from(matched, arrows, limits), &sessions);
    if taken.len() == all.len() {
        return learnt;
    }
    let mut partial = vec![None; all.len()];
    taken.iter().zip(&learnt.partial).for_each(|(&at, lack)| partial[at] = *lack);
    let left_out = learnt.left_out.iter().map(|&at| taken[at]).collect();
    let is_cut = learnt.is_cut || has_too_many_arrows;
    Learnt { partial, left_out, sample: Some(taken.len()), has_too_many_arrows, is_cut, ..learnt }
}

/// The same, learnt again from the sessions that were learnt from alone: others may have changed who receives a message, and the
/// order in which arrows stand on average.
fn again(learnt: Learnt, sessions: &[&(SessionLogs, u64)]) -> Learnt {
    let left_out: BTreeSet<usize> = learnt.left_out.iter().copied().collect();
    let is_kept = |at: &usize| learnt.partial[*at].is_none() && !left_out.contains(at);
    let kept: Vec<_> = (0..sessions.len()).filter(is_kept).map(|at| sessions[at]).collect();
    if kept.len() == sessions.len() || kept.is_empty() {
        return learnt;
    }
    let mut arrows = Arrows::default();
    let matched = matched(&kept, &mut arrows);
    let Learnt { left_out, partial, .. } = learnt;
    Learnt { left_out, partial, ..learn_from(matched, arrows, Limits::default()) }
}

/// Learns from sessions that were matched.
fn learn_from(matched: Vec<(Matched, u64)>, mut arrows: Arrows, limits: Limits) -> Learnt {
    let mut partial = match limits.most_left_out {
        None => vec![None; matched.len()],
        Some(_) => partial::lacks(&matched, &arrows),
    };
    // Where each lacks something, nothing tells that it should be there.
    if partial.iter().all(Option::is_some) {
        partial.fill(None);
    }
    let count = |at: usize| if partial[at].is_none() { matched[at].1 } else { 0 };
    let mut counts: Vec<u64> = (0..matched.len()).map(count).collect();
    let crossing = outliers::crossing(&matched, &counts, limits.most_left_out, &arrows);
    crossing.iter().for_each(|&at| counts[at] = 0);
    let words = words::words(&mut arrows, &matched, &counts);
    let miner = Miner::new(&words.facts, arrows.len(), counts.iter().sum());
    let crossed: u64 = crossing.iter().map(|&at| matched[at].1).sum();
    let most_left_out = limits.most_left_out.map(|most| most - crossed);
    let limits = Limits { most_left_out, ..limits };
    let Cheapest { mut left_out, part, bits, is_cut, .. } =
        cheapest(&words, &counts, limits, miner);
    left_out.extend(crossing);
    let tree = build::joined(&part.tree, &arrows);
    let (interaction, shares, orders) = build::interaction(&tree, &arrows);
    Learnt {
        interaction,
        shares,
        orders,
        arrows: tree.arrows(),
        one_ended: tree.arrows_that(&|it| arrows.arrow(it).is_one_ended()),
        variants: words.language(|at| counts[at]).words().len(),
        bits,
        ambiguous: ambiguous(&matched),
        left_out: left_out.into_iter().collect(),
        partial,
        is_cut,
        sample: None,
        has_too_many_arrows: false,
    }
}

/// Leaves out sessions with too little support, and rare ones if that makes all cheaper.
fn cheapest(words: &Words, counts: &[u64], limits: Limits, miner: Miner<'_>) -> Cheapest {
    let below = outliers::below(&words.words, counts, limits.min_support, &words.facts);
    let supported = |at: usize| if below.contains(&at) { 0 } else { counts[at] };
    let counts: Vec<u64> = (0..counts.len()).map(supported).collect();
    let most = limits.most_left_out.unwrap_or(0);
    let mut best = Trials::new(words, &counts, most, miner).cheapest();
    best.left_out.extend(below);
    best
}

/// As many sessions are matched at once: it bounds the arrows that have no label yet.
const MATCHED_AT_ONCE: usize = 1_024;

fn matched(sessions: &[&(SessionLogs, u64)], arrows: &mut Arrows) -> Vec<(Matched, u64)> {
    let channels = Channels::new(sessions.iter().map(|(logs, _)| logs));
    let mut all = Vec::with_capacity(sessions.len());
    for some in sessions.chunks(MATCHED_AT_ONCE) {
        let unlabelled: Vec<Matched<Arrow>> =
            some.par_iter().map(|(logs, _)| match_session(logs, &channels)).collect();
        let labelled = unlabelled.into_iter().map(|it| it.labelled(arrows));
        all.extend(labelled.zip(some).map(|(matched, (_, count))| (matched, *count)));
    }
    all
}

fn ambiguous(matched: &[(Matched, u64)]) -> Vec<(MessageId, u64)> {
    let mut all: BTreeMap<MessageId, u64> = BTreeMap::new();
    for (matched, count) in matched {
        for &message in &matched.ambiguous {
            *all.entry(message).or_default() += count;
        }
    }
    all.into_iter().collect()
}

impl Learnt {
    /// The same with sessions as further alternatives, each exactly as it was.
    #[must_use]
    pub fn with_sessions<'a>(self, sessions: impl Iterator<Item = &'a [Vec<Action>]>) -> Learnt {
        let (interaction, added) = build::with_sessions(&self.interaction, sessions);
        Learnt {
            interaction,
            arrows: self.arrows + added,
            one_ended: self.one_ended + added,
            ..self
        }
    }
}
