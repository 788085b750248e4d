//! The library as people embed it: every way to check gives the same verdicts, in input order.

use crate::common;
use crate::common::run::multitrace;
use multitrace::{
    CheckConfig, CompileOptions, Detail, Inputs, Monitor, NewRows, Observation, OutputFormat,
    RunObserver, RunOptions, RunOutcome, Session, SessionRow, SessionRows, SessionVerdict, Spec,
    SpecFormat, Verdict,
};
use multitrace_formats::problem::InputProblem;
use multitrace_reports::gate::{Gate, Tolerance};
use std::any::Any;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

fn monitor(name: &str) -> Monitor {
    let spec = Spec::read(&example(name)).expect("a specification");
    spec.compile(&CompileOptions::default()).expect("it compiles").monitor
}

/// Keeps everything that a run finds.
#[derive(Default)]
struct Keeper {
    verdicts: Vec<SessionVerdict>,
    problems: Vec<String>,
}

impl RunObserver for Keeper {
    fn session(&mut self, verdict: SessionVerdict) -> ControlFlow<()> {
        self.verdicts.push(verdict);
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: &InputProblem) {
        self.problems.push(problem.to_string());
    }
}

fn options(monitor: &Monitor, threads: usize, observation: Observation) -> RunOptions {
    RunOptions {
        config: CheckConfig { observation, ..CheckConfig::default() },
        detail: Detail { groups: true, verdicts: true, ..Detail::default() },
        threads: NonZeroUsize::new(threads),
        ..RunOptions::new(monitor)
    }
}

/// Mutants of the example, as lines.
fn lines() -> String {
    let spec = example("mqtt/mqtt.hif").display().to_string();
    let kinds = ["accepted", "noise", "swap-actions", "swap-components", "prefix"];
    let of = |kind: &&str| {
        multitrace(&["generate", &spec, "--kind", kind, "-n", "150", "--seed", "4"]).out
    };
    kinds.iter().map(of).collect()
}

fn sessions(monitor: &Monitor, lines: &str) -> Vec<Session> {
    let parse = |(number, line): (usize, &str)| {
        let alphabet = monitor.alphabet();
        multitrace_formats::sessions::parse_line("lines", number + 1, line, alphabet)
            .expect("a session")
    };
    lines.lines().enumerate().map(parse).collect()
}

/// A verdict without the place, which sessions in memory do not have.
fn plain(verdict: &SessionVerdict) -> (String, Verdict, usize) {
    (verdict.session.clone(), verdict.verdict.clone(), verdict.findings.len())
}

/// Rows of a test, each session as text.
#[derive(Default)]
struct TextRows(Vec<String>);

impl SessionRows for TextRows {
    fn add(&mut self, row: &SessionRow<'_>) {
        let SessionRow { session, verdict, findings, repair, place, .. } = *row;
        self.0.push(format!("{session} {verdict:?} {findings:?} {repair:?} {place:?}"));
    }

    fn finish(self: Box<Self>) -> Box<dyn Any + Send> {
        self
    }
}

/// Takes rows and verdicts as the same texts.
#[derive(Default)]
struct Texts {
    rows: Vec<String>,
    verdicts: Vec<String>,
    problems: usize,
}

impl RunObserver for Texts {
    fn rows(&mut self, rows: Box<dyn Any + Send>) -> ControlFlow<()> {
        self.rows.append(&mut rows.downcast::<TextRows>().expect("the rows asked for").0);
        ControlFlow::Continue(())
    }

    fn session(&mut self, it: SessionVerdict) -> ControlFlow<()> {
        let mut one = TextRows::default();
        one.add(&it.as_row());
        self.verdicts.append(&mut one.0);
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: &InputProblem) {
        self.problems += 1;
    }
}

