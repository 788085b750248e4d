//! Bounded simulation: unobserved actions happen while a measure allows them (paper 000 sec. 4 and
//! 5).
//
// Idea: a node also carries a measure of the actions that may still be simulated. An unobserved action lowers it,
// so the graph is finite even where unobserved actions may go on for ever.
//
// Invariant: an interleaving that is found is accepted. If the measure forbade no move, the whole
// graph was seen, and a session without a path is not accepted.
//
// Cost: nodes are not packed into words as in the other searches, since a measure is part of them;
// each is a key of a map. Transitions are derived again for every node, with the loops they begin.

use crate::automaton::{Automaton, Late};
use crate::budget::TermMeter;
use crate::config::{ActionLimit, Criterion, LoopLimit};
use crate::lazy_automaton::LazyAutomaton;
use crate::search::outcome::SearchOutcome;
use crate::search::path_to_final::path_to_final;
use crate::search::problem::{Problem, furthest};
use indexmap::IndexMap;
use multitrace_interaction::{Id, LetterId, StateId, Transition, Witness, WitnessStep};
use rustc_hash::FxBuildHasher;

/// The unobserved actions that may still be simulated. Measures are compared field by field, and every such action
/// lowers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Measure {
    loops: u32,
    actions: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SimulatedNode {
    state: StateId,
    positions: Box<[u32]>,
    measure: Measure,
}

/// The search of one session.
pub(crate) struct Simulation<'a, 'p> {
    problem: &'a Problem<'p, LazyAutomaton>,
    criterion: &'a Criterion,
    /// The factor of the limits on loops and actions.
    factor: u32,
    /// Every node, with the one it was found from and the action in between.
    nodes: IndexMap<SimulatedNode, (usize, WitnessStep), FxBuildHasher>,
    todo: Vec<usize>,
    terms: TermMeter,
    /// Whether the measure forbade a move.
    cut: bool,
    /// The node where everything is explained.
    found: Option<usize>,
}

/// The predecessor of initial nodes.
const NO_NODE: usize = usize::MAX;

impl<'a, 'p> Simulation<'a, 'p> {
    /// A search that simulates unobserved actions as far as a criterion allows.
    pub(crate) fn new(
        problem: &'a Problem<'p, LazyAutomaton>,
        criterion: &'a Criterion,
    ) -> Simulation<'a, 'p> {
        let events = problem.question.event_count();
        let factor = if criterion.multiply { u32::try_from(events).unwrap_or(u32::MAX) } else { 1 };
        Simulation {
            problem,
            criterion,
            factor,
            nodes: IndexMap::default(),
            todo: Vec::new(),
            terms: TermMeter::default(),
            cut: false,
            found: None,
        }
    }

    /// Searches depth first.
    pub(crate) fn run(&mut self) -> SearchOutcome {
        for &state in self.problem.automaton.initial() {
            let positions = vec![0; self.problem.question.trace.len()].into();
            let node = SimulatedNode { state, positions, measure: self.initial_measure(state) };
            self.discover(node, None);
        }
        while let Some(index) = self.todo.pop() {
            let allowance = &self.problem.question.allowance;
            if let Some(spent) = allowance.spent(self.explored(), || self.bytes()) {
                return SearchOutcome::Spent(spent);
            }
            let (node, _) = self.nodes.get_index(index).expect("found before it is visited");
            let node = node.clone();
            if self.problem.is_goal(node.state, &node.positions) {
                self.found = Some(index);
                return SearchOutcome::Found;
            }
            if let Err(Late) = self.expand(index, &node) {
                return SearchOutcome::Spent(self.problem.question.allowance.time_spent());
            }
        }
        if self.cut { SearchOutcome::Cut } else { SearchOutcome::Exhausted }
    }

    /// How many nodes were found.
    pub(crate) fn explored(&self) -> u64 {
        self.nodes.len() as u64
    }

