//! Inputs with a part that cannot be checked, and every report on them: no run is green that left something unread, and
//! every error has a remedy. The cases are in tests/gate/cases.jsonl.

use crate::common::run::{Run, command, multitrace_in, run};
use flate2::Compression;
use flate2::write::GzEncoder;
use multitrace::OutputFormat;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const CASES: &str = include_str!("../gate/cases.jsonl");
/// The specification of a message and its answer.
const SPEC: &str = "seq(a -- m -> b, b -- n -> a)\n";

struct Case(Value);

impl Case {
    fn list(&self, key: &str) -> Vec<&str> {
        let list = self.0[key].as_array().into_iter().flatten();
        list.map(|it| it.as_str().expect("a text")).collect()
    }

    fn name(&self) -> &str {
        self.0["name"].as_str().expect("a name")
    }

    fn code(&self) -> i64 {
        self.0["code"].as_i64().expect("an exit code")
    }

    fn folder(&self) -> TempDir {
        let folder = TempDir::new().expect("a folder");
        std::fs::create_dir(folder.path().join(".git")).expect("the root of a repository");
        std::fs::write(folder.path().join("spec.hif"), SPEC).expect("a file");
        for (name, content) in self.0["files"].as_object().expect("files") {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            match (content["link"].as_str(), content["fifo"].as_str()) {
                (Some(target), _) => link(target, &path),
                (_, Some(_)) => make_fifo(&path),
                _ => std::fs::write(path, bytes(content)).expect("a file"),
            }
        }
        folder
    }

    /// Runs it in a folder with more arguments.
    fn run(&self, folder: &Path, more: &[&str]) -> Run {
        let variables = self.0["environment"].as_object().into_iter().flatten();
        let variables: Vec<(&str, &str)> = variables
            .map(|(name, value)| (name.as_str(), value.as_str().expect("a text")))
            .collect();
        let args = [&["check", "spec.hif"], &*self.list("args"), more].concat();
        for (name, content) in self.0["files"].as_object().expect("files") {
            if let Some(text) = content["fifo"].as_str() {
                feed(folder.join(name), text.to_owned());
            }
        }
        let input = self.0.get("stdin").map(bytes);
        run(&mut command(Some(folder), &args, &variables), input.as_deref())
    }

    /// The difference between a run and its expectation, with the output that was shown.
    fn wrong(&self, what: &str, run: &Run, shown: &str) -> Option<String> {
        let shown = plain(shown);
        let lacks = self.list("says").into_iter().find(|text| !shown.contains(text));
        let is_other = i64::from(run.code) != self.code();
        (is_other || lacks.is_some()).then(|| {
            let (name, code, out, err) = (self.name(), run.code, &run.out, &run.err);
            format!("{name}, {what}: ends with {code}, lacks {lacks:?}\n{out}{err}")
        })
    }

    /// Runs it with reports in every format, that of this number on standard output, and as a part that is merged; returns
    /// the differences, and how many reports were read.
    fn check(&self, number: usize) -> (Vec<String>, usize) {
        let (folder, reports) = (self.folder(), TempDir::new().expect("a folder"));
        let formats = OutputFormat::ALL.into_iter().filter(|it| *it != OutputFormat::Partial);
        let mut formats: Vec<&str> = formats.map(OutputFormat::name).collect();
        let shown = formats.remove(number % formats.len());
        let path = |format: &&str| reports.path().join(format).display().to_string();
        let files: Vec<(&str, String)> = formats.iter().map(|it| (*it, path(it))).collect();
        let to_files = files
            .iter()
            .flat_map(|(format, path)| ["--output-format", format, "--output-file", path.as_str()]);
        let arguments: Vec<&str> = to_files.chain(["--output-format", shown, "--quiet"]).collect();
        let run = self.run(folder.path(), &arguments);
        let mut wrong: Vec<String> = Vec::new();
        wrong.extend(without_remedy(&run.err).map(|it| format!("{}: {it}", self.name())));
        let report = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let files = files.iter().map(|(format, path)| (*format, report(path)));
        for (format, report) in files.chain([(shown, run.out.clone())]) {
            // Beside a report for people, standard error has the texts and lines of errors.
            let report = if format == "human" { report + &run.err } else { report };
            wrong.extend(self.wrong(format, &run, &report));
        }
        let part = ["--output-format", "partial", "--output-file", "run.part"];
        let made = self.run(folder.path(), &part);
        wrong.extend(self.wrong("a part", &made, &self.list("says").concat()));
        // A part keeps the demands of its run.
        let merge = ["merge", "run.part", "--output-format", "json"];
        let merged = multitrace_in(Some(folder.path()), &merge, &[]);
        wrong.extend(self.wrong("merged", &merged, &merged.out));
        (wrong, formats.len() + 2)
    }
}

