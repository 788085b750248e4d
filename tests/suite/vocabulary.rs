//! Options, variables of the environment, exit codes and messages that all commands share.

use crate::common::folder::{FAILING, Folder, PASSING, UNKNOWN};
use crate::common::run::{multitrace, multitrace_in};
use multitrace_reports::codes::Code;

#[test]
fn variables_of_the_environment_are_options() {
    let folder = Folder::new();
    let (spec, input) = (folder.path("ab.hif"), folder.file("in.jsonl", FAILING));
    let run = |options: &[&str], variables: &[(&str, &str)]| {
        multitrace_in(None, &[&["check", &spec, &input], options].concat(), variables)
    };
    let concise = [("MULTITRACE_OUTPUT_FORMAT", "concise")];
    assert!(run(&[], &concise).out.starts_with(&input), "{}", run(&[], &concise).out);
    let given = run(&["--output-format", "json"], &concise);
    assert!(given.out.starts_with('{'), "the command line wins: {}", given.out);
    assert_eq!(run(&[], &[("MULTITRACE_EXIT_ZERO", "true")]).code, 0);
    for (value, code) in
        [("1", 0), ("Yes", 0), ("0", 1), ("off", 1), ("", 1), ("maybe", 2), (" ", 2)]
    {
        let run = run(&[], &[("MULTITRACE_EXIT_ZERO", value)]);
        assert_eq!(run.code, code, "{value:?}: {}", run.err);
        let is_told = run.err.contains("MULTITRACE_EXIT_ZERO is neither 1 nor 0");
        assert_eq!(is_told, code == 2, "{value:?}: {}", run.err);
    }
    assert_eq!(run(&[], &[("MULTITRACE_FAIL_ON", "inconclusive")]).code, 0);
    let wrong = run(&[], &[("MULTITRACE_FAIL_ON", "everything")]);
    assert!(wrong.code == 2 && wrong.err.contains("--fail-on"), "{}", wrong.err);
    // The environment wins over the file.
    let config = folder.file("multitrace.toml", "[check]\nfail-on = [\"fail\"]\n");
    let found = run(&["--config", &config], &[("MULTITRACE_FAIL_ON", "inconclusive")]);
    assert_eq!(found.code, 0, "{}", found.err);
    // Defaults that are not used are not told.
    let text = format!("[check]\nspec = {spec:?}\ninputs = [{input:?}]\nfail-on = []\n");
    let config = folder.file("multitrace.toml", &text);
    let unused = run(&["--config", &config], &[]);
    assert!(!unused.out.contains("defaults come from"), "{}", unused.out);
    let used = multitrace(&["check", "--config", &config]);
    assert!(used.out.contains("multitrace.toml: the specification, inputs"), "{}", used.out);
    // A bundle that they made is one that a gate reads.
    let bundle = folder.path("b.mtb");
    let unlogged = [("MULTITRACE_UNLOGGED", "b?m")];
    let compiled = multitrace_in(None, &["compile", &spec, "-o", &bundle], &unlogged);
    assert!(compiled.err.contains("(MULTITRACE_…) set --unlogged"), "{}", compiled.err);
}

#[test]
fn variables_that_do_not_exist_are_told() {
    let run = |name, value| multitrace_in(None, &["explain", "MT113"], &[(name, value)]);
    let level = run("MULTITRACE_LOG", "debugg");
    let told = "MULTITRACE_LOG: \"debugg\" is not a level: off, error, warn, info, debug, trace";
    assert!(level.code == 2 && level.err.contains(told), "{}", level.err);
    for (name, value) in
        [("MULTITRACE_LOG", "DEBUG"), ("MULTITRACE_LOG", ""), ("MULTITRACE_UNRELATED", "1")]
    {
        let run = run(name, value);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}={value}");
    }
    let near = run("MULTITRACE_FAILON", "fail");
    let told = "no option reads the variable MULTITRACE_FAILON; did you mean `MULTITRACE_FAIL_ON`?";
    assert!(near.code == 0 && near.err.contains(told), "{}", near.err);
}

#[test]
fn exit_zero_changes_violations_and_nothing_else() {
    let folder = Folder::new();
    assert_eq!(folder.check(&[FAILING], &[]).code, 1);
    let run = folder.check(&[FAILING], &["--exit-zero"]);
    assert!(run.code == 0 && run.out.contains("MT114"), "{}", run.out);
    assert_eq!(folder.check(&["{"], &["--exit-zero"]).code, 2);
    assert_eq!(folder.check(&[""], &["--exit-zero"]).code, 3);
}

