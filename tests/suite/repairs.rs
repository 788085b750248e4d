//! Repairs: random interactions and sessions. The distance of a complete session is that of Dijkstra's algorithm without an
//! estimate over the derivatives of the interaction, written here from the definitions (`repairs` of `runtime/tests/naive`
//! has that of all modes, on small automata); engines and reductions agree on it; the repaired session is accepted; bounds of a
//! search that was cut are bounds.

#![allow(clippy::print_stdout, reason = "tests say what they counted")]

use crate::common;
use multitrace_compiler::{Config, compile_automaton};
use multitrace_interaction::{
    Action, Alphabet, Edit, EditKind, ForeignTrace, Id, Interaction, LetterId, Locations, Nfa,
    Observation, Repair, Session, StateId, TermId, TermStore, UnknownEvent, Verdict,
};
use multitrace_reports::finding::Finding;
use multitrace_reports::groups::Fingerprint;
use multitrace_reports::session_names::SessionNames;
use multitrace_runtime::{Budget, CheckConfig, Checker, EngineChoice, Gaps, Monitor, States};
use multitrace_testing::denotations::{
    any_action, any_interaction, any_locations, language, project, signature,
};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Multi-traces come from accepted global traces of at most this many actions.
const MOST: usize = 5;
/// The oracle gives up after this many nodes.
const MOST_NODES: usize = 6_000;

const MODES: [Observation; 4] =
    [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice];

/// Locations by name with their events.
pub(crate) type Logs = Vec<(String, Vec<String>)>;

#[derive(Clone, Debug)]
enum Mutation {
    Insert(String, Index, Index),
    Remove(Index, Index),
    Swap(Index, Index),
    Truncate(Index, Index),
    Behead(Index, Index),
    Foreign(usize),
}

#[derive(Clone, Debug)]
struct Case {
    interaction: Interaction,
    locations: Locations,
    /// `None` begins with empty logs.
    word: Option<Index>,
    mutations: Vec<Mutation>,
}

fn any_event() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => any_action().prop_map(|action| signature().action_text(action)),
        1 => Just("l0!unheard".to_owned()),
    ]
}

fn any_mutation() -> impl Strategy<Value = Mutation> {
    let place = || (any::<Index>(), any::<Index>());
    prop_oneof![
        4 => (any_event(), place()).prop_map(|(event, (l, at))| Mutation::Insert(event, l, at)),
        3 => place().prop_map(|(location, at)| Mutation::Remove(location, at)),
        2 => place().prop_map(|(location, at)| Mutation::Swap(location, at)),
        1 => place().prop_map(|(location, at)| Mutation::Truncate(location, at)),
        1 => place().prop_map(|(location, at)| Mutation::Behead(location, at)),
        1 => (1_usize..3).prop_map(Mutation::Foreign),
    ]
}

fn any_case() -> impl Strategy<Value = Case> {
    let mutations = proptest::collection::vec(any_mutation(), 0..=6);
    let word = proptest::option::weighted(0.85, any::<Index>());
    (any_interaction(), any_locations(), word, mutations).prop_map(
        |(interaction, locations, word, mutations)| Case {
            interaction,
            locations,
            word,
            mutations,
        },
    )
}

impl Mutation {
    fn apply(&self, logs: &mut Logs, alphabet: &Alphabet) {
        let known = alphabet.locations().len();
        let log =
            |logs: &mut Logs, location: &Index| std::mem::take(&mut logs[location.index(known)].1);
        match self {
            // An event at its own location, or at one that does not know it.
            Mutation::Insert(event, location, at) => {
                let own = alphabet.letter(event).map(|letter| alphabet.location_of(letter).index());
                let log = &mut logs[own.unwrap_or_else(|| location.index(known))].1;
                log.insert(at.index(log.len() + 1), event.clone());
            }
            Mutation::Foreign(events) => {
                let events = (0..*events).map(|event| format!("ghost!m{event}")).collect();
                logs.push((format!("ghost{}", logs.len()), events));
            }
            Mutation::Remove(location, at) => {
                let mut events = log(logs, location);
                if !events.is_empty() {
                    events.remove(at.index(events.len()));
                }
                logs[location.index(known)].1 = events;
            }
            Mutation::Swap(location, at) => {
                let mut events = log(logs, location);
                if events.len() > 1 {
                    let at = at.index(events.len() - 1);
                    events.swap(at, at + 1);
                }
                logs[location.index(known)].1 = events;
            }
            Mutation::Truncate(location, at) => {
                let mut events = log(logs, location);
                events.truncate(at.index(events.len() + 1));
                logs[location.index(known)].1 = events;
            }
            Mutation::Behead(location, at) => {
                let mut events = log(logs, location);
                events.drain(..at.index(events.len() + 1));
                logs[location.index(known)].1 = events;
            }
        }
    }
}

