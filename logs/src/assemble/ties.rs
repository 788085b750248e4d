//! The orders that the events of a session may have where nothing tells: `ties = "any"`.

// Idea: events of a location that have one order, or come from several files without one, are a block of chains: the
// events of a record, or those of a file, stay in their order, and chains are in no order among each other. The log of the
// location is any of the shuffles. A session is accepted if it is with one of them.
//
// Invariant: shuffles that are the same word count once, so orders of equal events cost nothing.
//
// Cost: a decision for each order of the session, at most `MOST_ORDERS`.

use super::{AssembledPlaces, LocatedEvent, TriedOrders};
use crate::mapping::Ties;
use multitrace_interaction::Session;
use std::collections::BTreeMap;
use std::ops::Range;

/// How many orders of a session are tried: six events in no order have 720.
const MOST_ORDERS: usize = 1000;

/// Events of a location that are in no order, each by its index there.
struct Block {
    location: usize,
    range: Range<usize>,
    /// The different orders of the block.
    orders: Vec<Vec<usize>>,
    is_whole: bool,
}

impl AssembledPlaces<'_> {
    /// Gives the session an order that `judge` accepts (`Some(true)`), else one of which it does not know
    /// (`None`), where the mapping says that events with the same order are in no order.
    pub fn try_orders(
        &mut self,
        session: &mut Session,
        mut judge: impl FnMut(&Session) -> Option<bool>,
    ) -> TriedOrders {
        if self.assembler.mapping.ties() != Ties::Any {
            return TriedOrders::Ordered;
        }
        let blocks = self.blocks(session);
        if blocks.is_empty() {
            return TriedOrders::Ordered;
        }
        let (events, given) = (self.located().events.clone(), session.clone());
        let is_whole = blocks.iter().all(|block| block.is_whole);
        let mut choice = vec![0; blocks.len()];
        let mut maybe = None;
        for _ in 0..MOST_ORDERS {
            self.arrange(&events, &given, (&blocks, &choice), session);
            match judge(session) {
                Some(true) => return TriedOrders::Found,
                Some(false) => {}
                None => _ = maybe.get_or_insert_with(|| choice.clone()),
            }
            if !next(&mut choice, &blocks) {
                let tried = if is_whole { TriedOrders::Rejected } else { TriedOrders::TooMany };
                let found = maybe.as_ref().filter(|_| is_whole);
                choice.fill(0);
                let choice = found.unwrap_or(&choice);
                self.arrange(&events, &given, (&blocks, choice), session);
                return if found.is_some() { TriedOrders::Found } else { tried };
            }
        }
        choice.fill(0);
        self.arrange(&events, &given, (&blocks, &choice), session);
        TriedOrders::TooMany
    }

    /// The events in no order of each location of the specification.
    fn blocks(&self, session: &Session) -> Vec<Block> {
        let located = self.located();
        let mut blocks = Vec::new();
        for (location, events) in located.events.iter().take(session.trace.len()).enumerate() {
            let key = |event: &LocatedEvent| event.order.map(|at| located.orders[at as usize]);
            let mut start = 0;
            while start < events.len() {
                let same = events[start..].iter().take_while(|it| key(it) == key(&events[start]));
                let range = start..start + same.count();
                start = range.end;
                // Without an order, the events of a file are in the order of the file.
                let is_ordered = key(&events[range.start]).is_some();
                let mut chains: BTreeMap<_, Vec<usize>> = BTreeMap::new();
                for at in range.clone() {
                    let (file, place) = events[at].place;
                    chains.entry((file, is_ordered.then_some(place))).or_default().push(at);
                }
                let chains: Vec<Vec<usize>> = chains.into_values().collect();
                let word = |at: usize| {
                    let unknown = session.unknown.iter();
                    let unknown = unknown.filter(|it| (it.location, it.index) == (location, at));
                    (session.trace[location][at], unknown.map(|it| it.text.as_str()).next())
                };
                let mut orders = Vec::new();
                let is_whole = shuffles(&chains, &word, &mut orders);
                if orders.len() > 1 {
                    blocks.push(Block { location, range, orders, is_whole });
                }
            }
        }
        blocks
    }

    /// Gives the session and the places of its events an order.
    fn arrange(
        &mut self,
        events: &[Vec<LocatedEvent>],
        given: &Session,
        (blocks, choice): (&[Block], &[usize]),
        session: &mut Session,
    ) {
        let Some(located) = self.located.get_mut() else { return };
        for (block, choice) in blocks.iter().zip(choice) {
            let Block { location, range, orders, .. } = block;
            for (to, &from) in range.clone().zip(&orders[*choice]) {
                located.events[*location][to] = events[*location][from].clone();
                session.trace[*location][to] = given.trace[*location][from];
            }
        }
        session.unknown.clone_from(&given.unknown);
        for unknown in &mut session.unknown {
            let of = blocks.iter().zip(choice);
            let mut of = of.filter(|(block, _)| block.location == unknown.location);
            let found = of.find_map(|(block, choice)| {
                let at = block.orders[*choice].iter().position(|from| *from == unknown.index)?;
                Some(block.range.start + at)
            });
            unknown.index = found.unwrap_or(unknown.index);
        }
        session.unknown.sort_by_key(|it| (it.location, it.index));
    }
}

