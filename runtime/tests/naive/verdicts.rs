//! Verdicts and witnesses: each engine, search and procedure alone.

use crate::answers::{Expected, Question};
use crate::sessions::any_draw;
use crate::specification::{
    ALL_TABLES, Specification, Tables, any_automaton, any_specification, any_tables,
};
use multitrace_interaction::{InconclusiveReason, Observation, Session, Verdict, Witness};
use multitrace_runtime::{
    CheckConfig, Checked, Checker, Comparison, DeciderName, EngineChoice, Method, Monitor,
    Procedure, Reductions, SearchChoice, replay,
};
use multitrace_testing::cases;
use proptest::prelude::*;

pub const SEARCHES: [SearchChoice; 4] =
    [SearchChoice::Auto, SearchChoice::Blind, SearchChoice::Nodes, SearchChoice::Packed];

/// Every way to check on an automaton.
fn ways_on_automaton() -> Vec<Comparison> {
    let by = |search| Comparison { search, ..Comparison::default() };
    let centralized = Comparison { procedure: Procedure::Centralized, ..Comparison::default() };
    SEARCHES.into_iter().map(by).chain([centralized]).chain(without_each()).collect()
}

/// Each stage left out in turn.
fn without_each() -> impl Iterator<Item = Comparison> {
    let without = |it| Comparison { without: Some(it), ..Comparison::default() };
    DeciderName::ALL.into_iter().map(without)
}

/// Every way to check on terms.
pub fn ways_on_terms() -> Vec<Comparison> {
    let plain = Comparison::default();
    let reduced = |partial_order, local_analyses| Comparison {
        reductions: Some(Reductions { partial_order, local_analyses }),
        ..plain
    };
    let mut ways = vec![
        plain,
        Comparison { search: SearchChoice::Blind, ..plain },
        Comparison { look_ahead_depth: Some(1), ..plain },
        reduced(false, false),
        reduced(true, false),
        reduced(false, true),
        reduced(true, true),
        Comparison { method: Method::Removal, ..plain },
        Comparison { method: Method::Simulation(Default::default()), ..plain },
    ];
    ways.extend(without_each());
    ways
}

fn check(monitor: &Monitor, session: &Session, config: CheckConfig) -> Checked {
    Checker::new(monitor, config).expect("the engine is there").check(session)
}

pub fn judge(
    question: Question<'_>,
    monitor: &Monitor,
    session: &Session,
    config: CheckConfig,
) -> Result<(), TestCaseError> {
    let checked = check(monitor, session, config);
    let expected = question.expected();
    let is_expected = match &checked.verdict {
        Verdict::Pass => expected == Expected::Pass,
        Verdict::WeakPass => expected == Expected::WeakPass,
        Verdict::Fail(_) => expected == Expected::Fail,
        Verdict::Inconclusive(InconclusiveReason::LackOfObservation) => expected == Expected::Lack,
        Verdict::Inconclusive(_) => {
            let is_partial = question.observation != Observation::Complete;
            config.engine == EngineChoice::Term && is_partial && expected != Expected::Pass
        }
    };
    prop_assert!(is_expected, "{:?}, not {expected:?}, by {config:?}", checked.verdict);
    judge_witness(question, monitor, session, config, &checked)
}

/// Passes have a witness if it is asked for, which both the definition and the replay accept.
fn judge_witness(
    question: Question<'_>,
    monitor: &Monitor,
    session: &Session,
    config: CheckConfig,
    checked: &Checked,
) -> Result<(), TestCaseError> {
    let mode = match checked.verdict {
        Verdict::Pass => Observation::Complete,
        Verdict::WeakPass => config.observation,
        _ => {
            prop_assert_eq!(&checked.witness, &None);
            return Ok(());
        }
    };
    let may_lack = config.engine == EngineChoice::Term && checked.verdict == Verdict::WeakPass
        || !config.witness;
    let Some(witness) = &checked.witness else {
        prop_assert!(may_lack, "no witness by {config:?}");
        return Ok(());
    };
    prop_assert!(config.witness, "a witness that nobody asked for");
    prop_assert_eq!(replay(monitor, session, witness, mode), Ok(()));
    prop_assert!(is_witness(question.in_mode(mode), witness), "{witness:?} by {config:?}");
    Ok(())
}

/// Whether the automaton accepts a witness, and the logs are the part of it that the mode observes.
pub fn is_witness(question: Question<'_>, witness: &Witness) -> bool {
    let Question { specification, trace, observation, .. } = question;
    let mut states = specification.initial();
    for step in &witness.steps {
        let row = states.iter().flat_map(|&state| specification.outgoing(state));
        states = row.filter(|it| it.0 == step.letter).map(|it| it.1).collect();
    }
    let is_global = observation != Observation::GlobalPrefix
        || witness.steps.is_sorted_by_key(|step| !step.observed);
    let fits = |(location, log): (usize, &Vec<_>)| {
        let own =
            witness.steps.iter().filter(|it| specification.location_of(it.letter) == location);
        let own: Vec<_> = own.collect();
        let seen: Vec<usize> = (0..own.len()).filter(|&at| own[at].observed).collect();
        let letters: Vec<_> = seen.iter().map(|&at| own[at].letter).collect();
        let is_factor = seen.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let is_prefix = seen.iter().copied().eq(0..seen.len());
        let is_whole = seen.len() == own.len();
        letters == *log
            && match observation {
                Observation::Complete => is_whole,
                Observation::Missing => is_whole || log.is_empty(),
                Observation::Prefix | Observation::GlobalPrefix => is_prefix,
                Observation::Slice => is_factor,
            }
    };
    is_global
        && states.iter().any(|&state| specification.is_final(state))
        && trace.iter().enumerate().all(fits)
}

/// Compares every way to check on an automaton, in every mode.
fn compare_on_automaton(
    specification: &Specification,
    session: &Session,
    tables: Tables,
) -> Result<(), TestCaseError> {
    let monitor = Monitor::new(specification.with_laws(specification.bundle(tables)));
    for observation in Observation::ALL {
        let question = Question::new(specification, &session.trace, observation);
        for comparison in ways_on_automaton() {
            for witness in [false, true] {
                let config = CheckConfig { observation, witness, comparison, ..Default::default() };
                judge(question, &monitor, session, config)?;
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn an_automaton_is_searched_as_the_definitions_say(
        (specification, draw, tables) in (any_automaton(), any_draw(), any_tables()),
    ) {
        let session = draw.session(&specification);
        compare_on_automaton(&specification, &session, tables)?;
    }

    #[test]
    fn terms_are_searched_as_the_definitions_say(
        (specification, draw) in (any_specification(), any_draw()),
    ) {
        let session = draw.session(&specification);
        let monitors = [specification.bundle_of_terms(), specification.bundle(ALL_TABLES)]
            .map(|it| specification.with_laws(it));
        for (monitor, engine) in monitors.map(Monitor::new).iter().zip([EngineChoice::Term, EngineChoice::Auto]) {
            for observation in Observation::ALL {
                let question = Question::new(&specification, &session.trace, observation);
                for comparison in ways_on_terms() {
                    for witness in [false, true] {
                        let config = CheckConfig { observation, witness, comparison, engine, ..Default::default() };
                        judge(question, monitor, &session, config)?;
                    }
                }
            }
        }
    }
}
