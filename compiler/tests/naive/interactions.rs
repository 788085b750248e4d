//! Whole compilations of interactions, compared with their denotations.

use crate::automata::{language, words};
use multitrace_compiler::{
    CompileProgress, Compiled, Config, InteractionSpec, LimitExceeded, Limits, NoTable,
    compile_automaton, compile_interaction, compile_interaction_watched, synthesize,
};
use multitrace_formats::bundle::{Central, DEAD, LocalVerifier, Provenance};
use multitrace_formats::hif;
use multitrace_formats::source::Source;
use multitrace_interaction::{
    Action, Alphabet, Id, Interaction, LetterId, Locations, Nfa, NodeId, Signature, Step,
    TermAutomaton, TermStore,
};
use multitrace_testing::cases;
use multitrace_testing::denotations::{
    any_interaction, any_locations, language as denotation, project, signature,
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
    compile_interaction(spec, provenance(), config).expect("its terms are within the limits")
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
    compile_interaction(spec, provenance(), config).expect("its terms are within the limits")
}

/// No reduction, and every one alone.
fn configs() -> Vec<Config> {
    let none = Config {
        linearize: false,
        persistent_terms: false,
        merge: false,
        persistent_states: false,
        ..Config::default()
    };
    vec![
        Config::default(),
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
        let config = Config::default();
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
    // Without a loop that grows, the concurrent part; without that, the whole.
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
    // A linearised part is another term, and blamed where it stands.
    let place = "par(seq(a -- m -> b, b -- n -> a), c -- k -> a)";
    let text = format!("strict(a -- x -> b, {place})");
    assert_eq!(of(&text, &Config::default()), named("`par`", place));
}

#[test]
fn a_limit_on_states_allows_as_many() {
    let text = "seq(a -- m -> b, b -- n -> c, par(c -- x -> a, b -- y -> c))";
    let of = |states| {
        let limits = Limits { states, ..Limits::default() };
        compile_text(text, &Config { limits, ..Config::default() })
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

/// Terms may weigh as many times the weight of the whole as the limit on growth says, and 16 symbols more each time.
#[test]
fn a_limit_on_growth_compares_terms_with_the_whole() {
    let mut at_limit = 0;
    for actions in 1..40 {
        let body = (0..actions).map(|it| format!("{{a!m{it}}}")).collect::<Vec<_>>().join(",");
        let text = format!("loopS(seq({body},o))");
        let parsed = hif::parse(&Source::new("f", text.as_str()), None).expect("an interaction");
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
    memory: 2 << 30,
    time: Some(Duration::ZERO),
};

#[test]
fn a_compilation_that_ran_out_of_time_says_so() {
    let late = Config { limits: AT_ONCE, ..Config::default() };
    // The verifier of a location that does nothing takes no time.
    for text in ["a -- m -> b", "seq(a -- m -> b, loopP(c -- n ->|))"] {
        let in_time = compile_text(text, &Config::default());
        assert!(!in_time.report.timed_out && !in_time.bundle.provenance.timed_out, "{text}");
        let compiled = compile_text(text, &late);
        assert!(compiled.report.timed_out && compiled.bundle.provenance.timed_out, "{text}");
        let blamed = compiled.report.unsupported.expect("it is late");
        assert_eq!(blamed.limit, "more than 0ns of work");
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
    // A table that is late is missing as a whole: no table is the last one that was in time.
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
    assert_eq!(report.locals.iter().map(|it| it.letters).collect::<Vec<_>>(), [2, 2]);
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
    let (config, progress) = (Config::default(), CompileProgress::default());
    let compiled = compile_interaction_watched(spec, provenance(), &config, &progress)
        .expect("its terms are within the limits");
    assert_eq!(progress.step(), "done");
    assert_eq!(progress.states(), compiled.report.passes[0].states);
}
