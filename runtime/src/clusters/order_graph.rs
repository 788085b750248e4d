//! What must come before what among the events of a session: a graph, an order of its events, or a cycle.
//
// Idea: every event waits for the one before it in its log, and for some events of other logs, of each log for
// the last one only. If no order of all events respects that, some events wait for each other in a circle.
//
// Invariant: waiting for an event means waiting for all before it in its log.
//
// Cost: a look at all locations for each event and each location it waits for.

use crate::lists::Lists;
use std::collections::VecDeque;

/// The events of a session, by location, and what they wait for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OrderGraph {
    /// Per location, the number of its first event; and the number of all events.
    first: Vec<usize>,
    /// Per event, its location.
    location_of: Vec<u32>,
    /// Per event and location, how many events of the location come before it in every run.
    before: Vec<u32>,
}

/// The most events from which circles are looked for, the first ones: the shortest circle of these is shown. A larger
/// number finds shorter ones among many.
const MOST_STARTS: usize = 200;

impl OrderGraph {
    /// Forgets all events, and has others that wait for those before them in their own logs only.
    pub(crate) fn begin(&mut self, lengths: impl ExactSizeIterator<Item = usize>) {
        let OrderGraph { first, location_of, before } = self;
        let locations = lengths.len();
        first.clear();
        first.push(0);
        location_of.clear();
        before.clear();
        for (location, length) in lengths.enumerate() {
            for index in 0..length {
                let row = before.len();
                before.resize(row + locations, 0);
                before[row + location] = index as u32;
                location_of.push(location as u32);
            }
            first.push(location_of.len());
        }
    }

    /// For how many numbers there is memory.
    pub(crate) fn capacity(&self) -> usize {
        self.before.capacity()
    }

    /// How many locations there are.
    pub(crate) fn locations(&self) -> usize {
        self.first.len() - 1
    }

    fn event(&self, location: usize, index: u32) -> usize {
        self.first[location] + index as usize
    }

    /// Per location, how many of its events come before an event.
    pub(crate) fn before(&self, location: usize, index: u32) -> &[u32] {
        self.row(self.event(location, index))
    }

    fn row(&self, event: usize) -> &[u32] {
        &self.before[event * self.locations()..][..self.locations()]
    }

    /// Lets an event wait for the first `count` events of a location; whether it did not yet.
    pub(crate) fn add(
        &mut self,
        (location, index): (usize, u32),
        other: usize,
        count: u32,
    ) -> bool {
        let at = self.event(location, index) * self.locations() + other;
        let is_new = self.before[at] < count;
        self.before[at] = self.before[at].max(count);
        is_new
    }

    /// The last event of each location that an event waits for.
    fn waits_for(&self, event: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let last =
            |(location, &count): (usize, &u32)| Some(self.event(location, count.checked_sub(1)?));
        self.row(event).iter().enumerate().filter_map(last)
    }

