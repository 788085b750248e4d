//! Where the instructions of a run go, by a simulator that counts them: the costs that keep aims from being met.

use crate::corpus;
use crate::sessions::write_file;
use crate::table::Table;
use crate::timing::Effort;
use crate::tool::tool_under;
use crate::workload::{self, CORRUPTED, Variants};
use multitrace_formats::bundle;
use std::path::Path;
use std::process::Command;

/// The argument of the suite to do nothing but check the corpus, this many times.
pub const REPEAT: &str = "--repeat-corpus";

/// Parts of the work, by texts in the names of their functions; the first that fits counts. An inlined function counts
/// where it ended up.
const PARTS: [(&str, &[&str]); 7] = [
    ("starting the process", &["_dl_", "do_lookup_x", "check_match", "strcmp", "rtld"]),
    ("reading lines", &["_formats::", "inputs::", "memchr", "from_utf8", "content_cache"]),
    ("explaining failures", &["runtime::cause", "describe", "fmt::", "String"]),
    ("deciding", &["multitrace_runtime::"]),
    ("groups and reports", &["ser::", "_reports::", "groups", "sha2", "worker::", "outputs::"]),
    ("memory", &["malloc", "free", "calloc", "realloc", "memcpy", "memmove", "memset", "raw_vec"]),
    ("all else", &[""]),
];

/// Functions with their share of the instructions.
type Profile = Vec<(String, f64)>;

pub fn run(effort: Effort) -> Vec<Table> {
    let folder = tempfile::tempdir().expect("a folder");
    let (sessions, repeats) = if effort.rounds > 1 { (20_000, 200) } else { (200, 1) };
    let profiles = [
        ("whole run", whole_run(folder.path(), sessions)),
        ("checks of the corpus", checks_of_the_corpus(folder.path(), repeats)),
    ];
    let mut table = Table::new(
        "Where the instructions go",
        "Shares of the instructions of `multitrace check` on one thread, many variants, JSON Lines to \
         the same; and of checks alone, complete mode, on the sessions of i4 of paper 003's corpus, with \
         the function that has most of each.",
        &["", "part", "share", "most of it in"],
    );
    for (name, profile) in profiles {
        let Some(profile) = profile else { continue };
        for (part, share, function) in by_part(&profile) {
            table.row([name.to_owned(), part.to_owned(), format!("{share:.0} %"), function]);
        }
    }
    if table.rows.is_empty() { Vec::new() } else { vec![table] }
}

fn whole_run(folder: &Path, sessions: u64) -> Option<Profile> {
    let (bundle_path, path) = (folder.join("bench.mtb"), folder.join("sessions.jsonl"));
    let bytes = bundle::encode(&workload::compile(&workload::interaction()));
    std::fs::write(&bundle_path, bytes).expect("room for the bundle");
    write_file(&path, sessions, Variants::Many, CORRUPTED);
    let mut command = tool_under(under_callgrind(folder));
    command.arg("check").args([&bundle_path, &path]);
    profile(command.args(["--output-format", "json-lines", "--jobs", "1"]), folder)
}

fn checks_of_the_corpus(folder: &Path, repeats: u32) -> Option<Profile> {
    corpus::corpus()?;
    let this = std::env::current_exe().expect("this program has a path");
    let mut command = under_callgrind(folder);
    profile(command.arg(this).args([REPEAT, &repeats.to_string()]), folder)
}

fn under_callgrind(folder: &Path) -> Command {
    let mut command = Command::new("valgrind");
    let out = format!("--callgrind-out-file={}", folder.join("callgrind").display());
    command.args(["--tool=callgrind", &out]);
    command
}

/// The functions that a command spends its instructions on; `None` where there is no simulator.
fn profile(command: &mut Command, folder: &Path) -> Option<Profile> {
    command.output().ok().filter(|output| output.status.code().is_some_and(|code| code < 2))?;
    let annotated = Command::new("callgrind_annotate").arg(folder.join("callgrind")).output();
    let Ok(annotated) = annotated else {
        eprintln!("skipped: no callgrind_annotate here");
        return None;
    };
    let text = String::from_utf8_lossy(&annotated.stdout).into_owned();
    let profile: Profile = text.lines().filter_map(function).collect();
    (!profile.is_empty()).then_some(profile)
}

/// `12,345 ( 6.78%)  file:function [object]`
fn function(line: &str) -> Option<(String, f64)> {
    let (count, rest) = line.trim_start().split_once(" (")?;
    let is_count = count.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    let (share, place) = rest.split_once("%)")?;
    let (_, name) = place.split_once(':')?;
    let name = name.split(" [").next().unwrap_or(name);
    let share = share.trim().parse().ok()?;
    is_count.then(|| (name.to_owned(), share))
}

/// The parts with their shares, and the greatest function of each.
fn by_part(profile: &Profile) -> Vec<(&'static str, f64, String)> {
    let part_of = |name: &str| {
        let fits = |(_, words): &(&str, &[&str])| words.iter().any(|word| name.contains(word));
        PARTS.iter().position(fits).unwrap_or(PARTS.len() - 1)
    };
    let parts = PARTS.iter().enumerate().map(|(index, (part, _))| {
        let own = || profile.iter().filter(|(name, _)| part_of(name) == index);
        let share: f64 = own().map(|(_, share)| share).sum();
        let most = own().max_by(|a, b| a.1.total_cmp(&b.1));
        let most = most.map(|(name, share)| format!("`{}`, {share:.0} %", short(name)));
        (*part, share, most.unwrap_or_default())
    });
    parts.filter(|(_, share, _)| *share >= 0.5).collect()
}

/// The last two names of a path, without generic arguments.
fn short(name: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::new();
    for c in name.replace("->", "").chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let plain = plain.replace("::::", "::").replace("::{{closure}}", "");
    let names: Vec<&str> = plain.split("::").filter(|name| !name.is_empty()).collect();
    names[names.len().saturating_sub(2)..].join("::")
}
