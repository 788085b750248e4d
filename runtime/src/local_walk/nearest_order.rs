//! For a log with events in no order: the order that the verifier of its location repairs with the fewest edits.
//
// Idea: breadth first over the cuts of the log and the states of the verifier of its location: an event that the verifier reads
// costs nothing, one that is left out and an action that the log lacks cost one.
//
// Cost: the product of cuts and states; more than a limit is not looked at.

use crate::question::Question;
use crate::tied_logs::{START, TiedLogs};
use multitrace_formats::bundle::DEAD;
use multitrace_interaction::{Id, LocationId, Observation};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The most pairs of a cut and a state that are visited: a millisecond (an estimate).
const MOST_PAIRS: usize = 20_000;

/// A cut, and a state of the verifier.
type Pair = (u32, u32);

/// The indexes of the events of a log in such an order; `None` if there is no table for it, or if it takes too long.
pub(crate) fn nearest_order(
    question: &Question<'_>,
    logs: &TiedLogs,
    location: LocationId,
) -> Option<Vec<usize>> {
    let (monitor, at) = (question.monitor, location.index());
    let table = monitor.local(location).forward.as_ref()?;
    let start = match question.observation {
        Observation::Slice => table.start_anywhere?,
        _ => table.start,
    };
    let (end, letters) = (logs.end(at), monitor.local(location).letters.len());
    let may_end = |state| question.may_go_on(at) || table.is_final(state);
    let mut found_by: FxHashMap<Pair, Pair> = FxHashMap::default();
    let mut todo = VecDeque::from([((START, start), (START, start))]);
    while let Some((here, from)) = todo.pop_front() {
        if found_by.contains_key(&here) {
            continue;
        }
        found_by.insert(here, from);
        let (cut, state) = here;
        if cut == end && may_end(state) {
            return Some(logs.order(at, cuts_to(&found_by, here).into_iter()));
        }
        if found_by.len() > MOST_PAIRS {
            return None;
        }
        let row = &table.next[state as usize * letters..][..letters];
        let moves = logs.moves(at, cut);
        for step in moves.iter().rev() {
            let next = monitor.column(location, step.letter).map(|column| row[column]);
            let read = next.filter(|next| *next != DEAD);
            read.into_iter().for_each(|next| todo.push_front(((step.to, next), here)));
        }
        todo.extend(moves.iter().map(|step| ((step.to, state), here)));
        let lacking = row.iter().filter(|next| **next != DEAD);
        todo.extend(lacking.map(|next| ((cut, *next), here)));
    }
    None
}

/// The cuts on the way to a pair.
fn cuts_to(found_by: &FxHashMap<Pair, Pair>, end: Pair) -> Vec<u32> {
    let (mut cuts, mut at) = (vec![end.0], end);
    while let Some(&before) = found_by.get(&at).filter(|before| **before != at) {
        cuts.push(before.0);
        at = before;
    }
    cuts.reverse();
    cuts
}
