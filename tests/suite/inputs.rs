//! Forms of inputs: packed, patterns, pipes, folders with links and other files, standard input; the
//! specification from standard input; formats and locations that inputs tell.

use crate::common::folder::{FAILING, Folder, PASSING};
use crate::common::run::{Run, multitrace, multitrace_with_input};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

const JSON: [&str; 2] = ["--output-format", "json-lines"];
const HTF: &str = "{[a] a!m; [b] b?m}";
const MAP: &str = r#"
[event]
session = "session"
lifeline = "at"
direction = { field = "way", emission = "out", reception = "in" }
message = "what"
"#;
/// The session of [`PASSING`].
const EVENTS: &str = r#"{"session":"s","at":"a","way":"out","what":"m"}
{"session":"s","at":"b","way":"in","what":"m"}
"#;

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 1).expect("memory")
}

fn write(folder: &Folder, name: &str, bytes: &[u8]) -> String {
    let path = folder.file(name, "");
    std::fs::write(&path, bytes).expect("a file");
    path
}

/// The sessions of a run, each with its verdict.
fn verdicts(run: &Run) -> Vec<(String, String)> {
    let lines = run.out.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let session = |object: serde_json::Value| {
        let text = |key: &str| object[key].as_str().map(str::to_owned);
        Some((text("session")?, text("verdict")?))
    };
    lines.filter_map(session).collect()
}

fn check(folder: &Folder, inputs: &[&str]) -> Run {
    let spec = folder.path("ab.hif");
    multitrace(&[&["check", &spec], inputs, &JSON].concat())
}

fn check_stdin(folder: &Folder, arguments: &[&str], input: impl AsRef<[u8]>) -> Run {
    let spec = folder.path("ab.hif");
    multitrace_with_input(&[&["check", &spec], arguments, &JSON].concat(), input)
}

fn passes(ids: &[&str]) -> Vec<(String, String)> {
    ids.iter().map(|id| ((*id).to_owned(), "pass".to_owned())).collect()
}

#[test]
fn packed_sessions_are_recognised_by_their_content() {
    let folder = Folder::new();
    let files = [
        ("s.jsonl.gz", gzip(PASSING)),
        ("s.ndjson.zst", zstd(PASSING)),
        ("packed.jsonl", gzip(PASSING)),
        ("packed.log", zstd(PASSING)),
        ("one.htf.gz", gzip(HTF)),
        ("two.htf", zstd(HTF)),
    ];
    let paths: Vec<String> =
        files.iter().map(|(name, bytes)| write(&folder, name, bytes)).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let run = check(&folder, &paths);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(verdicts(&run), passes(&["s", "s", "s", "s", "one", "two"]));
    let cut = write(&folder, "cut.jsonl.gz", &gzip(PASSING)[..30]);
    let run = check(&folder, &[&cut]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("cannot read on"), "{}", run.err);
}