#[test]
fn rows_say_what_verdicts_say() {
    let monitor = monitor("mqtt/mqtt.hif");
    // More problems than are told; whoever asks for sessions gets the first hundred.
    let lines = format!("{}{}", lines(), "no session\n".repeat(500));
    let run = |threads, detail, rows: Option<NewRows>, most: Option<u64>| {
        let tolerance = most.map_or(Tolerance::default(), Tolerance::StopAt);
        let options = RunOptions {
            detail,
            rows,
            repair: true,
            gate: Gate { tolerance, ..Gate::default() },
            ..options(&monitor, threads, Observation::Complete)
        };
        let inputs = Inputs::reader("lines", std::io::Cursor::new(lines.clone().into_bytes()));
        let mut texts = Texts::default();
        let _ = monitor.run(inputs, options, &mut texts).expect("a report");
        texts
    };
    for most in [None, Some(1), Some(100)] {
        let verdicts = run(1, Detail { verdicts: true, ..Detail::default() }, None, most);
        assert!(verdicts.rows.is_empty() && !verdicts.verdicts.is_empty());
        assert!(most.is_some() || verdicts.problems == 100);
        for threads in [1, 3] {
            let rows = run(threads, Detail::default(), Some(NewRows::of::<TextRows>()), most);
            assert!(rows.verdicts.is_empty());
            assert_eq!((rows.rows, rows.problems), (verdicts.verdicts.clone(), verdicts.problems));
        }
    }
}

#[test]
fn every_way_to_check_gives_the_same_verdicts_in_order() {
    let monitor = monitor("mqtt/mqtt.hif");
    let loaded = Monitor::from_bytes(&monitor.to_bytes()).expect("a bundle");
    let lines = lines();
    let sessions = sessions(&monitor, &lines);
    for observation in [Observation::Complete, Observation::Prefix, Observation::Slice] {
        let config = CheckConfig { observation, ..CheckConfig::default() };
        let mut checker = monitor.checker(config).expect("an engine");
        let one_by_one: Vec<_> = sessions.iter().map(|it| plain(&checker.check(it))).collect();
        for threads in [1, 2, 5] {
            for (monitor, inputs) in [
                (&monitor, Inputs::sessions(sessions.clone())),
                (&loaded, Inputs::reader("lines", std::io::Cursor::new(lines.clone()))),
            ] {
                let mut keeper = Keeper::default();
                let options = options(monitor, threads, observation);
                let report = monitor.run(inputs, options, &mut keeper).expect("a run");
                let found: Vec<_> = keeper.verdicts.iter().map(plain).collect();
                assert_eq!(found, one_by_one, "{threads} threads, {}", observation.name());
                assert_eq!(report.summary().sessions as usize, sessions.len());
                assert_eq!(report.outcome(), RunOutcome::Violations);
            }
        }
    }
}

#[test]
fn fed_event_by_event_a_session_has_the_findings_of_its_logs() {
    let monitor = monitor("mqtt/mqtt.hif");
    let alphabet = monitor.alphabet();
    let (mut local, mut of_all, mut others) = (0, 0, 0);
    let prefix = CheckConfig { observation: Observation::Prefix, ..CheckConfig::default() };
    for session in sessions(&monitor, &lines()) {
        let mut online = monitor.online(&session.id, CheckConfig::default());
        let mut so_far =
            Session { trace: vec![Vec::new(); session.trace.len()], ..session.clone() };
        let (mut findings, mut together) = (Vec::new(), None);
        for (location, trace) in alphabet.locations().zip(&session.trace) {
            let name = alphabet.location_name(location);
            for &letter in trace {
                let action = alphabet.letter_name(letter);
                let is_possible = online.possible(name).iter().any(|it| it == action);
                let found = online.push(name, action);
                so_far.trace[multitrace_interaction::Id::index(location)].push(letter);
                if findings.is_empty() && together.is_none() {
                    assert!(found.is_some() || is_possible, "{}: {action}", session.id);
                    // The naive answer: whether the logs so far are a part of any accepted session.
                    let decided = monitor.check(&so_far, prefix).expect("an engine").verdict;
                    assert_eq!(found.is_some(), matches!(decided, Verdict::Fail(_)));
                }
                match found {
                    Some(found) if found.location.is_none() => {
                        assert_eq!(together.replace(found), None, "told once");
                    }
                    found => findings.extend(found),
                }
            }
        }
        let verdict = online.finish().expect("an engine");
        let checked = monitor.check(&session, CheckConfig::default()).expect("an engine");
        assert_eq!(verdict, checked);
        // Every item of evidence about an event was found when it was pushed; early ends only at the end.
        let of_events = checked.evidence.iter().filter(|it| it.event.is_some());
        let of_events: Vec<_> = of_events.cloned().collect();
        findings.sort_by_key(|it| of_events.iter().position(|other| other == it));
        assert_eq!(findings, of_events, "{}", session.id);
        local += usize::from(!findings.is_empty());
        of_all += usize::from(together.is_some());
        others += usize::from(findings.is_empty() && together.is_none());
    }
    assert!(local > 50 && of_all > 10 && others > 100, "{local}, {of_all} and {others}");
}