impl Case {
    fn logs(&self, alphabet: &Alphabet) -> Logs {
        let name = |location| alphabet.location_name(location).to_owned();
        let mut logs: Logs = alphabet.locations().map(|l| (name(l), Vec::new())).collect();
        if let Some(word) = &self.word {
            let words = project(&language(&self.interaction, MOST), &self.locations);
            let words: Vec<_> = words.into_iter().collect();
            if !words.is_empty() {
                for (log, actions) in logs.iter_mut().zip(word.get(&words)) {
                    let text = |&action| signature().action_text(action);
                    log.1.extend(actions.iter().map(text));
                }
            }
        }
        for mutation in &self.mutations {
            mutation.apply(&mut logs, alphabet);
        }
        logs
    }
}

pub(crate) fn session(logs: &Logs, alphabet: &Alphabet) -> Session {
    let mut session =
        Session { trace: vec![Vec::new(); alphabet.locations().len()], ..Session::default() };
    for (name, events) in logs {
        let Some(location) = alphabet.location(name) else {
            let foreign = ForeignTrace { location: name.clone(), events: events.clone() };
            session.foreign.push(foreign);
            continue;
        };
        for (index, event) in events.iter().enumerate() {
            let letter = alphabet.letter(event);
            let letter = letter.filter(|&letter| alphabet.location_of(letter) == location);
            session.trace[location.index()].push(letter.unwrap_or(LetterId::UNKNOWN));
            if letter.is_none() {
                let (location, text) = (location.index(), event.clone());
                session.unknown.push(UnknownEvent { location, index, text });
            }
        }
    }
    session.unknown.sort_by_key(|unknown| (unknown.location, unknown.index));
    session
}

// ---- The oracle

/// A term, the actions of a step that has begun, and positions.
type TermNode = (TermId, Vec<Action>, Vec<usize>);

/// The distance of a complete session over the derivatives of the interaction as it was written. `None` if it takes too long.
fn distance_on_terms(case: &Case, alphabet: &Alphabet, session: &Session) -> Option<u64> {
    let mut store = TermStore::new();
    let root = store.intern(&case.interaction).root();
    let foreign: usize = session.foreign.iter().map(|f| f.events.len()).sum();
    let start: TermNode = (root, vec![], vec![0; session.trace.len()]);
    let (mut queue, mut visited) = (BTreeSet::from([(foreign as u64, start)]), BTreeSet::new());
    while let Some((cost, node)) = queue.pop_first() {
        let (term, left, positions) = &node;
        let is_read = positions.iter().zip(&session.trace).all(|(&p, local)| p == local.len());
        if is_read && left.is_empty() && store.is_nullable(*term) {
            return Some(cost);
        }
        if visited.len() > MOST_NODES {
            return None;
        }
        for (location, &position) in positions.iter().enumerate() {
            if position < session.trace[location].len() {
                let mut next = node.clone();
                next.2[location] += 1;
                queue.insert((cost + 1, next));
            }
        }
        let begun: Vec<(Vec<Action>, TermId)> = match left.as_slice() {
            [] => {
                let derivatives = store.derivatives(*term);
                let actions = |step| store.step_of(step).actions().to_vec();
                derivatives.iter().map(|d| (actions(d.step), d.residual)).collect()
            }
            left => vec![(left.to_vec(), *term)],
        };
        for (actions, residual) in begun {
            let letter = alphabet.letter(&signature().action_text(actions[0]));
            let letter = letter.expect("a letter of the interaction");
            let location = alphabet.location_of(letter).index();
            let mut next = (residual, actions[1..].to_vec(), positions.clone());
            queue.insert((cost + 1, next.clone()));
            if session.trace[location].get(positions[location]) == Some(&letter) {
                next.2[location] += 1;
                queue.insert((cost, next));
            }
        }
        visited.insert(node);
        while queue.first().is_some_and(|(_, node)| visited.contains(node)) {
            queue.pop_first();
        }
    }
    None
}

