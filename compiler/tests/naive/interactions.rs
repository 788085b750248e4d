//! Whole compilations of interactions, compared with their denotations.

use crate::automata::{language, words};
use multitrace_compiler::{
    CompileProgress, Compiled, Config, InteractionSpec, LimitExceeded, Limits, NoTable,
    compile_automaton, compile_interaction, compile_interaction_watched, synthesize,
};
use multitrace_formats::bundle::{Bundle, Central, Cluster, DEAD, LocalVerifier, Provenance};
use multitrace_formats::hif;
use multitrace_formats::source::Source;
use multitrace_interaction::{
    Action, Alphabet, Id, Interaction, LetterId, Locations, MessageId, Nfa, Node, NodeId,
    Signature, Step, TermAutomaton, TermStore,
};
use multitrace_testing::cases;
use multitrace_testing::denotations::{
    LIFELINES, MESSAGES, any_interaction, any_locations, language as denotation, project, signature,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;

/// Global traces of at most this many actions are compared.
const MOST: usize = 4;

fn provenance() -> Provenance {
    Provenance::new("0", "f", b"", String::new())
}

fn compile(
    signature: &Signature,
    interaction: &Interaction,
    locations: &Locations,
    config: &Config,
) -> Compiled {
    let place_of = |node: NodeId| node.index().to_string();
    let spec = InteractionSpec { signature, interaction, locations, place_of: &place_of };
    compile_interaction(spec, provenance(), config)
}

/// Compiles a text whose lifelines have a clock each.
fn compile_text(text: &str, config: &Config) -> Compiled {
    let parsed = hif::parse(&Source::new("f", text), None).expect("an interaction");
    let locations = Locations::discrete(&parsed.signature);
    let place_of = |node: NodeId| {
        let span = parsed.spans[node.index()];
        text[span.start..span.end].to_owned()
    };
    let spec = InteractionSpec {
        signature: &parsed.signature,
        interaction: &parsed.interaction,
        locations: &locations,
        place_of: &place_of,
    };
    compile_interaction(spec, provenance(), config)
}

/// No reduction, and every one alone.
fn configs() -> Vec<Config> {
    let none = Config {
        linearize: false,
        persistent_terms: false,
        merge: false,
        persistent_states: false,
        clusters: false,
        ..Config::default()
    };
    vec![
        Config { clusters: false, ..Config::default() },
        Config { linearize: true, ..none },
        Config { persistent_terms: true, ..none },
        Config { merge: true, ..none },
        Config { persistent_states: true, ..none },
        Config { merge: true, persistent_states: true, ..none },
        none,
    ]
}

/// Logs of letters as texts, so that they compare with actions.
type Texts = Vec<Vec<String>>;

fn logged(words: &BTreeSet<Vec<LetterId>>, alphabet: &Alphabet) -> BTreeSet<Texts> {
    let text = |letter: &LetterId| alphabet.letter_name(*letter).to_owned();
    let log = |log: &Vec<LetterId>| log.iter().map(text).collect();
    let traces = crate::automata::multi_traces(words, alphabet);
    traces.iter().map(|trace| trace.iter().map(log).collect()).collect()
}

fn expected(
    words: &BTreeSet<Vec<Step>>,
    signature: &Signature,
    locations: &Locations,
) -> BTreeSet<Texts> {
    let log = |log: &Vec<Action>| log.iter().map(|it| signature.action_text(*it)).collect();
    let traces = project(words, locations);
    traces.iter().map(|trace| trace.iter().map(log).collect()).collect()
}

/// The global traces action by action.
fn in_a_row(words: &BTreeSet<Vec<Step>>, signature: &Signature) -> BTreeSet<Vec<String>> {
    let text = |action: &Action| signature.action_text(*action);
    let row = |word: &Vec<Step>| word.iter().flat_map(|step| step.actions()).map(text).collect();
    words.iter().map(row).collect()
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn automata_accept_the_multi_traces_of_the_denotation(
        interaction in any_interaction(),
        locations in any_locations(),
    ) {
        let signature = signature();
        let words = denotation(&interaction, MOST);
        let traces = expected(&words, &signature, &locations);
        for config in configs() {
            let compiled = compile(&signature, &interaction, &locations, &small(config));
            let Central::Automaton(automaton) = &compiled.bundle.central else { continue };
            let alphabet = &compiled.bundle.alphabet;
            for nfa in [&automaton.full, &automaton.search] {
                prop_assert_eq!(&logged(&language(nfa, MOST), alphabet), &traces, "{:?}", config);
            }
            if !config.linearize && !config.persistent_terms {
                let name = |letter: &LetterId| alphabet.letter_name(*letter).to_owned();
                let row = |word: &Vec<LetterId>| word.iter().map(name).collect::<Vec<_>>();
                let rows: BTreeSet<_> = language(&automaton.full, MOST).iter().map(row).collect();
                prop_assert_eq!(rows, in_a_row(&words, &signature), "{:?}", config);
            }
        }
    }

    #[test]
    fn verifiers_of_terms_accept_the_logs_of_those_of_the_automaton(
        interaction in any_interaction(),
        locations in any_locations(),
    ) {
        let signature = signature();
        let config = Config { clusters: false, ..Config::default() };
        let whole = compile(&signature, &interaction, &locations, &small(config)).bundle;
        prop_assume!(whole.automaton().is_some());
        let config = Config { limits: Limits { states: 0, ..small(config).limits }, ..config };
        let parts = compile(&signature, &interaction, &locations, &config);
        prop_assert!(parts.bundle.automaton().is_none());
        prop_assert_eq!(parts.bundle.locals.len(), locations.len());
        for (of_term, of_automaton) in parts.bundle.locals.iter().zip(&whole.locals) {
            prop_assert_eq!(&of_term.letters, &of_automaton.letters);
            let Some(table) = &of_term.forward else { continue };
            prop_assert_eq!(&table.areas, &None);
            for word in words(&of_term.letters, MOST) {
                let accepts = accepts(of_term, &word);
                prop_assert!(accepts || !self::accepts(of_automaton, &word), "{:?}", word);
            }
        }
    }

    #[test]
    fn clusters_accept_what_is_left_of_accepted_traces(
        operands in (any_interaction(), any_interaction(), any_interaction()),
        locations in any_locations(),
    ) {
        let interaction = side_by_side(&[operands.0, operands.1, operands.2]);
        let signature = signature_of(&interaction);
        let words = denotation(&interaction, MOST);
        let compiled = compile(&signature, &interaction, &locations, &small(Config::default()));
        let Bundle { alphabet, clusters, order_clusters, .. } = &compiled.bundle;
        let states = |of: &[Cluster]| of.iter().map(|it| it.automaton.state_count()).collect::<Vec<_>>();
        prop_assert_eq!(&compiled.report.clusters, &states(clusters));
        prop_assert_eq!(&compiled.report.order_clusters, &states(order_clusters));
        let letters = |row: &Vec<String>| {
            row.iter().map(|it| alphabet.letter(it).expect("a letter")).collect::<Vec<_>>()
        };
        let all: Vec<_> = in_a_row(&words, &signature).iter().map(letters).collect();
        for (cluster, is_ordered) in
            clusters.iter().map(|it| (it, false)).chain(order_clusters.iter().map(|it| (it, true)))
        {
            let at: BTreeSet<_> = cluster.letters.iter().map(|it| alphabet.location_of(*it)).collect();
            prop_assert!(at.len() > 1, "one location is no cluster");
            let left = |word: &Vec<LetterId>| {
                word.iter().copied().filter(|it| cluster.letters.contains(it)).collect::<Vec<_>>()
            };
            let left: BTreeSet<_> = all.iter().map(left).collect();
            let accepted = language(&cluster.automaton, MOST);
            if is_ordered {
                prop_assert!(left.is_subset(&accepted));
            }
            prop_assert!(logged(&left, alphabet).is_subset(&logged(&accepted, alphabet)));
        }
    }
}

/// Under limits that large random interactions reach soon.
fn small(config: Config) -> Config {
    let limits = Limits { states: 300, local_states: 300, work: 1_000_000, ..Limits::default() };
    Config { limits, ..config }
}

/// Whether a complete log is accepted.
fn accepts(local: &LocalVerifier, log: &[LetterId]) -> bool {
    let table = local.forward.as_ref().expect("a table");
    let end = log.iter().try_fold(table.start, |state, letter| {
        let column = local.letters.binary_search(letter).expect("an own letter");
        let next = table.next[state as usize * local.letters.len() + column];
        (next != DEAD).then_some(next)
    });
    end.is_some_and(|state| table.is_final(state))
}

/// Interactions under `par`, each with messages of its own.
fn side_by_side(operands: &[Interaction]) -> Interaction {
    let mut nodes: Vec<Node> = Vec::new();
    let mut roots = Vec::new();
    for (number, operand) in operands.iter().enumerate() {
        let behind = nodes.len();
        let moved = |id: &NodeId| NodeId::new(id.index() + behind);
        let own = |action: &Action| Action {
            message: MessageId::new(number * MESSAGES + action.message.index()),
            ..*action
        };
        let renamed = |step: &Step| {
            Step::new(step.actions().iter().map(own).collect::<Vec<_>>()).expect("an action")
        };
        nodes.extend(operand.nodes().iter().map(|node| match node {
            Node::Empty => Node::Empty,
            Node::Step(step) => Node::Step(renamed(step)),
            Node::Strict(a, b) => Node::Strict(moved(a), moved(b)),
            Node::Seq(a, b) => Node::Seq(moved(a), moved(b)),
            Node::Par(a, b) => Node::Par(moved(a), moved(b)),
            Node::CoReg(region, a, b) => Node::CoReg(region.clone(), moved(a), moved(b)),
            Node::Alt(a, b) => Node::Alt(moved(a), moved(b)),
            Node::Loop(kind, body) => Node::Loop(kind.clone(), moved(body)),
        }));
        roots.push(NodeId::new(nodes.len() - 1));
        if let [before, own] = roots[..] {
            nodes.push(Node::Par(before, own));
            roots = vec![NodeId::new(nodes.len() - 1)];
        }
    }
    Interaction::new(nodes).expect("a tree")
}

/// The names of random interactions, with as many messages as there are.
fn signature_of(interaction: &Interaction) -> Signature {
    let mut signature = Signature::default();
    for lifeline in 0..LIFELINES {
        signature.intern_lifeline(&format!("l{lifeline}"));
    }
    let most = interaction.actions().map(|it| it.message.index() + 1).max().unwrap_or_default();
    for message in 0..most {
        signature.intern_message(&format!("m{message}"));
    }
    signature
}

/// The letters of clusters, as texts.
fn cluster_letters(bundle: &Bundle, clusters: &[Cluster]) -> Vec<String> {
    let text = |it: &LetterId| bundle.alphabet.letter_name(*it).to_owned();
    let of = |it: &Cluster| it.letters.iter().map(text).collect::<Vec<_>>().join(" ");
    clusters.iter().map(of).collect()
}

#[test]
fn clusters_are_operands_of_par_with_letters_of_their_own_and_pairs_that_exchange_messages() {
    let of = |text: &str| {
        let bundle = compile_text(text, &Config::default()).bundle;
        assert!(bundle.automaton().is_some(), "{text}");
        let letters = cluster_letters(&bundle, &bundle.clusters);
        assert_eq!(letters, cluster_letters(&bundle, &bundle.order_clusters), "{text}");
        letters
    };
    // Two operands, then the pairs that are neither of them.
    assert_eq!(
        of("par(seq(a -- m -> b, b -- m -> a), seq(b -- n -> c, c -- k -> a))"),
        [
            "b!n c?n c!k a?k",
            "a!m b?m b!m a?m",
            "a!m b?m b!m a?m b!n a?k",
            "a!m a?m c?n c!k a?k",
            "b?m b!m b!n c?n c!k"
        ]
    );
    // What occurs on both sides belongs to neither; what occurs twice on one side does.
    assert_eq!(
        of("par(seq(a -- m -> b, a -- m -> b), seq(a -- n -> b, a -- x -> b))"),
        ["a!n b?n a!x b?x", "a!m b?m"]
    );
    assert_eq!(
        of("par(seq(a -- m -> b, a -- x -> b), seq(a -- n -> b, a -- x -> b))"),
        ["a!n b?n", "a!m b?m"]
    );
    // One location alone is no cluster, and what has no message in common no pair.
    assert_eq!(of("par(seq(a -- m ->|, a -- n ->|), b -- x ->|)"), [""; 0]);
    // The whole is no cluster of itself.
    assert_eq!(of("seq(a -- m -> b, b -- n -> a)"), [""; 0]);
}

#[test]
fn parts_that_are_too_large_are_split() {
    let part = |name: &str| {
        let way = |at: usize| format!("seq(a -- {name}{at}x -> b, b -- {name}{at}y -> a)");
        format!("par({},{})", way(0), way(1))
    };
    let text = format!("par(seq({},a -- p -> b),seq({},a -- q -> b))", part("m"), part("n"));
    let config =
        |states| Config { limits: Limits { states, ..Limits::default() }, ..Config::default() };
    let sizes = |states| {
        let bundle = compile_text(&text, &config(states)).bundle;
        bundle.clusters.iter().map(|it| it.letters.len()).collect::<BTreeSet<_>>()
    };
    // The sides have ten letters each, their concurrent parts four, and the last message two.
    let whole = compile_text(&text, &config(100_000)).report;
    let largest = *whole.clusters.iter().max().expect("clusters");
    assert_eq!(sizes(100_000), BTreeSet::from([4, 10]));
    assert!(sizes(largest).contains(&4));
    assert_eq!(sizes(6), BTreeSet::from([2, 4]));
}

#[test]
fn clusters_that_order_events_have_two_thousand_states_at_most() {
    let pair = |at: usize| format!("seq(a{at} -- m{at} -> b{at}, a{at} -- n{at} -> b{at})");
    let pairs: Vec<_> = (0..5).map(pair).collect();
    // Each pair alone has six states, and all of them together have them independently.
    let text = format!("par(seq({}), z -- x -> y)", pairs.join(","));
    let report = compile_text(&text, &Config::default()).report;
    assert!(report.order_clusters.contains(&6), "{:?}", report.order_clusters);
    assert!(report.order_clusters.iter().all(|it| *it <= 2_000), "{:?}", report.order_clusters);
    assert!(report.clusters.iter().all(|it| *it <= 4_000), "{:?}", report.clusters);
}

#[test]
fn every_construct_is_blamed_by_its_name_and_place() {
    let none = Config { linearize: false, ..Config::default() };
    let of = |text: &str, config: &Config| {
        let config = Config { limits: Limits { states: 0, ..Limits::default() }, ..*config };
        let compiled = compile_text(text, &config);
        let Central::Unsupported(blamed) = compiled.bundle.central else { panic!("{text}") };
        assert_eq!(compiled.report.unsupported.as_ref(), Some(&blamed));
        assert_eq!(blamed.limit, "more than 0 states");
        (blamed.construct, blamed.place)
    };
    let named = |construct: &str, place: &str| (construct.to_owned(), place.to_owned());
    for (name, head) in
        [("`loopW`", "loopW"), ("`loopP`", "loopP"), ("`loopC`", "loopC(a)"), ("`loopH`", "loopH")]
    {
        let place = format!("{head}(seq(a -- m -> b, b -- n -> a))");
        let text = format!("seq(c -- k -> a, {place}, par(a -- x -> b, c -- y -> b))");
        assert_eq!(of(&text, &none), named(name, &place), "{text}");
    }
    // Without a loop that grows, what is concurrent; without that, the whole.
    for (name, place) in [
        ("`par`", "par(a -- x -> b, c -- y -> b)"),
        ("`coreg`", "coreg(b)(a -- x -> b, c -- y -> b)"),
        ("`seq`", "seq(a -- x -> b, c -- y -> b)"),
    ] {
        let text = format!("strict(loopS(a -- m -> b), {place})");
        assert_eq!(of(&text, &none), named(name, place), "{text}");
    }
    for (name, text) in [
        ("`seq`", "seq(a -- x -> b, c -- y -> d)"),
        ("`strict`", "strict(a -- x -> b, c -- y -> d)"),
        ("`alt`", "alt(a -- x -> b, c -- y -> d)"),
        ("`loopS`", "loopS(a -- x -> b)"),
        ("a message passing", "{a!x}"),
        ("the empty interaction", "o"),
    ] {
        assert_eq!(of(text, &none), named(name, text), "{text}");
    }
    // What was linearised is another term, and blamed where it stands.
    let place = "par(seq(a -- m -> b, b -- n -> a), c -- k -> a)";
    let text = format!("strict(a -- x -> b, {place})");
    assert_eq!(of(&text, &Config::default()), named("`par`", place));
}

#[test]
fn a_limit_on_states_allows_as_many() {
    let text = "seq(a -- m -> b, b -- n -> c, par(c -- x -> a, b -- y -> c))";
    let of = |states| {
        let limits = Limits { states, ..Limits::default() };
        compile_text(text, &Config { limits, clusters: false, ..Config::default() })
    };
    let states = of(1_000).report.passes[0].states;
    assert!(states > 5, "{states}");
    assert!(of(states).bundle == of(1_000).bundle);
    for fewer in 0..states {
        let Compiled { bundle, report } = of(fewer);
        let blamed = report.unsupported.expect("it does not fit");
        assert_eq!(blamed.limit, format!("more than {fewer} states"));
        assert!(bundle.locals.iter().all(|it| it.forward.is_some()), "they have their own limit");
    }
}

/// Terms may weigh as many times what the whole does as the limit on growth says, and 16 symbols more each time.
#[test]
fn a_limit_on_growth_compares_terms_with_the_whole() {
    let mut at_limit = 0;
    for actions in 1..40 {
        let body = (0..actions).map(|it| format!("{{a!m{it}}}")).collect::<Vec<_>>().join(",");
        let text = format!("loopS(seq({body},o))");
        let parsed = hif::parse(&Source::new("f", &text), None).expect("an interaction");
        let mut store = TermStore::new();
        let term = store.intern(&parsed.interaction).root();
        let letters = parsed.interaction.actions().zip((0..).map(LetterId::new));
        let mut automaton = TermAutomaton::new(store, letters, None);
        let explored = |automaton: &mut TermAutomaton, growth| {
            synthesize(automaton, term, &Limits { growth, ..Limits::default() })
        };
        let nfa = explored(&mut automaton, 100).expect("a small automaton");
        let weight =
            |automaton: &TermAutomaton, state| automaton.store().weight(automaton.term(state));
        let heaviest = nfa.states().map(|it| weight(&automaton, it)).max().expect("a state");
        let allowed = automaton.store().weight(term) + 16;
        let made = explored(&mut automaton, 1);
        match heaviest <= allowed {
            true => assert_eq!(made, Ok(nfa), "{text}"),
            false => assert_eq!(made, Err(LimitExceeded::Growth(1)), "{text}"),
        }
        at_limit += usize::from(heaviest == allowed);
    }
    assert!(at_limit > 0, "some term has the most weight");
}

const AT_ONCE: Limits = Limits {
    states: 100_000,
    growth: 4,
    local_states: 20_000,
    local_bytes: 64 << 20,
    work: 100_000_000,
    time: Some(Duration::ZERO),
};

#[test]
fn a_compilation_that_ran_out_of_time_says_so() {
    for clusters in [false, true] {
        let config = Config { clusters, ..Config::default() };
        let late = Config { limits: AT_ONCE, ..config };
        // The verifier of a location that does nothing takes no time.
        for text in ["a -- m -> b", "seq(a -- m -> b, loopP(c -- n ->|))"] {
            let in_time = compile_text(text, &config);
            assert!(!in_time.report.timed_out && !in_time.bundle.provenance.timed_out, "{text}");
            let compiled = compile_text(text, &late);
            assert!(compiled.report.timed_out && compiled.bundle.provenance.timed_out, "{text}");
            let blamed = compiled.report.unsupported.expect("it is late");
            assert_eq!(blamed.limit, "more than 0ns of work");
        }
    }
}

/// A row of states that the first location alone walks, of this length.
fn row(alphabet: &Alphabet, length: usize) -> Nfa {
    let letter = alphabet.letters().next().expect("a letter").index();
    let edges = (0..length).map(|at| (at, letter, at + 1));
    crate::automata::nfa(length + 1, [0], [length], edges)
}

#[test]
fn an_automaton_whose_tables_are_late_says_so() {
    let alphabet = crate::automata::alphabet();
    let of = |length, limits| {
        let config = Config { limits, ..Config::default() };
        compile_automaton(alphabet.clone(), row(&alphabet, length), provenance(), &config)
    };
    let short = of(2, AT_ONCE);
    assert!(!short.report.timed_out && !short.bundle.provenance.timed_out);
    let long = of(100, AT_ONCE);
    assert!(long.report.timed_out && long.bundle.provenance.timed_out);
    assert!(long.bundle.locals[0].forward.is_none());
    let late = NoTable::Limit(LimitExceeded::Time(Duration::ZERO));
    assert_eq!(long.report.locals[0].forward, Err(late));
    let in_time = of(100, Limits::default());
    assert!(!in_time.report.timed_out && in_time.bundle.locals[0].forward.is_some());
    // What is late is missing as a whole: no table is the last one that was in time.
    for length in 2..100 {
        for local in of(length, AT_ONCE).bundle.locals {
            assert!(local.forward.is_none_or(|it| it.start_anywhere.is_some()), "{length}");
            assert!(local.backward.is_none_or(|it| it.open_end.is_some()), "{length}");
        }
    }
    // One table may be late and the other not: sets of states are closed less often backwards.
    let between = (2..100).map(|length| of(length, AT_ONCE)).find(|it| {
        let local = &it.bundle.locals[0];
        local.forward.is_some() != local.backward.is_some()
    });
    assert!(between.expect("one table takes longer").report.timed_out);
}

#[test]
fn a_report_has_the_sizes_of_terms_passes_and_tables() {
    let config = Config { linearize: false, persistent_terms: false, ..Config::default() };
    let compiled = compile_text("seq(a -- m -> b, a -- n -> b)", &config);
    let report = &compiled.report;
    let passes: Vec<_> =
        report.passes.iter().map(|it| (it.name, it.states, it.transitions)).collect();
    // One location after the other, since either order will do.
    assert_eq!(
        passes,
        [("synthesise", 6, 6), ("trim", 6, 6), ("merge", 6, 6), ("persist", 5, 4), ("merge", 5, 4)]
    );
    // Four actions, two passings and the whole; then no weak order.
    assert_eq!(report.terms, Some((7, 7)));
    let locations: Vec<_> =
        report.locals.iter().map(|it| (it.location.as_str(), it.letters)).collect();
    assert_eq!(locations, [("a", 2), ("b", 2)]);
    for (local, made) in report.locals.iter().zip(&compiled.bundle.locals) {
        let (forward, table) =
            (local.forward.as_ref().expect("a table"), made.forward.as_ref().expect("a table"));
        assert_eq!((forward.states, forward.partial), (table.state_count(), true));
        let backward = local.backward.as_ref().expect("a table");
        assert_eq!(backward.states, made.backward.as_ref().expect("a table").begun.len());
    }
}

#[test]
fn progress_ends_with_all_states_found() {
    let parsed = hif::parse(&Source::new("f", "seq(a -- m -> b, b -- n -> a)"), None).expect("one");
    let locations = Locations::discrete(&parsed.signature);
    let spec = InteractionSpec {
        signature: &parsed.signature,
        interaction: &parsed.interaction,
        locations: &locations,
        place_of: &|_| String::new(),
    };
    let (config, progress) =
        (Config { clusters: false, ..Config::default() }, CompileProgress::default());
    let compiled = compile_interaction_watched(spec, provenance(), &config, &progress);
    assert_eq!(progress.step(), "done");
    assert_eq!(progress.states(), compiled.report.passes[0].states);
}
