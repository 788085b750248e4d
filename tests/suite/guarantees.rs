//! docs/guarantees.md: each sentence names tests that are there, and those that stand nowhere else are here.

use crate::common::folder::{FAILING, Folder, PASSING, UNKNOWN};
use crate::common::run::multitrace;
use multitrace::{
    CheckConfig, CompileOptions, Detail, Inputs, Monitor, RunObserver, RunOptions, SessionVerdict,
    Spec, SpecFormat, Verdict,
};
use multitrace_compiler::Limits;
use multitrace_formats::problem::InputProblem;
use multitrace_formats::{hif, sessions};
use multitrace_interaction::{Failure, Session};
use multitrace_logs::InputOptions;
use multitrace_reports::groups::{MAX_GROUPS, MAX_PLACES};
use multitrace_runtime::{Budget, States, replay};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

const PAGE: &str = include_str!("../../docs/guarantees.md");

/// The sentences of the lists, each with the tests in the brackets behind it.
fn sentences() -> Vec<(String, Vec<String>)> {
    let lists = PAGE.split("\n## ").filter(|part| !part.starts_with("What is not promised"));
    let items = lists.flat_map(|part| part.split("\n- ").skip(1));
    let sentence = |item: &str| {
        let item = item.split("\n\n").next().expect("text");
        let (text, tests) = item.rsplit_once('(').expect("tests in brackets");
        let names = tests.trim().trim_end_matches(')').split(',');
        let names = names.map(|name| name.trim().trim_matches('`').to_owned());
        (text.trim().to_owned(), names.collect())
    };
    items.map(sentence).collect()
}

/// The names of all test functions of the tree.
fn test_names() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    let mut folders: Vec<_> = ["tests", "formats", "logs", "runtime", "multitrace", "reports"]
        .map(|folder| root.join(folder))
        .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = std::fs::read_to_string(&path).expect("a text");
                for test in text.split("#[test]").skip(1) {
                    let name = test.split("fn ").nth(1).and_then(|it| it.split('(').next());
                    names.insert(name.expect("a function").to_owned());
                }
            }
        }
    }
    names
}

#[test]
fn every_sentence_has_its_tests() {
    let (sentences, tests) = (sentences(), test_names());
    assert!(sentences.len() > 20, "{sentences:?}");
    for (text, names) in sentences {
        assert!(text.ends_with('.'), "{text}");
        for name in names {
            assert!(tests.contains(&name), "no test is called {name}, for: {text}");
        }
    }
}

fn monitor_of(text: &str) -> Monitor {
    let spec = Spec::parse("text.hif", text, SpecFormat::Hif);
    spec.compile(&CompileOptions::default()).expect("it compiles").monitor
}

const EXAMPLES: [&str; 4] = [
    "mqtt/mqtt.hif",
    "pubsub/pubsub.hif",
    "two-phase-commit/two-phase-commit.hif",
    "checkout/SPEC.md",
];

