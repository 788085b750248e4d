//! Mappings and `multitrace.toml`. An input is a mapping, a line `---`, and an event log, which the
//! mapping makes sessions of: previewed, and checked in a whole run.

#![no_main]

#[path = "../../src/config_file.rs"]
#[allow(dead_code, reason = "the command line uses its fields")]
mod config_file;

use libfuzzer_sys::fuzz_target;
use multitrace::{Inputs, Mapping, Monitor, RunOptions};
use multitrace_formats::diagram::MessageNames;
use multitrace_formats::source::Source;
use multitrace_fuzz::{MONITOR, let_decoders_panic, read, text, two_files};
use multitrace_logs::{FieldPath, RecordBatches, write_preview};
use std::io::Cursor;
use std::num::NonZeroUsize;

const OPTIONS: [&str; 4] = ["observe", "fail-on", "repair", "events"];

fuzz_target!(|data: &[u8]| {
    let_decoders_panic();
    if let Some((mapping, log)) = two_files(data) {
        if let Some(mapping) = read(Mapping::parse(&Source::new("f.toml", mapping))) {
            check(mapping, log);
        }
    } else if let Some(text) = text(data) {
        read(Mapping::parse(&Source::new("f.toml", text)));
        read(config_file::parse(&Source::new("multitrace.toml", text), &OPTIONS));
        let _ = text.parse::<MessageNames>();
        if let Ok(path) = FieldPath::parse(text) {
            assert_eq!(FieldPath::parse(path.text()).ok(), Some(path));
        }
    }
});

fn check(mapping: Mapping, log: &[u8]) {
    let batches = RecordBatches::detect("log", log, mapping.input(), mapping.fields());
    let previewed = batches.map(|it| write_preview(it, &mapping, 10, &mut Vec::new()));
    assert!(!matches!(previewed, Ok(Err(_))), "memory takes everything");
    let monitor: &Monitor = &MONITOR;
    let options = RunOptions { threads: NonZeroUsize::new(1), ..RunOptions::new(monitor) };
    // Problems of the log are in the report; a mapping that does not fit is an error.
    let _ = monitor.run(
        Inputs::event_reader("log", Cursor::new(log.to_vec()), mapping),
        options,
        &mut (),
    );
}
