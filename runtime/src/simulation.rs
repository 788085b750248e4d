//! Bounded simulation: unobserved actions are done as long as a measure allows (paper 000 sec. 4
//! and 5). What it finds is accepted; when the measure forbade nothing, what it does not find is
//! not accepted either.

use crate::automaton::{Automaton, LazyAutomaton};
use crate::budget::TermMeter;
use crate::decide::Answer;
use crate::search::{LookAhead, Problem, way_to_final};
use indexmap::IndexMap;
use multitrace_interaction::{
    Id, InconclusiveReason, LetterId, Observation, StateId, Transition, Witness, WitnessStep,
};
use rustc_hash::FxBuildHasher;

/// When simulation stops (paper 000 sec. 5.1 and 7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Criterion {
    /// How many repetitions of loops may be begun.
    pub loops: LoopLimit,
    /// How many actions outside loops may be done.
    pub actions: ActionLimit,
    /// Whether both limits are multiplied by the number of events of the session.
    pub multiply: bool,
    /// Whether the limits start anew after every event that is read; else they are for the whole
    /// session.
    pub reset: bool,
    /// Whether a location may also move before its first event, in slice mode. Without it only
    /// prefixes are recognised.
    pub before: bool,
}

/// A limit on the repetitions of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopLimit {
    /// The deepest nesting of loops in the term.
    Depth,
    /// The number of loops in the term.
    Count,
    /// This many.
    AtMost(u32),
}

/// A limit on the actions outside loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionLimit {
    /// As many as the term has.
    Outside,
    /// This many.
    AtMost(u32),
}

impl Default for Criterion {
    /// The criterion of paper 000 sec. 5.1.
    fn default() -> Criterion {
        Criterion {
            loops: LoopLimit::Depth,
            actions: ActionLimit::Outside,
            multiply: false,
            reset: true,
            before: true,
        }
    }
}

/// What may still be simulated; it decreases in the order of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Measure {
    loops: u32,
    actions: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    state: StateId,
    positions: Box<[u32]>,
    measure: Measure,
}

struct Simulation<'a, 'p> {
    problem: &'a Problem<'p, LazyAutomaton>,
    criterion: &'a Criterion,
    /// What limits are multiplied by.
    factor: u32,
    /// Every node, with the one it was found from and the action in between.
    found: IndexMap<Node, (usize, WitnessStep), FxBuildHasher>,
    todo: Vec<usize>,
    terms: TermMeter,
    /// Whether the measure forbade a move.
    cut: bool,
}

/// Whether an interleaving is found, unobserved actions being simulated as far as a criterion goes.
pub(crate) fn simulate(problem: &Problem<'_, LazyAutomaton>, criterion: &Criterion) -> Answer {
    let events: usize = problem.trace.iter().map(Vec::len).sum();
    let factor = if criterion.multiply { u32::try_from(events).unwrap_or(u32::MAX) } else { 1 };
    let simulation = Simulation {
        problem,
        criterion,
        factor,
        found: IndexMap::default(),
        todo: Vec::new(),
        terms: TermMeter::default(),
        cut: false,
    };
    simulation.run()
}

impl Simulation<'_, '_> {
    fn run(mut self) -> Answer {
        for &state in self.problem.automaton.initial() {
            let positions = vec![0; self.problem.trace.len()].into();
            let node = Node { state, positions, measure: self.initial_measure(state) };
            self.discover(node, None);
        }
        while let Some(index) = self.todo.pop() {
            let states = self.found.len() as u64;
            if let Some(spent) = self.problem.allowance.spent(states, || self.bytes()) {
                return Answer::Unknown(spent.into());
            }
            let (node, _) = self.found.get_index(index).expect("found before it is visited");
            let node = node.clone();
            if self.is_goal(&node) {
                return Answer::Yes(self.problem.witness.then(|| self.witness(index)));
            }
            self.expand(index, &node);
        }
        match self.cut {
            true => Answer::Unknown(InconclusiveReason::Simulation(self.found.len() as u64)),
            false => Answer::No,
        }
    }

    fn expand(&mut self, index: usize, node: &Node) {
        let transitions = self.problem.automaton.transitions_with_loops(node.state);
        for (transition, loops) in transitions.into_iter().rev() {
            self.terms.touch(transition.to, self.problem.automaton.weight(transition.to));
            let location = self.problem.monitor.location_of(transition.letter).index();
            let (position, local) = (node.positions[location], &self.problem.trace[location]);
            if self.is_open(position as usize, local.len()) {
                self.go_unobserved(index, node, transition, loops);
            }
            if local.get(position as usize) == Some(&transition.letter) {
                self.read_event(index, node, transition, location);
            }
        }
    }

