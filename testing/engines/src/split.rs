//! Runs split into shards and merged again: the report is that of the whole run, and both count the sessions that the
//! definitions accept.

use crate::agreement::{Case, session};
use crate::disagreement::Disagreement;
use crate::ways;
use multitrace::{
    Detail, Inputs, Monitor, OutputFormat, PartialReport, Report, RunOptions, SessionFilter, Shard,
};
use multitrace_compiler::Config;
use multitrace_formats::bundle::encode;
use multitrace_formats::selection::ShardNumber;
use multitrace_formats::sessions::print_json_line;
use multitrace_interaction::Session;
use multitrace_testing::denotations::{language, project, signature};
use std::io::Cursor;
use std::num::NonZeroUsize;

/// Accepted sessions of a run have at most this many actions.
const MOST: usize = 3;
/// How many of them a run has at most, besides the session of the case.
const MOST_SESSIONS: usize = 8;

/// A part as text, without fields that differ from run to run and without the numbers of shards.
///
/// # Panics
/// When the part has too many kinds of findings.
pub fn normal(part: &PartialReport) -> String {
    let bytes = part.to_bytes().expect("few kinds");
    let text = String::from_utf8(bytes).expect("text");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut header: serde_json::Value = serde_json::from_str(&lines[0]).expect("JSON");
    let fields = header.as_object_mut().expect("an object");
    for name in ["nanoseconds", "peak_bytes", "shards", "shard_numbers", "runs"] {
        fields.remove(name);
    }
    // Only shards need the same inputs.
    header["settings"].as_object_mut().expect("settings").remove("inputs");
    lines[0] = header.to_string();
    lines.pop();
    lines.join("\n")
}

/// Checks the session of a case among accepted ones: as a whole, and in this many shards that are merged.
///
/// # Errors
/// Compares a whole run with one that is split into shards and merged.
pub fn compare(case: &Case, shards: u32) -> Result<(), Disagreement> {
    let compiled =
        ways::compile(&signature(), &case.interaction, &case.locations, &Config::default());
    let monitor =
        Monitor::from_bytes(&encode(&compiled.bundle)).map_err(|error| error.to_string())?;
    let (lines, accepted) = lines(case, &monitor);
    let whole = run(&monitor, &lines, None);
    if whole.summary().pass != accepted {
        return Err(
            format!("{} of {accepted} sessions pass:\n{lines}", whole.summary().pass).into()
        );
    }
    let mut parts = (1..=shards).filter_map(|index| ShardNumber::new(index, shards));
    let Some(first) = parts.next() else { return Ok(()) };
    let mut merged = part(&run(&monitor, &lines, Some(first)));
    for number in parts {
        merged
            .merge(part(&run(&monitor, &lines, Some(number))))
            .map_err(|error| error.to_string())?;
    }
    let (whole, merged) = (normal(&part(&whole)), normal(&merged));
    if whole == merged {
        Ok(())
    } else {
        Err(format!("{lines}\n{whole}\nmerged:\n{merged}").into())
    }
}

/// Sessions as lines, and how many of them the definitions accept.
pub(crate) fn lines(case: &Case, monitor: &Monitor) -> (String, u64) {
    let trace = case.trace();
    let accepts = |trace: &Vec<Vec<_>>| {
        let events = trace.iter().map(Vec::len).sum();
        project(&language(&case.interaction, events), &case.locations).contains(trace)
    };
    let words = project(&language(&case.interaction, MOST), &case.locations);
    let traces: Vec<_> = words.into_iter().take(MOST_SESSIONS).chain([trace]).collect();
    let accepted = traces.iter().filter(|trace| accepts(trace)).count();
    let line = |(number, trace)| {
        let session = session(trace, monitor.alphabet(), &signature());
        let session = Session { id: format!("s{number}"), ..session };
        print_json_line(&session, monitor.alphabet()) + "\n"
    };
    (traces.iter().enumerate().map(line).collect(), accepted as u64)
}

fn run(monitor: &Monitor, lines: &str, shard: Option<ShardNumber>) -> Report {
    let options = RunOptions {
        filter: SessionFilter { shard: shard.map(Shard::Sessions), ..SessionFilter::default() },
        detail: Detail::of([OutputFormat::Partial]),
        threads: NonZeroUsize::new(1),
        ..RunOptions::new(monitor)
    };
    let inputs = Inputs::reader("f.jsonl", Cursor::new(lines.to_owned()));
    monitor.run(inputs, options, &mut ()).expect("sessions in memory can be read")
}

fn part(report: &Report) -> PartialReport {
    report.partial().expect("asked for, with few kinds")
}
