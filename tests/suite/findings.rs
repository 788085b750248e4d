//! All findings of a session: against a naive reading of their definition, and as a gate, where a
//! new finding must never hide behind a known one.

use crate::common;
use crate::common::folder::Folder;
use crate::common::run::multitrace;
use multitrace_compiler::{Config, Limits};
use multitrace_interaction::{
    Alphabet, Cause, Failure, ForeignTrace, Id, LetterId, LocationId, Nfa, Node, Observation,
    Session, StateId, UnknownEvent, Verdict,
};
use multitrace_runtime::{CheckConfig, Monitor};
use multitrace_testing::denotations::{any_interaction, any_locations, signature};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

// ---- The definition, read naively

/// Kind, location and index of a finding.
type Found = (u8, usize, usize);

/// A specification as an automaton, with its locations.
struct Naive<'a> {
    monitor: &'a Monitor,
    full: &'a Nfa,
    observation: Observation,
}

impl Naive<'_> {
    fn location_of(&self, letter: LetterId) -> LocationId {
        self.monitor.alphabet().location_of(letter)
    }

    /// The states reached by letters that pass, from some states on.
    fn closed(
        &self,
        states: &BTreeSet<StateId>,
        passes: impl Fn(LetterId) -> bool,
    ) -> BTreeSet<StateId> {
        let (mut all, mut todo) = (states.clone(), Vec::from_iter(states.iter().copied()));
        while let Some(state) = todo.pop() {
            for transition in self.full.outgoing(state) {
                if passes(transition.letter) && all.insert(transition.to) {
                    todo.push(transition.to);
                }
            }
        }
        all
    }

    fn begin(&self, location: LocationId, anywhere: bool) -> BTreeSet<StateId> {
        let states: BTreeSet<StateId> = match anywhere {
            true => self.full.states().collect(),
            false => self.full.initial().iter().copied().collect(),
        };
        self.closed(&states, |letter| self.location_of(letter) != location)
    }

    fn read(&self, states: &BTreeSet<StateId>, letter: LetterId) -> BTreeSet<StateId> {
        let outgoing = states.iter().flat_map(|&state| self.full.outgoing(state));
        let next = outgoing.filter(|it| it.letter == letter).map(|it| it.to).collect();
        self.closed(&next, |other| self.location_of(other) != self.location_of(letter))
    }

    /// The finding in one log, and the rest of it: its known events before the first impossible one, behind which only
    /// unknown events are certain to be wrong, and whether it goes on there.
    fn log(
        &self,
        location: LocationId,
        local: &[LetterId],
        found: &mut Vec<Found>,
    ) -> (Vec<LetterId>, bool) {
        let at = location.index();
        let mut states = self.begin(location, self.observation == Observation::Slice);
        let (mut left, mut cut) = (Vec::new(), false);
        let known = local.iter().enumerate().filter(|(_, letter)| **letter != LetterId::UNKNOWN);
        let unknown = local.iter().enumerate().filter(|(_, letter)| **letter == LetterId::UNKNOWN);
        found.extend(unknown.map(|(index, _)| (0, at, index)));
        for (index, &letter) in known {
            let next = self.read(&states, letter);
            if next.is_empty() {
                found.push((1, at, index));
                cut = true;
                break;
            }
            states = next;
            left.push(letter);
        }
        let may_end = states.iter().any(|&state| self.full.is_final(state));
        if !cut && !self.observation.may_go_on(local.len()) && !may_end {
            found.push((2, at, local.len()));
            cut = true;
        }
        (left, cut)
    }

    /// Whether the rests of all logs are accepted together.
    fn accepts(&self, left: &[(Vec<LetterId>, bool)], given: &Session) -> bool {
        let may_go = |location: usize, position: usize| {
            let (log, cut) = &left[location];
            let ended = position == log.len();
            match self.observation {
                _ if *cut && ended => true,
                Observation::Missing => given.trace[location].is_empty(),
                Observation::Prefix => ended,
                Observation::Slice => ended || position == 0,
                _ => false,
            }
        };
        let start = vec![0; left.len()];
        let nodes = self.full.initial().iter().map(|&state| (state, start.clone()));
        let mut todo: Vec<(StateId, Vec<usize>)> = nodes.collect();
        let mut seen: BTreeSet<(StateId, Vec<usize>)> = todo.iter().cloned().collect();
        while let Some((state, positions)) = todo.pop() {
            let is_read = left.iter().zip(&positions).all(|((log, _), &at)| log.len() == at);
            let open = matches!(self.observation, Observation::Prefix | Observation::Slice);
            if is_read && (open || self.full.is_final(state)) {
                return true;
            }
            for transition in self.full.outgoing(state) {
                let location = self.location_of(transition.letter).index();
                let mut next = Vec::new();
                if may_go(location, positions[location]) {
                    next.push(positions.clone());
                }
                if left[location].0.get(positions[location]) == Some(&transition.letter) {
                    let mut read = positions.clone();
                    read[location] += 1;
                    next.push(read);
                }
                let next = next.into_iter().map(|positions| (transition.to, positions));
                todo.extend(next.filter(|node| seen.insert(node.clone())));
            }
        }
        false
    }

    fn findings(&self, session: &Session) -> Vec<Found> {
        let mut found = Vec::new();
        let locations = self.monitor.alphabet().locations();
        let left: Vec<_> = locations
            .map(|location| self.log(location, &session.trace[location.index()], &mut found))
            .collect();
        for (number, foreign) in session.foreign.iter().enumerate() {
            let indices = 0..foreign.events.len().max(1);
            let location = session.foreign_location(number).index();
            found.extend(indices.map(|index| (0, location, index)));
        }
        found.sort_by_key(|(kind, ..)| *kind);
        if !self.accepts(&left, session) {
            found.push((3, 0, 0));
        }
        found
    }
}

