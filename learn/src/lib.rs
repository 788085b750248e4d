//! Learns interactions from the logs of sessions. No I/O here.
//!
//! [`learn`] matches emissions with receptions, so that each session is a word of arrows, and takes the language of
//! these words apart, top down, in the way that takes the fewest bits to say.

// Key: interactions are read with weak order, so two words that differ by exchanging neighbours without a common
// lifeline are one multi-trace. Sessions are a language of Mazurkiewicz traces over arrows, and need no clock.

mod arrow;
mod bits;
mod build;
mod components;
mod cuts;
mod language;
mod matching;
mod miner;
mod observed;
mod order;
mod part;
mod split;
mod tree;
mod words;

pub use observed::{Observations, SessionLogs};

use arrow::Arrows;
use matching::{Matched, match_session};
use miner::Miner;
use multitrace_interaction::Interaction;

/// What was learnt.
#[derive(Clone, Debug)]
pub struct Learnt {
    /// The interaction.
    pub interaction: Interaction,
    /// How many different words of arrows the sessions are.
    pub variants: usize,
    /// How many arrows the interaction has.
    pub arrows: usize,
    /// What the interaction and the sessions cost, in bits.
    pub bits: f64,
}

/// Learns an interaction.
pub fn learn(observations: &Observations) -> Learnt {
    let mut arrows = Arrows::default();
    let matched: Vec<(Matched, u64)> = observations
        .sessions
        .iter()
        .map(|(logs, count)| (match_session(logs, &mut arrows), *count))
        .collect();
    let words = words::words(&arrows, &matched);
    let language = words.language(|at| matched[at].1);
    let mut miner = Miner::new(&words.facts, arrows.len());
    let part = miner.learn(&language);
    Learnt {
        interaction: build::interaction(&part.tree, &arrows),
        variants: language.words().len(),
        arrows: part.tree.arrows(),
        bits: part.cost(miner.price()),
    }
}
