//! Global prefixes against the plain search: by the derivatives of the interaction as it was written, in every order,
//! without look-ahead and without a reduction.

use crate::agreement::{Case, Trace, session};
use crate::disagreement::Disagreement;
use crate::ways;
use multitrace_compiler::Config;
use multitrace_interaction::{
    Action, Derivative, Id, InconclusiveReason, Observation, Step, TermId, TermStore, Verdict,
};
use multitrace_runtime::{
    CheckConfig, Comparison, EngineChoice, Monitor, Reductions, SearchChoice, replay,
};
use multitrace_testing::denotations::signature;
use std::collections::{BTreeMap, BTreeSet};

/// How often each verdict was given.
pub type Tally = BTreeMap<&'static str, usize>;

/// Every way to decide that must not change a verdict.
fn checks() -> Vec<(String, CheckConfig)> {
    let observation = Observation::GlobalPrefix;
    let auto = CheckConfig { observation, witness: true, ..CheckConfig::default() };
    let mut checks = Vec::new();
    for engine in [EngineChoice::Auto, EngineChoice::Term] {
        let check = CheckConfig { engine, ..auto };
        let with = |comparison| CheckConfig { comparison, ..check };
        checks.push((format!("{engine:?}"), check));
        let blind = Comparison { search: SearchChoice::Blind, ..Comparison::default() };
        checks.push((format!("{engine:?} without look-ahead"), with(blind)));
        for (partial_order, local_analyses) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let reductions = Reductions { partial_order, local_analyses };
            let comparison = Comparison { reductions: Some(reductions), ..Comparison::default() };
            checks.push((format!("{engine:?} {reductions:?}"), with(comparison)));
        }
    }
    checks
}

/// Whether all events of a trace can be read, the last one at the end of a step.
fn is_global_prefix(case: &Case, trace: &Trace) -> bool {
    let mut store = TermStore::new();
    let root = store.intern(&case.interaction).root();
    let mut seen = BTreeSet::new();
    let mut todo = vec![(vec![0; trace.len()], root)];
    while let Some((positions, term)) = todo.pop() {
        if positions.iter().zip(trace).all(|(&position, local)| position == local.len()) {
            return true;
        }
        if seen.insert((positions.clone(), term)) {
            todo.extend(successors(&mut store, term, case, (trace, &positions)));
        }
    }
    false
}

/// The terms after each step with which the logs go on.
fn successors(
    store: &mut TermStore,
    term: TermId,
    case: &Case,
    (trace, positions): (&Trace, &[usize]),
) -> Vec<(Vec<usize>, TermId)> {
    let derivatives = store.derivatives(term);
    let after = |&Derivative { step, residual, .. }: &Derivative| {
        Some((read(store.step_of(step), case, trace, positions)?, residual))
    };
    derivatives.iter().filter_map(after).collect()
}

fn read(step: &Step, case: &Case, trace: &Trace, positions: &[usize]) -> Option<Vec<usize>> {
    let mut positions = positions.to_vec();
    for action in step.actions() {
        let location = case.locations.of(action.lifeline).index();
        let next: Option<&Action> = trace[location].get(positions[location]);
        if next != Some(action) {
            return None;
        }
        positions[location] += 1;
    }
    Some(positions)
}

/// Compares every way to decide global prefixes with the plain search and with prefix mode.
///
/// # Errors
/// The first disagreement, as text.
pub fn compare(case: &Case, tally: &mut Tally) -> Result<(), Disagreement> {
    let trace = case.trace();
    let is_prefix = is_global_prefix(case, &trace);
    let mut config = Config::default();
    config.limits.states = 2_000;
    let compiled = ways::compile(&signature(), &case.interaction, &case.locations, &config);
    let monitor = Monitor::new(compiled.bundle);
    let session = session(&trace, monitor.alphabet(), &signature());
    let observation = Observation::Prefix;
    let by_prefix = CheckConfig { observation, ..CheckConfig::default() };
    let by_prefix = ways::check(&monitor, &session, &by_prefix).verdict;
    for (name, check) in checks() {
        let checked = ways::check(&monitor, &session, &check);
        let verdict = &checked.verdict;
        *tally.entry(verdict.name()).or_default() += 1;
        let lack = Verdict::Inconclusive(InconclusiveReason::LackOfObservation);
        let agrees = match (is_prefix, &by_prefix) {
            (true, _) => matches!(verdict, Verdict::Pass | Verdict::WeakPass),
            (false, Verdict::Fail(_)) => matches!(verdict, Verdict::Fail(_)),
            (false, Verdict::Pass | Verdict::WeakPass) => *verdict == lack,
            (false, Verdict::Inconclusive(_)) => {
                *verdict == lack || matches!(verdict, Verdict::Fail(_))
            }
        };
        if !agrees {
            let plain = if is_prefix { "a global prefix" } else { "no global prefix" };
            return Err(format!(
                "{name} of {trace:?}: {verdict:?}, but it is {plain}, as a prefix {by_prefix:?}"
            )
            .into());
        }
        if let Some(witness) = &checked.witness {
            let mode = ways::proven(verdict, Observation::GlobalPrefix);
            let replayed = replay(&monitor, &session, witness, mode);
            ways::unless_too_large(replayed)
                .map_err(|error| format!("{name} of {trace:?}: {error}"))?;
        }
    }
    Ok(())
}
