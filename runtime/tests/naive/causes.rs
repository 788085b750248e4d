//! Causes by their definitions: findings of single logs, areas, and how far an interleaving gets.

use crate::answers::Question;
use crate::sessions::any_draw;
use crate::specification::{
    ALL_TABLES, Specification, States, any_automaton, any_specification, any_tables,
};
use crate::verdicts::SEARCHES;
use multitrace_interaction::{
    Cause, Frontier, FrontierEntry, Id, LetterId, LocalFailure, LocationId, Node, Observation,
    Session, TransitionId, UnknownEvent, Verdict,
};
use multitrace_runtime::{CheckConfig, Checker, Comparison, Monitor};
use multitrace_testing::cases;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeSet;

/// A session with some unknown events.
fn with_unknown(mut session: Session, places: &[(Index, Index)]) -> Session {
    for (location, at) in places {
        let log = location.get_mut(&mut session.trace);
        log.insert(at.index(log.len() + 1), LetterId::UNKNOWN);
    }
    for (location, log) in session.trace.iter().enumerate() {
        for index in (0..log.len()).filter(|&index| log[index] == LetterId::UNKNOWN) {
            let text = format!("x{location}.{index}");
            session.unknown.push(UnknownEvent { location, index, text });
        }
    }
    session
}

/// A walk along one log alone: the states after the events read, others having done any actions.
struct Walk<'a> {
    specification: &'a Specification,
    location: usize,
    states: States,
}

impl<'a> Walk<'a> {
    fn new(specification: &'a Specification, location: usize, from: States) -> Walk<'a> {
        let is_other = |letter: LetterId| specification.location_of(letter) != location;
        Walk { specification, location, states: specification.closure(&from, is_other) }
    }

    fn read(&self, letter: LetterId) -> Option<Walk<'a>> {
        let row = self.states.iter().flat_map(|&state| self.specification.outgoing(state));
        let read: States = row.filter(|it| it.0 == letter).map(|it| it.1).collect();
        (!read.is_empty()).then(|| Walk::new(self.specification, self.location, read))
    }

    fn may_end(&self) -> bool {
        self.states.iter().any(|&state| self.specification.is_final(state))
    }

    fn finding(&self, session: &Session, index: usize) -> LocalFailure {
        let letter = session.trace[self.location].get(index).copied();
        let own = expected(self.specification, &self.states, self.location);
        LocalFailure {
            location: LocationId::new(self.location),
            index,
            event: letter,
            expected: own,
        }
    }
}

