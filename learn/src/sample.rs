//! Which sessions are learnt from, if there are too many or they do too much.

use crate::observed::SessionLogs;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The most different sessions that are learnt from.
const MOST_SESSIONS: usize = 20_000;

/// The numbers of the sessions that are learnt from, in order: of too many those that are there most often, at most one half of
/// all that are taken, and others that are spread evenly. Sessions that are there equally often are all among the former, or
/// none is: their places say nothing.
pub(crate) fn sample(sessions: &[(SessionLogs, u64)]) -> Vec<usize> {
    if sessions.len() <= MOST_SESSIONS {
        return (0..sessions.len()).collect();
    }
    let order = most_often_first(sessions.iter().map(|it| it.1));
    let too_seldom = sessions[order[MOST_SESSIONS / 2]].1;
    let (often, seldom) = order.split_at(order.partition_point(|&at| sessions[at].1 > too_seldom));
    let others = MOST_SESSIONS - often.len();
    let spread = (0..others).map(|at| seldom[at * seldom.len() / others]);
    let mut taken: Vec<usize> = often.iter().copied().chain(spread).collect();
    taken.sort_unstable();
    taken
}

/// The numbers of sessions that have no more than some arrows together, those that are there most often first; at least
/// one of them. `arrows` says which arrows each has.
pub(crate) fn with_few_arrows(
    sessions: &[&(SessionLogs, u64)],
    arrows: impl Fn(usize) -> BTreeSet<u32>,
    most: usize,
) -> Vec<usize> {
    let (mut known, mut taken) = (BTreeSet::new(), Vec::new());
    for at in most_often_first(sessions.iter().map(|it| it.1)) {
        let own = arrows(at);
        if taken.is_empty() || known.len() + own.difference(&known).count() <= most {
            known.extend(own);
            taken.push(at);
        }
    }
    taken.sort_unstable();
    taken
}

fn most_often_first(counts: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut order: Vec<(Reverse<u64>, usize)> =
        counts.enumerate().map(|(at, count)| (Reverse(count), at)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(counts: impl IntoIterator<Item = u64>) -> Vec<(SessionLogs, u64)> {
        counts.into_iter().map(|count| (SessionLogs::from([]), count)).collect()
    }

    #[test]
    fn those_that_are_there_most_often_are_taken_and_others_all_over() {
        assert_eq!(sample(&sessions([1, 2, 3])), [0, 1, 2]);
        let counts = (0..5 * MOST_SESSIONS as u64).map(|at| if at % 10 == 3 { 7 } else { 1 });
        let taken = sample(&sessions(counts));
        assert_eq!(taken.len(), MOST_SESSIONS);
        assert_eq!(taken.iter().filter(|&&at| at % 10 == 3).count(), MOST_SESSIONS / 2);
        assert!(taken.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] <= 20));
        let equal = sample(&sessions((0..3 * MOST_SESSIONS).map(|_| 2)));
        assert!(equal.iter().enumerate().all(|(number, &at)| at == 3 * number));
    }

    #[test]
    fn arrows_are_few() {
        let own = [vec![0, 1], vec![2, 3, 4], vec![1, 2], vec![0]];
        let arrows = |at: usize| own[at].iter().copied().collect();
        let sessions = sessions([1, 1, 5, 1]);
        let sessions: Vec<_> = sessions.iter().collect();
        assert_eq!(with_few_arrows(&sessions, arrows, 3), [0, 2, 3]);
        assert_eq!(with_few_arrows(&sessions, arrows, 1), [2]);
    }
}
