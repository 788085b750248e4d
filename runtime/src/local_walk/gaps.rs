//! The words that a location may act unobserved between its log and a later event.

use crate::local_walk::LocalWalk;
use crate::monitor::Monitor;
use multitrace_interaction::{LetterId, LocationId, Observation};
use std::collections::VecDeque;

/// How many words are looked at, and how many events are read for them (estimates: a message or two are seldom missing
/// before an event that came too early).
const MOST_WORDS: usize = 64;
const MOST_READ: usize = 1_000_000;

/// Some words, the shortest first, after which a log alone may go on with a letter.
pub(crate) fn words_before(
    monitor: &Monitor,
    location: LocationId,
    observation: Observation,
    (log, letter): (&[LetterId], LetterId),
) -> Vec<Vec<LetterId>> {
    let most = (MOST_READ / (log.len() + 1)).min(MOST_WORDS);
    let mut words = Vec::new();
    let mut queue = VecDeque::from([Vec::new()]);
    for _ in 0..most {
        let Some(word) = queue.pop_front() else { break };
        let mut walk = LocalWalk::new(monitor, location, observation);
        if !log.iter().chain(&word).all(|&it| walk.read(it)) {
            continue;
        }
        let possible = walk.possible();
        if possible.contains(&letter) {
            words.push(word);
            continue;
        }
        let longer = possible.into_iter().map(|next| [&word[..], &[next]].concat());
        queue.extend(longer.take(most.saturating_sub(queue.len())));
    }
    words
}
