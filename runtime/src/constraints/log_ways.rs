//! Which event of a log each action is, as clauses and an order: or that it went unobserved, before the log or after it.
//
// Idea: the ranks of a log are 0 for events before it, then its events from 1 on, then a last one for events after it.
// An action has a literal for each rank that it may have, and the points between the events of the log put it there in
// the graph.

use crate::constraints::cardinality::at_most_one;
use crate::constraints::encoding::{MOST_CHOICES, Seen, Writer};
use crate::constraints::event_graph::EventId;
use crate::constraints::solver::Literal;
use crate::monitor::written_plan::PlanId;
use multitrace_interaction::{Id, LetterId, Observation};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A way in which an action may have gone: its rank at its location, 0 for before the log, then the events of the log from 1
/// on, then after the log; and the literal that says so.
type Way = (usize, Literal);

/// A location while its log is written out.
struct LogPlace {
    /// Where the location is between two events: before the first one, ..., after the last one.
    points: Vec<EventId>,
    /// Whether something may have gone unobserved before the log, and after it.
    may_precede: bool,
    may_go_on: bool,
    /// The moment when all locations stopped, in a mode that has one.
    moment: Option<EventId>,
}

/// The copies of an action that are in order at its location, which are asked for one after the other.
#[derive(Clone, Copy, Debug, Default)]
struct Copies {
    asked: usize,
    all: usize,
}

impl Copies {
    /// Which events of its letter the next copy may be: copies before it have earlier ones, and those after it later ones.
    /// With a loop that may have `more` repetitions, these have the last events; with several such loops in one another, they
    /// may have events between those of the copies.
    fn next<'p>(&mut self, events: &'p [usize], more: usize) -> &'p [usize] {
        self.asked += 1;
        let behind = match more {
            0 => events.len().saturating_sub(self.all - self.asked),
            1 => 0,
            _ => return events,
        };
        let end = self.asked.min(events.len());
        &events[behind.saturating_sub(1).min(end)..end]
    }
}

