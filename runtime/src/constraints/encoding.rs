//! What a session and a specification demand of each other, as clauses and an order of events.
//
// Idea: an accepted global trace chooses operands of `alt` and numbers of repetitions, and orders the steps that this leaves.
// So a variable says of each part whether it is there; others, which event of a log each action is, or that it went unobserved
// before the log or after it. Events that are there have a graph of what comes before what (`event_graph.rs`): what the
// operators demand, and the orders of the logs. An assignment whose graph has no circle is an accepted global trace that
// projects onto the logs, and the other way round (denotations, paper 000 sec. 3.3).
//
// Loops: a repetition that no log shows can be left out, so there are at most as many as there are events of the body. Fewer
// are written out at first; a variable then says that there are more, which may explain any event of the body without
// any order. A solution in which that variable is false is an accepted trace. If there is no solution even with the variable
// free, the session is not accepted.
//
// Cost: a variable for each action that is written out and each event that it may be.

use crate::constraints::event_graph::{EventGraph, EventId};
use crate::constraints::plan::{
    LoopOrder, Numbering, Order, Part, Plan, PlanId, PlannedAction, PlannedLoop,
};
use crate::constraints::solver::{Literal, Solver};
use crate::search::question::Question;
use multitrace_interaction::{
    Id, LetterId, LifelineId, LifelineSet, Observation, Witness, WitnessStep,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;

/// The most steps that are written out: some 10 ms. A larger number decides larger sessions and makes those wait that are
/// decided otherwise. An estimate.
const MOST_STEPS: usize = 6_000;

/// The most bytes of a session that are kept for the next one, about.
const MOST_KEPT: u64 = 16 << 20;

/// The most choices for actions and events, 16 for each step that may be written out. An estimate.
const MOST_CHOICES: usize = 16 * MOST_STEPS;

/// A step that was written out.
#[derive(Clone, Copy, Debug)]
struct Written {
    part: PlanId,
    /// When it is there.
    here: Literal,
    event: EventId,
}

/// One way in which an action that is there may be logged: `None` if it is not.
#[derive(Clone, Copy, Debug)]
struct Seen {
    step: usize,
    letter: LetterId,
    by: Literal,
}

/// The clauses and the graph of a session, in memory that is kept.
#[derive(Debug, Default)]
pub(crate) struct Encoding {
    pub(super) solver: Solver,
    pub(super) graph: EventGraph,
    steps: Vec<Written>,
    seen: Vec<Seen>,
    /// Per loop that may have more repetitions than were written out, the variable that says so, and the loop.
    pub(super) more: Vec<(Literal, PlanId)>,
    /// How many repetitions of loops were written out, the most where a loop is in another.
    written: Repetitions,
}

/// How many repetitions of each loop are written out.
pub(super) type Repetitions = FxHashMap<PlanId, usize>;

/// What is to be done, the next one last.
enum Todo {
    /// Write a part out, which is there where the literal is true.
    Write(PlanId, Literal),
    /// The same for a repetition of this part.
    WriteRepetition(PlanId, Literal),
    /// Note where the next operand begins.
    Bound,
    /// Order the operands whose beginnings were noted last; the number says how many.
    Chain(Order, usize),
    /// Order repetitions of a loop, each with the literal that says it is there.
    Repeat(PlanId, Vec<Literal>),
}

/// Which steps of operands follow each other.
enum Chained<'p> {
    All,
    /// Those with an action at this lifeline.
    At(LifelineId),
    /// Those made of these parts, which are sorted.
    Parts(&'p [PlanId]),
}

struct Writer<'a> {
    plan: &'a Plan,
    question: &'a Question<'a>,
    repetitions: &'a Repetitions,
    /// Per letter, how many events have it.
    counts: Vec<usize>,
    /// Per part, how often it can be there, as far as events tell that it must show.
    rooms: Vec<usize>,
    /// Per part, about how often it is there if it has all events that it may have.
    usual: Vec<usize>,
    /// Per part, whether some event may be of it.
    is_shown: Vec<bool>,
    made: &'a mut Encoding,
    todo: Vec<Todo>,
    /// Where operands begin that are being written out.
    bounds: Vec<usize>,
    /// Per letter, variables that explain an event by repetitions that were not written out.
    more: FxHashMap<LetterId, Vec<Literal>>,
    /// Per location, chains of operands that act there: the number of an operand in its chain, and a step of it.
    chains: Vec<Vec<Vec<(usize, usize)>>>,
    /// Per `alt` that was written out, by the literal that says it is there, its operands with theirs.
    chosen: FxHashMap<(PlanId, Literal), Vec<(PlanId, Literal)>>,
}