#[test]
fn unknown_names_are_findings() {
    let monitor = monitor("mqtt/mqtt.hif");
    let mut online = monitor.online("s", CheckConfig::default());
    let first = online.push("nobody", "nobody!x").expect("a finding");
    assert_eq!(first.code.name(), "MT104");
    assert_eq!(online.push("nobody", "nobody!x").expect("another").index, Some(1));
    assert_eq!(online.push("broker", "broker?x").expect("a finding").code.name(), "MT102");
    assert!(online.possible("nobody").is_empty() && !online.possible("broker").is_empty());
    let session = monitor.session("s").event("broker", "client!elsewhere").build();
    let checked = monitor.check(&session, CheckConfig::default()).expect("an engine");
    assert_eq!(checked.evidence[0].code.name(), "MT102");
    assert!(checked.evidence[0].to_string().contains("client!elsewhere"));
    let is_told =
        |it: &multitrace_reports::finding::Finding| it.event.as_deref() == Some("client!elsewhere");
    assert!(checked.findings.iter().any(is_told));
}

#[test]
fn a_problem_of_the_input_stays_in_its_place_and_the_rest_is_checked() {
    let monitor = monitor("mqtt/mqtt.hif");
    let text = "{\"session\":\"a\",\"traces\":{}}\nbroken\n{\"session\":\"b\",\"traces\":{}}\n";
    let mut keeper = Keeper::default();
    let inputs = Inputs::reader("text", text.as_bytes());
    let report = monitor
        .run(inputs, options(&monitor, 2, Observation::Complete), &mut keeper)
        .expect("a run");
    assert_eq!(keeper.verdicts.iter().map(|it| &it.session).collect::<Vec<_>>(), ["a", "b"]);
    assert!(keeper.problems.len() == 1 && keeper.problems[0].contains("text:2:1"));
    assert_eq!(report.outcome(), RunOutcome::Error);
    let mut json = Vec::new();
    report.write(OutputFormat::Json, &mut json).expect("room");
    assert!(String::from_utf8(json).expect("text").contains("\"MT901\""));
}

#[test]
fn an_observer_can_end_a_run() {
    struct Impatient;
    impl RunObserver for Impatient {
        fn session(&mut self, _: SessionVerdict) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }
    let monitor = monitor("mqtt/mqtt.hif");
    let inputs = Inputs::sessions([monitor.session("s").build()]);
    let ended = monitor.run(inputs, options(&monitor, 1, Observation::Complete), &mut Impatient);
    assert!(matches!(ended, Err(multitrace::Error::Stopped)));
}

#[test]
fn an_engine_that_is_not_available_is_an_error() {
    use multitrace_runtime::EngineChoice;
    let text = "loopP(seq(a -- m -> b, a -- n -> b))";
    let spec = Spec::parse("loop.hif", text, SpecFormat::Hif);
    let monitor = spec.compile(&CompileOptions::default()).expect("it compiles").monitor;
    let config = CheckConfig { engine: EngineChoice::Nfa, ..CheckConfig::default() };
    let error = monitor.check(&monitor.session("s").build(), config).expect_err("no automaton");
    assert!(error.to_string().starts_with("there is no automaton: "), "{error}");
}

