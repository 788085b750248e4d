//! The orders that the events of a session may have where nothing tells: `ties = "any"`.

// Idea: events of a location that have one order, or come from several files without one, are a block of chains: the
// events of a record, or those of a file, stay in their order, and chains are in no order among each other. The log of the
// location is any of the shuffles. A session is accepted if it is with one of them.
//
// Invariant: of chains that go on with the same words only the first is tried, so orders of equal events cost nothing.
//
// Cost: a decision for each order of the session, at most `MOST_ORDERS`. One order of a block is in memory; the next one
// is made of it.

use super::{AssembledPlaces, LocatedEvent, TriedOrders};
use crate::mapping::Ties;
use multitrace_formats::problem::InputProblem;
use multitrace_interaction::{LetterId, Session};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

/// How many orders of a session are tried: six events in no order have 720.
const MOST_ORDERS: usize = 1000;

const FINER: &str = "name a finer field in `order`, or write ties = \"file\"";

/// Events of a location that are in no order.
#[derive(Clone)]
struct Block {
    location: usize,
    /// The index of the first one at the location.
    start: usize,
    shuffle: Shuffle,
}

impl AssembledPlaces<'_> {
    /// Gives the session an order that `judge` accepts (`Some(true)`), else one that it cannot judge (`None`), if the
    /// mapping says that events with the same order are in no order.
    pub fn try_orders(
        &mut self,
        session: &mut Session,
        mut judge: impl FnMut(&Session) -> Option<bool>,
    ) -> TriedOrders {
        if self.assembler.mapping.ties() != Ties::Any {
            return TriedOrders::Ordered;
        }
        let mut blocks = self.blocks(session, session.trace.len());
        if blocks.is_empty() {
            return TriedOrders::Ordered;
        }
        let (events, given) = (self.located().events.clone(), session.clone());
        let mut maybe = None;
        for _ in 0..MOST_ORDERS {
            self.arrange(&events, &given, &blocks, session);
            match judge(session) {
                Some(true) => return TriedOrders::Found,
                Some(false) => {}
                None => _ = maybe.get_or_insert_with(|| blocks.clone()),
            }
            let has_more = blocks.iter_mut().any(|block| block.shuffle.advance());
            if !has_more {
                self.arrange(&events, &given, maybe.as_ref().unwrap_or(&blocks), session);
                return if maybe.is_some() { TriedOrders::Found } else { TriedOrders::Rejected };
            }
        }
        blocks.iter_mut().for_each(|block| block.shuffle.reset());
        self.arrange(&events, &given, &blocks, session);
        TriedOrders::TooMany(self.too_many(&session.id, &blocks[0]))
    }

    fn too_many(&self, session: &str, Block { location, start, .. }: &Block) -> InputProblem {
        let message = format!(
            "session {session:?}: its events are in no order (ties = \"any\"), and none of the first {MOST_ORDERS} orders \
             passes"
        );
        let place = self.located().events[*location][*start].place;
        self.assembler.late.problem(place, None, (&message, FINER))
    }

    /// Why no single order of its events is the session, if the mapping says that some of them are in no order.
    pub fn unordered(&self, session: &Session) -> Option<InputProblem> {
        if self.assembler.mapping.ties() != Ties::Any {
            return None;
        }
        let blocks = self.blocks(session, self.located().events.len());
        let Block { location, start, .. } = blocks.first()?;
        let message = format!(
            "session {:?}: its events are in no order (ties = \"any\"), which a line of a session cannot say",
            session.id
        );
        let place = self.located().events[*location][*start].place;
        Some(self.assembler.late.problem(place, None, (&message, FINER)))
    }

    /// The events in no order of the first locations; those that the specification does not know come last.
    fn blocks(&self, session: &Session, locations: usize) -> Vec<Block> {
        let (located, known) = (self.located(), session.trace.len());
        let unknown = session.unknown.iter();
        let unknown: HashMap<(usize, usize), &str> =
            unknown.map(|it| ((it.location, it.index), it.text.as_str())).collect();
        let mut blocks = Vec::new();
        for (location, events) in located.events.iter().take(locations).enumerate() {
            let key = |event: &LocatedEvent| event.order.map(|at| located.orders[at as usize]);
            let word = |at: usize| match location.checked_sub(known) {
                None => (session.trace[location][at], unknown.get(&(location, at)).copied()),
                Some(foreign) => {
                    (LetterId::UNKNOWN, Some(session.foreign[foreign].events[at].as_str()))
                }
            };
            let mut start = 0;
            for events in events.chunk_by(|one, other| key(one) == key(other)) {
                // Without an order, the events of a file are in the order of the file.
                let is_ordered = key(&events[0]).is_some();
                let mut chains: BTreeMap<_, Vec<usize>> = BTreeMap::new();
                for (at, LocatedEvent { place: (file, place), .. }) in events.iter().enumerate() {
                    chains.entry((file, is_ordered.then_some(place))).or_default().push(at);
                }
                let chains: Vec<Vec<usize>> = chains.into_values().collect();
                let mut shuffle = Shuffle::new(&chains, |at| word(start + at));
                if shuffle.advance() {
                    shuffle.reset();
                    blocks.push(Block { location, start, shuffle });
                }
                start += events.len();
            }
        }
        blocks
    }

    /// Gives the session and the places of its events an order.
    fn arrange(
        &mut self,
        events: &[Vec<LocatedEvent>],
        given: &Session,
        blocks: &[Block],
        session: &mut Session,
    ) {
        let Some(located) = self.located.get_mut() else { return };
        let mut moved = HashMap::new();
        for &Block { location, start, ref shuffle } in blocks {
            for (to, from) in shuffle.order.iter().enumerate() {
                let (to, from) = (start + to, start + from);
                located.events[location][to] = events[location][from].clone();
                session.trace[location][to] = given.trace[location][from];
                if to != from {
                    moved.insert((location, from), to);
                }
            }
        }
        session.unknown.clone_from(&given.unknown);
        for unknown in &mut session.unknown {
            let to = moved.get(&(unknown.location, unknown.index));
            unknown.index = to.copied().unwrap_or(unknown.index);
        }
        session.unknown.sort_by_key(|it| (it.location, it.index));
    }
}

