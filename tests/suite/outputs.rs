//! The reports of `check` in every format: valid by their schemas, complete or not there, and as
//! the documentation shows them.

use crate::common::folder::{FAILING, Folder, PASSING, UNKNOWN};
use crate::common::run::{multitrace, multitrace_in};
use quick_xml::events::Event;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NASTY: &str = r#"{"session":"<&\"'\u001b]]>\ufffe","traces":{"a":["a!<é&>\u0007"],"b":[]}}"#;
const MALFORMED: &str = r#"{"session":"x","#;

/// The names of all formats.
fn formats() -> [&'static str; multitrace::OutputFormat::ALL.len()] {
    multitrace::OutputFormat::ALL.map(multitrace::OutputFormat::name)
}

fn schema(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/schemas").join(name)
}

/// Inputs of every kind: passes, failures, malformed lines, and nothing at all.
fn inputs() -> [Vec<&'static str>; 4] {
    [
        vec![PASSING, FAILING, UNKNOWN, FAILING, NASTY],
        vec![PASSING],
        vec![FAILING, MALFORMED],
        vec![],
    ]
}

// That SARIF and GitLab's reports are valid by their schemas is asked in python/tests/test_schemas.py.
#[test]
fn sarif_names_its_rules_and_says_whether_it_read_all() {
    let folder = Folder::new();
    for sessions in inputs() {
        let run = folder.check(&sessions, &["--output-format", "sarif"]);
        let log: Value = serde_json::from_str(&run.out).expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results");
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
        for result in results {
            let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[rule]["id"], result["ruleId"]);
        }
        let broken = run.code == 2;
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], !broken);
    }
}

#[test]
fn junit_is_valid() {
    let folder = Folder::new();
    for sessions in inputs() {
        let run = folder.check(&sessions, &["--output-format", "junit"]);
        check_structure(&run.out);
        let report = folder.file("junit.xml", &run.out);
        validate_xml(&report);
    }
}

/// With the real schema where the tool for that is installed.
#[allow(clippy::print_stdout, reason = "tests say what they skipped")]
fn validate_xml(report: &str) {
    let xmllint = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(schema("junit-10.xsd"))
        .arg(report)
        .output();
    match xmllint {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{errors}");
        }
        Err(error) => println!("skipped: no xmllint to validate JUnit with: {error}"),
    }
}