impl Writer<'_> {
    /// Says which event each action is. False if that is too much.
    pub(super) fn log(&mut self) -> bool {
        let is_global = self.question.observation == Observation::GlobalPrefix;
        let moment = is_global.then(|| self.made.graph.point());
        let mut choices = 0;
        let mut actions = vec![Vec::new(); self.question.trace.len()];
        for (step, written) in self.made.steps.iter().enumerate() {
            for action in self.plan.actions(written.part) {
                actions[action.location.index()].push((step, action.letter));
            }
        }
        for (location, actions) in actions.into_iter().enumerate() {
            let log = &self.question.trace[location];
            let mut positions = FxHashMap::<LetterId, Vec<usize>>::default();
            for (position, &letter) in log.iter().enumerate() {
                positions.entry(letter).or_default().push(position);
            }
            choices += log.len();
            for (_, letter) in &actions {
                choices += positions.get(letter).map_or(0, Vec::len);
            }
            if choices > MOST_CHOICES {
                return false;
            }
            self.log_location(location, &actions, &positions, moment);
        }
        true
    }

    fn log_location(
        &mut self,
        location: usize,
        actions: &[(usize, LetterId)],
        positions: &FxHashMap<LetterId, Vec<usize>>,
        moment: Option<EventId>,
    ) {
        let log = &self.question.trace[location];
        let may_go_on = self.question.may_go_on(location);
        if log.is_empty() && may_go_on && moment.is_none() {
            return;
        }
        let points: Vec<_> = (0..=log.len()).map(|_| self.made.graph.point()).collect();
        self.made.logs.push((location, log.len(), points[0]));
        points.windows(2).for_each(|pair| self.made.graph.before(pair[0], pair[1]));
        let may_precede = self.question.observation == Observation::Slice;
        let place = LogPlace { points, may_precede, may_go_on, moment };
        let mut explains = vec![Vec::new(); log.len()];
        let mut copies = self.ordered_copies(actions);
        let mut ways_of: FxHashMap<usize, Vec<Way>> = FxHashMap::default();
        for &(step, letter) in actions {
            let own = positions.get(&letter).map_or(&[][..], Vec::as_slice);
            let own = match copies.get_mut(&letter) {
                Some(copies) => copies.next(own, self.more.get(&letter).map_or(0, Vec::len)),
                None => own,
            };
            let ways = self.ways(step, own, &place);
            for &(rank, by) in &ways {
                self.connect(step, (rank, by), &place);
                if (1..=log.len()).contains(&rank) {
                    explains[rank - 1].push(by);
                    self.made.seen.push(Seen { step, letter, by });
                }
            }
            ways_of.insert(step, ways);
        }
        for chain in std::mem::take(&mut self.chains[location]) {
            self.cut(&chain, &ways_of, log.len() + 1);
        }
        for (position, ones) in explains.into_iter().enumerate() {
            self.require_one(log[position], ones);
        }
    }

    /// The ways in which an action of a step may have gone: as one of its events, or unobserved.
    fn ways(&mut self, step: usize, own: &[usize], place: &LogPlace) -> Vec<Way> {
        let here = self.made.steps[step].here;
        let before = place.may_precede.then_some(0);
        let after = place.may_go_on.then_some(place.points.len());
        let ranks = own.iter().map(|position| position + 1).chain(before).chain(after);
        let ranks: Vec<_> = ranks.collect();
        if let [only] = *ranks {
            return vec![(only, here)];
        }
        let ones: Vec<_> = ranks.iter().map(|_| self.made.solver.variable()).collect();
        self.exactly_one_if(here, &ones);
        ranks.into_iter().zip(ones).collect()
    }

    /// Orders the events as a way of an action demands, under the literal of that way.
    fn connect(&mut self, step: usize, (rank, by): Way, place: &LogPlace) {
        let event = self.made.steps[step].event;
        let LogPlace { points, moment, .. } = place;
        let graph = &mut self.made.graph;
        // The points around it: none comes before the events that precede the log, or after those that follow it.
        if let Some(before) = rank.checked_sub(1) {
            graph.before_if(by, points[before], event);
        }
        if let Some(&after) = points.get(rank) {
            graph.before_if(by, event, after);
        }
        if let Some(moment) = *moment {
            match rank == points.len() {
                true => graph.before_if(by, moment, event),
                false => graph.before_if(by, event, moment),
            }
        }
    }

    /// Exactly one action is an event of this letter, or a repetition that was not written out has it.
    fn require_one(&mut self, letter: LetterId, mut ones: Vec<Literal>) {
        let solver = &mut self.made.solver;
        for &more in self.more.get(&letter).into_iter().flatten() {
            let by = solver.variable();
            solver.add(&[!by, more]);
            ones.push(by);
        }
        solver.add(&ones);
        at_most_one(solver, &ones);
    }

    /// The letters of a location all of whose copies come from one action, in order.
    fn ordered_copies(&self, actions: &[(usize, LetterId)]) -> FxHashMap<LetterId, Copies> {
        let mut parts: FxHashMap<LetterId, (PlanId, usize)> = FxHashMap::default();
        for &(step, letter) in actions {
            let part = self.made.steps[step].part;
            let found = parts.entry(letter).or_insert((part, 0));
            found.1 += 1;
            if found.0 != part || !self.plan.is_ordered(part, letter) {
                found.0 = PlanId::MAX;
            }
        }
        let ordered = parts.into_iter().filter(|(_, (part, _))| *part != PlanId::MAX);
        ordered.map(|(letter, (_, all))| (letter, Copies { asked: 0, all })).collect()
    }

    /// How much of a log comes before each cut between operands of a chain. The graph demands the same; clauses tell it
    /// before all of a circle is there. Events before the log have the rank 0, and events after it the rank `most`.
    fn cut(&mut self, chain: &[(usize, usize)], ways_of: &FxHashMap<usize, Vec<Way>>, most: usize) {
        let ways_of = |operand: &[(usize, usize)]| -> Vec<Way> {
            operand.iter().filter_map(|(_, step)| ways_of.get(step)).flatten().copied().collect()
        };
        let operands = chain.chunk_by(|one, other| one.0 == other.0);
        let operands: Vec<Vec<Way>> = operands.map(ways_of).collect();
        // The rank from which on nothing may come before a cut that this way comes after.
        let forbids = |&(rank, _): &Way| (rank < most).then_some(rank.max(1));
        // Per cut, the lowest rank that is forbidden before it.
        let mut least = vec![usize::MAX; operands.len()];
        for index in (1..operands.len()).rev() {
            let own = operands[index].iter().filter_map(forbids).min().unwrap_or(usize::MAX);
            least[index - 1] = own.min(least[index]);
        }
        let solver = &mut self.made.solver;
        // By rank, whether something of it comes before the cut, or of a higher one.
        let mut before: Vec<Way> = Vec::new();
        for (operand, least) in operands.iter().zip(least) {
            for way in operand {
                let at = forbids(way)
                    .map_or(before.len(), |from| before.partition_point(|it| it.0 < from));
                before.get(at).into_iter().for_each(|&(_, before)| solver.add(&[!way.1, !before]));
            }
            let shown = |way: &Way| (way.0 >= least.max(1)).then_some(way.0);
            let ranks: BTreeSet<usize> = before.iter().chain(operand).filter_map(shown).collect();
            let after: Vec<Way> = ranks.into_iter().map(|it| (it, solver.auxiliary())).collect();
            after.windows(2).for_each(|pair| solver.add(&[!pair[1].1, pair[0].1]));
            for &(rank, by) in operand.iter().chain(&before) {
                if let Ok(at) = after.binary_search_by_key(&rank, |it| it.0) {
                    solver.add(&[!by, after[at].1]);
                }
            }
            before = after;
        }
    }
}
