//! The plans: which stages are asked, in which order and within which limits, by engine and observation mode.
//
// A limit balances a fruitless stage against starting the next one. Where a row says "an estimate", nothing was
// measured beyond the comparison of `scripts/bench stages`: with the stage as it is, and without it.

use crate::config::{Comparison, Method, Procedure, SearchChoice};
use crate::decide::answer::Answer;
use crate::decide::by_balance::Balance;
use crate::decide::by_constraints::Constraints;
use crate::decide::by_parts::PartsApart;
use crate::decide::decider::{Decided, Decider, Known, Run, Stage, When};
use crate::decide::global_prefix::{AllEvents, AllEventsOrLonger};
use crate::decide::limit::Limit;
use crate::decide::on_automaton::{AheadSearch, BlindSearch, Centralized, NodeSearch};
use crate::decide::on_terms::{
    CriterionSimulation, Removal, RemovalAtEnds, Repetitions, TermSearch,
};
use crate::decide::search_setup::{all_traces, analysis, problem, traces};
use crate::decide::single_logs::SingleLogs;
use crate::decider_name::DeciderName;
use crate::scratch::Scratch;
use crate::task::Task;
use multitrace_interaction::{Engine, Observation};

/// Stages in order, and the automaton or terms that they search.
pub(super) struct Plan {
    on: On,
    stages: &'static [Stage],
}

enum On {
    Automaton,
    /// Terms that have all multi-traces, or as they were written where that is compared.
    Terms,
    /// Terms that have all global traces, if the specification is an interaction.
    AllTraces,
}

const fn stage(decider: &'static dyn Decider, limit: Limit) -> Stage {
    Stage { decider, limit, when: &[] }
}

impl Stage {
    const fn when(self, when: &'static [When]) -> Stage {
        Stage { when, ..self }
    }
}

/// Each log alone.
const SINGLE_LOGS: Stage = stage(&SingleLogs, Limit::Budget);

/// All logs together by their counts: linear, so before all searches but the blind one, which most sessions pass.
const BALANCE: Stage = stage(&Balance, Limit::Budget);

/// Parts that have one location in common: a few nodes for each event, where a search of terms derives all parts again at
/// each of its nodes. Clients of one server take a few nodes for each event (an estimate, by traces of some such sessions), and
/// 8 leave room. Where letters do not say which part comes next there are too many nodes, and constraints decide sooner
/// (`scripts/bench stages`, concurrent calls).
const PARTS: Stage = stage(&PartsApart, Limit::Growing(200, 32));

/// An accepted session without dead ends takes one visit per event, so a quarter more leaves room for some.
const BLIND: Stage = stage(&BlindSearch, Limit::Growing(32, 5));

/// With look-ahead a session takes a few visits per event, and 16 leave room for some choice.
const AHEAD: Stage = stage(&AheadSearch, Limit::Growing(1_000, 64));

/// The search of all nodes, which decides whatever the budget allows.
const ALL_NODES: Stage = stage(&NodeSearch, Limit::Budget);

/// To write longer sessions out takes longer than most searches do (an estimate).
const CONSTRAINED_EVENTS: When = When::EventsUpTo(2_000);

/// The same for large terms, whose searches take longer than that: of hundreds of calls at once, say (an estimate).
const CONSTRAINED_EVENTS_OF_LARGE: When = When::EventsUpTo(25_000);

/// Choices before searches that may take the whole budget: some 0.1 s at 2 us a choice (an estimate).
const CONSTRAINTS: Stage = stage(&Constraints, Limit::AtMost(50_000)).when(&[CONSTRAINED_EVENTS]);

/// Choices before a search on terms, fewer for small sessions, which are searched sooner (an estimate, by `scripts/large`).
const FIRST_CHOICES: Limit = Limit::PerEvent(1_200, 16);

/// The same for slices: a search on terms seldom decides sessions in few nodes that constraints leave open
/// (`scripts/large`, `scripts/corners`).
const FIRST_CHOICES_OF_SLICES: Limit = Limit::AtMost(8_000);

/// Where there are more nodes than this in a specification, its terms take long: each node of a search with every step that
/// there is. An estimate.
const MANY_NODES: When = When::NodesOver(100);

