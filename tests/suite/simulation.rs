//! Bounded simulation (paper 000 sec. 5) against exact verdicts: whatever its criterion, it either
//! gives the exact verdict or none.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_compiler::Config;
use multitrace_interaction::{
    Action, Alphabet, Id, Interaction, LetterId, Locations, Observation, Session, UnknownEvent,
    Verdict,
};
use multitrace_runtime::{
    ActionLimit, Budget, CheckConfig, Checked, Comparison, Criterion, EngineChoice, LoopLimit,
    Method, Monitor, States, replay,
};
use multitrace_testing::denotations::{
    any_action, any_interaction, any_locations, language, project, signature,
};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Multi-traces come from accepted global traces of at most this many actions.
const MOST: usize = 4;

/// Every criterion: both kinds of limits, with numbers that forbid all, some and hardly any moves,
/// and all flags on and off.
fn criteria() -> Vec<Criterion> {
    use LoopLimit::{AtMost, Count, Depth};
    let mut all = Vec::new();
    for loops in [Depth, Count, AtMost(0), AtMost(1), AtMost(3)] {
        for actions in [ActionLimit::Outside, ActionLimit::AtMost(0), ActionLimit::AtMost(2)] {
            for flags in 0..8 {
                let [multiply, reset, before] = [1, 2, 4].map(|flag| flags & flag != 0);
                all.push(Criterion { loops, actions, multiply, reset, before });
            }
        }
    }
    all
}

/// A part of an accepted multi-trace, each log cut at both ends, with a few more events.
#[derive(Clone, Debug)]
struct Case {
    interaction: Interaction,
    locations: Locations,
    word: Index,
    cuts: Vec<(Index, Index)>,
    inserted: Vec<(Action, Index)>,
}

fn any_case() -> impl Strategy<Value = Case> {
    let cuts = proptest::collection::vec((any::<Index>(), any::<Index>()), 3);
    let inserted = proptest::collection::vec((any_action(), any::<Index>()), 0..=1);
    let parts = (any_interaction(), any_locations(), any::<Index>(), cuts, inserted);
    parts.prop_map(|(interaction, locations, word, cuts, inserted)| Case {
        interaction,
        locations,
        word,
        cuts,
        inserted,
    })
}

impl Case {
    fn trace(&self) -> Vec<Vec<Action>> {
        let words = project(&language(&self.interaction, MOST), &self.locations);
        let words: Vec<Vec<Vec<Action>>> = words.into_iter().collect();
        let empty = vec![Vec::new(); self.locations.len()];
        let mut trace = if words.is_empty() { empty } else { self.word.get(&words).clone() };
        for (local, (start, end)) in trace.iter_mut().zip(&self.cuts) {
            // Most logs stay whole at one end or the other.
            let start = start.index(2 * local.len() + 1).saturating_sub(local.len());
            let end = local.len() - end.index(2 * local.len() + 1).saturating_sub(local.len());
            *local = local[start.min(end)..end].to_vec();
        }
        for (action, at) in &self.inserted {
            let local = &mut trace[self.locations.of(action.lifeline).index()];
            local.insert(at.index(local.len() + 1), *action);
        }
        trace
    }

    fn session(&self, alphabet: &Alphabet) -> Session {
        let mut session = Session::default();
        for (location, local) in self.trace().iter().enumerate() {
            let mut letters = Vec::new();
            for (index, &action) in local.iter().enumerate() {
                let text = signature().action_text(action);
                letters.push(alphabet.letter(&text).unwrap_or(LetterId::UNKNOWN));
                if alphabet.letter(&text).is_none() {
                    session.unknown.push(UnknownEvent { location, index, text });
                }
            }
            session.trace.push(letters);
        }
        session
    }
}

/// How often each exact verdict was answered by which verdict of simulation, and how often by each
/// value of `before`.
type Tally = BTreeMap<(&'static str, &'static str, bool), usize>;

fn compare(case: &Case, tally: &mut Tally) -> Result<(), String> {
    let mut config = Config::default();
    config.limits.states = 2_000;
    let compiled = common::compile(&signature(), &case.interaction, &case.locations, &config);
    let monitor = Monitor::new(compiled.bundle);
    let session = case.session(monitor.alphabet());
    for observation in [Observation::Prefix, Observation::Slice] {
        let exact = CheckConfig { observation, ..CheckConfig::default() };
        let exact = common::check(&monitor, &session, &exact).verdict;
        if matches!(exact, Verdict::Inconclusive(_)) {
            continue;
        }
        for criterion in criteria() {
            let checked = simulated(&monitor, &session, observation, criterion);
            if let Some(witness) = &checked.witness {
                let replayed = replay(&monitor, &session, witness, observation);
                common::unless_too_large(replayed)
                    .map_err(|error| format!("{criterion:?}: {witness:?}: {error}"))?;
            }
            let simulated = checked.verdict;
            if checked.witness.is_some() != matches!(simulated, Verdict::Pass | Verdict::WeakPass) {
                return Err(format!("{criterion:?}: {simulated:?} with {:?}", checked.witness));
            }
            let is_open = matches!(simulated, Verdict::Inconclusive(_));
            if !is_open && simulated.name() != exact.name() {
                return Err(format!(
                    "{} of {:?} by {criterion:?}: {simulated:?}, not {exact:?}",
                    observation.name(),
                    case.trace(),
                ));
            }
            *tally.entry((exact.name(), simulated.name(), criterion.before)).or_default() += 1;
        }
    }
    Ok(())
}

fn simulated(
    monitor: &Monitor,
    session: &Session,
    observation: Observation,
    criterion: Criterion,
) -> Checked {
    let comparison = Comparison { method: Method::Simulation(criterion), ..Comparison::default() };
    let budget = Budget { states: States::Fixed(2_000), ..Budget::default() };
    let engine = EngineChoice::Term;
    let witness = true;
    let config =
        CheckConfig { observation, engine, comparison, budget, witness, without_cycles: true };
    common::check(monitor, session, &config)
}

#[test]
fn no_criterion_contradicts_the_exact_verdict() {
    let config = multitrace_testing::cases(300);
    let cases = config.cases;
    let total = RefCell::new(Tally::new());
    let result = TestRunner::new(config).run(&any_case(), |case| {
        compare(&case, &mut total.borrow_mut()).map_err(TestCaseError::fail)
    });
    let total = total.into_inner();
    println!("{cases} cases, exact and simulated verdicts by `before`: {total:#?}");
    result.unwrap_or_else(|error| panic!("{error}"));
    for verdict in ["pass", "weak_pass", "fail"] {
        for before in [false, true] {
            let decided = total.contains_key(&(verdict, verdict, before));
            assert!(cases < 100 || decided, "no {verdict} by simulation with before={before}");
        }
    }
    let is_open = |(_, simulated, _): &(_, &str, _)| *simulated == "inconclusive";
    assert!(cases < 100 || total.keys().any(is_open), "no criterion stops too early");
}
