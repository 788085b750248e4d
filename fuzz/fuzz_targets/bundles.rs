//! Bundles: the input is a payload, and its header is made to fit. A bundle that is accepted checks sessions
//! in every way; its verdicts mean nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use multitrace_formats::bundle::decode;
use multitrace_testing_engines::forged::survives;

fuzz_target!(|data: &[u8]| {
    assert!(decode(data).is_err() || data.len() > 50, "a bundle has a header");
    survives(data);
});