    fn expand(&mut self, index: usize, node: &SimulatedNode) -> Result<(), Late> {
        let transitions = self.problem.automaton.transitions_with_loops(node.state)?;
        for (transition, loops) in transitions.into_iter().rev() {
            self.terms.touch(transition.to, self.problem.automaton.weight(transition.to));
            let question = &self.problem.question;
            let location = question.monitor.location_of(transition.letter).index();
            if question.may_go_unobserved(location, node.positions[location]) {
                if self.simulates(location, node.positions[location]) {
                    self.go_unobserved(index, node, transition, loops);
                } else {
                    self.cut = true;
                }
            }
            if question.reads(transition.letter, &node.positions) {
                self.read_event(index, node, transition, location);
            }
        }
        Ok(())
    }

    fn go_unobserved(
        &mut self,
        from: usize,
        node: &SimulatedNode,
        transition: Transition,
        loops: u32,
    ) {
        let Some(measure) = self.after(node.measure, transition.to, loops) else {
            self.cut = true;
            return;
        };
        let positions = node.positions.clone();
        let step = WitnessStep { letter: transition.letter, observed: false };
        let node = SimulatedNode { state: transition.to, positions, measure };
        self.discover(node, Some((from, step)));
    }

    fn read_event(
        &mut self,
        from: usize,
        node: &SimulatedNode,
        transition: Transition,
        location: usize,
    ) {
        let mut positions = node.positions.clone();
        positions[location] += 1;
        let measure = match self.criterion.reset {
            true => self.initial_measure(transition.to),
            false => node.measure,
        };
        let step = WitnessStep { letter: transition.letter, observed: true };
        self.discover(
            SimulatedNode { state: transition.to, positions, measure },
            Some((from, step)),
        );
    }

    /// Adds a node, unless it is known or some local trace cannot be read to its end from it.
    fn discover(&mut self, node: SimulatedNode, from: Option<(usize, WitnessStep)>) {
        let none = WitnessStep { letter: LetterId::UNKNOWN, observed: false };
        let from = from.unwrap_or((NO_NODE, none));
        if self.nodes.contains_key(&node) || !self.is_alive(&node) {
            return;
        }
        self.todo.push(self.nodes.insert_full(node, from).0);
    }

    fn is_alive(&self, node: &SimulatedNode) -> bool {
        let Problem { question, dead_ends, .. } = self.problem;
        dead_ends.is_alive(question.monitor, node.state, &node.positions)
    }

    /// Whether unobserved moves of a location are simulated at a position. A criterion may leave out
    /// those before its first event.
    fn simulates(&self, location: usize, position: u32) -> bool {
        let ended = position as usize == self.problem.question.trace[location].len();
        self.criterion.before || ended
    }

    /// The measure of a state where simulation starts.
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

    /// The measure after an unobserved action that leads to a state; `None` if the action is not allowed. To begin a
    /// repetition changes how many actions are outside loops, so that limit starts again.
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
        let positions = self.problem.question.trace.len() * size_of::<u32>();
        let node =
            size_of::<(SimulatedNode, (usize, WitnessStep))>() + 3 * size_of::<usize>() + positions;
        (self.nodes.capacity() * node) as u64 + self.terms.bytes() + self.problem.dead_ends.bytes()
    }

    /// After a search that was cut: of the nodes that it found, the positions of the one with the
    /// most events read, the last such positions in their order.
    pub(crate) fn furthest(&self) -> Vec<u32> {
        furthest(self.nodes.keys().map(|node| &*node.positions))
    }

    /// After a search that found one: an accepted global trace, if the problem asks for it.
    pub(crate) fn witness(&self) -> Option<Witness> {
        let found = self.found.filter(|_| self.problem.witness)?;
        let (node, _) = self.nodes.get_index(found)?;
        let mut steps = Vec::new();
        let mut at = found;
        while let Some((_, &(from, step))) = self.nodes.get_index(at)
            && from != NO_NODE
        {
            steps.push(step);
            at = from;
        }
        steps.reverse();
        steps.extend(path_to_final(self.problem.automaton, node.state)?);
        Some(Witness { steps })
    }
}
