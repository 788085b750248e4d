//! Two questions about formulas asked as questions about multi-traces, as the papers do to show
//! that checking is NP-hard, and compared with brute force.
//!
//! * 3-SAT (paper 003 sec. 4.5): a formula is satisfiable when `(l1?m, …, lk?m)` is a multi-prefix
//!   of `seq` over the variables of `alt(i_x, i_¬x)`, where `i_x` receives m on the lifeline of
//!   every clause with the literal x. Clauses with several true literals receive more than one m;
//!   those after the first go unobserved.
//! * 1-in-3-SAT (paper 001 sec. 4.4 and appendix A): a formula has an assignment with exactly one
//!   true literal per clause when `(l1!m, …, lk!m)` is accepted by `par` over the same alternatives,
//!   with emissions.
//!
//! Local traces see no difference between the two, so each interaction answers both questions:
//! the multi-trace passes when there is a 1-in-3 assignment, it weakly passes as a prefix when
//! there is only a plain one, and it fails without one.
//!
//! By default a sample; with `MULTITRACE_FULL=1` all instances. `scripts/tables sat` prints the times of a
//! release build.

#![allow(clippy::print_stdout, reason = "tests say what they counted and measured")]

mod formula;

use crate::common;
use formula::{Formula, Literal, Rule, parse_dimacs};
use multitrace_compiler::{Compiled, Config};
use multitrace_formats::hif;
use multitrace_formats::source::Source;
use multitrace_interaction::generate::Dice;
use multitrace_interaction::{
    Action, ActionKind, Engine, Id, Interaction, LifelineId, Locations, Node, NodeId, Observation,
    Session, Signature, Step, Verdict,
};
use multitrace_runtime::{CheckConfig, Checked, Checker, EngineChoice, Monitor, replay};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

// ---- The reductions

/// How the alternatives of the variables are composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reduction {
    /// Paper 003: weakly ordered, with receptions.
    Seq,
    /// Paper 001: interleaved, with emissions.
    Par,
}

/// A formula as an interaction and a multi-trace of it.
struct Reduced {
    signature: Signature,
    interaction: Interaction,
    /// Per clause, the one event of its lifeline.
    events: Vec<String>,
}

impl Reduction {
    fn name(self) -> &'static str {
        match self {
            Reduction::Seq => "seq",
            Reduction::Par => "par",
        }
    }

    fn of(self, formula: &Formula) -> Reduced {
        let mut signature = Signature::default();
        let message = signature.intern_message("m");
        let kind = match self {
            Reduction::Seq => ActionKind::Reception,
            Reduction::Par => ActionKind::Emission,
        };
        let clauses = 1..=formula.clauses.len();
        let lifelines = clauses.map(|number| signature.intern_lifeline(&format!("l{number}")));
        let lifelines: Vec<LifelineId> = lifelines.collect();
        let action = |&lifeline: &LifelineId| Action { lifeline, kind, message };
        let actions: Vec<Action> = lifelines.iter().map(action).collect();
        Reduced {
            interaction: self.interaction(formula, &actions),
            events: actions.iter().map(|&action| signature.action_text(action)).collect(),
            signature,
        }
    }

    fn interaction(self, formula: &Formula, actions: &[Action]) -> Interaction {
        let mut nodes = Vec::new();
        let alternatives = (0..formula.variables).map(|variable| {
            let [left, right] = [true, false].map(|positive| {
                let steps = occurrences(formula, Literal { variable, positive });
                let steps = steps.map(|clause| Node::Step(Step::single(actions[clause])));
                let steps = steps.map(|step| push(&mut nodes, step)).collect();
                fold(&mut nodes, steps, Node::Seq)
            });
            push(&mut nodes, Node::Alt(left, right))
        });
        let alternatives = alternatives.collect();
        let operator = if self == Reduction::Seq { Node::Seq } else { Node::Par };
        fold(&mut nodes, alternatives, operator);
        Interaction::new(nodes).expect("operands come before operators")
    }
}

/// The clauses a literal occurs in.
fn occurrences(formula: &Formula, literal: Literal) -> impl Iterator<Item = usize> + '_ {
    let clauses = formula.clauses.iter().enumerate();
    clauses.filter(move |(_, clause)| clause.contains(&literal)).map(|(index, _)| index)
}

fn push(nodes: &mut Vec<Node>, node: Node) -> NodeId {
    nodes.push(node);
    NodeId::new(nodes.len() - 1)
}

/// All parts under an operator, folded to the right; of none, the empty interaction.
fn fold(
    nodes: &mut Vec<Node>,
    mut parts: Vec<NodeId>,
    operator: fn(NodeId, NodeId) -> Node,
) -> NodeId {
    let last = parts.pop().unwrap_or_else(|| push(nodes, Node::Empty));
    parts.into_iter().rev().fold(last, |rest, part| push(nodes, operator(part, rest)))
}

impl Reduced {
    fn compile(&self, config: &Config) -> Compiled {
        let locations = Locations::discrete(&self.signature);
        common::compile(&self.signature, &self.interaction, &locations, config)
    }

