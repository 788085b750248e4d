//! Examples 1 to 8 of paper 004, one by one: projections, areas, intersections of areas, and verdicts.
//!
//! The paper slips in four places, where we follow its definitions:
//! * example 4 says the third area of fig. 4(a) is also that of `{1,4} –c→ {1,4}`; that transition
//!   reads d, and its area is the second one (d and b);
//! * fig. 5(a) leaves out `2 –e→ 3`, which defs. 6 and 8 put into Area(c);
//! * example 8 says that Inter has no transition; def. 9 leaves the unreachable `2 –e→ 3`. There is
//!   no accepting path either way;
//! * Algorithm 2 returns Pass inside its loop, at the first final state; acceptance is decided at
//!   the end of the trace ([`a_local_trace_is_judged_at_its_end`]).

use crate::common;
use fig_3::{A, B, C, D, E};
use multitrace_compiler::{
    Compiled, Config, Limits, Projection, compile_automaton, merge, project, synthesize, trim,
};
use multitrace_formats::bundle::{Areas, DEAD};
use multitrace_interaction::{
    Alphabet, Cause, Id, LetterId, LocalFailure, LocationId, Locations, Nfa, Observation, Session,
    StateId, TermAutomaton, TermStore, Transition, TransitionId, Verdict,
};
use multitrace_runtime::{CheckConfig, Monitor, replay};
use std::collections::{BTreeMap, BTreeSet};

/// The automaton of fig. 3(a), that of fig. 2(b) with one letter per action.
mod fig_3 {
    /// `from –letter→ to`.
    pub(crate) type Edge = (usize, char, usize);
    pub(crate) const A: Edge = (0, 'a', 3);
    pub(crate) const B: [Edge; 2] = [(0, 'b', 1), (4, 'b', 1)];
    pub(crate) const C: [Edge; 2] = [(0, 'c', 2), (4, 'c', 2)];
    pub(crate) const D: Edge = (1, 'd', 4);
    pub(crate) const E: Edge = (2, 'e', 3);
    pub(crate) const ALL: [Edge; 7] = [A, B[0], B[1], C[0], C[1], D, E];
    /// The letters of each location: l1, l2, l3.
    pub(crate) const LETTERS: [&str; 3] = ["ae", "cd", "b"];
}

type Edges = BTreeSet<fig_3::Edge>;

fn edges<const N: usize>(list: [fig_3::Edge; N]) -> Edges {
    list.into_iter().collect()
}

fn alphabet() -> Alphabet {
    let mut alphabet = Alphabet::default();
    for (index, letters) in fig_3::LETTERS.iter().enumerate() {
        let location = alphabet.add_location(&format!("l{}", index + 1)).expect("a new name");
        for letter in letters.chars() {
            alphabet.add_letter(&letter.to_string(), location).expect("a new name");
        }
    }
    alphabet
}

fn letter(letter: char) -> LetterId {
    alphabet().letter(&letter.to_string()).expect("a letter")
}

fn nfa() -> Nfa {
    let transition = |&(from, read, to): &fig_3::Edge| Transition {
        from: StateId::new(from),
        letter: letter(read),
        to: StateId::new(to),
    };
    let transitions = fig_3::ALL.iter().map(transition).collect();
    Nfa::new(5, [StateId::new(0)], [StateId::new(3)], transitions).expect("states in range")
}

fn edge(transition: Transition) -> fig_3::Edge {
    let name = alphabet().letter_name(transition.letter).to_owned();
    let read = name.chars().next().expect("a letter");
    (transition.from.index(), read, transition.to.index())
}

fn edges_of(nfa: &Nfa, ids: impl IntoIterator<Item = TransitionId>) -> Edges {
    ids.into_iter().map(|id| edge(nfa.transitions()[id.index()])).collect()
}

/// The projection onto the letters of a location, l1 being 0.
fn projection(location: usize) -> Projection {
    let mut letters: Vec<_> = fig_3::LETTERS[location].chars().map(letter).collect();
    letters.sort();
    project(&nfa(), &letters, &Limits::default()).expect("a small automaton")
}

fn areas(projection: &Projection) -> &Areas {
    projection.table.areas.as_ref().expect("areas of a global automaton")
}

/// The verifier state of a set of states of the automaton.
fn state_of(projection: &Projection, set: &[usize]) -> usize {
    let found = projection.subsets.iter().position(|subset| subset.ones().eq(set.iter().copied()));
    found.unwrap_or_else(|| panic!("no state {set:?}"))
}