/// Nodes of a short search on terms. Most sessions need no more; by `scripts/large` it is better than none.
const FIRST_TERMS: Limit = Limit::Growing(100, 8);

/// Nodes on terms before constraints are asked: some 0.1 s at 10 us a node (an estimate).
const MORE_TERMS: Limit = Limit::AtMost(10_000);

/// The most nodes visited while locations are removed at the ends of slices, before all unobserved moves are tried: an estimate.
const REMOVED_AT_ENDS: Limit = Limit::AtMost(10_000);

/// As many repetitions as the session can need, which decides whatever the budget allows; `scripts/corners` says how many sessions
/// stay open.
const REPETITIONS: Stage = stage(&Repetitions, Limit::Budget);

/// On an automaton, all modes but global prefixes.
static AUTOMATON: Plan = Plan {
    on: On::Automaton,
    stages: &[BLIND, SINGLE_LOGS, BALANCE, AHEAD, CONSTRAINTS, ALL_NODES],
};

/// Other ways on an automaton, each alone.
static CENTRALIZED: Plan =
    Plan { on: On::Automaton, stages: &[stage(&Centralized, Limit::Budget)] };
static ONLY_NODES: Plan = Plan { on: On::Automaton, stages: &[SINGLE_LOGS, ALL_NODES] };
static ONLY_WORDS: Plan = Plan {
    on: On::Automaton,
    stages: &[SINGLE_LOGS, stage(&AheadSearch, Limit::Budget), ALL_NODES],
};

/// Constraints before any other stage.
pub(super) static ONLY_CONSTRAINTS: Plan =
    Plan { on: On::Automaton, stages: &[stage(&Constraints, Limit::Budget)] };

/// On terms, complete logs.
static TERMS_COMPLETE: Plan = Plan {
    on: On::Terms,
    stages: &[
        SINGLE_LOGS,
        BALANCE,
        PARTS,
        stage(&Constraints, FIRST_CHOICES).when(&[MANY_NODES, CONSTRAINED_EVENTS_OF_LARGE]),
        stage(&TermSearch, FIRST_TERMS),
        stage(&TermSearch, MORE_TERMS),
        CONSTRAINTS,
        stage(&TermSearch, Limit::Budget),
    ],
};

/// On terms, prefixes and missing logs.
static TERMS_PARTIAL: Plan = Plan {
    on: On::Terms,
    stages: &[
        SINGLE_LOGS,
        PARTS,
        stage(&Constraints, FIRST_CHOICES).when(&[MANY_NODES, CONSTRAINED_EVENTS_OF_LARGE]),
        stage(&Removal::Lifted, FIRST_TERMS).when(&[When::NoWitness]),
        CONSTRAINTS,
        stage(&Removal::Lifted, Limit::Budget),
        REPETITIONS,
    ],
};

/// On terms, slices.
static TERMS_SLICES: Plan = Plan {
    on: On::Terms,
    stages: &[
        SINGLE_LOGS,
        stage(&Constraints, FIRST_CHOICES_OF_SLICES)
            .when(&[MANY_NODES, CONSTRAINED_EVENTS_OF_LARGE]),
        stage(&RemovalAtEnds, FIRST_TERMS).when(&[When::NoWitness]),
        CONSTRAINTS,
        stage(&RemovalAtEnds, REMOVED_AT_ENDS),
        REPETITIONS,
    ],
};

/// On terms, logs that were cut: refuting is enough, and unobserved moves may be endless.
static TERMS_CUT: Plan = Plan {
    on: On::Terms,
    stages: &[
        SINGLE_LOGS,
        stage(&Constraints, FIRST_CHOICES).when(&[MANY_NODES, CONSTRAINED_EVENTS_OF_LARGE]),
        CONSTRAINTS,
        REMOVAL_ALONE,
    ],
};

/// Removal of locations without lifting: it refutes prefixes and missing logs, and confirms where it is exact.
const REMOVAL_ALONE: Stage = stage(&Removal::Alone, Limit::Budget);

/// Other ways on terms, as the papers have them or to compare one search with another.
static ONLY_TERMS: Plan =
    Plan { on: On::Terms, stages: &[SINGLE_LOGS, stage(&TermSearch, Limit::Budget)] };
