//! The bytes of an input choose a specification and a session, as random numbers would: all engines,
//! procedures and reductions, and runs that are split and merged, agree with the definitions.

#![no_main]

use libfuzzer_sys::fuzz_target;
use multitrace_testing_engines::agreement::{Case, Tally, compare};
use multitrace_testing_engines::split;

fuzz_target!(|data: &[u8]| {
    let Some((shards, data)) = data.split_first() else { return };
    let Some(case) = Case::of_bytes(data) else { return };
    let compared = compare(&case, &mut Tally::default());
    let split = split::compare(&case, u32::from(shards % 4) + 1);
    compared.and(split).unwrap_or_else(|what| panic!("{what}\n{case:?}"));
});