/// Where a verifier state goes by a letter: the set of states, and the area on the way.
fn step(location: usize, from: &[usize], read: char) -> Option<(Vec<usize>, Edges)> {
    let projection = projection(location);
    let width = fig_3::LETTERS[location].len();
    let column = fig_3::LETTERS[location].find(read).expect("a letter of the location");
    let cell = state_of(&projection, from) * width + column;
    let target = projection.table.next[cell];
    if target == DEAD {
        return None;
    }
    let set = projection.subsets[target as usize].ones().collect();
    let areas = areas(&projection);
    Some((set, edges_of(&nfa(), areas.transitions(areas.of[cell]))))
}

fn monitor() -> Monitor {
    let config = Config {
        linearize: false,
        persistent_terms: false,
        merge: false,
        persistent_states: false,
        ..Config::default()
    };
    let compiled = compile_automaton(alphabet(), nfa(), common::provenance(), &config);
    assert_eq!(compiled.bundle.automaton().expect("an automaton").full, nfa(), "nothing to reduce");
    Monitor::new(compiled.bundle)
}

/// One text of letters per location.
fn session(traces: [&str; 3]) -> Session {
    let trace = traces.map(|text| text.chars().map(letter).collect());
    Session { id: "example".to_owned(), trace: trace.to_vec(), ..Session::default() }
}

fn verdict_of(monitor: &Monitor, session: &Session) -> Verdict {
    let mut verdicts = Vec::new();
    for (name, check) in common::checks(Observation::Complete) {
        let checked = common::check(monitor, session, &check);
        assert_eq!(checked.witness.is_some(), checked.verdict == Verdict::Pass, "{name}");
        if let Some(witness) = &checked.witness {
            replay(monitor, session, witness, Observation::Complete).expect("the witness replays");
        }
        verdicts.push((name, checked.verdict));
    }
    let (_, first) = verdicts[0].clone();
    for (name, verdict) in &verdicts {
        assert_eq!(*verdict, first, "{name} against {}", verdicts[0].0);
    }
    first
}

fn verdict(traces: [&str; 3]) -> Verdict {
    verdict_of(&monitor(), &session(traces))
}

/// Area(μ) of each location, and Inter.
fn session_areas(traces: [&str; 3]) -> (Vec<Edges>, Edges) {
    let areas = monitor().areas(&session(traces), Observation::Complete);
    let areas = areas.expect("every local trace is possible");
    let of = areas.of.into_iter().map(|area| edges_of(&nfa(), area)).collect();
    (of, edges_of(&nfa(), areas.inter))
}

/// Fig. 1. Its last message, `end`, is called `fin`.
const MQTT: &str = "seq(
    clt1 -- begin -> brok,
    alt(
        seq(
            loopS(clt1 -- pub -> brok),
            clt2 -- sub -> brok,
            loopS(seq(clt1 -- pub -> brok, brok -- pub -> clt2))
        ),
        loopS(clt1 -- pub -> brok)
    ),
    clt1 -- fin -> brok
)";

fn mqtt_verdict(htf: &str) -> Verdict {
    let (signature, interaction) = common::parse(MQTT);
    let mut verdicts = Vec::new();
    for (name, config) in common::configs() {
        let locations = Locations::discrete(&signature);
        let Compiled { bundle, report } =
            common::compile(&signature, &interaction, &locations, &config);
        if report.unsupported.is_none() {
            let monitor = Monitor::new(bundle);
            let session = common::session(htf, monitor.alphabet());
            verdicts.push((name, verdict_of(&monitor, &session)));
        }
    }
    let (_, first) = verdicts.first().expect("an automaton").clone();
    for (name, verdict) in &verdicts {
        assert_eq!(common::verdict_name(verdict), common::verdict_name(&first), "{name}");
    }
    first
}

#[test]
fn example_1_is_accepted() {
    let htf = "{[clt1] clt1!begin.clt1!pub.clt1!fin;
                [brok] brok?begin.brok?pub.brok?fin; [clt2] }";
    assert_eq!(mqtt_verdict(htf), Verdict::Pass);
}

#[test]
fn example_2_is_locally_correct_and_not_accepted() {
    let htf = "{[clt1] clt1!begin.clt1!pub.clt1!fin;
                [brok] brok?begin.brok?pub.brok?fin; [clt2] clt2!sub}";
    let verdict = mqtt_verdict(htf);
    let global = matches!(common::verdict_name(&verdict), "inter" | "central");
    assert!(global, "not {}", common::verdict_name(&verdict));
}

/// Fig. 2(a).
const FIG_2: &str = "alt(m4 -> l1, strict(loopS(l3 -- m2 -> l2), l2 -- m3 -> l1))";

