//! Limits of sessions and compilations, and the messages when they are reached.

use crate::common;
use multitrace_compiler::{Compiled, Config};
use multitrace_formats::bundle::encode;
use multitrace_interaction::{
    BudgetLimit, InconclusiveReason, LetterId, Locations, Observation, Session, Verdict,
};
use multitrace_runtime::{
    Budget, CheckConfig, Checker, Comparison, EngineChoice, Gaps, Monitor, Procedure, Reductions,
    States,
};
use std::time::{Duration, Instant};

const MODES: [Observation; 5] = [
    Observation::Complete,
    Observation::Missing,
    Observation::Prefix,
    Observation::Slice,
    Observation::GlobalPrefix,
];

fn compile(text: &str, config: &Config) -> Compiled {
    let (signature, interaction) = common::parse(text);
    common::compile(&signature, &interaction, &Locations::discrete(&signature), config)
}

fn with_work(work: u64) -> Config {
    let mut config = Config::default();
    config.limits.work = work;
    config
}

/// `operator` of this many operands.
fn many(operator: &str, count: usize, operand: impl Fn(usize) -> String) -> String {
    format!("{operator}({})", (0..count).map(operand).collect::<Vec<_>>().join(", "))
}

fn session(monitor: &Monitor, logs: &[Vec<String>]) -> Session {
    let letter = |event: &String| -> LetterId {
        monitor.alphabet().letter(event).unwrap_or_else(|| panic!("{event} is a letter"))
    };
    let trace = logs.iter().map(|log| log.iter().map(letter).collect()).collect();
    Session { trace, ..Session::default() }
}

/// Two logs of 5,000 events that do not depend on each other; the last event is impossible: the
/// plain search has 25 million nodes to visit.
#[test]
fn the_default_budget_grows_with_the_session() {
    const EVENTS: usize = 5_000;
    let text = "alt(par(loopS(a -- x ->|), loopS(b -- y ->|)), strict(b -- z ->|, a -- x ->|))";
    let config = Config { linearize: false, persistent_terms: false, ..Config::default() };
    let monitor = Monitor::new(compile(text, &config).bundle);
    let (a, mut b) = (vec!["a!x".to_owned(); EVENTS], vec!["b!y".to_owned(); EVENTS]);
    b[EVENTS - 1] = "b!z".to_owned();
    let session = session(&monitor, &[a, b]);
    let procedure = Procedure::Centralized;
    let comparison = Comparison { procedure, ..Comparison::default() };
    let check = |states| {
        let budget = Budget { states, ..Budget::default() };
        let config = CheckConfig { comparison, budget, ..CheckConfig::default() };
        common::check(&monitor, &session, &config).verdict
    };
    for (states, most) in [(States::Scaled, 500 * 10_000), (States::Fixed(1_000), 1_000)] {
        let Verdict::Inconclusive(InconclusiveReason::Budget { limit, reached }) = check(states)
        else {
            panic!("25 million nodes fit {states:?}")
        };
        assert_eq!(limit, BudgetLimit::States(most));
        assert_eq!(limit.next_try(), BudgetLimit::States(4 * most));
        let reached: Vec<_> = reached.iter().map(|it| (it.location, it.read, it.length)).collect();
        assert_eq!(reached.iter().map(|it| it.2).collect::<Vec<_>>(), [EVENTS, EVENTS]);
        let read: usize = reached.iter().map(|it| it.1).sum();
        // Depth first, the search reads everything but the impossible event soon.
        let least = if states == States::Scaled { 2 * EVENTS - 1 } else { 400 };
        assert!(read >= least && read < 2 * EVENTS, "{reached:?}");
    }
}

