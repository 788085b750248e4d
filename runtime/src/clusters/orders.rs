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

/// What clusters say of a session.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    graph: OrderGraph,
    parts: Vec<Part>,
    /// Per letter, the parts that have it.
    parts_of: Vec<Vec<u32>>,
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
#[derive(Debug)]
struct Part {
    /// Per location of the good nodes, the indices of the events that are in the cluster.
    events: Vec<Vec<u32>>,
    nodes: GoodNodes,
    /// Per location of the good nodes and position of its log, what the events of the cluster before it add to the word of a
    /// vector.
    words: Vec<Vec<u64>>,
}

impl Orders {
    /// What the clusters of a monitor say, those of them that are small enough; `None` if none is, or if the
    /// session is too large.
    ///
    /// # Errors
    /// If no run explains the session.
    pub(crate) fn of(
        question: &Question<'_>,
        scratch: &mut ClusterScratch,
    ) -> Result<Option<Orders>, Refusal> {
        let (events, locations) = (question.event_count(), question.trace.len());
        if events > MOST_EVENTS
            || locations > MOST_LOCATIONS
            || question.monitor.bundle().order_clusters.is_empty()
        {
            return Ok(None);
        }
        let graph = OrderGraph::of_logs(question.trace.iter().map(Vec::len));
        let letters = question.monitor.alphabet().letters().len();
        let mut made = Orders { graph, parts_of: vec![Vec::new(); letters], ..Orders::default() };
        let mode = scratch.settle(question);
        let before = scratch.visits as usize;
        for cluster in 0..question.monitor.bundle().order_clusters.len() {
            let left = NODES.saturating_sub(scratch.visits as usize - before).min(NODES_OF_ONE);
            if left == 0 || question.allowance.is_late() {
                break;
            }
            let part = Part::of(question, cluster, (scratch, mode), left);
            let Some(part) = part else { continue };
            if !part.nodes.are_there() {
                return Err(Refusal::Cluster);
            }
            for &letter in &question.monitor.bundle().order_clusters[cluster].letters {
                made.parts_of[letter.index()].push(made.parts.len() as u32);
            }
            made.parts.push(part);
        }
        made.settle()?;
        Ok((!made.parts.is_empty()).then_some(made))
    }

    /// Asks all clusters until nothing changes.
    fn settle(&mut self) -> Result<(), Refusal> {
        for _ in 0..ROUNDS {
            let mut is_new = false;
            for part in &self.parts {
                is_new |= part.order(&mut self.graph);
            }
            if !is_new {
                break;
            }
            if !self.graph.close() {
                return Err(Refusal::Cycle(self.graph.cycle().unwrap_or_default()));
            }
            for part in &mut self.parts {
                part.leave_out(&self.graph);
                if !part.nodes.are_there() {
                    return Err(Refusal::Cluster);
                }
            }
        }
        Ok(())
    }

    /// Whether a location may have read its last event before these positions, which count the event, as far as
    /// clusters can tell.
    pub(crate) fn allow(&self, letter: LetterId, location: usize, positions: &[u32]) -> bool {
        let before = self.graph.before(location, positions[location] - 1);
        // Comparing all of them is faster than stopping at the first that fails.
        let fits = before.iter().zip(positions).fold(true, |fits, (l, p)| fits & (l <= p));
        fits && self.parts_of[letter.index()]
            .iter()
            .all(|&part| self.parts[part as usize].has(positions))
    }
}

impl Part {
    /// `None` if the cluster has more nodes than `most`, which are counted all the same.
    fn of(
        question: &Question<'_>,
        cluster: usize,
        (scratch, observation): (&mut ClusterScratch, Observation),
        most: usize,
    ) -> Option<Part> {
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
        let mut nodes = GoodNodes::default();
        let is_whole = nodes.fill(&restricted, automaton, edges, most);
        scratch.visits += nodes.count() as u64;
        if !is_whole {
            return None;
        }
        let own = |&location: &usize| {
            let own = |&(_, letter): &(u32, &LetterId)| has.get(letter.index()) == Some(&true);
            let log = (0..).zip(&question.trace[location]);
            log.filter(own).map(|(index, _)| index).collect()
        };
        let events: Vec<Vec<u32>> = nodes.locations().iter().map(own).collect();
        let words_of = |(&location, events): (&usize, &Vec<u32>)| {
            let positions = 0..=question.trace[location].len() as u32;
            positions.map(|it| nodes.word(location, count(events, it))).collect()
        };
        let words = nodes.locations().iter().zip(&events).map(words_of).collect();
        Some(Part { events, nodes, words })
    }

    fn has(&self, positions: &[u32]) -> bool {
        let own = self.nodes.locations().iter().zip(&self.words);
        self.nodes.have(own.map(|(&location, words)| words[positions[location] as usize]).sum())
    }

    /// Adds what the good nodes order; whether any of it is new.
    fn order(&self, graph: &mut OrderGraph) -> bool {
        let width = self.events.len();
        let row = |own: &Vec<u32>| vec![u32::MAX; own.len() * width];
        let mut least: Vec<_> = self.events.iter().map(row).collect();
        for positions in self.nodes.good_positions() {
            for (least, &position) in least.iter_mut().zip(positions).filter(|it| *it.1 > 0) {
                let row = &mut least[(position as usize - 1) * width..][..width];
                row.iter_mut().zip(positions).for_each(|(least, at)| *least = (*least).min(*at));
            }
        }
        let locations = self.nodes.locations();
        let mut is_new = false;
        for (own, least) in least.iter_mut().enumerate() {
            for index in (0..self.events[own].len()).rev() {
                take_later(least, index, width);
                for (other, events) in self.events.iter().enumerate().filter(|it| it.0 != own) {
                    let needed = least[index * width + other] as usize;
                    if let Some(&last) = needed.checked_sub(1).and_then(|at| events.get(at)) {
                        let event = (locations[own], self.events[own][index]);
                        is_new |= graph.add(event, locations[other], last + 1);
                    }
                }
            }
        }
        is_new
    }

    /// Leaves out nodes that have passed an event and not all that come before it.
    fn leave_out(&mut self, graph: &OrderGraph) {
        let width = self.events.len();
        let needed = self.needed(graph);
        self.nodes.retain(|positions| {
            let mut passed = needed.iter().zip(positions).filter(|it| *it.1 > 0);
            passed.all(|(needed, &position)| {
                let row = &needed[(position as usize - 1) * width..][..width];
                row.iter().zip(positions).all(|(needed, position)| needed <= position)
            })
        });
    }

    /// Per location and event of the cluster, how many events of it come before that event, at each of its locations.
    fn needed(&self, graph: &OrderGraph) -> Vec<Vec<u32>> {
        let locations = self.nodes.locations();
        let row = |location: usize, index: u32| {
            let before = graph.before(location, index);
            let own = locations.iter().zip(&self.events);
            own.map(|(&other, events)| count(events, before[other]))
        };
        let rows = |(&location, events): (&usize, &Vec<u32>)| {
            events.iter().flat_map(|&index| row(location, index)).collect()
        };
        locations.iter().zip(&self.events).map(rows).collect()
    }
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