fn found(failure: &Failure, alphabet: &Alphabet) -> Vec<Found> {
    let found = |cause: &Cause| match cause {
        Cause::Local(local) => {
            let kind = match local.is_known(alphabet) {
                false => 0,
                true => 1 + u8::from(local.event.is_none()),
            };
            (kind, local.location.index(), local.index)
        }
        Cause::Inter(_) | Cause::Central(_) => (3, 0, 0),
    };
    failure.causes.iter().map(found).collect()
}

/// A session with known letters by number, and unknown events where a number is beyond them.
fn session(logs: &[Vec<u8>], foreign: &[u8], monitor: &Monitor) -> Session {
    let alphabet = monitor.alphabet();
    let mut session = Session { id: "s".to_owned(), ..Session::default() };
    for (at, location) in alphabet.locations().enumerate() {
        let own: Vec<LetterId> =
            alphabet.letters().filter(|&it| alphabet.location_of(it) == location).collect();
        let mut trace = Vec::new();
        for (index, &number) in logs.get(at).into_iter().flatten().enumerate() {
            let known = own.get(usize::from(number) % (own.len() + 1)).copied();
            if known.is_none() {
                let text = format!("x!{number}");
                session.unknown.push(UnknownEvent { location: at, index, text });
            }
            trace.push(known.unwrap_or(LetterId::UNKNOWN));
        }
        session.trace.push(trace);
    }
    if let [count, ..] = foreign {
        let events = (0..*count).map(|number| format!("y!{number}")).collect();
        session.foreign.push(ForeignTrace { location: "y".to_owned(), events });
    }
    session
}

proptest! {
    #![proptest_config(multitrace_testing::cases(600))]

    /// On compiled automata the findings are those of the definition, in its order, in every mode.
    #[test]
    fn findings_are_those_of_the_definition(
        interaction in any_interaction(),
        locations in any_locations(),
        logs in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5), 3),
        foreign in prop::collection::vec(0u8..3, 0..2),
    ) {
        let config = Config::default();
        let compiled = common::compile(&signature(), &interaction, &locations, &config);
        let monitor = Monitor::new(compiled.bundle);
        prop_assume!(monitor.bundle().automaton().is_some());
        let full = &monitor.bundle().automaton().expect("an automaton").full;
        let session = session(&logs, &foreign, &monitor);
        for observation in
            [Observation::Complete, Observation::Missing, Observation::Prefix, Observation::Slice]
        {
            let naive = Naive { monitor: &monitor, full, observation };
            let config = CheckConfig { observation, ..CheckConfig::default() };
            let verdict = common::check(&monitor, &session, &config).verdict;
            let ours = match &verdict {
                Verdict::Fail(failure) => found(failure, monitor.alphabet()),
                Verdict::Pass | Verdict::WeakPass => Vec::new(),
                Verdict::Inconclusive(reason) => panic!("undecided: {reason:?}"),
            };
            prop_assert_eq!(ours, naive.findings(&session), "{}", observation.name());
        }
    }
}