/// Which action each letter of fig. 3(a) stands for.
const ACTIONS: [(char, &str); 5] =
    [('a', "l1?m4"), ('b', "l3!m2"), ('c', "l2!m3"), ('d', "l2?m2"), ('e', "l1?m3")];

/// The automaton synthesised from fig. 2(a), over the letters of fig. 3(a).
fn synthesized() -> Nfa {
    let (signature, interaction) = common::parse(FIG_2);
    let mut store = TermStore::new();
    let term = store.intern(&interaction).root();
    let names: BTreeMap<&str, char> =
        ACTIONS.iter().map(|&(letter, name)| (name, letter)).collect();
    let letters = interaction
        .actions()
        .map(|action| (action, letter(names[signature.action_text(action).as_str()])));
    let mut automaton = TermAutomaton::new(store, letters, None);
    synthesize(&mut automaton, term, &Limits::default()).expect("a small automaton")
}

fn successors(nfa: &Nfa, states: &BTreeSet<StateId>, letter: LetterId) -> BTreeSet<StateId> {
    states.iter().flat_map(|&state| nfa.reading(state, letter)).map(|t| t.to).collect()
}

/// A shortest word that one automaton accepts and the other does not.
fn difference(left: &Nfa, right: &Nfa) -> Option<String> {
    let start = |nfa: &Nfa| nfa.initial().iter().copied().collect::<BTreeSet<_>>();
    let accepts = |nfa: &Nfa, set: &BTreeSet<StateId>| set.iter().any(|&s| nfa.is_final(s));
    let first = (start(left), start(right));
    let mut seen = BTreeSet::from([first.clone()]);
    let mut queue = std::collections::VecDeque::from([(first, String::new())]);
    while let Some(((l, r), word)) = queue.pop_front() {
        if accepts(left, &l) != accepts(right, &r) {
            return Some(word);
        }
        for (name, _) in ACTIONS {
            let next = (successors(left, &l, letter(name)), successors(right, &r, letter(name)));
            if seen.insert(next.clone()) {
                queue.push_back((next, format!("{word}{name}")));
            }
        }
    }
    None
}

#[test]
fn fig_2_gives_the_automaton_of_fig_3() {
    let synthesized = synthesized();
    assert_eq!(difference(&synthesized, &nfa()), None, "as synthesised");
    let merged = merge(&trim(&synthesized));
    assert_eq!(difference(&merged, &nfa()), None, "merged");
    let size = |nfa: &Nfa| (nfa.state_count(), nfa.transitions().len());
    assert_eq!(size(&merged), size(&nfa()), "fig. 3(a) has no state to spare");
}

#[test]
fn fig_2_gives_the_verdicts_of_fig_3() {
    let (signature, interaction) = common::parse(FIG_2);
    let locations = Locations::discrete(&signature);
    let rename = |word: &str| -> String {
        let actions: BTreeMap<char, &str> = ACTIONS.into_iter().collect();
        word.chars().map(|letter| actions[&letter]).collect::<Vec<_>>().join(".")
    };
    for traces in [["a", "", ""], ["e", "dddc", "bbb"], ["e", "dddc", "bb"], ["e", "cd", "bbbb"]] {
        let [l1, l2, l3] = traces.map(rename);
        let htf = format!("{{[l1] {l1}; [l2] {l2}; [l3] {l3}}}");
        let expected = common::verdict_name(&verdict(traces));
        for (name, config) in common::configs() {
            let compiled = common::compile(&signature, &interaction, &locations, &config);
            let monitor = Monitor::new(compiled.bundle);
            let found = verdict_of(&monitor, &common::session(&htf, monitor.alphabet()));
            let passes = |name: &str| name == "pass";
            let found = common::verdict_name(&found);
            assert_eq!(passes(found), passes(expected), "{traces:?} {name}");
            assert_eq!(found == "local", expected == "local", "{traces:?} {name}");
        }
    }
}

#[test]
fn example_3_projection() {
    let projection = projection(1);
    let reached = &projection.subsets[..3];
    let sets: BTreeSet<Vec<usize>> = reached.iter().map(|set| set.ones().collect()).collect();
    let expected = [vec![0, 1, 3], vec![2, 3], vec![1, 4]];
    assert_eq!(sets, expected.iter().cloned().collect(), "the states of fig. 3(b)");
    assert_eq!(projection.table.start as usize, state_of(&projection, &[0, 1, 3]));
    for (set, is_final) in [(&[0, 1, 3][..], true), (&[2, 3], true), (&[1, 4], false)] {
        let state = state_of(&projection, set) as u32;
        assert_eq!(projection.table.is_final(state), is_final, "{set:?}");
    }
    let target = |from: &[usize], read| step(1, from, read).map(|(set, _)| set);
    for from in [&[0, 1, 3][..], &[1, 4]] {
        assert_eq!(target(from, 'c'), Some(vec![2, 3]), "{from:?} by c");
        assert_eq!(target(from, 'd'), Some(vec![1, 4]), "{from:?} by d");
    }
    assert_eq!(target(&[2, 3], 'c'), None);
    assert_eq!(target(&[2, 3], 'd'), None);
}