/// A way in which an action may have gone: its rank at its location, 0 for before the log, then the events of the log from 1
/// on, then after the log; and the literal that says so.
type Way = (usize, Literal);

impl Encoding {
    /// Writes a session out instead of the one before; false if that is too much.
    pub(super) fn write(
        &mut self,
        plan: &Plan,
        question: &Question<'_>,
        repetitions: &Repetitions,
    ) -> bool {
        self.clear();
        let letters = question.monitor.alphabet().letters().len();
        let mut counts = vec![0; letters];
        question.trace.iter().flatten().for_each(|letter| counts[letter.index()] += 1);
        let rooms = rooms(plan, question, &counts);
        let usual = usual(plan, &counts);
        let is_shown = shown(plan, &counts);
        let mut writer = Writer {
            plan,
            question,
            repetitions,
            counts,
            rooms,
            usual,
            is_shown,
            made: self,
            todo: vec![Todo::Write(plan.root, Literal::TRUE)],
            bounds: Vec::new(),
            more: FxHashMap::default(),
            chains: vec![Vec::new(); question.trace.len()],
            chosen: FxHashMap::default(),
        };
        let is_whole = writer.write() && writer.log();
        if is_whole {
            self.graph.begin(self.solver.literals());
        }
        is_whole
    }

    fn clear(&mut self) {
        let Encoding { solver, graph, steps, seen, more, written } = self;
        solver.clear();
        graph.clear();
        steps.clear();
        seen.clear();
        more.clear();
        written.clear();
    }

    /// Lets go of the memory of a session that was unusually large.
    pub(super) fn shrink(&mut self) {
        if self.solver.bytes() > MOST_KEPT {
            *self = Encoding::default();
        }
    }

    /// How many steps were written out.
    pub(super) fn size(&self) -> u64 {
        self.steps.len() as u64
    }

    /// Twice as many repetitions as were written out, of the loops whose variables for more of them are chosen.
    pub(super) fn doubled(&self, is_chosen: impl Fn(Literal) -> bool) -> Vec<(PlanId, usize)> {
        let chosen = self.more.iter().filter(|&&(more, _)| is_chosen(more));
        chosen.map(|&(_, part)| (part, 2 * self.written.get(&part).copied().unwrap_or(1))).collect()
    }

    /// The global trace of an assignment whose graph has no circle.
    pub(super) fn witness(&self, plan: &Plan) -> Witness {
        let holds = |literal| self.solver.is_true(literal);
        let of: FxHashMap<EventId, usize> =
            self.steps.iter().enumerate().map(|(index, step)| (step.event, index)).collect();
        let seen = self.seen.iter().filter(|it| holds(it.by)).map(|it| (it.step, it.letter));
        let seen: rustc_hash::FxHashSet<_> = seen.collect();
        let mut steps = Vec::new();
        for event in self.graph.order() {
            let Some(&step) = of.get(&event).filter(|&&it| holds(self.steps[it].here)) else {
                continue;
            };
            let actions = plan.actions(self.steps[step].part);
            steps.extend(actions.iter().map(|action| WitnessStep {
                letter: action.letter,
                observed: seen.contains(&(step, action.letter)),
            }));
        }
        Witness { steps }
    }
}

/// Per part, how often it can be there: a step whose log would show it as often as the log does, a chain as often as each of
/// its operands, an `alt` as often as all of them together.
fn rooms(plan: &Plan, question: &Question<'_>, counts: &[usize]) -> Vec<usize> {
    let mut rooms: Vec<usize> = Vec::with_capacity(plan.parts.len());
    for part in &plan.parts {
        let room = match part {
            Part::Step(actions) => {
                let shown = actions.iter().filter(|it| !question.may_go_on(it.location.index()));
                shown.map(|it| counts[it.letter.index()]).min().unwrap_or(usize::MAX)
            }
            Part::Chain(_, operands) | Part::Par(operands) => {
                operands.iter().map(|&it| rooms[it]).min().unwrap_or(usize::MAX)
            }
            Part::Alt(operands) => {
                operands.iter().fold(0_usize, |all, &it| all.saturating_add(rooms[it]))
            }
            Part::Loop(..) => usize::MAX,
        };
        rooms.push(room);
    }
    rooms
}

