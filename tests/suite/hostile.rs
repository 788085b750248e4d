//! Texts that would do something to a terminal, to the platform of a CI or to a reader of a report stay texts: in every
//! command and format, on both streams. Files of names and specifications that are data (`fmt`, `convert`, `learn`) are the
//! exception where they go to a pipe.

use crate::common::folder::{Folder, PASSING};
use crate::common::run::{Run, multitrace, multitrace_in};
use std::path::Path;

/// One of each kind.
const HOSTILE: [&str; 19] = [
    "\u{1b}]0;title\u{7}",
    "\u{1b}[2J",
    "\u{9b}31m",
    "\u{7}bell",
    "a\rb",
    "\u{202e}abc",
    "\u{2066}x",
    "\u{e0041}x\u{ad}\u{3164}",
    "::error::x",
    "##[add-mask]x",
    "##vso[x]",
    "<script>alert(1)</script>",
    "\"onload=\"x",
    "]]>",
    "\nend_of_record\nSF:x",
    "\n::error::x",
    "\n##[add-mask]x",
    "\\\"}];label=x",
    "%0A::set-output name=x::y",
];

const MAPPING: &str = "[event]\nsession = \"s\"\nlifeline = \"w\"\nmessage = \"m\"\n\
                       direction = { field = \"d\", emission = \"OUT\", reception = \"IN\" }\n";

/// The variables of platforms that read both streams.
const PLATFORMS: [&str; 3] = ["GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD"];

/// Characters that change how the text around them is shown.
fn is_harmful(char: char) -> bool {
    let directs = matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}');
    let is_unseen =
        matches!(char, '\u{ad}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{e0000}'..='\u{e0fff}');
    (char.is_control() && !matches!(char, '\n' | '\t')) || directs || is_unseen
}

/// Whether a line is a command, or holds one, for the platform that reads it.
fn commands(line: &str, is_report: bool) -> bool {
    let words = ["::error ", "::warning ", "::notice "];
    let is_annotation = is_report && words.iter().any(|word| line.starts_with(word));
    let has_hashes = line.contains("##[") || line.contains("##vso[");
    has_hashes || (!is_annotation && line.trim_start().starts_with("::"))
}

/// The files of a folder for one hostile name, and names for files of that name.
struct Case {
    folder: Folder,
    name: String,
    file: String,
    /// The beginning of the line that the text has after its first one.
    second_line: Option<&'static str>,
}

impl Case {
    fn new(text: &'static str) -> Case {
        let folder = Folder::new();
        // Commands stand at the beginning of a line.
        let name = if text.starts_with("::") { text.to_owned() } else { format!("x{text}") };
        // In diagrams a name ends with its line.
        let line = name.replace('\n', " ");
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let quoted = format!("\"{quoted}\"");
        let json = |value: &str| serde_json::to_string(value).expect("JSON");
        let spec = format!(
            "seq({quoted} -- m -> b, b -- {quoted} -> {quoted}, loopW(b -- o -> {quoted}))"
        );
        folder.file("spec.hif", &spec);
        folder.file("alt.hif", &format!("alt(a -- {quoted} -> b, c -- {quoted} -> {quoted})"));
        folder.file("bad.hif", &format!("seq({quoted} -- m -> b, {text} -- ) {text}"));
        folder.file("s.mmd", &format!("sequenceDiagram\nparticipant A as {line}\nA->>B: {line}\n"));
        folder.file("map.toml", MAPPING);
        folder.file("bad.toml", &format!("[session]\nfield = \"s\"\nx = \"{name}\"\n{text}"));
        let session = |id: &str, log: &str, event: &str| {
            let (id, log, event) = (json(id), json(log), json(event));
            format!("{{\"session\":{id},\"traces\":{{{log}:[{event}]}}}}\n")
        };
        let sessions = session(&name, &name, &format!("{name}!m"))
            + &session("t", "b", "b?n")
            + &session("u", &format!("{name}n"), &name)
            + &format!("{line}\n{{\"session\": \"{line}\n");
        folder.file("in.jsonl", &sessions);
        let record = |s: &str, w: &str, d: &str, m: &str| {
            format!("{{\"s\":{},\"w\":{},\"d\":{},\"m\":{}}}\n", json(s), json(w), json(d), json(m))
        };
        // Two of them are events: the second has a direction that is not listed.
        let records = record(&name, &name, "IN", &name)
            + &record(&name, "b", &name, "m")
            + &record("t", "b", "IN", &name)
            + &format!("{line}\n");
        folder.file("plain.jsonl", records.trim_end_matches(&format!("{line}\n")));
        folder.file("events.jsonl", &records);
        let file = name.replace('/', "_");
        folder.file(&format!("{file}.jsonl"), &format!("{name}\n"));
        folder.file(&format!("{file}.hif"), &spec);
        let second_line = text.lines().nth(1);
        Case { folder, name, file, second_line }
    }

