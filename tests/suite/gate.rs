//! `check` as a gate: baselines, tolerated rates, selections, and defaults from a file.

use crate::common::folder::{FAILING, Folder, PASSING, UNKNOWN};
use crate::common::run::{Run, multitrace, multitrace_in};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn a_baseline_lets_known_groups_pass_and_no_others() {
    let folder = Folder::new();
    let baseline = folder.path("known.json");
    let run = folder.check(&[FAILING, PASSING, FAILING], &["--write-baseline", &baseline]);
    assert_eq!(run.code, 1, "writing changes no exit code: {}", run.err);
    let known = folder.read("known.json");
    assert_eq!(known.matches("MT114").count(), 1, "{known}");
    // The same group in another session, with other counts.
    let run = folder.check(&[PASSING, FAILING], &["--baseline", &baseline]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("1 session failed, with findings that are all in the baseline"),
        "{}",
        run.err
    );
    assert!(run.out.contains("does not fail the run: in the baseline"), "{}", run.out);
    let run = folder.check(&[FAILING, UNKNOWN], &["--baseline", &baseline]);
    assert_eq!(run.code, 1);
    let first = run.out.find("MT102").expect("the new one");
    assert!(first < run.out.find("MT114").expect("the known one"), "violations come first");
    // Known findings that did not occur are reported, unless quiet.
    let run = folder.check(&[PASSING], &["--baseline", &baseline]);
    assert_eq!(run.code, 0);
    assert!(
        run.err.contains("did not occur: m: received by b, never sent by a, after a!m"),
        "{}",
        run.err
    );
    let run = folder.check(&[PASSING], &["--baseline", &baseline, "--quiet"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.contains("1 place of the baseline did not occur"), "{}", run.out);
}

#[test]
fn a_baseline_can_be_read_and_written_at_once() {
    let folder = Folder::new();
    let file = folder.path("known.json");
    let options = ["--baseline", file.as_str(), "--write-baseline", file.as_str()];
    assert_eq!(folder.check(&[FAILING], &options[2..]).code, 1);
    let before = folder.read("known.json");
    assert_eq!(folder.check(&[FAILING], &options).code, 0);
    assert_eq!(folder.read("known.json"), before, "the known ones stay");
    assert_eq!(folder.check(&[UNKNOWN, FAILING], &options).code, 1);
    assert_eq!(folder.read("known.json").lines().count(), before.lines().count() + 1);
    folder.file("known.json", "{\"multitrace-baseline\": 3,\n\"places\": 7}");
    let run = folder.check(&[FAILING], &options);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("known.json:2:"), "{}", run.err);
}

#[test]
fn known_failures_do_not_stop_a_run() {
    let folder = Folder::new();
    let baseline = folder.path("known.json");
    folder.check(&[FAILING], &["--write-baseline", &baseline]);
    let sessions = [FAILING, FAILING, UNKNOWN, PASSING];
    let options = ["--baseline", &baseline, "--max-failures", "1"];
    let run = folder.check(&sessions, &options);
    assert_eq!(run.code, 1);
    assert!(run.out.starts_with("3 sessions"), "{}", run.out);
}

#[test]
fn a_rate_of_violations_is_tolerated() {
    let folder = Folder::new();
    let mut sessions = vec![PASSING; 199];
    sessions.push(FAILING);
    let run = folder.check(&sessions, &["--max-failures", "0.5%"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("1 violation in 200 sessions, within --max-failures"), "{}", run.err);
    assert!(run.out.contains("within the rate of --max-failures"), "{}", run.out);
    assert_eq!(folder.check(&sessions, &["--max-failures", "0.499%"]).code, 1);
    sessions.push(FAILING);
    let run = folder.check(&sessions, &["--max-failures", "0.5%"]);
    assert_eq!(run.code, 1);
    assert!(run.out.starts_with("201 sessions"), "a rate stops nothing: {}", run.out);
    for rate in ["0", "-1", "101%", "x%", "1.5"] {
        let run = folder.check(&sessions, &["--max-failures", rate]);
        assert_eq!(run.code, 2, "{rate}");
    }
}

#[test]
fn verdicts_that_are_allowed_are_warnings() {
    let folder = Folder::new();
    let options = ["--fail-on", "inconclusive", "--output-format", "concise"];
    let run = folder.check(&[FAILING], &options);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("warning[MT114]"), "{}", run.out);
    let weak = r#"{"session":"w","traces":{"a":["a!m"],"b":[]}}"#;
    let options = ["--fail-on", "weak_pass", "--observe", "prefix", "--output-format", "concise"];
    let run = folder.check(&[weak], &options);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("error[MT501]"), "{}", run.out);
}