/// Per part, about how often it must be there for all events that it could have: too few copies to choose from are hard to
/// refute, since clauses cannot count. A letter of several steps is shared out evenly.
fn usual(plan: &Plan, counts: &[usize]) -> Vec<usize> {
    let mut usual: Vec<usize> = Vec::with_capacity(plan.parts.len());
    for part in &plan.parts {
        let own = match part {
            Part::Step(actions) => {
                let shared = actions.iter().map(|it| counts[it.letter.index()].div_ceil(it.steps));
                shared.max().unwrap_or(0)
            }
            Part::Chain(_, operands) | Part::Par(operands) => {
                operands.iter().map(|&it| usual[it]).max().unwrap_or(0)
            }
            Part::Alt(operands) => {
                operands.iter().fold(0_usize, |all, &it| all.saturating_add(usual[it]))
            }
            Part::Loop(it) => usual[it.body].min(1),
        };
        usual.push(own);
    }
    usual
}

/// Per part, whether the logs have an event that it could have.
fn shown(plan: &Plan, counts: &[usize]) -> Vec<bool> {
    let mut shown: Vec<bool> = Vec::with_capacity(plan.parts.len());
    for part in &plan.parts {
        let is_shown = match part {
            Part::Step(actions) => actions.iter().any(|it| counts[it.letter.index()] > 0),
            Part::Chain(_, operands) | Part::Par(operands) | Part::Alt(operands) => {
                operands.iter().any(|&it| shown[it])
            }
            Part::Loop(it) => shown[it.body],
        };
        shown.push(is_shown);
    }
    shown
}