// ---- Comparing

#[derive(Debug, Default)]
struct Tally {
    distances: BTreeMap<u64, usize>,
    by_engine: BTreeMap<&'static str, usize>,
    inexact: BTreeMap<&'static str, usize>,
    oracle_gave_up: usize,
    without_automaton: usize,
    accepted: usize,
    undecided: usize,
    /// Sessions whose faults are compared on automaton and terms, and those where they differ.
    compared: usize,
    differing: usize,
}

/// One case as one engine sees it.
struct Run<'a> {
    monitor: &'a Monitor,
    engine: EngineChoice,
    session: Session,
    observation: Observation,
}

impl Run<'_> {
    fn config(&self) -> CheckConfig {
        CheckConfig { engine: self.engine, observation: self.observation, ..CheckConfig::default() }
    }

    fn repair(&self, budget: Budget) -> Repair {
        let config = CheckConfig { budget, ..self.config() };
        let mut checker = Checker::new(self.monitor, config).expect("an engine");
        let repair = checker.repair(&self.session, Gaps::None).expect("a repair");
        assert_eq!(checker.repair(&self.session, Gaps::None), Some(repair.clone()), "twice");
        repair
    }

    /// That the edits fit, and make the session accepted.
    fn judge(&self, repair: &Repair, tally: &mut Tally) -> Result<(), String> {
        let sorted =
            |a: &Edit, b: &Edit| a.location != b.location || (a.index, a.kind) <= (b.index, b.kind);
        if !repair.edits.is_sorted_by(sorted) {
            return Err(format!("unsorted {:?}", repair.edits));
        }
        let mut told: Vec<usize> =
            repair.faults.iter().flat_map(|fault| fault.edits.iter().copied()).collect();
        told.sort_unstable();
        if told != (0..repair.edits.len()).collect::<Vec<_>>() {
            return Err("an edit is not in one fault".to_owned());
        }
        let session = repair.apply(&self.session).map_err(|error| error.to_string())?;
        let mut checker = Checker::new(self.monitor, self.config()).expect("an engine");
        let verdict = checker.check(&session).verdict;
        match verdict {
            Verdict::Pass | Verdict::WeakPass => tally.accepted += 1,
            Verdict::Inconclusive(_) if self.engine == EngineChoice::Term => tally.undecided += 1,
            _ => return Err(format!("{} after {:?}", verdict.name(), repair.edits)),
        }
        Ok(())
    }

    /// Bounds of searches that are cut.
    fn judge_bounds(&self, exact: &Repair) -> Result<(), String> {
        let budget = Budget::default();
        let states = [0, 1, 3, 10, 40].map(States::Fixed);
        let states = states.map(|states| Budget { states, ..budget });
        let bytes = [0, 4_000, 30_000].map(|bytes| Budget { bytes, ..budget });
        for budget in states.into_iter().chain(bytes) {
            let cut = self.repair(budget);
            if cut.distance > exact.distance || cut.exact && cut.distance != exact.distance {
                return Err(format!("{cut:?} within {budget:?}, but {exact:?}"));
            }
            if !cut.exact && !cut.edits.is_empty() && (cut.edits.len() as u64) < exact.distance {
                return Err(format!("{cut:?} within {budget:?}, but {exact:?}"));
            }
        }
        Ok(())
    }
}