/// One of the different shuffles of some chains. The first is the order of the input; each next one is the next by the
/// places of its events in the input.
#[derive(Clone)]
struct Shuffle {
    /// The next event of the chain, by event.
    next: Vec<Option<usize>>,
    /// Which events go on with the same words in their chains, by event.
    class: Vec<usize>,
    order: Vec<usize>,
}

impl Shuffle {
    /// The events of each chain are in the order of the input; all of them are numbered from 0.
    fn new<W: Eq + Hash>(chains: &[Vec<usize>], word: impl Fn(usize) -> W) -> Shuffle {
        let count = chains.iter().map(Vec::len).sum();
        let (mut next, mut class) = (vec![None; count], vec![0; count]);
        let mut classes = HashMap::new();
        for chain in chains {
            let mut behind: Option<usize> = None;
            for &at in chain.iter().rev() {
                let new = classes.len();
                class[at] = *classes.entry((word(at), behind.map(|it| class[it]))).or_insert(new);
                next[at] = behind.replace(at);
            }
        }
        Shuffle { next, class, order: (0..count).collect() }
    }

    fn reset(&mut self) {
        self.order.sort_unstable();
    }

    /// Goes on to the next shuffle; false after the last one, with the first again.
    fn advance(&mut self) -> bool {
        // Of the events from a place on: those that may come first, and how many of them have each class.
        let mut heads = BTreeSet::new();
        let mut classes: HashMap<usize, usize> = HashMap::new();
        for at in (0..self.order.len()).rev() {
            let event = self.order[at];
            heads.insert(event);
            *classes.entry(self.class[event]).or_default() += 1;
            if let Some(next) = self.next[event] {
                heads.remove(&next);
                let class = self.class[next];
                match classes.get_mut(&class) {
                    Some(count @ 2..) => *count -= 1,
                    _ => _ = classes.remove(&class),
                }
            }
            let other = if classes.len() > 1 { self.other(&heads, event) } else { None };
            if let Some(other) = other {
                let rest = &mut self.order[at..];
                rest.sort_unstable();
                let place = rest.partition_point(|it| *it < other);
                rest[..=place].rotate_right(1);
                return true;
            }
        }
        self.reset();
        false
    }

