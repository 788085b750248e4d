//! The benchmark suite: every measurement has an expected answer, and a wrong one ends the run.
//!
//! `scripts/bench` runs it: `[--smoke] [GROUP…]`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the tables are the point")]
#![allow(unreachable_pub, reason = "modules of one binary")]

mod baseline;
mod blame;
mod comparing;
mod corpus;
mod events;
mod growth;
mod instructions;
mod kernels;
mod large_learning;
mod learning;
mod multitraces;
mod profile;
mod real_logs;
mod repairs;
mod sessions;
mod spans;
mod stages;
mod table;
mod table1;
mod timing;
mod tool;
mod workload;

use std::process::ExitCode;
use table::Table;
use timing::Effort;

/// A group of measurements: its name, and the function that makes its tables.
type BenchGroup = (&'static str, fn(Effort) -> Vec<Table>);

const GROUPS: &[BenchGroup] = &[
    ("kernels", kernels::run),
    ("table1", table1::tables),
    ("corpus", corpus::run),
    ("sessions", sessions::run),
    ("repairs", repairs::run),
    ("blame", blame::run),
    ("events", events::run),
    ("growth", growth::run),
    ("stages", stages::run),
    ("learn", learning::run),
    ("compare", comparing::run),
    ("instructions", instructions::run),
    ("profile", profile::run),
];

fn main() -> ExitCode {
    if let Some(code) = tool::run_as_tool() {
        return code;
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, repeats] = args.as_slice()
        && flag == profile::REPEAT
    {
        corpus::repeat(repeats.parse().expect("a number"));
        return ExitCode::SUCCESS;
    }
    let smoke = args.iter().any(|arg| arg == "--smoke");
    let named: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    if let Some(unknown) = named.iter().find(|name| GROUPS.iter().all(|(group, _)| group != **name))
    {
        let known: Vec<_> = GROUPS.iter().map(|(name, _)| *name).collect();
        eprintln!("no group {unknown}; known are {}", known.join(", "));
        return ExitCode::from(2);
    }
    let effort = if smoke { Effort::SMOKE } else { Effort::FULL };
    for (name, run) in GROUPS {
        if named.is_empty() || named.contains(&&(*name).to_owned()) {
            eprintln!("{name} …");
            for table in run(effort) {
                println!("{}", table.render());
            }
        }
    }
    ExitCode::SUCCESS
}
