//! What the clusters of a session say together: which event comes before which in every run, and which
//! positions a run may go through.
//
// Idea: in the good nodes of a cluster whoever has passed one event has also passed others. With the order of
// the logs that orders events of different clusters, which leaves out good nodes, which orders more events: this
// goes on until nothing changes, or a cluster has no run left, or events would have to come before each
// other.
//
// Invariant: all of it is necessary. A run that explains the session goes, in each cluster, through nodes
// that are left, and reads events in an order that the graph allows. So it refutes and looks ahead, and
// never accepts.
//
// Cost: the nodes of the clusters, once a round.

use crate::clusters::good_nodes::GoodNodes;
use crate::clusters::order_graph::OrderGraph;
use crate::clusters::restricted::ClusterScratch;
use crate::monitor::Monitor;
use crate::search::question::Question;
use multitrace_interaction::{Id, LetterId, Observation};

/// The most nodes of all clusters of a session together, and of one: some 10 ms at 0.5 us a node (an
/// estimate). A larger number looks at larger clusters; a smaller one leaves more time to the search that
/// follows.
const NODES: usize = 20_000;
const NODES_OF_ONE: usize = 5_000;

/// Larger sessions are not ordered: a row of all locations is kept for each event, at most 40 MB in all.
const MOST_EVENTS: usize = 10_000;
const MOST_LOCATIONS: usize = 1_000;

/// How often what is known of all clusters is asked of each. Most sessions need two or three rounds (an
/// estimate).
const ROUNDS: usize = 8;

/// The most nodes, and the most numbers of the order graph, whose memory is kept for the next session: some 10 MB together (an
/// estimate).
const MOST_KEPT: usize = 2 * NODES;
const MOST_NUMBERS_KEPT: usize = 1 << 20;

/// What clusters say of a session, in memory that is kept.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    graph: OrderGraph,
    /// Per cluster, what it says of the session if it is `there`; else what another session left.
    parts: Vec<Part>,
    /// The clusters that are not too large.
    there: Vec<usize>,
}

/// Why no run explains a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A cluster has no run, alone or with what is known of the others.
    Cluster,
    /// Some events would have to come before each other: location and index of each.
    Cycle(Vec<(usize, usize)>),
}

/// One cluster, for one session.
#[derive(Debug, Default)]
struct Part {
    is_there: bool,
    /// Per location of the good nodes, the indices of the events that are in the cluster.
    events: Vec<Vec<u32>>,
    nodes: GoodNodes,
    /// Per location of the good nodes and position of its log, what the events of the cluster before it add to the word of a
    /// vector.
    words: Vec<Vec<u64>>,
    /// Memory of `order` and `leave_out`: per location of the good nodes a row for each event, of a number for each of these
    /// locations.
    rows: Vec<Vec<u32>>,
}

impl Orders {
    /// What the clusters of a monitor say, those of them that are small enough; `None` if none is, or if the
    /// session is too large. Its memory is that of `kept`; give it back by [`Orders::keep_in`].
    ///
    /// # Errors
    /// If no run explains the session.
    pub(crate) fn of(
        question: &Question<'_>,
        scratch: &mut ClusterScratch,
        kept: &mut Orders,
    ) -> Result<Option<Orders>, Refusal> {
        let mut made = std::mem::take(kept);
        let filled = made.fill(question, scratch);
        match filled {
            Ok(true) => return Ok(Some(made)),
            Ok(false) | Err(_) => made.keep_in(kept),
        }
        filled.map(|_| None)
    }

    /// Keeps the memory for the next session, unless it is unusually large.
    pub(crate) fn keep_in(self, kept: &mut Orders) {
        *kept = if self.is_large() { Orders::default() } else { self };
    }

    /// Whether any cluster is small enough.
    fn fill(
        &mut self,
        question: &Question<'_>,
        scratch: &mut ClusterScratch,
    ) -> Result<bool, Refusal> {
        let (events, locations) = (question.event_count(), question.trace.len());
        let clusters = question.monitor.bundle().order_clusters.len();
        if events > MOST_EVENTS || locations > MOST_LOCATIONS || clusters == 0 {
            return Ok(false);
        }
        self.graph.begin(question.trace.iter().map(Vec::len));
        self.parts.resize_with(clusters, Part::default);
        self.parts.iter_mut().for_each(|part| part.is_there = false);
        self.there.clear();
        let mode = scratch.settle(question);
        let before = scratch.visits as usize;
        for (cluster, part) in self.parts.iter_mut().enumerate() {
            let left = NODES.saturating_sub(scratch.visits as usize - before).min(NODES_OF_ONE);
            if left == 0 || question.allowance.is_late() {
                break;
            }
            if !part.fill(question, cluster, (scratch, mode), left) {
                continue;
            }
            if !part.nodes.are_there() {
                return Err(Refusal::Cluster);
            }
            self.there.push(cluster);
        }
        self.settle()?;
        Ok(!self.there.is_empty())
    }

    /// Asks all clusters until nothing changes.
    fn settle(&mut self) -> Result<(), Refusal> {
        let Orders { graph, parts, there } = self;
        for _ in 0..ROUNDS {
            let mut is_new = false;
            for &cluster in &*there {
                is_new |= parts[cluster].order(graph);
            }
            if !is_new {
                break;
            }
            if !graph.close() {
                return Err(Refusal::Cycle(graph.cycle().unwrap_or_default()));
            }
            for &cluster in &*there {
                parts[cluster].leave_out(graph);
                if !parts[cluster].nodes.are_there() {
                    return Err(Refusal::Cluster);
                }
            }
        }
        Ok(())
    }

    fn is_large(&self) -> bool {
        let nodes: usize = self.parts.iter().map(|part| part.nodes.capacity()).sum();
        nodes > MOST_KEPT || self.graph.capacity() > MOST_NUMBERS_KEPT
    }