/// The first error on standard error without a remedy. A system that finds no file, and a parser that names the
/// expected text, say enough.
fn without_remedy(err: &str) -> Option<String> {
    let says =
        ["= help: ", "; ", "expected `", "expected the ", "expected an event", "(os error 2)"];
    let lines = format!("\n{err}");
    let mut errors = lines.split("\nerror: ").skip(1);
    errors.find(|error| !says.iter().any(|text| error.contains(text))).map(str::to_owned)
}

#[cfg(unix)]
fn link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).expect("a link");
}

/// Where there are no links, the target of a link is missing.
#[cfg(not(unix))]
fn link(_target: &str, _path: &Path) {}

fn make_fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
    assert!(made.success());
}

/// Writes a text into a FIFO for the first that reads it; a second one would wait for ever. Waits for ever in its thread if
/// nobody does.
fn feed(path: PathBuf, text: String) {
    std::thread::spawn(move || std::fs::write(path, text));
}

/// A text, or bytes in hex, or a text packed by gzip, several times, and cut off.
fn bytes(content: &Value) -> Vec<u8> {
    if let Some(text) = content.as_str() {
        return text.as_bytes().to_vec();
    }
    if let Some(hex) = content["hex"].as_str() {
        let pairs = (0..hex.len()).step_by(2).map(|at| &hex[at..at + 2]);
        return pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hex")).collect();
    }
    let mut packed = content["gzip"].as_str().expect("a text").as_bytes().to_vec();
    for _ in 0..content["times"].as_u64().unwrap_or(1) {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&packed).expect("memory");
        packed = encoder.finish().expect("memory");
    }
    packed.truncate(packed.len() - content["cut"].as_u64().unwrap_or(0) as usize);
    packed
}

/// A report without the escapes of its format.
fn plain(text: &str) -> String {
    let escapes =
        [("&quot;", "\""), ("&#x27;", "'"), ("&#x2f;", "/"), ("&#x60;", "`"), ("&amp;", "&")];
    escapes.iter().fold(text.to_owned(), |text, (escape, char)| text.replace(escape, char))
}

#[test]
fn nothing_unread_is_green_in_any_format() {
    let cases = CASES
        .lines()
        .filter(|line| cfg!(unix) || !line.contains("{\"link\":") && !line.contains("{\"fifo\":"));
    let cases: Vec<Case> = cases
        .map(|line| Case(serde_json::from_str(line).expect(line)))
        .filter(|case| cfg!(feature = "columnar") || case.0["columnar"].is_null())
        .collect();
    // Most of the time goes to starting processes.
    const THREADS: usize = 4;
    let found: Vec<(Vec<String>, usize)> = std::thread::scope(|scope| {
        let chunks = cases.chunks(cases.len().div_ceil(THREADS));
        let check = |cases: &[Case]| {
            (0..).zip(cases).map(|(number, case)| case.check(number)).collect::<Vec<_>>()
        };
        let threads: Vec<_> = chunks.map(|cases| scope.spawn(move || check(cases))).collect();
        threads.into_iter().flat_map(|it| it.join().expect("a thread")).collect()
    });
    let checked: usize = found.iter().map(|it| it.1).sum();
    let wrong: Vec<String> = found.into_iter().flat_map(|it| it.0).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(checked >= 11 * 200, "{checked} checks");
    println!("{} cases, {checked} reports, none unread and green", cases.len());
}
