//! Checks a folder of event logs against a specification, through a mapping, and writes JUnit:
//! `cargo run --example embed -- protocol.hif map.toml logs/ junit.xml`

use multitrace::{CompileOptions, Inputs, Mapping, OutputFormat, RunOptions, Spec, read_text};
use std::{error::Error, fs::File, path::PathBuf, process::ExitCode};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [spec, mapping, logs, junit] = &paths[..] else {
        return Err("usage: embed SPEC MAP.toml LOGS JUNIT.xml".into());
    };
    let monitor = Spec::read(spec)?.compile(&CompileOptions::default())?.monitor;
    let mapping = Mapping::parse(&read_text(mapping)?)?;
    let inputs = Inputs::event_logs(std::slice::from_ref(logs), mapping)?;
    let report = monitor.run(inputs, RunOptions::new(&monitor), &mut ())?;
    report.write(OutputFormat::Junit, &mut File::create(junit)?)?;
    Ok(if report.violations() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