#[test]
fn patterns_in_quotes_are_expanded_for_sessions() {
    let folder = Folder::new();
    folder.file("logs/b.jsonl", PASSING);
    folder.file("logs/a.htf", HTF);
    folder.file("logs/c.other", "no session");
    let run = check(&folder, &[&folder.path("logs/*.[hj]*")]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(verdicts(&run), passes(&["a", "s"]));
    let run = check(&folder, &[&folder.path("logs/*.none")]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("no file is called like that"), "{}", run.err);
}

#[test]
fn standard_input_may_have_any_format() {
    let folder = Folder::new();
    for input in [PASSING.as_bytes().to_vec(), gzip(PASSING), zstd(PASSING)] {
        for name in ["-", "/dev/stdin"] {
            assert_eq!(verdicts(&check_stdin(&folder, &[name], &input)), passes(&["s"]));
        }
    }
    for text in [HTF, "{ [a] a!m; [b] b?m}", "[a] a!m; [b] b?m", "/* a */ [a] a!m; [b] b?m"] {
        let run = check_stdin(&folder, &["-"], text);
        assert_eq!(verdicts(&run), passes(&["standard input"]), "{text}: {}", run.err);
    }
    let run = check_stdin(&folder, &["-"], "time,event\n");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--> standard input:1:"), "{}", run.err);
}

/// Runs a line of the shell, in which `$MT` is the tool.
#[cfg(unix)]
fn shell(folder: &Folder, line: &str) -> Run {
    let output = Command::new("bash")
        .args(["-c", line])
        .env("MT", env!("CARGO_BIN_EXE_multitrace"))
        .env("F", folder.path(""))
        .output()
        .expect("a shell");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let code = output.status.code().expect("no signal");
    Run { code, out: text(output.stdout), err: text(output.stderr) }
}

#[cfg(unix)]
#[test]
fn pipes_are_inputs() {
    let folder = Folder::new();
    folder.file("s.jsonl", PASSING);
    folder.file("one.htf", HTF);
    folder.file("map.toml", MAP);
    folder.file("events.jsonl", EVENTS);
    let options = "--output-format json-lines";
    for (line, expected) in [
        ("$MT check $F/ab.hif <(cat $F/s.jsonl)", "s"),
        ("$MT check $F/ab.hif <(gzip -c $F/s.jsonl)", "s"),
        ("cat $F/s.jsonl | $MT check $F/ab.hif /dev/stdin", "s"),
        ("exec 7<$F/s.jsonl; $MT check $F/ab.hif /dev/fd/7", "s"),
        ("mkfifo $F/p; cat $F/s.jsonl >$F/p & $MT check $F/ab.hif $F/p", "s"),
        ("mkfifo $F/q.htf; cat $F/one.htf >$F/q.htf & $MT check $F/ab.hif $F/q.htf", "q"),
        ("$MT check <(cat $F/ab.hif) $F/s.jsonl", "s"),
        ("$MT check $F/ab.hif --events $F/map.toml <(cat $F/events.jsonl)", "s"),
    ] {
        let run = shell(&folder, &format!("{line} {options}"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{line}: {}", run.out);
        assert_eq!(verdicts(&run), passes(&[expected]), "{line}");
    }
    let run = shell(&folder, "$MT check $F/ab.hif <(cat $F/s.jsonl) --sample 1");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("and a stream can be read once"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_back_is_read_once() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.file("logs/deep/s.jsonl", PASSING);
    folder.file("events/deep/s.jsonl", EVENTS);
    folder.file("map.toml", MAP);
    for top in ["logs", "events"] {
        symlink(folder.path(top), folder.path(&format!("{top}/deep/loop"))).expect("a link");
        symlink(folder.path(&format!("{top}/deep")), folder.path(&format!("{top}/twice")))
            .expect("a link");
    }
    let (logs, events, map) = (folder.path("logs"), folder.path("events"), folder.path("map.toml"));
    for (inputs, top) in [(vec![logs.as_str()], &logs), (vec![&*events, "--events", &map], &events)]
    {
        let run = check(&folder, &inputs);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(verdicts(&run), passes(&["s"]));
        let notes = format!(
            "note: {top}/deep/loop: the same folder as {top}; it is read once\n\
             note: {top}/twice: the same folder as {top}/deep; it is read once\n"
        );
        assert_eq!(run.err, notes);
    }
    let twice = check(&folder, &[&logs, &logs]);
    assert_eq!(verdicts(&twice), passes(&["s", "s"]), "each path that is named is read");
}

#[test]
fn what_lies_beside_logs_is_left_out_with_a_note() {
    let folder = Folder::new();
    let map = folder.file("map.toml", MAP);
    for (top, logs, options) in
        [("logs", PASSING, vec![]), ("events", EVENTS, vec!["--events", map.as_str()])]
    {
        folder.file(&format!("{top}/s.jsonl"), logs);
        let path = folder.path(top);
        let readme = folder.file(&format!("{top}/README.md"), "# Logs\n");
        let inputs = [&[path.as_str()], &*options].concat();
        let run = check(&folder, &inputs);
        assert_eq!(verdicts(&run), passes(&["s"]), "{}", run.err);
        let note =
            format!("note: {path}: 1 file is not a log by its extension, and left out: {readme}\n");
        assert_eq!((run.code, run.err), (0, note));
        for name in ["map.toml", "a.hif", "b.MTB", "c.timbuk", "d.hsf"] {
            folder.file(&format!("{top}/{name}"), "");
        }
        let run = check(&folder, &inputs);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.err.contains("6 files are not logs by their extensions"), "{}", run.err);
        let named = [&[readme.as_str()], &*options].concat();
        assert_eq!(check(&folder, &named).code, 2, "named files are read");
    }
    let other = folder.file("logs/picture.bin", "\u{1}\u{2}");
    let run = check(&folder, &[&folder.path("logs")]);
    let error = format!(
        "error: {other}: neither .htf nor JSON Lines, and not excluded; leave it out by --exclude NAME, or name the \
         format by --input-format; event logs take --events MAP.toml\n"
    );
    assert!(run.code == 2 && run.err.starts_with(&error), "{}", run.err);
    for exclude in ["*.bin", "picture.*"] {
        let run = check(&folder, &[&folder.path("logs"), "--exclude", exclude]);
        assert!(
            run.code == 0 && run.err.contains("1 file or folder is excluded by --exclude"),
            "{}",
            run.err
        );
    }
}

/// Files and folders that hold nothing are read, and reported.
#[test]
fn empty_files_and_folders_are_told() {
    let folder = Folder::new();
    let full = folder.file("logs/s.jsonl", PASSING);
    let empty = folder.file("logs/t.jsonl", "");
    std::fs::create_dir(folder.path("none")).expect("a folder");
    let told = |inputs: &[&str], note: String| {
        let run = check(&folder, inputs);
        assert!(run.code == 0 && run.err.contains(&note), "{} {}", run.code, run.err);
    };
    let logs = folder.path("logs");
    told(&[&logs], format!("note: {logs}: 1 file is empty: {empty}"));
    let node = folder.path("logs/node-2");
    std::fs::create_dir(&node).expect("a folder");
    told(&[&logs], format!("note: {logs}: 1 folder is empty: {node}"));
    told(&[&full, &empty], format!("note: {empty}: the file is empty"));
    let none = folder.path("none");
    told(&[&full, &none], format!("note: {none}: the folder holds no log"));
}

#[test]
fn what_another_run_has_not_finished_is_left_out_with_a_note() {
    let folder = Folder::new();
    folder.file("logs/s.jsonl", PASSING);
    let unfinished = folder.file("logs/.multitrace-0a1b2c3d-aB3dE6", "{\"session\":");
    for logs in [folder.path("logs"), folder.path("logs/*")] {
        let run = check(&folder, &[&logs]);
        assert_eq!(verdicts(&run), passes(&["s"]), "{}", run.err);
        let note = format!(
            "note: {logs}: 1 file is an unfinished output of a run, and left out: {unfinished}\n"
        );
        assert_eq!((run.code, run.err), (0, note));
    }
    folder.file("logs/.multitrace-0a1b2c3d-folder/t.jsonl", FAILING);
    let run = check(&folder, &[&folder.path("logs")]);
    assert_eq!(verdicts(&run), passes(&["s"]), "{}", run.err);
    assert!(run.err.contains("2 files are unfinished outputs of runs"), "{}", run.err);
    assert_eq!(check(&folder, &[&unfinished]).code, 2, "named files are read");
}

#[test]
fn a_file_without_a_telling_extension_is_recognised_by_its_content() {
    let folder = Folder::new();
    let lines = folder.file("gate.log", PASSING);
    let htf = folder.file("trace", HTF);
    let run = check(&folder, &[&lines, &htf]);
    assert_eq!(verdicts(&run), passes(&["s", "trace"]), "{}", run.err);
    let table = folder.file("table.csv", "time,event\n");
    let run = check(&folder, &[&table]);
    assert_eq!(run.code, 2);
    for remedy in ["known are .htf and .jsonl", "--input-format", "--events MAP.toml"] {
        assert!(run.err.contains(remedy), "{}", run.err);
    }
}

#[test]
fn the_specification_may_come_from_standard_input() {
    let folder = Folder::new();
    let sessions = folder.file("s.jsonl", PASSING);
    let hif = folder.read("ab.hif");
    let bundle = folder.path("ab.mtb");
    assert_eq!(multitrace(&["compile", &folder.path("ab.hif")]).code, 0);
    let bundle = std::fs::read(bundle).expect("a bundle");
    let timbuk = "Ops a!m:1 b?m:1 e:0\nAutomaton A\nStates q r\nFinal States q\nTransitions\n";
    let timbuk = format!("{timbuk}e -> q\na!m(q) -> r\nb?m(r) -> q\n");
    let locations = ["--locations", "a=a!m;b=b?m"];
    for (spec, options) in
        [(hif.clone().into_bytes(), &[][..]), (bundle, &[]), (timbuk.into_bytes(), &locations)]
    {
        let check = [&["check", "-", &sessions, JSON[0], JSON[1]], options].concat();
        let run = multitrace_with_input(&check, &spec);
        assert_eq!(verdicts(&run), passes(&["s"]), "{}", run.err);
        let explain = [&["explain", "-", &sessions, "--session", "s"], options].concat();
        assert_eq!(multitrace_with_input(&explain, &spec).code, 0);
    }
    let generate = ["generate", "-", "--kind", "accepted", "-n", "3"];
    assert_eq!(multitrace_with_input(&generate, &hif).out.lines().count(), 3);
    let run = multitrace_with_input(&["compile", "-"], &hif);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("name one with -o OUT.mtb"), "{}", run.err);
    let out = folder.path("out.mtb");
    assert_eq!(multitrace_with_input(&["compile", "-", "-o", &out], &hif).code, 0);
    assert_eq!(multitrace(&["inspect", &out]).code, 0);
    let run = multitrace_with_input(&["check", "-", &sessions], "loopS(a -- m ->");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--> standard input:1:"), "{}", run.err);
    let run = multitrace_with_input(&["check", "-", "-"], &hif);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("cannot be both the specification and an input"), "{}", run.err);
    // A session of a run whose specification is gone cannot be explained by a command.
    let failing = folder.file("t.jsonl", FAILING);
    let run = multitrace_with_input(&["check", "-", &failing], &hif);
    assert!(run.code == 1 && !run.out.contains("--session"), "{}", run.out);
}

#[cfg(target_os = "linux")]
#[test]
fn inputs_without_end_are_errors_at_once() {
    let folder = Folder::new();
    let (spec, sessions) = (folder.path("ab.hif"), folder.file("s.jsonl", PASSING));
    let zero = "/dev/zero";
    let begin = Instant::now();
    for arguments in [
        vec!["check", zero, &sessions],
        vec!["check", &spec, zero],
        vec!["check", &spec, zero, "--input-format", "htf"],
        vec!["check", &spec, zero, "--input-format", "json-lines"],
        vec!["check", &spec, &sessions, "--events", zero],
        vec!["check", &spec, &sessions, "--only-sessions", zero],
        vec!["check", &spec, &sessions, "--baseline", zero],
        vec!["check", &spec, &sessions, "--signature", zero],
        vec!["compile", zero, "-o", "/dev/null"],
        vec!["inspect", zero],
    ] {
        let run = multitrace(&arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert!(run.err.contains("/dev/zero: not a text"), "{arguments:?}: {}", run.err);
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    let large = folder.path("large.hif");
    let file = std::fs::File::create(&large).expect("a file");
    file.set_len((1 << 30) + 1).expect("a file that is sparse");
    let run = multitrace(&["check", &large, &sessions]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("larger than 1 GiB"), "{}", run.err);
}

#[test]
fn swapped_operands_are_named() {
    let folder = Folder::new();
    let (spec, sessions) = (folder.path("ab.hif"), folder.file("s.jsonl", PASSING));
    for command in [vec!["check"], vec!["explain", "--session", "s"]] {
        let run = multitrace(&[&command[..], &[&sessions, &spec]].concat());
        assert_eq!(run.code, 2);
        let remedy =
            format!("the specification comes first, and then the inputs: {spec} {sessions}");
        assert!(run.err.contains(&remedy), "{}", run.err);
    }
}

#[test]
fn headers_of_htf_files_say_the_locations_of_a_specification() {
    let folder = Folder::new();
    let spec = folder.file("abc.hif", "seq(a -- m -> b, b -- n -> c)");
    let one = folder.file("one.htf", "{[a,b] a!m.b?m.b!n; [c] c?n}");
    let two = folder.file("two.htf", "{[c] c?n; [b,a] a!m.b?m.b!n}");
    let run = multitrace(&["check", &spec, &one, &two, JSON[0], JSON[1]]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(verdicts(&run), passes(&["one", "two"]));
    assert_eq!(multitrace(&["explain", &spec, &one, "--session", "one"]).code, 0);
    let all = folder.file("all.htf", "{[#all] a!m.b!n.b?m.c?n}");
    let run = multitrace(&["check", &spec, &all, JSON[0], JSON[1]]);
    assert_eq!(run.code, 1, "in one log the order is seen: {}", run.err);
    // The option wins, and a bundle has its locations already.
    let run = multitrace(&["check", &spec, &one, "--locations", "a;b;c"]);
    assert!(run.code == 2 && run.err.contains("one.htf:1:2"), "{}", run.err);
    assert_eq!(multitrace(&["compile", &spec]).code, 0);
    assert_eq!(multitrace(&["check", &folder.path("abc.mtb"), &one]).code, 2);
}

#[test]
fn htf_files_that_disagree_on_locations_are_an_error_with_both_places() {
    let folder = Folder::new();
    let spec = folder.file("abc.hif", "seq(a -- m -> b, b -- n -> c)");
    let one = folder.file("one.htf", "{[a,b] a!m.b?m.b!n; [c] c?n}");
    for (name, text, column, lifeline) in [
        ("apart.htf", "{[a] a!m; [b] b?m.b!n; [c] c?n}", 2, "a"),
        ("other.htf", "{[a] a!m; [b,c] b?m.b!n.c?n}", 2, "a"),
        ("all.htf", "[#all] a!m.b?m.b!n.c?n", 1, "a"),
    ] {
        let other = folder.file(name, text);
        let run = multitrace(&["check", &spec, &one, &other]);
        assert_eq!(run.code, 2, "{name}");
        let message =
            format!("{one}:1:2 and {other}:1:{column} disagree on the location of {lifeline}");
        assert!(run.err.contains(&message), "{}", run.err);
        assert!(run.err.contains("--locations"), "{}", run.err);
    }
}

#[test]
fn the_format_of_inputs_can_be_named() {
    let folder = Folder::new();
    let (map, odd) = (folder.file("map.toml", MAP), folder.file("odd.csv", PASSING));
    let run = check(&folder, &[&odd, "--input-format", "json-lines"]);
    assert_eq!(verdicts(&run), passes(&["s"]), "{}", run.err);
    let trace = folder.file("trace.jsonl", HTF);
    let run = check(&folder, &[&trace, "--input-format", "htf"]);
    assert_eq!(verdicts(&run), passes(&["trace"]), "{}", run.err);
    let explain = ["explain", &folder.path("ab.hif"), &trace, "--input-format", "htf"];
    let run = multitrace(&[&explain[..], &["--session", "trace"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    // For event logs it wins over the mapping.
    let csv_map = folder.file("csv.toml", &format!("[input]\nformat = \"csv\"\n{MAP}"));
    let events = folder.file("events", EVENTS);
    let run = check(&folder, &[&events, "--events", &csv_map]);
    assert_ne!(run.code, 0, "{}", run.out);
    let run = check(&folder, &[&events, "--events", &csv_map, "--input-format", "json-lines"]);
    assert_eq!(verdicts(&run), passes(&["s"]), "{}", run.err);
    let run = check(&folder, &[&odd, "--input-format", "csv"]);
    assert!(run.code == 2 && run.err.contains("add --events MAP.toml"), "{}", run.err);
    let run = check(&folder, &[&events, "--events", &map, "--input-format", "htf"]);
    assert!(run.code == 2 && run.err.contains("is a format of sessions"), "{}", run.err);
    let run = check(&folder, &[&odd, "--input-format", "word"]);
    assert!(
        run.code == 2 && run.err.contains("[possible values: json-lines, htf, "),
        "{}",
        run.err
    );
}

#[test]
fn standard_input_can_have_a_name() {
    let folder = Folder::new();
    let run = check_stdin(&folder, &["-", "--stdin-filename", "logs/gate.htf"], HTF);
    assert_eq!(verdicts(&run), passes(&["gate"]), "{}", run.err);
    let run = check_stdin(&folder, &["-", "--stdin-filename", "gate.jsonl"], FAILING);
    assert!(run.out.contains(r#""file":"gate.jsonl","line":1"#), "{}", run.out);
    let run = check_stdin(&folder, &["-", "--stdin-filename", "gate.jsonl"], "{\"session\":1");
    assert!(run.err.contains("--> gate.jsonl:1:"), "{}", run.err);
    let map = folder.file("map.toml", MAP);
    let csv = "session,at,way,what\ns,a,out,m\ns,b,in,m\ns,b,in,m\n";
    let arguments = ["-", "--events", &map, "--stdin-filename", "events.csv"];
    let run = check_stdin(&folder, &arguments, csv);
    assert!(run.out.contains(r#""file":"events.csv""#), "{}{}", run.out, run.err);
    let spec = folder.path("ab.hif");
    let explain = ["explain", &spec, "-", "--stdin-filename", "x.jsonl", "--session", "s"];
    assert_eq!(multitrace_with_input(&explain, PASSING).code, 0);
}

#[test]
fn problems_beyond_those_that_are_listed_are_counted_by_kind() {
    let folder = Folder::new();
    let wrong = |number: usize| match number % 10 {
        0 => format!("{{\"id\":\"s{number}\",\"logs\":7}}\n"),
        _ => format!("{{\"id\":\"s{number}\",\"traces\":{{\"nobody{number}\":[]}}}} {number}\n"),
    };
    let file = folder.file("s.jsonl", &(0..130).map(wrong).collect::<String>());
    let run = check(&folder, &[&file]);
    assert_eq!(run.code, 2, "{}", run.err);
    let told = "130 parts of the input could not be checked; by kind: 117 times: not JSON: trailing characters; 13 times: the \
                line has no `…`";
    assert!(run.err.contains(told), "{}", run.err);
    let spec = folder.path("ab.hif");
    for format in ["human", "json", "junit", "sarif", "html", "github"] {
        let run = multitrace(&["check", &spec, &file, "--output-format", format]);
        assert!(run.out.contains("117 times: not JSON"), "{format}: {}", run.out);
        // The first twenty are shown to people. Two of these have two places.
        assert_eq!(run.err.matches(" --> ").count(), 22, "{format}: {}", run.err);
    }
    // The first hundred are listed for programs. Ten of these have two places.
    let json = multitrace(&["check", &spec, &file, "--output-format", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["errors"].as_array().map(Vec::len), Some(110));
    let concise = multitrace(&["check", &spec, &file, "--output-format", "concise"]);
    assert_eq!(concise.out.matches("s.jsonl:").count(), 110, "{}", concise.out);
    // Parts count them, too.
    let part = folder.path("all.part");
    multitrace(&["check", &spec, &file, "--output-format", "partial", "--output-file", &part]);
    let merged = multitrace(&["merge", &part, "--output-format", "human"]);
    assert!(merged.out.contains(told), "{}", merged.out);
}
