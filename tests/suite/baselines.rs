//! Baselines hold places of faults: they excuse what was seen, and nothing else. Small specifications, with the sessions
//! of a baseline and sessions that have something else wrong.

use crate::common::folder::Folder;
use crate::common::run::{Run, multitrace};

/// A reset of a password: asked for, a code that is mailed and entered, then the new password.
const RESET: &str = "seq(user -- ask -> site, site -- mail -> user, user -- code -> site, user -- password -> site, \
                     site -- done -> user)";

type Logs<'a> = &'a [(&'a str, &'a [&'a str])];

fn session(id: &str, logs: Logs<'_>) -> String {
    let events = |events: &[&str]| {
        events.iter().map(|event| format!("\"{event}\"")).collect::<Vec<_>>().join(",")
    };
    let logs: Vec<String> =
        logs.iter().map(|(name, log)| format!("\"{name}\":[{}]", events(log))).collect();
    format!("{{\"session\":\"{id}\",\"traces\":{{{}}}}}", logs.join(","))
}

/// Checks a session with a baseline of another one.
fn check(spec: &str, known: Logs<'_>, new: Logs<'_>, options: &[&str]) -> Run {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", spec);
    let [known, new] = [("known", known), ("new", new)]
        .map(|(name, logs)| folder.file(&format!("{name}.jsonl"), &session(name, logs)));
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
    const SITE: &[&str] = &["site?ask", "site!mail", "site?code", "site?password", "site!done"];
    const USER: &[&str] = &["user!ask", "user?mail", "user!code", "user!password", "user?done"];
    let asked_twice: Logs<'_> = &[
        ("user", &["user!ask", "user!ask", "user?mail", "user!code", "user!password", "user?done"]),
        ("site", &["site?ask", "site?ask", "site!mail", "site?code", "site?password", "site!done"]),
    ];
    let no_answer: Logs<'_> = &[("user", &USER[..4]), ("site", &SITE[..4])];
    let cases: [(&str, Logs<'_>, Logs<'_>, &str); 8] = [
        (
            "a known fault beside a code that nobody asked for",
            asked_twice,
            &[
                ("user", &["user!ask", "user!ask", "user?mail", "user!password", "user?done"]),
                ("site", &["site?ask", "site?ask", "site!mail", "site?password", "site!done"]),
            ],
            "MT117 fail: user!code is missing",
        ),
        (
            "the same message twice elsewhere",
            asked_twice,
            &[
                (
                    "user",
                    &[
                        "user!ask",
                        "user?mail",
                        "user!code",
                        "user!code",
                        "user!password",
                        "user?done",
                    ],
                ),
                (
                    "site",
                    &[
                        "site?ask",
                        "site!mail",
                        "site?code",
                        "site?code",
                        "site?password",
                        "site!done",
                    ],
                ),
            ],
            "MT115 fail: user!code is repeated",
        ),
        (
            "a known fault, and two events behind it the wrong way round",
            asked_twice,
            &[
                (
                    "user",
                    &[
                        "user!ask",
                        "user!ask",
                        "user?mail",
                        "user!password",
                        "user!code",
                        "user?done",
                    ],
                ),
                (
                    "site",
                    &[
                        "site?ask",
                        "site?ask",
                        "site!mail",
                        "site?password",
                        "site?code",
                        "site!done",
                    ],
                ),
            ],
            "MT111 fail",
        ),
        (
            "a stop, and an answer that nobody can have had",
            no_answer,
            &[("user", USER), ("site", &SITE[..4])],
            "done",
        ),
        (
            "a stop at another place",
            no_answer,
            &[("user", &["user!ask"]), ("site", &["site?ask"])],
            "MT118 fail: site stopped before site!mail",
        ),
        ("nothing at all", no_answer, &[("user", &[]), ("site", &[])], "stopped before"),
        (
            "a message that was lost, where the baseline has a stop",
            no_answer,
            &[("user", &USER[..1]), ("site", &[])],
            "MT113 fail: ask: sent by user, never received by site",
        ),
        (
            "an answer without a question",
            asked_twice,
            &[("user", &["user!password", "user?done"]), ("site", &["site?password", "site!done"])],
            "MT117 fail: user!ask is missing",
        ),
    ];
    for (name, known, new, expected) in cases {
        let run = check(RESET, known, new, &[]);
        assert_eq!(run.code, 1, "{name}: {}", run.out);
        let violation = |line: &str| line.contains(expected);
        assert!(run.out.lines().any(violation), "{name}: {}", run.out);
        assert!(run.out.lines().count() <= 35, "{name}: {}", run.out);
    }
    let run = check(RESET, asked_twice, asked_twice, &["--observe", "prefix"]);
    assert_eq!(run.code, 0, "{}", run.out);
}

/// One fault in a session of ten events: its session once, and no more than a screen.
#[test]
fn one_fault_takes_few_lines() {
    let folder = Folder::new();
    let spec = folder.file("spec.hif", RESET);
    let line = session(
        "s",
        &[
            ("user", &["user!ask", "user?mail", "user!code", "user!password"]),
            ("site", &["site?ask", "site!mail", "site?code", "site?password", "site!done"]),
        ],
    );
    let run = multitrace(&["check", &spec, &folder.file("in.jsonl", &line)]);
    assert!(
        run.out.contains("MT113 fail: done: sent by site, never received by user"),
        "{}",
        run.out
    );
    assert!(run.out.lines().count() <= 25, "{}", run.out);
    assert_eq!(run.out.matches("user!password").count(), 1, "the session stands once: {}", run.out);
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
    let early: Logs<'_> = &[("user", &["user!ask"]), ("site", &["site?ask", "site!mail"])];
    let silent: Logs<'_> = &[
        ("user", &["user!ask", "user?mail", "user!code", "user!password", "user?done"]),
        ("site", &[]),
    ];
    let said = check(early, 12, &[]);
    assert!(
        said.contains(
            "MT007 12 of 12 failing sessions are accepted if logs may end early: --observe prefix"
        ),
        "{said}"
    );
    let said = check(silent, 12, &[]);
    assert!(
        said.contains(
            "MT008 12 of 12 failing sessions are accepted if logs may be missing: --observe missing"
        ),
        "{said}"
    );
    assert!(!check(early, 3, &[]).contains("MT007"));
    assert!(!check(early, 12, &["--observe", "prefix"]).contains("MT00"));
    let json = check(early, 12, &["--output-format", "json-lines"]);
    assert!(json.contains("\"only_ends\":12"), "{json}");
}
