//! Baselines hold places of faults: they excuse faults that were seen, and nothing else. Small specifications, with the
//! sessions of a baseline and sessions that have something else wrong.

use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace};

/// A reset of a password: asked for, a code that is mailed and entered, then the new password.
const RESET: &str = "seq(user -- ask -> site, site -- mail -> user, user -- code -> site, user -- password -> site, \
                     site -- done -> user)";

/// The logs of the user and of the site, without their names.
type Logs<'a> = [&'a str; 2];

const USER: &str = "!ask ?mail !code !password ?done";
const SITE: &str = "?ask !mail ?code ?password !done";
const ASKED_TWICE: Logs<'_> =
    ["!ask !ask ?mail !code !password ?done", "?ask ?ask !mail ?code ?password !done"];
const NO_ANSWER: Logs<'_> = ["!ask ?mail !code !password", "?ask !mail ?code ?password"];

/// The name of each case, the session of the baseline, the new session, and the line on it.
const CASES: [(&str, Logs<'_>, Logs<'_>, &str); 9] = [
    (
        "a known fault beside a code that nobody entered",
        ASKED_TWICE,
        ["!ask !ask ?mail !password ?done", "?ask ?ask !mail ?password !done"],
        "MT117 fail: user!code is missing",
    ),
    (
        "the same message twice elsewhere",
        ASKED_TWICE,
        ["!ask ?mail !code !code !password ?done", "?ask !mail ?code ?code ?password !done"],
        "MT115 fail: user!code is repeated",
    ),
    (
        "a known fault, and two events behind it the wrong way round",
        ASKED_TWICE,
        ["!ask !ask ?mail !password !code ?done", "?ask ?ask !mail ?password ?code !done"],
        "MT111 fail",
    ),
    (
        "a stop, and an answer that nobody can have had",
        NO_ANSWER,
        [USER, "?ask !mail ?code ?password"],
        "done: received by user, never sent by site",
    ),
    (
        "a stop at another place",
        NO_ANSWER,
        ["!ask", "?ask"],
        "MT118 fail: site stopped before site!mail",
    ),
    ("nothing at all", NO_ANSWER, ["", ""], "stopped before"),
    (
        "a message that was lost, where the baseline has a stop",
        NO_ANSWER,
        ["!ask", ""],
        "MT113 fail: ask: sent by user, never received by site",
    ),
    (
        "a record that is missing, where everybody stops, too",
        [USER, "!mail ?code ?password !done"],
        ["!ask ?mail", ""],
        "MT113 fail: ask: sent by user, never received by site",
    ),
    (
        "an answer without a question",
        ASKED_TWICE,
        ["!password ?done", "?password !done"],
        "MT117 fail: user!ask is missing",
    ),
];

fn session(id: &str, [user, site]: Logs<'_>) -> String {
    let log = |name: &str, events: &str| {
        events.split_whitespace().map(|event| format!("{name}{event}")).collect::<Vec<_>>()
    };
    let traces = serde_json::json!({"user": log("user", user), "site": log("site", site)});
    serde_json::json!({"session": id, "traces": traces}).to_string()
}

/// Checks a session with a baseline of another one.
fn check(known: Logs<'_>, new: Logs<'_>, options: &[&str]) -> Run {
    check_lines(session("known", known), session("new", new), options)
}

fn check_lines(known: String, new: String, options: &[&str]) -> Run {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", RESET);
    let [known, new] = [("known", known), ("new", new)]
        .map(|(name, line)| folder.file(&format!("{name}.jsonl"), &line));
    let baseline = folder.path("known.json");
    let run = |input: &str, option: &str| {
        multitrace(&[&["check", &spec, input, option, &baseline], options].concat())
    };
    assert_eq!(run(&known, "--write-baseline").code, 1);
    assert_eq!(run(&known, "--baseline").code, 0, "the session of the baseline");
    run(&new, "--baseline")
}

#[test]
fn a_baseline_excuses_what_was_seen_and_nothing_else() {
    for (name, known, new, expected) in CASES {
        let run = check(known, new, &[]);
        assert_eq!(run.code, 1, "{name}: {}", run.out);
        let is_said = |line: &str| line.contains(expected);
        assert!(run.out.lines().any(is_said), "{name}: {}", run.out);
        assert!(run.out.lines().count() <= 35, "{name}: {}", run.out);
    }
    let run = check(ASKED_TWICE, ASKED_TWICE, &["--observe", "prefix"]);
    assert_eq!(run.code, 0, "{}", run.out);
}