fn compare(case: &Case, tally: &mut Tally) -> Result<(), String> {
    let signature = signature();
    let compile = |mut config: Config| {
        config.limits.states = 2_000;
        let compiled = common::compile(&signature, &case.interaction, &case.locations, &config);
        Monitor::new(compiled.bundle)
    };
    let plain = common::configs().into_iter().find(|(name, _)| *name == "none").expect("a config");
    let (plain, monitor) = (compile(plain.1), compile(Config::default()));
    let logs = case.logs(plain.alphabet());
    for observation in MODES {
        let place = |text| format!("{} of {logs:?}: {text}", observation.name());
        compare_engines(case, [&plain, &monitor], &logs, observation, tally).map_err(place)?;
    }
    Ok(())
}

fn compare_engines(
    case: &Case,
    [plain, monitor]: [&Monitor; 2],
    logs: &Logs,
    observation: Observation,
    tally: &mut Tally,
) -> Result<(), String> {
    let (alphabet, given) = (plain.alphabet(), session(logs, plain.alphabet()));
    let is_complete = observation == Observation::Complete;
    let expected = is_complete.then(|| distance_on_terms(case, alphabet, &given)).flatten();
    tally.without_automaton += usize::from(plain.bundle().automaton().is_none());
    tally.oracle_gave_up += usize::from(is_complete && expected.is_none());
    let (mut known, mut said) = (expected, None);
    for (name, monitor, engine) in [
        ("reduced", monitor, EngineChoice::Nfa),
        ("plain", plain, EngineChoice::Nfa),
        ("terms", monitor, EngineChoice::Term),
    ] {
        if engine == EngineChoice::Nfa && monitor.bundle().automaton().is_none() {
            continue;
        }
        let session = session(logs, monitor.alphabet());
        let run = Run { monitor, engine, session, observation };
        let repair = run.repair(Budget::default());
        *tally.by_engine.entry(name).or_default() += 1;
        *tally.inexact.entry(name).or_default() += usize::from(!repair.exact);
        let wrong = |text| format!("{name}: {text}: {repair:?}");
        compare_repair(&run, &repair, known, tally).map_err(wrong)?;
        if repair.exact {
            // A reduction may take global orders away that no log tells apart.
            if name != "plain" {
                let places = places(&repair, &run.session, monitor.alphabet());
                tally.compared += usize::from(said.is_some());
                tally.differing += usize::from(*said.get_or_insert(places.clone()) != places);
            }
            known.get_or_insert(repair.distance);
            *tally.distances.entry(repair.distance).or_default() += 1;
        }
    }
    Ok(())
}

/// Compares a repair with the distance, as far as that is known, and with the rules that each repair keeps.
fn compare_repair(
    run: &Run<'_>,
    repair: &Repair,
    known: Option<u64>,
    tally: &mut Tally,
) -> Result<(), String> {
    if !repair.exact && run.engine == EngineChoice::Nfa {
        return Err("cut".to_owned());
    }
    let agrees =
        |known| if repair.exact { known == repair.distance } else { known >= repair.distance };
    if let Some(known) = known.filter(|&known| !agrees(known)) {
        return Err(format!("expected {known}"));
    }
    if repair.exact {
        if repair.edits.len() as u64 != repair.distance {
            return Err("another number of edits".to_owned());
        }
        run.judge_bounds(repair)?;
    }
    if repair.exact || !repair.edits.is_empty() {
        run.judge(repair, tally)?;
    }
    match repair.fitness().is_some_and(|fitness| (0.0..=1.0).contains(&fitness)) {
        true => Ok(()),
        false => Err("fitness".to_owned()),
    }
}

/// The fingerprints of the findings of a session, by kind and place.
fn places(
    repair: &Repair,
    session: &Session,
    alphabet: &Alphabet,
) -> Vec<(Fingerprint, Fingerprint)> {
    let names = SessionNames { session, alphabet };
    let findings = Finding::of_failure(Some(repair), Vec::new, &names, &None);
    findings.iter().map(|finding| (finding.kind, finding.place)).collect()
}