    fn session(&self, monitor: &Monitor) -> Session {
        let letter = |event: &String| monitor.alphabet().letter(event).expect("a letter");
        let trace = self.events.iter().map(|event| vec![letter(event)]).collect();
        Session { id: "formula".to_owned(), trace, ..Session::default() }
    }
}

/// The verdict of brute force in an observation mode.
fn expected(formula: &Formula, observation: Observation) -> &'static str {
    if formula.is_satisfiable(Rule::One) {
        "pass"
    } else if observation == Observation::Prefix && formula.is_satisfiable(Rule::Some) {
        "weak_pass"
    } else {
        "fail"
    }
}

/// The interaction of paper 003 fig. 9: four lifelines, three alternatives.
#[test]
fn the_formula_of_the_figure() {
    let formula = "p cnf 3 4\n-1 -2 -3 0\n-1 2 3 0\n1 -1 2 0\n2 3 -3 0\n";
    let reduced = Reduction::Seq.of(&parse_dimacs(formula).expect("a formula"));
    let drawn = "seq(alt(m -> l3, seq(m -> l1, m -> l2, m -> l3)),
                     alt(seq(m -> l2, m -> l3, m -> l4), m -> l1),
                     alt(seq(m -> l2, m -> l4), seq(m -> l1, m -> l4)))";
    let signature = Some(reduced.signature.clone());
    let spec = hif::parse(&Source::new("figure.hif", drawn), signature).expect("an interaction");
    assert_eq!(reduced.interaction, spec.interaction);
    assert_eq!(reduced.events, ["l1?m", "l2?m", "l3?m", "l4?m"]);
}

// ---- Small random formulas

/// How often each reduction, mode and engine gave each verdict.
type Tally = BTreeMap<(&'static str, &'static str, &'static str, &'static str), usize>;

/// Checks one formula in every way that serves it.
fn compare(reduction: Reduction, formula: &Formula, observation: Observation, tally: &mut Tally) {
    let reduced = reduction.of(formula);
    let mut config = Config::default();
    // Interleavings make large automata; there are enough that fit, and terms for the others.
    config.limits.states = 2_000;
    let monitor = Monitor::new(reduced.compile(&config).bundle);
    let session = reduced.session(&monitor);
    let expected = expected(formula, observation);
    let mut checks = vec![common::term_check(observation)];
    if monitor.bundle().automaton().is_some() {
        checks.extend(common::checks(observation));
    }
    for (way, check) in checks {
        for witness in [true, false] {
            let check = CheckConfig { witness, ..check };
            let checked = common::check(&monitor, &session, &check);
            let verdict = checked.verdict.name();
            assert_eq!(verdict, expected, "{reduction:?}, {way}: {formula:?}");
            assert_witness(&monitor, &session, &checked, observation);
            let key = (reduction.name(), observation.name(), way, verdict);
            *tally.entry(key).or_default() += 1;
        }
    }
}

/// A witness is a trace of the interaction.
fn assert_witness(
    monitor: &Monitor,
    session: &Session,
    checked: &Checked,
    observation: Observation,
) {
    if let Some(witness) = &checked.witness {
        let mode = common::proven(&checked.verdict, observation);
        replay(monitor, session, witness, mode).expect("a witness replays");
    }
}

/// Formulas of 3 to 8 variables; half of them with about as many clauses as a 1-in-3 assignment
/// may still satisfy, half with as many as leave plain ones in doubt.
fn small_formula(round: usize, dice: &mut Dice) -> Formula {
    let variables = 3 + round % 6;
    let most = if round.is_multiple_of(2) { variables + 2 } else { 8 * variables };
    Formula::free(variables, 1 + dice.below(most), dice)
}

#[test]
fn small_random_formulas() {
    let rounds = if common::full() { 3_000 } else { 200 };
    let mut dice = Dice::new(3, 0);
    let mut tally = Tally::new();
    for round in 0..rounds {
        let formula = small_formula(round, &mut dice);
        compare(Reduction::Seq, &formula, Observation::Prefix, &mut tally);
        compare(Reduction::Seq, &formula, Observation::Complete, &mut tally);
        // Every clause multiplies the interleavings.
        if formula.clauses.len() <= 10 {
            compare(Reduction::Par, &formula, Observation::Complete, &mut tally);
        }
    }
    println!("{rounds} random formulas:");
    for ((reduction, mode, way, verdict), count) in &tally {
        println!("{reduction} {mode:8} {way:18} {verdict:9} {count:6}");
    }
    for (reduction, mode, verdicts) in [
        ("seq", "prefix", &["pass", "weak_pass", "fail"][..]),
        ("seq", "complete", &["pass", "fail"]),
        ("par", "complete", &["pass", "fail"]),
    ] {
        for way in ["terms", "semi-centralized", "without look-ahead", "centralized"] {
            for verdict in verdicts {
                let key = (reduction, mode, way, *verdict);
                assert!(tally.contains_key(&key), "no such verdict: {key:?}");
            }
        }
    }
}