    /// An order of the events that respects what they wait for: of the events that wait for nothing else the
    /// first, in the order of locations, comes next. `None` if there is none.
    fn order(&self) -> Option<Vec<usize>> {
        let count = self.location_of.len();
        let mut waiting: Vec<_> = (0..count).map(|event| self.waits_for(event).count()).collect();
        let mut after = Lists::default();
        let waits = |event| self.waits_for(event).map(move |other| (other, event as u32));
        after.fill(count, (0..count).flat_map(waits));
        let mut todo: VecDeque<_> = (0..count).filter(|&event| waiting[event] == 0).collect();
        let mut order = Vec::with_capacity(count);
        while let Some(event) = todo.pop_front() {
            order.push(event);
            for &next in after.of(event) {
                let next = next as usize;
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    todo.push_back(next);
                }
            }
        }
        (order.len() == count).then_some(order)
    }

    /// Lets every event wait for all that its predecessors wait for. False if events wait for each other; then
    /// nothing is changed.
    pub(crate) fn close(&mut self) -> bool {
        let Some(order) = self.order() else { return false };
        let locations = self.locations();
        let mut row = vec![0; locations];
        for event in order {
            row.copy_from_slice(self.row(event));
            for other in self.waits_for(event) {
                row.iter_mut()
                    .zip(self.row(other))
                    .for_each(|(own, more)| *own = (*own).max(*more));
            }
            self.before[event * locations..][..locations].copy_from_slice(&row);
        }
        true
    }

    /// Events that wait for each other, as few as were found, each before the next and the last before the first:
    /// location and index. Of events of one log that follow each other in it, the first and the last are there.
    pub(crate) fn cycle(&self) -> Option<Vec<(usize, usize)>> {
        let count = self.location_of.len();
        let starts = (0..count).filter(|&event| self.crosses(event).next().is_some());
        let found = starts.take(MOST_STARTS).filter_map(|start| self.cycle_through(start));
        let shortest = found.min_by_key(Vec::len)?;
        let place = |event: usize| {
            let location = self.location_of[event] as usize;
            (location, event - self.first[location])
        };
        Some(shortest.into_iter().map(place).collect())
    }

    /// The last events of other locations that an event waits for.
    fn crosses(&self, event: usize) -> impl Iterator<Item = usize> + '_ {
        let own = self.location_of[event];
        self.waits_for(event).filter(move |&other| self.location_of[other] != own)
    }

    /// A shortest way back from what an event waits for to the event itself. Going back inside a log is free.
    fn cycle_through(&self, start: usize) -> Option<Vec<usize>> {
        let mut after = vec![usize::MAX; self.location_of.len()];
        let mut todo: VecDeque<usize> = VecDeque::from([start]);
        while let Some(event) = todo.pop_front() {
            for other in self.crosses(event) {
                if self.location_of[other] == self.location_of[start] && other >= start {
                    return Some(self.path(start, event, other, &after));
                }
                let log = self.first[self.location_of[other] as usize]..=other;
                // Whoever waits for an event waits for all before it.
                for earlier in log.rev() {
                    if after[earlier] != usize::MAX || earlier == start {
                        break;
                    }
                    after[earlier] = if earlier == other { event } else { other };
                    todo.push_back(earlier);
                }
            }
        }
        None
    }

    /// The circle from `start`, which `first` comes before or is, up to `last` that waits for `first`: in the order in which
    /// events would have to come.
    fn path(&self, start: usize, last: usize, first: usize, after: &[usize]) -> Vec<usize> {
        let mut path = if first == start { vec![first] } else { vec![start, first] };
        let mut event = last;
        while event != start {
            path.push(event);
            event = after[event];
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LENGTHS: [usize; 3] = [3, 0, 4];

    /// An event, another location, and how many of its events come before the event.
    fn any_order() -> impl Strategy<Value = ((usize, u32), usize, u32)> {
        let event = prop_oneof![(Just(0), 0..3_u32), (Just(2), 0..4_u32)];
        event.prop_flat_map(|(location, index)| {
            let other = 2 - location;
            ((Just(location), Just(index)), Just(other), 1..=LENGTHS[other] as u32)
        })
    }

    fn any_graph() -> impl Strategy<Value = OrderGraph> {
        proptest::collection::vec(any_order(), 0..5).prop_map(|orders| {
            let mut graph = OrderGraph::default();
            // What was there before does not count.
            graph.begin([2, 1].into_iter());
            graph.begin(LENGTHS.into_iter());
            for (event, other, count) in orders {
                graph.add(event, other, count);
            }
            graph
        })
    }

    /// Per event, all events before it: every pair of pairs, until nothing changes.
    fn before_by_pairs(graph: &OrderGraph) -> Vec<Vec<bool>> {
        let count = graph.location_of.len();
        let mut before = vec![vec![false; count]; count];
        for (event, before) in before.iter_mut().enumerate() {
            let log = graph.first[graph.location_of[event] as usize]..event;
            log.chain(graph.waits_for(event)).for_each(|other| before[other] = true);
        }
        for middle in 0..count {
            let through = before[middle].clone();
            for own in before.iter_mut().filter(|own| own[middle]) {
                own.iter_mut().zip(&through).for_each(|(own, through)| *own |= through);
            }
        }
        before
    }

    proptest! {
        #[test]
        fn cycles_and_what_comes_before_are_those_of_all_pairs(graph in any_graph()) {
            let naive = before_by_pairs(&graph);
            let has_cycle = (0..naive.len()).any(|event| naive[event][event]);
            prop_assert_eq!(graph.cycle().is_some(), has_cycle);
            if let Some(cycle) = graph.cycle() {
                let events: Vec<_> = cycle.iter().map(|&(at, index)| graph.first[at] + index).collect();
                for (at, &event) in events.iter().enumerate() {
                    let next = events[(at + 1) % events.len()];
                    let in_log = graph.location_of[event] == graph.location_of[next] && event < next;
                    let by_order = graph.waits_for(next).any(|other| other == event);
                    prop_assert!(in_log || by_order, "{:?}", cycle);
                }
            }
            let mut closed = graph.clone();
            prop_assert_eq!(closed.close(), !has_cycle);
            for (event, naive) in naive.iter().enumerate().filter(|_| !has_cycle) {
                for (other, &is_before) in naive.iter().enumerate() {
                    let location = graph.location_of[other] as usize;
                    let index = (other - graph.first[location]) as u32;
                    prop_assert_eq!(closed.row(event)[location] > index, is_before);
                }
            }
        }
    }
}
