//! What each search visits, and what a budget counts.

use crate::answers::{Node, Question};
use crate::sessions::{Draw, any_draw, some_letters};
use crate::specification::{ALL_TABLES, any_automaton, any_specification};
use crate::verdicts::SEARCHES;
use multitrace_interaction::{BudgetLimit, Id, InconclusiveReason, Observation, Session, Verdict};
use multitrace_runtime::{
    Budget, CheckConfig, Checked, Checker, Comparison, EngineChoice, Monitor, Procedure,
    SearchChoice, States,
};
use multitrace_testing::cases;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn check(monitor: &Monitor, session: &Session, config: CheckConfig) -> Checked {
    Checker::new(monitor, config).expect("the engine is there").check(session)
}

fn by(search: SearchChoice, witness: bool) -> CheckConfig {
    let comparison = Comparison { search, ..Comparison::default() };
    CheckConfig { comparison, witness, ..CheckConfig::default() }
}

/// How many nodes of one state after the other a search may pass without noting that it was there.
const UNNOTED: u64 = 17;

proptest! {
    #![proptest_config(cases(300))]

    /// A search that finds nothing has seen everything, and nothing twice if it notes where it was.
    #[test]
    fn a_failing_search_visits_all_nodes(
        (specification, draws) in (any_automaton(), [any_draw(), any_draw(), any_draw()]),
    ) {
        let session = Draw::mixed(&draws, &specification);
        let monitor = Monitor::new(specification.bundle(ALL_TABLES, &[]));
        let question = Question::new(&specification, &session.trace, Observation::Complete);
        if question.accepts() {
            return Ok(());
        }
        let all = question.nodes(|_| true).len() as u64;
        let alive = question.nodes(|node| question.is_alive(node));
        let vectors: BTreeSet<&Vec<usize>> = alive.iter().map(|(_, positions)| positions).collect();
        let (alive, vectors) = (alive.len() as u64, vectors.len() as u64);
        let explored = |search, witness| check(&monitor, &session, by(search, witness)).explored;
        prop_assert_eq!(explored(SearchChoice::Blind, true), all);
        prop_assert_eq!(explored(SearchChoice::Nodes, true), alive);
        // Without a witness they pass some nodes twice.
        for (search, least) in [(SearchChoice::Blind, all), (SearchChoice::Nodes, alive), (SearchChoice::Packed, alive)] {
            let visits = explored(search, false);
            prop_assert!(least <= visits && visits <= UNNOTED * least, "{visits} of {least} by {search:?}");
        }
        let visits = explored(SearchChoice::Sets, false);
        prop_assert!(vectors <= visits && visits <= vectors + 2, "{visits} of {vectors}");
        // The procedure of paper 004 asks no log alone.
        let comparison = Comparison { procedure: Procedure::Centralized, ..Comparison::default() };
        let config = CheckConfig { comparison, witness: true, ..CheckConfig::default() };
        prop_assert_eq!(check(&monitor, &session, config).explored, all);
    }

    #[test]
    fn a_budget_of_what_is_visited_is_enough_and_one_less_is_not(
        (specification, draws) in (any_automaton(), [any_draw(), any_draw(), any_draw()]),
    ) {
        let session = Draw::mixed(&draws, &specification);
        let monitor = Monitor::new(specification.bundle(ALL_TABLES, &[]));
        let question = Question::new(&specification, &session.trace, Observation::Complete);
        for search in [SearchChoice::Blind, SearchChoice::Nodes] {
            let within = |states| {
                let budget = Budget { states: States::Fixed(states), ..Budget::default() };
                check(&monitor, &session, CheckConfig { budget, ..by(search, true) })
            };
            let whole = within(u64::MAX);
            let explored = whole.explored;
            // How far an interleaving gets is another search, within the same budget.
            prop_assert_eq!(within(explored).verdict.name(), whole.verdict.name());
            prop_assert_eq!(within(explored).explored, explored);
            if explored == 0 || whole.verdict == Verdict::Pass {
                continue;
            }
            let cut = within(explored - 1);
            let Verdict::Inconclusive(InconclusiveReason::Budget { limit, reached }) = cut.verdict else {
                panic!("{:?} of {explored} less one by {search:?}", cut.verdict);
            };
            prop_assert_eq!(limit, BudgetLimit::States(explored - 1));
            let read: Vec<usize> = reached.iter().map(|it| it.read).collect();
            let is_reached = |node: &Node| node.1 == read;
            prop_assert!(question.nodes(|_| true).iter().any(is_reached), "{read:?}");
            for (location, reached) in reached.iter().enumerate() {
                prop_assert_eq!(reached.length, session.trace[location].len());
                let name = specification.alphabet.location_name(Id::new(location));
                prop_assert_eq!(&reached.location, name);
            }
        }
    }

    #[test]
    fn a_small_budget_makes_no_verdict_another(
        (specification, draw) in (any_automaton(), any_draw()),
        (states, bytes, mask) in (0..30_u64, 0..3_000_u64, any::<u32>()),
    ) {
        let session = draw.session(&specification);
        let clusters = [some_letters(&specification, mask)];
        let monitor = Monitor::new(specification.bundle(ALL_TABLES, &clusters));
        for observation in Observation::ALL {
            for (search, witness) in SEARCHES.into_iter().flat_map(|it| [(it, false), (it, true)]) {
                let config = CheckConfig { observation, ..by(search, witness) };
                compare_budgets(&monitor, &session, config, states, bytes)?;
            }
        }
    }

    #[test]
    fn a_small_budget_on_terms_makes_no_verdict_another(
        (specification, draw) in (any_specification(), any_draw()),
        (states, bytes, mask) in (0..30_u64, 0..3_000_u64, any::<u32>()),
    ) {
        let session = draw.session(&specification);
        let clusters = [some_letters(&specification, mask)];
        let monitor = Monitor::new(specification.bundle_of_terms(&clusters));
        for observation in Observation::ALL {
            for witness in [false, true] {
                let engine = EngineChoice::Term;
                let config = CheckConfig { observation, witness, engine, ..CheckConfig::default() };
                compare_budgets(&monitor, &session, config, states, bytes)?;
            }
        }
    }
}

/// Within a budget a session has the verdict that it has without, or none.
fn compare_budgets(
    monitor: &Monitor,
    session: &Session,
    config: CheckConfig,
    states: u64,
    bytes: u64,
) -> Result<(), TestCaseError> {
    let whole = check(monitor, session, config);
    for budget in [
        Budget { states: States::Fixed(states), ..Budget::default() },
        Budget { bytes, ..Budget::default() },
    ] {
        let cut = check(monitor, session, CheckConfig { budget, ..config });
        let is_same = match (&cut.verdict, &whole.verdict) {
            (Verdict::Inconclusive(_), _) => true,
            (Verdict::Fail(cut), Verdict::Fail(whole)) => cut.main().name() == whole.main().name(),
            (cut, whole) => cut == whole,
        };
        prop_assert!(is_same, "{:?}, not {:?} by {config:?}", cut.verdict, whole.verdict);
    }
    Ok(())
}