/// Sessions that `generate` makes of an example, as lines.
fn generated(spec: &str, kinds: &[&str]) -> String {
    let of = |kind: &&str| {
        let run = multitrace(&["generate", spec, "--kind", kind, "-n", "40", "--seed", "7"]);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    kinds.iter().map(of).collect()
}

fn parsed(monitor: &Monitor, lines: &str) -> Vec<Session> {
    let parse = |(number, line): (usize, &str)| {
        sessions::parse_line("lines", number + 1, line, monitor.alphabet()).expect("a session")
    };
    lines.lines().enumerate().map(parse).collect()
}

/// An example of the tree, with sessions of it.
fn example(name: &str, kinds: &[&str]) -> (Monitor, Vec<Session>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    let spec = Spec::read(&path).expect("a specification");
    let monitor = spec.compile(&CompileOptions::default()).expect("it compiles").monitor;
    let sessions = parsed(&monitor, &generated(path.to_str().expect("a plain path"), kinds));
    (monitor, sessions)
}

#[test]
fn a_pass_shows_a_global_trace_that_projects_onto_the_logs() {
    let mut passes = 0;
    for name in EXAMPLES {
        let (monitor, sessions) = example(name, &["accepted", "swap-actions", "noise"]);
        let config = CheckConfig { witness: true, ..monitor.config() };
        for session in sessions {
            let verdict = monitor.check(&session, config).expect("a verdict");
            assert_eq!(verdict.witness.is_some(), verdict.is_pass());
            let Some(witness) = verdict.witness else { continue };
            replay(monitor.runtime(), &session, &witness, config.observation)
                .unwrap_or_else(|error| panic!("{}: {error}", session.id));
            passes += 1;
        }
    }
    assert!(passes > 100, "{passes}");
}

/// Concurrent loops, whose sessions take long without reductions.
const BUSY: &str =
    "loopP(par(seq(l1 -- a -> l2, l2 -- b -> l1), seq(l1 -- a -> l2, l1 -- c -> l2)))";

#[test]
fn a_larger_budget_only_decides_more() {
    let folder = Folder::new();
    let path = folder.file("busy.hif", BUSY);
    let monitor = monitor_of(BUSY);
    let lines = generated(&path, &["accepted", "swap-actions", "prefix"]);
    let (mut first_open, mut all) = (0, 0);
    for session in parsed(&monitor, &lines) {
        let mut decided: Option<String> = None;
        for states in [4, 40, 400, 40_000, 4_000_000] {
            let budget = Budget { states: States::Fixed(states), ..Budget::default() };
            let config = CheckConfig { budget, ..monitor.config() };
            let verdict = monitor.check(&session, config).expect("a verdict").verdict;
            let open = matches!(verdict, Verdict::Inconclusive(_));
            first_open += usize::from(open && states == 4);
            assert!(!open || decided.is_none(), "{}: decided, and then not", session.id);
            let name = verdict.name().to_owned();
            let before = if open { None } else { decided.replace(name.clone()) };
            assert!(before.is_none_or(|before| before == name), "{}: {name}", session.id);
        }
        assert!(decided.is_some(), "{}: the last budget is enough", session.id);
        all += 1;
    }
    assert!(first_open > 0, "none of {all} needs more than the first budget");
}

fn summary(folder: &Folder, lines: &[&str], options: &[&str]) -> Value {
    let run = folder.check(lines, &[&["--output-format", "json-lines"], options].concat());
    serde_json::from_str(run.out.lines().last().expect("a summary")).expect("JSON")
}

#[test]
fn every_session_is_counted_once() {
    let folder = Folder::new();
    let lines = [PASSING, "{", FAILING, UNKNOWN, "[]", PASSING];
    let count = |summary: &Value, name: &str| summary[name].as_u64().unwrap_or(0);
    let ids = folder.file("ids", "s\n");
    for (options, left_out) in
        [(&[][..], 0), (&["--only-sessions", &ids], 2), (&["--sample", "1"], 3)]
    {
        let summary = summary(&folder, &lines, options);
        let verdicts = ["pass", "weak_pass", "fail", "inconclusive"];
        let checked: u64 = verdicts.iter().map(|name| count(&summary, name)).sum();
        assert_eq!(checked, count(&summary, "sessions"), "{summary}");
        let errors = count(&summary, "errors");
        assert_eq!(count(&summary, "not_selected"), left_out, "{summary}");
        assert_eq!(checked + errors + left_out, lines.len() as u64, "{summary}");
    }
}

/// Counts the results that a run reports.
#[derive(Default)]
struct Told {
    sessions: Vec<String>,
    problems: Vec<String>,
}

impl RunObserver for Told {
    fn session(&mut self, verdict: SessionVerdict) -> ControlFlow<()> {
        self.sessions.push(verdict.session);
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: &InputProblem) {
        self.problems.push(problem.to_string());
    }
}

/// The failure is made by a session of another specification, whose actions this one has no place for.
#[test]
fn an_internal_failure_costs_one_session() {
    let monitor = monitor_of("a -- m -> b");
    let session = |name: &str, line: &str, monitor: &Monitor| {
        let mut session = parsed(monitor, line).remove(0);
        session.id = name.to_owned();
        session
    };
    let good = r#"{"session":"x","traces":{"a":["a!m"],"b":["b?m"]}}"#;
    let other = monitor_of("strict(a -- m -> b, a -- n -> b, a -- o -> b, a -- p -> b)");
    let broken = r#"{"session":"x","traces":{"a":["a!p"],"b":["b?p"]}}"#;
    for threads in [1, 3] {
        let sessions = (0..600).map(|number| match number {
            299 => session("broken", broken, &other),
            _ => session(&number.to_string(), good, &monitor),
        });
        let options = RunOptions {
            detail: Detail { verdicts: true, ..Detail::default() },
            threads: std::num::NonZeroUsize::new(threads),
            ..RunOptions::new(&monitor)
        };
        let mut told = Told::default();
        let report = monitor.run(Inputs::sessions(sessions), options, &mut told).expect("a report");
        assert_eq!((report.summary().pass, report.summary().errors), (599, 1));
        assert_eq!(told.sessions.len(), 599);
        assert!(told.problems[0].contains("internal error"), "{:?}", told.problems);
    }
}

/// The keys of the faults of a session, by its name: kind and place.
fn fingerprints(folder: &Folder, lines: &[&str], session: &str) -> Vec<[String; 2]> {
    let run = folder.check(lines, &["--output-format", "json-lines"]);
    let lines = run.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut of_session = lines.filter(|line| line["session"] == session);
    let line = of_session.next().expect("a session of this name");
    let faults = line["faults"].as_array().expect("faults").iter();
    let keys =
        |it: &Value| ["kind", "place"].map(|key| it[key].as_str().expect("a text").to_owned());
    faults.map(keys).collect()
}

/// Another number would make every finding new to the baselines that people keep.
#[test]
fn fingerprints_stay_what_they_are() {
    let folder = Folder::new();
    let alone = fingerprints(&folder, &[UNKNOWN], "u");
    assert_eq!(alone, [["0794845e2f6071c369f2eceeba4716f5", "58496027c8ec6ef3f45e27a8212ec4d2"]]);
    assert_eq!(fingerprints(&folder, &[PASSING, FAILING, UNKNOWN, FAILING], "u"), alone);
    let elsewhere = r#"{"session":"v","traces":{"a":["a!m","a!x","a!m"],"b":["b?m","b?m"]}}"#;
    let later = fingerprints(&folder, &[elsewhere], "v");
    assert_eq!(later[0][0], alone[0][0], "the same kind");
    assert_ne!(later[0][1], alone[0][1], "at another place: after a!m");
}

/// The number in the row of the table that begins like this.
fn limit(row: &str) -> &'static str {
    let found = PAGE.lines().find(|line| line.starts_with(&format!("| {row}")));
    let row = found.unwrap_or_else(|| panic!("no row begins with: {row}"));
    row.split('|').nth(2).expect("a limit").trim()
}

