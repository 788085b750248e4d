//! Event logs in every format: the first line of an input names the format. With another first line the
//! format is guessed, and a mapping is proposed, which must be one once its questions are answered.

#![no_main]

use libfuzzer_sys::fuzz_target;
use multitrace::Mapping;
use multitrace_formats::source::Source;
use multitrace_fuzz::{let_decoders_panic, records};
use multitrace_logs::{Format, decompress, propose};
use std::io::Read;

#[path = "../../logs/tests/events/answered.rs"]
mod answered;

/// Packed inputs are unpacked up to here.
const MOST: u64 = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let_decoders_panic();
    let line = data.split(|&byte| byte == b'\n').next().unwrap_or_default();
    match std::str::from_utf8(line).ok().and_then(Format::named) {
        Some(format) => records(Some(format), &data[(line.len() + 1).min(data.len())..]),
        None => guessed(data),
    }
});

fn guessed(data: &[u8]) {
    if let Ok(unpacked) = decompress(std::path::Path::new("log"), data) {
        let _ = unpacked.take(MOST).read_to_end(&mut Vec::new());
    }
    records(None, data);
    if let Ok(text) = propose("f", data) {
        let mapping = Mapping::parse(&Source::new("proposed.toml", answered::answered(&text)));
        mapping.expect("proposals are mappings");
    }
}