static ONLY_REMOVAL: Plan = Plan { on: On::Terms, stages: &[SINGLE_LOGS, REMOVAL_ALONE] };
static ONLY_CRITERION: Plan =
    Plan { on: On::Terms, stages: &[SINGLE_LOGS, stage(&CriterionSimulation, Limit::Budget)] };
static REMOVAL_AND_SIMULATION: Plan = Plan {
    on: On::Terms,
    stages: &[SINGLE_LOGS, stage(&Removal::Lifted, Limit::Budget), REPETITIONS],
};
static ENDS_AND_SIMULATION: Plan = Plan {
    on: On::Terms,
    stages: &[SINGLE_LOGS, stage(&RemovalAtEnds, REMOVED_AT_ENDS), REPETITIONS],
};

/// Global prefixes.
static GLOBAL: Plan = Plan {
    on: On::AllTraces,
    stages: &[
        SINGLE_LOGS,
        // One node for each event, and a few for dead ends. A larger number looks longer for sessions that prefix mode
        // refuses at once. An estimate.
        stage(&AllEvents, Limit::Growing(32, 8)),
        // Some 20 ms at 10 us a node on terms (an estimate).
        stage(&AllEvents, Limit::AtMost(2_000)),
        CONSTRAINTS,
        READ_OR_ASK,
    ],
};

const READ_OR_ASK: Stage = stage(&AllEventsOrLonger(decide_as_prefix), Limit::Budget);

static ONLY_GLOBAL: Plan = Plan { on: On::AllTraces, stages: &[SINGLE_LOGS, READ_OR_ASK] };

/// The same with constraints alone.
static GLOBAL_BY_CONSTRAINTS: Plan = Plan {
    on: On::AllTraces,
    stages: &[SINGLE_LOGS, stage(&Constraints, Limit::Budget), READ_OR_ASK],
};

/// The cause of all logs together beside single ones, on terms: most logs that single locations refuse fit together
/// otherwise, which takes few nodes to find. The last number is some 5 ms at 10 us a node (an estimate).
///
/// Terms are numbered as sessions meet them, and reductions and chains follow that order. Without them the nodes of a search
/// that finds nothing are the same in any order, so that whether it was cut is, too.
static HIDDEN: Plan = Plan {
    on: On::Terms,
    stages: &[
        SINGLE_LOGS,
        stage(&Removal::Fitting, FIRST_TERMS),
        stage(&Constraints, FIRST_CHOICES).when(&[CONSTRAINED_EVENTS]),
        stage(&Removal::Whole, Limit::AtMost(500)),
    ],
};

/// The same on large terms, which take long.
static HIDDEN_ON_LARGE: Plan = Plan {
    on: On::Automaton,
    stages: &[SINGLE_LOGS, PARTS, stage(&Constraints, FIRST_CHOICES).when(&[CONSTRAINED_EVENTS])],
};

/// The same for slices, which removal cannot refute.
static HIDDEN_IN_SLICES: Plan = Plan {
    on: On::Automaton,
    stages: &[
        SINGLE_LOGS,
        stage(&Constraints, FIRST_CHOICES_OF_SLICES).when(&[CONSTRAINED_EVENTS]),
    ],
};

/// The plan by which a session is decided.
pub(super) fn plan(task: &Task<'_>, observation: Observation) -> &'static Plan {
    let comparison = &task.config.comparison;
    match (observation, task.engine) {
        (Observation::GlobalPrefix, _) if compares_nothing(comparison) => &GLOBAL,
        (Observation::GlobalPrefix, _) => match comparison.search {
            SearchChoice::Constraints => &GLOBAL_BY_CONSTRAINTS,
            _ => &ONLY_GLOBAL,
        },
        (_, Engine::Nfa) => plan_on_automaton(comparison),
        (_, Engine::Term) => plan_on_terms(task, observation),
    }
}

fn compares_nothing(comparison: &Comparison) -> bool {
    let Comparison { search, method, reductions, .. } = comparison;
    *search == SearchChoice::Auto && *method == Method::Exact && reductions.is_none()
}

fn plan_on_automaton(comparison: &Comparison) -> &'static Plan {
    match (comparison.procedure, comparison.search) {
        (Procedure::Centralized, _) => &CENTRALIZED,
        (_, SearchChoice::Auto) => &AUTOMATON,
        (_, SearchChoice::Packed) => &ONLY_WORDS,
        (_, SearchChoice::Blind | SearchChoice::Nodes | SearchChoice::Constraints) => &ONLY_NODES,
    }
}