/// A specification, the logs of two locations that are known, and those that are new: the same fault by its root and what
/// depends on it, but more often, at another place behind it, or from somebody else.
const MORE: [(&str, &str, [&str; 3], [&str; 3]); 6] = [
    (
        "who stops with it, elsewhere",
        "par(seq(print -- p1 ->|, print -- p2 ->|, print -- p3 ->|), seq(till -- pay -> bank, bank -- paid -> print))",
        ["bank?pay", "print!p1 print!p2 print!p3", "till!pay"],
        ["bank?pay", "", "till!pay"],
    ),
    (
        "wrong events that depend on it, more often",
        "strict(till -- pay -> bank, bank -- book -> print, bank -- note ->|)",
        ["bank?pay bank!book bank!book", "print?book", "till!pay"],
        ["bank?pay bank!book bank!book bank!book bank!book", "print?book", "till!pay"],
    ),
    (
        "a message repeated more often",
        "strict(till -- pay -> bank, bank -- paid -> till, bank -- book -> print)",
        [
            "bank?pay bank?pay bank?pay bank!paid bank!book",
            "print?book",
            "till!pay till!pay till!pay till?paid",
        ],
        [
            "bank?pay bank?pay bank?pay bank?pay bank!paid bank!book",
            "print?book",
            "till!pay till!pay till!pay till!pay till?paid",
        ],
    ),
    (
        "its receptions elsewhere",
        "seq(till -- ask -> bank, loopS(bank -- rate -> till), bank -- end -> till, bank -- book -> print)",
        ["bank!rate bank?ask bank!end bank!book", "print?book", "till!ask till?rate till?end"],
        [
            "bank!rate bank?ask bank!end bank!book",
            "print?book",
            "till!ask till?rate till?rate till?rate till?end",
        ],
    ),
    (
        "the other end of it, later",
        "strict(till -- pay -> bank, bank -- b1 ->|, bank -- b2 ->|, bank -- paid -> till, bank -- book -> print)",
        [
            "bank?pay bank?pay bank!b1 bank!b2 bank!paid bank!book",
            "print?book",
            "till!pay till!pay till?paid",
        ],
        [
            "bank?pay bank!b1 bank?pay bank!b2 bank!paid bank!book",
            "print?book",
            "till!pay till!pay till?paid",
        ],
    ),
    (
        "another sender",
        "strict(alt(till -- pay -> bank, print -- pay -> bank), bank -- book ->|)",
        ["bank!book", "", "till!pay"],
        ["bank!book", "print!pay", ""],
    ),
];

#[test]
fn a_baseline_excuses_a_fault_only_with_all_that_depends_on_it() {
    for (name, spec, known, new) in MORE {
        let folder = Folder::new();
        let spec = folder.file("spec.hif", spec);
        let line = |logs: [&str; 3]| {
            let events = |log: &str| log.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let [bank, print, till] = logs.map(events);
            serde_json::json!({"session": "s", "traces": {"bank": bank, "print": print, "till": till}})
        };
        let baseline = folder.path("known.json");
        let known = folder.file("known.jsonl", &line(known).to_string());
        assert_eq!(
            multitrace(&["check", &spec, &known, "--write-baseline", &baseline]).code,
            1,
            "{name}"
        );
        let run = |input: &str| multitrace(&["check", &spec, input, "--baseline", &baseline]);
        assert_eq!(run(&known).code, 0, "{name}: {}", run(&known).out);
        let new = run(&folder.file("new.jsonl", &line(new).to_string()));
        assert_eq!(new.code, 1, "{name}: {}", new.out);
    }
}

/// Logs observed in part are known where they end alike, whatever the session is called.
#[test]
fn a_baseline_excuses_parts_with_the_same_ends() {
    const PREFIX: [&str; 3] = ["--observe", "prefix", "--fail-on"];
    let cases: [(&str, bool, &[&str]); 3] = [
        ("MT501 weak-pass", false, &[&PREFIX[..], &["weak-pass"]].concat()),
        ("MT502 weak-pass", true, &[&PREFIX[..], &["cut-off"]].concat()),
        ("MT408 inconclusive", true, &["--fail-on", "inconclusive"]),
    ];
    let mailed = ["!ask ?mail", "?ask !mail"];
    for (said, is_cut, options) in cases {
        let line = |name: &str, logs: Logs<'_>| match is_cut {
            true => session(name, logs).replacen('{', "{\"gaps\":\"ends\",", 1),
            false => session(name, logs),
        };
        let run = |new| check_lines(line("known", mailed), line("new", new), options);
        assert_eq!(run(mailed).code, 0, "{said}: {}", run(mailed).out);
        for new in [["!ask ?mail !code", "?ask !mail"], ["!ask", ""]] {
            let Run { code, out, .. } = run(new);
            assert!(code == 1 && out.contains(said), "{said} {new:?}: {code} {out}");
        }
    }
}

