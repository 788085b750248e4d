//! Repairs: the least number of edits, by Dijkstra's algorithm over everything that could have happened.

use crate::answers::Question;
use crate::causes::local;
use crate::sessions::any_draw;
use crate::specification::{ALL_TABLES, Specification, any_automaton, any_specification};
use multitrace_interaction::{
    Edit, EditKind, ForeignTrace, Id, LetterId, Observation, Repair, Session, UnknownEvent,
};
use multitrace_runtime::{Budget, CheckConfig, Checker, EngineChoice, Gaps, Monitor, States};
use multitrace_testing::cases;
use proptest::prelude::*;
use std::collections::BTreeSet;

const MODES: [Observation; 4] =
    [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice];

/// How far the observation of a location is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Before,
    During,
    After,
}

/// Edits, contradictions of the evidence, deletions: compared in this order.
type Cost = (u64, u64, u64);

/// A state, how much of each log is used up, and the phase of each location.
type Node = (usize, Vec<usize>, Vec<Phase>);

/// The known events of a session, and where each log contradicts an edit.
struct Alignment<'a> {
    specification: &'a Specification,
    observation: Observation,
    logs: Vec<Vec<LetterId>>,
    /// Per location, how many known events there are before its evidence ends, and the one that is accused there.
    ends: Vec<Option<usize>>,
    accused: Vec<Option<usize>>,
}

/// The least cost of known events to insert and to delete.
fn distance(specification: &Specification, session: &Session, observation: Observation) -> Cost {
    let known = |log: &Vec<LetterId>| {
        log.iter().copied().filter(|&it| it != LetterId::UNKNOWN).collect::<Vec<_>>()
    };
    let logs = session.trace.iter().map(known).collect();
    let known = |log: &[LetterId]| log.iter().filter(|&&it| it != LetterId::UNKNOWN).count();
    let cuts = cuts(specification, session, observation);
    let cuts = || cuts.iter().zip(&session.trace);
    let ends = cuts().map(|(cut, log)| cut.map(|cut| known(&log[..cut]))).collect();
    let is_known = |cut: usize, log: &[LetterId]| log.get(cut) != Some(&LetterId::UNKNOWN);
    let accused = cuts()
        .map(|(cut, log)| cut.filter(|&cut| is_known(cut, log)).map(|cut| known(&log[..cut])));
    let accused = accused.collect();
    let alignment = Alignment { specification, observation, logs, ends, accused };
    let phase = |log: &Vec<LetterId>| match observation {
        Observation::Slice => Phase::Before,
        Observation::Missing if log.is_empty() => Phase::After,
        _ => Phase::During,
    };
    let phases: Vec<Phase> = session.trace.iter().map(phase).collect();
    let start = |state| (state, vec![0; session.trace.len()], phases.clone());
    let initial = specification.initial().into_iter();
    let mut todo: BTreeSet<(Cost, Node)> = initial.map(|state| ((0, 0, 0), start(state))).collect();
    let mut done = BTreeSet::new();
    while let Some((cost, node)) = todo.pop_first() {
        if !done.insert(node.clone()) {
            continue;
        }
        if alignment.is_end(&node) {
            return cost;
        }
        let add = |more: Cost| (cost.0 + more.0, cost.1 + more.1, cost.2 + more.2);
        todo.extend(alignment.moves(&node).into_iter().map(|(more, next)| (add(more), next)));
    }
    unreachable!("whatever is logged can be deleted, and something is accepted")
}

