//! Learning from the real logs of the corpus, as users run it. Nobody knows what else the systems may do, so there is no
//! precision: a specification of few arrows may be one that accepts anything.

use crate::corpus::corpus;
use crate::table::{Table, percent, seconds};
use crate::tool::tool;
use multitrace_interaction::generate::Dice;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Their names, their files below the corpus' events, and their mappings.
const LOGS: [(&str, &str, &str); 3] = [
    ("OpenStack", "openstack/OpenStack_2k.log", "examples/openstack/boot.toml"),
    ("shop of Nezha", "nezha/online-boutique-17_00.csv", "examples/shop/shop.toml"),
    ("TLS handshakes", "tls", "examples/tls/tls.toml"),
];

/// A row for each log; none without the corpus.
pub fn table() -> Option<Table> {
    let corpus = corpus()?;
    let mut table = Table::new(
        "Learning: real logs",
        "`multitrace learn --all` on one half of the sessions of real logs; fit: of that half, those that pass; held out: of the other.",
        &["log", "sessions", "fit", "held out", "arrows", "seconds"],
    );
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    for (name, log, mapping) in LOGS {
        let log = corpus.join("events").join(log);
        if !log.exists() {
            eprintln!("skipped: no {}", log.display());
            continue;
        }
        let mut row = vec![name.to_owned()];
        row.extend(halved(&log, &root.join(mapping)));
        table.row(row);
    }
    Some(table)
}

/// The numbers of one log.
fn halved(log: &Path, mapping: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let log: Vec<String> = files(log).iter().map(|it| it.display().to_string()).collect();
    let mut arguments = vec!["sessions"];
    arguments.extend(log.iter().map(String::as_str));
    let mapping = mapping.display().to_string();
    arguments.extend(["--events", &mapping]);
    let sessions = said(&arguments);
    let mut lines: Vec<&str> = sessions.lines().collect();
    Dice::new(0, 9).shuffle(&mut lines);
    let (train, test) = lines.split_at(lines.len() / 2);
    let halves = [("train.jsonl", train), ("test.jsonl", test)].map(|(name, lines)| {
        let path = file(name);
        std::fs::write(&path, lines.join("\n") + "\n").expect("room for the file");
        (path, lines.len())
    });
    let spec = file("learnt.hif");
    let begin = Instant::now();
    said(&["learn", &halves[0].0, "--all", "-o", &spec]);
    let time = begin.elapsed();
    let text = std::fs::read_to_string(&spec).expect("the specification");
    let [fit, held_out] = halves.each_ref().map(|(path, count)| {
        let answer = said(&["check", &spec, path, "--output-format", "json", "--exit-zero"]);
        let json: serde_json::Value = serde_json::from_str(&answer).expect("a report");
        let passing = json["summary"]["pass"].as_u64().expect("a number of sessions");
        percent(passing as f64 / (*count).max(1) as f64)
    });
    let arrows = text.matches("->").count();
    let count = halves[0].1;
    vec![count.to_string(), fit, held_out, arrows.to_string(), seconds(time.as_secs_f64())]
}

/// A log, or those in a folder, by their names.
fn files(log: &Path) -> Vec<PathBuf> {
    if log.is_file() {
        return vec![log.to_owned()];
    }
    let found = std::fs::read_dir(log).expect("a folder").map(|it| it.expect("an entry").path());
    let mut found: Vec<PathBuf> =
        found.filter(|it| it.extension().is_some_and(|it| it == "jsonl")).collect();
    found.sort();
    found
}

/// The standard output of the tool, which must end well.
fn said(arguments: &[&str]) -> String {
    let output = tool().args(arguments).output().expect("the tool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("a text")
}
