//! Checks a folder of event logs against a specification, through a mapping, and writes JUnit. Ends with
//! the exit code of `multitrace check`:
//! `cargo run --example embed -- protocol.hif map.toml logs/ junit.xml`

use multitrace::{
    CompileOptions, Inputs, Mapping, OutputFormat, RunOptions, RunOutcome, Spec, read_text,
};
use std::{error::Error, fs::File, io::Write, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let outcome = check(&arguments).unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "{error}");
        RunOutcome::Error
    });
    outcome.into()
}

pub(crate) fn check(arguments: &[PathBuf]) -> Result<RunOutcome, Box<dyn Error>> {
    let [spec, mapping, logs, junit] = arguments else {
        return Err("usage: embed SPEC MAP.toml LOGS JUNIT.xml".into());
    };
    let monitor = Spec::read(spec)?.compile(&CompileOptions::default())?.monitor;
    let mapping = Mapping::parse(&read_text(mapping)?)?;
    let inputs = Inputs::event_logs(std::slice::from_ref(logs), mapping)?;
    let report = monitor.run(inputs, RunOptions::new(&monitor), &mut ())?;
    report.write(OutputFormat::Junit, &mut File::create(junit)?)?;
    Ok(report.outcome())
}
