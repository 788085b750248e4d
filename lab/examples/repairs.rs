//! The repairs of sessions, one JSON line each, without their edits:
//! `repairs BUNDLE SESSIONS.jsonl`. `scripts/repairs` compares them with those of pm4py.

#![allow(clippy::print_stdout, reason = "its output")]

use multitrace_formats::bundle;
use multitrace_formats::sessions::parse_line;
use multitrace_runtime::{CheckConfig, Checker, Gaps, Monitor};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [bundle, sessions] = arguments.as_slice() else { return Err("two files".into()) };
    let monitor = Monitor::new(bundle::decode(&std::fs::read(bundle)?)?);
    let mut checker = Checker::new(&monitor, CheckConfig::default())?;
    for (index, line) in std::fs::read_to_string(sessions)?.lines().enumerate() {
        let session = parse_line(sessions, index + 1, line, monitor.alphabet())?;
        let repair = checker.repair(&session, Gaps::None).ok_or("no repair")?;
        let (distance, exact) = (repair.distance, repair.exact);
        let fitness = repair.fitness().map_or("null".to_owned(), |fitness| fitness.to_string());
        println!("{{\"distance\":{distance},\"exact\":{exact},\"fitness\":{fitness}}}");
    }
    Ok(())
}