    /// Runs a command as a platform does, and adds the parts of both streams that are not text. Formats for platforms are
    /// asked for elsewhere, too.
    fn run(&self, arguments: &[&str], found: &mut Vec<String>) -> Run {
        let is_platform = arguments.iter().any(|it| matches!(*it, "github" | "gitlab"));
        let on_platform = PLATFORMS.map(|variable| (variable, "true"));
        let environment = if is_platform { &[][..] } else { &on_platform };
        let run = multitrace_in(Some(Path::new(&self.folder.path(""))), arguments, environment);
        for (stream, text) in [("out", &run.out), ("err", &run.err)] {
            let harmful = text.chars().find(|&it| is_harmful(it));
            let is_own =
                |line: &str| self.second_line.is_some_and(|it| line.trim_start().starts_with(it));
            let is_wrong = |line: &&str| is_own(line) || commands(line, stream == "out");
            let wrong = text.split('\n').find(is_wrong);
            if harmful.is_some() || wrong.is_some() {
                found.push(format!("{arguments:?}, std{stream}: {harmful:?} {wrong:?}"));
            }
        }
        assert!((0..=3).contains(&run.code), "{arguments:?}: {}", run.err);
        run
    }

    /// Fails unless the hostile texts are read as events: otherwise the commands on event logs would show an error alone.
    fn check_events_are_read(&self) {
        let arguments = ["check", "spec.hif", "events.jsonl", "--events", "map.toml"];
        let arguments = [&arguments[..], &["--output-format", "json"]].concat();
        let folder = self.folder.path("");
        let run = multitrace_in(Some(Path::new(&folder)), &arguments, &[]);
        let report: serde_json::Value = serde_json::from_str(&run.out).expect(&run.err);
        assert_eq!(report["summary"]["input"]["events"], 2, "{}{}", run.out, run.err);
        let locations = report.to_string();
        let name = serde_json::to_string(&self.name).expect("JSON");
        assert!(locations.contains(name.trim_matches('"')), "{locations}");
        let explained = ["map", "--explain", "events.jsonl", "--events", "map.toml"];
        let run = multitrace_in(Some(Path::new(&folder)), &explained, &[]);
        assert!(run.out.contains("neither an emission nor a reception"), "{}{}", run.out, run.err);
        let init = multitrace_in(Some(Path::new(&folder)), &["map", "--init", "plain.jsonl"], &[]);
        assert!(init.out.contains("lifeline"), "{}{}", init.out, init.err);
    }
}

/// The commands whose reports are written in every format.
#[cfg(unix)]
const REPORTED: [&[&str]; 4] = [
    &["check", "spec.hif", "events.jsonl", "--events", "map.toml"],
    &["check", "spec.hif", "events.jsonl", "--events", "bad.toml"],
    &["check", "bad.hif", "in.jsonl"],
    &["check", "spec.hif", "in.jsonl", "--coverage", "--witness", "--repair"],
];

/// Commands whose files have usual names.
#[cfg(unix)]
const COMMANDS: [&[&str]; 47] = [
    &["compile", "spec.hif", "-o", "spec.mtb"],
    &["compile", "alt.hif", "-o", "alt.mtb"],
    &["compile", "spec.hif", "-o", "json.mtb", "--output-format", "json"],
    &["compile", "bad.hif"],
    &["compile", "s.mmd", "-o", "diagram.mtb"],
    &["inspect", "spec.mtb"],
    &["inspect", "spec.mtb", "--verify"],
    &["inspect", "spec.mtb", "--output-format", "json"],
    &["inspect", "spec.mtb", "--verify", "--output-format", "json"],
    &["explore", "spec.hif"],
    &["explore", "spec.hif", "--output-format", "json"],
    &["explore", "spec.hif", "--output-format", "dot"],
    &["explore", "spec.hif", "--output-format", "svg"],
    &["learn", "in.jsonl", "-o", "learnt.md"],
    &["learn", "events.jsonl", "--events", "map.toml", "-o", "learnt.hif"],
    &["learn", "in.jsonl", "--against", "spec.hif"],
    &["compare", "in.jsonl", "in.jsonl"],
    &["compare", "in.jsonl", "events.jsonl", "--output-format", "markdown"],
    &["compare", "events.jsonl", "events.jsonl", "--events", "map.toml", "--output-format", "json"],
    &["sessions", "in.jsonl", "-o", "sessions.jsonl"],
    &["diff", "spec.hif", "alt.hif"],
    &["diff", "spec.hif", "alt.hif", "--output-format", "json-lines"],
    &["diff", "spec.hif", "alt.hif", "--output-format", "markdown"],
    &["diff", "spec.hif", "alt.hif", "--output-format", "html"],
    &["diff", "spec.hif", "alt.hif", "--output-format", "svg"],
    &["diff", "bad.hif", "alt.hif"],
    &["generate", "spec.hif", "-n", "3"],
    &["generate", "spec.hif", "-n", "3", "--kind", "noise"],
    &["read", "spec.hif"],
    &["read", "s.mmd"],
    &["read", "s.mmd", "--output-format", "json-lines"],
    &["draw", "spec.hif"],
    &["draw", "spec.hif", "--output-format", "text"],
    &["draw", "spec.hif", "--output-format", "svg"],
    &["draw", "spec.hif", "--what", "nfa", "--output-format", "dot"],
    &["fmt", "--check", "spec.hif"],
    &["convert", "bad.hif", "--to", "mermaid"],
    &["sessions", "in.jsonl"],
    &["sessions", "events.jsonl", "--events", "map.toml"],
    &["explain", "spec.hif", "events.jsonl", "--events", "map.toml", "--session", "t"],
    &["draw", "spec.hif", "--what", "nfa", "--output-format", "svg"],
    &["draw", "spec.hif", "in.jsonl", "--coverage", "--output-format", "svg"],
    &["map", "--init", "plain.jsonl"],
    &["map", "--init", "events.jsonl"],
    &["map", "--explain", "events.jsonl", "--events", "map.toml"],
    &["map", "--check", "spec.hif", "events.jsonl", "--events", "map.toml"],
    &[
        "map",
        "--check",
        "spec.hif",
        "events.jsonl",
        "--events",
        "map.toml",
        "--output-format",
        "json",
    ],
];

