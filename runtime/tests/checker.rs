//! The door of the runtime, on bundles made by hand: which engine it chooses, why it refuses, the failures that gaps
//! excuse, and that no session leaves a trace in the next.

use multitrace_formats::bundle::{
    Automaton, Bundle, Central, LocalVerifier, Provenance, SpecText, Unsupported,
};
use multitrace_interaction::{
    Alphabet, Engine, Id, InconclusiveReason, LetterId, LocationId, Nfa, Observation, Session,
    StateId, Transition, Verdict,
};
use multitrace_runtime::{CheckConfig, Checker, EngineChoice, Gaps, Monitor, NoEngine};

/// `a` sends, `b` receives; then `b` answers or not.
fn monitor(central: impl FnOnce(Nfa) -> Central) -> Monitor {
    let mut alphabet = Alphabet::default();
    let [a, b] = ["a", "b"].map(|name| alphabet.add_location(name).expect("a new name"));
    let letters = [("a!ask", a), ("b?ask", b), ("b!yes", b), ("a?yes", a)]
        .map(|(name, location)| alphabet.add_letter(name, location).expect("a new name"));
    let transition = |(index, letter)| Transition {
        from: StateId::new(index),
        letter,
        to: StateId::new(index + 1),
    };
    let transitions = letters.into_iter().enumerate().map(transition).collect();
    let finals = [StateId::new(2), StateId::new(4)];
    let nfa = Nfa::new(5, vec![StateId::new(0)], finals, transitions).expect("states in range");
    let local = |location: LocationId| LocalVerifier {
        letters: alphabet.letters().filter(|&l| alphabet.location_of(l) == location).collect(),
        forward: None,
        backward: None,
    };
    Monitor::new(Bundle {
        provenance: Provenance::new("test", "test", b"", String::new()),
        text: SpecText::default(),
        observation: Observation::Complete,
        events: None,
        locals: alphabet.locations().map(local).collect(),
        alphabet,
        source: None,
        has_only_multi_traces: false,
        balance: Default::default(),
        central: central(nfa),
    })
}

fn with_automaton() -> Monitor {
    monitor(|nfa| Central::Automaton(Automaton { full: nfa.clone(), search: nfa }))
}

fn session(logs: [&[usize]; 2]) -> Session {
    let trace = logs.map(|log| log.iter().map(|&letter| LetterId::new(letter)).collect());
    Session { trace: trace.to_vec(), ..Session::default() }
}

#[test]
fn the_engine_is_chosen_once_and_refused_with_a_reason() {
    let with = |monitor: &Monitor, engine| {
        let config = CheckConfig { engine, ..CheckConfig::default() };
        Checker::new(monitor, config).map(|checker| checker.engine())
    };
    let automaton = with_automaton();
    for engine in [EngineChoice::Auto, EngineChoice::Nfa] {
        assert_eq!(with(&automaton, engine), Ok(Engine::Nfa));
    }
    let refused = with(&automaton, EngineChoice::Term).expect_err("there are no terms");
    assert_eq!(refused, NoEngine::NoTerms);
    let text = "an automaton that was given directly has no terms; use ‹engine=nfa›";
    assert_eq!(refused.to_string(), text);
    let unsupported = Unsupported {
        limit: "more than 10 states".to_owned(),
        construct: "par".to_owned(),
        place: "x.hif:1:2".to_owned(),
    };
    let neither = monitor(|_| Central::Unsupported(unsupported.clone()));
    for engine in [EngineChoice::Auto, EngineChoice::Nfa, EngineChoice::Term] {
        let refused = with(&neither, engine).expect_err("there is nothing to run on");
        assert_eq!(refused, NoEngine::NoAutomaton(unsupported.clone()));
        let text = "there is no automaton: par at x.hif:1:2 gives more than 10 states";
        assert_eq!(refused.to_string(), text);
    }
}

#[test]
fn gaps_excuse_what_they_explain_and_nothing_else() {
    let monitor = with_automaton();
    let mut checker = Checker::new(&monitor, CheckConfig::default()).expect("an automaton");
    let whole = session([&[0], &[1]]);
    let (silent, early) = (session([&[0], &[]]), session([&[0, 3], &[1]]));
    let wrong = session([&[3, 0], &[]]);
    let mut check = |session: &Session, gaps| checker.check_with_gaps(session, gaps).verdict;
    let is_local = |verdict: &Verdict| matches!(verdict, Verdict::Fail(failure) if failure.main().name() == "local");
    for gaps in [Gaps::None, Gaps::Locations, Gaps::Ends] {
        assert_eq!(check(&whole, gaps), Verdict::Pass);
        assert!(is_local(&check(&wrong, gaps)), "{gaps:?}");
    }
    let inconclusive = Verdict::Inconclusive;
    assert_eq!(check(&whole, Gaps::Events), inconclusive(InconclusiveReason::Damaged));
    let partial = InconclusiveReason::Partial(vec![LocationId::new(1)]);
    assert_eq!(check(&silent, Gaps::Locations), inconclusive(partial));
    assert_eq!(check(&early, Gaps::Ends), inconclusive(InconclusiveReason::CutOff));
    for (session, gaps) in [(&silent, Gaps::None), (&early, Gaps::Locations)] {
        assert!(matches!(check(session, gaps), Verdict::Fail(_)), "{gaps:?}");
    }
}

#[test]
fn answers_do_not_depend_on_the_sessions_before() {
    let monitor = with_automaton();
    let sessions = [
        session([&[0], &[1]]),
        session([&[0, 3], &[1, 2]]),
        session([&[], &[]]),
        session([&[0, 3], &[1]]),
        session([&[3], &[1]]),
    ];
    for observation in [
        Observation::Complete,
        Observation::Missing,
        Observation::Prefix,
        Observation::Slice,
        Observation::GlobalPrefix,
    ] {
        for witness in [false, true] {
            let config = CheckConfig { observation, witness, ..CheckConfig::default() };
            let checker = || Checker::new(&monitor, config).expect("an automaton");
            let mut kept = checker();
            for turn in 0..3 {
                for session in &sessions {
                    assert_eq!(kept.check(session), checker().check(session), "{observation:?}");
                }
                if turn == 1 {
                    kept.reset();
                }
            }
        }
    }
}
