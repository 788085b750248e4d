//! Cycles are true: each event comes before the next one in every accepted trace that has the same actions, or is
//! in one step with it, or stands before it in its log. Random interactions beside each other, with messages of their own, and logs of accepted
//! traces whose events are put into another order.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_compiler::Config;
use multitrace_interaction::{
    Action, Cause, CycleEvent, Id, Interaction, Locations, MessageId, MultiTrace, Node, NodeId,
    Observation, Session, Signature, Step, Verdict,
};
use multitrace_runtime::{CheckConfig, Checker, EngineChoice, Monitor};
use multitrace_testing::denotations::{LIFELINES, MESSAGES, any_interaction, language};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

/// The most actions of a trace.
const MOST: usize = 6;

/// Interactions under `par`, with messages that differ from step to step.
fn beside(operands: &[Interaction; 2]) -> Interaction {
    let mut nodes: Vec<Node> = Vec::new();
    let mut roots = Vec::new();
    for operand in operands {
        let behind = nodes.len();
        let moved = |id: &NodeId| NodeId::new(id.index() + behind);
        nodes.extend(operand.nodes().iter().enumerate().map(|(leaf, node)| {
            let own = |action: &Action| Action {
                message: MessageId::new((behind + leaf) * MESSAGES + action.message.index()),
                ..*action
            };
            match node {
                Node::Empty => Node::Empty,
                Node::Step(step) => {
                    let actions = step.actions().iter().map(own).collect::<Vec<_>>();
                    Node::Step(Step::new(actions).expect("an action"))
                }
                Node::Strict(a, b) => Node::Strict(moved(a), moved(b)),
                Node::Seq(a, b) => Node::Seq(moved(a), moved(b)),
                Node::Par(a, b) => Node::Par(moved(a), moved(b)),
                Node::CoReg(region, a, b) => Node::CoReg(region.clone(), moved(a), moved(b)),
                Node::Alt(a, b) => Node::Alt(moved(a), moved(b)),
                Node::Loop(kind, body) => Node::Loop(kind.clone(), moved(body)),
            }
        }));
        roots.push(moved(&operand.root()));
    }
    nodes.push(Node::Par(roots[0], roots[1]));
    Interaction::new(nodes).expect("a tree")
}

fn signature_of(interaction: &Interaction) -> Signature {
    let mut signature = Signature::default();
    for lifeline in 0..LIFELINES {
        signature.intern_lifeline(&format!("l{lifeline}"));
    }
    for message in 0..interaction.nodes().len() * MESSAGES {
        signature.intern_message(&format!("m{message}"));
    }
    signature
}

/// The cycle of a failing session; empty if it has none.
fn cycle(monitor: &Monitor, trace: &MultiTrace, engine: EngineChoice) -> Vec<CycleEvent> {
    let config = CheckConfig { observation: Observation::Complete, engine, ..Default::default() };
    let session = Session { trace: trace.clone(), ..Session::default() };
    let verdict = Checker::new(monitor, config).expect("an engine").check(&session).verdict;
    let Verdict::Fail(failure) = verdict else { return Vec::new() };
    match &failure.causes[..] {
        [Cause::Inter(frontier) | Cause::Central(frontier)] => frontier.cycle.clone(),
        _ => Vec::new(),
    }
}

/// The names of the actions of a trace, each with the number of its step.
fn names(word: &[Step], signature: &Signature) -> Vec<(String, usize)> {
    let numbered = word.iter().enumerate();
    let actions = numbered.flat_map(|(at, step)| step.actions().iter().map(move |it| (it, at)));
    actions.map(|(action, at)| (signature.action_text(*action), at)).collect()
}

/// The names alone, sorted.
fn sorted(word: &[(String, usize)]) -> Vec<&str> {
    let mut sorted: Vec<&str> = word.iter().map(|it| it.0.as_str()).collect();
    sorted.sort_unstable();
    sorted
}

#[test]
fn events_of_cycles_come_before_each_other() {
    let (cycles, judged) = (Cell::new(0), Cell::new(0));
    let swaps = proptest::collection::vec((any::<Index>(), any::<Index>()), 1..4);
    let case = ([any_interaction(), any_interaction()], any::<Index>(), swaps);
    let mut runner = TestRunner::new(multitrace_testing::cases(2_000));
    let checked = runner.run(&case, |(operands, word, swaps)| {
        let interaction = beside(&operands);
        let signature = signature_of(&interaction);
        let locations = Locations::discrete(&signature);
        let words: Vec<_> = language(&interaction, MOST).into_iter().collect();
        let words: Vec<_> = words.iter().map(|word| names(word, &signature)).collect();
        prop_assume!(!words.is_empty());
        let chosen = word.get(&words);
        let mut config = Config::default();
        config.limits.states = 1_000;
        let monitor =
            Monitor::new(common::compile(&signature, &interaction, &locations, &config).bundle);
        let alphabet = monitor.alphabet();
        let mut trace = vec![Vec::new(); alphabet.locations().len()];
        for (name, _) in chosen {
            let letter = alphabet.letter(name).expect("a letter");
            trace[alphabet.location_of(letter).index()].push(letter);
        }
        let long: Vec<_> = (0..trace.len()).filter(|&at| trace[at].len() > 1).collect();
        prop_assume!(!long.is_empty());
        for (log, at) in swaps {
            let log = &mut trace[*log.get(&long)];
            let at = at.index(log.len() - 1);
            log.swap(at, at + 1);
        }
        for engine in [EngineChoice::Auto, EngineChoice::Term] {
            let cycle = cycle(&monitor, &trace, engine);
            cycles.set(cycles.get() + usize::from(!cycle.is_empty()));
            for (at, one) in cycle.iter().enumerate() {
                let next = &cycle[(at + 1) % cycle.len()];
                // Steps of several actions may order the other way two events that their location does not order.
                if one.location == next.location && one.index < next.index {
                    continue;
                }
                for word in words.iter().filter(|word| sorted(word) == sorted(chosen)) {
                    let places = |event: &CycleEvent| -> Vec<usize> {
                        let letter = trace[event.location.index()][event.index];
                        let name = alphabet.letter_name(letter);
                        word.iter().filter(|it| it.0 == name).map(|it| it.1).collect()
                    };
                    if let ([one], [next]) = (&places(one)[..], &places(next)[..]) {
                        judged.set(judged.get() + 1);
                        prop_assert!(one <= next, "{cycle:?} and {word:?}");
                    }
                }
            }
        }
        Ok(())
    });
    println!("{} cycles, {} pairs compared", cycles.get(), judged.get());
    checked.expect("no counterexample");
    assert!(cycles.get() > 0 && judged.get() > 0, "something was compared");
}