#[test]
fn distances_are_those_of_dijkstra() {
    let config = multitrace_testing::cases(250);
    let cases = config.cases;
    let total = RefCell::new(Tally::default());
    let result = TestRunner::new(config).run(&any_case(), |case| {
        compare(&case, &mut total.borrow_mut()).map_err(TestCaseError::fail)
    });
    let total = total.into_inner();
    println!("{cases} cases: {total:?}");
    result.unwrap_or_else(|error| panic!("{error}"));
    // The bound is a few times the number in the line above for 2,000 cases (1 or none), and of 20,000 (9 of 78,000). The four
    // sessions of a case are alike, and differ together.
    assert!(total.differing <= 6 + total.compared / 2_000, "faults depend on the engine");
    for distance in 0..4 {
        assert!(cases < 100 || total.distances.contains_key(&distance), "no distance {distance}");
    }
}

/// Sessions with gaps: the repair uses the mode that allows for them, and what it makes is not refused.
#[test]
fn repaired_sessions_with_gaps_are_not_refused() {
    let config = multitrace_testing::cases(250);
    let repaired = RefCell::new(BTreeMap::new());
    let result = TestRunner::new(config).run(&any_case(), |case| {
        let compiled =
            common::compile(&signature(), &case.interaction, &case.locations, &Config::default());
        let monitor = Monitor::new(compiled.bundle);
        let session = session(&case.logs(monitor.alphabet()), monitor.alphabet());
        for (observation, gaps) in
            MODES.into_iter().flat_map(|mode| [(mode, Gaps::Locations), (mode, Gaps::Ends)])
        {
            let config = CheckConfig { observation, ..CheckConfig::default() };
            let mut checker = Checker::new(&monitor, config).expect("an engine");
            if !matches!(checker.check_with_gaps(&session, gaps).verdict, Verdict::Fail(_)) {
                continue;
            }
            let repair = checker.repair(&session, gaps).expect("a repair");
            let after = repair.apply(&session).expect("its own session");
            if repair.edits.is_empty() {
                continue;
            }
            let verdict = checker.check_with_gaps(&after, gaps).verdict;
            let said = format!("{observation:?} {gaps:?} {session:?}: {repair:?}");
            proptest::prop_assert!(!matches!(verdict, Verdict::Fail(_)), "{said}");
            *repaired.borrow_mut().entry(gaps.name()).or_insert(0) += 1;
        }
        Ok(())
    });
    println!("{:?}", repaired.into_inner());
    result.unwrap_or_else(|error| panic!("{error}"));
}

// ---- Examples

pub(crate) fn logs(text: &[(&str, &[&str])]) -> Logs {
    let log = |&(name, events): &(&str, &[&str])| {
        (name.to_owned(), events.iter().map(|&event| event.to_owned()).collect())
    };
    text.iter().map(log).collect()
}

pub(crate) fn monitor_of(text: &str, groups: &[&[&str]]) -> Monitor {
    let (signature, interaction) = common::parse(text);
    let lifeline = |name: &&str| signature.lifeline(name).expect("a lifeline");
    let groups: Vec<Vec<_>> = groups.iter().map(|g| g.iter().map(lifeline).collect()).collect();
    let locations = Locations::new(&signature, &groups).expect("a partition");
    Monitor::new(common::compile(&signature, &interaction, &locations, &Config::default()).bundle)
}

