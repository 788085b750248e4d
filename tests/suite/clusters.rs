//! Clusters, and the orders that follow from them, refute only what is not accepted: random interactions under `par`, with messages of their own, and
//! multi-traces of accepted words (denotations), as each observation mode may leave them. And with clusters every verdict
//! is that of the plain search.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_compiler::Config;
use multitrace_interaction::{
    Action, Alphabet, Cause, Id, Interaction, LetterId, LifelineId, LocationId, Locations,
    MessageId, MultiTrace, Node, NodeId, Observation, Session, Signature, Step, Verdict,
};
use multitrace_runtime::{CheckConfig, Checker, Comparison, EngineChoice, Monitor, SearchChoice};
use multitrace_testing::denotations::{
    LIFELINES, MESSAGES, any_interaction, any_locations, language, project,
};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

/// Multi-traces come from accepted global traces of at most this many actions.
const MOST: usize = 5;

const MODES: [Observation; 4] =
    [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice];

/// What a mode may leave of a log, and an edit.
#[derive(Clone, Debug)]
struct Case {
    interaction: Interaction,
    locations: Locations,
    word: Index,
    /// Per lifeline, where its log begins and ends, and whether it is lost.
    cuts: Vec<(Index, Index, bool)>,
    /// Two events of one log that are swapped, or one that is removed.
    edit: (Index, Index, bool),
}

fn any_case() -> impl Strategy<Value = Case> {
    let pair = (any_interaction(), any_interaction(), any_interaction());
    let cut = (any::<Index>(), any::<Index>(), any::<bool>());
    let cuts = proptest::collection::vec(cut, LIFELINES);
    let edit = (any::<Index>(), any::<Index>(), any::<bool>());
    (pair, any_locations(), any::<Index>(), cuts, edit).prop_map(
        |((a, b, c), locations, word, cuts, edit)| Case {
            interaction: with_own_messages(&beside(&a, &beside(&b, &c, Node::Par), Node::Seq)),
            locations,
            word,
            cuts,
            edit,
        },
    )
}

/// Two interactions under an operator.
fn beside(a: &Interaction, b: &Interaction, operator: fn(NodeId, NodeId) -> Node) -> Interaction {
    let behind = a.nodes().len();
    let moved = |id: &NodeId| NodeId::new(id.index() + behind);
    let mut nodes = a.nodes().to_vec();
    nodes.extend(b.nodes().iter().map(|node| match node {
        Node::Empty | Node::Step(_) => node.clone(),
        Node::Strict(a, b) => Node::Strict(moved(a), moved(b)),
        Node::Seq(a, b) => Node::Seq(moved(a), moved(b)),
        Node::Par(a, b) => Node::Par(moved(a), moved(b)),
        Node::CoReg(region, a, b) => Node::CoReg(region.clone(), moved(a), moved(b)),
        Node::Alt(a, b) => Node::Alt(moved(a), moved(b)),
        Node::Loop(kind, body) => Node::Loop(kind.clone(), moved(body)),
    }));
    nodes.push(operator(a.root(), moved(&b.root())));
    Interaction::new(nodes).expect("a tree")
}