#[test]
fn monitors_are_shared_by_threads() {
    fn is_shared<T: Send + Sync + Clone + 'static>() {}
    is_shared::<Monitor>();
}

/// The program in examples/.
#[path = "../../examples/embed.rs"]
#[expect(dead_code, reason = "`main` takes the arguments of a process")]
mod embed;

/// The program in examples/, on the event logs of an example, on garbage and on nothing: it ends as `check`
/// does.
#[test]
fn the_embedded_program_writes_junit_and_ends_as_check_does() {
    let folder = common::folder::Folder::new();
    let junit = folder.path("junit.xml");
    let shop = |name: &str| example("shop").join(name).display().to_string();
    let run = |logs: &str| {
        let arguments = [&shop("shop.hif"), &shop("shop.toml"), logs, &junit].map(PathBuf::from);
        embed::check(&arguments).unwrap_or(RunOutcome::Error).exit_code()
    };
    assert_eq!(run(&shop("spans.csv")), 1, "sessions of the shop fail");
    assert!(folder.read("junit.xml").contains("<testsuite "));
    assert_eq!(run(&folder.file("log.jsonl", "garbage\n")), 2);
    std::fs::create_dir(folder.path("empty")).expect("a folder");
    assert_eq!(run(&folder.path("empty")), 3);
    assert_eq!(run("missing.csv"), 2);
}

#[test]
fn event_logs_come_from_readers_too() {
    let text = std::fs::read_to_string(example("shop/shop.toml")).expect("a mapping");
    let mapping = || {
        let source = multitrace_formats::source::Source::new("shop.toml", text.as_str());
        multitrace::Mapping::parse(&source).expect("a mapping")
    };
    let (monitor, path) = (monitor("shop/shop.hif"), example("shop/spans.csv"));
    let spans = std::fs::read(&path).expect("spans");
    let summary = |inputs| {
        let report = monitor.run(inputs, RunOptions::new(&monitor), &mut ()).expect("a run");
        let summary = report.summary();
        (summary.sessions, summary.pass, summary.fail, summary.inconclusive, summary.input)
    };
    let from_reader =
        summary(Inputs::event_reader("spans", std::io::Cursor::new(spans), mapping()));
    let from_path = summary(Inputs::event_logs(&[path], mapping()).expect("a file"));
    assert_eq!(from_reader, from_path);
    assert!(from_path.0 > 3 && from_path.1 > 0 && from_path.2 > 0);
}

/// A bundle says in which mode it is checked, also to those who embed it.
#[test]
fn a_monitor_knows_its_mode() {
    let spec = Spec::read(&example("mqtt/mqtt.hif")).expect("a specification");
    let options = CompileOptions { observation: Observation::Prefix, ..CompileOptions::default() };
    let monitor = spec.compile(&options).expect("it compiles").monitor;
    assert_eq!(monitor.config().observation, Observation::Prefix);
    assert_eq!(RunOptions::new(&monitor).config, monitor.config());
    let started = monitor.session("s").event("publisher", "publisher!open").build();
    let verdict = monitor.check(&started, monitor.config()).expect("an engine").verdict;
    assert_eq!(verdict, Verdict::WeakPass);
}

/// `check` and `explain` read an input in the same way: its problems have one text, and the rest is read.
#[test]
fn check_and_explain_say_the_same_of_a_broken_input() {
    let folder = common::folder::Folder::new();
    let broken = folder.file("t.htf", "{[a] a!m; [b] b?m.}");
    let good = folder.file("u/t.htf", "{[a] a!m; [b] b?m}");
    let spec = folder.path("ab.hif");
    let check = multitrace(&["check", &spec, &broken, &good]);
    let explain = multitrace(&["explain", &spec, &broken, &good, "--session", "t"]);
    assert_eq!((check.code, explain.code), (2, 2));
    assert!(!check.err.is_empty() && check.err == explain.err, "{}\n{}", check.err, explain.err);
    assert!(check.out.starts_with("1 session ") && explain.out.contains(": pass, "));
}
