//! The action of GitHub: its scripts, on a release that is served from a folder.

use crate::common::folder::{FAILING, Folder, PASSING};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const TARGET: &str = "x86_64-unknown-linux-musl";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn action() -> String {
    std::fs::read_to_string(root().join("action.yml")).expect("the action is there")
}

/// A runner: a folder with a release of the tool in it, and the files that steps write to.
struct Runner(Folder);

/// How a step ended, and its output.
struct StepResult {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Runner {
    fn new() -> Runner {
        let runner = Runner(Folder::new());
        for file in ["path", "output"] {
            runner.0.file(file, "");
        }
        std::fs::create_dir(runner.0.path("temp")).expect("a folder");
        runner
    }

    /// Makes an archive as releases have them, in which the binary calls the one that was built.
    fn release(&self, tag: &str) {
        let top = format!("multitrace-cli-{TARGET}");
        let tool = env!("CARGO_BIN_EXE_multitrace");
        self.0.file(&format!("{top}/multitrace"), &format!("#!/bin/sh\nexec '{tool}' \"$@\"\n"));
        let archive = format!("releases/{tag}/{top}.tar.gz");
        self.0.file(&archive, "");
        let tar = Command::new("tar")
            .args(["-czf", &self.0.path(&archive), "-C", &self.0.path(""), &top])
            .status();
        assert!(tar.expect("tar runs").success());
        let bytes = std::fs::read(self.0.path(&archive)).expect("the archive");
        let sum: String = Sha256::digest(&bytes).iter().map(|it| format!("{it:02x}")).collect();
        self.0.file(&format!("{archive}.sha256"), &format!("{sum} *{top}.tar.gz\n"));
    }

