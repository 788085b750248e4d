//! Replay accepts the witnesses that the definitions accept, and rejects all others: random actions of an interaction, some
//! of them unobserved, as the witness of random logs. The searches show that it accepts right ones; only this shows that it
//! rejects wrong ones. And witnesses of logs that ended early take no search of all that may come after them.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use multitrace::{CompileOptions, CompiledSpec, Spec, SpecFormat};
use multitrace_compiler::Config;
use multitrace_interaction::{
    Action, Id, Interaction, LetterId, LocationId, Locations, Observation, Session, Step, Witness,
    WitnessStep,
};
use multitrace_runtime::{
    Budget, CheckConfig, Checker, EngineChoice, Monitor, ReplayError, replay,
};
use multitrace_testing::denotations::{any_interaction, any_locations, language, signature};
use multitrace_testing_engines::ways;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Witnesses come from accepted global traces of at most this many actions.
const MOST: usize = 4;

const MODES: [Observation; 5] = [
    Observation::Complete,
    Observation::Missing,
    Observation::Prefix,
    Observation::Slice,
    Observation::GlobalPrefix,
];

#[derive(Clone, Debug)]
struct Case {
    interaction: Interaction,
    locations: Locations,
    word: Index,
    /// A pair of actions that change places, in half of the cases.
    swapped: Option<(Index, Index)>,
    /// An action that is left out, in half of the cases.
    dropped: Option<Index>,
    /// Which actions are observed.
    first_observed: usize,
    last_observed: usize,
    /// An event that only the logs have.
    added: Option<Index>,
}

fn any_case() -> impl Strategy<Value = Case> {
    let index = || any::<Index>();
    let changes = (
        proptest::option::of((index(), index())),
        proptest::option::of(index()),
        prop_oneof![3 => Just(0), 1 => 0..=MOST],
        prop_oneof![3 => Just(MOST), 1 => 0..=MOST],
        proptest::option::weighted(0.1, index()),
    );
    (any_interaction(), any_locations(), index(), changes).prop_map(
        |(
            interaction,
            locations,
            word,
            (swapped, dropped, first_observed, last_observed, added),
        )| {
            Case {
                interaction,
                locations,
                word,
                swapped,
                dropped,
                first_observed,
                last_observed,
                added,
            }
        },
    )
}

/// The accepted global traces of at most `MOST` actions, as actions.
fn accepted(interaction: &Interaction) -> BTreeSet<Vec<Action>> {
    let flat = |word: &Vec<Step>| -> Vec<Action> {
        word.iter().flat_map(|step| step.actions().to_vec()).collect()
    };
    language(interaction, MOST).iter().map(flat).collect()
}

impl Case {
    /// The actions of the witness, each with whether it is observed.
    fn steps(&self, words: &BTreeSet<Vec<Action>>) -> Vec<(Action, bool)> {
        let words: Vec<&Vec<Action>> = words.iter().collect();
        let mut word = if words.is_empty() { Vec::new() } else { self.word.get(&words).to_vec() };
        if let Some((a, b)) = self.swapped.filter(|_| !word.is_empty()) {
            let (a, b) = (a.index(word.len()), b.index(word.len()));
            word.swap(a, b);
        }
        if let Some(at) = self.dropped.filter(|_| !word.is_empty()) {
            word.remove(at.index(word.len()));
        }
        let observed = |at: usize| (self.first_observed..self.last_observed).contains(&at);
        word.into_iter().enumerate().map(|(at, action)| (action, observed(at))).collect()
    }
}

/// Whether these actions of one log, or of all logs, may be observed or not as they are.
fn may_be(observed: &[bool], mode: Observation) -> bool {
    let is = |first: usize, last: usize| {
        observed.iter().enumerate().all(|(at, &it)| it == (first..last).contains(&at))
    };
    let most = observed.len();
    match mode {
        Observation::Complete => is(0, most),
        Observation::Missing => is(0, most) || is(0, 0),
        Observation::Prefix | Observation::GlobalPrefix => (0..=most).any(|last| is(0, last)),
        Observation::Slice => (0..=most).any(|first| (first..=most).any(|last| is(first, last))),
    }
}

fn is_allowed(case: &Case, steps: &[(Action, bool)], mode: Observation) -> bool {
    let observed_at = |location: LocationId| -> Vec<bool> {
        let own = steps.iter().filter(|step| case.locations.of(step.0.lifeline) == location);
        own.map(|step| step.1).collect()
    };
    let all: Vec<bool> = steps.iter().map(|step| step.1).collect();
    case.locations.iter().all(|location| may_be(&observed_at(location), mode))
        && (mode != Observation::GlobalPrefix || may_be(&all, mode))
}

/// The logs of the observed events, with the event that is added.
fn logs(case: &Case, steps: &[(Action, bool)], letter: &dyn Fn(Action) -> LetterId) -> Session {
    let mut session =
        Session { trace: vec![Vec::new(); case.locations.len()], ..Session::default() };
    let actions: Vec<Action> = case.interaction.actions().collect();
    let added = case.added.filter(|_| !actions.is_empty()).map(|at| *at.get(&actions));
    let observed = steps.iter().filter(|step| step.1).map(|step| step.0);
    for action in observed.chain(added) {
        session.trace[case.locations.of(action.lifeline).index()].push(letter(action));
    }
    session
}

