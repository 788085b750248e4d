//! Inputs of a run that another run wrote: baselines and partial reports, whose hash is made to fit. A report that
//! is accepted merges with itself and with others, and can be finished.

#![no_main]

use libfuzzer_sys::fuzz_target;
use multitrace::{FinishOptions, OutputFormat, PartialReport};
use multitrace_formats::selection::{Rate, ShardNumber};
use multitrace_formats::source::Source;
use multitrace_fuzz::{read, text};
use multitrace_reports::baseline::Baseline;
use multitrace_reports::groups::Fingerprint;
use sha2::{Digest, Sha256};

fuzz_target!(|data: &[u8]| {
    let _ = PartialReport::from_bytes(data);
    let Some(text) = text(data) else { return };
    partial(text);
    if let Some(baseline) = read(Baseline::parse(&Source::new("f.json", text))) {
        let again = Baseline::parse(&Source::new("again.json", baseline.print()));
        assert_eq!(again.ok(), Some(baseline));
    }
    let _ = (text.parse::<Rate>(), text.parse::<ShardNumber>(), text.parse::<Fingerprint>());
});

/// The text with an end that fits it.
fn sealed(text: &str) -> Vec<u8> {
    let lines = text.rfind("{\"end\":").map_or(text, |at| &text[..at]);
    let hash: String = Sha256::digest(lines).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{lines}{{\"end\":\"{hash}\"}}\n").into_bytes()
}

fn partial(text: &str) {
    let Ok(report) = PartialReport::from_bytes(&sealed(text)) else { return };
    let mut twice = report.clone();
    let _ = twice.merge(report.clone());
    if let Ok(bytes) = report.to_bytes() {
        PartialReport::from_bytes(&bytes).expect("written reports can be read");
    }
    let options = FinishOptions { allow_missing: true, ..FinishOptions::default() };
    let Ok(finished) = report.finish(options) else { return };
    for format in [OutputFormat::Human, OutputFormat::Json, OutputFormat::Html] {
        let _ = finished.write(format, &mut Vec::new());
    }
}
