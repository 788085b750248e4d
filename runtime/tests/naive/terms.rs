//! The nodes that searches on terms visit with the reductions of paper 003 and the criteria of paper 000, against the
//! graphs of these papers, made node by node.

use crate::answers::Question;
use crate::sessions::{Draw, any_draw};
use crate::specification::{
    Specification, any_part_of_a_specification, any_part_of_parts, any_specification,
};
use multitrace_interaction::{
    Action, FirstPlaces, InconclusiveReason, LetterId, LifelineSet, MultiTrace, Observation,
    Session, StateId, TermAutomaton, TermStore, Transition, Verdict,
};
use multitrace_runtime::{
    ActionLimit, Budget, CheckConfig, Checked, Checker, Comparison, Criterion, DeciderName,
    EngineChoice, LoopLimit, Method, Monitor, Reductions, States, replay,
};
use multitrace_testing::cases;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The terms of a specification as it was written, and the question asked of them.
struct Terms<'a> {
    automaton: RefCell<TermAutomaton>,
    initial: StateId,
    actions: BTreeMap<LetterId, Action>,
    /// Per location, its lifelines.
    lifelines: Vec<LifelineSet>,
    question: Question<'a>,
}

/// A state, and a position in each log.
type Node = (StateId, Vec<usize>);

/// How many repetitions may still begin, and how many actions outside loops may still happen.
type Measure = (u32, u32);

impl<'a> Terms<'a> {
    fn new(question: Question<'a>) -> Terms<'a> {
        let alphabet = &question.specification.alphabet;
        let (signature, interaction) = question.specification.source.as_ref().expect("terms");
        let locations = alphabet.locations_of(signature);
        let mut store = TermStore::new();
        let root = store.intern(interaction).root();
        let letters: Vec<_> = alphabet.actions().collect();
        let actions = letters.iter().map(|&(action, letter)| (letter, action)).collect();
        let lifelines =
            locations.iter().map(|it| locations.lifelines(it).iter().copied().collect());
        let lifelines = lifelines.collect();
        let mut automaton = TermAutomaton::new(store, letters, None);
        let initial = automaton.state(root);
        Terms { automaton: RefCell::new(automaton), initial, actions, lifelines, question }
    }

    fn trace(&self) -> &'a MultiTrace {
        self.question.trace
    }

    fn location_of(&self, letter: LetterId) -> usize {
        self.question.specification.location_of(letter)
    }

    fn transitions(&self, state: StateId) -> Vec<(Transition, u32)> {
        self.automaton.borrow_mut().transitions_with_loops(state)
    }

    fn forget(&self, state: StateId, location: usize) -> StateId {
        self.automaton.borrow_mut().forget(state, &self.lifelines[location])
    }

    /// The term of a state with the lifelines of all other locations removed.
    fn local(&self, state: StateId, location: usize) -> StateId {
        let mut others = LifelineSet::new();
        let other = self.lifelines.iter().enumerate().filter(|it| it.0 != location);
        other.for_each(|(_, own)| others.extend(own));
        self.automaton.borrow_mut().forget(state, &others)
    }

    /// Whether a location alone can read its log from a position on.
    fn can_read(&self, state: StateId, location: usize, position: usize, depth: usize) -> bool {
        match self.trace()[location].get(position) {
            Some(_) if depth == 0 => true,
            Some(&letter) => {
                let row = self.transitions(state).into_iter();
                let mut next = row.map(|it| it.0).filter(|it| it.letter == letter);
                next.any(|it| self.can_read(it.to, location, position + 1, depth - 1))
            }
            None => {
                self.question.is_open(location, position) || self.automaton.borrow().is_final(state)
            }
        }
    }

    fn is_alive(&self, (state, positions): &Node, depth: usize) -> bool {
        let lives = |location: usize| {
            let is_over = positions[location] == self.trace()[location].len();
            is_over && self.question.is_open(location, positions[location])
                || self.can_read(self.local(*state, location), location, positions[location], depth)
        };
        (0..positions.len()).all(lives)
    }

    /// The first letter that is the next event of its location and has one place there.
    fn unambiguous(&self, (state, positions): &Node) -> Option<LetterId> {
        let row = self.transitions(*state).into_iter();
        let mut letters = row.map(|(it, _)| it.letter);
        letters.find(|&letter| {
            let location = self.location_of(letter);
            let (action, own) = (self.actions[&letter], &self.lifelines[location]);
            self.trace()[location].get(positions[location]) == Some(&letter)
                && self.automaton.borrow_mut().first_places(*state, action, own) == FirstPlaces::One
        })
    }