#[test]
fn replay_accepts_what_the_definitions_accept() {
    let config = multitrace_testing::cases(1_000);
    let cases = config.cases;
    let [right, wrong] = [Cell::new(0), Cell::new(0)];
    let result = TestRunner::new(config).run(&any_case(), |case| {
        let signature = signature();
        let (interaction, locations) = (&case.interaction, &case.locations);
        let compiled = ways::compile(&signature, interaction, locations, &Config::default());
        let monitor = Monitor::new(compiled.bundle);
        let letter = |action: Action| {
            monitor.alphabet().letter(&signature.action_text(action)).expect("a letter")
        };
        let words = accepted(interaction);
        let steps = case.steps(&words);
        let session = logs(&case, &steps, &letter);
        let step = |&(action, observed): &_| WitnessStep { letter: letter(action), observed };
        let witness = Witness { steps: steps.iter().map(step).collect() };
        let actions: Vec<Action> = steps.iter().map(|step| step.0).collect();
        for mode in MODES {
            // An event more in some log than the witness observes.
            let is_right = words.contains(&actions)
                && is_allowed(&case, &steps, mode)
                && session.event_count() == steps.iter().filter(|step| step.1).count();
            let replayed = replay(&monitor, &session, &witness, mode);
            prop_assert_eq!(replayed.is_ok(), is_right, "{:?}: {:?}", mode, replayed);
            let count = if is_right { &right } else { &wrong };
            count.set(count.get() + 1);
        }
        Ok(())
    });
    println!("{cases} cases: {} witnesses accepted, {} rejected", right.get(), wrong.get());
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(cases < 100 || right.get().min(wrong.get()) > cases, "too few of one kind");
}

/// A monitor of concurrent messages, and a session in which the first one was sent and nothing else happened.
fn concurrent(messages: usize) -> (CompiledSpec, Session) {
    let messages: Vec<_> = (0..messages).map(|n| format!("a -- m{n} -> b")).collect();
    let text = format!("par({})", messages.join(", "));
    let spec = Spec::parse("concurrent.hif", &text, SpecFormat::Hif);
    let compiled = spec.compile(&CompileOptions::default()).expect("compiles");
    let first = compiled.monitor.runtime().alphabet().letter("a!m0").expect("a letter");
    let session =
        Session { id: "begun".into(), trace: vec![vec![first], vec![]], ..Session::default() };
    (compiled, session)
}

fn on_terms(observation: Observation, time: Option<Duration>) -> CheckConfig {
    CheckConfig {
        observation,
        engine: EngineChoice::Term,
        witness: true,
        budget: Budget { time, ..Budget::default() },
        ..CheckConfig::default()
    }
}

/// After its first event, 30 concurrent messages can go on in more than 2^30 ways: a search of all of them ends in no time
/// that a test has.
#[test]
fn a_witness_of_a_prefix_takes_no_search_of_all_that_may_follow() {
    const MESSAGES: usize = 30;
    let (compiled, session) = concurrent(MESSAGES);
    let monitor = compiled.monitor.runtime();
    for observation in [Observation::Prefix, Observation::Slice] {
        let config = on_terms(observation, None);
        let checked = Checker::new(monitor, config).expect("it has terms").check(&session);
        let witness = checked.witness.expect("a witness");
        assert_eq!(witness.steps.len(), 2 * MESSAGES);
        replay(monitor, &session, &witness, observation).expect("it replays");
    }
}

/// Ways to share requests out among repetitions of repetitions that no order binds: as many as there are partitions of their
/// number, 204,226 for 50.
#[test]
fn a_witness_that_is_too_much_to_follow_is_refused_as_such() {
    let text = "loopP(seq(loopP(seq(a -- x ->|, a -- y ->|)), a -- z ->|))";
    let spec = Spec::parse("nested.hif", text, SpecFormat::Hif);
    let compiled = spec.compile(&CompileOptions::default()).expect("compiles");
    let monitor = compiled.monitor.runtime();
    let letter = monitor.alphabet().letter("a!x").expect("a letter");
    let replayed = |count: usize| {
        let steps = vec![WitnessStep { letter, observed: true }; count];
        let session = Session { trace: vec![vec![letter; count]], ..Session::default() };
        replay(monitor, &session, &Witness { steps }, Observation::Prefix)
    };
    assert_eq!(replayed(10), Err(ReplayError::NotFinal));
    let too_large = replayed(50);
    assert!(matches!(too_large, Err(ReplayError::TooManyDerivations { .. })), "{too_large:?}");
}

/// Whenever the time for a session ends: a witness is whole, or missing.
#[test]
fn a_witness_is_never_cut_off_by_the_time() {
    const STEPS: u32 = 8;
    for observation in [Observation::Prefix, Observation::Slice] {
        let mut longest = Duration::ZERO;
        for part in 0..=STEPS {
            // Terms that another session has seen take no time.
            let (compiled, session) = concurrent(30);
            let monitor = compiled.monitor.runtime();
            let time = (part > 0).then(|| longest * part / STEPS);
            let mut checker =
                Checker::new(monitor, on_terms(observation, time)).expect("it has terms");
            let start = Instant::now();
            let checked = checker.check(&session);
            if part == 0 {
                longest = start.elapsed();
                assert!(checked.witness.is_some());
            }
            if let Some(witness) = checked.witness {
                replay(monitor, &session, &witness, observation).expect("it replays");
            }
        }
    }
}