proptest! {
    #![proptest_config(multitrace_testing::cases(300))]

    /// Slices have the same findings in single logs where there is neither an automaton nor a table of a location.
    #[test]
    fn slices_without_automaton_have_the_findings_of_single_logs(
        interaction in any_interaction(),
        locations in any_locations(),
        logs in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5), 3),
    ) {
        // Steps with two events in one log are not constraints.
        let are_apart = interaction.nodes().iter().all(|node| match node {
            Node::Step(step) => {
                let at: BTreeSet<_> = step.actions().iter().map(|it| locations.of(it.lifeline)).collect();
                at.len() == step.actions().len()
            }
            _ => true,
        });
        if !are_apart {
            return Ok(());
        }
        let compile = |limits| {
            let config = Config { limits, ..Config::default() };
            Monitor::new(common::compile(&signature(), &interaction, &locations, &config).bundle)
        };
        let (with, without) =
            (compile(Limits::default()), compile(Limits { states: 1, local_states: 1, ..Limits::default() }));
        if with.bundle().automaton().is_none() || without.bundle().automaton().is_some() {
            return Ok(());
        }
        let session = session(&logs, &[], &with);
        let config = CheckConfig { observation: Observation::Slice, ..CheckConfig::default() };
        let alone = |monitor: &Monitor| match &common::check(monitor, &session, &config).verdict {
            Verdict::Fail(failure) => {
                let locals = failure.causes.iter().filter_map(|cause| match cause {
                    Cause::Local(local) if local.is_known(monitor.alphabet()) => Some((local.location, local.index, local.expected.clone())),
                    _ => None,
                });
                locals.collect()
            }
            _ => Vec::new(),
        };
        prop_assert_eq!(alone(&with), alone(&without));
    }
}

/// Without an automaton and a table a log that is impossible alone is said to be so, with what would have been possible.
#[test]
fn one_log_that_no_automaton_holds_is_judged_alone() {
    let folder = Folder::new();
    folder.file("ab.hif", "seq(loopW(a -- m -> b), a -- n -> b)");
    let line = r#"{"session":"s","traces":{"a,b":["a!n","a!m"]}}"#;
    let options = ["--locations", "a,b", "--observe", "slice", "--output-format", "json-lines"];
    let run = folder.check(&[line], &options);
    let object: serde_json::Value =
        serde_json::from_str(run.out.lines().next().expect("a line")).expect("an object");
    assert_eq!(object["cause"], "local", "{}", run.out);
    let evidence = &object["evidence"][0];
    assert_eq!((&evidence["code"], &evidence["index"]), (&"MT101".into(), &1.into()));
    assert_eq!(evidence["expected"], serde_json::json!(["b?m", "b?n"]));
    assert_eq!(object["faults"][0]["sentence"], "a!m came too late at a,b");
}

// ---- As a gate

/// The case of two lines: an early end in the baseline, and an unknown event beside it.
#[test]
fn a_known_finding_hides_no_new_one() {
    let folder = Folder::new();
    folder.file("ab.hif", "seq(a -- x -> b, b -- y -> a)");
    let known = r#"{"session":"known","traces":{"a":["a!x"],"b":["b?x","b!y"]}}"#;
    let panic = r#"{"session":"panic","traces":{"a":["a!x"],"b":["b?x","b!y","b!PANIC"]}}"#;
    let baseline = folder.path("known.json");
    assert_eq!(folder.check(&[known], &["--write-baseline", &baseline]).code, 1);
    assert_eq!(folder.check(&[known], &["--baseline", &baseline]).code, 0);
    let run = folder.check(&[known, panic], &["--baseline", &baseline]);
    assert_eq!(run.code, 1, "{}", run.out);
    let groups: Vec<&str> = run.out.lines().filter(|line| line.starts_with("MT")).collect();
    assert_eq!(groups.len(), 2, "{}", run.out);
    assert!(groups[0].starts_with("MT102 fail: b!PANIC at b"), "{}", run.out);
    assert!(groups[1].contains("y: sent by b, never received by a (in 2 sessions)"), "{}", run.out);
    assert!(run.out.contains(">b!PANIC<") && run.out.contains(">end<"), "{}", run.out);
}

