//! Gaps: events that a session may lack excuse failures, as the definitions of the modes say, and change nothing else.

use crate::answers::{Expected, Question};
use crate::sessions::any_draw;
use crate::specification::{ALL_TABLES, Specification, any_automaton};
use multitrace_interaction::{
    EditKind, Id, InconclusiveReason, LetterId, LocationId, Observation, Session, UnknownEvent,
    Verdict,
};
use multitrace_runtime::{CheckConfig, Checker, Effort, Gaps, Monitor};
use multitrace_testing::cases;
use proptest::prelude::*;

const GAPS: [Gaps; 3] = [Gaps::None, Gaps::Locations, Gaps::Ends];

/// The mode that allows for the gaps of a session, if it is another one.
fn excusing(gaps: Gaps, session: &Session, observation: Observation) -> Option<Observation> {
    match (gaps, observation) {
        (Gaps::Locations, Observation::Complete) => {
            session.trace.iter().any(Vec::is_empty).then_some(Observation::Missing)
        }
        (Gaps::Ends, Observation::Complete | Observation::Missing) => Some(Observation::Prefix),
        _ => None,
    }
}

/// Whether the session is explained by a run in which, of the locations without events, exactly these act.
fn explains(specification: &Specification, session: &Session, acting: &[LocationId]) -> bool {
    // Each of them acts at least once: their acts are remembered in the order in which they begin.
    let is_acting = |location: usize| acting.contains(&LocationId::new(location));
    let mut todo: Vec<(usize, Vec<usize>, Vec<bool>)> = specification
        .initial()
        .into_iter()
        .map(|it| (it, vec![0; session.trace.len()], vec![false; session.trace.len()]))
        .collect();
    let mut seen = todo.clone();
    while let Some((state, positions, acted)) = todo.pop() {
        let is_read = positions.iter().zip(&session.trace).all(|(at, log)| *at == log.len());
        let have_acted = (0..acted.len()).all(|it| acted[it] == is_acting(it));
        if is_read && have_acted && specification.is_final(state) {
            return true;
        }
        for (letter, to) in specification.outgoing(state) {
            let location = specification.location_of(letter);
            let (mut positions, mut acted) = (positions.clone(), acted.clone());
            if session.trace[location].is_empty() && is_acting(location) {
                acted[location] = true;
            } else if session.trace[location].get(positions[location]) == Some(&letter) {
                positions[location] += 1;
            } else {
                continue;
            }
            let next = (to, positions, acted);
            if !seen.contains(&next) {
                seen.push(next.clone());
                todo.push(next);
            }
        }
    }
    false
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn gaps_excuse_what_their_mode_accepts((specification, draw) in (any_automaton(), any_draw())) {
        let session = draw.session(&specification);
        let monitor = Monitor::new(specification.bundle(ALL_TABLES));
        for observation in Observation::ALL {
            for (gaps, witness) in GAPS.into_iter().flat_map(|it| [(it, false), (it, true)]) {
                let config = CheckConfig { observation, witness, ..CheckConfig::default() };
                let mut checker = Checker::new(&monitor, config).expect("an automaton");
                let plain = checker.check(&session);
                let checked = checker.check_with_gaps(&session, gaps);
                let mode = excusing(gaps, &session, observation);
                let Some(mode) = mode.filter(|_| matches!(plain.verdict, Verdict::Fail(_))) else {
                    prop_assert_eq!(checked, plain, "{:?} in {:?}", gaps, observation);
                    continue;
                };
                let question = Question::new(&specification, &session.trace, mode);
                prop_assert_eq!(&checked.witness, &None);
                match (question.expected(), gaps, &checked.verdict) {
                    (Expected::WeakPass, Gaps::Ends, Verdict::Inconclusive(reason)) => {
                        prop_assert_eq!(reason, &InconclusiveReason::CutOff);
                    }
                    (Expected::WeakPass, _, Verdict::Inconclusive(InconclusiveReason::Partial(of))) => {
                        prop_assert!(explains(&specification, &session, of), "{of:?}");
                    }
                    (Expected::Fail, _, Verdict::Fail(failure)) => {
                        let config = CheckConfig { observation: mode, ..config };
                        let mut checker = Checker::new(&monitor, config).expect("an automaton");
                        let verdict = checker.check(&session).verdict;
                        prop_assert_eq!(Verdict::Fail(failure.clone()), verdict);
                    }
                    (expected, ..) => prop_assert!(false, "{expected:?}, and {checked:?} by {gaps:?}"),
                }
            }
        }
    }

    /// The repair is that of the mode that allows for the gaps.
    #[test]
    fn repairs_allow_for_gaps((specification, draw) in (any_automaton(), any_draw())) {
        let session = draw.session(&specification);
        let monitor = Monitor::new(specification.bundle(ALL_TABLES));
        for observation in Observation::ALL {
            let checker = |observation| {
                let config = CheckConfig { observation, ..CheckConfig::default() };
                Checker::new(&monitor, config).expect("an automaton")
            };
            let as_example = |observation, gaps| {
                checker(observation).repair_with(&session, gaps, &None, Effort::Brief)
            };
            for gaps in GAPS {
                let mode = excusing(gaps, &session, observation).unwrap_or(observation);
                let expected = checker(mode).repair(&session, Gaps::None);
                prop_assert_eq!(expected.is_none(), mode == Observation::GlobalPrefix);
                // Sessions that are so small are repaired as examples, too.
                prop_assert_eq!(&checker(observation).repair(&session, gaps), &expected);
                prop_assert_eq!(&as_example(observation, gaps), &expected);
            }
            prop_assert_eq!(checker(observation).repair(&session, Gaps::Events), None);
            prop_assert_eq!(as_example(observation, Gaps::Events), None);
        }
    }
}

/// Nothing is certain of a session that lacks events anywhere; an event that the specification does not know may be named
/// after a record that is missing.
#[test]
fn damaged_sessions_are_undecided() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let tree = any_automaton().new_tree(&mut runner).expect("an automaton");
    let specification = proptest::strategy::ValueTree::current(&tree);
    let monitor = Monitor::new(specification.bundle(ALL_TABLES));
    let mut checker = Checker::new(&monitor, CheckConfig::default()).expect("an automaton");
    let mut session = Session { trace: vec![Vec::new(); 3], ..Session::default() };
    session.trace[1] = vec![LetterId::new(1); 9];
    let checked = checker.check_with_gaps(&session, Gaps::Events);
    assert_eq!(checked.verdict, Verdict::Inconclusive(InconclusiveReason::Damaged));
    session.trace[1].push(LetterId::UNKNOWN);
    session.unknown.push(UnknownEvent { location: 1, index: 9, text: "x".to_owned() });
    let checked = checker.check_with_gaps(&session, Gaps::Events);
    assert_eq!(checked.verdict, Verdict::Inconclusive(InconclusiveReason::Damaged));
    // An unknown event is deleted by any repair.
    let repair = checker.repair(&session, Gaps::None).expect("a repair");
    let deleted = repair
        .edits
        .iter()
        .filter(|it| it.kind == EditKind::Delete && it.letter == LetterId::UNKNOWN);
    assert_eq!(deleted.map(|it| (it.location.index(), it.index)).collect::<Vec<_>>(), [(1, 9)]);
}