/// The letters that a location can do in some states.
fn expected(specification: &Specification, states: &States, location: usize) -> Vec<LetterId> {
    let row = states.iter().flat_map(|&state| specification.outgoing(state));
    let own = row.filter(|it| specification.location_of(it.0) == location);
    own.map(|it| it.0).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The letters that a location can do after the events of its log alone.
fn possible(
    specification: &Specification,
    location: usize,
    log: &[LetterId],
    observation: Observation,
) -> Vec<LetterId> {
    let from = match observation {
        Observation::Slice => specification.all_states(),
        _ => specification.initial(),
    };
    let mut walk = Walk::new(specification, location, from);
    for &letter in log {
        walk = walk.read(letter).expect("the log is possible so far");
    }
    expected(specification, &walk.states, location)
}

/// Findings of single logs, and the indices before which each is possible.
pub struct Local {
    unknown: Vec<LocalFailure>,
    impossible: Vec<LocalFailure>,
    early: Vec<LocalFailure>,
    pub cuts: Vec<Option<usize>>,
}

pub fn local(specification: &Specification, session: &Session, observation: Observation) -> Local {
    let (unknown, impossible, early) = (Vec::new(), Vec::new(), Vec::new());
    let mut found = Local { unknown, impossible, early, cuts: Vec::new() };
    for (location, log) in session.trace.iter().enumerate() {
        let from = match observation {
            Observation::Slice => specification.all_states(),
            _ => specification.initial(),
        };
        let mut walk = Walk::new(specification, location, from);
        let mut cut = None;
        for (index, &letter) in log.iter().enumerate() {
            if letter == LetterId::UNKNOWN {
                let finding = walk.finding(session, index);
                found.unknown.push(match cut {
                    None => finding,
                    Some(_) => LocalFailure { expected: vec![], ..finding },
                });
            } else if cut.is_some() {
                // The right rest depends on the event that the impossible one stands for.
            } else if let Some(next) = walk.read(letter) {
                walk = next;
            } else {
                found.impossible.push(walk.finding(session, index));
                cut = Some(index);
            }
        }
        let must_end = match observation {
            Observation::Complete => true,
            Observation::Missing => !log.is_empty(),
            _ => false,
        };
        if cut.is_none() && must_end && !walk.may_end() {
            found.early.push(walk.finding(session, log.len()));
            cut = Some(log.len());
        }
        found.cuts.push(cut);
    }
    found
}

/// The node with the most events read; of several the last in the order of positions. The expected events there are
/// those of any of its states.
fn frontier(question: Question<'_>) -> (Vec<usize>, States) {
    let nodes = question.nodes(|_| true);
    let read =
        |(_, positions): &(usize, Vec<usize>)| (positions.iter().sum::<usize>(), positions.clone());
    let furthest = nodes.iter().map(read).max().expect("an initial node").1;
    let states = nodes.iter().filter(|node| node.1 == furthest).map(|node| node.0).collect();
    (furthest, states)
}

/// The transitions that a log may use: those out of every state and position that the location can reach.
fn area(question: Question<'_>, location: usize) -> BTreeSet<TransitionId> {
    let Question { specification, observation, .. } = question;
    let nfa = &specification.nfa;
    let all = (0..nfa.transitions().len()).map(TransitionId::new);
    if observation == Observation::Slice {
        return all.collect();
    }
    let log = &question.trace[location];
    let mut used = BTreeSet::new();
    let mut todo: Vec<(usize, usize)> =
        specification.initial().into_iter().map(|state| (state, 0)).collect();
    let mut seen: BTreeSet<_> = todo.iter().copied().collect();
    while let Some((state, position)) = todo.pop() {
        for (id, transition) in nfa.outgoing_ids(Id::new(state)) {
            let is_own = specification.location_of(transition.letter) == location;
            let to = transition.to.index();
            let mut next = Vec::new();
            if !is_own || question.is_open(location, position) {
                next.push((to, position));
            }
            if is_own && log.get(position) == Some(&transition.letter) {
                next.push((to, position + 1));
            }
            if !next.is_empty() {
                used.insert(id);
            }
            todo.extend(next.into_iter().filter(|node| seen.insert(*node)));
        }
    }
    used
}

fn areas(question: Question<'_>) -> Vec<BTreeSet<TransitionId>> {
    (0..question.trace.len()).map(|location| area(question, location)).collect()
}

fn common(question: Question<'_>) -> BTreeSet<TransitionId> {
    let all = (0..question.specification.nfa.transitions().len()).map(TransitionId::new).collect();
    areas(question).iter().fold(all, |common, area| &common & area)
}

/// Whether an accepted path uses these transitions only.
fn is_accepting(specification: &Specification, transitions: &BTreeSet<TransitionId>) -> bool {
    let mut states = specification.initial();
    for _ in specification.all_states() {
        for id in transitions {
            let transition = specification.nfa.transitions()[id.index()];
            if states.contains(&transition.from.index()) {
                states.insert(transition.to.index());
            }
        }
    }
    states.iter().any(|&state| specification.is_final(state))
}

/// A session without its local findings, and the index of each of its events in the log as given.
struct Remains {
    session: Session,
    observation: Observation,
    open_ends: Vec<bool>,
    indices: Vec<Vec<usize>>,
}

fn remains(session: &Session, local: &Local, mut observation: Observation) -> Remains {
    let is_cut = local.cuts.iter().any(Option::is_some);
    let is_missing = observation == Observation::Missing;
    if is_missing {
        observation = Observation::Complete;
    }
    if observation == Observation::GlobalPrefix && is_cut {
        observation = Observation::Prefix;
    }
    let (mut left, mut open_ends, mut indices) = (Session::default(), Vec::new(), Vec::new());
    for (log, cut) in session.trace.iter().zip(&local.cuts) {
        let end = cut.unwrap_or(log.len());
        let known: Vec<usize> = (0..end).filter(|&at| log[at] != LetterId::UNKNOWN).collect();
        left.trace.push(known.iter().map(|&at| log[at]).collect());
        open_ends.push(cut.is_some() || is_missing && log.is_empty());
        indices.push(known.into_iter().chain([end]).collect());
    }
    Remains { session: left, observation, open_ends, indices }
}

/// The cause that all logs together have, without a cycle.
fn global(specification: &Specification, session: &Session, remains: &Remains) -> (bool, Frontier) {
    let question = Question {
        open_ends: &remains.open_ends,
        ..Question::new(specification, &remains.session.trace, remains.observation)
    };
    let (positions, states) = frontier(question);
    let entry = |(location, &explained): (usize, &usize)| {
        let index = remains.indices[location][explained];
        let has_event = explained < remains.session.trace[location].len();
        FrontierEntry {
            explained,
            index,
            length: session.trace[location].len(),
            event: has_event.then(|| session.trace[location][index]),
            expected: {
                let log = &remains.session.trace[location][..explained];
                let alone = possible(specification, location, log, remains.observation);
                let mut expected = expected(specification, &states, location);
                expected.retain(|letter| alone.contains(letter));
                expected
            },
        }
    };
    let locations = positions.iter().enumerate().map(entry).collect();
    let frontier = Frontier { locations, complete: true, cycle: Vec::new(), imbalance: None };
    (is_accepting(specification, &common(question)), frontier)
}

/// The causes on a compiled automaton.
fn causes(
    specification: &Specification,
    session: &Session,
    observation: Observation,
) -> Vec<Cause> {
    let local = local(specification, session, observation);
    let remains = remains(session, &local, observation);
    let Local { unknown, impossible, early, .. } = local;
    let mut causes: Vec<Cause> =
        unknown.into_iter().chain(impossible).chain(early).map(Cause::Local).collect();
    let question = Question {
        open_ends: &remains.open_ends,
        ..Question::new(specification, &remains.session.trace, remains.observation)
    };
    let is_refused = match remains.observation {
        Observation::GlobalPrefix => !question.in_mode(Observation::Prefix).accepts(),
        _ => !question.accepts(),
    };
    if causes.is_empty() || is_refused {
        causes.push(match global(specification, session, &remains) {
            (true, frontier) => Cause::Central(frontier),
            (false, frontier) => Cause::Inter(frontier),
        });
    }
    causes
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn causes_on_an_automaton_are_those_of_the_definitions(
        (specification, draw, tables) in (any_automaton(), any_draw(), any_tables()),
        unknown in proptest::collection::vec(any::<(Index, Index)>(), 0..2),
    ) {
        let session = with_unknown(draw.session(&specification), &unknown);
        let monitor = Monitor::new(specification.with_laws(specification.bundle(tables)));
        for observation in Observation::ALL {
            for search in SEARCHES {
                let comparison = Comparison { search, ..Comparison::default() };
                let config = CheckConfig { observation, comparison, ..CheckConfig::default() };
                let mut checker = Checker::new(&monitor, config).expect("an automaton");
                if let Verdict::Fail(failure) = checker.check(&session).verdict {
                    let expected = causes(&specification, &session, observation);
                    prop_assert_eq!(&failure.causes, &expected, "{:?} {:?}", observation, search);
                    prop_assert_eq!(failure.omitted, 0);
                }
            }
        }
    }

    #[test]
    fn areas_are_those_of_the_definitions(
        (specification, draw, tables) in (any_automaton(), any_draw(), any_tables()),
    ) {
        let session = draw.session(&specification);
        let monitor = Monitor::new(specification.with_laws(specification.bundle(tables)));
        for observation in Observation::ALL {
            let question = Question::new(&specification, &session.trace, observation);
            let found = monitor.areas(&session, observation);
            prop_assert_eq!(found.is_none(), question.is_locally_impossible());
            if let Some(found) = found {
                prop_assert_eq!(found.of, areas(question));
                prop_assert_eq!(found.inter, common(question));
            }
        }
    }

    /// On terms a log may look possible that is not; but where no loop and no coregion is, and every lifeline has a log of its
    /// own, nothing is missed up to the first impossible event.
    #[test]
    fn local_findings_on_terms_are_certain(
        (specification, draw) in (any_specification(), any_draw()),
        unknown in proptest::collection::vec(any::<(Index, Index)>(), 0..2),
    ) {
        let session = with_unknown(draw.session(&specification), &unknown);
        let monitor = Monitor::new(specification.bundle_of_terms());
        let (_, interaction) = specification.source.as_ref().expect("an interaction");
        let is_inexact = |node: &Node| matches!(node, Node::Loop(..) | Node::CoReg(..));
        let alphabet = &specification.alphabet;
        let is_inexact_anywhere = interaction.nodes().iter().any(is_inexact)
            || alphabet.lifelines().len() > alphabet.locations().len();
        for observation in [Observation::Complete, Observation::Missing, Observation::Prefix] {
            let config = CheckConfig { observation, ..CheckConfig::default() };
            let checked = Checker::new(&monitor, config).expect("terms").check(&session);
            let Verdict::Fail(failure) = checked.verdict else { continue };
            let expected = local(&specification, &session, observation);
            let cut = |it: &LocalFailure| expected.cuts[it.location.index()];
            let found: Vec<LocalFailure> = failure.causes.iter().filter_map(|cause| match cause {
                Cause::Local(it) => Some(it.clone()),
                Cause::Inter(_) | Cause::Central(_) => None,
            }).collect();
            for it in found.iter().filter(|it| it.is_known(&specification.alphabet)) {
                prop_assert!(cut(it).is_some_and(|cut| cut <= it.index), "{it:?}");
            }
            let all = [&expected.unknown[..], &expected.impossible, &expected.early].concat();
            let is_seen = |it: &&LocalFailure| cut(it).is_none_or(|cut| it.index <= cut);
            if !is_inexact_anywhere {
                let found: Vec<_> = found.iter().filter(is_seen).collect();
                prop_assert_eq!(found, all.iter().filter(is_seen).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn repeated_events_are_counted_instead_of_shown() {
    use multitrace_interaction::{Failure, ForeignTrace};
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let specification = loop {
        let tree = any_automaton().new_tree(&mut runner).expect("an automaton");
        let found = proptest::strategy::ValueTree::current(&tree);
        // No event of `b` is possible twice in a row.
        let twice = |state: usize| found.outgoing(state).any(|it| it.0 == LetterId::new(1));
        if !found.all_states().into_iter().any(twice) {
            break found;
        }
    };
    let monitor = Monitor::new(specification.bundle(ALL_TABLES));
    let most = Failure::MOST_PER_LOCATION;
    let mut session = Session { trace: vec![Vec::new(); 3], ..Session::default() };
    session.trace[1] = vec![LetterId::new(1); most + 3];
    session.trace[2] = vec![LetterId::UNKNOWN; most + 5];
    let unknown = |index| UnknownEvent { location: 2, index, text: "x".to_owned() };
    session.unknown = (0..most + 5).map(unknown).collect();
    let events = vec!["y".to_owned(); most + 7];
    session.foreign = vec![ForeignTrace { location: "d".to_owned(), events }];
    let checked = Checker::new(&monitor, CheckConfig::default()).expect("one").check(&session);
    let Verdict::Fail(failure) = checked.verdict else { panic!("{:?}", checked.verdict) };
    let at = |location: usize| {
        let is_there = |cause: &&Cause| matches!(cause, Cause::Local(it) if it.location.index() == location && it.event.is_some());
        failure.causes.iter().filter(is_there).count()
    };
    // Behind the first impossible event nothing is certain.
    assert_eq!([1, 2, 3].map(at), [1, most, most]);
    assert_eq!(failure.omitted, 5 + 7);
}
