//! The demands of a session and of a specification on each other, as clauses and an order of events.
//
// Idea: an accepted global trace chooses operands of `alt` and numbers of repetitions, and orders the steps that this leaves.
// So a variable says of each part whether it is there; others, which event of a log each action is, or that it went unobserved
// before the log or after it. Events that are there have a graph of their order (`event_graph.rs`): the orders that the
// operators demand, and those of the logs. An assignment whose graph has no circle is an accepted global trace that
// projects onto the logs, and the other way round (denotations, paper 000 sec. 3.3).
//
// Loops: a repetition that no log shows can be left out, so there are at most as many as there are events of the body. Fewer
// are written out at first; a variable then says that there are more, which may explain any event of the body without
// any order. A solution in which that variable is false is an accepted trace. If there is no solution even with the variable
// free, the session is not accepted.
//
// Cost: a variable for each action that is written out and each event that it may be.

use crate::constraints::cardinality::at_most_one;
use crate::constraints::estimates::{rooms, shown, usual};
use crate::constraints::event_graph::{EventGraph, EventId};
use crate::constraints::solver::{Literal, Solver};
use crate::monitor::written_plan::{
    LoopOrder, Numbering, Order, Plan, PlanId, PlanPart, PlannedAction, PlannedLoop,
};
use crate::question::Question;
use multitrace_interaction::{Id, LetterId, LifelineId, LifelineSet, Witness, WitnessStep};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The most steps that are written out: some 40 ms. A larger number decides larger sessions and makes those wait that are
/// decided otherwise. An estimate.
const MOST_STEPS: usize = 25_000;

/// The most bytes of a session that are kept for the next one, about.
const MOST_BYTES_KEPT: u64 = 16 << 20;

/// The most choices for actions and events: a few for each step that may be written out. An estimate.
pub(super) const MOST_CHOICES: usize = 96_000;

/// A step that was written out.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenStep {
    pub(super) part: PlanId,
    /// When it is there.
    pub(super) here: Literal,
    pub(super) event: EventId,
}

/// One way in which an action that is there may be logged: `None` if it is not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) step: usize,
    pub(super) letter: LetterId,
    pub(super) by: Literal,
}

/// The clauses and the graph of a session, in memory that is kept.
#[derive(Debug, Default)]
pub(crate) struct Encoding {
    pub(super) solver: Solver,
    pub(super) graph: EventGraph,
    pub(super) steps: Vec<WrittenStep>,
    pub(super) seen: Vec<Seen>,
    /// Per log that was written out, its location, its length, and the first of the points around its events.
    pub(super) logs: Vec<(usize, usize, EventId)>,
    /// Per loop that may have more repetitions than were written out, the variable that says so, and the loop.
    pub(super) more: Vec<(Literal, PlanId)>,
    /// How many repetitions of loops were written out, the most where a loop is in another.
    written: Repetitions,
}

/// How many repetitions of each loop are written out.
pub(super) type Repetitions = FxHashMap<PlanId, usize>;

/// The tasks that are left to write out, the next one last.
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

/// A session while it is written out.
pub(super) struct Writer<'a> {
    pub(super) plan: &'a Plan,
    pub(super) question: &'a Question<'a>,
    repetitions: &'a Repetitions,
    /// Per letter, how many events have it.
    counts: Vec<usize>,
    /// Per part, how often it can be there, as far as events tell that it must show.
    rooms: Vec<usize>,
    /// Per part, about how often it is there if it has all events that it may have.
    usual: Vec<usize>,
    /// Per part, whether some event may be of it.
    is_shown: Vec<bool>,
    pub(super) made: &'a mut Encoding,
    todo: Vec<Todo>,
    /// Where operands begin that are being written out.
    bounds: Vec<usize>,
    /// Per letter, variables that explain an event by repetitions that were not written out.
    pub(super) more: FxHashMap<LetterId, Vec<Literal>>,
    /// Per location, chains of operands that act there: the number of an operand in its chain, and a step of it.
    pub(super) chains: Vec<Vec<Vec<(usize, usize)>>>,
    /// Per `alt` that was written out, by the literal that says it is there, its operands with theirs.
    chosen: FxHashMap<(PlanId, Literal), Vec<(PlanId, Literal)>>,
}

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
        let Encoding { solver, graph, steps, seen, logs, more, written } = self;
        solver.clear();
        graph.clear();
        steps.clear();
        seen.clear();
        logs.clear();
        more.clear();
        written.clear();
    }

    /// Lets go of the memory of a session that was unusually large.
    pub(super) fn shrink(&mut self) {
        if self.solver.bytes() > MOST_BYTES_KEPT {
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

    /// The events of the circle that the graph found last, if it is there whatever is chosen.
    pub(super) fn forced_circle(&self) -> Vec<(usize, usize)> {
        let mut events: Vec<_> =
            self.graph.last_circle(&self.solver).filter_map(|edge| self.logged(edge)).collect();
        let least = (0..events.len()).min_by_key(|&at| events[at]);
        events.rotate_left(least.unwrap_or_default());
        events.dedup();
        // In between, events of a log follow each other anyway.
        let follows = |one: (usize, usize), next: (usize, usize)| one.0 == next.0 && one.1 < next.1;
        let is_inner = |at: usize| {
            at > 0
                && follows(events[at - 1], events[at])
                && events.get(at + 1).is_some_and(|&next| follows(events[at], next))
        };
        (0..events.len()).filter(|&at| !is_inner(at)).map(|at| events[at]).collect()
    }

    /// The event whose place in its log an edge says.
    fn logged(&self, (from, to): (EventId, EventId)) -> Option<(usize, usize)> {
        let place = |point: EventId| {
            let at = self.logs.partition_point(|it| it.2 <= point).checked_sub(1)?;
            let (location, length, first) = self.logs[at];
            let place = (point - first) as usize;
            (place <= length).then_some((location, place))
        };
        match (place(from), place(to)) {
            (Some(before), None) => Some(before),
            (None, Some((location, after))) => Some((location, after.checked_sub(1)?)),
            _ => None,
        }
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
                    PlanPart::Alt(operands) => {
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
                    if let PlanPart::Loop(it) = &self.plan.parts[part] {
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
            PlanPart::Step(_) => {
                let event = self.made.graph.node(here);
                self.made.steps.push(WrittenStep { part, here, event });
            }
            PlanPart::Par(operands) => {
                self.todo.extend(operands.iter().rev().map(|&it| Todo::Write(it, here)));
            }
            PlanPart::Chain(order, operands) => {
                self.todo.push(Todo::Chain(order.clone(), operands.len()));
                for &operand in operands.iter().rev() {
                    self.todo.extend([Todo::Write(operand, here), Todo::Bound]);
                }
            }
            PlanPart::Alt(operands) => self.write_alternatives(part, operands, here),
            PlanPart::Loop(it) => self.write_loop(part, it, here),
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
                let WrittenStep { here, event, .. } = self.made.steps[step];
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
    pub(super) fn exactly_one_if(&mut self, here: Literal, ones: &[Literal]) {
        let solver = &mut self.made.solver;
        ones.iter().for_each(|&one| solver.add(&[!one, here]));
        let any: Vec<_> = ones.iter().copied().chain([!here]).collect();
        solver.add(&any);
        at_most_one(solver, ones);
    }
}