/// With a comma between thousands.
fn number(value: usize) -> String {
    match value {
        0..1000 => value.to_string(),
        _ => format!("{},{:03}", number(value / 1000), value % 1000),
    }
}

#[test]
fn the_limits_of_the_page_are_those_of_the_tool() {
    for (row, value) in [
        ("nesting", hif::MAX_NESTING),
        ("findings of one", Failure::MOST_PER_LOCATION),
        ("groups that", MAX_GROUPS),
        ("places of findings", MAX_PLACES),
    ] {
        assert_eq!(limit(row), number(value), "{row}");
    }
    assert_eq!(
        limit("size of a spec"),
        format!("{} steps and operators", number(hif::MAX_EXPANDED))
    );
    assert_eq!(limit("work to compile"), number(Limits::default().work as usize));
    assert_eq!(limit("a record of an event log"), "64 MiB");
    assert_eq!(InputOptions::default().max_record_bytes, 64 << 20);
    assert_eq!(limit("a line of a session"), "1 GiB");
    assert_eq!(sessions::MAX_LINE_BYTES, 1 << 30);
    let help = multitrace(&["check", "--help"]).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for (row, option, shown) in [
        (
            "states that the search",
            "--budget-states",
            "500 for each event of the session, at least 4000000",
        ),
        ("memory of the search", "--budget-memory", "1GiB"),
        ("memory in which event", "--memory", "128MiB"),
        ("states of the global", "--limit-states", "100000"),
        ("states of one local", "--limit-local-states", "20000"),
        ("memory to compile", "--limit-memory", "2GiB"),
    ] {
        let of_option = help.split(&format!("{option} <")).nth(1).expect(option);
        let default = of_option.split("[default: ").nth(1).and_then(|it| it.split(']').next());
        assert_eq!(default, Some(shown), "{option}");
        let plain = |text: &str| text.replace([',', ' '], "");
        let digits =
            |text: &str| plain(text).chars().filter(char::is_ascii_digit).collect::<String>();
        assert_eq!(digits(limit(row)), digits(shown), "{row}");
        let row = PAGE.lines().find(|line| line.starts_with(&format!("| {row}"))).expect(row);
        assert!(row.contains(&format!("`{option}`")), "{row}");
    }
    for row in ["threads", "time of one session", "time to compile"] {
        let _ = limit(row);
    }
    let folder = Folder::new();
    assert_eq!(folder.check(&[PASSING], &["--jobs", "1024"]).code, 0);
    assert_eq!(folder.check(&[PASSING], &["--jobs", "1025"]).code, 2);
}
