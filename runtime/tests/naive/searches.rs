//! The nodes that each search visits, and that a budget counts.

use crate::answers::{Node, Question};
use crate::sessions::{Draw, any_draw};
use crate::specification::{ALL_TABLES, any_automaton, any_specification, any_tables};
use crate::verdicts::SEARCHES;
use multitrace_interaction::{BudgetLimit, Id, InconclusiveReason, Observation, Session, Verdict};
use multitrace_runtime::{
    Budget, CheckConfig, Checked, Checker, Comparison, EngineChoice, Monitor, Procedure,
    Reductions, SearchChoice, States,
};
use multitrace_testing::cases;
use proptest::prelude::*;

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

    /// A search that finds nothing has seen everything, and nothing twice if it notes where it was. Rows that tables
    /// lack are found on demand.
    #[test]
    fn a_failing_search_visits_all_nodes(
        (specification, draws, tables) in (any_automaton(), [any_draw(), any_draw(), any_draw()], any_tables()),
    ) {
        let session = Draw::mixed(&draws, &specification);
        let monitor = Monitor::new(specification.bundle(tables));
        let complete = Question::new(&specification, &session.trace, Observation::Complete);
        for observation in [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice] {
            let question = complete.in_mode(observation);
            if complete.accepts() || question.accepts() {
                continue;
            }
            // The question of complete mode comes first.
            let questions = match observation {
                Observation::Complete => vec![complete],
                _ => vec![complete, question],
            };
            let count = |of: &dyn Fn(&Question<'_>) -> usize| questions.iter().map(of).sum::<usize>() as u64;
            let all = count(&|it| it.nodes(|_| true).len());
            let alive = count(&|it| it.nodes(|node| it.is_alive(node)).len());
            let explored = |search, witness| {
                let config = CheckConfig { observation, ..by(search, witness) };
                check(&monitor, &session, config).explored
            };
            prop_assert_eq!(explored(SearchChoice::Blind, true), all, "{:?}", observation);
            prop_assert_eq!(explored(SearchChoice::Nodes, true), alive, "{:?}", observation);
            // Without a witness they pass some nodes twice, and initial ones are not noted.
            let twice = 2 * questions.len() as u64;
            for (search, least) in [(SearchChoice::Blind, all), (SearchChoice::Nodes, alive), (SearchChoice::Packed, alive)] {
                let visits = explored(search, false);
                prop_assert!(least <= visits && visits <= UNNOTED * (least + twice), "{visits} of {least} by {search:?}");
            }
            // The procedure of paper 004 asks no log alone.
            let comparison = Comparison { procedure: Procedure::Centralized, ..Comparison::default() };
            let config = CheckConfig { observation, comparison, witness: true, ..CheckConfig::default() };
            prop_assert_eq!(check(&monitor, &session, config).explored, all);
        }
    }

    /// The same on terms, without a reduction; and with look-ahead, at least those that live are seen.
    #[test]
    fn a_failing_search_of_terms_visits_all_nodes(
        (specification, draws) in (any_specification(), [any_draw(), any_draw(), any_draw()]),
    ) {
        let session = Draw::mixed(&draws, &specification);
        let monitor = Monitor::new(specification.bundle_of_terms());
        let question = Question::new(&specification, &session.trace, Observation::Complete);
        if question.accepts() {
            return Ok(());
        }
        let explored = |local_analyses| {
            let reductions = Some(Reductions { partial_order: false, local_analyses });
            let comparison = Comparison { reductions, ..Comparison::default() };
            let engine = EngineChoice::Term;
            let config = CheckConfig { comparison, engine, witness: true, ..CheckConfig::default() };
            check(&monitor, &session, config).explored
        };
        let all = question.nodes(|_| true).len() as u64;
        let alive = question.nodes(|node| question.is_alive(node)).len() as u64;
        prop_assert_eq!(explored(false), all);
        let looking = explored(true);
        prop_assert!(alive <= looking && looking <= all, "{looking} from {alive} to {all}");
    }

    #[test]
    fn a_budget_of_what_is_visited_is_enough_and_one_less_is_not(
        (specification, draws) in (any_automaton(), [any_draw(), any_draw(), any_draw()]),
    ) {
        let session = Draw::mixed(&draws, &specification);
        let monitor = Monitor::new(specification.bundle(ALL_TABLES));
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
            // All nodes were found, and the last one was not visited.
            let is_alive = |node: &Node| search == SearchChoice::Blind || question.is_alive(node);
            let nodes = question.nodes(is_alive);
            let furthest = nodes.iter().map(|it| (it.1.iter().sum::<usize>(), &it.1)).max();
            prop_assert_eq!(Some(&read), furthest.map(|it| it.1));
            for (location, reached) in reached.iter().enumerate() {
                prop_assert_eq!(reached.length, session.trace[location].len());
                prop_assert_eq!(reached.location.index(), location);
            }
        }
    }

    #[test]
    fn a_small_budget_makes_no_verdict_another(
        (specification, draw) in (any_automaton(), any_draw()),
        (states, bytes) in (0..30_u64, 0..3_000_u64),
    ) {
        let session = draw.session(&specification);
        let monitor = Monitor::new(specification.bundle(ALL_TABLES));
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
        (states, bytes) in (0..30_u64, 0..3_000_u64),
    ) {
        let session = draw.session(&specification);
        let monitor = Monitor::new(specification.bundle_of_terms());
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