/// The distance, the worst one and the edits as text; terms may find other edits, but not more.
fn say(monitor: &Monitor, observation: Observation, gaps: Gaps, logs: &Logs) -> String {
    let session = session(logs, monitor.alphabet());
    let names = SessionNames { session: &session, alphabet: monitor.alphabet() };
    let by = |engine| {
        let config = CheckConfig { engine, observation, ..CheckConfig::default() };
        let mut checker = Checker::new(monitor, config).expect("an engine");
        let Some(repair) = checker.repair(&session, gaps) else { return "none".to_owned() };
        assert!(repair.exact, "{repair:?}");
        let edit = |edit: &Edit| {
            let sign = if edit.kind == EditKind::Insert { '+' } else { '-' };
            let action = match edit.letter {
                LetterId::UNKNOWN => names.event(edit.location, edit.index).expect("an event"),
                letter => monitor.alphabet().letter_name(letter),
            };
            format!(" {sign}{}[{}] {action}", names.location(edit.location), edit.index)
        };
        let edits: String = repair.edits.iter().map(edit).collect();
        format!("{} of {:?}:{edits}", repair.distance, repair.worst.expect("some session"))
    };
    let (nfa, terms) = (by(EngineChoice::Nfa), by(EngineChoice::Term));
    let numbers = |said: &str| said.split(':').next().map(str::to_owned);
    assert_eq!(numbers(&nfa), numbers(&terms), "{logs:?}");
    nfa
}

#[test]
fn repairs_say_what_to_change() {
    let monitor = monitor_of("seq(a -- m -> b, b -- n -> a, a -- o -> b)", &[]);
    let accepted: &[(&str, &[&str])] =
        &[("a", &["a!m", "a?n", "a!o"]), ("b", &["b?m", "b!n", "b?o"])];
    let complete = |changed: &[(&str, &[&str])]| {
        say(&monitor, Observation::Complete, Gaps::None, &logs(changed))
    };
    assert_eq!(complete(accepted), "0 of 12:");
    assert_eq!(
        complete(&[("a", &["a!m", "a!o"]), ("b", &["b?m", "b!n", "b?o"])]),
        "1 of 11: +a[1] a?n"
    );
    assert_eq!(
        complete(&[("a", &["a!m", "a!x", "a!o"]), ("b", &["b?m", "b!n", "b?o"])]),
        "2 of 12: +a[1] a?n -a[1] a!x"
    );
    assert_eq!(
        complete(&[
            ("c", &["c!p", "c!p"]),
            ("b", &["b?m", "b!n", "b?o", "b?o"]),
            ("a", &["a!m", "a?n", "a!o"]),
            ("d", &["d!q"]),
        ]),
        "4 of 16: -b[3] b?o -c[0] c!p -c[1] c!p -d[0] d!q"
    );
    assert_eq!(
        complete(&[]),
        "6 of 6: +a[0] a!m +a[0] a?n +a[0] a!o +b[0] b?m +b[0] b!n +b[0] b?o"
    );
}

#[test]
fn what_a_mode_lets_go_unobserved_costs_nothing() {
    let monitor = monitor_of("seq(a -- m -> b, b -- n -> a, a -- o -> b)", &[]);
    let short = logs(&[("a", &["a!x", "a?n", "a!m"]), ("b", &[])]);
    let of = |observation, gaps| say(&monitor, observation, gaps, &short);
    // A slice may begin with `n`, and `m` is impossible behind it; from the beginning of a session `n` is.
    assert_eq!(of(Observation::Slice, Gaps::None), "2 of 3: -a[0] a!x -a[2] a!m");
    assert_eq!(of(Observation::Prefix, Gaps::None), "2 of 3: -a[0] a!x -a[1] a?n");
    let missing = "4 of 6: +a[0] a!m -a[0] a!x +a[2] a!o -a[2] a!m";
    assert_eq!(of(Observation::Missing, Gaps::None), missing);
    assert!(of(Observation::Complete, Gaps::None).starts_with("7 of 9:"));
    // A session with gaps is repaired in the mode that excuses them.
    assert_eq!(of(Observation::Complete, Gaps::Locations), missing);
    assert_eq!(of(Observation::Complete, Gaps::Ends), of(Observation::Prefix, Gaps::None));
    assert_eq!(of(Observation::Missing, Gaps::Ends), of(Observation::Prefix, Gaps::None));
    assert_eq!(of(Observation::Complete, Gaps::Events), "none");
    assert_eq!(of(Observation::GlobalPrefix, Gaps::None), "none");
    assert_eq!(of(Observation::GlobalPrefix, Gaps::Ends), "none");
}