    fn go_unobserved(&mut self, from: usize, node: &Node, transition: Transition, loops: u32) {
        let Some(measure) = self.after(node.measure, transition.to, loops) else {
            self.cut = true;
            return;
        };
        let positions = node.positions.clone();
        let step = WitnessStep { letter: transition.letter, observed: false };
        let node = Node { state: transition.to, positions, measure };
        self.discover(node, Some((from, step)));
    }

    fn read_event(&mut self, from: usize, node: &Node, transition: Transition, location: usize) {
        let mut positions = node.positions.clone();
        positions[location] += 1;
        let measure = match self.criterion.reset {
            true => self.initial_measure(transition.to),
            false => node.measure,
        };
        let step = WitnessStep { letter: transition.letter, observed: true };
        self.discover(Node { state: transition.to, positions, measure }, Some((from, step)));
    }

    /// Adds a node, unless it is known or some local trace cannot be read to its end from it.
    fn discover(&mut self, node: Node, from: Option<(usize, WitnessStep)>) {
        let none = WitnessStep { letter: LetterId::UNKNOWN, observed: false };
        let from = from.unwrap_or((usize::MAX, none));
        if self.found.contains_key(&node) || !self.is_alive(&node) {
            return;
        }
        self.todo.push(self.found.insert_full(node, from).0);
    }

    fn is_alive(&self, node: &Node) -> bool {
        match self.problem.look_ahead {
            LookAhead::Terms(analysis) => {
                analysis.borrow_mut().is_alive(node.state, &node.positions)
            }
            LookAhead::Blind | LookAhead::Tables(_) => true,
        }
    }

    fn is_goal(&self, node: &Node) -> bool {
        let locals = self.problem.trace.iter().zip(&node.positions);
        let Problem { observation, automaton, .. } = self.problem;
        locals.into_iter().all(|(local, &position)| local.len() == position as usize)
            && (observation.stops_anywhere() || automaton.is_final(node.state))
    }

    /// Whether a location may move without an event of its trace. Slices may be taken for prefixes.
    fn is_open(&self, position: usize, length: usize) -> bool {
        match self.problem.observation {
            Observation::Slice if !self.criterion.before => position == length,
            observation => observation.is_open(position, length),
        }
    }

    /// What may be simulated from a state on.
    fn initial_measure(&self, state: StateId) -> Measure {
        let facts = self.problem.automaton.loop_facts(state);
        let loops = match self.criterion.loops {
            LoopLimit::Depth => facts.depth,
            LoopLimit::Count => facts.count,
            LoopLimit::AtMost(most) => most,
        };
        Measure { loops: loops.saturating_mul(self.factor), actions: self.most_actions(state) }
    }

    fn most_actions(&self, state: StateId) -> u32 {
        let most = match self.criterion.actions {
            ActionLimit::Outside => self.problem.automaton.loop_facts(state).actions_outside,
            ActionLimit::AtMost(most) => most,
        };
        most.saturating_mul(self.factor)
    }

    /// What is left of a measure after an unobserved action that leads to a state; `None` when it
    /// is not allowed. Beginning a repetition changes how many actions are outside loops, so it
    /// starts that limit anew.
    fn after(&self, measure: Measure, to: StateId, loops: u32) -> Option<Measure> {
        if loops > 0 {
            let loops = measure.loops.checked_sub(loops)?;
            return Some(Measure { loops, actions: self.most_actions(to) });
        }
        let one_less = measure.actions.checked_sub(1)?;
        let actions = match self.criterion.actions {
            ActionLimit::Outside => one_less.min(self.most_actions(to)),
            ActionLimit::AtMost(_) => one_less,
        };
        Some(Measure { actions, ..measure })
    }

    fn bytes(&self) -> u64 {
        let positions = self.problem.trace.len() * size_of::<u32>();
        let node = size_of::<(Node, (usize, WitnessStep))>() + 3 * size_of::<usize>() + positions;
        (self.found.capacity() * node) as u64 + self.terms.bytes() + self.problem.look_ahead.bytes()
    }

    fn witness(&self, index: usize) -> Witness {
        let (node, _) = self.found.get_index(index).expect("the node was found");
        let mut steps = Vec::new();
        let mut at = index;
        while let Some((_, &(from, step))) = self.found.get_index(at)
            && from != usize::MAX
        {
            steps.push(step);
            at = from;
        }
        steps.reverse();
        let rest = way_to_final(self.problem.automaton, node.state);
        steps.extend(rest.into_iter().map(|letter| WitnessStep { letter, observed: false }));
        Witness { steps }
    }
}
