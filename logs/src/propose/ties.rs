//! The proposed meaning of equal times at one location: the order of the file only if the log shows that it is kept.

use crate::mapping::OrderKey;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

/// How often two messages with one time must stand in one order, and in no other, to show that a log keeps it.
const LEAST_PAIRS: usize = 5;

/// An event as far as ties ask for it.
pub(super) struct TimedEvent<'e, L> {
    /// Where it was logged, and for which session.
    pub(super) location: L,
    pub(super) time: Option<OrderKey>,
    pub(super) message: &'e str,
    /// The texts that a log may have been sorted by: the cells of a row, or a line.
    pub(super) texts: Vec<&'e str>,
}

/// Events of one location with equal times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EqualTimes {
    /// How many events share the time of another of their location.
    events: usize,
    all: usize,
    /// Whether times never fall in the log.
    is_rising: bool,
    /// Whether they never rise, in the log or at each location.
    is_falling: bool,
    /// Whether the log shows that their order is that of its lines.
    is_in_order: bool,
}

impl EqualTimes {
    /// Looks at the events of a log in the order of its lines.
    pub(super) fn of<L: Hash + Eq>(events: &[TimedEvent<'_, L>]) -> EqualTimes {
        let mut logs: HashMap<(&L, OrderKey), Vec<&TimedEvent<'_, L>>> = HashMap::new();
        for event in events {
            if let Some(time) = event.time {
                logs.entry((&event.location, time)).or_default().push(event);
            }
        }
        let shared: Vec<_> = logs.into_values().filter(|events| events.len() > 1).collect();
        let pairs = shared.iter().flat_map(|events| events.windows(2));
        let pairs: Vec<_> = pairs.map(|two| (two[0], two[1])).collect();
        let is_rising = events.iter().filter_map(|event| event.time).is_sorted();
        let is_falling = !is_rising && is_newest_first(events);
        EqualTimes {
            events: shared.iter().map(Vec::len).sum(),
            all: events.len(),
            is_rising,
            is_falling,
            is_in_order: is_rising && keep_one_order(&pairs) && is_sorted_by_nothing(&pairs),
        }
    }

    /// The lines of the mapping, if there are equal times: a question if the log may be in order, or in that of time turned
    /// round.
    pub(super) fn lines(self) -> String {
        let EqualTimes { events, all, is_rising, is_falling, is_in_order } = self;
        if events == 0 {
            return String::new();
        }
        let count =
            format!("{events} of {all} events share their time with others of one lifeline");
        match (is_in_order, is_rising) {
            (true, _) => format!(
                "# {count}.\n\
                 # Times never fall, the same messages with one time are always in one order, and no field is sorted there: the log is\n\
                 # in order.\n\
                 ties = \"file\"\n"
            ),
            (false, true) => format!(
                "# ties? {count}, and times never fall.\n\
                 # If the log was written in order, that of the file counts, \"file\"; if such events may have happened in any\n\
                 # order, a session passes in one of them, \"any\".\n\
                 # ties = \"file\"\n"
            ),
            (false, false) if is_falling => format!(
                "# ties? {count}, and the newest stands first.\n\
                 # Propose again from the records in the order in which they were written, or name a finer field in `order`; if such\n\
                 # events may have happened in any order, a session passes in one of them, \"any\".\n\
                 # ties = \"any\"\n"
            ),
            (false, false) => format!(
                "# {count}: they may have\n\
                 # happened in any order. If the log was written in order, that of the file counts with \"file\".\n\
                 ties = \"any\"\n"
            ),
        }
    }
}

/// Whether times never rise from one event to the next: in the log, or at each location, and fall at some.
fn is_newest_first<L: Hash + Eq>(events: &[TimedEvent<'_, L>]) -> bool {
    let is_falling = |times: &[OrderKey]| times.windows(2).all(|two| two[0] >= two[1]);
    let all: Vec<OrderKey> = events.iter().filter_map(|event| event.time).collect();
    let mut places: HashMap<&L, Vec<OrderKey>> = HashMap::new();
    for event in events {
        places.entry(&event.location).or_default().extend(event.time);
    }
    let falls = |times: &Vec<OrderKey>| times.first() > times.last();
    is_falling(&all) || places.values().all(|it| is_falling(it)) && places.values().any(falls)
}

/// Two events of one location and time, as they follow one another.
type Pair<'p, 'e, L> = (&'p TimedEvent<'e, L>, &'p TimedEvent<'e, L>);

/// Whether the same two messages always stand in one order: a shuffled log has both.
fn keep_one_order<L>(pairs: &[Pair<'_, '_, L>]) -> bool {
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    let differing = pairs.iter().map(|(one, next)| (one.message, next.message));
    differing.filter(|(one, next)| one != next).for_each(|it| *counts.entry(it).or_default() += 1);
    counts.keys().all(|(one, next)| !counts.contains_key(&(*next, *one)))
        && counts.values().any(|count| *count >= LEAST_PAIRS)
}

/// Whether no text rises, or falls, in all pairs: the log was not sorted by it.
fn is_sorted_by_nothing<L>(pairs: &[Pair<'_, '_, L>]) -> bool {
    let texts = pairs.iter().map(|(one, _)| one.texts.len()).min().unwrap_or(0);
    (0..texts).all(|at| {
        let is = |wanted: Ordering| {
            let those =
                pairs.iter().filter(|(one, next)| one.texts[at].cmp(next.texts[at]) == wanted);
            those.count()
        };
        let (rising, falling) = (is(Ordering::Less), is(Ordering::Greater));
        rising + falling == 0 || rising.min(falling) >= LEAST_PAIRS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines for the messages of a server within one second each, in an order.
    fn lines(messages: impl Fn(usize) -> [&'static str; 2]) -> String {
        let events = (0..40).flat_map(|session| {
            messages(session).map(|message| TimedEvent {
                location: session,
                time: OrderKey::parse(&session.to_string()),
                message,
                texts: vec![message],
            })
        });
        EqualTimes::of(&events.collect::<Vec<_>>()).lines()
    }

    #[test]
    fn only_a_log_that_shows_its_order_is_believed() {
        let is = |lines: &str, ties: &str| lines.contains(&format!("ties = \"{ties}\""));
        let both =
            |at: usize| if at.is_multiple_of(2) { ["ask", "reply"] } else { ["put", "done"] };
        assert!(is(&lines(both), "file"));
        // Sorted by a column, and shuffled: nobody knows.
        let shuffled = |at: usize| if at.is_multiple_of(3) { ["reply", "ask"] } else { both(at) };
        for open in [lines(|_| ["ask", "reply"]), lines(|_| ["reply", "ask"]), lines(shuffled)] {
            assert!(open.starts_with("# ties? 80 of 80 events") && !open.contains("\nties"));
        }
        let one = |at: usize| TimedEvent {
            location: "a",
            time: OrderKey::parse(&at.to_string()),
            message: "m",
            texts: Vec::new(),
        };
        assert!(is(&EqualTimes::of(&[one(1), one(1), one(0), one(2)]).lines(), "any"));
        let newest_first = EqualTimes::of(&[one(1), one(1), one(0)]).lines();
        assert!(newest_first.starts_with("# ties? 2 of 3 events share"), "{newest_first}");
        assert!(!newest_first.contains("\nties") && newest_first.contains("\n# ties = \"any\""));
        assert_eq!(EqualTimes::of(&[one(0), one(1), one(2)]).lines(), "");
    }
}