/// The known session lost messages and went on; the new one lost the same and stopped.
#[test]
fn a_baseline_of_lost_messages_excuses_no_crash() {
    let folder = Folder::new();
    let calls: Vec<String> = (1..6).map(|it| format!("a -- m{it} -> b")).collect();
    let spec = folder.file("spec.hif", &format!("seq({})", calls.join(", ")));
    let line = |name: &str, received: &[u8]| {
        let log = |end: &str, numbers: &[u8]| {
            numbers.iter().map(|it| format!("{end}m{it}")).collect::<Vec<_>>()
        };
        let traces =
            serde_json::json!({"a": log("a!", &[1, 2, 3, 4, 5]), "b": log("b?", received)});
        serde_json::json!({"session": name, "traces": traces}).to_string()
    };
    let baseline = folder.path("known.json");
    let known = folder.file("known.jsonl", &line("known", &[1, 4, 5]));
    let new = folder.file("new.jsonl", &[line("old", &[1, 4, 5]), line("dead", &[1])].join("\n"));
    assert_eq!(multitrace(&["check", &spec, &known, "--write-baseline", &baseline]).code, 1);
    assert_eq!(multitrace(&["check", &spec, &known, "--baseline", &baseline]).code, 0);
    let run = multitrace(&["check", &spec, &new, "--baseline", &baseline]);
    assert_eq!(run.code, 1, "{}", run.out);
    let place = "known at 1 of 2 places, new: m2: sent by a, never received by b, after b?m1; also stopped: b";
    assert!(run.out.contains(place), "{}", run.out);
}

/// Of a fault with consequences everywhere only the log is marked where it began.
#[test]
fn logs_that_wait_for_a_fault_are_not_shown_as_wrong() {
    let folder = Folder::new();
    let calls: Vec<String> = (1..17).map(|it| format!("s{it} -- m -> s{}", it + 1)).collect();
    let spec = folder.file("spec.hif", &format!("seq({})", calls.join(", ")));
    let log = |at: usize| match at {
        1 => vec!["s1!m".to_owned()],
        2..5 => vec![format!("s{at}?m"), format!("s{at}!m")],
        5 => vec!["s5?m".to_owned()],
        _ => Vec::new(),
    };
    let traces: serde_json::Map<String, serde_json::Value> =
        (1..18).map(|at| (format!("s{at}"), log(at).into())).collect();
    let line = serde_json::json!({"session": "s", "traces": traces}).to_string();
    let run = multitrace(&["check", &spec, &folder.file("in.jsonl", &line)]);
    let said =
        "MT118 fail: s5 stopped before s5!m; and 23 events at 12 locations that depend on it";
    assert!(run.out.contains(said) && run.out.lines().count() <= 25, "{}", run.out);
    assert_eq!(run.out.matches(">end<").count(), 1, "{}", run.out);
}

/// A session from event logs fails whatever is missing, and a location that logged nothing may be the cause all the same.
#[test]
fn a_silent_location_that_was_sent_a_message_is_named() {
    let folder = Folder::new();
    let text =
        "seq(user -- buy -> web, web -- charge -> pay, pay -- paid -> web, web -- thanks -> user)";
    let spec = folder.file("spec.hif", text);
    let map = "[event]\nsession = \"s\"\nlifeline = \"at\"\ndirection = { field = \"d\", emission = \"out\", reception = \"in\" }\nmessage = \"m\"\n";
    let map = folder.file("map.toml", map);
    let event = |(at, d, m)| serde_json::json!({"s": "1", "at": at, "d": d, "m": m}).to_string();
    let log = [("user", "out", "buy"), ("web", "in", "buy"), ("web", "out", "charge")].map(event);
    let log = folder.file("log.jsonl", &log.join("\n"));
    let run = multitrace(&["check", &spec, &log, "--events", &map]);
    let said = "MT407 nothing was logged at pay; if nothing arrived there, these are lost: charge";
    assert!(run.code == 1 && run.out.contains(said), "{}", run.out);
}

/// One fault in a session of ten events: its session once, and no more than a screen.
#[test]
fn one_fault_takes_few_lines() {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", RESET);
    let line = session("s", ["!ask ?mail !code !password", SITE]);
    let run = multitrace(&["check", &spec, &folder.file("in.jsonl", &line)]);
    let said = "MT113 fail: done: sent by site, never received by user";
    assert!(run.out.contains(said), "{}", run.out);
    assert!(run.out.lines().count() <= 25, "{}", run.out);
    assert_eq!(run.out.matches("user!password").count(), 1, "the session stands once: {}", run.out);
}