/// The interaction with messages that differ from leaf to leaf.
fn with_own_messages(interaction: &Interaction) -> Interaction {
    let own = |leaf: usize, action: &Action| Action {
        message: MessageId::new(leaf * MESSAGES + action.message.index()),
        ..*action
    };
    let nodes = interaction.nodes().iter().enumerate().map(|(leaf, node)| match node {
        Node::Step(step) => {
            let actions = step.actions().iter().map(|action| own(leaf, action));
            Node::Step(Step::new(actions.collect::<Vec<_>>()).expect("as many actions"))
        }
        node => node.clone(),
    });
    Interaction::new(nodes.collect()).expect("a tree")
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

impl Case {
    /// The logs of an accepted global trace.
    fn accepted(&self, alphabet: &Alphabet, signature: &Signature) -> Option<MultiTrace> {
        let traces: Vec<_> =
            project(&language(&self.interaction, MOST), &self.locations).into_iter().collect();
        let trace = (!traces.is_empty()).then(|| self.word.get(&traces))?;
        let mut logs = vec![Vec::new(); alphabet.locations().len()];
        for (lifelines, log) in self.locations.iter().zip(trace) {
            let first: LifelineId = self.locations.lifelines(lifelines)[0];
            let at = alphabet.location_of_lifeline(signature.lifeline_name(first))?;
            let letter = |action: &Action| alphabet.letter(&signature.action_text(*action));
            logs[at.index()] = log.iter().filter_map(letter).collect::<Vec<LetterId>>();
        }
        Some(logs)
    }

    /// What a mode may leave of these logs.
    fn observed(&self, trace: &MultiTrace, mode: Observation) -> MultiTrace {
        let cut = |(log, (from, to, lost)): (&Vec<LetterId>, &(Index, Index, bool))| {
            let end = to.index(log.len() + 1);
            match mode {
                Observation::Complete | Observation::GlobalPrefix => log.clone(),
                Observation::Missing if *lost => Vec::new(),
                Observation::Missing => log.clone(),
                Observation::Prefix => log[..end].to_vec(),
                Observation::Slice => log[from.index(end + 1)..end].to_vec(),
            }
        };
        trace.iter().zip(&self.cuts).map(cut).collect()
    }

    /// The same logs with two events of one swapped, or one removed.
    fn edited(&self, trace: &MultiTrace) -> MultiTrace {
        let mut trace = trace.clone();
        let long: Vec<_> = (0..trace.len()).filter(|&at| trace[at].len() > 1).collect();
        let (at, index, is_swap) = &self.edit;
        if !long.is_empty() {
            let log = &mut trace[*at.get(&long)];
            let index = index.index(log.len() - 1);
            if *is_swap {
                log.swap(index, index + 1);
            } else {
                log.remove(index);
            }
        }
        trace
    }
}

fn verdict(monitor: &Monitor, trace: &MultiTrace, config: CheckConfig) -> Verdict {
    let session = Session { trace: trace.clone(), ..Session::default() };
    Checker::new(monitor, config).expect("an engine").check(&session).verdict
}

/// The ways to decide with clusters, and the plain search beside each.
fn ways(monitor: &Monitor) -> Vec<(EngineChoice, Comparison)> {
    let plain = |search| Comparison { search, ..Comparison::default() };
    let mut ways = vec![(EngineChoice::Term, plain(SearchChoice::Nodes))];
    if monitor.bundle().automaton().is_some() {
        ways.push((EngineChoice::Nfa, plain(SearchChoice::Blind)));
    }
    ways
}

#[test]
fn clusters_refute_nothing_that_is_accepted_and_verdicts_are_those_of_the_plain_search() {
    let (refuted, ordered, decided) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(multitrace_testing::cases(300));
    let checked = runner.run(&any_case(), |case| {
        let signature = signature_of(&case.interaction);
        let mut config = Config::default();
        config.limits.states = 2_000;
        let compiled = common::compile(&signature, &case.interaction, &case.locations, &config);
        let monitor = Monitor::new(compiled.bundle);
        let Some(accepted) = case.accepted(monitor.alphabet(), &signature) else { return Ok(()) };
        for mode in MODES {
            let observed = case.observed(&accepted, mode);
            prop_assert!(monitor.refuting_cluster(&observed, mode).is_none(), "{mode:?}");
            prop_assert!(!monitor.is_refused_by_order(&observed, mode), "{mode:?}");
            let edited = case.edited(&observed);
            let by_order = monitor.is_refused_by_order(&edited, mode);
            let is_refuted = by_order || monitor.refuting_cluster(&edited, mode).is_some();
            refuted.set(refuted.get() + usize::from(is_refuted));
            ordered.set(ordered.get() + usize::from(by_order));
            for (engine, comparison) in ways(&monitor) {
                let ours = CheckConfig { observation: mode, engine, ..CheckConfig::default() };
                let plain = verdict(&monitor, &edited, CheckConfig { comparison, ..ours });
                if matches!(plain, Verdict::Inconclusive(_)) {
                    continue;
                }
                decided.set(decided.get() + 1);
                prop_assert!(!is_refuted || matches!(plain, Verdict::Fail(_)), "{mode:?}");
                prop_assert_eq!(verdict(&monitor, &edited, ours), plain, "{:?} {:?}", mode, engine);
            }
        }
        Ok(())
    });
    let (refuted, ordered, decided) = (refuted.get(), ordered.get(), decided.get());
    println!("{refuted} sessions refuted by clusters, {ordered} by order, {decided} compared");
    assert!(refuted > 0 && ordered > 0 && decided > 0, "something was compared");
    checked.expect("no counterexample");
}

/// A session that single locations cannot refute: the exchange of `a` and `b` is answered before it was asked, beside an
/// exchange that is right.
#[test]
fn a_cluster_names_what_it_refutes() {
    let text = "par(seq(a -- q -> b, b -- r -> a), loopS(seq(a -- x -> b, b -- y -> a)))";
    let (signature, interaction) = common::parse(text);
    let locations = Locations::discrete(&signature);
    let compiled = common::compile(&signature, &interaction, &locations, &Config::default());
    assert_eq!(compiled.report.clusters.len(), 2, "one for each operand");
    let monitor = Monitor::new(compiled.bundle);
    let session = |text: &str| common::session(text, monitor.alphabet()).trace;
    let right = session("{[a] a!x.a!q.a?r.a?y; [b] b?q.b?x.b!y.b!r}");
    assert!(monitor.refuting_cluster(&right, Observation::Complete).is_none());
    let wrong = session("{[a] a!x.a!q.a?y.a?r; [b] b?x.b!y.b!r.b?q}");
    assert!(monitor.refuting_cluster(&wrong, Observation::Complete).is_some());
    let crossed = session("{[a] a!q.a?r.a!x.a?y; [b] b!y.b?q.b!r.b?x}");
    let cluster = monitor.refuting_cluster(&crossed, Observation::Complete).expect("a cluster");
    let names: Vec<_> =
        cluster.letters.iter().map(|&letter| monitor.alphabet().letter_name(letter)).collect();
    assert_eq!(names, ["a!x", "b?x", "b!y", "a?y"]);
    assert_eq!(monitor.alphabet().location_of(cluster.letters[0]), LocationId::new(0));
}

/// The case of `par` in which every interleaving would need a before b before d before c before a. No single location and
/// no operand of `par` refuses it.
#[test]
fn a_cycle_explains_a_central_failure() {
    let text = "par(strict(l1 -- a ->|, l2 -- b ->|), strict(l2 -- d ->|, l1 -- c ->|))";
    let (signature, interaction) = common::parse(text);
    let locations = Locations::discrete(&signature);
    let compiled = common::compile(&signature, &interaction, &locations, &Config::default());
    let monitor = Monitor::new(compiled.bundle);
    let session = common::session("{[l1] l1!c.l1!a; [l2] l2!b.l2!d}", monitor.alphabet());
    assert!(monitor.refuting_cluster(&session.trace, Observation::Complete).is_none());
    for engine in [EngineChoice::Nfa, EngineChoice::Term] {
        let config = CheckConfig { engine, ..CheckConfig::default() };
        let verdict = Checker::new(&monitor, config).expect("an engine").check(&session).verdict;
        let Verdict::Fail(failure) = verdict else { panic!("{verdict:?}") };
        let (Cause::Inter(frontier) | Cause::Central(frontier)) = failure.main() else {
            panic!("{failure:?}")
        };
        let events: Vec<_> =
            frontier.cycle.iter().map(|it| (it.location.index(), it.index)).collect();
        let expected = [(0, 1), (1, 0), (1, 1), (0, 0)];
        let start = expected.iter().position(|it| *it == events[0]).expect("an event of the cycle");
        assert!(events.iter().eq(expected.iter().cycle().skip(start).take(4)), "{events:?}");
    }
}

/// With l3 removed, searches read `l1?u` before `l2!b`, which no run of the whole does: an order of clusters must not end
/// them.
#[test]
fn orders_do_not_refute_where_locations_are_removed() {
    let (signature, interaction) =
        common::parse("par(seq(l2 -- b -> l3, l3 -- u -> l1), l1 -- c -> l2)");
    let locations = Locations::discrete(&signature);
    let compiled = common::compile(&signature, &interaction, &locations, &Config::default());
    let monitor = Monitor::new(compiled.bundle);
    let session = |text: &str| common::session(text, monitor.alphabet()).trace;
    let cut = session("{[l1] l1?u; [l2] l2!b; [l3]}");
    let lost = session("{[l1] l1?u.l1!c; [l2] l2!b.l2?c; [l3]}");
    for engine in [EngineChoice::Nfa, EngineChoice::Term] {
        for (observation, trace) in
            [(Observation::Prefix, &cut), (Observation::Slice, &cut), (Observation::Missing, &lost)]
        {
            let config = CheckConfig { observation, engine, ..CheckConfig::default() };
            assert_eq!(
                verdict(&monitor, trace, config),
                Verdict::WeakPass,
                "{engine:?} {config:?}"
            );
        }
    }
}