/// The ids of the sessions that were checked.
fn checked(run: &Run) -> BTreeSet<String> {
    let lines = run.out.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let ids = lines.filter_map(|object: Value| object["session"].as_str().map(str::to_owned));
    ids.collect()
}

fn sessions(ids: impl Iterator<Item = usize>) -> Vec<String> {
    ids.map(|id| PASSING.replace("\"s\"", &format!("\"s{id}\""))).collect()
}

#[test]
fn only_some_sessions() {
    let folder = Folder::new();
    let list = folder.file("ids", "s3\n\n s5 \nmissing\n");
    let lines = sessions(0..10);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let options = ["--only-sessions", &list, "--output-format", "json-lines"];
    let run = folder.check(&lines, &options);
    assert_eq!(run.code, 2);
    assert_eq!(checked(&run), ["s3".to_owned(), "s5".to_owned()].into());
    assert!(run.out.contains("\"not_selected\":8"), "{}", run.out);
    assert!(run.err.contains("1 session of --only-sessions did not occur, first \"missing\""));
    let none = folder.file("none", "other");
    let run = folder.check(&lines, &["--only-sessions", &none]);
    assert_eq!(run.code, 2);
    assert!(run.out.contains("MT006 1 session of --only-sessions did not occur"), "{}", run.out);
}

#[test]
fn a_sample_depends_on_ids_alone() {
    let folder = Folder::new();
    let sample = |lines: &[String], more: &[&str]| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let options = ["--sample", "10%", "--output-format", "json-lines"];
        checked(&folder.check(&lines, &[&options[..], more].concat()))
    };
    let forwards = sample(&sessions(0..3_000), &[]);
    assert!((200..400).contains(&forwards.len()), "{}", forwards.len());
    assert_eq!(sample(&sessions((0..3_000).rev()), &["--jobs", "3"]), forwards);
    let half = sample(&sessions(0..1_500), &[]);
    assert!(!half.is_empty() && half.is_subset(&forwards));
    assert_ne!(sample(&sessions(0..3_000), &["--seed", "1"]), forwards);
}

#[test]
fn a_sample_can_be_a_number_of_sessions() {
    let folder = Folder::new();
    let sample = |lines: &[String], more: &[&str]| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let options = ["--sample", "25", "--output-format", "json-lines"];
        checked(&folder.check(&lines, &[&options[..], more].concat()))
    };
    let forwards = sample(&sessions(0..500), &[]);
    assert_eq!(forwards.len(), 25);
    assert_eq!(sample(&sessions((0..500).rev()), &["--jobs", "3"]), forwards);
    assert_ne!(sample(&sessions(0..500), &["--seed", "1"]), forwards);
    assert_eq!(sample(&sessions(0..7), &[]).len(), 7);
    // Of those in a list, that many.
    let list: Vec<String> = (0..500).step_by(2).map(|id| format!("s{id}")).collect();
    let list = folder.file("ids", &list.join("\n"));
    let even = sample(&sessions(0..500), &["--only-sessions", &list]);
    assert_eq!(even.len(), 25);
    assert!(even.iter().all(|id| id.ends_with(['0', '2', '4', '6', '8'])), "{even:?}");
    let spec = folder.path("ab.hif");
    let run = multitrace(&["check", &spec, "-", "--sample", "25"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("give a rate"), "{}", run.err);
}

/// Every run with the file would check a part in silence, or nothing.
#[test]
fn a_shard_of_a_file_needs_a_partial_report() {
    let folder = Folder::new();
    folder.file(".git/HEAD", "");
    folder.file("in.jsonl", PASSING);
    for option in ["shard", "shard-files"] {
        let part = "outputs = [{ format = \"partial\", file = \"1.part\" }]\n";
        let file = format!("[check]\nspec = \"ab.hif\"\n{option} = \"1/2\"\n");
        folder.file("multitrace.toml", &file);
        let run = check_in(&folder, ".", &["in.jsonl"]);
        let place = "multitrace.toml:3:";
        assert!(run.code == 2 && run.out.is_empty(), "{option}: {} {}", run.code, run.out);
        assert!(run.err.contains(place) && run.err.contains("multitrace merge"), "{}", run.err);
        let given = ["in.jsonl", "--output-format", "partial", "--output-file", "1.part"];
        assert_eq!(check_in(&folder, ".", &given).code, 0, "{option}");
        // One that is given belongs to its run.
        let given = ["in.jsonl", &format!("--{option}=1/1")];
        assert_eq!(check_in(&folder, ".", &given).code, 0, "{option}");
        folder.file("multitrace.toml", &format!("{file}{part}"));
        assert_eq!(check_in(&folder, ".", &["in.jsonl"]).code, 0, "{option}");
        assert!(folder.names().contains(&"1.part".to_owned()), "{option}");
    }
}