#[test]
fn quiet_and_color_are_for_every_command() {
    let folder = Folder::new();
    let (spec, input) = (folder.path("ab.hif"), folder.file("in.jsonl", PASSING));
    let bundle = folder.path("ab.mtb");
    let commands: [&[&str]; 4] = [
        &["compile", &spec, "-o", &bundle],
        &["check", &bundle, &input],
        &["inspect", &bundle],
        &["explain", &bundle, &input, "--session", "s"],
    ];
    for command in commands {
        let run = multitrace(&[command, &["--quiet", "--color", "never"]].concat());
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{command:?}");
    }
    let broken = folder.file("broken.hif", "seq(a -- m -> b");
    let painted = multitrace(&["--color", "always", "check", &broken, &input]);
    assert!(painted.err.starts_with("\u{1b}[1;31merror:"), "{}", painted.err);
    let plain = multitrace(&["check", &broken, &input, "--color", "never"]);
    assert!(plain.err.starts_with("error:") && plain.code == 2, "{}", plain.err);
}

#[test]
fn man_pages_have_every_command() {
    let folder = Folder::new();
    let pages = folder.path("man");
    assert_eq!(multitrace(&["man", "--output-dir", &pages]).code, 0);
    for command in [
        "check", "compare", "compile", "convert", "diff", "draw", "explain", "explore", "fmt",
        "generate", "inspect", "learn", "map", "man", "read",
    ] {
        let page = folder.read(&format!("man/multitrace-{command}.1"));
        assert!(page.contains(".TH") && page.contains(command), "{page}");
    }
    assert!(multitrace(&["man"]).out.contains("SUBCOMMANDS"));
}

/// Options for comparisons with the papers are in the long help only.
#[test]
fn the_short_help_leaves_out_what_only_papers_need() {
    let (short, long) = (multitrace(&["check", "-h"]).out, multitrace(&["check", "--help"]).out);
    assert!(!short.contains("--paper") && long.contains("--paper <KEY=VALUE,…>"));
    assert!(short.lines().all(|line| line.chars().count() <= 100), "{short}");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_multitrace"));
    let output = command.arg("--help").stdout(full).output().expect("the tool runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write the output"));
}

#[test]
fn explain_says_what_a_code_means() {
    for code in Code::ALL {
        let run = multitrace(&["explain", code.name()]);
        assert_eq!(run.code, 0, "{}", run.err);
        let words = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
        // Remedies stand between angle quotes.
        for text in [code.title(), code.remedy()] {
            let mut pieces = text.split(['‹', '›']).step_by(2);
            assert!(pieces.all(|piece| words.contains(piece.trim())), "{text}: {words}");
        }
    }
    let run = multitrace(&["explain", "mt103", "--output-format", "json"]);
    let object: serde_json::Value = serde_json::from_str(&run.out).expect("an object");
    assert_eq!((&object["code"], &object["cause"]), (&"MT103".into(), &"local".into()));
    for picture in ["picture", "svg", "mermaid", "shiviz"] {
        let run = multitrace(&["explain", "MT103", "--output-format", picture]);
        let remedy = "MT103: a code has no picture; leave out --output-format";
        assert!(run.code == 2 && run.err.contains(remedy), "{picture}: {}", run.err);
    }
    let unknown = multitrace(&["explain", "MT999"]);
    assert!(unknown.code == 2 && unknown.err.contains("MT101, MT102"), "{}", unknown.err);
}

#[test]
fn explain_counts_the_places_that_it_leaves_out() {
    let folder = Folder::new();
    // A reception that belongs to no occurrence.
    let passing =
        |at: usize| format!("seq(a -- k -> b, alt(o, seq(a -- n{at} -> b, a -- m -> b)))");
    let passings: Vec<String> = (0..7).map(passing).collect();
    let spec = folder.file("seven.hif", &format!("alt(\n{}\n)\n", passings.join(",\n")));
    let line = "{\"session\":\"s\",\"traces\":{\"a\":[\"a!k\"],\"b\":[\"b?k\",\"b?m\"]}}\n";
    let input = folder.file("in.jsonl", line);
    let run = |format| {
        multitrace(&["explain", &spec, &input, "--session", "s", "--output-format", format])
    };
    let object: serde_json::Value = serde_json::from_str(&run("json").out).expect("an object");
    let specification = &object["specification"];
    let shown = specification["places"].as_array().expect("places");
    let of = |event: &str| shown.iter().filter(|it| it["event"] == event).count();
    let left_out = specification["left_out"].as_u64().expect("a count");
    assert_eq!(of("b?m"), 5, "{specification}");
    assert!(left_out >= 2, "{specification}");
    let text = run("human").out;
    assert!(text.contains(&format!("\n  … and {left_out} more places\n")), "{text}");
}