/// Goes on to the next choice of orders; false after the last one.
fn next(choice: &mut [usize], blocks: &[Block]) -> bool {
    for (at, block) in choice.iter_mut().zip(blocks) {
        *at += 1;
        if *at < block.orders.len() {
            return true;
        }
        *at = 0;
    }
    false
}

/// The different shuffles of some chains, the one in the order of the input first; false if there are more than can be
/// tried.
fn shuffles<W: PartialEq>(
    chains: &[Vec<usize>],
    word: &impl Fn(usize) -> W,
    orders: &mut Vec<Vec<usize>>,
) -> bool {
    let mut heads = vec![0; chains.len()];
    let mut order = Vec::new();
    extend(chains, word, (&mut heads, &mut order), orders)
}

fn extend<W: PartialEq>(
    chains: &[Vec<usize>],
    word: &impl Fn(usize) -> W,
    (heads, order): (&mut Vec<usize>, &mut Vec<usize>),
    orders: &mut Vec<Vec<usize>>,
) -> bool {
    let rest = |chain: usize, head: usize| chains[chain][head..].iter().map(|at| word(*at));
    let mut open: Vec<usize> =
        (0..chains.len()).filter(|it| heads[*it] < chains[*it].len()).collect();
    open.sort_by_key(|it| chains[*it][heads[*it]]);
    if open.is_empty() {
        if orders.len() == MOST_ORDERS {
            return false;
        }
        orders.push(order.clone());
        return true;
    }
    for (index, &chain) in open.iter().enumerate() {
        // What goes on alike gives the same words.
        let is_same = |other: &usize| rest(*other, heads[*other]).eq(rest(chain, heads[chain]));
        if open[..index].iter().any(is_same) {
            continue;
        }
        order.push(chains[chain][heads[chain]]);
        heads[chain] += 1;
        let is_whole = extend(chains, word, (heads, order), orders);
        heads[chain] -= 1;
        order.pop();
        if !is_whole {
            return false;
        }
    }
    true
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

    proptest! {
        /// Every word of a shuffle is found, and the input's order is the first.
        #[test]
        fn shuffles_are_those_of_their_chains(events in proptest::collection::vec((0..3_usize, 0..2_u8), 1..7)) {
            let words: Vec<u8> = events.iter().map(|(_, word)| *word).collect();
            let mut chains = vec![Vec::new(); 3];
            for (at, (chain, _)) in events.iter().enumerate() {
                chains[*chain].push(at);
            }
            let mut orders = Vec::new();
            prop_assert!(shuffles(&chains, &|at| words[at], &mut orders));
            prop_assert_eq!(&orders[0], &(0..events.len()).collect::<Vec<_>>());
            let found: BTreeSet<Vec<u8>> =
                orders.iter().map(|order| order.iter().map(|at| words[*at]).collect()).collect();
            prop_assert_eq!(found, naive(&chains, &words));
        }
    }

    #[test]
    fn equal_events_have_one_order_and_many_different_ones_too_many() {
        let chains: Vec<Vec<usize>> = (0..30).map(|at| vec![at]).collect();
        let mut orders = Vec::new();
        assert!(shuffles(&chains, &|_| 0, &mut orders));
        assert_eq!(orders.len(), 1);
        orders.clear();
        assert!(!shuffles(&chains, &|at| at, &mut orders));
        assert_eq!(orders.len(), MOST_ORDERS);
    }
}