// ---- Instances of 20 variables

struct Instance {
    name: String,
    formula: Formula,
    satisfiable: bool,
}

/// How many instances the corpus has, all satisfiable, and how many others are made.
const SATISFIABLE: usize = 39;
const UNSATISFIABLE: usize = 20;

fn corpus_instances() -> Option<Vec<Instance>> {
    let folder = common::corpus()?.join("uf20");
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let instance = |path: PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("the formula is readable");
        let formula = parse_dimacs(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((formula.variables, formula.clauses.len()), (20, 91), "{name}: its size");
        Instance { name, formula, satisfiable: true }
    };
    let instances: Vec<_> = paths.into_iter().map(instance).collect();
    assert_eq!(instances.len(), SATISFIABLE, "instances in the corpus");
    Some(instances)
}

/// Formulas like those of the corpus, half of them with more clauses, of which brute force says
/// that nothing satisfies them.
fn unsatisfiable_instances(count: usize) -> Vec<Instance> {
    let made = (0..).map(|seed| {
        let clauses = if seed % 2 == 0 { 91 } else { 110 };
        let formula = Formula::uniform(20, clauses, &mut Dice::new(seed, 0));
        Instance { name: format!("unsat-{clauses}-{seed}"), formula, satisfiable: false }
    });
    made.filter(|instance| !instance.formula.is_satisfiable(Rule::Some)).take(count).collect()
}

/// All instances, or a few.
fn instances() -> Vec<Instance> {
    let all = common::full();
    let satisfiable = corpus_instances().unwrap_or_default();
    let sample = satisfiable.into_iter().step_by(if all { 1 } else { 6 });
    sample.chain(unsatisfiable_instances(if all { UNSATISFIABLE } else { 3 })).collect()
}

fn milliseconds<R>(run: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = run();
    (start.elapsed().as_secs_f64() * 1e3, result)
}

/// Checks an instance as a multi-prefix, compares the verdict, and measures; the milliseconds of the cold check.
fn measure(instance: &Instance, choice: EngineChoice) -> f64 {
    let reduced = Reduction::Seq.of(&instance.formula);
    let (compile, compiled) = milliseconds(|| reduced.compile(&Config::default()));
    let check =
        CheckConfig { observation: Observation::Prefix, engine: choice, ..CheckConfig::default() };
    let monitor = Monitor::new(compiled.bundle.clone());
    let mut checker = Checker::new(&monitor, check).expect("an engine");
    let engine = checker.engine();
    let compiled_to = if choice == EngineChoice::Term { Engine::Term } else { Engine::Nfa };
    assert_eq!(engine, compiled_to, "{}: its automaton is small", instance.name);
    let session = reduced.session(&monitor);
    let fresh = Monitor::new(compiled.bundle);
    let (cold, checked) = milliseconds(|| common::check(&fresh, &session, &check));
    checker.check(&session);
    let (warm, again) = milliseconds(|| checker.check(&session));
    // Which search decides may depend on the terms that are known, and so may the nodes.
    let verdict = |checked: &Checked| (checked.verdict.clone(), checked.witness.clone());
    assert_eq!(verdict(&again), verdict(&checked), "{}: warm and cold", instance.name);
    let expected = expected(&instance.formula, Observation::Prefix);
    assert_eq!(checked.verdict.name(), expected, "{}, {engine:?}", instance.name);
    assert_eq!(!matches!(checked.verdict, Verdict::Fail(_)), instance.satisfiable);
    let explored = checked.explored;
    println!(
        "{:14} {:9} {:6} {explored:>8} {compile:>9.2} {cold:>9.3} {warm:>9.3}",
        instance.name,
        checked.verdict.name(),
        engine.name()
    );
    cold
}

/// The aim for the median cold check of a satisfiable instance on the compiled automaton, in
/// milliseconds. It is asserted where all instances are measured in a release build.
const AIM: f64 = 3.0;

/// All instances of the corpus are multi-prefixes, the unsatisfiable ones are not. Cold checks
/// have a monitor and memory of their own, so that on terms every derivative is computed again;
/// warm ones follow a check of the same multi-trace.
#[test]
fn instances_of_twenty_variables() {
    println!("instance       verdict   engine    nodes   compile      cold      warm  (ms)");
    let mut aimed_at = Vec::new();
    for (index, instance) in instances().iter().enumerate() {
        let cold = measure(instance, EngineChoice::Auto);
        aimed_at.extend(instance.satisfiable.then_some(cold));
        // On terms a cold check takes long.
        if common::full() || index == 0 {
            measure(instance, EngineChoice::Term);
        }
    }
    aimed_at.sort_by(f64::total_cmp);
    if let Some(median) = aimed_at.get(aimed_at.len() / 2) {
        println!("the median cold check of the satisfiable ones takes {median:.3} ms");
        let is_aimed_at = common::full() && !cfg!(debug_assertions);
        assert!(!is_aimed_at || *median < AIM, "cold checks take {median:.3} ms");
    }
}