#[test]
fn a_session_may_be_called_like_an_option() {
    let folder = Folder::new();
    let input = folder.file("in.jsonl", &UNKNOWN.replace("\"u\"", "\"-5\""));
    let run = multitrace(&["explain", &folder.path("ab.hif"), &input, "--session", "-5"]);
    assert!(run.code == 0 && run.out.starts_with("-5: fail"), "{}{}", run.out, run.err);
}

/// A long session is cut to windows, no line is wider than the terminal, and columns stay apart.
#[test]
fn explain_cuts_long_sessions_and_fits_the_terminal() {
    let folder = Folder::new();
    let events = |way: &str, count: usize| vec![format!("\"{way}m\""); count].join(",");
    let (sent, received) = (events("a!", 20_000), events("b?", 20_000));
    let line = format!(
        r#"{{"session":"long","traces":{{"a":[{sent}],"b":[{received},"b?{}"]}}}}"#,
        "x".repeat(300)
    );
    let (spec, input) = (folder.path("ab.hif"), folder.file("in.jsonl", &line));
    let explain = |options: &[&str], columns: &str| {
        let args = [&["explain", &spec, &input, "--session", "long"], options].concat();
        let run = multitrace_in(None, &args, &[("COLUMNS", columns)]);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    for (options, columns, most) in
        [(&[][..], "60", 60), (&["--context", "2"], "90", 90), (&[], "5", 40)]
    {
        let text = explain(options, columns);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(most), "{text}");
        assert!(text.contains("events\n") && text.contains("MT102: "), "{text}");
        assert!(text.lines().count() < 40, "{text}");
    }
    let context = explain(&["--context", "2"], "90");
    assert_eq!(context.lines().filter(|line| line.starts_with("  b  ")).count(), 2, "{context}");
    assert!(explain(&["--full"], "60").lines().count() > 40_000);
}