/// The rest of a log can be deleted before the session goes on.
#[test]
fn a_location_goes_on_unobserved_after_deletions() {
    let monitor = monitor_of("strict(a -- m ->|, a -- n ->|, a -- o ->|, b -- p ->|)", &[]);
    let odd = logs(&[("a", &["a!m", "a!m"]), ("b", &["b!p"])]);
    let of = |observation| say(&monitor, observation, Gaps::None, &odd);
    assert_eq!(of(Observation::Prefix), "1 of 3: -a[1] a!m");
    assert_eq!(of(Observation::Slice), "1 of 3: -a[1] a!m");
    assert!(of(Observation::Missing).starts_with("3 of 7: "), "{}", of(Observation::Missing));
}

/// Without l3 the term accepts the logs as they are, although no execution does.
#[test]
fn removal_alone_would_be_too_near() {
    let monitor = monitor_of(
        "par(seq(strict(l1 -- a ->|, l3 -- e ->|), strict(l3 -- f ->|, l2 -- b ->|)), \
         strict(l2 -- d ->|, l1 -- c ->|))",
        &[],
    );
    let odd = logs(&[("l1", &["l1!c", "l1!a"]), ("l2", &["l2!b", "l2!d"])]);
    for (observation, expected) in [
        (Observation::Prefix, "1 of 4"),
        (Observation::Missing, "2 of 8"),
        (Observation::Slice, "1 of 4"),
    ] {
        let said = say(&monitor, observation, Gaps::None, &odd);
        assert!(said.starts_with(expected), "{observation:?}: {said}");
    }
}

#[test]
fn a_log_that_deletions_empty_is_not_missing() {
    let monitor = monitor_of("seq(a -- m -> b, b -- n -> a)", &[]);
    let odd = logs(&[("a", &["a!x"]), ("b", &[])]);
    let said = say(&monitor, Observation::Missing, Gaps::None, &odd);
    assert_eq!(said, "3 of 3: +a[0] a!m -a[0] a!x +a[1] a?n");
    let none = say(&monitor, Observation::Missing, Gaps::None, &logs(&[]));
    assert_eq!(none, "0 of 0:");
}

#[test]
fn locations_of_several_lifelines() {
    let monitor = monitor_of("seq(a -- m -> b, b -- n -> c)", &[&["a", "c"]]);
    let odd = logs(&[("a,c", &["c?n"]), ("b", &["b!n", "b?m"])]);
    let said = say(&monitor, Observation::Complete, Gaps::None, &odd);
    assert!(said.starts_with("3 of 7: +a,c[0] a!m"), "{said}");
}

#[test]
fn a_specification_that_accepts_nothing() {
    let mut alphabet = Alphabet::default();
    let a = alphabet.add_location("a").expect("a new name");
    let letter = alphabet.add_letter("x", a).expect("a new name");
    let state = StateId::new(0);
    let nfa = Nfa::new(1, [state], [], vec![]).expect("states in range");
    let config = Config::default();
    let compiled = compile_automaton(alphabet, nfa, common::provenance(), &config);
    let monitor = Monitor::new(compiled.bundle);
    for observation in MODES {
        let config = CheckConfig { observation, ..CheckConfig::default() };
        let session = Session { trace: vec![vec![letter]], ..Session::default() };
        let mut checker = Checker::new(&monitor, config).expect("an engine");
        let repair = checker.repair(&session, Gaps::None).expect("a bound");
        assert_eq!(
            repair,
            Repair { distance: 1, exact: false, worst: None, edits: vec![], faults: vec![] }
        );
        assert_eq!(repair.fitness(), None);
    }
}

/// More edits than the parts of a cost could hold beside their number.
#[test]
fn a_million_events_that_should_not_be_there() {
    const EXTRA: usize = 1_200_000;
    let monitor = monitor_of("seq(a -- m -> b, b -- n -> a)", &[]);
    let mut sent = vec!["a!m"; EXTRA + 1];
    sent.push("a?n");
    let odd = logs(&[("a", &sent), ("b", &["b?m", "b!n"])]);
    let session = session(&odd, monitor.alphabet());
    let mut checker = Checker::new(&monitor, CheckConfig::default()).expect("an engine");
    let repair = checker.repair(&session, Gaps::None).expect("a repair");
    assert_eq!((repair.distance, repair.exact), (EXTRA as u64, true));
    assert_eq!(repair.edits.len(), EXTRA);
}