fn plan_on_terms(task: &Task<'_>, observation: Observation) -> &'static Plan {
    let comparison = &task.config.comparison;
    let is_slice = observation == Observation::Slice;
    match (observation, comparison.method) {
        _ if !task.open_ends.is_empty() => &TERMS_CUT,
        (Observation::Complete, _) if !compares_nothing(comparison) => &ONLY_TERMS,
        (_, Method::Removal) => &ONLY_REMOVAL,
        (_, Method::Simulation(_)) => &ONLY_CRITERION,
        _ if is_slice && !compares_nothing(comparison) => &ENDS_AND_SIMULATION,
        _ if !compares_nothing(comparison) => &REMOVAL_AND_SIMULATION,
        (Observation::Complete, _) => &TERMS_COMPLETE,
        (Observation::Slice, _) => &TERMS_SLICES,
        _ => &TERMS_PARTIAL,
    }
}

/// The plan for the cause on terms beside single logs. It may end without an answer.
pub(super) fn hidden_plan(task: &Task<'_>, observation: Observation) -> &'static Plan {
    match observation {
        Observation::Slice => &HIDDEN_IN_SLICES,
        _ if MANY_NODES.holds(task) => &HIDDEN_ON_LARGE,
        _ => &HIDDEN,
    }
}

fn decide_as_prefix(task: &Task<'_>, scratch: &mut Scratch) -> Option<Answer> {
    let observation = Observation::Prefix;
    follow(plan(task, observation), task, observation, scratch).map(|decided| decided.answer)
}

/// Asks the stages of a plan; `None` if none of them is certain.
pub(super) fn follow(
    plan: &Plan,
    task: &Task<'_>,
    observation: Observation,
    scratch: &mut Scratch,
) -> Option<Decided> {
    let stop = task.allowance.stop();
    let terms = match plan.on {
        On::Automaton => None,
        On::Terms => task.monitor.terms(traces(task.config), stop),
        On::AllTraces => task.monitor.terms(all_traces(task.config), stop),
    };
    let known = Known::default();
    let Some(terms) = terms else {
        return ask(plan.stages, Run { task, observation, scratch, terms: None, known });
    };
    let analysis = analysis(&terms, task, observation);
    let mut problem = problem(&terms, task, observation, &analysis);
    let terms = Some(&mut problem);
    ask(plan.stages, Run { task, observation, scratch, terms, known })
}

fn ask(stages: &[Stage], mut run: Run<'_, '_>) -> Option<Decided> {
    let without = run.task.config.comparison.without;
    // An acceptance that lacks the path that is wanted.
    let mut accepted = None;
    for (at, stage) in stages.iter().enumerate() {
        let Stage { decider, limit, when } = stage;
        let by = decider.name();
        let is_off = without == Some(by) && at + 1 < stages.len();
        let is_vain = accepted.is_some() && !decider.gives_paths();
        if is_off || is_vain || !when.iter().all(|it| it.holds(run.task)) {
            continue;
        }
        let (before, limit) = (run.scratch.explored(), limit.of(run.task));
        let answer = decider.decide(&mut run, limit);
        trace(&run, by, answer.as_ref(), before);
        match answer {
            Some(Answer::Yes(None)) if run.task.config.witness => {
                accepted.get_or_insert(by);
            }
            Some(answer @ Answer::Yes(_)) => {
                return Some(Decided { answer, by: accepted.unwrap_or(by) });
            }
            Some(answer) if accepted.is_none() => return Some(Decided { answer, by }),
            _ => {}
        }
        run.scratch.keep_count();
    }
    accepted.map(|by| Decided { answer: Answer::Yes(None), by })
}

/// Logs the answer and the visits of a stage.
fn trace(run: &Run<'_, '_>, by: DeciderName, answer: Option<&Answer>, before: u64) {
    let nodes = run.scratch.explored() - before;
    let outcome = answer.map_or("open", Answer::name);
    let (session, mode) = (&run.task.session.id, run.observation.name());
    log::debug!("session {session} as {mode}: {}: {outcome}, {nodes} nodes", by.name());
}