/// Events of a log with an order are in one order, with their places and lines.
#[test]
fn explain_shows_the_lines_of_the_log_in_their_order() {
    let root = env!("CARGO_MANIFEST_DIR");
    let folder = Folder::new();
    let map =
        std::fs::read_to_string(format!("{root}/examples/tls/tls.toml")).expect("the mapping");
    let map = folder.file("tls.toml", &map.replace("[event]\n", "[event]\norder = \"ts\"\n"));
    let at = |file: &str| format!("{root}/examples/tls/{file}");
    let run = multitrace(&[
        "explain",
        &at("tls.hif"),
        &at("messages.jsonl"),
        "--events",
        &map,
        "--session",
        "not closed",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let rows: Vec<&str> = run.out.lines().filter(|line| line.contains("  :")).collect();
    assert!(rows.len() > 5, "{}", run.out);
    let log = std::fs::read_to_string(at("messages.jsonl")).expect("the log");
    let lines: Vec<&str> = log.lines().collect();
    let mut last = 0;
    for row in rows {
        let (_, place) = row.split_once("  :").expect("a place");
        let (number, shown) = place.split_once(' ').expect("a line");
        let number: usize = number.parse().expect("a number");
        let shown = shown.trim().trim_end_matches('…');
        assert!(lines[number - 1].starts_with(shown) && !shown.is_empty(), "{row}");
        assert!(number >= last, "in order: {}", run.out);
        last = number;
    }
}

/// A reader that goes away ends the run with the code of the findings so far; not with 0, since sessions are unread.
#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_with_the_code_so_far() {
    let folder = Folder::new();
    for (line, code) in [(PASSING, 141), (FAILING, 1)] {
        let input = folder.file("in.jsonl", &vec![line; 50_000].join("\n"));
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_multitrace"))
            .args(["check", &folder.path("ab.hif"), &input, "--output-format", "json-lines"])
            .stdout(writer)
            .output()
            .expect("the tool runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.as_str()), (Some(code), ""));
    }
}

/// The sessions of event logs are written when all records were read.
#[test]
fn sessions_that_nobody_reads_end_with_the_code_so_far() {
    let folder = Folder::new();
    let map = folder.file(
        "map.toml",
        "[event]\nsession = \"s\"\nlifeline = \"at\"\ndirection = \"emission\"\nmessage = \"m\"\n",
    );
    let line = |n: usize| format!("{{\"s\":\"{n}\",\"at\":\"a\",\"m\":\"m\"}}\n");
    for (lines, end, code) in [(20_000, "", 141), (20_000, "{}\n", 2), (1, "{}\n", 2)] {
        let text: String = (0..lines).map(line).collect();
        let log = folder.file("log.jsonl", &(text + end));
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_multitrace"))
            .args(["sessions", &log, "--events", &map])
            .stdout(writer)
            .output()
            .expect("the tool runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
    }
}

/// Concise reports on standard output have the problems of the input, so messages do not.
#[test]
fn problems_are_told_once() {
    let folder = Folder::new();
    let run = folder.check(&["{", PASSING], &["--output-format", "concise"]);
    assert_eq!(run.code, 2);
    assert!(run.out.contains("in.jsonl:1:") && !run.err.contains("in.jsonl:1"), "{}", run.err);
    let run = folder.check(&["{", PASSING], &["--output-format", "json"]);
    assert!(run.err.contains("in.jsonl:1"), "{}", run.err);
}

/// Reports for platforms have paths relative to the repository, or none.
#[test]
fn paths_for_platforms_are_relative_to_the_repository() {
    let folder = Folder::new();
    folder.file("repository/.git/HEAD", "");
    folder.file("repository/multitrace.toml", "[check]\nspec = \"ab.hif\"\ninputs = [\"logs\"]\n");
    folder.file("repository/ab.hif", "loopS(a -- m -> b)");
    folder.file("repository/logs/in.jsonl", FAILING);
    folder.file("repository/deep/er/x", "");
    let deep = folder.path("repository/deep/er");
    let repository = folder.path("repository");
    let outside = folder.file("outside.jsonl", FAILING);
    for format in ["sarif", "gitlab", "github"] {
        let check = |place: &str, more: &[&str]| {
            let args = [&["check", "--output-format", format], more].concat();
            let run = multitrace_in(Some(place.as_ref()), &args, &[]);
            assert_eq!(run.code, 1, "{}", run.err);
            run.out
        };
        for out in [check(&deep, &[]), check(&repository, &[])] {
            assert!(out.contains("logs/in.jsonl"), "{out}");
            assert!(!out.contains("/logs/in.jsonl\"") && !out.contains("file=/"), "{out}");
        }
        let out = check(&repository, &[&outside]);
        assert!(!out.contains("outside.jsonl\"") && !out.contains("file="), "{out}");
    }
}

/// Characters that change how the text around them is shown are escaped in JSON.
#[test]
fn json_holds_no_characters_that_change_text() {
    let folder = Folder::new();
    let odd = r#"{"session":"o\u202e\u2028\u0085\u007f","traces":{"a":["a!\u202ex"],"b":[]}}"#;
    let odd: serde_json::Value = serde_json::from_str(odd).expect("an object");
    for format in ["json", "json-lines", "sarif", "gitlab"] {
        let run = folder.check(&[&odd.to_string()], &["--output-format", format]);
        let raw = run
            .out
            .chars()
            .find(|char| matches!(char, '\u{202e}' | '\u{2028}' | '\u{85}' | '\u{7f}'));
        assert_eq!(raw, None, "{format}: {}", run.out);
    }
}

/// A link as output stays a link, also where its target does not exist yet.
#[cfg(unix)]
#[test]
fn a_dangling_link_is_written_through() {
    let folder = Folder::new();
    let (link, target) = (folder.path("link.json"), folder.path("target.json"));
    std::os::unix::fs::symlink("target.json", &link).expect("a link");
    let options = ["--output-format", "json", "--output-file", &link];
    assert_eq!(folder.check(&[PASSING], &options).code, 0);
    assert!(std::fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert!(std::fs::read_to_string(target).expect("written").starts_with('{'));
}

#[test]
fn errors_of_outputs_do_not_name_temporary_files() {
    let folder = Folder::new();
    let place = folder.path("nowhere/out.mtb");
    let run = multitrace(&["compile", &folder.path("ab.hif"), "-o", &place]);
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("nowhere/out.mtb: ") && !run.err.contains(".multitrace-"),
        "{}",
        run.err
    );
}

#[test]
fn commands_without_a_report_tell_the_first_problems_of_an_input() {
    let folder = Folder::new();
    let (spec, input) = (folder.path("ab.hif"), folder.file("in.jsonl", &"{\n".repeat(30)));
    let commands: [&[&str]; 3] = [
        &["explain", &spec, &input, "--session", "s"],
        &["draw", &spec, &input, "--explain", "s"],
        &["sessions", &input],
    ];
    for args in commands {
        let run = multitrace(args);
        let told = run.err.matches("in.jsonl:").count();
        assert!(run.code == 2 && told == 20, "{args:?}: {told} {}", run.err);
        assert!(run.err.contains("10 problems more like these"), "{args:?}: {}", run.err);
    }
}