/// A known location that repeats its fault more often than lists show does not hide a new one.
#[test]
fn findings_beyond_the_limit_of_a_list_count() {
    let folder = Folder::new();
    let faults = vec!["\"a!x\""; 100].join(",");
    let line =
        |last: &str| format!(r#"{{"session":"s","traces":{{"a":[{faults}{last}],"b":[]}}}}"#);
    let baseline = folder.path("known.json");
    folder.check(&[&line("")], &["--write-baseline", &baseline]);
    assert_eq!(folder.read("known.json").matches("MT102").count(), 1);
    assert_eq!(folder.check(&[&line("")], &["--baseline", &baseline]).code, 0);
    let run = folder.check(&[&line(",\"a!new\"")], &["--baseline", &baseline]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("a!new at a"), "{}", run.out);
    let run = folder.check(&[&line(",\"a!new\"")], &["--output-format", "json-lines"]);
    let object: serde_json::Value =
        serde_json::from_str(run.out.lines().next().expect("a line")).expect("an object");
    for (list, omitted) in [("faults", "faults_omitted"), ("evidence", "evidence_omitted")] {
        let listed = object[list].as_array().expect("a list").iter();
        assert_eq!(listed.filter(|it| it["location"] == "a").count(), Failure::MOST_PER_LOCATION);
        assert_eq!(object[omitted], 81);
    }
}

/// The specifications of the examples.
fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<PathBuf>>()
    };
    let mut specs: Vec<PathBuf> = files(&folder).iter().flat_map(|it| files(it)).collect();
    specs.retain(|path| path.extension().is_some_and(|it| it == "hif"));
    specs.sort();
    specs.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Sessions of a specification, right and wrong ones, one a line.
fn made(spec: &str, seed: u32) -> String {
    let seed = seed.to_string();
    let mut made = String::new();
    for kind in ["accepted", "noise", "swap-components"] {
        // The shortest session of some examples is longer than the sessions made by default.
        let most = ["--max-events", "40"];
        let options = [&["--kind", kind, "--count", "4", "--seed", &seed][..], &most].concat();
        let run = multitrace(&[&["generate", spec], &options[..]].concat());
        // Some specifications have nothing of a kind to swap.
        assert!(run.code == 0 || kind == "swap-components", "{spec}: {}", run.err);
        made.push_str(&run.out);
    }
    made
}

/// A session with an event put into one of its logs. Without an event of its own, the log gets one that
/// another place of it has.
fn with_event(line: &str, at: Index, event: Option<&str>, other: Index) -> String {
    let mut object: serde_json::Value = serde_json::from_str(line).expect("an object");
    let traces = object["traces"].as_object_mut().expect("logs");
    let length = |log: &serde_json::Value| log.as_array().expect("a log").len();
    let mut place = at.index(traces.values().map(|log| length(log) + 1).sum());
    for (name, log) in traces {
        let log = log.as_array_mut().expect("a log");
        if place <= log.len() {
            let lifeline = name.split(',').next().unwrap_or_default();
            let event = match event {
                None if !log.is_empty() => log[other.index(log.len())].clone(),
                _ => format!("{lifeline}!{}", event.unwrap_or("PANIC")).into(),
            };
            log.insert(place, event);
            break;
        }
        place -= log.len() + 1;
    }
    object.to_string()
}