impl Writer<'_> {
    /// Writes out all that may be there; false if it is too much.
    fn write(&mut self) -> bool {
        while let Some(todo) = self.todo.pop() {
            if self.made.steps.len() > MOST_STEPS || self.todo.len() > 4 * MOST_STEPS {
                return false;
            }
            match todo {
                Todo::Write(part, here) => self.write_part(part, here),
                Todo::WriteRepetition(part, here) => match &self.plan.parts[part] {
                    // A repetition that no log shows is left out.
                    Part::Alt(operands) => {
                        let shown = |&it: &PlanId| self.is_shown[it];
                        let operands: Vec<_> = operands.iter().copied().filter(shown).collect();
                        self.write_alternatives(part, &operands, here);
                    }
                    _ => self.write_part(part, here),
                },
                Todo::Bound => self.bounds.push(self.made.steps.len()),
                Todo::Chain(order, count) => {
                    let operands = self.operands(count);
                    self.chain(&order, &operands);
                }
                Todo::Repeat(part, here) => {
                    let operands = self.operands(here.len());
                    if let Part::Loop(it) = &self.plan.parts[part] {
                        self.repeat(it, &operands, &here);
                    }
                }
            }
        }
        true
    }

    fn write_part(&mut self, part: PlanId, here: Literal) {
        let plan = self.plan;
        match &plan.parts[part] {
            Part::Step(_) => {
                let event = self.made.graph.node(here);
                self.made.steps.push(Written { part, here, event });
            }
            Part::Par(operands) => {
                self.todo.extend(operands.iter().rev().map(|&it| Todo::Write(it, here)));
            }
            Part::Chain(order, operands) => {
                self.todo.push(Todo::Chain(order.clone(), operands.len()));
                for &operand in operands.iter().rev() {
                    self.todo.extend([Todo::Write(operand, here), Todo::Bound]);
                }
            }
            Part::Alt(operands) => self.write_alternatives(part, operands, here),
            Part::Loop(it) => self.write_loop(part, it, here),
        }
    }

    /// Writes those of these operands of an `alt` out that may be there.
    fn write_alternatives(&mut self, part: PlanId, operands: &[PlanId], here: Literal) {
        let possible: Vec<_> = operands.iter().copied().filter(|&it| self.rooms[it] > 0).collect();
        if let [only] = *possible {
            return self.todo.push(Todo::Write(only, here));
        }
        let chosen: Vec<_> = possible.iter().map(|_| self.made.solver.variable()).collect();
        self.exactly_one_if(here, &chosen);
        let operands: Vec<_> = possible.into_iter().zip(chosen).collect();
        let alternatives = operands.iter().rev();
        self.todo.extend(alternatives.map(|&(it, chosen)| Todo::Write(it, chosen)));
        self.chosen.insert((part, here), operands);
    }

    fn write_loop(&mut self, part: PlanId, planned: &PlannedLoop, here: Literal) {
        let PlannedLoop { body, letters, most_actions, .. } = planned;
        let count = |it: &LetterId| self.counts[it.index()];
        let events: usize = letters.iter().map(count).sum();
        let needed = events.min(self.rooms[*body]);
        // As many as it takes if no other part has these events.
        let usual = letters.iter().map(count).max().unwrap_or(0).max(self.usual[*body]);
        let usual = usual.max(events.div_ceil((*most_actions).max(1)));
        let written = self.repetitions.get(&part).copied().unwrap_or(usual).min(needed);
        self.made.written.insert(part, written);
        let solver = &mut self.made.solver;
        let repetitions: Vec<_> = (0..written).map(|_| solver.variable()).collect();
        let mut before = here;
        for &repetition in &repetitions {
            solver.add(&[!repetition, before]);
            before = repetition;
        }
        if written < needed {
            let more = solver.variable();
            solver.add(&[!more, before]);
            self.made.more.push((more, part));
            for &letter in letters.iter().filter(|it| self.counts[it.index()] > 0) {
                self.more.entry(letter).or_default().push(more);
            }
        }
        self.todo.push(Todo::Repeat(part, repetitions.clone()));
        for &repetition in repetitions.iter().rev() {
            self.todo.extend([Todo::WriteRepetition(*body, repetition), Todo::Bound]);
        }
    }

    /// The steps of each of the last operands.
    fn operands(&mut self, count: usize) -> Vec<Range<usize>> {
        let starts = self.bounds.split_off(self.bounds.len() - count);
        let ends = starts.iter().copied().skip(1).chain([self.made.steps.len()]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }

    fn repeat(&mut self, planned: &PlannedLoop, repetitions: &[Range<usize>], here: &[Literal]) {
        match &planned.order {
            LoopOrder::Parallel => {}
            LoopOrder::Chain(order) => self.chain(order, repetitions),
            LoopOrder::HeadFirst => {
                self.chain(&Order::Weak(LifelineSet::new()), repetitions);
                self.heads_first(repetitions, here);
            }
        }
        match &planned.numbering {
            Numbering::Any => {}
            Numbering::BySteps(steps) if steps.iter().all(|&it| !self.is_shown[it]) => {}
            Numbering::BySteps(steps) => self.chain_at(repetitions, &Chained::Parts(steps)),
            Numbering::ByAlternatives(pairs) => self.forbid_pairs(planned.body, pairs, here),
        }
    }

    /// No repetition with the first of two alternatives is right before one with the second.
    fn forbid_pairs(&mut self, body: PlanId, pairs: &[(PlanId, PlanId)], here: &[Literal]) {
        if pairs.is_empty() {
            return;
        }
        let chosen = |here: &Literal| -> FxHashMap<PlanId, Literal> {
            self.chosen.get(&(body, *here)).into_iter().flatten().copied().collect()
        };
        let chosen: Vec<_> = here.iter().map(chosen).collect();
        for (one, next) in chosen.iter().zip(chosen.iter().skip(1)) {
            for (first, second) in pairs {
                if let (Some(&one), Some(&next)) = (one.get(first), next.get(second)) {
                    self.made.solver.add(&[!one, !next]);
                }
            }
        }
    }

    /// Some step of each repetition comes before all steps of the next one.
    fn heads_first(&mut self, repetitions: &[Range<usize>], here: &[Literal]) {
        for (at, pair) in repetitions.windows(2).enumerate() {
            let point = self.made.graph.point();
            let mut heads = vec![!here[at + 1]];
            for step in pair[0].clone() {
                let head = self.made.solver.variable();
                let Written { here, event, .. } = self.made.steps[step];
                self.made.solver.add(&[!head, here]);
                self.made.graph.before_if(head, event, point);
                heads.push(head);
            }
            self.made.solver.add(&heads);
            for step in pair[1].clone() {
                self.made.graph.before(point, self.made.steps[step].event);
            }
        }
    }

    fn chain(&mut self, order: &Order, operands: &[Range<usize>]) {
        match order {
            Order::Strict => self.chain_at(operands, &Chained::All),
            Order::Weak(region) => {
                // Per lifeline, the last operand that acts there; no chain is needed where only one does.
                let mut users = FxHashMap::<LifelineId, (usize, bool)>::default();
                for (index, operand) in operands.iter().enumerate() {
                    let steps = &self.made.steps[operand.clone()];
                    let actions = steps.iter().flat_map(|step| self.plan.actions(step.part));
                    for action in actions {
                        let user = users.entry(action.lifeline).or_insert((index, false));
                        user.1 |= user.0 != index;
                    }
                }
                let shared = users.into_iter().filter(|(_, (_, is_shared))| *is_shared);
                let mut shared: Vec<_> = shared.map(|(lifeline, _)| lifeline).collect();
                shared.sort_unstable();
                for lifeline in shared.into_iter().filter(|&it| !region.contains(it)) {
                    self.chain_at(operands, &Chained::At(lifeline));
                }
            }
        }
    }

    /// Of these steps, those of each operand come before those of the next one.
    fn chain_at(&mut self, operands: &[Range<usize>], chained: &Chained<'_>) {
        let graph = &mut self.made.graph;
        let mut chains = FxHashMap::<usize, Vec<(usize, usize)>>::default();
        let mut before = None;
        for (index, operand) in operands.iter().enumerate() {
            let after = (index + 1 < operands.len()).then(|| graph.point());
            for number in operand.clone() {
                let step = &self.made.steps[number];
                let mut acts = false;
                let is_chosen = |it: &&PlannedAction| match *chained {
                    Chained::All => true,
                    Chained::At(lifeline) => it.lifeline == lifeline,
                    Chained::Parts(parts) => parts.binary_search(&step.part).is_ok(),
                };
                for action in self.plan.actions(step.part).iter().filter(is_chosen) {
                    acts = true;
                    chains.entry(action.location.index()).or_default().push((index, number));
                }
                if acts {
                    before.into_iter().for_each(|point| graph.before(point, step.event));
                    after.into_iter().for_each(|point| graph.before(step.event, point));
                }
            }
            if let (Some(before), Some(after)) = (before, after) {
                graph.before(before, after);
            }
            before = after;
        }
        let mut chains: Vec<_> = chains.into_iter().collect();
        chains.sort_unstable_by_key(|it| it.0);
        for (location, chain) in chains {
            if chain.first().map(|it| it.0) != chain.last().map(|it| it.0) {
                self.chains[location].push(chain);
            }
        }
    }

    /// If a part is there, exactly one of these is; else none.
    fn exactly_one_if(&mut self, here: Literal, ones: &[Literal]) {
        let solver = &mut self.made.solver;
        ones.iter().for_each(|&one| solver.add(&[!one, here]));
        let any: Vec<_> = ones.iter().copied().chain([!here]).collect();
        solver.add(&any);
        at_most_one(solver, ones);
    }

    /// Says which event each action is. False if that is too much.
    fn log(&mut self) -> bool {
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
            self.explain(log[position], ones);
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

    /// What a way in which an action may have gone means for the order of events.
    fn connect(&mut self, step: usize, (rank, by): Way, place: &LogPlace) {
        let event = self.made.steps[step].event;
        let LogPlace { points, moment, .. } = place;
        let graph = &mut self.made.graph;
        // The points around it: none comes before what precedes the log, or after what follows it.
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
    fn explain(&mut self, letter: LetterId, mut ones: Vec<Literal>) {
        let solver = &mut self.made.solver;
        for &more in self.more.get(&letter).into_iter().flatten() {
            let by = solver.variable();
            solver.add(&[!by, more]);
            ones.push(by);
        }
        solver.add(&ones);
        at_most_one(solver, &ones);
    }
}

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
    /// before all of a circle is there. What precedes the log has the rank 0, and what follows it the rank `most`.
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

/// From this many on, pairs are not written out.
const MANY: usize = 8;

fn at_most_one(solver: &mut Solver, ones: &[Literal]) {
    if ones.len() < MANY {
        for (at, &one) in ones.iter().enumerate() {
            ones[at + 1..].iter().for_each(|&other| solver.add(&[!one, !other]));
        }
        return;
    }
    // Whether one of the first ones is true, for each number of them.
    let mut before = ones[0];
    for (index, &one) in ones.iter().enumerate().skip(1) {
        solver.add(&[!before, !one]);
        if index + 1 < ones.len() {
            let next = solver.auxiliary();
            solver.add(&[!before, next]);
            solver.add(&[!one, next]);
            before = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::event_graph::EventGraph;
    use crate::constraints::solver::Solved;

    /// Up to many literals: any one of them may be true, or none, and no two.
    #[test]
    fn at_most_one_allows_each_alone_and_no_two() {
        for count in 1..=MANY + 4 {
            let mut solver = Solver::new();
            let ones: Vec<_> = (0..count).map(|_| solver.variable()).collect();
            at_most_one(&mut solver, &ones);
            let mut graph = EventGraph::default();
            graph.begin(solver.literals());
            let mut solve = |assumed: &[Literal]| solver.solve(assumed, &mut graph, &mut |_| false);
            let none: Vec<_> = ones.iter().map(|&it| !it).collect();
            assert_eq!(solve(&none), Solved::Satisfied);
            for (at, &one) in ones.iter().enumerate() {
                assert_eq!(solve(&[one]), Solved::Satisfied, "{at} of {count}");
                for &other in &ones[..at] {
                    assert_eq!(solve(&[one, other]), Solved::Violated, "{at} of {count}");
                }
            }
        }
    }
}