    /// The nodes where events are read one after the other, and locations that may go on are removed (paper 003).
    fn removed(&self, reductions: Reductions, depth: usize) -> BTreeSet<Node> {
        let is_over = |location: usize, position| self.question.is_open(location, position);
        let start = (0..self.lifelines.len()).filter(|&it| is_over(it, 0));
        let start = start.fold(self.initial, |state, location| self.forget(state, location));
        let lives = |node: &Node| !reductions.local_analyses || self.is_alive(node, depth);
        let mut todo: Vec<Node> = vec![(start, vec![0; self.lifelines.len()])];
        todo.retain(lives);
        let mut nodes: BTreeSet<Node> = todo.iter().cloned().collect();
        while let Some(node) = todo.pop() {
            let only = self.unambiguous(&node).filter(|_| reductions.partial_order);
            let row = self.transitions(node.0);
            // Of a node with one transition, which no path ends in, nobody asks whether its successor lives.
            let is_prefix = self.question.observation == Observation::Prefix;
            let may_end = !is_prefix && self.automaton.borrow().is_final(node.0);
            let is_forced = only.is_none() && row.len() == 1 && !may_end;
            for (Transition { letter, to, .. }, _) in row {
                let location = self.location_of(letter);
                let is_next = self.trace()[location].get(node.1[location]) == Some(&letter);
                if !is_next || only.is_some_and(|only| letter != only) {
                    continue;
                }
                let mut positions = node.1.clone();
                positions[location] += 1;
                let is_removed = is_over(location, positions[location]);
                let state = if is_removed { self.forget(to, location) } else { to };
                let next = (state, positions);
                if (is_forced || lives(&next)) && nodes.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        nodes
    }

    fn is_goal(&self, (state, positions): &Node) -> bool {
        let is_read = positions.iter().zip(self.trace()).all(|(at, log)| *at == log.len());
        let may_stop =
            matches!(self.question.observation, Observation::Prefix | Observation::Slice);
        is_read && (may_stop || self.automaton.borrow().is_final(*state))
    }

    /// The measure of a state where simulation starts: repetitions that begin, and actions outside loops.
    fn measure(&self, state: StateId, criterion: &Criterion) -> Measure {
        let events: usize = self.trace().iter().map(Vec::len).sum();
        let factor = if criterion.multiply { events as u32 } else { 1 };
        let automaton = self.automaton.borrow();
        let facts = automaton.store().loop_facts(automaton.term(state));
        let loops = match criterion.loops {
            LoopLimit::Depth => facts.depth,
            LoopLimit::Count => facts.count,
            LoopLimit::AtMost(most) => most,
            _ => unreachable!("no other limit is tried"),
        };
        let actions = match criterion.actions {
            ActionLimit::Outside => facts.actions_outside + automaton.rest_of_step(state) as u32,
            ActionLimit::AtMost(most) => most,
            _ => unreachable!("no other limit is tried"),
        };
        (loops * factor, actions * factor)
    }

    /// The nodes of simulation, each with its measure, and whether a move was forbidden (paper 000
    /// sec. 5).
    fn simulated(&self, criterion: &Criterion) -> (BTreeSet<(Node, Measure)>, bool) {
        let initial = (self.initial, vec![0; self.lifelines.len()]);
        let mut todo = vec![(initial, self.measure(self.initial, criterion))];
        let mut nodes: BTreeSet<_> = todo.iter().cloned().collect();
        let mut is_cut = false;
        while let Some(((state, positions), (loops, actions))) = todo.pop() {
            let mut next = Vec::new();
            for (Transition { letter, to, .. }, begun) in self.transitions(state) {
                let location = self.location_of(letter);
                let position = positions[location];
                let after = self.measure(to, criterion);
                if self.question.is_open(location, position) {
                    let is_before = position < self.trace()[location].len();
                    let left = match begun {
                        0 if actions == 0 => None,
                        0 => Some((
                            loops,
                            match criterion.actions {
                                ActionLimit::Outside => after.1.min(actions - 1),
                                _ => actions - 1,
                            },
                        )),
                        _ => loops.checked_sub(begun).map(|loops| (loops, after.1)),
                    };
                    match left.filter(|_| criterion.before || !is_before) {
                        Some(left) => next.push(((to, positions.clone()), left)),
                        None => is_cut = true,
                    }
                }
                if self.trace()[location].get(position) == Some(&letter) {
                    let mut positions = positions.clone();
                    positions[location] += 1;
                    let left = if criterion.reset { after } else { (loops, actions) };
                    next.push(((to, positions), left));
                }
            }
            todo.extend(next.into_iter().filter(|it| nodes.insert(it.clone())));
        }
        (nodes, is_cut)
    }
}

fn on_terms(specification: &Specification) -> Monitor {
    Monitor::new(specification.bundle_of_terms())
}

fn check(monitor: &Monitor, session: &Session, config: CheckConfig) -> Checked {
    Checker::new(monitor, config).expect("terms").check(session)
}

const REDUCTIONS: [Reductions; 4] = [
    Reductions { partial_order: false, local_analyses: false },
    Reductions { partial_order: true, local_analyses: false },
    Reductions { partial_order: false, local_analyses: true },
    Reductions { partial_order: true, local_analyses: true },
];

fn any_criterion() -> impl Strategy<Value = Criterion> {
    let loops = prop_oneof![
        Just(LoopLimit::Depth),
        Just(LoopLimit::Count),
        (0..3_u32).prop_map(LoopLimit::AtMost)
    ];
    let actions = prop_oneof![Just(ActionLimit::Outside), (0..4_u32).prop_map(ActionLimit::AtMost)];
    let flag = any::<bool>;
    (loops, actions, flag(), flag(), flag()).prop_map(
        |(loops, actions, multiply, reset, before)| Criterion {
            loops,
            actions,
            multiply,
            reset,
            before,
        },
    )
}

/// Verdicts by the search of repetitions, without lifeline removal, and by the usual plan. Those that accept have a witness that
/// the reading of the specification accepts, too.
fn by_repetitions(specification: &Specification, session: &Session) -> Vec<(Observation, Verdict)> {
    let monitor = on_terms(specification);
    let modes = [
        (Observation::Missing, DeciderName::Removal),
        (Observation::Prefix, DeciderName::Removal),
        (Observation::Slice, DeciderName::RemovalAtEnds),
    ];
    let ways = modes.into_iter().flat_map(|(observation, removal)| {
        let (reductions, without) = (Some(REDUCTIONS[0]), Some(removal));
        let alone = Comparison { reductions, without, ..Comparison::default() };
        [(observation, alone), (observation, Comparison::default())]
    });
    let decide = |(observation, comparison)| {
        let budget = Budget { states: States::Fixed(20_000), ..Budget::default() };
        let (engine, witness) = (EngineChoice::Term, true);
        let config = CheckConfig {
            observation,
            comparison,
            engine,
            witness,
            budget,
            ..CheckConfig::default()
        };
        let checked = check(&monitor, session, config);
        if matches!(checked.verdict, Verdict::Pass | Verdict::WeakPass) {
            let witness = checked.witness.as_ref().expect("a witness");
            assert_eq!(replay(&monitor, session, witness, observation), Ok(()));
        }
        (observation, checked.verdict)
    };
    ways.map(decide).collect()
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn the_graph_of_paper_003_has_the_nodes_that_it_says(
        (specification, draws) in (any_specification(), [any_draw(), any_draw(), any_draw()]),
        (is_mixed, depth) in (any::<bool>(), proptest::option::of(0..3_u32)),
    ) {
        let session = if is_mixed { Draw::mixed(&draws, &specification) } else { draws[0].session(&specification) };
        let monitor = on_terms(&specification);
        for reductions in REDUCTIONS {
            let comparison =
                Comparison { reductions: Some(reductions), look_ahead_depth: depth, ..Comparison::default() };
            let engine = EngineChoice::Term;
            let config = CheckConfig { comparison, engine, witness: true, ..CheckConfig::default() };
            let reads = depth.map_or(usize::MAX, |it| it as usize);
            let prefix = Terms::new(Question::new(&specification, &session.trace, Observation::Prefix));
            let nodes = prefix.removed(reductions, reads);
            let graph = monitor.removal_graph(&session, &config, true).expect("terms");
            prop_assert_eq!(graph.vertices, nodes.len() as u64, "{:?} to depth {:?}", reductions, depth);
            prop_assert_eq!(graph.is_prefix, Some(nodes.iter().any(|node| prefix.is_goal(node))));
            let first = monitor.removal_graph(&session, &config, false).expect("terms");
            prop_assert_eq!(first.is_prefix, graph.is_prefix);
            // In complete mode nothing is removed.
            let complete = Terms::new(Question::new(&specification, &session.trace, Observation::Complete));
            let nodes = complete.removed(reductions, reads);
            let checked = check(&monitor, &session, config);
            let is_accepted = nodes.iter().any(|node| complete.is_goal(node));
            prop_assert_eq!(checked.verdict == Verdict::Pass, is_accepted);
            if !is_accepted && is_mixed {
                prop_assert_eq!(checked.explored, nodes.len() as u64);
            }
        }
    }

    #[test]
    fn simulation_stops_where_its_criterion_says(
        (specification, draw, criterion) in (any_specification(), any_draw(), any_criterion()),
    ) {
        let session = draw.session(&specification);
        let monitor = on_terms(&specification);
        let reductions = Some(REDUCTIONS[0]);
        for observation in [Observation::Missing, Observation::Prefix, Observation::Slice] {
            let comparison =
                Comparison { method: Method::Simulation(criterion), reductions, ..Comparison::default() };
            let (engine, witness) = (EngineChoice::Term, true);
            let config = CheckConfig { observation, comparison, engine, witness, ..CheckConfig::default() };
            let checked = check(&monitor, &session, config);
            if checked.verdict == Verdict::Pass {
                continue;
            }
            let complete = CheckConfig { observation: Observation::Complete, ..config };
            let before = check(&monitor, &session, complete).explored;
            let terms = Terms::new(Question::new(&specification, &session.trace, observation));
            let (nodes, is_cut) = terms.simulated(&criterion);
            let is_found = nodes.iter().any(|(node, _)| terms.is_goal(node));
            let count = nodes.len() as u64;
            // Logs that are impossible alone are refused before any node.
            let visits = checked.explored - before;
            match &checked.verdict {
                Verdict::WeakPass => prop_assert!(is_found && checked.witness.is_some()),
                Verdict::Fail(_) => prop_assert!(!is_found && (!is_cut || visits == 0)),
                Verdict::Inconclusive(reason) => {
                    prop_assert_eq!(reason, &InconclusiveReason::Simulation(count));
                    prop_assert!(!is_found && is_cut);
                }
                verdict => prop_assert!(false, "{verdict:?}"),
            }
            prop_assert!(is_found || visits == count || visits == 0, "{visits} of {count}");
        }
    }

    #[test]
    fn as_many_repetitions_as_events_can_need_decide_partly_observed_sessions(
        (specification, draw) in (any_specification(), any_draw()),
    ) {
        let session = draw.session(&specification);
        for (observation, verdict) in by_repetitions(&specification, &session) {
            let is_accepted = Question::new(&specification, &session.trace, observation).accepts();
            match verdict {
                Verdict::Pass | Verdict::WeakPass => prop_assert!(is_accepted),
                Verdict::Fail(_) => prop_assert!(!is_accepted),
                verdict => prop_assert!(false, "{observation:?}: {verdict:?}"),
            }
        }
    }

    #[test]
    fn parts_with_one_common_location_are_decided_apart(
        (specification, draw) in (any_part_of_parts(), any_draw()),
    ) {
        let session = draw.session(&specification);
        let monitor = on_terms(&specification);
        for observation in [Observation::Complete, Observation::Missing, Observation::Prefix] {
            let of = |without| {
                let comparison = Comparison { without, ..Comparison::default() };
                let budget = Budget { states: States::Fixed(20_000), ..Budget::default() };
                let config = CheckConfig {
                    observation,
                    comparison,
                    budget,
                    engine: EngineChoice::Term,
                    ..CheckConfig::default()
                };
                match check(&monitor, &session, config).verdict {
                    Verdict::Pass | Verdict::WeakPass => Some(true),
                    Verdict::Fail(_) => Some(false),
                    _ => None,
                }
            };
            let (apart, together) = (of(None), of(Some(DeciderName::PartsApart)));
            prop_assert!(apart == together || together.is_none(), "{observation:?}: {apart:?}, {together:?}");
            let is_known = Question::new(&specification, &session.trace, observation).accepts();
            prop_assert!(apart != Some(false) || !is_known, "{observation:?}");
        }
    }

    #[test]
    fn sessions_that_a_part_of_an_endless_automaton_accepts_are_accepted(
        (specification, draw) in (any_part_of_a_specification(), any_draw()),
    ) {
        let session = draw.session(&specification);
        for (observation, verdict) in by_repetitions(&specification, &session) {
            let is_accepted = Question::new(&specification, &session.trace, observation).accepts();
            let is_refused = matches!(verdict, Verdict::Fail(_));
            prop_assert!(!(is_accepted && is_refused), "{observation:?}");
        }
    }
}
