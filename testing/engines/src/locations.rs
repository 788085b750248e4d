//! Logs that are judged where they are and combined: the rows are those of a check of all logs.

use crate::agreement::Case;
use crate::disagreement::Disagreement;
use crate::split::lines;
use crate::ways;
use multitrace::{
    Detail, Error, Inputs, LocalMonitor, LocalOptions, Monitor, RunObserver, RunOptions,
};
use multitrace_compiler::Config;
use multitrace_formats::bundle::encode;
use multitrace_interaction::Observation;
use multitrace_testing::denotations::signature;
use serde_json::{Value, json};
use std::io::Cursor;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// Checks the session of a case among accepted ones and some with events nobody knows: all logs at once, and each location
/// alone, combined. The specification is compiled as a configuration says, for an observation mode.
///
/// # Errors
/// When the two differ, or the verdicts without letters are others.
pub fn compare(case: &Case, config: &Config, observation: Observation) -> Result<(), Disagreement> {
    let config = Config { observation, ..*config };
    let compiled = ways::compile(&signature(), &case.interaction, &case.locations, &config);
    let monitor =
        Monitor::from_bytes(&encode(&compiled.bundle)).map_err(|error| error.to_string())?;
    let text = with_unknown(lines(case, &monitor).0, &monitor);
    let differ = |error: Error| Disagreement::from(format!("{text}\n{error}"));
    let checked = rows(&monitor, Inputs::reader("f.jsonl", Cursor::new(text.clone())))?;
    for verdicts_only in [false, true] {
        let inputs = combined(&monitor, &text, verdicts_only).map_err(differ)?;
        let found = rows(&monitor, inputs)?;
        let shown = |row: &Value| if verdicts_only { verdict(row) } else { row.clone() };
        let differs = |(a, b): &(&Value, &Value)| shown(a) != shown(b);
        if checked.len() != found.len() {
            return Err(format!("{} rows of {}:\n{text}", found.len(), checked.len()).into());
        }
        if let Some((all, parts)) = checked.iter().zip(&found).find(differs) {
            return Err(format!("{text}\ncheck: {all}\ncombine: {parts}").into());
        }
    }
    Ok(())
}

/// The same lines, and some with events and locations that the specification does not have.
fn with_unknown(lines: String, monitor: &Monitor) -> String {
    let alphabet = monitor.alphabet();
    let location = alphabet.locations().next().map_or("", |it| alphabet.location_name(it));
    let lifeline = location.split(',').next().unwrap_or_default();
    format!(
        r#"{lines}{{"session":"unknown","traces":{{"{location}":["{lifeline}!unknown","{lifeline}!m0"]}}}}
{{"session":"elsewhere","traces":{{"{location}":["{lifeline}?m1"],"elsewhere":["elsewhere!m0"]}}}}
{{"session":"lost","gaps":"locations","traces":{{"{location}":["{lifeline}!m0"]}}}}
{{"session":"cut","gaps":"ends","traces":{{"{location}":["{lifeline}!m0"]}}}}
{{"session":"holes","gaps":"events","traces":{{"{location}":["{lifeline}!m0"]}}}}
{{"session":"nothing","traces":{{}}}}
"#
    )
}

/// The inputs that locations give together: their parts, then the letters that are asked for.
fn combined(monitor: &Monitor, text: &str, verdicts_only: bool) -> Result<Inputs, Error> {
    let log = || Inputs::reader("f.jsonl", Cursor::new(text.to_owned()));
    let threads = |count| LocalOptions { threads: NonZeroUsize::new(count), ..Default::default() };
    let (mut files, mut locals) = (Vec::new(), Vec::new());
    for (name, bundle) in monitor.split() {
        let local = LocalMonitor::from_bytes(&bundle)?;
        let part = local.part(log(), &threads(1))?.bytes.expect("sessions that can be read");
        assert_eq!(Some(&part), local.part(log(), &threads(3))?.bytes.as_ref());
        files.push((name.clone(), part));
        locals.push((name, local));
    }
    let first = monitor.combine(&files, verdicts_only)?;
    for (name, request) in first.requests() {
        let local = locals.iter().find(|it| it.0 == *name).map(|it| &it.1).expect("a location");
        let letters = local.answer(log(), request, &threads(2))?.bytes.expect("the same sessions");
        files.push((format!("{name}, letters"), letters));
    }
    monitor.combine(&files, verdicts_only)?.into_inputs()
}

/// The rows of a run, without places, which no location sends.
fn rows(monitor: &Monitor, inputs: Inputs) -> Result<Vec<Value>, Disagreement> {
    struct Lines(Vec<u8>);
    impl RunObserver for Lines {
        fn lines(&mut self, lines: &[u8]) -> ControlFlow<()> {
            self.0.extend_from_slice(lines);
            ControlFlow::Continue(())
        }
    }
    let mut lines = Lines(Vec::new());
    let detail = Detail { lines: true, ..Detail::default() };
    let options = RunOptions {
        detail,
        repair: true,
        threads: NonZeroUsize::new(1),
        ..RunOptions::new(monitor)
    };
    let _ = monitor.run(inputs, options, &mut lines).map_err(|error| error.to_string())?;
    let row = |line: &[u8]| {
        let mut row: Value = serde_json::from_slice(line).expect("JSON");
        let fields = row.as_object_mut().expect("an object");
        fields.remove("file");
        fields.remove("line");
        row
    };
    Ok(lines.0.split(|byte| *byte == b'\n').filter(|it| !it.is_empty()).map(row).collect())
}

/// The fields that are certain without letters: the verdict, its cause, and the findings at single locations.
fn verdict(row: &Value) -> Value {
    let is_local = |finding: &&Value| {
        finding["code"].as_str().is_some_and(|code| ("MT101"..="MT104").contains(&code))
    };
    let evidence: Vec<&Value> =
        row["evidence"].as_array().into_iter().flatten().filter(is_local).collect();
    json!([row["session"], row["verdict"], row["cause"], evidence])
}