/// Sessions that are cut on terms say the same whatever was checked before them.
#[test]
fn what_a_cut_session_says_does_not_depend_on_others() {
    let text = "loopP(par(seq(a -- m -> b, b -- n -> a), seq(a -- m -> b, a -- o -> b)))";
    let monitor = || Monitor::new(compile(text, &Config::default()).bundle);
    let logs = |count: usize| {
        let log = |first: &str, then: [&str; 2]| {
            let all = [vec![first; 2 * count], vec![then[0]; count], vec![then[1]; count]];
            all.concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let [b_first, b_then] =
            if count.is_multiple_of(2) { ["b!n", "b?o"] } else { ["b?o", "b!n"] };
        [log("a!m", ["a?n", "a!o"]), log("b?m", [b_first, b_then])]
    };
    let budget = Budget { states: States::Fixed(12), ..Budget::default() };
    let config = CheckConfig { engine: EngineChoice::Term, budget, ..CheckConfig::default() };
    let fresh = |index: usize, sessions: &[[Vec<String>; 2]]| {
        let monitor = monitor();
        let mut checker = Checker::new(&monitor, config).expect("terms");
        let sessions: Vec<_> = sessions.iter().map(|logs| session(&monitor, logs)).collect();
        checker.check(&sessions[index]).verdict
    };
    let sessions: Vec<_> = (1..8).map(logs).collect();
    let shared = monitor();
    let mut checker = Checker::new(&shared, config).expect("terms");
    let mut cut = 0;
    for (index, logs) in sessions.iter().enumerate().rev() {
        let verdict = checker.check(&session(&shared, logs)).verdict;
        cut += usize::from(matches!(verdict, Verdict::Inconclusive(_)));
        assert_eq!(verdict, fresh(index, &sessions));
    }
    assert!(cut > 3, "the budget is too large");
}

/// The budget of time holds wherever the time goes: with the reductions of the papers and ours, in
/// all modes, in the explanation of a failure and in a repair.
#[test]
fn the_budget_of_time_holds_on_terms() {
    const TIME: Duration = Duration::from_millis(100);
    // Machines that run tests are busy; the aim is 50 ms.
    const LATE: Duration = Duration::from_millis(600);
    let choice = |n| format!("alt(a -- m{n} -> b, a -- n{n} -> b)");
    let mut config = with_work(1);
    config.limits.local_states = 1;
    let monitor = Monitor::new(compile(&many("par", 160, choice), &config).bundle);
    let log = |event: &str| (0..160).map(|n| format!("{event}{n}")).collect::<Vec<_>>();
    let mut backwards = log("b?m");
    backwards.reverse();
    let mut other = backwards.clone();
    other[80] = "b?n79".to_owned();
    let mut is_cut = false;
    for logs in [[log("a!m"), backwards], [log("a!m"), other]] {
        let session = session(&monitor, &logs);
        for reductions in [None, Some((false, false)), Some((true, false)), Some((true, true))] {
            let reductions = reductions.map(|(partial_order, local_analyses)| Reductions {
                partial_order,
                local_analyses,
            });
            for observation in MODES {
                let comparison = Comparison { reductions, ..Comparison::default() };
                let budget = Budget { time: Some(TIME), ..Budget::default() };
                let engine = EngineChoice::Term;
                let config = CheckConfig {
                    observation,
                    engine,
                    budget,
                    comparison,
                    ..CheckConfig::default()
                };
                let mut checker = Checker::new(&monitor, config).expect("terms");
                let start = Instant::now();
                let verdict = checker.check(&session).verdict;
                let taken = start.elapsed();
                assert!(taken < TIME + LATE, "{observation:?} {reductions:?}: {taken:?}");
                let reason = InconclusiveReason::Budget {
                    limit: BudgetLimit::Time(TIME),
                    reached: Vec::new(),
                };
                is_cut |= std::mem::discriminant(&verdict)
                    == std::mem::discriminant(&Verdict::Inconclusive(reason));
                let start = Instant::now();
                let _ = checker.repair(&session, Gaps::None);
                let taken = start.elapsed();
                assert!(taken < TIME + LATE, "repair, {observation:?}: {taken:?}");
            }
        }
    }
    assert!(is_cut, "the machine is too fast for this test");
}

/// Work that grows with the square of the specification would be over these limits.
#[test]
fn large_specifications_need_little_work() {
    let chained = many("par", 640, |n| format!("l{n} -- m{n} -> l{}", n + 1));
    let compiled = compile(&chained, &with_work(10_000_000));
    assert_eq!(compiled.report.unsupported, None);
    let choice = many("alt", 20_000, |n| format!("a -- m{n} -> b"));
    let compiled = compile(&choice, &with_work(10_000_000));
    assert_eq!(compiled.report.unsupported, None);
    assert!(compiled.report.locals.iter().any(|local| local.forward.is_err()));
}

/// Where counted work ends compiling, the same specification gives the same bytes, and terms decide the sessions that
/// the automaton would.
#[test]
fn terms_take_over_where_there_is_too_much_work() {
    let text = many("par", 4, |n| format!("seq(a -- m{n} -> b, b -- r{n} -> a)"));
    let cut = compile(&text, &with_work(300));
    let unsupported = cut.report.unsupported.clone().expect("too much work");
    assert_eq!(unsupported.limit, "more than 300 units of work");
    assert_eq!(unsupported.construct, "`par`");
    assert!(!cut.bundle.provenance.timed_out);
    assert_eq!(encode(&cut.bundle), encode(&compile(&text, &with_work(300)).bundle));
    let whole = Monitor::new(compile(&text, &Config::default()).bundle);
    let cut = Monitor::new(cut.bundle);
    let mut verdicts = std::collections::BTreeSet::new();
    for code in 0..4_usize.pow(4) {
        let order = |code: usize| (0..4).map(move |digit| code / 4_usize.pow(digit) % 4);
        let log = |sent: &str, back: &str| -> Vec<String> {
            let back = (0..4).map(|n| format!("{back}{n}"));
            order(code).map(|n| format!("{sent}{n}")).chain(back).collect()
        };
        let a = log("a!m", "a?r");
        let mut b = log("b?m", "b!r");
        b.rotate_left(code % 5);
        let logs = [a, b];
        let config = CheckConfig::default();
        let expected = common::check(&whole, &session(&whole, &logs), &config).verdict.name();
        let found = common::check(&cut, &session(&cut, &logs), &config).verdict.name();
        assert_eq!(found, expected, "{logs:?}");
        verdicts.insert(expected);
    }
    assert_eq!(verdicts.len(), 2, "{verdicts:?}");
}

#[test]
fn a_bundle_says_that_time_ended_its_compilation() {
    let text = many("par", 640, |n| format!("l{n} -- m{n} -> l{}", n + 1));
    let mut config = Config::default();
    config.limits.time = Some(Duration::ZERO);
    let compiled = compile(&text, &config);
    assert!(compiled.report.timed_out && compiled.bundle.provenance.timed_out);
    let unsupported = compiled.report.unsupported.expect("no time");
    assert_eq!(unsupported.limit, "more than 0ns of work");
    config.limits.time = Some(Duration::from_secs(3_600));
    let compiled = compile(&text, &config);
    assert!(!compiled.bundle.provenance.timed_out && compiled.report.unsupported.is_none());
}

/// Specifications of many lifelines, which took gigabytes.
#[test]
fn many_lifelines_compile_within_the_limits() {
    let message = |at: usize| format!("a{at} -- m{at} -> b{at}");
    let receivers = |count| (0..count).map(|at| format!("b{at}")).collect::<Vec<_>>().join(",");
    for (text, has_automaton) in [
        (many("seq", 1_000, message), true),
        (many("par", 1_000, message), true),
        (many("loopW", 1, |_| many("seq", 500, message)), true),
        (format!("a -- m -> ({})", receivers(2_000)), true),
        (many("seq", 2_000, |at| format!("a{} -- m -> b{}", at / 300, at % 300)), true),
        (many("par", 10_000, message), false),
        (many("seq", 10_000, |at| format!("a{at} -- m -> a{}", at + 1)), false),
    ] {
        let spec = multitrace::Spec::parse("s.hif", &text, multitrace::SpecFormat::Hif);
        let options =
            multitrace::CompileOptions { limit_memory: Some(256 << 20), ..Default::default() };
        let compiled = spec.compile(&options).expect("terms take less");
        let (report, shown) = (&compiled.report, &text[..40]);
        assert_eq!(report.unsupported.is_none(), has_automaton, "{shown}");
        assert!(report.locals.iter().all(|it| it.forward.is_ok()), "{shown}");
    }
}

#[test]
fn terms_beyond_the_limit_of_memory_are_refused() {
    let text = many("seq", 2_000, |at| format!("a{at} -- m -> a{}", at + 1));
    let spec = multitrace::Spec::parse("s.hif", &text, multitrace::SpecFormat::Hif);
    let of = |limit_memory| {
        spec.compile(&multitrace::CompileOptions {
            limit_memory: Some(limit_memory),
            ..Default::default()
        })
    };
    let refused = of(100_000).expect_err("thousands of terms");
    let remedy = "s.hif: its terms alone take more than 100000 bytes of memory; allow more by";
    assert!(refused.to_string().starts_with(remedy), "{refused}");
    // Enough for terms, and not for an automaton.
    let compiled = of(3 << 20).expect("terms fit");
    let unsupported = compiled.report.unsupported.expect("no automaton fits");
    assert_eq!(unsupported.limit, "more than 3145728 bytes of memory");
}