impl Alignment<'_> {
    fn may_end_early(&self) -> bool {
        matches!(self.observation, Observation::Prefix | Observation::Slice)
    }

    fn is_end(&self, (state, positions, _): &Node) -> bool {
        let is_read = positions.iter().zip(&self.logs).all(|(at, log)| *at == log.len());
        is_read && (self.may_end_early() || self.specification.is_final(*state))
    }

    /// The moves from a node. Before or after the observation they cost nothing; during it, an event that is not in the
    /// log is inserted, and an event of the log that did not happen is deleted.
    fn moves(&self, node: &Node) -> Vec<(Cost, Node)> {
        let (state, positions, phases) = node;
        let mut moves = Vec::new();
        let passed = |location: usize| {
            let mut positions = positions.clone();
            positions[location] += 1;
            positions
        };
        let contradicts = |location: usize| {
            u64::from(self.ends[location].is_some_and(|end| positions[location] < end))
        };
        for (location, log) in self.logs.iter().enumerate() {
            let later = match phases[location] {
                Phase::Before => Some(Phase::During),
                Phase::During if self.may_end_early() => Some(Phase::After),
                _ => None,
            };
            if let Some(later) = later {
                let mut phases = phases.clone();
                phases[location] = later;
                moves.push(((0, 0, 0), (*state, positions.clone(), phases)));
            }
            if positions[location] < log.len() {
                let next = (*state, passed(location), phases.clone());
                moves.push(((1, contradicts(location), 1), next));
            }
        }
        for (letter, to) in self.specification.outgoing(*state) {
            let location = self.specification.location_of(letter);
            let unread = (to, positions.clone(), phases.clone());
            if phases[location] != Phase::During {
                moves.push(((0, 0, 0), unread));
                continue;
            }
            moves.push(((1, contradicts(location), 0), unread));
            if self.logs[location].get(positions[location]) == Some(&letter) {
                let keeps = u64::from(self.accused[location] == Some(positions[location]));
                moves.push(((0, keeps, 0), (to, passed(location), phases.clone())));
            }
        }
        moves
    }
}

/// Per location, the index of the first event that is impossible or unknown, or the end if it comes too early.
fn cuts(
    specification: &Specification,
    session: &Session,
    observation: Observation,
) -> Vec<Option<usize>> {
    let cuts = local(specification, session, observation).cuts.into_iter().zip(&session.trace);
    let unknown = |log: &[LetterId]| log.iter().position(|&it| it == LetterId::UNKNOWN);
    cuts.map(|(cut, log)| cut.into_iter().chain(unknown(log)).min()).collect()
}

/// The cost of the edits of a repair.
fn cost(
    specification: &Specification,
    session: &Session,
    repair: &Repair,
    observation: Observation,
) -> Cost {
    let cuts = cuts(specification, session, observation);
    let known = |edit: &&Edit| edit.letter != LetterId::UNKNOWN;
    let edits: Vec<&Edit> = repair.edits.iter().filter(known).collect();
    let cut = |edit: &Edit| cuts[edit.location.index()];
    let position = |edit: &Edit| {
        // An insertion behind deleted events stands at the first event that is kept.
        let log = &session.trace[edit.location.index()];
        let is_deleted = |index: usize| {
            log[index] == LetterId::UNKNOWN
                || edits.iter().any(|it| {
                    it.kind == EditKind::Delete && (it.location, it.index) == (edit.location, index)
                })
        };
        match edit.kind {
            EditKind::Delete => edit.index,
            EditKind::Insert => (edit.index..log.len())
                .find(|&index| !is_deleted(index) || cut(edit) == Some(index))
                .unwrap_or(log.len()),
        }
    };
    let early = edits.iter().filter(|edit| cut(edit).is_some_and(|cut| position(edit) < cut));
    let kept = cuts.iter().enumerate().filter(|&(location, &cut)| {
        let log = &session.trace[location];
        let is_there = |&cut: &usize| log.get(cut).is_some_and(|&it| it != LetterId::UNKNOWN);
        cut.filter(is_there).is_some_and(|cut| {
            !edits.iter().any(|it| {
                it.kind == EditKind::Delete && (it.location.index(), it.index) == (location, cut)
            })
        })
    });
    let deletions = edits.iter().filter(|edit| edit.kind == EditKind::Delete).count();
    (edits.len() as u64, (early.count() + kept.count()) as u64, deletions as u64)
}

/// A session with unknown events in the middle of some logs, and an unknown location.
fn with_unknown(mut session: Session, unknown: [bool; 3], foreign: usize) -> Session {
    for (location, log) in session.trace.iter_mut().enumerate() {
        if unknown[location] {
            let index = log.len() / 2;
            log.insert(index, LetterId::UNKNOWN);
            session.unknown.push(UnknownEvent { location, index, text: "x".to_owned() });
        }
    }
    if foreign > 0 {
        let events = vec!["y".to_owned(); foreign];
        session.foreign.push(ForeignTrace { location: "elsewhere".to_owned(), events });
    }
    session
}

fn repair(monitor: &Monitor, session: &Session, config: CheckConfig) -> Repair {
    let mut checker = Checker::new(monitor, config).expect("the engine is there");
    checker.repair(session, Gaps::None).expect("a mode with repairs")
}

