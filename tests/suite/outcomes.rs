//! One gate: the command line and the library end alike on the cases of `tests/outcomes/cases.jsonl`.
//! `python/tests/test_outcomes.py` reads the same file.

use crate::common::folder::Folder;
use crate::common::run::multitrace_in;
use multitrace::{
    CompileOptions, Inputs, Mapping, Monitor, Observation, RunOptions, RunOutcome, SessionFilter,
    Shard, Spec,
};
use multitrace_formats::selection::IdList;
use multitrace_formats::source::Source;
use multitrace_reports::baseline::Baseline;
use multitrace_reports::gate::{Gate, Tolerance};
use multitrace_runtime::States;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

const CASES: &str = include_str!("../outcomes/cases.jsonl");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// The exit code.
    code: u8,
    /// Texts by their paths; folders end with a slash.
    files: BTreeMap<String, String>,
    /// The file of the specification, which may be missing.
    spec: Option<BTreeMap<String, Option<String>>>,
    /// The text of a mapping.
    events: Option<String>,
    /// The inputs of the check, if they are not all files.
    inputs: Option<Vec<String>>,
    /// Options by their names in Python.
    #[serde(default)]
    options: BTreeMap<String, Value>,
}

impl Case {
    fn spec(&self) -> String {
        let named = self.spec.as_ref().and_then(|spec| spec.keys().next());
        named.map_or("ab.hif", String::as_str).to_owned()
    }

    fn inputs(&self) -> Vec<String> {
        self.inputs.clone().unwrap_or_else(|| self.files.keys().cloned().collect())
    }

    fn text(&self, option: &str) -> Option<&str> {
        self.options.get(option)?.as_str()
    }

    fn list(&self, option: &str) -> Option<Vec<String>> {
        serde_json::from_value(self.options.get(option)?.clone()).ok()
    }

    /// Writes its files.
    fn folder(&self) -> Folder {
        let folder = Folder::new();
        for (name, text) in &self.files {
            match name.strip_suffix('/') {
                Some(name) => std::fs::create_dir(folder.path(name)).expect("a folder"),
                None => drop(folder.file(name, text)),
            }
        }
        for (name, text) in self.spec.iter().flatten() {
            std::fs::remove_file(folder.path("ab.hif")).expect("the usual specification");
            text.iter().for_each(|text| drop(folder.file(name, text)));
        }
        self.events.iter().for_each(|text| drop(folder.file("map.toml", text)));
        folder
    }
}

/// As the command line ends.
fn of_command_line(case: &Case) -> i32 {
    let folder = case.folder();
    let mut arguments = vec!["check".to_owned(), case.spec()];
    arguments.extend(case.inputs());
    arguments.extend(case.events.iter().flat_map(|_| ["--events".to_owned(), "map.toml".into()]));
    for (name, value) in &case.options {
        let value = match (name.as_str(), value) {
            ("baseline", _) => folder.file(name, case.text(name).expect("a text")),
            ("only_sessions", _) => folder.file(name, &case.list(name).expect("ids").join("\n")),
            (_, Value::Array(_)) => case.list(name).expect("words").join(","),
            (_, Value::String(text)) => text.clone(),
            (_, other) => other.to_string(),
        };
        arguments.extend([format!("--{}", name.replace('_', "-")), value]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    multitrace_in(Some(Path::new(&folder.path(""))), &arguments, &[]).code
}

/// As a program ends that embeds the library.
fn of_library(case: &Case) -> Result<RunOutcome, Box<dyn Error>> {
    let folder = case.folder();
    let spec = PathBuf::from(folder.path(&case.spec()));
    let monitor = match spec.extension().is_some_and(|it| it == "mtb") {
        true => Monitor::load(&spec)?,
        false => Spec::read(&spec)?.compile(&CompileOptions::default())?.monitor,
    };
    let paths: Vec<PathBuf> = case.inputs().iter().map(|it| folder.path(it).into()).collect();
    let inputs = match &case.events {
        Some(text) => {
            let mapping = Mapping::parse(&Source::new("map.toml", text.as_str()))?;
            Inputs::event_logs(&paths, mapping)?
        }
        None => Inputs::files(&paths)?,
    };
    let report = monitor.run(inputs, options(case, &monitor)?, &mut ())?;
    assert_eq!(report.exit_code(), report.outcome().exit_code());
    Ok(report.outcome())
}

fn options(case: &Case, monitor: &Monitor) -> Result<RunOptions, Box<dyn Error>> {
    let mut options = RunOptions::new(monitor);
    if let Some(mode) = case.text("observe") {
        let known = Observation::ALL.into_iter().find(|it| it.name() == mode);
        options.config.observation = known.ok_or("no such mode")?;
    }
    if let Some(states) = case.options.get("budget_states") {
        options.config.budget.states = States::Fixed(states.as_u64().expect("a number"));
    }
    let known = ["fail", "inconclusive", "weak_pass", "cut_off"];
    let named = |names: Vec<String>| {
        let is_named = |it: &&str| names.iter().any(|name| name.replace('-', "_") == *it);
        known.into_iter().filter(is_named).collect()
    };
    options.gate = Gate {
        fail_on: case.list("fail_on").map_or_else(|| Gate::default().fail_on, named),
        tolerance: match case.text("max_failures") {
            None => Tolerance::None,
            Some(rate) if rate.ends_with('%') => Tolerance::Rate(rate.parse()?),
            Some(count) => Tolerance::StopAt(count.parse()?),
        },
        baseline: case
            .text("baseline")
            .map(|text| Baseline::parse(&Source::new("baseline", text)))
            .transpose()?,
        ..Gate::default()
    };
    options.filter = SessionFilter {
        only: case.list("only_sessions").map(IdList::of),
        shard: case.text("shard").map(str::parse).transpose()?.map(Shard::Sessions),
        ..SessionFilter::default()
    };
    let percent = case.text("min_coverage").map(|it| it.trim_end_matches('%').parse());
    Ok(RunOptions { min_coverage: percent.transpose()?, ..options })
}

#[test]
fn the_library_and_the_command_line_end_alike() {
    let cases: Vec<Case> =
        CASES.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let mut ends = BTreeMap::new();
    for case in &cases {
        let library = of_library(case).unwrap_or(RunOutcome::Error).exit_code();
        let both = (of_command_line(case), library);
        assert_eq!(both, (case.code.into(), case.code), "{}", case.name);
        *ends.entry(case.code).or_insert(0) += 1;
    }
    assert!(ends.len() == 4 && ends.values().all(|count| *count > 6), "{ends:?}");
    assert!(cases.len() >= 40, "{} cases", cases.len());
}