/// The bundle of a specification, compiled once for all cases.
fn bundle(spec: &str) -> String {
    static BUNDLES: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut bundles = BUNDLES.lock().expect("no case panicked here");
    let number = bundles.len();
    let compiled = bundles.entry(spec.to_owned()).or_insert_with(|| {
        let name = format!("findings-{}-{number}.mtb", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string();
        let run = multitrace(&["compile", spec, "-o", &path]);
        assert_eq!(run.code, 0, "{}", run.err);
        path
    });
    compiled.clone()
}

/// The places of the findings of sessions that fail a run. A weak-pass has one too, and fails none.
fn fingerprints(spec: &str, input: &str, mode: &str) -> BTreeSet<String> {
    let run =
        multitrace(&["check", spec, input, "--observe", mode, "--output-format", "json-lines"]);
    let objects = run.out.lines().map(|it| serde_json::from_str(it).expect("an object"));
    let findings = objects
        .filter(|it: &serde_json::Value| it["verdict"] != "weak_pass")
        .flat_map(|it| ["faults", "findings"].map(|name| it[name].as_array().cloned()))
        .flat_map(Option::unwrap_or_default);
    findings.map(|it| it["place"].as_str().expect("a text").to_owned()).collect()
}

proptest! {
    #![proptest_config(multitrace_testing::cases(24))]

    /// In any session of a run with a baseline of itself, at any place, an event that the
    /// specification does not know, and that the baseline lacks, makes the run fail; an event that it
    /// knows does so if a finding comes of it that the baseline lacks.
    #[test]
    fn no_event_anywhere_hides_behind_a_baseline(
        spec in prop::sample::select(examples()),
        mode in prop::sample::select(vec!["complete", "missing", "prefix", "slice"]),
        seed in any::<u32>(),
        places in prop::collection::vec(any::<(bool, Index, Index, Index)>(), 4),
    ) {
        let folder = Folder::new();
        let made = made(&spec, seed);
        let input = folder.file("in.jsonl", &made);
        let baseline = folder.path("known.json");
        let bundle = bundle(&spec);
        let check = |input: &str, option: &str| {
            multitrace(&["check", &bundle, input, "--observe", mode, option, &baseline])
        };
        check(&input, "--write-baseline");
        let run = check(&input, "--baseline");
        prop_assert_eq!(run.code, 0, "{} {} {}", spec, run.out, run.err);
        let known = fingerprints(&bundle, &input, mode);
        let lines: Vec<&str> = made.lines().collect();
        for (is_known, line, at, other) in places {
            let line = line.index(lines.len());
            let event = if is_known { None } else { Some("PANIC") };
            let changed = with_event(lines[line], at, event, other);
            let mut all = lines.clone();
            all[line] = &changed;
            let input = folder.file("changed.jsonl", &all.join("\n"));
            let is_new = !fingerprints(&bundle, &input, mode).is_subset(&known);
            prop_assert!(is_new || is_known, "{} {}: {}", spec, mode, changed);
            let run = check(&input, "--baseline");
            prop_assert_eq!(run.code, i32::from(is_new), "{} {}: {}", spec, mode, changed);
        }
    }
}

// ---- Cycles

/// Every interleaving of these logs would need ask before answer before log before close before ask.
const CIRCLE: &str = "par(strict(client -- ask ->|, server -- answer ->|),\n    \
                      strict(server -- log ->|, client -- close ->|))\n";

#[test]
fn a_cycle_is_in_the_json_in_the_explanation_and_in_pictures() {
    let folder = Folder::new();
    let spec = folder.file("circle.hif", CIRCLE);
    let line = r#"{"session":"s","traces":{"client":["client!close","client!ask"],"server":["server!answer","server!log"]}}"#;
    let input = folder.file("in.jsonl", line);
    let cycle = serde_json::json!([
        {"location": "client", "index": 0, "event": "client!close"},
        {"location": "client", "index": 1, "event": "client!ask"},
        {"location": "server", "index": 0, "event": "server!answer"},
        {"location": "server", "index": 1, "event": "server!log"},
    ]);
    let run = multitrace(&["check", &spec, &input, "--output-format", "html"]);
    assert!(run.code == 1 && run.out.contains("no order is left"), "{}", run.err);
    let explain = |format: &str| {
        let session = ["--session", "s", "--output-format", format];
        let run = multitrace(&[&["explain", &spec, &input], &session[..]].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    let object: serde_json::Value = serde_json::from_str(&explain("json")).expect("JSON");
    assert_eq!(object["evidence"][0]["cycle"], cycle);
    let text = explain("human").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("no order is left") && text.contains("server!log (server, event 2)"));
    assert!(explain("picture").contains("no order is left"));
    let svg = explain("svg");
    assert!(svg.contains("no order is left") && svg.contains("dashed"), "{svg}");
}