fn check_in(folder: &Folder, place: &str, args: &[&str]) -> Run {
    let place = folder.path(place);
    multitrace_in(Some(Path::new(&place)), &[&["check"], args].concat(), &[])
}

#[test]
fn defaults_come_from_a_file_upwards() {
    let folder = Folder::new();
    folder.file(".git/HEAD", "");
    folder.file("logs/deep/in.jsonl", FAILING);
    folder.file(
        "multitrace.toml",
        "[check]\nspec = \"ab.hif\"\ninputs = [\"logs\"]\nfail-on = [\"inconclusive\"]\n\
         outputs = [{ format = \"concise\" }, { format = \"gitlab\", file = \"g.json\" }]\n",
    );
    let run = check_in(&folder, "logs/deep", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("warning[MT114]"), "{}", run.out);
    assert!(folder.read("g.json").contains("MT114"), "beside the file that names it");
    // A given option wins.
    std::fs::remove_file(folder.path("g.json")).expect("it was there");
    let run = check_in(&folder, "logs/deep", &["--fail-on", "fail", "--output-format", "json"]);
    assert_eq!(run.code, 1);
    assert!(run.out.starts_with('{') && !folder.names().contains(&"g.json".to_owned()));
    // Given inputs, with the specification of the file or another one.
    folder.file("logs/deep/ok.jsonl", PASSING);
    assert_eq!(check_in(&folder, "logs/deep", &["ok.jsonl", "--fail-on", "fail"]).code, 0);
    folder.file("logs/other.hif", "a -- n -> b");
    let run = check_in(&folder, "logs", &["other.hif", "deep/ok.jsonl", "--fail-on", "fail"]);
    assert_eq!(run.code, 1, "{}", run.err);
    // Without the file there is nothing to check against.
    let run = check_in(&folder, "logs/deep", &["--no-config"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("no specification"), "{}", run.err);
    let explain = ["explain", "in.jsonl", "--session", "t"];
    let deep = folder.path("logs/deep");
    let run = multitrace_in(Some(Path::new(&deep)), &explain, &[]);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn errors_of_a_configuration_name_the_place() {
    let folder = Folder::new();
    for (text, place, remedy) in [
        ("[check]\nobserv = \"prefix\"", "c.toml:2:1", "did you mean `observe`?"),
        ("[check]\nobserve = \"all\"", "c.toml:2:11", "invalid value 'all'"),
        ("[check]\njobs = 2\nmax-failures = \"x%\"", "c.toml:3:16", "a rate is a number"),
        ("[check]\noutputs = [{ format = \"pdf\" }]", "c.toml:2:12", "invalid value 'pdf'"),
        ("[check", "c.toml:1:", "not TOML"),
        ("[check]\noutput-file = \"x\"", "c.toml:2:1", "unknown key `output-file`"),
    ] {
        let config = folder.file("c.toml", text);
        let run = folder.check(&[PASSING], &["--config", &config]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{text}");
        assert!(run.err.contains(place) && run.err.contains(remedy), "{text}: {}", run.err);
    }
    let missing = folder.path("missing.toml");
    assert_eq!(folder.check(&[PASSING], &["--config", &missing]).code, 2);
}

#[test]
fn explain_shows_one_session_in_full() {
    let folder = Folder::new();
    let long = r#"{"session":"long","traces":{"a":["a!m","a!m","a!m","a!m","a!m","a!m","a!m","a!m","a!m"],"b":["b?m","b?m","b?m","b?m","b?m","b?m","b?m","b?m","b?m","b?m"]}}"#;
    let (spec, input) =
        (folder.path("ab.hif"), folder.file("in.jsonl", &[PASSING, long, FAILING].join("\n")));
    let explain = |session: &str, options: &[&str]| {
        multitrace(&[&["explain", &spec, &input, "--session", session], options].concat())
    };
    let run = explain("long", &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.starts_with("long: fail, 19 events at 2 locations"), "{}", run.out);
    assert!(run.out.contains("in.jsonl:2\nMT114 m: received by b, never sent by a"), "{}", run.out);
    assert!(run.out.contains("in long, 18 of 19 events can be explained at best"), "{}", run.out);
    let end = "> a      (end of the log)\n    MT114: it could go on with a!m";
    assert!(run.out.contains(end), "{}", run.out);
    assert!(run.out.contains("accepted after 1 edit"), "{}", run.out);
    let run = explain("s", &[]);
    assert!(run.out.starts_with("s: pass, 2 events"), "{}", run.out);
    assert!(run.out.ends_with("2 actions:\n  a!m b?m\n"), "{}", run.out);
    let run = explain("t", &["--output-format", "json"]);
    let object: Value = serde_json::from_str(&run.out).expect("an object");
    assert_eq!(object["place"]["line"], 3);
    assert_eq!(object["locations"][0]["marks"][0]["code"], "MT114");
    assert_eq!(object["locations"][1]["log"][1]["state"], "not_reached");
    assert_eq!(object["locations"][0]["expected"], serde_json::json!(["a!m"]));
    let run = explain("nobody", &[]);
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    assert!(run.err.contains("no session is called \"nobody\""), "{}", run.err);
}

/// The command that a report names explains the session it is about.
#[test]
fn the_command_in_a_report_works() {
    let folder = Folder::new();
    let odd = UNKNOWN.replace("\"u\"", "\"it's $HOME\"");
    let run = folder.check(&[PASSING, &odd], &["--observe", "prefix"]);
    let start = "to see this session and its edits: ";
    let command = run.out.lines().find_map(|line| line.trim().strip_prefix(start));
    let command = command.expect("a command");
    assert!(command.ends_with("--observe prefix --session 'it'\\''s $HOME'"), "{command}");
    if cfg!(unix) {
        let tool = env!("CARGO_BIN_EXE_multitrace");
        let line = command.replacen("multitrace", &format!("'{tool}'"), 1);
        let output = std::process::Command::new("sh").args(["-c", &line]).output();
        let output = output.expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("it's $HOME: fail"), "{text}");
    }
}

/// The rest behind the failure that ends a run would pass with the run.
#[test]
fn a_run_that_stops_at_a_failure_does_not_pass() {
    let folder = Folder::new();
    let run = folder.check(&[FAILING, "junk"], &["--max-failures", "1", "--exit-zero"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("leave one of them out"), "{}", run.err);
    for format in
        ["human", "concise", "json", "json-lines", "junit", "sarif", "github", "gitlab", "html"]
    {
        let options = ["--max-failures", "1", "--quiet", "--output-format", format];
        let run = folder.check(&[FAILING, "junk"], &options);
        assert_eq!(run.code, 1, "{format}: {}", run.err);
        let told = format!("{}{}", run.out, run.err);
        assert!(told.contains("later input was not checked"), "{format}: {told}");
    }
}

/// An event log with a record that no rule matches.
fn unmatched_log(folder: &Folder) -> (String, String) {
    let map = folder.file(
        "map.toml",
        "[event]\nsession = \"s\"\n\
         [[rule]]\nwhen = { way = \"out\" }\nactions = [\"{at}!{what}\"]\n\
         [[rule]]\nwhen = { way = \"in\" }\nactions = [\"{at}?{what}\"]\n",
    );
    let line = |at: &str, way: &str| {
        format!("{{\"s\":\"1\",\"at\":\"{at}\",\"way\":\"{way}\",\"what\":\"m\"}}\n")
    };
    let lines = line("a", "out") + &line("b", "in") + &line("b", "IN");
    (map, folder.file("log.jsonl", &lines))
}

#[test]
fn records_without_a_rule_are_told_by_all_that_read_them() {
    let folder = Folder::new();
    folder.check(&[PASSING], &[]);
    let (map, log) = unmatched_log(&folder);
    let spec = folder.path("ab.hif");
    let (log, events) = (log.as_str(), ["--events", map.as_str(), "--quiet"]);
    let commands: [&[&str]; 6] = [
        &["check", &spec, log],
        &["sessions", log],
        &["learn", log],
        &["compare", log, log],
        &["explain", &spec, log, "--session", "1"],
        &["draw", &spec, log, "--coverage"],
    ];
    for command in commands {
        let run = multitrace(&[command, &events].concat());
        let told = format!("{}{}", run.out, run.err);
        assert!(told.contains("no rule of the mapping matched 1 record"), "{command:?}: {told}");
    }
}