/// Whether the edits make the session accepted. Which logs are missing is decided on the session as given.
fn is_repaired(
    specification: &Specification,
    session: &Session,
    repair: &Repair,
    observation: Observation,
) -> bool {
    let Session { trace, unknown, foreign, .. } =
        repair.apply(session).expect("edits of this session");
    if !unknown.is_empty() || foreign.iter().any(|log| !log.events.is_empty()) {
        return false;
    }
    let is_missing = observation == Observation::Missing;
    let open_ends: Vec<bool> =
        session.trace.iter().map(|log| is_missing && log.is_empty()).collect();
    let mode = if is_missing { Observation::Complete } else { observation };
    Question { open_ends: &open_ends, ..Question::new(specification, &trace, mode) }.accepts()
}

fn judge(
    specification: &Specification,
    session: &Session,
    repair: &Repair,
    (engine, observation): (EngineChoice, Observation),
) -> Result<(), TestCaseError> {
    let unknown =
        session.unknown.len() + session.foreign.iter().map(|it| it.events.len()).sum::<usize>();
    let best = distance(specification, session, observation);
    let least = best.0 + unknown as u64;
    prop_assert!(repair.distance <= least, "{} of {least}", repair.distance);
    let counts = |letter: LetterId| match observation {
        Observation::Prefix | Observation::Slice => false,
        Observation::Missing => !session.trace[specification.location_of(letter)].is_empty(),
        _ => true,
    };
    let worst = session.event_count() as u64 + specification.shortest(counts);
    prop_assert_eq!(repair.worst, Some(worst));
    if repair.exact {
        prop_assert_eq!(repair.distance, least);
        prop_assert_eq!(repair.edits.len() as u64, least);
        // On terms, moves that cost nothing are not followed to large terms, and the log of a slice alone is not judged: of
        // equally short repairs another one may be found there.
        let (cost, trace) = (cost(specification, session, repair, observation), &session.trace);
        let is_best = cost == best
            || cost > best && engine == EngineChoice::Term && observation != Observation::Complete;
        prop_assert!(is_best, "{observation:?} of {trace:?}: {cost:?} {best:?} {:?}", repair.edits);
    }
    if repair.exact || !repair.edits.is_empty() {
        prop_assert!(is_repaired(specification, session, repair, observation), "{repair:?}");
        let places = repair
            .edits
            .iter()
            .map(|it| (it.location.index(), it.index, it.kind == EditKind::Delete));
        prop_assert!(places.is_sorted(), "by location and index, insertions first");
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn distances_on_an_automaton_are_the_least(
        (specification, draw) in (any_automaton(), any_draw()),
        (unknown, foreign) in (any::<[bool; 3]>(), 0..2_usize),
        (states, bytes) in (0..40_u64, 0..4_000_u64),
    ) {
        let session = with_unknown(draw.session(&specification), unknown.map(|it| it && foreign > 0), foreign);
        let monitor = Monitor::new(specification.bundle(ALL_TABLES));
        for observation in MODES {
            let config = CheckConfig { observation, ..CheckConfig::default() };
            let whole = repair(&monitor, &session, config);
            prop_assert!(whole.exact);
            judge(&specification, &session, &whole, (config.engine, observation))?;
            for budget in [
                Budget { states: States::Fixed(states), ..Budget::default() },
                Budget { bytes, ..Budget::default() },
            ] {
                let cut = repair(&monitor, &session, CheckConfig { budget, ..config });
                judge(&specification, &session, &cut, (config.engine, observation))?;
            }
        }
    }

    #[test]
    fn distances_on_terms_are_the_least(
        (specification, draw) in (any_specification(), any_draw()),
        (unknown, foreign) in (any::<[bool; 3]>(), 0..2_usize),
        states in 0..40_u64,
    ) {
        let session = with_unknown(draw.session(&specification), unknown.map(|it| it && foreign > 0), foreign);
        let (engine, monitor) = (EngineChoice::Term, Monitor::new(specification.bundle_of_terms()));
        for observation in MODES {
            let config = CheckConfig { observation, engine, ..CheckConfig::default() };
            let whole = repair(&monitor, &session, config);
            prop_assert!(whole.exact || matches!(observation, Observation::Slice | Observation::Missing | Observation::Prefix));
            judge(&specification, &session, &whole, (config.engine, observation))?;
            let budget = Budget { states: States::Fixed(states), ..Budget::default() };
            let cut = repair(&monitor, &session, CheckConfig { budget, ..config });
            judge(&specification, &session, &cut, (config.engine, observation))?;
        }
    }
}
