//! The command line as scripts see it: exit codes, standard output and standard error.

use crate::common::run::{Run, multitrace, multitrace_in, multitrace_with_input};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with a specification `ab.hif`: a sends m to b, any number of times in strict order.
struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        let fixture = Fixture { folder: TempDir::new().expect("a folder") };
        fixture.file("ab.hif", "loopS(a -- m -> b)\n");
        fixture
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("a plain path").to_owned()
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(Path::new(&path).parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    }

    fn check(&self, sessions: &str, options: &[&str]) -> Run {
        let (spec, input) = (self.path("ab.hif"), self.file("in.jsonl", sessions));
        multitrace(&[&["check", &spec, &input], options].concat())
    }
}

const PASSING: &str = r#"{"session":"s","traces":{"a":["a!m"],"b":["b?m"]}}"#;
const FAILING: &str = r#"{"session":"t","traces":{"a":["a!m"],"b":["b?m","b?m"]}}"#;
const JSON: [&str; 2] = ["--output-format", "json-lines"];

#[test]
fn exit_0_when_clean_and_1_on_violations() {
    let fixture = Fixture::new();
    let run = fixture.check(PASSING, &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let run = fixture.check(&format!("{PASSING}\n{FAILING}\n"), &JSON);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], r#"{"type":"session","session":"s","verdict":"pass","engine":"nfa"}"#);
    assert!(
        lines[1].contains(r#""session":"t","verdict":"fail","cause":"central""#),
        "{}",
        lines[1]
    );
    assert!(lines[2].starts_with(r#"{"type":"summary","sessions":2,"events":5,"pass":1,"weak_pass":0,"fail":1,"inconclusive":0,"causes":{"local":0,"inter":0,"central":1}"#), "{}", lines[2]);
}

#[test]
fn fail_on_decides_what_a_violation_is() {
    let fixture = Fixture::new();
    let weak = r#"{"session":"w","traces":{"a":["a!m"],"b":[]}}"#;
    assert_eq!(fixture.check(weak, &["--observe", "prefix"]).code, 0);
    assert_eq!(
        fixture.check(weak, &["--observe", "prefix", "--fail-on", "fail,weak_pass"]).code,
        1
    );
    assert_eq!(fixture.check(FAILING, &["--fail-on", "inconclusive"]).code, 0);
    // Three emissions explained in a search of one node: out of budget.
    let long = r#"{"session":"l","traces":{"a":["a!m","a!m","a!m"],"b":["b?m","b?m","b?m"]}}"#;
    let run = fixture.check(long, &["--budget-states", "1", JSON[0], JSON[1]]);
    assert_eq!(run.code, 1);
    assert!(
        run.out.contains(
            r#""verdict":"inconclusive","reason":"the search stopped at its budget of 1 states; it read 1 of 6"#
        ),
        "{}",
        run.out
    );
    assert_eq!(fixture.check(long, &["--budget-states", "1", "--fail-on", "fail"]).code, 0);
}

#[test]
fn exit_3_when_nothing_was_checked() {
    let fixture = Fixture::new();
    let run = fixture.check("\n\n", &JSON);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("nothing was checked"), "{}", run.err);
    assert!(run.out.starts_with(r#"{"type":"summary","sessions":0"#), "{}", run.out);
    let empty = fixture.path("empty");
    std::fs::create_dir(&empty).expect("a folder");
    assert_eq!(multitrace(&["check", &fixture.path("ab.hif"), &empty]).code, 3);
}

#[test]
fn errors_win_over_violations_and_stand_in_their_place() {
    let fixture = Fixture::new();
    let run = fixture.check(&format!("{FAILING}\n{{\"session\":\"x\",\n{PASSING}\n"), &JSON);
    assert_eq!(run.code, 2);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 4, "a failure, an error, a pass, a summary: {}", run.out);
    assert!(lines[1].starts_with(r#"{"type":"error","file":""#), "{}", lines[1]);
    assert!(lines[1].contains(r#""line":2,"column":"#), "{}", lines[1]);
    assert!(lines[2].contains(r#""verdict":"pass""#));
    assert!(lines[3].contains(r#""errors":1"#));
    assert!(run.err.contains("in.jsonl:2:"), "{}", run.err);
}

#[test]
fn malformed_inputs_exit_2_and_say_where() {
    let fixture = Fixture::new();
    let spec = fixture.path("ab.hif");
    let good = fixture.file("good.jsonl", PASSING);
    let cases = [
        ("bad.hif", "seq(a -- m -> b,\n  a -- -> b)", "bad.hif:2:"),
        ("twice.htf", "{[a] a!m;\n [a] a!m}", "twice.htf:2:"),
        ("stray.htf", "{[a] a!m.b?m; [b] }", "stray.htf:1:"),
        ("text.htf", "{[a] a!m", "text.htf:1:"),
        ("field.jsonl", r#"{"session":"x"}"#, "field.jsonl:1:"),
        ("joined.jsonl", r#"{"session":"x","traces":{"a,b":["a!m"]}}"#, "joined.jsonl:1:"),
        ("moved.jsonl", r#"{"session":"x","traces":{"a":["b?m"]}}"#, "moved.jsonl:1:"),
    ];
    for (name, text, place) in cases {
        let path = fixture.file(name, text);
        let is_spec = name.ends_with(".hif");
        let args = if is_spec { ["check", &path, &good] } else { ["check", &spec, &path] };
        let run = multitrace(&args);
        assert_eq!(run.code, 2, "{name}: {}{}", run.out, run.err);
        assert!(run.err.contains(place), "{name}: {}", run.err);
    }
}

#[test]
fn the_remedy_for_co_located_logs_works() {
    let fixture = Fixture::new();
    let joined = r#"{"session":"x","traces":{"a,b":["a!m","b?m"]}}"#;
    let run = fixture.check(joined, &[]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--locations \"a,b\""), "{}", run.err);
    assert_eq!(fixture.check(joined, &["--locations", "a,b"]).code, 0);
}

#[test]
fn unknown_events_and_places_are_failures_not_errors() {
    let fixture = Fixture::new();
    let unknown = r#"{"session":"u","traces":{"a":["a!m","a!n"],"b":["b?m"]}}"#;
    let run = fixture.check(unknown, &JSON);
    assert_eq!(run.code, 1);
    assert!(
        run.out
            .contains(r#""cause":"local","location":"a","index":1,"event":"a!n","unknown":true"#),
        "{}",
        run.out
    );
    let foreign = r#"{"session":"f","traces":{"a":[],"b":[],"c":["c!m"]}}"#;
    let run = fixture.check(foreign, &JSON);
    assert_eq!(run.code, 1);
    assert!(
        run.out
            .contains(r#""cause":"local","location":"c","index":0,"event":"c!m","unknown":true"#),
        "{}",
        run.out
    );
}

#[test]
fn files_that_are_not_there_and_bad_usage_exit_2() {
    let fixture = Fixture::new();
    let spec = fixture.path("ab.hif");
    let odd = fixture.file("sessions.txt", "no sessions\n");
    for args in [
        vec!["check", &spec, "/no/such/file.jsonl"],
        vec!["check", "/no/such/spec.hif", &odd],
        vec!["check", &spec, &odd],
        vec!["check", &spec],
        vec!["check", &odd, &odd],
        vec!["compile", &odd],
        vec!["inspect", &spec],
        vec!["frobnicate"],
    ] {
        let run = multitrace(&args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.out);
        assert!(run.err.starts_with("error"), "{args:?}: {}", run.err);
        assert_eq!(run.out, "", "{args:?}");
    }
}

#[test]
fn bundles_compile_inspect_and_check() {
    let fixture = Fixture::new();
    let (spec, bundle) = (fixture.path("ab.hif"), fixture.path("ab.mtb"));
    let run = multitrace(&["compile", &spec]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.contains("  automaton  "), "{}", run.out);
    let run = multitrace(&["inspect", &bundle, "--output-format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&run.out).expect("an object");
    assert_eq!(object["specification"], "ab.hif");
    assert_eq!(object["locations"][0]["letters"], serde_json::json!(["a!m"]));
    let input = fixture.file("in.jsonl", PASSING);
    assert_eq!(multitrace(&["check", &bundle, &input]).code, 0);
    // Options of the compiler come too late for a bundle.
    assert_eq!(multitrace(&["check", &bundle, &input, "--locations", "a,b"]).code, 2);
    // A bundle is refused with its error.
    let mut bytes = std::fs::read(&bundle).expect("a bundle");
    bytes.pop();
    std::fs::write(&bundle, &bytes).expect("a file");
    let run = multitrace(&["check", &bundle, &input]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("truncated"), "{}", run.err);
}

#[test]
fn a_bundle_is_the_same_in_every_folder() {
    // It has the path as given, which is the same here.
    let (one, other) = (Fixture::new(), Fixture::new());
    for fixture in [&one, &other] {
        let run = multitrace_in(Some(fixture.folder.path()), &["compile", "ab.hif"], &[]);
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let read = |fixture: &Fixture| std::fs::read(fixture.path("ab.mtb")).expect("a bundle");
    assert_eq!(read(&one), read(&other));
}

#[test]
fn a_spec_without_an_automaton_is_checked_on_terms() {
    let fixture = Fixture::new();
    let spec =
        fixture.file("bag.hif", "seq(\n  c -- x ->|,\n  loopP(alt(a -- m -> b, a -- n -> b))\n)");
    let bundle = fixture.path("bag.mtb");
    let run = multitrace(&["compile", &spec, "-o", &bundle, "--output-format", "json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("an object");
    assert_eq!(report["unsupported"]["construct"], "`loopP`");
    assert_eq!(report["unsupported"]["place"], "bag.hif:3:3");
    let sessions = [
        r#"{"session":"s","traces":{"c":["c!x"],"a":["a!m","a!n"],"b":["b?n","b?m"]}}"#,
        r#"{"session":"t","traces":{"c":[]}}"#,
        r#"{"session":"u","traces":{"c":["c!x"],"a":["a!m","a!n"],"b":["b?n","b?n"]}}"#,
    ];
    let input = fixture.file("bag.jsonl", &sessions.join("\n"));
    let run = multitrace(&["check", &bundle, &input, JSON[0], JSON[1]]);
    assert_eq!(run.code, 1);
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].contains(r#""verdict":"pass","engine":"term""#), "{}", lines[0]);
    assert!(lines[1].contains(r#""verdict":"fail","cause":"local","location":"c","index":0,"event":"c!x","expected":["c!x"],"faults":[{"code":"MT118","#), "{}", lines[1]);
    assert!(
        lines[2].contains(r#""verdict":"fail","cause":"central","location":"a""#),
        "{}",
        lines[2]
    );
    assert!(lines[2].contains(r#""frontier":[{"#), "{}", lines[2]);
    assert_eq!(multitrace(&["check", &bundle, &input, "--engine", "nfa"]).code, 2);
}

#[test]
fn output_is_in_input_order_and_the_same_for_any_number_of_threads() {
    let fixture = Fixture::new();
    let session = |index: usize| {
        let second = if index.is_multiple_of(7) { r#","b?m""# } else { "" };
        format!(r#"{{"session":"s{index}","traces":{{"a":["a!m"],"b":["b?m"{second}]}}}}"#)
    };
    let sessions: Vec<String> = (0..10_000).map(session).collect();
    let input = sessions.join("\n");
    let without_seconds = |jobs: &str| {
        let run = fixture.check(&input, &["--jobs", jobs, JSON[0], JSON[1]]);
        let (body, _) = run.out.rsplit_once("\"seconds\"").expect("a summary");
        body.to_owned()
    };
    let one = without_seconds("1");
    assert_eq!(one.lines().count(), 10_001);
    assert_eq!(one, without_seconds("2"));
    assert_eq!(one, without_seconds("7"));
}

#[test]
fn max_failures_stops_at_exactly_that_many() {
    let fixture = Fixture::new();
    let sessions = format!("{PASSING}\n{FAILING}\n{FAILING}\n{FAILING}\n");
    let run = fixture.check(&sessions, &["--max-failures", "2", JSON[0], JSON[1]]);
    assert_eq!(run.code, 1);
    assert_eq!(run.out.lines().count(), 4);
    assert!(
        run.out.contains(r#""sessions":3"#) && run.out.contains(r#""stopped":true"#),
        "{}",
        run.out
    );
    assert!(run.err.contains("later input was not checked"), "{}", run.err);
}

#[test]
fn folders_and_standard_input_are_read() {
    let fixture = Fixture::new();
    fixture.file("logs/one.htf", "{[a] a!m; [b] b?m}");
    fixture.file("logs/deep/two.htf", "[a] a!m.a!m; [b] b?m.b?m");
    fixture.file("logs/three.jsonl", PASSING);
    fixture.file("logs/readme.md", "not a log");
    let (spec, logs) = (fixture.path("ab.hif"), fixture.path("logs"));
    let run = multitrace_with_input(&["check", &spec, &logs, "-", JSON[0], JSON[1]], FAILING);
    assert_eq!(run.code, 1);
    let ids: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let ids: Vec<_> = ids.iter().filter_map(|object| object["session"].as_str()).collect();
    assert_eq!(ids, ["two", "one", "s", "t"]);
    assert!(run.err.contains("1 file is not a log by its extension"), "{}", run.err);
}

#[test]
fn output_files_appear_whole() {
    let fixture = Fixture::new();
    let out = fixture.path("out.jsonl");
    let run = fixture.check(FAILING, &["--output-file", &out, JSON[0], JSON[1]]);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert_eq!(std::fs::read_to_string(&out).expect("the output").lines().count(), 2);
    let names = std::fs::read_dir(fixture.folder.path()).expect("a folder");
    let names: Vec<PathBuf> = names.map(|entry| entry.expect("an entry").path()).collect();
    assert!(names.iter().all(|path| !path.display().to_string().contains(".multitrace-")));
}

#[test]
fn signatures_restrict_names_and_automata_need_locations() {
    let fixture = Fixture::new();
    let signature = fixture.file("ab.hsf", "@message{ m }\n@lifeline{ a }");
    let run = multitrace(&["compile", &fixture.path("ab.hif"), "--signature", &signature]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("ab.hif:1:"), "{}", run.err);
    let timbuk = fixture.file(
        "n.timbuk",
        "Ops a:1 b:1 x:0\n\nAutomaton N\nStates p q\nFinal States q\nTransitions\nx -> p\na(p) -> q\nb(q) -> p\n",
    );
    assert_eq!(multitrace(&["compile", &timbuk]).code, 2);
    let bundle = fixture.path("n.mtb");
    let run = multitrace(&["compile", &timbuk, "--locations", "left=a;right=b"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let input =
        fixture.file("n.jsonl", r#"{"session":"s","traces":{"left":["a","a"],"right":["b"]}}"#);
    assert_eq!(multitrace(&["check", &bundle, &input]).code, 0);
}

#[test]
fn help_and_completions() {
    for command in ["compile", "check", "explain", "generate", "inspect", "completions"] {
        let run = multitrace(&[command, "--help"]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{command}");
    }
    assert!(multitrace(&["--help"]).out.contains("Examples:"));
    assert!(multitrace(&["completions", "bash"]).out.contains("_multitrace"));
}

/// The reason of the only session, or its verdict where it has none.
fn only_answer(run: &Run) -> String {
    let line: serde_json::Value =
        serde_json::from_str(run.out.lines().next().expect("a line")).expect("JSON");
    let answer = line["reason"].as_str().or(line["verdict"].as_str());
    answer.expect("a verdict").to_owned()
}

/// Paper 000 fig. 11a: three `l!m1` are missing before the observed events. Its criterion lets only one
/// be simulated at a time, so it cannot tell; others can, and so can we.
#[test]
fn slices_that_the_criterion_of_paper_000_cannot_recognise() {
    let fixture = Fixture::new();
    let spec = fixture.file("fig11a.hif", "loopP(seq(l -- m1 ->|, m2 -> l))");
    let session = r#"{"session":"s","traces":{"l":["l?m2","l?m2","l?m2"]}}"#;
    let sessions = fixture.file("fig11a.jsonl", session);
    let check = |options: &[&str]| {
        let all =
            ["check", &spec, &sessions, "--observe", "slice", "--output-format", "json-lines"];
        only_answer(&multitrace(&[&all, options].concat()))
    };
    assert_eq!(check(&[]), "weak_pass");
    let by = |criterion| check(&["--paper", &format!("method=simulation,{criterion}")]);
    let default = check(&["--paper", "method=simulation"]);
    assert!(default.starts_with("simulation stopped at its criterion"), "{default}");
    assert_eq!(by("loops=depth,actions=outside,reset,before"), default);
    assert_eq!(by("loops=depth,multiply,before"), "weak_pass");
    assert_eq!(by("loops=3,before"), "weak_pass");
    // Without simulation before the first event only prefixes are recognised. Actions before it were left out, so an
    // execution that was not found may still be there.
    assert!(by("loops=3").starts_with("simulation stopped at its criterion"), "{}", by("loops=3"));
    let removal = check(&["--paper", "method=removal"]);
    assert!(removal.starts_with("the chosen method of the papers found no fault"), "{removal}");
}

/// A location that logged nothing orders the others: removing it forgets that, so removal does not rule out all
/// impossible sessions.
#[test]
fn removal_alone_confirms_nothing_where_it_is_not_exact() {
    let fixture = Fixture::new();
    let spec = "par(seq(strict(l1 -- a ->|, l0 -- x ->|), strict(l0 -- y ->|, l2 -- b ->|)),
                    strict(l2 -- d ->|, l1 -- c ->|))";
    let spec = fixture.file("cross.hif", spec);
    let session = r#"{"session":"s","traces":{"l1":["l1!c","l1!a"],"l2":["l2!b","l2!d"]}}"#;
    let sessions = fixture.file("cross.jsonl", session);
    let check = |options: &[&str]| {
        let all =
            ["check", &spec, &sessions, "--observe", "prefix", "--output-format", "json-lines"];
        only_answer(&multitrace(&[&all[..], &["--engine", "term"], options].concat()))
    };
    assert_eq!(check(&[]), "fail");
    let removal = check(&["--paper", "method=removal"]);
    assert!(removal.starts_with("the chosen method of the papers found no fault"), "{removal}");
    for reductions in ["none", "por", "loc", "por+loc"] {
        assert_eq!(check(&["--paper", &format!("reductions={reductions}")]), "fail");
    }
}

#[test]
fn budgets_are_reported_when_they_are_spent() {
    let fixture = Fixture::new();
    let spec = "loopP(par(seq(l1 -- a -> l2, l2 -- b -> l1), seq(l1 -- a -> l2, l1 -- c -> l2)))";
    let spec = fixture.file("busy.hif", spec);
    let many = |event: &str| vec![format!("\"{event}\""); 40].join(",");
    let (l1, l2) = (many("l1!a"), many("l2?a"));
    let line = format!(
        r#"{{"session":"s","traces":{{"l1":[{l1},"l1?b","l1!c"],"l2":[{l2},"l2?c","l2!b"]}}}}"#
    );
    let sessions = fixture.file("busy.jsonl", &line);
    let check = |options: &[&str]| {
        let all = ["check", &spec, &sessions, "--output-format", "json-lines"];
        let run = multitrace(&[&all[..], &["--paper", "reductions=none"], options].concat());
        (run.code, only_answer(&run))
    };
    let spent = |options: &[&str], limit: &str, next: &str| {
        let (code, reason) = check(options);
        assert_eq!(code, 1);
        let start = format!("the search stopped at its budget of {limit}; it read ");
        assert!(reason.starts_with(&start), "{reason}");
        assert!(reason.contains(" of 84 events together: "), "{reason}");
        assert!(reason.ends_with(&format!("; try {next}")), "{reason}");
    };
    spent(&["--budget-states", "50"], "50 states", "200 states");
    spent(&["--budget-memory", "20kB"], "20000 bytes", "80000 bytes");
    spent(&["--budget-time", "1us"], "1µs", "4µs");
}

#[test]
fn a_cut_search_says_how_far_it_got_and_what_to_try() {
    let fixture = Fixture::new();
    let line = r#"{"session":"s","traces":{"a":["a!m","a!m","a!m"],"b":["b?m","b?m","b?m"]}}"#;
    let cut = |options: &[&str]| {
        let run = fixture.check(line, &[options, &["--budget-states", "4"][..]].concat());
        assert_eq!(run.code, 1, "{}", run.err);
        run.out
    };
    let fields = r#""reached":[{"location":"a","read":2,"length":3},{"location":"b","read":2,"length":3}],"try":"--budget-states 16""#;
    let out = cut(&JSON);
    assert_eq!(out.matches(fields).count(), 2, "{out}");
    let text = "the search read 4 of 6 events together; try --budget-states 16";
    let out = cut(&[]);
    assert!(out.contains(text), "{out}");
}

#[test]
fn options_of_the_term_engine_are_checked() {
    let fixture = Fixture::new();
    let check = |options: &[&str]| fixture.check(r#"{"session":"s","traces":{}}"#, options);
    for (options, expected) in [
        (&["--paper", "method=removal"][..], "add --engine term"),
        (&["--paper", "look-ahead=3"], "add --engine term"),
        (&["--paper", "reductions=none+por"], "is not none, por, loc or por+loc"),
        (&["--paper", "method=simulation,loops=x"], "is not a number"),
        (&["--paper", "method=simulation,often"], "is not a key"),
        (&["--paper", "loops=3"], "add method=simulation"),
        (&["--paper", "procedure=best"], "is not semi-centralized or centralized"),
        (&["--paper", "without=sleep"], "is not a reduction"),
        (&["--budget-memory", "much"], "--budget-memory"),
        (&["--budget-time", "3"], "--budget-time"),
    ] {
        let run = check(options);
        assert_eq!(run.code, 2, "{options:?}: {}", run.err);
        assert!(run.err.contains(expected), "{options:?}: {}", run.err);
    }
}

#[test]
fn more_threads_than_the_limit_are_an_error_of_usage() {
    let fixture = Fixture::new();
    assert_eq!(fixture.check(PASSING, &["--jobs", "1024"]).code, 0);
    for jobs in ["1025", "10000", "0"] {
        let run = fixture.check(PASSING, &["--jobs", jobs]);
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        assert!(run.err.contains(&format!("{jobs} is not in 1..=1024")), "{}", run.err);
    }
}

/// A user may have no more threads than the first. The limit does not hold for root, who becomes somebody else.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_done_without() {
    const LIMITED: &str = "if [ \"$(id -u)\" = 0 ]; then exec setpriv --reuid=64321 --clear-groups prlimit --nproc=1 \"$@\"; fi; \
                           exec prlimit --nproc=1 \"$@\"";
    let limited = |args: &str| {
        let tool = ["-c", LIMITED, "sh", env!("CARGO_BIN_EXE_multitrace")];
        let mut command = std::process::Command::new("sh");
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(tool).args(args.split(' '));
        crate::common::run::run(&mut command, None)
    };
    if limited("--version").code != 0 {
        return eprintln!("skipped: no setpriv or prlimit, or the tool is not readable for others");
    }
    let of_checkout = |text: &str| {
        text.replace("SPEC", "examples/checkout/SPEC.md")
            .replace("LOG", "examples/checkout/sessions.jsonl")
    };
    for args in [
        "check SPEC LOG --jobs 8",
        "explain SPEC LOG --session SESSION",
        "draw SPEC LOG --explain SESSION",
        "diff SPEC examples/mqtt/mqtt.hif",
        "learn LOG",
        "learn LOG --against SPEC",
        "compare LOG LOG",
        "map --check examples/shop/shop.hif examples/shop/spans.csv --events examples/shop/shop.toml",
    ] {
        let run = limited(&of_checkout(args).replace("SESSION", "paid"));
        assert!(run.code <= 3 && !run.err.contains("panic"), "{args}: {} {}", run.code, run.err);
    }
}