#[cfg(unix)]
impl Case {
    /// The name of a file of this kind with the hostile text in it.
    fn named(&self, kind: &str) -> String {
        format!("{}.{kind}", self.file)
    }

    fn run_reports(&self, found: &mut Vec<String>) {
        let [log, missing] = [self.named("jsonl"), self.named("nothing")];
        let with_text: [&[&str]; 4] = [
            &["check", "spec.hif", "in.jsonl", &log],
            &["check", &missing, "in.jsonl"],
            &["check", "spec.hif", &missing],
            &["merge", &log],
        ];
        let formats = multitrace::OutputFormat::ALL.map(|it| it.name());
        for format in formats.into_iter().filter(|format| *format != "partial") {
            for arguments in REPORTED.iter().chain(&with_text) {
                let all = [arguments, &["--output-format", format][..]].concat();
                self.run(&all, found);
            }
        }
    }

    fn run_commands(&self, found: &mut Vec<String>) {
        let name = &*self.name;
        let [log, spec, bundle] = ["jsonl", "hif", "mtb"].map(|kind| self.named(kind));
        let option = format!("--{name}");
        let with_text: [&[&str]; 19] = [
            &["check", "spec.hif", "in.jsonl", "--require-location", name],
            &["check", "spec.hif", "in.jsonl", "--observe", name],
            &["check", "spec.hif", "in.jsonl", "--locations", name],
            &["diff", &spec, "alt.hif"],
            &["read", &spec],
            &["compare", &log, "in.jsonl"],
            &["check", &option],
            &["compile", "spec.hif", "-o", &bundle],
            &["inspect", &bundle],
            &["inspect", &log],
            &["explore", "spec.hif", "--color", "never", "--after", name],
            &["explain", "spec.hif", "in.jsonl", "--session", name],
            &["explain", "spec.hif", "in.jsonl", "--session", name, "--output-format", "svg"],
            &["explain", "spec.hif", "in.jsonl", "--session", name, "--output-format", "picture"],
            &["explain", "spec.hif", "in.jsonl", "--session", name, "--output-format", "mermaid"],
            &["explain", "spec.hif", "in.jsonl", "--session", name, "--output-format", "shiviz"],
            &["explain", name],
            &["check", &spec, "in.jsonl", "--coverage", "--coverage-file", "c.lcov"],
            &[name],
        ];
        for arguments in COMMANDS.iter().chain(&with_text) {
            self.run(arguments, found);
        }
    }
}