    /// The next event that may come in place of one, and goes on with other words than it and those before it.
    fn other(&self, heads: &BTreeSet<usize>, event: usize) -> Option<usize> {
        let tried: HashSet<usize> = heads.range(..=event).map(|it| self.class[*it]).collect();
        heads.range(event + 1..).copied().find(|it| !tried.contains(&self.class[*it]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// All shuffles, by trying all orders of the events.
    fn naive(chains: &[Vec<usize>], words: &[u8]) -> BTreeSet<Vec<u8>> {
        let mut all = BTreeSet::from([(vec![0; chains.len()], Vec::new())]);
        for _ in 0..words.len() {
            let mut more = BTreeSet::new();
            for (heads, word) in &all {
                for chain in 0..chains.len() {
                    if let Some(at) = chains[chain].get(heads[chain]) {
                        let (mut heads, mut word) = (heads.clone(), word.clone());
                        heads[chain] += 1;
                        word.push(words[*at]);
                        more.insert((heads, word));
                    }
                }
            }
            all = more;
        }
        all.into_iter().map(|(_, word)| word).collect()
    }

    /// The shuffles of some chains, at most as many as are tried, and whether these are all.
    fn shuffles<W: Eq + std::hash::Hash>(
        chains: &[Vec<usize>],
        word: impl Fn(usize) -> W,
    ) -> (Vec<Vec<usize>>, bool) {
        let mut shuffle = Shuffle::new(chains, word);
        let mut orders = Vec::new();
        for _ in 0..MOST_ORDERS {
            orders.push(shuffle.order.clone());
            if !shuffle.advance() {
                return (orders, true);
            }
        }
        (orders, false)
    }

    proptest! {
        /// Every word of a shuffle is found, and the input's order is the first.
        #[test]
        fn shuffles_are_those_of_their_chains(events in proptest::collection::vec((0..3_usize, 0..2_u8), 1..7)) {
            let words: Vec<u8> = events.iter().map(|(_, word)| *word).collect();
            let mut chains = vec![Vec::new(); 3];
            for (at, (chain, _)) in events.iter().enumerate() {
                chains[*chain].push(at);
            }
            let (orders, is_whole) = shuffles(&chains, |at| words[at]);
            prop_assert!(is_whole);
            prop_assert_eq!(&orders[0], &(0..events.len()).collect::<Vec<_>>());
            let found: BTreeSet<Vec<u8>> =
                orders.iter().map(|order| order.iter().map(|at| words[*at]).collect()).collect();
            prop_assert_eq!(found, naive(&chains, &words));
        }
    }

    #[test]
    fn equal_events_have_one_order_and_many_different_ones_too_many() {
        let chains: Vec<Vec<usize>> = (0..30).map(|at| vec![at]).collect();
        let (orders, is_whole) = shuffles(&chains, |_| 0);
        assert_eq!((orders.len(), is_whole), (1, true));
        let (orders, is_whole) = shuffles(&chains, |at| at);
        assert_eq!((orders.len(), is_whole), (MOST_ORDERS, false));
    }

    /// Two files of many events without an order: shuffling them takes no stack, and the memory of one order.
    #[test]
    fn long_chains_are_shuffled_in_their_own_memory() {
        const LENGTH: usize = 200_000;
        let chains: [Vec<usize>; 2] = [(0..LENGTH).collect(), (LENGTH..2 * LENGTH).collect()];
        let mut shuffle = Shuffle::new(&chains, |at| at % 2);
        assert!((0..10).all(|_| shuffle.advance()));
        let single: Vec<Vec<usize>> = (0..LENGTH).map(|at| vec![at]).collect();
        let mut equal = Shuffle::new(&single, |_| 0);
        assert!(!equal.advance());
    }
}