    /// Runs a script of the action, with its inputs as the action hands them over.
    fn step(&self, script: &str, inputs: &[(&str, &str)]) -> StepResult {
        let tools = self.0.read("path").lines().collect::<Vec<_>>().join(":");
        let path = std::env::var("PATH").expect("a path");
        let output = Command::new("bash")
            .arg(root().join("scripts/action").join(script))
            .current_dir(self.0.path(""))
            .env("PATH", format!("{tools}:{path}"))
            .env("MULTITRACE_RELEASES", format!("file://{}", self.0.path("releases")))
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", "X64")
            .env("RUNNER_TEMP", self.0.path("temp"))
            .env("GITHUB_PATH", self.0.path("path"))
            .env("GITHUB_OUTPUT", self.0.path("output"))
            .envs(inputs.iter().copied())
            .output()
            .expect("bash runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        StepResult {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    fn install(&self, version: &str) -> StepResult {
        self.step("install.sh", &[("INPUT_VERSION", version)])
    }

    /// The second step, after the first; other inputs are as action.yml has them.
    fn check(&self, given: &[(&str, &str)]) -> StepResult {
        self.release(&format!("download/v{VERSION}"));
        let installed = self.install(VERSION);
        assert_eq!(installed.code, Some(0), "{}{}", installed.out, installed.err);
        let mut inputs = vec![
            ("INPUT_SPEC", "ab.hif"),
            ("INPUT_INPUTS", "in.jsonl"),
            ("INPUT_EVENTS", ""),
            ("INPUT_BASELINE", ""),
            ("INPUT_ARGS", ""),
            ("INPUT_SARIF_FILE", "multitrace.sarif"),
            ("INPUT_FAIL", "true"),
        ];
        inputs.extend(given);
        self.step("check.sh", &inputs)
    }

    fn outputs(&self) -> Vec<String> {
        self.0.read("output").lines().map(str::to_owned).collect()
    }
}

/// The program that the scripts need; where curl is missing, there is nothing to test.
#[allow(clippy::print_stderr, reason = "tests say what they skipped")]
fn can_download() -> bool {
    let found = Command::new("curl").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: no curl");
    }
    found
}

#[test]
fn a_release_is_installed_if_its_checksum_is_right() {
    if !can_download() {
        return;
    }
    let runner = Runner::new();
    runner.release(&format!("download/v{VERSION}"));
    runner.release("latest/download");
    for version in [VERSION, &format!("v{VERSION}"), "latest"] {
        let step = runner.install(version);
        assert_eq!(step.code, Some(0), "{}{}", step.out, step.err);
        assert!(step.out.contains(&format!("multitrace {VERSION}")), "{}", step.out);
    }
    assert_eq!(runner.0.read("path").lines().count(), 3);

    let archive = format!("releases/latest/download/multitrace-cli-{TARGET}.tar.gz");
    let other = "0".repeat(64);
    runner.0.file(&format!("{archive}.sha256"), &format!("{other} *archive\n"));
    let step = runner.install("latest");
    assert_eq!(step.code, Some(2));
    assert!(step.out.starts_with("::error") && step.out.contains(&other), "{}", step.out);
    runner.0.file(&format!("{archive}.sha256"), "");
    assert_eq!(runner.install("latest").code, Some(2));
    assert_eq!(runner.0.read("path").lines().count(), 3, "nothing else was installed");
}

#[test]
fn a_version_is_a_version() {
    if !can_download() {
        return;
    }
    let runner = Runner::new();
    for version in ["", "../../elsewhere", "1.0\n::error::x", "$(touch run)", "0.0.99"] {
        let step = runner.install(version);
        assert_eq!(step.code, Some(2), "{version}");
        assert!(step.out.starts_with("::error title=multitrace::version: "), "{}", step.out);
        assert_eq!(step.out.lines().count(), 1, "{}", step.out);
    }
    assert_eq!(runner.0.read("path"), "");
    assert!(!runner.0.names().contains(&"run".to_owned()));
}

#[test]
fn findings_become_annotations_and_sarif() {
    if !can_download() {
        return;
    }
    let runner = Runner::new();
    runner.0.file("in.jsonl", &[PASSING, FAILING].join("\n"));
    let step = runner.check(&[]);
    assert_eq!(step.code, Some(1), "{}{}", step.out, step.err);
    assert!(step.out.contains("::error file="), "{}", step.out);
    let path = std::fs::canonicalize(runner.0.path("multitrace.sarif")).expect("the report");
    let sarif: serde_json::Value =
        serde_json::from_str(&runner.0.read("multitrace.sarif")).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let outputs = runner.outputs();
    assert_eq!(outputs[0], "exit-code=1");
    let (name, written) = outputs[1].split_once('=').expect("an output");
    assert_eq!(name, "sarif");
    assert_eq!(std::fs::canonicalize(written).expect("a path"), path);
}

/// Three of its five sessions are wrong on purpose.
#[test]
fn an_example_of_the_tree_is_checked() {
    if !can_download() {
        return;
    }
    let runner = Runner::new();
    let example = root().join("examples/checkout");
    let path = |name: &str| example.join(name).to_str().expect("a plain path").to_owned();
    let (spec, sessions) = (path("SPEC.md"), path("sessions.jsonl"));
    let step = runner.check(&[("INPUT_SPEC", &spec), ("INPUT_INPUTS", &sessions)]);
    assert_eq!(step.code, Some(1), "{}{}", step.out, step.err);
    assert!(step.out.contains("MT113"), "{}", step.out);
    assert!(runner.outputs()[1].starts_with("sarif="), "{:?}", runner.outputs());
}

#[test]
fn violations_may_be_tolerated_and_nothing_else() {
    if !can_download() {
        return;
    }
    let runner = Runner::new();
    runner.0.file("in.jsonl", FAILING);
    runner.0.file("empty.jsonl", "");
    runner.0.file("broken.jsonl", "{");
    let tolerant = ("INPUT_FAIL", "false");
    for (input, code, exit) in [("in.jsonl", 1, 0), ("empty.jsonl", 3, 3), ("broken.jsonl", 2, 2)] {
        runner.0.file("output", "");
        let step = runner.check(&[tolerant, ("INPUT_INPUTS", input)]);
        assert_eq!(step.code, Some(exit), "{input}: {}{}", step.out, step.err);
        assert_eq!(runner.outputs()[0], format!("exit-code={code}"), "{input}");
    }
    assert_eq!(runner.check(&[("INPUT_FAIL", "no")]).code, Some(2));
}

#[test]
fn an_input_that_is_refused_begins_no_line() {
    let runner = Runner::new();
    let hostile = "no\r::set-output name=x::y\n::error::%0A";
    let of_check = ["INPUT_SPEC", "INPUT_EVENTS", "INPUT_BASELINE", "INPUT_SARIF_FILE"];
    let inputs: Vec<_> = of_check.map(|name| (name, "")).into_iter().collect();
    let check = runner.step("check.sh", &[&inputs[..], &[("INPUT_FAIL", hostile)]].concat());
    for step in [check, runner.install(hostile)] {
        assert_eq!(step.code, Some(2));
        let text = step.out.trim_end();
        assert!(text.contains("no%0D::set-output name=x::y%0A::error::%250A"), "{text:?}");
        assert!(!text.contains(['\r', '\n']), "{text:?}");
    }
}

#[test]
fn inputs_are_neither_split_nor_run() {
    if !can_download() {
        return;
    }
    let runner = Runner::new();
    let names = ["a b.jsonl", "$(touch run).jsonl", "`touch run`;touch run.jsonl", "-x.jsonl"];
    for name in names {
        runner.0.file(name, PASSING);
    }
    runner.0.file("my spec.hif", "loopS(a -- m -> b)\n");
    runner.0.file("known failures.json", "{\"multitrace-baseline\":3,\"places\":[]}");
    let step = runner.check(&[
        ("INPUT_SPEC", "my spec.hif"),
        ("INPUT_INPUTS", &format!("{}\r\n\n", names.join("\r\n"))),
        ("INPUT_BASELINE", "known failures.json"),
        ("INPUT_ARGS", "--observe=prefix\n--write-baseline=new failures.json\n"),
        ("INPUT_SARIF_FILE", "my report.sarif"),
    ]);
    assert_eq!(step.code, Some(0), "{}{}", step.out, step.err);
    assert!(step.out.contains("4 sessions checked"), "{}", step.out);
    let found = runner.0.names();
    for name in ["my report.sarif", "new failures.json"] {
        assert!(found.contains(&name.to_owned()), "{found:?}");
    }
    assert!(!found.iter().any(|name| name == "run" || name == "run.jsonl"), "{found:?}");

    // An output of its own making would be a second line.
    let step = runner.check(&[("INPUT_SARIF_FILE", "a\nexit-code=0")]);
    assert_eq!(step.code, Some(2), "{}", step.out);
}

#[test]
fn without_a_sarif_file_none_is_written_and_the_configuration_gives_defaults() {
    if !can_download() {
        return;
    }
    let runner = Runner::new();
    runner.0.file("in.jsonl", PASSING);
    runner.0.file("multitrace.toml", "[check]\nspec = \"ab.hif\"\ninputs = [\"in.jsonl\"]\n");
    let empty = ["INPUT_SPEC", "INPUT_INPUTS", "INPUT_SARIF_FILE"].map(|name| (name, ""));
    let step = runner.check(&empty);
    assert_eq!(step.code, Some(0), "{}{}", step.out, step.err);
    assert_eq!(runner.outputs(), ["exit-code=0"]);
}

/// The action hands over the inputs of the scripts, as variables and never as a part of a command.
#[test]
fn the_action_passes_its_inputs_as_variables() {
    let action = action();
    for script in ["install.sh", "check.sh"] {
        let path = Path::new("scripts/action").join(script);
        let text = std::fs::read_to_string(root().join(path)).expect("the script is there");
        for word in text.split(|char: char| !(char.is_ascii_alphanumeric() || char == '_')) {
            let Some(name) = word.strip_prefix("INPUT_").filter(|name| !name.is_empty()) else {
                continue;
            };
            let input = name.to_ascii_lowercase().replace('_', "-");
            let line = format!("INPUT_{name}: ${{{{ inputs.{input} }}}}\n");
            assert!(action.contains(&line), "{line}");
        }
    }
    for line in action.lines().filter(|line| line.contains("run:")) {
        assert!(!line.contains("${{"), "{line}");
    }
    let version = format!("default: \"{VERSION}\"");
    assert!(action.contains(&version), "the action installs its own version");
}