    /// Whether a location may have read its last event before these positions, which count the event, as far as
    /// clusters can tell.
    pub(crate) fn allow(
        &self,
        monitor: &Monitor,
        letter: LetterId,
        location: usize,
        positions: &[u32],
    ) -> bool {
        let before = self.graph.before(location, positions[location] - 1);
        // Comparing all of them is faster than stopping at the first that fails.
        let fits = before.iter().zip(positions).fold(true, |fits, (l, p)| fits & (l <= p));
        let mut parts = monitor.order_clusters().of_letter.of(letter.index()).iter();
        fits && parts.all(|&part| {
            let part = &self.parts[part as usize];
            !part.is_there || part.has(positions)
        })
    }
}

impl Part {
    /// False if the cluster has more nodes than `most`, which are counted all the same.
    fn fill(
        &mut self,
        question: &Question<'_>,
        cluster: usize,
        (scratch, observation): (&mut ClusterScratch, Observation),
        most: usize,
    ) -> bool {
        let monitor = question.monitor;
        let has = &monitor.order_clusters().has[cluster];
        scratch.restrict(question, has);
        let restricted = Question {
            monitor,
            trace: &scratch.trace,
            observation,
            open_ends: &scratch.open_ends,
            allowance: question.allowance.clone(),
        };
        let automaton = &monitor.bundle().order_clusters[cluster].automaton;
        let edges = &monitor.order_clusters().edges[cluster];
        self.is_there = self.nodes.fill(&restricted, automaton, edges, most);
        scratch.visits += self.nodes.count() as u64;
        if self.is_there {
            self.find_events(question, has);
        }
        self.is_there
    }

    /// Finds the events of the cluster.
    fn find_events(&mut self, question: &Question<'_>, has: &[bool]) {
        let Part { events, nodes, words, .. } = self;
        let locations = nodes.locations();
        empty(events, locations.len());
        empty(words, locations.len());
        for ((&location, events), words) in locations.iter().zip(events).zip(words) {
            let own = |&(_, letter): &(u32, &LetterId)| has.get(letter.index()) == Some(&true);
            let log = (0..).zip(&question.trace[location]);
            events.extend(log.filter(own).map(|(index, _)| index));
            let positions = 0..=question.trace[location].len() as u32;
            words.extend(positions.map(|it| nodes.word(location, count(events, it))));
        }
    }

    fn has(&self, positions: &[u32]) -> bool {
        let own = self.nodes.locations().iter().zip(&self.words);
        self.nodes.have(own.map(|(&location, words)| words[positions[location] as usize]).sum())
    }

    /// Adds what the good nodes order; whether any of it is new.
    fn order(&mut self, graph: &mut OrderGraph) -> bool {
        let Part { events, nodes, rows: least, .. } = self;
        let width = events.len();
        empty(least, width);
        least.iter_mut().zip(&*events).for_each(|(it, own)| it.resize(own.len() * width, u32::MAX));
        for positions in nodes.good_positions() {
            for (least, &position) in least.iter_mut().zip(positions).filter(|it| *it.1 > 0) {
                let row = &mut least[(position as usize - 1) * width..][..width];
                row.iter_mut().zip(positions).for_each(|(least, at)| *least = (*least).min(*at));
            }
        }
        let locations = nodes.locations();
        let mut is_new = false;
        for (own, least) in least.iter_mut().enumerate() {
            for index in (0..events[own].len()).rev() {
                take_later(least, index, width);
                for (other, others) in events.iter().enumerate().filter(|it| it.0 != own) {
                    let needed = least[index * width + other] as usize;
                    if let Some(&last) = needed.checked_sub(1).and_then(|at| others.get(at)) {
                        let event = (locations[own], events[own][index]);
                        is_new |= graph.add(event, locations[other], last + 1);
                    }
                }
            }
        }
        is_new
    }

    /// Leaves out nodes that have passed an event and not all that come before it.
    fn leave_out(&mut self, graph: &OrderGraph) {
        self.find_needed(graph);
        let Part { events, nodes, rows: needed, .. } = self;
        let width = events.len();
        nodes.retain(|positions| {
            let mut passed = needed.iter().zip(positions).filter(|it| *it.1 > 0);
            passed.all(|(needed, &position)| {
                let row = &needed[(position as usize - 1) * width..][..width];
                row.iter().zip(positions).all(|(needed, position)| needed <= position)
            })
        });
    }

    /// Finds per location and event of the cluster, how many events of it come before that event, at each of its locations.
    fn find_needed(&mut self, graph: &OrderGraph) {
        let Part { events, nodes, rows: needed, .. } = self;
        let locations = nodes.locations();
        empty(needed, locations.len());
        for ((&location, own), needed) in locations.iter().zip(&*events).zip(needed) {
            for &index in own {
                let before = graph.before(location, index);
                let others = locations.iter().zip(&*events);
                needed.extend(others.map(|(&other, events)| count(events, before[other])));
            }
        }
    }
}

/// Empties all lists, and makes them as many as `count`. They keep their memory.
fn empty<T>(lists: &mut Vec<Vec<T>>, count: usize) {
    lists.iter_mut().for_each(Vec::clear);
    lists.resize_with(count, Vec::new);
}

/// How many of these events, which are indices in a log, are among the first `position` of the log.
fn count(events: &[u32], position: u32) -> u32 {
    events.partition_point(|&index| index < position) as u32
}

/// A node that has passed a later event has passed this one, too.
fn take_later(least: &mut [u32], index: usize, locations: usize) {
    let (own, later) = least[index * locations..].split_at_mut(locations);
    own.iter_mut().zip(later).for_each(|(own, later)| *own = (*own).min(*later));
}