/// A session with two faults stands once in every format, and without an exact repair it stands with its logs, too.
#[test]
fn a_session_stands_once_with_its_logs() {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", RESET);
    let both = ["!ask !ask ?mail !password ?done", "?ask ?ask !mail ?password !done"];
    let input = folder.file("in.jsonl", &session("s", both));
    for (format, once) in [("junit", "in s, which is shown above"), ("sarif", "codeFlows")] {
        let run = multitrace(&["check", &spec, &input, "--output-format", format]);
        assert_eq!(run.out.matches(once).count(), 1, "{format}: {}", run.out);
    }
    let desk = "par(loopS(seq(x -- ask -> desk, desk -- yes -> x)), loopS(seq(y -- ask -> desk, desk -- yes -> y)))";
    let desk = folder.file("desk.hif", desk);
    let logs = r#"{"x":["x!ask","x?yes"],"y":["y!ask","y?yes"],"desk":["desk?ask","desk!yes","desk?ask","desk!yes","desk?ask","desk!yes"]}"#;
    let input = folder.file("desk.jsonl", &format!("{{\"session\":\"s\",\"traces\":{logs}}}"));
    let run = multitrace(&["check", &desk, &input, "--budget-states", "1"]);
    assert!(run.out.contains("at least") && run.out.contains("x!ask x?yes"), "{}", run.out);
}

/// Most sessions fail alike, and another observation mode would accept them: the report says which.
#[test]
fn a_mode_that_most_failures_ask_for_is_proposed() {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", RESET);
    let check = |logs: Logs<'_>, count: usize, options: &[&str]| {
        let lines: Vec<String> = (0..count).map(|it| session(&it.to_string(), logs)).collect();
        let input = folder.file("in.jsonl", &lines.join("\n"));
        multitrace(&[&["check", &spec, &input], options].concat()).out
    };
    let (early, silent) = (["!ask", "?ask !mail"], [USER, ""]);
    let all = "12 of 12 failing sessions are accepted if logs may";
    let said = check(early, 12, &[]);
    assert!(said.contains(&format!("MT007 {all} end early: --observe prefix")), "{said}");
    let said = check(silent, 12, &[]);
    assert!(said.contains(&format!("MT008 {all} be missing: --observe missing")), "{said}");
    assert!(!check(early, 9, &[]).contains("MT007"));
    assert!(!check(early, 12, &["--observe", "prefix"]).contains("MT00"));
    let json = check(early, 12, &["--output-format", "json-lines"]);
    assert!(json.contains("\"only_ends\":12"), "{json}");
}

/// A session of very many events that nobody knows costs as much as their number, and each counts.
/// Each is a kind of its own, so that a group with an example is kept for each.
#[test]
fn an_example_of_very_many_errors_shows_the_first_ones() {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", RESET);
    let spam: Vec<String> = (0..3_000).map(|number| format!("!spam{number}")).collect();
    let user = format!("{USER} {}", spam.join(" "));
    let input = folder.file("in.jsonl", &session("s", [&user, SITE]));
    let run = multitrace(&["check", &spec, &input, "--output-format", "json"]);
    let said: serde_json::Value = serde_json::from_str(&run.out).expect("an object");
    let groups = said["groups"].as_array().expect("a list");
    assert_eq!(groups.len(), 1_000);
    for group in groups {
        let logs = group["example"]["locations"].as_array().expect("a list");
        let log = logs.iter().find(|it| it["location"] == "user").expect("its log");
        let (marks, omitted) = (log["marks"].as_array().expect("a list"), &log["omitted_marks"]);
        assert_eq!(marks.len() as u64 + omitted.as_u64().expect("a number"), 3_000);
        assert!(marks.len() <= 20 && log["log"].as_array().expect("a list").len() <= 40);
    }
    let run = multitrace(&["check", &spec, &input]);
    assert!(run.out.contains("and 2980 more here"), "{}", run.out);
}