/// The main cause, which concerns one location.
fn local_failure(traces: [&str; 3]) -> LocalFailure {
    match verdict(traces) {
        Verdict::Fail(failure) => match failure.main() {
            Cause::Local(failure) => failure.clone(),
            other => panic!("{traces:?} is locally correct: {}", other.name()),
        },
        other => panic!("{traces:?}: {}", other.name()),
    }
}

#[test]
fn example_3_local_error() {
    let failure = local_failure(["e", "cd", "bbbb"]);
    let expected = LocalFailure {
        location: LocationId::new(1),
        index: 1,
        event: monitor().alphabet().letter("d"),
        expected: vec![],
    };
    assert_eq!(failure, expected);
}

#[test]
fn example_4_areas_of_transitions() {
    let area = |from: &[usize], read| step(1, from, read).map(|(_, area)| area);
    assert_eq!(area(&[0, 1, 3], 'c'), Some(edges([C[0], E])));
    assert_eq!(area(&[0, 1, 3], 'd'), Some(edges([D, B[1]])));
    assert_eq!(area(&[1, 4], 'c'), Some(edges([C[1], E])));
    assert_eq!(area(&[1, 4], 'd'), Some(edges([D, B[1]])));
}

#[test]
fn example_5_init() {
    let projection = projection(1);
    let areas = areas(&projection);
    assert_eq!(edges_of(&nfa(), areas.transitions(areas.init)), edges([B[0], A]));
}

#[test]
fn example_6_areas_of_local_traces() {
    let (of, _) = session_areas(["e", "c", ""]);
    assert_eq!(of[1], edges([B[0], A, C[0], E]), "Area(c)");
    let (of, _) = session_areas(["e", "dddc", "bb"]);
    assert_eq!(of[1], edges([B[0], A, D, B[1], C[1], E]), "Area(dddc)");
}

#[test]
fn example_7_central_error() {
    let traces = ["e", "dddc", "bb"];
    let (_, inter) = session_areas(traces);
    assert_eq!(inter, edges([B[0], B[1], D, C[1], E]), "fig. 6");
    assert_eq!(common::verdict_name(&verdict(traces)), "central");
    assert_eq!(verdict(["e", "dddc", "bbb"]), Verdict::Pass, "with the third b");
}

#[test]
fn example_8_inter_error() {
    let traces = ["e", "dddc", ""];
    let (of, inter) = session_areas(traces);
    assert_eq!(of[2], edges([C[0], A, E]), "Area(ε) of l3");
    assert_eq!(inter, edges([E]));
    assert_eq!(common::verdict_name(&verdict(traces)), "inter");
}

#[test]
fn a_local_trace_is_judged_at_its_end() {
    // The verifier of l2 passes through a final state (nothing read yet) and ends in another one.
    let failure = local_failure(["e", "d", "b"]);
    assert_eq!((failure.location, failure.index, failure.event), (LocationId::new(1), 1, None));
    let letter = |name| monitor().alphabet().letter(name).expect("a letter");
    assert_eq!(
        failure.expected,
        BTreeSet::from_iter(["c", "d"].map(letter)).into_iter().collect::<Vec<_>>()
    );
}

#[test]
fn weak_verdicts_of_the_same_sessions() {
    let check = |traces, observation| {
        let check = CheckConfig { observation, ..CheckConfig::default() };
        let verdict = common::check(&monitor(), &session(traces), &check).verdict;
        common::verdict_name(&verdict)
    };
    // Two b are enough for two d; c and e go unobserved.
    assert_eq!(check(["", "dd", "bb"], Observation::Prefix), "weak_pass");
    // l3 may have stopped early, but not begun late.
    assert_eq!(check(["e", "dddc", "bb"], Observation::Prefix), "weak_pass");
    assert_eq!(check(["e", "dc", "bb"], Observation::Prefix), "central");
    // l2 may have begun late.
    assert_eq!(check(["e", "dc", "bb"], Observation::Slice), "weak_pass");
    assert_eq!(check(["", "cd", ""], Observation::Slice), "local");
}