/// Properties that readers of JUnit rely on: the counts are those of the cases.
fn check_structure(xml: &str) {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    let mut declared = std::collections::BTreeMap::<String, u64>::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(element) | Event::Empty(element) => {
                let name = element.name().as_ref().to_owned();
                for attribute in element.attributes() {
                    let attribute = attribute.expect("an attribute");
                    let key = attribute.key.as_ref().to_owned();
                    if name == "testsuite"
                        && let Ok(count) = attribute.value.parse()
                    {
                        declared.insert(key, count);
                    }
                }
                *counts.entry(name).or_default() += 1;
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let count = |name: &str| counts.get(name).copied().unwrap_or_default();
    assert_eq!(declared["tests"], count("testcase"));
    assert_eq!(declared["failures"], count("failure"));
    assert_eq!(declared["errors"], count("error"));
    assert_eq!(declared["skipped"], count("skipped"));
}

#[test]
fn a_million_failures_are_a_few_results() {
    let folder = Folder::new();
    let session = |index: usize| {
        let event = index % 2_000;
        format!(r#"{{"session":"s{index}","traces":{{"a":["a!x{event}"]}}}}"#)
    };
    let sessions: Vec<String> = (0..20_000).map(session).collect();
    let input = folder.file("many.jsonl", &sessions.join("\n"));
    let spec = folder.path("ab.hif");
    let report = |jobs: &str, format: &str| {
        let options = ["check", &spec, &input, "--jobs", jobs, "--output-format", format];
        multitrace(&options).out
    };
    let log: Value = serde_json::from_str(&report("2", "sarif")).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    // A thousand kinds, and one result for all that follow.
    assert_eq!(results.len(), 1_001);
    assert_eq!(results[1_000]["ruleId"], "MT001");
    assert_eq!(results[1_000]["occurrenceCount"], 10_000);
    assert!(results[..1_000].iter().all(|result| result["occurrenceCount"] == 10));
    // The same report for any number of threads.
    let one = report("1", "gitlab");
    assert_eq!(one, report("2", "gitlab"));
    assert_eq!(one, report("5", "gitlab"));
}

#[test]
fn many_reports_of_one_run() {
    let folder = Folder::new();
    let files: Vec<String> =
        formats().iter().map(|format| folder.path(&format!("o.{format}"))).collect();
    let mut options = Vec::new();
    for (format, file) in formats().iter().zip(&files) {
        options.extend(["--output-format", format]);
        if *format != "concise" {
            options.extend(["--output-file", file]);
        }
    }
    let run = folder.check(&[PASSING, FAILING], &options);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert!(run.out.contains("error[MT114]"), "{}", run.out);
    for (format, file) in formats().iter().zip(&files) {
        assert_eq!(Path::new(file).exists(), *format != "concise", "{format}");
    }
    let log: Value = serde_json::from_str(&folder.read("o.sarif")).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(folder.read("o.json-lines").lines().count(), 3);
    assert!(folder.read("o.human").starts_with("2 sessions against ab.hif"));
}

#[test]
fn every_report_but_one_needs_a_file() {
    let folder = Folder::new();
    let file = folder.path("o");
    for options in [
        &["--output-format", "human", "--output-format", "json"][..],
        &["--output-file", "a", "--output-file", "b"],
        &["--output-format", "json", "--output-file", &file, "--output-file", &file],
    ] {
        let run = folder.check(&[PASSING], options);
        assert_eq!(run.code, 2, "{options:?}");
        assert!(run.err.contains("at most one --output-format may go without"), "{}", run.err);
    }
    let path = std::path::Path::new(&file);
    let name = path.parent().and_then(|it| it.file_name()).expect("a folder").to_string_lossy();
    for other in [file.clone(), folder.path("./o"), folder.path(&format!("../{name}/o"))] {
        for more in [
            &["--write-baseline"][..],
            &["--coverage-file"],
            &["--output-format", "sarif", "--output-file"],
        ] {
            let json = ["--output-format", "json", "--output-file", &file];
            let run = folder.check(&[PASSING], &[&json[..], more, &[&*other]].concat());
            assert_eq!(run.code, 2, "{more:?} {other}");
            assert!(run.err.contains("named for two results"), "{}", run.err);
        }
    }
    let both = folder.check(&[PASSING], &["--write-baseline", "-"]);
    assert!(both.code == 2 && both.err.contains("-: named for two results"), "{}", both.err);
    assert_eq!(folder.names(), ["ab.hif", "in.jsonl"]);
}

#[cfg(target_os = "linux")]
/// An output that is not a regular file is written in place; a link stays a link; an input is not replaced.
#[cfg(unix)]
#[test]
fn outputs_keep_what_they_are() {
    let folder = Folder::new();
    let sessions = folder.file("s.jsonl", PASSING);
    let spec = folder.path("ab.hif");
    let check = |output: &str| {
        let format = ["--output-format", "concise", "--output-file", output];
        multitrace(&[&["check", &spec, &sessions], &format[..]].concat())
    };
    assert_eq!(check("/dev/null").code, 0);
    assert!(!std::fs::metadata("/dev/null").expect("a device").is_file());
    let to_stdout = check("-");
    assert!(to_stdout.out.contains("1 session: 1 pass"), "{}", to_stdout.out);
    let (target, link) = (folder.file("target", "old"), folder.path("link"));
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    assert_eq!(check(&link).code, 0);
    assert!(std::fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert!(folder.read("target").contains("1 session: 1 pass"));
    for input in [&sessions, &spec] {
        let before = std::fs::read_to_string(input).expect("text");
        let run = check(input);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("name another output"), "{}", run.err);
        assert_eq!(std::fs::read_to_string(input).expect("text"), before);
    }
}

/// Files that a diagram includes and the configuration are read, too; excluded files of a folder are not.
#[test]
fn no_output_replaces_what_is_read_besides() {
    let folder = Folder::new();
    folder.file(".git/HEAD", "");
    let part = folder.file("part.txt", "a -> b : m\n");
    let diagram = folder.file("spec.puml", "@startuml\n!include part.txt\n@enduml\n");
    let config = folder.file("multitrace.toml", "[check]\nfail-on = \"fail\"\n");
    folder
        .file("logs/s.jsonl", "{\"session\":\"s\",\"traces\":{\"a\":[\"a!m\"],\"b\":[\"b?m\"]}}\n");
    let logs = folder.path("logs");
    let run = |args: &[&str]| multitrace_in(Some(folder.path("").as_ref()), args, &[]);
    for output in [&part, &config] {
        let before = std::fs::read_to_string(output).expect("text");
        for args in [
            &["check", &diagram, &logs, "--output-format", "json", "--output-file", output][..],
            &["compile", &diagram, "--output", output],
        ] {
            let run = run(args);
            assert_eq!(run.code, 2, "{args:?}: {}", run.err);
            assert!(run.err.contains("name another output"), "{args:?}: {}", run.err);
        }
        assert_eq!(std::fs::read_to_string(output).expect("text"), before);
    }
    let run_draw = run(&["draw", &diagram, "--output", &part]);
    assert!(run_draw.code == 2 && run_draw.err.contains("name another output"), "{}", run_draw.err);
    let known = folder.path("known.json");
    let baseline = ["check", &diagram, &logs, "--write-baseline", &known];
    assert_eq!(run(&baseline).code, 0);
    let replaced = ["check", &diagram, &logs, "--baseline", &known, "--output-file", &known];
    assert!(run(&replaced).err.contains("name another output"));
    assert_eq!(run(&[&baseline[..], &["--baseline", &known]].concat()).code, 0);
    let report = folder.file("logs/report.json", "old");
    let check = ["check", &diagram, &logs, "--output-format", "json", "--output-file", &report];
    assert_eq!(run(&check).code, 2);
    let again = run(&[&check[..], &["--exclude", "report.json"]].concat());
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(folder.read("logs/report.json").contains("\"pass\": 1"));
}

/// Neither interrupts nor a request to end leave half of an output behind.
#[cfg(unix)]
#[test]
fn interrupted_runs_leave_nothing() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = Folder::new();
        let spec = folder.path("ab.hif");
        let out = folder.path("report.json");
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_multitrace"))
            .args(["check", &spec, "-", "--output-format", "json", "--output-file", &out])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("the tool starts");
        let input = child.stdin.take();
        let is_temporary = |name: &String| name.starts_with(".multitrace-");
        let begin = std::time::Instant::now();
        while !folder.names().iter().any(is_temporary) {
            assert!(begin.elapsed().as_secs() < 60, "no output is begun");
            assert!(child.try_wait().expect("a child").is_none());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let id = child.id().to_string();
        let kill = std::process::Command::new("kill").args(["-s", signal, &id]).status();
        assert!(kill.expect("kill").success());
        assert_eq!(child.wait().expect("it ends").code(), Some(code));
        drop(input);
        assert_eq!(folder.names(), ["ab.hif"], "{signal}");
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new();
    let (spec, input) = (folder.path("ab.hif"), folder.file("in.jsonl", FAILING));
    for format in formats() {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let output = Command::new(env!("CARGO_BIN_EXE_multitrace"))
            .args(["check", &spec, &input, "--output-format", format])
            .stdout(full)
            .output()
            .expect("the tool runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{format}: {error}");
        assert!(error.contains("cannot write the output: No space left"), "{format}: {error}");
    }
}

/// A file that cannot grow is named as it was given, not by its temporary name.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_named() {
    let folder = Folder::new();
    let (spec, report) = (folder.path("ab.hif"), folder.path("report.jsonl"));
    let input = folder.file("in.jsonl", &format!("{FAILING}\n").repeat(1000));
    let limited = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limited, "sh", env!("CARGO_BIN_EXE_multitrace"), "check", &spec, &input])
        .args(["--output-format", "json-lines", "--output-file", &report])
        .output()
        .expect("the tool runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains(&format!("error: {report}: File too large")), "{error}");
    assert!(!error.contains(".multitrace-"), "{error}");
    assert_eq!(folder.names(), ["ab.hif", "in.jsonl"]);
}

