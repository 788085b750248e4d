//! Repairs: the least number of edits, by Dijkstra's algorithm over everything that could have happened.

use crate::answers::Question;
use crate::sessions::any_draw;
use crate::specification::{ALL_TABLES, Specification, any_automaton, any_specification};
use multitrace_interaction::{
    EditKind, ForeignTrace, Id, LetterId, Observation, Repair, Session, UnknownEvent,
};
use multitrace_runtime::{Budget, CheckConfig, Checker, EngineChoice, Gaps, Monitor, States};
use multitrace_testing::cases;
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};

const MODES: [Observation; 4] =
    [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice];

/// How far the observation of a location is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Before,
    During,
    After,
}

/// The least number of known events to insert and to delete.
///
/// A node says what happened, how much of each log is used up, and where the observation of each location is. What happens
/// before or after the observation costs nothing; during it, what is not in the log is inserted. An event of the log that did
/// not happen is deleted.
fn distance(specification: &Specification, session: &Session, observation: Observation) -> u64 {
    let logs: Vec<Vec<LetterId>> = session
        .trace
        .iter()
        .map(|log| log.iter().copied().filter(|&it| it != LetterId::UNKNOWN).collect())
        .collect();
    let phase = |log: &Vec<LetterId>| match observation {
        Observation::Slice => Phase::Before,
        Observation::Missing if log.is_empty() => Phase::After,
        _ => Phase::During,
    };
    let phases: Vec<Phase> = session.trace.iter().map(phase).collect();
    let may_end_early = matches!(observation, Observation::Prefix | Observation::Slice);
    let start = |state| (state, vec![0; logs.len()], phases.clone());
    let mut todo: VecDeque<_> =
        specification.initial().into_iter().map(|state| (0, start(state))).collect();
    let mut done = BTreeSet::new();
    while let Some((cost, node)) = todo.pop_front() {
        if !done.insert(node.clone()) {
            continue;
        }
        let (state, positions, phases) = node;
        let is_read = positions.iter().zip(&logs).all(|(at, log)| *at == log.len());
        if is_read && (may_end_early || specification.is_final(state)) {
            return cost;
        }
        let mut go = |more: u64, state: usize, positions: &[usize], phases: &[Phase]| {
            let next = (cost + more, (state, positions.to_vec(), phases.to_vec()));
            if more == 0 { todo.push_front(next) } else { todo.push_back(next) }
        };
        for location in 0..logs.len() {
            let mut later = phases.clone();
            match phases[location] {
                Phase::Before => {
                    later[location] = Phase::During;
                    go(0, state, &positions, &later);
                }
                Phase::During if may_end_early => {
                    later[location] = Phase::After;
                    go(0, state, &positions, &later);
                }
                _ => {}
            }
            if positions[location] < logs[location].len() {
                let mut positions = positions.clone();
                positions[location] += 1;
                go(1, state, &positions, &phases);
            }
        }
        for (letter, to) in specification.outgoing(state) {
            let location = specification.location_of(letter);
            if phases[location] != Phase::During {
                go(0, to, &positions, &phases);
                continue;
            }
            go(1, to, &positions, &phases);
            if logs[location].get(positions[location]) == Some(&letter) {
                let mut positions = positions.clone();
                positions[location] += 1;
                go(0, to, &positions, &phases);
            }
        }
    }
    unreachable!("whatever is logged can be deleted, and something is accepted")
}

/// A session with unknown events at the ends of some logs, and an unknown location.
fn with_unknown(mut session: Session, unknown: [bool; 3], foreign: usize) -> Session {
    for (location, log) in session.trace.iter_mut().enumerate() {
        if unknown[location] {
            let index = log.len();
            log.push(LetterId::UNKNOWN);
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
    observation: Observation,
) -> Result<(), TestCaseError> {
    let unknown =
        session.unknown.len() + session.foreign.iter().map(|it| it.events.len()).sum::<usize>();
    let least = distance(specification, session, observation) + unknown as u64;
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
            judge(&specification, &session, &whole, observation)?;
            for budget in [
                Budget { states: States::Fixed(states), ..Budget::default() },
                Budget { bytes, ..Budget::default() },
            ] {
                let cut = repair(&monitor, &session, CheckConfig { budget, ..config });
                judge(&specification, &session, &cut, observation)?;
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
            judge(&specification, &session, &whole, observation)?;
            let budget = Budget { states: States::Fixed(states), ..Budget::default() };
            let cut = repair(&monitor, &session, CheckConfig { budget, ..config });
            judge(&specification, &session, &cut, observation)?;
        }
    }
}