#[cfg(unix)]
#[test]
fn hostile_texts_stay_texts_in_every_command_and_format() {
    let mut found = Vec::new();
    for text in HOSTILE {
        let case = Case::new(text);
        case.check_events_are_read();
        case.run_reports(&mut found);
        case.run_commands(&mut found);
        let lcov = case.folder.read("c.lcov");
        assert_eq!(lcov.matches("\nend_of_record").count(), 1, "{lcov}");
        assert!(!lcov.contains(|it| it != '\n' && is_harmful(it)), "{lcov}");
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Defaults of the command line are read, too, by all commands.
#[test]
fn an_output_never_replaces_the_file_of_defaults() {
    const DEFAULTS: &str = "[diagrams]\nallow = [\"MT607\"]\n";
    let folder = Folder::new();
    folder.file("multitrace.toml", DEFAULTS);
    for command in
        [&["generate", "--kind", "accepted"][..], &["convert", "--to", "hif"], &["compile"]]
    {
        let arguments = [command, &["ab.hif", "-o", "multitrace.toml"]].concat();
        let run = multitrace_in(Some(folder.path("").as_ref()), &arguments, &[]);
        assert!(run.code == 2 && run.err.contains("this is the input"), "{}", run.err);
        assert_eq!(folder.read("multitrace.toml"), DEFAULTS, "{command:?}");
    }
}

#[test]
fn names_of_files_in_learnt_diagrams_are_not_commands() {
    let folder = Folder::new();
    let path = folder.file("##[error]x.jsonl", PASSING);
    for notation in ["md", "hif", "mmd", "puml"] {
        let learnt = folder.path(&format!("learnt.{notation}"));
        let run = multitrace(&["learn", &path, "-o", &learnt]);
        assert_eq!(run.code, 0, "{}", run.err);
        let text = std::fs::read_to_string(&learnt).expect("a diagram");
        assert!(text.contains("error]x.jsonl") && !text.contains("##["), "{text}");
    }
}

#[cfg(unix)]
fn command_of(arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_multitrace"));
    command.args(arguments);
    command
}

/// Whatever brought an input in: its name, a folder, a pattern, standard input, or another name of the same file.
#[cfg(unix)]
#[test]
fn an_output_never_replaces_an_input() {
    let folder = Folder::new();
    let (spec, log) = (folder.path("ab.hif"), folder.file("in/deep/a.jsonl", PASSING));
    let linked = folder.path("linked.jsonl");
    std::fs::hard_link(&log, &linked).expect("a link");
    let (inputs, pattern) = (folder.path("in"), folder.path("in/*/*.jsonl"));
    for input in [&log, &inputs, &pattern] {
        for output in [&log, &linked, &folder.path("in/../in/deep/a.jsonl")] {
            for option in ["--output-file", "--coverage-file", "--write-baseline"] {
                let mut arguments = vec!["check", &spec, input, "--output-format", "json"];
                if option == "--coverage-file" {
                    arguments.push("--coverage");
                }
                arguments.extend([option, output]);
                let run = multitrace(&arguments);
                assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
                assert!(run.err.contains("this is the input"), "{}", run.err);
            }
        }
    }
    let of_spec: [&[&str]; 5] = [
        &["draw", "--output-format", "svg"],
        &["explore", "--output-format", "svg"],
        &["convert", "--to", "hif"],
        &["generate", "--kind", "accepted"],
        &["compile"],
    ];
    let text = folder.read("ab.hif");
    for command in of_spec {
        for read in [&*spec, "-"] {
            let mut run = command_of(&[command, &["-o", &spec, read]].concat());
            let run =
                run.stdin(std::fs::File::open(&spec).expect("there")).output().expect("it runs");
            assert_eq!(run.status.code(), Some(2), "{command:?} {read}");
            assert_eq!(folder.read("ab.hif"), text, "{command:?} {read}");
        }
    }
    let mut run =
        command_of(&["check", &spec, "-", "--output-format", "json", "--output-file", &log]);
    let run = run.stdin(std::fs::File::open(&log).expect("there")).output().expect("it runs");
    assert!(String::from_utf8_lossy(&run.stderr).contains("this is the input -"), "{run:?}");
    assert_eq!(folder.read("in/deep/a.jsonl"), PASSING);
    // The bundles of locations are outputs, too.
    std::fs::create_dir(folder.path("parts")).expect("a folder");
    std::fs::hard_link(&spec, folder.path("parts/a.mtb")).expect("a link");
    let (parts, whole) = (folder.path("parts"), folder.path("whole.mtb"));
    let run = multitrace(&["compile", &spec, "--split", &parts, "-o", &whole]);
    assert!(run.code == 2 && run.err.contains("this is the input"), "{}", run.err);
    assert_eq!(folder.read("ab.hif"), text);
    // A new file beside the inputs is not an input.
    let report = folder.path("in/report.html");
    let run =
        multitrace(&["check", &spec, &inputs, "--output-format", "html", "--output-file", &report]);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let (spec, log) = (folder.path("ab.hif"), folder.file("in.jsonl", PASSING));
    let report = folder.file("report.json", "old");
    std::fs::set_permissions(&report, PermissionsExt::from_mode(0o640)).expect("a mode");
    let run =
        multitrace(&["check", &spec, &log, "--output-format", "json", "--output-file", &report]);
    assert_eq!(run.code, 0, "{}", run.err);
    let mode = std::fs::metadata(&report).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_ne!(folder.read("report.json"), "old");
}