/// An interrupted run prints its counts so far.
#[cfg(unix)]
#[test]
fn interrupted_runs_print_a_partial_summary() {
    let folder = Folder::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_multitrace"))
        .args(["check", &folder.path("ab.hif"), "-", "--output-format", "json-lines"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    let mut input = child.stdin.take().expect("a pipe");
    let feeder = std::thread::spawn(move || {
        // More than the chunks that are read ahead; the pipe stays open until the tool ends.
        while input.write_all(format!("{FAILING}\n").repeat(1000).as_bytes()).is_ok() {}
    });
    let mut output = child.stdout.take().expect("a pipe");
    let mut some = [0; 1];
    std::io::Read::read_exact(&mut output, &mut some).expect("a line of a session");
    let reader = std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    let kill = Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(143));
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(said.starts_with("interrupted after ") && said.contains(" violations"), "{said}");
    feeder.join().expect("the feeder ends");
    reader.join().expect("the reader ends").expect("read");
}

/// Killed in the middle, a run leaves no report under its name, and the next run removes the files it left.
#[cfg(unix)]
#[test]
fn a_killed_run_leaves_no_report() {
    let folder = Folder::new();
    let (spec, report) = (folder.path("ab.hif"), folder.path("report.jsonl"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_multitrace"))
        .args(["check", &spec, "-", "--output-format", "json-lines", "--output-file", &report])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the tool starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    for _ in 0..20_000 {
        pipe.write_all(format!("{FAILING}\n").as_bytes()).expect("it reads");
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(!Path::new(&report).exists());
    assert!(folder.names().iter().any(|name| name.starts_with(".multitrace-")));
    let input = folder.file("in.jsonl", FAILING);
    multitrace(&["check", &spec, &input, "--output-file", &report]);
    assert_eq!(folder.names(), ["ab.hif", "in.jsonl", "report.jsonl"]);
}

/// A reader of standard output that goes away takes no file with it.
#[cfg(unix)]
#[test]
fn a_closed_pipe_costs_one_report() {
    let folder = Folder::new();
    let (spec, input) = (folder.path("ab.hif"), folder.file("in.jsonl", FAILING));
    let file = folder.path("o.xml");
    let check = |options: &[&str]| {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_multitrace"))
            .args(["check", &spec, &input, "--output-format", "json"])
            .args(options)
            .stdout(writer)
            .output()
            .expect("the tool runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(check(&[]), (Some(1), String::new()));
    let junit = ["--output-format", "junit", "--output-file", &file];
    assert_eq!(check(&junit), (Some(1), String::new()));
    assert!(folder.read("o.xml").contains("MT114"));
}

#[test]
fn colours_are_asked_for() {
    let folder = Folder::new();
    let run = |options: &[&str], variables: &[(&str, &str)]| {
        let (spec, input) = (folder.path("ab.hif"), folder.file("in.jsonl", FAILING));
        let args = [&["check", &spec, &input], options].concat();
        multitrace_in(None, &args, variables).out.contains('\u{1b}')
    };
    assert!(!run(&[], &[]));
    assert!(run(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(run(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!run(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!run(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!run(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}
