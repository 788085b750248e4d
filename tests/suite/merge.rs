//! Partial reports: whatever a run is split into, and however the parts are merged, the report is that
//! of the whole run, byte for byte.

use crate::common::folder::{FAILING, Folder, PASSING, UNKNOWN};
use crate::common::run::{multitrace, multitrace_with_input};
use multitrace::{
    CompileOptions, Detail, FinishOptions, Inputs, Mapping, Monitor, OutputFormat, PartialReport,
    Report, RunOptions, SampleSize, SessionFilter, Shard, Spec, SpecFormat,
};
use multitrace_formats::remedy::Words;
use multitrace_formats::selection::{IdList, ShardNumber};
use multitrace_formats::source::Source;
use multitrace_interaction::generate::Dice;
use multitrace_reports::baseline::Baseline;
use multitrace_reports::gate::Gate;
use multitrace_reports::groups::GroupOrder;
use multitrace_reports::pictures::SvgOptions;
use multitrace_testing_engines::split::normal;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// How many ways each run is split in: 1,000 for the 50 runs of all kinds.
const SPLITS: u64 = 20;
const LIFELINES: [&str; 3] = ["a", "b", "c"];

/// One event of a session: its lifeline, whether it is emitted, its message.
type Event = (&'static str, bool, String);

/// A random specification as text, and a session that it accepts.
struct Model {
    text: String,
    kind: usize,
    parts: Vec<Model>,
    event: Option<[Event; 2]>,
}

fn model(dice: &mut Dice, depth: usize) -> Model {
    let kind = if depth == 0 { 0 } else { dice.below(6) };
    if kind == 0 {
        let from = dice.below(3);
        let to = (from + 1 + dice.below(2)) % 3;
        let (from, to, message) = (LIFELINES[from], LIFELINES[to], format!("m{}", dice.below(6)));
        let event = Some([(from, true, message.clone()), (to, false, message.clone())]);
        return Model {
            text: format!("{from} -- {message} -> {to}"),
            kind,
            parts: Vec::new(),
            event,
        };
    }
    let count = if kind == 5 { 1 } else { 2 };
    let parts: Vec<Model> = (0..count).map(|_| model(dice, depth - 1)).collect();
    let name = ["", "strict", "seq", "par", "alt", "loopS"][kind];
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    Model { text: format!("{name}({})", texts.join(",\n  ")), kind, parts, event: None }
}

impl Model {
    fn sample(&self, dice: &mut Dice, events: &mut Vec<Event>) {
        match self.kind {
            0 => events.extend(self.event.iter().flatten().cloned()),
            4 => self.parts[dice.below(2)].sample(dice, events),
            5 => (0..dice.below(3)).for_each(|_| self.parts[0].sample(dice, events)),
            _ => self.parts.iter().for_each(|part| part.sample(dice, events)),
        }
    }

    /// A session that is accepted, or was before some events were changed.
    fn session(&self, dice: &mut Dice) -> Vec<Event> {
        let mut events = Vec::new();
        self.sample(dice, &mut events);
        for _ in 0..dice.below(4).saturating_sub(1) {
            let at = dice.below(events.len() + 1);
            match dice.below(4) {
                0 if at < events.len() => drop(events.remove(at)),
                1 if at + 1 < events.len() => events.swap(at, at + 1),
                2 => events.insert(at, ("b", dice.below(2) == 0, format!("m{}", dice.below(6)))),
                _ => {
                    let lifeline = ["a", "elsewhere"][dice.below(2)];
                    events.insert(at, (lifeline, true, format!("unknown{}", dice.below(3))));
                }
            }
        }
        events
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum InputKind {
    Sessions,
    Rows,
    Text,
    Joined,
    Gaps,
}

/// The inputs of a run.
struct Run {
    monitor: Monitor,
    mapping: Option<Mapping>,
    paths: Vec<PathBuf>,
    repair: bool,
    /// The ids of the sessions to check, one a line.
    only: Option<String>,
    is_sampled: bool,
    _folder: Folder,
}

fn mapping_text(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Text => {
            "unmatched = \"count\"\n[input]\npatterns = ['^(?<s>\\S+) (?<from>\\w+) sends (?<msg>\\w+)', \
             '^(?<s>\\S+) (?<to>\\w+) receives (?<msg>\\w+)', '^never (?<s>\\S+)']\n[event]\nsession = \"s\"\nties = \"file\"\n\
             [[rule]]\nwhen = { pattern = 1 }\nactions = [\"{from}!{msg}\"]\n[[rule]]\nwhen = { pattern = 2 }\n\
             actions = [\"{to}?{msg}\"]\n"
        }
        InputKind::Gaps => {
            "[event]\nsession = { field = \"s\", gap = \"1m\" }\nlifeline = \"node\"\ndirection = { field = \
             \"dir\", emission = \"out\", reception = \"in\" }\nmessage = \"msg\"\norder = \"ts\"\n"
        }
        InputKind::Joined => {
            "[event]\nsession = \"s\"\nlifeline = \"node\"\ndirection = { field = \"dir\", emission = \"out\", \
             reception = \"in\" }\nmessage = \"msg\"\nties = \"file\"\n[[join]]\nfield = \"req\"\n"
        }
        InputKind::Sessions | InputKind::Rows => {
            "[event]\nsession = \"s\"\nlifeline = \"node\"\ndirection = { field = \"dir\", emission = \"out\", \
             reception = \"in\" }\nmessage = \"msg\"\nties = \"file\"\n"
        }
    }
}

/// A session as a line of JSON or as an `.htf` file.
fn session_line(id: &str, events: &[Event]) -> String {
    let mut traces: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (lifeline, is_sent, message) in events {
        let sign = if *is_sent { '!' } else { '?' };
        traces.entry(lifeline).or_default().push(format!("{lifeline}{sign}{message}"));
    }
    serde_json::json!({ "session": id, "traces": traces }).to_string()
}

fn htf(events: &[Event]) -> String {
    let local = |lifeline: &str| {
        let of = events.iter().filter(|event| event.0 == lifeline);
        let text = of.map(|(l, is_sent, m)| format!("{l}{}{m}", if *is_sent { '!' } else { '?' }));
        format!("[{lifeline}] {}", text.collect::<Vec<String>>().join("."))
    };
    format!("{{{}}}", LIFELINES.map(local).join("; "))
}

/// The line of one event in a log, sometimes one that cannot be used.
fn event_line(kind: InputKind, dice: &mut Dice, id: &str, event: &Event, ts: usize) -> String {
    let (node, is_sent, message) = event;
    if kind == InputKind::Text {
        return match dice.below(30) {
            0 => "a line of no pattern".to_owned(),
            _ if *is_sent => format!("{id} {node} sends {message}"),
            _ => format!("{id} {node} receives {message}"),
        };
    }
    let direction = if *is_sent { "out" } else { "in" };
    let mut row = serde_json::json!({ "node": node, "dir": direction, "msg": message, "ts": ts });
    // With joins most records know their session by another id only, and a few by none.
    match (kind, dice.below(8)) {
        (InputKind::Joined, 0) => row["req"] = "nobody".into(),
        (InputKind::Joined, 1..5) => row["req"] = format!("r{id}").into(),
        (InputKind::Joined, 5) => {
            row["req"] = format!("r{id}").into();
            row["s"] = id.into();
        }
        _ => row["s"] = id.into(),
    }
    match dice.below(60) {
        0 => "{\"s\":".to_owned(),
        1 => {
            row.as_object_mut().expect("an object").remove("msg");
            row.to_string()
        }
        2 => {
            row["dir"] = "sideways".into();
            row.to_string()
        }
        _ => row.to_string(),
    }
}

/// Writes the events of all sessions in random order into files; with `are_apart`, those of a session into one.
fn write_events(
    kind: InputKind,
    sessions: &[(String, Vec<Event>)],
    are_apart: bool,
    dice: &mut Dice,
    texts: &mut [String],
) {
    let mut rest: Vec<_> =
        sessions.iter().map(|(id, events)| (id, events.iter().peekable())).collect();
    let mut ts = 0;
    while !rest.is_empty() {
        let at = dice.below(rest.len());
        let (id, events) = &mut rest[at];
        let Some(event) = events.next() else {
            drop(rest.swap_remove(at));
            continue;
        };
        ts += if dice.below(20) == 0 { 100 } else { 1 };
        let of: usize = id[1..].parse().expect("a number");
        let file = if are_apart { of % texts.len() } else { dice.below(texts.len()) };
        texts[file].push_str(&event_line(kind, dice, id, event, ts));
        texts[file].push('\n');
    }
    if are_apart {
        // A file with a broken last record is cut off, which concerns sessions of all files.
        let last = if kind == InputKind::Text { "end\n" } else { "{}\n" };
        texts.iter_mut().for_each(|text| text.push_str(last));
    }
}

fn make(kind: InputKind, seed: u64, are_apart: bool) -> Run {
    let mut dice = Dice::new(seed, kind as u64);
    let model = model(&mut dice, 3);
    let folder = Folder::new();
    let spec = Spec::parse("spec.hif", &model.text, SpecFormat::Hif);
    let monitor = spec.compile(&CompileOptions::default()).expect("a specification").monitor;
    let count = 20 + dice.below(40);
    let sessions: Vec<(String, Vec<Event>)> =
        (0..count).map(|id| (format!("s{id}"), model.session(&mut dice))).collect();
    let files = 1 + dice.below(4);
    let mut texts = vec![String::new(); files];
    let mut paths = Vec::new();
    if kind == InputKind::Sessions {
        for (id, events) in &sessions {
            match dice.below(12) {
                0 => paths.push(folder.file(&format!("{id}.htf"), &htf(events)).into()),
                1 => texts[dice.below(files)].push_str("{\"session\":\"x\",\n"),
                2 => texts[dice.below(files)].push_str("nothing at all\n"),
                _ => {
                    let text = &mut texts[dice.below(files)];
                    text.push_str(&session_line(id, events));
                    text.push('\n');
                }
            }
        }
    } else {
        write_events(kind, &sessions, are_apart, &mut dice, &mut texts);
    }
    for (number, text) in texts.iter().enumerate() {
        let extension = if kind == InputKind::Text { "log" } else { "jsonl" };
        paths.push(folder.file(&format!("in{number}.{extension}"), text).into());
    }
    let mapping = (kind != InputKind::Sessions)
        .then(|| Mapping::parse(&Source::new("map.toml", mapping_text(kind))).expect("a mapping"));
    let ids = (0..count + 9).filter(|_| dice.below(3) > 0);
    let ids: String = ids.map(|id| format!("s{id}\ns{id}#1\ns{id}#2\n")).collect();
    let repair = dice.below(2) == 0;
    let (only, is_sampled) = ((seed % 3 == 1).then_some(ids), seed % 3 == 2);
    Run { monitor, mapping, paths, repair, only, is_sampled, _folder: folder }
}

impl Run {
    fn inputs(&self) -> Inputs {
        match &self.mapping {
            None => Inputs::files(&self.paths).expect("files"),
            Some(mapping) => Inputs::event_logs(&self.paths, mapping.clone()).expect("files"),
        }
    }

    fn check(&self, filter: SessionFilter) -> Report {
        self.check_for(&[OutputFormat::Partial, OutputFormat::Human], filter, None)
    }

    fn check_for(
        &self,
        formats: &[OutputFormat],
        filter: SessionFilter,
        baseline: Option<Baseline>,
    ) -> Report {
        let options = RunOptions {
            filter,
            gate: Gate { baseline, ..gate() },
            detail: Detail::of(formats.iter().copied()),
            repair: self.repair,
            coverage: true,
            threads: NonZeroUsize::new(1),
            ..RunOptions::new(&self.monitor)
        };
        self.monitor.run(self.inputs(), options, &mut ()).expect("a run")
    }

    fn shard(&self, shard: Shard, seed: u64) -> PartialReport {
        // A sample depends on the seed, too.
        let seed = if self.is_sampled { 0 } else { seed };
        let filter = SessionFilter { shard: Some(shard), seed, ..self.filter() };
        self.check(filter).partial().expect("a part")
    }

    fn filter(&self) -> SessionFilter {
        let rate = self.is_sampled.then(|| SampleSize::Rate("70%".parse().expect("a rate")));
        let only = self.only.as_deref().map(IdList::parse);
        SessionFilter { only, sample: rate, ..SessionFilter::default() }
    }
}

fn gate() -> Gate {
    Gate { fail_on: vec!["fail", "inconclusive", "cut_off"], ..Gate::default() }
}

/// The report in all formats, without its time.
fn outputs(report: &Report) -> Vec<(&'static str, String)> {
    let formats = OutputFormat::ALL.into_iter().filter(|format| *format != OutputFormat::Partial);
    let mut all: Vec<(&'static str, String)> = formats
        .map(|format| {
            let mut out = Vec::new();
            report.write(format, &mut out).expect("memory");
            (format.name(), timeless(&String::from_utf8(out).expect("text"), report))
        })
        .collect();
    all.push(("baseline", report.baseline().expect("few kinds").print()));
    let mut lcov = Vec::new();
    report.coverage().expect("asked for").write_lcov(&mut lcov).expect("memory");
    all.push(("lcov", String::from_utf8(lcov).expect("text")));
    all
}

fn timeless(text: &str, report: &Report) -> String {
    let summary = report.summary();
    let (seconds, peak) = (summary.seconds, summary.peak_bytes.unwrap_or(0));
    let exact = serde_json::to_string(&seconds).expect("a number");
    let mut text = text.to_owned();
    for (from, to) in [
        (format!("in {seconds:.3} s"), "in T s"),
        (format!("{seconds:.3} s, multitrace"), "T s, multitrace"),
        (format!("time=\"{seconds:.3}\""), "time=\"T\""),
        (format!("\"seconds\":{exact}"), "\"seconds\":T"),
        (format!("\"seconds\": {exact}"), "\"seconds\": T"),
        (format!("\"peak_bytes\":{peak}"), "\"peak_bytes\":P"),
        (format!("\"peak_bytes\": {peak}"), "\"peak_bytes\": P"),
    ] {
        text = text.replace(&from, to);
    }
    text
}

/// Merges parts in a random tree, some of them through bytes.
fn merged(mut parts: Vec<PartialReport>, dice: &mut Dice) -> PartialReport {
    while parts.len() > 1 {
        let mut one = parts.swap_remove(dice.below(parts.len()));
        let other = parts.swap_remove(dice.below(parts.len()));
        one.merge(other).expect("parts of one run");
        if dice.below(3) == 0 {
            let bytes = if dice.below(2) == 0 { one.to_bytes() } else { one.to_packed() };
            one = PartialReport::from_bytes(&bytes.expect("few kinds")).expect("a part");
        }
        parts.push(one);
    }
    parts.pop().expect("a part")
}

/// Splits a run in many ways; the merged parts and their reports in all formats are those of the whole run.
fn split(run: &Run, seed: u64, by_files: bool, what: &str) {
    let mut dice = Dice::new(seed, 77);
    let whole = run.check(run.filter());
    // A random run may have passing sessions only, but most do not.
    assert!(seed > 0 || !whole.groups().is_empty(), "{what}");
    let expected = normal(&whole.partial().expect("a part"));
    let baseline = || {
        let mut known = whole.baseline().expect("few kinds");
        let mut number = 0;
        known.places.retain(|_, _| {
            number += 1;
            number % 2 == 0
        });
        Some(known)
    };
    // Such a run knows the baseline while it groups sessions; that of a part, or of merged parts, learns it afterwards.
    let whole_outputs = outputs(&run.check_for(&[OutputFormat::Human], run.filter(), baseline()));
    let both = [OutputFormat::Partial, OutputFormat::Human];
    let of_part = outputs(&run.check_for(&both, run.filter(), baseline()));
    for ((format, whole), (_, part)) in whole_outputs.iter().zip(of_part) {
        assert_same(whole, &part, &format!("{what}, seed {seed}, a part itself, {format}"));
    }
    for round in 0..SPLITS {
        let count = 1 + dice.below(8) as u32;
        let shard_seed = dice.below(1000) as u64;
        let parts = (1..=count).map(|index| {
            let number = ShardNumber::new(index, count).expect("a shard");
            let shard = if by_files { Shard::Files(number) } else { Shard::Sessions(number) };
            run.shard(shard, shard_seed)
        });
        let all = merged(parts.collect(), &mut dice);
        let found = normal(&all);
        assert_same(
            &expected,
            &found,
            &format!("{what}, seed {seed}, round {round}, {count} shards"),
        );
        let order = GroupOrder::Count;
        let options = FinishOptions { baseline: baseline(), order, ..FinishOptions::default() };
        let report = all.finish(options).expect("a report");
        for ((format, whole), (_, merged)) in whole_outputs.iter().zip(outputs(&report)) {
            assert_same(whole, &merged, &format!("{what}, seed {seed}, round {round}, {format}"));
        }
    }
}

#[track_caller]
fn assert_same(whole: &str, merged: &str, what: &str) {
    if whole != merged {
        let at = whole.bytes().zip(merged.bytes()).position(|(a, b)| a != b);
        let at = at.unwrap_or(whole.len().min(merged.len()));
        let near = |text: &str| {
            String::from_utf8_lossy(
                &text.as_bytes()[at.saturating_sub(300)..(at + 200).min(text.len())],
            )
            .into_owned()
        };
        panic!("{what}: they differ at byte {at}:\n{}\n----\n{}", near(whole), near(merged));
    }
}

#[test]
fn shards_of_session_files_are_the_whole() {
    for seed in 0..8 {
        split(&make(InputKind::Sessions, seed, false), seed, false, "sessions");
    }
}

#[test]
fn shards_of_files_are_the_whole() {
    for seed in 0..7 {
        split(&make(InputKind::Sessions, seed, false), seed, true, "sessions by files");
        split(&make(InputKind::Rows, seed, true), seed, true, "rows by files");
    }
}

#[test]
fn shards_of_event_logs_are_the_whole() {
    for seed in 0..7 {
        split(&make(InputKind::Rows, seed, false), seed, false, "rows");
        split(&make(InputKind::Text, seed, false), seed, false, "text");
    }
}

#[test]
fn shards_of_joined_records_and_gaps_are_the_whole() {
    for seed in 0..7 {
        split(&make(InputKind::Joined, seed, false), seed, false, "joined");
        split(&make(InputKind::Gaps, seed, false), seed, false, "gaps");
    }
}

/// Runs the tool; returns the path of the part.
fn part(folder: &Folder, name: &str, options: &[&str]) -> String {
    let (spec, path) = (folder.path("ab.hif"), folder.path(name));
    let output = ["--output-format", "partial", "--output-file", &path];
    let run = multitrace(&[&["check", &spec, &folder.path("in.jsonl")], options, &output].concat());
    assert!(run.code < 2, "{}", run.err);
    path
}

fn folder_of_sessions() -> Folder {
    let folder = Folder::new();
    let sessions = (0..50).map(|id| {
        let line = [PASSING, FAILING, UNKNOWN][id % 3];
        let from = ["\"s\"", "\"t\"", "\"u\""][id % 3];
        line.replacen(&format!(":{from}"), &format!(":\"s{id}\""), 1) + "\n"
    });
    folder.file("in.jsonl", &sessions.collect::<String>());
    folder
}

#[test]
fn the_command_line_merges_parts() {
    let folder = folder_of_sessions();
    let parts: Vec<String> = (1..=3)
        .map(|index| part(&folder, &format!("{index}.part"), &["--shard", &format!("{index}/3")]))
        .collect();
    let (spec, input) = (folder.path("ab.hif"), folder.path("in.jsonl"));
    for format in ["concise", "junit", "sarif", "github", "gitlab"] {
        let whole = multitrace(&["check", &spec, &input, "--output-format", format]);
        let merged =
            multitrace(&["merge", &parts[2], &parts[0], &parts[1], "--output-format", format]);
        let is_equal = |line: &&str| !line.contains("seconds") && !line.contains("peak_bytes");
        let plain = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(is_equal);
            let lines = lines.map(|line| line.split(" time=").next().unwrap_or_default());
            lines.map(str::to_owned).collect()
        };
        assert_eq!((whole.code, plain(&whole.out)), (merged.code, plain(&merged.out)), "{format}");
    }
    // A tree of merges.
    let two = folder.path("two.part");
    let run = multitrace(&[
        "merge",
        &parts[0],
        &parts[1],
        "--output-format",
        "partial",
        "--output-file",
        &two,
    ]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("1 of 3 shards are missing: 3"), "{}", run.err);
    assert_eq!(multitrace(&["merge", &two, &parts[2]]).code, 1);
    let known = folder.path("known.json");
    assert_eq!(multitrace(&["merge", &two, &parts[2], "--write-baseline", &known]).code, 1);
    let run = multitrace(&["merge", &two, &parts[2], "--baseline", &known]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(multitrace(&["merge", &two, &parts[2], "--max-failures", "80%"]).code, 0);
    assert_eq!(multitrace(&["merge", &two, &parts[2], "--exit-zero"]).code, 0);
}

/// A file that is left out of a folder of parts is told in every format, by a larger part, too, and to quiet runs.
#[test]
fn parts_that_are_left_out_are_told() {
    let folder = folder_of_sessions();
    let path = part(&folder, "1.part", &[]);
    folder.file("parts/2.md", "no part");
    std::fs::copy(path, folder.path("parts/1.part")).expect("copied");
    let (parts, larger) = (folder.path("parts"), folder.path("larger.part"));
    let merge = |input: &str, format: &str| {
        let run = multitrace(&["merge", input, "--quiet", "--output-format", format]);
        assert_eq!(run.code, 1, "{}", run.err);
        run.out
    };
    let to = ["--output-format", "partial", "--output-file", &larger];
    assert_eq!(multitrace(&[&["merge", &parts], &to[..]].concat()).code, 1);
    for format in OutputFormat::ALL.into_iter().filter(|it| *it != OutputFormat::Partial) {
        for input in [&parts, &larger] {
            let out = merge(input, format.name());
            assert!(out.contains("2.md"), "{input} in {}: {out}", format.name());
        }
    }
}

#[test]
fn demands_of_parts_are_those_of_the_whole() {
    let folder = folder_of_sessions();
    let parts = |demands: &[&str]| {
        let part = |index: u8| {
            let (name, shard) = (format!("{index}.part"), format!("{index}/2"));
            let (spec, path) = (folder.path("ab.hif"), folder.path(&name));
            let output = ["--output-format", "partial", "--output-file", &path];
            let check =
                ["check", &spec, &folder.path("in.jsonl"), "--exit-zero", "--shard", &shard];
            let run = multitrace(&[&check, demands, &output].concat());
            (run.code, path)
        };
        [part(1), part(2)]
    };
    let merged = |parts: [(i32, String); 2], more: &[&str]| {
        let run = multitrace(&[&["merge", &parts[0].1, &parts[1].1, "--exit-zero"], more].concat());
        ([parts[0].0, parts[1].0], run.code, run.out + &run.err)
    };
    let (codes, code, _) = merged(parts(&["--min-sessions", "50"]), &[]);
    assert_eq!((codes, code), ([0, 0], 0), "the whole has as many");
    let (codes, code, said) = merged(parts(&["--min-sessions", "51"]), &["--min-sessions", "5"]);
    assert_eq!((codes, code), ([0, 0], 2), "{said}");
    assert!(said.contains("--min-sessions 51 demands more"), "{said}");
    let (codes, code, said) = merged(parts(&["--require-location", "b"]), &[]);
    assert_eq!((codes, code), ([0, 0], 0), "{said}");
    let (codes, code, said) = merged(parts(&["--coverage", "--min-coverage", "100%"]), &[]);
    assert_eq!((codes, code), ([0, 0], 0), "{said}");
}

/// Standard input is not there twice: two shards that read other contents have not checked one input.
/// Its texts do not depend on which session of a kind came first.
#[test]
fn a_part_that_is_read_and_written_is_the_same() {
    let folder = Folder::new();
    let spec = "examples/mqtt/mqtt.hif";
    let (sessions, once, twice) =
        (folder.path("s.jsonl"), folder.path("1.part"), folder.path("2.part"));
    let noise = ["--kind", "noise", "-n", "800", "--seed", "3", "--duplicates", "-o", &sessions];
    assert_eq!(multitrace(&[&["generate", spec], &noise[..]].concat()).code, 0);
    let to = |path| ["--output-format", "partial", "--output-file", path];
    assert_eq!(multitrace(&[&["check", spec, &sessions], &to(&once)[..]].concat()).code, 1);
    assert_eq!(multitrace(&[&["merge", &once], &to(&twice)[..]].concat()).code, 1);
    let read = |path| std::fs::read(path).expect("a part");
    assert!(read(&once) == read(&twice));
}

#[test]
fn shards_of_other_streams_are_refused() {
    let folder = Folder::new();
    folder.check(&[PASSING], &[]);
    let spec = folder.path("ab.hif");
    let part = |shard: &str, lines: &str| {
        let part = folder.path(&format!("{}.part", shard.replace('/', "-")));
        let options = ["--shard", shard, "--output-format", "partial", "--output-file", &part];
        let run = multitrace_with_input(&[&["check", &spec, "-"][..], &options].concat(), lines);
        assert!(run.code < 2 || run.code == 3, "{}", run.err);
        part
    };
    let one = part("1/2", PASSING);
    assert_eq!(multitrace(&["merge", &one, &part("2/2", PASSING)]).code, 0);
    let run = multitrace(&["merge", &one, &part("2/2", &format!("{PASSING}\n{FAILING}"))]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("changed between"), "{}", run.err);
}

/// Several machines check files of their own, and know nothing of one another.
#[test]
fn runs_over_different_files_merge_in_the_order_of_their_names() {
    let folder = folder_of_sessions();
    let input = std::fs::read_to_string(folder.path("in.jsonl")).expect("sessions");
    let lines: Vec<&str> = input.lines().collect();
    let parts = folder.path("parts");
    std::fs::create_dir(&parts).expect("a folder");
    let mut files = Vec::new();
    for (number, chunk) in lines.chunks(13).enumerate() {
        let file = folder.file(&format!("log{number}.jsonl"), &(chunk.join("\n") + "\n"));
        let part = format!("{parts}/{}.part", 9 - number);
        let output = ["--output-format", "partial", "--output-file", &part];
        let run = multitrace(&[&["check", &folder.path("ab.hif"), &file][..], &output].concat());
        assert!(run.code < 2, "{}", run.err);
        files.push(file);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let spec = folder.path("ab.hif");
    let whole =
        multitrace(&[&["check", &spec], &files[..], &["--output-format", "gitlab"]].concat());
    let merged = multitrace(&["merge", &parts, "--output-format", "gitlab"]);
    assert_eq!((whole.code, &whole.out), (merged.code, &merged.out));
    folder.file("parts/log.txt", "checking…\n");
    assert_eq!(multitrace(&["merge", &parts]).code, 2);
    let exclude = ["--exclude", "*.txt", "--output-format", "gitlab"];
    let merged = multitrace(&[&["merge", &parts][..], &exclude].concat());
    assert_eq!(whole.code, merged.code);
    // The remark on the file that is left out comes last; before it the reports are the same.
    let findings = |text: &str| serde_json::from_str::<Vec<Value>>(text).expect("a list");
    let mut all = findings(&merged.out);
    let remark = all.pop().expect("a remark");
    assert!(remark["description"].as_str().is_some_and(|it| it.contains("log.txt")), "{remark}");
    assert_eq!(findings(&whole.out), all);
}

/// Events that come session by session, on two shards, with the cost of each session.
#[test]
fn grouped_logs_and_costs_merge() {
    let folder = Folder::new();
    folder.file("map.toml", mapping_text(InputKind::Rows));
    let rows = (0..60).flat_map(|id| {
        ["out", "in"].map(|direction| {
            let node = if direction == "out" || id % 7 == 0 { "a" } else { "b" };
            format!(
                "{{\"s\":\"s{id}\",\"node\":\"{node}\",\"dir\":\"{direction}\",\"msg\":\"m\"}}\n"
            )
        })
    });
    folder.file("in.jsonl", &rows.collect::<String>());
    let map = folder.path("map.toml");
    let options = ["--events", &map, "--grouped", "--stats"];
    let parts: Vec<String> = (0..2)
        .map(|index| {
            let shard = format!("{index}/2");
            let name = format!("{index}.part");
            part(&folder, &name, &[&options[..], &["--shard", &shard]].concat())
        })
        .collect();
    let json = |arguments: &[&str]| -> serde_json::Value {
        let run = multitrace(&[arguments, &["--output-format", "json"]].concat());
        assert!(run.code < 2, "{}", run.err);
        let mut json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        let summary = json["summary"].as_object_mut().expect("counts");
        for name in ["seconds", "peak_bytes"] {
            summary.remove(name);
        }
        let costs = summary["costs"].as_object_mut().expect("costs");
        costs.remove("nanoseconds");
        for (_, stage) in costs["stages"].as_object_mut().expect("stages") {
            stage.as_object_mut().expect("costs").remove("nanoseconds");
        }
        json
    };
    let (spec, input) = (folder.path("ab.hif"), folder.path("in.jsonl"));
    let whole = json(&[&["check", &spec, &input], &options[..]].concat());
    assert_eq!(whole["summary"]["sessions"], 60);
    assert_eq!(json(&["merge", &parts[1], &parts[0]]), whole);
}

/// The parts of a data engine have no order of their own.
#[test]
fn the_order_by_names_does_not_depend_on_where_sessions_are() {
    let run = make(InputKind::Sessions, 2, false);
    let alphabet_of = |lines: &[String]| {
        let text = lines.concat();
        let inputs = Inputs::reader("part", std::io::Cursor::new(text.into_bytes()));
        let detail = Detail::of([OutputFormat::Partial]);
        let options = RunOptions { detail, by_name: true, ..RunOptions::new(&run.monitor) };
        run.monitor.run(inputs, options, &mut ()).expect("a run").partial().expect("a part")
    };
    let mut dice = Dice::new(4, 4);
    let model = model(&mut dice, 3);
    let mut lines: Vec<String> = (0..40)
        .map(|id| session_line(&format!("s{id:02}"), &model.session(&mut dice)) + "\n")
        .collect();
    let mut reports = Vec::new();
    for count in [1, 2, 5] {
        // In each part sessions come in the order of their names.
        let mut parts = vec![Vec::new(); count];
        for line in &lines {
            parts[dice.below(count)].push(line.clone());
        }
        parts.iter_mut().for_each(|part| part.sort());
        let parts = parts.iter().map(|part| alphabet_of(part)).collect();
        let report = merged(parts, &mut dice).finish(FinishOptions::default()).expect("a report");
        let mut json = Vec::new();
        report.write(OutputFormat::Sarif, &mut json).expect("memory");
        let members: Vec<Vec<String>> = report
            .groups()
            .iter()
            .map(|it| it.group.members.iter().map(|member| member.session.clone()).collect())
            .collect();
        let edits = report.groups().iter().flat_map(|it| &it.group.members);
        let edits: BTreeMap<&str, u64> = edits.map(|it| (&*it.session, it.distance)).collect();
        let is_sorted =
            |names: &Vec<String>| names.is_sorted_by_key(|it| (edits[&**it], it.clone()));
        assert!(members.iter().all(is_sorted), "{members:?}");
        let groups = report.groups().iter();
        let shown =
            groups.map(|it| (it.fingerprint, it.group.count, it.group.example.session.clone()));
        reports.push((shown.collect::<Vec<_>>(), members));
        lines.reverse();
    }
    assert!(!reports[0].0.is_empty());
    assert!(reports.iter().all(|report| *report == reports[0]), "{reports:?}");
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let folder = folder_of_sessions();
    let one = part(&folder, "1.part", &["--shard", "1/2"]);
    let two = part(&folder, "2.part", &["--shard", "2/2"]);
    let refused = |paths: &[&str], why: &str| {
        let run = multitrace(&[&["merge"], paths].concat());
        assert_eq!(run.code, 2, "{}", run.out);
        assert!(run.err.contains(why), "{}", run.err);
    };
    refused(&[&one], "1 of 2 shards are missing: 2;");
    assert_eq!(multitrace(&["merge", &one, "--allow-missing"]).code, 1);
    // Of two sessions, one shard of five has none: a part may be empty, a report not.
    let few = folder.file("few.jsonl", &format!("{PASSING}\n"));
    let is_empty = |number: &usize| {
        let (shard, path) = (format!("{number}/5"), folder.path(&format!("few{number}.part")));
        let arguments = ["check", &folder.path("ab.hif"), &few, "--shard", &shard];
        let output = ["--output-format", "partial", "--output-file", &path];
        assert_eq!(multitrace(&[&arguments[..], &output].concat()).code, 0, "{shard}");
        let again = folder.path("again.part");
        let output = ["--output-format", "partial", "--output-file", &again];
        multitrace(&[&["merge", &path][..], &output].concat()).code == 0
            && multitrace(&["merge", &path, "--allow-missing"]).code == 3
    };
    assert_eq!((1..=5).filter(is_empty).count(), 4);
    refused(&[&one, &two, &one], "shard 1/2 is there twice");
    let third = part(&folder, "3.part", &["--shard", "1/3"]);
    refused(
        &[&one, &third],
        "the shard is one of 2 by sessions in the parts before it and one of 3",
    );
    let prefix = part(&folder, "p.part", &["--shard", "2/2", "--observe", "prefix"]);
    refused(&[&one, &prefix], "the observation mode is complete in the parts before it and prefix");
    let gate = part(&folder, "g.part", &["--shard", "2/2", "--fail-on", "fail"]);
    refused(&[&one, &gate], "--fail-on is fail,inconclusive in the parts before it and fail in");
    let whole = part(&folder, "w.part", &[]);
    refused(&[&whole, &whole], "it is of a run that is in the parts before it, too");
    let again = part(&folder, "v.part", &["--stats"]);
    refused(&[&whole, &again], "--stats is not asked for in the parts before it");
    let again = part(&folder, "v.part", &[]);
    refused(&[&whole, &again], "in.jsonl is an input of the parts before it, too");
    let input = std::fs::read_to_string(folder.path("in.jsonl")).expect("sessions");
    folder.file("in.jsonl", &input.replacen("\"s0\"", "\"z0\"", 1));
    let changed = part(&folder, "c.part", &["--shard", "2/2"]);
    refused(&[&one, &changed], "in.jsonl has changed between the parts");
    folder.file("in.jsonl", &input);
    let copy = folder.file("more.jsonl", PASSING);
    let more = part(&folder, "m.part", &[&copy, "--shard", "2/2"]);
    refused(&[&one, &more], "the list of inputs is 1 input up to");
    folder.file("ab.hif", "loopS(a -- m -> b)\n// other\n");
    let other = part(&folder, "o.part", &["--shard", "2/2"]);
    refused(&[&one, &other], "the specification is ab.hif (");
    refused(&[&folder.path("in.jsonl")], "line 1: this is not a partial report");
    refused(&[&one, &two, "--max-failures", "3"], "give a rate");
    refused(&[&one, &two, "--min-coverage", "3%"], "the parts have no coverage");
    let bytes = std::fs::read(&one).expect("a part");
    let cut = folder.path("cut.part");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).expect("a file");
    refused(&[&cut], "write the part again with `multitrace check --output-format partial`");
}

#[test]
fn options_that_no_part_can_have_are_refused() {
    let folder = folder_of_sessions();
    let (spec, input) = (folder.path("ab.hif"), folder.path("in.jsonl"));
    for (options, why) in [
        (["--shard", "1/2", "--sample", "3"], "give a rate, as in --sample 1%"),
        (["--output-format", "partial", "--sample", "3"], "give a rate, as in --sample 1%"),
        (
            ["--output-format", "partial", "--max-failures", "3"],
            "give a rate to `multitrace merge`",
        ),
        (["--shard", "3/2", "--color", "auto"], "a shard is its number, from 1 or from 0"),
        (["--shard", "1/2", "--shard-files", "1/2"], "cannot be used with"),
    ] {
        let run = multitrace(&[&["check", &spec, &input][..], &options].concat());
        assert_eq!(run.code, 2, "{options:?}: {}", run.out);
        assert!(run.err.contains(why), "{options:?}: {}", run.err);
    }
}

#[test]
fn an_empty_shard_is_clean() {
    let folder = Folder::new();
    folder.file("in.jsonl", PASSING);
    let (spec, input) = (folder.path("ab.hif"), folder.path("in.jsonl"));
    for shard in ["--shard", "--shard-files"] {
        let codes = |format: &str| {
            let mut codes = ["1/2", "2/2"].map(|number| {
                let output = folder.path("report");
                let options = [shard, number, "--output-format", format, "--output-file", &output];
                multitrace(&[&["check", &spec, &input][..], &options].concat()).code
            });
            codes.sort_unstable();
            codes
        };
        assert_eq!(codes("partial"), [0, 0], "{shard}: merging decides");
        assert_eq!(codes("concise"), [0, 3], "{shard}: nothing else decides");
    }
    folder.file("in.jsonl", "\n");
    let codes =
        ["1/2", "2/2"].map(|number| multitrace(&["check", &spec, &input, "--shard", number]).code);
    assert_eq!(codes, [3, 3]);
    let parts = ["1", "2"].map(|index| {
        let path = folder.path(&format!("{index}.part"));
        multitrace(&[
            "check",
            &spec,
            &input,
            "--shard",
            &format!("{index}/2"),
            "--output-format",
            "partial",
            "--output-file",
            &path,
        ]);
        path
    });
    assert_eq!(multitrace(&["merge", &parts[0], &parts[1]]).code, 3);
}

/// Parts come from other machines.
#[test]
fn changed_parts_never_panic() {
    let run = make(InputKind::Rows, 3, false);
    let part = run.check(SessionFilter::default()).partial().expect("a part");
    let (plain, packed) = (part.to_bytes().expect("few"), part.to_packed().expect("few"));
    let mut dice = Dice::new(5, 5);
    for bytes in [&plain, &packed] {
        for _ in 0..300 {
            let mut changed = bytes.clone();
            match dice.below(3) {
                0 => changed.truncate(dice.below(bytes.len())),
                1 => {
                    let at = dice.below(bytes.len());
                    changed[at] ^= 1 << dice.below(8);
                }
                _ => drop(changed.drain(dice.below(bytes.len() / 2)..bytes.len() / 2)),
            }
            // Some bytes of the header of a packed file have no effect.
            if let Ok(read) = PartialReport::from_bytes(&changed) {
                assert!(read.to_bytes().expect("few") == plain, "another part");
            }
        }
    }
    // Numbers that a hash was made for.
    for _ in 0..500 {
        let text = String::from_utf8(plain.clone()).expect("text");
        let numbers: Vec<(usize, &str)> =
            text.match_indices(|char: char| char.is_ascii_digit()).collect();
        let (at, _) = numbers[dice.below(numbers.len())];
        let number = ["0", "7", "99999999", "18446744073709551615"][dice.below(4)];
        let changed = with_hash(&format!("{}{number}{}", &text[..at], &text[at + 1..]));
        if let Ok(part) = PartialReport::from_bytes(&changed)
            && let Ok(report) = part.finish(FinishOptions::default())
        {
            let _ = outputs(&report);
        }
    }
    // A picture is drawn from the texts of a part, which stay text.
    let plain = String::from_utf8(plain).expect("text");
    let (lane, other) = ("\"lanes\":[\"", "\"lanes\":[\"<script>");
    assert!(plain.contains(lane));
    let part = PartialReport::from_bytes(&with_hash(&plain.replace(lane, other))).expect("a part");
    let report = part.finish(FinishOptions::default()).expect("a report");
    let mut scenes = report.groups().iter().filter_map(|it| it.group.illustration.scene.as_ref());
    let picture = scenes.next().expect("a picture").svg(Words::default(), SvgOptions::default());
    assert!(picture.contains("&lt;script&gt;") && !picture.contains("<script"), "{picture}");
    let nowhere = plain.replace("\"rows\":[{\"event\":0}", "\"rows\":[{\"event\":999}");
    assert_ne!(nowhere, plain);
    let error = PartialReport::from_bytes(&with_hash(&nowhere)).expect_err("no such event");
    assert!(error.to_string().contains("a picture of events that are not there"), "{error}");
    // Its specification is that of its bundle.
    for (key, why) in
        [("specification", "and the bundle in them of"), ("checking", "is not an engine")]
    {
        let (key, other) = (format!("\"{key}\":\""), format!("\"{key}\":\"no "));
        let forged = with_hash(&plain.replacen(&key, &other, 1));
        let part = PartialReport::from_bytes(&forged).expect("a part that adds up");
        let error = part.finish(FinishOptions::default()).expect_err("another run").to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// A header begins with the version, by which it is known.
fn with_version_first(line: &str) -> String {
    const KEY: &str = "\"multitrace-partial\":";
    let Some((before, after)) = line.split_once(KEY) else { return line.to_owned() };
    let (version, after) = after.split_once(',').expect("not the last key");
    format!("{{{KEY}{version},{}{after}", &before[1..])
}

/// Calls `change` for each number in a part, with the keys on its way; numbers of lists have none.
fn each_number(value: &mut Value, way: &str, change: &mut dyn FnMut(&str, &mut Value)) {
    match value {
        Value::Number(_) => change(way, value),
        Value::Array(list) => list.iter_mut().for_each(|it| each_number(it, way, change)),
        Value::Object(object) => {
            object.iter_mut().for_each(|(key, it)| each_number(it, &format!("{way}/{key}"), change))
        }
        _ => {}
    }
}

/// Changes each number of a part by one, up and down, makes its hashes again, and returns those that are believed then.
fn believed(part: &PartialReport, hashed: fn(&str) -> Vec<u8>) -> (BTreeSet<String>, usize) {
    let text = String::from_utf8(part.to_bytes().expect("few")).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let (mut believed, mut changes) = (BTreeSet::new(), 0);
    for (at, line) in lines[..lines.len() - 1].iter().enumerate() {
        let mut value: Value = serde_json::from_str(line).expect("JSON");
        let mut numbers = 0;
        each_number(&mut value, "", &mut |_, _| numbers += 1);
        for (number, more) in (0..numbers).flat_map(|it| [(it, 1), (it, -1)]) {
            let (mut value, mut seen, mut name) = (value.clone(), 0, String::new());
            each_number(&mut value, "", &mut |way, value| {
                if seen == number {
                    let old = value.as_i64().unwrap_or(i64::MAX - 1);
                    (*value, name) = ((old + more).into(), way.to_owned());
                }
                seen += 1;
            });
            let changed = with_version_first(&value.to_string());
            let changed = [&lines[..at], &[&changed], &lines[at + 1..]].concat().join("\n");
            changes += 1;
            if PartialReport::from_bytes(&hashed(&changed)).is_ok() {
                believed.insert(name);
            }
        }
    }
    (believed, changes)
}

/// Numbers that nothing else in a merged part confirms, or that only have bounds: places, indices in shown sessions,
/// times, memory, and counts of items that are not listed one by one.
const FREE: [&str; 67] = [
    "/counts/cut_off",
    "/counts/empty_files",
    "/counts/errors",
    "/counts/events",
    "/counts/not_kept",
    "/counts/not_selected",
    "/counts/only_ends",
    "/counts/only_logs",
    "/counts/reordered",
    "/counts/terms_replaced",
    "/coverage/possible",
    "/coverage/taken",
    "/error/input",
    "/error/places/column",
    "/error/places/line",
    "/input",
    "/kind/distance",
    "/kind/example/explanation/explained",
    "/kind/example/explanation/locations/explained",
    "/kind/example/explanation/locations/log/place/line",
    "/kind/example/explanation/locations/marks/index",
    "/kind/example/finding/fault/consequences",
    "/kind/example/finding/fault/locations",
    "/kind/example/finding/fault/node",
    "/kind/example/finding/fault/under",
    "/kind/example/finding/index",
    "/kind/example/place/line",
    "/kind/example/repair/edits",
    "/kind/example/repair/edits/line",
    "/kind/example/rows/before",
    "/kind/example/rows/index",
    "/kind/example/rows/place/line",
    "/kind/example/scene/events/index",
    "/kind/example/scene/events/lane",
    "/kind/example/scene/length",
    "/kind/example/scene/rows/event",
    "/kind/example/scene/sources",
    "/kind/sessions/at",
    "/kind/sessions/place/line",
    "/named_input",
    "/nanoseconds",
    "/pattern_wins",
    "/peak_bytes",
    "/records/cut_off",
    "/records/dropped",
    "/records/dropped_files",
    "/records/empty_files",
    "/records/events",
    "/records/joined",
    "/records/mapped",
    "/records/not_kept",
    "/records/not_selected",
    "/records/other_pattern",
    "/records/records",
    "/records/repeated_spans",
    "/records/spilled_bytes",
    "/records/unanswered",
    "/records/unasked",
    "/records/unfinished_pages",
    "/records/without_list",
    "/records/without_pattern",
    "/records/without_session",
    "/repairs",
    "/shards/count",
    "/shards/seed",
    "/unmatched",
    "/unmatched/line",
];

#[test]
fn numbers_of_parts_add_up() {
    let mut changes = 0;
    let reject = |kind: InputKind, found: &BTreeSet<String>| {
        // Places have examples of their own.
        let is_free = |it: &&String| FREE.contains(&&*it.replace("/kind/places/", "/kind/"));
        let other: Vec<&String> = found.iter().filter(|it| !is_free(it)).collect();
        assert!(other.is_empty(), "{kind:?} {other:?}");
    };
    for kind in [InputKind::Sessions, InputKind::Text, InputKind::Joined] {
        let run = make(kind, 3, false);
        let shard = |index| {
            let number = ShardNumber::new(index, 2).expect("a shard");
            let filter =
                SessionFilter { shard: Some(Shard::Sessions(number)), ..Default::default() };
            run.check(filter).partial().expect("a part")
        };
        let mut merged = shard(1);
        let (of_one, tried) = believed(&merged, with_end);
        assert_eq!(of_one, BTreeSet::new(), "{kind:?}");
        let (forged, more) = believed(&merged, with_hash);
        reject(kind, &forged);
        changes += tried + more;
        merged.merge(shard(2)).expect("parts of one run");
        PartialReport::from_bytes(&merged.to_bytes().expect("few")).expect("a part");
        let (of_many, more) = believed(&merged, with_end);
        reject(kind, &of_many);
        changes += more;
    }
    assert!(changes > 5_000, "{changes} changes");
}

fn hash(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The same lines with the right hash at the end.
pub(crate) fn with_end(text: &str) -> Vec<u8> {
    let (lines, _) = text.trim_end().rsplit_once('\n').expect("lines");
    let lines = format!("{lines}\n");
    format!("{lines}{{\"end\":\"{}\"}}\n", hash(&lines)).into_bytes()
}

/// The same, of a run that is named after these lines.
fn with_hash(text: &str) -> Vec<u8> {
    let (header, rest) = text.trim_end().split_once('\n').expect("lines");
    let (body, _) = rest.rsplit_once('\n').expect("lines");
    let (before, after) = header.split_once("\"runs\":[").expect("runs");
    let (_, after) = after.split_once(']').expect("runs");
    let header = |run: &str| format!("{before}\"runs\":[{run}]{after}");
    let run = hash(&format!("{}\n{body}\n", header("")));
    with_end(&format!("{}\n{rest}\n", header(&format!("\"{run}\""))))
}

/// Fuzzing of parts begins with one that is read: of another version it would be refused at its first line.
#[test]
fn the_seed_of_fuzzing_is_a_part_of_this_version() {
    let seed =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/reports/partial.jsonl");
    let part = PartialReport::from_bytes(&std::fs::read(seed).expect("a file"));
    part.expect("a part of this version");
}