#[test]
fn very_many_unknown_events_are_one_group() {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", RESET);
    let user = format!("{USER} {}", "!spam ".repeat(100_000));
    let input = folder.file("in.jsonl", &session("s", [&user, SITE]));
    let run = multitrace(&["check", &spec, &input, "--output-format", "json-lines"]);
    let line = run.out.lines().next().unwrap_or_default();
    let said: serde_json::Value = serde_json::from_str(line).expect("an object");
    let faults = said["faults"].as_array().expect("a list").len() as u64;
    assert_eq!(faults + said["faults_omitted"].as_u64().unwrap_or(0), 100_000);
    let run = multitrace(&["check", &spec, &input]);
    assert_eq!(run.out.matches("MT102 fail: user!spam").count(), 1, "{}", run.out);
}

/// An order of three steps, and sessions with an event that nobody knows behind one of them.
fn sessions_of_steps(lines: &[(&str, &str)]) -> String {
    let line = |(name, log): &(&str, &str)| {
        let of = |side: char| {
            let own = log.split_whitespace().filter(|it| it.starts_with(side));
            own.map(str::to_owned).collect::<Vec<_>>()
        };
        let traces = serde_json::json!({"p": of('p'), "q": of('q')});
        serde_json::json!({"session": name, "traces": traces}).to_string()
    };
    lines.iter().map(|it| line(it) + "\n").collect()
}

/// The parts of a run in three shards.
fn three_shards(folder: &Folder, (spec, input): (&str, &str)) -> [String; 3] {
    ["1/3", "2/3", "3/3"].map(|shard| {
        let part = folder.path(&format!("{}.part", &shard[..1]));
        let options = ["--shard", shard, "--output-format", "partial", "--output-file", &part];
        multitrace(&[&["check", spec, input], &options[..]].concat());
        part
    })
}

/// A group has sessions at a known place and at a new one: every output names the plainest new one, though a known one
/// comes first, and needs fewer edits.
#[test]
fn the_example_of_a_group_is_its_plainest_new_session() {
    const STEPS: &str = "seq(p -- pick -> q, p -- pack -> q, p -- post -> q)";
    const OLD: &str = "p!pick p!oops p!pack p!post q?pick q?pack q?post";
    const NEW: &str = "p!pick p!pack p!oops p!post q?pick q?pack q?post";
    let folder = Folder::new();
    let spec = folder.file("spec.hif", STEPS);
    let known = folder.file("known.jsonl", &sessions_of_steps(&[("first", OLD)]));
    let baseline = folder.path("known.json");
    assert_eq!(multitrace(&["check", &spec, &known, "--write-baseline", &baseline]).code, 1);
    let worse = NEW.replace("q?pick", "q?pick q?huh");
    let both = NEW.replace("p!pick", "p!pick p!oops").replace("p!post", "p!post p!late");
    let plain = NEW.replace("q?post", "");
    // The line of the plainest new one is the fifth.
    let lines = sessions_of_steps(&[
        ("old-1", OLD),
        ("worse", &format!("{worse} p!huh")),
        ("both", &both),
        ("old-2", OLD),
        ("plain-new", &plain),
        ("late-new", &plain),
    ]);
    let input = folder.file("in.jsonl", &lines);
    let formats = [
        ("human", ": in plain-new, event 3 of p"),
        (
            "concise",
            "in.jsonl:5: error[MT102]: p!oops at p is not in the specification (6 sessions, as plain-new)",
        ),
        ("json", "\"session\": \"plain-new\""),
        ("junit", "in plain-new, event 3 of p"),
        ("sarif", "\"id\": \"p\""),
        ("github", "(6 sessions: plain-new, late-new, worse, both, old-1 and 1 more)"),
        ("html", "plain-new"),
    ];
    let [one, two, three] = &three_shards(&folder, (&spec, &input));
    for (format, said) in formats {
        let options = ["--baseline", &baseline, "--output-format", format];
        let run = multitrace(&[&["check", &spec, &input], &options[..]].concat());
        assert_eq!(run.code, 1, "{format}: {}", run.err);
        assert!(run.out.contains(said), "{format}: {}", run.out);
        let merged = multitrace(&[&["merge", three, one, two], &options[..]].concat());
        assert_eq!(merged.code, 1, "{format}: {}", merged.err);
        assert!(merged.out.contains(said), "{format}, merged: {}", merged.out);
    }
    let options = ["--baseline", &baseline, "--output-format", "json"];
    let run = multitrace(&[&["check", &spec, &input], &options[..]].concat());
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("an object");
    let groups = report["groups"].as_array().expect("a list");
    let group = groups.iter().find(|it| it["event"] == "p!oops").expect("the group");
    let named: Vec<&str> = group["sessions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it["session"].as_str())
        .collect();
    assert_eq!(named, ["plain-new", "late-new", "worse", "both", "old-1"], "{group}");
    assert_eq!(group["example"]["session"], "plain-new");
}