/// A long log in a loop, with a fault here and there; and the same as a chain, of which the costs do
/// not fit the budget.
#[test]
fn long_logs() {
    const PASSINGS: usize = 3_000;
    let passing = |n: usize| format!("a -- m{} -> b", n % 7);
    let week = (0..7).map(passing).collect::<Vec<_>>().join(", ");
    let chain = (0..PASSINGS).map(passing).collect::<Vec<_>>().join(", ");
    for (text, bytes) in
        [(format!("loopS(seq({week}))"), 1 << 30), (format!("seq({chain})"), 1 << 23)]
    {
        let monitor = monitor_of(&text, &[]);
        let log = |side: &str| -> Vec<String> {
            let repetitions = PASSINGS / 7 * 7;
            let whole = if text.starts_with("loop") { repetitions } else { PASSINGS };
            (0..whole).map(|n| format!("{side}m{}", n % 7)).collect()
        };
        let mut logs: Logs = vec![("a".to_owned(), log("a!")), ("b".to_owned(), log("b?"))];
        logs[0].1.remove(1_500);
        logs[1].1.insert(100, "b?m0".to_owned());
        logs[1].1.insert(2_700, "b?nothing".to_owned());
        let session = session(&logs, monitor.alphabet());
        let budget = Budget { bytes, ..Budget::default() };
        let config = CheckConfig { budget, ..CheckConfig::default() };
        let mut checker = Checker::new(&monitor, config).expect("an engine");
        let repair = checker.repair(&session, Gaps::None).expect("a repair");
        assert!(repair.exact && repair.distance == 3, "{} {}", repair.distance, repair.exact);
        let checked = checker.check(&repair.apply(&session).expect("edits that fit"));
        assert_eq!(checked.verdict, Verdict::Pass);
    }
}

/// A checker repairs as one that has seen no session before, by both engines.
#[test]
fn repairs_do_not_depend_on_sessions_before() {
    let text = "seq(loopW(alt(a -- m -> b, b -- n -> a)), par(a -- o -> b, b -- o -> a))";
    let monitor = monitor_of(text, &[]);
    let events = ["a!m", "a?n", "a!o", "b?m", "b!n", "b?o", "b!o", "a?o"];
    let engines = [EngineChoice::Nfa, EngineChoice::Term];
    let small = Budget { states: States::Fixed(25), bytes: 12_000, time: None };
    let budgets = [Budget::default(), small];
    let mut cut = 0;
    for (engine, budget) in engines.into_iter().flat_map(|e| budgets.map(|budget| (e, budget))) {
        for observation in MODES {
            let config = CheckConfig { engine, observation, budget, ..CheckConfig::default() };
            let mut seasoned = Checker::new(&monitor, config).expect("an engine");
            for seed in 0_usize..200 {
                let drawn = (0..seed % 9).map(|n| events[(seed * 7 + n * n * 3 + n * seed) % 8]);
                let mut logs = logs(&[("a", &[]), ("b", &[])]);
                drawn.for_each(|event| {
                    logs[usize::from(event.starts_with('b'))].1.push(event.to_owned());
                });
                let session = session(&logs, monitor.alphabet());
                let mut fresh = Checker::new(&monitor, config).expect("an engine");
                let repair = seasoned.repair(&session, Gaps::None);
                assert_eq!(repair, fresh.repair(&session, Gaps::None), "{logs:?}");
                let is_exact = repair.is_some_and(|repair| repair.exact);
                assert!(is_exact || budget == small, "{logs:?}");
                cut += usize::from(!is_exact);
            }
        }
    }
    assert!(cut > 0, "the smaller budget is too large");
}
